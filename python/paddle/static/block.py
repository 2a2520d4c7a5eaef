# SPDX-License-Identifier: Apache-2.0
"""The one block of a program as programs written for PaddlePaddle see it, and ops appended under
their old names.
"""

import functools

from paddle.base import libpaddle as _core
from paddle.base.arguments import integer, items, keywords, only
from paddle.base.core import VarDesc
from paddle.static import value_names


class Block:
    """The operations of a program and its variables by name."""

    def __init__(self, program):
        self.program = program
        self.idx = 0
        self.parent_idx = -1

    @property
    def ops(self):
        """The operations in order."""
        return self.program._operations()

    def remove_op(self, op):
        """Take an operation out whose results nobody reads."""
        op.erase()

    def all_parameters(self):
        """The parameters the program reads, sorted by name; in a loaded program all tensors it
        holds.
        """
        from paddle.base.framework import EagerParamBase

        values = self.program._parameters()
        values = [values[name] for name in self.program._parameter_names() if name in values]
        return [v for v in values if isinstance(v, EagerParamBase)] or values

    def var(self, name):
        """The input, parameter or named result called `name`; ValueError when there is none."""
        found = self._find_var(name)
        if found is None:
            raise ValueError(
                f"[block] expected a variable of the program, got the unknown name {name!r}"
            )
        return found

    def has_var(self, name):
        """Whether the program has a variable of this name."""
        return self._find_var(name) is not None

    def create_var(self, name=None, shape=None, dtype=None, **kwargs):
        """A place for a result of `append_op`. One with shape and dtype that is read first is an
        input of the program, or with `persistable` what the scope has under this name, else zeros.
        With `is_data` it is an input; what is fed is always checked, also without
        `need_check_feed`.
        """
        keywords(
            'create_var',
            kwargs,
            *('stop_gradient', 'persistable', 'type', 'lod_level', 'is_data', 'need_check_feed'),
        )
        kinds = VarDesc.VarType
        kind = kwargs.get('type')
        arrays = kinds.LOD_TENSOR_ARRAY, kinds.DENSE_TENSOR_ARRAY
        only(
            'create_var',
            'variables are tensors and arrays of them',
            type=(
                kind,
                None,
                kinds.LOD_TENSOR,
                kinds.DENSE_TENSOR,
                kinds.SPARSE_COO,
                kinds.SELECTED_ROWS,
                kinds.STEP_SCOPES,
                kinds.RAW,
                kinds.FEED_MINIBATCH,
                kinds.FETCH_LIST,
                *arrays,
            ),
        )
        levels = integer('create_var', 'lod_level', kwargs.get('lod_level') or 0)
        stop = kwargs.get('stop_gradient', False)
        if kind in (kinds.SPARSE_COO, kinds.SELECTED_ROWS, *arrays):
            shape = None  # what ops make, never an input
        if kwargs.get('persistable') and name and dtype and shape and min(shape) >= 0:
            made = _lasting(name, shape, dtype)
        else:
            made = OutputVar(self.program, name, shape, dtype, stop, levels, self.idx)
        if name:
            self.program.__dict__.setdefault('_places', {})[name] = made
        return made

    def create_parameter(
        self,
        shape=None,
        dtype=None,
        name=None,
        attr=None,
        is_bias=False,
        default_initializer=None,
        initializer=None,
    ):
        """A parameter of the program; see `paddle.static.create_parameter`."""
        from paddle.static.program import create_parameter

        return create_parameter(
            shape, dtype, name, attr, is_bias, default_initializer or initializer
        )

    @property
    def vars(self):
        """Inputs, parameters and named results by name."""
        found = dict(self.program._parameters())
        found.update(
            (op.attrs()['name'], op.result(0)) for op in self.ops if op.name() == 'pd_op.data'
        )
        found.update(value_names.known(self.program))
        return found

    def append_op(self, type, inputs=None, outputs=None, attrs=None):
        """Append the op `type`, an old name such as "elementwise_add", with tensors and attributes
        under their old names.

        Outputs made by `create_var` receive the results. Returns the list of results. Raises
        ValueError for an unknown op, input, output or attribute.
        """
        return append_op(self.program, type, inputs or {}, outputs or {}, attrs or {})

    def _find_var(self, name):
        found = value_names.remembered(self.program, name)
        if found is not None and name not in value_names.known(self.program):
            return found
        parameters = self.program._parameters()
        return parameters[name] if name in parameters else value_names.find(self.program, name)


