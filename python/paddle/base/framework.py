# SPDX-License-Identifier: Apache-2.0
"""`EagerParamBase`, the trainable Tensor that layers hold, and the dtype and name helpers beside
it.
"""

import functools
import threading

import paddle
from paddle import _lazy
from paddle.base.arguments import integer
from paddle.base.libpaddle import Tensor, pir
from paddle.utils import unique_name

__all__ = ["EagerParamBase", "Parameter", "create_parameter"]

_DTYPE_ALIASES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "uint16": "bfloat16",
    "complex": "complex64",
}


def is_recorded(value):
    """Whether `value` is a tensor of a program being recorded: its numbers are known only when the
    program runs.
    """
    return isinstance(value, pir.Value)


def number(value):
    """The number in a one-element tensor; other values, and tensors of a program, as they are: ops
    take both.
    """
    return value.item() if isinstance(value, Tensor) and not is_recorded(value) else value


def dtype_name(dtype):
    """'float32' for 'float32', paddle.float32, numpy.float32 or numpy.dtype('float32')."""
    if isinstance(dtype, str):
        name = dtype.rsplit(".", 1)[-1]
    elif isinstance(dtype, type):
        name = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}.get(
            dtype, dtype.__name__
        )
    else:
        name = str(dtype).rsplit(".", 1)[-1]
    return _DTYPE_ALIASES.get(name, name)


def to_dtype(dtype):
    """The paddle dtype for any spelling of it; TypeError when there is none."""
    name = dtype_name(dtype)
    found = getattr(paddle, name, None)
    if found is None or not isinstance(found, type(paddle.float32)):
        raise TypeError(f"[dtype] expected a data type, got {dtype!r}")
    return found


convert_np_dtype_to_dtype_ = convert_np_dtype_to_proto_type = convert_to_proto_type = to_dtype


