# SPDX-License-Identifier: Apache-2.0
"""Rows of rarer functions and argument kinds: layers that wrap a function, in-place forms by name,
results in `out`, keywords, small integers, two dtypes.
"""


def more_layers(row):
    def plain(text, shapes, **options):
        row('layers', f'layer({text}, x)', shapes, torch=False, **options)

    plain('nn.{AvgPool1D|MaxPool1D}({2|3, 1|3, 2, 1|3, 2, "SAME"})', 'x:2,3,7%distinct; x:0,3,7')
    plain('nn.{AvgPool3D|MaxPool3D}({2|3, 1|3, 2, 1})', 'x:1,2,5,6,5%distinct')
    plain('nn.LPPool1D({2.0, 2|3.0, 3, 1|1.0, 2, ceil_mode=True})', 'x:2,3,7~0.1~2', tolerance=4)
    plain('nn.LPPool2D({2.0, 2|3.0, 3, 1|1.0, 2, ceil_mode=True})', 'x:2,3,7,6~0.1~2', tolerance=4)
    plain('nn.{AdaptiveAvgPool1D|AdaptiveMaxPool1D}({3|1|9})', 'x:2,3,7%distinct; x:3,7')
    plain('nn.{AdaptiveAvgPool3D|AdaptiveMaxPool3D}({3|[2, 4, 3]})', 'x:1,2,5,6,5%distinct')
    for n, shape in ((1, '2,3,7'), (2, '2,3,7,6'), (3, '1,2,4,5,3')):
        plain(
            f'nn.{{ZeroPad{n}D|Pad{n}D}}({{1|{[0, 1] * n}|{[2, 0] * n}}})',
            f'x:{shape}; x:{shape}@i8',
        )
        plain(
            f'nn.Pad{n}D(1, mode={{"constant"|"reflect"|"replicate"|"circular"}}{{|, value=1.5}})',
            f'x:{shape}',
        )
    plain(
        'nn.{InstanceNorm1D}(3{|, epsilon=0.1|, weight_attr=False, bias_attr=False})',
        'x:2,3,7',
        tolerance=4,
    )
    plain('nn.{InstanceNorm3D|BatchNorm3D}(2{|, epsilon=0.1})', 'x:2,2,3,4,3', tolerance=4)
    plain(
        'nn.Conv3DTranspose(2, 4, 3{|, 2|, padding=1|, groups=2|, stride=2, output_padding=1})',
        'x:1,2,3,4,3',
        tolerance=8,
    )
    plain(
        'nn.{UpsamplingBilinear2D|UpsamplingNearest2D}({size=[5, 7]|scale_factor=2})',
        'x:2,3,4,3',
        tolerance=4,
    )
    plain(
        'nn.{Silu|CELU|ELU|Softshrink|Hardshrink|Softsign|Softplus|Swish|Mish|ThresholdedReLU|'
        'LogSigmoid|Tanhshrink}()',
        'x:2,3; x:; x:0,3; x:4,3/t',
        dtypes='D',
    )
    plain(
        'nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), nn.Linear(4, 2))', 'x:2,3; x:0,3', tolerance=4
    )
    row(
        'layers',
        'layer(nn.{RNN|BiRNN}({nn.SimpleRNNCell(3, 4)|nn.GRUCell(3, 4)}{, nn.SimpleRNNCell(3, '
        '4)|}), x)',
        'x:2,5,3',
        tolerance=16,
        torch=False,
    )
    row(
        'layers',
        'layer(nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), 2), x, y)',
        'x:2,5,8 y:2,4,8',
        tolerance=64,
        torch=False,
    )
    reduce = '{|reduction="sum"|reduction="none"}'
    row('layers', f'layer(nn.NLLLoss({reduce}), x, l)', 'x:4,3 l:4@i8~0~2', 'D', torch=False)
    row(
        'layers',
        f'layer(nn.MultiLabelSoftMarginLoss({reduce}), x, y)',
        'x:4,3 y:4,3~0~1/n',
        'D',
        torch=False,
        tolerance=4,
    )
    row(
        'layers',
        f'layer(nn.GaussianNLLLoss({reduce}), x, y, z)',
        'x:4,3 y:4,3/n z:4,3~0.5~2',
        'D',
        torch=False,
        tolerance=4,
    )
    row(
        'layers',
        'layer(nn.CosineEmbeddingLoss({|margin=0.2|reduction="sum"}), x, y, l)',
        'x:4,3 y:4,3 l:4@i8~1~1',
        'D',
        torch=False,
        tolerance=4,
    )
    row(
        'layers',
        'layer(nn.MarginRankingLoss({|0.3|reduction="none"}), x, y, l)',
        'x:4 y:4 l:4~1~1/n',
        'D',
        torch=False,
    )
    row(
        'layers',
        'layer(nn.{TripletMarginLoss|TripletMarginWithDistanceLoss}({|margin=0.5|reduction="sum"|'
        'swap=True}), x, y, z)',
        'x:4,3 y:4,3 z:4,3',
        'D',
        torch=False,
        tolerance=8,
    )
    row(
        'layers',
        'layer(nn.CTCLoss({|blank=1|reduction="sum"}), x, l, a, b)',
        'x:6,2,4 l:2,3@i4~2~3 a:2@i8~6~6 b:2@i8~2~3',
        torch=False,
        tolerance=16,
    )
    for n, shape in ((1, '2,3,6'), (2, '2,3,4,6'), (3, '1,2,4,4,4')):
        row(
            'layers',
            f'layer(nn.MaxUnPool{n}D(2), *F.max_pool{n}d(x, 2, return_mask=True))',
            f'x:{shape}%distinct',
            'D',
            torch=False,
        )


