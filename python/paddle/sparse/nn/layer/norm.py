# SPDX-License-Identifier: Apache-2.0
"""Normalisation of the stored elements of sparse images and volumes, channel by channel."""

import paddle

from ...tensor import expect_sparse

__all__ = ['BatchNorm', 'SyncBatchNorm']


def _rows(op, x, features):
    """The values, [elements, channels]."""
    values = expect_sparse(op, x)._values
    if not x.is_sparse_coo() or values.ndim != 2 or values.shape[1] != features:
        raise ValueError(
            f'[{op}] expected a sparse COO tensor with {features} dense channels, got shape '
            f'{list(x.shape)} with {x.dense_dim()} dense axes'
        )
    return values


class BatchNorm(paddle.nn.BatchNorm1D):
    """Batch normalisation over the stored elements: what is not stored takes no part.

    Args:
        num_features (int): The channels.
        momentum (float, default 0.9): How much of the running statistics a step keeps.
        epsilon (float, default 1e-05): What keeps a divisor from zero.
        weight_attr (ParamAttr, default None): How the weight is made; False for none.
        bias_attr (ParamAttr, default None): How the bias is made; False for none.
        data_format (str, default 'NDHWC'): 'NDHWC' or 'NHWC': channels are the last axis.
        use_global_stats (bool, default None): Whether running statistics serve in training too.
        name (str, default None): The name of the statistics.

    Examples:
        >>> x = paddle.to_tensor([1.0, 3.0]).reshape([1, 1, 1, 2, 1]).to_sparse_coo(4)
        >>> paddle.sparse.nn.BatchNorm(1)(x).to_dense().flatten().tolist()
        [-1.0000, 1.0000]
    """

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format='NDHWC',
        use_global_stats=None,
        name=None,
    ):
        super().__init__(
            num_features,
            momentum,
            epsilon,
            weight_attr,
            bias_attr,
            use_global_stats=use_global_stats,
            name=name,
        )
        self._shown_format = data_format

    def forward(self, input):
        if self._shown_format not in ('NDHWC', 'NHWC'):
            raise ValueError(
                f"[BatchNorm] expected data_format 'NDHWC' or 'NHWC', got {self._shown_format!r}"
            )
        return input._with(super().forward(_rows('BatchNorm', input, self._num_features)))

    def extra_repr(self):
        text = (
            f'num_features={self._num_features}, momentum={self._momentum}, '
            f'epsilon={self._epsilon}, data_format={self._shown_format}'
        )
        return text + (f', name={self._name}' if self._name is not None else '')


class SyncBatchNorm(paddle.nn.SyncBatchNorm):
    """`BatchNorm` with statistics over all processes of the job, in training.

    Args:
        num_features (int): The channels.
        momentum (float, default 0.9): How much of the running statistics a step keeps.
        epsilon (float, default 1e-05): What keeps a divisor from zero.
        weight_attr (ParamAttr, default None): How the weight is made; False for none.
        bias_attr (ParamAttr, default None): How the bias is made; False for none.
        data_format (str, default 'NCHW'): Taken for compatibility: channels are the last axis.
        name (str, default None): The name of the statistics.

    Examples:
        >>> x = paddle.to_tensor([1.0, 3.0]).reshape([1, 1, 1, 2, 1]).to_sparse_coo(4)
        >>> paddle.sparse.nn.SyncBatchNorm(1)(x).to_dense().flatten().tolist()
        [-1.0000, 1.0000]
    """

    def forward(self, x):
        return x._with(super().forward(_rows('SyncBatchNorm', x, self._num_features)))

    def _check_data_format(self):
        self._data_format = 'NCHW'  # of the values, [elements, channels]

    @classmethod
    def convert_sync_batchnorm(cls, layer):
        """Replace every BatchNorm of sparse tensors below `layer` (or the layer itself) by a
        SyncBatchNorm with the same state, and those of dense ones by theirs.
        """
        if not isinstance(layer, BatchNorm):
            result = layer
            if not layer._sub_layers:
                return paddle.nn.SyncBatchNorm.convert_sync_batchnorm(layer)
            for name, sub in layer.named_children():
                result.add_sublayer(name, cls.convert_sync_batchnorm(sub))
            return result
        result = cls(
            layer._num_features,
            layer._momentum,
            layer._epsilon,
            layer._weight_attr,
            layer._bias_attr,
            layer._shown_format,
            layer._name,
        )
        result.set_state_dict(layer.state_dict())
        for name in ('weight', 'bias'):
            if getattr(layer, name) is not None:
                setattr(result, name, getattr(layer, name))
        result.training = layer.training
        return result
