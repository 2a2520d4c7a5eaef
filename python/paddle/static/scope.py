# SPDX-License-Identifier: Apache-2.0
"""Variables by name as programs written for PaddlePaddle reach them: Scope, its variables, and
their DenseTensor.
"""

import contextlib
import weakref

import numpy

from paddle.base import libpaddle as _core
from paddle.base.arguments import only

__all__ = ['DenseTensor', 'Scope', 'global_scope', 'scope_guard']


def _seven(shared):
    if len(shared) != 7:
        raise RuntimeError(
            f"[DenseTensor] expected the seven items of a shared tensor, got {len(shared)}"
        )
    return shared


class DenseTensor:
    """The memory of a variable. Setting one that a program uses changes what the program's next run
    sees.
    """

    def __init__(self, tensor=None):
        self._tensor, self._dims, self._lod = tensor, None, []

    def set(self, array, place=None, zero_copy=False):
        """Copy `array` (numpy; uint16 holds bfloat16) into the memory; a tensor of a program keeps
        its shape and dtype. With `zero_copy` the array's memory becomes the tensor's, unless that
        is one of a program.
        """
        import paddle
        from paddle.static.program import running

        if self._attached:
            only('DenseTensor.set', 'a program has this memory', zero_copy=(zero_copy, False))
        if place is not None:
            _core.to_place(place)
        if zero_copy:
            self._tensor = paddle.utils.dlpack.from_dlpack(array)
            return
        with running(), paddle.no_grad():
            value = paddle.to_tensor(numpy.ascontiguousarray(array).reshape(numpy.shape(array)))
            if self._tensor is None:
                self._tensor = value
                return
            if (
                str(self._tensor.dtype) == 'paddle.bfloat16'
                and str(value.dtype) != 'paddle.bfloat16'
            ):
                value = value.astype('bfloat16')
            if not self._attached and (
                list(value.shape) != list(self._tensor.shape) or value.dtype != self._tensor.dtype
            ):
                self._tensor = value
            else:
                _core.pir._write_back(self._tensor, value)

    _attached = False

    def _held(self):
        if self._tensor is None:
            raise RuntimeError(
                "[DenseTensor] expected memory that holds data, got one that was never set"
            )
        return self._tensor

    def shape(self):
        """The extents, as a list."""
        return list(self._dims or []) if self._tensor is None else list(self._tensor.shape)

    def _dtype(self):
        return self._held().dtype

    def _place(self):
        return self._held().place

    def _is_initialized(self):
        return self._tensor is not None

    def _numel(self):
        return 0 if self._tensor is None else int(self._tensor._numel())

    def _ptr(self):
        return self._held().data_ptr()

    def _clear(self):
        self._tensor = None

    def _set_dims(self, dims):
        self._dims = [int(d) for d in dims]

    def _get_dims(self):
        return self.shape()

    def _alloc(self, dtype):
        import paddle
        from paddle.static.program import running

        with running():
            self._tensor = paddle.zeros(self._dims or [], dtype)
        return self._tensor.data_ptr()

    def _alloc_float(self, place=None):
        return self._alloc('float32')

    def _alloc_double(self, place=None):
        return self._alloc('float64')

    def _alloc_int(self, place=None):
        return self._alloc('int32')

    def _share_data_with(self, other):
        self._tensor = other._held()
        return self

    # What other processes open of the memory, as tuples of PaddlePaddle's form; who sends one keeps
    # the tensor until it is opened (`_shared_incref` counts a message as a use of the host's).

    def _share_filename(self, use_file_descriptor=False):
        name, size, dtype, dims = _core.share_host(self._held(), False)
        return name, -1, size, dtype, dims, self.lod(), use_file_descriptor

    @staticmethod
    def _new_shared_filename(shared):
        name, _, _, dtype, dims, lod, _ = _seven(shared)
        return DenseTensor(_core.open_host(name, dtype, dims, False))._with_lod(lod)

    def _shared_incref(self):
        _core.count_host(self._held(), 1)

    def _shared_decref(self):
        _core.count_host(self._held(), -1)

    def _share_cuda(self):
        handle, offset, size, device, _, dtype, dims, _ = _core.share_gpu(self._held(), False)
        return handle, offset, size, dtype, dims, self.lod(), device

    @staticmethod
    def _new_shared_cuda(shared):
        handle, offset, size, dtype, dims, lod, device = _seven(shared)
        tensor = _core.open_gpu(handle, offset, size, device, '', dtype, dims, b'')
        return DenseTensor(tensor)._with_lod(lod)

    def _with_lod(self, lod):
        self.set_lod(lod)
        return self

    def _copy_from(self, other, place=None, *limits):
        self.set(numpy.array(other), place)

    def _copy(self, place=None):
        copied = DenseTensor()
        copied.set(numpy.array(self), place)
        return copied

    def _element(self, index, value=None):
        array = numpy.array(self).ravel()
        if value is None:
            return array[index].item()
        array[index] = value
        self.set(array.reshape(self.shape()))
        return None

    _get_float_element = _get_double_element = _get_complex64_element = _get_complex128_element = (
        _element
    )
    _set_float_element = _set_double_element = _set_complex64_element = _set_complex128_element = (
        _element
    )

    def lod(self):
        """Offsets of the sequences in the rows, as given to `set_lod`."""
        return [list(level) for level in self._lod]

    def set_lod(self, lod):
        """Keep the offsets of sequences."""
        self._lod = [[int(i) for i in level] for level in lod]

    def recursive_sequence_lengths(self):
        """Lengths of the sequences."""
        return [[b - a for a, b in zip(level, level[1:])] for level in self._lod]

    def set_recursive_sequence_lengths(self, lengths):
        """Keep the lengths of sequences."""
        offsets = []
        for level in lengths:
            row = [0]
            for n in level:
                row.append(row[-1] + int(n))
            offsets.append(row)
        self._lod = offsets

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError(
                "[DenseTensor] expected copy to be None or True, got False: an array has memory "
                "of its own"
            )
        array = self._held().numpy()
        return array if dtype is None else array.astype(dtype)

    def __str__(self):
        return 'DenseTensor(uninitialized)' if self._tensor is None else str(self._tensor)


