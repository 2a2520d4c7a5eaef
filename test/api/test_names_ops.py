# SPDX-License-Identifier: Apache-2.0
"""Operations of `paddle._C_ops` that are functions here, attention with biases, and more names of
inner modules, against PaddlePaddle 3.3.1's values.
"""

import os

import numpy as np
import pytest

import paddle

C = paddle._C_ops


def test_operations_of_detection():
    priors = paddle.to_tensor([[10.0, 10.0, 20.0, 20.0], [5.0, 5.0, 15.0, 25.0]])
    target, want = (
        paddle.to_tensor([[8.0, 9.0, 22.0, 18.0]]),
        [[[0, -1.5, 1.682361, -0.5268027], [5, -0.75, 1.682361, -3.9925387]]],
    )
    for variances, listed in (
        (paddle.to_tensor([[0.1, 0.1, 0.2, 0.2]] * 2), []),
        (None, [0.1, 0.1, 0.2, 0.2]),
    ):
        np.testing.assert_allclose(
            C.box_coder(priors, variances, target, "encode_center_size", True, 0, listed).numpy(),
            want,
            rtol=1e-5,
        )
    boxes, variances = C.prior_box(
        paddle.ones([1, 3, 1, 1]),
        paddle.ones([1, 3, 8, 8]),
        [2.0],
        [4.0],
        [1.0, 2.0],
        [0.1, 0.1, 0.2, 0.2],
        True,
        False,
        0.0,
        0.0,
        0.5,
        False,
    )
    np.testing.assert_allclose(
        boxes.numpy().reshape(4, 4),
        [
            [0.375, 0.375, 0.625, 0.625],
            [0.3232, 0.4116, 0.6768, 0.5884],
            [0.4116, 0.3232, 0.5884, 0.6768],
            [0.3232, 0.3232, 0.6768, 0.6768],
        ],
        atol=5e-5,
    )
    assert variances.shape == [1, 1, 4, 4]
    rois = paddle.to_tensor(
        [[0.0, 0.0, 10.0, 10.0], [0.0, 0.0, 100.0, 100.0], [0.0, 0.0, 300.0, 300.0]]
    )
    levels, counts, restore = C.distribute_fpn_proposals(
        rois, paddle.to_tensor([3], dtype="int32"), 2, 3, 2, 224, False
    )
    assert (
        [x.shape[0] for x in levels] == [3, 0]
        and [x.tolist() for x in counts] == [[3], [0]]
        and restore.tolist() == [[0], [1], [2]]
    )
    with pytest.raises(ValueError):
        C.distribute_fpn_proposals(rois, None, 2, 3, 2, 224, False)


BOXES = [[[0.0, 0.0, 10.0, 10.0], [0.0, 0.0, 10.0, 11.0], [20.0, 20.0, 30.0, 30.0]]]
SCORES = [[[0.1, 0.2, 0.3], [0.9, 0.8, 0.7]]]


def test_suppression_of_overlapping_boxes():
    boxes, scores = paddle.to_tensor(BOXES), paddle.to_tensor(SCORES)
    want = [[1, 0.9, 0, 0, 10, 10], [1, 0.7, 20, 20, 30, 30]]
    for out, index, count in (
        C.matrix_nms(boxes, scores, 0.05, 3, 3, 0.1, False, 2.0, 0, True),
        C.multiclass_nms3(boxes, scores, None, 0.05, 3, 3, 0.5, True, 1.0, 0),
    ):
        np.testing.assert_allclose(out.numpy(), want, rtol=1e-6)
        assert (
            index.tolist() == [[0], [2]]
            and count.tolist() == [2]
            and index.dtype == count.dtype == paddle.int32
        )


