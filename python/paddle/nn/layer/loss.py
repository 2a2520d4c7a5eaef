# SPDX-License-Identifier: Apache-2.0
"""Loss layers: each holds the arguments of one loss function."""

import paddle
from paddle import get_default_dtype
from paddle.base.arguments import items
from paddle.base.documentation import shares

from .. import functional as F
from ..functional import _parse
from .layers import Layer

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "HSigmoidLoss",
    "MSELoss",
    "L1Loss",
    "NLLLoss",
    "PoissonNLLLoss",
    "KLDivLoss",
    "MarginRankingLoss",
    "CTCLoss",
    "RNNTLoss",
    "SmoothL1Loss",
    "MultiLabelSoftMarginLoss",
    "MultiLabelMarginLoss",
    "HingeEmbeddingLoss",
    "CosineEmbeddingLoss",
    "TripletMarginWithDistanceLoss",
    "TripletMarginLoss",
    "MultiMarginLoss",
    "SoftMarginLoss",
    "GaussianNLLLoss",
    "AdaptiveLogSoftmaxWithLoss",
]


class BCEWithLogitsLoss(Layer):
    """Binary cross entropy of sigmoid(logit).

    Args:
        weight (Tensor, default None): The factors of the elements.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        pos_weight (Tensor, default None): The factors of positive targets.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.BCEWithLogitsLoss()
        >>> loss(paddle.to_tensor([0.0, 2.0]), paddle.to_tensor([0.0, 1.0])).item()
        0.4100
    """

    def __init__(self, weight=None, reduction="mean", pos_weight=None, name=None):
        super().__init__()
        self.weight = weight
        self.reduction = _parse.reduction("BCEWithLogitsLoss", reduction)
        self.pos_weight = pos_weight
        self.name = name

    def forward(self, logit, label):
        return F.binary_cross_entropy_with_logits(
            logit, label, self.weight, self.reduction, self.pos_weight
        )


class CrossEntropyLoss(Layer):
    """Cross entropy of class scores.

    Args:
        weight (Tensor, default None): The factors of the classes.
        ignore_index (int, default -100): The target that does not count.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        soft_label (bool, default False): Whether targets are probabilities of all classes.
        axis (int, default -1): The axis of classes.
        use_softmax (bool, default True): Whether the input is scores, else probabilities.
        label_smoothing (float, default 0.0): The share of the target that is spread over all
            classes.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.CrossEntropyLoss()
        >>> loss(paddle.to_tensor([[2.0, 0.0], [0.0, 2.0]]), paddle.to_tensor([0, 1])).item()
        0.1269
    """

    def __init__(
        self,
        weight=None,
        ignore_index=-100,
        reduction="mean",
        soft_label=False,
        axis=-1,
        use_softmax=True,
        label_smoothing=0.0,
        name=None,
    ):
        super().__init__()
        self.weight, self.ignore_index, self.reduction, self.name = (
            weight,
            ignore_index,
            reduction,
            name,
        )
        self.soft_label, self.label_smoothing = soft_label, label_smoothing
        self.axis, self.use_softmax = axis, use_softmax

    def forward(self, input, label):
        return F.cross_entropy(
            input,
            label,
            self.weight,
            self.ignore_index,
            self.reduction,
            self.soft_label,
            self.axis,
            self.use_softmax,
            self.label_smoothing,
        )


