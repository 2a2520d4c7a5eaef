# SPDX-License-Identifier: Apache-2.0
"""`inference`: a function or layer that runs as a program, for inference."""

import functools
import inspect
import os

import paddle
from paddle.base.arguments import any_of, only

__all__ = ['inference', 'is_inference_mode']

_PRECISIONS = ('float32', 'float16', 'bfloat16')


def is_inference_mode(function):
    """Whether a function was made by `inference`."""
    return hasattr(function, '__inference__')


def inference(
    function=None,
    cache_static_model=False,
    save_model_dir=None,
    memory_pool_init_size_mb=1000,
    precision_mode='float32',
    switch_ir_optim=True,
    switch_ir_debug=False,
    enable_cinn=False,
    with_trt=False,
    trt_precision_mode='float32',
    trt_use_static=False,
    collect_shape=False,
    enable_new_ir=False,
    exp_enable_use_cutlass=False,
    delete_pass_lists=None,
    skip_prune_program=False,
):
    """A decorator of a function, or of a layer: calls run as a compiled program, without history.

    The first call with other shapes or Python values makes another program.

    Args:
        function (callable or Layer, default None): The function, or a layer, whose `forward` is
            taken; None for the decorator itself.
        cache_static_model (bool, default False): Whether the program that is in `save_model_dir`
            already is what runs.
        save_model_dir (str, default None): Where the program is written, in a folder with the name
            of the function, as `infer.json` and `infer.pdiparams`; extents that differ between
            calls are unknown there. None for nowhere, or `~/.cache/paddle/inference_models` where
            `cache_static_model` is True.
        memory_pool_init_size_mb (int, default 1000): For GPUs; it has no effect.
        precision_mode (str, default 'float32'): `float32`, or `float16` or `bfloat16`, which is
            the precision that operations on float32 tensors compute in, as `paddle.amp.auto_cast`
            of level O2 has it; results in it are float32. `int8` needs a model that
            `paddle.quantization` has converted, which computes in what it was made for.
        switch_ir_optim (bool, default True): Taken for compatibility: programs are always
            optimised.
        switch_ir_debug (bool, default False): Taken for compatibility; it has no effect.
        enable_cinn (bool, default False): Taken for compatibility; it has no effect.
        with_trt (bool, default False): Only False.
        trt_precision_mode (str, default 'float32'): Without `with_trt` it has no effect, as the
            next two.
        trt_use_static (bool, default False): Has no effect.
        collect_shape (bool, default False): Has no effect.
        enable_new_ir (bool, default False): Taken for compatibility; it has no effect.
        exp_enable_use_cutlass (bool, default False): For GPUs; it has no effect.
        delete_pass_lists (list of strs, default None): Taken for compatibility: there are other
            passes.
        skip_prune_program (bool, default False): Taken for compatibility: programs have what their
            results need, and what they print.

    Returns:
        callable: the function, or the layer itself.

    Raises:
        NotImplementedError: `with_trt` is True, or `precision_mode` is `int8`.
        ValueError: Another `precision_mode`.
        TypeError: In a call: an argument is no tensor, and the program is to be in files.

    Examples:
        >>> @paddle.incubate.jit.inference
        ... def double(x):
        ...     return x * 2
        >>> double(paddle.to_tensor([1.0, 2.0])).tolist()
        [2.0, 4.0]
        >>> layer = paddle.incubate.inference(paddle.nn.Linear(2, 1))
        >>> layer(paddle.ones([3, 2])).shape
        paddle.Size([3, 1])
    """
    only('inference', 'there is no TensorRT', with_trt=(with_trt, False))
    if precision_mode == 'int8':
        raise NotImplementedError(
            f'[inference] expected precision_mode {any_of(_PRECISIONS)}, got {precision_mode!r}: '
            f'convert the model with paddle.quantization'
        )
    if precision_mode not in _PRECISIONS:
        raise ValueError(
            f'[inference] expected precision_mode {any_of(_PRECISIONS)}, got {precision_mode!r}'
        )
    if function is None:
        return functools.partial(
            inference,
            cache_static_model=cache_static_model,
            save_model_dir=save_model_dir,
            precision_mode=precision_mode,
        )
    if isinstance(function, paddle.nn.Layer):
        function.forward = inference(
            function.forward,
            cache_static_model=cache_static_model,
            save_model_dir=save_model_dir,
            precision_mode=precision_mode,
        )
        return function
    compiled = paddle.jit.to_static(function)
    if save_model_dir is not None or cache_static_model:
        folder = save_model_dir or os.path.expanduser('~/.cache/paddle/inference_models')
        path = os.path.join(folder, function.__name__, 'infer')
        compiled = _Written(function, compiled, path, cache_static_model)

    @functools.wraps(function)
    def run(*args, **kwargs):
        with paddle.no_grad():
            if precision_mode == 'float32':
                return compiled(*args, **kwargs)
            with paddle.amp.auto_cast(True, level='O2', dtype=precision_mode):
                made = compiled(*args, **kwargs)
            return paddle.utils.map_structure(lambda t: _widened(t, precision_mode), made)

    run.__inference__ = True
    return run


def _widened(value, precision):
    """A result as a program in float32 gives it."""
    low = isinstance(value, paddle.Tensor) and value.dtype == getattr(paddle, precision)
    return value.astype('float32') if low else value


class _Written:
    """A function whose program is in files: those that are there, or that it writes."""

    def __init__(self, function, compiled, path, cached):
        self._function, self._compiled, self._path = function, compiled, path
        self._cached, self._loaded, self._specs = cached, None, None

    def __call__(self, *args, **kwargs):
        bound = inspect.signature(self._function).bind(*args, **kwargs)
        tensors, others = bound.args, [type(v).__name__ for v in bound.kwargs.values()]
        others += [type(t).__name__ for t in tensors if not isinstance(t, paddle.Tensor)]
        if others:
            raise TypeError(
                f'[inference] expected tensors alone as arguments of {self._function.__name__}, '
                f'whose program is in files, got {others}'
            )
        specs = [([*t.shape], t.dtype) for t in tensors]
        if self._cached and self._specs is None and os.path.isfile(self._path + '.json'):
            self._loaded = paddle.jit.load(self._path)
            block = self._loaded.program().global_block()
            inputs = [op.attrs() for op in block.ops if op.name() == 'pd_op.data']
            self._specs = [
                ([None if n == -1 else n for n in one['shape']], one['dtype']) for one in inputs
            ]
        if self._loaded is not None and all(map(self._fits, self._specs, specs)):
            return self._loaded(*tensors)
        if self._specs is not None and len(self._specs) == len(specs):
            specs = [self._common(*pair) for pair in zip(self._specs, specs)]
        if specs != self._specs:
            self._specs, self._loaded = specs, None
            paddle.jit.save(
                paddle.jit.to_static(self._function, full_graph=True),
                self._path,
                [paddle.static.InputSpec(shape, dtype) for shape, dtype in specs],
            )
        return self._compiled(*tensors)

    @classmethod
    def _fits(cls, mine, other):
        return cls._common(mine, other) == mine

    @staticmethod
    def _common(mine, other):
        """A spec for both, where they differ in extents alone."""
        if mine[1] != other[1] or len(mine[0]) != len(other[0]):
            return other
        return [a if a == b else None for a, b in zip(mine[0], other[0])], mine[1]
