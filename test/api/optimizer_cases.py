# SPDX-License-Identifier: Apache-2.0
"""One small training run for each optimizer and setting, used to record values and to check
them.
"""

import numpy as np

import paddle

CASES = {
    'sgd': ('SGD', dict(learning_rate=0.1)),
    'sgd_l2': ('SGD', dict(learning_rate=0.1, weight_decay=0.1)),
    'sgd_l1_clip': ('SGD', dict(learning_rate=0.1, weight_decay='l1', grad_clip='norm')),
    'momentum': ('Momentum', dict(learning_rate=0.1)),
    'momentum_nesterov_l2': (
        'Momentum',
        dict(learning_rate=0.1, use_nesterov=True, weight_decay=0.1),
    ),
    'adam': ('Adam', dict(learning_rate=0.1)),
    'adam_amsgrad_l2': ('Adam', dict(learning_rate=0.1, amsgrad=True, weight_decay=0.1)),
    'adam_schedule': ('Adam', dict(learning_rate='step')),
    'adamw': ('AdamW', dict(learning_rate=0.1, weight_decay=0.3)),
    'adamw_some_decay': (
        'AdamW',
        dict(learning_rate=0.1, weight_decay=0.3, apply_decay_param_fun=lambda n: '.w' in n),
    ),
    'adamw_clip_amsgrad': ('AdamW', dict(learning_rate=0.1, amsgrad=True, grad_clip='norm')),
    'adagrad': ('Adagrad', dict(learning_rate=0.1, initial_accumulator_value=0.3)),
    'adamax': ('Adamax', dict(learning_rate=0.1)),
    'adadelta': ('Adadelta', dict(learning_rate=0.1)),
    'rmsprop': ('RMSProp', dict(learning_rate=0.1)),
    'rmsprop_centered': ('RMSProp', dict(learning_rate=0.1, centered=True, momentum=0.5)),
    'lamb': ('Lamb', dict(learning_rate=0.1)),
    'nadam': ('NAdam', dict(learning_rate=0.1)),
    'radam': ('RAdam', dict(learning_rate=0.1)),
    'asgd': ('ASGD', dict(learning_rate=0.1, batch_num=3)),
    'rprop': ('Rprop', dict(learning_rate=0.1)),
}


def parameters(dtype='float32'):
    """A weight and a bias with fixed values."""
    rng = np.random.RandomState(1)
    made = []
    for name, shape in (('fixed.w', [3, 2]), ('fixed.b', [2])):
        p = paddle.create_parameter(shape, dtype, name=paddle.utils.unique_name.generate(name))
        p.set_value(rng.randn(*shape).astype(dtype))
        made.append(p)
    return made


def build(case, params):
    """The optimizer of a case and its scheduler, or None."""
    kind, options = CASES[case]
    options = dict(options)
    scheduler = None
    if options.get('learning_rate') == 'step':
        scheduler = options['learning_rate'] = paddle.optimizer.lr.StepDecay(0.1, 2)
    if options.get('weight_decay') == 'l1':
        options['weight_decay'] = paddle.regularizer.L1Decay(0.1)
    if options.get('grad_clip') == 'norm':
        options['grad_clip'] = paddle.nn.ClipGradByGlobalNorm(0.1)
    return getattr(paddle.optimizer, kind)(parameters=params, **options), scheduler


def run(case, steps=6, dtype='float32'):
    """Parameters after `steps` steps on fixed data, and the optimizer."""
    params = parameters(dtype)
    optimizer, scheduler = build(case, params)
    rng = np.random.RandomState(0)
    for _ in range(steps):
        x = paddle.to_tensor(rng.randn(4, 3).astype(dtype))
        loss = ((paddle.matmul(x, params[0]) + params[1] - 1.0) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if scheduler is not None:
            scheduler.step()
    return [p.numpy() for p in params], optimizer
