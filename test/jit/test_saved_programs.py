# SPDX-License-Identifier: Apache-2.0
"""jit.save and jit.load: what is saved, that loaded programs compute and train like the layers they
came from.
"""

import json

import numpy
import pytest
from paddle.static import InputSpec

import paddle
from paddle import inference, nn


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.fc = nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.Linear(64, 3)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        h = paddle.nn.functional.relu(self.norm(self.conv(x)))
        a, b = paddle.split(h.flatten(1), 2, axis=1)
        return self.fc(self.drop(paddle.concat([b, a], axis=1)))


def _equal(a, b, rtol=1e-5):
    numpy.testing.assert_allclose(numpy.asarray(a), numpy.asarray(b), rtol=rtol, atol=1e-5)


def test_a_loaded_program_trains_like_its_layer(tmp_path):
    paddle.seed(0)
    net = Net()
    net.eval()
    paddle.jit.save(net, str(tmp_path / 'net'), [InputSpec([None, 1, 6, 6])])
    loaded = paddle.jit.load(str(tmp_path / 'net'))
    x = paddle.randn([5, 1, 6, 6])
    _equal(loaded(x), net(x))
    names = {p.name: p for p in net.parameters()}
    assert {p.name for p in loaded.parameters()} == set(names)
    assert all(p.stop_gradient == names[p.name].stop_gradient for p in loaded.parameters())
    with paddle.no_grad():
        _equal(loaded(x), net(x))
    net.train()
    paddle.jit.save(net, str(tmp_path / 'training'), [InputSpec([None, 1, 6, 6])])
    loaded = paddle.jit.load(str(tmp_path / 'training'))
    loaded.train()
    optimizers = [paddle.optimizer.SGD(0.1, parameters=n.parameters()) for n in (net, loaded)]
    for step in range(3):
        x = paddle.randn([5, 1, 6, 6])
        for n, o in zip((net, loaded), optimizers):
            paddle.seed(step)
            (n(x) ** 2).mean().backward()
            o.step()
            o.clear_grad()
    for p in loaded.parameters():
        _equal(p, names[p.name], 1e-3)
    paddle.jit.save(loaded, str(tmp_path / 'again'), [InputSpec([None, 1, 6, 6])])
    again = paddle.jit.load(str(tmp_path / 'again'))
    again.train()
    results = []
    for n in (net, again):
        paddle.seed(9)
        results.append(n(x))
    _equal(*results, 1e-3)
    assert 'conv2d' in str(loaded.program())


def test_methods_share_parameters(tmp_path):
    class Two(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 3)

        @paddle.jit.to_static(input_spec=[InputSpec([None, 2], name='x')])
        def forward(self, x):
            return self.fc(x)

        @paddle.jit.to_static(input_spec=[InputSpec([None, 2], name='y')])
        def twice(self, y):
            return self.fc(y) * 2, y

    net = Two()
    paddle.jit.save(net, str(tmp_path / 'two'))
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        'two.json',
        'two.pdiparams',
        'two.twice.json',
        'two.twice.pdiparams',
    ]
    loaded = paddle.jit.load(str(tmp_path / 'two'))
    x = paddle.ones([4, 2])
    _equal(loaded.twice(x)[0], net.twice(x)[0])
    loaded.parameters()[0].set_value(loaded.parameters()[0] * 0)
    loaded.parameters()[1].set_value(loaded.parameters()[1] * 0)
    _equal(loaded(x), numpy.zeros([4, 3]))
    _equal(loaded.twice(x)[0], numpy.zeros([4, 3]))
    with pytest.raises(AttributeError):
        loaded.missing(x)


def test_functions_and_last_call(tmp_path):
    @paddle.jit.to_static
    def f(x, y):
        return x * 2 + y

    with pytest.raises(ValueError, match='input_spec'):
        paddle.jit.save(f, str(tmp_path / 'f'))
    x = paddle.ones([2])
    for _ in range(2):
        f(x, x)
    paddle.jit.save(f, str(tmp_path / 'f'))
    assert [p.name for p in tmp_path.iterdir()] == ['f.json']
    loaded = paddle.jit.load(str(tmp_path / 'f'))
    x.stop_gradient = False
    loaded(x, x).sum().backward()
    _equal(x.grad, [3, 3])
    net = paddle.jit.to_static(nn.Linear(2, 2), full_graph=True)
    net(paddle.ones([3, 2]))
    paddle.jit.save(net, str(tmp_path / 'g'))
    assert paddle.jit.load(str(tmp_path / 'g'))(paddle.ones([3, 2])).shape == [3, 2]


