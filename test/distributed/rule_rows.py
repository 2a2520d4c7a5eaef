# SPDX-License-Identifier: Apache-2.0
"""Calls of operations with a rule of placements: by name, a function and its operands. A tuple is
the shape of an operand with a gradient; an array is given as it is.
"""

import pathlib
import sys

import numpy as np

import paddle
from paddle import _C_ops as ops
from paddle.base import libpaddle

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'tools'), str(ROOT / 'test' / 'ops')]
try:
    from harness import default
    from opgen import model
finally:
    del sys.path[:2]

I = np.array
EDGES = I([[0, 1, 1, 3, 2], [1, 2, 0, 0, 2]])
COMPLEX = (np.arange(24.0) + 1j * np.arange(24.0)[::-1]).reshape(4, 6).astype('complex64') / 9
MASK = I([[1, 0, 1, 1, 0, 1]] * 4, bool)


def spectrum(x):
    return ops.as_real(x)


def square(x):
    """Matrices that are far from singular."""
    return ops.matmul(x, x, False, True) + 3 * paddle.eye(x.shape[-1])


def parts(results):
    """Those of several results that have numbers."""
    return [r for r in results if r is not None and r._is_initialized()]


def moves(x):
    return ops.transpose(x, [1, 0])


def loss_of_sequences(x):
    lengths = paddle.to_tensor([5, 4, 3, 5]), paddle.to_tensor([2, 1, 2, 2])
    labels = paddle.to_tensor([[1, 2], [2, 0], [1, 1], [2, 1]], 'int32')
    return ops.warpctc(x, labels, *lengths, 0, False)


def recurrent(x, state, w, u):
    biases = [paddle.zeros([5])] * 2
    none = paddle.empty([], 'uint8')
    out, _, finals = ops.rnn(
        x, [state], [w, u, *biases], None, none, 0.0, False, 3, 5, 1, 'RNN_TANH', 0, True
    )
    return [out, *finals]


def step_of(op):
    """An optimizer's step, by its stanza, on tensors of the parameter's shape: what it has written.
    States that may be left out are.
    """
    here = [a for a in op.tensors if a.kind == 'Tensor']
    of_one = [np.full([1], 0.5, 'float32')] * sum(a.name in op.numbers for a in here)
    values = {a.name: default(a) for a in op.attrs}

    def step(*given):
        given, own = list(given), {}
        for a in here:
            taken = given.pop(-1 if a.name in op.numbers else 0)
            own[a.name] = taken.detach().clone()
        getattr(ops, op.name)(*((own | values).get(a.name) for a in op.args))
        return [t for name, t in own.items() if name not in op.numbers]

    whole = [np.ones([4, 6], 'float32')] * (len(here) - len(of_one))
    return op.name, step, [*whole, *of_one]


def steps():
    """Calls of all optimizers whose steps go element by element, but rprop's, which takes pairs of
    numbers.
    """
    ruled = libpaddle._rules_of_placements()
    for op in model.load(ROOT / 'paddle' / 'phi' / 'ops'):
        if op.update is not None and op.name != 'rprop_' and ruled.get(op.name):
            yield step_of(op)


BOXES = I([[0, 0, 3, 3], [1, 1, 4, 4], [0, 2, 4, 5]], 'float32')
COUNTS = I([1, 1, 0, 1], 'int32')
INTERPOLATED = {
    'linear_interp': ((4, 2, 5), (-1, -1, 7), 'linear', 'NCW'),
    'bilinear_interp': ((4, 2, 3, 4), (-1, 5, 6), 'bilinear', 'NCHW'),
    'nearest_interp': ((4, 3, 4, 2), (-1, 5, 6), 'nearest', 'NHWC'),
    'bicubic_interp': ((4, 2, 3, 4), (-1, 5, 6), 'bicubic', 'NCHW'),
    'trilinear_interp': ((4, 2, 2, 3, 2), (3, 4, 4), 'trilinear', 'NCDHW'),
}


def interpolation(name, out, method, data_format):
    def run(x):
        return getattr(ops, name)(x, None, None, None, data_format, *out, [], method, False, 1)

    return run


INTEGERS = I([[1, 2, 3, 4, 5, 6]] * 4)
UNIT = np.linspace(0.1, 0.9, 24, dtype='float32').reshape(4, 6)


def resilient(x, g):
    """A step of rprop."""
    own = [x.detach().clone(), g.clone(), g.clone(), paddle.ones_like(g)]
    bounds = paddle.to_tensor([1e-3, 50.0]), paddle.to_tensor([0.5, 1.2])
    ops.rprop_(*own, None, *bounds, False)
    return own


# Reached by what is made of them alone.
INNER = {
    'bce',
    'bce_logits',
    'fused_attention',
    'gelu_tanh_dx',
    'huber',
    'prelu_mul',
    'silu_mul',
    'silu_mul_dx',
}

