# SPDX-License-Identifier: Apache-2.0
"""Checks on the source tree and the object files; each module has run(root) -> list of problem
lines.
"""
