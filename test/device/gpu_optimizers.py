# SPDX-License-Identifier: Apache-2.0
"""Steps of every optimizer on the CPU and on gpu:0, with gradients given. Prints, as JSON, {case:
the largest difference of parameters and states, by their magnitude}.
"""

import json

import numpy as np
import paddle

CASES = {
    'SGD': {},
    'Momentum': {},
    'Momentum nesterov': {'use_nesterov': True, 'weight_decay': 0.01},
    'Adagrad': {},
    'Adam': {},
    'Adam amsgrad': {'amsgrad': True},
    'AdamW': {'weight_decay': 0.1},
    'AdamW ratio': {'lr_ratio': lambda p: 0.5},
    'Adamax': {},
    'Adadelta': {},
    'RMSProp': {},
    'RMSProp centered': {'centered': True, 'momentum': 0.3},
    'NAdam': {},
    'RAdam': {},
    'Rprop': {},
    'ASGD': {'batch_num': 2},
    'Lamb': {},
    'Lamb without decay': {'lamb_weight_decay': 0.0},
}
HALF = {'SGD', 'Momentum', 'Adam', 'AdamW', 'Lamb'}
SHAPES = [(3, 5), (1000,), (4, 1024), (0, 3), ()]


def steps(name, options, dtype, place):
    paddle.set_device(place)
    rng = np.random.RandomState(2)
    parameters = []
    for shape in SHAPES:
        p = paddle.create_parameter(shape, dtype)
        p.set_value(paddle.to_tensor(rng.standard_normal(shape), dtype=dtype))
        parameters.append(p)
    made = dict(options)
    if dtype == 'bfloat16':
        made['multi_precision'] = True
    opt = getattr(paddle.optimizer, name.split()[0])(
        learning_rate=0.05, parameters=parameters, **made
    )
    for _ in range(4):
        for p, shape in zip(parameters, SHAPES):
            p.grad = paddle.to_tensor(rng.standard_normal(shape), dtype=dtype)
        opt.step()
        opt.clear_grad()
    state = {k.rpartition('.')[2]: v for k, v in opt.state_dict().items() if paddle.is_tensor(v)}
    found = [*parameters, *(state[k] for k in sorted(state))]
    if place != 'cpu':
        assert all(p.place.is_gpu_place() for p in parameters)
    return [t.astype('float64').cpu().numpy() for t in found]


def difference(want, got):
    assert len(want) == len(got)
    worst = 0.0
    for a, b in zip(want, got):
        if a.size:
            worst = max(worst, float(np.max(np.abs(a - b) / (np.abs(a) + 1e-3))))
    return worst


if __name__ == '__main__':
    found = {}
    for name, options in CASES.items():
        for dtype in ('float32', 'float64', *(['bfloat16'] if name in HALF else [])):
            paddle.utils.unique_name.switch()
            want = steps(name, options, dtype, 'cpu')
            paddle.utils.unique_name.switch()
            found[f'{name} {dtype}'] = difference(want, steps(name, options, dtype, 'gpu:0'))
    print(json.dumps(found))
