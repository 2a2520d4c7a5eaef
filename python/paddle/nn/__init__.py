# SPDX-License-Identifier: Apache-2.0
"""Neural network layers. Names are loaded on first use from the module that defines them."""

import importlib

from paddle import _lazy

_SUBMODULES = ("clip", "decode", "functional", "initializer", "layer", "quant", "utils")

_MODULES = {
    "clip": "ClipGradByGlobalNorm ClipGradByNorm ClipGradByValue",
    "decode": "BeamSearchDecoder dynamic_decode",
    "layer.activation": (
        "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid "
        "LogSoftmax Maxout Mish PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid Silu Softmax Softmax2D "
        "Softplus Softshrink Softsign Swish Tanh Tanhshrink ThresholdedReLU"
    ),
    "layer.common": (
        "AlphaDropout Bilinear ChannelShuffle CosineSimilarity Dropout Dropout2D Dropout3D "
        "Embedding FeatureAlphaDropout Flatten Fold Identity Linear PairwiseDistance "
        "PixelShuffle PixelUnshuffle Unflatten Unfold Upsample UpsamplingBilinear2D "
        "UpsamplingNearest2D UpsamplingBilinear2d UpsamplingNearest2d"
    ),
    "layer.container": "LayerDict LayerList ParameterDict ParameterList Sequential",
    "layer.conv": "Conv1D Conv1DTranspose Conv1d Conv2D Conv2DTranspose Conv2d Conv3D "
    "Conv3DTranspose Conv3d",
    "layer.layers": "Layer",
    "layer.loss": (
        "AdaptiveLogSoftmaxWithLoss BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss "
        "CrossEntropyLoss GaussianNLLLoss HSigmoidLoss HingeEmbeddingLoss KLDivLoss L1Loss "
        "MSELoss MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss "
        "NLLLoss PoissonNLLLoss RNNTLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss "
        "TripletMarginWithDistanceLoss"
    ),
    "layer.norm": (
        "BatchNorm BatchNorm1D BatchNorm2D BatchNorm3D GroupNorm InstanceNorm1D InstanceNorm2D "
        "InstanceNorm3D LayerNorm LocalResponseNorm RMSNorm SpectralNorm SyncBatchNorm"
    ),
    "layer.padding": " ".join(
        [
            f"{kind}{n}D"
            for kind in (
                "Pad",
                "ConstantPad",
                "ZeroPad",
                "ReflectionPad",
                "ReplicationPad",
                "CircularPad",
            )
            for n in (1, 2, 3)
        ]
        + [
            f"{kind}{n}d"
            for kind in ("ConstantPad", "ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad")
            for n in (1, 2, 3)
        ]
    ),
    "layer.pooling": (
        "AdaptiveAvgPool1D AdaptiveAvgPool2D AdaptiveAvgPool3D AdaptiveMaxPool1D "
        "AdaptiveMaxPool1d AdaptiveMaxPool2D AdaptiveMaxPool2d AdaptiveMaxPool3D "
        "AdaptiveMaxPool3d AvgPool1D AvgPool2D AvgPool3D FractionalMaxPool2D FractionalMaxPool3D "
        "LPPool1D LPPool1d LPPool2D LPPool2d MaxPool1D MaxPool2D MaxPool3D MaxUnPool1D "
        "MaxUnPool2D MaxUnPool3D AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d "
        "MaxUnpool1d MaxUnpool2d MaxUnpool3d"
    ),
    "layer.rnn": "BiRNN GRUCell LSTMCell RNN RNNCellBase SimpleRNNCell",
    "layer.rnn_layers": "GRU LSTM SimpleRNN",
    "layer.transformer": (
        "MultiHeadAttention Transformer TransformerDecoder TransformerDecoderLayer "
        "TransformerEncoder TransformerEncoderLayer"
    ),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}
_SAME = {
    "Module": "Layer",
    "ModuleList": "LayerList",
    "ModuleDict": "LayerDict",
    "HuberLoss": "SmoothL1Loss",
}

__all__ = sorted([*_HOME, *_SAME, "Parameter"])


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module("." + name, __name__)
    if name == "Parameter":
        from paddle.base.framework import Parameter as value
    elif name in _SAME:
        value = __getattr__(_SAME[name])
    elif name in _HOME:
        value = getattr(importlib.import_module("." + _HOME[name], __name__), name)
    else:
        return _lazy.listed(__name__, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__, *_SUBMODULES})
