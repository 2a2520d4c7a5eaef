# SPDX-License-Identifier: Apache-2.0
"""What call texts of tools/oracle/calls*.py use beside the package: short functions over the public
API of either `paddle`.
"""

import copy
import itertools
import operator  # noqa: F401 - call texts use it

import numpy as np
import paddle


COUNT = itertools.count()


def into(call, like=None):
    """The call with an `out` of the result's own shape and dtype: the result and `out`."""
    plain = call(None)
    if isinstance(plain, (list, tuple)):
        out = tuple(paddle.zeros_like(p) for p in plain)
        call(out)
        return list(out)
    out = paddle.zeros_like(plain)
    out.stop_gradient = True
    result = call(out)
    return result, out


def written(result, x):
    """An in-place call's result and the tensor it wrote."""
    return result, x


def optimize(
    name, steps=5, dtype='float32', params=2, clip=None, lr=0.1, grad_none=False, **options
):
    """Parameters and state after some steps of an optimizer on a quadratic function."""
    random, run = np.random.RandomState(3), next(COUNT)
    parameters = []
    for i in range(params):
        p = paddle.create_parameter(
            [3, 4] if i else [5],
            'float32',
            name=f'p{i}_{run}',
            default_initializer=paddle.nn.initializer.Constant(0.0),
        )
        p.set_value(random.randn(*p.shape).astype('float32'))
        parameters.append(p if dtype == 'float32' else p.astype(dtype).detach())
    for p in parameters:
        p.stop_gradient = False
    if clip:
        options['grad_clip'] = getattr(paddle.nn, clip[0])(*clip[1:])
    optimizer = getattr(paddle.optimizer, name)(learning_rate=lr, parameters=parameters, **options)
    for step in range(steps):

        def closure():
            optimizer.clear_grad()
            loss = (
                sum(
                    ((p - 0.5 * step) ** 2).sum()
                    for p in (parameters[:1] if grad_none else parameters)
                )
                + (parameters[0] ** 4).sum()
            )
            loss.backward()
            return loss

        if name == 'LBFGS':
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()
            if hasattr(optimizer._learning_rate, 'step'):
                optimizer._learning_rate.step()
    state = optimizer.state_dict() if name != 'LBFGS' else {}
    names = {
        k.replace(parameters[0].name, 'p0').replace(parameters[-1].name, 'p1'): v
        for k, v in state.items()
        if k != 'LR_Scheduler'
    }
    return [p.detach() for p in parameters], names


def schedule(name, *args, steps=25, metrics=None, **options):
    """The learning rates of a scheduler, its state, and the rates after a round trip of the
    state.
    """
    scheduler = getattr(paddle.optimizer.lr, name)(*args, **options)
    rates = []
    for step in range(steps):
        rates.append(float(scheduler()))
        scheduler.step(*([metrics[step % len(metrics)]] if metrics else []))
    return np.array(rates), float(
        scheduler.get_lr() if hasattr(scheduler, 'get_lr') and not metrics else scheduler()
    )


def initialize(initializer, shape, dtype='float32'):
    """A parameter made by an initializer."""
    return paddle.create_parameter(shape, dtype, default_initializer=initializer).detach()


def metric(name, updates, *args, **options):
    """A metric after some updates, each time accumulated."""
    m = getattr(paddle.metric, name)(*args, **options)
    seen = []
    for pred, label in updates:
        computed = m.compute(pred, label)
        m.update(*(computed if isinstance(computed, tuple) else (computed,)))
        seen.append(m.accumulate())
    return seen


def layer(module, *inputs, evaluate=False):
    """A layer's results, its parameters' gradients and its state afterwards (but for what recurrent
    layers of 3.3.1 keep beside it).
    """
    if evaluate:
        module.eval()
    results = module(*inputs)
    first = results
    while isinstance(first, (list, tuple)):
        first = first[0]
    gradients = []
    parameters = [
        p for n, p in module.named_parameters() if not p.stop_gradient and not n.startswith('_flat')
    ]
    if parameters and not first.stop_gradient:
        gradients = paddle.grad(
            (first * first * first).sum(), parameters, retain_graph=True, allow_unused=True
        )
    known = [
        g.flatten() for g in gradients if g is not None
    ]  # in one tensor: some are 0 but for rounding
    return (
        results,
        [p.detach() for p in parameters],
        [g is None for g in gradients],
        paddle.concat(known).detach() if known else 0,
        [b.detach() for n, b in module.named_buffers() if 'dropout' not in n],
    )


def assigned(x, index, value):
    """x after x[index] = value, on a tensor of its own."""
    y = x * 1 if not x.stop_gradient else x.clone()
    y[index] = value
    return y


def after(x, method, *args, **options):
    """A tensor of its own after a method that writes it."""
    y = x * 1 if not x.stop_gradient else copy.copy(x.clone())
    result = getattr(y, method)(*args, **options)
    return y, result
