# SPDX-License-Identifier: Apache-2.0
"""What ranks do for test_dist_tensor.py: each checks against a calculation on whole tensors."""

import copy
import itertools
import sys

import numpy as np
from placed import check, distributed, every_placement, numbers, own, ways, ways_without_partial

import paddle
import paddle.distributed as dist
from paddle.autograd import PyLayer
from paddle.distributed import Partial, ReduceType, Replicate, Shard


def reshard(shape, every='1'):
    """Every pair of placements: values, parts and gradients. Uneven and empty parts too."""
    shape = [int(n) for n in shape.split('x')]
    mesh = dist.ProcessMesh(np.arange(np.prod(shape)).reshape(shape))
    value, weight = numbers([5, 6, 3]), numbers([5, 6, 3], 1)
    pairs = itertools.product(every_placement(len(shape), 2 if len(shape) > 1 else 3), repeat=2)
    for source, target in itertools.islice(pairs, 0, None, int(every)):
        t = distributed(value, mesh, source)
        t.stop_gradient = False
        moved = dist.reshard(t, mesh, target)
        where = f'{source} -> {target}'
        np.testing.assert_allclose(moved.numpy(), value, rtol=1e-5, atol=1e-6, err_msg=where)
        assert moved.placements == target and moved.shape == [5, 6, 3], where
        if not any(p.is_partial() for p in target):
            part, local = own(value, mesh, target), moved._local_value()
            if part is None:
                assert local.size == 0, where
            else:
                np.testing.assert_allclose(local.numpy(), part, rtol=1e-5, atol=1e-6, err_msg=where)
        (moved * paddle.to_tensor(weight)).sum().backward()
        np.testing.assert_allclose(t.grad.numpy(), weight, rtol=1e-5, atol=1e-6, err_msg=where)


def kinds_of_partial():
    """Partial tensors of all kinds of reductions, made from all placements and reduced in turn."""
    mesh = dist.ProcessMesh([[0, 1], [2, 3]])
    value = numbers([70, 90])
    kinds = [Partial(op) for op in (ReduceType.kRedSum, ReduceType.kRedProd, ReduceType.kRedMax)]
    kinds.append(Partial(ReduceType.kRedAvg))
    for source in itertools.product([Replicate(), Shard(0), Shard(1)], repeat=2):
        t = dist.shard_tensor(paddle.to_tensor(value), mesh, list(source))
        for target in itertools.product([Replicate(), Shard(0), *kinds], repeat=2):
            moved = dist.reshard(t, mesh, list(target))
            where = f'{source} -> {target}'
            np.testing.assert_allclose(moved.numpy(), value, rtol=1e-5, err_msg=where)
            back = dist.reshard(moved, mesh, list(source))
            np.testing.assert_allclose(back.numpy(), value, rtol=1e-5, err_msg=where)


def between_meshes():
    """From one half of the ranks to the other, and to a mesh of another shape."""
    value = numbers([4, 6])
    left, right = dist.ProcessMesh([0, 1]), dist.ProcessMesh([2, 3])
    grid, turned = dist.ProcessMesh([[0, 1], [2, 3]]), dist.ProcessMesh([[3, 1], [2, 0]])
    for a, b, source, target in (
        (left, right, [Shard(0)], [Shard(1)]),
        (left, right, [Partial()], [Replicate()]),
        (right, left, [Replicate()], [Partial()]),
        (left, grid, [Shard(1)], [Shard(0), Shard(1)]),
        (grid, left, [Shard(0), Replicate()], [Shard(0)]),
        (grid, turned, [Shard(0), Partial()], [Shard(1), Shard(1)]),
    ):
        t = distributed(value, a, source)
        moved = dist.reshard(t, b, target)
        assert moved._is_initialized() == b.contains(dist.get_rank())
        if moved._is_initialized():
            np.testing.assert_allclose(moved.numpy(), value, rtol=1e-5, atol=1e-6)
        absent = moved + 1
        assert absent.shape == [4, 6] and absent._is_initialized() == moved._is_initialized()
        t = t.detach()
        t.stop_gradient = False
        weight = numbers([4, 6], 1)
        out = dist.reshard(t * 2, b, target)
        assert not out.stop_gradient
        (out * paddle.to_tensor(weight)).sum().backward()
        assert t.grad.placements == [Replicate() if p.is_partial() else p for p in source]
        if a.contains(dist.get_rank()):
            np.testing.assert_allclose(t.grad.numpy(), weight * 2, rtol=1e-5)


