# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors: a pattern and the values of the elements that stand there.

The values are an ordinary dense tensor, [nnz, *dense extents], and carry the history: operations on
sparse tensors are operations on values, so gradients of any order, hooks and mixed precision come
from those. The gradient of a sparse leaf is that of its values at the same places.
"""

import operator

import paddle
from paddle import _C_ops
from paddle.base.arguments import integer

from .pattern import Coo, Csr, count_of, keys_of, segment_sum, volume

__all__ = ['SparseTensor']


_FORMS = {'coo': 'COO', 'csr': 'CSR'}


def _expect_form(method, x, form):
    """The pattern; SystemError for the other form."""
    if x._pattern.form != form:
        raise SystemError(
            f'[{method}] expected a sparse {_FORMS[form]} tensor, got a sparse '
            f'{_FORMS[x._pattern.form]} one'
        )
    return x._pattern


class SparseTensor:
    """A `paddle.Tensor` in COO or CSR form; `paddle.sparse` makes and takes them."""

    __array_ufunc__ = None

    def __init__(self, pattern, values):
        self._pattern, self._values = pattern, values
        self._shown_grad = (None, None)
        self._name = None
        self.persistable = False

    # What isinstance() sees; read without Python code, of which a recording would take note.
    _seen_class = paddle.Tensor
    __class__ = property(operator.attrgetter('_seen_class'))

    def _with(self, values):
        """Other values at the same places."""
        return SparseTensor(self._pattern, values)

    # --- what it is

    @property
    def shape(self):
        return paddle.Size(self._pattern.shape)

    @property
    def ndim(self):
        return len(self._pattern.shape)

    def dim(self):
        return self.ndim

    ndimension = dim

    @property
    def size(self):
        return volume('size', self._pattern.shape)

    def numel(self):
        return paddle.to_tensor(self.size, dtype='int64')

    @property
    def dtype(self):
        return self._values.dtype

    @property
    def place(self):
        return self._values.place

    @property
    def layout(self):
        return 'NCHW'

    @property
    def name(self):
        if self._name is None:
            self._name = self._values.name
        return self._name

    @name.setter
    def name(self, name):
        self._name = name

    def element_size(self):
        return self._values.element_size()

    def is_floating_point(self):
        return self._values.is_floating_point()

    def is_complex(self):
        return self._values.is_complex()

    def is_dense(self):
        return False

    def is_sparse(self):
        return True

    def is_sparse_coo(self):
        return self._pattern.form == 'coo'

    def is_sparse_csr(self):
        return self._pattern.form == 'csr'

    def is_selected_rows(self):
        return False

    def get_selected_rows(self):
        return None

    def is_dist(self):
        return False

    def is_tensor(self):
        return True

    def is_contiguous(self):
        return True

    def contiguous(self):
        return self

    def is_same_shape(self, y):
        return list(self.shape) == list(y.shape)

    def sparse_dim(self):
        return self._pattern.sparse_dim

    def dense_dim(self):
        return self.ndim - self.sparse_dim()

    def nnz(self):
        return self._pattern.nnz

    def is_coalesced(self):
        if not self.is_sparse_coo():
            raise TypeError("[is_coalesced] expected a sparse COO tensor, got a CSR one")
        return self._pattern.coalesced

    def indices(self):
        return _expect_form('indices', self, 'coo').indices

    def crows(self):
        return _expect_form('crows', self, 'csr').crows

    def cols(self):
        return _expect_form('cols', self, 'csr').cols

    def values(self):
        """The values, with their history, in memory that is this tensor's."""
        if self.stop_gradient:
            return self._values.detach()
        return _C_ops.reshape(self._values, self._values.shape)

    # --- conversions

    def to_dense(self):
        """A dense tensor; elements that stand more than once are added up."""
        p, values = self._pattern, self._values
        flat = segment_sum(values, p.keys, volume('to_dense', p.dims))
        return flat.reshape(p.shape)

    def to_sparse_coo(self, sparse_dim=None):
        """The same in COO form; with other than the sparse axes it has, from a dense tensor."""
        if sparse_dim not in (None, self.sparse_dim()):
            return to_sparse_coo(self.to_dense(), sparse_dim)
        if self.is_sparse_coo():
            return self
        p = self._pattern
        indices = paddle.stack(p.rows).astype(p.index_dtype)
        return SparseTensor(Coo(p.shape, indices), self._values)

    def to_sparse_csr(self):
        if self.is_sparse_csr():
            return self
        p = self._pattern
        if self.ndim not in (2, 3) or self.dense_dim():
            raise ValueError(
                '[to_sparse_csr] expected a matrix or a batch of matrices without dense axes, got '
                f'shape {list(self.shape)} with {self.dense_dim()} dense axes'
            )
        order = paddle.argsort(p.keys, stable=True)
        made = Csr.of_keys(p.keys[order], p.shape, p.index_dtype)
        return SparseTensor(made, _C_ops.index_select(self._values, order, 0))

    def coalesce(self, name=None):
        """The same tensor with its elements in order, each once: repeated ones are added up."""
        if not self.is_sparse_coo():
            raise NotImplementedError('[coalesce] expected a sparse COO tensor, got a CSR one')
        return self if self._pattern.coalesced else merged(self)

    def astype(self, dtype):
        return self._with(self._values.astype(dtype))

    def detach(self):
        return self._with(self._values.detach())

    def clone(self):
        return self._with(paddle.assign(self._values))

    def cpu(self):
        return self._with(self._values.cpu())

    def value(self):
        return self

    data = property(detach)

    # --- history

    @property
    def stop_gradient(self):
        return self._values.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, stop):
        self._values.stop_gradient = stop

    @property
    def is_leaf(self):
        return self._values.is_leaf

    @property
    def grad_fn(self):
        return self._values.grad_fn

    @property
    def inplace_version(self):
        return self._values.inplace_version

    @property
    def grad(self):
        grad = self._values.grad
        if grad is None:
            return None
        if self._shown_grad[0] is not grad:
            self._shown_grad = (grad, self._with(grad))
        return self._shown_grad[1]

    @grad.setter
    def grad(self, grad):
        self._values.grad = None if grad is None else self.values_of_gradient('Tensor.grad', grad)

    def _grad_ivar(self):
        return self.grad

    def values_of_gradient(self, op, grad):
        """The values of a gradient of this tensor; the gradient is sparse, at the same places."""
        if not is_sparse(grad):
            raise NotImplementedError(
                f'[{op}] expected a sparse gradient of a sparse tensor, got '
                f'{"a dense one" if isinstance(grad, paddle.Tensor) else type(grad).__name__}'
            )
        if grad.shape != self.shape or not self._pattern.matches(grad._pattern):
            raise ValueError(
                f'[{op}] expected a gradient with the elements of the tensor of shape '
                f'{list(self.shape)}, got shape {list(grad.shape)} or other elements'
            )
        return grad._values

    def backward(self, grad_tensor=None, retain_graph=False, *, dump_backward_graph_path=None):
        """Adds the gradients of the values into the leaves; without grad_tensor from ones."""
        from paddle.autograd import backward

        backward(
            [self], [grad_tensor], retain_graph, dump_backward_graph_path=dump_backward_graph_path
        )

    def clear_gradient(self, set_to_zero=True):
        self._values.clear_gradient(set_to_zero)

    def clear_grad(self):
        self._values.clear_gradient(True)

    def retain_grads(self):
        self._values.retain_grads()

    def register_hook(self, hook):
        def on_values(grad):
            result = hook(self._with(grad))
            return None if result is None else self.values_of_gradient('register_hook', result)

        return self._values.register_hook(on_values)

    # --- Python's protocols

    def __len__(self):
        if not self._pattern.shape:
            raise AssertionError('[len] expected a tensor of at least one axis, got a 0-D tensor')
        return self._pattern.shape[0]

    def __bool__(self):
        raise AssertionError(
            '[bool] expected a dense tensor of one element, got a sparse tensor: use to_dense()'
        )

    def __array__(self, *args, **kwargs):
        raise TypeError('[numpy] expected a dense tensor, got a sparse one: use to_dense()')

    def __repr__(self):
        from paddle.tensor.to_string import sparse_to_string

        return sparse_to_string(self)

    __hash__ = object.__hash__

    def __eq__(self, other):
        raise NotImplementedError('[equal] expected dense tensors, got a sparse one')

    def __ne__(self, other):
        raise NotImplementedError('[not_equal] expected dense tensors, got a sparse one')

    def __reduce__(self):
        p = self._pattern
        parts = (p.indices, p.coalesced) if p.form == 'coo' else (p.crows, p.cols)
        return _restored, (p.form, p.shape, *parts, self._values.detach(), self.stop_gradient)

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError('[deepcopy] expected a leaf, got the result of an operation')
        values = self._values.detach().clone()
        values.stop_gradient = self.stop_gradient
        result = memo[id(self)] = self._with(values)
        return result

    def __copy__(self):
        return self._with(self._values)


