# SPDX-License-Identifier: Apache-2.0
"""Calls whose inputs have an extent B that is not known while they are recorded: a name, the call,
its inputs.
"""

from dataclasses import dataclass

import paddle
import paddle.nn.functional as F

B = -1


@dataclass
class Ints:
    """An input of whole numbers below `high`."""

    shape: tuple
    high: int
    dtype: str = 'int64'


@dataclass
class Mask:
    """An input of truth values."""

    shape: tuple


@dataclass
class Case:
    """`inputs`: shapes of floating inputs in (0.1, 0.9), Ints and Mask."""

    name: str
    call: object
    inputs: tuple


CASES = []


def case(name, call, *inputs):
    """Add a case."""
    CASES.append(Case(name, call, inputs))


def named(module, names, *inputs):
    """Add a case for each function of the module."""
    for name in names.split():
        case(name, getattr(module, name), *inputs)


def changed(key, value):
    """A call that assigns to a part of its first argument."""

    def call(x, *rest):
        x = x + 0
        x[key(*rest) if callable(key) else key] = value
        return x

    return call


def layer(make):
    """A call of a layer that is made once, with fixed weights."""
    made = []

    def call(*inputs):
        from paddle.static.program import running

        if not made:
            with running():
                made.append(make())
                for k, p in enumerate(made[0].parameters()):
                    p.set_value(
                        paddle.cos(paddle.arange(p.size, dtype='float32') * (k + 1)).reshape(
                            p.shape
                        )
                        * 0.3
                    )
        out = made[0](*inputs)
        return out[0] if isinstance(out, tuple) else out

    return call


def weight(*shape):
    """Fixed weights."""
    n = 1
    for d in shape:
        n *= d
    return paddle.cos(paddle.arange(n, dtype='float32')).reshape(list(shape))


A, C = (B, 4), (B, 3, 4)
IMAGE, SEQUENCE, VOLUME = (B, 4, 8, 8), (B, 4, 8), (B, 2, 4, 4, 4)
ROW, LABEL, TABLE = (4,), Ints((B,), 4), (4, 4)
NUMBERS = Ints((B, 4), 5)

# One tensor, no arguments.
named(
    paddle,
    'sum mean max min prod logsumexp amax amin std var median nanmedian nansum nanmean '
    'argmax argmin argsort sort cumsum logcumsumexp numel t flatten unique isnan isfinite '
    'rot90 diff diagonal diag_embed zeros_like ones_like mode digamma lgamma erfinv '
    'nan_to_num frac sgn angle conj count_nonzero cov corrcoef triu tril signbit squeeze '
    'rank is_empty isreal deg2rad sinc',
    A,
)
named(F, 'softmax log_softmax normalize label_smooth glu relu gelu silu', A)
named(paddle, 'diagflat vander', (B,))
named(paddle, 'ravel trace', (B, 3))
named(paddle, 'any all', Mask((B, 4)))
named(paddle, 'bincount unique_consecutive', Ints((B,), 5))
named(
    paddle, 'add dist equal_all allclose isclose logaddexp hypot copysign heaviside nextafter', A, A
)
named(paddle, 'outer kron inner', A, A)
named(paddle, 'gcd lcm', NUMBERS, NUMBERS)
named(
    F,
    'mse_loss l1_loss smooth_l1_loss kl_div binary_cross_entropy binary_cross_entropy_with_logits',
    A,
    A,
)
named(
    F,
    'poisson_nll_loss soft_margin_loss hinge_embedding_loss sigmoid_focal_loss square_error_cost',
    A,
    A,
)
named(F, 'cosine_similarity pairwise_distance multi_label_soft_margin_loss', A, A)

