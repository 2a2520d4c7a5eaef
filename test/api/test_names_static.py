# SPDX-License-Identifier: Apache-2.0
"""Names of inner modules that programs of static mode, loaders, distributions and the profiler use.
Values are those of PaddlePaddle 3.3.1.
"""

import functools
import io
import warnings

import numpy as np
import pytest

import paddle
from static_program import static_program


def trained(decorate, steps, bad=None):
    """(loss, scale, scaled loss, weight) after each of so many steps; the input of step `bad` holds
    an infinity.
    """
    with static_program():
        paddle.seed(1)
        x = paddle.static.data("x", [4, 3])
        layer = paddle.nn.Linear(3, 2)
        loss = paddle.mean(layer(x) ** 2)
        optimizer = decorate(paddle.optimizer.SGD(0.1))
        optimizer.minimize(loss)
        exe = paddle.static.Executor()
        exe.run(paddle.static.default_startup_program())
        optimizer.amp_init(paddle.CPUPlace())
        rows = []
        for step in range(steps):
            value = np.ones([4, 3], "float32")
            value[0, 0] = np.inf if step == bad else 1.0
            out = exe.run(
                feed={"x": value},
                fetch_list=[
                    loss,
                    optimizer.get_loss_scaling(),
                    optimizer.get_scaled_loss(),
                    layer.weight,
                ],
            )
            rows.append([np.array(o).copy() for o in out])
        return rows


def test_loss_scaling_of_programs():
    decorate = functools.partial(
        paddle.static.amp.decorate,
        init_loss_scaling=8.0,
        incr_every_n_steps=2,
        decr_every_n_nan_or_inf=1,
        incr_ratio=2.0,
        decr_ratio=0.5,
        use_dynamic_loss_scaling=True,
    )
    rows = trained(decorate, 7, bad=3)
    losses = [0.6027015, 0.2169726, 0.0781101, np.inf, 0.0281196, 0.0101231, 0.0036443]
    np.testing.assert_allclose([float(r[0]) for r in rows], losses, rtol=1e-4)
    assert [float(r[1].item()) for r in rows] == [8, 16, 16, 8, 8, 16, 16]
    np.testing.assert_allclose(
        [float(r[2].item()) for r in rows],
        [4.8216124, 1.7357805, 1.2497619, np.inf, 0.2249571, 0.0809845, 0.0583088],
        rtol=1e-4,
    )
    assert np.array_equal(rows[2][3], rows[3][3])
    np.testing.assert_allclose(
        rows[6][3].ravel(), [-0.83779, 0.43643, 0.60422, -1.1382, -0.02769, 0.87395], atol=2e-5
    )


def test_a_fixed_scale_stays():
    rows = trained(
        functools.partial(
            paddle.static.amp.decorate, init_loss_scaling=8.0, use_dynamic_loss_scaling=False
        ),
        3,
    )
    np.testing.assert_allclose(
        [float(r[0]) for r in rows], [0.6027015, 0.2169726, 0.0781101], rtol=1e-4
    )
    assert [float(r[1].item()) for r in rows] == [8, 8, 8]


@pytest.mark.parametrize(
    "args,kwargs,scale,dynamic,level",
    [
        ((), {}, 65536, True, "O1"),
        ((), {"level": "O2"}, 65536, True, "O2"),
        ((), {"dtype": "bfloat16"}, 65536, False, "O1"),
        ((), {"use_pure_fp16": True}, 32768, True, "O2"),
        ((), {"use_bf16": True}, 1.0, False, "O1"),
        (
            (paddle.static.amp.CustomOpLists(custom_white_list=["matmul_v2"]),),
            {"use_bf16": True},
            1.0,
            False,
            "O1",
        ),
        ((None, 8.0), {}, 8.0, True, "O1"),
        ((None, "O1"), {}, 65536, True, "O1"),
    ],
)
def test_forms_of_decorate(args, kwargs, scale, dynamic, level):
    made = paddle.static.amp.decorate(
        paddle.optimizer.SGD(0.1, parameters=[paddle.create_parameter([1], "float32")]),
        *args,
        **kwargs,
    )
    assert (made._init_loss_scaling, made._use_dynamic_loss_scaling, made._amp_level) == (
        scale,
        dynamic,
        level,
    )
    assert made.get_loss_scaling() is None and made.get_lr() == 0.1


