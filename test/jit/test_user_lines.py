# SPDX-License-Identifier: Apache-2.0
"""An error of a program that runs says which line of the user's code called the operation, in its
message and at the end of its traceback.
"""

import inspect
import re
import traceback

import pytest

import paddle
import paddle.nn.functional as F

HERE = __file__


def line_of(function, text):
    """The number of the line of the function that has the text."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def raised(call, kind=Exception):
    with pytest.raises(kind) as caught:
        call()
    return caught.value


def assert_raised_at(error, line):
    """The function was run as it is: its own line is the last of this file."""
    frames = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == HERE]
    assert frames[-1] == line and 'called at' not in str(error)


def assert_at(error, line):
    """The first line that is told is the operation's, others are of the group it is fused with."""
    told = [int(n) for n in re.findall(r'\n  called at File ".*", line (\d+)', str(error))]
    assert told and told[0] == line
    assert str(error).count(f'called at File "{HERE}"') == len(told) <= 4
    frames = traceback.extract_tb(error.__traceback__)[-len(told) :]
    assert [(f.filename, f.lineno) for f in frames] == [(HERE, n) for n in reversed(told)]


GOOD, BAD = paddle.to_tensor([0, 1]), paddle.to_tensor([0, 9])


def picks(x, index):
    y = x * 2
    z = paddle.gather(y, index)
    return z.sum()


class Picks(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.table = paddle.nn.Embedding(4, 3)

    def forward(self, index):
        rows = self.table(index)
        return rows.mean()


@pytest.mark.parametrize('full_graph', [False, True])
def test_a_compiled_function(full_graph):
    f = paddle.jit.to_static(picks, full_graph=full_graph)
    x = paddle.ones([4, 3])
    for _ in range(3):
        f(x, GOOD)
    assert paddle.jit.explain(f).compiled_calls > 0
    error = raised(lambda: f(x, BAD))
    assert str(error).startswith('[gather')
    assert_raised_at(error, line_of(picks, 'paddle.gather'))
    assert f(x, GOOD).item() == 12.0


@pytest.mark.parametrize('full_graph', [False, True])
def test_a_layer_with_gradients(full_graph):
    net = paddle.jit.to_static(Picks(), full_graph=full_graph)
    for _ in range(2):
        net(GOOD).backward()
    assert_raised_at(raised(lambda: net(BAD)), line_of(Picks.forward, 'self.table('))


def test_lines_within_branches_and_loops():
    @paddle.jit.to_static(full_graph=True)
    def f(x, index, n):
        while n > 0:
            if x.sum() > 0:
                x = paddle.gather(x, index)  # here
            n = n - 1
        return x

    x, n = paddle.ones([4, 3]), paddle.to_tensor(2)
    f(x, GOOD, n)
    error = raised(lambda: f(x, BAD, n))
    assert_raised_at(error, line_of(test_lines_within_branches_and_loops, '# here'))


def test_a_training_step():
    net = Picks()
    opt = paddle.optimizer.SGD(0.1, parameters=net.parameters())

    @paddle.jit.to_static(full_graph=False)
    def step(index):
        loss = net(index)
        loss.backward()
        opt.step()
        opt.clear_grad()
        return loss

    for _ in range(3):
        step(GOOD)
    assert_at(raised(lambda: step(BAD)), line_of(Picks.forward, 'self.table('))


def test_a_static_program():
    feed = {'x': paddle.ones([4, 3]).numpy(), 'index': BAD.numpy()}
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data('x', [4, 3])
            index = paddle.static.data('index', [-1], 'int64')
            picked = paddle.gather(x, index)  # recorded
            out = picked.sum()
        exe = paddle.static.Executor()
        error = raised(lambda: exe.run(main, feed=feed, fetch_list=[out]))
        assert_at(error, line_of(test_a_static_program, '# recorded'))
    finally:
        paddle.disable_static()


def test_extents_that_do_not_fit_when_run():
    spec = [paddle.static.InputSpec([None, 3]), paddle.static.InputSpec([None, 3])]

    @paddle.jit.to_static(full_graph=True, input_spec=spec)
    def f(x, y):
        a = F.relu(x)
        return a.reshape([-1, 6]) + y.reshape([-1, 6])  # reshaped

    f(paddle.ones([4, 3]), paddle.ones([4, 3]))
    error = raised(lambda: f(paddle.ones([3, 3]), paddle.ones([3, 3])), ValueError)
    assert_raised_at(error, line_of(test_extents_that_do_not_fit_when_run, '# reshaped'))


def test_passes_keep_lines():
    """Normalisation, folded and fused by passes, and what stands behind it."""
    feed = {'x': paddle.randn([4, 3]).numpy(), 'index': BAD.numpy()}
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data('x', [4, 3])
            index = paddle.static.data('index', [-1], 'int64')
            y = paddle.nn.functional.layer_norm(x, [3]) * 3 + 1
            out = paddle.nn.functional.gelu(paddle.gather(y, index))  # picked
        error = raised(lambda: paddle.static.Executor().run(main, feed=feed, fetch_list=[out]))
        assert_at(error, line_of(test_passes_keep_lines, '# picked'))
    finally:
        paddle.disable_static()


def test_programs_of_files_name_no_line(tmp_path):
    net = paddle.jit.to_static(Picks(), full_graph=True)
    spec = [paddle.static.InputSpec([None], 'int64')]
    paddle.jit.save(net, str(tmp_path / 'net'), input_spec=spec)
    loaded = paddle.jit.load(str(tmp_path / 'net'))
    loaded.eval()
    with paddle.no_grad():
        assert 'called at' not in str(raised(lambda: loaded(BAD)))
