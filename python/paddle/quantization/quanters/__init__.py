# SPDX-License-Identifier: Apache-2.0
"""Factories of quanters for training."""

from .abs_max import FakeQuanterWithAbsMaxObserver

__all__ = ['FakeQuanterWithAbsMaxObserver']
