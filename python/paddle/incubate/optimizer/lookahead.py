# SPDX-License-Identifier: Apache-2.0
"""LookAhead: slow weights that follow the fast ones every k steps."""

import paddle
from paddle.optimizer import Optimizer

__all__ = ['LookAhead']


class LookAhead(Optimizer):
    """Run `inner_optimizer`; every `k` steps move slow weights by `alpha` towards the parameters,
    which take them.

    The slow weights start as the parameters are after the first step. AssertionError for alpha
    outside [0, 1] or k below 1.
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
