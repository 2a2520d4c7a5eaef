# SPDX-License-Identifier: Apache-2.0
"""Rows of elementwise functions, operators, reductions, scans, statistics, comparisons, linear
algebra and transforms.
"""

U = 'x:2,3{}; x:; x:1; x:0,3; x:17,33; x:4,3/t; x:6/s'
PAIR = (
    'x:2,3{0} y:2,3{1}; x:2,3 y:3; x:3,1 y:1,4; x: y:2,3; x:2 y:; x:0,3 y:1,3; x:4,3/t '
    'y:4,3; x:6/s y:1; x:2,1,5 y:3,1'
)
ALL = 'F I C B'


def elementwise(row):
    def unary(names, span='', dtypes='F', forms='m', tail='', **options):
        row(
            'elementwise unary',
            f'paddle.{{{names}}}(x{tail})',
            U.format(span),
            dtypes,
            forms=forms,
            **options,
        )

    unary('sin|cos|tan|tanh|sinh|cosh|atan|exp|expm1|asinh', dtypes='F I C', forms='mi')
    unary('sin|cos|tanh|exp|sqrt|abs', '%special', dtypes='F', forms='o')
    unary('asin|acos|atanh', '~-0.9~0.9', dtypes='F I C', forms='mi')
    unary('acosh', '~1.1~3', dtypes='F I C', forms='mi')
    unary('log|log2|log10|log1p|sqrt|rsqrt|reciprocal', '~0.1~4', dtypes='F I C', forms='mi')
    unary('erf|erfinv', '~-0.9~0.9', forms='mi')
    unary('lgamma|gammaln|digamma', '~0.2~4', dtypes='F', forms='mi')
    unary('i0|i0e|i1|i1e', '~-4~4', dtypes='F', forms='m')
    unary('abs|square|neg|negative|positive|sign|sgn|conj|angle|real|imag', dtypes=ALL, forms='m')
    unary('floor|ceil|round|trunc|frac', '~-4~4', dtypes='F I', forms='mi')
    unary('round', '~-40~40', tail=', {0|1|2|-1|decimals=3}', dtypes='F I')
    unary('abs|neg|square|sinc|deg2rad|rad2deg|nan_to_num', '~-3~3', dtypes='F I')
    unary('sinc|nan_to_num|square|abs|neg', forms='i', dtypes='D')
    unary(
        'nan_to_num',
        '%special',
        tail='{|, nan=1.5|, posinf=7.0|, neginf=-3.0|, nan=0.5, posinf=1.0, neginf=2.0}',
        dtypes='D f2',
    )
    unary('isnan|isinf|isfinite|isposinf|isneginf|isreal|signbit', '%special', dtypes='F I C')
    unary('logit', '~0.05~0.95', tail='{|, eps=0.2|, 1e-6}', dtypes='F', forms='mi')
    unary(
        'polygamma',
        '~0.3~4',
        tail=', {0|1|2|3}',
        dtypes='F',
        torch='torch.special.{polygamma}({0|1|2|3}, x)',
    )
    unary('multigammaln', '~2~5', tail=', {1|2|3}', dtypes='D')
    unary('stanh', tail='{|, 0.5, 1.5|, scale_a=2.0|, scale_b=0.3}', dtypes='F')
    unary('scale', tail='{|, 2.0|, scale=-1.5, bias=0.5|, 2.0, 1.0, False|, bias=3}', dtypes='F I')
    unary(
        'clip',
        tail=', {-0.5, 0.5|min=0|max=1|-1, 1|None, 0.3|min=1, max=-1|0.5}',
        dtypes='F I',
        forms='mi',
    )
    unary('clamp', tail=', {-0.5, 0.5|min=0|max=1}', dtypes='F I')
    unary('bitwise_not|bitwise_invert', dtypes='I B', forms='moi')
    unary('logical_not', dtypes=ALL, forms='moi')
    unary('is_complex|is_floating_point|is_integer|is_empty|is_tensor|rank|numel|shape', dtypes=ALL)
    unary('increment', dtypes='F I')
    unary('increment', tail=', 2.5')
    row('elementwise unary', 'paddle.frexp(x)', U.format('~-9~9'), 'F')
    row('elementwise unary', 'paddle.{clone|assign}(x)', U.format(''), ALL)
    row(
        'elementwise unary',
        'x.astype({"float32"|"float64"|"float16"|"bfloat16"|"int8"|"uint8"|"int16"|"int32"|'
        '"int64"|"bool"|"complex64"|"complex128"})',
        U.format('~0~9'),
        ALL + ' e4 e5',
        cross=True,
        function='Tensor.astype',
    )
    row(
        'elementwise unary',
        'paddle.cast(x, {"float8_e4m3fn"|"float8_e5m2"})',
        U.format(''),
        'f4 f8 bf f2 i4',
        cross=True,
    )