@pytest.mark.parametrize(
    "args,total,classes,index,counts",
    [
        (
            (0.3, 5, 6, 0.3, True, 1.0, 0),
            334.877,
            [1, 1, 1, 1, 1, 2, 1, 1, 1, 2, 2, 2],
            [1, 10, 8, 3, 6, 2, 17, 15, 23, 20, 19, 21],
            [6, 6],
        ),
        (
            (0.1, -1, 4, 0.5, False, 1.0, -1),
            233.89,
            [0, 1, 1, 2, 0, 1, 1, 2],
            [7, 1, 10, 2, 20, 17, 15, 20],
            [4, 4],
        ),
        (
            (0.2, 8, -1, 0.7, True, 0.9, 1),
            1000.417,
            [0] * 8 + [2] * 8 + [0] * 8 + [2] * 8,
            [
                7,
                2,
                6,
                4,
                10,
                0,
                9,
                11,
                2,
                0,
                8,
                3,
                10,
                5,
                1,
                11,
                20,
                23,
                17,
                18,
                15,
                16,
                14,
                22,
                20,
                19,
                21,
                12,
                18,
                16,
                13,
                17,
            ],
            [16, 16],
        ),
    ],
)
def test_suppression_of_each_class(args, total, classes, index, counts):
    rng = np.random.RandomState(0)
    boxes = rng.rand(2, 12, 4).astype("float32") * 10
    boxes[..., 2:] += boxes[..., :2]
    scores = rng.rand(2, 3, 12).astype("float32")
    out, places, count = C.multiclass_nms3(
        paddle.to_tensor(boxes), paddle.to_tensor(scores), None, *args
    )
    np.testing.assert_allclose(out.numpy().astype("float64").sum(), total, atol=1e-3)
    assert (
        out.numpy()[:, 0].astype(int).tolist() == classes
        and places.numpy().ravel().tolist() == index
        and count.tolist() == counts
    )
    with pytest.raises(ValueError):
        C.multiclass_nms3(paddle.to_tensor(boxes), paddle.to_tensor(scores), count, *args)


def test_plain_operations():
    assert (
        C.ones([2], paddle.float32, paddle.CPUPlace()).tolist() == [1, 1]
        and C.zeros([2], paddle.int32).dtype == paddle.int32
    )
    mean, variance = paddle.zeros([3]), paddle.ones([3])
    outs = C.batch_norm(
        paddle.ones([2, 3, 4, 4]),
        mean,
        variance,
        paddle.ones([3]),
        paddle.ones([3]),
        False,
        0.9,
        1e-5,
        "NCHW",
        False,
        False,
    )
    assert len(outs) == 6 and mean.tolist() == [0, 0, 0] and variance.tolist() == [1, 1, 1]
    np.testing.assert_allclose(outs[1].numpy(), 0.1, rtol=1e-6)
    labels = paddle.to_tensor([[1], [0], [2]])
    share, right, count = C.accuracy(
        paddle.ones([3, 2]), paddle.to_tensor([[1, 0], [1, 2], [2, 0]]), labels
    )
    assert (share.shape, right.item(), count.item(), right.dtype) == ([], 2, 3, paddle.int32)
    np.testing.assert_allclose(share.item(), 2 / 3, rtol=1e-6)
    assert C.fused_bias_act is paddle.incubate.nn.functional.fused_bias_act and not hasattr(
        C, "nothing"
    )


def test_biases_of_attention():
    A, hide = paddle.incubate.nn.attn_bias, -np.inf
    triangle = [[0, hide, hide], [0, 0, hide], [0, 0, 0]]
    assert A.LowerTriangularMask().materialize((3, 3)).tolist() == triangle
    assert A.LowerTriangularMask().materialize((1, 2, 2, 3), dtype="float64").tolist() == [
        [triangle[:2]] * 2
    ]
    assert (
        A.LowerTriangularMask().add_bias(paddle.ones([3, 3])).materialize((3, 3)).tolist()
        == (np.array(triangle) + 1).tolist()
    )
    mask = A.BlockDiagonalMask.from_seqlens([2, 1])
    assert mask.materialize((3, 3)).tolist() == [[0, 0, hide], [0, 0, hide], [hide, hide, 0]]
    assert (
        mask.q_seqinfo.seqstart.tolist(),
        mask.q_seqinfo.max_seqlen,
        mask.q_seqinfo.seqstart_py,
    ) == ([0, 2, 3], 2, [0, 2, 3])
    assert A.BlockDiagonalMask.from_seqlens([2, 1], [1, 2]).materialize((3, 3)).tolist() == [
        [0, hide, hide],
        [0, hide, hide],
        [hide, 0, 0],
    ]
    assert mask.make_causal().materialize((3, 3)).tolist() == [
        [0, hide, hide],
        [0, 0, hide],
        [hide, hide, 0],
    ]
    mask, packed = A.BlockDiagonalMask.from_tensor_list(
        [paddle.ones([1, 2, 4]), paddle.ones([2, 3, 4])]
    )
    assert packed.shape == [1, 8, 4] and [x.shape for x in mask.split(packed)] == [
        [1, 2, 4],
        [2, 3, 4],
    ]
    q = [paddle.ones([1, 2, 4])]
    mask, queries, keys, values = A.BlockDiagonalMask.from_tensor_lists_qkv(
        q, [paddle.ones([1, 3, 4])], [paddle.zeros([1, 3, 4])]
    )
    assert (queries.shape, keys.shape, values.shape, mask.materialize((2, 3)).shape) == (
        [1, 2, 4],
        [1, 3, 4],
        [1, 3, 4],
        [2, 3],
    )
    for call, error in [
        (lambda: mask.split(queries), AssertionError),
        (lambda: mask.materialize((2, 2)), AssertionError),
        (lambda: A.SeqLenInfo.from_seqlens([1.5]), TypeError),
        (lambda: A.AttentionBias().materialize((1, 1)), NotImplementedError),
    ]:
        with pytest.raises(error):
            call()


