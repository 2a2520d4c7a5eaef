# SPDX-License-Identifier: Apache-2.0
"""Normalisation layers."""

import math

import paddle
from paddle import _C_ops, get_default_dtype
from paddle.base.arguments import any_of, items, iterations
from paddle.base.documentation import shares
from paddle.base.framework import dtype_name
from paddle.base.param_attr import ParamAttr

from .. import functional as F
from ..functional import _parse
from ..initializer import Constant, Normal
from .alias import aliases
from .layers import Layer

__all__ = [
    "BatchNorm",
    "BatchNorm1D",
    "BatchNorm2D",
    "BatchNorm3D",
    "SyncBatchNorm",
    "LayerNorm",
    "GroupNorm",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "InstanceNorm3D",
    "LocalResponseNorm",
    "SpectralNorm",
    "RMSNorm",
]


def _check_rank(op, x, *ranks):
    if len(x.shape) not in ranks:
        raise ValueError(f"[{op}] expected x of {any_of(ranks)} axes, got shape {list(x.shape)}")


def _running(layer, name, value, size, dtype, **kwargs):
    """A statistic: a parameter without gradient."""
    stat = layer.create_parameter(
        [size], ParamAttr(name=name, initializer=Constant(value), trainable=False, **kwargs), dtype
    )
    stat.stop_gradient = True
    return stat


def _register_statistics(layer, mean, variance):
    layer._mean = mean
    layer._variance = variance


def _stat_dtype(dtype):
    return "float32" if dtype_name(dtype) in ("float16", "bfloat16") else dtype


class _BatchNormBase(Layer):
    _ranks = None

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        use_global_stats=None,
        name=None,
    ):
        super().__init__()
        self._num_features = num_features
        self._weight_attr = weight_attr
        self._bias_attr = bias_attr
        self._use_global_stats = use_global_stats
        self._dtype = _stat_dtype(get_default_dtype())
        self.weight = self.create_parameter(
            [num_features], weight_attr, self._dtype, default_initializer=Constant(1.0)
        )
        self.bias = self.create_parameter([num_features], bias_attr, self._dtype, True)
        _register_statistics(
            self,
            _running(
                self, None if name is None else name + "_mean", 0.0, num_features, self._dtype
            ),
            _running(
                self, None if name is None else name + "_variance", 1.0, num_features, self._dtype
            ),
        )
        self._name, self._data_format, self._momentum, self._epsilon = (
            name,
            data_format,
            momentum,
            epsilon,
        )

    def _check_input_dim(self, input):
        if self._ranks:
            _check_rank(type(self).__name__, input, *self._ranks)

    def _check_data_format(self):
        pass

    def forward(self, input):
        self._check_input_dim(input)
        return F.batch_norm(
            input,
            self._mean,
            self._variance,
            *self._weight_and_bias(),
            self.training,
            self._momentum,
            self._epsilon,
            self._data_format,
            self._use_global_stats,
        )

    def extra_repr(self):
        text = (
            f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        )
        if self._data_format != "NCHW":
            text += f", data_format={self._data_format}"
        if self._name is not None:
            text += f", name={self._name}"
        return text


_TEXT = """Batch normalisation of {shapes}.

Args:
    num_features (int): How many channels the input has.
    momentum (float, default 0.9): How much of the running statistics stays in a step.
    epsilon (float, default 1e-05): What keeps a divisor from zero. Also `eps`.
    weight_attr (ParamAttr, default None): How the weight is made; False for none.
    bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
    data_format (str, default {layout!r}): {allowed}.
    use_global_stats (bool, default None): Whether the running statistics are used in training too;
        None for evaluation only.
    name (str, default None): The prefix of the names of the running statistics.

Source: Ioffe and Szegedy, Batch normalization, 2015.

Examples:
    >>> x = paddle.to_tensor([1.0, 3.0]).reshape([2, 1{ones}])
    >>> paddle.nn.{name}(1)(x).flatten().tolist()
    [-1.0000, 1.0000]
"""


