# SPDX-License-Identifier: Apache-2.0
"""Methods of Tensor that are written in Python, and those that are functions too, found on their
first use.
"""

import importlib
import math
import warnings

from paddle.base import libpaddle
from paddle.base.absent import Absent, shows
from paddle.base.arguments import integer, items, keywords
from paddle.base.framework import to_dtype
from paddle.base.known_keywords import named
from paddle.base.libpaddle import DataType, Place, Tensor
from paddle.base.libpaddle import _functions as _generated
from paddle.tensor.variables import (
    _block,
    _kind,
    get_map_tensor,
    set_string_list,
    set_tensor,
    set_vocab,
)

# Functions of other modules that are methods as well; found by name in the table of `paddle`.
_ALSO = '''
    hstack vstack chunk tensor_split hsplit vsplit dsplit unflatten view_as atleast_1d atleast_2d
    atleast_3d moveaxis swapaxes swapdims t matrix_transpose permute ravel narrow unbind
    broadcast_tensors combinations block_diag rot90 crop flip reverse roll tile expand_as
    repeat_interleave take take_along_dim select_scatter slice_scatter diagonal_scatter
    masked_scatter index_fill unfold as_complex as_real view_as_complex view_as_real diagflat split
    tensordot msort scatter_nd std var nansum nanmean median nanmedian quantile
    nanquantile logaddexp diff trapezoid cumulative_trapezoid inner outer vecdot mm dist cdist addmm
    baddbmm corrcoef cov signbit isreal isposinf isneginf frexp ldexp hypot rad2deg deg2rad gcd lcm
    sinc positive neg negative isin histogramdd bucketize histogram_bin_edges renorm multigammaln
    mode count_nonzero floor_mod mod true_divide div sub mul eq ne gt ge lt le greater
    less allclose add_n sgn frac stanh logit nan_to_num gammainc unique unique_consecutive
    matrix_power inverse dot rank is_complex is_floating_point is_integer is_empty broadcast_shape
    broadcast_shapes polar vander multi_dot norm cond lu lu_unpack qr svd_lowrank pca_lowrank pinv
    lstsq solve eig eigvals eigvalsh cholesky_solve cholesky_inverse householder_product ormqr
    slogdet istft stft concat stack argmax argmin argsort sort nonzero argwhere searchsorted cumsum
    cumprod logcumsumexp cummax cummin prod take_along_axis put_along_axis scatter_add
    scatter_reduce scatter index_add masked_fill as_strided broadcast_to slice unstack increment
    bitwise_invert gammaincc gammaln i0 i0e i1 i1e polygamma nextafter multiplex cholesky
'''.split()
# Methods that PyTorch has and this class has not: `paddle._suggest` says what stands for each.
_ABSENT = '''
    H absolute_ bernoulli celu clamp_max clamp_min cosine_similarity det dropout elu erfc fix
    fliplr flipud fmod gelu ger glu group_norm hardtanh histc index_copy index_copy_ layer_norm
    leaky_relu log_softmax logdet map_ mish movedim narrow_copy nelement new new_tensor
    normalize one_hot prelu put_ relu retain_grad select selu share_memory_ silu softmin
    softplus softsign sparse_mask storage sum_to_size svd to_sparse untyped_storage vdot
'''.split()
_LINALG = frozenset(
    'multi_dot norm cond lu lu_unpack qr svd_lowrank pca_lowrank pinv lstsq solve eig '
    'eigvals eigvalsh cholesky_solve cholesky_inverse householder_product ormqr slogdet'.split()
)
_SIGNAL = frozenset(('stft', 'istft'))


class _LazyMethod:
    """A method found in `module` on first use, when it takes this object's place in the class."""

    __slots__ = ('name', 'module')

    def __init__(self, name, module):
        self.name, self.module = name, module

    def __get__(self, obj, owner):
        function = getattr(importlib.import_module(self.module), self.name)
        setattr(Tensor, self.name, function)
        return function.__get__(obj, owner)


class TensorSize(int):
    """The number of elements; called, the shape (or one extent).

    Examples:
        >>> x = paddle.ones([2, 3])
        >>> int(x.size), x.size(), x.size(1)
        (6, paddle.Size([2, 3]), 3)
    """

    def __new__(cls, tensor):
        self = int.__new__(cls, tensor._numel())
        self._tensor = tensor
        return self

    def __call__(self, dim=None):
        return self._tensor.shape if dim is None else self._tensor.shape[dim]


