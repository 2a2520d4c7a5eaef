"""`paddle.distributed.DistAttr`: names of mesh axes, the axes they mean, and placements."""

import copy

import pytest

import paddle
from paddle import distributed as dist
from paddle.distributed.auto_parallel.static.dist_attribute import TensorDistAttr


@pytest.fixture
def mesh():
    return dist.ProcessMesh([[0, 1], [2, 3]], dim_names=['x', 'y'])


def test_names_are_axes_and_placements(mesh):
    attr = dist.DistAttr(mesh, ['y', None, 'x'])
    assert attr.sharding_specs == ['y', None, 'x'] and attr.process_mesh == mesh
    assert attr.dims_mapping == [1, -1, 0] and attr.multi_dims_mapping == [[1], [], [0]]
    assert attr.placements == [dist.Shard(2), dist.Shard(0)]
    assert attr.dynamic_dims == [False] * 3 and (attr.batch_dim, attr.chunk_id) == (0, 0)
    assert attr.annotated == {'process_mesh': True, 'dims_mapping': True}
    assert dist.DistAttr(mesh, []).dims_mapping == []


def test_attributes_can_be_set(mesh):
    attr = dist.DistAttr(mesh, ['x', None])
    attr.dims_mapping = [-1, 0]
    assert attr.placements == [dist.Shard(1), dist.Replicate()]
    attr.multi_dims_mapping = [[0, 1], []]
    assert attr.dims_mapping == [0, -1]
    attr.batch_dim, attr.chunk_id, attr.dynamic_dims = 1, 2, [True, False]
    again = TensorDistAttr(attr)
    assert again == attr and copy.deepcopy(attr) == attr and again is not attr
    again.chunk_id = 3
    assert again != attr and attr.chunk_id == 2
    with pytest.raises(AttributeError):
        attr.sharding_specs = ['y', None]
    attr.clear_annotated()
    attr.mark_annotated('batch_dim')
    assert attr.is_annotated('batch_dim') and not attr.is_annotated('dims_mapping')
    with pytest.raises(ValueError, match='divide no axis'):
        attr._set_partial_dims([0])
    attr.dims_mapping = [-1, 0]
    attr._set_partial_dims([1])
    assert attr._is_partial() and attr.placements == [dist.Shard(1), dist.Partial()]
    assert 'partial: [1]' in str(attr)
    attr.reset()
    assert attr.process_mesh is None and attr.dims_mapping == [-1, -1] and attr.placements == []


def test_a_tensor_fits_or_does_not(mesh):
    attr = dist.DistAttr(mesh, ['x', None])
    assert attr.verify(paddle.ones([2, 2])) and not attr.verify(paddle.ones([2]))
    assert not dist.DistAttr(mesh, ['x', 'x']).verify(paddle.ones([2, 2]))


def test_what_is_none_is_refused(mesh):
    for error, arguments in (
        (ValueError, (3, ['x'])),
        (ValueError, ([[0, 1]], ['x'])),
        (ValueError, (mesh, 'x')),
        (ValueError, (mesh, None)),
        (ValueError, (mesh, ['z', None])),
        (AssertionError, (mesh, [0])),
    ):
        with pytest.raises(error, match='expected'):
            dist.DistAttr(*arguments)
    with pytest.raises(TypeError, match='integers'):
        dist.DistAttr(mesh, ['x']).dims_mapping = 'a'
    with pytest.raises(TypeError):
        hash(dist.DistAttr(mesh, ['x']))
