# SPDX-License-Identifier: Apache-2.0
"""paddle.static.quantization: passes that have programs trained with rounded values, and make the
trained ones whole.
"""

import numpy as np
import pytest

import paddle
from paddle import inference, static
from paddle.base import core
from paddle.base.framework import IrGraph
from paddle.nn import functional as F
from paddle.static import quantization as Q

pytestmark = pytest.mark.usefixtures('static_scope')
CPU = paddle.CPUPlace()
SHAPES = {'cw': (4, 1, 3, 3), 'cb': (4,), 'cw2': (4, 4, 3, 3), 'fw': (36, 10), 'fb': (10,)}


def numbers():
    """(weights by name, feeds) of the net."""
    draw = np.random.RandomState(0)
    weights = {n: draw.uniform(-0.5, 0.5, s).astype('float32') for n, s in SHAPES.items()}
    feeds = [
        {
            'x': draw.randn(4, 1, 8, 8).astype('float32'),
            'y': draw.randint(0, 10, (4, 1)).astype('int64'),
        }
        for _ in range(6)
    ]
    return weights, feeds


class Net:
    """A small net: two convolutions with a sum around the second one, and a product."""

    def __init__(self, pool=F.avg_pool2d, optimizer=paddle.optimizer.SGD):
        def named(name):
            return paddle.ParamAttr(name=name)

        self.main, self.startup = static.Program(), static.Program()
        with static.program_guard(self.main, self.startup):
            x = static.data('x', [None, 1, 8, 8])
            y = static.data('y', [None, 1], 'int64')
            h = static.nn.conv2d(x, 4, 3, act='relu', param_attr=named('cw'), bias_attr=named('cb'))
            h = pool(h, 2)
            h = static.nn.conv2d(h, 4, 3, padding=1, bias_attr=False, param_attr=named('cw2')) + h
            self.x, self.out = (
                x,
                static.nn.fc(h, 10, weight_attr=named('fw'), bias_attr=named('fb')),
            )
            self.loss = paddle.mean(F.cross_entropy(self.out, y))
            self.test = self.main.clone(for_test=True)
            optimizer(0.1).minimize(self.loss)
        self.exe, self.scope = static.Executor(CPU), static.global_scope()
        self.exe.run(self.startup)
        weights, self.feeds = numbers()
        for name, value in weights.items():
            self.scope.find_var(name).get_tensor().set(value, CPU)

    def graph(self, program, *passes, test=False):
        graph = IrGraph(core.Graph(program.desc), for_test=test)
        for one in passes:
            assert one.apply(graph) is graph
        return graph

    def run(self, program, feed, value):
        return self.exe.run(program, feed, [value])[0]

    def array(self, name):
        return np.array(self.scope.find_var(name).get_tensor())


def transform(net, v2=False, **options):
    first = Q.QuantizationTransformPassV2 if v2 else Q.QuantizationTransformPass
    second = Q.AddQuantDequantPassV2 if v2 else Q.AddQuantDequantPass
    return (
        first(net.scope, CPU, **options),
        second(net.scope, CPU),
        Q.OutScaleForTrainingPass(net.scope, CPU),
    )


# What PaddlePaddle 3.3.1 gives: types of inputs and weights, the form of the passes, losses of five
# steps, the first results for the sixth batch, sums of the magnitudes of whole weights, the first
# of them.
PUBLISHED = [
    (
        'moving_average_abs_max',
        'channel_wise_abs_max',
        False,
        [2.2128232, 2.5254703, 2.848007, 2.7322001, 2.3316312],
        [1.220446, -1.359963, 0.93221, 1.246586],
        [2248, 9043, 23670],
        [31, 67, 37, 12, -21, 69, -23, 73, 117],
    ),
    (
        'abs_max',
        'abs_max',
        False,
        [2.1990705, 2.4937665, 2.7771988, 2.751792, 2.2930593],
        [1.324283, -1.39449, 0.85456, 1.335839],
        [2116, 8645, 20438],
        [25, 53, 29, 10, -14, 55, -17, 57, 93],
    ),
    (
        'range_abs_max',
        'abs_max',
        False,
        [2.1990705, 2.5040636, 2.777215, 2.7421761, 2.2895894],
        [1.298415, -1.364571, 0.867381, 1.363226],
        [2117, 8642, 20403],
        [25, 53, 29, 9, -14, 56, -17, 58, 93],
    ),
    (
        'moving_average_abs_max',
        'channel_wise_abs_max',
        True,
        [2.2305653, 2.6748235, 2.6592743, 2.7856684, 2.3886135],
        [1.279615, -1.438386, 0.915881, 1.264673],
        [2191, 9067, 23734],
        [23, 61, 35, 11, -16, 68, -24, 69, 116],
    ),
]


