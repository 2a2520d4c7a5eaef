# SPDX-License-Identifier: Apache-2.0
"""Layers as functions: each call makes its own parameters and applies them to values of the
program.
"""

import math

import paddle
import paddle.nn.functional as F
from paddle import _lazy
from paddle.base.arguments import only
from paddle.base.documentation import shares
from paddle.base.framework import make_parameter
from paddle.base.libpaddle import expect_tensors
from paddle.base.param_attr import ParamAttr, WeightNormParamAttr
from paddle.nn.functional import _parse
from paddle.nn.initializer import Constant
from paddle.nn.initializer.initializer import Initializer
from paddle.utils import unique_name

__all__ = [
    'bilinear_tensor_product',
    'embedding',
    'fc',
    'nce',
    'prelu',
    'row_conv',
    'sparse_embedding',
]


def parameter(scope, shape, dtype, attr, is_bias=False, default=None):
    """A new parameter of the layer `scope`; None for a false `attr`, direction times length for a
    WeightNormParamAttr.
    """
    if isinstance(attr, WeightNormParamAttr):
        return _normed_parameter(scope, shape, dtype, attr, default)
    return make_parameter(scope, shape, dtype, attr, is_bias, default)


def _normed_parameter(scope, shape, dtype, attr, default):
    """g * v / |v| for parameters g and v; |v| is taken over all axes but `attr.dim`, or over all of
    them.
    """
    name = attr.name or unique_name.generate(scope + '.w')
    plain = attr._to_kwargs()
    plain.pop('optimize_attr')
    plain['learning_rate'] = attr.learning_rate
    direct = ParamAttr(**{**plain, 'name': name + '_v', 'initializer': attr.initializer})
    direction = make_parameter(scope, shape, dtype, direct, False, default)
    axes = (
        None if attr.dim is None else [a for a in range(len(shape)) if a != attr.dim % len(shape)]
    )
    extents = (
        [1]
        if axes is None
        else [d if a == attr.dim % len(shape) else 1 for a, d in enumerate(shape)]
    )

    def length(x):
        norm = paddle.sqrt(paddle.sum(paddle.square(x), axis=axes, keepdim=True))
        return paddle.reshape(norm, extents)

    scale = make_parameter(
        scope,
        extents,
        dtype,
        ParamAttr(**{**plain, 'name': name + '_g'}),
        False,
        _LengthOf(direction, length),
    )
    WeightNormParamAttr.params_with_weight_norm.append(direction)
    return direction * (scale / length(direction))


class _LengthOf(Initializer):
    def __init__(self, direction, length):
        self._direction, self._length = direction, length

    def create(self, shape, dtype):
        with paddle.no_grad():
            return self._length(self._direction).detach()


def extents(x, first, name):
    shape = list(x.shape)[first:]
    if any(d < 0 for d in shape):
        raise ValueError(
            f"[{name}] expected known extents from axis {first} on, got shape {list(x.shape)}"
        )
    return shape


def activated(x, activation):
    return x if activation is None else getattr(F, activation)(x)


