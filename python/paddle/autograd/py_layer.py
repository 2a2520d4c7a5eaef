# SPDX-License-Identifier: Apache-2.0
"""Custom differentiable functions: a forward and a backward written in Python."""

from paddle.base import libpaddle as _core

__all__ = ['PyLayer', 'PyLayerContext', 'Function']


class PyLayerContext:
    """What `forward` leaves for `backward`. Any attribute may be set on it.

    Examples:
        >>> class Exp(paddle.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         assert isinstance(ctx, paddle.autograd.PyLayerContext)
        ...         y = x.exp()
        ...         ctx.save_for_backward(y)
        ...         return y
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad * ctx.saved_tensor()[0]
        >>> x = paddle.to_tensor([0.0], stop_gradient=False)
        >>> Exp.apply(x).backward()
        >>> x.grad.tolist()
        [1.0]
    """

    container = None
    not_inplace_tensors = None
    non_differentiable = None
    materialize_grads = True
    grad_in_dtype_consistent = True
    _unpack = None

    def save_for_backward(self, *tensors):
        """Keep tensors for backward; call it once, in `forward`."""
        hooks = _core.saved_tensors_hooks()
        if hooks is not None:
            pack, self._unpack = hooks
            tensors = tuple(pack(t) if hasattr(t, 'stop_gradient') else t for t in tensors)
        else:
            self._unpack = None
        self.container = tensors

    def saved_tensor(self):
        """The tensors given to `save_for_backward`, as a tuple."""
        if self._unpack is not None and self.container is not None:
            return tuple(self._unpack(t) for t in self.container)
        return self.container

    def mark_not_inplace(self, *args):
        """Say that these inputs, returned as outputs, were not changed in place."""
        self.not_inplace_tensors = args

    def mark_non_differentiable(self, *args):
        """Say that these outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """Whether undefined gradients reach `backward` as zeros (True) or None (False)."""
        self.materialize_grads = value

    def set_grad_in_dtype_consistent(self, flag):
        """Whether gradients are cast to the dtype of the forward outputs before `backward`."""
        self.grad_in_dtype_consistent = flag


class PyLayer(PyLayerContext):
    """Base of custom functions: define static `forward(ctx, ...)` and `backward(ctx, *grads)`, then
    call `apply`.

    Examples:
        >>> class Double(paddle.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad * 2
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> Double.apply(x).sum().backward()
        >>> x.grad.tolist()
        [2.0, 2.0]
        >>> paddle.autograd.Function is paddle.autograd.PyLayer
        True
    """

    @staticmethod
    def forward(ctx, *args, **kwargs):
        """Compute the outputs; must be overridden."""
        raise NotImplementedError("[PyLayer] expected a subclass that defines forward, got none")

    @staticmethod
    def backward(ctx, *args):
        """Compute one gradient for each tensor input of `forward`; must be overridden."""
        raise NotImplementedError("[PyLayer] expected a subclass that defines backward, got none")

    def name(self):
        """The name of the function."""
        return type(self).__name__

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run `forward` and record `backward` for it."""
        return _core.py_layer_apply(cls, PyLayerContext(), args, kwargs)


Function = PyLayer


def once_differentiable(backward):
    """Decorator of a `backward` whose result must not be differentiated again."""
    import functools

    from paddle.base.dygraph.base import no_grad

    @functools.wraps(backward)
    def wrapper(ctx, *args):
        with no_grad():
            return backward(ctx, *args)

    return wrapper
