# SPDX-License-Identifier: Apache-2.0
"""Parameters to one vector, and back."""

import math

import paddle
from paddle import _C_ops
from paddle.base.arguments import items
from paddle.base.libpaddle import expect_tensors

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters, name=None):
    """All parameters, flattened, one after another in a 1-D Tensor.

    Args:
        parameters (iterable): The parameters.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of one axis.

    Examples:
        >>> layer = paddle.nn.Linear(3, 2)
        >>> paddle.nn.utils.parameters_to_vector(layer.parameters()).shape
        paddle.Size([8])
    """
    return paddle.concat(
        [_C_ops.reshape(p, [-1]) for p in items('parameters_to_vector', 'parameters', parameters)],
        axis=0,
    )


def vector_to_parameters(vec, parameters, name=None):
    """Write the parts of a 1-D Tensor into the parameters.

    Args:
        vec (Tensor): What `parameters_to_vector` gives.
        parameters (iterable): Where it is written.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        None.

    Examples:
        >>> layer = paddle.nn.Linear(1, 2)
        >>> vec = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
        >>> paddle.nn.utils.vector_to_parameters(vec, layer.parameters())
        >>> layer.weight.tolist(), layer.bias.tolist()
        ([[1.0, 2.0]], [3.0, 4.0])
    """
    expect_tensors("vector_to_parameters", vec=vec)
    parameters = items('vector_to_parameters', 'parameters', parameters)
    for p in parameters:
        expect_tensors('vector_to_parameters', parameters=p)
    sizes = [math.prod(p.shape) for p in parameters]
    if sum(sizes) != math.prod(vec.shape):
        raise ValueError(
            f"[vector_to_parameters] expected a vector of {sum(sizes)} elements, "
            f"got shape {list(vec.shape)}"
        )
    with paddle.no_grad():
        for p, part in zip(parameters, paddle.split(vec, sizes, axis=0)):
            p.set_value(_C_ops.reshape(part, list(p.shape)))
