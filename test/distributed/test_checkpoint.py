# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of distributed tensors: written by one mesh, read by another."""

import json
import os
import pickle
import random
import time

import numpy as np
import pytest
import ranks
from sanitizers import SANITIZER

import paddle
import paddle.distributed as dist
from paddle.distributed.flex_checkpoint import aoa
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


@pytest.mark.parametrize('count, what', [(4, 'pairs'), (2, 'refused'), (2, 'memory')])
def test_ranks(count, what, tmp_path):
    if what == 'memory' and SANITIZER:
        pytest.skip('a sanitizer keeps memory of its own')
    ranks.run(count, 'work_checkpoint', what, str(tmp_path), timeout=120)


@pytest.mark.parametrize('victim', [0, 1])
def test_killed_while_the_program_goes_on(victim, tmp_path):
    """kill -9 at any moment leaves one checkpoint whole, though all have one number."""
    job = ranks.Ranks(2, 'work_checkpoint', 'again', str(tmp_path))
    job.ready('saving')
    time.sleep(random.Random(victim).uniform(0, 0.2))
    job.processes[victim].kill()
    job.end()
    whole = dist.load_merged_state_dict(str(tmp_path))['w']
    assert whole.shape == [400_000, 4]
    assert float(whole.min()) == float(whole.max()) >= 1


def test_safetensors(tmp_path):
    """Files that others read, and folders of theirs."""
    state = {'n': {'w': paddle.ones([2, 3], 'bfloat16')}, 'v': paddle.arange(3)}
    dist.save_state_dict(state, tmp_path, safetensors=True)
    assert sorted(os.listdir(tmp_path)) == ['0.metadata', '0_0.safetensors']
    data = (tmp_path / '0_0.safetensors').read_bytes()
    size = int.from_bytes(data[:8], 'little')
    assert json.loads(data[8 : 8 + size]) == {
        'v': {'dtype': 'I64', 'shape': [3], 'data_offsets': [0, 24]},
        'n.w': {'dtype': 'BF16', 'shape': [2, 3], 'data_offsets': [24, 36]},
    }
    (tmp_path / '0.metadata').unlink()
    with pytest.raises(ValueError, match='no metadata'):
        dist.load_merged_state_dict(tmp_path)
    read = dist.load_merged_state_dict(tmp_path, safetensors=True)
    assert read['n.w'].dtype == paddle.bfloat16 and read['v'].tolist() == [0, 1, 2]
    v = paddle.zeros([3], 'int64')
    dist.load_state_dict({'v': v}, tmp_path, safetensors=True)
    assert v.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match='comm_method'):
        dist.load_state_dict({'v': v}, tmp_path, comm_method='pigeon')


_A = [[0, 1, 2], [3, 4, 5]]
_B = [[10, 11, 12], [13, 14, 15]]


@pytest.mark.parametrize(
    'statements, want',
    [
        (['a -> x'], {'x': _A}),
        (['a, b -> x, axis=0'], {'x': _A + _B}),
        (['a, b -> x, axis=1'], {'x': [p + q for p, q in zip(_A, _B)]}),
        (['a -> x, y, z, axis=1'], {'x': [[0], [3]], 'y': [[1], [4]], 'z': [[2], [5]]}),
        (['a^T -> x'], {'x': [[0, 3], [1, 4], [2, 5]]}),
        (["a -> x, permute='[1,0]'"], {'x': [[0, 3], [1, 4], [2, 5]]}),
        (['a^T, b^T -> x, axis=0'], {'x': [*zip(*_A), *zip(*_B)]}),
        (['a -> x', 'x -> y'], {'y': _A}),
        (['a -> x', 'a -> y'], {'x': _A, 'y': _A}),
        (['a -> x'], {'x': _A, 'a': [[7, 7, 7], [7, 7, 7]]}),  # taken, so `a` stays as it is
        (['_ -> n'], {'a': _A, 'n': [7, 7]}),
        (['b -> _'], {'a': _A}),
        (['m.$LAYER_ID.q -> k.$LAYER_ID.w'], {'k.0.w': [1, 1], 'k.1.w': [2, 2]}),
        (['m.$LAYER_ID.q -> k.$LAYER_ID+1.w'], {'k.1.w': [1, 1], 'k.2.w': [2, 2]}),
        (['m.*.q -> x, axis=0'], {'x': [1, 1, 2, 2]}),
        (['a, b -> x, axis=0', 'x -> p, q, axis=0'], {'p': _A, 'q': _B}),
        (["a -> x, src_dtype='float32', dst_dtype='bfloat16'"], {'x': _A}),
    ],
)
def test_statements(tmp_path, statements, want):
    """Tensors of a checkpoint become others, as PaddlePaddle makes them."""
    _state_of_statements(tmp_path)
    read = {key: paddle.full(np.shape(value), 7.0) for key, value in want.items()}
    dist.load_state_dict(read, tmp_path, aoa_config={'aoa_statements': statements})
    for key, value in want.items():
        np.testing.assert_array_equal(read[key].numpy(), np.array(value, 'float32'), err_msg=key)
    merged = dist.load_merged_state_dict(tmp_path, aoa_config={'aoa_statements': statements})
    for key in set(want) & set(merged):
        np.testing.assert_array_equal(
            merged[key].astype('float32').numpy(), np.array(want[key], 'float32'), err_msg=key
        )


