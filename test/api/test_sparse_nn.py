# SPDX-License-Identifier: Apache-2.0
"""Layers of sparse tensors against those of dense ones."""

import numpy as np
import paddle
import paddle.nn.functional as dense
import pytest
from sparse_cases import batch, check_gradient, coo, csr, values

S = paddle.sparse
F = S.nn.functional


def tensor(*shape, seed=0):
    return paddle.to_tensor(values(shape, seed), stop_gradient=False)


def volume(count=14, channels=3, seed=0):
    return coo((2, 4, 5, 3), count, seed, dense=(channels,))


def image(count=9, channels=3, seed=0):
    return coo((2, 5, 4), count, seed, dense=(channels,))


def dense_conv(axes, x, weight, bias, *arguments):
    """Channels last, and the weight as sparse convolutions have it."""
    back = [axes + 1, axes, *range(axes)]
    convolve = dense.conv3d if axes == 3 else dense.conv2d
    layout = "NDHWC" if axes == 3 else "NHWC"
    return convolve(x, paddle.transpose(weight, back), bias, *arguments, data_format=layout)


@pytest.mark.parametrize("name", ["relu", "relu6", "leaky_relu"])
@pytest.mark.parametrize("make", [coo, csr])
def test_activations(name, make):
    x = make((4, 5), 8)
    check_gradient(getattr(F, name), x, dense=getattr(dense, name))


def lowest(x, like):
    """What softmax over stored elements is of a dense tensor."""
    kept = like.to_dense() != 0
    filled = paddle.where(kept, x, paddle.full_like(x, -1e300))
    return filled, kept.astype(x.dtype)


@pytest.mark.parametrize(
    "x, axis",
    [
        (coo((4, 5), 12), -1),
        (coo((4, 5), 12), 0),
        (coo((3, 4, 5), 30), 1),
        (csr((4, 5), 12), -1),
        (batch((3, 4, 5)), -1),
        (coo((6,), 4), 0),
        (coo((4,), 3, dense=(5,)), 1),
        (coo((4,), 3, dense=(5,)), 0),
    ],
)
def test_softmax(x, axis):
    def wanted(a):
        filled, kept = lowest(a, x)
        return dense.softmax(filled, axis) * kept

    check_gradient(lambda a: F.softmax(a, axis), x, dense=wanted)


def test_softmax_of_large_numbers_and_refusals():
    x = S.sparse_coo_tensor([[0, 0], [0, 1]], [1e4, 1e4], [1, 3])
    assert F.softmax(x).values().tolist() == [0.5, 0.5]
    with pytest.raises(NotImplementedError):
        F.softmax(csr((4, 5), 3), 0)
    for wrong in (lambda: F.softmax(x, 2), lambda: F.softmax(S.cast(x, None, "int64"))):
        with pytest.raises(ValueError):
            wrong()


@pytest.mark.parametrize(
    "kernel, arguments",
    [
        ((2, 2, 2), ()),
        ((3, 3, 3), (2, 1)),
        ((3, 2, 1), ([1, 2, 1], [1, 0, 2])),
        ((2, 3, 2), (1, 2, 2)),
        ((3, 3, 3), (1, "SAME")),
        ((2, 2, 2), (2, "SAME")),
        ((2, 2, 2), (1, "valid")),
        ((2, 2, 2), (1, [1, 0, 0, 1, 1, 1])),
    ],
)
def test_conv3d(kernel, arguments):
    x, w, b = volume(), tensor(*kernel, 3, 4, seed=1), tensor(4, seed=2)
    got = F.conv3d(x, w, None, *arguments)
    assert got.is_coalesced()
    check_gradient(
        lambda a, c: F.conv3d(a, c, None, *arguments),
        x,
        w,
        dense=lambda a, c: dense_conv(3, a, c, None, *arguments),
        rtol=1e-8,
    )
    shifted = F.conv3d(x, w, b, *arguments)
    np.testing.assert_allclose(shifted.values().numpy(), (got.values() + b).numpy())