class HSigmoidLoss(Layer):
    """Hierarchical sigmoid over a binary tree of classes.

    Args:
        feature_size (int): How many features the input has.
        num_classes (int): How many classes there are.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        is_custom (bool, default False): Whether calls give the tree, as path_table and path_code;
            else it is complete.
        is_sparse (bool, default False): Taken for compatibility; it has no effect.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Morin and Bengio, Hierarchical probabilistic neural network language model, 2005

    Examples:
        >>> layer = paddle.nn.HSigmoidLoss(3, 4)
        >>> layer(paddle.ones([2, 3]), paddle.to_tensor([[0], [3]])).shape
        paddle.Size([2, 1])
    """

    def __init__(
        self,
        feature_size,
        num_classes,
        weight_attr=None,
        bias_attr=None,
        is_custom=False,
        is_sparse=False,
        name=None,
    ):
        super().__init__()
        if num_classes < 2 and not is_custom:
            raise ValueError(
                "[HSigmoidLoss] expected num_classes of at least 2 without is_custom, got "
                f"{num_classes}"
            )
        if not is_custom and is_sparse:
            raise ValueError("[HSigmoidLoss] expected is_sparse=False without is_custom, got True")
        self._num_classes = num_classes
        self._is_sparse = is_sparse
        self._weight_attr = weight_attr
        self._bias_attr = bias_attr
        self._name = name
        self._dtype = get_default_dtype()
        rows = num_classes if is_custom else num_classes - 1
        self.weight = self.create_parameter([rows, feature_size], weight_attr, self._dtype)
        self.bias = self.create_parameter([rows, 1], bias_attr, self._dtype, True)

    def forward(self, input, label, path_table=None, path_code=None):
        return F.hsigmoid_loss(
            input,
            label,
            self._num_classes,
            self.weight,
            self.bias,
            path_table,
            path_code,
            self._is_sparse,
        )


class MSELoss(Layer):
    """Squared error.

    Args:
        reduction (str, default 'mean'): `mean`, `sum` or `none`.

    Examples:
        >>> loss = paddle.nn.MSELoss()
        >>> loss(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([1.0, 1.0])).item()
        2.0
    """

    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = _parse.reduction("MSELoss", reduction)

    def forward(self, input, label):
        return F.mse_loss(input, label, self.reduction)


class L1Loss(Layer):
    """Absolute error.

    Args:
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.L1Loss()
        >>> loss(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([1.0, 1.0])).item()
        1.0
    """

    def __init__(self, reduction="mean", name=None):
        super().__init__()
        self.reduction = _parse.reduction("L1Loss", reduction)
        self.name = name

    def forward(self, input, label):
        return F.l1_loss(input, label, self.reduction)


class BCELoss(Layer):
    """Binary cross entropy of probabilities.

    Args:
        weight (Tensor, default None): The factors of the elements.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.BCELoss()
        >>> loss(paddle.to_tensor([0.5, 0.5]), paddle.to_tensor([0.0, 1.0])).item()
        0.6931
    """

    def __init__(self, weight=None, reduction="mean", name=None):
        super().__init__()
        self.weight = weight
        self.reduction = _parse.reduction("BCELoss", reduction)
        self.name = name

    def forward(self, input, label):
        return F.binary_cross_entropy(input, label, self.weight, self.reduction)