# Reductions, order and running results.
case('sum_rows', lambda x: x.sum(0), A)
case('var_rows', lambda x: paddle.var(x, 0), A)
case('std_keepdim', lambda x: paddle.std(x, 0, keepdim=True), A)
case('median_rows', lambda x: paddle.median(x, 0), A)
case('median_min', lambda x: paddle.median(x, 0, mode='min')[0], A)
case('quantile', lambda x: paddle.quantile(x, 0.3), A)
case('quantile_rows', lambda x: paddle.quantile(x, [0.2, 0.7], 0), A)
case('nanquantile', lambda x: paddle.nanquantile(x, 0.5, 1), A)
case('norm_rows', lambda x: paddle.norm(x, 1, axis=0), A)
case('norm_p', lambda x: paddle.norm(x, 3, axis=1), A)
case('norm_fro', lambda x: paddle.linalg.norm(x, 'fro'), A)
case('cumprod', lambda x: paddle.cumprod(x, 0), A)
case('cummax', lambda x: paddle.cummax(x, 0)[0], A)
case('cummin', lambda x: paddle.cummin(x)[0], A)
case('kthvalue', lambda x: paddle.kthvalue(x, 2)[0], A)
case('topk', lambda x: paddle.topk(x, 2)[0], A)
case('renorm', lambda x: paddle.renorm(x, 2.0, 0, 0.5), A)
case('reduce_as', paddle.reduce_as, A, ROW)
case('reduce_as_same', paddle.reduce_as, C, (B, 1, 4))
case('histogram', lambda x: paddle.histogram(x, 5, 0, 1), A)
case('trapezoid', paddle.trapezoid, A)
case('cumulative_trapezoid', paddle.cumulative_trapezoid, A)
case('searchsorted', lambda x: paddle.searchsorted(paddle.sort(weight(4)), x), A)

# Shapes.
case('reshape_free', lambda x: x.reshape([-1, 2]), A)
case('reshape_kept', lambda x: x.reshape([0, 2, 2]), A)
case('unflatten', lambda x: paddle.unflatten(x, 1, [2, 2]), A)
case('moveaxis', lambda x: paddle.moveaxis(x, 0, 1), A)
case('expand', lambda x: x.unsqueeze(0).expand([2, -1, -1]), A)
case('expand_as', lambda x, y: x.expand_as(y), ROW, A)
case('tile', lambda x: paddle.tile(x, [2, 1]), A)
case('repeat_interleave', lambda x: paddle.repeat_interleave(x, 2, 0), A)
case('broadcast_tensors', lambda x, y: paddle.broadcast_tensors([x, y])[1] * x, A, ROW)
case('meshgrid', lambda x, y: paddle.meshgrid(x, y)[1], (B,), ROW)
case('flip', lambda x: paddle.flip(x, [0]), A)
case('roll', lambda x: paddle.roll(x, 1), A)
case('chunk', lambda x: paddle.chunk(x, 2, 1)[1], A)
case('hsplit', lambda x: paddle.hsplit(x, 2)[0], A)
case('vsplit', lambda x: paddle.vsplit(x, 2)[1], A)
case('tensor_split', lambda x: paddle.tensor_split(x, 3)[2], A)
case('tensor_split_at', lambda x: paddle.tensor_split(x, [1])[1], A)
case('hstack', lambda x, y: paddle.hstack([x, y]), A, A)
case('vstack', lambda x, y: paddle.vstack([x, y]), A, A)
case('dstack', lambda x, y: paddle.dstack([x, y]), A, A)
case('concat_rows', lambda x, y: paddle.concat([x, y]), A, A)
case('stack', lambda x, y: paddle.stack([x, y], 1), A, A)
case('block_diag', lambda x, y: paddle.block_diag([x, y]), A, A)
case('unfold', lambda x: x.unfold(0, 2, 1), A)
case('as_strided', lambda x: paddle.as_strided(x, [2, 2], [1, 1]), A)
case('crop', lambda x: paddle.crop(x, [-1, 2]), A)
case('pad', lambda x: F.pad(x, [1, 1, 1, 1]), A)
case('pad_reflect', lambda x: F.pad(x, [1, 1, 1, 1], mode='reflect'), IMAGE)
case('pad_replicate', lambda x: F.pad(x, [1, 1, 1, 1], mode='replicate'), IMAGE)
case('complex', lambda x, y: paddle.abs(paddle.complex(x, y)), A, A)
case('as_complex', lambda x: paddle.as_real(paddle.as_complex(x.reshape([-1, 2, 2]))), A)