def fc(x, size, num_flatten_dims=1, weight_attr=None, bias_attr=None, activation=None, name=None):
    """A fully connected layer: activation(x @ w + b) with new parameters.

    Args:
        x (Tensor or list of Tensors): The input; several are multiplied by a weight each, and
            summed.
        size (int): How many features the result has.
        num_flatten_dims (int, default 1): From which axis on the input is flattened to features.
        weight_attr (ParamAttr or list of ParamAttrs, default None): Attributes of the weight, or of
            each.
        bias_attr (ParamAttr or bool, default None): Attributes of the bias; False for none.
        activation (str, default None): The name of a function of `paddle.nn.functional`.
        name (str, default None): The beginning of the parameters' names.

    Returns:
        Tensor: the result, of shape [..., size].

    Raises:
        ValueError: num_flatten_dims is no inner axis, features are not known, or attributes do not
            match the inputs.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 2])
        ...     half = paddle.nn.initializer.Constant(0.5)
        ...     y = paddle.static.nn.fc(x, 3, weight_attr=half, activation="relu")
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"x": [[1.0, 2.0], [-3.0, 1.0]]}, fetch_list=[y])[0].tolist()
        [[1.5, 1.5, 1.5], [0.0, 0.0, 0.0]]
    """
    inputs = x if isinstance(x, (list, tuple)) else [x]
    scope = name or unique_name.generate('fc')
    attrs = weight_attr if isinstance(weight_attr, (list, tuple)) else [weight_attr] * len(inputs)
    if len(attrs) != len(inputs):
        raise ValueError(
            f"[fc] expected one weight_attr for each of {len(inputs)} inputs, got {len(attrs)}"
        )
    total = None
    for one, attr in zip(inputs, attrs):
        expect_tensors('fc', x=one)
        first = num_flatten_dims if num_flatten_dims >= 0 else len(one.shape) + num_flatten_dims
        if not 0 < first < len(one.shape):
            raise ValueError(
                f"[fc] expected num_flatten_dims between 1 and {len(one.shape) - 1}, got "
                f"{num_flatten_dims}"
            )
        width = math.prod(extents(one, first, 'fc'))
        weight = parameter(scope, [width, size], one.dtype, attr)
        flat = one if len(one.shape) == first + 1 else paddle.flatten(one, first)
        part = paddle.matmul(flat, weight)
        total = part if total is None else total + part
    bias = parameter(scope, [size], inputs[0].dtype, bias_attr, True)
    return activated(total if bias is None else total + bias, activation)


def embedding(
    input,
    size,
    is_sparse=False,
    is_distributed=False,
    padding_idx=None,
    param_attr=None,
    dtype='float32',
):
    """Rows of a new table, chosen by integers.

    Args:
        input (Tensor): The numbers of the rows, integers of any shape.
        size (list or tuple of ints): The shape of the table: [rows, features].
        is_sparse (bool, default False): Taken for compatibility; it has no effect.
        is_distributed (bool, default False): Only False.
        padding_idx (int, default None): A row that reads as zeros and gets no gradient; -1 is the
            last.
        param_attr (ParamAttr, default None): Attributes of the table.
        dtype (str or dtype, default 'float32'): The dtype of the table.

    Returns:
        Tensor: of shape [*input.shape, features].

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     ids = paddle.static.data("ids", [None], "int64")
        ...     rows = paddle.static.nn.embedding(
        ...         ids, [10, 2], padding_idx=0, param_attr=paddle.nn.initializer.Constant(1.0))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"ids": [3, 0]}, fetch_list=[rows])[0].tolist()
        [[1.0, 1.0], [0.0, 0.0]]
    """
    only('embedding', 'the table is on one process', is_distributed=(is_distributed, False))
    table = parameter(unique_name.generate('embedding'), size, dtype, param_attr)
    return F.embedding(input, table, padding_idx=padding_idx)


