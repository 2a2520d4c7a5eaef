# SPDX-License-Identifier: Apache-2.0
"""Readers of well-known data sets, as generators of samples."""

from paddle import _lazy

_lazy.install(
    globals(),
    'paddle.dataset',
    modules=('common', 'flowers', 'image', 'imdb', 'mnist', 'uci_housing', 'wmt16'),
)
__all__ = []