def _operation(name):
    """The function `name` of `paddle.sparse` as a method."""

    def method(self, *args, **kwargs):
        return getattr(paddle.sparse, name)(self, *args, **kwargs)

    method.__name__ = name
    return method


for _name in (
    'abs asin asinh atan atanh deg2rad expm1 isnan log1p neg pow rad2deg sin sinh sqrt square tan '
    'tanh add subtract multiply divide matmul mv addmm transpose reshape slice sum'
).split():
    setattr(SparseTensor, _name, _operation(_name))
for _name, _operator in (
    ('add', 'add'),
    ('subtract', 'sub'),
    ('multiply', 'mul'),
    ('divide', 'truediv'),
    ('matmul', 'matmul'),
    ('pow', 'pow'),
    ('neg', 'neg'),
    ('abs', 'abs'),
):
    setattr(SparseTensor, f'__{_operator}__', _operation(_name))
SparseTensor.__rmul__ = _operation('multiply')


def _restored(form, shape, first, second, values, stop_gradient):
    values.stop_gradient = stop_gradient
    return SparseTensor((Coo if form == 'coo' else Csr)(shape, first, second), values)


def is_sparse(x):
    return type(x) is SparseTensor


def expect_sparse(op, x, name='x'):
    """NotImplementedError for a dense tensor, ValueError for what is none."""
    if is_sparse(x):
        return x
    if isinstance(x, paddle.Tensor):
        raise NotImplementedError(f'[{op}] expected {name} to be a sparse tensor, got a dense one')
    raise ValueError(f'[{op}] expected {name} to be a sparse Tensor, got {type(x).__name__}')


