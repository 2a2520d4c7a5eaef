# SPDX-License-Identifier: Apache-2.0
"""Distributed tensors: meshes, placements, moves and operations, against whole tensors."""

import pytest
import ranks

import paddle
import paddle.distributed as dist


@pytest.mark.parametrize(
    'count, what, args',
    [
        (2, 'reshard', ('2',)),
        (4, 'reshard', ('4',)),
        (4, 'reshard', ('2x2',)),
        (8, 'reshard', ('2x2x2', '37')),
        (4, 'kinds_of_partial', ()),
        (4, 'between_meshes', ()),
        (3, 'stages', ()),
        (2, 'ends_of_histories', ()),
        (4, 'operations', ()),
        (2, 'members', ()),
        (2, 'py_layers', ()),
        (2, 'copies', ()),
        (2, 'read', ()),
    ],
)
def test_ranks(count, what, args):
    ranks.run(count, 'work_dist_tensor', what, *args, timeout=120)


def test_dense_tensors_beside_distributed_ones():
    """A copy is distributed too; what cannot be is refused."""
    mesh = dist.ProcessMesh([0], ['x'])
    x = dist.shard_tensor(paddle.arange(6.0).reshape([2, 3]), mesh, [dist.Shard(0)])
    copy = paddle.to_tensor(x, dtype='float64', stop_gradient=False)
    assert copy.is_dist() and copy.dtype == paddle.float64 and not copy.stop_gradient
    assert paddle.empty_like(x).placements == x.placements
    dense = paddle.ones([2, 3])
    for form in (paddle.pow_, paddle.equal_, paddle.add_):
        with pytest.raises(ValueError, match='expected a distributed tensor to write to'):
            form(dense, x)
    dense.stop_gradient = False
    with pytest.raises(ValueError, match='dense gradient of a dense tensor'):
        paddle.grad([dense * 2], [dense], [x])
    with pytest.raises(ValueError, match='dense gradient of a dense tensor'):
        paddle._C_ops.square_grad(dense, x)
    out = dist.shard_tensor(paddle.zeros([2, 3]), mesh, [dist.Replicate()])
    assert paddle.add(x, x, out=out) is out and out.placements == [dist.Replicate()]
    assert out.sum() == 30
    with pytest.raises(RuntimeError, match='distributed'):
        paddle.add(x, x, out=paddle.zeros([2, 3]))
