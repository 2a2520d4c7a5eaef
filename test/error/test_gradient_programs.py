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


def test_gradients_of_resampling_are_of_what_was_resampled(changed):
    def function(x):
        image = x.reshape([1, 2, 3, 4])
        turned = paddle.transpose(image, [0, 2, 1, 3])
        loss = F.interpolate(image, size=[5, 5], mode='bilinear').sum()
        (g,) = static.gradients([loss], [x])
        return [turned.sum() + g.sum()]

    path = changed(function, 'sum_grad', 0, 'transpose', 0)
    with pytest.raises(ValueError, match=r'shape \[1, 2, 3, 4\].*got shape \[1, 3, 2, 4\]'):
        run(path)


@pytest.mark.parametrize(
    'make, message',
    [
        (lambda x: F.unfold(x.reshape([1, 2, 3, 4]), 2), 'unfold_grad'),
        (
            lambda x: F.cross_entropy(x, paddle.zeros([4, 1], 'int64'), reduction='none'),
            'of 4 losses',
        ),
    ],
    ids=['unfold', 'cross_entropy'],
)
def test_what_reaches_a_gradient_is_of_the_extents_that_it_reads(make, message, changed):
    def function(x):
        less = paddle.tanh(x)[0, :2]
        (g,) = static.gradients([make(x).sum()], [x])
        return [less.sum() + g.sum()]

    path = changed(function, 'sum_grad', 0, 'slice', 0)
    with pytest.raises(ValueError, match=message):
        run(path)
