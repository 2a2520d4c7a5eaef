# SPDX-License-Identifier: Apache-2.0
"""Old ops on arrays of tensors, on sparse tensors and on beams of sequences: rules as in
`legacy_rules`.
"""

import paddle
from paddle.base import libpaddle as _core
from paddle.static import lod
from paddle.static.legacy_rules import dtype_of, first_of, rule

# --- arrays of tensors


def _number(index):
    from paddle.static.arrays import known_number

    if not isinstance(index, _core.pir.Value):
        return index.item()
    number = known_number(index)
    return index if number is None else number


def _copy(array):
    from paddle.static.arrays import TensorArray

    made = TensorArray(() if array is None or array.is_rows() else array.held())
    if array is not None and array.is_rows():
        made.rows = array.rows
    return made


@rule('write_to_array')
def _write_to_array(inputs, attrs, append):
    x, index, array = first_of(inputs, 'X', 'I', 'Out')
    made = _copy(array)
    made.write(_number(index), x)
    return {'Out': made}


@rule('read_from_array')
def _read_from_array(inputs, attrs, append):
    array, index = first_of(inputs, 'X', 'I')
    return {'Out': array.read(_number(index))}


@rule('lod_array_length')
def _lod_array_length(inputs, attrs, append):
    return {'Out': inputs['X'][0].count()}


@rule('tensor_array_to_tensor')
def _tensor_array_to_tensor(inputs, attrs, append):
    made = inputs['X'][0].joined(attrs.get('axis', 0), attrs.get('use_stack', False))
    return dict(zip(('Out', 'OutIndex'), made))


def on_arrays(kind, inputs, attrs):
    """{output: value} of an op of tensors that is given arrays of them; None for other ops."""
    if kind == 'assign':
        return {'Out': _copy(inputs['X'][0])}
    if kind == 'slice':
        (array,), (start,), (end,) = inputs['Input'], attrs['starts'], attrs['ends']
        if attrs.get('decrease_axis'):
            return {'Out': array.read(start)}
        made = _copy(array)
        if made.is_rows():
            made.rows = made.rows[start:end]
        else:
            made = type(made)(made.held()[start:end])
        return {'Out': made}
    if kind == 'sum':
        first, *others = (x.held() for x in inputs['X'])
        if any(len(first) != len(other) for other in others):
            raise ValueError('[sum] expected arrays of one length, got others')
        sums = [paddle.add_n(list(parts)) for parts in zip(first, *others)]
        made = _copy(inputs['X'][0])
        if made.is_rows():
            (made.rows,) = sums
            return {'Out': made}
        return {'Out': type(made)(sums)}
    return None


@rule('select_output')
def _select_output(inputs, attrs, append):
    (x,) = inputs['X']
    return {'Out': [paddle.assign(x), paddle.assign(x)]}  # only the chosen one is read


# --- sparse tensors


def _sparse(name, *words):
    """The function of `paddle.sparse` with its tensors and these attributes in their order."""
    kind = f'sparse_{name}'

    @rule(kind)
    def call(inputs, attrs, append):
        from paddle._legacy_protos import PROTOS

        slots = [s.rstrip('?') for s in PROTOS[kind][0].split() if '[]' not in s]
        given = [inputs[slot][0] for slot in slots if inputs.get(slot)]
        home = paddle.sparse if hasattr(paddle.sparse, name) else paddle.sparse.nn.functional
        return {'out': getattr(home, name)(*given, *(attrs[w] for w in words))}


for _name in (
    'abs asin asinh atan atanh expm1 isnan log1p relu relu6 sin sinh sqrt square tan tanh coalesce '
    'add subtract multiply divide mask_as masked_matmul matmul mv'
).split():
    _sparse(_name)
_sparse('leaky_relu', 'alpha')
_sparse('pow', 'factor')
_sparse('softmax', 'axis')
_sparse('addmm', 'beta', 'alpha')
_sparse('reshape', 'shape')
_sparse('transpose', 'perm')
_sparse('slice', 'axes', 'starts', 'ends')


def _on_sparse(name, function):
    @rule(f'sparse_{name}')
    def call(inputs, attrs, append):
        return {'out': function(next(iter(inputs.values()))[0], attrs)}


