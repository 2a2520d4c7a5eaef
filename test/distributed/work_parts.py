# SPDX-License-Identifier: Apache-2.0
"""What ranks do for test_parts.py: parts of several pieces of an axis (split factors)."""

import copy
import itertools
import pickle
import sys

import numpy as np
from placed import check, distributed, numbers, own

import paddle
import paddle.distributed as dist
from paddle.distributed import Partial, Replicate, Shard


def pieces():
    """What each process has, as PaddlePaddle 3.3.1 has it, also of axes that do not divide."""
    mesh, rank = dist.ProcessMesh([0, 1]), dist.get_rank()
    placed = [Shard(0, split_factor=2)]
    for extent, parts in ((8, [[0, 1, 4, 5], [2, 3, 6, 7]]), (7, [[0, 1, 4, 5], [2, 3, 6]])):
        t = dist.shard_tensor(paddle.arange(extent), mesh, placed)
        assert t.placements == placed and t._local_value().tolist() == parts[rank]
        assert t.tolist() == list(range(extent))
        local = dist.dtensor_from_local(t._local_value(), mesh, placed)
        assert extent == 7 or local.tolist() == t.tolist()
    assert dist.shard_tensor(paddle.arange(2), mesh, [Shard(0, split_factor=5)]).tolist() == [0, 1]


def orders():
    """`shard_order` says which axis of the mesh has the wider parts."""
    mesh, rank = dist.ProcessMesh([[0, 1], [2, 3]]), dist.get_rank()
    x = paddle.arange(8)
    for first, second, parts in (
        (Shard(0), Shard(0), [[0, 1], [2, 3], [4, 5], [6, 7]]),
        (Shard(0, shard_order=0), Shard(0, shard_order=1), [[0, 1], [2, 3], [4, 5], [6, 7]]),
        (Shard(0, shard_order=1), Shard(0, shard_order=0), [[0, 1], [4, 5], [2, 3], [6, 7]]),
    ):
        t = dist.shard_tensor(x, mesh, [first, second])
        assert t._local_value().tolist() == parts[rank], (first, second, t._local_value())
        assert t.tolist() == x.tolist()
        again = dist.reshard(t, mesh, t.placements)
        assert again._local_value().tolist() == parts[rank]


def moves(shape, every):
    """Between all placements, with parts of pieces among them: values, parts and gradients."""
    shape = [int(n) for n in shape.split('x')]
    mesh = dist.ProcessMesh(np.arange(np.prod(shape)).reshape(shape))
    value, weight = numbers([13, 6]), numbers([13, 6], 1)
    kinds = [
        *(Replicate(), Partial(), Shard(0), Shard(1)),
        *(Shard(0, split_factor=2), Shard(0, split_factor=3), Shard(1, split_factor=2)),
    ]
    ways = [list(p) for p in itertools.product(kinds, repeat=len(shape))]
    pairs = [p for p in itertools.product(ways, repeat=2) if _pieces(p[0]) or _pieces(p[1])]
    for source, target in pairs[:: int(every)]:
        t = distributed(value, mesh, source)
        t.stop_gradient = False
        moved = dist.reshard(t, mesh, target)
        where = f'{source} -> {target}'
        np.testing.assert_allclose(moved.numpy(), value, rtol=1e-5, atol=1e-6, err_msg=where)
        assert moved.placements == target, where
        part = None if any(p.is_partial() for p in target) else own(value, mesh, target)
        if part is not None:
            local = moved._local_value().numpy()
            np.testing.assert_allclose(local, part, rtol=1e-5, atol=1e-6, err_msg=where)
        (moved * paddle.to_tensor(weight)).sum().backward()
        np.testing.assert_allclose(t.grad.numpy(), weight, rtol=1e-5, atol=1e-6, err_msg=where)


def _pieces(placements):
    return any(p.is_shard() and p.get_split_factor() > 1 for p in placements)


def between_meshes():
    value = numbers([12, 4])
    left, right = dist.ProcessMesh([0, 1]), dist.ProcessMesh([2, 3])
    for source, target in (
        (Shard(0, split_factor=3), Shard(0)),
        (Shard(0), Shard(0, split_factor=2)),
        (Shard(0, split_factor=2), Shard(0, split_factor=3)),
    ):
        t = distributed(value, left, [source])
        t.stop_gradient = False
        moved = dist.reshard(t, right, [target])
        if moved._is_initialized():
            np.testing.assert_array_equal(moved._local_value().numpy(), own(value, right, [target]))
        (moved * 2).sum().backward()
        if t._is_initialized():
            np.testing.assert_array_equal(t.grad.numpy(), np.full([12, 4], 2.0))