@pytest.mark.parametrize(
    'inputs, weights, v2, losses, results, sums, first',
    PUBLISHED,
    ids=[f'{row[0]}-{row[1]}-{1 + row[2]}' for row in PUBLISHED],
)
def test_published_numbers(inputs, weights, v2, losses, results, sums, first, tmp_path):
    net = Net()
    passes = transform(net, v2, activation_quantize_type=inputs, weight_quantize_type=weights)
    train = net.graph(net.main, *passes).to_program()
    graph = net.graph(net.test, *passes, test=True)
    test = graph.to_program()
    got = [net.run(train, feed, net.loss).item() for feed in net.feeds[:5]]
    np.testing.assert_allclose(got, losses, rtol=0, atol=2e-6)
    tested = net.run(test, net.feeds[5], net.out)
    np.testing.assert_allclose(tested[0, :4], results, rtol=0, atol=5e-6)

    trained = {name: net.array(name) for name in SHAPES}
    Q.OutScaleForInferencePass(net.scope).apply(graph)
    if v2:
        Q.QuantWeightPass(net.scope, CPU).apply(graph)
    else:
        Q.QuantizationFreezePass(net.scope, CPU, weight_quantize_type=weights).apply(graph)
    frozen = graph.to_program()
    whole = [net.array(name) for name in ('cw', 'cw2', 'fw')]
    assert [int(np.abs(w.astype('int64')).sum()) for w in whole] == sums
    assert whole[0].ravel()[:9].tolist() == first
    assert whole[0].dtype == ('int8' if v2 else 'float32')
    np.testing.assert_allclose(net.run(frozen, net.feeds[5], net.out), tested, atol=1e-5)
    for parameter in net.main.all_parameters():  # training can go on
        assert np.array_equal(parameter.numpy(), trained[parameter.name])

    if not v2:
        Q.ConvertToInt8Pass(net.scope, CPU).apply(graph)
        assert net.array('cw.int8').dtype == 'int8'
        assert np.array_equal(net.array('cw.int8'), whole[0])
        assert not any('int8' in name for name in frozen._parameter_names())
    small = graph.to_program()
    kept = {str(t.dtype) for n, t in small._parameters().items() if n in small._parameter_names()}
    assert 'paddle.int8' in kept
    path = str(tmp_path / 'model')
    static.save_inference_model(path, [net.x], [net.out], net.exe, program=small)
    predictor = inference.create_predictor(inference.Config(path + '.json', path + '.pdiparams'))
    handle = predictor.get_input_handle('x')
    handle.copy_from_cpu(net.feeds[5]['x'])
    predictor.run()
    (name,) = predictor.get_output_names()
    np.testing.assert_allclose(predictor.get_output_handle(name).copy_to_cpu(), tested, atol=1e-5)


