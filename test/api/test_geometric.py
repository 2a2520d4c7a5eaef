# SPDX-License-Identifier: Apache-2.0
"""Sampling of neighbours and renumbering of nodes, eager, compiled and in static mode."""

import numpy as np
import paddle
import pytest

ROW = [3, 7, 0, 9, 1, 4, 2, 9, 3, 9, 1, 9, 7]
COLPTR = [0, 2, 4, 5, 6, 7, 9, 11, 11, 13, 13]
NODES = [0, 8, 1, 2, 7]
DTYPES = ["int32", "int64"]
geometric = paddle.geometric


def of(values, dtype="int64"):
    return paddle.to_tensor(np.array(values, dtype))


def graph(dtype="int64"):
    return of(ROW, dtype), of(COLPTR, dtype)


def lists(results):
    return [r.numpy().tolist() for r in results]


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_neighbors(dtype):
    got = geometric.sample_neighbors(
        *graph(dtype),
        of(NODES, dtype).reshape([5, 1]),
        eids=of(range(100, 113), dtype),
        return_eids=True,
    )
    assert lists(got) == [
        [3, 7, 9, 7, 0, 9, 1],
        [2, 2, 2, 1, 0],
        [100, 101, 111, 112, 102, 103, 104],
    ]
    assert [r.dtype for r in got] == [getattr(paddle, dtype), paddle.int32, getattr(paddle, dtype)]


@pytest.mark.parametrize("weighted", [False, True])
def test_samples_are_distinct_edges_of_their_nodes(weighted):
    degrees = np.array([0, 1, 5, 40])
    colptr = np.concatenate([[0], np.cumsum(degrees)])
    edges = of(range(46)), of(colptr)
    weights = [paddle.ones([46])] if weighted else []
    sample = geometric.weighted_sample_neighbors if weighted else geometric.sample_neighbors
    for size in (0, 1, 3, 39, 2**31 - 1):
        nodes = np.array([3, 2, 3, 1, 0])
        out, count = sample(*edges, *weights, of(nodes), size)
        assert count.numpy().tolist() == np.minimum(degrees[nodes], size).tolist()
        ends = np.cumsum(count.numpy())
        for node, part in zip(nodes, np.split(out.numpy(), ends[:-1])):
            assert len(set(part)) == len(part)
            assert ((colptr[node] <= part) & (part < colptr[node + 1])).all()


def test_every_neighbor_is_as_likely():
    paddle.seed(7)
    out, _ = geometric.sample_neighbors(of(range(5)), of([0, 5]), of([0] * 20000), 2)
    share = np.bincount(out.numpy(), minlength=5) / 20000
    np.testing.assert_allclose(share, 0.4, atol=0.02)


def test_weights_say_how_likely_a_neighbor_is():
    paddle.seed(7)
    weights = paddle.to_tensor([1.0, 2.0, 0.0, 5.0])
    arguments = of(range(4)), of([0, 4]), weights, of([0] * 20000)
    first = geometric.weighted_sample_neighbors(*arguments, 1)[0].numpy()
    np.testing.assert_allclose(np.bincount(first, minlength=4) / 20000, weights / 8, atol=0.02)
    three = geometric.weighted_sample_neighbors(*arguments, 3)[0].numpy()
    assert np.bincount(three, minlength=4).tolist() == [20000, 20000, 0, 20000]


def test_the_seed_decides():
    def draw():
        paddle.seed(3)
        return geometric.sample_neighbors(of(range(100)), of([0, 100]), of([0]), 9)[0].numpy()

    np.testing.assert_array_equal(draw(), draw())


