# SPDX-License-Identifier: Apache-2.0
"""Gradients of programs under their older home."""

from paddle.static.gradient import append_backward, gradients

__all__ = ['append_backward', 'gradients']


def calc_gradient(targets, inputs, target_gradients=None, no_grad_set=None):
    """The same as `gradients`; a single gradient comes alone."""
    found = gradients(targets, inputs, target_gradients, no_grad_set)
    return found[0] if len(found) == 1 else found


def _as_list(x):
    return list(x) if isinstance(x, (list, tuple)) else [] if x is None else [x]


def _append_grad_suffix_(name):
    return name + '@GRAD'


def _strip_grad_suffix_(name):
    """The name of what a gradient in an old program is the gradient of."""
    return name[: name.find('@GRAD')].removeprefix('grad/') if '@GRAD' in name else name
