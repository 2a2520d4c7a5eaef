# SPDX-License-Identifier: Apache-2.0
"""Rows of paddle.nn.functional and paddle.incubate.nn.functional."""

U = 'x:2,3,4; x:; x:1; x:0,3; x:17,33; x:4,3/t; x:6/s'


def activations(row):
    s = 'activations'

    def one(names, tail='', dtypes='F', shapes=U, **options):
        row(s, f'F.{{{names}}}(x{tail})', shapes, dtypes, **options)

    one(
        'relu|relu6|sigmoid|log_sigmoid|logsigmoid|tanh|silu|mish|hardswish|hardsigmoid|softsign|'
        'tanhshrink|selu|swish'
    )
    one('relu|relu6', dtypes='I')
    one(
        'relu|tanh|sigmoid|softsign|silu|gelu|softplus|elu|mish|hardswish',
        shapes='x:2,9%special',
        dtypes='D',
    )
    one('gelu', '{|, approximate=True|, False}')
    one('elu|celu', '{|, 0.5|, alpha=2.0|, 0}')
    one('leaky_relu', '{|, 0.2|, negative_slope=-0.5}')
    one('selu', '{|, 1.5, 1.2|, scale=1.01}', torch=False)
    one('hardtanh', '{|, -0.5, 0.5|, max=0.2}')
    one('hardshrink|softshrink', '{|, 0.3|, threshold=1.0|, 0}', torch=False)
    one('hardsigmoid', '{|, 0.2, 0.5|, slope=0.3, offset=0.1}', torch=False)
    one('thresholded_relu', '{|, 0.3|, threshold=-0.5, value=2.0}', torch=False)
    one('softplus', '{|, 2|, beta=0.5, threshold=1|, 1, 0.1}')
    one('softmax|log_softmax', '{|, 0|, axis=1|, -2|, dtype="float64"|, axis=5}', torch=False)
    one('softmax|log_softmax', ', axis=-1')
    one('softmax|log_softmax', shapes='x:2,9%special', dtypes='D', torch=False)
    one('glu', '{|, 0|, axis=-2}', shapes='x:2,3,4; x:2,2,4; x:4; x:0,4; x:3')
    one(
        'maxout',
        ', {2|2, axis=2|groups=3|2, 3}',
        shapes='x:2,6,4; x:2,6,4,2',
        dtypes='F',
        torch=False,
    )
    one('swiglu', '{|, y}', shapes='x:2,4 y:2,4; x:4 y:4; x:0,4 y:0,4', dtypes='F', torch=False)
    row(s, 'F.prelu(x, w)', 'x:2,3,4 w:1; x:2,3,4 w:3; x:2,3 w:3; x:0,3,4 w:3', 'F')
    row(
        s,
        'F.prelu(x, w, data_format={"NCHW"|"NHWC"})',
        'x:2,3,4,5 w:1; x:2,5,4,3 w:3',
        'D',
        torch=False,
    )
    row(
        s,
        'after(x, {"relu_"|"elu_"|"elu_", '
        '0.5|"softmax_"|"tanh_"|"sigmoid_"|"leaky_relu_"|"hardtanh_"|"thresholded_relu_"})',
        'x:2,3',
        'F',
        function='Tensor.relu_, ...',
    )
    row(
        s,
        'F.{relu_|elu_|leaky_relu_|hardtanh_|softmax_|tanh_|thresholded_relu_}(x * 1)',
        'x:2,3',
        'D',
    )
    row(
        s,
        'F.normalize(x{|, 1|, p=3, axis=0|, axis=-1, epsilon=0.5|, p=float("inf")|, p=0.5})',
        'x:2,3; x:3; x:2,3,4; x:0,3',
        'F',
        tolerance=2,
        torch=False,
    )
    row(s, 'paddle.softmax(x{|, dim=0|, -1, dtype="float64"})', 'x:2,3', 'F')


