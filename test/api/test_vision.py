# SPDX-License-Identifier: Apache-2.0
"""Models: parameter counts and outputs; transforms: arrays and tensors against pillow; detection
operations by hand.
"""

import warnings

import numpy as np
import pytest

import paddle
from paddle.vision import models, ops
from paddle.vision import transforms as T

COUNTS = {
    'resnet18': 11689512,
    'resnet50': 25557032,
    'resnext50_32x4d': 25028904,
    'mobilenet_v1': 4231976,
    'mobilenet_v2': 3504872,
    'mobilenet_v3_small': 2542856,
    'mobilenet_v3_large': 5483032,
    'squeezenet1_0': 1248424,
    'squeezenet1_1': 1235496,
    'shufflenet_v2_x1_0': 2278604,
    'densenet121': 7978856,
    'googlenet': 11535736,
    'inception_v3': 23834568,
}


@pytest.mark.parametrize('name', sorted(COUNTS))
def test_parameter_counts(name):
    net = getattr(models, name)()
    trainable = sum(int(np.prod(p.shape)) for p in net.parameters() if not p.stop_gradient)
    assert trainable == COUNTS[name]


@pytest.mark.parametrize(
    'name, size',
    [
        ('LeNet', 28),
        ('resnet18', 64),
        ('mobilenet_v2', 64),
        ('mobilenet_v3_small', 64),
        ('squeezenet1_1', 64),
        ('shufflenet_v2_x0_25', 64),
    ],
)
def test_outputs(name, size):
    net = getattr(models, name)(num_classes=7)
    net.eval()
    out = net(paddle.rand([2, 1 if name == 'LeNet' else 3, size, size]))
    assert list(out.shape) == [2, 7] and np.isfinite(out.numpy()).all()


def test_pretrained_says_what_to_do():
    with pytest.raises(RuntimeError, match='set_state_dict'):
        models.resnet18(pretrained=True)


IMAGE = np.random.RandomState(0).randint(0, 255, (40, 60, 3)).astype('uint8')


CORNERS = [[0, 0], [59, 0], [59, 39], [0, 39]], [[3, 4], [50, 2], [55, 35], [2, 30]]


def _near(a, b, most=3):
    a, b = np.asarray(a).astype(int), np.asarray(b).astype(int)
    return a.shape == b.shape and (np.abs(a - b) > most).mean() < 0.01


@pytest.mark.parametrize(
    'call',
    [
        lambda x: T.affine(x, 20, (2, 3), 1.1, (3, 4)),
        lambda x: T.to_grayscale(x, 3),
        lambda x: T.adjust_brightness(x, 1.3),
        lambda x: T.resize(x, (80, 120), 'nearest'),
        lambda x: T.resize(x, (80, 120)),
        T.hflip,
        T.vflip,
        lambda x: T.pad(x, (1, 2, 3, 4), 7),
        lambda x: T.center_crop(x, 20),
    ],
)
def test_arrays_agree_with_pillow(call):
    image = pytest.importorskip('PIL.Image').fromarray(IMAGE)
    assert _near(call(IMAGE), call(image))


@pytest.mark.parametrize(
    'call',
    [
        lambda x: T.rotate(x, 30, fill=5),
        lambda x: T.rotate(x, 30, center=(4, 9)),
        lambda x: T.affine(x, 20, (2, 3), 1.1, (3, 4), fill=9),
        lambda x: T.perspective(x, *CORNERS),
        lambda x: T.to_grayscale(x, 3),
        lambda x: T.adjust_brightness(x, 1.3),
        lambda x: T.adjust_contrast(x, 0.6),
        lambda x: T.resize(x, (80, 120), 'nearest'),
        T.hflip,
        T.vflip,
        lambda x: T.pad(x, (1, 2, 3, 4), 7),
        lambda x: T.pad(x, (1, 2, 3, 4), (7, 8, 9)),
        lambda x: T.pad(x, (1, 2, 3, 4), padding_mode='symmetric'),
        lambda x: T.center_crop(x, 20),
    ],
)
def test_tensors_agree_with_pillow(call):
    image = pytest.importorskip('PIL.Image').fromarray(IMAGE)
    expected = np.asarray(call(image)).transpose(2, 0, 1)
    tensor = paddle.to_tensor(IMAGE.transpose(2, 0, 1))
    assert _near(call(tensor), expected, 4)
    assert _near(call(paddle.stack([tensor, tensor]))[1], expected, 4)


