# SPDX-License-Identifier: Apache-2.0
"""What ranks do for test_checkpoint.py."""

import itertools
import os
import sys
import time

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.distributed import Replicate, Shard

_MESHES = ([0, 1, 2, 3], [[0, 1], [2, 3]], [2, 0], [1])


def _value(i):
    return np.random.RandomState(i).randn(5, 6).astype('float32')


def _ways():
    for ids in _MESHES:
        mesh = dist.ProcessMesh(ids)
        for placements in itertools.product([Replicate(), Shard(0), Shard(1)], repeat=mesh.ndim):
            yield mesh, list(placements)


def meshes(folder):
    """What any mesh writes, any other reads."""
    dist.init_parallel_env()
    ways = list(_ways())
    order = np.random.RandomState(0).permutation(len(ways))
    for i, (mesh, placements) in enumerate(ways):
        value = _value(i)
        tensor = dist.shard_tensor(paddle.to_tensor(value), mesh, placements)
        number = paddle.to_tensor(float(i))
        dist.save_state_dict({'model': {'w': tensor, 'n': number}}, folder)
        for k in (i, *order[:2]):
            target_mesh, target = ways[k]
            w = dist.shard_tensor(paddle.zeros([5, 6]), target_mesh, target)
            n = paddle.zeros([])
            dist.load_state_dict({'model': {'w': w, 'n': n}}, folder)
            assert float(n) == i
            if w._is_initialized():
                np.testing.assert_array_equal(w.numpy(), value)
        order = np.roll(order, 2)


def resume(folder):
    """A divided training saved, and read by a new one, without a group made before."""
    mesh = dist.ProcessMesh([0, 1], ['dp'])
    x = dist.shard_tensor(paddle.ones([4, 4]), mesh, [Shard(0)])

    def make(level):
        paddle.seed(0)
        model = paddle.nn.Linear(4, 4)
        optimizer = paddle.optimizer.Adam(0.1, parameters=model.parameters())
        return dist.parallelize(model, optimizer, mesh, {'dp_config': {'sharding_level': level}})

    def step(model, optimizer):
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return float(loss)

    model, optimizer = make(3)
    step(model, optimizer)
    dist.save_state_dict({'model': model.state_dict()}, folder)
    want = float((model(x) ** 2).mean())
    other, _ = make(0)
    dist.load_state_dict({'model': other.state_dict()}, folder)
    np.testing.assert_allclose(float((other(x) ** 2).mean()), want, rtol=1e-6)


def parts(folder):
    """Each process writes its part of a tensor, and one that others do not know."""
    dist.init_parallel_env()
    rank, group = dist.get_rank(), dist.get_group()
    rows = paddle.arange(8.0).reshape([4, 2])[2 * rank : 2 * rank + 2]
    state = {'divided': dist.shard_weight('divided', rows, 0, group)}
    state.update(dist.build_sharded_state_dict({f'of{rank}': paddle.full([1], float(rank))}))
    state['same'] = paddle.to_tensor([5.0])
    dist.save_state_dict(state, folder)
    # The other half of it.
    other = dist.shard_weight('divided', paddle.zeros([2, 2]), 0, group)
    other.global_offset = (2 - 2 * rank, 0)
    dist.load_state_dict({'divided': other}, folder)
    first = 4 - 4 * rank
    assert other.local_tensor.flatten().tolist() == list(range(first, first + 4))


def killed(folder):
    """The process ends while it writes the second checkpoint."""
    dist.save_state_dict({'w': paddle.ones([3])}, folder)
    from paddle.distributed.flex_checkpoint.dcp import save_state_dict as module

    def stop(*args, **kwargs):
        os._exit(7)

    module.pickle.dump = stop  # of the file of parts already
    dist.save_state_dict({'w': paddle.zeros([3])}, folder)


def pairs(folder):
    """50 random pairs of meshes, of tensors of random shapes and dtypes; every other save while the
    program goes on, every third as safetensors.
    """
    dist.init_parallel_env()
    chance = np.random.RandomState(7)
    dtypes = ('float32', 'float16', 'bfloat16', 'int64', 'bool', 'uint8')

    def way(ndim):
        count = chance.randint(1, 5)
        ids = chance.permutation(4)[:count]
        if count == 4 and chance.rand() < 0.6:
            ids = ids.reshape(2, 2)
        kinds = [Replicate(), *(Shard(i) for i in range(ndim))]
        return dist.ProcessMesh(ids.tolist()), [
            kinds[chance.randint(len(kinds))] for _ in ids.shape
        ]

    for i in range(50):
        shape = chance.randint(1, 9, chance.randint(1, 4)).tolist()
        dtype = dtypes[i % len(dtypes)]
        whole = paddle.to_tensor(chance.randint(0, 100, shape)).astype(dtype)
        tensor = dist.shard_tensor(whole, *way(len(shape)))
        place = os.path.join(folder, str(i % 5))
        dist.save_state_dict({'w': tensor}, place, async_save=i % 2, safetensors=i % 3 == 0)
        mesh, placements = way(len(shape))
        target = dist.shard_tensor(paddle.zeros(shape).astype(dtype), mesh, placements)
        if i % 2:
            paddle.framework.clear_async_save_task_queue()
            dist.barrier()
        dist.load_state_dict({'w': target}, place)
        if target._is_initialized():
            want = dist.shard_tensor(whole, mesh, placements)
            part, expected = (t._local_value().astype('float32').numpy() for t in (target, want))
            np.testing.assert_array_equal(part, expected, f'pair {i}')