RED = '{|, reduction="sum"|, reduction="none"|, reduction="bad"}'
P2 = 'x:2,3{0} y:2,3{1}; x:5 y:5; x: y:; x:0,3 y:0,3; x:2,3,4 y:2,3,4'


def losses(row):
    s = 'losses'

    def two(template, a='', b='', shapes=P2, dtypes='F', **options):
        row(s, f'F.{template}', shapes.format(a, b), dtypes, **options)

    two('{mse_loss|l1_loss}(x, y' + RED + ')')
    two('smooth_l1_loss(x, y' + RED + '{|, delta=0.5}{|, is_huber=False})', torch=False)
    two('square_error_cost(x, y)')
    two(
        'binary_cross_entropy(x, y{|, weight=w}' + RED + ')',
        shapes='x:2,3~0.05~0.95 y:2,3~0~1 w:3/n; x:4 y:4 w:4; x:0 y:0 w:1',
        dtypes='F',
    )
    two(
        'binary_cross_entropy_with_logits(x, y{|, weight=w}{|, pos_weight=p}' + RED + ')',
        shapes='x:2,3 y:2,3~0~1/n w:3/n p:3~0.5~2/n; x:4 y:4 w:4 p:4',
        dtypes='F',
    )
    two(
        'log_loss(x, y{|, epsilon=0.1})',
        '~0.1~0.9',
        '~0~1/n',
        shapes='x:2,1{0} y:2,1{1}; x:0,1 y:0,1',
        torch=False,
    )
    two(
        'kl_div(x, y'
        + RED.replace('|, reduction="bad"', '|, reduction="batchmean"|, reduction="bad"')
        + '{|, log_target=True})',
        '~-3~-0.1',
        '~0.1~0.9',
        dtypes='F',
    )
    two(
        '{soft_margin_loss|hinge_embedding_loss}(x, y' + RED + ')',
        b='/n',
        shapes='x:2,3 y:2,3~-1~-1/n; x:4 y:4~1~1',
        dtypes='F',
    )
    two('hinge_embedding_loss(x, y, margin=0.3)', shapes='x:2,3 y:2,3~-1~-1/n')
    two(
        'margin_ranking_loss(x, y, z{|, 0.5|, margin=1.0}' + RED + ')',
        shapes='x:2,3 y:2,3 z:2,3~1~1/n; x:3 y:3 z:3~-1~-1',
    )
    two(
        'cosine_embedding_loss(x, y, l{|, margin=0.3}' + RED + ')',
        shapes='x:2,3 y:2,3 l:2@i8~1~1; x:2,3 y:2,3 l:2@i8~-1~-1; x:3 y:3 l:@i8~1~1',
        dtypes='D',
    )
    two(
        '{cosine_similarity}(x, y{|, axis=0|, axis=-1|, eps=0.5})',
        shapes='x:2,3 y:2,3; x:2,3,4 y:2,3,4; x:2,3 y:1,3',
    )
    two(
        'pairwise_distance(x, y{|, 1.0|, p=float("inf")|, p=3.0, epsilon=1e-3|, keepdim=True|, '
        'p=0})',
        shapes='x:2,3 y:2,3; x:3 y:3',
        torch=False,
    )
    two(
        'triplet_margin_loss(x, y, z{|, margin=0.3}{|, p=1}{|, swap=True}' + RED + ')',
        shapes='x:2,3 y:2,3 z:2,3; x:3 y:3 z:3',
        torch=False,
    )
    two(
        'triplet_margin_with_distance_loss(x, y, z{|, margin=0.3}{|, swap=True}' + RED + ')',
        shapes='x:2,3 y:2,3 z:2,3',
        torch=False,
    )
    two(
        'multi_label_soft_margin_loss(x, y{|, weight=w}' + RED + ')',
        shapes='x:2,3 y:2,3~0~1/n w:3/n',
        dtypes='D',
    )
    two(
        'multi_label_margin_loss(x, l' + RED + ')',
        shapes='x:2,4 l:2,4@i8~0~3; x:4 l:4',
        dtypes='D',
        torch=False,
    )
    two(
        'multi_margin_loss(x, l{|, p=2}{|, margin=0.5}{|, weight=w}' + RED + ')',
        shapes='x:2,4 l:2@i8~0~3 w:4~0.5~2/n',
        dtypes='D',
    )
    two(
        'poisson_nll_loss(x, y{|, log_input=False}{|, full=True}{|, epsilon=0.1}' + RED + ')',
        '~0.2~2',
        '~0.5~4',
        dtypes='F',
    )
    two(
        'gaussian_nll_loss(x, y, v{|, full=True}{|, epsilon=0.6}' + RED + ')',
        shapes='x:2,3 y:2,3 v:2,3~0.3~2; x:2,3 y:2,3 v:2,1; x:3 y:3 v:1',
        dtypes='F',
    )
    two('npair_loss(x, y, l{|, 0.1})', shapes='x:4,3 y:4,3 l:4@f4~0~1/n', dtypes='f4', torch=False)
    two(
        'dice_loss(x, l{|, epsilon=0.1})',
        shapes='x:2,3,4%prob l:2,3,1@i8~0~3; x:2,4 l:2,1',
        dtypes='D',
        torch=False,
    )
    two(
        'sigmoid_focal_loss(x, y{|, normalizer=n}{|, alpha=0.5}{|, gamma=1.0|, gamma=0.0}'
        + RED
        + ')',
        shapes='x:2,3 y:2,3~0~1/n n:1~2~2/n',
        dtypes='D',
        torch=False,
    )
    two(
        'label_smooth(y{|, prior_dist=p}{|, epsilon=0.3})',
        shapes='y:2,3~0~1 p:1,3~0~1/n',
        dtypes='D',
        torch=False,
    )
    ce = (
        '{|, weight=w}{|, ignore_index=1|, ignore_index=-1}{|, reduction="sum"|, '
        'reduction="none"}{|, label_smoothing=0.1}'
    )
    row(
        s,
        f'F.cross_entropy(x, l{ce})',
        'x:4,3 l:4@i8~0~2 w:3~0.5~2/n; x:4,3 l:4,1; x:3 l:; x:0,3 l:0; x:4,3 l:4@i4; x:4,3 '
        'l:4~-100~-100',
        'F',
        torch=False,
    )
    row(
        s,
        'F.cross_entropy(x, l{|, axis=1|, reduction="none"|, weight=w, reduction="sum"})',
        'x:2,3,4 l:2,3@i8~0~3 w:4~0.5~2/n; x:2,3,4 l:2,3,1',
        'F',
        torch=False,
    )
    row(
        s,
        'F.cross_entropy(x, l, axis=1{|, reduction="none"|, weight=w|, ignore_index=0})',
        'x:2,3,4 l:2,4@i8~0~2 w:3~0.5~2/n; x:2,3,4,2 l:2,4,2; x:2,3,4 l:2,1,4',
        'F',
        torch=False,
    )
    row(
        s,
        'F.cross_entropy(x, y, soft_label=True{|, weight=w}{|, reduction="sum"|, '
        'reduction="none"}{|, label_smoothing=0.1}{|, axis=0})',
        'x:4,3 y:4,3%prob w:3~0.5~2/n; x:3 y:3 w:3; x:2,4,3 y:2,4,3',
        'F',
        torch=False,
    )
    row(
        s,
        'F.cross_entropy(x, l, use_softmax=False{|, weight=w}{|, reduction="none"}{|, '
        'soft_label=False})',
        'x:4,3%prob l:4@i8~0~2 w:3~0.5~2/n',
        'F',
        torch=False,
    )
    row(
        s,
        'F.cross_entropy(x, l)',
        'x:4,3 l:4@i8~3~5; x:4,3 l:5; x:4,3 l:4@f4~0~2; x:4,3 l:4,3',
        'f4',
        torch=False,
    )
    row(
        s,
        'F.softmax_with_cross_entropy(x, l{|, return_softmax=True}{|, ignore_index=1}{|'
        ', numeric_stable_mode=False}{|, axis=-1})',
        'x:4,3 l:4,1@i8~0~2; x:2,4,3 l:2,4,1',
        'D',
        torch=False,
    )
    row(
        s,
        'F.softmax_with_cross_entropy(x, y, soft_label=True{|, return_softmax=True})',
        'x:4,3 y:4,3%prob',
        'D',
        torch=False,
    )
    row(
        s,
        'F.nll_loss(x, l{|, weight=w}{|, ignore_index=1}{|, reduction="sum"|, reduction="none"})',
        'x:4,3~-3~0 l:4@i8~0~2 w:3~0.5~2/n; x:2,3,4 l:2,4; x:2,3,4,2 l:2,4,2',
        'D',
    )
    row(
        s,
        'F.ctc_loss(x, l, a, b{|, blank=3}{|, reduction="sum"|, reduction="none"}{|, '
        'norm_by_times=True}{|, zero_infinity=True})',
        'x:6,2,4 l:2,2@i4~1~2 a:2@i8~6~6 b:2@i8~2~2',
        'D',
        torch=False,
        tolerance=4,
    )
    row(
        s,
        'F.rnnt_loss(x, l, a, b{|, blank=3}{|, fastemit_lambda=0.0}{|, reduction="sum"|, '
        'reduction="none"})',
        'x:2,4,3,4 l:2,2@i4~1~2 a:2@i4~4~4 b:2@i4~2~2',
        'f4',
        torch=False,
        tolerance=8,
    )
    row(
        s,
        'F.margin_cross_entropy(x, l{|, margin1=1.1, margin2=0.2, margin3=0.1}{|, scale=8.0}{|'
        ', return_softmax=True}{|, reduction="sum"|, reduction=None})',
        'x:4,5~-0.9~0.9 l:4@i8~0~4',
        'D',
        torch=False,
        tolerance=8,
    )
    row(s, 'F.hsigmoid_loss(x, l, 5, w{|, b})', 'x:3,4 l:3,1@i8~0~4 w:4,4 b:4,1', 'D', torch=False)
    row(
        s,
        'F.adaptive_log_softmax_with_loss(x, l, h, [[t, u]], [3]{|, c})',
        'x:4,5 l:4@i8~0~5 h:5,4 t:5,2 u:2,3 c:4',
        'D',
        torch=False,
    )
    row(
        s,
        'paddle.nn.functional.{binary_cross_entropy}(x, y)',
        'x:2,3~2~3 y:2,3~0~1',
        'f4',
        torch=False,
    )
    row(
        s,
        'paddle.incubate.identity_loss(x{|, "sum"|, "mean"|, 0|, 1|, 2})',
        'x:2,3',
        'D',
        torch=False,
    )
    row(
        s,
        'paddle.incubate.{softmax_mask_fuse_upper_triangle}(x)',
        'x:2,2,4,4',
        'f4 f8',
        torch=False,
    )
    row(s, 'paddle.incubate.softmax_mask_fuse(x, m)', 'x:2,2,4,4 m:2,1,4,4/n', 'f4 f8', torch=False)


