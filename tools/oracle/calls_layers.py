# SPDX-License-Identifier: Apache-2.0
"""Rows of layers that wrap a function."""


def add_rows(row):
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