# Gathering and scattering.
case('index_select', lambda x, i: paddle.index_select(x, i, 1), A, LABEL)
case('index_add', lambda x, i, v: paddle.index_add(x, i, 0, v), TABLE, LABEL, A)
case('index_put', lambda x, i, v: paddle.index_put(x, (i,), v), TABLE, Ints((1,), 4), (1, 4))
case('index_fill', lambda x, i: paddle.index_fill(x, i, 1, 1.0), A, LABEL)
case('index_sample', lambda x, i: paddle.index_sample(x, i % 4), A, NUMBERS)
case('take', paddle.take, A, Ints((3,), 8))
case('take_clip', lambda x, i: paddle.take(x, i + 90, mode='clip'), A, LABEL)
case('take_wrap', lambda x, i: paddle.take(x, i + 7, mode='wrap'), A, LABEL)
case('take_along_axis', lambda x, i: paddle.take_along_axis(x, i % 4, 1), A, NUMBERS)
case('take_along_rows', lambda x, i: paddle.take_along_axis(x, i, 0), A, Ints((1, 4), 2))
case('put_along_axis', lambda x, i: paddle.put_along_axis(x, i % 4, 1.0, 1), A, NUMBERS)
case(
    'put_along_rows',
    lambda x, i, v: paddle.put_along_axis(x, i, v, 0, 'add'),
    A,
    Ints((1, 4), 2),
    (1, 4),
)
case('put_along_broadcast', lambda x, i: paddle.put_along_axis(x, i, 2.0, 1), A, Ints((1, 1), 4))
case('gather', paddle.gather, TABLE, LABEL)
case('gather_rows', paddle.gather, A, Ints((3,), 2))
case('gather_nd', lambda x, i: paddle.gather_nd(x, i.unsqueeze(1)), TABLE, LABEL)
case('scatter', lambda x, i, v: paddle.scatter(x, i, v, overwrite=False), TABLE, LABEL, A)
case('masked_select', lambda x, m: paddle.masked_select(x, m), A, Mask((B, 4)))
case('masked_fill', lambda x, m: paddle.masked_fill(x, m, 2.0), A, Mask((B, 4)))
case('masked_scatter', paddle.masked_scatter, A, Mask((B, 4)), A)
case('multiplex', lambda x, y, i: paddle.multiplex([x, y], i.unsqueeze(1) % 2), A, A, LABEL)
case('fill_diagonal', lambda x, y: paddle.diagonal_scatter(x, y), (B, 2), (2,))
case('select_scatter', lambda x: paddle.select_scatter(x, x[:, 0], 1, 1), A)
case('slice_scatter', lambda x: paddle.slice_scatter(x, x[:1], [0], [0], [1], [1]), A)
case('get_mask', lambda x, m: x[m], A, Mask((B, 4)))
case('get_rows', lambda x: x[1:], A)
case('get_last', lambda x: x[-1], A)
case('get_reversed', lambda x: x[::-1], A)
case('get_index', lambda x, i: x[:, i], A, LABEL)
case('get_none', lambda x: x[None, :, None], A)
case('set_slice', changed((slice(None), 1), 2.0), A)
case('set_none', changed((slice(None), None), 2.0), A)
case('set_mask', changed(lambda m: m, 1.0), A, Mask((B, 4)))
case('set_index', changed(lambda i: (slice(None), i), 1.0), A, LABEL)