@shares(embedding)
def sparse_embedding(
    input,
    size,
    padding_idx=None,
    is_test=False,
    entry=None,
    table_class='MemorySparseTable',
    param_attr=None,
    dtype='float32',
    slot=None,
):
    """Rows of a new table, chosen by integers; the table is an ordinary parameter of this process.

    Args:
        input (Tensor): The numbers of the rows, integers of any shape.
        size (list or tuple of ints): The shape of the table: [rows, features].
        {padding_idx}
        is_test (bool, default False): Whether lookups do not count for entry.
        entry (ProbabilityEntry, CountFilterEntry or ShowClickEntry, default None): When a row is
            admitted; before that it is 0 and is not trained. None for at once, as with
            `ShowClickEntry`, which counts.
        table_class (str, default 'MemorySparseTable'): `CommonSparseTable`, `SSDSparseTable` or
            `MemorySparseTable`, which are alike here.
        {param_attr, dtype}
        slot (object, default None): Only None: slots need a parameter server.

    Returns:
        Tensor: of shape [*input.shape, features].

    Raises:
        ValueError: Another table_class, or an entry that is none.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     ids = paddle.static.data("ids", [None], "int64")
        ...     rows = paddle.static.nn.sparse_embedding(
        ...         ids, [10, 2], entry=paddle.distributed.CountFilterEntry(2),
        ...         param_attr=paddle.nn.initializer.Constant(1.0))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"ids": [3, 4]}, fetch_list=[rows])[0].tolist()
        [[0.0, 0.0], [0.0, 0.0]]
        >>> exe.run(main, feed={"ids": [3, 5]}, fetch_list=[rows])[0].tolist()
        [[1.0, 1.0], [0.0, 0.0]]
    """
    if table_class not in ('CommonSparseTable', 'SSDSparseTable', 'MemorySparseTable'):
        raise ValueError(
            "[sparse_embedding] expected table_class CommonSparseTable, SSDSparseTable or "
            "MemorySparseTable, got "
            f"{table_class!r}"
        )
    only('sparse_embedding', 'slots need a parameter server', slot=(slot, None))
    watch = getattr(entry, '_watch', None)
    if entry is not None and watch is None:
        raise ValueError(
            f"[sparse_embedding] expected entry to be a ProbabilityEntry, a CountFilterEntry, a "
            f"ShowClickEntry or None, got {entry!r}"
        )
    table = parameter(unique_name.generate('embedding'), size, dtype, param_attr)
    out = F.embedding(input, table, padding_idx=padding_idx)
    known = None if entry is None else watch(table, input, not is_test)
    return out if known is None else out * known.reshape([*input.shape, 1]).astype(out.dtype)


def prelu(x, mode, param_attr=None, data_format='NCHW', name=None):
    """max(x, 0) + alpha * min(x, 0) with a new parameter alpha, 0.25 at first.

    Args:
        x (Tensor): The input.
        mode (str): How many numbers alpha has: `all`: one; `channel`: one for each channel;
            `element`: one for each element of a sample.
        param_attr (ParamAttr, default None): Attributes of alpha.
        data_format (str, default 'NCHW'): Where the channels are, as `NCHW` or `NHWC`.
        name (str, default None): The beginning of the parameter's name.

    Returns:
        Tensor: as x.

    Raises:
        ValueError: Another mode or data_format, or an input without channels for mode `channel`.

    Source: He, Zhang, Ren and Sun, Delving deep into rectifiers, https://arxiv.org/abs/1502.01852.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 2])
        ...     y = paddle.static.nn.prelu(x, "all")
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"x": [[-4.0, 2.0]]}, fetch_list=[y])[0].tolist()
        [[-1.0, 2.0]]
    """
    if mode not in ('all', 'channel', 'element'):
        raise ValueError(
            f"[static.nn.prelu] expected mode 'all', 'channel' or 'element', got {mode!r}"
        )
    _parse.data_format(
        'static.nn.prelu', data_format, 'NC', 'NCL', 'NCHW', 'NCDHW', 'NLC', 'NHWC', 'NDHWC'
    )
    channels_last = data_format in ('NHWC', 'NLC', 'NDHWC')
    shape = [1]
    if mode == 'channel':
        if len(x.shape) < 2:
            raise ValueError(
                f"[prelu] expected at least 2 axes in mode 'channel', got shape {list(x.shape)}"
            )
        axis = len(x.shape) - 1 if channels_last else 1
        shape = [x.shape[axis] if a == axis else 1 for a in range(len(x.shape))]
    elif mode == 'element':
        shape = [1, *extents(x, 1, 'prelu')]
    alpha = parameter(
        name or unique_name.generate('prelu'), shape, x.dtype, param_attr, default=Constant(0.25)
    )
    return paddle.maximum(x, paddle.zeros([1], x.dtype)) + alpha * paddle.minimum(
        x, paddle.zeros([1], x.dtype)
    )