def _batch_norm_class(name, ranks, layout, allowed, shapes):
    @aliases(eps="epsilon")
    class Norm(_BatchNormBase):
        _ranks = ranks

        def __init__(
            self,
            num_features,
            momentum=0.9,
            epsilon=1e-05,
            weight_attr=None,
            bias_attr=None,
            data_format=layout,
            use_global_stats=None,
            name=None,
        ):
            _parse.data_format(type(self).__name__, data_format, *allowed)
            super().__init__(
                num_features,
                momentum,
                epsilon,
                weight_attr,
                bias_attr,
                data_format,
                use_global_stats,
                name,
            )

    Norm.__name__ = Norm.__qualname__ = name
    formats = [f"`{layout}`" for layout in allowed]
    Norm.__doc__ = _TEXT.format(
        name=name,
        shapes=shapes,
        layout=layout,
        allowed=f"{', '.join(formats[:-1])} or {formats[-1]}",
        ones=", 1" * (ranks[-1] - 2),
    )
    return Norm


BatchNorm1D = _batch_norm_class(
    "BatchNorm1D", (2, 3), "NCL", ("NCL", "NLC", "NC"), "[N, C] or [N, C, L]"
)
BatchNorm2D = _batch_norm_class("BatchNorm2D", (4,), "NCHW", ("NCHW", "NHWC", "NC"), "[N, C, H, W]")
BatchNorm3D = _batch_norm_class(
    "BatchNorm3D", (5,), "NCDHW", ("NCDHW", "NDHWC", "NC"), "[N, C, D, H, W]"
)


class BatchNorm(Layer):
    """Batch normalisation of any rank, followed by an optional activation named by `act`;
    `is_test`: made in evaluation mode.

    Args:
        num_channels (int): How many channels the input has.
        act (str, default None): The activation that follows; None for none.
        is_test (bool, default False): Whether the layer begins in evaluation mode.
        momentum (float, default 0.9): How much of the running statistics stays in a step.
        epsilon (float, default 1e-05): What keeps a divisor from zero.
        param_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        dtype (str or dtype, default 'float32'): The dtype of the parameters.
        data_layout (str, default 'NCHW'): The order of axes, channels first or last.
        in_place (bool, default False): Taken for compatibility; it has no effect.
        moving_mean_name (str, default None): The name of the running means.
        moving_variance_name (str, default None): The name of the running variances.
        do_model_average_for_mean_and_var (bool, default True): Whether averages of parameters cover
            the statistics.
        use_global_stats (bool, default False): Whether the running statistics are used in training
            too.
        trainable_statistics (bool, default False): Whether evaluation uses the statistics of the
            input.

    Examples:
        >>> layer = paddle.nn.BatchNorm(1)
        >>> layer(paddle.to_tensor([[1.0], [3.0]])).tolist()
        [[-1.0000], [1.0000]]
    """

    def __init__(
        self,
        num_channels,
        act=None,
        is_test=False,
        momentum=0.9,
        epsilon=1e-05,
        param_attr=None,
        bias_attr=None,
        dtype="float32",
        data_layout="NCHW",
        in_place=False,
        moving_mean_name=None,
        moving_variance_name=None,
        do_model_average_for_mean_and_var=True,
        use_global_stats=False,
        trainable_statistics=False,
    ):
        super().__init__()
        self._bias_attr = bias_attr
        self._act = act
        self._dtype = _stat_dtype(dtype)
        self.weight = self.create_parameter(
            [num_channels], param_attr, self._dtype, default_initializer=Constant(1.0)
        )
        self.bias = self.create_parameter([num_channels], bias_attr, self._dtype, True)
        average = {"do_model_average": do_model_average_for_mean_and_var}
        _register_statistics(
            self,
            _running(self, moving_mean_name, 0.0, num_channels, self._dtype, **average),
            _running(self, moving_variance_name, 1.0, num_channels, self._dtype, **average),
        )
        self._data_layout = data_layout
        self._momentum = momentum
        self._epsilon = epsilon
        self.training = not is_test
        self._use_global_stats = use_global_stats
        self._trainable_statistics = trainable_statistics

    def forward(self, input):
        out = _C_ops.batch_norm_(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            not self.training,
            self._momentum,
            self._epsilon,
            self._data_layout,
            self._use_global_stats,
            self._trainable_statistics,
        )[0]
        return out if self._act is None else getattr(F, self._act)(out)


