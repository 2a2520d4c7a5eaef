# SPDX-License-Identifier: Apache-2.0
"""What ranks do for test_split.py: a program whose weights they share trains as one of one process
does.
"""

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.distributed import fleet

_INNER, _WORDS = 6, 8


def _start():
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {'mp_degree': dist.ParallelEnv().world_size}
    fleet.init(is_collective=True, strategy=strategy)
    return dist.get_rank(), dist.get_world_size()


def _values(*shape):
    return np.random.RandomState(sum(shape)).uniform(-1, 1, shape).astype('float32')


def _part(value, axis):
    rank, size = max(dist.get_rank(), 0), dist.get_world_size()
    return np.split(value, size, axis=axis)[rank]


def _assigned(value):
    return paddle.ParamAttr(initializer=paddle.nn.initializer.Assign(value))


def trains(*options):
    """Losses equal those of NumPy's formula of the whole model."""
    rank, size = _start()
    gathers = 'apart' not in options
    table, first, second = _values(_WORDS, 4), _values(4, _INNER), _values(_INNER, 4)
    shift = _values(_INNER)
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        ids = paddle.static.data('ids', [None, 3], 'int64')
        x = dist.split(
            ids,
            (_WORDS, 4),
            'embedding',
            num_partitions=size,
            weight_attr=_assigned(_part(table, 0)),
        )
        x = dist.split(
            x, (4, _INNER), 'linear', axis=1, num_partitions=size, gather_out=gathers,
            weight_attr=_assigned(_part(first, 1)), bias_attr=_assigned(_part(shift, 0)),
        )  # fmt: skip
        x = paddle.tanh(x)
        assert list(x.shape) == [-1, 3, _INNER // (1 if gathers else size)]
        x = dist.split(
            x, (_INNER, 4), 'linear', axis=0, num_partitions=size,
            weight_attr=_assigned(_part(second, 0)),
        )  # fmt: skip
        loss = paddle.mean(x**2)
        paddle.optimizer.SGD(0.5).minimize(loss)
    exe = paddle.static.Executor()
    exe.run(startup)
    feed = np.array([[0, 1, 7], [4, 5, 5]])
    got = [exe.run(main, feed={'ids': feed}, fetch_list=[loss])[0].item() for _ in range(4)]
    paddle.disable_static()
    parameters = [paddle.to_tensor(v, stop_gradient=False) for v in (table, first, shift, second)]
    parameters.append(paddle.zeros([4]))
    parameters[-1].stop_gradient = False
    want = []
    for _ in range(4):
        rows, weight, bias, last, added = parameters
        hidden = paddle.tanh(rows[paddle.to_tensor(feed)] @ weight + bias)
        value = paddle.mean((hidden @ last + added) ** 2)
        value.backward()
        want.append(float(value))
        parameters = [paddle.to_tensor((p - 0.5 * p.grad).numpy()) for p in parameters]
        for p in parameters:
            p.stop_gradient = False
    np.testing.assert_allclose(got, want, rtol=1e-4)
    assert want[-1] < want[0] * 0.9


def parts():
    """Without gathering, results of axis 0 add up to the whole."""
    rank, size = _start()
    weight = _values(4, 6)
    paddle.enable_static()
    x = paddle.static.data('x', [None, 4])
    out = dist.split(
        x, (4, 6), 'linear', num_partitions=size, gather_out=False, bias_attr=False,
        weight_attr=_assigned(_part(weight, 0)),
    )  # fmt: skip
    exe = paddle.static.Executor()
    exe.run(paddle.static.default_startup_program())
    value = _values(2, 4)
    (got,) = exe.run(feed={'x': value}, fetch_list=[out])
    paddle.disable_static()
    total = paddle.to_tensor(got)
    dist.all_reduce(total)
    np.testing.assert_allclose(total.numpy(), value @ weight, rtol=1e-5)