def _lasting(name, shape, dtype):
    """The tensor that a scope keeps under a name over runs."""
    from paddle.base.framework import to_dtype
    from paddle.static import program as _program
    from paddle.static.scope import global_scope

    found = global_scope().find_var(name)
    tensor = None if found is None else found.get_tensor()._tensor
    if tensor is None or (list(tensor.shape), tensor.dtype) != (list(shape), to_dtype(dtype)):
        tensor = _program.create_global_var(shape, 0, dtype, persistable=True, name=name)
        global_scope()._hold(name, tensor)
    return tensor


class OutputVar:
    """A variable that has a value once an op wrote it, or read it as an input; stands for that
    value in operations, `append_op`, `py_func`, `gradients` and fetch lists."""

    _stands_for_tensor = True

    def __init__(self, program, name, shape, dtype, stop_gradient=False, levels=0, block=0):
        from paddle.base.framework import to_dtype

        self._program, self.name, self.value, self._stop = program, name, None, bool(stop_gradient)
        self._levels, self._block = levels, block
        self._shape, self._dtype = (
            None if shape is None else items('create_var', 'shape', shape),
            None if dtype is None else to_dtype(dtype),
        )

    def program(self):
        """The program that the variable was made in."""
        return self._program

    def fill(self, value):
        """Make `value` the variable's, and known by its name."""
        blocks = None if self._program is None else self._program.__dict__.get('_open_blocks')
        if blocks and blocks[-1].idx != self._block:
            blocks[-1].note(self)
        self.value = value
        if self._stop and isinstance(value, _core.Tensor):
            value.stop_gradient = True
        if self.name:
            value_names.known(self._program)[self.name] = value

    def read(self):
        """The value; a variable no op wrote becomes an input of the program. None without name,
        shape or dtype.
        """
        if self.value is None and self.name and self._shape is not None and self._dtype is not None:
            self.fill(
                self._program._data(
                    self.name, [-1 if d is None else int(d) for d in self._shape], self._dtype
                )
            )
            self.value.stop_gradient = self._stop
            if self._levels:
                from paddle.static import lod

                lod.declare(self._program, self.name, self.value, self._levels)
        return self.value

    @property
    def stop_gradient(self):
        """Whether gradients end here."""
        return self._stop if self.value is None else self.value.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, stop):
        self._stop = bool(stop)
        if self.value is not None:
            self.value.stop_gradient = self._stop

    @property
    def shape(self):
        """The extents: of the value, or as declared."""
        return self._shape if self.value is None else self.value.shape

    @property
    def dtype(self):
        """The dtype: of the value, or as declared."""
        return self._dtype if self.value is None else self.value.dtype

    def __getattr__(self, name):
        value = self.__dict__.get('value')
        if value is None:
            raise AttributeError(
                f"variable {self.__dict__.get('name')!r} has no value yet, so no {name!r}"
            )
        return getattr(value, name)


def _forwarded(name):
    def operator(self, *given):
        value = self.read()
        if value is None:
            raise ValueError(f"[{name}] expected variable {self.name!r} to have a value, got none")
        return getattr(value, name)(*given)

    operator.__name__ = name
    return operator


# Operators are looked up in the class, where `__getattr__` is not asked.
for _name in 'add sub mul truediv floordiv mod pow matmul and or xor'.split():
    for _side in ('', 'r'):
        if hasattr(_core.Tensor, f'__{_side}{_name}__'):
            setattr(OutputVar, f'__{_side}{_name}__', _forwarded(f'__{_side}{_name}__'))
for _name in 'neg abs invert getitem len lt le gt ge'.split():
    setattr(OutputVar, f'__{_name}__', _forwarded(f'__{_name}__'))


# Operations that hold a block of the program (`sub_blocks`).
HOLDERS = 'while', 'conditional_block', 'conditional_block_infer', 'pylayer'

# Attributes of old ops that say nothing about what is computed.
IGNORED = {
    'op_role',
    'op_role_var',
    'op_namescope',
    'op_device',
    'op_callstack',
    'with_quant_attr',
    'use_mkldnn',
    'use_cudnn',
    'mkldnn_data_type',
    'use_onednn',
    'onednn_data_type',
    'name',
    'in_dtype',
    'infer_flags',
}