@aliases(eps="epsilon")
class SyncBatchNorm(_BatchNormBase):
    """Batch normalisation with statistics over all processes of the job, in training.

    Args:
        num_features (int): How many channels the input has.
        momentum (float, default 0.9): How much of the running statistics stays in a step.
        epsilon (float, default 1e-05): What keeps a divisor from zero. Also `eps`.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> layer = paddle.nn.SyncBatchNorm(1)
        >>> layer(paddle.to_tensor([[[[1.0]]], [[[3.0]]]])).flatten().tolist()
        [-1.0000, 1.0000]
        >>> net = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.BatchNorm2D(2))
        >>> type(paddle.nn.SyncBatchNorm.convert_sync_batchnorm(net)[1]).__name__
        'SyncBatchNorm'
    """

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        name=None,
    ):
        super().__init__(
            num_features, momentum, epsilon, weight_attr, bias_attr, data_format, None, name
        )

    def _check_data_format(self):
        if self._data_format in ("NCHW", "NCDHW", "NC", "NCL"):
            self._data_format = "NCHW"
        elif self._data_format in ("NHWC", "NDHWC", "NLC"):
            self._data_format = "NHWC"
        else:
            raise ValueError(
                "[SyncBatchNorm] expected data_format 'NC', 'NCL', 'NCHW', 'NCDHW', 'NLC', 'NHWC' "
                f"or 'NDHWC', got {self._data_format!r}"
            )

    def forward(self, x):
        self._check_data_format()
        if not self.training or self._use_global_stats or paddle.distributed.get_world_size() < 2:
            return super().forward(x)
        from paddle.distributed.sync_batch_norm import SyncNormalize

        statistics = []
        axis = 1 if self._data_format == "NCHW" else x.ndim - 1
        out = SyncNormalize.apply(x, self.weight, self.bias, self._epsilon, axis, statistics)
        with paddle.no_grad():
            for kept, now in zip((self._mean, self._variance), statistics):
                kept.set_value(kept * self._momentum + now * (1 - self._momentum))
        return out

    @classmethod
    def convert_sync_batchnorm(cls, layer):
        """Replace every BatchNorm below `layer` (or the layer itself) by a SyncBatchNorm with the
        same state.
        """
        result = layer
        if isinstance(layer, _BatchNormBase) and not isinstance(layer, SyncBatchNorm):
            attrs = [
                a.name if isinstance(a, ParamAttr) else a
                for a in (layer._weight_attr, layer._bias_attr)
            ]
            result = SyncBatchNorm(
                layer._num_features,
                layer._momentum,
                layer._epsilon,
                *attrs,
                layer._data_format,
                layer._name,
            )
            if layer._weight_attr is not False and layer._bias_attr is not False:
                with paddle.no_grad():
                    result.weight = layer.weight
                    result.bias = layer.bias
            _register_statistics(result, layer._mean, layer._variance)
            result.training = layer.training
        for name, sub in layer.named_children():
            result.add_sublayer(name, cls.convert_sync_batchnorm(sub))
        return result


