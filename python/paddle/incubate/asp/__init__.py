# SPDX-License-Identifier: Apache-2.0
"""Automatic sparsity: of each m weights in a row n stay, the others are zero and remain so."""

from .asp import (
    ASPHelper,
    add_supported_layer,
    decorate,
    prune_model,
    reset_excluded_layers,
    set_excluded_layers,
)
from .utils import (
    CheckMethod,
    MaskAlgo,
    calculate_density,
    check_mask_1d,
    check_mask_2d,
    check_sparsity,
    create_mask,
    get_mask_1d,
    get_mask_2d_best,
    get_mask_2d_greedy,
)

__all__ = [
    'calculate_density',
    'decorate',
    'prune_model',
    'set_excluded_layers',
    'reset_excluded_layers',
    'add_supported_layer',
]
