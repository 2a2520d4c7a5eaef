# SPDX-License-Identifier: Apache-2.0
"""to_tensor and the creation functions: dtypes, shapes, copies, errors."""

import numpy as np
import paddle
import pytest


@pytest.mark.parametrize(
    'data,dtype,shape',
    [
        (1.5, 'float32', []),
        (1, 'int64', []),
        (True, 'bool', []),
        (1 + 2j, 'complex64', []),
        ([1, 2.5], 'float32', [2]),
        ([True, 2], 'int64', [2]),
        ([[1, 2], [3, 4]], 'int64', [2, 2]),
        ((1.0, 2.0), 'float32', [2]),
        ([], 'float32', [0]),
        ([[], []], 'float32', [2, 0]),
        (np.array([1.0, 2.0]), 'float64', [2]),
        (np.float32(1.5), 'float32', []),
        (np.float64(1.5), 'float64', []),
        ([np.float64(1.5)], 'float32', [1]),
        ([np.array([1.0, 2.0])], 'float32', [1, 2]),
        (np.array([1, 2], 'uint16'), 'bfloat16', [2]),
        (np.arange(6).reshape(2, 3).T, 'int64', [3, 2]),
        (2**40, 'int64', []),
    ],
)
def test_to_tensor_infers(data, dtype, shape):
    t = paddle.to_tensor(data)
    assert str(t.dtype) == 'paddle.' + dtype and t.shape == shape
    if dtype != 'bfloat16':
        np.testing.assert_allclose(t.numpy(), np.array(data, dtype=dtype))


def test_to_tensor_copies_and_converts():
    a = np.array([1.0, 2.0], 'float32')
    t = paddle.to_tensor(a)
    a[0] = 9
    assert t.tolist() == [1.0, 2.0]
    assert not paddle.to_tensor(t)._is_shared_buffer_with(t)
    assert paddle.to_tensor([t, t]).shape == [2, 2] and paddle.to_tensor(
        [[t[0], t[1]]]
    ).tolist() == [[1.0, 2.0]]
    assert (
        paddle.to_tensor(1.7, dtype='int32').item() == 1
        and paddle.to_tensor([300], dtype='uint8').item() == 44
    )
    assert paddle.to_tensor([1.0], stop_gradient=False).stop_gradient is False
    assert paddle.to_tensor(np.arange(6)[::-2]).tolist() == [5, 3, 1]


@pytest.mark.parametrize(
    'data,error',
    [
        ('abc', TypeError),
        (None, TypeError),
        ({1: 2}, TypeError),
        (range(3), TypeError),
        ([[1, 2], [3]], ValueError),
        (['a'], ValueError),
        ([1, None], ValueError),
        (2**70, ValueError),
        (np.array(['a']), ValueError),
        (np.array([1, 2], 'uint32'), ValueError),
        (np.array([1, 2], '>f4'), ValueError),
    ],
)
def test_to_tensor_refuses(data, error):
    with pytest.raises(error):
        paddle.to_tensor(data)


def test_default_dtype():
    try:
        paddle.set_default_dtype('float64')
        assert paddle.get_default_dtype() == 'float64'
        assert paddle.to_tensor(1.5).dtype == paddle.zeros([1]).dtype == paddle.float64
        assert paddle.to_tensor(1j).dtype == paddle.complex128
    finally:
        paddle.set_default_dtype('float32')
    with pytest.raises(TypeError):
        paddle.set_default_dtype('int32')


def test_fills():
    assert paddle.zeros([2, 3]).numpy().tolist() == np.zeros((2, 3)).tolist() and paddle.zeros(
        2, 3
    ).shape == [2, 3]
    assert (
        paddle.full([2], 3).dtype == paddle.float32 and paddle.full([2], True).dtype == paddle.bool
    )
    assert paddle.full([], 2.5, 'float64').item() == 2.5 and paddle.full(2, 1).shape == [2]
    n = paddle.to_tensor([3, 4])
    assert paddle.zeros(n).shape == [3, 4] and paddle.ones([n[0], 2]).shape == [3, 2]
    assert (
        paddle.full_like(n, 2.5).tolist() == [2, 2]
        and paddle.ones_like(n, dtype='float32').dtype == paddle.float32
    )
    assert paddle.eye(2, 3).tolist() == [[1, 0, 0], [0, 1, 0]] and paddle.empty([0, 2]).shape == [
        0,
        2,
    ]
    with pytest.raises(ValueError):
        paddle.zeros([-2])