def operations():
    """Parts of pieces go through operations; under another shape no element moves."""
    mesh = dist.ProcessMesh([0, 1])
    striped, rest = [Shard(0, split_factor=2)], [Replicate()]
    x, y, w = numbers([8, 6]), numbers([8, 6], 1), numbers([6, 3], 2)
    for function, values, out in (
        (paddle.add, [x, y], striped),
        (paddle.matmul, [x, w], striped),
        (lambda a: paddle.nn.functional.softmax(a, 1), [x], striped),
        (lambda a: a.sum(axis=0), [x], [Partial()]),
        (lambda a: a.mean(), [x], None),
        (lambda a: a.transpose([1, 0]), [x], [Shard(1, split_factor=2)]),
        (lambda a: paddle.concat([a, a], axis=1), [x], striped),
        (lambda a: paddle.cumsum(a, axis=0), [x], rest),
        (lambda a: a[1:5], [x], rest),
    ):
        placed = [striped, *([rest] if values[-1] is w else [striped] * (len(values) - 1))]
        check(function, values, mesh, [placed[: len(values)]])
        got = function(*(distributed(v, mesh, p) for v, p in zip(values, placed)))
        assert out is None or got.placements == out, (out, got.placements)
    grid = dist.ProcessMesh([[0, 1]]) if dist.get_world_size() == 2 else None
    for shape, placed, target, out in (
        ([2, 4], Shard(1), [8], Shard(0, split_factor=2)),
        ([8], Shard(0, split_factor=2), [2, 4], Shard(1)),
        ([2, 4, 3], Shard(1), [2, 12], Shard(1)),
        ([2, 4, 3], Shard(1), [8, 3], Shard(0, split_factor=2)),
        ([6, 4], Shard(1), [2, 3, 4], Shard(2)),
        ([6, 4], Shard(1), [3, 8], Shard(1, split_factor=2)),
        ([6, 4], Shard(1), [4, 6], Replicate()),
        ([5, 6], Shard(0), [5, 2, 3], Shard(0)),
        ([5, 6], Shard(0), [30], Replicate()),
        ([4, 6], Shard(0), [24], Shard(0)),
        ([1, 4], Shard(1), [4], Shard(0)),
    ):
        value = numbers(shape)
        check(lambda a: a.reshape(target), [value], mesh, [([placed],)])
        got = distributed(value, mesh, [placed]).reshape(target)
        assert got.placements == [out], (shape, placed, target, got.placements)
        check(lambda a: a.reshape(target), [value], grid, [([Replicate(), placed],)])


def shapes():
    """Two axes of the mesh under other shapes, in either order."""
    grid = dist.ProcessMesh([[0, 1], [2, 3]])
    kinds = [Replicate(), Shard(0), Shard(1), Shard(2), Shard(1, split_factor=2)]
    for shape, target in (
        ([4, 4, 2], [32]),
        ([4, 4, 2], [16, 2]),
        ([4, 4, 2], [4, 8]),
        ([4, 4, 2], [2, 2, 8]),
        ([4, 4, 2], [8, 2, 2]),
        ([3, 4, 2], [12, 2]),
    ):
        ways = [([a, b],) for a, b in itertools.product(kinds, repeat=2)]
        check(lambda a: a.reshape(target), [numbers(shape)], grid, ways)


def objects():
    """Shard: equality, copies, pickles and text."""
    s = Shard(0, split_factor=2)
    assert repr(s) == 'Shard(dim=0, split_factor=2)' and s.get_split_factor() == 2
    assert (
        s != Shard(0) and s.is_shard(0) and s == copy.deepcopy(s) == pickle.loads(pickle.dumps(s))
    )
    other = Shard(0)
    other.set_split_factor(2)
    assert other == s and hash(other) == hash(s)
    ordered = Shard(0, shard_order=1)
    assert repr(ordered) == 'Shard(dim=0, shard_order=1)' and ordered.get_co_shard_order() == 1
    assert ordered != Shard(0) and pickle.loads(pickle.dumps(ordered)) == ordered
    mesh = dist.ProcessMesh([0])
    for make, kind in (
        (lambda: Shard(0, split_factor=2, shard_order=1), TypeError),
        (lambda: Shard(0, 2), TypeError),
        (lambda: dist.shard_tensor(paddle.ones([2]), mesh, [Shard(0, split_factor=0)]), ValueError),
    ):
        try:
            make()
        except kind:
            pass
        else:
            raise AssertionError(f'expected {kind}')


def compiled():
    """In a program: elementwise, a product, another shape, and gradients."""
    mesh = dist.ProcessMesh([0, 1])
    x, w = numbers([2, 4, 6]), numbers([6, 3], 1)

    def step(a, b):
        return paddle.tanh(a.reshape([8, 6]).matmul(b)).reshape([2, 4, 3])

    found = []
    for function in (step, paddle.jit.to_static(step, full_graph=True)):
        a = distributed(x, mesh, [Shard(1)])
        b = distributed(w, mesh, [Replicate()])
        a.stop_gradient = b.stop_gradient = False
        out = function(a, b)
        assert out.placements == [Shard(1)]
        moved = dist.reshard(out, mesh, [Shard(0, split_factor=2)])
        (moved * moved).sum().backward()
        found.append([out.numpy(), a.grad.numpy(), b.grad.numpy()])
    for one, other in zip(*found):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def checkpoints(path):
    """Parts of pieces are saved and read, to and from other placements and meshes."""
    dist.init_parallel_env()
    line, grid = dist.ProcessMesh([0, 1, 2, 3]), dist.ProcessMesh([[0, 1], [2, 3]])
    value = numbers([13, 6])
    ways = [
        (line, [Shard(0, split_factor=2)]),
        (line, [Shard(0)]),
        (grid, [Shard(1, split_factor=3), Shard(0, split_factor=2)]),
        (grid, [Shard(0, shard_order=1), Shard(0, shard_order=0)]),
        (grid, [Replicate(), Shard(1)]),
    ]
    for i, (mesh, placed) in enumerate(ways):
        state = {'w': distributed(value, mesh, placed), 'b': paddle.ones([2])}
        dist.save_state_dict(state, f'{path}/{i}', async_save=i == 2, safetensors=i == 3)
        for other, target in ways:
            read = {'w': distributed(np.zeros_like(value), other, target)}
            dist.load_state_dict(read, f'{path}/{i}')
            np.testing.assert_array_equal(read['w'].numpy(), value)
        whole = dist.load_merged_state_dict(f'{path}/{i}')
        np.testing.assert_array_equal(whole['w'].numpy(), value)


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