def test_attention_with_biases():
    from paddle.incubate.nn.memory_efficient_attention import memory_efficient_attention as attend

    A = paddle.incubate.nn.attn_bias
    rng = np.random.RandomState(0)
    q, k, v = (rng.randn(2, 4, 2, 8).astype("float32") for _ in range(3))

    def want(bias, scale=8**-0.5):
        scores = np.einsum("bqhd,bkhd->bhqk", q, k) * scale + bias
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return np.einsum("bhqk,bkhd->bqhd", weights / weights.sum(-1, keepdims=True), v)

    triangle = np.triu(np.full([4, 4], -np.inf), 1)
    extra = rng.randn(4, 4).astype("float32")
    blocks = A.BlockDiagonalMask.from_seqlens([1, 3])
    for bias, added in [
        (None, 0),
        (paddle.to_tensor(extra), extra),
        (A.LowerTriangularMask(), triangle),
        (A.LowerTriangularMask().add_bias(paddle.to_tensor(extra)), triangle + extra),
        (blocks, blocks.materialize((4, 4)).numpy()),
        (blocks.make_causal(), blocks.make_causal().materialize((4, 4)).numpy()),
    ]:
        out = attend(*map(paddle.to_tensor, (q, k, v)), attn_bias=bias)
        np.testing.assert_allclose(out.numpy(), want(added), rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(
        attend(*map(paddle.to_tensor, (q, k, v)), scale=0.5).numpy(),
        want(0, 0.5),
        rtol=2e-4,
        atol=2e-5,
    )
    with pytest.raises(AssertionError, match="attn_bias"):
        attend(*map(paddle.to_tensor, (q, k, v)), attn_bias=3)


def test_functions_for_inference():
    from paddle.incubate.jit import inference, is_inference_mode

    @inference
    def double(x):
        return x * 2

    x = paddle.ones([2])
    x.stop_gradient = False
    for _ in range(3):
        y = double(x)
        assert y.tolist() == [2, 2] and y.stop_gradient
    assert is_inference_mode(double) and not is_inference_mode(abs)
    layer = inference(paddle.nn.Linear(2, 3))
    assert layer(paddle.ones([1, 2])).stop_gradient and is_inference_mode(layer.forward)
    assert paddle.incubate.inference is inference
    with pytest.raises(NotImplementedError, match="with_trt"):
        inference(abs, with_trt=True)
    with pytest.raises(ValueError, match="precision_mode 'float32'"):
        inference(abs, precision_mode='half')
    with pytest.raises(NotImplementedError, match="precision_mode.*paddle.quantization"):
        inference(abs, precision_mode='int8')


@pytest.mark.parametrize('precision', ['float16', 'bfloat16'])
def test_functions_for_inference_compute_in_their_precision(precision, tmp_path):
    from paddle.incubate.jit import inference

    paddle.seed(2)
    layer, x = paddle.nn.Linear(8, 8), paddle.rand([4, 8])
    want = layer(x)
    with paddle.no_grad(), paddle.amp.auto_cast(level='O2', dtype=precision):
        low = layer(x)
    assert low.dtype == getattr(paddle, precision)
    low = low.astype('float32').numpy()
    assert not np.array_equal(low, want.numpy())
    for folder in (None, str(tmp_path)):
        forward = layer.forward
        made = inference(forward, save_model_dir=folder, precision_mode=precision)(x)
        assert made.dtype == paddle.float32
        np.testing.assert_array_equal(made.numpy(), low)


def test_programs_of_functions_for_inference_in_files(tmp_path):
    from paddle.incubate.jit import inference

    paddle.seed(2)
    layer = paddle.nn.Linear(4, 3)
    xs = [paddle.rand([n, 4]) for n in (2, 5, 3)]
    want = [layer(x).numpy() for x in xs]
    made = inference(layer, save_model_dir=str(tmp_path))
    for x, y in zip(xs, want):
        np.testing.assert_allclose(made(x).numpy(), y, rtol=1e-6)
    assert {f.name for f in (tmp_path / 'forward').iterdir()} >= {'infer.json', 'infer.pdiparams'}
    loaded = paddle.jit.load(str(tmp_path / 'forward' / 'infer'))
    np.testing.assert_allclose(loaded(xs[2]).numpy(), want[2], rtol=1e-6)
    # The program in the files runs, not that of the layer; one that does not fit is written anew.
    other = inference(paddle.nn.Linear(4, 3), cache_static_model=True, save_model_dir=str(tmp_path))
    np.testing.assert_allclose(other(xs[1]).numpy(), want[1], rtol=1e-6)
    assert np.abs(other(paddle.ones([2, 1, 4])).numpy()).shape == (2, 1, 3)

    @inference(save_model_dir=str(tmp_path))
    def add(x, y):
        return x + y

    assert add(paddle.ones([2]), y=paddle.ones([2])).tolist() == [2, 2]
    assert (tmp_path / 'add' / 'infer.json').is_file()
    with pytest.raises(TypeError, match="tensors alone as arguments of add.*'int'"):
        add(paddle.ones([2]), 3)


def test_onnx_says_what_is_missing(tmp_path, monkeypatch):
    import sys
    import types

    monkeypatch.setitem(sys.modules, "paddle2onnx", None)
    with pytest.raises(ImportError, match="paddle2onnx"):
        paddle.onnx.export(paddle.nn.Linear(2, 2), str(tmp_path / "m"))
    calls = []
    converter = types.SimpleNamespace(
        dygraph2onnx=lambda *args, **kwargs: calls.append((args, kwargs))
    )
    monkeypatch.setitem(sys.modules, "paddle2onnx", converter)
    paddle.onnx.export(
        "layer", str(tmp_path / "m"), input_spec=[1], opset_version=11, enable_onnx_checker=True
    )
    assert calls == [
        (
            ("layer", str(tmp_path / "m") + ".onnx"),
            {"input_spec": [1], "opset_version": 11, "enable_onnx_checker": True},
        )
    ]
    with pytest.raises(ValueError, match="a file's name"):
        paddle.onnx.export("layer", str(tmp_path) + "/")


def test_variables_in_files(tmp_path):
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            x = paddle.static.data("x", [2, 3])
            out = paddle.static.nn.fc(x, 2)
            exe, main = paddle.static.Executor(), paddle.static.default_main_program()
            exe.run(paddle.static.default_startup_program())
            feed = {"x": np.ones([2, 3], "float32")}
            before = exe.run(feed=feed, fetch_list=[out])[0]
            names = sorted(p.name for p in main.all_parameters())
            io = paddle.static.io
            io.save_vars(exe, str(tmp_path / "each"), main, predicate=lambda v: v.persistable)
            io.save_vars(exe, str(tmp_path / "all"), vars=main.all_parameters(), filename="file")
            assert sorted(os.listdir(tmp_path / "each")) == names and os.listdir(
                tmp_path / "all"
            ) == ["file"]
            for folder, kwargs in (("each", {}), ("all", {"filename": "file", "vars": names})):
                for p in main.all_parameters():
                    paddle.framework.io_utils.set_value(p, np.zeros(p.shape, "float32"))
                assert not np.array_equal(exe.run(feed=feed, fetch_list=[out])[0], before)
                io.load_vars(exe, str(tmp_path / folder), main, **kwargs)
                assert np.array_equal(exe.run(feed=feed, fetch_list=[out])[0], before)
            with pytest.raises(ValueError):
                io.save_vars(exe, str(tmp_path), vars=["nothing"])
            with pytest.raises(TypeError):
                io.load_vars(3, str(tmp_path))
    finally:
        paddle.disable_static()


def test_records_of_memory(tmp_path):
    from paddle.framework import io

    memory = io._to_LodTensor(np.arange(6, dtype="float32").reshape(2, 3))
    assert io._save_dense_tensor(memory, str(tmp_path / "d")) == 50
    assert (tmp_path / "d").read_bytes().hex() == (
        "0000000000000000000000000000000006000000080510021003000000000000803f"
        "0000004000004040000080400000a040"
    )
    assert np.array(io._load_dense_tensor(str(tmp_path / "d"))).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_hooks_before_saving(tmp_path):
    from paddle.jit import api

    seen, layer = [], paddle.nn.Linear(2, 2)
    spec = [paddle.static.InputSpec([None, 2])]
    helper = api._register_save_pre_hook(lambda *args: seen.append(args))
    try:
        paddle.jit.save(layer, str(tmp_path / "m"), input_spec=spec)
        assert seen == [(layer, spec, {})] and len(api._save_pre_hooks) == 1
        helper.remove()
        paddle.jit.save(layer, str(tmp_path / "m"), input_spec=spec)
        assert len(seen) == 1 and api._save_pre_hooks == []
    finally:
        api._clear_save_pre_hooks()


def test_small_helpers():
    from paddle.check_import_scipy import check_import_scipy
    from paddle.jit.utils import OrderedSet
    from paddle.nn.layer.rnn import rnn
    from paddle.vision.models._utils import IntermediateLayerGetter

    check_import_scipy("posix")
    both = OrderedSet([3, 1]) | OrderedSet([2, 1])
    assert (
        list(both) == [3, 1, 2]
        and list(both & [1, 2]) == [1, 2]
        and list(both - [1]) == [3, 2]
        and len(both) == 3
    )
    both.remove(3)
    with pytest.raises(KeyError):
        both.remove(3)
    cell = paddle.nn.SimpleRNNCell(3, 4)
    out, state = rnn(cell, paddle.ones([2, 5, 3]))
    assert out.shape == [2, 5, 4] and np.array_equal(out[:, -1].numpy(), state.numpy())
    net = paddle.nn.Sequential(
        ("a", paddle.nn.Linear(2, 3)), ("b", paddle.nn.ReLU()), ("c", paddle.nn.Linear(3, 1))
    )
    found = IntermediateLayerGetter(net, {"a": "first", "b": "second"})(paddle.ones([1, 2]))
    assert list(found) == ["first", "second"] and np.array_equal(
        found["second"].numpy(), np.maximum(found["first"].numpy(), 0)
    )
    with pytest.raises(ValueError):
        IntermediateLayerGetter(net, {"d": "x"})
    x = paddle.zeros([1000])
    assert paddle.tensor.exponential_(x, 2.0) is x and abs(float(x.mean()) - 0.5) < 0.1
    assert (
        int(paddle.base.core.AttrType.FLOAT64) == 15 and int(paddle.base.core.AttrType.BOOLS) == 7
    )


X = [[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]]


def test_functions_of_dim():
    K, x = paddle.compat, paddle.to_tensor(X)
    assert K.equal(x, x) is True and K.equal(x, x + 1) is False and K.equal(x, x[0]) is False
    sign, logarithm = K.slogdet(paddle.to_tensor([[2.0, 0.0], [0.0, 3.0]]))
    assert sign.item() == 1 and abs(logarithm.item() - 1.7917595) < 1e-5
    values, indices = K.sort(x)
    assert values.tolist() == [[1, 2, 3], [4, 5, 6]] and indices.tolist() == [[1, 2, 0], [2, 1, 0]]
    assert K.sort(x, dim=0, descending=True).indices.tolist() == [[1, 1, 1], [0, 0, 0]]
    assert [p.tolist() for p in K.split(paddle.arange(7), 3)] == [[0, 1, 2], [3, 4, 5], [6]]
    assert [p.shape for p in K.split(x, [1, 2], dim=1)] == [[2, 1], [2, 2]] and [
        p.shape for p in K.split(x, 2, -1)
    ] == [[2, 2], [2, 1]]
    assert (
        K.min(x).item() == 1
        and K.max(x).item() == 6
        and K.max(x, other=paddle.full([2, 3], 2.5)).tolist() == [[3, 2.5, 2.5], [6, 5, 4]]
    )
    least = K.min(x, 1)
    assert (type(least).__name__, least.values.tolist(), least.indices.tolist()) == (
        "MinMaxRetType",
        [1, 4],
        [1, 2],
    )
    assert K.min(x, 1, True).indices.tolist() == [[1], [2]] and K.max(
        x, dim=0, keepdim=True
    ).values.tolist() == [[6, 5, 4]]
    assert [
        t.tolist()
        for t in K.unique(paddle.to_tensor([3, 1, 2, 1]), return_inverse=True, return_counts=True)
    ] == [[1, 2, 3], [2, 0, 1, 0], [2, 1, 1]]
    assert K.unique(paddle.to_tensor([[1, 2], [1, 2], [0, 1]]), dim=0).tolist() == [[0, 1], [1, 2]]
    assert K.median(x).item() == 3 and [t.tolist() for t in K.median(x, 1)] == [[2, 5], [2, 1]]
    assert K.nanmedian(paddle.to_tensor([1.0, float("nan"), 3.0])).item() == 1 and np.isnan(
        K.median(paddle.to_tensor([1.0, float("nan")])).item()
    )
    out = paddle.zeros([2]), paddle.zeros([2], "int64")
    K.max(x, 1, out=out)
    assert out[0].tolist() == [3, 6] and out[1].tolist() == [0, 0]
    number = K.seed()
    assert (
        isinstance(number, int)
        and paddle.base.libpaddle.default_cpu_generator().initial_seed() == number
    )
    paddle.seed(0)


@pytest.mark.parametrize(
    "call",
    [
        lambda K, x: K.sort(x, axis=0),
        lambda K, x: K.split(x, 1, axis=0),
        lambda K, x: K.min(x, axis=0),
        lambda K, x: K.min(x, "a"),
        lambda K, x: K.min(x, keepdim=True),
        lambda K, x: K.min(x, x, True),
        lambda K, x: K.max(x, 1, True, 3),
        lambda K, x: K.split(x, 1.5),
        lambda K, x: K.equal(x, 3),
        lambda K, x: K.median(x, axis=0),
        lambda K, x: K.max(x, 1, out=x),
    ],
)
def test_functions_of_dim_refuse(call):
    with pytest.raises(TypeError):
        call(paddle.compat, paddle.to_tensor(X))


def test_splits_of_no_size_are_refused():
    for size in (0, -1):
        with pytest.raises(AssertionError, match=f"a positive split_size_or_sections, got {size}"):
            paddle.compat.split(paddle.ones([3]), size)


def declarations():
    messages = {}
    for data in paddle.base.core.get_all_op_protos():
        assert data[0] == 0x0A
        messages[data[2 : 2 + data[1]].decode()] = data
    return messages


def test_declarations_as_messages():
    assert declarations()["tanh"].startswith(
        b"\n\x04tanh" + b"\x12\x05\n\x01X\x12\x00" + b"\x1a\x07\n\x03Out\x12\x00"
    )


def test_messages_are_read_by_protobuf():
    pytest.importorskip("google.protobuf")
    from paddle.base.proto import framework_pb2 as pb

    made = pb.OpProto.FromString(declarations()["scale"])
    assert [(v.name, v.dispensable) for v in made.inputs] == [
        ("X", False),
        ("ScaleTensor", True),
        ("BiasTensor", True),
    ]
    assert [(a.name, a.type) for a in made.attrs][:3] == [
        ("scale", pb.FLOAT),
        ("bias", pb.FLOAT),
        ("bias_after_scale", pb.BOOLEAN),
    ]
    program = pb.ProgramDesc()
    block = program.blocks.add(idx=0, parent_idx=-1)
    block.ops.add(type="relu").attrs.add(name="x", type=pb.INT, i=3)
    copy = pb.ProgramDesc.FromString(program.SerializeToString())
    assert (
        copy.blocks[0].ops[0].attrs[0].i == 3
        and copy.blocks[0].forward_block_idx == -1
        and pb.Scalar.Type.Value("LONG") == 2
    )


def test_data_sets_as_readers(tmp_path, monkeypatch):
    import gzip
    import hashlib
    import struct

    from paddle.dataset import common, mnist, uci_housing

    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    images = np.arange(2 * 28 * 28, dtype="uint32").astype("uint8").reshape(2, 28, 28)
    files = {
        "IMAGE": gzip.compress(struct.pack(">4I", 2051, 2, 28, 28) + images.tobytes()),
        "LABEL": gzip.compress(struct.pack(">2I", 2049, 2) + bytes([7, 3])),
    }
    (tmp_path / "mnist").mkdir()
    for part in ("TRAIN", "TEST"):
        for kind, data in files.items():
            (tmp_path / "mnist" / getattr(mnist, f"{part}_{kind}_URL").split("/")[-1]).write_bytes(
                data
            )
            monkeypatch.setattr(mnist, f"{part}_{kind}_MD5", hashlib.md5(data).hexdigest())
    mnist.fetch()
    for make in (mnist.train, mnist.test):
        rows = list(make()())
        assert (
            [label for _, label in rows] == [7, 3]
            and rows[0][0].shape == (784,)
            and rows[0][0].dtype == np.float32
        )
        np.testing.assert_allclose(rows[1][0], images[1].reshape(-1) / 255.0 * 2 - 1, atol=1e-6)
    with pytest.raises(ValueError):
        mnist.reader_creator("a", "b", 0)
    table = np.random.RandomState(0).rand(10, 14)
    data = "\n".join(" ".join(map(str, row)) for row in table).encode()
    (tmp_path / "uci_housing").mkdir()
    (tmp_path / "uci_housing" / "housing.data").write_bytes(data)
    monkeypatch.setattr(uci_housing, "MD5", hashlib.md5(data).hexdigest())
    uci_housing.fetch()
    rows, rest = list(uci_housing.train()()), list(uci_housing.test()())
    assert (len(rows), len(rest), rows[0][0].shape) == (8, 2, (13,)) and rest[1][1][0] == table[
        9, 13
    ]
    np.testing.assert_allclose(
        rows[3][0], ((table - table.mean(0)) / (table.max(0) - table.min(0)))[3, :13], rtol=1e-6
    )


def bowl(x):
    return paddle.sum(
        (x - paddle.to_tensor([1.0, 2.0, 3.0], dtype=x.dtype)) ** 2
        * paddle.to_tensor([1.0, 10.0, 100.0], dtype=x.dtype)
    )


def banana(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


@pytest.mark.parametrize("name", ["minimize_bfgs", "minimize_lbfgs"])
def test_minima(name):
    minimize = getattr(paddle.incubate.optimizer.functional, name)
    done, calls, at, value, grad, *rest = minimize(
        lambda x: paddle.dot(x, x), paddle.to_tensor([1.3, 2.7])
    )
    assert (done.tolist(), calls.tolist(), at.tolist(), value.shape, len(rest)) == (
        [True],
        [3],
        [0, 0],
        [],
        int(name == "minimize_bfgs"),
    )
    if rest:
        np.testing.assert_allclose(
            rest[0].numpy(), [[0.9059, -0.19543], [-0.19543, 0.5941]], atol=1e-4
        )
    start = paddle.zeros([3], "float64")
    done, _, at, value, grad, *rest = minimize(bowl, start, dtype="float64")
    assert done.item() and at.dtype == paddle.float64
    np.testing.assert_allclose(at.numpy(), [1, 2, 3], atol=1e-6)
    if rest:
        np.testing.assert_allclose(rest[0].numpy(), np.diag([0.5, 0.05, 0.005]), atol=1e-3)
    start = paddle.to_tensor([-1.0, 1.5], dtype="float64")
    done, _, at, value, _, *_ = minimize(banana, start, dtype="float64", max_iters=60)
    assert done.item() and abs(value.item()) < 1e-12
    np.testing.assert_allclose(at.numpy(), [1, 1], atol=1e-6)
    done, calls, at, value, grad, *_ = minimize(banana, start, dtype="float64", max_iters=3)
    assert not done.item()
    np.testing.assert_allclose(
        [*at.tolist(), value.item(), *grad.tolist()],
        [-0.80499, 0.6315, 3.28521, -8.92355, -3.30042],
        atol=1e-5,
    )
    done, _, at, *_ = minimize(bowl, paddle.to_tensor([1.0, 2.0, 3.0]))
    assert done.item() and at.tolist() == [1, 2, 3]
    estimate = paddle.to_tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    for kwargs, error in [
        ({"line_search_fn": "other"}, NotImplementedError),
        ({"dtype": "int32"}, ValueError),
        ({"initial_inverse_hessian_estimate": estimate}, ValueError),
        ({"initial_inverse_hessian_estimate": -paddle.eye(3)}, ValueError),
    ]:
        with pytest.raises(error):
            minimize(bowl, paddle.zeros([3]), **kwargs)
    with pytest.raises(ValueError):
        minimize(lambda x: x, paddle.zeros([3]))


def test_rows_scaled_down():
    from paddle.nn.functional.input import embedding_renorm_

    weight = paddle.to_tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    assert embedding_renorm_(paddle.to_tensor([[0, 1], [0, 0]]), weight, 1.0) is weight
    np.testing.assert_allclose(weight.numpy(), [[0.6, 0.8], [0.3, 0.4], [6, 8]], rtol=1e-5)
    embedding_renorm_(paddle.to_tensor([2]), weight, 2.0, 1.0)
    np.testing.assert_allclose(
        weight.numpy(), [[0.6, 0.8], [0.3, 0.4], [0.857143, 1.142857]], rtol=1e-5
    )


def test_devices_that_are_not_there():
    cuda = paddle.device.cuda
    for name in (
        "current_stream",
        "memory_summary",
        "reset_max_memory_allocated",
        "reset_max_memory_reserved",
        "vmm_compact",
    ):
        with pytest.raises(ValueError, match=rf"^\[cuda.{name}\] expected a GPU and its driver"):
            getattr(cuda, name)()
    assert cuda.Event is paddle.device.Event and cuda.Stream is paddle.device.Stream
    with pytest.raises(RuntimeError):
        paddle.static.IpuStrategy()
    for call in (
        paddle.static.IpuCompiledProgram,
        paddle.static.ipu_shard_guard().__enter__,
        paddle.static.set_ipu_shard(lambda: 3),
    ):
        with pytest.raises(ValueError, match="IPU"):
            call()


def test_what_decorates_a_function_is_known():
    for guard in (paddle.no_grad(), paddle.enable_grad(), paddle.set_grad_enabled(True)):

        def generate():
            yield 1

        for function in (bowl, generate):
            assert getattr(guard(function), guard.DECORATED_BY_MARKER_ATTR) is guard


def test_tensors_by_url(tmp_path, monkeypatch):
    import hashlib
    import shutil

    from paddle.utils import download

    state = {"w": paddle.to_tensor([1.0, 2.0])}
    paddle.save(state, str(tmp_path / "made"))
    digits, fetched = hashlib.sha256((tmp_path / "made").read_bytes()).hexdigest()[:8], []

    def fetch(url, path):
        fetched.append(url)
        shutil.copy(tmp_path / "made", path)

    monkeypatch.setitem(download._download_methods, "get", fetch)
    url = f"http://somewhere/m-{digits}.pdparams"
    for _ in range(2):
        assert paddle.hub.load_state_dict_from_url(url, str(tmp_path / "hub"), check_hash=True)[
            "w"
        ].tolist() == [1, 2]
    assert fetched == [url] and os.listdir(tmp_path / "hub") == [f"m-{digits}.pdparams"]
    assert paddle.hub.load_state_dict_from_url(url, str(tmp_path / "hub"), file_name="other")[
        "w"
    ].tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="sha256"):
        paddle.hub.load_state_dict_from_url(
            "http://somewhere/m-00000000.pdparams", str(tmp_path / "hub"), check_hash=True
        )
    with pytest.raises(ValueError):
        paddle.hub.load_state_dict_from_url("m.pdparams", str(tmp_path))