def test_ranges():
    assert paddle.arange(5).dtype == paddle.int64 and paddle.arange(5).tolist() == [0, 1, 2, 3, 4]
    assert (
        paddle.arange(5, 0, -2).tolist() == [5, 3, 1]
        and paddle.arange(3, dtype='float32').dtype == paddle.float32
    )
    np.testing.assert_allclose(
        paddle.arange(0, 1, 0.3).numpy(), np.arange(0, 1, 0.3, 'float32'), rtol=1e-6
    )
    assert paddle.linspace(0, 1, 5).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    np.testing.assert_allclose(paddle.logspace(0, 2, 3).numpy(), [1, 10, 100], rtol=1e-6)
    with pytest.raises(ValueError):
        paddle.arange(0, 5, 0)
    a, b = paddle.meshgrid(paddle.arange(2), paddle.arange(3))
    assert a.tolist() == [[0, 0, 0], [1, 1, 1]] and b.tolist() == [[0, 1, 2], [0, 1, 2]]


def test_seeded_streams_repeat():
    paddle.seed(42)
    a, state = paddle.rand([3]), paddle.get_rng_state()
    b = paddle.randn([3])
    paddle.set_rng_state(state)
    assert paddle.randn([3]).tolist() == b.tolist()
    paddle.seed(42)
    assert paddle.rand([3]).tolist() == a.tolist()
    assert sorted(paddle.randperm(10).tolist()) == list(range(10))
    r = paddle.randint(2, 5, [100])
    assert r.min().item() >= 2 and r.max().item() < 5
    with pytest.raises(ValueError):
        paddle.randint(5, 2)


def test_einsum():
    rng = np.random.RandomState(0)
    a, b, c = rng.randn(2, 3), rng.randn(3, 4), rng.randn(5, 3, 3)
    x, y, z = (paddle.to_tensor(v) for v in (a, b, c))
    for equation, tensors, arrays in (
        ('ij,jk->ik', (x, y), (a, b)),
        ('ij->ji', (x,), (a,)),
        ('ij->', (x,), (a,)),
        ('ij,jk->i', (x, y), (a, b)),
        ('ij,ij->ij', (x, x), (a, a)),
        ('...ij,jk->...ik', (z, y), (c, b)),
        ('ij,kj->ik', (x, x), (a, a)),
        ('i,j->ij', (x[:, 0], y[0]), (a[:, 0], b[0])),
        ('ij,jk,kl->il', (x, y, y.T), (a, b, b.T)),
    ):
        np.testing.assert_allclose(
            paddle.einsum(equation, *tensors).numpy(),
            np.einsum(equation, *arrays),
            rtol=1e-12,
            err_msg=equation,
        )
    x.stop_gradient = False
    paddle.einsum('ij,jk->', x, y).backward()
    np.testing.assert_allclose(x.grad.numpy(), np.tile(b.sum(1), (2, 1)), rtol=1e-12)


def test_forms_of_filled_tensors():
    for make in (paddle.zeros, paddle.ones, paddle.empty):
        assert (
            make(2, 3, dtype='int32').shape == [2, 3]
            and make(size=[2]).shape == [2]
            and make(4).shape == [4]
        )
        assert (
            make([2], 'int32', 'name').dtype == paddle.int32
            and make([2], None).dtype == paddle.float32
        )
        assert make(paddle.to_tensor([3]), 'int64').shape == [
            3
        ]  # a shape of one extent, not an extent
        assert make([], 'float64').dtype == paddle.float64 and make(()).shape == []
        with pytest.raises(TypeError):
            make(2, 3, 'int32')  # extents that are spelled out take all positions
        with pytest.raises(TypeError):
            make([2], size=[2])
        with pytest.raises(TypeError):
            make()
        made = make([2], requires_grad=True, device='cpu')
        assert not made.stop_gradient
        out = paddle.ones([3])
        assert make([2], out=out) is out and out.shape == [2]
        with pytest.raises(RuntimeError):
            make([2], pin_memory=True)
    assert paddle.ones([2]).numpy().tolist() == [1, 1] and paddle.zeros(
        [2], 'bool'
    ).numpy().tolist() == [False, False]