@pytest.mark.parametrize("dtype", DTYPES)
def test_reindex(dtype):
    near, count = of([8, 9, 0, 4, 7, 6, 7], dtype), of([2, 3, 2], "int32")
    got = geometric.reindex_graph(of([0, 1, 2], dtype), near, count)
    assert lists(got) == [[3, 4, 0, 5, 6, 7, 6], [0, 0, 1, 1, 1, 2, 2], [0, 1, 2, 8, 9, 4, 7, 6]]
    assert [r.dtype for r in got] == [getattr(paddle, dtype)] * 3
    # A node that x has twice goes by its last number, as in PaddlePaddle.
    got = geometric.reindex_graph(of([5, 5, 1], dtype), of([5, 1, 9, 9, 5, 1, 2], dtype), count)
    assert lists(got) == [[1, 2, 3, 3, 1, 2, 4], [1, 1, 1, 1, 1, 2, 2], [5, 5, 1, 9, 2]]
    nothing = of([], dtype)
    got = geometric.reindex_graph(of([4, 2], dtype), nothing, of([0, 0], "int32"))
    assert lists(got) == [[], [], [4, 2]]


def test_reindex_of_several_kinds_of_edges():
    near = [of([8, 9, 0, 4, 7, 6, 7]), of([0, 2, 3, 5, 1])]
    got = geometric.reindex_heter_graph(
        of([0, 1, 2]), near, [of([2, 3, 2], "int32"), of([1, 3, 1], "int32")]
    )
    assert lists(got) == [
        [3, 4, 0, 5, 6, 7, 6, 0, 2, 8, 9, 1],
        [0, 0, 1, 1, 1, 2, 2, 0, 1, 1, 1, 2],
        [0, 1, 2, 8, 9, 4, 7, 6, 3, 5],
    ]


def hop(row, colptr, nodes):
    near, count = geometric.sample_neighbors(row, colptr, nodes)
    return near, count, *geometric.reindex_graph(nodes, near, count)


def test_compiled_hop():
    want = lists(hop(*graph(), of(NODES)))
    compiled = paddle.jit.to_static(hop, full_graph=True)
    assert lists(compiled(*graph(), of(NODES))) == want
    assert lists(compiled(*graph(), of([6, 0]))) == lists(hop(*graph(), of([6, 0])))


def test_recorded_hop():
    want = lists(hop(*graph(), of(NODES)))
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            data = [
                paddle.static.data(name, shape, "int64")
                for name, shape in (("row", [13]), ("colptr", [11]), ("nodes", [-1]))
            ]
            results = hop(*data)
        feed = {"row": np.array(ROW), "colptr": np.array(COLPTR), "nodes": np.array(NODES)}
        got = paddle.static.Executor().run(program, feed=feed, fetch_list=list(results))
    finally:
        paddle.disable_static()
    assert [g.tolist() for g in got] == want
    text = str(program)
    assert "pd_op.graph_sample_neighbors" in text and "pd_op.reindex_graph" in text