def test_conv2d():
    x, w = image(), tensor(3, 2, 3, 4, seed=1)
    check_gradient(
        lambda a, c: F.conv2d(a, c, None, 1, 1),
        x,
        w,
        dense=lambda a, c: dense_conv(2, a, c, None, 1, 1),
        rtol=1e-8,
    )


@pytest.mark.parametrize("name", ["subm_conv3d", "subm_conv3d_igemm"])
@pytest.mark.parametrize("dilation", [1, 2])
def test_subm_conv3d(name, dilation):
    x, w = volume(30), tensor(3, 3, 1, 3, 4, seed=1)
    kept = (x.to_dense() != 0).any(-1, keepdim=True).astype("float64")
    pads = [dilation, dilation, 0]
    check_gradient(
        lambda a, c: getattr(F, name)(a, c, None, 1, 1, dilation, key="one"),
        x,
        w,
        dense=lambda a, c: dense_conv(3, a, c, None, 1, pads, dilation) * kept,
        rtol=1e-8,
    )
    assert getattr(F, name)(x, w, tensor(4)).indices().tolist() == x.indices().tolist()


def test_subm_conv2d():
    x, w, b = image(), tensor(3, 3, 3, 4, seed=1), tensor(4, seed=2)
    kept = (x.to_dense() != 0).any(-1, keepdim=True).astype("float64")
    for name in ("subm_conv2d", "subm_conv2d_igemm"):
        check_gradient(
            lambda a, c, d, name=name: getattr(F, name)(a, c, d, 1, 1),
            x,
            w,
            b,
            dense=lambda a, c, d: dense_conv(2, a, c, d, 1, 1) * kept,
            rtol=1e-8,
        )


def test_channels_change_while_places_stay():
    x = volume()
    y = F.subm_conv3d(x, tensor(3, 3, 3, 3, 5))
    z = F.subm_conv3d(y, tensor(3, 3, 3, 5, 2))
    assert y.shape == [2, 4, 5, 3, 5] and z.shape == [2, 4, 5, 3, 2]
    assert F.max_pool3d(y, 2).shape[-1] == 5 and F.max_pool3d(x, 2).shape[-1] == 3


def test_convolutions_of_nothing():
    none = S.sparse_coo_tensor(paddle.zeros([4, 0], "int64"), paddle.zeros([0, 3]), [1, 4, 4, 4, 3])
    w = paddle.ones([3, 3, 3, 3, 2])
    assert F.subm_conv3d(none, w).shape == [1, 4, 4, 4, 2] and F.subm_conv3d(none, w).nnz() == 0
    assert F.conv3d(none, w).shape == [1, 2, 2, 2, 2] and F.conv3d(none, w).nnz() == 0
    assert F.max_pool3d(none, 2).shape == [1, 2, 2, 2, 3]


def test_convolutions_refuse():
    x = volume()
    w = tensor(3, 3, 3, 3, 4)
    for wrong in (
        lambda: F.conv3d(x, tensor(3, 3, 3, 2, 4)),
        lambda: F.conv3d(x, tensor(3, 3, 3, 4)),
        lambda: F.conv3d(x, w, tensor(3)),
        lambda: F.conv3d(x, tensor(7, 7, 7, 3, 4)),
        lambda: F.conv3d(x, w, data_format="NCDHW"),
        lambda: F.conv3d(x, w, None, 0),
        lambda: F.conv3d(x, w, None, 1, -1),
        lambda: F.conv3d(x, w, None, 1, "FULL"),
        lambda: F.conv3d(x, w, None, [1, 1]),
        lambda: F.conv3d(image(), w),
        lambda: F.conv3d(coo((2, 4, 5, 3, 3), 9), w),
        lambda: F.max_pool3d(x, 0),
        lambda: F.max_pool3d(csr((3, 3), 2), 2),
    ):
        with pytest.raises(ValueError, match="expected"):
            wrong()
    with pytest.raises(AssertionError):
        F.conv3d(x, w, groups=2)
    with pytest.raises(NotImplementedError):
        F.conv3d(paddle.ones([1, 3, 3, 3, 3]), w)