@pytest.mark.parametrize('interpolation', ['nearest', 'bilinear', 'bicubic', 'lanczos'])
@pytest.mark.parametrize('dtype', ['uint8', 'float32'])
def test_arrays_with_and_without_opencv(monkeypatch, interpolation, dtype):
    from paddle.vision.transforms import functional_cv2

    pytest.importorskip('cv2')
    image = IMAGE.astype(dtype)
    calls = [
        lambda x: T.resize(x, (23, 71), interpolation),
        lambda x: T.rotate(x, 33, interpolation, True, fill=(1, 2, 3)[: x.shape[2]]),
        lambda x: T.rotate(x, 33, interpolation, center=(4, 9)),
        lambda x: T.affine(x, 20, (2, 3), 1.1, (3, 4), interpolation, 9),
        lambda x: T.perspective(x, *CORNERS, interpolation, 4),
        lambda x: T.adjust_hue(x, 0.3) if x.dtype == np.uint8 else x,
    ]
    with_opencv = [call(image) for call in calls] + [call(image[..., :1]) for call in calls]
    monkeypatch.setattr(functional_cv2, '_installed', lambda: None)
    without = [call(image) for call in calls] + [call(image[..., :1]) for call in calls]
    assert all(_near(a, b, 9) for a, b in zip(with_opencv, without))


def test_conventions_of_arrays():
    """What PaddlePaddle's functions give for arrays, where pillow's differ."""
    ramp = np.arange(9, dtype='uint8').reshape(3, 3, 1)
    # About the point (1.5, 1.5) in indices of pixels.
    assert T.rotate(ramp, 90)[..., 0].tolist() == [[0, 0, 0], [2, 5, 8], [1, 4, 7]]
    gray = T.adjust_contrast(np.array([[[10, 74, 250]]], 'uint8'), 2.0)
    assert gray.tolist() == [[[0, 74, 255]]]
    assert T.adjust_hue(np.array([[[0, 0, 255]]], 'uint8'), 1 / 3).tolist() == [[[0, 255, 0]]]
    np.random.seed(1)
    erased = T.RandomErasing(1.0, (0.3, 0.3), value='random')(np.full([6, 7, 3], 9, 'float32'))
    assert np.abs(erased[erased != 9]).max() > 100


def test_transforms_of_tensors_are_differentiable_and_recorded():
    def change(x):
        x = T.rotate(x, 20, 'bilinear', expand=True)
        x = T.affine(x, 10, [1, 0], 1.2, [3, 0], 'bilinear')
        x = T.perspective(x, [[0, 0], [9, 0], [9, 9], [0, 9]], [[1, 0], [9, 1], [8, 9], [0, 8]])
        x = T.adjust_hue(T.adjust_contrast(T.adjust_brightness(x, 1.1), 0.8), 0.1)
        return T.normalize(T.resize(T.pad(x, 1, 0.5), (8, 9)), [0.5] * 3, [0.25] * 3)

    def run(function):
        x = paddle.to_tensor(np.random.RandomState(0).rand(3, 10, 12).astype('float32'))
        x.stop_gradient = False
        y = function(x)
        y.square().sum().backward()
        return y.numpy(), x.grad.numpy()

    value, gradient = run(change)
    compiled = paddle.jit.to_static(change, full_graph=True)
    with warnings.catch_warnings():
        warnings.simplefilter('error')  # that it runs as it is
        for a, b in zip((value, gradient), run(compiled)):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    assert value.shape == (3, 8, 9) and np.abs(gradient).max() > 0


def test_tensors_keep_their_numbers():
    x = paddle.full([3, 2, 2], 0.1)
    padded = T.pad(x, 1, (0.7, 0.3, 0.9))
    assert (padded[:, 1:-1, 1:-1] == x).all()
    assert (padded[:, 0, 0] == paddle.to_tensor([0.7, 0.3, 0.9])).all()
    half = paddle.rand([1, 4, 600]).astype('float16')
    assert (T.rotate(half, 0.0, 'bilinear') - half).abs().max() < 1e-3


def test_pipeline():
    out = T.Compose(
        [T.Resize(30), T.CenterCrop(24), T.ToTensor(), T.Normalize([0.5] * 3, [0.5] * 3)]
    )(IMAGE)
    assert (
        list(out.shape) == [3, 24, 24]
        and -1 <= float(out.min().numpy()) <= float(out.max().numpy()) <= 1
    )
    with pytest.raises(TypeError):
        T.hflip('image')
    with pytest.raises(ValueError):
        T.adjust_hue(IMAGE, 0.7)


