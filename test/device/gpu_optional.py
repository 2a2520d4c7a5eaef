# SPDX-License-Identifier: Apache-2.0
"""Ops with optional differentiable operands, called without some of them, on the CPU and on gpu:0:
eager and as a program. Prints, as JSON, {op: [largest differences of result and gradients]}.
"""

import json

import gpu_rows
import numpy as np
import paddle
import paddle.incubate.nn.functional as incubate
import paddle.nn.functional as F

RNG = np.random.default_rng(5)
LABELS = np.array([1, 4, 0, 2])


def draw(*shape):
    return RNG.standard_normal(shape).astype('float32')


def batch_norm(x, **given):
    mean, variance = paddle.zeros([4]), paddle.ones([4])
    return F.batch_norm(x, mean, variance, training=True, **given)


IMAGE, CHANNELS = draw(2, 4, 3, 3), draw(4)
# {op: (function, its operands), ...}
CALLS = {
    'attention': [(F.scaled_dot_product_attention, *(draw(2, 8, 2, 16) for _ in range(3)))],
    'sigmoid_cross_entropy_with_logits': [
        (lambda x: F.binary_cross_entropy_with_logits(x, paddle.ones([4, 5])), draw(4, 5))
    ],
    'hsigmoid_loss': [
        (lambda x, w: F.hsigmoid_loss(x, paddle.to_tensor(LABELS), 6, w), draw(4, 7), draw(5, 7))
    ],
    'swiglu': [(incubate.swiglu, draw(3, 8))],
    'label_smooth': [(F.label_smooth, draw(3, 5))],
    'linear': [(F.linear, draw(4, 3), draw(3, 5))],
    'bilinear': [(F.bilinear, draw(4, 3), draw(4, 5), draw(2, 3, 5))],
    'deformable_conv': [
        (paddle.vision.ops.deform_conv2d, draw(1, 3, 5, 5), draw(1, 18, 3, 3), draw(2, 3, 3, 3))
    ],
    'group_norm': [
        (lambda x: F.group_norm(x, 2), IMAGE),
        (lambda x, w: F.group_norm(x, 2, weight=w), IMAGE, CHANNELS),
        (lambda x, b: F.group_norm(x, 2, bias=b), IMAGE, CHANNELS),
    ],
    'instance_norm': [(F.instance_norm, IMAGE)],
    'batch_norm_': [
        (batch_norm, IMAGE),
        (lambda x, w: batch_norm(x, weight=w), IMAGE, CHANNELS),
        (lambda x, b: batch_norm(x, bias=b), IMAGE, CHANNELS),
    ],
    'layer_norm': [
        (lambda x: F.layer_norm(x, [3]), IMAGE),
        (lambda x, w: F.layer_norm(x, [3], weight=w), IMAGE, CHANNELS[:3]),
        (lambda x, b: F.layer_norm(x, [3], bias=b), IMAGE, CHANNELS[:3]),
    ],
    'rms_norm': [(lambda x: F.rms_norm(x, [8]), draw(3, 8))],
}


def results(function, arrays):
    """The result and the gradients of every operand."""
    xs = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    out = function(*xs)
    weight = paddle.linspace(0.5, 1.5, out.size).reshape(out.shape)
    return [t.numpy() for t in (out, *paddle.grad([out], xs, [weight]))]


if __name__ == '__main__':
    found = {}
    for op, calls in CALLS.items():
        for function, *arrays in calls:
            for form in (function, paddle.jit.to_static(function)):
                found.setdefault(op, []).extend(gpu_rows.on_both(lambda: results(form, arrays)))
    print(json.dumps(found))