WEIGHTS = np.ones(13, "float32")
REFUSED = {
    "eids": (ValueError, lambda: geometric.sample_neighbors(*graph(), of([0]), return_eids=True)),
    "few eids": (
        ValueError,
        lambda: geometric.sample_neighbors(*graph(), of([0]), 1, of([1, 2]), return_eids=True),
    ),
    "node": (IndexError, lambda: geometric.sample_neighbors(*graph(), of([10]))),
    "negative node": (IndexError, lambda: geometric.sample_neighbors(*graph(), of([-1]))),
    "no pointers": (IndexError, lambda: geometric.sample_neighbors(of(ROW), of([]), of([0]))),
    "pointers": (IndexError, lambda: geometric.sample_neighbors(of(ROW), of([0, 99]), of([0]))),
    "falling pointers": (
        IndexError,
        lambda: geometric.sample_neighbors(of(ROW), of([5, 2]), of([0])),
    ),
    "shape": (ValueError, lambda: geometric.sample_neighbors(*graph(), of([[0, 1], [2, 3]]))),
    "dtypes": (ValueError, lambda: geometric.sample_neighbors(*graph(), of([0], "int32"))),
    "floats": (
        RuntimeError,
        lambda: geometric.sample_neighbors(of(ROW, "float32"), of(COLPTR), of([0])),
    ),
    "few weights": (
        ValueError,
        lambda: geometric.weighted_sample_neighbors(*graph(), of([1.0], "float32"), of([0]), 1),
    ),
    "negative weights": (
        ValueError,
        lambda: geometric.weighted_sample_neighbors(*graph(), of(-WEIGHTS, "float32"), of([0]), 1),
    ),
    "dtype of weights": (
        ValueError,
        lambda: geometric.weighted_sample_neighbors(*graph(), of(WEIGHTS, "float64"), of([0]), 1),
    ),
    "counts": (ValueError, lambda: geometric.reindex_graph(of([0, 1]), of([1, 2, 3]), of([1, 1]))),
    "more counts": (
        ValueError,
        lambda: geometric.reindex_graph(of([0, 1]), of([1, 2]), of([1, 1, 0])),
    ),
    "negative counts": (
        ValueError,
        lambda: geometric.reindex_graph(of([0, 1]), of([1, 2]), of([3, -1])),
    ),
    "dtype of neighbors": (
        ValueError,
        lambda: geometric.reindex_graph(of([0, 1]), of([1, 2], "int32"), of([1, 1])),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    error, call = REFUSED[case]
    with pytest.raises(error, match=r"\[(weighted_)?(sample_neighbors|reindex_graph)\] expected"):
        call()


def test_reindex_by_its_old_name():
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            inputs = {
                "X": paddle.static.data("x", [3], "int64"),
                "Neighbors": paddle.static.data("neighbors", [7], "int64"),
                "Count": paddle.static.data("count", [3], "int32"),
            }
            block = program.global_block()
            names = "Reindex_Src", "Reindex_Dst", "Out_Nodes"
            outputs = {name: block.create_var(name=name.lower()) for name in names}
            block.append_op(type="graph_reindex", inputs=inputs, outputs=outputs)
        feed = {
            "x": np.array([0, 1, 2]),
            "neighbors": np.array([8, 9, 0, 4, 7, 6, 7]),
            "count": np.array([2, 3, 2], "int32"),
        }
        got = paddle.static.Executor().run(program, feed=feed, fetch_list=list(outputs.values()))
    finally:
        paddle.disable_static()
    assert [g.tolist() for g in got] == [
        [3, 4, 0, 5, 6, 7, 6],
        [0, 0, 1, 1, 1, 2, 2],
        [0, 1, 2, 8, 9, 4, 7, 6],
    ]


def test_sampling_in_steps():
    row = paddle.to_tensor([3, 7, 0, 9, 1, 4, 2, 9, 3, 9, 1, 9, 7])
    starts = paddle.to_tensor([0, 2, 4, 5, 6, 7, 9, 11, 11, 13, 13])
    edges = paddle.arange(13)
    sample = paddle.incubate.graph_khop_sampler
    got = sample(row, starts, paddle.to_tensor([1]), [10, 10], edges, True)
    assert [t.flatten().tolist() for t in got] == [
        [1, 2, 3, 4],
        [0, 0, 1, 1],
        [1, 0, 9, 3, 7],
        [0],
        [2, 3, 0, 1],
    ]
    assert [t.shape for t in got] == [[4, 1], [4, 1], [5], [1], [4]]
    # A node that an earlier step found is not sampled again.
    source, target, nodes, start = sample(row, starts, paddle.to_tensor([0, 8, 1, 2]), [-1, -1])
    assert source.flatten().tolist() == [4, 5, 6, 5, 0, 6, 2, 7]
    assert target.flatten().tolist() == [0, 0, 1, 1, 2, 2, 3, 4]
    assert nodes.tolist() == [0, 8, 1, 2, 3, 7, 9, 4] and start.tolist() == [0, 1, 2, 3]
    found = sample(row, starts, paddle.to_tensor([6]), [1, 1])
    assert found[0].shape[0] <= 2 and found[2].tolist()[0] == 6
    with pytest.raises(ValueError, match='sorted_eids'):
        sample(row, starts, paddle.to_tensor([1]), [1], return_eids=True)