def _state_of_statements(path):
    state = {'a': paddle.to_tensor(_A, 'float32'), 'b': paddle.to_tensor(_B, 'float32')}
    state.update({f'm.{i}.q': paddle.full([2], i + 1.0) for i in range(2)})
    dist.save_state_dict(state, path)


@pytest.mark.parametrize(
    'config, kind, match',
    [
        ([], TypeError, 'a dict'),
        ({'rules': []}, ValueError, 'rules'),
        ({'aoa_statements': ['a => x']}, ValueError, "'a => x'"),
        ({'aoa_statements': ['a + b -> x']}, ValueError, "'a \\+ b'"),
        ({'aoa_statements': ['zz -> x']}, ValueError, "'zz'"),
        ({'aoa_statements': ['a, b -> x']}, ValueError, 'axis'),
        ({'aoa_statements': ['a, b -> x, y, axis=0']}, AssertionError, 'one side'),
        ({'aoa_statements': ['a -> x, y, axis=1']}, AssertionError, '2 divides'),
        ({'aoa_statements': ['a -> x, num_heads=2']}, NotImplementedError, 'num_heads'),
        ({'aoa_statements': ['a, b, a -> x, fused_qkv, num_heads=2']}, AssertionError, 'value_gro'),
        ({'aoa_statements': ['a, b -> x, fused_qkv']}, AssertionError, '3 projections'),
        ({'aoa_statements': ['a, b -> x, fused_ffn, dtype="int32"']}, AssertionError, 'one side'),
        ({'aoa_statements': ['a^T -> x']}, ValueError, 'shape'),
        ({'aoa_statements': []}, ValueError, "make 'x'"),
        ({'aoa_statements': ['w.$LAYER_ID -> x']}, ValueError, 'got none'),
    ],
)
def test_statements_that_do_not_fit(tmp_path, config, kind, match):
    _state_of_statements(tmp_path)
    read = {'x': paddle.zeros([2, 3])}
    with pytest.raises(kind, match=match):
        dist.load_state_dict(read, tmp_path, aoa_config=config)


_HEADS = 'num_heads=4, num_key_value_groups=2'