class _EagerMemory(DenseTensor):
    """The memory under a tensor of dynamic mode."""

    _attached = True

    def _share_data_with(self, other):
        self._tensor.data = other._held()
        return self

    def set_lod(self, lod):
        """Refused: only memory of variables has sequences."""
        raise ValueError("[DenseTensor.set_lod] expected memory of a variable, got a tensor's")


def memory_of(tensor):
    """The memory under a tensor, which `set` writes; `Tensor.get_tensor`."""
    return _EagerMemory(tensor)


class _Attached(DenseTensor):
    _attached = True


class Variable:
    """A variable of a scope."""

    def __init__(self, name, dense=None):
        self.name, self._dense, self._rows = name, dense or DenseTensor(), None
        self._list, self._number = None, None

    def get_tensor(self):
        """The memory of this variable."""
        return self._dense

    def get_selected_rows(self):
        """The rows of a table that this variable holds; made where it holds nothing."""
        from paddle.base.selected_rows import SelectedRows

        if self._rows is None:
            self._rows = SelectedRows()
        return self._rows

    def get_fetch_list(self):
        """The list of tensors that this variable holds; made where it holds none."""
        from paddle.base.core_queries import DenseTensorArray

        if self._list is None:
            self._list = DenseTensorArray()
        return self._list

    get_dense_tensor_array = get_fetch_list  # the same kind of list

    def set_int(self, value):
        """Have the variable hold a whole number."""
        self._number = int(value)

    def set_float(self, value):
        """Have the variable hold a number."""
        self._number = float(value)

    def is_int(self):
        """Whether it holds a whole number."""
        return isinstance(self._number, int)

    def is_float(self):
        """Whether it holds a number that `set_float` gave."""
        return isinstance(self._number, float)

    def get_int(self):
        """The whole number that it holds; ValueError where it holds none."""
        return self._number_of('get_int', int)

    def get_float(self):
        """The number that it holds; ValueError where it holds none."""
        return self._number_of('get_float', float)

    def _number_of(self, method, kind):
        if not isinstance(self._number, kind):
            raise ValueError(
                f"[Variable.{method}] expected the variable {self.name!r} to hold a number of type "
                f"{kind.__name__}, got {self._number!r}"
            )
        return self._number

    def set(self, value, place=None):
        """Replace the contents."""
        self._dense.set(value, place)


