# SPDX-License-Identifier: Apache-2.0
"""Losses whose labels or weights do not belong to the input are refused; none reads beyond them."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


def t(*shape, dtype="float32"):
    return paddle.full(list(shape), 0.5).astype(dtype)


def labels(*shape, value=0):
    return paddle.full(list(shape), value, "int64")


CASES = {
    "cross_entropy_rows": (
        lambda: F.cross_entropy(t(4, 3), labels(2)),
        ValueError,
        ["cross_entropy", "[4, 1]", "[2, 1]"],
    ),
    "cross_entropy_soft_rows": (
        lambda: F.cross_entropy(t(4, 3), t(2, 3), soft_label=True),
        ValueError,
        ["cross_entropy", "[4, 3]", "[2, 3]"],
    ),
    "cross_entropy_soft_classes": (
        lambda: F.cross_entropy(t(4, 3), t(4, 2), soft_label=True),
        ValueError,
        ["cross_entropy", "[4, 2]"],
    ),
    "cross_entropy_soft_more_rows": (
        lambda: F.cross_entropy(t(4, 3), t(8, 3), soft_label=True),
        ValueError,
        ["cross_entropy", "[8, 3]"],
    ),
    "cross_entropy_soft_planes": (
        lambda: F.cross_entropy(t(4, 3, 5), t(4, 3, 1), soft_label=True, axis=1),
        ValueError,
        ["cross_entropy", "[4, 3, 1]"],
    ),
    "cross_entropy_smoothed_rows": (
        lambda: F.cross_entropy(t(4, 3), labels(2), label_smoothing=0.1),
        ValueError,
        ["cross_entropy"],
    ),
    "cross_entropy_smoothed_soft": (
        lambda: F.cross_entropy(t(4, 3), t(2, 3), soft_label=True, label_smoothing=0.1),
        ValueError,
        ["cross_entropy"],
    ),
    "cross_entropy_smoothed_range": (
        lambda: F.cross_entropy(t(4, 3), labels(4, value=7), label_smoothing=0.1),
        (ValueError, IndexError),
        [],
    ),
    "cross_entropy_weight": (lambda: F.cross_entropy(t(4, 3), labels(4), t(2)), ValueError, []),
    "cross_entropy_soft_weight": (
        lambda: F.cross_entropy(t(4, 3), t(4, 3), t(2), soft_label=True),
        ValueError,
        [],
    ),
    "cross_entropy_range": (
        lambda: F.cross_entropy(t(4, 3), labels(4, value=7)),
        IndexError,
        ["cross_entropy", "[0, 3)", "7"],
    ),
    "cross_entropy_negative": (
        lambda: F.cross_entropy(t(4, 3), labels(4, value=-1)),
        (IndexError, ValueError),
        ["-1"],
    ),
    "cross_entropy_range_weighted": (
        lambda: F.cross_entropy(t(4, 3), labels(4, value=7), t(3)),
        (IndexError, ValueError),
        ["7"],
    ),
    "cross_entropy_no_softmax": (
        lambda: F.cross_entropy(t(4, 3), labels(2), use_softmax=False),
        ValueError,
        ["cross_entropy"],
    ),
    "softmax_with_cross_entropy": (
        lambda: F.softmax_with_cross_entropy(t(4, 3), labels(2, 1)),
        ValueError,
        ["cross_entropy", "[2, 1]"],
    ),
    "softmax_with_cross_entropy_soft": (
        lambda: F.softmax_with_cross_entropy(t(4, 3), t(2, 3), soft_label=True),
        ValueError,
        ["[2, 3]"],
    ),
    "cross_entropy_0d": (
        lambda: paddle._C_ops.cross_entropy_with_softmax(t(), labels(), False, True, True, -100, 0),
        (ValueError, IndexError),
        [],
    ),
    "nll_rows": (lambda: F.nll_loss(t(4, 3), labels(2)), ValueError, ["nll_loss", "[4]", "[2]"]),
    "nll_more_rows": (lambda: F.nll_loss(t(4, 3), labels(400)), ValueError, ["nll_loss", "[400]"]),
    "nll_planes": (lambda: F.nll_loss(t(4, 3, 5), labels(4, 2)), ValueError, ["nll_loss"]),
    "nll_weight": (lambda: F.nll_loss(t(4, 3), labels(4), t(2)), ValueError, ["nll_loss", "[2]"]),
    "nll_range": (lambda: F.nll_loss(t(4, 3), labels(4, value=7)), ValueError, ["nll_loss", "7"]),
    "bce_rows": (
        lambda: F.binary_cross_entropy(t(4, 3), t(2, 3)),
        ValueError,
        ["[4, 3]", "[2, 3]"],
    ),
    "bce_logits_rows": (
        lambda: F.binary_cross_entropy_with_logits(t(4, 3), t(2, 3)),
        ValueError,
        ["[4, 3]", "[2, 3]"],
    ),
    "kl_div_rows": (lambda: F.kl_div(t(4, 3), t(2, 3)), ValueError, ["[4, 3]", "[2, 3]"]),
    "smooth_l1_rows": (
        lambda: F.smooth_l1_loss(t(4, 3), t(2, 3)),
        ValueError,
        ["[4, 3]", "[2, 3]"],
    ),
    "mse_rows": (lambda: F.mse_loss(t(4, 3), t(2, 3)), ValueError, []),
    "margin_rows": (lambda: F.multi_margin_loss(t(4, 3), labels(2)), ValueError, []),
    "margin_range": (
        lambda: F.multi_margin_loss(t(4, 3), labels(4, value=9)),
        (ValueError, IndexError),
        [],
    ),
    "margin_weight": (lambda: F.multi_margin_loss(t(4, 3), labels(4), weight=t(2)), ValueError, []),
    "margin_cross_entropy_rows": (
        lambda: F.margin_cross_entropy(t(4, 3), labels(2)),
        (ValueError, RuntimeError),
        [],
    ),
    "margin_cross_entropy_range": (
        lambda: F.margin_cross_entropy(t(4, 3), labels(4, value=9)),
        (ValueError, IndexError),
        [],
    ),
    "hsigmoid_range": (
        lambda: F.hsigmoid_loss(t(4, 5), labels(4, 1, value=99), 6, t(5, 5)),
        (ValueError, IndexError),
        [],
    ),
    "hsigmoid_rows": (
        lambda: F.hsigmoid_loss(t(4, 5), labels(2, 1), 6, t(5, 5)),
        (ValueError, RuntimeError),
        [],
    ),
    "ctc_labels": (
        lambda: F.ctc_loss(
            t(5, 2, 4),
            labels(2, 3, value=9).astype("int32"),
            labels(2, value=5),
            labels(2, value=3),
        ),
        (ValueError, IndexError),
        [],
    ),
    "ctc_lengths": (
        lambda: F.ctc_loss(
            t(5, 2, 4),
            labels(2, 3, value=1).astype("int32"),
            labels(2, value=50),
            labels(2, value=3),
        ),
        (ValueError, IndexError),
        [],
    ),
    "ctc_label_lengths": (
        lambda: F.ctc_loss(
            t(5, 2, 4),
            labels(2, 3, value=1).astype("int32"),
            labels(2, value=5),
            labels(2, value=30),
        ),
        (ValueError, IndexError),
        [],
    ),
    "ctc_blank": (
        lambda: F.ctc_loss(
            t(5, 2, 4),
            labels(2, 3, value=1).astype("int32"),
            labels(2, value=5),
            labels(2, value=3),
            blank=9,
        ),
        (ValueError, IndexError),
        [],
    ),
    "rnnt_labels": (
        lambda: F.rnnt_loss(
            t(2, 4, 3, 5),
            labels(2, 2, value=9).astype("int32"),
            labels(2, value=4).astype("int32"),
            labels(2, value=2).astype("int32"),
        ),
        (ValueError, IndexError),
        [],
    ),
    "rnnt_lengths": (
        lambda: F.rnnt_loss(
            t(2, 4, 3, 5),
            labels(2, 2, value=1).astype("int32"),
            labels(2, value=40).astype("int32"),
            labels(2, value=2).astype("int32"),
        ),
        (ValueError, IndexError),
        [],
    ),
    # Parameters of normalisation and optimizers, read by the same kind of index.
    "batch_norm_variance": (
        lambda: F.batch_norm(t(2, 3, 4), t(3), t(2)),
        ValueError,
        ["batch_norm", "[2]"],
    ),
    "batch_norm_scale": (
        lambda: F.batch_norm(t(2, 3, 4), t(3), t(3), t(2), t(3)),
        ValueError,
        ["batch_norm", "[2]"],
    ),
    "batch_norm_bias": (
        lambda: F.batch_norm(t(2, 3, 4), t(3), t(3), t(3), t(2), training=True),
        ValueError,
        ["batch_norm", "[2]"],
    ),
    "layer_norm_bias": (
        lambda: F.layer_norm(t(2, 3), [3], t(3), t(2)),
        ValueError,
        ["layer_norm", "[2]"],
    ),
    "group_norm_bias": (
        lambda: F.group_norm(t(2, 4, 3), 2, weight=t(4), bias=t(3)),
        ValueError,
        ["group_norm", "[3]"],
    ),
    "instance_norm_scale": (
        lambda: F.instance_norm(t(2, 4, 3), weight=t(3), bias=t(4)),
        ValueError,
        ["instance_norm", "[3]"],
    ),
    "linear_vector_weight": (
        lambda: F.linear(t(2, 3), t(3), t(4)),
        ValueError,
        ["linear", "[2]", "[4]"],
    ),
    "adam_beta_pow": (
        lambda: paddle._C_ops.adam_(
            t(3),
            t(3),
            t(1),
            t(3),
            t(3),
            None,
            paddle.zeros([0]),
            paddle.zeros([0]),
            None,
            None,
            0.9,
            0.999,
            1e-8,
            False,
            1000,
            False,
            False,
            False,
        ),
        ValueError,
        ["one element", "[0]"],
    ),
    "sgd_master": (
        lambda: paddle._C_ops.sgd_(t(3, dtype="float16"), t(1), t(3, dtype="float16"), t(2), True),
        ValueError,
        ["sgd", "master_param"],
    ),
    "sgd_rate": (
        lambda: paddle._C_ops.sgd_(t(3), paddle.zeros([0]), t(3), None, False),
        ValueError,
        ["one element"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refused(name):
    call, exception, parts = CASES[name]
    with pytest.raises(exception) as e:
        call()
    for p in parts:
        assert p in str(e.value), str(e.value)


def test_labels_of_nothing():
    assert F.cross_entropy(paddle.zeros([0, 3]), labels(0), reduction="sum").item() == 0
    assert F.nll_loss(paddle.zeros([0, 3]), labels(0), reduction="sum").item() == 0
    np.testing.assert_array_equal(
        F.cross_entropy(
            paddle.zeros([4, 0]), paddle.zeros([4, 0]), soft_label=True, reduction="none"
        ).numpy(),
        np.zeros([4, 1]),
    )


@pytest.mark.parametrize(
    "kind",
    [
        "SGD",
        "Momentum",
        "Adam",
        "AdamW",
        "Adagrad",
        "RMSProp",
        "Adadelta",
        "Adamax",
        "Lamb",
        "NAdam",
        "RAdam",
        "Rprop",
        "ASGD",
    ],
)
def test_optimizers_step_over_empty_parameters(kind):
    p = paddle.create_parameter([0, 2], "float32")
    q = paddle.create_parameter([2], "float32")
    optimizer = getattr(paddle.optimizer, kind)(learning_rate=0.1, parameters=[p, q])
    for _ in range(2):
        (p.sum() + (q * q).sum()).backward()
        optimizer.step()
        optimizer.clear_grad()
    assert p.shape == [0, 2] and np.isfinite(q.numpy()).all()