def bilinear_tensor_product(x, y, size, act=None, name=None, param_attr=None, bias_attr=None):
    """act(x @ W[i] @ y^T + b[i]) for each feature i, with new parameters.

    Args:
        x (Tensor): Of shape [batch, m].
        y (Tensor): Of shape [batch, n].
        size (int): How many features the result has.
        act (str, default None): The name of a function of `paddle.nn.functional`.
        name (str, default None): The beginning of the parameters' names.
        param_attr (ParamAttr, default None): Attributes of W, of shape [size, m, n].
        bias_attr (ParamAttr or bool, default None): Attributes of b; False for none.

    Returns:
        Tensor: of shape [batch, size].

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x, y = paddle.static.data("x", [None, 2]), paddle.static.data("y", [None, 2])
        ...     out = paddle.static.nn.bilinear_tensor_product(
        ...         x, y, 1, param_attr=paddle.nn.initializer.Constant(1.0))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"x": [[1.0, 2.0]], "y": [[3.0, 4.0]]}, fetch_list=[out])[0].tolist()
        [[21.0]]
    """
    for what, given in (('x', x), ('y', y)):
        if len(given.shape) != 2:
            raise ValueError(
                f"[static.nn.bilinear_tensor_product] expected {what} of 2 axes, got shape "
                f"{list(given.shape)}"
            )
    scope = name or unique_name.generate('bilinear_tensor_product')
    weight = parameter(scope, [size, x.shape[1], y.shape[1]], x.dtype, param_attr)
    bias = parameter(scope, [1, size], x.dtype, bias_attr, True)
    return activated(F.bilinear(x, y, weight, bias), act)


def row_conv(input, future_context_size, param_attr=None, act=None):
    """A convolution over the present and the next steps, each feature for itself.

    out[:, t] is the sum of input[:, t + k] * w[k] for k from 0 to future_context_size; steps behind
    the end are zero.

    Args:
        input (Tensor): Of shape [batch, time, features].
        future_context_size (int): How many steps behind the present one count.
        param_attr (ParamAttr, default None): Attributes of w, of shape [future_context_size + 1,
            features].
        act (str, default None): The name of a function of `paddle.nn.functional`.

    Returns:
        Tensor: as input.

    Raises:
        ValueError: input has not three axes, or its features are not known.

    Source: Amodei and others, Deep Speech 2, https://arxiv.org/abs/1512.02595.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 3, 1])
        ...     y = paddle.static.nn.row_conv(x, 1, paddle.nn.initializer.Constant(1.0))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> exe.run(main, feed={"x": [[[1.0], [2.0], [4.0]]]}, fetch_list=[y])[0].tolist()
        [[[3.0], [6.0], [4.0]]]
    """
    if len(input.shape) != 3:
        raise ValueError(
            f"[row_conv] expected input of shape (batch, time, features), got {list(input.shape)}"
        )
    features = extents(input, 2, 'row_conv')[0]
    weight = parameter(
        unique_name.generate('row_conv'),
        [future_context_size + 1, features],
        input.dtype,
        param_attr,
    )
    padded = F.pad(input, [0, future_context_size], data_format='NLC')
    total = None
    for k in range(future_context_size + 1):
        end = k - future_context_size
        part = (padded[:, k:end] if end else padded[:, k:]) * weight[k]
        total = part if total is None else total + part
    return activated(total, act)


