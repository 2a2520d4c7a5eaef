# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: what is cast, loss scaling, decoration."""

import numpy as np
import pytest

import paddle
from paddle import amp


def bfloat16_steps(exact, got):
    """The largest distance in steps of bfloat16."""
    step = 2.0 ** (np.floor(np.log2(np.abs(exact))) - 7)
    return (np.abs(got - exact) / step).max()


def distilled(dtype):
    """Losses of a student that learns from a teacher, from logits in bfloat16."""
    rng = np.random.RandomState(0)
    logits = [paddle.to_tensor(rng.randn(32, 10), dtype='bfloat16').astype(dtype) for _ in 'st']
    student, teacher = logits
    functional = paddle.nn.functional
    whole = functional.softmax(teacher.astype('float64'), -1).astype('bfloat16').astype(dtype)
    logs = functional.log_softmax(student.astype('float64'), -1).astype('bfloat16').astype(dtype)
    return [
        functional.log_softmax(student / 2.0, -1),
        functional.softmax(teacher / 2.0, -1),
        functional.kl_div(logs, whole, reduction='none'),
        functional.kl_div(logs, whole, reduction='batchmean'),
        functional.cross_entropy(student, whole, soft_label=True, reduction='none'),
        functional.cross_entropy(student, whole, soft_label=True),
    ]


def test_distillation_in_bfloat16_is_float64_rounded_once():
    for low, exact in zip(distilled('bfloat16'), distilled('float64')):
        assert low.dtype == paddle.bfloat16
        low, exact = low.astype('float64').numpy(), exact.numpy()
        assert bfloat16_steps(exact, low) <= 0.501


def test_models_of_programs_are_decorated():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data('x', [4, 8])
            net = paddle.nn.Linear(8, 1)
            optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
            net, optimizer = paddle.amp.decorate(net, optimizer, level='O2', dtype='bfloat16')
            assert net.weight.dtype == paddle.bfloat16
            with paddle.amp.auto_cast(level='O2', dtype='bfloat16'):
                loss = (net(x).astype('float32') ** 2).mean()
            optimizer.minimize(loss)
        exe = paddle.static.Executor()
        feed = {'x': np.random.RandomState(0).randn(4, 8).astype('float32')}
        for _ in range(2):  # the startup program draws the same weights, in the dtype they have
            exe.run(startup)
            assert net.weight.dtype == paddle.bfloat16
            losses = [exe.run(main, feed=feed, fetch_list=[loss])[0].item() for _ in range(8)]
            assert losses[-1] < 0.5 * losses[0]
    finally:
        paddle.disable_static()


@pytest.mark.parametrize('dtype', ['bfloat16', 'float16'])
def test_auto_cast(dtype):
    x = paddle.ones([4, 4])
    with amp.auto_cast(dtype=dtype):
        assert amp.is_autocast_enabled() and amp.get_autocast_dtype() == dtype
        y = paddle.matmul(x, x)
        assert str(y.dtype) == f'paddle.{dtype}'
        assert str(paddle.exp(y).dtype) == 'paddle.float32'
        with amp.auto_cast(enable=False):
            assert str(paddle.matmul(x, x).dtype) == 'paddle.float32'
    assert not amp.is_autocast_enabled()
    assert str(paddle.matmul(x, x).dtype) == 'paddle.float32'


def test_bad_arguments():
    with pytest.raises(ValueError):
        amp.auto_cast(level='O5').__enter__()
    with pytest.raises(ValueError):
        amp.auto_cast(dtype='float64').__enter__()
    with pytest.raises(ValueError):
        amp.auto_cast(custom_white_list={'exp'}, custom_black_list={'exp'}).__enter__()
    with pytest.raises(ValueError):
        amp.decorate(paddle.nn.Linear(2, 2), level='O3')


