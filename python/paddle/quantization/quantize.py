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
    """Training of a model whose weights and activations are rounded."""

    def quantize(self, model, inplace=False):
        """The model to be trained further. AssertionError unless it is in training mode."""
        assert model.training, '[QAT.quantize] expected a model in training mode, got evaluation'
        return self._quantized(model, inplace)


class PTQ(Quantization):
    """Scales for a trained model, from what it computes for some inputs."""

    def quantize(self, model, inplace=False):
        """The model to be called with these inputs. AssertionError in training mode."""
        assert not model.training, (
            '[PTQ.quantize] expected a model in evaluation mode, got training'
        )
        return self._quantized(model, inplace)