def nce(
    input,
    label,
    num_total_classes,
    sample_weight=None,
    param_attr=None,
    bias_attr=None,
    num_neg_samples=None,
    name=None,
    sampler='uniform',
    custom_dist=None,
    seed=0,
    is_sparse=False,
):
    """Noise-contrastive estimation: the cost of a classifier of many classes, with new parameters.

    The classes of label are told from num_neg_samples classes that are drawn, the same for all
    rows.

    Args:
        input (Tensor): Features, of shape [batch, features].
        label (Tensor): The classes of each row, integers of shape [batch, labels].
        num_total_classes (int): How many classes there are.
        sample_weight (Tensor, default None): A factor of each row, of shape [batch, 1].
        param_attr (ParamAttr, default None): Attributes of the weight, of shape [num_total_classes,
            features].
        bias_attr (ParamAttr or bool, default None): Attributes of the bias; False for none.
        num_neg_samples (int, default None): How many classes are drawn; None for 10.
        name (str, default None): The beginning of the parameters' names.
        sampler (str, default 'uniform'): How they are drawn: `uniform`, `log_uniform` or
            `custom_dist`.
        custom_dist (list of floats, default None): The probability of each class, for
            `custom_dist`.
        seed (int, default 0): Only 0: classes are drawn from the global generator.
        is_sparse (bool, default False): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the cost of each row, of shape [batch, 1].

    Raises:
        Exception: An unknown sampler.
        ValueError: custom_dist has not num_total_classes probabilities.

    Source: Gutmann and Hyvärinen, Noise-contrastive estimation (2010).

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 4])
        ...     label = paddle.static.data("label", [None, 1], "int64")
        ...     cost = paddle.static.nn.nce(x, label, 20, num_neg_samples=5)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> feed = {"x": [[1.0, 0.0, 0.0, 0.0]] * 3, "label": [[1], [2], [3]]}
        >>> exe.run(main, feed=feed, fetch_list=[cost])[0].shape
        (3, 1)
    """
    only('nce', 'classes are drawn from the global generator', seed=(seed, 0))
    if sampler not in ('uniform', 'log_uniform', 'custom_dist'):
        raise Exception(
            f"[nce] expected sampler 'uniform', 'log_uniform' or 'custom_dist', got {sampler!r}"
        )
    if sampler == 'custom_dist' and (custom_dist is None or len(custom_dist) != num_total_classes):
        raise ValueError(
            f"[nce] expected custom_dist to have {num_total_classes} probabilities, got "
            f"{None if custom_dist is None else len(custom_dist)}"
        )
    scope, width = name or unique_name.generate('nce'), extents(input, 1, 'nce')[0]
    weight = parameter(scope, [num_total_classes, width], input.dtype, param_attr)
    bias = parameter(scope, [num_total_classes, 1], input.dtype, bias_attr, True)
    count = 10 if num_neg_samples is None else int(num_neg_samples)
    if sampler == 'uniform':
        odds = [1.0 / num_total_classes] * num_total_classes
    elif sampler == 'log_uniform':
        odds = [
            math.log((c + 2.0) / (c + 1.0)) / math.log(num_total_classes + 1.0)
            for c in range(num_total_classes)
        ]
    else:
        odds = [float(p) for p in custom_dist]
    odds = paddle.to_tensor(odds, input.dtype)
    drawn = paddle.multinomial(odds, count, replacement=True)
    label = paddle.cast(label, 'int64')

    def score(classes):
        flat, each = paddle.flatten(classes), classes.shape[1]
        logit = paddle.sum(
            paddle.unsqueeze(input, 1) * paddle.gather(weight, flat).reshape([-1, each, width]), -1
        )
        if bias is not None:
            logit = logit + paddle.gather(bias, flat).reshape([-1, each])
        noise = paddle.gather(odds, flat).reshape([-1, each]) * count
        return F.sigmoid(logit), noise

    hit, noise = score(label)
    cost = paddle.sum(-paddle.log(hit / (hit + noise)), 1, keepdim=True)
    hit, noise = score(paddle.unsqueeze(drawn, 0))
    cost = cost + paddle.sum(-paddle.log(noise / (hit + noise)), 1, keepdim=True)
    if sample_weight is not None:
        cost = cost * paddle.reshape(sample_weight, [-1, 1])
    return cost


_lazy.serve(globals())