@pytest.mark.parametrize('bits', [4, 8])
def test_a_step_by_hand(bits):
    """One product: what is rounded, the moving average and the gradient that passes through."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data('x', [2, 3])
        y = static.nn.fc(x, 2, weight_attr=paddle.ParamAttr(name='w'), bias_attr=False)
        loss = paddle.sum(y * y)
        paddle.optimizer.SGD(0.1).minimize(loss)
    exe, scope = static.Executor(CPU), static.global_scope()
    exe.run(startup)
    w = np.array([[0.3, -0.7], [0.11, 0.5], [-0.26, 0.9]], 'float32')
    scope.find_var('w').get_tensor().set(w, CPU)
    graph = IrGraph(core.Graph(main.desc))
    Q.QuantizationTransformPass(
        scope, CPU, bits, bits, 'moving_average_abs_max', 'abs_max', moving_rate=0.5
    ).apply(graph)
    program = graph.to_program()
    most, state, accum = 2 ** (bits - 1) - 1, 1.0, 1.0

    def rounded(v, scale):
        steps = np.clip(v, -scale, scale) / scale * most
        return np.trunc(steps + np.copysign(0.5, steps)) * scale / most

    for feed in np.random.default_rng(1).standard_normal((3, 2, 3)).astype('float32'):
        state, accum = state * 0.5 + 1, accum * 0.5 + np.abs(feed).max()
        xq, wq = rounded(feed, accum / state), rounded(w, np.abs(w).max())
        out = xq @ wq
        assert exe.run(program, {'x': feed}, [loss])[0].item() == pytest.approx(
            (out**2).sum(), rel=1e-5
        )
        np.testing.assert_allclose(
            np.array(scope.find_var('x@scale').get_tensor()), [accum / state], rtol=1e-6
        )
        assert np.array(scope.find_var('w@scale').get_tensor()) == np.abs(w).max()
        w = w - 0.1 * xq.T @ (2 * out)
        np.testing.assert_allclose(np.array(scope.find_var('w').get_tensor()), w, rtol=1e-4)


def test_range_forgets_what_left_the_window():
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data('x', [1, 2])
        y = static.nn.fc(x, 1, weight_attr=paddle.ParamAttr(name='w'), bias_attr=False)
    exe, scope = static.Executor(CPU), static.global_scope()
    graph = IrGraph(core.Graph(main.desc))
    Q.QuantizationTransformPass(
        scope, CPU, activation_quantize_type='range_abs_max', window_size=2
    ).apply(graph)
    program, seen = graph.to_program(), []
    for largest in (4.0, 1.0, 2.0, 0.5):
        exe.run(program, {'x': np.array([[largest, 0]], 'float32')}, [y])
        seen.append(np.array(scope.find_var('x@scale').get_tensor()).item())
    assert seen == [4.0, 4.0, 2.0, 2.0]


def quantised(program):
    """Names of the operations that read rounded values."""
    return [op.name() for op in program._operations() if op.has_attr('quantization_type')]


def test_max_pooling_keeps_its_gradient():
    net = Net(F.max_pool2d)
    before = net.array('cw')
    graph = net.graph(net.main, Q.AddQuantDequantPass(net.scope, CPU))
    net.exe.run(graph.to_program(), net.feeds[0], [net.loss])
    rounded = net.array('cw') - before
    net.scope.find_var('cw').get_tensor().set(before, CPU)
    for name, value in numbers()[0].items():
        net.scope.find_var(name).get_tensor().set(value, CPU)
    net.exe.run(net.main, net.feeds[0], [net.loss])
    exact = net.array('cw') - before
    alike = (rounded * exact).sum() / np.sqrt((rounded**2).sum() * (exact**2).sum())
    assert alike > 0.9 and np.abs(exact).max() > 0.01


def test_adaptive_optimizers_and_compiled_programs_train():
    net = Net(optimizer=paddle.optimizer.Adam)
    graph = net.graph(net.main, *transform(net, weight_quantize_type='channel_wise_abs_max'))
    compiled = static.CompiledProgram(graph.graph)
    losses = [net.run(compiled, net.feeds[0], net.loss).item() for _ in range(30)]
    assert losses[-1] < 0.2 * losses[0]


def test_a_clone_for_evaluation_has_the_scales_of_training():
    net = Net()
    passes = transform(
        net,
        activation_quantize_type='moving_average_abs_max',
        weight_quantize_type='channel_wise_abs_max',
    )
    train = net.graph(net.main, *passes).to_program()
    test = net.graph(net.test, *passes, test=True).to_program()
    for feed in net.feeds[:3]:
        net.run(train, feed, net.loss)
    scale = net.array('x@scale')
    clone = train.clone(for_test=True)
    want = net.run(test, net.feeds[5], net.out)
    assert np.array_equal(net.run(clone, net.feeds[5], net.out), want)
    assert net.array('x@scale') == scale
    # a clone for training goes on with the same scales
    net.run(train.clone(), net.feeds[3], net.loss)
    assert net.array('x@scale') != scale


def test_what_is_chosen():
    net = Net()

    def after(*passes):
        return quantised(net.graph(net.main, *passes).to_program())

    first, second = Q.QuantizationTransformPass, Q.AddQuantDequantPass
    assert after(first(net.scope, CPU)) == ['pd_op.conv2d'] * 2 + ['pd_op.matmul']
    assert after(first(net.scope, CPU, quantizable_op_type=['mul'])) == ['pd_op.matmul']
    # sums with a parameter are not rounded by the first form
    assert after(second(net.scope, CPU)) == ['pd_op.pool2d', 'pd_op.add']
    assert after(second(net.scope, CPU, quantizable_op_type=['relu'])) == ['pd_op.relu']
    assert len(after(Q.AddQuantDequantPassV2(net.scope, CPU))) == 4
    # a pass that is applied again finds nothing more
    graph = net.graph(net.main, first(net.scope, CPU))
    count = graph.to_program().num_ops()
    first(net.scope, CPU).apply(graph)
    assert graph.to_program().num_ops() == count


def test_inputs_of_a_list_are_rounded():
    main = static.Program()
    with static.program_guard(main):
        x = static.data('x', [2])
        y = paddle.concat([x, x * 2.0])
    graph = IrGraph(core.Graph(main.desc), for_test=True)
    Q.AddQuantDequantPass(
        static.global_scope(),
        CPU,
        quant_bits=2,
        quantizable_op_type=['concat'],
        scale_dict={'x': 1.0, 'scale_0.tmp_0': 2.0, 'multiply_0.tmp_0': 2.0},
    ).apply(graph)
    got = static.Executor(CPU).run(graph.to_program(), {'x': [0.4, 0.6]}, [y])[0]
    assert got.tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize('pattern', ['skip_quant', ['left', 'skip']])
def test_scopes_that_are_skipped(pattern):
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data('x', [2, 3])
        with static.name_scope('body'):
            y = static.nn.fc(x, 3)
            with static.name_scope('skip_quant'):
                z = static.nn.fc(y, 3)
            y = static.nn.fc(z, 3)
    paths = [
        op.attrs().get('op_namescope') for op in main._operations() if op.name() == 'pd_op.matmul'
    ]
    assert paths == ['/body/', '/body/skip_quant/', '/body/']
    graph = IrGraph(core.Graph(main.desc), for_test=True)
    scope = static.global_scope()
    Q.QuantizationTransformPass(scope, CPU, skip_pattern=pattern).apply(graph)
    products = [op for op in graph.to_program()._operations() if op.name() == 'pd_op.matmul']
    assert [op.has_attr('quantization_type') for op in products] == [True, False, True]


def test_a_weight_that_others_read_keeps_its_numbers_for_them():
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data('x', [2, 3])
        w = static.create_parameter([3, 3], 'float32', name='w')
        with static.name_scope('skip_quant'):
            exact = paddle.matmul(x, w)
        rounded = paddle.matmul(x, w)
    exe, scope = static.Executor(CPU), static.global_scope()
    feed = {'x': np.eye(3, dtype='float32')[:2]}
    want = exe.run(main, feed, [exact])[0]
    graph = IrGraph(core.Graph(main.desc), for_test=True)
    Q.QuantizationTransformPass(scope, CPU).apply(graph)
    before = exe.run(graph.to_program(), feed, [exact, rounded])
    Q.QuantizationFreezePass(scope, CPU).apply(graph)
    after = exe.run(graph.to_program(), feed, [exact, rounded])
    assert np.array_equal(before[0], want) and np.array_equal(after[0], want)
    np.testing.assert_allclose(after[1], before[1], rtol=1e-6)
    assert not np.array_equal(after[1], want)


@pytest.mark.parametrize('transposed', [False, True])
def test_channels_of_a_product(transposed):
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data('x', [1, 3])
        w = static.create_parameter([2, 3] if transposed else [3, 2], 'float32', name='w')
        paddle.matmul(x, w, transpose_y=transposed)
    scope = static.global_scope()
    w.set_value(
        np.array([[1, 2], [3, -4], [0, 8]], 'float32').T.copy()
        if transposed
        else np.array([[1, 2], [3, -4], [0, 8]], 'float32')
    )
    graph = IrGraph(core.Graph(main.desc))
    kind = {'weight_quantize_type': 'channel_wise_abs_max'}
    Q.QuantizationTransformPass(scope, CPU, **kind).apply(graph)
    static.Executor(CPU).run(graph.to_program(), {'x': np.ones([1, 3], 'float32')}, [])
    assert np.array(scope.find_var('w@scale').get_tensor()).tolist() == [3, 8]
    Q.QuantizationFreezePass(scope, CPU, **kind).apply(graph)
    whole = np.array(scope.find_var('w').get_tensor())
    assert (whole.T if transposed else whole).tolist() == [[42, 32], [127, -64], [0, 127]]


def test_weights_of_16_bits_and_weights_kept_as_floating_numbers():
    for keep, bits, dtype in ((True, 16, 'int16'), (False, 16, 'float32')):
        net = Net()
        rounds = Q.QuantizationTransformPassV2(net.scope, CPU, weight_bits=bits)
        graph = net.graph(net.test, rounds, test=True)
        net.scope.find_var('cw@scale').get_tensor().set(np.array([0.5], 'float32'))
        Q.QuantWeightPass(net.scope, CPU, False, bits, keep).apply(graph)
        whole = net.array('cw')
        assert whole.dtype == dtype
        assert np.abs(whole.astype('float64') - numbers()[0]['cw'] / 0.5 * 32767).max() <= 0.51


def test_bias_correction():
    """As PaddlePaddle 3.3.1's, of weights of 3 bits."""
    net = Net()
    kind = {'weight_bits': 3, 'weight_quantize_type': 'channel_wise_abs_max'}
    rounds = Q.QuantizationTransformPass(net.scope, CPU, **kind)
    graph = net.graph(net.test, rounds, test=True)
    largest = np.abs(net.array('fw')).max(0)
    net.scope.find_var('fw@scale').get_tensor().set(largest, CPU)
    Q.QuantizationFreezePass(net.scope, CPU, True, **kind).apply(graph)
    assert net.array('fw').ravel()[:8].tolist() == [3, 1, 0, 1, 1, -1, -1, -2]
    assert np.abs(net.array('fw')).sum() == 567


