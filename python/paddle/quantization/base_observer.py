# SPDX-License-Identifier: Apache-2.0
"""What every observer does."""

import abc

from .base_quanter import BaseQuanter

__all__ = ['BaseObserver']


class BaseObserver(BaseQuanter, metaclass=abc.ABCMeta):
    """The base of quanters that return their input, and learn a scale from all they see.

    Beside what `BaseQuanter` asks for, `cal_thresholds()` determines the scale.

    Args:
        name_scope (str, default None): The beginning of the names of its parameters.
        dtype (str, default 'float32'): The dtype of its parameters.

    Examples:
        >>> from paddle.quantization import BaseObserver
        >>> class Largest(BaseObserver):
        ...     largest = 0.0
        ...     def forward(self, input):
        ...         self.largest = max(self.largest, input.abs().max().item())
        ...         return input
        ...     def cal_thresholds(self):
        ...         pass
        ...     def scales(self):
        ...         return self.largest
        ...     def zero_points(self):
        ...         return None
        ...     def quant_axis(self):
        ...         return -1
        ...     def bit_length(self):
        ...         return 8
        >>> observer = Largest()
        >>> for value in ([0.5, -2.0], [1.0, 0.0]):
        ...     _ = observer(paddle.to_tensor(value))
        >>> observer.scales()
        2.0
    """

    @abc.abstractmethod
    def cal_thresholds(self):
        """Determine the scale."""
