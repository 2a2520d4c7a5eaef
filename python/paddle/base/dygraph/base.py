# SPDX-License-Identifier: Apache-2.0
"""Gradient mode (no_grad, enable_grad, set_grad_enabled), paddle.grad and the eager-mode switch."""

import contextlib
import functools
import inspect
import sys

from paddle.base import libpaddle as _core
from paddle.base.arguments import items, only

__all__ = [
    'no_grad',
    'no_grad_',
    'enable_grad',
    'set_grad_enabled',
    'is_grad_enabled',
    'grad',
    'to_variable',
    'guard',
    'enabled',
    'enable_dygraph',
    'disable_dygraph',
    'switch_to_static_graph',
    'in_to_static_mode',
    'in_declarative_mode',
    'param_guard',
]

is_grad_enabled_ = _core.is_grad_enabled


class _Decorator:
    """What decorates functions, generators and classes' methods with a context manager."""

    __slots__ = ()
    DECORATED_BY_MARKER_ATTR = (
        '__decorated_by__'  # what a decorated function has: the context manager
    )

    def clone(self):
        """A fresh context manager of the same kind."""
        return self.__class__()

    def __call__(self, func):
        if not callable(func):
            raise TypeError(
                f"[{type(self).__name__}] expected a function to decorate, got "
                f"{type(func).__name__}"
            )
        wrapper = (
            self._wrap_generator(func) if inspect.isgeneratorfunction(func) else self._wrap(func)
        )
        setattr(wrapper, self.DECORATED_BY_MARKER_ATTR, self)
        return wrapper

    def _wrap(self, func):
        clone = self.clone

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            with clone():
                return func(*args, **kwargs)

        return wrapper

    def _wrap_generator(self, func):
        clone = self.clone

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            running = func(*args, **kwargs)
            try:
                with clone():
                    item = running.send(None)
                while True:
                    try:
                        got = yield item
                    except GeneratorExit:
                        with clone():
                            running.close()
                        raise
                    except BaseException as error:
                        with clone():
                            item = running.throw(error)
                    else:
                        with clone():
                            item = running.send(got)
            except StopIteration as stop:
                return stop.value

        return wrapper


class no_grad(_Decorator, _core.GradMode):
    """Turn gradient recording off, as a context manager (`with no_grad():`) or a decorator.

    Args:
        func (callable, default None): A function that runs so, where it is a decorator.

    Returns:
        object: a context manager, or the decorated function.

    Examples:
        >>> x = paddle.to_tensor([3.0], stop_gradient=False)
        >>> with paddle.no_grad():
        ...     y = x * 2
        >>> y.stop_gradient
        True
    """

    __slots__ = ()

    def __new__(cls, func=None):
        self = _core.GradMode.__new__(cls, False)
        return self if func is None else self(func)


no_grad_ = no_grad


class enable_grad(_Decorator, _core.GradMode):
    """Turn gradient recording on, as a context manager or a decorator.

    Args:
        func (callable, default None): A function that runs so, where it is a decorator.

    Returns:
        object: a context manager, or the decorated function.

    Examples:
        >>> x = paddle.to_tensor([3.0], stop_gradient=False)
        >>> with paddle.no_grad(), paddle.enable_grad():
        ...     y = x * 2
        >>> y.stop_gradient
        False
    """

    __slots__ = ()

    def __new__(cls, func=None):
        self = _core.GradMode.__new__(cls, True)
        return self if func is None else self(func)


class set_grad_enabled(_Decorator, _core.GradSwitch):
    """Set gradient recording at once; as a context manager, restore it on leaving.

    Args:
        mode (bool): Whether operations are recorded.

    Returns:
        context manager: what restores it.

    Examples:
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> with paddle.set_grad_enabled(False):
        ...     y = x * 2
        >>> y.stop_gradient, (x * 2).stop_gradient
        (True, False)
    """

    __slots__ = ('mode',)

    def __new__(cls, mode):
        return _core.GradSwitch.__new__(cls, mode)

    def __init__(self, mode):
        self.mode = bool(mode)

    def clone(self):
        return self.__class__(self.mode)

    def __call__(self, func):
        self.__exit__()
        return super().__call__(func)


def is_grad_enabled():
    """Whether operations on tensors are recorded for backward.

    Returns:
        bool: the answer.

    Examples:
        >>> paddle.is_grad_enabled()
        True
    """
    return is_grad_enabled_()


def _tensor_list(value, name):
    from paddle import Tensor

    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if not values:
        raise AssertionError(f"[grad] expected {name} to hold tensors, got none")
    for item in values:
        if not isinstance(item, Tensor):
            raise AssertionError(
                f"[grad] expected {name} to hold tensors, got {type(item).__name__}"
            )
    return values


