# SPDX-License-Identifier: Apache-2.0
"""Numbers of eight bits in blocks: float8_e4m3fn with a scale for each 128 elements of a row, or
each 128 x 128 block. A scale is what quantised numbers are multiplied with to get the others back.
Nothing here has a gradient.
"""

import paddle
from paddle import _C_ops
from paddle.base.arguments import items
from paddle.base.libpaddle import expect_tensors

__all__ = [
    'fp8_gemm_blockwise',
    'fp8_quant_blockwise',
    'fused_act_dequant',
    'fused_stack_transpose_quant',
    'fused_transpose_split_quant',
    'fused_transpose_wlch_split_quant',
    'fused_weighted_swiglu_act_quant',
]

_BLOCK = 128
_LARGEST = 448.0  # of float8_e4m3fn
_FP8 = 'float8_e4m3fn'


def _blocks(extent):
    return -(-extent // _BLOCK)


def _rank(op, name, x, rank):
    if x.ndim != rank:
        raise ValueError(f"[{op}] expected {name} of {rank} axes, got shape {list(x.shape)}")


def _halves(op, name, x, *dtypes):
    if str(x.dtype).rsplit('.', 1)[-1] not in dtypes:
        raise TypeError(f"[{op}] expected {name} of {' or '.join(dtypes)}, got {x.dtype}")


def _spread(scale, axis, extent):
    """Each element of scale, the scale of a block, for all places of it along axis."""
    index = paddle.arange(extent, dtype='int64') // _BLOCK
    return paddle.index_select(scale, index, axis)


def _scales(largest, power_of_two, epsilon=0.0):
    """(what to multiply blocks with, what to multiply their quantised numbers with), by the largest
    magnitude of each block; 1 for blocks of zeros."""
    largest = paddle.clip(largest, min=epsilon) if epsilon else largest
    up = _LARGEST / largest
    if power_of_two:
        up = paddle.ldexp(paddle.ones_like(up), paddle.frexp(up)[1] - 1)
    up = paddle.where(largest == 0, paddle.ones_like(up), up)
    return up, 1.0 / up


def _block_maxima(x, axis):
    """The largest magnitude of each 128 elements of x along axis."""
    extent = x.shape[axis]
    missing = _blocks(extent) * _BLOCK - extent
    if missing:
        shape = list(x.shape)
        shape[axis] = missing
        x = paddle.concat([x, paddle.zeros(shape, x.dtype)], axis)
    shape = list(x.shape)
    shape[axis : axis + 1] = [_blocks(extent), _BLOCK]
    return paddle.abs(x).reshape(shape).max(axis + 1)


def _by_rows(x, power_of_two, epsilon=0.0, square=False):
    """(x as float8_e4m3fn, scales), of matrices x: a scale for each 128 columns of a row, or of 128
    rows (square)."""
    x = x.astype('float32')
    largest = _block_maxima(x, 1)
    if square:
        largest = _block_maxima(largest, 0)
    up, down = _scales(largest, power_of_two, epsilon)
    if square:
        up = _spread(up, 0, x.shape[0])
    return (x * _spread(up, 1, x.shape[1])).astype(_FP8), down


def _pack(scale):
    """Scales that are powers of two as their exponents' bytes, four to an int32, the first in the
    lowest byte."""
    exponent = (paddle.frexp(scale)[1].astype('int64') + 126).clip(0, 254)
    missing = -exponent.shape[1] % 4
    if missing:
        exponent = paddle.concat([exponent, paddle.zeros([exponent.shape[0], missing], 'int64')], 1)
    parts = exponent.reshape([exponent.shape[0], -1, 4]) * paddle.to_tensor(
        [1, 1 << 8, 1 << 16, 1 << 24]
    )
    word = parts.sum(-1)
    return paddle.where(word >= 1 << 31, word - (1 << 32), word).astype('int32')


def _unpack(packed):
    """The powers of two of `_pack`, four columns for each of packed."""
    word = packed.astype('int64')
    word = paddle.where(word < 0, word + (1 << 32), word).unsqueeze(-1)
    exponent = (word // paddle.to_tensor([1, 1 << 8, 1 << 16, 1 << 24])) % 256
    power = paddle.ldexp(paddle.ones(exponent.shape), (exponent - 127).astype('float32'))
    return power.reshape([packed.shape[0], -1])


@paddle.no_grad()
def fp8_quant_blockwise(
    x,
    epsilon=0.0,
    input_transpose=False,
    output_scale_transpose=True,
    return_transpose_only=False,
    using_pow2_scale=True,
    using_ue8m0_scale=False,
    quant_method='1x128',
    output_type='e4m3',
    name=None,
):
    """A matrix as float8_e4m3fn, with a scale for each block.

    A scale is what the numbers are multiplied with to get the others back.

    Args:
        x (Tensor): The matrix [M, N], bfloat16, float16 or float32.
        epsilon (float, default 0.0): The least magnitude that a block counts as having.
        input_transpose (bool, default False): Whether the transpose is quantised too.
        output_scale_transpose (bool, default True): Whether scales are [blocks, rows], not [rows,
            blocks].
        return_transpose_only (bool, default False): Whether, with input_transpose, the matrix
            itself is left out.
        using_pow2_scale (bool, default True): Whether scales are powers of two.
        using_ue8m0_scale (bool, default False): Whether scales are exponents, four to an int32.
        quant_method (str, default '1x128'): The blocks: `1x128` or `128x128`.
        output_type (str, default 'e4m3'): Only `e4m3`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the numbers and their scales; with input_transpose also those of the
            transpose.

    Raises:
        TypeError: x has another dtype.
        ValueError: x is no matrix, or another quant_method or output_type.

    Examples:
        >>> x = paddle.to_tensor([[1.0, -4.0]])
        >>> out, scale = paddle.incubate.nn.functional.fp8_quant_blockwise(x)
        >>> out.dtype, scale.shape
        (paddle.float8_e4m3fn, paddle.Size([1, 1]))
        >>> (out.astype("float32") * scale).tolist()
        [[1.0, -4.0]]
    """
    expect_tensors('fp8_quant_blockwise', x=x)
    _rank('fp8_quant_blockwise', 'x', x, 2)
    _halves('fp8_quant_blockwise', 'x', x, 'bfloat16', 'float16', 'float32')
    if quant_method not in ('1x128', '128x128'):
        raise ValueError(
            f"[fp8_quant_blockwise] expected quant_method '1x128' or '128x128', got "
            f"{quant_method!r}"
        )
    if output_type != 'e4m3':
        raise ValueError(f"[fp8_quant_blockwise] expected output_type 'e4m3', got {output_type!r}")
    results = []
    for matrix in (x, x.transpose([1, 0]) if input_transpose else None):
        if matrix is None or (matrix is x and input_transpose and return_transpose_only):
            continue
        out, scale = _by_rows(
            matrix, using_pow2_scale or using_ue8m0_scale, float(epsilon), quant_method == '128x128'
        )
        if using_ue8m0_scale:
            scale = _pack(scale)
        results += [out, scale.transpose([1, 0]).contiguous() if output_scale_transpose else scale]
    return tuple(results)


@paddle.no_grad()
def fp8_gemm_blockwise(
    a,
    a_decode_scale,
    b,
    b_decode_scale,
    out_dtype,
    out=None,
    bias=None,
    accumulate=False,
    use_split_accumulator=True,
    is_a_1d_scaled=True,
    is_b_1d_scaled=True,
):
    """The product of a and the transpose of b, float8 matrices with a scale for each block.

    Args:
        a (Tensor): Of shape [M, K], float8_e4m3fn.
        a_decode_scale (Tensor): Its scales, as `fp8_quant_blockwise` gives them: [blocks of K, M]
            for blocks of 1 x 128, [blocks of M, blocks of K] for 128 x 128.
        b (Tensor): Of shape [N, K], float8_e4m3fn.
        b_decode_scale (Tensor): Its scales.
        out_dtype (str or dtype): The dtype of the result.
        out (Tensor, default None): Where the result comes; None for a new one.
        bias (Tensor, default None): Only None.
        accumulate (bool, default False): Whether the product is added to out.
        use_split_accumulator (bool, default True): Taken for compatibility: sums are in float32.
        is_a_1d_scaled (bool, default True): Whether the blocks of a are 1 x 128.
        is_b_1d_scaled (bool, default True): Whether those of b are.

    Returns:
        Tensor: of shape [M, N].

    Raises:
        AssertionError: A bias is given.
        ValueError: Scales of another shape, or accumulate without out.

    Examples:
        >>> F = paddle.incubate.nn.functional
        >>> a, a_scale = F.fp8_quant_blockwise(paddle.to_tensor([[1.0, 2.0]]))
        >>> b, b_scale = F.fp8_quant_blockwise(paddle.to_tensor([[3.0, 4.0]]))
        >>> F.fp8_gemm_blockwise(a, a_scale, b, b_scale, "float32").tolist()
        [[11.0]]
    """
    expect_tensors(
        'fp8_gemm_blockwise', a=a, a_decode_scale=a_decode_scale, b=b, b_decode_scale=b_decode_scale
    )
    if bias is not None:
        raise AssertionError("[fp8_gemm_blockwise] expected no bias, got one")
    if accumulate and out is None:
        raise ValueError("[fp8_gemm_blockwise] expected out to add the product to, got none")
    whole = []
    for name, x, scale, rows in (
        ('a', a, a_decode_scale, is_a_1d_scaled),
        ('b', b, b_decode_scale, is_b_1d_scaled),
    ):
        _rank('fp8_gemm_blockwise', name, x, 2)
        want = [_blocks(x.shape[1]), x.shape[0] if rows else _blocks(x.shape[0])]
        want = want if rows else want[::-1]
        if list(scale.shape) != want:
            raise ValueError(
                f"[fp8_gemm_blockwise] expected {name}_decode_scale of shape {want}, got "
                f"{list(scale.shape)}"
            )
        scale = scale.transpose([1, 0]) if rows else _spread(scale, 0, x.shape[0])
        whole.append(x.astype('float32') * _spread(scale, 1, x.shape[1]))
    product = paddle.matmul(whole[0], whole[1], transpose_y=True)
    if out is None:
        return product.astype(out_dtype)
    if accumulate:
        product = product + out.astype('float32')
    return paddle.assign(product.astype(out.dtype), out)


@paddle.no_grad()
def fused_act_dequant(x, x_scale):
    """Float8 numbers times the scale of each 128 columns, as bfloat16.

    Args:
        x (Tensor): The numbers, of shape [M, N], float8_e4m3fn.
        x_scale (Tensor): The scales, float32 of shape [M, blocks], or int32 with four exponents in
            each element.

    Returns:
        Tensor: of shape [M, N], bfloat16.

    Raises:
        ValueError: There are too few scales, or an argument is no matrix.

    Examples:
        >>> F = paddle.incubate.nn.functional
        >>> x = paddle.to_tensor([[1.0, -4.0]])
        >>> out, scale = F.fp8_quant_blockwise(x, output_scale_transpose=False)
        >>> F.fused_act_dequant(out, scale).astype("float32").tolist()
        [[1.0, -4.0]]
    """
    expect_tensors('fused_act_dequant', x=x, x_scale=x_scale)
    _rank('fused_act_dequant', 'x', x, 2)
    _rank('fused_act_dequant', 'x_scale', x_scale, 2)
    scale = _unpack(x_scale) if x_scale.dtype == paddle.int32 else x_scale
    if scale.shape[0] != x.shape[0] or scale.shape[1] < _blocks(x.shape[1]):
        raise ValueError(
            f"[fused_act_dequant] expected a scale for each 128 columns of x "
            f"{list(x.shape)}, got x_scale {list(x_scale.shape)}"
        )
    return (x.astype('float32') * _spread(scale, 1, x.shape[1])).astype('bfloat16')


@paddle.no_grad()
def fused_stack_transpose_quant(x, transpose=True):
    """Matrices, transposed and one below the other, as float8 with scales of 128 x 128 blocks.

    Args:
        x (list of Tensors): Matrices [M, K] of one shape, of multiples of 128.
        transpose (bool, default True): Whether each is transposed.

    Returns:
        tuple of Tensors: the numbers, float8_e4m3fn, and the scales.

    Raises:
        ValueError: They are no such matrices.

    Examples:
        >>> matrices = [paddle.ones([128, 256]), paddle.full([128, 256], 2.0)]
        >>> out, scale = paddle.incubate.nn.functional.fused_stack_transpose_quant(matrices)
        >>> out.shape, (scale * 448).round(3).tolist()
        (paddle.Size([512, 128]), [[1.0], [1.0], [2.0], [2.0]])
    """
    x = items('fused_stack_transpose_quant', 'x', x)
    expect_tensors('fused_stack_transpose_quant', **{f'x[{i}]': t for i, t in enumerate(x)})
    if not x or any(t.ndim != 2 or list(t.shape) != list(x[0].shape) for t in x):
        raise ValueError(
            f"[fused_stack_transpose_quant] expected matrices of one shape, got "
            f"{[list(t.shape) for t in x]}"
        )
    if x[0].shape[0] % _BLOCK or x[0].shape[1] % _BLOCK:
        raise ValueError(
            f"[fused_stack_transpose_quant] expected extents that are multiples of {_BLOCK}, got "
            f"{list(x[0].shape)}"
        )
    return _by_rows(
        paddle.concat([t.transpose([1, 0]) if transpose else t for t in x]), False, 0.0, True
    )


def _split_columns(op, x, tokens_per_expert, power_of_two):
    """x [M, K] quantised down each column by 128 rows, transposed, and cut by numbers of rows:
    (matrices [K, rows], scales [rows / 128, K])."""
    counts = items(op, 'tokens_per_expert', tokens_per_expert)
    if any(n < 0 or n % _BLOCK for n in counts) or sum(counts) != x.shape[0]:
        raise ValueError(
            f"[{op}] expected tokens_per_expert that are multiples of {_BLOCK} with the sum "
            f"{x.shape[0]}, got {counts}"
        )
    out, scale = _by_rows(x.transpose([1, 0]), power_of_two)
    scale = scale.transpose([1, 0]).contiguous()
    ends = [sum(counts[:i]) for i in range(len(counts) + 1)]
    spans = list(zip(ends, ends[1:]))
    return (
        [out[:, low:high].contiguous() for low, high in spans],
        [scale[low // _BLOCK : high // _BLOCK].contiguous() for low, high in spans],
    )


@paddle.no_grad()
def fused_transpose_split_quant(x, input_scales, tokens_per_expert, pow_2_scales=False):
    """A matrix as float8, quantised down its columns, transposed, and cut for experts.

    There is a scale for each 128 rows of a column.

    Args:
        x (Tensor): The matrix [M, K]; one of float8_e4m3fn is given with input_scales.
        input_scales (Tensor or None): Its scales [M, blocks of K]; None of another dtype.
        tokens_per_expert (list of ints): How many rows each expert has, multiples of 128.
        pow_2_scales (bool, default False): Whether scales are powers of two.

    Returns:
        tuple of lists: for each expert the numbers [K, rows], and the scales [rows / 128, K].

    Raises:
        ValueError: The rows are others than x has, or scales are missing.

    Examples:
        >>> x = paddle.ones([256, 3])
        >>> F = paddle.incubate.nn.functional
        >>> out, scales = F.fused_transpose_split_quant(x, None, [128, 128])
        >>> [part.shape for part in out], [part.shape for part in scales]
        ([paddle.Size([3, 128]), paddle.Size([3, 128])], [paddle.Size([1, 3]), paddle.Size([1, 3])])
    """
    op = 'fused_transpose_split_quant'
    expect_tensors(op, x=x)
    _rank(op, 'x', x, 2)
    if str(x.dtype).endswith(_FP8):
        if input_scales is None:
            raise ValueError(f"[{op}] expected input_scales for x of {x.dtype}, got none")
        x = fused_act_dequant(x, input_scales)
    return _split_columns(op, x, tokens_per_expert, pow_2_scales)


@paddle.no_grad()
def fused_transpose_wlch_split_quant(x, tokens_per_expert, pow_2_scales=False):
    """`fused_transpose_split_quant` of tokens that lie in the order of [L, W, C].

    Args:
        x (Tensor): Of shape [W, L, C, H]: W * L * C tokens of H elements.
        tokens_per_expert (list of ints): How many tokens each expert has, multiples of 128.
        pow_2_scales (bool, default False): Whether scales are powers of two.

    Returns:
        tuple of lists: for each expert the numbers [H, tokens], and the scales [tokens / 128, H].

    Raises:
        ValueError: The tokens are others than x has.

    Examples:
        >>> x = paddle.ones([2, 8, 16, 3])
        >>> F = paddle.incubate.nn.functional
        >>> out, scales = F.fused_transpose_wlch_split_quant(x, [128, 128])
        >>> [part.shape for part in out], [part.shape for part in scales]
        ([paddle.Size([3, 128]), paddle.Size([3, 128])], [paddle.Size([1, 3]), paddle.Size([1, 3])])
    """
    op = 'fused_transpose_wlch_split_quant'
    expect_tensors(op, x=x)
    _rank(op, 'x', x, 4)
    tokens = x.shape[0] * x.shape[1] * x.shape[2]
    return _split_columns(
        op, x.transpose([1, 0, 2, 3]).reshape([tokens, x.shape[3]]), tokens_per_expert, pow_2_scales
    )


@paddle.no_grad()
def fused_weighted_swiglu_act_quant(x, prob=None, using_pow2_scaling=False, name=None):
    """swiglu(x), each row times a probability, as float8 with a scale for each 128 columns.

    Args:
        x (Tensor): Of shape [..., 2 * columns]: gates, then what they gate.
        prob (Tensor, default None): The factor of each row; None for none.
        using_pow2_scaling (bool, default False): Whether scales are powers of two.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the numbers, float8_e4m3fn of shape [rows, columns], and the scales [rows,
            blocks].

    Raises:
        ValueError: The last axis is odd, or prob has not an element for each row.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 0.0, 2.0, 5.0]])
        >>> F = paddle.incubate.nn.functional
        >>> out, scale = F.fused_weighted_swiglu_act_quant(x, paddle.to_tensor([0.5]))
        >>> (out.astype("float32") * scale).round(3).tolist()  # 0.5 * [silu(1) * 2, silu(0) * 5]
        [[0.7310000061988831, 0.0]]
    """
    op = 'fused_weighted_swiglu_act_quant'
    expect_tensors(op, x=x)
    if x.ndim == 0 or x.shape[-1] % 2:
        raise ValueError(f"[{op}] expected x of even columns, got shape {list(x.shape)}")
    columns = x.shape[-1]
    rows = x.size // columns if columns else 0
    x = x.reshape([rows, columns]).astype('float32')
    gate, value = _C_ops.split_with_num(x, 2, 1)
    out = paddle.nn.functional.silu(gate) * value
    if prob is not None:
        if prob.size != rows:
            raise ValueError(
                f"[{op}] expected an element of prob for each of {rows} rows, got shape "
                f"{list(prob.shape)}"
            )
        out = out * prob.astype('float32').reshape([rows, 1])
    return _by_rows(out, using_pow2_scaling)
