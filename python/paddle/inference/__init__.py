# SPDX-License-Identifier: Apache-2.0
"""Running saved models: Config says what to load and how, create_predictor gives a Predictor."""

import os as _os

from paddle import _lazy
from paddle.base import libpaddle as _core
from paddle.base.libpaddle import (
    PaddleDType as DataType,
    PaddleInferPredictor as Predictor,
    PaddleInferTensor as Tensor,
    PaddlePlace as PlaceType,
    PrecisionType,
    get_num_bytes_of_data_type,
    get_version,
)

from .config import Config, XpuConfig
from .mixed_precision import _converted, convert_to_mixed_precision

__all__ = [
    'Config',
    'convert_to_mixed_precision',
    'DataType',
    'PlaceType',
    'PrecisionType',
    'Tensor',
    'Predictor',
    'create_predictor',
    'get_version',
    'get_trt_compile_version',
    'get_trt_runtime_version',
    'get_num_bytes_of_data_type',
    'PredictorPool',
    'XpuConfig',
]


def get_trt_compile_version():
    """The version of TensorRT that the package was built with.

    Returns:
        tuple of ints: (0, 0, 0): with none.

    Examples:
        >>> paddle.inference.get_trt_compile_version()
        (0, 0, 0)
    """
    return 0, 0, 0


def get_trt_runtime_version():
    """The version of TensorRT that is used.

    Returns:
        tuple of ints: (0, 0, 0): none is.

    Examples:
        >>> paddle.inference.get_trt_runtime_version()
        (0, 0, 0)
    """
    return 0, 0, 0


def _get_phi_kernel_name(op_name):
    """The operator that an operation of older programs is.

    Args:
        op_name (str): The name of the operation.

    Returns:
        str: the name of the operator; op_name where it is no older name.

    Examples:
        >>> paddle.inference._get_phi_kernel_name("elementwise_add")
        'add'
    """
    from paddle._legacy_ops import OPS

    return OPS[op_name][0] if op_name in OPS else op_name


def _from_old(source):
    """The bytes of a program and its parameters, read from the older `.pdmodel` format."""
    from paddle.static import io, lod, rewriting

    program, names, fetches = source
    inputs = rewriting.data_values(program)
    feeds = [inputs[name] for name in names] + lod.offsets_of(program, names)
    told = [
        (k, level, v) for k, f in enumerate(fetches) for level, v in enumerate(lod.of(program, f))
    ]
    count, fetches = len(fetches), [*fetches, *(v for _, _, v in told)]
    pruned = io.normalize_program(program, feeds, fetches)
    ends = [op for op in pruned._operations() if op.name() == 'pd_op.fetch']
    for op, (k, level, _) in zip(ends[count:], told):
        op.set_str_attr('name', lod.name(f'fetch_name_{k}', level))
    data = io.serialize_persistables(feeds, fetches, None, program=program) or b''
    return pruned._to_json().encode(), data


def _with_program(config, make):
    """make(config), with a program that C++ does not take as it is converted in memory first: one
    in the older format, or in another precision.
    """
    from paddle.static import io, rewriting

    model, params = config.prog_file(), config.params_file()
    in_memory, conversion = config.model_from_memory(), config._conversion()
    old = not in_memory and _os.path.isfile(model) and not io._is_json(model)
    if not old and conversion is None:
        return make(config)
    buffers = config._buffers() if in_memory else None
    source = io._from_bytes(*buffers) if in_memory else io._read(model, params or None)
    if conversion is None:
        text, data = _from_old(source)
    else:
        text, data = rewriting.contents(_converted(source, **conversion))
    folder = config.model_dir()
    config.set_model_buffer(text, len(text), data, len(data))
    try:
        return make(config)
    finally:
        if in_memory:
            config.set_model_buffer(buffers[0], len(buffers[0]), buffers[1], len(buffers[1]))
        else:
            config.set_model(folder) if folder else config.set_model(model, params)


def create_predictor(config):
    """A predictor of the model that a configuration names.

    A program in the older format `.pdmodel`, or for a half precision, is converted in memory.

    Args:
        config (Config): The configuration.

    Returns:
        object: a `Predictor`.

    Raises:
        OSError: A file is missing.
        ValueError: A file is damaged.

    Examples:
        >>> net = paddle.nn.Linear(2, 1)
        >>> paddle.jit.save(net, "net", [paddle.static.InputSpec([None, 2], name="x")])
        >>> config = paddle.inference.Config("net.json", "net.pdiparams")
        >>> config.disable_glog_info()
        >>> predictor = paddle.inference.create_predictor(config)
        >>> predictor.get_input_names()
        ['x']
        >>> predictor.run([paddle.ones([3, 2])])[0].shape
        paddle.Size([3, 1])
    """
    return _with_program(config, _core.create_predictor)


class PredictorPool(_core.PredictorPool):
    """Predictors of one model, one for each thread, which share the program and its parameters.

    Args:
        config (Config): The configuration.
        size (int, default 1): How many there are; `retrieve(k)` gives number k.

    Raises:
        OSError: A file is missing.
        ValueError: A file is damaged.

    Examples:
        >>> net = paddle.nn.Linear(2, 1)
        >>> paddle.jit.save(net, "net", [paddle.static.InputSpec([None, 2])])
        >>> config = paddle.inference.Config("net.json", "net.pdiparams")
        >>> config.disable_glog_info()
        >>> pool = paddle.inference.PredictorPool(config, size=2)
        >>> [pool.retrieve(k).run([paddle.ones([1, 2])])[0].shape for k in range(2)]
        [paddle.Size([1, 1]), paddle.Size([1, 1])]
    """

    def __init__(self, config, size=1):
        _with_program(config, lambda c: super(PredictorPool, self).__init__(c, size))


_lazy.serve(globals())