class NLLLoss(Layer):
    """Negative log likelihood of log-probabilities.

    Args:
        weight (Tensor, default None): The factors of the classes.
        ignore_index (int, default -100): The target that does not count.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.NLLLoss()
        >>> loss(paddle.to_tensor([[-0.5, -1.0], [-2.0, -0.25]]), paddle.to_tensor([0, 1])).item()
        0.375
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", name=None):
        super().__init__()
        self._weight = weight
        self._ignore_index = ignore_index
        self._reduction = _parse.reduction("NLLLoss", reduction)
        self._name = name

    def forward(self, input, label):
        return F.nll_loss(input, label, self._weight, self._ignore_index, self._reduction)


class PoissonNLLLoss(Layer):
    """Negative log likelihood of Poisson counts.

    Args:
        log_input (bool, default True): Whether the input is the logarithm of the rate.
        full (bool, default False): Whether Stirling's term is added.
        epsilon (float, default 1e-08): What keeps a logarithm from zero.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.PoissonNLLLoss()
        >>> loss(paddle.to_tensor([0.0, 1.0]), paddle.to_tensor([1.0, 2.0])).item()
        0.8591
    """

    def __init__(self, log_input=True, full=False, epsilon=1e-8, reduction="mean", name=None):
        super().__init__()
        if epsilon <= 0:
            raise ValueError(f"[PoissonNLLLoss] expected a positive epsilon, got {epsilon}")
        self._log_input = log_input
        self._full = full
        self._epsilon = epsilon
        self._reduction = _parse.reduction("PoissonNLLLoss", reduction)
        self._name = name

    def forward(self, input, label):
        return F.poisson_nll_loss(
            input, label, self._log_input, self._full, self._epsilon, self._reduction
        )


class KLDivLoss(Layer):
    """Kullback-Leibler divergence of log-probabilities from a target.

    Args:
        reduction (str, default 'mean'): `mean`, `batchmean`, `sum` or `none`.
        log_target (bool, default False): Whether targets are logarithms.

    Examples:
        >>> loss = paddle.nn.KLDivLoss(reduction='sum')
        >>> loss(paddle.to_tensor([-0.5, -1.0]), paddle.to_tensor([0.5, 0.5])).item()
        0.0569
    """

    def __init__(self, reduction="mean", log_target=False):
        super().__init__()
        self.reduction = reduction
        self.log_target = log_target

    def forward(self, input, label):
        return F.kl_div(input, label, self.reduction, self.log_target)


class MarginRankingLoss(Layer):
    """max(0, -label * (input - other) + margin).

    Args:
        margin (float, default 0.0): The margin.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x, y = paddle.to_tensor([3.0, 1.0]), paddle.to_tensor([1.0, 3.0])
        >>> paddle.nn.MarginRankingLoss(reduction="none")(x, y, paddle.ones([2])).tolist()
        [0.0, 2.0]
    """

    def __init__(self, margin=0.0, reduction="mean", name=None):
        super().__init__()
        self.margin = margin
        self.reduction = _parse.reduction("MarginRankingLoss", reduction)
        self.name = name

    def forward(self, input, other, label):
        return F.margin_ranking_loss(input, other, label, self.margin, self.reduction)


class CTCLoss(Layer):
    """Connectionist temporal classification, `paddle.nn.functional.ctc_loss` as a layer.

    Args:
        blank (int, default 0): The class that stands for no label.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        zero_infinity (bool, default False): Whether infinite losses and their gradients become
            zero.

    Examples:
        >>> scores = paddle.zeros([2, 1, 2])
        >>> labels = paddle.to_tensor([[1]], "int32")
        >>> loss = paddle.nn.CTCLoss()(scores, labels, paddle.to_tensor([2]), paddle.to_tensor([1]))
        >>> loss.neg().exp().item()
        0.75
    """

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__()
        self.blank = blank
        self.reduction = reduction
        self.zero_infinity = zero_infinity

    def forward(self, log_probs, labels, input_lengths, label_lengths, norm_by_times=False):
        return F.ctc_loss(
            log_probs,
            labels,
            input_lengths,
            label_lengths,
            self.blank,
            self.reduction,
            norm_by_times,
            self.zero_infinity,
        )


class RNNTLoss(Layer):
    """RNN transducer loss, `paddle.nn.functional.rnnt_loss` as a layer.

    Args:
        blank (int, default 0): The class that stands for no label.
        fastemit_lambda (float, default 0.001): The factor by which early labels are favoured; it
            changes gradients only.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Graves, Sequence transduction with recurrent neural networks, 2012

    Examples:
        >>> scores = paddle.full([1, 2, 2, 2], 0.5).log()
        >>> label, length = paddle.to_tensor([[1]], "int32"), paddle.to_tensor([1], "int32")
        >>> loss = paddle.nn.RNNTLoss()(scores, label, paddle.to_tensor([2], "int32"), length)
        >>> loss.neg().exp().item()
        0.25
    """

    def __init__(self, blank=0, fastemit_lambda=0.001, reduction="mean", name=None):
        super().__init__()
        self.blank = blank
        self.reduction = reduction
        self.fastemit_lambda = fastemit_lambda
        self.name = name

    def forward(self, input, label, input_lengths, label_lengths):
        return F.rnnt_loss(
            input,
            label,
            input_lengths,
            label_lengths,
            self.blank,
            self.fastemit_lambda,
            self.reduction,
        )


class SmoothL1Loss(Layer):
    """Huber loss.

    Args:
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        delta (float, default 1.0): Where the loss turns from quadratic to linear.
        is_huber (bool, default True): Whether it is the Huber loss, else that over delta.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.SmoothL1Loss()
        >>> loss(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([1.0, 1.0])).item()
        0.75
    """

    def __init__(self, reduction="mean", delta=1.0, is_huber=True, name=None):
        super().__init__()
        self.reduction = reduction
        self.delta = delta
        self.is_huber = is_huber
        self.name = name

    def forward(self, input, label):
        return F.smooth_l1_loss(input, label, self.reduction, self.delta, self.is_huber)


class MultiLabelSoftMarginLoss(Layer):
    """Mean binary cross entropy over classes.

    Args:
        weight (Tensor, default None): The factors of the classes.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.MultiLabelSoftMarginLoss()
        >>> loss(paddle.to_tensor([[0.0, 2.0]]), paddle.to_tensor([[0.0, 1.0]])).item()
        0.4100
    """

    def __init__(self, weight=None, reduction="mean", name=None):
        super().__init__()
        self.weight = weight
        self.reduction = _parse.reduction("MultiLabelSoftMarginLoss", reduction)
        self.name = name

    def forward(self, input, label):
        return F.multi_label_soft_margin_loss(input, label, self.weight, self.reduction)


class MultiLabelMarginLoss(Layer):
    """Hinge between every target and every other class.

    Args:
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.to_tensor([[0.1, 0.2, 0.4, 0.8]])
        >>> paddle.nn.MultiLabelMarginLoss()(x, paddle.to_tensor([[3, 0, -1, 1]])).item()
        0.8500
    """

    def __init__(self, reduction="mean", name=None):
        super().__init__()
        self.reduction = _parse.reduction("MultiLabelMarginLoss", reduction)
        self.name = name

    def forward(self, input, label):
        return F.multi_label_margin_loss(input, label, self.reduction)


class HingeEmbeddingLoss(Layer):
    """Distance for similar pairs, hinge for dissimilar ones.

    Args:
        margin (float, default 1.0): From which distance dissimilar pairs cost nothing.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.HingeEmbeddingLoss()
        >>> loss(paddle.to_tensor([0.5, 0.5]), paddle.to_tensor([1.0, -1.0])).item()
        0.5
    """

    def __init__(self, margin=1.0, reduction="mean", name=None):
        super().__init__()
        self.margin = margin
        self.reduction = reduction
        self.name = name

    def forward(self, input, label):
        return F.hinge_embedding_loss(input, label, self.margin, self.reduction)


class CosineEmbeddingLoss(Layer):
    """Cosine distance for similar pairs, hinge for dissimilar ones.

    Args:
        margin (float, default 0): The cosine above which dissimilar pairs have a loss.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x, y = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[0.0, 1.0]])
        >>> paddle.nn.CosineEmbeddingLoss()(x, y, paddle.to_tensor([1])).item()
        1.0
    """

    def __init__(self, margin=0, reduction="mean", name=None):
        super().__init__()
        if margin > 1 or margin < -1:
            raise ValueError(f"[CosineEmbeddingLoss] expected margin from -1 to 1, got {margin}")
        self.margin = margin
        self.reduction = _parse.reduction("CosineEmbeddingLoss", reduction)
        self.name = name

    def forward(self, input1, input2, label):
        return F.cosine_embedding_loss(input1, input2, label, self.margin, self.reduction)


@shares(F.triplet_margin_with_distance_loss)
class TripletMarginWithDistanceLoss(Layer):
    """Triplet loss with any distance function.

    Args:
        {distance_function, margin, swap, reduction, name}

    Examples:
        >>> loss = paddle.nn.TripletMarginWithDistanceLoss(lambda a, b: (a - b).abs().sum(axis=-1))
        >>> x, near, far = paddle.zeros([1, 2]), paddle.ones([1, 2]), paddle.full([1, 2], 2.0)
        >>> loss(x, far, near).item()
        3.0
    """

    def __init__(self, distance_function=None, margin=1.0, swap=False, reduction="mean", name=None):
        super().__init__()
        self.margin = margin
        self.swap = swap
        self.reduction = _parse.reduction("TripletMarginWithDistanceLoss", reduction)
        self.distance_function = distance_function
        self.name = name

    def forward(self, input, positive, negative):
        return F.triplet_margin_with_distance_loss(
            input,
            positive,
            negative,
            self.distance_function,
            self.margin,
            self.swap,
            self.reduction,
        )


class TripletMarginLoss(Layer):
    """Triplet loss with the p-norm distance, `paddle.nn.functional.triplet_margin_loss` as a layer.

    Args:
        margin (float, default 1.0): How much farther the negative shall be than the positive.
        p (float, default 2.0): The exponent of the norm.
        epsilon (float, default 1e-06): What is added to differences.
        swap (bool, default False): Whether the distance of positive and negative counts where it is
            smaller.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x, near, far = paddle.zeros([1, 2]), paddle.ones([1, 2]), paddle.full([1, 2], 2.0)
        >>> paddle.nn.TripletMarginLoss(p=1.0)(x, near, far).item()
        0.0
        >>> paddle.nn.TripletMarginLoss(p=1.0)(x, far, near).item()
        3.0
    """

    def __init__(self, margin=1.0, p=2.0, epsilon=1e-6, swap=False, reduction="mean", name=None):
        super().__init__()
        self.margin = margin
        self.p = p
        self.epsilon = epsilon
        self.swap = swap
        self.reduction = _parse.reduction("TripletMarginLoss", reduction)
        self.name = name

    def forward(self, input, positive, negative):
        return F.triplet_margin_loss(
            input, positive, negative, self.margin, self.p, self.epsilon, self.swap, self.reduction
        )


class MultiMarginLoss(Layer):
    """Hinge between the target class and every other.

    Args:
        p (int, default 1): The exponent.
        margin (float, default 1.0): By how much the target must lead.
        weight (Tensor, default None): The factors of the classes.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.MultiMarginLoss()
        >>> loss(paddle.to_tensor([[0.5, 1.0]]), paddle.to_tensor([1])).item()
        0.25
    """

    def __init__(self, p=1, margin=1.0, weight=None, reduction="mean", name=None):
        super().__init__()
        self.p = p
        self.margin = margin
        self.weight = weight
        self.reduction = _parse.reduction("MultiMarginLoss", reduction)
        self.name = name

    def forward(self, input, label):
        return F.multi_margin_loss(input, label, self.p, self.margin, self.weight, self.reduction)


class SoftMarginLoss(Layer):
    """log(1 + exp(-label * input)).

    Args:
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.SoftMarginLoss()
        >>> loss(paddle.to_tensor([1.0, -1.0]), paddle.to_tensor([1.0, 1.0])).item()
        0.8133
    """

    def __init__(self, reduction="mean", name=None):
        super().__init__()
        self.reduction = _parse.reduction("SoftMarginLoss", reduction)
        self.name = name

    def forward(self, input, label):
        return F.soft_margin_loss(input, label, self.reduction)


class GaussianNLLLoss(Layer):
    """Negative log likelihood of normal values.

    Args:
        full (bool, default False): Whether the constant term is added.
        epsilon (float, default 1e-06): The least variance.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> loss = paddle.nn.GaussianNLLLoss()
        >>> loss(paddle.ones([2]), paddle.zeros([2]), paddle.ones([2])).item()
        0.5
    """

    def __init__(self, full=False, epsilon=1e-6, reduction="mean", name=None):
        super().__init__()
        self.full = full
        self.epsilon = epsilon
        self.reduction = _parse.reduction("GaussianNLLLoss", reduction)
        self.name = name

    def forward(self, input, label, variance):
        return F.gaussian_nll_loss(input, label, variance, self.full, self.epsilon, self.reduction)


class AdaptiveLogSoftmaxWithLoss(Layer):
    """Softmax over many classes, split into a frequent head and rarer clusters at `cutoffs`.

    Args:
        in_features (int): How many features the input has.
        n_classes (int): How many classes there are.
        cutoffs (list of ints): The first class of each cluster; classes below the first stand in
            the head.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        div_value (float, default 4.0): By how much the projection of a cluster is narrower than
            that of the one before.
        head_bias (bool, default False): Whether the head has a bias.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Grave et al., Efficient softmax approximation for GPUs, 2016

    Examples:
        >>> layer = paddle.nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[4, 7])
        >>> x, label = paddle.rand([5, 8]), paddle.to_tensor([0, 3, 5, 8, 9])
        >>> logs, loss = layer(x, label)
        >>> logs.shape, loss.shape
        (paddle.Size([5]), paddle.Size([]))
        >>> round(layer.log_prob(x).exp().sum().item(), 3)
        5.0
    """

    def __init__(
        self,
        in_features,
        n_classes,
        cutoffs,
        weight_attr=None,
        bias_attr=None,
        div_value=4.0,
        head_bias=False,
        name=None,
    ):
        super().__init__()
        self._dtype = get_default_dtype()
        self._weight_attr = weight_attr
        self._bias_attr = bias_attr
        cutoffs = items('AdaptiveLogSoftmaxWithLoss', 'cutoffs', cutoffs)
        if not cutoffs:
            raise ValueError("[AdaptiveLogSoftmaxWithLoss] expected at least one cutoff, got none")
        if (
            cutoffs != sorted(cutoffs)
            or min(cutoffs) <= 0
            or max(cutoffs) > n_classes - 1
            or len(set(cutoffs)) != len(cutoffs)
            or any(int(c) != c for c in cutoffs)
        ):
            raise ValueError(
                "[AdaptiveLogSoftmaxWithLoss] expected ascending cutoffs from 1 to "
                f"{n_classes - 1}, got {cutoffs}"
            )
        self.in_features, self.n_classes = in_features, n_classes
        self.div_value, self.is_head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.cutoffs = [*cutoffs, n_classes]
        self.head_size = self.shortlist_size + self.n_clusters
        self.head_weight = self.create_parameter(
            [in_features, self.head_size], weight_attr, self._dtype
        )
        self.head_bias = (
            self.create_parameter([self.head_size], bias_attr, self._dtype, True)
            if head_bias
            else None
        )
        self.tail_weights = []
        for i in range(self.n_clusters):
            hidden = int(in_features // (div_value ** (i + 1)))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail_weights.append(
                [
                    self.create_parameter([in_features, hidden], weight_attr, self._dtype),
                    self.create_parameter([hidden, size], weight_attr, self._dtype),
                ]
            )

    def forward(self, input, label):
        return F.adaptive_log_softmax_with_loss(
            input, label, self.head_weight, self.tail_weights, self.cutoffs, self.head_bias
        )

    def _full_log_prob(self, input, head_output):
        head = F.log_softmax(head_output, axis=1)
        parts = [head[:, : self.shortlist_size]]
        for i, (down, up) in enumerate(self.tail_weights):
            cluster = F.log_softmax(F.linear(F.linear(input, down), up), axis=1)
            parts.append(cluster + paddle.unsqueeze(head[:, self.shortlist_size + i], 1))
        return paddle.concat(parts, axis=1)

    def log_prob(self, input):
        """Log-probabilities of all classes, [N, n_classes]."""
        return self._full_log_prob(input, F.linear(input, self.head_weight, self.head_bias))

    def predict(self, input):
        """The most probable class of each row, [N]."""
        return paddle.argmax(self.log_prob(input), axis=1)