def binary(row):
    def two(names, a='', b='', dtypes='F', forms='m', tail='', **options):
        row(
            'elementwise binary',
            f'paddle.{{{names}}}(x, y{tail})',
            PAIR.format(a, b),
            dtypes,
            forms=forms,
            **options,
        )

    two('add|subtract|multiply|maximum|minimum|fmax|fmin', dtypes=ALL, forms='m')
    two('add|subtract|multiply', dtypes='f4 f8 i8', forms='oi')
    two('add|subtract', tail=', alpha={2|0.5|-1}')
    two('divide', b='~1~3', dtypes=ALL, forms='moi')
    two(
        'divide|div',
        b='~1~3',
        tail=', rounding_mode={None|"floor"|"trunc"}',
        dtypes='F I',
        cross=True,
    )
    two('true_divide', b='~1~3', dtypes='F I')
    two('floor_divide|remainder|mod|floor_mod', '~-9~9', '~1~4', dtypes='F I', forms='mi')
    two('remainder|floor_divide', '~-9~9', '~-4~-1', dtypes='F I')
    two('pow', '~0.3~3', '~0~3', dtypes='F I C', forms='moi')
    row(
        'elementwise binary',
        'paddle.pow(x, {2|3|0.5|0|1.0|2.0})',
        U.format('~0.5~3'),
        'F I C',
        cross=True,
        forms='m',
    )
    row(
        'elementwise binary', 'paddle.pow(x, {-1|-2|-2.5})', U.format('~0.5~3'), 'F C', cross=True
    )  # of integers it never returns in 3.3.1
    two('atan2|hypot|copysign|logaddexp|heaviside|nextafter|ldexp', dtypes='F', forms='m')
    two('hypot|copysign|ldexp', forms='i')
    two('atan2|copysign|heaviside|ldexp|logaddexp|hypot', dtypes='i4 i8')
    two('gcd|lcm', '~1~12', '~1~12', dtypes='I', forms='mi')
    two('gammainc|gammaincc', '~0.3~3', '~0.3~3', dtypes='F', forms='m')
    two('bitwise_and|bitwise_or|bitwise_xor', dtypes='I B', forms='moi')
    two(
        'bitwise_left_shift|bitwise_right_shift',
        '~0~9',
        '~0~3',
        dtypes='I',
        forms='moi',
        tail='{|, is_arithmetic=False}',
        torch=False,
    )
    two('logical_and|logical_or|logical_xor', dtypes=ALL, forms='moi')
    two(
        'equal|not_equal|less_than|less_equal|greater_than|greater_equal',
        '~-2~2',
        '~-2~2',
        dtypes=ALL,
        forms='moi',
    )
    two('eq|ne|lt|le|gt|ge|less|greater', '~-1~1', '~-1~1', dtypes='f4 i8')
    row(
        'elementwise binary',
        'paddle.{equal|less_than|greater_equal|not_equal}(x, {0|1|0.5|True|-1})',
        U.format('~-1~1'),
        'F I B',
        cross=True,
    )
    two('equal_all|allclose|isclose', '~0~1', '~0~1', dtypes='F i4 i8 b')
    two(
        'allclose|isclose',
        '%special',
        '%special',
        tail='{|, rtol=0.5|, atol=1.0|, equal_nan=True|, rtol=0, atol=0}',
    )
    two('complex', dtypes='D i4 f2')
    two('polar', '~0~2', dtypes='D')
    two('multiply|sub|mul', dtypes='f4 i4')
    row(
        'elementwise ternary',
        'paddle.lerp(x, y, {0.3|0|1.0|w})',
        'x:2,3 y:2,3 w:2,3; x:2,3 y:3 w:1; x:0,3 y:1,3 w:',
        'F',
        forms='mi',
    )
    row('elementwise ternary', 'paddle.addcmul(x, y, w)', 'x:2,3 y:2,3 w:2,3', 'F')
    row(
        'elementwise ternary',
        'paddle.where(c, x, y)',
        'c:2,3@b x:2,3 y:2,3; c:3 x:2,3 y:2,1; c:2,3 x: y:; c:0,3 x:1 y:3; c: x:2 y:2',
        ALL,
        forms='',
    )
    row(
        'elementwise ternary',
        'paddle.where(c, x, {1.5|0|1|True})',
        'c:2,3@b x:2,3',
        'F I B C',
        cross=True,
    )
    row(
        'elementwise ternary',
        'paddle.where(c, {1.5|0|1}, {2.5|1|x})',
        'c:2,3@b x:2,3',
        'f4 f8 i8 bf',
        cross=True,
    )
    row(
        'elementwise ternary',
        'paddle.{add_n}([x, y{|, x}])',
        'x:2,3 y:2,3; x:0 y:0; x: y:',
        'F I C',
        torch=False,
    )
    row(
        'elementwise ternary',
        'paddle.multiplex([x, y], i)',
        'x:3,2 y:3,2 i:3,1@i4~0~1',
        'F I',
        torch=False,
    )
    # Two dtypes.
    for first in 'b u1 i1 i4 i8 f2 bf f4 f8 c8 c16'.split():
        row(
            'promotion',
            '{x + y|x * y|x / y|x - y|x ** y|x == y|x // y|x % y|paddle.maximum(x, '
            'y)|paddle.where(x == x, x, y)|paddle.atan2(x, y)|paddle.matmul(x, y)}',
            f'x:2,2@{first}~1~3 y:2,2~1~3; x:2,2 y:; x:2,2 y:2',
            'b u1 i1 i2 i4 i8 f2 bf f4 f8 c8 c16',
            cross=True,
            function='operators of two dtypes',
        )
    row(
        'promotion',
        '{x + 2|2 + x|x - 2|2 - x|x * 2|x / 2|2 / x|x // 2|7 // x|x % 2|7 % x|x ** 2|2 ** '
        'x|-x|abs(x)|+x}',
        'x:2,3~1~4; x:',
        ALL,
        cross=True,
        function='operators with int',
    )
    row(
        'promotion',
        '{x + 2.5|2.5 + x|x - 2.5|2.5 - x|x * 2.5|x / 2.5|2.5 / x|x // 2.5|7.5 // x|x % 2.5|7.5 % '
        'x|x ** 2.5|2.5 ** x}',
        'x:2,3~1~4; x:',
        ALL,
        cross=True,
        function='operators with float',
    )
    row(
        'promotion',
        '{x + True|True + x|x * False|x - True|x / True|x + 1j|1j * x|x / 2j|x ** 1j|x == '
        '1|x != 1.5|x < 2|x <= 2.5|x > True|1 < x}',
        'x:2,3~1~4; x:',
        ALL,
        cross=True,
        function='operators with bool and complex',
    )
    row(
        'promotion',
        '{x + np.float32(2)|x * np.float64(2.5)|x + np.int64(2)|x + np.ones(3, '
        '"float64")|np.float32(2) + x|np.ones(3, "float32") * x}',
        'x:2,3~1~4',
        'f4 f8 i8 i4',
        cross=True,
        function='operators with NumPy',
        torch=False,
    )
    row(
        'promotion',
        '{x & y|x ^ y|operator.or_(x, y)|~x|x << y|x >> y}',
        'x:2,3~0~5 y:2,3~0~3; x:3 y:',
        'I B',
        cross=True,
        function='bit operators',
    )
    row(
        'promotion',
        '{operator.iadd(x * 1, y)|operator.isub(x * 1, y)|operator.imul(x * 1, '
        'y)|operator.itruediv(x * 1, y)|operator.ifloordiv(x * 1, y)|operator.ipow(x * 1, '
        '2)|operator.imod(x * 1, y)}',
        'x:2,3~1~5 y:2,3~1~3; x:2,3 y:3; x:2,3 y:',
        'F I',
        cross=True,
        function='in-place operators',
    )
    row('promotion', 'x @ y', 'x:2,3 y:3,2; x:3 y:3; x:2,2,3 y:3,1', 'F C I', function='operator @')