class Scope:
    """Variables by name: those made by `var`, and parameters and state of the programs that ran in
    this scope, latest first.

    A program has one set of parameters, whatever scope it runs in.
    """

    def __init__(self, parent=None):
        self._own, self._programs, self._kids, self._parent = {}, [], [], parent
        self._held = {}

    def var(self, name):
        """The variable of this name, made if there is none."""
        found = self.find_var(name)
        if found is None:
            found = self._own[name] = Variable(name)
        return found

    def find_var(self, name):
        """The variable of this name here or in the scopes around, or None."""
        if name in self._own:
            return self._own[name]
        for tensors in self._tensors():
            if name in tensors:
                return Variable(name, _Attached(tensors[name]))
        return None if self._parent is None else self._parent.find_var(name)

    def _hold(self, name, tensor):
        """Make a tensor that programs read or write the variable of this name, until a startup
        program initialises another one.
        """
        self._own[name] = self._held[name] = Variable(name, _Attached(tensor))

    def _tensors(self):
        from paddle.static import program as _program

        for ref in reversed(self._programs):
            program = ref()
            if program is not None:
                yield program._parameters()
                yield _program.initialised(program)
        if self is _root:
            yield _program.default_main_program()._parameters()

    def _lend(self, program):
        """Give a program that was read without its parameters those of this scope by their
        names.
        """
        if program.__dict__.get('_lent') == program._epoch:
            return
        for name in set(program._parameter_names()) - set(program._parameters()):
            found = self.find_var(name)
            if found is not None and found.get_tensor()._is_initialized():
                program._set_parameter(name, found.get_tensor()._held())
        program._lent = program._epoch

    def _ran(self, program):
        """Note that `program` runs in this scope."""
        if self._held:
            from paddle.static import program as _program

            for name in self._held.keys() & _program.initialised(program).keys():
                if self._own.get(name) is self._held.pop(name):
                    del self._own[name]
        if self._programs and self._programs[-1]() is program:
            return
        self._programs = [r for r in self._programs if r() is not None and r() is not program]
        self._programs.append(weakref.ref(program))

    def local_var_names(self):
        """Names of the variables of this scope."""
        names = set(self._own)
        for tensors in self._tensors():
            names.update(tensors)
        return sorted(names)

    def erase(self, names):
        """Forget variables made by `var`."""
        for name in names:
            self._own.pop(name, None)

    def new_scope(self):
        """A scope inside this one."""
        kid = Scope(self)
        self._kids.append(kid)
        return kid

    def drop_kids(self):
        """Forget the scopes inside."""
        self._kids = []


_root = _scope = Scope()


def global_scope():
    """The scope in use: where programs that run find their variables.

    Returns:
        Scope: that of the innermost `scope_guard`, or the one that lasts as long as the process.

    Examples:
        >>> paddle.static.global_scope().var("counter").set([3])
        >>> paddle.static.global_scope().find_var("counter").get_tensor().shape()
        [1]
    """
    return _scope


@contextlib.contextmanager
def scope_guard(scope):
    """Use another scope inside the block.

    Args:
        scope (Scope): The scope.

    Returns:
        context manager: inside, `global_scope` is scope.

    Raises:
        TypeError: scope is no Scope.

    Examples:
        >>> mine = paddle.static.Scope()
        >>> with paddle.static.scope_guard(mine):
        ...     paddle.static.global_scope() is mine
        True
        >>> paddle.static.global_scope() is mine
        False
    """
    global _scope
    if not isinstance(scope, Scope):
        raise TypeError(f"[scope_guard] expected a paddle.static.Scope, got {type(scope).__name__}")
    old, _scope = _scope, scope
    try:
        yield
    finally:
        _scope = old
