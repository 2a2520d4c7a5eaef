# SPDX-License-Identifier: Apache-2.0
"""Datasets, samplers and the data loader, with and without worker processes."""

import os
import random
import signal
import sys
import time

import numpy as np
import pytest

import paddle
from paddle.io import (
    BatchSampler,
    ChainDataset,
    ComposeDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    DistributedBatchSampler,
    IterableDataset,
    RandomSampler,
    SequenceSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    get_worker_info,
    random_split,
)


class Squares(Dataset):
    def __init__(self, n=10, fail_at=None):
        self.n, self.fail_at = n, fail_at

    def __getitem__(self, i):
        if i == self.fail_at:
            raise KeyError(f'no item {i}')
        return np.full([2, 3], i, 'float32'), i * i

    def __len__(self):
        return self.n


class Count(IterableDataset):
    def __init__(self, stop):
        self.stop = stop

    def __iter__(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(first, self.stop, step))


class Big(Dataset):
    def __getitem__(self, i):
        return np.full([3, 64, 64], i, 'float32'), paddle.full([100, 100], i, 'float32')

    def __len__(self):
        return 12


class Dies(Dataset):
    def __getitem__(self, i):
        if i == 5:
            os._exit(3)
        return i

    def __len__(self):
        return 10


def test_dataset_combinations():
    data = Squares()
    assert ConcatDataset([data, data])[12][1] == 4 and len(ConcatDataset([data, data])) == 20
    assert ConcatDataset([data, data])[-1][1] == 81
    with pytest.raises(ValueError):
        ConcatDataset([data])[-11]
    assert ComposeDataset([data, data])[3][1::2] == (9, 9)
    assert Subset(data, [4, 5])[1][1] == 25
    assert list(iter(ChainDataset([Count(2), Count(3)]))) == [0, 1, 0, 1, 2]
    pair = TensorDataset([paddle.arange(4), paddle.arange(4) * 2])
    assert [int(v) for v in pair[2]] == [2, 4] and len(pair) == 4
    with pytest.raises(AssertionError):
        TensorDataset([paddle.ones([2]), paddle.ones([3])])
    with pytest.raises(RuntimeError):
        Count(3)[0]


def test_random_split_is_a_partition():
    parts = random_split(Squares(), [3, 7])
    assert [len(p) for p in parts] == [3, 7]
    assert sorted(parts[0].indices + parts[1].indices) == list(range(10))
    assert [len(p) for p in random_split(Squares(), [0.3, 0.3, 0.4])] == [3, 3, 4]
    with pytest.raises(ValueError):
        random_split(Squares(), [3, 3])


def test_samplers():
    data = Squares()
    assert list(SequenceSampler(data)) == list(range(10))
    np.random.seed(0)
    assert list(RandomSampler(data)) == [2, 8, 4, 9, 1, 6, 7, 3, 0, 5]
    np.random.seed(0)
    assert list(RandomSampler(data, replacement=True, num_samples=4)) == [5, 0, 3, 3]
    assert sorted(SubsetRandomSampler([3, 1, 5])) == [1, 3, 5]
    assert set(WeightedRandomSampler(np.array([0.0, 1.0, 0.0]), 5)) == {1}
    assert sorted(WeightedRandomSampler(np.array([0.1, 0.3, 0.5]), 3, False)) == [0, 1, 2]
    with pytest.raises(AssertionError):
        WeightedRandomSampler(np.array([0.1, 0.0]), 2, False)