def stages():
    """Gradients go back over several meshes, also of what is used on more than one of them."""
    meshes = [dist.ProcessMesh([i], ['x']) for i in range(3)]
    grid = dist.ProcessMesh([[0], [1], [2]], dim_names=['pp', 'x'])
    value, weight = numbers([3, 3]), numbers([3, 3], 1)
    x = dist.shard_tensor(paddle.to_tensor(value), meshes[0], [Replicate()], stop_gradient=False)
    w = dist.shard_tensor(paddle.to_tensor(weight), meshes[1], [Replicate()], stop_gradient=False)
    both = dist.shard_tensor(
        paddle.to_tensor(value), grid, [Replicate(), Shard(0)], stop_gradient=False
    )
    h = paddle.tanh(x)
    skip = dist.reshard(h, meshes[2], [Replicate()])
    h = dist.reshard(h, meshes[1], [Shard(0)]).matmul(w)
    h.add_(paddle.exp(h[0]))
    parts = paddle.split(h, 3, 1)
    out = dist.reshard(paddle.concat(parts[1:], 1), meshes[2], [Replicate()])
    loss = (out.sum(1, keepdim=True) * skip * both).sum()  # of meshes one of which is in the other
    assert loss.process_mesh == meshes[2]
    loss.backward()
    want = [paddle.to_tensor(v, stop_gradient=False) for v in (value, weight, value)]
    a = paddle.tanh(want[0])
    b = a.matmul(want[1])
    b.add_(paddle.exp(b[0]))
    total = (b[:, 1:].sum(1, keepdim=True) * a * want[2]).sum()
    total.backward()
    if dist.get_rank() == 2:
        np.testing.assert_allclose(float(loss), float(total), rtol=1e-5)
    for t, dense in zip((x, w, both), want):
        assert list(t.grad.shape) == [3, 3]
        if dist.get_rank() in t.process_mesh.process_ids:
            np.testing.assert_allclose(t.grad.numpy(), dense.grad.numpy(), rtol=1e-5, atol=1e-6)
    # A gradient asked for on a process that has no part of its tensor, and hooks there.
    seen = []
    y = dist.reshard(x * 2, meshes[1], [Replicate()])
    y.register_hook(lambda g: seen.append(g.shape))
    (found,) = paddle.grad(y.sum(), x)
    assert seen == [[3, 3]] and found.process_mesh == meshes[0]
    if dist.get_rank() == 0:
        np.testing.assert_array_equal(found.numpy(), np.full([3, 3], 2.0))
    try:
        paddle.add(x, w)
    except ValueError as e:
        assert 'on one mesh' in str(e)
    else:
        raise AssertionError('expected a ValueError')


def ends_of_histories():
    """What has no gradient on one mesh asks for none from the other: backward ends on both."""
    left, right = (dist.ProcessMesh([i], ['x']) for i in range(2))

    def made(seed, mesh, **more):
        return dist.shard_tensor(
            paddle.to_tensor(numbers([3, 4], seed)), mesh, [Replicate()], **more
        )

    mean, variance = (paddle.to_tensor(v) for v in numbers([2, 4], 9) ** 2)
    mean.stop_gradient = False
    dense = paddle.to_tensor(numbers([3, 4], 4), stop_gradient=False)
    functional = paddle.nn.functional
    for call in (
        paddle.zeros_like,
        lambda t: paddle.full_like(t, 2.0),
        lambda t: paddle.floor_divide(t, t * 2),
        lambda t: paddle.nextafter(t, t + 1),
        lambda t: paddle.zeros_like(t) * t,
        lambda t: t + paddle.zeros_like(t),
        lambda t: functional.batch_norm(t.detach(), mean, variance),
        lambda t: functional.binary_cross_entropy(
            functional.sigmoid(t.detach()), functional.sigmoid(t), reduction='none'
        ),
        lambda t: t.detach() * dense,
        lambda t: paddle.topk(t, 4, axis=1)[0] * paddle.argmax(t).astype('float32'),
    ):
        x, w = made(0, left, stop_gradient=False), made(1, right, stop_gradient=False)
        moved = dist.reshard(call(x), right, [Replicate()])
        (moved * w).sum().backward()
        want = [paddle.to_tensor(numbers([3, 4], seed), stop_gradient=False) for seed in (0, 1)]
        dense.clear_grad()
        (call(want[0]) * want[1]).sum().backward()
        for t, alone in zip((x, w), want):
            assert (t.grad is None) == (alone.grad is None)
            if t.grad is not None and dist.get_rank() in t.process_mesh.process_ids:
                np.testing.assert_allclose(t.grad.numpy(), alone.grad.numpy(), rtol=1e-5)
    # Items that are written are known to have a history everywhere.
    t, item = made(2, left), dist.shard_tensor(paddle.ones([4]), left, [Replicate()])
    item.stop_gradient = False
    t[1] = item * 3
    (dist.reshard(t, right, [Shard(1)]) * 2).sum().backward()
    assert t.placements == [Replicate()]
    if dist.get_rank() == 0:
        np.testing.assert_array_equal(item.grad.numpy(), np.full([4], 6.0))