AXES = (
    '{|, 0|, axis=-1|, axis=[0, 1]|, axis=1, keepdim=True|, keepdim=True|, axis=(-1, -2), '
    'keepdim=True|, axis=[0, 1, 2]|, axis=[-3], keepdim=True|, axis=[]|, axis=3|, axis=-4|, '
    'axis=[0, 0]}'
)
REDUCED = 'x:2,3,4{}; x:; x:1; x:0,3; x:3,0; x:17,40; x:4,3/t; x:6/s; x:1,1,1'


def reductions(row):
    def reduce(names, span='', dtypes='F', tail=AXES, **options):
        row('reductions', f'paddle.{{{names}}}(x{tail})', REDUCED.format(span), dtypes, **options)

    reduce('sum|mean|prod', dtypes=ALL, forms='mo')
    reduce('max|min|amax|amin', '%distinct', dtypes='F I', forms='m')
    reduce('amax|amin|max|min', '~0~1', dtypes='i8')
    reduce('all|any', dtypes=ALL, forms='mo')
    reduce('logsumexp', dtypes='F i8', forms='mo')
    reduce('nansum|nanmean', '%special~-1~1', dtypes='F i8')
    reduce('count_nonzero', '~-1~1', dtypes=ALL)
    reduce('std|var', dtypes='F', forms='m')
    reduce(
        'std|var',
        tail='{|, axis=0|, axis=[0, 2]}{, unbiased=False|, unbiased=True}{|, keepdim=True}',
        torch=False,
    )
    reduce('var', tail='{|, axis=0|, axis=[0, 2]}, correction={0|1|2|0.5}')
    reduce(
        'sum|nansum|prod',
        tail='{|, axis=1|, axis=[0, 1]}, dtype={"float64"|"int64"|"int32"|"float32"|"bfloat16"}',
        dtypes='f4 i4 b',
        cross=True,
    )
    reduce(
        'argmax|argmin',
        '%distinct',
        dtypes='F I',
        tail='{|, axis=0|, axis=-1|, axis=1, keepdim=True|, keepdim=True|, axis=3}{|, '
        'dtype="int32"}',
        forms='m',
    )
    reduce('argmax|argmin', '~0~1', dtypes='i8 b', tail='{|, axis=0}')
    reduce(
        'median|nanmedian',
        '%distinct',
        dtypes='F I',
        tail='{|, axis=0|, axis=-1|, axis=1, keepdim=True|, keepdim=True}{|, mode="min"|, '
        'mode="avg"}',
        torch=False,
    )
    reduce('nanmedian|median', '%special', tail='{|, axis=0|, axis=-1}{|, mode="min"}', torch=False)
    reduce('nanmedian', '%distinct', tail=', axis=[0, 1]', torch=False)
    reduce('mode', '~0~2', dtypes='F I', tail='{|, 0|, axis=1|, axis=-1, keepdim=True}')
    reduce(
        'kthvalue',
        '%distinct',
        dtypes='F I',
        tail=', {1|2|1, 0|2, axis=1|1, axis=-1, keepdim=True|3, axis=1|0|5}',
    )
    reduce(
        'quantile|nanquantile',
        '%distinct',
        dtypes='F',
        tail=', {0.5|0.0|1.0|[0.2, 0.7]|0.33}{|, axis=0|, axis=-1, keepdim=True|, axis=[0, 1]}{|, '
        'interpolation="lower"|, interpolation="higher"|, interpolation="nearest"|, '
        'interpolation="midpoint"}',
        torch=False,
    )
    reduce(
        'nanquantile|quantile',
        '%special',
        tail=', {0.5|[0.25, 0.75]}{|, axis=0|, axis=-1}',
        torch=False,
    )
    row(
        'reductions',
        'paddle.dist(x, y{|, p=1|, p=0|, p=float("inf")|, p=float("-inf")|, p=3.5})',
        'x:2,3 y:2,3; x:2,3 y:3; x:0 y:0; x: y:',
        'F',
    )
    row(
        'reductions',
        'paddle.reduce_as(x, y)',
        'x:2,3,4 y:3,4; x:2,3,4 y:1,1,4; x:2,3 y:; x:2,3 y:2,3',
        'F I',
        torch=False,
    )
    row(
        'reductions',
        'paddle.{trace}(x{|, 1|, offset=-1|, axis1=1, axis2=0|, 0, -1, -2})',
        'x:3,4; x:2,3,4; x:0,3',
        'F I C',
    )
    row(
        'reductions',
        'paddle.linalg.{norm}(x{|, 2|, "fro"|, 1|, float("inf")|, float("-inf")|, 0|, 3.5|, '
        'p=2, axis=0|, p=1, axis=-1, keepdim=True|, axis=[0, 1]|, p="nuc", axis=[0, 1]|, '
        'p=float("inf"), axis=[0, 1]|, p="fro", axis=[-2, -1], keepdim=True|, p=-1, axis=1|, '
        'keepdim=True|, p=2, axis=[0, 1]|, p=1, axis=[0, 1]})',
        'x:3,4; x:2,3,4; x:; x:0,3',
        'F C',
        tolerance=2,
    )
    row(
        'reductions',
        'paddle.linalg.vector_norm(x{|, 2.0|, 1|, 0|, float("inf")|, float("-inf")|, 3|, '
        '2.0, 0|, 2.0, [0, 1]|, 1.0, axis=-1, keepdim=True|, dtype="float64"})',
        'x:3,4; x:2,3,4; x:; x:0,3',
        'F',
    )
    row(
        'reductions',
        'paddle.linalg.matrix_norm(x{|, "fro"|, "nuc"|, 1|, -1|, 2|, -2|, float("inf")|, '
        'float("-inf")|, "fro", [0, 1]|, 1, axis=[1, 0]|, 2, keepdim=True})',
        'x:3,4; x:2,3,4; x:2,4,4',
        'D',
        tolerance=4,
    )


