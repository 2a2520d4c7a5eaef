# SPDX-License-Identifier: Apache-2.0
"""Programs in bfloat16 (`paddle.static.amp.bf16`)."""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.static.amp import bf16


def test_lists_move_names():
    lists = bf16.AutoMixedPrecisionListsBF16({'elementwise_add'}, {'matmul_v2'}, {'w'})
    assert 'elementwise_add' in lists.bf16_list and 'matmul_v2' not in lists.bf16_list
    assert 'matmul_v2' in lists.fp32_list and lists.fp32_varnames == {'w'}
    with pytest.raises(ValueError, match='matmul_v2'):
        bf16.AutoMixedPrecisionListsBF16({'matmul_v2'}, {'matmul_v2'})


def test_bits_are_those_of_the_published_package():
    got = bf16.convert_float_to_uint16([1.0, 3.14159, -2.71828, 1e-3])
    assert got.tolist() == [16256, 16457, 49197, 14979] and got.dtype == np.uint16


@pytest.mark.parametrize('pure', [False, True])
def test_a_program_trains(pure):
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data('x', [4, 3])
            with bf16.bf16_guard():
                loss = paddle.nn.Linear(3, 1)(x).square().mean()
            optimizer = bf16.decorate_bf16(paddle.optimizer.SGD(0.1), use_pure_bf16=pure)
            optimizer.minimize(loss)
        executor = paddle.static.Executor()
        executor.run(startup)
        feed = {'x': np.ones([4, 3], 'float32')}
        losses = [float(executor.run(main, feed, [loss])[0]) for _ in range(3)]
        assert losses[0] > losses[1] > losses[2]
    finally:
        paddle.disable_static()


def test_placements_that_are_equal():
    from paddle.distributed.auto_parallel.placement_type import check_placements_equal as equal

    replicate, shard = dist.Replicate(), dist.Shard(0)
    assert equal([shard], [shard, replicate]) and equal([], [replicate])
    assert not equal([shard], [dist.Shard(1)]) and not equal([replicate, shard], [replicate])
