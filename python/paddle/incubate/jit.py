# SPDX-License-Identifier: Apache-2.0
"""`inference`: a function or layer that runs as a program, for inference."""

import functools

import paddle
from paddle.base.arguments import only

__all__ = ['inference', 'is_inference_mode']


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

    The first call with other shapes or Python values makes another program. What concerns other
    devices, or files of the program, is refused.

    Args:
        function (callable or Layer, default None): The function, or a layer, whose `forward` is
            taken; None for the decorator itself.
        cache_static_model (bool, default False): Only False.
        save_model_dir (str, default None): Only None.
        memory_pool_init_size_mb (int, default 1000): Only 1000.
        precision_mode (str, default 'float32'): Only `float32`.
        switch_ir_optim (bool, default True): Only True.
        switch_ir_debug (bool, default False): Only False.
        enable_cinn (bool, default False): Taken for compatibility; it has no effect.
        with_trt (bool, default False): Only False.
        trt_precision_mode (str, default 'float32'): Only `float32`.
        trt_use_static (bool, default False): Only False.
        collect_shape (bool, default False): Only False.
        enable_new_ir (bool, default False): Taken for compatibility; it has no effect.
        exp_enable_use_cutlass (bool, default False): Only False.
        delete_pass_lists (list of strs, default None): Only None or none.
        skip_prune_program (bool, default False): Only False.

    Returns:
        callable: the function, or the layer itself.

    Raises:
        ValueError: An argument has another value.

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
    only(
        'inference',
        'programs are kept in memory, run in the precision of their tensors and optimised by '
        'passes of their own',
        cache_static_model=(cache_static_model, False),
        save_model_dir=(save_model_dir, None),
        precision_mode=(precision_mode, 'float32'),
        switch_ir_optim=(switch_ir_optim, True),
        switch_ir_debug=(switch_ir_debug, False),
        enable_cinn=(enable_cinn, False, True),
        with_trt=(with_trt, False),
        trt_precision_mode=(trt_precision_mode, 'float32'),
        trt_use_static=(trt_use_static, False),
        collect_shape=(collect_shape, False),
        enable_new_ir=(enable_new_ir, False, True),
        delete_pass_lists=(delete_pass_lists, None, []),
        skip_prune_program=(skip_prune_program, False),
        exp_enable_use_cutlass=(exp_enable_use_cutlass, False),
        memory_pool_init_size_mb=(memory_pool_init_size_mb, 1000),
    )
    if function is None:
        return inference
    if isinstance(function, paddle.nn.Layer):
        function.forward = inference(function.forward)
        return function
    compiled = paddle.jit.to_static(function)

    @functools.wraps(function)
    def run(*args, **kwargs):
        with paddle.no_grad():
            return compiled(*args, **kwargs)

    run.__inference__ = True
    return run
