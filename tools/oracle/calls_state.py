# SPDX-License-Identifier: Apache-2.0
"""Rows of layers, optimizers, schedulers, initializers and metrics."""


def layers(row):
    s = 'layers'

    def one(template, shapes, dtypes='f4', **options):
        row(
            s,
            f'layer(nn.{template}, x)',
            shapes,
            dtypes,
            torch=False,
            function='paddle.nn.' + template.split('(')[0].strip('{}').split('|')[0],
            **options,
        )

    one(
        'Linear(4, 3{|, bias_attr=False|, weight_attr=nn.initializer.Constant(0.5)})',
        'x:2,4; x:2,3,4',
    )
    one(
        'Conv2D(4, 6, 3{|, padding=1|, stride=2|, groups=2|, bias_attr=False|, padding="same"|'
        ', padding=1, padding_mode="reflect"|, padding=1, padding_mode="circular"|'
        ', padding=1, padding_mode="replicate"|, data_format="NHWC"|, dilation=2})',
        'x:1,4,7,4',
        tolerance=4,
    )
    one(
        'Conv1D(4, 6, 3{|, padding=1|, stride=2|, groups=2|, padding=1, padding_mode="reflect"|'
        ', padding=1, padding_mode="circular"})',
        'x:1,4,9',
        tolerance=4,
    )
    one(
        'Conv3D(2, 3, 2{|, padding=1|, stride=2|, padding=1, padding_mode="replicate"})',
        'x:1,2,4,5,4',
        tolerance=4,
    )
    one(
        'Conv2DTranspose(4, 3, 3{|, padding=1|, stride=2|, stride=2, output_padding=1|, groups=1})',
        'x:1,4,4,5',
        tolerance=4,
    )
    one('{Conv1DTranspose}(4, 3, 3{|, stride=2})', 'x:1,4,5', tolerance=4)
    one(
        '{BatchNorm1D|BatchNorm}(3{|, momentum=0.5|, epsilon=0.1|, weight_attr=False|, '
        'bias_attr=False})',
        'x:4,3; x:4,3,5',
        tolerance=8,
    )
    one(
        '{BatchNorm2D|InstanceNorm2D}(3{|, momentum=0.5|, epsilon=0.1|, weight_attr=False, '
        'bias_attr=False})',
        'x:4,3,3,3',
        tolerance=16,
    )
    one('BatchNorm2D(3{, data_format="NHWC"|, use_global_stats=True})', 'x:4,3,3,3', tolerance=8)
    one('{LayerNorm|RMSNorm}({4|[3, 4]}{|, 0.1})', 'x:2,3,4', tolerance=8)
    one('GroupNorm(2, 4{|, epsilon=0.1|, weight_attr=False})', 'x:2,4,3', tolerance=8)
    one('LocalResponseNorm(3)', 'x:2,4,3,3', tolerance=4)
    one('SpectralNorm([4, 3]{|, dim=1|, power_iters=3})', 'x:4,3', tolerance=16)
    one(
        '{SimpleRNN|LSTM|GRU}(4, 3{|, num_layers=2|, direction="bidirect"|, time_major=True|'
        ', num_layers=2, direction="bidirect"})',
        'x:2,5,4',
        tolerance=16,
    )
    one('{SimpleRNNCell|LSTMCell|GRUCell}(4, 3)', 'x:2,4', tolerance=8)
    one('SimpleRNN(4, 3, activation="relu")', 'x:2,5,4', tolerance=16)
    one('Embedding(6, 4{|, padding_idx=0|, padding_idx=-1})', 'x:2,3@i8~0~5')
    one('PReLU({|3|init=0.5})', 'x:2,3,4')
    one(
        '{ReLU|ReLU6|Sigmoid|Tanh|Silu|Mish|Hardswish|Hardsigmoid|Softsign|Tanhshrink|SELU|'
        'Swish|GELU|ELU|CELU|LeakyReLU|Hardtanh|Hardshrink|Softshrink|ThresholdedReLU|'
        'Softplus|LogSigmoid|Softmax|LogSoftmax|RReLU|GLU|Flatten|Identity|Dropout|'
        'AlphaDropout}()',
        'x:4,4',
    )
    one('{Dropout2D|Dropout3D|Softmax2D|FeatureAlphaDropout}()', 'x:2,3,4,4')
    one('{Maxout}(2)', 'x:2,4,3')
    one('{MaxPool2D|AvgPool2D}(2{|, stride=1|, padding=1|, ceil_mode=True})', 'x:2,3,5,5%distinct')
    one('{AdaptiveAvgPool2D|AdaptiveMaxPool2D}({2|1|[2, 3]})', 'x:2,3,5,5%distinct')
    one('{Pad2D}({1|[1, 2, 0, 1]}{|, mode="reflect"|, mode="replicate"|, value=2.0})', 'x:2,3,5,5')
    one('{ZeroPad2D}(1)', 'x:2,3,5,5')
    one('{Upsample}(scale_factor=2{|, mode="bilinear"|, mode="bicubic"})', 'x:2,3,4,4', tolerance=8)
    one(
        '{UpsamplingNearest2D|UpsamplingBilinear2D}({[5, 6]|scale_factor=2})',
        'x:2,3,4,4',
        tolerance=8,
    )
    one('{PixelShuffle|PixelUnshuffle|ChannelShuffle}(2)', 'x:2,4,4,4')
    one('{Unfold}(2)', 'x:2,3,4,4')
    one('{Fold}([4, 4], 2)', 'x:2,12,9')
    one('Unflatten(1, [2, 2])', 'x:3,4')
    one('MultiHeadAttention(8, 2{|, need_weights=True|, bias_attr=False})', 'x:2,5,8', tolerance=32)
    one(
        'TransformerEncoderLayer(8, 2, 16, dropout=0.0{|, normalize_before=True|, '
        'activation="gelu"})',
        'x:2,5,8',
        tolerance=32,
    )
    one(
        'TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1), 2)',
        'x:2,5,8',
        tolerance=32,
    )
    row(
        s,
        'layer(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), x, y)',
        'x:2,5,8 y:2,4,8',
        tolerance=32,
        torch=False,
    )
    row(
        s,
        'layer(nn.Transformer(8, 2, 1, 1, 16, dropout=0.0), x, y)',
        'x:2,5,8 y:2,4,8',
        tolerance=64,
        torch=False,
    )
    row(s, 'layer(nn.Bilinear(3, 4, 2), x, y)', 'x:2,3 y:2,4', tolerance=4, torch=False)
    row(
        s,
        'layer(nn.{CosineSimilarity|PairwiseDistance|MSELoss|L1Loss|SmoothL1Loss|KLDivLoss|'
        'SoftMarginLoss|PoissonNLLLoss|HingeEmbeddingLoss}(), x, y)',
        'x:2,3 y:2,3',
        'D',
        tolerance=4,
        torch=False,
    )
    row(
        s,
        'layer(nn.{CrossEntropyLoss|MultiMarginLoss}({|reduction="sum"|reduction="none"}), x, l)',
        'x:4,3 l:4@i8~0~2',
        'D',
        torch=False,
    )
    row(
        s,
        'layer(nn.{BCELoss|BCEWithLogitsLoss}({|reduction="sum"}), x, y)',
        'x:4,3~0.1~0.9 y:4,3~0~1',
        'D',
        torch=False,
    )
    row(s, 'layer(nn.HSigmoidLoss(4, 5), x, l)', 'x:3,4 l:3,1@i8~0~4', 'f4', torch=False)
    row(
        s,
        'layer(nn.AdaptiveLogSoftmaxWithLoss(5, 8, [3, 6]), x, l)',
        'x:4,5 l:4@i8~0~7',
        'f4',
        torch=False,
    )