def test_what_decorate_refuses():
    decorate, sgd = (
        paddle.static.amp.decorate,
        paddle.optimizer.SGD(0.1, parameters=[paddle.create_parameter([1], "float32")]),
    )
    for kwargs, error in [
        ({"level": "O3"}, ValueError),
        ({"dtype": "int8"}, ValueError),
        ({"other": 1}, TypeError),
        ({"use_amp_guard": True}, ValueError),
        ({"use_pure_fp16": True, "use_fp16_guard": True}, ValueError),
        ({"use_promote": True}, ValueError),
    ]:
        with pytest.raises(error):
            decorate(sgd, **kwargs)
    lists = paddle.static.amp.AutoMixedPrecisionLists
    for given, named in [
        (lists({"tanh"}), "tanh"),
        (lists(None, {"conv2d"}), "conv2d"),
        (lists(custom_black_varnames={"v"}), "v"),
    ]:
        with pytest.raises(ValueError, match=f"expected amp_lists .* got {named}"):
            decorate(sgd, given)
    assert decorate(sgd, lists(dtype="bfloat16"), dtype="bfloat16").get_lr() == 0.1


def test_lists_of_mixed_precision():
    from paddle.static.amp import fp16_lists

    lists = paddle.static.amp.CustomOpLists({"tanh"}, {"conv2d"}, {"v"})
    assert (
        "tanh" in lists.white_list
        and "conv2d" in lists.black_list
        and "conv2d" not in lists.white_list
        and lists.black_varnames == {"v"}
    )
    with pytest.raises(ValueError, match="without an op in both"):
        paddle.static.amp.AutoMixedPrecisionLists({"tanh"}, {"tanh"})
    assert [fp16_lists.check_amp_dtype(d) for d in ("float16", "bfloat16", "FLOAT16")] == [
        "float16",
        "bfloat16",
        "float16",
    ]
    assert fp16_lists.get_low_precision_dtypestr(paddle.float16) == "float16"
    assert fp16_lists.get_low_precision_vartype("bfloat16") == paddle.bfloat16
    with pytest.raises(ValueError):
        fp16_lists.check_amp_dtype("int8")
    with static_program(), paddle.static.amp.fp16_guard():
        assert paddle.ones([1]).shape == [1]


def test_steps_of_loss_scaling():
    from paddle.static.amp import amp_nn

    a, b, scale = paddle.to_tensor([2.0, 4.0]), paddle.to_tensor([6.0]), paddle.to_tensor([2.0])
    outs, found = amp_nn.check_finite_and_unscale([a, b], scale)
    assert outs[0] is a and a.tolist() == [1, 2] and b.tolist() == [3] and found.tolist() == [False]
    a = paddle.to_tensor([2.0, float("inf")])
    assert amp_nn.check_finite_and_unscale([a, b], scale)[1].tolist() == [True] and b.tolist() == [
        0
    ]
    with pytest.raises(ValueError):
        amp_nn.check_finite_and_unscale(a, scale)

    def step(found, value, good, bad, every, **kwargs):
        x, scale = paddle.to_tensor([3.0]), paddle.to_tensor([value])
        good, bad = paddle.to_tensor([good], dtype="int32"), paddle.to_tensor([bad], dtype="int32")
        amp_nn.update_loss_scaling(
            [x], paddle.to_tensor([found]), scale, good, bad, every, every, 2.0, 0.5, **kwargs
        )
        return x.item(), scale.item(), good.item(), bad.item()

    assert step(True, 8.0, 1, 1, 2) == (0, 4, 0, 0) and step(False, 8.0, 1, 1, 2) == (3, 16, 0, 0)
    assert step(True, 1.5, 0, 0, 1) == (0, 1, 0, 0) and step(False, 1.5, 0, 0, 1) == (3, 3, 0, 0)
    big = np.float32(3e38).item()
    assert step(False, big, 0, 0, 1) == (3, big, 0, 0) and step(
        True, 8.0, 0, 0, 1, stop_update=True
    ) == (0, 8, 0, 0)


def test_constraints():
    C, x = paddle.distribution.constraint, paddle.to_tensor([-1.0, 0.0, 1.0, float("nan")])
    assert C.real(x).tolist() == [True, True, True, False] and C.positive(x).tolist() == [
        False,
        True,
        True,
        False,
    ]
    assert C.Range(0, 1)(x).tolist() == [False, True, True, False]
    assert C.simplex(paddle.to_tensor([[0.5, 0.5], [1.0, 1.0], [-0.5, 1.5]])).tolist() == [
        True,
        False,
        False,
    ]
    with pytest.raises(NotImplementedError):
        C.Constraint()(x)