class EagerParamBase(Tensor):
    """A Tensor that optimizers update: `stop_gradient` is False unless `trainable` is, and it
    persists.
    """

    def __new__(cls, shape_or_tensor=None, dtype=None, **kwargs):
        data = shape_or_tensor
        if not isinstance(data, Tensor):
            shape = [] if data is None else [int(d) for d in data]
            data = paddle._C_ops.full(shape, 0.0, to_dtype("float32" if dtype is None else dtype))
        return Tensor.__new__(cls, data)

    def __init__(
        self,
        shape_or_tensor=None,
        dtype=None,
        *,
        name=None,
        trainable=True,
        optimize_attr=None,
        regularizer=None,
        do_model_average=None,
        need_clip=True,
        is_distributed=False,
        stop_gradient=None,
        persistable=True,
        initializer=None,
    ):
        self.name = unique_name.generate("_eager_param_base") if name is None else name
        self.persistable = persistable
        self.stop_gradient = (not trainable) if stop_gradient is None else stop_gradient
        self.optimize_attr = {"learning_rate": 1.0} if optimize_attr is None else optimize_attr
        self.regularizer = regularizer
        self.do_model_average = do_model_average
        self.need_clip = need_clip
        self.is_distributed = is_distributed
        self._init_func = None
        if initializer is not None:
            initializer(self)

    @property
    def trainable(self):
        """Whether gradients are computed for this parameter; the opposite of `stop_gradient`."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, value):
        if not isinstance(value, bool):
            raise ValueError(f"[Parameter.trainable] expected a bool, got {type(value).__name__}")
        self.stop_gradient = not value

    @classmethod
    def from_tensor(cls, tensor, **kwargs):
        """A parameter that shares the data of `tensor`.

        Args:
            tensor (Tensor): The values.
            **kwargs (object): What else the class takes.

        Returns:
            Parameter: the parameter.
        """
        return cls(tensor, **kwargs)

    def set_init_func(self, obj):
        """Remember `obj()` to be called by `initialize`.

        Args:
            obj (callable): What gives the parameter its values.

        Returns:
            None.
        """
        self._init_func = obj

    def initialize(self):
        """Run the delayed initialisation set by `set_init_func`.

        Returns:
            None.

        Raises:
            AssertionError: There is none, or it has run.

        Examples:
            >>> with paddle.LazyGuard():
            ...     layer = paddle.nn.Linear(2, 2)
            >>> layer.bias.initialize()
            >>> layer.bias.tolist()
            [0.0, 0.0]
        """
        if self._init_func is None:
            raise AssertionError(
                "[Parameter.initialize] expected a parameter made under LazyGuard, got one "
                "without an initializer"
            )
        with paddle.no_grad():
            self._init_func()
        self._init_func = None

    def __deepcopy__(self, memo):
        import copy

        filled = self._is_initialized()
        copied = type(self)(
            Tensor.clone(self.detach()) if filled else _proxy(self.shape, self.dtype),
            name=unique_name.generate(self.name + "_deepcopy"),
            stop_gradient=self.stop_gradient,
        )
        if not filled:
            copied._leave_unfilled()
        memo[id(self)] = copied
        for key, value in getattr(self, "__dict__", {}).items():
            if key == "_init_func":
                copied._init_func = _of(copied, value)
            else:
                setattr(copied, key, copy.deepcopy(value, memo))
        copied.persistable = self.persistable
        return copied

    def __repr__(self):
        return "Parameter containing:\n" + Tensor.__str__(self)

    __str__ = __repr__


EagerParamBase.__module__ = "paddle.base.framework"


class _ParameterMeta(type(Tensor)):
    def __instancecheck__(cls, obj):
        return isinstance(obj, EagerParamBase)


class Parameter(EagerParamBase, metaclass=_ParameterMeta):
    """A tensor that a layer registers and an optimizer moves.

    Args:
        data (Tensor or array, default None): The first values; None for none.
        requires_grad (bool, default True): Whether it needs gradients.
        **kwargs (object): Attributes of the parameter.

    Examples:
        >>> layer = paddle.nn.Layer()
        >>> layer.w = paddle.nn.Parameter(paddle.ones([2]))
        >>> list(layer.state_dict()), layer.w.stop_gradient
        (['w'], False)
    """

    def __new__(cls, data=None, requires_grad=True, **kwargs):
        if data is None:
            data = paddle._C_ops.full([0], 0.0, paddle.float32)
        elif not isinstance(data, Tensor):
            data = paddle.to_tensor(data)
        return EagerParamBase(data.detach(), trainable=requires_grad, **kwargs)


class _Lazy(threading.local):
    """How many LazyGuard contexts this thread is in."""

    depth = 0


lazy = _Lazy()


class LazyGuard:
    """Inside, parameters are made without values or memory until `parameter.initialize()`, or until
    they are loaded; whatever needs their values before raises RuntimeError.

    Examples:
        >>> with paddle.LazyGuard():
        ...     layer = paddle.nn.Linear(2, 2)
        >>> layer.weight.shape
        paddle.Size([2, 2])
        >>> for parameter in layer.parameters():
        ...     parameter.initialize()
        >>> layer(paddle.ones([1, 2])).shape
        paddle.Size([1, 2])
    """

    def __enter__(self):
        lazy.depth += 1
        return self

    def __exit__(self, *exc):
        lazy.depth -= 1


def _proxy(shape, dtype):
    """A tensor of this shape and dtype over the memory of one number, to be left unfilled."""
    return paddle._C_ops.expand(paddle._C_ops.full([], 0, dtype), shape).detach()


def _first_values(parameter, initializer):
    parameter.set_value(initializer.create(list(parameter.shape), parameter.dtype))


def after_first_values(parameter, change):
    """Run change(parameter), now or once LazyGuard's parameter is initialised."""
    first = parameter._init_func
    if first is None:
        with paddle.no_grad():
            change(parameter)
    else:
        parameter.set_init_func(functools.partial(_changed_values, parameter, first, change))


def _changed_values(parameter, first, change):
    _of(parameter, first)()
    change(parameter)


def _of(parameter, first):
    """What gives another parameter its first values, for a copy of it."""
    if isinstance(first, functools.partial) and first.func in (_first_values, _changed_values):
        return functools.partial(first.func, parameter, *first.args[1:])
    return first


def _parameter_shape(shape):
    """The extents as ints. TypeError for others, AssertionError for those below 0."""
    extents = [integer("create_parameter", "extents of shape", d) for d in shape]
    if any(d < 0 for d in extents):
        raise AssertionError(
            f"[create_parameter] expected extents of at least 0 in shape, got {extents}"
        )
    return extents