def test_a_startup_program_makes_the_weights_those_of_the_scope_again():
    net = Net()
    graph = net.graph(net.test, Q.QuantizationTransformPass(net.scope, CPU), test=True)
    Q.QuantizationFreezePass(net.scope, CPU).apply(graph)
    assert np.abs(net.array('cw')).max() == 127
    net.exe.run(net.startup)
    assert np.abs(net.array('cw')).max() < 10


@pytest.mark.parametrize('v2', [False, True])
def test_transposed_convolutions_and_products_of_results(v2):
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data('x', [None, 3, 8, 8])
        h = paddle.nn.Conv2DTranspose(3, 4, 3, bias_attr=False)(x)
        h = F.hardswish(paddle.nn.Conv2D(4, 4, 3, groups=4, bias_attr=False)(h))
        rows = paddle.flatten(h, 2)
        out = paddle.nn.Linear(16, 5)(paddle.flatten(paddle.matmul(rows, rows.mT), 1))
        loss = paddle.mean(out * out)
        test = main.clone(for_test=True)
        paddle.optimizer.Momentum(0.001).minimize(loss)
    exe, scope = static.Executor(CPU), static.global_scope()
    exe.run(startup)
    first = Q.QuantizationTransformPassV2 if v2 else Q.QuantizationTransformPass
    kinds = ['conv2d', 'depthwise_conv2d', 'conv2d_transpose', 'mul', 'matmul_v2']
    channels = {'weight_quantize_type': 'channel_wise_abs_max'}
    rounds = first(scope, CPU, quantizable_op_type=kinds, **channels)
    graph = IrGraph(core.Graph(test.desc), for_test=True)
    train = rounds.apply(IrGraph(core.Graph(main.desc))).to_program()
    tested = rounds.apply(graph).to_program()
    want = ['pd_op.conv2d_transpose', 'pd_op.conv2d', 'pd_op.matmul', 'pd_op.linear_v2']
    assert quantised(tested) == want
    feed = {'x': np.random.default_rng(2).standard_normal((8, 3, 8, 8)).astype('float32')}
    losses = [exe.run(train, feed, [loss])[0].item() for _ in range(20)]
    assert losses[-1] < 0.5 * losses[0]
    result = exe.run(tested, feed, [out])[0]
    (
        Q.QuantWeightPass(scope, CPU) if v2 else Q.QuantizationFreezePass(scope, CPU, **channels)
    ).apply(graph)
    frozen = exe.run(graph.to_program(), feed, [out])[0]
    np.testing.assert_allclose(frozen, result, rtol=1e-4, atol=1e-5)