def read():
    """Distributed tensors as indices, as values of items and as numbers among arguments."""
    mesh = dist.ProcessMesh([0, 1], ['x'])
    rows = dist.shard_tensor(paddle.to_tensor([2, 0]), mesh, [Shard(0)])
    value = dist.shard_tensor(paddle.to_tensor([[5.0, 6.0], [7.0, 8.0]]), mesh, [Shard(0)])
    number = dist.shard_tensor(paddle.to_tensor(3.0), mesh, [Replicate()])
    x = paddle.arange(6, dtype='float32').reshape([3, 2])
    assert x[rows].tolist() == [[4, 5], [0, 1]]
    x[rows] = value
    assert x.tolist() == [[7, 8], [2, 3], [5, 6]]
    assert paddle.full([2], number).tolist() == [3, 3]
    assert paddle.full_like(value, number).tolist() == [[3, 3], [3, 3]]
    assert paddle.pow(paddle.to_tensor([2.0]), number).tolist() == [8]
    assert paddle.scale(x, number).tolist() == (x * 3).tolist()
    assert paddle.reshape(paddle.ones([6]), [number.astype('int32'), -1]).shape == [3, 2]
    assert paddle.slice_scatter(value, value[:1] * 2, [0], [0], [1], [1]).tolist() == [
        [10, 12],
        [7, 8],
    ]


def operations():
    """Operations of every kind of rule, on all placements of their operands."""
    line = dist.ProcessMesh([0, 1, 2, 3])
    grid = dist.ProcessMesh([[0, 1], [2, 3]])
    x, y, row = numbers([4, 6]), numbers([4, 6], 1), numbers([6], 2)
    functional = paddle.nn.functional
    for mesh in (line, grid):
        check(paddle.add, [x, row], mesh, ways(mesh, 2, 1))
        check(paddle.multiply, [x, y], mesh, itertools.islice(ways(mesh, 2, 2), 0, None, 3))
        pairs = ways(mesh, 2, 2)
        check(paddle.matmul, [x, numbers([6, 5], 3)], mesh, itertools.islice(pairs, 0, None, 2))
        for function in (
            lambda t: t.sum(axis=1),
            lambda t: t.mean(),
            lambda t: t.mean(axis=0, keepdim=True),
            lambda t: t.max(axis=0),
            lambda t: t.transpose([1, 0]),
            lambda t: t.reshape([2, 2, 6]),
            lambda t: t.reshape([-1]),
            lambda t: t.unsqueeze(1),
            lambda t: t.flatten(),
            lambda t: functional.softmax(t, axis=1),
            lambda t: functional.layer_norm(t, [6]),
            lambda t: paddle.concat([t, t * 2], axis=1),
            lambda t: paddle.stack([t, t + 1], axis=1),
            lambda t: paddle.split(t, 2, axis=1),
            lambda t: paddle.unbind(t, axis=0),
            lambda t: t[1:3, ::2],
            lambda t: paddle.gather(t, paddle.to_tensor([2, 0]), axis=0),
            lambda t: paddle.logsumexp(t, axis=1),
            lambda t: paddle.tril(t),
            lambda t: paddle.cumsum(t, axis=0),
            lambda t: paddle.cumsum(t),
            lambda t: paddle.logcumsumexp(t, axis=1),
            lambda t: t + t.argmax(1, True).astype('float32') * t.argmin().astype('float32'),
            lambda t: paddle.kthvalue(t, 2, axis=0, keepdim=True)[0],
            lambda t: paddle.mode(t, axis=1)[0],
            lambda t: t.prod(axis=0),
            lambda t: t.prod(),
            lambda t: paddle.linalg.norm(t, 3.0, axis=1, keepdim=True),
            lambda t: paddle.linalg.norm(t, 'fro', axis=[0, 1]),
            lambda t: paddle.linalg.norm(t),
            lambda t: paddle.take_along_axis(t, paddle.to_tensor([[2], [0], [5], [2]]), 1),
            lambda t: paddle.put_along_axis(
                t, paddle.to_tensor([[1, 0, 3, 2, 2, 1]]), 0.5, 0, 'add'
            ),
            lambda t: functional.label_smooth(t, epsilon=0.2),
            lambda t: t.astype('float64').astype('float32'),
            lambda t: paddle.clip(t, -0.5, 0.5),
            lambda t: paddle.where(t > 0, t, t * 0.1),
        ):
            check(function, [x], mesh, ways(mesh, 2))
    rows = distributed(x, line, [Shard(0)])
    for function in (
        lambda t: t.cumsum(1),
        lambda t: t.argmax(-1),
        lambda t: t.prod(1, True),
        lambda t: paddle.linalg.norm(t, 2, 1),
        lambda t: paddle.mode(t, axis=1)[1],
        lambda t: paddle.take_along_axis(t, paddle.to_tensor([[2], [0], [5], [2]]), 1),
        functional.label_smooth,
    ):
        assert function(rows).placements == [Shard(0)]
    ids, table = np.array([[1, 4, 0, 2], [3, 3, 5, 1]]), numbers([6, 3])
    check(functional.embedding, [ids, table], grid, ways_without_partial(grid, 2, 2))
    labels = np.array([[1], [0], [5], [2]])
    check(
        lambda a, b: functional.cross_entropy(a, b),
        [x, labels],
        grid,
        ways_without_partial(grid, 2, 2),
    )
    attention()


