# SPDX-License-Identifier: Apache-2.0
"""Functions on tensors that are written in Python; those of one op each are generated and found
beside them.
"""

from paddle import _lazy

TABLE = _lazy.homes(
    {
        'paddle.tensor.attribute': (
            'shape rank numel is_tensor is_complex is_floating_point is_integer is_empty '
            'tolist broadcast_shape broadcast_shapes in_dynamic_mode'
        ),
        'paddle.base.data_feeder': 'check_shape',
        'paddle.tensor.creation': (
            'zeros_like ones_like full_like empty_like arange range linspace logspace eye '
            'meshgrid assign clone as_tensor asarray tensor from_numpy from_dlpack to_dlpack '
            'complex polar tril_indices triu_indices vander'
        ),
        'paddle.tensor.random': (
            'rand randn randint randint_like randperm rand_like randn_like normal uniform '
            'standard_normal log_normal bernoulli gaussian bernoulli_ cauchy_ geometric_ '
            'log_normal_ normal_ uniform_'
        ),
        'paddle.tensor.to_string': 'set_printoptions to_string',
        'paddle.tensor.einsum': 'einsum',
        'paddle.tensor.manipulation': (
            'unflatten view view_as moveaxis t matrix_transpose permute ravel narrow rot90 '
            'reverse expand_as repeat_interleave take take_along_dim select_scatter '
            'slice_scatter diagonal_scatter masked_scatter index_fill view_as_complex '
            'view_as_real diagflat tensordot msort scatter_nd'
        ),
        'paddle.tensor.joining': (
            'hstack vstack dstack row_stack column_stack hsplit vsplit dsplit tensor_split '
            'chunk atleast_1d atleast_2d atleast_3d cartesian_prod combinations block_diag '
            'concatenate'
        ),
        'paddle.tensor.math': (
            'logaddexp inner outer ger vecdot mm cdist pdist baddbmm signbit isreal isposinf '
            'isneginf frexp ldexp hypot rad2deg deg2rad gcd lcm sinc positive neg negative '
            'multigammaln true_divide mul eq ne gt ge lt le greater less add_n sgn '
            'frac nan_to_num'
        ),
        'paddle.tensor.statistics': (
            'std var nansum nanmean median nanmedian quantile nanquantile diff trapezoid '
            'cumulative_trapezoid corrcoef cov isin histogramdd bucketize histogram_bin_edges '
            'count_nonzero unique unique_consecutive'
        ),
        'paddle.tensor.search': (
            'argmax argmin argsort sort nonzero argwhere searchsorted cumsum cumprod '
            'logcumsumexp cummax cummin prod take_along_axis put_along_axis scatter_add '
            'scatter_reduce scatter index_add masked_fill as_strided broadcast_to slice '
            'unstack increment bitwise_invert softmax'
        ),
        'paddle.linalg': 'norm',
        'paddle.tensor.special': 'polygamma',
        'paddle.tensor.inplace': (
            'baddbmm_ bitwise_invert_ cumprod_ cumsum_ div_ equal_ not_equal_ frac_ '
            'gammainc_ gammaincc_ gcd_ greater_equal_ greater_than_ hypot_ index_add_ '
            'index_fill_ lcm_ ldexp_ less_ less_equal_ less_than_ logical_and_ logical_not_ '
            'logical_or_ logical_xor_ masked_fill_ masked_scatter_ multigammaln_ nan_to_num_ '
            'neg_ polygamma_ pow_ scatter_ scatter_add_ sinc_ sub_ t_ where_ mul_ clip_ '
            'clamp_ put_along_axis_ logaddexp_'
        ),
    }
)

_lazy.install(
    globals(),
    'paddle',
    TABLE,
    modules=(
        'attribute',
        'creation',
        'random',
        'to_string',
        'einsum',
        'manipulation',
        'joining',
        'math',
        'statistics',
        'linalg',
        'methods',
        'search',
    ),
)


def _tensor():
    from .creation import tensor

    return tensor


_lazy.callable_as(__name__, _tensor)