def test_scales_of_results():
    net = Net()
    observe = Q.OutScaleForTrainingPass(net.scope, CPU, moving_rate=0.5, scale_dict={'x': 1.0})
    train = net.graph(net.main, observe).to_program()
    graph = net.graph(net.test, observe, test=True)
    assert graph.to_program().num_ops() == net.test.num_ops()
    first = net.exe.run(net.test, net.feeds[0], [net.out])[0]
    net.run(train, net.feeds[0], net.loss)
    want = (1 * 0.5 + np.abs(first).max()) / 1.5
    np.testing.assert_allclose(net.array('add_2.tmp_0@scale'), [want], rtol=1e-6)
    Q.OutScaleForInferencePass(net.scope).apply(graph)
    noted = {
        op.name(): op.attrs()['out_threshold']
        for op in graph.to_program()._operations()
        if op.has_attr('out_threshold')
    }
    assert noted['pd_op.add'] == pytest.approx(want)
    assert {'pd_op.conv2d', 'pd_op.relu', 'pd_op.pool2d', 'pd_op.matmul', 'pd_op.mean'} <= set(
        noted
    )
    assert 'pd_op.cross_entropy_with_softmax' not in noted
    other = net.graph(net.test, test=True)
    with pytest.raises(AssertionError, match="expected a variable 'conv2d_0.tmp_0@scale'"):
        Q.OutScaleForInferencePass(static.Scope()).apply(other)