@pytest.mark.parametrize(
    'statement, shards, want',
    [
        (f'q, k, v -> w, fused_qkv, {_HEADS}', (1, 1), {'w': [0, 1, 10, 20, 2, 3, 11, 21]}),
        (f'q, k, v -> w, fused_qkv, {_HEADS}', (1, 2), {'w': [0, 1, 10, 20, 2, 3, 11, 21]}),
        (f'q, k, v -> w, fused_qkv_old, {_HEADS}', (1, 1), {'w': [0, 1, 2, 3, 10, 11, 20, 21]}),
        (f'q, k, v -> w, fused_qkv_old, {_HEADS}', (1, 2), {'w': [0, 1, 10, 20, 2, 3, 11, 21]}),
        (f'q^T, k^T, v^T -> w, fused_qkv, axis=0, {_HEADS}', (1, 1), None),
        (
            f'f -> a, b, c, fused_qkv, {_HEADS}',
            (2, 1),
            {'a': [0, 1, 4, 5], 'b': [2, 6], 'c': [3, 7]},
        ),
        (
            f'f -> a, b, c, fused_qkv_old, {_HEADS}',
            (1, 1),
            {'a': [0, 1, 2, 3], 'b': [4, 5], 'c': [6, 7]},
        ),
        (
            f'f -> a, b, c, fused_qkv_old, {_HEADS}',
            (2, 1),
            {'a': [0, 1, 4, 5], 'b': [2, 6], 'c': [3, 7]},
        ),
        (f'f -> x, fused_qkv_old, {_HEADS}', (2, 1), {'x': [0, 1, 4, 5, 2, 6, 3, 7]}),
        (f'f -> x, fused_qkv_old, {_HEADS}', (1, 2), {'x': [0, 1, 4, 6, 2, 3, 5, 7]}),
        ('f -> x, fused_ffn', (2, 1), {'x': [0, 1, 4, 5, 2, 3, 6, 7]}),
        ('f -> x, fused_ffn', (1, 2), {'x': [0, 1, 4, 5, 2, 3, 6, 7]}),
        ('f -> a, b, fused_ffn', (2, 1), {'a': [0, 1, 4, 5], 'b': [2, 3, 6, 7]}),
        ('q, r -> x, fused_ffn', (1, 2), {'x': [0, 1, 30, 31, 2, 3, 32, 33]}),
    ],
)
def test_fused_projections(tmp_path, statement, shards, want):
    """Their order is PaddlePaddle's, by how many shards the tensor has there and here."""
    rows = {'q': range(4), 'k': (10, 11), 'v': (20, 21), 'f': range(8), 'r': range(30, 34)}
    given = {key: paddle.to_tensor([list(row)], 'float32') for key, row in rows.items()}
    names = [name.strip() for name in statement.split('->')[1].split(',')]
    config = {'aoa_statements': [statement]}
    planned = aoa.plan(config, given, [n for n in names if len(n) == 1], lambda _, __, m: shards[m])
    got = {key: value.make(given.get) for key, value in planned.items()}
    if want is None:
        assert got['w'].numpy().tolist() == [[x] for x in (0, 1, 10, 20, 2, 3, 11, 21)]
        return
    assert {key: value.numpy()[0].tolist() for key, value in got.items()} == want
    if shards == (1, 1):
        dist.save_state_dict(given, tmp_path)
        read = {key: paddle.zeros_like(value) for key, value in got.items()}
        dist.load_state_dict(read, tmp_path, aoa_config=config)
        assert {key: value.numpy()[0].tolist() for key, value in read.items()} == want


def test_groups_made_anew(tmp_path):
    job = ranks.Ranks(2, 'work_checkpoint', 'anew', str(tmp_path))
    job.replace(1)
    for rank, (code, text) in enumerate(job.end()):
        assert code == 0, f'rank {rank} ended with {code}:\n{text}'


def test_replicas(tmp_path):
    dist.save_state_dict({'w': paddle.ones([2])}, tmp_path, save_replicas=True)
    (index,) = metadata.read_metadata(tmp_path / '0.metadata').storage_metadata
    assert index.replica_id == 0 and index.local_shape == (2,)


def test_one_number_again(tmp_path):
    for i in range(3):
        dist.save_state_dict({'w': paddle.full([2], float(i))}, tmp_path, unique_id=4)
    assert sorted(os.listdir(tmp_path))[0] == '0_4_2.distcp'  # those before are gone
    assert len(os.listdir(tmp_path)) == 2
    assert dist.load_merged_state_dict(tmp_path)['w'].tolist() == [2, 2]


