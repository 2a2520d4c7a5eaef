# SPDX-License-Identifier: Apache-2.0
"""Models whose weights are pruned, and optimizers that leave what was pruned zero."""

import numpy as np

import paddle
from paddle import nn

from .utils import MaskAlgo, create_mask

__all__ = [
    'add_supported_layer',
    'decorate',
    'prune_model',
    'reset_excluded_layers',
    'set_excluded_layers',
]

_ALGORITHMS = {
    'mask_1d': MaskAlgo.MASK_1D,
    'mask_2d_greedy': MaskAlgo.MASK_2D_GREEDY,
    'mask_2d_best': MaskAlgo.MASK_2D_BEST,
}


def _default(weight, m, n, algorithm, name):
    """(pruned weight, mask): along the inputs of a product or convolution."""
    inputs = {2: (1, 0), 4: (0, 2, 3, 1)}.get(weight.ndim)
    if inputs is None or weight.shape[inputs[-1]] < m:
        return weight, np.ones_like(weight)
    moved = weight.transpose(inputs)
    mask = create_mask(moved.reshape(-1, moved.shape[-1]), algorithm, n, m)
    mask = mask.reshape(moved.shape).transpose(np.argsort(inputs))
    return weight * mask, mask


class ASPHelper:
    """The kinds of layers that are pruned, and names of those that are not. A parameter holds its
    own mask.
    """

    functions = {'linear': _default, 'fc': _default, 'conv2d': _default}
    excluded = set()

    @classmethod
    def kind(cls, name):
        """The kind of a layer or parameter, by its name: 'linear' of 'linear_0.w_0'."""
        return name.split('.')[0].rstrip('0123456789').rstrip('_')

    @classmethod
    def weights(cls, model):
        """(parameter, function that prunes it) of a layer or program."""
        found = []
        if isinstance(model, nn.Layer):
            for layer in model.sublayers(include_self=True):
                function = cls.functions.get(cls.kind(layer.full_name()))
                if function is None or layer.full_name() in cls.excluded:
                    continue
                found += [(p, function) for p in layer.parameters(include_sublayers=False)]
        else:
            for p in model.all_parameters():
                function = cls.functions.get(cls.kind(p.name))
                if function is not None and p.name.split('.')[0] not in cls.excluded:
                    found.append((p, function))
        return [
            (p, function)
            for p, function in found
            if p.name not in cls.excluded and not p.name.partition('.')[2].startswith('b_')
        ]


def set_excluded_layers(param_names, main_program=None):
    """Weights of layers that `prune_model` leaves as they are, beside those named before.

    Args:
        param_names (list of str): Names of parameters, or of layers (`Layer.full_name()`).
        main_program (Program, default None): A program that has them; names are of the process.

    Raises:
        TypeError: When `param_names` is no list.

    Examples:
        >>> from paddle.incubate import asp
        >>> layer = paddle.nn.Linear(8, 8)
        >>> asp.set_excluded_layers([layer.full_name()])
        >>> asp.prune_model(layer)
        {}
        >>> asp.reset_excluded_layers()
    """
    if not isinstance(param_names, (list, tuple)):
        raise TypeError(
            f'[set_excluded_layers] expected a list of names, got {type(param_names).__name__}'
        )
    ASPHelper.excluded.update(param_names)


def reset_excluded_layers(main_program=None):
    """Forget what `set_excluded_layers` named.

    Args:
        main_program (Program, default None): A program: the names that it has are forgotten. None:
            all are.

    Examples:
        >>> paddle.incubate.asp.reset_excluded_layers()
    """
    if main_program is None:
        ASPHelper.excluded.clear()
    else:
        names = {p.name for p in main_program.all_parameters()}
        ASPHelper.excluded -= names | {name.split('.')[0] for name in names}


def add_supported_layer(layer, pruning_func=None):
    """One more kind of layers that `prune_model` prunes.

    Args:
        layer (Layer, type or str): A layer, its class, or the first part of its name ("linear").
        pruning_func (callable, default None): `f(weight, m, n, algorithm, name)` gives the pruned
            weight and its mask, arrays; None: along the first axis of matrices and the second of
            four.

    Raises:
        TypeError: When `layer` is no layer.

    Examples:
        >>> paddle.incubate.asp.add_supported_layer(paddle.nn.Embedding)
        >>> sorted(paddle.incubate.asp.prune_model(paddle.nn.Embedding(8, 4)).popitem()[1].shape)
        [4, 8]
    """
    if isinstance(layer, str):
        name = ASPHelper.kind(layer)
    elif isinstance(layer, nn.Layer):
        name = ASPHelper.kind(layer.full_name())
    elif isinstance(layer, type) and issubclass(layer, nn.Layer):
        name = ''.join(
            f'_{c.lower()}' if c.isupper() and i and layer.__name__[i - 1].islower() else c.lower()
            for i, c in enumerate(layer.__name__)
        )
    else:
        raise TypeError(f'[add_supported_layer] expected a layer, got {layer!r}')
    ASPHelper.functions[name] = pruning_func or _default


