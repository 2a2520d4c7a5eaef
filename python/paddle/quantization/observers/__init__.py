# SPDX-License-Identifier: Apache-2.0
"""Observers, and factories of them."""

from .abs_max import AbsmaxObserver
from .groupwise import GroupWiseWeightObserver

__all__ = ['AbsmaxObserver', 'GroupWiseWeightObserver']
