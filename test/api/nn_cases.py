# SPDX-License-Identifier: Apache-2.0
"""Calls of paddle.nn.functional, and how each is reduced to a few numbers for comparison with
recorded ones.
"""

import numpy as np


def f(*shape, seed=0, lo=-2, hi=2):
    """Uniform float32 values that depend on the shape and seed only."""
    return (
        np.random.RandomState(seed + sum(shape) + len(shape)).rand(*shape) * (hi - lo) + lo
    ).astype("float32")


def P(*shape):
    """Positive values that sum to 1 along the last axis."""
    values = f(*shape, lo=0.1)
    return values / values.sum(-1, keepdims=True)


def I(high, *shape, seed=0):
    """Integers below `high`."""
    return np.random.RandomState(seed + 7).randint(0, high, shape).astype("int64")


def _digest(array):
    flat = np.asarray(array, dtype="float64").ravel()
    return [
        list(array.shape),
        str(array.dtype),
        round(float(flat.sum()), 6),
        round(float(flat @ np.cos(np.arange(flat.size))), 6),
    ]


def _flat(value):
    return (
        [leaf for part in value for leaf in _flat(part)]
        if isinstance(value, (list, tuple))
        else [value]
    )


def run(paddle, functional, case):
    """{'out': digests, 'grad': digests or None of every tensor argument} of one call."""
    inputs = []

    def T(array):
        tensor = paddle.to_tensor(array)
        tensor.stop_gradient = False
        inputs.append(tensor)
        return tensor

    def N(array):
        tensor = paddle.to_tensor(array)
        inputs.append(tensor)
        return tensor

    def UP(n, x):
        return getattr(functional, f"max_pool{n}d")(x, 2, return_mask=True)

    paddle.seed(5)
    result = eval(
        "F." + case, {"F": functional, "T": T, "N": N, "UP": UP, "f": f, "I": I, "P": P, "np": np}
    )
    outs = _flat(result)
    loss = None
    for k, out in enumerate(outs):
        if not out.stop_gradient and "float" in str(out.dtype):
            weight = np.cos(np.arange(int(np.prod(out.shape))) + k).astype(
                str(out.dtype).split(".")[-1]
            )
            part = (
                (out * paddle.to_tensor(weight.reshape(tuple(out.shape)))).sum().astype("float32")
            )
            loss = part if loss is None else loss + part
    if loss is not None:
        loss.backward()
    return {
        "out": [_digest(o.numpy()) for o in outs],
        "grad": [None if t.grad is None else _digest(t.grad.numpy()) for t in inputs],
    }


def run_layer(paddle, nn, case):
    """Digests of `layer @ arguments`: outputs, gradients of inputs and parameters, and the state
    afterwards.
    """
    inputs = []

    def T(array):
        tensor = paddle.to_tensor(array)
        tensor.stop_gradient = tensor.dtype != paddle.float32
        inputs.append(tensor)
        return tensor

    paddle.seed(5)
    names = {"nn": nn, "T": T, "f": f, "I": I, "np": np}
    make, args = case.split(" @ ")
    layer = eval(make, names)
    outs = [t for t in _flat(layer(*eval(args, names))) if t is not None]
    floating = [t for t in outs if not t.stop_gradient and t.dtype == paddle.float32]
    if floating:
        sum((t * t).sum() * (0.5 + i) for i, t in enumerate(floating)).backward()
    record = {
        "out": [_digest(t.numpy()) for t in outs],
        "grad": [None if t.grad is None else _digest(t.grad.numpy()) for t in inputs],
    }
    if isinstance(layer, nn.Layer):
        record["parameters"] = {
            n: None if p.grad is None else _digest(p.grad.numpy())
            for n, p in layer.named_parameters()
        }
        record["state"] = {n: _digest(p.numpy()) for n, p in layer.state_dict().items()}
    return record


def describe_layer(paddle, nn, case):
    """repr, name and state (key, parameter name, shape, stop_gradient, digest) of a new layer."""
    paddle.seed(7)
    with paddle.utils.unique_name.guard():
        layer = eval(case, {"nn": nn, "paddle": paddle})
        return {
            "repr": repr(layer),
            "full_name": layer.full_name(),
            "state": [
                [k, p.name, bool(p.stop_gradient), _digest(p.numpy())]
                for k, p in layer.state_dict().items()
            ],
            "parameters": [n for n, _ in layer.named_parameters()],
            "sublayers": [n for n, _ in layer.named_sublayers()],
        }


def initial_value(paddle, nn, case):
    """Digest of a parameter of shape [4, 4, 3, 3] (or [6, 4] for `case#2`) made by one
    initializer.
    """
    paddle.seed(5)
    initializer = eval("nn.initializer." + case, {"nn": nn, "np": np})
    shape = [6, 4] if case.endswith("#2") else [4, 4, 3, 3]
    return _digest(
        paddle.create_parameter(shape, "float32", default_initializer=initializer).numpy()
    )