_DEVICES = ('cpu', 'gpu', 'cuda', 'xpu', 'npu', 'dcu', 'ipu', 'gpu_pinned')


def _device_dtype(args, kwargs):
    """(device, dtype, blocking) of the many spellings of `to`."""
    keywords('Tensor.to', kwargs, 'device', 'dtype', 'other', 'blocking', 'non_blocking', 'copy')
    device, dtype, other = map(kwargs.get, ('device', 'dtype', 'other'))
    blocking = kwargs.get('blocking', kwargs.get('non_blocking'))
    values = list(args) + ([other] if other is not None else [])
    for value in values:
        if isinstance(value, Tensor):
            dtype, device = value.dtype, value.place
        elif isinstance(value, bool):
            blocking = value
        elif isinstance(value, Place) or value is None:
            device = device if value is None else value
        elif isinstance(value, DataType) or not isinstance(value, str):
            dtype = value
        elif value.split(':')[0] in (*_DEVICES, *libpaddle.get_all_custom_device_type()):
            device = value
        else:
            try:
                name = value[7:] if value.startswith('paddle.') else value
                dtype = getattr(DataType, name.upper()) if hasattr(DataType, name.upper()) else None
            except TypeError:
                dtype = None
            if dtype is None:
                raise ValueError(
                    "[Tensor.to] expected 'cpu', 'gpu', 'gpu:0' or a dtype such as 'float32', got "
                    f"{value!r}"
                )
    return device, dtype, blocking


def _to(self, *args, **kwargs):
    """This tensor on another device, in another dtype, or like another tensor.

    Args:
        *args (object): A device, a dtype, or a tensor whose device and dtype are taken; then
            whether the call waits.
        **kwargs (object): The same by name: device, dtype, other, blocking.

    Returns:
        Tensor: the tensor itself where nothing changes, else a copy with its history.

    Examples:
        >>> x = paddle.to_tensor([1.5, 2.5])
        >>> x.to("int64").tolist(), x.to("cpu", dtype="float64").dtype
        ([1, 2], paddle.float64)
    """
    device, dtype, _ = _device_dtype(args, kwargs)
    result = self
    if device is not None:
        place = device if isinstance(device, Place) else libpaddle.to_place(device)
        if place != self.place:
            result = self._copy_to(place)
    if dtype is not None:
        result = result.astype(dtype)
    return result


def _cuda(self, device_id=None, blocking=True):
    """A copy on a GPU: the current one, or number `device_id`; an error without one.

    Args:
        device_id (int, default None): The number of the GPU; None for the current one.
        blocking (bool, default True): Whether the call waits.

    Returns:
        Tensor: the copy; the tensor itself where it lies there.

    Raises:
        ValueError: There is no GPU.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     print(paddle.ones([2]).cuda().place)
    """
    place = libpaddle.current_place()
    if device_id is not None or not place.is_gpu_place():
        place = libpaddle.CUDAPlace(0 if device_id is None else device_id)
    return self if self.place == place else self._copy_to(place, blocking)


def _pin_memory(self, blocking=True):
    """A copy in page-locked memory; an error without a GPU.

    Args:
        blocking (bool, default True): Whether the call waits.

    Returns:
        Tensor: the copy.

    Raises:
        RuntimeError: There is no GPU.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     print(paddle.ones([2]).pin_memory().place)
    """
    if self.place.is_cuda_pinned_place():
        return self
    return self._copy_to(libpaddle.CUDAPinnedPlace(), blocking)


@property
def _cuda_array_interface(self):
    """How CUDA libraries of Python see the memory; AttributeError but on a GPU.

    Source: CUDA Array Interface, version 3
    (https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html)
    """
    if not self.place.is_gpu_place():
        raise AttributeError(
            f"[__cuda_array_interface__] expected a tensor on a GPU, got one on {self.place}"
        )
    name = str(self.dtype).removeprefix('paddle.')
    if name == 'bfloat16' or name.startswith('float8'):
        raise AttributeError(f"[__cuda_array_interface__] expected a dtype of NumPy, got {name}")
    size = self.element_size()
    strides = None if self.is_contiguous() else tuple(s * size for s in self.get_strides())
    return {
        'shape': tuple(self.shape),
        'typestr': f"{'|' if size == 1 else '<'}{name[0]}{size}",
        'data': (self.data_ptr() if self._numel() else 0, False),
        'strides': strides,
        'stream': libpaddle.current_stream(self.place),
        'version': 3,
    }