def _dtype(number):
    return None if number == -1 else dtype_of(number)


def _scaled(x, attrs):
    words = 'scale', 'bias', 'bias_after_scale'
    return x._with(paddle.scale(x._values, *(attrs[w] for w in words)))


_on_sparse('indices', lambda x, attrs: x.indices())
_on_sparse('values', lambda x, attrs: x.values())
_on_sparse('to_dense', lambda x, attrs: x.to_dense())
_on_sparse('to_sparse_csr', lambda x, attrs: x.to_sparse_csr())
_on_sparse('to_sparse_coo', lambda x, attrs: x.to_sparse_coo(attrs['sparse_dim']))
_on_sparse('divide_scalar', lambda x, attrs: x / attrs['scalar'])
_on_sparse('scale', _scaled)
_on_sparse(
    'cast',
    lambda x, attrs: paddle.sparse.cast(
        x, _dtype(attrs['index_dtype']), _dtype(attrs['value_dtype'])
    ),
)
_on_sparse(
    'sum',
    lambda x, attrs: paddle.sparse.sum(
        x, list(attrs['axis']) or None, _dtype(attrs['dtype']), attrs['keepdim']
    ),
)


@rule('sparse_sparse_coo_tensor')
def _sparse_coo_tensor(inputs, attrs, append):
    values, indices = first_of(inputs, 'values', 'indices')
    stop = values.stop_gradient
    made = paddle.sparse.sparse_coo_tensor(indices, values, list(attrs['shape']), None, None, stop)
    return {'out': made}


@rule('sparse_full_like')
def _sparse_full_like(inputs, attrs, append):
    x, value = first_of(inputs, 'x', 'ValueTensor')
    value = attrs['value'] if value is None else value
    return {'out': x._with(paddle.full_like(x._values, value, _dtype(attrs['dtype'])))}


@rule('sparse_batch_norm')
def _sparse_batch_norm(inputs, attrs, append):
    x, *rest = first_of(inputs, 'x', 'mean', 'variance', 'scale', 'bias')
    given = {
        'X': [x._values],
        **dict(zip(('Mean', 'Variance', 'Scale', 'Bias'), ([t] for t in rest))),
    }
    words = 'is_test', 'momentum', 'epsilon', 'use_global_stats', 'trainable_statistics'
    made = append('batch_norm', given, {**{w: attrs[w] for w in words}, 'data_layout': 'NCHW'})
    names = 'out mean_out variance_out saved_mean saved_variance reserve_space'.split()
    made = dict(zip(names, (v[0] for v in made.values())))
    return {**made, 'out': x._with(made['out'])}


def _windows(attrs):
    return [list(attrs[w]) for w in ('strides', 'paddings', 'dilations')]


@rule('sparse_conv3d')
def _sparse_conv3d(inputs, attrs, append):
    x, kernel = first_of(inputs, 'x', 'kernel')
    home = paddle.sparse.nn.functional
    function = home.subm_conv3d if attrs['subm'] else home.conv3d
    return {'out': function(x, kernel, None, *_windows(attrs), attrs['groups'])}


@rule('sparse_maxpool')
def _sparse_maxpool(inputs, attrs, append):
    strides, paddings, dilations = _windows(attrs)
    if set(dilations) != {1}:
        raise NotImplementedError(f'[sparse_maxpool] expected dilations of 1, got {dilations}')
    (x,), kernel = inputs['x'], list(attrs['kernel_sizes'])
    return {'out': paddle.sparse.nn.functional.max_pool3d(x, kernel, strides, paddings)}


# --- graphs, rows of tables and beams


@rule('graph_khop_sampler')
def _graph_khop_sampler(inputs, attrs, append):
    given = first_of(inputs, 'Row', 'Col_Ptr', 'X')
    (eids,) = first_of(inputs, 'Eids')
    sizes, wanted = list(attrs['sample_sizes']), attrs['return_eids']
    made = paddle.incubate.graph_khop_sampler(*given, sizes, eids, wanted)
    names = 'Out_Src Out_Dst Sample_Index Reindex_X Out_Eids'.split()
    return dict(zip(names, made))


