# SPDX-License-Identifier: Apache-2.0
"""The steps of loss scaling, under the name that programs import."""

from paddle.amp.loss_scaling import check_finite_and_unscale, update_loss_scaling

__all__ = ['check_finite_and_unscale', 'update_loss_scaling']