def test_training_in_bfloat16():
    paddle.seed(0)
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 16), paddle.nn.ReLU(), paddle.nn.Linear(16, 1))
    optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    x = paddle.to_tensor(np.random.RandomState(0).randn(32, 4).astype('float32'))
    y = x.sum(1, keepdim=True)
    losses = []
    for _ in range(60):
        with amp.auto_cast(dtype='bfloat16'):
            out = net(x)
        loss = ((out.astype('float32') - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss.numpy()))
    assert str(net[0].weight.grad.dtype) == 'paddle.float32'
    assert losses[-1] < 0.3 * losses[0]


def test_decorate_level_2():
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 4), paddle.nn.BatchNorm1D(4))
    optimizer = paddle.optimizer.AdamW(0.1, parameters=net.parameters())
    net, optimizer = amp.decorate(net, optimizer, level='O2', dtype='bfloat16')
    assert (
        str(net[0].weight.dtype) == 'paddle.bfloat16'
        and str(net[1].weight.dtype) == 'paddle.float32'
    )
    for p in net.parameters():
        p.grad = paddle.ones(p.shape).astype(p.dtype)
    before = net[0].weight.astype('float32').numpy()
    optimizer.step()
    master = optimizer.state_dict()['master_weights'][net[0].weight.name]
    assert str(master.dtype) == 'paddle.float32'
    np.testing.assert_allclose(
        net[0].weight.astype('float32').numpy(), master.numpy(), rtol=1e-2, atol=1e-2
    )
    assert np.abs(before - master.numpy()).max() > 0.05


@pytest.mark.parametrize('dtype', ['float16', 'bfloat16'])
def test_master_grad_keeps_gradients_in_float32(dtype):
    def gradient(master_grad):
        paddle.seed(1)
        net = paddle.nn.Linear(4, 3)
        optimizer = paddle.optimizer.AdamW(0.1, parameters=net.parameters())
        amp.decorate(net, optimizer, level='O2', dtype=dtype, master_grad=master_grad)
        for value in (1.0, 2.0**-12):  # the sum takes more digits than a half has
            with amp.auto_cast(level='O2', dtype=dtype):
                y = net(paddle.full([1, 4], value))
            y.sum().backward()
        kept = net.weight.grad
        optimizer.step()
        return kept

    low, kept = gradient(False), gradient(True)
    assert str(low.dtype) == f'paddle.{dtype}' and str(kept.dtype) == 'paddle.float32'
    assert kept.tolist() == [[1 + 2.0**-12] * 3] * 4


def test_master_grad_of_programs():
    main, start = paddle.static.Program(), paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, start):
            x = paddle.static.data('x', [2, 4], 'float32')
            w = paddle.static.create_parameter([4, 3], 'bfloat16')
            loss = paddle.matmul(x.astype('bfloat16'), w).astype('float32').sum()
            sgd = paddle.optimizer.SGD(0.1, parameters=[w])
            given = dict(level='O2', dtype='bfloat16', use_dynamic_loss_scaling=False)
            paddle.static.amp.decorate(sgd, master_grad=True, **given).minimize(loss)
    finally:
        paddle.disable_static()
    (update,) = [op for op in main.global_block().ops if 'sgd' in op.name()]
    assert 'float32' in str(update.operand_source(2).dtype)


def test_grad_scaler():
    net = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    scaler = amp.GradScaler(init_loss_scaling=1024, incr_every_n_steps=2)
    scales = []
    for step in range(6):
        loss = net(paddle.ones([1, 2])).sum()
        if step == 3:
            loss = loss * float('inf')
        before = net.weight.numpy()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        moved = np.abs(net.weight.numpy() - before).max()
        assert moved == 0 if step == 3 else moved == pytest.approx(0.1, rel=1e-4)
        scales.append(float(scaler.state_dict()['scale'][0]))
        optimizer.clear_grad()
    assert scales == [1024, 2048, 2048, 1024, 1024, 2048]
    other = amp.GradScaler()
    other.load_state_dict(scaler.state_dict())
    assert other.state_dict() == scaler.state_dict()
    with pytest.raises(RuntimeError):
        scaler.unscale_(optimizer)
        scaler.unscale_(optimizer)