def scans(row):
    def scan(names, tail, span='', dtypes='F', **options):
        row(
            'cumulative',
            f'paddle.{{{names}}}(x{tail})',
            'x:2,3,4{}; x:; x:1; x:0,3; x:17,40; x:4,3/t; x:6/s'.format(span),
            dtypes,
            **options,
        )

    scan(
        'cumsum',
        '{|, 0|, axis=-1|, axis=1|, axis=3}{|, dtype="float64"|, dtype="int32"}',
        dtypes='F I C B',
        forms='m',
    )
    scan('cumsum', '{, 0|, axis=-1}', forms='oi', dtypes='D')
    scan(
        'cumprod', '{, 0|, dim=-1|, dim=1|, dim=3|}{|, dtype="float64"}', dtypes='F I C', forms='m'
    )
    scan('cumprod', '{, 0|, dim=-1}', forms='i', dtypes='D')
    scan(
        'cummax|cummin',
        '{|, 0|, axis=-1|, axis=1|, axis=3}{|, dtype="int32"}',
        '%distinct',
        dtypes='F I',
    )
    scan('cummax|cummin', '{|, axis=0}', '%special')
    scan('logcumsumexp', '{|, 0|, axis=-1|, axis=1}', dtypes='F')
    row(
        'cumulative',
        'paddle.cumulative_trapezoid(y{|, dx=0.5|, x|, x, axis=0|, axis=0|, dx=2})',
        'y:3,4 x:3,4%sorted; y:4 x:4; y:2,3,4 x:4',
        'F',
    )
    row(
        'cumulative',
        'paddle.trapezoid(y{|, dx=0.5|, x|, x, axis=0|, axis=0|, dx=2})',
        'y:3,4 x:3,4%sorted; y:4 x:4; y:2,3,4 x:4',
        'F',
    )
    row(
        'cumulative',
        'paddle.diff(x{|, 2|, axis=0|, n=3|, n=1, axis=-2|, prepend=y|, append=y|, prepend=y, '
        'append=y|, n=0})',
        'x:3,4 y:3,1; x:5 y:2; x:0,3 y:0,1',
        'F I B',
    )


