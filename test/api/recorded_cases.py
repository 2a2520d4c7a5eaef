# SPDX-License-Identifier: Apache-2.0
"""Functions that are recorded, run and differentiated, saved, and run by the published wheel: name
-> (function, inputs).
"""

import numpy as np

import paddle
import paddle.nn.functional as F

_rng = np.random.default_rng(0)
A, B = _rng.uniform(0.1, 0.9, (2, 3, 4)).astype('float32')
I = np.array([2, 0, 1, 1], 'int64')  # noqa: E741
IMAGE = _rng.standard_normal((2, 3, 8, 8)).astype('float32')
FILTER = _rng.standard_normal((4, 3, 3, 3)).astype('float32')
TABLE = _rng.standard_normal((5, 3)).astype('float32')

CASES = {}
for _name in (
    'abs acos asin atan ceil cos cosh erf exp expm1 floor log log10 log1p log2 neg '
    'reciprocal rsqrt sigmoid sign sin sinh sqrt square tan tanh round logit trunc'
).split():
    CASES[_name] = (getattr(paddle, _name), [A])
for _name in (
    'relu gelu silu softplus softsign elu selu leaky_relu hardtanh hardsigmoid hardswish '
    'mish relu6 log_sigmoid swish celu softshrink hardshrink tanhshrink log_softmax softmax'
).split():
    CASES['F.' + _name] = (getattr(F, _name), [A])
for _name in (
    'add subtract multiply divide maximum minimum pow floor_divide remainder atan2 fmax fmin '
    'equal not_equal less_than greater_than less_equal greater_equal heaviside'
).split():
    CASES[_name + ' of two'] = (getattr(paddle, _name), [A, B])
for _name in 'sum mean max min prod logsumexp amax'.split():
    _fn = getattr(paddle, _name)
    CASES[_name] = (lambda x, f=_fn: f(x), [A])
    CASES[_name + ' axis'] = (lambda x, f=_fn: f(x, axis=-1), [A])
    CASES[_name + ' keepdim'] = (lambda x, f=_fn: f(x, axis=0, keepdim=True), [A])
CASES |= {
    'all': (lambda x: paddle.all(x > 0.2, axis=0), [A]),
    'argmax': (lambda x: paddle.argmax(x, axis=1), [A]),
    'clip': (lambda x: paddle.clip(x, 0.3, 0.6), [A]),
    'scale': (lambda x: paddle.scale(x, 2.0, 1.0), [A]),
    'cast': (lambda x: paddle.cast(x, 'int32'), [A]),
    'cast and back': (lambda x: paddle.cast(paddle.cast(x, 'float64') * 2, 'float32'), [A]),
    'concat': (lambda x, y: paddle.concat([x, y], axis=1), [A, B]),
    'stack': (lambda x, y: paddle.stack([x, y], axis=0), [A, B]),
    'split': (lambda x: paddle.split(x, 2, axis=1)[1], [A]),
    'split sections': (lambda x: paddle.split(x, [1, 3], axis=1)[1], [A]),
    'transpose': (lambda x: paddle.transpose(x, [1, 0]), [A]),
    'reshape': (lambda x: paddle.reshape(x, [-1, 2]), [A]),
    'squeeze': (lambda x: paddle.squeeze(paddle.unsqueeze(x, 1), 1), [A]),
    'flatten': (lambda x: paddle.flatten(x), [A]),
    'expand': (lambda x: paddle.expand(x[:1], [3, 4]), [A]),
    'tile': (lambda x: paddle.tile(x, [2, 1]), [A]),
    'slice': (lambda x: x[1:, ::2], [A]),
    'index': (lambda x: x[1], [A]),
    'gather': (lambda x, i: paddle.gather(x, i, axis=1), [A, I]),
    'index_select': (lambda x, i: paddle.index_select(x, i, axis=1), [A, I]),
    'where': (lambda x, y: paddle.where(x > y, x, y), [A, B]),
    'matmul': (lambda x, y: paddle.matmul(x, y, transpose_y=True), [A, B]),
    'linear': (lambda x, y: F.linear(x, paddle.transpose(y, [1, 0])), [A, B]),
    'einsum': (lambda x, y: paddle.einsum('ij,kj->ik', x, y), [A, B]),
    'full': (lambda x: x + paddle.full([4], 2.5), [A]),
    'arange': (lambda x: x + paddle.arange(4).astype('float32'), [A]),
    'full_like': (lambda x: x * paddle.full_like(x, 3.0) + paddle.ones_like(x), [A]),
    'conv2d': (lambda x, w: F.conv2d(x, w, stride=2, padding=1), [IMAGE, FILTER]),
    'max_pool2d': (lambda x: F.max_pool2d(x, 2), [IMAGE]),
    'avg_pool2d': (lambda x: F.avg_pool2d(x, 2), [IMAGE]),
    'adaptive_avg_pool2d': (lambda x: F.adaptive_avg_pool2d(x, 1), [IMAGE]),
    'layer_norm': (lambda x: F.layer_norm(x, [8]), [IMAGE]),
    'embedding': (lambda i: F.embedding(i, paddle.to_tensor(TABLE)), [I]),
    'cross_entropy': (lambda x, i: F.cross_entropy(x, i[:3]), [A, I]),
    'mse_loss': (F.mse_loss, [A, B]),
    'bce': (F.binary_cross_entropy_with_logits, [A, B]),
    'cumsum': (lambda x: paddle.cumsum(x, axis=1), [A]),
    'topk': (lambda x: paddle.topk(x, 2)[0], [A]),
    'sort': (lambda x: paddle.sort(x, axis=1), [A]),
    'one_hot': (lambda i: F.one_hot(i, 4), [I]),
    'pad': (lambda x: F.pad(x, [1, 1], value=2.0), [IMAGE[0]]),
    'tril': (paddle.tril, [A]),
    'flip': (lambda x: paddle.flip(x, [1]), [A]),
    'roll': (lambda x: paddle.roll(x, 1, 0), [A]),
    'norm': (paddle.norm, [A]),
    'assign': (lambda x: paddle.assign(x) * 2, [A]),
    'diag': (lambda x: paddle.diag(x[:, 0]), [A]),
    'zeros of an extent': (lambda x: x + paddle.zeros([paddle.shape(x)[0], 4]), [A]),
    'reshape by extents': (
        lambda x: paddle.reshape(x, [paddle.shape(x)[1], paddle.shape(x)[0]]),
        [A],
    ),
    'reshape by a shape': (lambda x: paddle.reshape(x * 2, paddle.shape(x)), [A]),
    'slice to an extent': (lambda x: x[: paddle.shape(x)[0] - 1] * 2, [A]),
    'expand by an extent': (lambda x: paddle.expand(x[:1], [paddle.shape(x)[0], 4]) * 2, [A]),
    'tile by an extent': (lambda x: paddle.tile(x, [1, paddle.shape(x)[0]]), [A]),
    'split by extents': (lambda x: paddle.split(x, [1, paddle.shape(x)[0] - 1], axis=0)[1], [A]),
    'topk of an extent': (lambda x: paddle.topk(x, paddle.shape(x)[0] - 1)[0], [A]),
    'arange of an extent': (
        lambda x: x.sum() + paddle.arange(paddle.shape(x)[0]).astype('float32'),
        [A],
    ),
}