def expect_dense(op, x, name):
    """NotImplementedError for a sparse tensor, ValueError for what is none."""
    if is_sparse(x):
        raise NotImplementedError(f'[{op}] expected {name} to be a dense tensor, got a sparse one')
    if not isinstance(x, paddle.Tensor):
        raise ValueError(f'[{op}] expected {name} to be a Tensor, got {type(x).__name__}')
    return x


def merged(x):
    """x with its elements in order, each place once."""
    p = x._pattern
    keys, segments = p.groups
    return SparseTensor(p.like(keys), segment_sum(x._values, segments, count_of(keys)))


def as_values(op, outputs, grad_outputs, inputs=(), rest=()):
    """What `backward` and `grad` are given, with the values of sparse tensors in their place, and
    the function that gives the gradients of sparse inputs their places again.
    """
    if grad_outputs:
        grad_outputs = [
            y.values_of_gradient(op, g) if is_sparse(y) and g is not None else g
            for y, g in zip(outputs, grad_outputs)
        ]

    def values(tensors):
        return [t._values if is_sparse(t) else t for t in tensors]

    def show(grads):
        return [x._with(g) if is_sparse(x) and g is not None else g for x, g in zip(inputs, grads)]

    return values(outputs), grad_outputs, values(inputs), tuple(map(values, rest)), show


def to_sparse_coo(self, sparse_dim):
    """A sparse COO tensor of the first `sparse_dim` axes; the others are dense.

    Args:
        sparse_dim (int): How many axes are sparse.

    Returns:
        Tensor: a sparse COO tensor.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [0.0, 0.0]]).to_sparse_coo(2)
        >>> x.is_sparse_coo(), x.to_dense().tolist()
        (True, [[0.0, 3.0], [0.0, 0.0]])
    """
    count = integer('to_sparse_coo', 'sparse_dim', sparse_dim)
    if not 0 < count <= self.ndim:
        raise ValueError(
            f'[to_sparse_coo] expected sparse_dim from 1 to {self.ndim}, the axes of x, got {count}'
        )
    shape = list(self.shape)
    dims, dense = shape[:count], shape[count:]
    flat = self.reshape([volume('to_sparse_coo', dims), *dense])
    kept = flat != 0
    if dense:
        kept = kept.flatten(1).any(axis=1)
    keys = paddle.nonzero(kept).flatten()
    made = Coo.of_keys(keys, tuple(shape), count, 'int64')
    made.coalesced = False
    return SparseTensor(made, _C_ops.index_select(flat, keys, 0))


def to_sparse_csr(self):
    """A sparse CSR tensor of a matrix or a batch of matrices.

    Returns:
        Tensor: a sparse CSR tensor.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [0.0, 0.0]]).to_sparse_csr()
        >>> x.is_sparse_csr(), x.to_dense().tolist()
        (True, [[0.0, 3.0], [0.0, 0.0]])
    """
    if self.ndim not in (2, 3):
        raise ValueError(
            f'[to_sparse_csr] expected a tensor of 2 or 3 dimensions, got shape {list(self.shape)}'
        )
    return to_sparse_coo(self, self.ndim).to_sparse_csr()


def reordered(x, rows, shape):
    """x with the coordinates `rows` in `shape`, in its form; CSR elements are put in order."""
    p = x._pattern
    if p.form == 'coo':
        indices = paddle.stack(rows).astype(p.index_dtype)
        return SparseTensor(Coo(shape, indices), x._values)
    keys = keys_of(rows, shape)
    order = paddle.argsort(keys, stable=True)
    made = p.like(keys[order], shape)
    return SparseTensor(made, _C_ops.index_select(x._values, order, 0))