@aliases(eps="epsilon")
class LayerNorm(Layer):
    """Normalise over the last dimensions of shape normalized_shape.

    Args:
        normalized_shape (int or list of ints): The extents of the last axes, over which is
            normalised.
        epsilon (float, default 1e-05): What keeps a divisor from zero.
        elementwise_affine (bool, default True): Whether there are a weight and a bias.
        bias (bool, default True): Whether there is a bias.
        device (str or place, default None): Where the parameters lie.
        dtype (str or dtype, default None): The dtype of the parameters.
        weight_attr (ParamAttr, default None): How the weight is made; False for none.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Ba, Kiros and Hinton, Layer Normalization, 2016 (arXiv:1607.06450)

    Examples:
        >>> paddle.nn.LayerNorm(2)(paddle.to_tensor([[1.0, 3.0]])).tolist()
        [[-1.0000, 1.0000]]
    """

    def __init__(
        self,
        normalized_shape,
        epsilon=1e-05,
        *,
        elementwise_affine=True,
        bias=True,
        device=None,
        dtype=None,
        weight_attr=None,
        bias_attr=None,
        name=None,
    ):
        super().__init__()
        self._normalized_shape = (
            [normalized_shape]
            if isinstance(normalized_shape, int)
            else items('LayerNorm', 'normalized_shape', normalized_shape)
        )
        self._epsilon = epsilon
        self._weight_attr = False if not elementwise_affine else weight_attr
        self._bias_attr = False if not (elementwise_affine and bias) else bias_attr
        self._dtype = get_default_dtype() if dtype is None else dtype
        size = 1
        for d in self._normalized_shape:
            size *= d
        self.weight = self.create_parameter(
            [size], self._weight_attr, self._dtype, default_initializer=Constant(1.0), device=device
        )
        self.bias = self.create_parameter([size], self._bias_attr, self._dtype, True, device=device)

    def forward(self, input):
        return F.layer_norm(input, self._normalized_shape, *self._weight_and_bias(), self._epsilon)

    def extra_repr(self):
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class RMSNorm(Layer):
    """Divide by the root mean square over the last dimensions, times a trained weight.

    Args:
        normalized_shape (int or list of ints): The extents of the last axes, over which is
            normalised.
        eps (float, default None): What keeps a divisor from zero; None for the dtype's epsilon.
        elementwise_affine (bool, default True): Whether there is a weight.
        device (str or place, default None): Where the parameters lie.
        dtype (str or dtype, default None): The dtype of the parameters.
        weight_attr (ParamAttr, default None): How the weight is made; False for none.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization, 2019 (arXiv:1910.07467)

    Examples:
        >>> paddle.nn.RMSNorm(2)(paddle.to_tensor([[3.0, 4.0]])).tolist()
        [[0.8485, 1.1314]]
    """

    def __init__(
        self,
        normalized_shape,
        eps=None,
        elementwise_affine=True,
        device=None,
        dtype=None,
        *,
        weight_attr=None,
        name=None,
    ):
        super().__init__()
        self._normalized_shape = (
            [normalized_shape]
            if isinstance(normalized_shape, int)
            else items('RMSNorm', 'normalized_shape', normalized_shape)
        )
        self._epsilon = 1e-5 if eps is None else eps
        self._dtype = get_default_dtype() if dtype is None else dtype
        self.weight = self.create_parameter(
            self._normalized_shape,
            weight_attr if elementwise_affine else False,
            self._dtype,
            default_initializer=Constant(1.0),
            device=device,
        )

    def forward(self, input):
        return F.rms_norm(input, self._normalized_shape, self.weight, self._epsilon)

    def extra_repr(self):
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