def _apply(self, func):
    """`func` of this tensor.

    Args:
        func (callable): The function.

    Returns:
        object: what func gives.

    Raises:
        RuntimeError: The tensor needs gradients.

    Examples:
        >>> paddle.to_tensor([1.0, 2.0]).apply(lambda x: x * 3).tolist()
        [3.0, 6.0]
    """
    if not self.stop_gradient:
        raise RuntimeError(
            "[Tensor.apply] expected a tensor with stop_gradient=True, got one that needs gradients"
        )
    return func(self)


def _apply_(self, func):
    """Overwrite this tensor with `func` of it.

    Args:
        func (callable): The function.

    Returns:
        Tensor: the tensor itself, with the result.

    Raises:
        RuntimeError: The tensor needs gradients.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> _ = x.apply_(lambda x: x * 3)
        >>> x.tolist()
        [3.0, 6.0]
    """
    if not self.stop_gradient:
        raise RuntimeError(
            "[Tensor.apply_] expected a tensor with stop_gradient=True, got one that needs "
            "gradients"
        )
    self._rebind(func(self))
    return self


def _given(op, name, several, *by_names):
    """An argument that may stand as one or several positional ones, or under one of its names."""
    named = [value for value in by_names if value is not None]
    if not named:
        return several[0] if len(several) == 1 else list(several)
    if several or len(named) > 1:
        raise TypeError(f"[{op}] expected {name} once, got it {len(named) + bool(several)} times")
    return named[0]


def _view(x, *several, shape_or_dtype=None, dtype=None, size=None, name=None):
    """The same data with another shape, or read as another dtype.

    Args:
        x (Tensor): The values.
        *several (object): The extents, as a list or one by one; or a dtype.
        shape_or_dtype (object, default None): The same by name.
        dtype (str or dtype, default None): The dtype by name.
        size (list of ints, default None): The extents by name.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a tensor with the same memory.

    Examples:
        >>> x = paddle.arange(4, dtype="float32")
        >>> x.view(2, 2).tolist(), x.view("uint8").shape
        ([[0.0, 1.0], [2.0, 3.0]], paddle.Size([16]))
    """
    value = _given('view', 'shape_or_dtype', several, shape_or_dtype, dtype, size)
    if isinstance(value, (DataType, str)) or isinstance(value, type):
        same = to_dtype(value) == x.dtype  # then what is seen has x's history
        return x.view_as(x) if same else x._bitcast(value)
    return x.reshape(value)


_NEW = """`paddle.{make}` with this dtype unless one is given.

Args:
    var (Tensor): What gives the dtype.
    *size (int or list of ints): The extents, as a list or one by one.
    dtype (str or dtype, default None): The dtype; None for that of the tensor.
    device (str or place, default None): Where it lies; None for the current device.
    requires_grad (bool, default False): Whether it needs gradients.
    pin_memory (bool, default False): Whether it lies in page-locked memory.
    shape (list of ints, default None): The extents, by name.
    **kwargs (object): `size`: the extents, by name.

Returns:
    Tensor: the new tensor.

Examples:
    >>> x = paddle.ones([2], 'int32').new_{make}([2, 3])
    >>> x.shape, x.dtype
    (paddle.Size([2, 3]), paddle.int32)
"""


_OF_NEW = 'size', 'shape', 'dtype', 'device', 'requires_grad', 'pin_memory'


