# SPDX-License-Identifier: Apache-2.0
"""Programs from files whose gradients are given operands that do not belong together."""

import json

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.nn import functional as F

X = np.linspace(-1, 1, 24, dtype='float32').reshape(4, 6)


@pytest.fixture
def saved(tmp_path):
    """The path of a saved program that computes a gradient, and what it gives for X."""
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main, static.Program()):
            x = static.data('x', [4, 6], 'float32')
            x.stop_gradient = False
            y = F.layer_norm(F.softmax(paddle.tanh(x)), [6])
            loss = (y.reshape([6, 4]) * paddle.cumsum(y, 1).reshape([6, 4])).sum()
            (gradient,) = static.gradients([loss], [x])
        path = str(tmp_path / 'model')
        executor = static.Executor()
        static.save_inference_model(path, [x], [gradient], executor, program=main)
        yield path, executor.run(main, feed={'x': X}, fetch_list=[gradient])[0]
    finally:
        paddle.disable_static()


def run(path):
    executor = static.Executor()
    program, _, results = static.load_inference_model(path, executor)
    return executor.run(program, feed={'x': X}, fetch_list=results)[0]


def test_what_belongs_together_runs(saved):
    np.testing.assert_allclose(run(saved[0]), saved[1], rtol=1e-6)


@pytest.mark.parametrize('name', ['tanh', 'softmax', 'layer_norm', 'cumsum', 'reshape', 'multiply'])
def test_operands_of_another_call_are_refused(saved, name):
    path, _ = saved
    with open(path + '.json', encoding='utf-8') as file:
        document = json.load(file)
    operations = document['program']['regions'][0]['blocks'][0]['ops']
    gradient = next(op for op in operations if op['#'].endswith(f'.{name}_grad'))
    shapes = {
        result['%']: result['TT']['D'][1]
        for op in operations
        if isinstance(op.get('O'), list)
        for result in op['O']
        if isinstance(result['TT'].get('D'), list)
    }
    refused = 0
    for at, operand in enumerate(gradient['I']):
        right = operand['%']
        wrong = [0] + [
            value
            for value in sorted(shapes)
            if value < right and shapes[value] != shapes.get(right)
        ]
        for value in wrong if right else ():
            operand['%'] = value
            with open(path + '.json', 'w', encoding='utf-8') as file:
                json.dump(document, file)
            try:
                run(path)
            except (ValueError, TypeError, IndexError):
                refused += 1
            gradient['I'][at]['%'] = right
    assert refused


@pytest.fixture
def changed(tmp_path):
    """Saves what a function makes of x, with one operand replaced; the path of the program."""

    def make(function, consumer, at, producer, result):
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup):
            x = static.data('x', [4, 6], 'float32')
            x.stop_gradient = False
            results = function(x)
        path = str(tmp_path / 'model')
        executor = static.Executor()
        executor.run(startup)
        static.save_inference_model(path, [x], results, executor, program=main)
        with open(path + '.json', encoding='utf-8') as file:
            document = json.load(file)
        operations = document['program']['regions'][0]['blocks'][0]['ops']

        def named(name):
            return [op for op in operations if op['#'].endswith('.' + name)]

        named(consumer)[-1]['I'][at]['%'] = named(producer)[0]['O'][result]['%']
        with open(path + '.json', 'w', encoding='utf-8') as file:
            json.dump(document, file)
        return path

    paddle.enable_static()
    yield make
    paddle.disable_static()


@pytest.mark.parametrize('consumer, at', [('tanh', 0), ('reshape', 1), ('matmul', 1)])
def test_a_result_that_is_left_out_is_refused_as_an_operand(consumer, at, changed):
    """The gradient of group_norm without scale and bias has none for them."""

    def function(x):
        loss = (F.group_norm(x.reshape([1, 2, 12]), 2) * 2).sum()
        (g,) = static.gradients([loss], [x])
        return [paddle.tanh(g), g.reshape(paddle.shape(x)), g @ g.T]

    path = changed(function, consumer, at, 'group_norm_grad', 1)
    with pytest.raises(ValueError, match=rf'\[{consumer}\] expected .* did not compute'):
        run(path)


def test_a_gradient_of_cross_entropy_refuses_other_labels(changed):
    def function(x):
        loss = F.cross_entropy(x, paddle.zeros([4, 1], 'int64')).sum()
        far = paddle.arange(4, dtype='int64').reshape([4, 1]) + (1 << 40)
        return [*static.gradients([loss], [x]), far]

    path = changed(function, 'cross_entropy_with_softmax_grad', 0, 'add', 0)
    with pytest.raises(IndexError, match='expected labels in'):
        run(path)


