# SPDX-License-Identifier: Apache-2.0
"""Calls that keep no intermediate results: backward runs them again."""

from .recompute import recompute, recompute_hybrid, recompute_sequential

__all__ = ['recompute', 'recompute_hybrid', 'recompute_sequential']
