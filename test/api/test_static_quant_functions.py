# SPDX-License-Identifier: Apache-2.0
"""Functions of users in the passes that quantise programs, forwards and in training."""

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.base import core
from paddle.base.framework import IrGraph
from paddle.static import quantization as Q

pytestmark = pytest.mark.usefixtures('static_scope')
CPU = paddle.CPUPlace()
PASSES = [Q.QuantizationTransformPass, Q.QuantizationTransformPassV2]
DRAW = np.random.RandomState(3)
X, W, V = (DRAW.uniform(-0.5, 0.5, s).astype('float32') for s in ((4, 6), (6, 5), (5, 3)))


class Net:
    """Two products, and their training."""

    def __init__(self, train=False, **functions):
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup):
            h = static.data('x', [4, 6])
            for name, value in (('w', W), ('v', V)):
                assign = paddle.nn.initializer.Assign(value)
                attr = paddle.ParamAttr(name=name, initializer=assign)
                h = static.nn.fc(h, value.shape[1], weight_attr=attr, bias_attr=False)
                self.out, self.loss, self.main = h, paddle.mean(h * h), main
            self.test = main.clone(for_test=True)
            if train:
                paddle.optimizer.SGD(0.5).minimize(self.loss)
        self.exe, self.scope = static.Executor(CPU), static.global_scope()
        self.exe.run(startup)
        self.train, self.functions = train, functions

    def quantised(self, kind, train=None, **more):
        train = self.train if train is None else train
        graph = IrGraph(core.Graph((self.main if train else self.test).desc), for_test=not train)
        transform = kind(self.scope, CPU, executor=self.exe, **self.functions, **more)
        return transform.apply(graph).to_program()

    def run(self, program):
        return self.exe.run(program, {'x': X}, [self.out.name, self.loss.name])

    def kept(self, name):
        return np.array(self.scope.find_var(name).get_tensor())


def rounded(a, bits=8):
    most, scale = 2 ** (bits - 1) - 1, np.abs(a).max()
    return np.round(a / scale * most) * scale / most


def test_results_are_fetched_by_name_from_quantised_programs():
    net = Net()
    got = net.run(net.quantised(PASSES[0]))[0]
    np.testing.assert_allclose(
        got, rounded(rounded(X) @ rounded(W)) @ rounded(V), rtol=1e-5, atol=1e-6
    )


def test_functions_come_before_rounding_or_in_its_place():
    def want(pre, post, weight_pre, weight_post):
        h = X
        for w in (W, V):
            h = post(pre(h)) @ weight_post(weight_pre(w))
        return h

    def same(a):
        return a

    cases = [
        ({'weight_preprocess_func': paddle.tanh}, (same, rounded, np.tanh, rounded)),
        ({'act_preprocess_func': paddle.tanh}, (np.tanh, rounded, same, rounded)),
        ({'weight_quantize_func': paddle.tanh}, (same, rounded, same, np.tanh)),
        ({'act_quantize_func': paddle.tanh}, (same, np.tanh, same, rounded)),
        (
            {'weight_preprocess_func': paddle.tanh, 'weight_quantize_func': paddle.exp},
            (same, rounded, np.tanh, np.exp),
        ),
    ]
    for functions, parts in cases:
        net = Net(**functions)
        got = net.run(net.quantised(PASSES[0]))[0]
        np.testing.assert_allclose(got, want(*parts), rtol=1e-5, atol=1e-6, err_msg=str(functions))


def test_a_function_that_gives_what_it_got():
    net, plain = Net(weight_preprocess_func=lambda w: w), Net()
    got, want = (one.run(one.quantised(PASSES[0]))[0] for one in (net, plain))
    np.testing.assert_array_equal(got, want)


def factor(x):
    name = x.name.replace('.', '_') + '_factor'
    first = paddle.nn.initializer.Constant(0.7)
    return x * static.create_parameter(
        [1], 'float32', attr=paddle.ParamAttr(name=name, initializer=first)
    )


@pytest.mark.parametrize('kind', PASSES)
def test_training_goes_through_functions(kind):
    net = Net(
        train=True, weight_preprocess_func=factor, optimizer_func=lambda: paddle.optimizer.SGD(0.25)
    )
    program = net.quantised(kind, weight_bits=16, activation_bits=16, moving_rate=0.0)
    first, last = (net.run(program)[1] for _ in range(2))
    kept = {n: net.kept(n) for n in ('w', 'v', 'w_factor', 'v_factor')}
    assert last < first

    with static.program_guard(static.Program()):
        paddle.disable_static()
        w, v = (paddle.to_tensor(a, stop_gradient=False) for a in (W, V))
        p, q = (paddle.to_tensor([0.7], stop_gradient=False) for _ in range(2))
        for _ in range(2):
            h = paddle.to_tensor(X) @ (w * p) @ (v * q)
            found = paddle.grad(paddle.mean(h * h), [w, v, p, q])
            steps = zip((w, v, p, q), found, (0.5, 0.5, 0.25, 0.25))
            w, v, p, q = (
                paddle.to_tensor((t - rate * g).numpy(), stop_gradient=False)
                for t, g, rate in steps
            )
        paddle.enable_static()
    # Scales that are averages lag behind the first steps of the second kind.
    tolerance = 1e-4 if kind is PASSES[0] else 2e-2
    for name, want in zip(kept, (w, v, p, q)):
        np.testing.assert_allclose(kept[name], want.numpy(), rtol=tolerance, atol=tolerance)


def test_a_program_for_evaluation_reads_what_training_left():
    net = Net(
        train=True, weight_preprocess_func=factor, optimizer_func=lambda: paddle.optimizer.SGD(0.25)
    )
    program = net.quantised(PASSES[0])
    for _ in range(5):
        net.run(program)
    assert abs(net.kept('w_factor').item() - 0.7) > 1e-3
    w, v = (net.kept(n) * net.kept(n + '_factor') for n in ('w', 'v'))
    got = net.run(net.quantised(PASSES[0], train=False))[0]
    np.testing.assert_allclose(got, rounded(rounded(X) @ rounded(w)) @ rounded(v), atol=1e-6)


def test_refusals():
    with pytest.raises(AssertionError, match='optimizer_func'):
        Net(train=True, weight_preprocess_func=factor).quantised(PASSES[0])
    with pytest.raises(TypeError, match='return a tensor, got NoneType'):
        Net(act_preprocess_func=lambda x: None).quantised(PASSES[0])