def test_results_rounded_for_those_that_read_them():
    net = Net()
    ranges = {'relu_0.tmp_0': 2.0}
    observed = net.graph(
        net.test,
        Q.AddQuantDequantForInferencePass(net.scope, CPU, 8, ['relu', 'conv2d'], ranges),
        test=True,
    ).to_program()
    exact = net.run(net.test, net.feeds[0], net.out)
    assert np.array_equal(net.run(observed, net.feeds[0], net.out), exact)
    noted = [op.name() for op in observed._operations() if op.has_attr('out_threshold')]
    assert noted == ['pd_op.relu']
    add = Q.AddQuantDequantForInferencePass(
        net.scope, CPU, 8, ['relu'], ranges, only_observer=False
    )
    rounded = net.graph(net.test, add, test=True).to_program()
    got = net.run(rounded, net.feeds[0], net.out)
    assert 0 < np.abs(got - exact).max() < 0.3


def test_first_scales_by_name():
    main = static.Program()
    with static.program_guard(main):
        x = static.data('x', [2])
        y = x + x
    for pass_type, name in (
        (Q.AddQuantDequantPass, 'x.quant_dequant@scale'),
        (Q.AddQuantDequantPassV2, 'x@scale'),
    ):
        graph = IrGraph(core.Graph(main.desc), for_test=True)
        pass_type(static.global_scope(), CPU, quant_bits=2, scale_dict={'x': 2.0}).apply(graph)
        found = static.global_scope().find_var(name).get_tensor()
        assert np.array(found).tolist() == [2.0]
        got = static.Executor(CPU).run(graph.to_program(), {'x': [0.9, 1.1]}, [y])[0]
        assert got.tolist() == [0, 4]


