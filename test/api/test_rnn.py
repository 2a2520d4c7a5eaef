# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers: the op and its gradient against the cells run step by step, eager and
recorded.
"""

import itertools

import numpy as np
import paddle
import pytest
from paddle import nn

BATCH, TIME, SIZE, HIDDEN = 5, 6, 7, 9
LENGTHS = [6, 3, 1, 5, 2]


def make(mode, layers=2, direction='forward', dtype='float64', time_major=False, dropout=0.0):
    kind, extra = {
        'LSTM': (nn.LSTM, {}),
        'GRU': (nn.GRU, {}),
        'RNN_TANH': (nn.SimpleRNN, {}),
        'RNN_RELU': (nn.SimpleRNN, {'activation': 'relu'}),
    }[mode]
    old = paddle.get_default_dtype()
    paddle.set_default_dtype(dtype)
    try:
        paddle.seed(3)
        return kind(
            SIZE,
            HIDDEN,
            layers,
            direction=direction,
            time_major=time_major,
            dropout=dropout,
            **extra,
        )
    finally:
        paddle.set_default_dtype(old)


def inputs(net, dtype='float64', seed=0):
    random = np.random.RandomState(seed)
    shape = (TIME, BATCH, SIZE) if net.time_major else (BATCH, TIME, SIZE)
    rows = len(list(net._cells()))
    arrays = [random.randn(*shape)] + [
        random.randn(rows, BATCH, HIDDEN) for _ in range(net.state_components)
    ]
    return [paddle.to_tensor(a.astype(dtype), stop_gradient=False) for a in arrays]


def loss_of(result):
    out, state = result
    states = state if isinstance(state, (tuple, list)) else [state]
    weight = paddle.arange(out.size, dtype=out.dtype).reshape(out.shape).cos()
    return (out * out * weight).sum() + sum((s**3).sum() for s in states)


def gradients(run, net, tensors, lengths, create_graph=False):
    loss = loss_of(run(tensors[0], tensors[1:], lengths))
    return [loss, *paddle.grad(loss, [*tensors, *net.parameters()], create_graph=create_graph)]


def close(got, want, tolerance):
    for i, (g, w) in enumerate(zip(got, want)):
        np.testing.assert_allclose(
            g.numpy(), w.numpy(), rtol=tolerance, atol=tolerance, err_msg=f'result {i}'
        )


MODES = ['LSTM', 'GRU', 'RNN_TANH', 'RNN_RELU']


@pytest.mark.parametrize(
    'mode, direction, ragged',
    list(itertools.product(MODES, ['forward', 'bidirect'], [False, True])),
)
def test_gradient_of_the_op_is_that_of_the_cells(mode, direction, ragged):
    for layers, time_major, dtype in (
        (1, False, 'float64'),
        (3, True, 'float64'),
        (2, False, 'float32'),
    ):
        net = make(mode, layers, direction, dtype, time_major)
        tensors = inputs(net, dtype)
        lengths = paddle.to_tensor(LENGTHS) if ragged else None
        close(
            gradients(net.forward, net, tensors, lengths),
            gradients(net._run_cells, net, tensors, lengths),
            1e-12 if dtype == 'float64' else 3e-5,
        )


@pytest.mark.parametrize('mode', MODES[:3])
def test_second_order(mode):
    net = make(mode, 2, 'bidirect')
    tensors, lengths = inputs(net), paddle.to_tensor(LENGTHS)

    def second(run):
        _, dx, *rest = gradients(run, net, tensors, lengths, True)
        return paddle.grad((dx * dx).sum() + (rest[-1] ** 2).sum(), [*tensors, *net.parameters()])

    close(second(net.forward), second(net._run_cells), 1e-10)


def test_gradient_in_test_mode_and_without_biases():
    net = make('GRU')
    net.eval()
    tensors = inputs(net)
    close(
        gradients(net.forward, net, tensors, None),
        gradients(net._run_cells, net, tensors, None),
        1e-12,
    )
    weights = [w for c in net._cells() for w in (c.weight_ih, c.weight_hh)]
    x = paddle.transpose(tensors[0], [1, 0, 2])
    for c in net._cells():
        with paddle.no_grad():
            c.bias_ih.zero_(), c.bias_hh.zero_()
    out = paddle._C_ops.rnn(
        x,
        tensors[1:],
        weights,
        None,
        paddle.empty([0], 'uint8'),
        0.0,
        False,
        SIZE,
        HIDDEN,
        2,
        'GRU',
    )
    want = net._run_cells(tensors[0], tensors[1:], None)[0]
    np.testing.assert_allclose(
        out[0].transpose([1, 0, 2]).numpy(), want.numpy(), rtol=1e-12, atol=1e-12
    )
    close(
        paddle.grad((out[0] ** 2).sum(), [tensors[0], *weights]),
        paddle.grad((want**2).sum(), [tensors[0], *weights]),
        1e-11,
    )


def test_dropout_between_layers_has_the_gradient_of_its_mask():
    net = make('LSTM', 2, dropout=0.5)
    tensors = inputs(net)

    def run(x):
        paddle.seed(4)
        return loss_of(net.forward(x, tensors[1:]))

    (dx,) = paddle.grad(run(tensors[0]), [tensors[0]])
    step = np.zeros([BATCH, TIME, SIZE])
    step[1, 2, 3] = 1e-6
    difference = run(tensors[0] + paddle.to_tensor(step)) - run(tensors[0] - paddle.to_tensor(step))
    assert abs(float(difference) / 2e-6 - float(dx[1, 2, 3])) < 1e-7
    paddle.seed(4)
    loss = loss_of(net.forward(tensors[0], tensors[1:]))
    close(paddle.grad(loss, tensors, create_graph=True), paddle.grad(loss, tensors), 1e-12)


@pytest.mark.parametrize('mode', ['LSTM', 'GRU'])
def test_training_is_recorded_as_one_op_and_its_gradient(mode, tmp_path):
    net = make(mode, 2, 'bidirect', 'float32')
    array = np.random.RandomState(1).randn(BATCH, TIME, SIZE).astype('float32')
    x = paddle.to_tensor(array, stop_gradient=False)
    want = paddle.grad((net(x)[0] ** 2).mean(), [x, *net.parameters()])
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            data = paddle.static.data('x', [-1, TIME, SIZE])
            data.stop_gradient = False
            loss = (net(data)[0] ** 2).mean()
            grads = paddle.static.gradients([loss], [data, *net.parameters()])
        names = [op.name() for op in program.global_block().ops]
        assert (
            names.count('pd_op.rnn') == 1
            and names.count('pd_op.rnn_grad') == 1
            and 'pd_op.matmul' not in names
        )
        got = paddle.static.Executor().run(program, feed={'x': array}, fetch_list=grads)
    finally:
        paddle.disable_static()
    for g, w in zip(got, want):
        np.testing.assert_allclose(g, w.numpy(), rtol=1e-4, atol=1e-6)
    prefix = str(tmp_path / 'net')
    paddle.jit.save(
        paddle.jit.to_static(net, input_spec=[paddle.static.InputSpec([None, TIME, SIZE])]), prefix
    )
    np.testing.assert_allclose(
        paddle.jit.load(prefix)(x)[0].numpy(), net(x)[0].numpy(), rtol=1e-5, atol=1e-6
    )


def test_errors_name_what_was_expected():
    net = make('LSTM', 1)
    x, *states = inputs(net)
    with pytest.raises(ValueError, match='sequence lengths from 0 to 6'):
        net(x, states, paddle.to_tensor([7, 1, 1, 1, 1]))
    with pytest.raises(ValueError, match='an initial state'):
        net(x, [states[0][:, :2], states[1]])


def test_a_program_keeps_the_draws_of_a_layer_nobody_reads():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data('x', [2, 3, 4])
            out, _ = paddle.nn.LSTM(4, 8, num_layers=2, dropout=0.5)(x)
            after = paddle.rand([4])
        executor = paddle.static.Executor()
        executor.run(startup)
        drawn = []
        for fetched in ([after], [after, out]):
            paddle.seed(3)
            feed = {'x': np.ones([2, 3, 4], 'float32')}
            drawn.append(executor.run(main, feed=feed, fetch_list=fetched)[0])
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(*drawn)


def test_gradients_of_steps_when_there_are_none():
    """Without any time, what computes the results hands the states on."""
    x, state = paddle.zeros([0, 2, 3]), paddle.randn([1, 2, 4])
    weights = [paddle.randn(s) for s in ([4, 3], [4, 4], [4], [4])]
    x.stop_gradient = state.stop_gradient = False
    out, _, (last,) = paddle._C_ops.rnn(
        x, [state], weights, None, None, 0.0, False, 3, 4, 1, 'RNN_TANH', 0, False
    )
    assert out.shape == [0, 2, 4]
    (g,) = paddle.grad((last**3).sum(), state, create_graph=True)
    np.testing.assert_allclose(g.numpy(), 3 * state.numpy() ** 2, rtol=1e-6)
    (h,) = paddle.grad(g.sum(), state)
    np.testing.assert_allclose(h.numpy(), 6 * state.numpy(), rtol=1e-6)