def test_random_variables():
    V, C = paddle.distribution.variable, paddle.distribution.constraint
    plain = V.Variable(True, 1, C.positive)
    assert (
        plain.is_discrete,
        plain.event_rank,
        plain.constraint(paddle.to_tensor([-1.0, 1.0])).tolist(),
    ) == (True, 1, [False, True])
    assert (V.real.event_rank, V.real.is_discrete, V.Real(2).event_rank) == (0, False, 2)
    inner = V.Independent(V.positive, 1)
    assert inner.event_rank == 1 and inner.constraint(
        paddle.to_tensor([[1.0, -1.0], [1.0, 2.0]])
    ).tolist() == [False, True]
    with pytest.raises(ValueError):
        V.Independent(V.real, 1).constraint(paddle.to_tensor(1.0))
    both = V.Stack([V.real, V.positive], 0)
    assert both.event_rank == 0 and both.constraint(
        paddle.to_tensor([[1.0, -1.0], [1.0, -2.0]])
    ).tolist() == [[True, True], [True, False]]
    for value in (paddle.to_tensor(1.0), paddle.ones([1, 2])):
        with pytest.raises(ValueError):
            both.constraint(value)
    with pytest.raises(AssertionError):
        V.Variable().constraint(paddle.ones([1]))


def test_types_of_transforms():
    T = paddle.distribution.transform
    assert [(t.name, t.value, T.Type.is_injective(t)) for t in T.Type] == [
        ("BIJECTION", "bijection", True),
        ("INJECTION", "injection", True),
        ("SURJECTION", "surjection", False),
        ("OTHER", "other", False),
    ]
    kinds = {
        "AbsTransform": "SURJECTION",
        "AffineTransform": "BIJECTION",
        "ExpTransform": "BIJECTION",
        "PowerTransform": "BIJECTION",
        "SigmoidTransform": "INJECTION",
        "SoftmaxTransform": "OTHER",
        "StickBreakingTransform": "BIJECTION",
        "TanhTransform": "BIJECTION",
        "ReshapeTransform": "BIJECTION",
        "Transform": "INJECTION",
    }
    for name, kind in kinds.items():
        assert getattr(T, name)._type.name == kind and getattr(
            T, name
        )._is_injective() == T.Type.is_injective(T.Type[kind])
    matrix = paddle.arange(9.0).reshape([3, 3])
    lower = paddle.distribution.lkj_cholesky.tril_matrix_to_vec
    assert (
        lower(matrix).tolist() == [0, 3, 4, 6, 7, 8]
        and lower(matrix, -1).tolist() == [3, 6, 7]
        and lower(matrix, 1).tolist() == [0, 1, 3, 4, 5, 6, 7, 8]
    )


def test_ranges_of_time():
    H = paddle.profiler.statistic_helper
    assert H.sum_ranges([(1, 3), (5, 8)]) == 5 and H.merge_self_ranges(
        [(5, 8), (1, 3), (2, 6)]
    ) == [(1, 8)]
    assert (
        H.merge_self_ranges([(1, 3), (2, 6), (7, 8)], is_sorted=True) == [(1, 6), (7, 8)]
        and H.merge_self_ranges([]) == []
    )
    assert H.merge_ranges([(4, 6), (1, 3)], [(7, 9), (2, 4)]) == [
        (1, 6),
        (7, 9),
    ] and H.merge_ranges([(1, 3)], [(3, 5)]) == [(1, 5)]
    assert H.intersection_ranges([(1, 5), (8, 10)], [(2, 3), (4, 9)]) == [(2, 3), (4, 5), (8, 9)]
    assert H.intersection_ranges([(1, 3)], [(3, 5)]) == [] and H.subtract_ranges([(1, 2)], []) == [
        (1, 2)
    ]
    assert H.subtract_ranges([(1, 5), (8, 10)], [(2, 3), (4, 9)]) == [(1, 2), (3, 4), (9, 10)]


