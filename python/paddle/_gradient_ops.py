# SPDX-License-Identifier: Apache-2.0
"""`paddle._C_ops.<op>_grad`: gradients of operations under the names, arguments and results that
programs have for them.

Where all inputs are among the arguments, the operation is called again and differentiated, so
further orders are there; what it gave before is not read. Where a rule reads the result alone
(`tanh_grad(out, out_grad)`), its kernel runs.
"""

import inspect
import keyword

import paddle
from paddle.base import libpaddle as _core


def function(name):
    """The function `name`; None where no operation has such a gradient that can be called."""
    known = _core._gradient_op(name) if name.endswith('_grad') else None
    if known is None:
        return None
    arguments, results, by_result, inputs, outs = known
    order = [a for a, _ in arguments]
    tensors = [a for a, is_tensor in arguments if is_tensor]
    forward = name[: -len('_grad')]

    def gradient(*args, **kwargs):
        if tensors == ['x', 'y', 'out_grad'] and args[len(order) :] == (-1,):
            args = args[:-1]  # `axis` of old binary operations, which says nothing here
        if len(args) > len(order):
            raise TypeError(f"[{name}] expected at most {len(order)} arguments, got {len(args)}")
        given = dict(zip(order, args))
        for key, value in kwargs.items():
            if key not in order or key in given:
                raise TypeError(
                    f"[{name}] expected the arguments {', '.join(order)}, each once, got {key!r}"
                )
            given[key] = value
        for key in tensors:
            value = given.get(key)
            if not isinstance(value, paddle.Tensor) and (value is not None or key not in given):
                raise TypeError(f"[{name}] expected a tensor as {key}, got {type(value).__name__}")
        if by_result:
            left = [given[key] for key in order if key in given]
            if set(given) != set(order[: len(given)]):
                raise TypeError(
                    f"[{name}] expected the arguments {', '.join(order)}, got "
                    f"{', '.join(given) or 'none'}"
                )
            return _core._run_gradient_op(name, *left)
        return _differentiated(name, forward, given, inputs, outs, results)

    gradient.__signature__ = inspect.Signature(
        [
            inspect.Parameter(
                a + '_' * keyword.iskeyword(a), inspect.Parameter.POSITIONAL_OR_KEYWORD
            )
            for a in order
        ]
    )
    gradient.__name__ = gradient.__qualname__ = name
    gradient.__module__ = 'paddle._C_ops'
    gradient.__doc__ = f"{name}({', '.join(order)}): the gradients {', '.join(results)}."
    return gradient


def _differentiated(name, forward, given, inputs, outs, results):
    leaves, call, further = {}, [], False
    for key, is_tensor in inputs:
        value = given.get(key)
        if is_tensor and value is not None and key + '_grad' in results:
            if not hasattr(value, 'stop_gradient'):  # sparse tensors are none of the class
                _core.expect_tensors(name, **{key: value})
            kept = not value.stop_gradient and paddle.is_grad_enabled()
            further = further or kept
            value = paddle.assign(value) if kept else value.detach()
            value.stop_gradient = False
            leaves[key] = value
        elif key not in given and not is_tensor:
            break  # the operation's own defaults from here on
        call.append(value)
    seeds = [given.get(out + '_grad') for out in outs]
    further = further or any(s is not None and not s.stop_gradient for s in seeds)
    with paddle.enable_grad():
        made = paddle._C_ops._whole(forward)(*call)
    made = dict(zip(outs, made if isinstance(made, (list, tuple)) else [made]))
    pairs = [(made[o], s) for o, s in zip(outs, seeds) if s is not None and made.get(o) is not None]
    if not pairs:
        raise TypeError(f"[{name}] expected the gradient of a result, got none")
    for value, seed in pairs:
        if list(value.shape) != list(seed.shape) or value.dtype != seed.dtype:
            raise ValueError(
                f"[{name}] expected a gradient of shape {list(value.shape)} and {value.dtype}, got "
                f"{list(seed.shape)} and {seed.dtype}"
            )
    asked = {
        key: leaf for key, leaf in leaves.items() if leaf.is_floating_point() or leaf.is_complex()
    }
    found = paddle.grad(
        [value for value, _ in pairs],
        list(asked.values()),
        [seed for _, seed in pairs],
        create_graph=further and paddle.is_grad_enabled(),
        allow_unused=True,
    )
    by_name = dict(zip(asked, found))
    ordered = tuple(by_name.get(r[: -len('_grad')]) for r in results)
    return ordered[0] if len(ordered) == 1 else ordered