def statistics(row):
    s = 'statistics'
    row(
        s,
        'paddle.histogram(x{|, 4|, bins=5, min=-1, max=1|, min=0.5, max=0.5|, bins=3, density=True|'
        ', bins=3, weight=w|, 4, -1, 1, w, True})',
        'x:2,3 w:2,3/n; x: w:; x:0 w:0; x:40 w:40',
        'D i8 i4',
    )
    row(
        s,
        'paddle.histogram_bin_edges(x{|, 4|, bins=5, min=-1, max=1|, min=0.5, max=0.5})',
        'x:2,3; x:; x:0; x:40',
        'D i8 i4',
    )
    row(
        s,
        'paddle.histogramdd(x{, 3|, [2, 4]|, 3, ranges=[-1.0, 1.0, -2.0, 2.0]|, 2, density=True|, '
        '3, weights=w})',
        'x:7,2 w:7/n; x:2,4,2 w:2,4',
        'D',
    )
    row(
        s,
        'paddle.bincount(x{|, minlength=12|, weights=w|, weights=w, minlength=3|, minlength=-1})',
        'x:9~0~6 w:9@f4/n; x:0 w:0; x:1 w:1',
        'i8 i4 u1',
    )
    row(
        s,
        'paddle.unique(x{|, return_index=True|, return_inverse=True|, return_counts=True|, '
        'True, True, True|, axis=0|, axis=1, return_inverse=True|, return_counts=True, '
        'axis=0, dtype="int32"|, dtype="int32", return_inverse=True|, True, True, True, '
        'axis=-1})',
        'x:3,4~0~2; x:; x:0; x:9; x:40; x:3,4/t',
        'f4 f8 i8 i4 i1',
        torch=False,
    )
    row(
        s,
        'paddle.unique_consecutive(x{|, return_inverse=True|, return_counts=True|, True, '
        'True|, axis=0|, axis=1, return_inverse=True|, True, True, axis=0, dtype="int32"})',
        'x:3,4~0~1; x:; x:0; x:9; x:40',
        'f4 f8 i8 i4',
        torch=False,
    )
    row(
        s,
        'paddle.linalg.cov(x{|, rowvar=False|, ddof=False|, fweights=f|, aweights=w|, True, True, '
        'f, w})',
        'x:3,4 f:4@i8~1~3/n w:4~0.2~1/n; x:4 f:4 w:4',
        'D',
        torch=False,
    )
    row(s, 'paddle.linalg.corrcoef(x{|, rowvar=False})', 'x:3,4; x:4', 'D')
    row(
        s,
        'paddle.{bucketize}(x, s{|, out_int32=True|, right=True})',
        'x:2,3 s:5%sorted/n; x: s:5; x:0 s:5; x:4 s:0',
        'D i4 i8',
        torch=False,
    )
    row(
        s,
        'paddle.{searchsorted}(s, x{|, out_int32=True|, right=True|, side="right"|, side="left"})',
        's:2,5%sorted/n x:2,3; s:5 x:2,3; s:2,5 x:2,0; s:5 x:',
        'D i4 i8',
        torch=False,
    )
    row(
        s,
        'paddle.isin(x, y{|, invert=True|, assume_unique=True})',
        'x:2,3~0~4 y:4~0~4; x: y:3; x:0 y:2; x:3 y:0; x:30,4 y:40',
        'D i4 i8',
        torch=False,
    )
    row(s, 'paddle.{cartesian_prod}([x, y])', 'x:2 y:3; x:0 y:2', 'F I', torch=False)
    row(s, 'paddle.combinations(x{|, 1|, 2|, 3|, 2, True|, 0})', 'x:4; x:1; x:0', 'F I')
    row(s, 'paddle.vander(x{|, 2|, 3, increasing=True|, 0})', 'x:4; x:1; x:0', 'F I C', torch=False)
    row(
        s,
        'paddle.{cdist}(x, y{|, 1.0|, p=0.0|, p=float("inf")|, p=3.0|, 2.0, '
        '"use_mm_for_euclid_dist"|, 2.0, "donot_use_mm_for_euclid_dist"})',
        'x:3,4 y:2,4; x:2,3,4 y:2,2,4; x:1,3,4 y:2,2,4; x:0,4 y:2,4; x:3,0 y:2,0',
        'D',
        tolerance=4,
    )
    row(
        s,
        'paddle.pdist(x{|, 1.0|, p=0.0|, p=float("inf")|, p=3.0})',
        'x:4,3; x:1,3; x:0,3',
        'D',
        torch='torch.nn.functional.pdist(x{|, 1.0|, p=0.0|, p=float("inf")|, p=3.0})',
        tolerance=2,
    )
    row(s, 'paddle.renorm(x, {2.0|1.0|3.0}, {0|-1|1}, {1.0|0.5|10.0})', 'x:3,4; x:2,3,4', 'F')
    row(
        s,
        'paddle.topk(x, {1|2|k=2, axis=0|2, -1, False|2, largest=False, sorted=False|0|9|1, '
        'axis=3})',
        'x:3,4%distinct; x:; x:6; x:3,0; x:17,40; x:4,3/t',
        'F I',
        torch=False,
    )
    row(
        s,
        'paddle.{sort|argsort}(x{|, 0|, axis=-1|, descending=True|, axis=0, descending=True, '
        'stable=True|, stable=True|, axis=3})',
        'x:3,4%distinct; x:; x:6; x:3,0; x:17,40; x:4,3/t',
        'F I',
        forms='m',
        torch=False,
    )
    row(
        s,
        'paddle.{argsort|sort}(x{, stable=True|, descending=True, stable=True})',
        'x:3,40~0~3',
        'i8 i4 u1',
        torch=False,
    )
    row(s, 'paddle.{sort|argsort|topk}(x, {0|1})', 'x:5,4%special', 'D', torch=False)
    row(s, 'paddle.msort(x)', 'x:3,4%distinct; x:6; x:0,2', 'F I')
    row(s, 'paddle.{nonzero|argwhere}(x)', 'x:3,4~-1~1; x:; x:0,3; x:9', ALL, torch=False)
    row(s, 'paddle.nonzero(x, as_tuple=True)', 'x:3,4~-1~1; x:; x:0,3; x:9', 'f4 b', torch=False)