def test_kinds_of_events():
    kinds = paddle.profiler.TracerEventType
    assert [
        int(kinds[n])
        for n in (
            "Operator",
            "Dataloader",
            "ProfileStep",
            "CudaRuntime",
            "Kernel",
            "Memcpy",
            "Memset",
            "UserDefined",
            "OperatorInner",
            "Forward",
            "Backward",
            "Optimization",
            "Communication",
            "PythonOp",
            "PythonUserDefined",
            "DygraphKernelLaunch",
            "StaticKernelLaunch",
        )
    ] == list(range(17))
    from paddle.profiler import profiler_statistic, utils

    assert [k.name for k in profiler_statistic.TracerMemEventType] == [
        "Allocate",
        "Free",
        "ReservedAllocate",
        "ReservedFree",
    ]
    assert utils._is_profiler_used is False
    with paddle.profiler.Profiler() as profile:
        assert utils._is_profiler_used is True
        paddle.ones([2]) + 1
        profile.step()
    assert utils._is_profiler_used is False


def test_devices_of_dlpack():
    kinds = paddle.utils.dlpack.DLDeviceType
    assert (kinds.kDLCPU, kinds.kDLCUDA, kinds.kDLCUDAHost, kinds.kDLOneAPI, kinds.kDLTrn) == (
        1,
        2,
        3,
        14,
        18,
    )
    assert paddle.ones([1]).__dlpack_device__()[0] == kinds.kDLCPU


def test_structures():
    L = paddle.utils.layers_utils
    assert [L.is_sequence(v) for v in ([], (), {}, "a", 3, range(3), set())] == [
        True,
        True,
        True,
        False,
        False,
        True,
        False,
    ]
    assert (
        [L.to_sequence(v) for v in (3, [3], (3,))] == [[3], [3], (3,)]
        and L.is_same_shape([2, 3], (2, 3))
        and not L.is_same_shape([2], [2, 3])
    )
    for a, b in [(1, 2), ([1, (2, 3)], [4, (5, 6)]), ({"a": 1}, {"a": 2})]:
        L.assert_same_structure(a, b)
    L.assert_same_structure([1, (2, 3)], [1, [2, 3]], check_types=False)
    for a, b, error in [
        ([1, (2, 3)], [1, [2, 3]], TypeError),
        ([1, 2], [1, 2, 3], ValueError),
        ([1, 2], [1, [2]], ValueError),
        ({"a": 1}, {"b": 1}, ValueError),
        (1, [2], ValueError),
    ]:
        with pytest.raises(error):
            L.assert_same_structure(a, b)


def test_helpers_of_models(tmp_path):
    from paddle.hapi import model
    from paddle.hapi.logger import setup_logger

    assert [model.to_list(v) for v in (None, 3, [3], (3,))] == [None, [3], [3], [3]]
    flat, splits = model.flatten_list([1, [2, 3], [4]])
    assert (flat, splits) == ([1, 2, 3, 4], [-1, 2, 1]) and model.restore_flatten_list(
        flat, splits
    ) == [1, [2, 3], [4]]
    assert model.extract_args(lambda self, a, b=2, *c, d=1: 0) == ["a", "b"]
    logger = setup_logger(str(tmp_path), name="names")
    logger.info("written")
    for handler in logger.handlers:
        handler.close()
    assert (
        "INFO: written" in (tmp_path / "log.txt").read_text()
        and setup_logger(name="names") is logger
    )


