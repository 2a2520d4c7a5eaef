# SPDX-License-Identifier: Apache-2.0
"""Batch normalisation with statistics over all processes, and its gradient."""

import paddle
from paddle.autograd import PyLayer

from .communication.group import default_group


class SyncNormalize(PyLayer):
    """(x - mean) / sqrt(variance + epsilon) * weight + bias, with the mean and the variance of all
    processes' batches, which are put into the list `statistics`.
    """

    @staticmethod
    def forward(ctx, x, weight, bias, epsilon, axis, statistics):
        group = default_group().process_group
        axes = [i for i in range(x.ndim) if i != axis]
        shape = [1] * x.ndim
        shape[axis] = channels = x.shape[axis]
        wide = x.astype('float32') if x.dtype in (paddle.float16, paddle.bfloat16) else x
        count = wide.size // channels if channels else 0
        divisor = max(count, 1)  # a process may have got nothing
        mean = wide.sum(axes) / divisor
        variance = (wide - mean.reshape(shape)).square().sum(axes) / divisor
        mine = paddle.concat([mean, variance, paddle.full([1], count, mean.dtype)])
        everyone = paddle.empty([group.size(), 2 * channels + 1], mine.dtype)
        group.all_gather(everyone, [mine], [1] * group.size())
        # Of mean and variance of the parts, those of the whole.
        counts = everyone[:, -1:]
        total = counts.sum()
        means, variances = everyone[:, :channels], everyone[:, channels:-1]
        mean = (means * counts).sum(0) / total
        variance = ((variances + (means - mean).square()) * counts).sum(0) / total
        scale = (variance + epsilon).rsqrt()
        statistics[:] = [mean, variance]
        normal = (wide - mean.reshape(shape)) * scale.reshape(shape)
        ctx.save_for_backward(normal, scale, weight)
        ctx.total, ctx.axes, ctx.shape, ctx.has_bias = total, axes, shape, bias is not None
        ctx.dtype = x.dtype
        out = normal
        if weight is not None:
            out = out * weight.reshape(shape)
        if bias is not None:
            out = out + bias.reshape(shape)
        return out.astype(x.dtype)

    @staticmethod
    def backward(ctx, grad):
        normal, scale, weight = ctx.saved_tensor()
        grad = grad.astype(normal.dtype)
        of_bias, of_weight = grad.sum(ctx.axes), (grad * normal).sum(ctx.axes)
        sums = paddle.stack([of_bias, of_weight])
        default_group().process_group.all_reduce([sums])
        means = sums / ctx.total
        inner = grad - means[0].reshape(ctx.shape) - normal * means[1].reshape(ctx.shape)
        if weight is not None:
            scale = scale * weight
        result = [(inner * scale.reshape(ctx.shape)).astype(ctx.dtype)]
        if weight is not None:
            result.append(of_weight.astype(weight.dtype))
        if ctx.has_bias:
            result.append(of_bias)
        return tuple(result) if len(result) > 1 else result[0]
