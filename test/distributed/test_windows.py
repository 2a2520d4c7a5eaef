# SPDX-License-Identifier: Apache-2.0
"""Convolutions and poolings of images that processes divide by rows and columns."""

import pytest
import ranks

import paddle
import paddle.distributed as dist


@pytest.mark.parametrize(
    'count, what, args',
    [
        (2, 'convolutions', ()),
        (3, 'convolutions', ()),
        (2, 'batch_norms', ()),
        (3, 'batch_norms', ()),
        (2, 'poolings', ()),
        (3, 'poolings', ()),
        (4, 'grids', ()),
        (2, 'gradients_of_gradients', ()),
        (2, 'training', ('1',)),
        (4, 'training', ('0',)),
    ],
)
def test_ranks(count, what, args):
    ranks.run(count, 'work_windows', what, *args, timeout=120)


def test_refusals():
    mesh = dist.ProcessMesh([0], ['mp'])

    def planned(layer, name='0'):
        plan = {'mp_config': {'parallelize_plan': {name: dist.ConvParallel()}}}
        dist.parallelize(paddle.nn.Sequential(layer), None, mesh, plan)

    with pytest.raises(NotImplementedError, match='Conv1D, Conv2D or Conv3D, got Linear'):
        planned(paddle.nn.Linear(2, 2))
    with pytest.raises(NotImplementedError, match='got Conv2DTranspose'):
        planned(paddle.nn.Conv2DTranspose(2, 2, 3))
    with pytest.raises(NotImplementedError, match="padding_mode 'zeros', got 'circular'"):
        planned(paddle.nn.Conv2D(2, 2, 3, padding=1, padding_mode='circular'))
    with pytest.raises(ValueError, match='the name of a layer'):
        planned(paddle.nn.Conv2D(2, 2, 3), '0.weight')