def _rows(name):
    @rule(name)
    def call(inputs, attrs, append):
        from paddle.base import selected_rows

        (x,) = inputs['X']
        if isinstance(x, _core.pir.Value):  # in programs gradients of tables are tables
            return {'Out': paddle.assign(x)}
        return {'Out': getattr(selected_rows, name)(x)}


_rows('merge_selected_rows')
_rows('get_tensor_from_selected_rows')


@rule('beam_search')
def _beam_search(inputs, attrs, append):
    before, score, ids, scores = first_of(inputs, 'pre_ids', 'pre_scores', 'ids', 'scores')
    level, width, end = attrs.get('level', 0), attrs['beam_size'], attrs['end_id']
    levels = lod.required('beam_search', 'scores', scores)
    if not 0 <= level < len(levels):
        raise ValueError(f'[beam_search] expected a level from 0 to {len(levels) - 1}, got {level}')
    sources = levels[level]
    for deeper in levels[level + 1 :]:
        sources = paddle.gather(deeper, sources)
    columns = scores.shape[1]
    ids = paddle.arange(columns, dtype='int64').expand_as(scores) if ids is None else ids
    ended = before.reshape([-1, 1]) == end
    if not attrs.get('is_accumulated', True):
        scores = score.reshape([-1, 1]) + paddle.log(scores)
    first = paddle.arange(columns).unsqueeze(0) == 0
    none = paddle.full_like(scores, -float('inf'))
    # A sequence that has ended goes on as it is.
    scores = paddle.where(
        ended, paddle.where(first, score.reshape([-1, 1]) + paddle.zeros_like(scores), none), scores
    )
    ids = paddle.where(ended, paddle.full_like(ids, end), ids)
    return _chosen(scores, ids, ended, sources, width)


def _chosen(scores, ids, ended, sources, width):
    """The best `width` of each source: in the order of their rows, and of their scores in one."""
    from paddle.static.nn.sequence_lod import _owners

    columns, flat = scores.shape[1], scores.reshape([-1])
    rows = paddle.arange(paddle.shape(scores)[0], dtype='int64')
    owner = _owners(sources, rows).astype('int64')
    of_row = rows.unsqueeze(1).expand_as(ids).reshape([-1])
    of_source = paddle.gather(owner, of_row)
    order = paddle.argsort(flat, descending=True, stable=True)
    order = paddle.gather(order, paddle.argsort(paddle.gather(of_source, order), stable=True))
    # Where the candidates of each source begin, in the order of sources.
    begin = paddle.gather(sources, paddle.gather(of_source, order)) * columns
    place = paddle.arange(paddle.shape(order)[0], dtype='int64')
    real = paddle.gather(flat, order) > -float('inf')
    kept = paddle.gather(
        order, paddle.nonzero(paddle.logical_and(place - begin < width, real))[:, 0]
    )
    # A source all of whose sequences have ended has none.
    open_ = paddle.logical_not(paddle.gather(ended.reshape([-1]), paddle.gather(of_row, kept)))
    count = paddle.shape(sources)[0].astype('int64') - 1
    going = paddle.scatter_nd_add(
        paddle.zeros([count], 'int32'),
        paddle.gather(of_source, kept).unsqueeze(1),
        open_.astype('int32'),
    )
    kept = paddle.gather(
        kept, paddle.nonzero(paddle.gather(going, paddle.gather(of_source, kept)) > 0)[:, 0]
    )
    kept = paddle.gather(kept, paddle.argsort(paddle.gather(of_row, kept), stable=True))
    parent = paddle.gather(of_row, kept)
    made = {
        'selected_ids': paddle.gather(ids.reshape([-1]), kept).unsqueeze(1),
        'selected_scores': paddle.gather(flat, kept).unsqueeze(1),
        # No sequences, although there are as many.
        'parent_idx': paddle.masked_select(parent, parent >= 0).astype('int32'),
    }
    counts = paddle.scatter_nd_add(
        paddle.zeros_like(rows), parent.unsqueeze(1), paddle.ones_like(parent)
    )
    ends = paddle.concat([paddle.zeros([1], 'int64'), paddle.cumsum(counts)])
    for name in ('selected_ids', 'selected_scores'):
        lod.note(lod.program_of(made[name]), made[name], [sources, ends])
    return made