def _is_empty_list(value):
    return isinstance(value, (list, tuple)) and not value


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=False,
    no_grad_vars=None,
    *,
    dump_backward_graph_path=None,
):
    """Gradients of the sum of `outputs` with respect to `inputs`, as a list.

    With `create_graph` the result can be differentiated again. The graph stays usable whatever
    `retain_graph` is. An input that the outputs do not depend on gives an error, or None with
    `allow_unused`. No gradient flows back through `no_grad_vars`, a tensor or several.

    Args:
        outputs (Tensor or list of Tensors): What is differentiated.
        inputs (Tensor or list of Tensors): With respect to what.
        grad_outputs (Tensor or list of Tensors, default None): The gradients of outputs; None for
            ones.
        retain_graph (bool, default None): Whether the graph stays for another pass; None for
            create_graph.
        create_graph (bool, default False): Whether the gradients can be differentiated.
        only_inputs (bool, default True): It must be true.
        allow_unused (bool, default False): Whether None is returned for inputs that outputs do
            not depend on; else that is an error.
        no_grad_vars (Tensor or list of Tensors, default None): Tensors that no gradient passes.
        dump_backward_graph_path (str, default None): The folder that the graph of what runs is
            written to, for Graphviz; None for no files.

    Returns:
        list of Tensors: one gradient for each of inputs.

    Examples:
        >>> x = paddle.to_tensor([3.0], stop_gradient=False)
        >>> y = x**3
        >>> (g,) = paddle.grad(y, x, create_graph=True)
        >>> g.tolist()
        [27.0]
        >>> paddle.grad(g, x)[0].tolist()
        [18.0]
    """
    outputs = _tensor_list(outputs, 'outputs')
    inputs = _tensor_list(inputs, 'inputs')
    if not only_inputs:
        raise AssertionError("[grad] expected only_inputs=True, got False")
    if grad_outputs is not None:
        grad_outputs = (
            list(grad_outputs) if isinstance(grad_outputs, (list, tuple)) else [grad_outputs]
        )
        from paddle import Tensor

        for item in grad_outputs:
            if item is not None and not isinstance(item, Tensor):
                raise AssertionError(
                    "[grad] expected grad_outputs to hold tensors or None, got "
                    f"{type(item).__name__}"
                )
        if len(grad_outputs) != len(outputs):
            raise AssertionError(
                f"[grad] expected grad_outputs for {len(outputs)} outputs, got {len(grad_outputs)}"
            )
    if no_grad_vars is not None:
        if isinstance(no_grad_vars, set):
            no_grad_vars = items('grad', 'no_grad_vars', no_grad_vars)
        frozen = (
            _tensor_list(no_grad_vars, 'no_grad_vars') if not _is_empty_list(no_grad_vars) else []
        )
        rest = (frozen,)
    else:
        rest = ()
    if (sparse := sys.modules.get('paddle.sparse.tensor')) is not None:
        outputs, grad_outputs, inputs, rest, show = sparse.as_values(
            'grad', outputs, grad_outputs, inputs, rest
        )
    if dump_backward_graph_path is not None:
        from paddle.autograd.graph_files import write_graph

        write_graph('grad', outputs, dump_backward_graph_path)
    grads = list(_core.grad(outputs, inputs, grad_outputs, True, create_graph, allow_unused, *rest))
    return grads if sparse is None else show(grads)


def to_variable(value, name=None, zero_copy=None, dtype=None):
    """A tensor of `value`; a tensor comes back as it is."""
    import paddle

    only('to_variable', 'a tensor has memory of its own', zero_copy=(zero_copy, None, False))
    if not isinstance(value, paddle.Tensor):
        value = paddle.to_tensor(value, dtype=dtype)
    if name is not None:
        value.name = name
    return value


def enabled():
    """Whether operations run at once (dynamic mode)."""
    import paddle

    return paddle.in_dynamic_mode()


def enable_dygraph(place=None):
    """Enter dynamic mode; `place` becomes the current device."""
    import paddle

    paddle.disable_static(place)


def disable_dygraph():
    """Enter static mode."""
    import paddle

    paddle.enable_static()


@contextlib.contextmanager
def guard(place=None):
    """Dynamic mode inside the block, on the device `place`."""
    import paddle

    static, before = not paddle.in_dynamic_mode(), _core.current_place()
    try:
        if static:
            paddle.disable_static()
        if place is not None:
            _core.set_current_place(_core.to_place(place))
        yield
    finally:
        _core.set_current_place(before)
        if static:
            paddle.enable_static()


def switch_to_static_graph(func):
    """Decorator: the function runs in static mode."""

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        import paddle

        dynamic = paddle.in_dynamic_mode()
        try:
            if dynamic:
                paddle.enable_static()
            return func(*args, **kwargs)
        finally:
            if dynamic:
                paddle.disable_static()

    return wrapper


def in_to_static_mode():
    """Whether a function marked with `to_static` is being recorded."""
    return enabled() and _core.pir._record_mode() != 0


in_declarative_mode = in_to_static_mode


@contextlib.contextmanager
def param_guard(parameters):
    """Nothing to exchange: parameters are recorded as they are."""
    yield