@aliases(eps="epsilon")
class GroupNorm(Layer):
    """Normalise over groups of channels.

    Args:
        num_groups (int): How many groups.
        num_channels (int): How many channels, a multiple of num_groups.
        epsilon (float, default 1e-05): What keeps a divisor from zero.
        affine (bool, default True): Whether there are a weight and a bias.
        device (str or place, default None): Where the parameters lie.
        dtype (str or dtype, default None): The dtype of the parameters.
        weight_attr (ParamAttr, default None): How the weight is made; False for none.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Wu and He, Group Normalization, 2018 (arXiv:1803.08494)

    Examples:
        >>> paddle.nn.GroupNorm(2, 4)(paddle.ones([1, 4, 2, 2])).shape
        paddle.Size([1, 4, 2, 2])
    """

    def __init__(
        self,
        num_groups,
        num_channels,
        epsilon=1e-05,
        *,
        affine=True,
        device=None,
        dtype=None,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        name=None,
    ):
        super().__init__()
        _parse.data_format(
            type(self).__name__, data_format, "NCHW", "NHWC", "NCL", "NLC", "NCDHW", "NDHWC"
        )
        self._weight_attr = weight_attr if affine else False
        self._bias_attr = bias_attr if affine else False
        self._epsilon = epsilon
        self._num_channels = num_channels
        self._num_groups = num_groups
        self._data_format = data_format
        self._dtype = get_default_dtype() if dtype is None else dtype
        self.weight = self.create_parameter(
            [num_channels],
            self._weight_attr,
            self._dtype,
            default_initializer=Constant(1.0),
            device=device,
        )
        self.bias = self.create_parameter(
            [num_channels], self._bias_attr, self._dtype, True, device=device
        )

    def forward(self, input):
        return F.group_norm(
            input, self._num_groups, self._epsilon, *self._weight_and_bias(), self._data_format
        )

    def extra_repr(self):
        return (
            f"num_groups={self._num_groups}, num_channels={self._num_channels}, "
            f"epsilon={self._epsilon}"
        )


class _InstanceNormBase(Layer):
    _ranks = None

    def __init__(
        self,
        num_features,
        epsilon=1e-5,
        momentum=0.9,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        name=None,
    ):
        super().__init__()
        if (weight_attr is False) != (bias_attr is False):
            raise AssertionError(
                f"[{type(self).__name__}] expected weight_attr and bias_attr to be False together, "
                f"got {weight_attr!r} and {bias_attr!r}"
            )
        self._num_features, self._data_format = num_features, data_format
        self._epsilon, self._momentum = epsilon, momentum
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.scale = self.create_parameter([num_features], weight_attr, None, False, Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, None, True, Constant(0.0))

    def forward(self, input):
        _check_rank(type(self).__name__, input, *self._ranks)
        return F.instance_norm(
            input,
            weight=self.scale,
            bias=self.bias,
            momentum=self._momentum,
            eps=self._epsilon,
            data_format=self._data_format,
        )

    def extra_repr(self):
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