def prune_model(model, n=2, m=4, mask_algo='mask_1d', with_mask=True):
    """Set to zero all but n of each m weights that are multiplied and added to one result, of
    linear layers and 2-D convolutions.

    Args:
        model (Layer or Program): The model, changed in place.
        n (int, default 2): How many weights stay.
        m (int, default 4): Of how many. Weights with fewer inputs stay as they are.
        mask_algo (str, default 'mask_1d'): "mask_1d"; "mask_2d_greedy" and "mask_2d_best" leave n
            of m for the transposed weight too.
        with_mask (bool, default True): Optimizers of `decorate` leave zero what is zero now.

    Returns:
        dict: the masks, arrays by name of the parameter.

    Raises:
        TypeError: When `model` is no Layer or Program.
        AssertionError: When `mask_algo` is another word.

    Source: Mishra et al., Accelerating Sparse Deep Neural Networks, 2021.

    Examples:
        >>> from paddle.incubate import asp
        >>> layer = paddle.nn.Linear(8, 4)
        >>> optimizer = asp.decorate(paddle.optimizer.SGD(0.1, parameters=layer.parameters()))
        >>> _ = asp.prune_model(layer)
        >>> layer(paddle.ones([2, 8])).sum().backward()
        >>> optimizer.step()
        >>> asp.calculate_density(layer.weight.numpy())
        0.5
    """
    if not isinstance(model, (nn.Layer, paddle.static.Program)):
        raise TypeError(f'[prune_model] expected a Layer or a Program, got {type(model).__name__}')
    assert mask_algo in _ALGORITHMS, (
        f'[prune_model] expected mask_algo of {list(_ALGORITHMS)}, got {mask_algo!r}'
    )
    masks = {}
    for parameter, function in ASPHelper.weights(model):
        name, weight = parameter.name, parameter.numpy()
        pruned, mask = function(weight, m, n, _ALGORITHMS[mask_algo], name)
        parameter.set_value(np.asarray(pruned, weight.dtype))
        masks[name] = np.asarray(mask, weight.dtype)
        if with_mask:
            parameter._asp_mask = paddle.to_tensor(masks[name])
    return masks


class OptimizerWithSparsityGuarantee:
    """An optimizer after whose steps pruned weights are zero; see `decorate`."""

    def __init__(self, optimizer):
        self._optimizer = optimizer

    def __getattr__(self, name):
        if name == '_optimizer':
            raise AttributeError(name)
        return getattr(self._optimizer, name)

    def _masked(self):
        """(parameter, mask) of what was pruned."""
        found = [(p, getattr(p, '_asp_mask', None)) for p in self._optimizer._all_params()]
        return [(p, mask) for p, mask in found if mask is not None]

    def _apply(self):
        with paddle.no_grad():
            for parameter, mask in self._masked():
                parameter.set_value(parameter * mask)

    def step(self):
        """The optimizer's step; pruned weights stay zero."""
        self._optimizer.step()
        self._apply()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """The optimizer's step with the gradients that backward left; pruned weights stay zero."""
        done = self._optimizer.minimize(loss, startup_program, parameters, no_grad_set)
        self._apply()
        return done

    def state_dict(self):
        """The optimizer's state and the masks, as `<parameter>.asp_mask`."""
        state = self._optimizer.state_dict()
        return {**state, **{f'{p.name}.asp_mask': mask for p, mask in self._masked()}}

    def set_state_dict(self, state_dict):
        """Take state and masks from what `state_dict` gave."""
        rest = dict(state_dict)
        for parameter in self._optimizer._all_params():
            mask = rest.pop(f'{parameter.name}.asp_mask', None)
            if mask is not None:
                parameter._asp_mask = paddle.to_tensor(mask)
        self._optimizer.set_state_dict(rest)


def decorate(optimizer):
    """An optimizer after whose steps the weights that `prune_model` set to zero are zero.

    Args:
        optimizer (Optimizer): The optimizer.

    Returns:
        OptimizerWithSparsityGuarantee: what stands for it.

    Raises:
        TypeError: When `optimizer` is none.

    Examples:
        >>> layer = paddle.nn.Linear(4, 4)
        >>> optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
        >>> paddle.incubate.asp.decorate(optimizer).get_lr()
        0.1
    """
    if not hasattr(optimizer, 'step') or not hasattr(optimizer, '_all_params'):
        raise TypeError(f'[decorate] expected an optimizer, got {type(optimizer).__name__}')
    return OptimizerWithSparsityGuarantee(optimizer)
