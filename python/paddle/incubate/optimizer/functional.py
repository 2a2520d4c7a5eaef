# SPDX-License-Identifier: Apache-2.0
"""Minima of functions of a vector by BFGS, with the inverse of the Hessian kept whole or as the
last steps.
"""

import paddle
from paddle import _lazy
from paddle.optimizer.lbfgs import _strong_wolfe

__all__ = ['minimize_bfgs', 'minimize_lbfgs']


def _start(
    op, objective_func, initial_position, initial_inverse_hessian_estimate, line_search_fn, dtype
):
    """(function of a position that gives value and gradient, first position, estimate of the
    inverse Hessian).
    """
    if line_search_fn != 'strong_wolfe':
        raise NotImplementedError(
            f"[{op}] expected line_search_fn='strong_wolfe', got {line_search_fn!r}"
        )
    if dtype not in ('float32', 'float64'):
        raise ValueError(f"[{op}] expected dtype 'float32' or 'float64', got {dtype!r}")
    position = initial_position.detach().astype(dtype)
    if position.ndim != 1:
        raise ValueError(
            f"[{op}] expected an initial_position of one axis, got shape {list(position.shape)}"
        )
    size = position.shape[0]
    inverse = paddle.eye(size, dtype=dtype)
    if initial_inverse_hessian_estimate is not None:
        inverse = initial_inverse_hessian_estimate.detach().astype(dtype)
        if (
            list(inverse.shape) != [size, size]
            or not bool(paddle.allclose(inverse, inverse.t()))
            or not bool((paddle.linalg.eigvalsh(inverse) > 0).all())
        ):
            raise ValueError(
                f"[{op}] expected initial_inverse_hessian_estimate to be symmetric and positive "
                "definite, got one that is not"
            )

    def evaluate(at):
        at = at.detach()
        at.stop_gradient = False
        value = objective_func(at)
        if value.numel() != 1:
            raise ValueError(
                f"[{op}] expected a function of one value, got shape {list(value.shape)}"
            )
        (grad,) = paddle.grad(value.reshape([]), [at], allow_unused=True)
        return value.detach().reshape([]), paddle.zeros_like(at) if grad is None else grad.detach()

    return evaluate, position, inverse


def _minimize(
    evaluate,
    position,
    direction_of,
    note,
    max_iters,
    tolerance_grad,
    tolerance_change,
    max_line_search_iters,
    step,
):
    """Walk along `direction_of(gradient)` until nothing changes. `note(change, change of the
    gradient)` hears of each step.
    """
    value, grad = evaluate(position)
    value, calls, converged = float(value), 1, float(grad.abs().max()) < tolerance_grad
    for _ in range(max_iters):
        if converged:
            break
        direction = direction_of(grad)
        slope = float(paddle.dot(grad, direction))
        if not slope < 0:
            direction, slope = -grad, -float(paddle.dot(grad, grad))

        def along(alpha, position=position, direction=direction):
            found = evaluate(position + alpha * direction)
            return float(found[0]), found[1]

        found, turned, alpha, tried = _strong_wolfe(
            along, step, direction, value, grad, slope, max_ls=max_line_search_iters
        )
        calls += tried
        if not found <= value:  # no step along this direction makes it smaller
            break
        change = alpha * direction
        note(change, turned - grad)
        position, value, grad = position + change, found, turned
        converged = (
            float(grad.abs().max()) < tolerance_grad or float(change.abs().max()) < tolerance_change
        )
    return (
        paddle.to_tensor([converged]),
        paddle.to_tensor([calls], dtype='int64'),
        position,
        paddle.to_tensor(value, dtype=grad.dtype),
        grad,
    )


def minimize_bfgs(
    objective_func,
    initial_position,
    max_iters=50,
    tolerance_grad=1e-7,
    tolerance_change=1e-9,
    initial_inverse_hessian_estimate=None,
    line_search_fn='strong_wolfe',
    max_line_search_iters=50,
    initial_step_length=1.0,
    dtype='float32',
    name=None,
):
    """(converged [1], calls [1], position, value, gradient, inverse Hessian) of a minimum near
    `initial_position`.

    Converged means that no element of the gradient exceeds `tolerance_grad`, or none of the last
    step `tolerance_change`.
    """
    evaluate, position, inverse = _start(
        'minimize_bfgs',
        objective_func,
        initial_position,
        initial_inverse_hessian_estimate,
        line_search_fn,
        dtype,
    )
    state = [inverse]

    def note(change, turn):
        curve = paddle.dot(turn, change)
        if float(curve) > 0:
            rest = paddle.eye(len(change), dtype=dtype) - paddle.outer(change, turn) / curve
            state[0] = rest @ state[0] @ rest.t() + paddle.outer(change, change) / curve

    found = _minimize(
        evaluate,
        position,
        lambda grad: -paddle.mv(state[0], grad),
        note,
        max_iters,
        tolerance_grad,
        tolerance_change,
        max_line_search_iters,
        initial_step_length,
    )
    return (*found, state[0])


def minimize_lbfgs(
    objective_func,
    initial_position,
    history_size=100,
    max_iters=50,
    tolerance_grad=1e-8,
    tolerance_change=1e-8,
    initial_inverse_hessian_estimate=None,
    line_search_fn='strong_wolfe',
    max_line_search_iters=50,
    initial_step_length=1.0,
    dtype='float32',
    name=None,
):
    """(converged [1], calls [1], position, value, gradient) of a minimum near `initial_position`,
    by the last `history_size` steps; see `minimize_bfgs`."""
    evaluate, position, inverse = _start(
        'minimize_lbfgs',
        objective_func,
        initial_position,
        initial_inverse_hessian_estimate,
        line_search_fn,
        dtype,
    )
    if history_size < 1:
        raise ValueError(
            f"[minimize_lbfgs] expected a history_size of at least 1, got {history_size}"
        )
    steps = []

    def note(change, turn):
        curve = paddle.dot(turn, change)
        if float(curve) > 0:
            steps.append((change, turn, curve))
            del steps[:-history_size]

    def direction_of(grad):
        found, shares = grad, []
        for change, turn, curve in reversed(steps):
            shares.append(paddle.dot(change, found) / curve)
            found = found - shares[-1] * turn
        found = paddle.mv(inverse, found)
        for (change, turn, curve), share in zip(steps, reversed(shares)):
            found = found + (share - paddle.dot(turn, found) / curve) * change
        return -found

    return _minimize(
        evaluate,
        position,
        direction_of,
        note,
        max_iters,
        tolerance_grad,
        tolerance_change,
        max_line_search_iters,
        initial_step_length,
    )


_lazy.serve(globals())