def test_refusals():
    net = Net()
    scope, program = net.scope, net.main
    first, second = Q.QuantizationTransformPass, Q.AddQuantDequantPass
    with pytest.raises(ValueError, match='expected weight_quantize_type'):
        first(scope, CPU, weight_quantize_type='none')
    with pytest.raises(ValueError, match='expected activation_quantize_type'):
        first(scope, CPU, activation_quantize_type='none')
    with pytest.raises(AssertionError, match='with one scale'):
        first(scope, CPU, activation_quantize_type='channel_wise_abs_max')
    with pytest.raises(ValueError, match='weight_bits from 2 to 16'):
        first(scope, CPU, weight_bits=1)
    with pytest.raises(ValueError, match='window_size'):
        first(scope, CPU, window_size=0)
    with pytest.raises(TypeError, match='weight_preprocess_func to be a function'):
        first(scope, CPU, weight_preprocess_func=2)
    with pytest.raises(NotImplementedError, match="round_type='round'"):
        Q.QuantizationFreezePass(scope, CPU, round_type='adaround')
    with pytest.raises(TypeError, match=r'expected a paddle\.static\.Scope'):
        first('scope', CPU)
    for one in (first(), second(), Q.OutScaleForTrainingPass(), Q.OutScaleForInferencePass()):
        with pytest.raises(AssertionError, match='expected a scope'):
            net.graph(program, one)
    with pytest.raises(AssertionError, match='expected a place'):
        net.graph(program, first(scope))
    for make in (Q.QuantizationFreezePass, Q.ConvertToInt8Pass, Q.QuantWeightPass):
        with pytest.raises(AssertionError, match='expected a scope'):
            make(None, None)
        with pytest.raises(AssertionError, match='expected a place'):
            make(scope, None)
    with pytest.raises(AssertionError, match='expected graph to be an IrGraph'):
        first(scope, CPU).apply(program)
    with pytest.raises(AssertionError, match=r"got \['relu'\]"):
        net.graph(program, first(scope, CPU, quantizable_op_type=['relu']))
    with pytest.raises(AssertionError, match=r"got \['conv2d'\]"):
        second(scope, CPU, quantizable_op_type=['conv2d'])
    with pytest.raises(ValueError, match='updates parameters'):
        net.graph(program, first(scope, CPU), Q.QuantizationFreezePass(scope, CPU))
    with pytest.raises(ValueError, match='as when .* was rounded'):
        net.graph(
            net.test,
            first(scope, CPU, weight_quantize_type='channel_wise_abs_max'),
            Q.QuantizationFreezePass(scope, CPU),
            test=True,
        )


def test_programs_with_branches_are_refused():
    main = static.Program()
    with static.program_guard(main):
        x = static.data('x', [1])
        static.nn.cond(x.sum() > 0, lambda: x + 1, lambda: x - 1)
    graph = IrGraph(core.Graph(main.desc))
    with pytest.raises(ValueError, match=r'expected a program of single operations, got pd_op\.if'):
        Q.AddQuantDequantPass(static.global_scope(), CPU).apply(graph)


def test_operands_are_turned_to_other_values():
    main = static.Program()
    with static.program_guard(main):
        x = static.data('x', [2])
        a = paddle.exp(x)
        b = paddle.scale(x, 3.0)
        c = a + x
    add, scaled = c.get_defining_op(), b.get_defining_op()
    operand = add.operand(1)
    assert operand.index() == 1 and operand.owner() == add
    assert operand.source().is_same(x)
    operand.set_source(b)
    got = static.Executor(CPU).run(main, {'x': [0.0, 1.0]}, [c])[0]
    np.testing.assert_allclose(got, [1, np.e + 3], rtol=1e-6)
    with pytest.raises(ValueError, match='expected a value that is made before'):
        scaled.operand(0).set_source(c)
    with pytest.raises(IndexError):
        add.operand(2)


def test_a_graph_gives_its_program_as_it_is():
    net = Net()
    graph = net.graph(net.test, test=True)
    before = graph.to_program()
    Q.QuantizationTransformPass(net.scope, CPU).apply(graph)
    assert before.num_ops() == net.test.num_ops() < graph.to_program().num_ops()
    assert len(graph.all_op_nodes()) == graph.to_program().num_ops()
    assert graph.all_sub_graphs() == [graph]


def test_named_results_are_known_in_clones():
    main = static.Program()
    with static.program_guard(main):
        x = static.data('x', [2])
        block = main.global_block()
        y = block.create_var('doubled')
        block.append_op('scale', {'X': x}, {'Out': y}, {'scale': 2.0})
    for clone in (main.clone(), main.clone(for_test=True)):
        got = static.Executor(CPU).run(clone, {'x': [1.0, 2.0]}, ['doubled'])[0]
        assert got.tolist() == [2, 4]
    graph = IrGraph(core.Graph(main.desc))
    Q.OutScaleForTrainingPass(static.global_scope(), CPU).apply(graph)
    assert static.global_scope().find_var('doubled@scale') is not None