def norms(row):
    s = 'norms'
    row(
        s,
        'F.layer_norm(x, {4|[4]|[3, 4]|[2, 3, 4]|5}{|, epsilon=0.1})',
        'x:2,3,4; x:0,3,4; x:2,3,4/t',
        'F',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'F.layer_norm(x, [4], {w, b|w|None, b|weight=w, bias=b, epsilon=1e-3})',
        'x:2,3,4 w:4 b:4; x:0,4 w:4 b:4; x:40,4 w:4 b:4',
        'F',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'F.rms_norm(x, {[4]|[3, 4]}{|, eps=0.1})',
        'x:2,3,4; x:0,3,4',
        'F',
        tolerance=4,
        torch=False,
    )
    row(s, 'F.rms_norm(x, [4], w)', 'x:2,3,4 w:4; x:0,4 w:4', 'F', tolerance=4)
    row(
        s,
        'F.batch_norm(x, m, v{|, w, b}{|, training=True}{|, momentum=0.5}{|, epsilon=0.1}{|, '
        'use_global_stats=True|, use_global_stats=False})',
        'x:4,3 m:3/n v:3~0.5~2/n w:3 b:3; x:4,3,5 m:3 v:3 w:3 b:3; x:2,3,4,4 m:3 v:3 w:3 b:3; '
        'x:2,3,2,2,2 m:3 v:3 w:3 b:3; x:0,3,4 m:3 v:3 w:3 b:3',
        'D',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        '[F.batch_norm(x, m, v, w, b, training=True{|, momentum=0.5}{|, data_format="NHWC"|'
        ', data_format="NCHW"}), m, v]',
        'x:3,4,4,3 m:3/n v:3~0.5~2/n w:3 b:3',
        'D f2 bf',
        tolerance=4,
        torch=False,
        function='F.batch_norm',
    )
    row(
        s,
        'F.batch_norm(x, m, v, w, b, training=True)',
        'x:4,3 m:3@f4/n v:3@f4~0.5~2/n w:3@f4 b:3@f4; x:2,3,4,4 m:3 v:3 w:3 b:3',
        'f2 bf',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'F.instance_norm(x{|, weight=w, bias=b}{|, eps=0.1})',
        'x:2,3,4 w:3 b:3; x:2,3,4,4 w:3 b:3; x:2,3,2,2,2 w:3 b:3',
        'D',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'F.group_norm(x, {3|1|6|4}{|, 0.1|, weight=w, bias=b}{|, data_format="NCHW"})',
        'x:2,6,4,4 w:6 b:6; x:2,6,5 w:6 b:6; x:2,6 w:6 b:6; x:0,6,4 w:6 b:6',
        'F',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'F.group_norm(x, {3|2}, weight=w, bias=b, data_format="NHWC")',
        'x:2,4,4,6 w:6 b:6; x:2,4,6 w:6 b:6',
        'D',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'F.local_response_norm(x, {3|4|1}{|, alpha=0.1}{|, beta=0.5}{|, k=2.0}{|, '
        'data_format="NHWC"})',
        'x:2,6,4,4',
        'D',
        tolerance=4,
        torch=False,
    )
    row(s, 'F.local_response_norm(x, 3{|, data_format="NLC"})', 'x:2,6,4', 'D', torch=False)
    row(
        s,
        'paddle.{layer_norm}(x, [4]{|, w|, w, b})',
        'x:2,4 w:4 b:4',
        'D',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'paddle.{group_norm}(x, 2{|, 1e-3|, weight=w, bias=b})',
        'x:2,4,3 w:4 b:4',
        'D',
        tolerance=4,
        torch=False,
    )