def optimizers(row):
    s = 'optimizers'
    common = (
        '{|, weight_decay=0.1|, clip=("ClipGradByGlobalNorm", 0.5)|, clip=("ClipGradByNorm", '
        '0.5)|, clip=("ClipGradByValue", 0.1)|, '
        'weight_decay=paddle.regularizer.L1Decay(0.1)|, '
        'weight_decay=paddle.regularizer.L2Decay(0.1)|, grad_none=True|, '
        'lr=paddle.optimizer.lr.StepDecay(0.1, 2)|, dtype="float64"|, dtype="bfloat16"}'
    )
    own = {
        'SGD': '{|, multi_precision=True}',
        'Momentum': '{|, momentum=0.5}{|, use_nesterov=True}{|, rescale_grad=0.5}{|, '
        'use_multi_tensor=True}',
        'Adam': '{|, beta1=0.5}{|, beta2=0.9}{|, epsilon=0.1}{|, amsgrad=True}{|, '
        'lazy_mode=True}{|, use_multi_tensor=True}',
        'AdamW': '{|, beta1=0.5}{|, epsilon=0.1}{|, amsgrad=True}{|, lr_ratio=lambda p: 0.5}{|, '
        'apply_decay_param_fun=lambda n: n.startswith("p0")}',
        'Adamax': '{|, beta1=0.5}{|, beta2=0.9}{|, epsilon=0.1}',
        'Adagrad': '{|, epsilon=0.1}{|, initial_accumulator_value=0.5}',
        'Adadelta': '{|, epsilon=0.1}{|, rho=0.5}',
        'RMSProp': '{|, rho=0.5}{|, epsilon=0.1}{|, momentum=0.5}{|, centered=True}',
        'Lamb': '{|, lamb_weight_decay=0.1}{|, beta1=0.5}{|, exclude_from_weight_decay_fn=lambda '
        'p: True}{|, always_adapt=True}',
        'NAdam': '{|, beta1=0.5}{|, beta2=0.9}{|, epsilon=0.1}{|, momentum_decay=0.1}',
        'RAdam': '{|, beta1=0.5}{|, beta2=0.9}{|, epsilon=0.1}',
        'ASGD': '{|, batch_num=2}',
        'Rprop': '{|, learning_rate_range=(0.01, 0.2)}{|, etas=(0.4, 1.5)}',
        'LBFGS': '{|, max_iter=3}{|, history_size=2}{|, line_search_fn="strong_wolfe"}{|, '
        'tolerance_grad=0.1}',
    }
    for name, options in own.items():
        tail = (
            common
            if name not in ('Lamb', 'Rprop')
            else common.replace('|, weight_decay=0.1', '')
            .replace('|, weight_decay=paddle.regularizer.L1Decay(0.1)', '')
            .replace('|, weight_decay=paddle.regularizer.L2Decay(0.1)', '')
        )
        for text in (options, tail):
            row(
                s,
                f'optimize("{name}"{text})',
                torch=False,
                tolerance=8 if name != 'LBFGS' else 64,
                function='paddle.optimizer.' + name,
            )
    s = 'schedulers'
    for text in (
        'CosineAnnealingDecay", 0.5, {10|T_max=5, eta_min=0.1|7, 0.0, 3}',
        'CosineAnnealingWarmRestarts", 0.5, {4|3, 2|5, T_mult=2, eta_min=0.1}',
        'CyclicLR", 0.1, 0.5, {4|4, 2|3, mode="triangular2"|3, mode="exp_range", exp_gamma=0.9|3, '
        'scale_fn=lambda x: 0.5, scale_mode="iterations"}',
        'ExponentialDecay", 0.5, {0.9|gamma=0.5, last_epoch=2}',
        'InverseTimeDecay", 0.5, {0.1|0.5}',
        'LambdaDecay", 0.5, {lambda e: 0.9 ** e}',
        'LinearLR", 0.5, {10|5, 0.1|5, 0.5, 0.8|total_steps=3}',
        'LinearWarmup", {0.5, 5, 0.0, 0.5|1.0, 4, 0.1, 1.0|paddle.optimizer.lr.StepDecay(0.5, 3), '
        '4, 0.0, 0.5}',
        'MultiStepDecay", 0.5, {[3, 7]|[2, 4], 0.5}',
        'MultiplicativeDecay", 0.5, {lambda e: 0.9}',
        'NaturalExpDecay", 0.5, {0.1|0.5}',
        'NoamDecay", {64, 5|64, 5, 2.0|d_model=8, warmup_steps=3}',
        'OneCycleLR", 0.5, {20|25, 10.0|25, end_learning_rate=0.01|25, phase_pct=0.5|25, '
        'anneal_strategy="linear"|27, three_phase=True}',
        'PiecewiseDecay", {[3, 6], [0.5, 0.2, 0.1]}',
        'PolynomialDecay", 0.5, {10|8, 0.1|10, 0.1, 2.0|6, cycle=True}',
        'StepDecay", 0.5, {3|4, 0.5|step_size=2}',
    ):
        name, rest = text.split('"', 1)
        row(s, f'schedule("{name}"{rest})', torch=False, function='paddle.optimizer.lr.' + name)
    row(
        s,
        'schedule("ReduceOnPlateau", 0.5{|, mode="max"|, patience=2|, factor=0.5, '
        'patience=1|, threshold=0.2, patience=2|, threshold_mode="abs", patience=2|, '
        'cooldown=2, patience=1|, min_lr=0.1, patience=1|, epsilon=0.1, patience=1}, '
        'metrics=[paddle.to_tensor(m) for m in (1.0, 0.9, 0.9, 0.95, 1.2)])',
        torch=False,
        function='paddle.optimizer.lr.ReduceOnPlateau',
    )