def attention():
    """Processes share batches and heads; masks of any number of axes go with them."""
    grid = dist.ProcessMesh([[0, 1], [2, 3]])
    attend = paddle.nn.functional.scaled_dot_product_attention
    q = numbers([2, 4, 2, 3])
    places = [way for (way,) in ways_without_partial(grid, 4)]
    check(lambda t: attend(t, t, t, is_causal=True), [q], grid, ((way,) for way in places))
    for extents in ([4, 4], [2, 4, 4], [2, 1, 4, 4], [2, 2, 4, 4]):
        mask = numbers(extents, 5)
        for place in ([Replicate()] * 2, [Shard(0), Replicate()]):
            check(
                lambda t, m: attend(t, t, t, attn_mask=m),
                [q, mask],
                grid,
                ((way, place) for way in places[::2]),
            )
    keys = numbers([2, 4, 1, 3], 6)  # shared by the heads of queries
    check(
        lambda t, k: attend(t, k, k, enable_gqa=True),
        [q, keys],
        grid,
        zip(places, reversed(places)),
    )
    out = attend(*[distributed(q, grid, [Shard(0), Shard(2)])] * 3)
    assert out.placements == [Shard(0), Shard(2)]


def members():
    """Tensor's members, printing, hooks, writing in place, gradients of gradients."""
    mesh = dist.ProcessMesh([0, 1], dim_names=['x'])
    value = numbers([4, 2])
    t = dist.shard_tensor(paddle.to_tensor(value), mesh, [Shard(0)], stop_gradient=False)
    assert t.is_dist() and t.is_leaf and not t.is_dense() and t.process_mesh == mesh
    assert t._local_value().shape == [2, 2] and t.shape == [4, 2]
    head = (
        'Tensor(shape=[4, 2], dtype=float32, place=Place(cpu), stop_gradient=False, process_mesh='
        '{shape: [2], process_ids: [0,1], dim_names: [x]}, placements=[Shard(dim=0)], '
        'GlobalDenseTensor=\n'
    )
    assert str(t).startswith(head), str(t)
    assert t.tolist() == value.tolist() and float(t.sum()) == float(t.sum().item())
    seen = []
    handle = t.register_hook(lambda g: seen.append(g) or g * 2)
    (t * t).sum().backward()
    handle.remove()
    assert seen[0].is_dist() and seen[0].placements == [Shard(0)]
    np.testing.assert_allclose(t.grad.numpy(), 4 * value, rtol=1e-6)
    t.clear_grad()
    (first,) = paddle.grad((t**3).sum(), [t], create_graph=True)
    (second,) = paddle.grad((first * first).sum(), [t])
    np.testing.assert_allclose(second.numpy(), 36 * value**3, rtol=1e-5)
    with paddle.no_grad():
        t.add_(paddle.ones([2]))
        t[0] = 7.0
        t.set_value(t.numpy() * 2)
    want = (value + 1) * 2
    want[0] = 14
    np.testing.assert_allclose(t.numpy(), want, rtol=1e-6)
    assert t.placements == [Shard(0)] and t.is_leaf and not t.stop_gradient
    whole = dist.unshard_dtensor(t)
    assert not whole.is_dist() and whole.shape == [4, 2]
    back = dist.dtensor_from_local(t._local_value(), mesh, [Shard(0)])
    np.testing.assert_array_equal(back.numpy(), t.numpy())
    assert dist.dtensor_to_local(t, mesh, [Replicate()]).shape == [4, 2]
    made = dist.dtensor_from_fn(paddle.ones, mesh, [Replicate()], [3])
    assert made.placements == [Replicate()] and made.tolist() == [1, 1, 1]
    other = dist.shard_tensor(paddle.ones([4, 2]), dist.ProcessMesh([1, 0]), [Replicate()])
    for wrong in (lambda: t + other, lambda: dist.reshard(t, mesh, [Shard(2)])):
        try:
            wrong()
        except ValueError as e:
            assert 'expected' in str(e)
        else:
            raise AssertionError('expected a ValueError')