class InstanceNorm1D(_InstanceNormBase):
    """Instance normalisation of [N, C, L].

    Args:
        num_features (int): How many channels the input has.
        epsilon (float, default 1e-05): What keeps a divisor from zero.
        momentum (float, default 0.9): Taken for compatibility; no running statistics are kept.
        weight_attr (ParamAttr, default None): How the weight is made; False for none, together with
            bias_attr.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none, together
            with weight_attr.
        data_format (str, default 'NCL'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Ulyanov et al., Instance normalization, 2016

    Examples:
        >>> paddle.nn.InstanceNorm1D(2)(paddle.to_tensor([[[1.0, 3.0], [10.0, 30.0]]])).tolist()
        [[[-1.0000, 1.0000], [-1.0000, 1.0000]]]
    """

    _ranks = (2, 3)

    def __init__(
        self,
        num_features,
        epsilon=1e-05,
        momentum=0.9,
        weight_attr=None,
        bias_attr=None,
        data_format="NCL",
        name=None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


@shares(InstanceNorm1D)
class InstanceNorm2D(_InstanceNormBase):
    """Instance normalisation of [N, C, H, W].

    Args:
        {num_features, epsilon, momentum, weight_attr, bias_attr}
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Ulyanov et al., Instance normalization, 2016

    Examples:
        >>> paddle.nn.InstanceNorm2D(1)(paddle.to_tensor([[[[1.0, 3.0]]]])).tolist()
        [[[[-1.0000, 1.0000]]]]
    """

    _ranks = (4,)

    def __init__(
        self,
        num_features,
        epsilon=1e-05,
        momentum=0.9,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        name=None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


@shares(InstanceNorm1D)
class InstanceNorm3D(_InstanceNormBase):
    """Instance normalisation of [N, C, D, H, W].

    Args:
        {num_features, epsilon, momentum, weight_attr, bias_attr}
        data_format (str, default 'NCDHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Ulyanov et al., Instance normalization, 2016

    Examples:
        >>> paddle.nn.InstanceNorm3D(1)(paddle.to_tensor([[[[[1.0, 3.0]]]]])).tolist()
        [[[[[-1.0000, 1.0000]]]]]
    """

    _ranks = (5,)

    def __init__(
        self,
        num_features,
        epsilon=1e-05,
        momentum=0.9,
        weight_attr=None,
        bias_attr=None,
        data_format="NCDHW",
        name=None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


@shares(F.local_response_norm)
class LocalResponseNorm(Layer):
    """Divide by a power of the mean square of neighbouring channels.

    Args:
        {size, alpha, beta, k, data_format, name}

    Examples:
        >>> layer = paddle.nn.LocalResponseNorm(3, alpha=3.0, beta=1.0)
        >>> layer(paddle.ones([1, 3, 1, 1])).flatten().tolist()
        [0.3333, 0.25, 0.3333]
    """

    def __init__(self, size, alpha=0.0001, beta=0.75, k=1.0, data_format="NCHW", name=None):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k
        self.data_format = data_format
        self.name = name

    def forward(self, input):
        return F.local_response_norm(
            input, self.size, self.alpha, self.beta, self.k, self.data_format
        )

    def extra_repr(self):
        text = f"size={self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
        if self.data_format != "NCHW":
            text += f", data_format={self.data_format}"
        return text + (f", name={self.name}" if self.name is not None else "")


class SpectralNorm(Layer):
    """Divide a weight by its largest singular value, estimated by power iterations.

    Args:
        weight_shape (list of ints): The shape of the weight.
        dim (int, default 0): Its axis that becomes the rows of a matrix.
        power_iters (int, default 1): How many iterations a call makes.
        eps (float, default 1e-12): What keeps a divisor from zero.
        dtype (str or dtype, default 'float32'): The dtype of the vectors that it keeps.

    Source: Miyato et al., Spectral normalization for generative adversarial networks, 2018

    Examples:
        >>> layer = paddle.nn.SpectralNorm([2, 2], power_iters=20)
        >>> layer(paddle.to_tensor([[4.0, 0.0], [0.0, 2.0]])).tolist()
        [[1.0, 0.0], [0.0, 0.5]]
    """

    def __init__(self, weight_shape, dim=0, power_iters=1, eps=1e-12, dtype="float32"):
        super().__init__()
        self._power_iters = iterations('SpectralNorm', 'power_iters', power_iters)
        self._eps = eps
        self._dim = dim
        self._dtype = dtype
        self._weight_shape = items('SpectralNorm', 'weight_shape', weight_shape)
        if not all(d > 0 for d in self._weight_shape):
            raise AssertionError(
                "[SpectralNorm] expected a weight of positive extents, got shape "
                f"{list(self._weight_shape)}"
            )
        rank = len(self._weight_shape)
        if not -rank <= dim < rank:
            raise AssertionError(
                f"[SpectralNorm] expected dim from {-rank} to {rank - 1}, got {dim}"
            )
        height = self._weight_shape[dim]
        width = math.prod(self._weight_shape) // height
        self.weight_u = self.create_parameter(
            [height], ParamAttr(), dtype, default_initializer=Normal(0.0, 1.0)
        )
        self.weight_u.stop_gradient = True
        self.weight_v = self.create_parameter(
            [width], ParamAttr(), dtype, default_initializer=Normal(0.0, 1.0)
        )
        self.weight_v.stop_gradient = True

    def forward(self, x):
        return _C_ops.spectral_norm(
            x, self.weight_u, self.weight_v, self._dim, self._power_iters, self._eps
        )