@pytest.mark.parametrize(
    "arguments", [(2,), ([2, 2, 2], 1), (2, 1, 1), (3, 2, 1), (2, 2, 0, True), (2, 2, "SAME")]
)
def test_max_pool3d(arguments):
    x = volume()
    lifted = S.abs(x).detach()  # zeros of dense tensors take part
    lifted.stop_gradient = False
    kernel, *rest = arguments
    stride, padding, ceil = (
        [*rest, None, 0, False][i] if i < len(rest) else None for i in range(3)
    )
    padding = 0 if padding is None else padding
    check_gradient(
        lambda a: F.max_pool3d(a, *arguments),
        lifted,
        dense=lambda a: dense.max_pool3d(
            a, kernel, stride, padding, False, bool(ceil), data_format="NDHWC"
        ),
    )


def test_max_pool3d_of_negative_numbers():
    x = S.sparse_coo_tensor([[0], [1], [1], [1]], [[-3.0]], [1, 2, 2, 2, 1], stop_gradient=False)
    y = F.max_pool3d(x, 2)
    assert y.values().tolist() == [[-3.0]]
    y.backward()
    assert x.grad.values().tolist() == [[1.0]]


@pytest.mark.parametrize("masks", [0, 1, 2, 3])
def test_attention(masks):
    b, h, length, d = 2, 3, 4, 5
    q, k, v = (tensor(b, h, length, d, seed=i) for i in range(3))
    mask = batch((b * h, length, length), 5)
    seen = (mask.to_dense() != 0).reshape([b, h, length, length])
    rng = np.random.default_rng(1)
    keys = (
        paddle.to_tensor((rng.random((b, length)) < 0.7).astype("float64")) if masks & 1 else None
    )
    pairs = (
        paddle.to_tensor((rng.random((length, length)) < 0.7).astype("float64"))
        if masks & 2
        else None
    )
    if keys is not None:
        seen = paddle.logical_and(seen, (keys != 0).reshape([b, 1, 1, length]))
    if pairs is not None:
        seen = paddle.logical_and(seen, (pairs != 0).reshape([1, 1, length, length]))

    def wanted(q, k, v):
        scores = paddle.matmul(q, k, transpose_y=True) / d**0.5
        scores = paddle.where(seen, scores, paddle.full_like(scores, -1e300))
        return paddle.matmul(dense.softmax(scores, -1) * seen.astype("float64"), v)

    check_gradient(lambda *t: F.attention(*t, mask, keys, pairs), q, k, v, dense=wanted, rtol=1e-8)


def test_attention_refuses():
    q = tensor(1, 2, 3, 4)
    mask = batch((2, 3, 3))
    for wrong in (
        lambda: F.attention(q, q, tensor(1, 2, 3, 5), mask),
        lambda: F.attention(q[0], q[0], q[0], mask),
        lambda: F.attention(q, q, q, batch((3, 3, 3))),
        lambda: F.attention(q, q, q, coo((2, 3, 3), 4)),
        lambda: F.attention(q, q, q, mask, paddle.ones([2, 3])),
        lambda: F.attention(q, q, q, mask, None, paddle.ones([2, 3])),
    ):
        with pytest.raises(ValueError, match="expected"):
            wrong()


