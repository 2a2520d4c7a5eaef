# SPDX-License-Identifier: Apache-2.0
"""Recorded models compute what they compute operation by operation: results, gradients, buffers,
three steps.
"""

import jit_models
import numpy
import pytest

import paddle


def _leaves(value):
    if isinstance(value, paddle.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _leaves(v)]
    return []


def _close(a, b, what):
    numpy.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-4, atol=2e-5, err_msg=what)


def _step(net, optimizer, args, seed):
    paddle.seed(seed)
    out = net(*args)
    found = [t for t in _leaves(out) if 'float' in str(t.dtype)]
    loss = sum((t * t).mean() for t in found)
    loss.backward()
    grads = [p.grad for p in net.parameters()] + [t.grad for t in _leaves(list(args))]
    optimizer.step()
    return out, grads


def _check(make, inputs, **options):
    paddle.seed(1)
    plain = make()
    paddle.seed(1)
    static = paddle.jit.to_static(make(), **options)
    optimizers = [
        paddle.optimizer.SGD(0.01, parameters=net.parameters()) for net in (plain, static)
    ]
    paddle.seed(2)
    for step in range(3):
        args = inputs()
        for t in _leaves(args):
            t.stop_gradient = 'float' not in str(t.dtype)
        results = []
        for net, optimizer in zip((plain, static), optimizers):
            results.append(_step(net, optimizer, args, step))
            optimizer.clear_grad()
            for t in _leaves(args):
                t.clear_grad()
        (out, grads), (static_out, static_grads) = results
        assert [type(v) for v in _nest(out)] == [type(v) for v in _nest(static_out)]
        for a, b in zip(_leaves(out), _leaves(static_out)):
            _close(a, b, f'result, step {step}')
        for i, (a, b) in enumerate(zip(grads, static_grads)):
            assert (a is None) == (b is None), i
            if a is not None:
                _close(a, b, f'gradient {i}, step {step}')
    for (name, a), (_, b) in zip(plain.state_dict().items(), static.state_dict().items()):
        _close(a, b, name)
    return static


def _nest(value):
    yield value
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _nest(v)


@pytest.mark.parametrize('backend', [None, 'CINN'])
@pytest.mark.parametrize('name', list(jit_models.MODELS))
def test_full_graph(name, backend):
    static = _check(*jit_models.MODELS[name], full_graph=True, backend=backend)
    assert static.forward.get_traced_count() == 1