def attention(row):
    s = 'attention'
    q = 'q:2,5,4,8 k:2,5,4,8 v:2,5,4,8'
    row(
        s,
        'F.scaled_dot_product_attention(q, k, v{|, is_causal=True}{|, scale=0.2}{|, '
        'training=False})',
        q + '; q:1,3,2,4 k:1,6,2,4 v:1,6,2,4',
        'F',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'F.scaled_dot_product_attention(q, k, v, {m|b|attn_mask=m})',
        q + ' m:2,1,5,5/n b:2,1,5,5@b',
        'F',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'F.scaled_dot_product_attention(q, k, v)',
        'q:2,5,4,8 k:2,5,2,8 v:2,5,2,8',
        'D',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'F.flash_attention.flash_attention(q, k, v{|, causal=True}{|, return_softmax=False})',
        q,
        'f4 f2 bf',
        tolerance=8,
        torch=False,
    )
    row(s, 'F.flashmask_attention(q, k, v{|, causal=True})', q, 'f4 bf', tolerance=8, torch=False)
    row(
        s,
        'paddle.incubate.nn.functional.fused_rotary_position_embedding(q{|, k|, k, v}{|'
        ', use_neox_rotary_style=False}{|, time_major=False}{|, rotary_emb_base=100.0})',
        q,
        'D',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'paddle.incubate.nn.functional.{fused_linear|fused_matmul_bias}(x, w, b)',
        'x:2,3 w:3,4 b:4',
        'D',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'paddle.incubate.nn.functional.fused_linear_activation(x, w, b{|, activation="relu"|, '
        'activation="gelu"})',
        'x:2,3 w:3,4 b:4',
        'f4',
        tolerance=2,
        torch=False,
    )
    row(
        s,
        'paddle.incubate.nn.functional.fused_dropout_add(x, y{|, p=0.3|, p=0.0|, training=False}{|'
        ', mode="downscale_in_infer"})',
        'x:2,3 y:2,3',
        'D',
        torch=False,
    )
    row(
        s,
        'paddle.incubate.nn.functional.fused_layer_norm(x, w, b, 1e-5{|, begin_norm_axis=1|'
        ', residual_alpha=0.5, residual=x})',
        'x:2,4 w:4 b:4',
        'f4',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'paddle.incubate.nn.functional.fused_rms_norm(x, w, b, 1e-5{|, begin_norm_axis=1})',
        'x:2,4 w:4 b:4',
        'f4',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'paddle.incubate.nn.functional.fused_bias_act(x{|, b}{|, act_method="relu"|, '
        'act_method="swiglu"})',
        'x:2,4 b:4',
        'f4',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'paddle.incubate.nn.functional.fused_bias_dropout_residual_layer_norm(x, y{|, b}, '
        'dropout_rate=0.0{|, ln_scale=w, ln_bias=c})',
        'x:2,3,4 y:2,3,4 b:4 w:4 c:4',
        'D',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'paddle.incubate.nn.functional.fused_feedforward(x, w, u, dropout1_rate=0.0, '
        'dropout2_rate=0.0{|, activation="gelu"}{|, pre_layer_norm=True}{|, '
        'add_residual=False})',
        'x:2,3,4 w:4,6 u:6,4',
        'D',
        tolerance=8,
        torch=False,
    )
    row(
        s,
        'paddle.incubate.nn.functional.fused_multi_head_attention(x, w, u, dropout_rate=0.0, '
        'attn_dropout_rate=0.0{|, pre_layer_norm=True}{|, add_residual=False})',
        'x:2,3,8 w:3,2,4,8 u:8,8',
        'D',
        tolerance=8,
        torch=False,
    )
    s = 'embedding, sequence'
    row(
        s,
        'F.embedding(i, w{|, padding_idx=1|, padding_idx=-1}{|, scale_grad_by_freq=True})'.replace(
            '{|, scale_grad_by_freq=True}', ''
        ),
        'i:2,3@i8~0~4 w:5,4; i:@i4 w:5,4; i:0 w:5,4; i:3@i8~5~6 w:5,4',
        'F',
        torch=False,
    )
    row(
        s,
        'F.embedding(i, w, {max_norm=1.0|max_norm=1.0, norm_type=1.0|sparse=False})',
        'i:2,3@i8~0~4 w:5,4',
        'D',
        torch=False,
    )
    row(
        s,
        'F.sequence_mask(x{|, maxlen=4|, 6, "float32"|, dtype="int32"|, dtype="bool"|, maxlen=0})',
        'x:3~0~5; x:2,2; x:0',
        'i8 i4',
        torch=False,
    )
    row(s, 'F.gather_tree(x, p)', 'x:4,2,3~0~9 p:4,2,3~0~2', 'i8 i4', torch=False)
    row(s, 'F.class_center_sample(l, 20, 6)', 'l:8@i8~0~19', 'f4', torch=False)


def rare_arguments(row):
    """Rows beside those above: argument kinds, dtypes and forms that few programs use."""

    row(
        'activations',
        'F.celu(x{|, 0|, 0.0|, 0.5|, alpha=-1.0})',
        'x:2,3; x:; x:0,3; x:4,3/t',
        'F',
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


def add_rows(row):
    for rows in (activations, losses, norms, attention, rare_arguments):
        rows(row)
