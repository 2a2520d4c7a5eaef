# SPDX-License-Identifier: Apache-2.0
"""`QAT` and `PTQ`: models with quanters or observers in them, and their conversion."""

import copy

from paddle.base.known_keywords import KnownKeywords
from paddle.nn.quant.format import ConvertibleQuantedLayer, LinearQuanterDequanter

from .base_quanter import BaseQuanter
from .config import QuantConfig

__all__ = ['PTQ', 'QAT', 'Quantization']


class Quantization(KnownKeywords):
    """Puts the quanters of a `QuantConfig` into models."""

    def __init__(self, config):
        if not isinstance(config, QuantConfig):
            raise TypeError(
                f'[{type(self).__name__}] expected a QuantConfig, got {type(config).__name__}'
            )
        self._config = copy.copy(config)

    def _quantized(self, model, inplace):
        model = model if inplace else copy.deepcopy(model)
        self._config._specify(model)
        self._replace(model)
        self._observe(model)
        return model

    def _replace(self, model):
        for name, child in list(model.named_children()):
            known = type(child) in self._config.qat_layer_mappings
            if known and self._config._is_quantifiable(child):
                model._sub_layers[name] = self._config._get_qat_layer(child)
            else:
                self._replace(child)

    def _observe(self, model):
        for name, child in list(model.named_children()):
            self._observe(child)
            if self._config._need_observe(child):
                model._sub_layers[name] = self._config._get_observe_wrapper(child)

    def convert(self, model, inplace=False, remain_weight=False):
        """The model that is exported: quanters become a layer that makes integers and one that
        makes numbers of them. Weights become integers, with `remain_weight` they stay.
        """
        model = model if inplace else copy.deepcopy(model)
        self._convert_below(model, remain_weight)
        return model

    def _convert_below(self, model, remain_weight):
        for name, child in list(model.named_children()):
            if isinstance(child, ConvertibleQuantedLayer):
                child._convert(remain_weight)
            elif isinstance(child, BaseQuanter):
                model._sub_layers[name] = LinearQuanterDequanter.from_quanter(child)
            else:
                self._convert_below(child, remain_weight)

    def __str__(self):
        return f'{type(self).__name__}\n{self._config.details()}'

    __repr__ = __str__


class QAT(Quantization):
    """Training of a model whose weights and activations are rounded.

    `quantize(model)` puts quanters in, for further training; `convert(model)` then makes the model
    that is exported.

    Args:
        config (QuantConfig): Which layers are quantised, and how.

    Raises:
        TypeError: config is no QuantConfig.

    Source: Jacob and others, Quantization and training of neural networks,
        https://arxiv.org/abs/1712.05877.

    Examples:
        >>> from paddle.quantization import QAT, QuantConfig
        >>> from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
        >>> factory = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
        >>> qat = QAT(QuantConfig(activation=factory, weight=factory))
        >>> model = qat.quantize(paddle.nn.Sequential(paddle.nn.Linear(4, 2)))
        >>> type(model[0]).__name__
        'QuantedLinear'
        >>> model(paddle.ones([1, 4])).sum().backward()
        >>> model[0].weight.grad is not None
        True
    """

    def quantize(self, model, inplace=False):
        """The model to be trained further. AssertionError unless it is in training mode."""
        assert model.training, '[QAT.quantize] expected a model in training mode, got evaluation'
        return self._quantized(model, inplace)


class PTQ(Quantization):
    """Scales for a trained model, from what it computes for some inputs.

    `quantize(model)` puts observers in; call the model with typical inputs, then `convert(model)`
    makes the model that is exported.

    Args:
        config (QuantConfig): Which layers are quantised, and how.

    Raises:
        TypeError: config is no QuantConfig.

    Examples:
        >>> from paddle.quantization import PTQ, QuantConfig
        >>> from paddle.quantization.observers import AbsmaxObserver
        >>> ptq = PTQ(QuantConfig(activation=AbsmaxObserver(), weight=AbsmaxObserver()))
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(4, 2))
        >>> _ = net.eval()
        >>> observed = ptq.quantize(net)
        >>> x = paddle.rand([8, 4])
        >>> _ = observed(x)
        >>> converted = ptq.convert(observed)
        >>> bool((converted(x) - net(x)).abs().max() < 0.05)
        True
    """

    def quantize(self, model, inplace=False):
        """The model to be called with these inputs. AssertionError in training mode."""
        assert not model.training, (
            '[PTQ.quantize] expected a model in evaluation mode, got training'
        )
        return self._quantized(model, inplace)