@pytest.mark.parametrize("kind", [S.nn.BatchNorm, S.nn.SyncBatchNorm])
def test_batch_norm(kind):
    x = coo((2, 4, 5, 3), 14, dense=(3,), dtype="float32")
    ours, plain = kind(3), paddle.nn.BatchNorm1D(3)
    for _ in range(2):
        np.testing.assert_allclose(ours(x).values().numpy(), plain(x.values()).numpy(), rtol=1e-6)
    np.testing.assert_allclose(ours._mean.numpy(), plain._mean.numpy())
    np.testing.assert_allclose(ours._variance.numpy(), plain._variance.numpy())
    ours.eval(), plain.eval()
    np.testing.assert_allclose(ours(x).values().numpy(), plain(x.values()).numpy(), rtol=1e-6)
    assert sorted(ours.state_dict()) == ["_mean", "_variance", "bias", "weight"]
    with pytest.raises(ValueError):
        ours(volume(channels=2))


def test_batch_norm_layers():
    assert repr(S.nn.BatchNorm(2)) == (
        "BatchNorm(num_features=2, momentum=0.9, epsilon=1e-05, data_format=NDHWC)"
    )
    with pytest.raises(ValueError):
        S.nn.BatchNorm(3, data_format="NCDHW")(volume())
    net = paddle.nn.Sequential(S.nn.BatchNorm(2), paddle.nn.BatchNorm2D(2), S.nn.ReLU())
    weight = net[0].weight
    made = S.nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert type(made[0]) is S.nn.SyncBatchNorm and made[0].weight is weight
    assert type(made[1]) is paddle.nn.SyncBatchNorm and type(made[2]) is S.nn.ReLU


def test_layers():
    assert repr(S.nn.Conv3D(2, 3, 3, padding=1)) == (
        "Conv3D(2, 3, kernel_size=[3, 3, 3], padding=1, data_format=NDHWC)"
    )
    assert S.nn.Conv3D(2, 3, 3).weight.shape == [3, 3, 3, 2, 3]
    assert S.nn.Conv2D(2, 3, [1, 2], bias_attr=False).bias is None
    assert repr(S.nn.MaxPool3D(2)) == "MaxPool3D(kernel_size=2, stride=None, padding=0)"
    assert [repr(layer()) for layer in (S.nn.ReLU, S.nn.ReLU6, S.nn.LeakyReLU, S.nn.Softmax)] == [
        "ReLU()",
        "ReLU6()",
        "LeakyReLU()",
        "Softmax()",
    ]
    x = coo((4, 5), 8)
    for layer, function in (
        (S.nn.ReLU(), F.relu),
        (S.nn.ReLU6(), F.relu6),
        (S.nn.LeakyReLU(0.3), lambda t: F.leaky_relu(t, 0.3)),
        (S.nn.Softmax(), F.softmax),
    ):
        assert layer(x).values().tolist() == function(x).values().tolist()
    for wrong, error in (
        (lambda: S.nn.Conv3D(2, 4, 3, groups=2), AssertionError),
        (lambda: S.nn.SubmConv3D(2, 4, 3, padding_mode="circular"), AssertionError),
        (lambda: S.nn.SubmConv3D(2, 4, 3, backend="other"), ValueError),
        (lambda: S.nn.MaxPool3D(2, return_mask=True), NotImplementedError),
    ):
        with pytest.raises(error):
            wrong()


def test_a_network_learns():
    paddle.seed(3)
    net = paddle.nn.Sequential(
        S.nn.SubmConv3D(3, 8, 3, padding=1),
        S.nn.BatchNorm(8),
        S.nn.ReLU(),
        S.nn.Conv3D(8, 8, 2, stride=2),
        S.nn.LeakyReLU(),
        S.nn.MaxPool3D(2, 1),
        S.nn.SubmConv3D(8, 1, 3, backend="igemm", key="last"),
    )
    x = coo((2, 4, 6, 4), 40, dense=(3,), dtype="float32").detach()
    optimizer = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
    losses = []
    for _ in range(30):
        loss = ((net(x).values() - 1.0) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < 0.1 * losses[0]
    with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
        assert net(x).shape == [2, 1, 2, 1, 1]