def linear_algebra(row):
    s = 'linalg'
    row(
        s,
        'paddle.matmul(x, y{|, transpose_y=False})',
        'x:2,3 y:3,4; x:3 y:3; x:2,3 y:3; x:3 y:3,4; x:5,2,3 y:3,4; x:5,1,2,3 y:4,3,2; x:0,3 '
        'y:3,4; x:2,0 y:0,4; x:2,3/t y:4,3/t; x:33,65 y:65,47; x:2,3 y:4,3; x: y:',
        'F C I B',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'paddle.matmul(x, y, {True, False|transpose_x=True})',
        'x:3,2 y:3,4; x:3 y:3,4; x:5,3,2 y:5,3,4',
        'F C',
        torch=False,
    )
    row(
        s,
        'paddle.matmul(x, y, {False, True|transpose_y=True})',
        'x:2,3 y:4,3; x:2,3 y:3; x:5,2,3 y:5,4,3',
        'F C',
        torch=False,
    )
    row(s, 'paddle.{mm}(x, y)', 'x:2,3 y:3,4; x:0,3 y:3,0', 'F C i8')
    row(
        s,
        'paddle.{bmm}(x, y)',
        'x:2,2,3 y:2,3,4; x:0,2,3 y:0,3,4; x:2,2,3 y:1,3,4; x:2,2,3 y:2,2,4',
        'F C',
        forms='mo',
    )
    row(s, 'paddle.{mv}(x, y)', 'x:2,3 y:3; x:0,3 y:3; x:2,3 y:2', 'F C')
    row(s, 'paddle.{dot}(x, y)', 'x:3 y:3; x:2,3 y:2,3; x:0 y:0', 'F C I', torch=False)
    row(s, 'paddle.{inner}(x, y)', 'x:3 y:3; x:2,3 y:4,3; x: y:3', 'F', tolerance=2)
    row(s, 'paddle.{outer|ger}(x, y)', 'x:3 y:4; x:0 y:3', 'F I C')
    row(s, 'paddle.outer(x, y)', 'x:2,3 y:4', 'F', torch=False)
    row(s, 'paddle.{kron}(x, y)', 'x:2,3 y:2,2; x:2 y:3; x:2,2,2 y:2; x: y:2', 'F I C')
    row(
        s,
        'paddle.{addmm}(i, x, y{|, beta=0.5|, alpha=2.0|, 0.0, 1.0|, 2.0, -1.0})',
        'i:2,4 x:2,3 y:3,4; i:4 x:2,3 y:3,4; i:2,1 x:2,3 y:3,4; i:1,1 x:0,3 y:3,4',
        'F',
        forms='m',
    )
    row(
        s,
        'paddle.{baddbmm}(i, x, y{|, beta=0.5|, alpha=2.0|, 0.0, 1.0})',
        'i:2,2,4 x:2,2,3 y:2,3,4; i:1,2,4 x:2,2,3 y:2,3,4',
        'F',
        forms='m',
    )
    row(
        s,
        'paddle.{cross}(x, y{|, axis=0|, axis=1|, axis=-1})',
        'x:3,3 y:3,3; x:2,3 y:2,3; x:3,2 y:3,2; x:3 y:3; x:3,0 y:3,0',
        'D i8',
        torch=False,
    )
    row(s, 'paddle.linalg.{vecdot}(x, y{|, axis=0|, axis=-1})', 'x:2,3 y:2,3; x:2,3 y:3', 'F C')
    row(
        s,
        'paddle.tensordot(x, y, {2|1|0|axes=[[0, 1], [0, 1]]|[[1], [1]]|[0, 1]})',
        'x:2,3 y:2,3',
        'F',
        torch=False,
    )
    row(
        s,
        'paddle.einsum({"ij,jk->ik"|"ij,jk"|"ij,jk->ki"|"ij,jk->"|"ij,jk->j"|"ij,kl->ijkl"|"ij , '
        'jk -> k"}, x, y)',
        'x:2,3 y:3,4; x:2,3 y:3,3',
        'F C',
        tolerance=2,
    )
    row(s, 'paddle.einsum({"ii->i"|"ii"|"ij->ji"|"ij->"|"...j->j..."|"ij->i"}, x)', 'x:3,3', 'F')
    row(
        s,
        'paddle.einsum({"bij,bjk->bik"|"bij,bjk->ik"|"...ij,...jk->...ik"|"bij,bjk->b"}, x, y)',
        'x:2,2,3 y:2,3,2',
        'F',
        tolerance=2,
    )
    row(
        s,
        'paddle.linalg.multi_dot([x, y, z])',
        'x:2,3 y:3,4 z:4,2; x:3 y:3,4 z:4; x:0,3 y:3,4 z:4,2',
        'D',
    )
    row(
        s,
        'paddle.linalg.{det|slogdet|inv}(x)',
        'x:3,3%regular; x:2,3,3; x:0,3,3; x:1,1; x:4,4/t; x:2,3',
        'F C',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'paddle.linalg.cholesky(x{|, upper=True})',
        'x:3,3%spd; x:2,3,3; x:0,3,3; x:1,1',
        'F C',
        tolerance=8,
    )
    row(
        s,
        'paddle.linalg.cholesky_solve(y, x{|, upper=True|, False})',
        'x:3,3%lower y:3,2; x:2,3,3 y:2,3,1',
        'D C',
        tolerance=8,
    )
    row(s, 'paddle.linalg.cholesky_inverse(x{|, upper=True})', 'x:3,3%lower', 'D', tolerance=8)
    row(
        s,
        'paddle.linalg.{solve}(x, y{|, left=True|, left=False})',
        'x:3,3%regular y:3,3; x:2,3,3 y:2,3,3; x:3,3 y:3; x:2,3,3 y:3,3',
        'D C',
        tolerance=8,
    )
    row(
        s,
        'paddle.linalg.triangular_solve(x, y{|, upper=False|, transpose=True|, unitriangular=True|'
        ', False, True, True})',
        'x:3,3%lower y:3,2; x:2,3,3 y:2,3,1; x:2,3,3 y:3,2',
        'D C',
        tolerance=8,
        torch=False,
    )
    row(s, 'paddle.linalg.{svdvals|eigvalsh}(x)', 'x:3,3%spd; x:2,3,3', 'D C', tolerance=16)
    row(
        s,
        'paddle.linalg.eigvalsh(x, {"L"|"U"|UPLO="U"})',
        'x:3,3%spd; x:2,3,3; x:0,3,3',
        'D C',
        tolerance=16,
    )
    row(
        s,
        'paddle.abs(paddle.linalg.eigh(x{|, "U"})[{0|1}])',
        'x:3,3%spd; x:2,3,3',
        'D C',
        tolerance=64,
        function='paddle.linalg.eigh',
    )
    row(
        s,
        '[paddle.abs(t) for t in paddle.linalg.svd(x{|, full_matrices=True})]',
        'x:4,3; x:3,4; x:2,3,3',
        'D C',
        tolerance=64,
        function='paddle.linalg.svd',
        torch=False,
    )
    row(
        s,
        '[paddle.abs(t) for t in paddle.linalg.qr(x{|, mode="complete"|, "reduced"})]',
        'x:4,3; x:3,3; x:2,3,3; x:3,4',
        'D C',
        tolerance=64,
        function='paddle.linalg.qr',
        torch=False,
    )
    row(
        s,
        'paddle.abs(paddle.linalg.qr(x, mode="r"))',
        'x:4,3; x:2,3,3',
        'D',
        tolerance=64,
        function='paddle.linalg.qr',
    )
    row(
        s,
        'paddle.linalg.lu(x{|, get_infos=True|, pivot=True})',
        'x:3,3; x:4,3; x:3,4; x:2,3,3',
        'D',
        tolerance=16,
        torch=False,
    )
    row(
        s,
        'paddle.linalg.lu_unpack(*paddle.linalg.lu(x){|, unpack_ludata=True|, True, False|, '
        'unpack_pivots=True})',
        'x:3,3; x:4,3; x:2,3,3',
        'D',
        tolerance=16,
        torch=False,
    )
    row(
        s,
        'paddle.linalg.lu_solve(y, *paddle.linalg.lu(x){|, trans="T"|, trans="N"})',
        'x:3,3%regular y:3,2',
        'D',
        tolerance=16,
        torch=False,
    )
    row(
        s,
        'paddle.linalg.matrix_power(x, {0|1|2|3|-1|-2|5})',
        'x:3,3%regular; x:2,3,3; x:0,3,3',
        'D C',
        tolerance=16,
    )
    row(s, 'paddle.linalg.matrix_exp(x)', 'x:3,3; x:2,3,3; x:1,1; x:0,0', 'D', tolerance=8)
    row(
        s,
        'paddle.linalg.matrix_rank(x{|, tol=0.5|, hermitian=True|, atol=0.5|, rtol=0.1|, 100.0})',
        'x:3,3%spd; x:2,3,3',
        'D C',
        torch=False,
    )
    row(
        s,
        'paddle.linalg.pinv(x{|, rcond=0.1|, hermitian=False})',
        'x:4,3; x:3,4; x:2,3,3',
        'D C',
        tolerance=64,
    )
    row(s, 'paddle.linalg.pinv(x, hermitian=True)', 'x:3,3%spd', 'D C', tolerance=64)
    row(
        s,
        'paddle.linalg.cond(x{|, 2|, "fro"|, "nuc"|, 1|, -1|, float("inf")|, -2|, '
        'p=float("-inf")})',
        'x:3,3%regular; x:2,3,3',
        'D',
        tolerance=32,
    )
    row(
        s,
        'paddle.linalg.lstsq(x, y{|, rcond=1e-5|, driver="gels"|, driver="gelsd"|, '
        'driver="gelsy"|, driver="gelss"})',
        'x:4,3 y:4,2; x:3,3 y:3,1; x:2,4,3 y:2,4,2',
        'D',
        tolerance=64,
        torch=False,
    )
    row(
        s,
        'paddle.linalg.householder_product(x, t)',
        'x:4,3 t:3; x:2,4,3 t:2,3; x:3,3 t:2',
        'D C',
        tolerance=8,
    )
    row(
        s,
        'paddle.linalg.ormqr(x, t, y{|, transpose=True|, left=False, transpose=False})',
        'x:3,3 t:3 y:3,3',
        'D',
        tolerance=8,
    )
    row(
        s,
        '[paddle.sort(paddle.abs(t)) for t in [paddle.linalg.eigvals(x)]]',
        'x:3,3; x:2,3,3',
        'D C',
        tolerance=64,
        function='paddle.linalg.eigvals',
        torch=False,
    )
    row(s, 'paddle.{matrix_transpose}(x)', 'x:2,3; x:2,3,4; x:3', 'F I', torch=False)
    row(s, 'paddle.{t}(x)', 'x:2,3; x:3; x:; x:2,2,2', 'F I C')
    row(s, 'x.{T|mT}', 'x:2,3; x:3; x:; x:2,2,2', 'F I C', function='Tensor.T', torch=False)
    row(s, 'paddle.{block_diag}([x, y])', 'x:2,3 y:1,2; x:3 y:; x:0 y:2,2', 'F I', torch=False)