def test_batch_samplers():
    data = Squares()
    assert list(BatchSampler(data, batch_size=4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert len(BatchSampler(data, batch_size=4, drop_last=True)) == 2
    shares = [list(DistributedBatchSampler(data, 2, num_replicas=3, rank=r)) for r in range(3)]
    assert shares[2] == [[4, 5], [0, 1]]
    assert set(range(10)) == {i for share in shares for batch in share for i in batch}
    sampler = DistributedBatchSampler(data, 3, num_replicas=3, rank=1, shuffle=True)
    sampler.set_epoch(1)
    assert list(sampler) == [[0, 1, 6], [8]]


@pytest.mark.parametrize('workers', [0, 2])
def test_batches_in_order(workers):
    for _ in range(2):
        batches = list(DataLoader(Squares(11), batch_size=3, num_workers=workers))
        assert [b[1].numpy().tolist() for b in batches] == [
            [0, 1, 4],
            [9, 16, 25],
            [36, 49, 64],
            [81, 100],
        ]
        assert batches[0][0].shape == [3, 2, 3] and str(batches[0][0].dtype) == 'paddle.float32'
        assert str(batches[0][1].dtype) == 'paddle.int64'


@pytest.mark.parametrize('workers', [0, 2])
def test_structures(workers):
    def collate(batch):
        return {'x': np.stack([b[0] for b in batch]), 'n': len(batch), 'names': ['a'] * len(batch)}

    batch = next(iter(DataLoader(Squares(), batch_size=2, num_workers=workers, collate_fn=collate)))
    assert (
        isinstance(batch['x'], paddle.Tensor) and batch['n'] == 2 and batch['names'] == ['a', 'a']
    )


def test_no_batching():
    item = next(iter(DataLoader(Squares(), batch_size=None)))
    assert item[0].shape == [2, 3] and item[1] == 0


def test_numbers_of_numpy_stay_without_batching():
    class Mixed(paddle.io.Dataset):
        def __getitem__(self, i):
            return np.float32(i), np.ones(2), np.int64(3)

        def __len__(self):
            return 2

    for item in (
        next(iter(DataLoader(Mixed(), batch_size=None))),
        next(iter(DataLoader(Mixed(), batch_size=2, collate_fn=lambda batch: list(batch[1])))),
    ):
        assert [type(v) for v in item] == [np.float32, paddle.Tensor, np.int64]


@pytest.mark.parametrize('workers', [0, 1, 2])
def test_iterable_dataset(workers):
    batches = [b.numpy().tolist() for b in DataLoader(Count(7), batch_size=2, num_workers=workers)]
    assert sorted(v for b in batches for v in b) == list(range(7))
    if workers < 2:
        assert batches == [[0, 1], [2, 3], [4, 5], [6]]
    with pytest.raises(ValueError):
        DataLoader(Count(3), shuffle=True)


def test_large_batches_through_workers():
    before = set(os.listdir('/dev/shm')) if os.path.isdir('/dev/shm') else set()
    for k, (x, y) in enumerate(DataLoader(Big(), batch_size=4, num_workers=2)):
        np.testing.assert_array_equal(x.numpy()[:, 0, 0, 0], np.arange(4 * k, 4 * k + 4))
        np.testing.assert_array_equal(y.numpy()[:, 99, 99], np.arange(4 * k, 4 * k + 4))
    after = set(os.listdir('/dev/shm')) if os.path.isdir('/dev/shm') else set()
    assert after <= before


@pytest.mark.parametrize('workers', [0, 2])
def test_errors_reach_the_caller(workers):
    with pytest.raises(KeyError, match='no item 7'):
        list(DataLoader(Squares(fail_at=7), batch_size=2, num_workers=workers))


def test_dead_worker():
    with pytest.raises(RuntimeError, match='exited with code 3'):
        list(DataLoader(Dies(), num_workers=2))


def test_killed_worker():
    loader = DataLoader(Squares(1000), num_workers=1, persistent_workers=True)
    it = iter(loader)
    next(it)
    os.kill(loader._pool.workers[0].pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match='SIGKILL'):
        list(it)
    assert len(list(DataLoader(Squares(4), num_workers=1))) == 4


def test_timeout():
    class Slow(Squares):
        def __getitem__(self, i):
            time.sleep(30)

    with pytest.raises(RuntimeError, match='expected a batch within'):
        list(DataLoader(Slow(), num_workers=1, timeout=0.5))


def test_worker_init_and_info(tmp_path):
    def init(worker_id):
        (tmp_path / str(worker_id)).write_text('started')
        assert get_worker_info().num_workers == 2

    list(DataLoader(Squares(), num_workers=2, worker_init_fn=init))
    assert sorted(os.listdir(tmp_path)) == ['0', '1']
    assert get_worker_info() is None

    def bad(worker_id):
        raise ValueError('cannot start')

    with pytest.raises(ValueError, match='cannot start'):
        list(DataLoader(Squares(), num_workers=1, worker_init_fn=bad))


def test_persistent_workers():
    loader = DataLoader(Squares(), batch_size=5, num_workers=2, persistent_workers=True)
    assert len(list(loader)) == 2
    pids = [w.pid for w in loader._pool.workers]
    next(iter(loader))
    assert [b[1].numpy().tolist()[0] for b in loader] == [0, 25]
    assert [w.pid for w in loader._pool.workers] == pids
    del loader
    assert not any(os.path.exists(f'/proc/{pid}') for pid in pids)


@pytest.mark.parametrize(
    'options',
    [
        dict(batch_size=0),
        dict(num_workers=-1),
        dict(timeout=-1),
        dict(batch_sampler=BatchSampler(Squares(), batch_size=2), shuffle=True),
    ],
)
def test_bad_arguments(options):
    with pytest.raises(AssertionError):
        DataLoader(Squares(), **options)


def test_arrays_are_stacked_with_what_has_their_shape():
    from paddle.io.dataloader.collate import default_collate_fn

    assert default_collate_fn([np.ones(2), [1, 2]]).tolist() == [[1, 1], [1, 2]]
    assert default_collate_fn([np.array(1.0), 2.0]).tolist() == [1, 2]


class Draws(Squares):
    def __getitem__(self, index):
        info = paddle.io.get_worker_info()
        drawn = [np.random.randint(0, 1000), random.random(), paddle.rand([1]).item(), info.seed]
        return np.array(drawn)


def test_workers_draw_what_the_seed_of_numpy_says():
    def epoch(loader):
        return np.concatenate([batch.numpy() for batch in loader])

    np.random.seed(7)
    base = np.random.randint(low=0, high=sys.maxsize)
    np.random.seed(7)
    loader = DataLoader(Draws(), batch_size=2, num_workers=2)
    drawn = epoch(loader)
    assert drawn[:4, 0].tolist() == [828, 156, 739, 565]  # as in PaddlePaddle
    assert (drawn[:, 3] == float(base)).all()
    for worker in range(2):
        assert drawn[2 * worker, 1] == random.Random(base + worker).random()
        paddle.seed(base + worker)
        assert drawn[2 * worker, 2] == paddle.rand([1]).item()
    assert (epoch(loader)[:, 0] != drawn[:, 0]).any()  # another base each time
    np.random.seed(7)
    np.testing.assert_array_equal(epoch(loader)[:, :2], drawn[:, :2])
