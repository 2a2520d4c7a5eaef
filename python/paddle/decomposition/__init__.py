# SPDX-License-Identifier: Apache-2.0
"""Taking operations of programs apart into simpler ones."""

from .decomp import decompose

__all__ = ['decompose']
