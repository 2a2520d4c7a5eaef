# SPDX-License-Identifier: Apache-2.0
"""An optimizer whose parameters are divided among the processes of a group: each keeps the state of
its share.
"""

import math

import paddle

__all__ = ['DividedState']


def _shares(parameters, count):
    """Parameters in `count` lists of about the same number of elements, large ones first."""
    shares, sizes = [[] for _ in range(count)], [0] * count
    for p in sorted(parameters, key=lambda p: -math.prod(p.shape)):
        least = sizes.index(min(sizes))
        shares[least].append(p)
        sizes[least] += math.prod(p.shape)
    return shares


class DividedState:
    """`optimizer` over a group. Process i of the group updates the parameters of share i, whole
    ones, and only it has their state.
    """

    def __init__(self, optimizer, group):
        self._inner_opt = optimizer
        self._group = group
        self._whole = [p for p in optimizer._all_params() if not p.stop_gradient]
        self._shares = _shares(self._whole, group.nranks)
        self._owner = {id(p): rank for rank, share in enumerate(self._shares) for p in share}
        mine = {id(p) for p in self._shares[group.rank]}
        if optimizer._is_grouped():
            for options in optimizer._param_groups:
                options['params'] = [p for p in options['params'] if id(p) in mine]
        else:
            optimizer._parameter_list = optimizer._param_groups = self._shares[group.rank]
        optimizer._plan = None

    def _all_params(self):
        return self._whole

    def _send_out(self, kept=lambda parameter: True):
        """Every process gets the parameters that others have updated, of those `kept`."""
        with paddle.no_grad():
            for rank, share in enumerate(self._shares):
                by_dtype = {}
                for p in filter(kept, share):
                    by_dtype.setdefault(p.dtype, []).append(p)
                for parameters in by_dtype.values():
                    self._group.process_group.broadcast(parameters, rank)

    def _chosen(self, parameters):
        """Those of `parameters` that this process updates; None for None."""
        if not parameters:
            return None
        return [p for p in parameters if self._owner.get(id(p)) == self._group.rank]

    def clear_grad(self, set_to_zero=True):
        """Set the gradients of all parameters to zero, or drop them."""
        for p in self._whole:
            p.clear_gradient(set_to_zero)

    clear_gradients = clear_grad

    def __getattr__(self, name):
        if name == '_inner_opt':
            raise AttributeError(name)
        return getattr(self._inner_opt, name)