def test_values_of_variables():
    from paddle.base import backward, executor
    from paddle.framework import io_utils
    from paddle.static.io import _get_valid_program

    with static_program():
        x = paddle.static.data("x", [2, 3])
        out = paddle.static.nn.fc(x, 2)
        exe = paddle.static.Executor()
        exe.run(paddle.static.default_startup_program())
        weight = paddle.static.default_main_program().all_parameters()[0]
        weight = (
            weight
            if weight.shape == [3, 2]
            else paddle.static.default_main_program().all_parameters()[1]
        )
        io_utils.set_value(weight, np.ones([3, 2], "float32"))
        assert np.array(io_utils.get_value(weight)).tolist() == [[1, 1]] * 3
        with pytest.raises(ValueError, match=r"expected shape \[3, 2\].*got \[3\]"):
            io_utils.set_value(weight, np.ones([3], "float32"))
        assert executor._fetch_var(weight.name).tolist() == [[1, 1]] * 3
        with pytest.raises(AssertionError, match="of the scope, got 'nothing'"):
            executor._fetch_var("nothing")
        assert (
            io_utils.is_parameter(weight)
            and io_utils.is_persistable(weight)
            and not io_utils.is_belong_to_optimizer(weight)
        )
        assert not io_utils.is_pir_fetch_var(out)
        assert _get_valid_program() is paddle.static.default_main_program()
        with pytest.raises(TypeError):
            _get_valid_program(3)
        changed = paddle.static.setitem(x, 0, 5.0)
        rows = exe.run(
            feed={"x": np.zeros([2, 3], "float32")},
            fetch_list=[changed, paddle.base.variable_index._getitem_static(x, (1, 2)), x],
        )
        assert (
            rows[0].tolist() == [[5, 5, 5], [0, 0, 0]]
            and rows[1] == 0
            and rows[2].tolist() == [[0, 0, 0]] * 2
        )
    assert np.array(executor._as_lodtensor([1, 2], paddle.CPUPlace(), "float32")).tolist() == [1, 2]
    with pytest.raises(AssertionError):
        executor._as_lodtensor([1, 2], paddle.CPUPlace())
    assert (
        backward._as_list(None) == []
        and backward._as_list(3) == [3]
        and backward._as_list((3,)) == [3]
    )
    assert [
        backward._strip_grad_suffix_(n) for n in ("x@GRAD", "x@GRAD@RENAME@0", "grad/x@GRAD", "x")
    ] == ["x"] * 4
    assert backward._append_grad_suffix_("x") == "x@GRAD"


def test_files_and_buffers(tmp_path):
    from paddle.framework.io_utils import _open_file_buffer

    for where in (io.BytesIO(), str(tmp_path / "f")):
        with _open_file_buffer(where, "wb") as stream:
            stream.write(b"x")
        with _open_file_buffer(where, "rb") as stream:
            assert stream.read() == b"x"
    with pytest.raises(TypeError):
        with _open_file_buffer(3, "wb"):
            pass


def samples():
    for k in range(5):
        yield np.full([2], k, "float32"), np.array([k])


def batches():
    for k in range(3):
        yield np.full([4, 2], k, "float32"), np.full([4, 1], k)


def test_loaders_of_generators_in_dynamic_mode():
    loader = paddle.base.io.DataLoader.from_generator(capacity=2)
    with pytest.raises(AssertionError, match="expected a generator"):
        next(iter(loader))
    for given in (loader.set_batch_generator(batches), loader):
        assert [b[0][0, 0].item() for b in given] == [0, 1, 2]
    loader.set_sample_generator(samples, batch_size=2, drop_last=False)
    assert [b[0].shape for b in loader()] == [[2, 2], [2, 2], [1, 2]]
    loader.set_sample_list_generator(paddle.batch(samples, 2))
    assert [b[1].flatten().tolist() for b in loader] == [[0, 1], [2, 3], [4]]
    reader = paddle.base.io.PyReader(capacity=2, return_list=True)
    reader.decorate_batch_generator(batches)
    assert len(list(reader)) == 3
    for kwargs in ({"iterable": False}, {"use_multiprocess": True}, {"capacity": 0}):
        with pytest.raises(ValueError):
            paddle.base.io.DataLoader.from_generator(**kwargs)


def test_loaders_of_generators_in_static_mode():
    with static_program():
        x, y = paddle.static.data("x", [None, 2]), paddle.static.data("y", [None, 1], "int64")
        loader = paddle.base.io.DataLoader.from_generator(feed_list=[x, y], capacity=2)
        total, exe = x.sum() + y.sum().astype("float32"), paddle.static.Executor()
        loader.set_sample_list_generator(
            paddle.batch(samples, 2), places=paddle.static.cpu_places(1)
        )
        assert [float(exe.run(feed=feed, fetch_list=[total])[0]) for feed in loader] == [
            3.0,
            15.0,
            12.0,
        ]
        loader.set_batch_generator(lambda: iter([[np.ones([1, 2], "float32")]]))
        with pytest.raises(ValueError):
            list(loader)
    before = paddle.base.reader.use_pinned_memory()
    paddle.base.reader.use_pinned_memory(False)
    assert paddle.base.reader.use_pinned_memory() is False
    paddle.base.reader.USE_PINNED_MEMORY = before


