# SPDX-License-Identifier: Apache-2.0
"""Names that PaddlePaddle calls deprecated say so when they are called, and do what they did."""

import warnings

import numpy as np
import pytest

import paddle
from paddle.utils.deprecated import VisibleDeprecationWarning

OLD = [
    'range',
    'Tensor.gradient',
    'incubate.graph_reindex',
    'incubate.graph_sample_neighbors',
    'incubate.graph_send_recv',
    'incubate.segment_max',
    'incubate.segment_mean',
    'incubate.segment_min',
    'incubate.segment_sum',
    'incubate.optimizer.LBFGS',
    'nn.functional.softmax_with_cross_entropy',
    'nn.functional.zeropad2d',
    'static.nn.conv2d',
    'static.nn.sequence_conv',
    'static.nn.sequence_expand',
    'static.nn.sequence_first_step',
    'static.nn.sequence_last_step',
    'static.nn.sequence_pool',
    'static.nn.sequence_softmax',
]


@pytest.mark.parametrize('path', OLD)
def test_a_call_warns(path):
    function = paddle
    for part in path.split('.'):
        function = getattr(function, part)
    args = (paddle.ones([2]),) if path.startswith('Tensor') else ()
    with pytest.warns(VisibleDeprecationWarning, match=path.rsplit('.', 1)[1] if args else 'is'):
        try:
            function(*args)
        except (AttributeError, TypeError, ValueError):
            pass  # for want of arguments
    assert 'deprecated' in function.__doc__ or args


@pytest.mark.filterwarnings('ignore::paddle.utils.deprecated.VisibleDeprecationWarning')
def test_results_are_those_of_the_newer_functions():
    data, ids = paddle.to_tensor([[1.0, 2], [3, 4], [5, 7]]), paddle.to_tensor([0, 0, 1])
    for kind in ('sum', 'mean', 'max', 'min'):
        old, new = (getattr(m, f'segment_{kind}') for m in (paddle.incubate, paddle.geometric))
        np.testing.assert_array_equal(old(data, ids).numpy(), new(data, segment_ids=ids).numpy())
    x = paddle.to_tensor([3.0], stop_gradient=False)
    optimizer = paddle.incubate.optimizer.LBFGS(parameters=[x])
    assert isinstance(optimizer, paddle.optimizer.LBFGS)


def test_newer_functions_do_not_warn():
    data, ids = paddle.to_tensor([[1.0, 2], [3, 4]]), paddle.to_tensor([0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        paddle.geometric.segment_sum(data, ids)
        paddle.nn.functional.cross_entropy(data, ids)
        paddle.nn.functional.npair_loss(data, data, ids.astype('float32'))
        paddle.nn.ZeroPad2D(1)(paddle.ones([1, 1, 2, 2]))
        paddle.arange(3)
    assert 'deprecated' not in paddle.geometric.segment_sum.__doc__
    assert 'deprecated' not in (paddle.optimizer.LBFGS.__doc__ or '')