def make_parameter(
    scope, shape, dtype, attr=None, is_bias=False, default_initializer=None, stop_gradient=None
):
    """Create and initialise one parameter named `<scope>.w_<n>` (`.b_<n>` for a bias); None if
    `attr` is False.
    """
    from paddle.base.param_attr import ParamAttr
    from paddle.nn.initializer import initializer as init

    attr = ParamAttr._to_attr(attr)
    if attr is False:
        return None
    initializer = init.choose(attr.initializer, default_initializer, is_bias)
    kwargs = attr._to_kwargs()
    if kwargs["name"] is None:
        kwargs["name"] = unique_name.generate(scope + (".b" if is_bias else ".w"))
    pir = paddle.base.libpaddle.pir
    recorded = pir._record_mode() == 1
    shape, dtype = _parameter_shape(shape), to_dtype(dtype)
    with pir.RecordScope(None):  # initialised now, also while a program is being recorded
        unfilled = lazy.depth and not recorded
        if unfilled:
            data, create = _proxy(shape, dtype), None
        elif recorded and paddle.static._static_mode():
            from paddle.static import startup

            data, create = startup.first_value(initializer, shape, dtype)
        else:
            data, create = initializer.create(shape, dtype), None
        made = EagerParamBase(data, stop_gradient=stop_gradient, **kwargs)
    if unfilled:
        made._leave_unfilled()
        made.set_init_func(functools.partial(_first_values, made, initializer))
    if recorded:
        paddle.static.program.keep(made)
        if create is not None:
            startup.add(paddle.static.default_startup_program(), made, create)
    return made


def create_parameter(shape, dtype, name=None, attr=None, is_bias=False, default_initializer=None):
    """A standalone parameter; XavierUniform, or zeros for a bias, unless told otherwise.

    Args:
        shape (list of ints): The extents.
        dtype (str or dtype): The dtype.
        name (str, default None): The name; None for one that is made.
        attr (ParamAttr, default None): Its attributes.
        is_bias (bool, default False): Whether it is a bias.
        default_initializer (Initializer, default None): What makes its first values where attr does
            not say.

    Returns:
        Parameter: the parameter.

    Examples:
        >>> w = paddle.create_parameter([2, 3], "float32")
        >>> w.shape, w.stop_gradient
        (paddle.Size([2, 3]), False)
    """
    from paddle.base.param_attr import ParamAttr

    scope = unique_name.generate("create_parameter")
    if attr is None:
        attr = ParamAttr(name=name)
    return make_parameter(scope, shape, dtype, attr, is_bias, default_initializer)


_lazy.install(
    globals(),
    'paddle.base.framework',
    _lazy.homes(
        {
            'paddle.base.modes': (
                'in_dygraph_mode in_dynamic_mode in_dynamic_or_pir_mode in_pir_mode '
                'in_pir_executor_mode use_pir_api in_cinn_mode dygraph_only static_only '
                'non_static_only dygraph_not_support fake_interface_only flag_guard '
                'switch_main_program switch_startup_program grad_var_name '
                'generate_control_dev_var_name dtype_to_str dtype_is_floating '
                'disable_signal_handler cuda_pinned_places EMPTY_VAR_NAME TEMP_VAR_NAME '
                'ZERO_VAR_SUFFIX GRAD_VAR_SUFFIX CONTROL_DEP_VAR_PREFIX '
                '_current_expected_place _current_expected_place_ _set_expected_place '
                '_get_paddle_place _dygraph_place_guard _global_flags _dygraph_tracer '
                '_dygraph_guard _static_guard dygraph_guard_if_declarative '
                '_no_check_dy2st_diff _stride_in_no_check_dy2st_diff vlog_guard '
                '_create_tensor get_all_op_protos'
            ),
            'paddle.base.op_proto': 'OpProtoHolder canonicalize_attrs',
            'paddle.base.wrapped_decorator': 'signature_safe_contextmanager wrap_decorator',
            'paddle.static': (
                'Program Variable default_main_program default_startup_program program_guard '
                'name_scope device_guard cpu_places cuda_places xpu_places'
            ),
            'paddle.static.block': 'Block',
            'paddle.device': 'is_compiled_with_cinn is_compiled_with_cuda is_compiled_with_rocm '
            'is_compiled_with_xpu is_compiled_with_distribute',
            'paddle.utils': 'require_version',
            'paddle.flags': 'get_flags set_flags',
            'paddle.base': 'core',
            'paddle.base.libpaddle': 'DataType pir',
        }
    ),
)
