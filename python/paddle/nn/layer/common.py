# SPDX-License-Identifier: Apache-2.0
"""Linear, embedding, dropout, resampling and rearranging layers."""

import functools

import paddle
from paddle import _lazy, get_default_dtype
from paddle.base.documentation import shares
from paddle.base.framework import after_first_values

from .. import functional as F
from ..functional._texts import RESIZED
from .alias import aliases, reads
from .layers import Layer

__all__ = [
    "Identity",
    "Linear",
    "Bilinear",
    "Embedding",
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "AlphaDropout",
    "FeatureAlphaDropout",
    "Flatten",
    "Unflatten",
    "Upsample",
    "UpsamplingBilinear2D",
    "UpsamplingNearest2D",
    "CosineSimilarity",
    "PairwiseDistance",
    "Unfold",
    "Fold",
    "PixelShuffle",
    "PixelUnshuffle",
    "ChannelShuffle",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
]


def _named(text, name):
    return text + (f", name={name}" if name else "")


class Identity(Layer):
    """Returns its input; arguments are ignored.

    Args:
        *args (object): Taken and not used.
        **kwargs (object): Taken and not used.

    Examples:
        >>> paddle.nn.Identity()(paddle.to_tensor([1.0])).tolist()
        [1.0]
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Linear(Layer):
    """input [..., in_features] @ weight [in_features, out_features] + bias.

    Args:
        in_features (int): The extent of the last axis of the input.
        out_features (int): That of the output.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> layer = paddle.nn.Linear(3, 2)
        >>> layer(paddle.ones([4, 3])).shape
        paddle.Size([4, 2])
        >>> layer.weight.shape, layer.bias.shape
        (paddle.Size([3, 2]), paddle.Size([2]))
    """

    def __init__(self, in_features, out_features, weight_attr=None, bias_attr=None, name=None):
        super().__init__()
        self._dtype = get_default_dtype()
        self._weight_attr = weight_attr
        self._bias_attr = bias_attr
        self.weight = self.create_parameter([in_features, out_features], weight_attr, self._dtype)
        self.bias = self.create_parameter([out_features], bias_attr, self._dtype, True)
        self.name = name

    def forward(self, input):
        params = self.__dict__["_parameters"]
        if "weight" in params and "bias" in params:
            return F.linear(input, params["weight"], params["bias"])
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        rows, columns = self.weight.shape
        return _named(f"in_features={rows}, out_features={columns}, dtype={self._dtype}", self.name)


class Bilinear(Layer):
    """x1 @ weight[i] @ x2 + bias[i] for each output feature i.

    Args:
        in1_features (int): The extent of x1.
        in2_features (int): The extent of x2.
        out_features (int): That of the output.
        weight_attr (ParamAttr, default None): How the weight is made.
        bias_attr (ParamAttr or bool, default None): How the bias is made; False for none.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.Bilinear(2, 3, 4)(paddle.ones([5, 2]), paddle.ones([5, 3])).shape
        paddle.Size([5, 4])
    """

    def __init__(
        self, in1_features, in2_features, out_features, weight_attr=None, bias_attr=None, name=None
    ):
        super().__init__()
        self._dtype = get_default_dtype()
        self._name, self._weight_attr, self._bias_attr = name, weight_attr, bias_attr
        self._in1_features, self._in2_features, self._out_features = (
            in1_features,
            in2_features,
            out_features,
        )
        self.weight = self.create_parameter(
            [out_features, in1_features, in2_features], weight_attr, self._dtype
        )
        self.bias = self.create_parameter([1, out_features], bias_attr, self._dtype, True)

    def forward(self, x1, x2):
        return F.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self):
        return _named(
            f"in1_features={self._in1_features}, in2_features={self._in2_features}, "
            f"out_features={self._out_features}, dtype={self._dtype}",
            self._name,
        )


def _clear_row(row, weight):
    weight[row] = 0.0


class Embedding(Layer):
    """Rows of a trained table [num_embeddings, embedding_dim] at integer ids.

    Args:
        num_embeddings (int): How many rows.
        embedding_dim (int): The extent of a row.
        padding_idx (int, default None): The row that is zero and gets no gradient; None for none.
        max_norm (float, default None): The norm that rows are scaled down to when they are read;
            None for none.
        norm_type (float, default 2.0): The exponent of that norm.
        scale_grad_by_freq (bool, default False): Whether gradients are divided by how often an id
            occurs.
        sparse (bool, default False): Whether the gradient of the table is SelectedRows: the rows
            that were looked up, under their numbers. Recorded programs have the whole
            table, as in PaddlePaddle.
        _weight (Tensor, default None): The first values of the table.
        _freeze (bool, default False): Whether the table is not trained.
        device (str or place, default None): Where the table lies.
        dtype (str or dtype, default None): The dtype of the table.
        weight_attr (ParamAttr, default None): How the weight is made.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> table = paddle.nn.Embedding(10, 4)
        >>> table(paddle.to_tensor([[1, 3, 5]])).shape
        paddle.Size([1, 3, 4])
    """

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        *,
        scale_grad_by_freq=False,
        sparse=False,
        _weight=None,
        _freeze=False,
        device=None,
        dtype=None,
        weight_attr=None,
        name=None,
    ):
        super().__init__()
        if num_embeddings <= 0:
            raise ValueError(
                f"[Embedding] expected a positive num_embeddings, got {num_embeddings}"
            )
        if embedding_dim <= 0:
            raise ValueError(f"[Embedding] expected a positive embedding_dim, got {embedding_dim}")
        self._num_embeddings = num_embeddings
        self._embedding_dim = embedding_dim
        self._sparse = sparse
        self._max_norm = max_norm
        self._norm_type = norm_type
        self._scale_grad_by_freq = scale_grad_by_freq
        row = (
            -1
            if padding_idx is None
            else padding_idx
            if padding_idx >= 0
            else num_embeddings + padding_idx
        )
        if row >= num_embeddings or row < -1:
            raise ValueError(
                f"[Embedding] expected padding_idx from {-num_embeddings} to {num_embeddings - 1}, "
                f"got {padding_idx}"
            )
        self._padding_idx = row
        self._name = name
        self._dtype = get_default_dtype() if dtype is None else dtype
        self._size = [num_embeddings, embedding_dim]
        self._weight_attr = weight_attr
        if _weight is None:
            self.weight = self.create_parameter(
                self._size, weight_attr, self._dtype, False, device=device
            )
        else:
            if list(_weight.shape) != self._size:
                raise AssertionError(
                    f"[Embedding] expected a weight of shape {self._size}, got "
                    f"{list(_weight.shape)}"
                )
            self.weight = paddle.base.framework.EagerParamBase(_weight.detach())
        if _freeze:
            self.weight.stop_gradient = True
        if row != -1 and _weight is None:
            after_first_values(self.weight, functools.partial(_clear_row, row))

    @property
    def padding_idx(self):
        """Row without gradient, or None."""
        return None if self._padding_idx == -1 else self._padding_idx

    def forward(self, x):
        return F.embedding(
            x,
            self.weight,
            self._padding_idx if self._padding_idx != -1 else None,
            self._max_norm,
            self._norm_type,
            self._sparse,
            self._scale_grad_by_freq,
        )

    def extra_repr(self):
        parts = [f"{self._num_embeddings}, {self._embedding_dim}"]
        if self._padding_idx != -1:
            parts.append(f"padding_idx={self._padding_idx}")
        if self._max_norm is not None:
            parts.append(f"max_norm={self._max_norm}, norm_type={self._norm_type}")
        parts.append(f"sparse={self._sparse}, scale_grad_by_freq={self._scale_grad_by_freq}")
        return _named(", ".join(parts), self._name)


class Dropout(Layer):
    """Zero elements with probability p while training.

    Args:
        p (float, default 0.5): The probability of zero.
        inplace (bool, default False): Whether the input takes the result.
        axis (int or list of ints, default None): The axes along which zeros are drawn; along the
            others they are shared. None for all.
        mode (str, default 'upscale_in_train'): `upscale_in_train` divides what stays by 1 - p
            while training; `downscale_in_infer` multiplies by it otherwise.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> layer, x = paddle.nn.Dropout(0.5), paddle.ones([2, 3])
        >>> layer(x).shape
        paddle.Size([2, 3])
        >>> _ = layer.eval()
        >>> bool(layer(x).equal_all(x))
        True
    """

    def __init__(self, p=0.5, inplace=False, axis=None, mode="upscale_in_train", name=None):
        super().__init__()
        self.p = p
        self.inplace = inplace
        self.axis = axis
        self.mode = mode
        self.name = name

    def forward(self, input):
        return F.dropout(input, self.p, self.axis, self.training, self.inplace, self.mode)

    def extra_repr(self):
        return _named(
            f"p={self.p}, axis={self.axis}, mode={self.mode}, inplace={self.inplace}", self.name
        )


class Dropout2D(Layer):
    """Zero whole channels of images with probability p while training.

    Args:
        p (float, default 0.5): The probability of zero.
        data_format (str, default 'NCHW'): `NCHW` or `NHWC`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> layer, x = paddle.nn.Dropout2D(0.5), paddle.ones([1, 2, 1, 1])
        >>> layer(x).shape
        paddle.Size([1, 2, 1, 1])
        >>> _ = layer.eval()
        >>> bool(layer(x).equal_all(x))
        True
    """

    def __init__(self, p=0.5, data_format="NCHW", name=None):
        super().__init__()
        self.p = p
        self.data_format = data_format
        self.name = name

    def forward(self, input):
        return F.dropout2d(input, self.p, self.training, self.data_format)

    def extra_repr(self):
        return _named(f"p={self.p}, data_format={self.data_format}", self.name)


class Dropout3D(Dropout2D):
    """Zero whole channels of volumes with probability p while training.

    Args:
        p (float, default 0.5): The probability of zero.
        data_format (str, default 'NCDHW'): `NCDHW` or `NDHWC`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> layer, x = paddle.nn.Dropout3D(0.5), paddle.ones([1, 2, 1, 1, 1])
        >>> layer(x).shape
        paddle.Size([1, 2, 1, 1, 1])
        >>> _ = layer.eval()
        >>> bool(layer(x).equal_all(x))
        True
    """

    def __init__(self, p=0.5, data_format="NCDHW", name=None):
        super().__init__(p, data_format, name)

    def forward(self, input):
        return F.dropout3d(input, self.p, self.training, self.data_format)


class AlphaDropout(Layer):
    """Dropout for SELU networks.

    Args:
        p (float, default 0.5): The probability of a drop.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> layer, x = paddle.nn.AlphaDropout(0.5), paddle.ones([2, 3])
        >>> layer(x).shape
        paddle.Size([2, 3])
        >>> _ = layer.eval()
        >>> bool(layer(x).equal_all(x))
        True
    """

    def __init__(self, p=0.5, name=None):
        super().__init__()
        self.p = p
        self.name = name

    def forward(self, input):
        return F.alpha_dropout(input, self.p, self.training)

    def extra_repr(self):
        return _named(f"p={self.p}", self.name)


class FeatureAlphaDropout(AlphaDropout):
    """AlphaDropout of whole channels.

    Args:
        p (float, default 0.5): The probability of a drop.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> layer, x = paddle.nn.FeatureAlphaDropout(0.5), paddle.ones([2, 3])
        >>> layer(x).shape
        paddle.Size([2, 3])
        >>> _ = layer.eval()
        >>> bool(layer(x).equal_all(x))
        True
    """

    def forward(self, input):
        return F.feature_alpha_dropout(input, self.p, self.training)


@aliases(start_dim="start_axis", end_dim="stop_axis")
class Flatten(Layer):
    """Merge the dimensions from start_axis to stop_axis.

    Args:
        start_axis (int, default 1): The first axis that is joined.
        stop_axis (int, default -1): The last one.

    Examples:
        >>> paddle.nn.Flatten()(paddle.ones([2, 3, 4])).shape
        paddle.Size([2, 12])
    """

    def __init__(self, start_axis=1, stop_axis=-1):
        super().__init__()
        self.start_axis = start_axis
        self.stop_axis = stop_axis

    def forward(self, input):
        return paddle.flatten(input, start_axis=self.start_axis, stop_axis=self.stop_axis)


@aliases(dim="axis", unflattened_size="shape")
class Unflatten(Layer):
    """Split one dimension into `shape`.

    Args:
        axis (int): The axis that is cut.
        shape (list of ints): Its extents; one may be -1.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.Unflatten(1, [2, -1])(paddle.ones([2, 6])).shape
        paddle.Size([2, 2, 3])
    """

    def __init__(self, axis, shape, name=None):
        super().__init__()
        self.axis = axis
        self.shape = shape
        self.name = name

    def forward(self, input):
        return paddle.unflatten(input, self.axis, self.shape)

    def extra_repr(self):
        return _named(f"axis={self.axis}, shape={self.shape}", self.name)


@shares(RESIZED)
class Upsample(Layer):
    """Resize to `size` or by `scale_factor`, `paddle.nn.functional.interpolate` as a layer.

    Args:
        {size, scale_factor, mode, align_corners, align_mode, data_format, recompute_scale_factor}
        {name}

    Examples:
        >>> paddle.nn.Upsample(scale_factor=2)(paddle.ones([1, 1, 2, 3])).shape
        paddle.Size([1, 1, 4, 6])
    """

    def __init__(
        self,
        size=None,
        scale_factor=None,
        mode="nearest",
        align_corners=False,
        align_mode=0,
        data_format=None,
        recompute_scale_factor=None,
        name=None,
    ):
        super().__init__()
        self.size, self.scale_factor = size, scale_factor
        self.recompute_scale_factor = recompute_scale_factor
        self.mode, self.data_format = mode.lower(), data_format
        self.align_corners, self.align_mode = align_corners, align_mode
        self.name = name

    def forward(self, x):
        return F.interpolate(
            x,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.align_mode,
            self.data_format,
            self.recompute_scale_factor,
        )

    def extra_repr(self):
        main = (
            f"scale_factor={self.scale_factor}"
            if self.scale_factor is not None
            else f"size={self.size}"
        )
        return _named(
            f"{main}, mode={self.mode}, align_corners={self.align_corners}, "
            f"align_mode={self.align_mode}, data_format={self.data_format}",
            self.name,
        )


class UpsamplingNearest2D(Layer):
    """Resize images by nearest neighbours.

    Args:
        size (int, list of ints or Tensor, default None): The spatial extents of the result.
        scale_factor (float, list of floats or Tensor, default None): How many times as large the
            result is, where size is not given.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.to_tensor([[[[1.0, 3.0]]]])
        >>> paddle.nn.UpsamplingNearest2D(scale_factor=2)(x).tolist()
        [[[[1.0, 1.0, 3.0, 3.0], [1.0, 1.0, 3.0, 3.0]]]]
    """

    _mode, _align = "nearest", False

    def __init__(self, size=None, scale_factor=None, data_format="NCHW", name=None):
        super().__init__()
        self.size = size
        self.scale_factor = scale_factor
        self.data_format = data_format
        self.name = name

    def forward(self, x):
        return F.interpolate(
            x, self.size, self.scale_factor, self._mode, self._align, 0, self.data_format
        )

    def extra_repr(self):
        main = (
            f"scale_factor={self.scale_factor}"
            if self.scale_factor is not None
            else f"size={self.size}"
        )
        return _named(f"{main}, data_format={self.data_format}", self.name)


class UpsamplingBilinear2D(UpsamplingNearest2D):
    """Resize images bilinearly with aligned corners.

    Args:
        size (int, list of ints or Tensor, default None): The spatial extents of the result.
        scale_factor (float, list of floats or Tensor, default None): How many times as large the
            result is.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.UpsamplingBilinear2D([1, 3])(paddle.to_tensor([[[[1.0, 3.0]]]])).tolist()
        [[[[1.0, 2.0, 3.0]]]]
    """

    _mode, _align = "bilinear", True


UpsamplingNearest2d, UpsamplingBilinear2d = UpsamplingNearest2D, UpsamplingBilinear2D


@aliases(dim="axis")
class CosineSimilarity(Layer):
    """Cosine of the angle between x1 and x2 along axis.

    Args:
        axis (int, default 1): The axis of the vectors.
        eps (float, default 1e-08): The least product of norms.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 0.0]])
        >>> y = paddle.to_tensor([[1.0, 1.0]])
        >>> paddle.nn.CosineSimilarity()(x, y).tolist()
        [0.7071]
    """

    dim = reads("_axis")

    def __init__(self, axis=1, eps=1e-8):
        super().__init__()
        self._axis = axis
        self._eps = eps

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self._axis, self._eps)

    def extra_repr(self):
        return f"axis={self._axis}, eps={self._eps}"


@aliases(eps="epsilon")
class PairwiseDistance(Layer):
    """p-norm of x - y along the last axis.

    Args:
        p (float, default 2.0): The norm's exponent.
        epsilon (float, default 1e-06): What is added to the difference.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 0.0]])
        >>> y = paddle.to_tensor([[3.0, 4.0]])
        >>> paddle.nn.PairwiseDistance()(x, y).tolist()
        [5.0000]
    """

    eps = reads("epsilon")
    norm = reads("p")

    def __init__(self, p=2.0, epsilon=1e-6, keepdim=False, name=None):
        super().__init__()
        self.p = p
        self.epsilon = epsilon
        self.keepdim = keepdim
        self.name = name

    def forward(self, x, y):
        return F.pairwise_distance(x, y, self.p, self.epsilon, self.keepdim)

    def extra_repr(self):
        text = f"p={self.p}"
        if self.epsilon != 1e-6:
            text += f", epsilon={self.epsilon}"
        if self.keepdim:
            text += f", keepdim={self.keepdim}"
        return _named(text, self.name)


@aliases(kernel_size="kernel_sizes", dilation="dilations", padding="paddings", stride="strides")
class Unfold(Layer):
    """Columns of sliding blocks, `paddle.nn.functional.unfold` as a layer.

    Args:
        kernel_sizes (int or list of ints): The extents of a block. Also `kernel_size`.
        dilations (int or list of ints, default 1): From one element of a block to the next. Also
            `dilation`.
        paddings (int or list of ints, default 0): What is added on each side. Also `padding`.
        strides (int or list of ints, default 1): From one block to the next. Also `stride`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.Unfold(2)(paddle.ones([1, 3, 4, 4])).shape
        paddle.Size([1, 12, 9])
    """

    def __init__(self, kernel_sizes, dilations=1, paddings=0, strides=1, name=None):
        super().__init__()
        self.kernel_sizes = kernel_sizes
        self.dilations = dilations
        self.paddings = paddings
        self.strides = strides
        self.name = name

    def forward(self, input):
        return F.unfold(input, self.kernel_sizes, self.strides, self.paddings, self.dilations)

    def extra_repr(self):
        return _named(
            f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, padding={self.paddings}, "
            f"stride={self.strides}",
            self.name,
        )


@aliases(
    output_size="output_sizes",
    kernel_size="kernel_sizes",
    dilation="dilations",
    padding="paddings",
    stride="strides",
)
@shares(Unfold)
class Fold(Unfold):
    """Sum of sliding blocks, `paddle.nn.functional.fold` as a layer.

    Args:
        output_sizes (int or list of ints): H and W of the result. Also `output_size`.
        {kernel_sizes, dilations, paddings, strides, name}

    Examples:
        >>> paddle.nn.Fold([3, 3], 2)(paddle.ones([1, 4, 4])).tolist()
        [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """

    output_size = reads("output_sizes")
    kernel_size = reads("kernel_sizes")
    dilation = reads("dilations")
    padding = reads("paddings")
    stride = reads("strides")

    def __init__(self, output_sizes, kernel_sizes, dilations=1, paddings=0, strides=1, name=None):
        super().__init__(kernel_sizes, dilations, paddings, strides, name)
        self.output_sizes = output_sizes

    def forward(self, input):
        return F.fold(
            input, self.output_sizes, self.kernel_sizes, self.strides, self.paddings, self.dilations
        )


class _Rearrange(Layer):
    """A layer with one integer parameter and a data format."""

    _what = None

    def __init__(self, value, data_format, name):
        super().__init__()
        if not isinstance(value, int):
            raise TypeError(
                f"[{type(self).__name__}] expected {self._what} to be an int, got "
                f"{type(value).__name__}"
            )
        if value <= 0:
            raise ValueError(
                f"[{type(self).__name__}] expected a positive {self._what}, got {value}"
            )
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError(
                f"[{type(self).__name__}] expected data_format 'NCHW' or 'NHWC', got "
                f"{data_format!r}"
            )
        setattr(self, "_" + self._what, value)
        self._data_format = data_format
        self._name = name

    def extra_repr(self):
        text = f"{self._what}={getattr(self, '_' + self._what)}"
        if self._data_format != "NCHW":
            text += f", data_format={self._data_format}"
        return _named(text, self._name)


class PixelShuffle(_Rearrange):
    """[N, C * r * r, H, W] -> [N, C, H * r, W * r].

    Args:
        upscale_factor (int): How many times as high and wide images become.
        data_format (str, default 'NCHW'): `NCHW` or `NHWC`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.PixelShuffle(2)(paddle.ones([1, 4, 2, 2])).shape
        paddle.Size([1, 1, 4, 4])
    """

    _what = "upscale_factor"

    def __init__(self, upscale_factor, data_format="NCHW", name=None):
        super().__init__(upscale_factor, data_format, name)

    def forward(self, x):
        return F.pixel_shuffle(x, self._upscale_factor, self._data_format)


class PixelUnshuffle(_Rearrange):
    """[N, C, H * r, W * r] -> [N, C * r * r, H, W].

    Args:
        downscale_factor (int): How many times less high and wide images become.
        data_format (str, default 'NCHW'): `NCHW` or `NHWC`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.PixelUnshuffle(2)(paddle.ones([1, 1, 4, 4])).shape
        paddle.Size([1, 4, 2, 2])
    """

    _what = "downscale_factor"

    def __init__(self, downscale_factor, data_format="NCHW", name=None):
        super().__init__(downscale_factor, data_format, name)

    def forward(self, x):
        return F.pixel_unshuffle(x, self._downscale_factor, self._data_format)


class ChannelShuffle(_Rearrange):
    """Interleave the channels of groups.

    Args:
        groups (int): How many groups.
        data_format (str, default 'NCHW'): `NCHW` or `NHWC`.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.to_tensor([0.0, 1.0, 2.0, 3.0])
        >>> paddle.nn.ChannelShuffle(2)(x.reshape([1, 4, 1, 1])).flatten().tolist()
        [0.0, 2.0, 1.0, 3.0]
    """

    _what = "groups"

    def __init__(self, groups, data_format="NCHW", name=None):
        super().__init__(groups, data_format, name)

    def forward(self, x):
        return F.channel_shuffle(x, self._groups, self._data_format)


_lazy.serve(globals())