def test_names_around_to_static():
    from paddle.jit.dy2static.utils import Dygraph2StaticException, func_to_source_code

    assert func_to_source_code(samples).startswith("def samples():") and issubclass(
        Dygraph2StaticException, Exception
    )
    with pytest.raises(TypeError):
        func_to_source_code(3)
    from paddle.jit.pir_translated_layer import PIR_INFER_MODEL_SUFFIX
    from paddle.jit.translated_layer import INFER_MODEL_SUFFIX, INFER_PARAMS_SUFFIX

    assert (PIR_INFER_MODEL_SUFFIX, INFER_MODEL_SUFFIX, INFER_PARAMS_SUFFIX) == (
        ".json",
        ".pdmodel",
        ".pdiparams",
    )
    assert [paddle.incubate.autograd.utils.as_tensors(v) for v in (3, [3], (3,), None)] == [
        3,
        (3,),
        (3,),
        None,
    ]


def test_arrays_to_one_tensor():
    join = paddle.tensor.manipulation.tensor_array_to_tensor
    out, sizes = join([paddle.ones([2, 1]), paddle.zeros([2, 2])], axis=1)
    assert out.tolist() == [[1, 0, 0], [1, 0, 0]] and sizes.tolist() == [1, 2]
    assert join([paddle.ones([2]), paddle.zeros([2])], axis=0, use_stack=True)[0].tolist() == [
        [1, 1],
        [0, 0],
    ]
    with pytest.raises(AssertionError):
        join(paddle.ones([2]))


def test_the_core_under_its_own_name():
    from paddle.base import libpaddle

    assert (
        libpaddle.is_compiled_with_avx()
        and not libpaddle.is_compiled_with_cuda()
        and libpaddle.VarDesc is paddle.base.core.VarDesc
    )
    assert not hasattr(libpaddle, "nothing") and not hasattr(libpaddle.pir, "nothing")
    assert paddle.base.core.device_memory_stat_current_value("Allocated", 0) == 0


def test_distributions_say_when_they_convert():
    D = paddle.distribution
    for make in (
        lambda: D.Normal(np.zeros([2], "int32"), 1.0),
        lambda: D.Uniform([0, 1], [2.0, 3.0]),
        lambda: D.Categorical(np.ones([3], "int64")),
    ):
        with pytest.warns(UserWarning, match="int(32|64) are converted to float32"):
            make()
    normal = D.Normal(paddle.zeros([2]), paddle.ones([2]))
    for call in (
        normal.log_prob,
        normal.probs,
        D.StudentT(paddle.to_tensor([2.0]), paddle.zeros([1]), paddle.ones([1])).log_prob,
    ):
        with pytest.warns(UserWarning, match="value of paddle.float64 is converted"):
            assert call(paddle.ones([1], "float64")).dtype == paddle.float32
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        D.Normal([0.0], np.ones([1], "float32")).log_prob(paddle.ones([1]))
        D.Normal(0, 1).log_prob(1)


@pytest.mark.parametrize("pred", [3, None, "yes", [True]])
def test_a_condition_that_is_no_tensor_is_refused(pred):
    with pytest.raises(AssertionError, match="expected pred to be a tensor"):
        paddle.static.nn.cond(pred, lambda: 1, lambda: 2)
    assert paddle.static.nn.cond(True, lambda: 1, lambda: 2) == 1


def test_a_condition_of_several_elements_is_refused():
    cond = paddle.static.nn.cond
    for value in ([True, False], []):
        with pytest.raises(AssertionError, match="pred of one element"):
            cond(paddle.to_tensor(value), lambda: 1, lambda: 2)
    assert cond(paddle.to_tensor([[True]]), lambda: 1, lambda: 2) == 1


def test_progress_and_callbacks_by_default():
    from paddle.hapi.callbacks import config_callbacks
    from paddle.hapi.progressbar import ProgressBar

    for num, head in (
        (3, "step 1/3 - loss: 0.1235"),
        (3.0, "step 1/3"),
        (2.5, "step 1/2"),
        (None, "step   1 - loss"),
    ):
        out = io.StringIO()
        ProgressBar(num, verbose=2, file=out).update(
            1, [("loss", 0.12346), ("acc", [0.5, 1e-5]), ("n", 3)]
        )
        assert (
            out.getvalue().startswith(head)
            and " - acc: 0.5000 1.0000e-05 - n: 3 - " in out.getvalue()
        )
    for num in (0, -1.0, "3"):
        with pytest.raises(TypeError):
            ProgressBar(num)
    assert [type(c).__name__ for c in config_callbacks().callbacks] == [
        "ProgBarLogger",
        "ModelCheckpoint",
        "LRScheduler",
    ]