# Products and matrices.
case('matmul', lambda x, y: x @ y.t(), A, A)
case('bmm', lambda x: paddle.bmm(x, x.transpose([0, 2, 1])), C)
case('mv', lambda x, y: paddle.mv(x, y), A, ROW)
case('dot', paddle.dot, (B,), (B,))
case('dot_rows', paddle.dot, A, A)
case('cross_axis', lambda x, y: paddle.cross(x, y, axis=1), (B, 3), (B, 3))
case('tensordot', lambda x, y: paddle.tensordot(x, y, axes=[[1], [1]]), A, A)
case('tensordot_rows', lambda x, y: paddle.tensordot(x, y, axes=[[0], [0]]), A, A)
case('tensordot_count', lambda x, y: paddle.tensordot(x, y, 1), A, TABLE)
case('einsum', lambda x, y: paddle.einsum('bij,bkj->bik', x, y), C, C)
case('multi_dot', lambda x, y, z: paddle.linalg.multi_dot([x, y, z]), A, TABLE, TABLE)
case('cdist', paddle.cdist, A, A)
case('pdist', paddle.pdist, A)
case('linear', lambda x: F.linear(x, weight(4, 2)), C)
case('bilinear', lambda x, y: F.bilinear(x, y, weight(2, 4, 4)), A, A)
case('inv', lambda x: paddle.linalg.inv(paddle.eye(3) * 4 + x), (B, 3, 3))
case('det', lambda x: paddle.linalg.det(paddle.eye(3) * 4 + x), (B, 3, 3))
case(
    'cholesky',
    lambda x: paddle.linalg.cholesky(paddle.eye(3) * 4 + x @ x.transpose([0, 2, 1])),
    (B, 3, 3),
)
case('solve', lambda x, y: paddle.linalg.solve(paddle.eye(3) * 4 + x, y), (B, 3, 3), (B, 3, 2))
case('qr_batch', lambda x: paddle.linalg.qr(x)[1], (B, 4, 3))
case('svdvals_batch', paddle.linalg.svdvals, (B, 4, 3))
case('matrix_power', lambda x: paddle.linalg.matrix_power(x, 2), (B, 3, 3))
case('fft', lambda x: paddle.fft.fft(x).real(), A)
case('rfft', lambda x: paddle.fft.rfft(x).real(), A)
case('irfft', paddle.fft.irfft, A)
case('fftshift', lambda x: paddle.fft.fftshift(x, 1), A)
case('stft', lambda x: paddle.signal.stft(x, 8).real(), (B, 64))

