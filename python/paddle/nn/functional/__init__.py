# SPDX-License-Identifier: Apache-2.0
"""Functions of neural networks: those that are one op come from its stanza, the others from the
modules below.
"""

import importlib

from paddle import _lazy

_MODULES = {
    "activation": ("softmax_ gumbel_softmax celu prelu rrelu glu maxout swiglu elu_"),
    "flash_attention": "scaled_dot_product_attention flash_attn_qkvpacked flashmask_attention "
    "flash_attn_varlen_qkvpacked flash_attention_v3_varlen "
    "sparse_attention",
    "common": "bilinear embedding one_hot cosine_similarity pairwise_distance label_smooth "
    "class_center_sample sequence_mask gather_tree temporal_shift unfold fold",
    "conv": "conv1d conv2d conv3d conv1d_transpose conv2d_transpose conv3d_transpose",
    "drop": "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout",
    "loss": (
        "cross_entropy softmax_with_cross_entropy nll_loss binary_cross_entropy "
        "binary_cross_entropy_with_logits sigmoid_focal_loss kl_div log_loss ctc_loss rnnt_loss "
        "hsigmoid_loss margin_cross_entropy dice_loss npair_loss adaptive_log_softmax_with_loss"
    ),
    "experts": "moe_permute moe_unpermute",
    "norm": "batch_norm layer_norm group_norm instance_norm rms_norm local_response_norm normalize",
    "pooling": (
        "avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d adaptive_avg_pool1d "
        "adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d "
        "adaptive_max_pool3d lp_pool1d lp_pool2d max_unpool1d max_unpool2d max_unpool3d "
        "fractional_max_pool2d fractional_max_pool3d"
    ),
    "regression_loss": (
        "mse_loss l1_loss smooth_l1_loss square_error_cost margin_ranking_loss "
        "cosine_embedding_loss hinge_embedding_loss soft_margin_loss multi_margin_loss "
        "multi_label_margin_loss multi_label_soft_margin_loss triplet_margin_loss "
        "triplet_margin_with_distance_loss gaussian_nll_loss poisson_nll_loss"
    ),
    "vision": (
        "interpolate upsample pad zeropad2d pixel_shuffle pixel_unshuffle channel_shuffle "
        "affine_grid grid_sample"
    ),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

_generated = None

# Names that PaddlePaddle serves from one op; where no stanza declares one, it is absent.
_ONE_OP = (
    "elu gelu hardshrink hardsigmoid hardswish hardtanh hardtanh_ leaky_relu leaky_relu_ linear "
    "log_sigmoid log_softmax logsigmoid mish relu relu_ relu6 selu sigmoid silu softmax softplus "
    "softshrink softsign swish tanh tanh_ tanhshrink thresholded_relu thresholded_relu_"
).split()

__all__ = sorted({*_HOME, *_ONE_OP})


def _from_stanza(name):
    """The function that an op's stanza declares under `name`, or None."""
    global _generated
    if _generated is None:
        from paddle.base import libpaddle

        _generated = {n: f for n, f in libpaddle._functions("paddle").items() if n in _ONE_OP}
        _generated.update(libpaddle._functions("paddle.nn.functional"))
    if name in _ONE_OP or name not in _HOME:
        return _generated.get("log_sigmoid" if name == "logsigmoid" else name)
    return None


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _MODULES:
        return importlib.import_module("." + name, __name__)
    value = _from_stanza(name)
    if value is None and name in _HOME:
        value = getattr(importlib.import_module("." + _HOME[name], __name__), name)
    if value is None:
        return _lazy.listed(__name__, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(
        {*globals(), *_HOME, *_MODULES, *(n for n in _ONE_OP if _from_stanza(n) is not None)}
    )
