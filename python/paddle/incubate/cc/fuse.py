# SPDX-License-Identifier: Apache-2.0
"""Words for operations that belong into one kernel. What becomes one is up to the compiler, whose
cost model never makes a kernel that is slower than its operations.
"""

import contextlib

import paddle

__all__ = ['matmul', 'by_register']


@contextlib.contextmanager
def by_register():
    """A scope whose operations belong into one kernel.

    In a compiled function elementwise operations, reductions and views are fused in and outside of
    it alike; run by itself, the code is what it is without the scope.

    Returns:
        context manager: also a decorator.

    Examples:
        >>> import paddle.incubate.cc.fuse as fuse
        >>> x = paddle.to_tensor([0.0, 1.0])
        >>> with fuse.by_register():
        ...     y = paddle.exp(x) * 2 - x
        >>> y[0].item()
        2.0
    """
    yield


def matmul(x, w, epilogue, **kwargs):
    """A matrix product and what is done with it.

    Args:
        x (Tensor): The left matrices.
        w (Tensor): The right ones.
        epilogue (callable): Is given the product.
        **kwargs (bool): `transpose_x` and `transpose_y` of `paddle.matmul`.

    Returns:
        object: what epilogue returns.

    Raises:
        TypeError: epilogue is not callable.

    Examples:
        >>> import paddle.incubate.cc.fuse as fuse
        >>> x, w = paddle.ones([2, 3]), paddle.ones([3, 1])
        >>> fuse.matmul(x, w, lambda y: paddle.nn.functional.relu(y - 2)).tolist()
        [[1.0], [1.0]]
    """
    if not callable(epilogue):
        raise TypeError(
            f'[fuse.matmul] expected epilogue to be callable, got {type(epilogue).__name__}'
        )
    product = paddle.matmul(x, w, **kwargs)
    with by_register():
        return epilogue(product)