# Images and sequences.
case('conv1d', lambda x: F.conv1d(x, weight(3, 4, 3)), SEQUENCE)
case('conv2d', lambda x: F.conv2d(x, weight(3, 4, 3, 3), padding=1, stride=2), IMAGE)
case('conv2d_same', lambda x: F.conv2d(x, weight(3, 4, 3, 3), padding='SAME'), IMAGE)
case('conv3d', lambda x: F.conv3d(x, weight(3, 2, 2, 2, 2)), VOLUME)
case('conv1d_transpose', lambda x: F.conv1d_transpose(x, weight(4, 3, 3), stride=2), SEQUENCE)
case('conv2d_transpose', lambda x: F.conv2d_transpose(x, weight(4, 3, 3, 3), stride=2), IMAGE)
case('max_pool1d', lambda x: F.max_pool1d(x, 2), SEQUENCE)
case('max_pool2d', lambda x: F.max_pool2d(x, 2), IMAGE)
case('max_pool2d_mask', lambda x: F.max_pool2d(x, 2, return_mask=True)[0], IMAGE)
case('max_pool3d', lambda x: F.max_pool3d(x, 2), VOLUME)
case('avg_pool2d', lambda x: F.avg_pool2d(x, 2), IMAGE)
case('lp_pool2d', lambda x: F.lp_pool2d(x, 2.0, 2), IMAGE)
case('adaptive_avg_pool2d', lambda x: F.adaptive_avg_pool2d(x, [None, 2]), IMAGE)
case('adaptive_max_pool2d', lambda x: F.adaptive_max_pool2d(x, 2), IMAGE)
case('max_unpool2d', lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2), IMAGE)
case('interpolate', lambda x: F.interpolate(x, scale_factor=2), IMAGE)
case('interpolate_bilinear', lambda x: F.interpolate(x, size=[3, 5], mode='bilinear'), IMAGE)
case(
    'interpolate_shape',
    lambda x: F.interpolate(x, size=paddle.shape(x)[2:], mode='bilinear'),
    IMAGE,
)
case('interpolate_area', lambda x: F.interpolate(x, size=[2, 2], mode='area'), IMAGE)
case('pixel_shuffle', lambda x: F.pixel_shuffle(x, 2), IMAGE)
case('pixel_unshuffle', lambda x: F.pixel_unshuffle(x, 2), IMAGE)
case('channel_shuffle', lambda x: F.channel_shuffle(x, 2), IMAGE)
case('unfold_image', lambda x: F.unfold(x, 3), IMAGE)
case('fold', lambda x: F.fold(F.unfold(x, 2, strides=2), [8, 8], 2, strides=2), IMAGE)
case('grid_sample', F.grid_sample, IMAGE, (B, 3, 3, 2))
case(
    'grid_sample_3d',
    lambda x, g: F.grid_sample(x, g, padding_mode='border'),
    VOLUME,
    (B, 3, 3, 3, 3),
)
case('affine_grid', lambda x: F.affine_grid(x, [2, 1, 3, 3]), (2, 2, 3))
case('temporal_shift', lambda x: F.temporal_shift(paddle.concat([x, x]), 2), IMAGE)
case('maxout', lambda x: F.maxout(x, 2), IMAGE)
case('prelu', lambda x: F.prelu(x, weight(1)), IMAGE)
case(
    'batch_norm',
    lambda x: F.batch_norm(x, paddle.zeros([4]), paddle.ones([4]), training=True),
    IMAGE,
)
case('instance_norm', F.instance_norm, IMAGE)
case('group_norm', lambda x: F.group_norm(x, 2), IMAGE)
case('group_norm_last', lambda x: F.group_norm(x, 2, data_format='NHWC'), IMAGE)
case('layer_norm', lambda x: F.layer_norm(x, [8], weight(8)), SEQUENCE)
case('rms_norm', lambda x: F.rms_norm(x, [8]), SEQUENCE)
case('local_response_norm', lambda x: F.local_response_norm(x, 3), IMAGE)
case('local_response_norm_last', lambda x: F.local_response_norm(x, 3, data_format='NHWC'), IMAGE)
case('attention', lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True), (B, 4, 2, 8))
case('gru', layer(lambda: paddle.nn.GRU(8, 4)), SEQUENCE)
case('lstm', layer(lambda: paddle.nn.LSTM(8, 4, 2)), SEQUENCE)
case('rnn', layer(lambda: paddle.nn.SimpleRNN(8, 4, direction='bidirect')), SEQUENCE)
case('multi_head_attention', layer(lambda: paddle.nn.MultiHeadAttention(8, 2)), SEQUENCE)
case('encoder', layer(lambda: paddle.nn.TransformerEncoderLayer(8, 2, 16, 0.0)), SEQUENCE)