def _new(make):
    def method(
        var,
        *size,
        dtype=None,
        device=None,
        requires_grad=False,
        pin_memory=False,
        shape=None,
        **kwargs,
    ):
        import paddle

        given = [list(size) if isinstance(size[0], int) else size[0]] if size else []
        if len(size) > 1 and not isinstance(size[0], int):
            raise TypeError(
                f'[new_{make}] expected a size alone or its numbers one by one, got {len(size)} '
                f'arguments'
            )
        keywords('new_' + make, kwargs, *_OF_NEW)
        given += [kwargs['size']] if 'size' in kwargs else []
        given += [] if shape is None else [shape]
        if len(given) != 1:
            raise TypeError(
                f'[new_{make}] expected the size once, by position, as size or as shape, got '
                f'{len(given)}'
            )
        size = given[0]
        result = getattr(paddle, make)(
            size, var.dtype if dtype is None else dtype, device=device, pin_memory=pin_memory
        )
        result.stop_gradient = not requires_grad
        return result

    method.__name__ = method.__qualname__ = 'new_' + make
    method.__doc__ = _NEW.format(make=make)
    return method


def _new_full(
    var, size, fill_value, *, dtype=None, device=None, requires_grad=False, pin_memory=False
):
    """`paddle.full` with this dtype unless one is given.

    Args:
        var (Tensor): What gives the dtype.
        size (int or list of ints): The shape.
        fill_value (number): The value.
        dtype (str or dtype, default None): The dtype; None for that of the tensor.
        device (str, place or int, default None): Where it lies; None for the current device.
        requires_grad (bool, default False): Whether it needs gradients.
        pin_memory (bool, default False): Whether it lies in page-locked memory.

    Returns:
        Tensor: the new tensor.

    Examples:
        >>> paddle.ones([2], "int32").new_full([3], 7)
        Tensor(shape=[3], dtype=int32, place=Place(cpu), stop_gradient=True,
               [7, 7, 7])
    """
    import paddle

    result = paddle.full(
        size,
        fill_value,
        var.dtype if dtype is None else dtype,
        device=device,
        pin_memory=pin_memory,
    )
    result.stop_gradient = not requires_grad
    return result


def _gradient(self):
    """The gradient as a NumPy array, or None; of a gradient that is SelectedRows the rows and their
    numbers.

    Returns:
        numpy.ndarray or tuple or None: the gradient.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> (x * x).sum().backward()
        >>> x.gradient().tolist()
        [2.0, 4.0]
    """
    from paddle.utils.deprecated import VisibleDeprecationWarning

    warnings.warn(
        '[Tensor.gradient] is deprecated since 2.1.0: use Tensor.grad, which is a tensor',
        VisibleDeprecationWarning,
        stacklevel=2,
    )
    grad = self.grad
    if grad is not None and grad.is_selected_rows():
        return grad.numpy(), grad._rows_parts()[0].numpy()
    return None if grad is None else grad.numpy()


