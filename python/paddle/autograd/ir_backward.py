# SPDX-License-Identifier: Apache-2.0
"""Gradients of programs, as lists in the order of the inputs."""

import paddle
from paddle.static.gradient import append_backward, gradients

__all__ = ['grad', 'calc_gradient', 'append_backward']


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=False,
    no_grad_vars=None,
):
    """The gradients of `outputs` with respect to `inputs`, None where no path leads; nothing flows
    through `no_grad_vars`.

    With `create_graph` they can be differentiated again.
    """
    if create_graph:
        return paddle.grad(
            outputs, inputs, grad_outputs, True, True, only_inputs, True, no_grad_vars
        )
    return gradients(outputs, inputs, grad_outputs, no_grad_vars)


def calc_gradient(outputs, inputs, grad_outputs=None, no_grad_set=None):
    """The same as `grad`."""
    return gradients(outputs, inputs, grad_outputs, no_grad_set)