def others(row):
    s = 'initializers'
    for text in (
        'Constant({|2.0})',
        'Normal({|1.0, 0.5})',
        'Uniform({|0.0, 3.0})',
        'TruncatedNormal({|1.0, 0.5|0.0, 2.0, -1.0, 1.0})',
        'XavierNormal({|fan_in=3|gain=2.0|fan_out=5})',
        'XavierUniform({|fan_in=3|gain=2.0|fan_in=2, fan_out=5})',
        'KaimingNormal({|fan_in=3|negative_slope=0.5, nonlinearity="leaky_relu"|mode="fan_out"})',
        'KaimingUniform({|fan_in=3|nonlinearity="leaky_relu"|mode="fan_out"})',
        'Orthogonal({|2.0})',
    ):
        row(
            s,
            f'initialize(nn.initializer.{text}, {{[6, 5]|[3, 4, 2, 2]|[7]|[5, 6]}}{{|, '
            f'"float64"}})',
            torch=False,
            tolerance=2,
            function='paddle.nn.initializer.' + text.split('(')[0],
        )
    row(
        s,
        'initialize(nn.initializer.Assign({np.ones((2, 3))|[1, 2, 3]|np.arange(3)}), {[2, 3]|[3]})',
        torch=False,
    )
    row(
        s,
        'initialize(nn.initializer.Dirac({|2}), {[4, 2, 3]|[4, 2, 3, 3]|[4, 4, 3, 3, 3]})',
        torch=False,
    )
    row(s, 'initialize(nn.initializer.Bilinear(), {[4, 1, 4, 4]|[2, 2, 3, 3]})', torch=False)
    row(
        s,
        'nn.initializer.calculate_gain({"sigmoid"|"tanh"|"relu"|"leaky_relu"|"leaky_relu", '
        '0.3|"selu"|"conv2d"|"linear"|"bad"})',
        torch=False,
    )
    s = 'metrics'
    row(
        s,
        'paddle.metric.accuracy(x, l{|, 1|, k=2})',
        'x:4,3%distinct l:4,1@i8~0~2',
        'D',
        torch=False,
    )
    row(
        s,
        'metric("Accuracy", [(x, l), (x + 1, l)]{|, topk=(1, 2)|, (2,)})',
        'x:4,3%distinct l:4,1@i8~0~2; x:4,3 l:4',
        'f4',
        torch=False,
        function='paddle.metric.Accuracy',
    )
    row(
        s,
        'metric("{Precision|Recall}", [(x, l), (x, l)])',
        'x:6,1~0~1 l:6,1@i8~0~1',
        'f4',
        torch=False,
        function='paddle.metric.Precision and Recall',
    )
    row(
        s,
        'metric("Auc", [(x, l)]{|, num_thresholds=9})',
        'x:6,2%prob l:6,1@i8~0~1',
        'f4',
        torch=False,
        function='paddle.metric.Auc',
    )


def add_rows(row):
    for rows in (layers, optimizers, others):
        rows(row)
