# SPDX-License-Identifier: Apache-2.0
"""Generates everything that follows from an op stanza: C++ API, gradients, kernels' glue, bindings,
stubs, test rows.
"""
