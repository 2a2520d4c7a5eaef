# SPDX-License-Identifier: Apache-2.0
"""Layers of sparse tensors, by kind."""
