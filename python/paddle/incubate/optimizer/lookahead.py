# SPDX-License-Identifier: Apache-2.0
"""LookAhead: slow weights that follow the fast ones every k steps."""

import paddle
from paddle.optimizer import Optimizer

__all__ = ['LookAhead']


class LookAhead(Optimizer):
    """Slow weights that follow those of another optimizer every k steps.

    At every k-th step the slow weights move by alpha towards the parameters, which take them. They
    begin as the parameters are after the first step.

    Args:
        inner_optimizer (Optimizer): The optimizer.
        alpha (float, default 0.5): How far the slow weights go, 0 to 1.
        k (int, default 5): Every how many steps.
        name (str, default None): Taken for compatibility; it has no effect.

    Raises:
        AssertionError: There is no optimizer, or alpha or k cannot be.

    Source: Zhang, Lucas, Hinton and Ba, Lookahead optimizer, https://arxiv.org/abs/1907.08610.

    Examples:
        >>> w = paddle.create_parameter([1], "float32", is_bias=True)
        >>> inner = paddle.optimizer.SGD(1.0, [w])
        >>> opt = paddle.incubate.LookAhead(inner, alpha=0.5, k=2)
        >>> for _ in range(2):
        ...     (-w).sum().backward()
        ...     opt.step()
        ...     opt.clear_grad()
        >>> w.tolist()
        [1.5]
    """

    _slow_str = 'slow'

    def __init__(self, inner_optimizer, alpha=0.5, k=5, name=None):
        if inner_optimizer is None:
            raise AssertionError("[LookAhead] expected an optimizer, got None")
        if not 0.0 <= alpha <= 1.0:
            raise AssertionError(f"[LookAhead] expected alpha from 0 to 1, got {alpha}")
        if not isinstance(k, int) or k <= 0:
            raise AssertionError(f"[LookAhead] expected k to be a positive int, got {k!r}")
        super().__init__(alpha, inner_optimizer._parameter_list, None, None, name)
        self.inner_optimizer, self.alpha, self.k, self.type = inner_optimizer, alpha, k, 'lookahead'
        self._steps = 0

    def step(self):
        """Step the inner optimizer, then the slow weights when it is their turn."""
        self.inner_optimizer.step()
        self._follow()

    def _follow(self):
        self._steps += 1
        with paddle.no_grad():
            for param in self._all_params():
                if param.stop_gradient:
                    continue
                slow = self._add_accumulator(self._slow_str, param)
                if self._steps == 1:
                    slow.copy_(param, True)
                elif self._steps % self.k == 0:
                    slow.add_((param - slow) * self.alpha)
                    param.copy_(slow, True)

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Apply the gradients that `loss.backward()` left; returns (operations, parameter-gradient
        pairs).
        """
        result = self.inner_optimizer.minimize(loss, startup_program, parameters, no_grad_set)
        self._follow()
        return result