# Losses and labels.
case('cross_entropy', lambda x, i: F.cross_entropy(x, i), A, LABEL)
case('cross_entropy_soft', lambda x, y: F.cross_entropy(x, y, soft_label=True), A, A)
case('cross_entropy_smooth', lambda x, i: F.cross_entropy(x, i, label_smoothing=0.1), A, LABEL)
case(
    'cross_entropy_ignore',
    lambda x, i: F.cross_entropy(x, i, ignore_index=0, reduction='none'),
    A,
    LABEL,
)
case('cross_entropy_weight', lambda x, i: F.cross_entropy(x, i, weight=weight(4) + 2), A, LABEL)
case(
    'cross_entropy_classes',
    lambda x: F.cross_entropy(x.t(), x[0].astype('int64'), label_smoothing=0.1),
    A,
)
case('nll_loss', lambda x, i: F.nll_loss(F.log_softmax(x), i), A, LABEL)
case('kl_div_batchmean', lambda x, y: F.kl_div(x, y, 'batchmean'), A, A)
case('margin_ranking', lambda x, y: F.margin_ranking_loss(x, y, paddle.ones_like(x)), A, A)
case(
    'cosine_embedding',
    lambda x, y, i: F.cosine_embedding_loss(x, y, i * 2 - 1),
    A,
    A,
    Ints((B,), 2),
)
case('triplet', lambda x, y: F.triplet_margin_loss(x, y, x * x), A, A)
case('triplet_distance', lambda x, y: F.triplet_margin_with_distance_loss(x, y, x * x), A, A)
case('multi_margin', F.multi_margin_loss, A, LABEL)
case('gaussian_nll', lambda x, y: F.gaussian_nll_loss(x, y, y), A, A)
case('dice', lambda x, i: F.dice_loss(x, i.unsqueeze(1)), A, LABEL)
case('npair', F.npair_loss, A, A, LABEL)
case('one_hot', lambda i: F.one_hot(i, 4), LABEL)
case('embedding', lambda i, w: F.embedding(i, w), LABEL, TABLE)
case('sequence_mask', lambda i: F.sequence_mask(i, 5), LABEL)
case('sequence_mask_longest', F.sequence_mask, LABEL)
case('dropout_none', lambda x: F.dropout(x, 0.0), A)
case('dropout2d_none', lambda x: F.dropout2d(x, 0.0), IMAGE)
case('gumbel_softmax', lambda x: F.gumbel_softmax(x) * 0, A)
case('rrelu', lambda x: F.rrelu(x - 0.5, 0.2, 0.2), A)

# What needs the extent itself, and what is known only with the values.
case('unbind', lambda x: paddle.unbind(x)[0], A)
case('unstack', lambda x: paddle.unstack(x)[0], A)
case('combinations', paddle.combinations, (B,))
case('cross', lambda x, y: paddle.cross(x, y), (B, 3), (B, 3))
case(
    'matrix_exp_rows',
    lambda x: paddle.linalg.matrix_exp(paddle.matmul(x, x, transpose_y=True) * 0.1),
    (B, 3),
)
case('qr', lambda x: paddle.linalg.qr(x)[1], (B, 3))
case('svd', lambda x: paddle.linalg.svd(x)[1], (B, 3))
case('pinv', paddle.linalg.pinv, (B, 3))
case('lu', lambda x: paddle.linalg.lu(x)[0], (B, 3))
case(
    'ctc_loss',
    lambda x, i: F.ctc_loss(x, i[:2].unsqueeze(1), i[:2] * 0 + 2, i[:2] * 0 + 1),
    (B, 2, 5),
    Ints((4,), 4),
)
case('nms', lambda x: paddle.vision.ops.nms(x, 0.3), A)
case(
    'roi_align',
    lambda x, b: paddle.vision.ops.roi_align(
        x, b * 4, paddle.concat([paddle.shape(b)[:1], paddle.zeros([1], 'int64')]), 2
    ),
    (2, 2, 8, 8),
    A,
)
case('histogramdd', lambda x: paddle.histogramdd(x, 3)[0], (B, 2))
case('segment_sum', lambda x, i: paddle.geometric.segment_sum(x, paddle.sort(i)), A, LABEL)
case('send_u_recv', lambda x, i: paddle.geometric.send_u_recv(x, i % 2, i % 2), A, LABEL)
case(
    'householder_product',
    lambda x: paddle.linalg.householder_product(paddle.concat([x, x]), x[0, :3]),
    (B, 3),
)

# Calls that are refused while recording, and why.
REFUSED = {
    'unbind': 'the number of results is the extent',
    'unstack': 'the number of results is the extent',
    'combinations': 'its rows are counted while recording',
}
# Gradients that are: their rules depend on which extent is the larger one, or (cross) the first of
# 3.
REFUSED_GRADIENT = {'qr', 'svd', 'pinv', 'lu', 'cross'}