ROWS = [
    # Elements.
    ('add', ops.add, [(4, 6), (6,)]),
    ('subtract', ops.subtract, [(4, 6), (4, 1)]),
    ('divide', lambda x, y: ops.divide(x, y * y + 1), [(4, 6), (4, 6)]),
    ('pow', lambda x: ops.pow(x, 2.0), [(4, 6)]),
    ('scale', lambda x: ops.scale(x, 2.0, 1.0, True), [(4, 6)]),
    ('clip', lambda x: ops.clip(x, -0.5, 0.5), [(4, 6)]),
    ('celu', lambda x: ops.celu(x, 1.5), [(4, 6)]),
    ('complex', lambda x, y: ops.as_real(ops.complex(x, y)), [(4, 6), (4, 6)]),
    ('nextafter', paddle.nextafter, [UNIT, UNIT[::-1].copy()]),
    ('gammainc', paddle.gammainc, [UNIT, UNIT]),
    ('gammaincc', paddle.gammaincc, [UNIT, UNIT]),
    ('log_loss', lambda x, y: ops.log_loss(ops.sigmoid(x), y, 1e-4), [(4, 6), UNIT.round()]),
    ('bitwise_left_shift', lambda x, y: ops.bitwise_left_shift(x, y, True), [INTEGERS, INTEGERS]),
    ('bitwise_right_shift', lambda x, y: ops.bitwise_right_shift(x, y, True), [INTEGERS, INTEGERS]),
    ('softmax', lambda x: ops.softmax(x, -1), [(4, 6)]),
    ('log_softmax', lambda x: ops.log_softmax(x, 0), [(4, 6)]),
    ('full_like', lambda x: ops.full_like(x, 2.0, 'float32'), [(4, 6)]),
    ('assign', ops.assign, [(4, 6)]),
    ('cast', lambda x: ops.cast(x, 'float64'), [(4, 6)]),
    ('polygamma', lambda x: paddle.polygamma(x * x + 1, 1), [(4, 6)]),
    ('masked_fill', lambda x, m: paddle.masked_fill(x, m, 0.5), [(4, 6), MASK]),
    ('one_hot', lambda x: ops.one_hot(x, 5), [I([[0, 4, 2], [1, 1, 3]])]),
    ('real', ops.real, [COMPLEX]),
    ('imag', ops.imag, [COMPLEX]),
    ('angle', ops.angle, [COMPLEX]),
    ('as_real', ops.as_real, [COMPLEX]),
    ('as_complex', lambda x: ops.as_real(ops.as_complex(x)), [(4, 6, 2)]),
    ('increment', lambda x: ops.increment(x, 2.0), [(1, 1)]),
    ('fill', lambda x: ops.fill(x, 2.5), [I([[1.0, 2.0], [3.0, 4.0]], 'float64')]),
    ('prelu', lambda x, a: ops.prelu(x, a, 'NCHW', 'channel'), [(4, 6, 2), (6,)]),
    ('swiglu', ops.swiglu, [(4, 6), (4, 6)]),
    ('swiglu', lambda x: ops.swiglu(x, None), [(4, 6)]),
    ('label_smooth', lambda x: ops.label_smooth(x, None, 0.2), [(4, 6)]),
    (
        'gumbel_softmax',
        lambda x: ops.gumbel_softmax(x, 1e-7, True, -1),
        [I([[0, 99], [99, 0]]) * 1.0],
    ),
    ('clip_by_norm', lambda x: ops.clip_by_norm(x, 1.0), [(4, 6)]),
    ('isclose', lambda x, y: paddle.isclose(x, y, atol=1.0), [(4, 6), (4, 6)]),
    ('allclose', lambda x, y: paddle.allclose(x, y, atol=1.0), [(4, 6), (4, 6)]),
    ('equal_all', ops.equal_all, [MASK, MASK]),
    # Axes that are reduced or run along.
    ('sum', lambda x: paddle.sum(x, 1), [(4, 6)]),
    ('mean', lambda x: paddle.mean(x, 0, keepdim=True), [(4, 6)]),
    ('max', lambda x: paddle.max(x, 1), [(4, 6)]),
    ('min', lambda x: paddle.min(x), [(4, 6)]),
    ('amax', lambda x: paddle.amax(x, 1), [(4, 6)]),
    ('amin', lambda x: paddle.amin(x, 0), [(4, 6)]),
    ('prod', lambda x: paddle.prod(x, 1), [(4, 6)]),
    ('all', lambda x: paddle.all(x, 0), [MASK]),
    ('any', lambda x: paddle.any(x, 1), [MASK]),
    ('logsumexp', lambda x: paddle.logsumexp(x, 1), [(4, 6)]),
    ('p_norm', lambda x: ops.p_norm(x, 3.0, 1, 1e-12, False, False), [(4, 6)]),
    ('frobenius_norm', lambda x: ops.frobenius_norm(x, [1], False, False), [(4, 6)]),
    ('squared_l2_norm', ops.squared_l2_norm, [(4, 6)]),
    ('mean_all', ops.mean_all, [(4, 6)]),
    ('var', lambda x: paddle.var(x, 1), [(4, 6)]),
    ('reduce_as', lambda x, y: ops.reduce_as(x, y.detach()), [(4, 6), (6,)]),
    ('reduce_as', lambda x, y: ops.reduce_as(x, y.detach()), [(4, 6), (4, 1)]),
    ('trace', lambda x: paddle.trace(x, 0, 0, 2), [(4, 6, 4)]),
    ('dist', lambda x, y: paddle.dist(x, y, 2), [(4, 6), (6,)]),
    ('numel', ops.numel, [(4, 6)]),
    ('cumsum', lambda x: paddle.cumsum(x, 1), [(4, 6)]),
    ('cumprod', lambda x: paddle.cumprod(x, 0), [(4, 6)]),
    ('logcumsumexp', lambda x: paddle.logcumsumexp(x, 0), [(4, 6)]),
    ('cummax', lambda x: paddle.cummax(x, 1), [(4, 6)]),
    ('cummin', lambda x: paddle.cummin(x, 0), [(4, 6)]),
    ('argsort', lambda x: ops.argsort(x, 1, False, True), [(4, 6)]),
    ('topk', lambda x: paddle.topk(x, 2, 0), [(4, 6)]),
    ('kthvalue', lambda x: paddle.kthvalue(x, 2, 0), [(4, 6)]),
    ('mode', lambda x: paddle.mode(x, 1), [(4, 6)]),
    ('argmax', lambda x: paddle.argmax(x, 1), [(4, 6)]),
    ('argmin', lambda x: paddle.argmin(x, 0), [(4, 6)]),
    ('searchsorted', ops.searchsorted, [np.arange(24.0).reshape(4, 6), np.ones([4, 8]) * 7]),
    ('searchsorted', ops.searchsorted, [np.arange(6.0), np.arange(12.0).reshape(4, 3) / 3]),
    ('unique', lambda x: paddle.unique(x), [I([[3, 1], [1, 0], [0, 3]])]),
    ('renorm', lambda x: paddle.renorm(x, 2.0, 0, 1.0), [(4, 6)]),
    # Transforms.
    ('fft_c2c', lambda x: ops.as_real(ops.fft_c2c(x, [1], 'backward', True)), [COMPLEX]),
    ('fft_r2c', lambda x: ops.as_real(ops.fft_r2c(x, [1], 'backward', True, True)), [(4, 6)]),
    ('fft_c2r', lambda x: ops.fft_c2r(x, [0], 'backward', False, 0), [COMPLEX]),
    ('frame', lambda x: ops.frame(x, 3, 2, -1), [(4, 8)]),
    ('frame', lambda x: ops.frame(x, 3, 2, 0), [(9, 4)]),
    ('stft', lambda x, w: ops.as_real(ops.stft(x, w, 4, 2, False, True)), [(4, 12), (4,)]),
    # Products and matrices.
    ('matmul', paddle.matmul, [(4, 2, 6), (6, 4)]),
    ('bmm', ops.bmm, [(4, 2, 3), (4, 3, 2)]),
    ('mv', ops.mv, [(4, 6), (6,)]),
    ('dot', ops.dot, [(4, 6), (4, 6)]),
    ('addmm', lambda c, x, y: ops.addmm(c, x, y, 0.5, 2.0), [(4, 4), (4, 6), (6, 4)]),
    ('cross', lambda x, y: ops.cross(x, y, 1), [(4, 3), (4, 3)]),
    ('kron', ops.kron, [(4, 2), (2, 4)]),
    ('linear', paddle.nn.functional.linear, [(4, 6), (6, 4), (4,)]),
    ('linear_v2', lambda x, w, b: ops.linear_v2(x, w, b, False), [(4, 6), (6, 4), (4,)]),
    ('bilinear', lambda x, y, w: ops.bilinear(x, y, w, None), [(4, 2), (4, 3), (4, 2, 3)]),
    ('multi_dot', lambda x, y, z: ops.multi_dot([x, y, z]), [(4, 6), (6, 2), (2, 4)]),
    ('matrix_power', lambda x: ops.matrix_power(x, 3), [(4, 3, 3)]),
    ('cholesky', lambda x: ops.cholesky(square(x), False), [(4, 3, 3)]),
    ('lu', lambda x: ops.lu(square(x), True)[0], [(4, 3, 3)]),
    ('lu_unpack', lambda x: paddle.linalg.lu_unpack(*paddle.linalg.lu(square(x)))[1:], [(4, 3, 3)]),
    ('qr', lambda x: paddle.linalg.qr(square(x)), [(4, 3, 3)]),
    ('qr', lambda x: paddle.linalg.qr(square(x).detach(), 'r'), [(4, 3, 3)]),
    ('svd', lambda x: ops.svd(square(x), False)[1], [(4, 3, 3)]),
    ('svdvals', lambda x: ops.svdvals(square(x)), [(4, 3, 3)]),
    ('eigh', lambda x: ops.eigh(square(x), 'L')[0], [(4, 3, 3)]),
    ('eigvalsh', lambda x: paddle.linalg.eigvalsh(square(x)), [(4, 3, 3)]),
    ('eig', lambda x: ops.real(ops.eig(square(x.detach()))[0]), [(4, 3, 3)]),
    ('eigvals', lambda x: ops.real(ops.eigvals(square(x.detach()))), [(4, 3, 3)]),
    (
        'cholesky_solve',
        lambda y, x: ops.cholesky_solve(y, square(x), False),
        [(4, 3, 2), (4, 3, 3)],
    ),
    (
        'triangular_solve',
        lambda x, y: ops.triangular_solve(square(x), y, True, False, False),
        [(4, 3, 3), (4, 3, 4)],
    ),
    ('solve', lambda x, y: ops.solve(square(x), y), [(3, 3), (3, 4)]),
    ('solve', lambda x, y: ops.solve(square(x), y), [(3, 3), (3,)]),
    ('solve', lambda x, y: ops.solve(square(x), y), [(4, 3, 3), (1, 3, 4)]),
    ('inverse', lambda x: ops.inverse(square(x)), [(4, 3, 3)]),
    ('det', lambda x: ops.det(square(x)), [(4, 2, 3, 3)]),
    ('slogdet', lambda x: ops.slogdet(square(x)), [(4, 2, 3, 3)]),
    ('slogdet_v2', lambda x: ops.slogdet_v2(square(x)), [(4, 3, 3)]),
    (
        'lu_solve',
        lambda b, x: paddle.linalg.lu_solve(b, *paddle.linalg.lu(square(x))[:2]),
        [(4, 3, 2), (4, 3, 3)],
    ),
    (
        'lstsq',
        lambda x, y: parts(paddle.linalg.lstsq(x.detach(), y.detach()))[:1],
        [(4, 5, 3), (4, 5, 4)],
    ),
    ('matrix_rank', lambda x: ops.matrix_rank(x.detach(), 0.0, True, False), [(4, 3, 3)]),
    (
        'matrix_rank_tol',
        lambda x, t: ops.matrix_rank_tol(x.detach(), t, False, False),
        [(4, 3, 3), I([0.1] * 4, 'float32')],
    ),
    (
        'matrix_rank_atol_rtol',
        lambda x, t: ops.matrix_rank_atol_rtol(x.detach(), t, None, False),
        [(4, 3, 3), I([0.1] * 4, 'float32')],
    ),
    # Reading and writing at positions.
    ('gather', lambda x, i: ops.gather(x, i, 1), [(4, 6, 2), I([3, 0, 5, 1])]),
    ('gather', lambda x, i: ops.gather(x, i, -1), [(4, 6), I(2)]),
    ('gather_nd', ops.gather_nd, [(3, 4, 6), I([[[1], [0]], [[2], [2]], [[0], [1]], [[1], [1]]])]),
    ('gather_nd', ops.gather_nd, [(4, 6), I([[1, 2], [0, 5], [3, 3], [0, 5]])]),
    ('index_select', lambda x, i: ops.index_select(x, i, 1), [(4, 6), I([3, 0, 5, 1])]),
    ('index_sample', ops.index_sample, [(4, 6), I([[0, 1], [2, 2], [5, 1], [3, 0]])]),
    (
        'take_along_axis',
        lambda x, i: paddle.take_along_axis(x, i, 1),
        [(4, 6), I([[1], [0], [5], [2]])],
    ),
    (
        'put_along_axis',
        lambda x, i, v: paddle.put_along_axis(x, i, v, 1, 'add'),
        [(4, 6), I([[1], [0], [5], [2]]), (4, 1)],
    ),
    ('scatter', lambda x, i, u: ops.scatter(x, i, u, True), [(6, 4), I([2, 0, 5]), (3, 4)]),
    ('scatter', lambda x, i, u: ops.scatter(x, i, u, False), [(6, 4), I([2, 0, 2]), (3, 4)]),
    ('scatter', lambda x, i, u: ops.scatter(x, i, u, True), [(6, 4), I(2), (4,)]),
    ('scatter_nd_add', ops.scatter_nd_add, [(6, 4), I([[2], [0], [2], [5]]), (4, 4)]),
    ('index_add', lambda x, i, u: ops.index_add(x, i, u, 1), [(4, 6), I([2, 0, 2]), (4, 3)]),
    ('index_put', lambda x, i, v: ops.index_put(x, [i], v, False), [(6, 4), I([2, 0, 5]), (3, 4)]),
    ('index_put', lambda x, i, v: ops.index_put(x, [i], v, True), [(6, 4), I([2, 0, 2]), (4,)]),
    (
        'index_put',
        lambda x, i, v: ops.index_put(x, [i, i], v, True),
        [(4, 4, 6), I([2, 0, 2]), (1, 6)],
    ),
    ('index_put', lambda x, i, v: ops.index_put(x, [i], v, False), [(4, 6), MASK, (1,)]),
    (
        'multiplex',
        lambda x, y, i: ops.multiplex([x, y], i),
        [(4, 6), (4, 6), I([[0], [1], [1], [0]])],
    ),
    ('nonzero', ops.nonzero, [MASK]),
    ('set_value', lambda x: ops.set_value(x, [1], [3], [1], [1], [], [], [1], [2.0]), [(4, 6)]),
    (
        'set_value',
        lambda x: ops.set_value(x, [1], [3], [1], [0], [], [], [6], [1.0, 2, 3, 4, 5, 6]),
        [(4, 6)],
    ),
    ('embedding', lambda i, w: paddle.nn.functional.embedding(i, w), [I([[1, 3], [0, 1]]), (6, 4)]),
    (
        'gather_tree',
        ops.gather_tree,
        [I([[[2], [3]], [[6], [1]], [[3], [9]]]), np.zeros([3, 2, 1], int)],
    ),
    ('send_u_recv', lambda x, s, d: ops.send_u_recv(x, s, d, 'MEAN', [0]), [(4, 6), *EDGES]),
    ('send_uv', lambda x, y, s, d: ops.send_uv(x, y, s, d, 'MUL'), [(4, 6), (4, 1), *EDGES]),
    (
        'send_ue_recv',
        lambda x, y, s, d: ops.send_ue_recv(x, y, s, d, 'ADD', 'MAX', [0]),
        [(4, 6), (5, 6), *EDGES],
    ),
    # Shapes.
    ('tril', lambda x: paddle.tril(x), [(4, 4, 6)]),
    ('triu', lambda x: paddle.triu(x), [(4, 4, 6)]),
    ('diagonal', lambda x: paddle.diagonal(x, 1, 0, -1), [(4, 6, 4)]),
    ('diag_embed', lambda x: ops.diag_embed(x, 1, 0, -1), [(4, 6, 3)]),
    ('meshgrid', lambda x, y: ops.meshgrid([x, y]), [(4,), (6,)]),
    ('broadcast_tensors', lambda x, y: ops.broadcast_tensors([x, y]), [(4, 1), (6,)]),
    ('add_n', lambda x, y: ops.add_n([x, y]), [(4, 6), (4, 6)]),
    ('reshape', lambda x: paddle.reshape(x, [2, 2, 6]), [(4, 6)]),
    ('slice', lambda x: x[1:3, 2], [(4, 6)]),
    ('strided_slice', lambda x: x[::2], [(4, 6)]),
    ('transpose', moves, [(4, 6)]),
    ('expand', lambda x: paddle.expand(x, [4, -1, 6]), [(4, 1)]),
    ('expand', lambda x: paddle.expand(x, [3, 4, 6]), [(4, 6)]),
    ('expand_as', lambda x, y: ops.expand_as(x, y.detach(), [4, 6]), [(1, 6), (4, 6)]),
    (
        'view_dtype',
        lambda x: ops.view_dtype(x, 'int32'),
        [I(np.arange(24.0).reshape(4, 6), 'float32')],
    ),
    ('squeeze', lambda x: paddle.squeeze(x, 1), [(4, 1, 6)]),
    ('unsqueeze', lambda x: paddle.unsqueeze(x, 1), [(4, 6)]),
    ('flatten', lambda x: paddle.flatten(x, 1), [(4, 6, 2)]),
    ('concat', lambda x, y: paddle.concat([x, y], 1), [(4, 6), (4, 2)]),
    ('split', lambda x: ops.split(x, [2, 4], 1), [(4, 6)]),
    ('split_with_num', lambda x: ops.split_with_num(x, 2, 1), [(4, 6)]),
    ('stack', lambda x, y: paddle.stack([x, y], -1), [(4, 6), (4, 6)]),
    ('unbind', lambda x: paddle.unbind(x, 1), [(4, 6)]),
    ('unstack', lambda x: paddle.unstack(x, 0), [(4, 6)]),
    ('pad', lambda x: ops.pad(x, [0, 0, 1, 2], 0.5), [(4, 6)]),
    ('pad', lambda x: ops.pad(x, [1, -1, 0, 0], 0.5), [(4, 6)]),
    (
        'pad3d',
        lambda x: ops.pad3d(x, [1, 1, 0, 0, 0, 2], 'reflect', 0.0, 'NCDHW'),
        [(4, 2, 3, 2, 4)],
    ),
    (
        'pad3d',
        lambda x: ops.pad3d(x, [1, 1, 0, 0, 0, 2], 'constant', 1.0, 'NDHWC'),
        [(4, 3, 2, 4, 2)],
    ),
    ('tile', lambda x: paddle.tile(x, [2, 1, 3]), [(4, 2)]),
    ('tile', lambda x: paddle.tile(x, [1, 3]), [(4, 6)]),
    ('repeat_interleave', lambda x: ops.repeat_interleave(x, 2, 1, -1), [(4, 6)]),
    ('flip', lambda x: paddle.flip(x, [1]), [(4, 6)]),
    ('reverse', lambda x: ops.reverse(x, [0]), [(4, 6)]),
    ('roll', lambda x: paddle.roll(x, 2, 1), [(4, 6)]),
    ('pixel_shuffle', lambda x: ops.pixel_shuffle(x, 2, 'NCHW'), [(4, 8, 2, 2)]),
    ('pixel_unshuffle', lambda x: ops.pixel_unshuffle(x, 2, 'NCHW'), [(4, 2, 4, 4)]),
    ('channel_shuffle', lambda x: ops.channel_shuffle(x, 2, 'NCHW'), [(4, 4, 2, 2)]),
    ('tensor_unfold', lambda x: ops.tensor_unfold(x, 0, 3, 2), [(7, 4)]),
    ('crop', lambda x: ops.crop(x, [2, -1], [1, 2]), [(4, 6)]),
    ('unfold', lambda x: ops.unfold(x, [2, 2], [1, 1], [0, 0, 0, 0], [1, 1]), [(4, 2, 3, 3)]),
    ('fold', lambda x: ops.fold(x, [3, 3], [2, 2], [1, 1], [0, 0, 0, 0], [1, 1]), [(4, 8, 4)]),
    # Losses.
    (
        'cross_entropy_with_softmax',
        lambda x, y: ops.cross_entropy_with_softmax(x, y, False, True, True, -100, -1),
        [(4, 6), I([[2], [0], [5], [1]])],
    ),
    (
        'bce_loss',
        lambda x, y: ops.bce_loss(paddle.nn.functional.sigmoid(x), y),
        [(4, 6), np.ones([4, 6], 'float32')],
    ),
    ('huber_loss', lambda x, y: ops.huber_loss(x, y, 1.0), [(4, 6), (4, 6)]),
    (
        'kldiv_loss',
        lambda x, y: ops.kldiv_loss(x, ops.softmax(y, -1), 'batchmean', False),
        [(4, 6), (4, 6)],
    ),
    (
        'sigmoid_cross_entropy_with_logits',
        lambda x, y: ops.sigmoid_cross_entropy_with_logits(x, y, None, False, -100),
        [(4, 6), np.ones([4, 6], 'float32')],
    ),
    *(
        (
            'nll_loss',
            lambda x, y, w, how=how: ops.nll_loss(x, y, w, 1, how),
            [(4, 6), I([2, 0, 5, 1]), I([1, 2, 3, 4, 5, 6], 'float32')],
        )
        for how in ('none', 'sum', 'mean')
    ),
    (
        'nll_loss',
        lambda x, y: ops.nll_loss(x, y, None, -1, 'sum'),
        [(4, 3, 2), np.ones([4, 2], int)],
    ),
    ('warpctc', loss_of_sequences, [(5, 4, 3)]),
    (
        'warprnnt',
        lambda x: ops.warprnnt(
            x,
            paddle.to_tensor([[1, 2], [2, 1], [1, 1], [2, 2]], 'int32'),
            paddle.to_tensor([3, 2, 3, 3], 'int32'),
            paddle.to_tensor([2, 2, 1, 2], 'int32'),
            0,
            0.0,
        ),
        [(4, 3, 3, 4)],
    ),
    (
        'hsigmoid_loss',
        lambda x, y, w: ops.hsigmoid_loss(x, y, w, None, None, None, 5, False),
        [(4, 6), I([[1], [0], [4], [2]]), (4, 6)],
    ),
    (
        'edit_distance',
        lambda x, y, a, b: ops.edit_distance(x, y, a, b, True),
        [I([[1, 2, 3]] * 4), I([[1, 3]] * 4), I([3, 2, 1, 3]), I([2, 2, 1, 2])],
    ),
    (
        'ctc_align',
        lambda x, n: ops.ctc_align(x, n, 0, True, 0),
        [I([[1, 1, 0, 2]] * 4, 'int32'), I([[4], [2], [3], [4]], 'int32')],
    ),
    (
        'crf_decoding',
        lambda x, w, n: ops.crf_decoding(x, w, None, n),
        [
            np.ones([4, 3, 2], 'float32') * I([1, 2], 'float32'),
            np.ones([4, 2], 'float32'),
            I([3, 2, 1, 3]),
        ],
    ),
    # Layers.
    *(
        (name, lambda x, w, name=name, f=f: getattr(ops, name)(x, w, *f), operands)
        for name, f, operands in (
            (
                'conv2d',
                ([1, 1], [1, 1], 'EXPLICIT', [1, 1], 1, 'NCHW'),
                [(4, 2, 4, 5), (4, 2, 3, 3)],
            ),
            (
                'conv2d',
                ([1, 1], [1, 1], 'EXPLICIT', [1, 1], 1, 'NHWC'),
                [(4, 4, 5, 2), (4, 2, 3, 3)],
            ),
            (
                'conv2d',
                ([2, 1], [0, 1], 'EXPLICIT', [1, 1], 2, 'NCHW'),
                [(2, 4, 5, 6), (6, 2, 2, 2)],
            ),
            (
                'depthwise_conv2d',
                ([1, 1], [1, 1], 'EXPLICIT', 4, [1, 1], 'NCHW'),
                [(2, 4, 4, 4), (4, 1, 3, 3)],
            ),
            (
                'conv3d',
                ([1] * 3, [0] * 3, 'EXPLICIT', 1, [1] * 3, 'NCDHW'),
                [(2, 2, 4, 3, 3), (4, 2, 2, 2, 2)],
            ),
            (
                'conv2d_transpose',
                ([1, 1], [0, 0], [], [], 'EXPLICIT', 1, [1, 1], 'NCHW'),
                [(2, 4, 3, 3), (4, 4, 2, 2)],
            ),
            (
                'conv2d_transpose',
                ([1, 1], [0, 0], [], [], 'EXPLICIT', 2, [1, 1], 'NCHW'),
                [(2, 4, 3, 3), (4, 3, 2, 2)],
            ),
            (
                'conv3d_transpose',
                ([1] * 3, [0] * 3, [], [], 'EXPLICIT', 1, [1] * 3, 'NCDHW'),
                [(2, 4, 2, 2, 2), (4, 2, 2, 2, 2)],
            ),
        )
    ),
    (
        'deformable_conv',
        lambda x, o, w: ops.deformable_conv(x, o, w, None, [1, 1], [0, 0], [1, 1], 1, 1, 1),
        [(4, 2, 3, 3), (4, 8, 2, 2), (2, 2, 2, 2)],
    ),
    (
        'group_norm',
        lambda x, w, b: ops.group_norm(x, w, b, 1e-5, 2, 'NCHW'),
        [(4, 4, 3), (4,), (4,)],
    ),
    ('instance_norm', lambda x, w, b: ops.instance_norm(x, w, b, 1e-5), [(4, 4, 3), (4,), (4,)]),
    ('layer_norm', lambda x, w, b: ops.layer_norm(x, w, b, 1e-5, 1), [(4, 6), (6,), (6,)]),
    ('rms_norm', lambda x, w: ops.rms_norm(x, w, [6], 1e-5), [(4, 6), (6,)]),
    (
        'batch_norm_',
        lambda x, w, b: paddle.nn.functional.batch_norm(
            x, paddle.zeros([4]), paddle.ones([4]), w, b, training=True
        ),
        [(4, 4, 3), (4,), (4,)],
    ),
    (
        'spectral_norm',
        lambda w, u, v: ops.spectral_norm(w, u, v, 0, 1, 1e-12),
        [(4, 6), np.ones(4, 'float32'), np.ones(6, 'float32')],
    ),
    ('maxout', lambda x: ops.maxout(x, 2, 1), [(4, 8, 2)]),
    ('temporal_shift', lambda x: ops.temporal_shift(x, 2, 0.25, 'NCHW'), [(4, 4, 2, 2)]),
    ('cvm', lambda x, c: ops.cvm(x * x, c, True), [(4, 6), np.ones([4, 2], 'float32')]),
    *(
        (
            'pool2d',
            lambda x, f=f: ops.pool2d(
                x, [2, 2], [2, 1], [0, 0], False, True, f, 'avg', False, False, 'EXPLICIT'
            ),
            [shape],
        )
        for f, shape in (('NCHW', (2, 4, 4, 5)), ('NHWC', (2, 4, 5, 4)))
    ),
    (
        'pool3d',
        lambda x: ops.pool3d(
            x, [2] * 3, [1] * 3, [0] * 3, False, True, 'NCDHW', 'max', False, False, 'EXPLICIT'
        ),
        [(2, 4, 3, 3, 3)],
    ),
    (
        'lp_pool2d',
        lambda x: ops.lp_pool2d(
            x * x, [2, 2], [1, 1], [0, 0], False, True, 'NCHW', '', False, False, 'EXPLICIT', 2.0
        ),
        [(2, 4, 3, 3)],
    ),
    (
        'max_pool2d_with_index',
        lambda x: ops.max_pool2d_with_index(x, [2, 2], [1, 1], [0, 0], False, False, False),
        [(2, 4, 3, 3)],
    ),
    (
        'max_pool3d_with_index',
        lambda x: ops.max_pool3d_with_index(x, [2] * 3, [1] * 3, [0] * 3, False, False, False),
        [(2, 4, 3, 3, 2)],
    ),
    (
        'fractional_max_pool2d',
        lambda x: ops.fractional_max_pool2d(x, [2, 2], [2, 2], 0.3, True),
        [(2, 4, 4, 5)],
    ),
    (
        'fractional_max_pool3d',
        lambda x: ops.fractional_max_pool3d(x, [2] * 3, [2] * 3, 0.3, True),
        [(2, 4, 4, 5, 4)],
    ),
    (
        'unpool',
        lambda x, i: ops.unpool(x, i, [2, 2], [2, 2], [0, 0], [4, 4], 'NCHW'),
        [(2, 4, 2, 2), np.tile(I([[0, 2], [9, 15]], 'int32'), [2, 4, 1, 1])],
    ),
    (
        'unpool3d',
        lambda x, i: ops.unpool3d(x, i, [2] * 3, [2] * 3, [0] * 3, [2, 4, 4], 'NCDHW'),
        [(2, 4, 1, 2, 2), np.tile(I([[[0, 2], [9, 15]]], 'int32'), [2, 4, 1, 1, 1])],
    ),
    ('rnn', recurrent, [(3, 4, 3), (1, 4, 5), (5, 3), (5, 5)]),
    ('affine_grid', lambda x: ops.affine_grid(x, [4, 1, 2, 3], True), [(4, 2, 3)]),
    (
        'grid_sample',
        lambda x, g: ops.grid_sample(x, g / 3, 'bilinear', 'zeros', True),
        [(4, 4, 3, 3), (4, 2, 2, 2)],
    ),
    *((name, interpolation(name, *rest), [shape]) for name, (shape, *rest) in INTERPOLATED.items()),
    (
        'flash_attn',
        lambda q, k: paddle.nn.functional.flash_attention.flash_attention(q, k, k)[0],
        [(4, 3, 4, 2), (4, 3, 4, 2)],
    ),
    (
        'attention',
        lambda q, k: paddle.nn.functional.scaled_dot_product_attention(q, k, k),
        [(4, 3, 4, 2), (4, 3, 4, 2)],
    ),
    (
        'apply_per_channel_scale',
        ops.apply_per_channel_scale,
        [np.ones([4, 6], 'float32'), np.arange(6, dtype='float32')],
    ),
    (
        'weight_only_linear',
        lambda x, w, s: ops.weight_only_linear(x, w, None, s, 'int8', 0, -1),
        [
            np.ones([4, 6], 'float32'),
            np.arange(24, dtype='int8').reshape(4, 6),
            np.ones(4, 'float32'),
        ],
    ),
    # Random values that the arguments leave no choice.
    ('bernoulli', ops.bernoulli, [MASK.astype('float32')]),
    ('poisson', ops.poisson, [np.zeros([4, 6], 'float32')]),
    ('binomial', ops.binomial, [np.full([4, 6], 3), MASK.astype('float32')]),
    ('standard_gamma', lambda x: ops.standard_gamma(x) * 0, [np.ones([4, 6], 'float32')]),
    ('dirichlet', lambda x: ops.dirichlet(x).sum(-1), [np.ones([4, 6], 'float32')]),
    ('multinomial', lambda x: ops.multinomial(x, 1, False), [np.eye(6, dtype='float32')[:4]]),
    ('random', lambda x: ops.random(x, 3, 4), [np.zeros([4, 6], 'float32')]),
    ('rrelu', lambda x: ops.rrelu(x, 0.3, 0.3, False), [(4, 6)]),
    ('exponential_', lambda x: ops.exponential_(x * 1, 1e30) < 1, [np.ones([4, 6], 'float32')]),
    ('dropout', lambda x: ops.dropout(x, None, 0.0, False, 'upscale_in_train', 0, False), [(4, 6)]),
    # Steps of optimizers.
    *steps(),
    ('rprop_', resilient, [UNIT, UNIT]),
    # Boxes.
    (
        'roi_align',
        lambda x, b, n: ops.roi_align(x, b, n, 2, 2, 1.0, 2, True),
        [(4, 4, 6, 6), BOXES, COUNTS],
    ),
    ('roi_pool', lambda x, b, n: ops.roi_pool(x, b, n, 2, 2, 1.0), [(4, 4, 6, 6), BOXES, COUNTS]),
    (
        'yolo_box',
        lambda x, s: ops.yolo_box(x, s, [10, 13], 2, 0.01, 32, True, 1.0, False, 0.5),
        [np.ones([4, 7, 2, 2], 'float32'), np.full([4, 2], 64, 'int32')],
    ),
    (
        'yolo_loss',
        lambda x, b, k: ops.yolo_loss(x, b, k, None, [10, 13], [0], 2, 0.7, 32, False, 1.0),
        [(4, 7, 2, 2), np.full([4, 1, 4], 0.4, 'float32'), np.ones([4, 1], 'int32')],
    ),
]