class Scaled(PyLayer):
    """x * w * k, and a detached second result."""

    @staticmethod
    def forward(ctx, x, w, k):
        ctx.save_for_backward(x, w)
        ctx.k = k
        return x * w * k, (x * 2).detach()

    @staticmethod
    def backward(ctx, g, of_second):
        x, w = ctx.saved_tensor()
        assert g.is_dist() and g.shape == of_second.shape == [8, 3]
        assert of_second.is_dist() and (of_second.numpy() == 0).all()
        return g * w * ctx.k, (g * x * ctx.k).sum(0)


class Passed(PyLayer):
    """Its operand; three times the gradient."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 3


def py_layers():
    """Functions of one's own get distributed tensors, and gradients placed as these."""
    mesh = dist.ProcessMesh([0, 1], dim_names=['x'])
    xs, ws = numbers([8, 3]), np.array([1.0, 2.0, 3.0], 'float32')
    for placement, dense in itertools.product(
        (Shard(0), Shard(1), Replicate(), Partial()), (True, False)
    ):
        x = dist.reshard(distributed(xs, mesh, [Replicate()]), mesh, [placement]).detach()
        x.stop_gradient = False
        w = paddle.to_tensor(ws) if dense else distributed(ws, mesh, [Replicate()])
        w.stop_gradient = False
        y, second = Scaled.apply(x, w, 2.0)
        assert y.is_dist() and second.is_dist()
        (y * y).sum().backward()
        np.testing.assert_allclose(y.numpy(), xs * ws * 2, rtol=1e-6)
        np.testing.assert_allclose(x.grad.numpy(), 8 * xs * ws * ws, rtol=1e-5)
        np.testing.assert_allclose(w.grad.numpy(), (8 * xs * xs * ws).sum(0), rtol=1e-5)
        assert x.grad.placements == [Replicate() if placement.is_partial() else placement]
        assert w.grad.is_dist() != dense
    x = dist.shard_tensor(xs, mesh, [Shard(0)], stop_gradient=False)
    (first,) = paddle.grad(Passed.apply(x * x).sum(), x, create_graph=True)
    first.sum().backward()
    np.testing.assert_allclose(first.numpy(), 6 * xs, rtol=1e-6)
    assert (x.grad.numpy() == 6).all()
    one = dist.shard_tensor(xs, dist.ProcessMesh([1]), [Replicate()], stop_gradient=False)
    Passed.apply(one * 2).sum().backward()
    if dist.get_rank() == 1:
        assert (one.grad.numpy() == 6).all()


def copies():
    """deepcopy of parts, of the gradient too, and of layers."""
    mesh = dist.ProcessMesh([0, 1], dim_names=['x'])
    layer = paddle.nn.Linear(4, 4)
    dist.shard_layer(layer, mesh)
    other = copy.deepcopy(layer)
    assert other.weight.is_dist() and not other.weight.stop_gradient
    assert other.weight.placements == layer.weight.placements
    before = layer.weight.numpy()
    np.testing.assert_array_equal(other.weight.numpy(), before)
    with paddle.no_grad():
        other.weight.add_(paddle.ones([4, 4]))
    np.testing.assert_array_equal(layer.weight.numpy(), before)
    t = dist.shard_tensor(numbers([5, 2]), mesh, [Shard(0)], stop_gradient=False)
    t.sum().backward()
    other = copy.deepcopy(t)
    assert other.placements == [Shard(0)] and other.numpy().tolist() == t.numpy().tolist()
    assert (other.grad.numpy() == 1).all() and other.grad.placements == [Shard(0)]
    t.clear_grad()
    assert other.grad is not None


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