def tensors_of(values, where):
    """One value or a list of them, as a list of tensors; TypeError for others."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    values = [v.read() if isinstance(v, OutputVar) else v for v in values]
    for v in values:
        if not isinstance(v, _core.Tensor) and not hasattr(type(v), 'held'):
            raise TypeError(f"[{where}] expected a tensor, got {type(v).__name__}")
    return values


def _dtype(value):
    """A data type given by its number in old programs (-1: none), or as it is."""
    import paddle

    if isinstance(value, bool) or not isinstance(value, int):
        return value
    return None if value == -1 else getattr(paddle, _core.pir._dtype_of_number(value))


def _by_name(program, type, given):
    """Inputs or outputs of an op, where names stand for variables of the program."""

    def variable(item):
        if not isinstance(item, str):
            return item
        found = Block(program)._find_var(item)
        if found is None:
            found = program.__dict__.get('_places', {}).get(item)
        if found is None:
            raise ValueError(f"[{type}] expected a variable of the program, got {item!r}")
        return found

    if not isinstance(given, dict):
        return given
    return {
        slot: [variable(v) for v in value] if isinstance(value, (list, tuple)) else variable(value)
        for slot, value in given.items()
    }


def append_op(program, type, inputs, outputs, attrs, strict=True):
    """Record the op of the old name `type` into `program`; see `Block.append_op`.

    `strict=False` leaves attributes out that the op does not know, as those of files.
    """
    import contextlib

    import paddle
    from paddle.static import legacy_calls
    from paddle.static.program import recording

    inputs, outputs = _by_name(program, type, inputs), _by_name(program, type, outputs)
    if type in HOLDERS:
        from paddle.static import sub_blocks

        return sub_blocks.append(program, type, inputs, outputs, attrs)

    def result(name):
        place = outputs.get(name) if isinstance(outputs, dict) else None
        place = place[0] if isinstance(place, (list, tuple)) and place else place
        return place.read() if isinstance(place, OutputVar) else place

    with recording(program) if _core.pir._record_mode() == 0 else contextlib.nullcontext():
        inputs = legacy_calls.with_read(type, inputs, attrs, result)
        places = {
            k: list(v) if isinstance(v, (list, tuple)) else [v]
            for k, v in (outputs if isinstance(outputs, dict) else {}).items()
            if v is not None
        }
        made = legacy_calls.call(type, inputs, attrs, strict, places=places)
    for old, value in made.items():
        if old not in places:
            continue
        values = value if isinstance(value, list) else [value]
        if len(places[old]) != len(values):
            raise ValueError(
                f"[{type}] expected {len(values)} variables as output {old}, got {len(places[old])}"
            )
        for place, v in zip(places[old], values):
            if isinstance(place, OutputVar):
                place.fill(v)
            elif place is v:
                pass
            elif isinstance(place, _core.pir.Value):
                place._rebind(v)
            elif isinstance(place, _core.Tensor):
                paddle.assign(v, place)  # noted as a write of what lasts over runs
            else:
                raise TypeError(f"[{type}] expected a variable as output {old}, got {place!r}")
    return list(made.values())


def call_op(type, inputs, attrs, strict=True, inplace=False):
    """(names of the outputs, results) of the op of the old name `type`, run or recorded as the mode
    says; see `append_op`.

    `inplace` calls the form that writes its first input.
    """
    import paddle
    from paddle._legacy_ops import OPS

    row = OPS.get(type)
    if row is None:
        raise ValueError(f"[append_op] expected a known op, got {type!r}")
    op_name, args, out_names, fixed, numbers = row
    inputs = {k: v for k, v in inputs.items() if not (isinstance(v, (list, tuple)) and not v)}
    attrs = {k: v for k, v in attrs.items() if k not in IGNORED}
    for k, want in fixed.items():
        if attrs.get(k, want) != want:
            raise ValueError(
                f"[{type}] expected attribute {k} to be {want!r}, the only supported value, got "
                f"{attrs[k]!r}"
            )
        attrs.pop(k, None)
    call = []
    for kind, old, default in args:
        if kind in ('attr', 'dtype'):
            call.append(attrs.pop(old, default))
            held = [
                tensors_of(inputs.pop(name), type)
                for name in numbers.get(old, ())
                if inputs.get(name) is not None
            ]
            if held:
                call[-1] = (
                    held[0]
                    if len(held[0]) > 1 or isinstance(default, list) and held[0][0].ndim == 0
                    else held[0][0]
                )
            if kind == 'dtype':
                call[-1] = _dtype(call[-1])
            if call[-1] is REQUIRED:
                raise ValueError(f"[{type}] expected the attribute {old}, got none")
            continue
        values = inputs.pop(old, None)
        if values is None:
            if kind == 'tensor':
                raise ValueError(f"[{type}] expected the input {old}, got none")
            call.append(None if kind == 'optional' else [])
            continue
        values = tensors_of(values, type)
        if kind != 'list' and len(values) != 1:
            raise ValueError(f"[{type}] expected one tensor as {old}, got {len(values)}")
        call.append(values if kind == 'list' else values[0])
    if not strict:
        attrs = {}
    if attrs:
        usual = defaults(type)
        attrs = {k: v for k, v in attrs.items() if k not in usual or usual[k] != v}
    if inputs or attrs:
        raise ValueError(
            f"[{type}] expected no other inputs and attributes, got "
            f"{sorted(inputs) + sorted(attrs)}"
        )
    name = op_name + '_' if inplace else op_name
    function = paddle._C_ops._whole(name)
    result = function(*call)
    return out_names, list(result) if isinstance(result, tuple) else [result]


@functools.lru_cache
def defaults(type):
    """What the old operation declares of attributes that are left out."""
    from paddle._legacy_protos import PROTOS
    from paddle.base.op_proto import OpProto

    return OpProto(type, *PROTOS[type])._defaults if type in PROTOS else {}


class _Required:
    def __repr__(self):
        return 'REQUIRED'


REQUIRED = _Required()


def same_places(copy, values, lost=False, inside=False):
    """The values of a clone of a program that stand where `values` do; with `lost` None for those
    that it does not have. Values inside branches and loops are known with `inside`.
    """
    keys = []
    for value in values:
        try:
            keys.append(copy._key(value))
        except RuntimeError:
            keys.append(None)
    wanted, found = set(keys) - {None}, {None: None}
    waiting = list(copy._operations()) if wanted else []
    while waiting:
        op = waiting.pop()
        found.update((copy._key(r), r) for r in op.results() if r is not None)
        waiting.extend(inner for block in op.blocks() for inner in block.ops if inside)
    if not lost and not all(key in found and key is not None for key in keys):
        raise ValueError(
            "[Program.clone] expected a written value at the top of the program, got one inside a "
            "branch or loop"
        )
    return [found.get(key) for key in keys]


def _carried(named, copy):
    """{name: value or array of values} in a clone, of those that it has."""
    parts = {n: v.held() if hasattr(type(v), 'held') else [v] for n, v in named.items()}
    found = iter(same_places(copy, [v for held in parts.values() for v in held], lost=True))
    there = {n: [next(found) for _ in held] for n, held in parts.items()}
    return {
        n: named[n].of(held) if hasattr(type(named[n]), 'held') else held[0]
        for n, held in there.items()
        if all(v is not None for v in held)
    }


def _kept_in(scope, name, op):
    """The memory of the variable `name` of a scope."""
    from paddle.static.scope import Scope

    if not isinstance(scope, Scope):
        raise TypeError(
            f"[{op}] expected a paddle.static.Scope as scope, got {type(scope).__name__}"
        )
    found = scope.find_var(name)
    if found is None:
        raise ValueError(f"[{op}] expected a scope the program ran in, got one without {name!r}")
    return found.get_tensor()


class _ProgramMethods:
    """The methods in Python of a program."""

    random_seed = 0

    def global_block(self):
        """The block of the program."""
        return Block(self)

    @property
    def blocks(self):
        """All blocks: that of the program first, then those that operations hold."""
        return [Block(self), *self.__dict__.get('_sub_blocks', ())]

    @property
    def num_blocks(self):
        """How many blocks there are."""
        return len(self.blocks)

    @property
    def desc(self):
        """The program as protobuf messages would say it."""
        from paddle.base.ir_graph import ProgramDesc

        return ProgramDesc(self)

    def block(self, index=0):
        """The block number `index`: 0 for that of the program, others for those that operations
        hold. IndexError for one there is not.
        """
        blocks = self.blocks
        if not 0 <= index < len(blocks):
            raise IndexError(
                f"[Program.block] expected index below {len(blocks)}, the number of blocks, got "
                f"{index!r}"
            )
        return blocks[index]

    def current_block(self):
        """The block that is being recorded."""
        return (self.__dict__.get('_open_blocks') or [Block(self)])[-1]

    def _create_block(self, parent_idx=None):
        """Begin a block for an operation that holds one."""
        from paddle.static import sub_blocks

        return sub_blocks.create_block(self, parent_idx)

    def _rollback(self):
        """End the block begun last."""
        from paddle.static import sub_blocks

        sub_blocks.rollback(self)

    def clone(self, for_test=False):
        """A copy that shares the parameters; with `for_test` one for evaluation: dropout and
        batch_norm in test mode, no updates.
        """
        from paddle.static import legacy_feeds

        if for_test:
            from paddle.static.kept_scales import keep_scales

            copy = _core.pir._for_test(self)
            keep_scales(self, copy)
        else:
            from paddle.static import lod
            from paddle.static.program import writes

            written = writes(self)
            copy = self._clone()
            values = same_places(copy, [value for _, value in written])
            copy.__dict__['_writes'] = {
                id(tensor): (tensor, value) for (tensor, _), value in zip(written, values)
            }
            copy.__dict__['_rates'] = list(self.__dict__.get('_rates', ()))
            lod.carry(self, copy)
        legacy_feeds.carry(self, copy)
        if '_loaders' in self.__dict__:
            copy.__dict__['_loaders'] = list(self.__dict__['_loaders'])
        copy.__dict__['_kept'] = list(self.__dict__.get('_kept', ()))
        copy.__dict__['_named'] = _carried(value_names.known(self), copy)
        copy.__dict__['_own_gradients'] = [
            (*(same_places(copy, values, lost=True, inside=True) for values in parts), gradient)
            for *parts, gradient in self.__dict__.get('_own_gradients', ())
        ]
        copy.random_seed = self.random_seed
        return copy

    def all_parameters(self):
        """The parameters the program reads, sorted by name."""
        return Block(self).all_parameters()

    def list_vars(self):
        """All results of the program's operations."""
        return [v for op in self._operations() for v in op.results() if v is not None]

    def state_dict(self, mode='all', scope=None):
        """Name -> tensor of what the program keeps, as `scope` has it; mode 'param': what is
        trained, 'opt': the rest.
        """
        from paddle.static.io import split_state

        if mode not in ('all', 'param', 'opt'):
            raise ValueError(
                f"[Program.state_dict] expected mode 'all', 'param' or 'opt', got {mode!r}"
            )
        kept = self._parameters() if mode == 'all' else split_state(self)[mode == 'opt']
        return (
            kept
            if scope is None
            else {name: _kept_in(scope, name, 'Program.state_dict')._held() for name in kept}
        )

    def set_state_dict(self, state_dict, scope=None):
        """Replace tensors the program keeps by name, as `scope` has them; a warning tells which
        names it does not know.
        """
        import warnings

        import numpy

        import paddle
        from paddle.static.program import running

        have = self._parameters()
        for name in have.keys() & state_dict.keys():
            kept = (
                have[name]
                if scope is None
                else _kept_in(scope, name, 'Program.set_state_dict')._held()
            )
            value = state_dict[name]
            with running():
                kept.set_value(
                    value
                    if isinstance(value, (_core.Tensor, numpy.ndarray))
                    else paddle.to_tensor(value)
                )
        unknown = sorted(state_dict.keys() - have.keys())
        if unknown:
            warnings.warn(
                f"[Program.set_state_dict] expected names the program keeps, got also "
                f"{', '.join(unknown)}",
                stacklevel=2,
            )

    def parameters_num(self):
        """How many parameters the program reads."""
        return len(self._parameters())

    def get_all_parameter_values(self):
        """The values of all parameters."""
        return [op.result(0) for op in self._operations() if op.name() == 'builtin.parameter']

    def get_parameter_value_by_name(self, name):
        """The value of the parameter `name`; ValueError when there is none."""
        for op in self._operations():
            if op.name() == 'builtin.parameter' and op.attrs()['parameter_name'] == name:
                return op.result(0)
        raise ValueError(f"[program] expected the name of a parameter, got {name!r}")

    def global_seed(self, seed=0):
        """Set the random seed."""
        self.random_seed = int(seed)


def install(cls):
    """Give the program class its Python methods."""
    for name, member in vars(_ProgramMethods).items():
        if not name.startswith('__'):
            setattr(cls, name, member)