def _repeat(input, *several, repeats=None, name=None):
    """This tensor tiled.

    Args:
        input (Tensor): The values.
        *several (int or list of ints): How often along each axis, as a list or one by one.
        repeats (list of ints, default None): The same by name.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the repeated values.

    Examples:
        >>> paddle.to_tensor([1, 2]).repeat(2, 2).tolist()
        [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    import paddle

    return paddle.tile(input, _given('repeat', 'repeats', several, repeats))


def _set_(x, source=None, shape=None, stride=None, offset=0, name=None):
    """Make this tensor a view of `source`'s memory; without one it has no elements.

    Args:
        x (Tensor): The tensor that changes.
        source (Tensor, default None): Whose memory is seen.
        shape (list of ints, default None): The extents; None for those of source.
        stride (list of ints, default None): From one element to the next along each axis; None for
            elements in order.
        offset (int, default 0): Where the first element is, in bytes.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself.

    Raises:
        ValueError: source is None and another argument is given.

    Examples:
        >>> x, y = paddle.zeros([1]), paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
        >>> x.set_(y, [2], [2], 4).tolist()
        [2.0, 4.0]
    """
    x._before_write('set_', False)
    if source is None:
        if shape is not None or stride is not None or offset:
            raise ValueError(
                '[set_] expected a source where shape, stride or offset is given, got None'
            )
        x._clear_data()
        return x
    if not isinstance(source, Tensor):
        raise ValueError(f'[set_] expected source to be a Tensor, got {type(source).__name__}')
    if shape is not None or stride is not None or offset:
        from paddle import _C_ops

        if stride is None:
            stride = source.strides if shape is None else _strides_of(shape)
        shape = source.shape if shape is None else shape
        if offset % source.element_size():
            raise ValueError(
                f'[set_] expected an offset of whole elements of {source.element_size()} bytes, '
                f'got {offset}'
            )
        source = _C_ops.as_strided(
            source.detach(),
            items('set_', 'shape', shape),
            list(stride),
            offset // source.element_size(),
        )
    x.data = source
    return x


def _strides_of(shape):
    strides, run = [], 1
    for extent in reversed(shape):
        strides.append(run)
        run *= extent
    return strides[::-1]


def _resize_(x, shape, fill_zero=False, name=None):
    """Change the shape in place; new elements are undefined, or zero with `fill_zero`.

    Args:
        x (Tensor): The values.
        shape (list of ints): The new extents.
        fill_zero (bool, default False): Taken for compatibility: new elements are zero.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself.

    Examples:
        >>> paddle.to_tensor([1, 2, 3, 4]).resize_([2, 3], fill_zero=True).tolist()
        [[1, 2, 3], [4, 0, 0]]
    """
    import paddle

    shape = [integer('resize_', 'an extent', extent) for extent in items('resize_', 'shape', shape)]
    if any(extent < 0 for extent in shape):
        raise ValueError(f'[resize_] expected extents of at least 0, got shape {shape}')
    if shape == list(x.shape):
        return x
    count = math.prod(shape)
    history = not (x.is_leaf or x.stop_gradient)
    flat = (x if history else x.detach()).flatten()
    if count > flat._numel():
        flat = paddle.concat([flat, paddle.zeros([count - flat._numel()], x.dtype)])
    value = flat[:count].reshape(shape).clone()
    if history:
        paddle.assign(value, x)
    else:
        x.data = value
    return x


def _zero_(x):
    """Fill with zeros.

    Args:
        x (Tensor): The values, which take the result.

    Returns:
        Tensor: x itself.

    Examples:
        >>> paddle.ones([2]).zero_().tolist()
        [0.0, 0.0]
    """
    return x.fill_(0)


def _fill_(x, value):
    """Fill with one value.

    Args:
        x (Tensor): The values, which take the result.
        value (number or Tensor): The value.

    Returns:
        Tensor: x itself.

    Examples:
        >>> paddle.zeros([2]).fill_(3).tolist()
        [3.0, 3.0]
    """
    if not isinstance(value, Tensor) and libpaddle.has_kernel('fill', x):
        from paddle import _C_ops

        return _C_ops.fill_(x, value)
    x[...] = value
    return x


def _md5sum(self):
    import hashlib

    return hashlib.md5(self.numpy().tobytes()).hexdigest()


def _get_device(self):
    """The index of the device; -1 on the CPU.

    Returns:
        int: the index.

    Examples:
        >>> paddle.ones([2]).cpu().get_device()
        -1
    """
    place = self.place
    if place.is_cpu_place():
        return -1
    return place.custom_device_id() if place.is_custom_place() else place.gpu_device_id()


def _device(self):
    """Where the data lies, as text.

    Examples:
        >>> paddle.ones([2]).cpu().device
        'cpu'
    """
    return self._place_str[6:-1]


def _to_static_var(self, *args, **kwargs):
    return self


def _slice(self, begin, end):
    return self[begin:end]


def _sparse_dim(self):
    """How many axes are sparse.

    Returns:
        int: the number, 0 of a dense tensor.

    Examples:
        >>> paddle.ones([2, 3]).sparse_dim()
        0
    """
    return 0


def _copy(self):
    """A leaf with memory of its own."""
    import paddle

    with paddle.no_grad():
        result = paddle.assign(self)
    result.stop_gradient = self.stop_gradient
    return result


_OF_SPARSE = """{meaning}.

{args}Returns:
    {returns}.

Raises:
    {error}: The tensor is not {what}.

Examples:
    >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 0.0]]).{form}
    >>> x.{name}(){shown}
"""


_NAME = """Args:
    name (str, default None): Taken for compatibility; it has no effect.

