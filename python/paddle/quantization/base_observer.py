# SPDX-License-Identifier: Apache-2.0
"""What every observer does."""

import abc

from .base_quanter import BaseQuanter

__all__ = ['BaseObserver']


class BaseObserver(BaseQuanter, metaclass=abc.ABCMeta):
    """A quanter that returns its input, and learns a scale from all it has seen."""

    @abc.abstractmethod
    def cal_thresholds(self):
        """Determine the scale."""
