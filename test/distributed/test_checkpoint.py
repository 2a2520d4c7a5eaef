# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of distributed tensors: written by one mesh, read by another."""

import pickle

import numpy as np
import pytest
import ranks

import paddle
import paddle.distributed as dist
from paddle.distributed.flex_checkpoint.dcp import metadata


def test_meshes(tmp_path):
    ranks.run(4, 'work_checkpoint', 'meshes', str(tmp_path), timeout=120)


def test_resume(tmp_path):
    ranks.run(2, 'work_checkpoint', 'resume', str(tmp_path), timeout=120)


def test_one_process(tmp_path):
    state = {'a': paddle.arange(6.0).reshape([2, 3]), 'b': {'c': paddle.to_tensor(3)}}
    dist.save_state_dict(state, str(tmp_path))
    read = {'a': paddle.zeros([2, 3]), 'b': {'c': paddle.to_tensor(0)}}
    dist.load_state_dict(read, str(tmp_path))
    assert read['a'].tolist() == [[0, 1, 2], [3, 4, 5]] and int(read['b']['c']) == 3
    with pytest.raises(ValueError, match='no such tensor'):
        dist.load_state_dict({'z': paddle.zeros([1])}, str(tmp_path))
    with pytest.raises(ValueError, match='shape'):
        dist.load_state_dict({'a': paddle.zeros([3, 2])}, str(tmp_path))
    with pytest.raises(ValueError, match='no metadata'):
        (tmp_path / 'empty').mkdir()
        dist.load_state_dict(read, str(tmp_path / 'empty'))
    with pytest.raises(TypeError, match='expected tensors'):
        dist.save_state_dict({'a': 3}, str(tmp_path))


def test_form(tmp_path):
    """The metadata is what PaddlePaddle writes."""
    dist.save_state_dict({'n': {'w': paddle.ones([2, 3])}}, str(tmp_path))
    made = metadata.read_metadata(tmp_path / '0.metadata')
    part = metadata.LocalTensorMetadata((0, 0), (2, 3), 'float32', (2, 3))
    index = metadata.LocalTensorIndex('n.w', (0, 0), local_shape=(2, 3))
    assert made == metadata.Metadata({'n.w': [part]}, {index: '0_0.distcp'}, {'n.w': ('n', 'w')})
    np.testing.assert_array_equal(paddle.load(str(tmp_path / '0_0.distcp'))['n.w'], np.ones([2, 3]))


def test_hostile(tmp_path):
    class Evil:
        def __reduce__(self):
            return print, ('code of the file ran',)

    good = metadata.Metadata({'w': []}, {}, {})
    for bad in (Evil(), {'a': 1}, metadata.Metadata({'w': Evil()}, {}, {})):
        (tmp_path / '0.metadata').write_bytes(pickle.dumps(bad))
        with pytest.raises(ValueError, match='metadata'):
            metadata.read_metadata(tmp_path / '0.metadata')
    data = pickle.dumps(good)
    for cut in range(len(data)):
        (tmp_path / '0.metadata').write_bytes(data[:cut])
        with pytest.raises(ValueError, match='metadata'):
            metadata.read_metadata(tmp_path / '0.metadata')
    index = metadata.LocalTensorIndex('w', (0,), local_shape=(1,))
    part = metadata.LocalTensorMetadata((0,), (1,), 'float32', (1,))
    outside = metadata.Metadata({'w': [part]}, {index: '../0_0.distcp'}, {'w': ('w',)})
    (tmp_path / '0.metadata').write_bytes(pickle.dumps(outside))
    with pytest.raises(ValueError, match='name of a file'):
        dist.load_state_dict({'w': paddle.zeros([1])}, str(tmp_path))


def test_killed(tmp_path):
    """A process that ends while it writes leaves the former checkpoint."""
    ((code, _),) = ranks.Ranks(1, 'work_checkpoint', 'killed', str(tmp_path)).end()
    assert code == 7
    read = {'w': paddle.zeros([3])}
    dist.load_state_dict(read, str(tmp_path))
    assert read['w'].tolist() == [1, 1, 1]