def transforms(row):
    s = 'fft'
    one = (
        '{|, n=5|, n=3|, axis=0|, norm="ortho"|, norm="forward"|, 6, -2, "ortho"|, n=0|, '
        'axis=5|, norm="bad"}'
    )
    many = '{|, s=[3, 5]|, axes=[0, 1]|, norm="ortho"|, norm="forward"|, [2, 2], [-1, 0]|, s=[4]}'
    row(
        s,
        f'paddle.fft.{{fft|ifft|rfft|ihfft}}(x{one})',
        'x:3,4; x:5; x:2,3,4; x:; x:0; x:4,3/t',
        'D f2 i8',
        tolerance=4,
    )
    row(s, f'paddle.fft.{{fft|ifft|hfft|irfft}}(x{one})', 'x:3,4; x:5; x:2,3,4', 'C', tolerance=4)
    row(
        s,
        f'paddle.fft.{{fft2|ifft2|fftn|ifftn|rfft2|rfftn|ihfft2|ihfftn}}(x{many})',
        'x:3,4; x:2,3,4; x:5',
        'D i8',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        f'paddle.fft.{{fft2|ifft2|fftn|ifftn|hfft2|hfftn|irfft2|irfftn}}(x{many})',
        'x:3,4; x:2,3,4; x:5',
        'C',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'paddle.fft.{fftshift|ifftshift}(x{|, axes=0|, [0, 1]|, axes=-1})',
        'x:3,4; x:5; x:2,3,4; x:0,3',
        'F C I',
    )
    row(s, 'paddle.fft.{fftfreq|rfftfreq}({5|8|1}{|, d=0.5|, dtype="float64"})', torch=False)
    s = 'signal'
    row(
        s,
        'paddle.signal.stft(x, 8{|, hop_length=3|, win_length=6|, window=w|, center=False|, '
        'pad_mode="constant"|, normalized=True|, onesided=False|, hop_length=2, window=w, '
        'normalized=True})',
        'x:20 w:8; x:2,20 w:8; x:2,33 w:8',
        'D',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'paddle.signal.stft(x, 8, onesided=False{|, hop_length=3|, center=False})',
        'x:20; x:2,20',
        'C',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'paddle.signal.istft(x, 8{|, hop_length=2|, window=w|, normalized=True|, length=6|'
        ', hop_length=4, center=True})',
        'x:5,7 w:8~0.5~1; x:2,5,9 w:8',
        'C',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'paddle.signal.istft(x, 8, onesided=False{|, return_complex=True|, window=w})',
        'x:8,7 w:8~0.5~1',
        'C',
        tolerance=8,
        torch=False,
    )


