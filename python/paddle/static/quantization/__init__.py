# SPDX-License-Identifier: Apache-2.0
"""Numbers and tables of quantised programs."""

from paddle import _lazy

__all__ = []

_lazy.install(globals(), 'paddle.static.quantization', {}, ('quant_config', 'utils'))
