# SPDX-License-Identifier: Apache-2.0
"""Methods of Tensor that PaddlePaddle's own code and tests call, and programs seldom."""

import numpy

import paddle


def _copy_gradient_from(self, src):
    """Make a copy of a tensor the gradient."""
    self.grad = paddle.assign(src.detach())


def _inplace_assign(self, other):
    """Make this tensor a copy of another one, of any shape and dtype, without a history."""
    self._rebind(other.detach().clone())


def _new_shared_tensor(self):
    """A tensor of the same memory and no history, which needs a gradient if this one does."""
    shared = self.detach()
    shared.stop_gradient = self.stop_gradient
    return shared


def _grad_name(self):
    """The name of the gradient, '' without one."""
    return '' if self.grad is None else self.grad.name


def _getitem_from_offset(self, *index):
    """One element, by its number in order or by its place on each axis, as an array without axes.
    ValueError where there is no such element.
    """
    array = self.detach().numpy()
    try:
        return numpy.asarray(array.item(*index), array.dtype)
    except (IndexError, ValueError):
        raise ValueError(
            f'[Tensor._getitem_from_offset] expected the place of an element of shape '
            f'{list(array.shape)}, got {index}'
        ) from None