def again(folder):
    """One number again and again, while a process may be killed."""
    dist.init_parallel_env()
    rank, group = dist.get_rank(), dist.get_group()
    rows = paddle.empty([200_000, 4])
    for step in itertools.count():
        rows.fill_(float(step))
        part = dist.shard_weight('w', rows, 0, group)
        dist.save_state_dict({'w': part}, folder, unique_id=0, async_save=True)
        if step == 2 and rank == 0:
            dist.parallel.job_store().set('saving', '1')
        rows.fill_(-1.0)  # what was copied counts


def anew(folder):
    """Saves while the program goes on, before and after another process takes the place of one."""
    begun = os.path.join(folder, 'begun')
    lives = (0, 1) if dist.ParallelEnv().rank == 0 else (int(os.path.exists(begun)),)
    for life in lives:
        until = time.monotonic() + 30
        while not dist.is_initialized():
            try:
                dist.init_parallel_env()
            except RuntimeError:  # the other process is not there yet
                assert time.monotonic() < until
                time.sleep(0.1)
        rank, group = dist.get_rank(), dist.get_group()
        dist.barrier()
        where = os.path.join(folder, str(life))
        part = dist.shard_weight('w', paddle.full([2, 2], float(life + rank)), 0, group)
        dist.save_state_dict({'w': part}, where, async_save=True)
        paddle.clear_async_save_task_queue()
        whole = dist.load_merged_state_dict(where)['w']
        assert whole.tolist() == [[life] * 2] * 2 + [[life + 1] * 2] * 2
        if life == 0 and rank == 1:
            open(begun, 'w').close()
        elif life == 0:
            try:
                dist.barrier()
            except RuntimeError:  # the other process has ended
                dist.destroy_process_group()
            else:
                raise AssertionError('expected the other process to end')


def refused(folder):
    """A process that cannot write: all say so, at the next save."""
    dist.init_parallel_env()
    rank = dist.get_rank()
    from paddle.distributed.flex_checkpoint.dcp import save_state_dict as module

    write = module._write_parts

    def full(*args):
        raise OSError(28, 'No space left on device')

    state = {
        f'of{rank}': dist.build_sharded_state_dict({f'of{rank}': paddle.ones([1])})[f'of{rank}']
    }
    dist.save_state_dict(state, folder)
    module._write_parts = full if rank else write
    dist.save_state_dict(state, folder, async_save=True)
    for attempt in (
        lambda: dist.save_state_dict(state, folder),
        lambda: dist.save_state_dict(state, folder),
    ):
        try:
            attempt()
            raise AssertionError('no error')
        except RuntimeError as e:
            assert 'process 1' in str(e) and 'No space left' in str(e), e
    module._write_parts = write
    assert [n for n in sorted(os.listdir(folder)) if n.endswith('.metadata')] == ['0.metadata']
    dist.save_state_dict(state, folder)
    assert '1.metadata' in os.listdir(folder)


def memory(folder):
    """The most memory that saving and loading take beside the tensors, in parts of their size."""
    dist.init_parallel_env()
    count, rows = 8, 1 << 19
    group = dist.get_group()

    def state():
        return {
            f'w{i}': dist.shard_weight(f'w{i}', paddle.full([rows, 4], float(i)), 0, group)
            for i in range(count)
        }

    def most(what):
        with open('/proc/self/clear_refs', 'w') as stream:
            stream.write('5')
        before = status('VmRSS')
        what()
        return (status('VmHWM') - before) / (count * rows * 16)

    def status(name):
        with open('/proc/self/status') as stream:
            return next(int(line.split()[1]) << 10 for line in stream if line.startswith(name))

    for kind in (False, True):
        dist.save_state_dict({'w': paddle.ones([1])}, folder, safetensors=kind)
        parts = state()
        saved = most(lambda: dist.save_state_dict(parts, folder, safetensors=kind))
        for part in parts.values():
            part.local_tensor.zero_()
        loaded = most(lambda: dist.load_state_dict(parts, folder))
        assert all(float(parts[f'w{i}'].local_tensor[-1, -1]) == i for i in range(count))
        print(f'MEMORY safetensors={kind} save {saved:.2f} load {loaded:.2f}')
        assert saved < 0.3 and loaded < 0.3, (kind, saved, loaded)


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