"""


def _only_of(kind, error, what, meaning, returns, shown):
    """The method `kind` of tensors of another form: called through the class it is theirs, and
    dense tensors refuse it. `shown`: what follows the call in its example, and the answer.
    """

    def method(self):
        own = getattr(type(self), kind)
        if own is not getattr(Tensor, kind):
            return own(self)
        raise error(f"[Tensor.{kind}] expected {what}, got a dense tensor")

    args = ''
    if kind == 'coalesce':
        plain, args = method, _NAME

        def method(self, name=None):
            return plain(self)

    method.__name__ = kind
    method.__qualname__ = f'Tensor.{kind}'
    method.__doc__ = _OF_SPARSE.format(
        name=kind,
        args=args,
        error=error.__name__,
        what=what,
        meaning=meaning,
        returns=returns,
        shown=shown.replace(' == ', '\n    '),
        form='to_sparse_csr()' if what == _CSR else 'to_sparse_coo(2)',
    )
    return method


_COO, _CSR, _SPARSE = 'a sparse COO tensor', 'a sparse CSR tensor', 'a sparse tensor'
_OF_OTHER_FORMS = {
    row[0]: _only_of(*row)
    for row in (
        (
            'coalesce',
            NotImplementedError,
            _COO,
            'The tensor with each place once, in order',
            'Tensor: a sparse tensor, whose elements are the sums of what stands at a place',
            '.nnz() == 2',
        ),
        (
            'values',
            NotImplementedError,
            _SPARSE,
            'The stored elements',
            'Tensor: the elements, in the order of their places',
            '.tolist() == [3.0, 1.0]',
        ),
        ('nnz', SystemError, _SPARSE, 'The number of stored elements', 'int: the number', ' == 2'),
        (
            'indices',
            SystemError,
            _COO,
            'The places of the stored elements',
            'Tensor: of shape [sparse dimensions, elements]',
            '.tolist() == [[0, 1], [1, 0]]',
        ),
        (
            'crows',
            SystemError,
            _CSR,
            'Where among the stored elements each row begins, and their end',
            'Tensor: of shape [rows + 1]',
            '.tolist() == [0, 1, 2]',
        ),
        (
            'cols',
            SystemError,
            _CSR,
            'The column of each stored element',
            'Tensor: of shape [elements]',
            '.tolist() == [1, 0]',
        ),
        (
            'is_coalesced',
            TypeError,
            _COO,
            'Whether the tensor is known to have each place once, in order',
            'bool: whether it is',
            ' == False',
        ),
    )
}


def _get_selected_rows(self):
    """The rows of a tensor that is SelectedRows, such as the gradient of a table that
    `embedding(sparse=True)` looked up.

    Returns:
        SelectedRows: numbers, height and the memory of the rows; None of another tensor.

    Examples:
        >>> table = paddle.create_parameter([4, 2], 'float32')
        >>> ids = paddle.to_tensor([3, 0, 3])
        >>> paddle.nn.functional.embedding(ids, table, sparse=True).sum().backward()
        >>> table.grad.get_selected_rows().rows()
        [3, 0, 3]
        >>> paddle.ones([2]).get_selected_rows() is None
        True
    """
    parts = self._rows_parts()
    if parts is None:
        return None
    from paddle.base.selected_rows import SelectedRows

    rows, values, height = parts
    return SelectedRows._of(rows.tolist(), height, values)


def _rows(self):
    """The numbers of the rows of a tensor that is SelectedRows. ValueError of another.

    Returns:
        list of ints: the numbers.

    Examples:
        >>> table = paddle.create_parameter([4, 2], 'float32')
        >>> ids = paddle.to_tensor([3, 0, 3])
        >>> paddle.nn.functional.embedding(ids, table, sparse=True).sum().backward()
        >>> table.grad.rows()
        [3, 0, 3]
    """
    parts = self._rows_parts()
    if parts is None:
        raise ValueError('[Tensor.rows] expected SelectedRows, got a dense tensor')
    return parts[0].tolist()


def _reconstruct_from_(self, other):
    """Make this tensor another one, but for its name: same memory, same history.

    Args:
        other (Tensor): The other tensor; its `stop_gradient` is taken too.

    Returns:
        None.

    Examples:
        >>> x, y = paddle.zeros([2]), paddle.ones([3])
        >>> x.reconstruct_from_(y)
        >>> x.tolist()
        [1.0, 1.0, 1.0]
    """
    if not isinstance(other, Tensor):
        raise ValueError(
            f"[Tensor.reconstruct_from_] expected a Tensor, got {type(other).__name__}"
        )
    self._rebind(other)
    self.stop_gradient = other.stop_gradient


_METHODS = {
    **_OF_OTHER_FORMS,
    '__div__': Tensor.__truediv__,
    '__rdiv__': Tensor.__rtruediv__,
    '__long__': Tensor.__int__,
    '__nonzero__': Tensor.__bool__,
    '_getitem_dygraph': Tensor.__getitem__,
    '_setitem_dygraph': Tensor.__setitem__,
    'get_selected_rows': _get_selected_rows,
    'rows': _rows,
    'reconstruct_from_': _reconstruct_from_,
    'to': _to,
    '_to': _to,
    'cuda': _cuda,
    'pin_memory': _pin_memory,
    '__cuda_array_interface__': _cuda_array_interface,
    'apply': _apply,
    'apply_': _apply_,
    '_apply': _apply,
    '_apply_': _apply_,
    'view': _view,
    'gradient': _gradient,
    'repeat': _repeat,
    'set_': _set_,
    'resize_': _resize_,
    'zero_': _zero_,
    'fill_': _fill_,
    '_md5sum': _md5sum,
    'get_device': _get_device,
    'get_map_tensor': get_map_tensor,
    'set_tensor': set_tensor,
    'set_string_list': set_string_list,
    'set_vocab': set_vocab,
    '_to_static_var': _to_static_var,
    '_slice': _slice,
    'sparse_dim': _sparse_dim,
    'dense_dim': Tensor.dim,
    '__copy__': _copy,
    'new_full': _new_full,
    'new_zeros': _new('zeros'),
    'new_ones': _new('ones'),
    'new_empty': _new('empty'),
}
_SEARCH = {
    name: 'paddle.tensor.search'
    for name in ('split_with_sizes', 'softmax', 'fill_diagonal_', 'fill_diagonal_tensor_')
}
_SPARSE = {name: 'paddle.sparse.tensor' for name in ('to_sparse_coo', 'to_sparse_csr')}
_OTHERS = {
    'top_p_sampling': 'paddle.tensor.sampling',
    'create_parameter': 'paddle',
    'create_tensor': 'paddle.tensor.creation',
}
_INNER = {
    name: 'paddle.tensor.inner'
    for name in (
        '_copy_gradient_from',
        '_getitem_from_offset',
        '_grad_name',
        '_inplace_assign',
        '_new_shared_tensor',
    )
}
_RANDOM = {
    name: 'paddle.tensor.random'
    for name in (
        'uniform_',
        'normal_',
        'bernoulli_',
        'log_normal_',
        'cauchy_',
        'geometric_',
        'random_',
    )
}


def install(where):
    """Complete the Tensor class; `where` says in which module each function of `paddle` is."""
    present = Tensor.__dict__
    generated = _generated('paddle')
    for name, method in _METHODS.items():
        if name not in present:
            setattr(Tensor, name, named(method))
    for name, module in {**_RANDOM, **_OTHERS, **_SEARCH, **_SPARSE, **_INNER}.items():
        if name not in present:
            setattr(Tensor, name, _LazyMethod(name, module))
    for name in _ALSO:
        if name in present:
            continue
        if name in generated:
            setattr(Tensor, name, generated[name])
        elif name in _LINALG:
            setattr(Tensor, name, _LazyMethod(name, 'paddle.linalg'))
        elif name in _SIGNAL:
            setattr(Tensor, name, _LazyMethod(name, 'paddle.signal'))
        elif name in where:
            setattr(Tensor, name, _LazyMethod(name, where[name]))
    for name, module in where.items():
        if module == 'paddle.tensor.inplace' and name not in present:
            setattr(Tensor, name, _LazyMethod(name, module))
    Tensor.size = property(TensorSize)
    Tensor.device = property(_device)
    Tensor.block = property(_block)
    Tensor.type = property(_kind)
    absent = [name for name in _ABSENT if name not in present]
    for name in absent:
        setattr(Tensor, name, Absent(name, 'Tensor'))
    Tensor.__dir__ = shows(frozenset(absent))