def test_parts_that_programs_divide(tmp_path):
    """One process writes parts, plain and flattened, and reads them divided otherwise."""
    value = np.arange(30, dtype='float32').reshape(5, 6)

    def piece(rows, flat=None):
        part = paddle.to_tensor(value[rows])
        if flat is not None:
            part = part.flatten()[flat]
        return dist.ShardedWeight(
            'w', part, value[rows].shape, (5, 6), (rows.start, 0), flat is not None, flat
        )

    def written(folder, parts):
        """What several processes write, with one: files of parts and their list."""
        folder.mkdir()
        described, stored = [], {}
        for i, p in enumerate(parts):
            dist.save_state_dict({'w': p}, str(folder), unique_id=i)
            made = metadata.read_metadata(folder / f'{i}.metadata')
            (folder / f'{i}.metadata').unlink()
            described += made.state_dict_metadata['w']
            stored.update(made.storage_metadata)
        whole = metadata.Metadata({'w': described}, stored, {'w': ('w',)})
        (folder / '9.metadata').write_bytes(pickle.dumps(whole))
        return str(folder)

    ways = [
        [piece(slice(0, 5))],
        [piece(slice(0, 2)), piece(slice(2, 5))],
        [piece(slice(0, 5), slice(0, 17)), piece(slice(0, 5), slice(17, 30))],
        [piece(slice(0, 3)), piece(slice(3, 5), slice(0, 5)), piece(slice(3, 5), slice(5, 12))],
    ]
    for i, parts in enumerate(ways):
        folder = written(tmp_path / str(i), parts)
        merged = dist.load_merged_state_dict(folder)
        np.testing.assert_array_equal(merged['w'].numpy(), value)
        for part in (p for way in ways for p in way):
            target = dist.ShardedWeight(**{**vars(part)})
            target.local_tensor = paddle.zeros_like(part.local_tensor)
            dist.load_state_dict({'w': target}, folder)
            assert target.local_tensor.tolist() == part.local_tensor.tolist()
    lacking = written(tmp_path / 'lacking', ways[2][:1])
    with pytest.raises(ValueError, match='13 elements less'):
        dist.load_state_dict({'w': paddle.zeros([5, 6])}, lacking)


def test_merged_names(tmp_path):
    one = paddle.ones([2])
    dist.save_state_dict({'model': {'x': one, 'y': {'z': one * 2}}, 'opt': {'x': one}}, tmp_path)
    assert sorted(dist.load_merged_state_dict(tmp_path)) == ['model.x', 'model.y.z', 'opt.x']
    below = dist.load_merged_state_dict(tmp_path, 'model')
    assert {k: t.tolist() for k, t in below.items()} == {'x': [1, 1], 'y.z': [2, 2]}
    assert dist.load_merged_state_dict(tmp_path, prefix='no') == {}
    with pytest.raises(ValueError, match='load_merged_state_dict.*no metadata'):
        (tmp_path / 'empty').mkdir()
        dist.load_merged_state_dict(tmp_path / 'empty')


def test_sharded_weight():
    group = dist.collective.Group(1, 77, [0, 1])
    w = paddle.arange(6.0).reshape([2, 3])
    part = dist.shard_weight('k', w, 1, group)
    assert str(part) == (
        'ShardedWeight(\n  key=k,\n  local_tensor=Tensor(shape=paddle.Size([2, 3])),\n'
        '  local_shape=(2, 3),\n  global_shape=(2, 6),\n  global_offset=(0, 3),\n'
        '  flattened_range=None\n)'
    )
    for axis in (-1, 2):
        with pytest.raises(ValueError, match='expected an axis'):
            dist.shard_weight('k', w, axis, group)
    ((name, whole),) = dist.build_sharded_state_dict({'a': w}, prefix='m.').items()
    assert name == whole.key == 'm.a' and whole.global_shape == (2, 3)
    assert whole.local_tensor is w and whole.global_offset == (0, 0) and not whole.is_flattened


def test_parts_of_several_processes(tmp_path):
    ranks.run(2, 'work_checkpoint', 'parts', str(tmp_path))
    merged = dist.load_merged_state_dict(str(tmp_path))
    assert sorted(merged) == ['divided', 'of0', 'of1', 'same']
    assert merged['divided'].tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert merged['same'].tolist() == [5] and merged['of1'].tolist() == [1]