def test_nms():
    boxes = paddle.to_tensor(
        [[0.0, 0.0, 10.0, 10.0], [1.0, 1.0, 10.0, 10.0], [20.0, 20.0, 30.0, 30.0]]
    )
    scores = paddle.to_tensor([0.5, 0.9, 0.4])
    assert ops.nms(boxes, 0.5, scores).numpy().tolist() == [1, 2]
    assert ops.nms(boxes, 0.5, scores, paddle.to_tensor([0, 1, 0]), [0, 1]).numpy().tolist() == [
        1,
        0,
        2,
    ]


def test_roi_align_of_a_plane():
    yy, xx = np.meshgrid(np.arange(16.0), np.arange(16.0), indexing='ij')
    x = paddle.to_tensor((2 * yy + xx)[None, None].astype('float32'))
    boxes = paddle.to_tensor(np.array([[2.0, 4.0, 10.0, 12.0]], 'float32'))
    out = ops.roi_align(
        x, boxes, paddle.to_tensor(np.array([1], 'int32')), 2, aligned=True
    ).numpy()[0, 0]
    np.testing.assert_allclose(
        out, [[2 * 5.5 + 3.5, 2 * 5.5 + 7.5], [2 * 9.5 + 3.5, 2 * 9.5 + 7.5]], rtol=1e-5
    )


def test_box_coder_round_trip():
    prior = paddle.to_tensor(np.array([[1.0, 2.0, 5.0, 8.0], [0.0, 0.0, 4.0, 4.0]], 'float32'))
    target = paddle.to_tensor(np.array([[2.0, 2.0, 6.0, 7.0]], 'float32'))
    variance = [0.1, 0.1, 0.2, 0.2]
    coded = ops.box_coder(prior, variance, target)
    decoded = ops.box_coder(prior, variance, coded, 'decode_center_size', axis=0)
    np.testing.assert_allclose(decoded.numpy()[0], np.repeat(target.numpy(), 2, 0), rtol=1e-5)


def test_yolo_loss_equals_its_sums():
    """A head of one anchor and one object, summed by hand; the derivative by differences."""
    rng = np.random.RandomState(3)
    head = rng.randn(1, 2 * 7, 3, 3)
    box, label = (
        np.array([[[0.4, 0.7, 0.3, 0.2], [0.0, 0.0, 0.0, 0.0]]]),
        np.array([[1, 0]], 'int32'),
    )

    def loss_of(values):
        x = paddle.to_tensor(values, stop_gradient=False)
        loss = ops.yolo_loss(
            x,
            paddle.to_tensor(box),
            paddle.to_tensor(label),
            [28, 20, 90, 90],
            [0, 1],
            2,
            0.9,
            32,
            use_label_smooth=False,
        )
        return x, loss

    def entropy(logit, wanted):
        return np.maximum(logit, 0) - logit * wanted + np.log1p(np.exp(-np.abs(logit)))

    at = head.reshape(2, 7, 3, 3)[
        0, :, 2, 1
    ]  # the first anchor fits; the centre lies in row 2, column 1
    weight = 2 - 0.3 * 0.2
    want = (
        weight
        * (
            entropy(at[0], 0.4 * 3 - 1)
            + entropy(at[1], 0.7 * 3 - 2)
            + abs(at[2] - np.log(0.3 * 96 / 28))
            + abs(at[3] - np.log(0.2 * 96 / 20))
        )
        + entropy(at[5], 0)
        + entropy(at[6], 1)
    )
    objects = np.zeros((2, 3, 3))
    objects[0, 2, 1] = 1
    want += entropy(head.reshape(2, 7, 3, 3)[:, 4], objects).sum()
    x, loss = loss_of(head)
    np.testing.assert_allclose(loss.numpy(), [want], rtol=1e-6)
    loss.sum().backward()
    for index in [(0, 0, 2, 1), (0, 3, 2, 1), (0, 5, 2, 1), (0, 4, 0, 0), (0, 11, 1, 1)]:
        step = np.zeros_like(head)
        step[index] = 1e-5
        derivative = float(loss_of(head + step)[1] - loss_of(head - step)[1]) / 2e-5
        assert float(x.grad.numpy()[index]) == pytest.approx(derivative, abs=1e-4)
