# SPDX-License-Identifier: Apache-2.0
"""Limited-memory BFGS with an optional strong Wolfe line search."""

import paddle
from paddle import _lazy

from .optimizer import Optimizer

__all__ = ['LBFGS']


def _cubic(x1, f1, g1, x2, f2, g2, bounds=None):
    """Minimum of the cubic through two points with their slopes, kept in `bounds` (or between the
    points).
    """
    low, high = bounds if bounds is not None else ((x1, x2) if x1 <= x2 else (x2, x1))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    inside = d1**2 - g1 * g2
    if inside < 0:
        return (low + high) / 2.0
    d2 = inside**0.5
    if x1 <= x2:
        at = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        at = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(at, low), high)


# What a step leaves for the next one, as `state` has it.
_MEMORY = ('d', 'alpha', 'old_yk', 'old_sk', 'ro', 'H_diag', 'prev_flat_grad', 'prev_loss')


def _strong_wolfe(
    evaluate, alpha, direction, loss, grad, slope, c1=1e-4, c2=0.9, tolerance=1e-9, max_ls=25
):
    """Step length that meets the strong Wolfe conditions. `evaluate(alpha)` gives (loss, flat
    gradient).

    Returns (loss, gradient, alpha, number of evaluations).
    """
    reach = float(direction.abs().max())
    first_loss, first_slope = loss, slope
    new_loss, new_grad = evaluate(alpha)
    calls = 1
    new_slope = float(paddle.dot(new_grad, direction))
    before = (0.0, loss, grad, slope)
    bracket, done = None, False
    for i in range(max_ls):
        if (
            new_loss > first_loss + c1 * alpha * first_slope
            or (i > 0 and new_loss >= before[1])
            or new_loss != new_loss
        ):
            bracket = [before, (alpha, new_loss, new_grad, new_slope)]
            break
        if abs(new_slope) <= -c2 * first_slope:
            bracket, done = [(alpha, new_loss, new_grad, new_slope)], True
            break
        if new_slope >= 0:
            bracket = [before, (alpha, new_loss, new_grad, new_slope)]
            break
        bounds = (alpha + 0.01 * (alpha - before[0]), alpha * 10)
        now = (alpha, new_loss, new_grad, new_slope)
        alpha = _cubic(before[0], before[1], before[3], alpha, new_loss, new_slope, bounds)
        before = now
        new_loss, new_grad = evaluate(alpha)
        calls += 1
        new_slope = float(paddle.dot(new_grad, direction))
    if bracket is None:
        bracket = [(0.0, loss, grad, slope), (alpha, new_loss, new_grad, new_slope)]
    stuck, left = False, max_ls - calls
    low, high = (
        (0, 0) if len(bracket) == 1 else ((0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0))
    )
    while not done and left > 0:
        a, b = bracket
        if abs(b[0] - a[0]) * reach < tolerance:
            break
        alpha = _cubic(a[0], a[1], a[3], b[0], b[1], b[3])
        small, large = min(a[0], b[0]), max(a[0], b[0])
        margin = 0.1 * (large - small)
        if min(large - alpha, alpha - small) < margin:
            if stuck or alpha >= large or alpha <= small:
                alpha = (
                    large - margin if abs(alpha - large) < abs(alpha - small) else small + margin
                )
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        new_loss, new_grad = evaluate(alpha)
        calls += 1
        left -= 1
        new_slope = float(paddle.dot(new_grad, direction))
        if new_loss > first_loss + c1 * alpha * first_slope or new_loss >= bracket[low][1]:
            bracket[high] = (alpha, new_loss, new_grad, new_slope)
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if abs(new_slope) <= -c2 * first_slope:
                done = True
            elif new_slope * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = (alpha, new_loss, new_grad, new_slope)
    best = bracket[low] if len(bracket) > 1 else bracket[0]
    return best[1], best[2], best[0], calls


