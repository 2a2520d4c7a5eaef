# SPDX-License-Identifier: Apache-2.0
"""Training that divides optimizer state, gradients and parameters among processes."""

from .group_sharded import group_sharded_parallel, save_group_sharded_model

__all__ = ['group_sharded_parallel', 'save_group_sharded_model']