def test_saving_leaves_the_layer_as_it_was(tmp_path):
    class Counted(nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer('seen', paddle.zeros([2]))

        def forward(self, x):
            self.seen = self.seen + x
            return self.seen * 1

    net = Counted()
    paddle.jit.save(net, str(tmp_path / 'c'), [InputSpec([2])])
    _equal(net.seen, [0, 0])
    _equal(net(paddle.ones([2])), [1, 1])
    assert 'forward' not in net.__dict__


def test_branches_are_saved_for_inference(tmp_path):
    class Branch(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 2)

        def forward(self, x):
            return paddle.static.nn.cond(x.sum() > 0, lambda: self.fc(x), lambda: x - 1)

    net = Branch()
    paddle.jit.save(net, str(tmp_path / 'b'), [InputSpec([None, 2])])
    loaded = paddle.jit.load(str(tmp_path / 'b'))
    for x in (paddle.ones([3, 2]), -paddle.ones([1, 2])):
        _equal(loaded(x), net(x))
    assert not any(p.stop_gradient for p in loaded.parameters())


def test_results_are_chosen(tmp_path):
    class Three(nn.Layer):
        def forward(self, x):
            return x + 1, x.sum(), x * 2

    net = paddle.jit.to_static(Three(), input_spec=[InputSpec([None, 3])], full_graph=True)
    outputs, x = net.forward.outputs, paddle.ones([2, 3])
    for wanted, places in (([outputs[1]], [1]), ([outputs[2], outputs[0]], [2, 0]), ([2], [2])):
        paddle.jit.save(net, str(tmp_path / 'net'), output_spec=wanted)
        got = paddle.jit.load(str(tmp_path / 'net'))(x)
        got = got if isinstance(got, list) else [got]
        assert len(got) == len(places)
        for result, place in zip(got, places):
            _equal(result, net(x)[place])
    for wanted in ([net(x)[0]], [3], []):
        with pytest.raises(ValueError):
            paddle.jit.save(net, str(tmp_path / 'net'), output_spec=wanted)


class Writes(nn.Layer):
    def forward(self, x):
        y = x * 2
        y[0] = 5.0
        y[:, 1] = 3.0
        return y + paddle.zeros([3])


@pytest.mark.parametrize('reads', ['results', 'operands'])
def test_programs_of_paddlepaddle_write_operands(tmp_path, reads):
    """There the names end with _ and a list is `assign_value_`; what reads the operand afterwards
    reads what was written, as what reads the result does.
    """
    static = paddle.jit.to_static(
        Writes(), full_graph=True, input_spec=[InputSpec([2, 3], 'float32', 'x')]
    )
    paddle.jit.save(static, str(tmp_path / 'm'))
    file = tmp_path / 'm.json'
    program = json.loads(file.read_text())
    ops = program['program']['regions'][0]['blocks'][0]['ops']
    wrote = {}
    for op in ops:
        if op['#'].startswith('1.set_value'):
            op['#'] += '_'
            wrote[op['O'][0]['%']] = op['I'][0]['%']
        elif op['#'] == '1.add' and reads == 'operands':
            first = op['I'][0]['%']
            while first in wrote:
                first = wrote[first]
            op['I'][0]['%'] = first
    assert len(wrote) == 2
    zeros = next(o for o in ops if o['#'] == '1.full' and o['O'][0]['TT']['D'][1] == [3])

    def listed(kind, values):
        return {'#': '0.a_array', 'D': [{'#': kind, 'D': v} for v in values]}

    attributes = {
        'shape': listed('0.a_i32', [3]),
        'dtype': {'#': '1.a_dtype', 'D': 'float32'},
        'values': listed('0.a_f64', [1.0, 2.0, 3.0]),
        'place': {'#': '1.a_place', 'D': [0, 0, '']},
    }
    assigned = json.loads(json.dumps(zeros))
    assigned.update(
        {'#': '1.assign_value_', 'A': [{'AT': v, 'N': k} for k, v in attributes.items()]}
    )
    assigned['I'], assigned['O'][0]['%'] = [{'%': zeros['O'][0]['%']}], 1000
    ops.insert(ops.index(zeros) + 1, assigned)
    if reads == 'results':
        next(o for o in ops if o['#'] == '1.add')['I'][1]['%'] = 1000
    file.write_text(json.dumps(program))
    x = numpy.array([[1, 2, 3], [4, 5, 6]], 'float32')
    want = numpy.array([[5, 3, 5], [8, 3, 12]], 'float32') + numpy.array([1, 2, 3], 'float32')
    loaded = paddle.jit.load(str(tmp_path / 'm'))
    for _ in range(2):
        numpy.testing.assert_array_equal(loaded(paddle.to_tensor(x)).numpy(), want)
    predictor = inference.create_predictor(
        inference.Config(str(file), str(tmp_path / 'm.pdiparams'))
    )
    numpy.testing.assert_array_equal(predictor.run([paddle.to_tensor(x)])[0].numpy(), want)