def rare_arguments(row):
    """Rows beside those above: argument kinds, dtypes and forms that few programs use."""

    row(
        'elementwise binary',
        'paddle.{gammainc|gammaincc}(x, y)',
        'x:2,3~0.5~3 y:2,3~0.5~3; x:2,3 y:2,3/t',
        'D',
        tolerance=8,
        torch=False,
    )
    row(
        'linalg',
        'paddle.inverse(x)',
        'x:3,3%regular; x:2,3,3; x:0,3,3; x:4,4/t',
        'D C',
        tolerance=64,
        forms='m',
    )
    row(
        'linalg',
        'paddle.linalg.norm(x, "nuc"{|, [0, 1]|, [-2, -1]|, 1|, [1]|, keepdim=True})',
        'x:3,4; x:3; x:2,3,4',
        'D',
        tolerance=16,
        torch=False,
    )
    row(
        'reductions',
        'paddle.{sum|mean|prod|max|min|amax|amin|logsumexp}(x{|, axis=1|, axis=[0, 1], '
        'keepdim=True|, axis=-1, keepdim=True|, []})',
        'x:3,4; x:; x:0,4; x:4,3/t; x:6/s',
        'F I B',
        cross=True,
        torch=False,
        tolerance=2,
    )
    row(
        'cumulative',
        'paddle.{cumsum|cumprod|cummax|cummin|logcumsumexp}(x, {0|-1})',
        'x:3,4; x:4,3/t; x:0,4',
        'F I B',
        cross=True,
        torch=False,
        tolerance=4,
    )
    row(
        'statistics',
        'paddle.median(x, {axis=0|axis=-1|axis=None}{|, mode="min"|, keepdim=True}, '
        'out=(paddle.zeros([0]), paddle.zeros([0], "int64")))',
        'x:3,4; x:3',
        'D',
        torch=False,
    )
    row(
        'promotion',
        'paddle.{kron|outer|cross|dot}(x, y{})',
        'x:3~-3~3 y:3@f4~-3~3; x:3 y:3@f8; x:3 y:3@i8',
        'f4 f8 i8 i4',
        cross=True,
        torch=False,
    )


def add_rows(row):
    for rows in (
        elementwise,
        binary,
        reductions,
        scans,
        statistics,
        linear_algebra,
        transforms,
        rare_arguments,
    ):
        rows(row)