def more_functions(row):
    row(
        'elementwise binary',
        'paddle.{gammainc|gammaincc}(x, y)',
        'x:2,3~0.5~3 y:2,3~0.5~3; x:2,3 y:2,3/t',
        'D',
        tolerance=8,
        torch=False,
    )
    row('manipulation', 'paddle.{ravel}(x)', 'x:2,3; x:; x:0,3; x:4,3/t', 'F I C B', forms='m')
    row(
        'manipulation',
        'paddle.broadcast_shapes({[2, 1], [3]|[0, 3], [1, 1]|[], [2]|[2], [3]})',
        torch=False,
    )
    row(
        'indexing',
        'paddle.take_along_dim(x, i, {0|1|-1|dim=1})',
        'x:3,4 i:3,4@i8~0~2; x:0,4 i:0,4@i8~0~2',
        'F I',
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
    row('creation', 'paddle.range({1|0|2}, {5|7.5}{|, 2|, 0.5})', torch=False)
    row(
        'creation',
        'paddle.from_numpy({np.arange(6).reshape(2, 3)|np.ones((0, 3), "float32")})',
        torch=False,
    )
    row(
        'creation',
        'paddle.from_dlpack(paddle.to_dlpack(x){|, device="cpu"|, copy=True|, '
        'device=paddle.CPUPlace(), copy=False})',
        'x:2,3; x:; x:4,3/t',
        'f4 i8',
        torch=False,
    )
    row(
        'activations',
        'F.celu(x{|, 0|, 0.0|, 0.5|, alpha=-1.0})',
        'x:2,3; x:; x:0,3; x:4,3/t',
        'F',
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
        'interpolate, pad, fold',
        'F.interpolate(x, {[3, 3]|[7, 9]|scale_factor=2}, '
        'mode={"bilinear"|"nearest"|"area"|"bicubic"}{|, align_mode=1})',
        'x:1,2,4,5',
        'u1 i4 i8 f4',
        cross=True,
        torch=False,
        tolerance=8,
    )
    row(
        'interpolate, pad, fold',
        'F.interpolate(x, {[5]|[9]}, mode="linear", data_format="NCW"{|, align_corners=True})',
        'x:1,2,7',
        'u1 f4',
        cross=True,
        torch=False,
        tolerance=8,
    )
    for n, shape in ((1, '2,3,7'), (2, '2,3,7,6'), (3, '1,2,5,6,7')):
        row(
            'pool',
            f'F.{{max_pool{n}d|avg_pool{n}d}}(x, {{2|3}}, {{2|1|3}}, '
            f'padding={{"SAME"|"VALID"}}{{|, ceil_mode=True}})',
            f'x:{shape}%distinct',
            torch=False,
            tolerance=2,
        )
        row(
            'pool',
            f'F.max_pool{n}d(x, {{2|3}}, {{2|1|3}}, padding={{"SAME"|"VALID"}}, return_mask=True)',
            f'x:{shape}%distinct',
            torch=False,
        )
        row(
            'interpolate, pad, fold',
            f'F.pad(x, {[1, 0] * n}, value={{7|2 ** 62 + 1|-2 ** 63}})',
            f'x:{shape}@i8',
            torch=False,
        )
    row(
        'losses',
        'F.binary_cross_entropy(x, y{|, reduction="none"})',
        'x:4,3~0~1 y:4,3~0~1; x:4,3~-1~2 y:4,3; x:0,3~0~1 y:0,3',
        'D',
        torch=False,
        tolerance=4,
    )
    row(
        'norms',
        'F.instance_norm(x, paddle.zeros([3]), paddle.ones([3]){|, weight=paddle.ones([5])|, '
        'eps=0.1})',
        'x:2,3,4',
        'D',
        torch=False,
        tolerance=4,
    )
    row(
        'promotion',
        'paddle.{kron|outer|cross|dot}(x, y{})',
        'x:3~-3~3 y:3@f4~-3~3; x:3 y:3@f8; x:3 y:3@i8',
        'f4 f8 i8 i4',
        cross=True,
        torch=False,
    )


def in_place(row):
    def one(text, shapes, dtypes='D', tolerance=4):
        row('Tensor methods', f'after(x, {text})', shapes, dtypes, torch=False, tolerance=tolerance)

    one('"addmm_", y, z', 'x:2,4 y:2,3 z:3,4')
    one('"baddbmm_", y, z', 'x:5,2,4 y:5,2,3 z:5,3,4')
    one(
        '{"i0_"|"sigmoid_"|"zero_"|"detach_"|"polygamma_", 1|"multigammaln_", 2|"t_"|"clamp_", '
        '0.0, 1.0|"renorm_", 2.0, 0, 1.0}',
        'x:3,4~2~4; x:3,4/t',
    )
    one(
        '{"gammainc_"|"gammaincc_"|"logaddexp_"|"less_"|"mul_"|"div_"|"sub_"}, y',
        'x:2,3~0.5~3 y:2,3~0.5~3',
    )
    one('"scatter_", i, y', 'x:4,3 i:2@i8~0~3 y:2,3', 'F I')
    one('"scatter_add_", 0, i, y', 'x:4,3 i:2,3@i8~0~3 y:2,3', 'D I')
    one('"transpose_", [1, 0]', 'x:3,4', 'F I')
    one('"cast_", {"float64"|"int32"|"bool"}', 'x:3,4', 'f4 i8')
    one('"fill_", {1.5|2|True|-1|300}', 'x:3,4; x:; x:0,3; x:6/s', 'F I B')
    one('"fill_diagonal_tensor_", y', 'x:4,3 y:3', 'F I')
    one('"resize_", {[2, 2]|[12]|[3, 4]}', 'x:3,4')
    one(
        '{"random_"|"random_", 5|"random_", 2, 9|"random_", 0, 2 ** 33|"random_", -3, '
        '3|"random_", 5, 5|"random_", 9, 2}',
        'x:2,3; x:0; x:6/s',
        'D i4 i8',
    )
    one(
        '{"normal_"|"cauchy_"|"geometric_", '
        '0.3|"log_normal_"|"exponential_"|"uniform_"|"bernoulli_"}',
        'x:2,3; x:6/s; x:4,3/t',
        'D',
    )
    one('"set_value", x.numpy() * 0 + 1', 'x:3,4; x:; x:0,3', 'F I')
    one('"copy_", y, {True|False}', 'x:3,4 y:3,4; x:3,4/n y:4/n', 'F I')
    row(
        'Tensor methods',
        'x.{strides|is_dense|element_size|ndim|size|itemsize}',
        'x:3,4; x:; x:0,3',
        'F I C B',
        torch=False,
    )
    row(
        'Tensor methods',
        'x.{cdouble|cfloat|int8|int16|int32|uint8|long|half|double|bool}()',
        'x:2,3~0~5',
        'f4 i8',
        torch=False,
    )


def add_rows(row):
    for rows in (more_layers, more_functions, in_place):
        rows(row)