@pytest.mark.parametrize(
    'make',
    [
        lambda x: F.unfold(x.reshape([1, 2, 3, 4]), 2),
        lambda x: F.cross_entropy(x, paddle.zeros([4, 1], 'int64'), reduction='none'),
        lambda x: F.interpolate(x.reshape([1, 2, 3, 4]), size=[5, 5], mode='bilinear'),
    ],
    ids=['unfold', 'cross_entropy', 'interpolate'],
)
def test_a_gradient_gets_what_the_program_declares(make, changed):
    """The operation before it is given another operand, and goes on to declare the old result."""

    def function(x):
        less = paddle.tanh(x)[0, :2]
        (g,) = static.gradients([make(x).sum()], [x])
        return [less.sum() + g.sum()]

    path = changed(function, 'sum_grad', 0, 'slice', 0)
    with pytest.raises(ValueError, match=r'as the program declares, got \[2\]'):
        run(path)


@pytest.mark.parametrize(
    'call, message',
    [
        (
            lambda x, c: c.unfold_grad(x, paddle.ones([2]), [2, 2], [1, 1], [0, 0, 0, 0], [1, 1]),
            'unfold_grad',
        ),
        (
            lambda x, c: c.bilinear_interp_grad(
                *(x, None, None, None, paddle.ones([1, 3, 2, 4])),
                *('NCHW', -1, 5, 5, [], 'bilinear', False, 0),
            ),
            r'shape \[1, 2, 5, 5\].*got \[1, 3, 2, 4\]',
        ),
        (
            lambda x, c: c.cross_entropy_with_softmax_grad(
                paddle.zeros([4, 1], 'int64'), paddle.ones([4, 6]), paddle.ones([2])
            ),
            r'loss_grad of shape \[4, 1\], got \[2\]',
        ),
    ],
    ids=['unfold', 'interpolate', 'cross_entropy'],
)
def test_gradients_called_by_hand_refuse_other_extents(call, message):
    with pytest.raises(ValueError, match=message):
        call(paddle.ones([1, 2, 3, 4]), paddle._C_ops)


@pytest.mark.parametrize(
    'name', ['transpose', 'matmul', 'argmax', 'split_with_num', 'split', 'exp', 'if', 'while']
)
@pytest.mark.parametrize('change', ['extent', 'rank', 'dtype'])
def test_what_a_program_declares_is_what_it_computes(name, change, changed):
    """What follows was compiled by it."""

    def function(x):
        parts = paddle.split(x, 2)
        chosen = static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x - 1)
        _, looped = static.nn.while_loop(
            lambda i, _: i < 3, lambda i, y: [i + 1, y * 2], [paddle.zeros([], 'int64'), chosen]
        )
        return [x.transpose([1, 0]) @ x, parts[0].exp() + parts[1], x.argmax(1) * 2, looped + x]

    path = changed(function, 'transpose', 0, 'data', 0)
    with open(path + '.json', encoding='utf-8') as file:
        document = json.load(file)
    operations = document['program']['regions'][0]['blocks'][0]['ops']
    declared = next(op for op in operations if op['#'].endswith('.' + name))['O'][-1]['TT']['D']
    declared = declared[0]['D'] if name == 'split_with_num' else declared
    if change == 'dtype':
        declared[0] = {'#': declared[0]['#'].replace('f32', 'f64').replace('i64', 'i32')}
    elif change == 'rank':
        declared[1].append(1)
    else:
        declared[1][0] += 1
    with open(path + '.json', 'w', encoding='utf-8') as file:
        json.dump(document, file)
    with pytest.raises((ValueError, TypeError), match='declares|expected'):
        run(path)


@pytest.mark.parametrize('given', ['cast_grad', 'broadcast_tensors_grad', 'tanh_grad'])
def test_gradients_called_by_hand_refuse_what_is_no_tensor(given):
    with pytest.raises((TypeError, ValueError), match=rf'\[{given}\] expected'):
        getattr(paddle._C_ops, given)(3, 2)


def test_a_gradient_of_ctc_loss_reads_lengths_only_where_it_divides_by_them(changed):
    def function(x):
        label, lengths = paddle.ones([1, 2], 'int32'), paddle.full([1], 4, 'int32')
        loss = F.ctc_loss(x.reshape([4, 1, 6]), label, lengths, lengths - 2, reduction='sum')
        return static.gradients([loss], [x])

    path = changed(function, 'reshape', 0, 'data', 0)
    want = run(path)
    with open(path + '.json', encoding='utf-8') as file:
        document = json.load(file)
    operations = document['program']['regions'][0]['blocks'][0]['ops']
    (gradient,) = [op for op in operations if op['#'].endswith('.warpctc_grad')]
    lengths = [at for at, operand in enumerate(gradient['I']) if operand['%']][1]
    gradient['I'][lengths]['%'] = 0
    with open(path + '.json', 'w', encoding='utf-8') as file:
        json.dump(document, file)
    np.testing.assert_array_equal(run(path), want)
