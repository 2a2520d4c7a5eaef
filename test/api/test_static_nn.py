# SPDX-License-Identifier: Apache-2.0
"""paddle.static.nn: layers as functions, trained in static mode."""

import numpy as np
import pytest

import paddle
import paddle.static as static


def test_layers_train():
    rng = np.random.default_rng(4)
    feed = {
        'x': rng.standard_normal((2, 1, 8, 8)).astype('float32'),
        'i': np.arange(8).reshape(2, 4),
    }
    paddle.enable_static()
    try:
        program = static.Program()
        with static.program_guard(program, static.Program()), paddle.utils.unique_name.guard():
            x, i = static.data('x', [-1, 1, 8, 8]), static.data('i', [-1, 4], 'int64')
            h = static.nn.fc(static.nn.conv2d(x, 3, 3, padding=1, act='relu'), 5, activation='tanh')
            e = static.nn.embedding(i, [10, 6])
            n = static.nn.layer_norm(static.nn.fc([e, e], 7, num_flatten_dims=2), begin_norm_axis=2)
            loss = h.mean() + (n[:, 0] * n[:, 1]).mean()
            paddle.optimizer.Adam(0.01).minimize(loss)
            with pytest.raises(ValueError, match='num_flatten_dims'):
                static.nn.fc(x, 3, num_flatten_dims=4)
        assert [p.name for p in program.all_parameters()] == [
            'conv2d_0.b_0',
            'conv2d_0.w_0',
            'embedding_0.w_0',
            'fc_0.b_0',
            'fc_0.w_0',
            'fc_1.b_0',
            'fc_1.w_0',
            'fc_1.w_1',
            'layer_norm_0.b_0',
            'layer_norm_0.w_0',
        ]
        exe = static.Executor()
        losses = [float(exe.run(program, feed=feed, fetch_list=[loss])[0]) for _ in range(6)]
        assert losses == sorted(losses, reverse=True) and losses[0] - losses[-1] > 0.1
    finally:
        paddle.disable_static()