class LBFGS(Optimizer):
    """L-BFGS: `step(closure)` runs up to `max_iter` iterations; the closure clears gradients, runs
    backward and returns the loss.

    Args:
        learning_rate (float or LRScheduler, default 1.0): The rate.
        max_iter (int, default 20): How many iterations a step makes.
        max_eval (int, default None): How many calls of the closure a step makes; None for 1.25 *
            max_iter.
        tolerance_grad (float, default 1e-07): Below which gradient it ends.
        tolerance_change (float, default 1e-09): Below which change it ends.
        history_size (int, default 100): How many changes it keeps.
        line_search_fn (str, default None): None or `strong_wolfe`.
        parameters (list of Tensors or list of dicts, default None): What is moved; dicts have
            `params` and options of the group.
        weight_decay (float or regularizer, default None): The factor of L2 decay, or a regularizer.
        grad_clip (object, default None): What clips gradients; None for nothing.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Liu and Nocedal, On the limited memory BFGS method, 1989

    Examples:
        >>> x = paddle.to_tensor([3.0], stop_gradient=False)
        >>> opt = paddle.optimizer.LBFGS(parameters=[x], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     opt.clear_grad()
        ...     loss = ((x - 1.0) ** 2).sum()
        ...     loss.backward()
        ...     return loss
        >>> _ = opt.step(closure)
        >>> round(x.item(), 2)
        1.0
    """

    def __init__(
        self,
        learning_rate=1.0,
        max_iter=20,
        max_eval=None,
        tolerance_grad=1e-7,
        tolerance_change=1e-9,
        history_size=100,
        line_search_fn=None,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        if line_search_fn not in (None, 'strong_wolfe'):
            raise RuntimeError(
                f"[LBFGS] expected line_search_fn None or 'strong_wolfe', got {line_search_fn!r}"
            )
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self.max_iter = max_iter
        self.max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        self.tolerance_grad = tolerance_grad
        self.tolerance_change = tolerance_change
        self.history_size = history_size
        self.line_search_fn = line_search_fn
        self.state = {}
        if self._is_grouped() and len(self._param_groups) != 1:
            raise ValueError(f"[LBFGS] expected one parameter group, got {len(self._param_groups)}")

    def state_dict(self):
        """The history and counters, under `state`."""
        return {'state': {k: v for k, v in self.state.items()}}

    def set_state_dict(self, state_dict):
        """Restore what `state_dict` gave."""
        self.state = dict(state_dict.get('state', {}))

    set_dict = set_state_dict
    load_state_dict = set_state_dict

    def _flat_grad(self):
        pairs = [
            (p, p.grad if p.grad is not None else paddle.zeros_like(p)) for p in self._all_params()
        ]
        if self._grad_clip is not None:
            pairs = self._grad_clip(pairs)
        pairs = self.append_regularization_ops(pairs, self.regularization)
        return paddle.concat([g.reshape([-1]) for _, g in pairs], axis=0)

    def _move(self, alpha, direction):
        offset = 0
        for p in self._all_params():
            count = int(p.size)
            p.set_value(
                p.detach() + direction[offset : offset + count].reshape(list(p.shape)) * alpha
            )
            offset += count

    def step(self, closure):
        """Minimise the loss that `closure()` gives; returns the loss before the first move."""
        if not callable(closure):
            raise TypeError(
                f"[LBFGS.step] expected closure to be a function, got {type(closure).__name__}"
            )
        with paddle.no_grad():
            return self._run(paddle.enable_grad()(closure))

    def _run(self, closure):
        lr = self.get_lr()
        state = self.state
        state.setdefault('func_evals', 0)
        state.setdefault('n_iter', 0)
        first = closure()
        loss = float(first)
        evals = 1
        state['func_evals'] += 1
        grad = self._flat_grad()
        if float(grad.abs().max()) <= self.tolerance_grad:
            return first
        memory = {name: state.get(name) for name in _MEMORY}
        rounds = 0
        while rounds < self.max_iter:
            rounds += 1
            state['n_iter'] += 1
            if state['n_iter'] == 1:
                scale = paddle.to_tensor(1.0, dtype=grad.dtype)
                memory.update(d=-grad, old_yk=[], old_sk=[], ro=[], H_diag=scale)
            else:
                self._remember(memory, grad)
                memory['d'] = self._direction(memory, grad)
            direction, prev_loss = memory['d'], loss
            memory.update(prev_flat_grad=grad.clone(), prev_loss=loss)
            alpha = min(1.0, 1.0 / float(grad.abs().sum())) * lr if state['n_iter'] == 1 else lr
            memory['alpha'] = alpha
            slope = float(paddle.dot(grad, direction))
            if slope > -self.tolerance_change:
                break
            calls = 0
            if self.line_search_fn == 'strong_wolfe':
                loss, grad, alpha, calls = _strong_wolfe(
                    self._evaluation(closure, direction), alpha, direction, loss, grad, slope
                )
                memory['alpha'] = alpha
                self._move(alpha, direction)
            else:
                self._move(alpha, direction)
                if rounds != self.max_iter:
                    loss = float(closure())
                    grad = self._flat_grad()
                    calls = 1
            evals += calls
            state['func_evals'] += calls
            if rounds == self.max_iter or evals >= self.max_eval:
                break
            if float(grad.abs().max()) <= self.tolerance_grad:
                break
            if float((direction * alpha).abs().max()) <= self.tolerance_change:
                break
            if abs(loss - prev_loss) < self.tolerance_change:
                break
        state.update(memory)
        return first

    def _remember(self, memory, grad):
        """Note the last step and how the gradient changed over it."""
        y, s = grad - memory['prev_flat_grad'], memory['d'] * memory['alpha']
        ys = paddle.dot(y, s)
        if float(ys) <= 1e-10:
            return
        pairs = memory['old_yk'], memory['old_sk'], memory['ro']
        if len(pairs[0]) == self.history_size:
            for kept in pairs:
                kept.pop(0)
        for kept, value in zip(pairs, (y, s, 1.0 / ys)):
            kept.append(value)
        memory['H_diag'] = ys / paddle.dot(y, y)

    def _direction(self, memory, grad):
        """The product of the approximated inverse Hessian with -grad, by two loops over the
        history.
        """
        old_yk, old_sk, ro = memory['old_yk'], memory['old_sk'], memory['ro']
        al = self.state.setdefault('al', [None] * self.history_size)
        q = -grad
        for i in range(len(old_yk) - 1, -1, -1):
            al[i] = paddle.dot(old_sk[i], q) * ro[i]
            q = q - old_yk[i] * al[i]
        direction = q * memory['H_diag']
        for i in range(len(old_yk)):
            direction = direction + old_sk[i] * (al[i] - paddle.dot(old_yk[i], direction) * ro[i])
        return direction

    def _evaluation(self, closure, direction):
        """What gives the loss and the gradient at a length along the direction."""
        start = [p.detach().clone() for p in self._all_params()]

        def evaluate(length):
            self._move(length, direction)
            value = float(closure())
            flat = self._flat_grad()
            for p, kept in zip(self._all_params(), start):
                p.set_value(kept)
            return value, flat

        return evaluate

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Not meaningful for L-BFGS, which evaluates the loss itself: use `step(closure)`."""
        raise RuntimeError(
            "[LBFGS.minimize] expected step(closure), which evaluates the loss as often as it "
            "needs, got a loss"
        )


_lazy.serve(globals())