def test_values_of_full():
    assert paddle.full([2], '3.5').numpy().tolist() == [3.5, 3.5] and paddle.full(
        size=[1], fill_value=2
    ).shape == [1]
    assert (
        paddle.full([1], 1j).dtype == paddle.complex128
        and paddle.full([1], np.float32(2)).dtype == paddle.float32
    )
    assert (
        paddle.full([1], 2**63).item() == 2.0**63
        and paddle.full([1], 2**63 - 1, 'int64').item() == 2**63 - 1
    )
    assert paddle.full([2], paddle.to_tensor(4)).numpy().tolist() == [4, 4]
    with pytest.raises(OverflowError):
        paddle.full([1], 2**63, 'int64')
    for value in (None, [3]):
        with pytest.raises(TypeError):
            paddle.full([1], value)
    with pytest.raises(ValueError):
        paddle.full([1], 'three')


@pytest.mark.parametrize('name', ['rand', 'randn', 'uniform', 'standard_normal'])
@pytest.mark.parametrize('shape', [None, True, [True, 2], (False,)])
def test_a_shape_of_random_numbers_holds_integers(name, shape):
    for call in (lambda: getattr(paddle, name)(shape), lambda: paddle.randint(0, 2, shape)):
        with pytest.raises(TypeError, match='expected a shape of integers'):
            call()


def test_imaginary_parts_are_not_dropped():
    x, i, z = paddle.ones([2]), paddle.ones([2], 'int64'), paddle.ones([2], 'complex64')
    pad = paddle.nn.functional.pad
    for call in (
        lambda: paddle.full([2], 1 + 2j, 'float32'),
        lambda: paddle.full_like(x, 1 + 2j),
        lambda: paddle.full_like(i, 1 + 2j),
        lambda: x.new_full([2], 1 + 2j),
        lambda: paddle.masked_fill(x, x > 0, 1 + 2j),
        lambda: paddle.masked_fill(x, x > 0, paddle.to_tensor(1 + 2j)),
        lambda: paddle.masked_scatter(x, x > 0, z),
        lambda: paddle.clip(x, 1 + 2j, 3),
        lambda: paddle.clip(x, max=paddle.to_tensor(1 + 2j)),
        lambda: x.clone().__setitem__(0, z[0]),
        lambda: pad(x, [1, 1], value=1 + 2j),
        lambda: paddle.nan_to_num(x, 1 + 2j),
        lambda: paddle.arange(0, 1 + 2j, 3),
        lambda: paddle.linspace(0, 1 + 2j, 3),
        lambda: paddle.uniform([2], min=1 + 2j),
    ):
        with pytest.raises(TypeError, match='expected .*real|a real dtype'):
            call()
    assert paddle.full_like(x, 1 + 0j).tolist() == [1.0, 1.0]
    assert paddle.full_like(z, 1 + 2j).tolist() == [1 + 2j] * 2
    assert paddle.full_like(x, 1 + 2j, 'complex64').tolist() == [1 + 2j] * 2
    assert paddle.masked_fill(z, x > 0, 1 + 2j).tolist() == [1 + 2j] * 2
    assert pad(z, [1, 0], value=2j).tolist() == [2j, 1, 1]


def test_the_class_of_tensors_takes_what_says_how_in_its_order():
    array = np.arange(4, dtype='float32')
    made = paddle.Tensor(array, paddle.CPUPlace(), True, False, 'mine_of_class', False)
    assert made.tolist() == [0, 1, 2, 3] and made.name == 'mine_of_class'
    assert made.persistable and not made.stop_gradient
    shared, copied = (paddle.Tensor(array, zero_copy=share) for share in (True, False))
    array[0] = 9
    assert shared.tolist() == [9, 1, 2, 3] and copied.tolist() == made.tolist() == [0, 1, 2, 3]
    turned = np.arange(6).reshape(2, 3).T
    assert paddle.Tensor(turned, zero_copy=True).tolist() == turned.tolist()
    # What cannot be shared is copied.
    array.flags.writeable = False
    assert paddle.Tensor(array, zero_copy=True).tolist() == [9, 1, 2, 3]
    halves = paddle.Tensor(np.array([0x3F80, 0x4000], 'uint16'), zero_copy=True)
    assert halves.dtype == paddle.bfloat16 and halves.tolist() == [1, 2]
    assert paddle.Tensor([1, 2], zero_copy=True).dtype == paddle.float32
    assert paddle.Tensor(2, 3).shape == [2, 3]
    with pytest.raises(TypeError, match=r'\[Tensor\].*at most 6'):
        paddle.Tensor(array, None, None, None, None, None, None)
    with pytest.raises(TypeError, match=r'\[Tensor\].*one value for place'):
        paddle.Tensor(array, paddle.CPUPlace(), place=paddle.CPUPlace())
    with pytest.raises(TypeError, match='zero_copy'):
        paddle.Tensor(array, zero_copy='no')
