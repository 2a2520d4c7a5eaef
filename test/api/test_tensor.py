# SPDX-License-Identifier: Apache-2.0
"""paddle.Tensor as users hold it: members, identity, operators and their dtypes, conversions,
hooks, printing.
"""

import copy
import gc
import inspect
import pickle
import weakref

import numpy as np
import paddle
import pytest


def f(*values, **kwargs):
    return paddle.to_tensor(list(values), **kwargs)


def test_members():
    t = paddle.zeros([2, 3, 4])
    assert (
        t.shape == [2, 3, 4]
        and isinstance(t.shape, list)
        and repr(t.shape) == 'paddle.Size([2, 3, 4])'
    )
    assert t.shape[1:] == [3, 4] and type(t.shape[1:]) is paddle.Size and t.shape.numel() == 24
    assert (
        t.ndim == t.dim() == t.ndimension() == 3 and t.size == 24 and t.size(1) == 3 and len(t) == 2
    )
    assert t.strides == t.stride() == [12, 4, 1] and t.stride(-1) == 1
    assert (
        t.dtype is paddle.float32 and t.place.is_cpu_place() and t.itemsize == t.element_size() == 4
    )
    assert t.T.shape == [4, 3, 2] and t.mT.shape == [2, 4, 3]
    assert (
        t.is_leaf
        and t.stop_gradient
        and not t.requires_grad
        and t.grad is None
        and t.grad_fn is None
    )
    assert t.is_dense() and t.is_contiguous() and not t.is_sparse() and t.persistable is False
    assert int(t.numel()) == 24 and t.numel().dtype == paddle.int64
    assert type(t).__name__ == 'Tensor' and type(t).__module__ == 'paddle' and hash(t) == id(t)


def test_identity_attributes_and_lifetime():
    p = f(1.0, stop_gradient=False)
    (p * 2).sum().backward()
    assert p.grad is p.grad
    p.note = 'kept'
    assert p.note == 'kept' and p.__dict__ == {'note': 'kept'}
    alive = weakref.ref(p)
    p.me = p
    del p
    gc.collect()
    assert alive() is None


def test_subclass_shares_data():
    class Mine(paddle.Tensor):
        pass

    t = f(1.0, 2.0)
    m = Mine(t)
    assert type(m) is Mine and isinstance(m, paddle.Tensor)
    m.fill_(5.0)
    assert t.tolist() == [5.0, 5.0]


def test_dtype_and_place_objects():
    assert (
        str(paddle.float32) == 'paddle.float32'
        and paddle.float32 == paddle.dtype.FLOAT32 != paddle.float64
    )
    assert (
        pickle.loads(pickle.dumps(paddle.bfloat16)) is paddle.bfloat16
        and copy.deepcopy(paddle.int8) is paddle.int8
    )
    assert isinstance(paddle.int64, paddle.dtype) and {paddle.int64: 1}[paddle.int64] == 1
    assert repr(paddle.CPUPlace()) == 'Place(cpu)' and paddle.CPUPlace() == paddle.zeros([1]).place
    for bad in ('no_such', 3.5):
        with pytest.raises(TypeError):
            paddle.zeros([1], dtype=bad)
    with pytest.raises(ValueError):
        paddle.CUDAPlace(0)


@pytest.mark.parametrize(
    'tensor,value,result',
    [
        ('bool', True, 'bool'),
        ('bool', 2, 'int64'),
        ('bool', 2.5, 'float32'),
        ('uint8', 2, 'uint8'),
        ('int32', True, 'int32'),
        ('int32', 2, 'int32'),
        ('int32', 2.5, 'float32'),
        ('int64', 2, 'int64'),
        ('int64', 2.5, 'float32'),
        ('int64', 1j, 'complex64'),
        ('float16', 2, 'float16'),
        ('float16', 2.5, 'float16'),
        ('bfloat16', 2.5, 'bfloat16'),
        ('float32', 2.5, 'float32'),
        ('float32', 1j, 'complex64'),
        ('float64', 2.5, 'float64'),
        ('float64', 1j, 'complex128'),
        ('complex64', 2.5, 'complex64'),
        ('complex128', 1j, 'complex128'),
    ],
)
def test_number_operand_dtypes(tensor, value, result):
    for shape in ([2], []):
        t = paddle.ones(shape, tensor)
        assert str((t * value).dtype) == 'paddle.' + result
        assert str((value * t).dtype) == 'paddle.' + result


def test_operators_match_numpy():
    a, b = np.array([[1.5, -2.0], [3.0, 4.0]]), np.array([[2.0, 3.0], [-1.5, 0.5]])
    x, y = paddle.to_tensor(a), paddle.to_tensor(b)
    for op in ('+', '-', '*', '/', '//', '%', '@', '<', '<=', '>', '>=', '==', '!='):
        np.testing.assert_allclose(eval(f'x {op} y').numpy(), eval(f'a {op} b'), err_msg=op)
        if op != '@':
            np.testing.assert_allclose(eval(f'x {op} 2.5').numpy(), eval(f'a {op} 2.5'), err_msg=op)
            np.testing.assert_allclose(eval(f'2.5 {op} x').numpy(), eval(f'2.5 {op} a'), err_msg=op)
    np.testing.assert_allclose((x**2).numpy(), a**2)
    np.testing.assert_allclose((2.0**x).numpy(), 2.0**a)
    np.testing.assert_allclose((-x).numpy(), -a)
    np.testing.assert_allclose(abs(x).numpy(), abs(a))
    assert (x * 0.1).numpy()[0, 0] == a[
        0, 0
    ] * 0.1  # the number keeps full precision beside float64
    i = paddle.to_tensor([3, 4])
    assert (
        (i / 2).tolist() == [1.5, 2.0]
        and (i // 2).tolist() == [1, 2]
        and (2**i).tolist() == [8, 16]
    )
    assert (i & 1).tolist() == [1, 0] and (~i).tolist() == [-4, -5] and (i ^ i).tolist() == [0, 0]


def test_operators_with_arrays_and_others():
    t = f(1.0, 2.0)
    for r in (t + np.array([1.0, 2.0]), np.array([1.0, 2.0]) + t):
        assert (
            isinstance(r, paddle.Tensor) and r.dtype == paddle.float64 and r.tolist() == [2.0, 4.0]
        )
    assert (np.float64(2.0) * t).dtype == paddle.float32
    assert (t == None) is False and (t != None) is True and (t == [1, 2]) is False  # noqa: E711
    for bad in (None, [1, 2], 'a', {}):
        with pytest.raises(TypeError):
            t + bad
    x = t
    x += 1
    assert x is not t and t.tolist() == [1.0, 2.0]


def test_conversions():
    t = paddle.to_tensor([[1, 2], [3, 4]], dtype='float32')
    n = t.numpy()
    n[0, 0] = 9
    assert t[0, 0].item() == 1.0 and t.T.numpy().tolist() == [[1, 3], [2, 4]]
    assert t.tolist() == [[1.0, 2.0], [3.0, 4.0]] and t.item(3) == 4.0 and t.item(1, 0) == 3.0
    assert np.asarray(t).dtype == np.float32 and np.asarray(t, dtype='int64').tolist() == [
        [1, 2],
        [3, 4],
    ]
    assert (
        float(f(2.5)) == 2.5 and int(f(3)) == 3 and complex(f(1.5)) == 1.5 and bool(f(0.0)) is False
    )
    assert [10, 20, 30][paddle.to_tensor(1)] == 20 and f'{paddle.to_tensor(1.5):.2f}' == '1.50'
    half = paddle.to_tensor([1.5], dtype='bfloat16')
    assert half.numpy().dtype == np.uint16 and half.item() == 1.5 and half.tolist() == [1.5]
    for convert in (bool, int, float):
        with pytest.raises(AssertionError):
            convert(t)
    with pytest.raises(ValueError):
        t.item()
    with pytest.raises(ValueError):
        t.item(7)
    with pytest.raises(AssertionError):
        len(paddle.to_tensor(1.0))
    with pytest.raises(AssertionError):
        list(paddle.to_tensor(1.0))
    assert [v for v in paddle.to_tensor(1.0)] == []


def test_casts():
    t = f(1.7, -2.2)
    assert t.astype('int32').tolist() == [1, -2] and t.astype(float).dtype == paddle.float64
    assert (
        t.astype('float32') is t
        and t.to('float64').dtype == paddle.float64
        and t.to('cpu', 'int64').dtype == paddle.int64
    )
    assert (
        t.to(paddle.to_tensor(1)).dtype == paddle.int64
        and t.half().dtype == paddle.float16
        and t.bool().tolist() == [True, True]
    )
    with pytest.raises(ValueError):
        t.to('abc')


def test_set_value_and_copies():
    t = f(1.0, 2.0)
    view = t.detach()
    t.set_value(np.array([3.0, 4.0], 'float32'))
    assert view.tolist() == [3.0, 4.0]
    with pytest.raises(AssertionError):
        t.set_value(np.array([3.0, 4.0]))
    with pytest.raises(AssertionError):
        t.set_value(np.zeros([1, 2], 'float32'))
    t.copy_(f(5.0, 6.0), True)
    assert view.tolist() == [5.0, 6.0] and t._is_shared_buffer_with(view)
    assert t.clone()._is_shared_buffer_with(t) is False


def test_pickle_and_deepcopy():
    for dtype in ('float32', 'bfloat16', 'bool', 'complex64'):
        t = paddle.to_tensor([1, 0], dtype=dtype)
        t.stop_gradient = False
        for other in (pickle.loads(pickle.dumps(t)), copy.deepcopy(t)):
            assert (
                other.dtype == t.dtype
                and other.tolist() == t.tolist()
                and other.stop_gradient is False
            )
            assert not other._is_shared_buffer_with(t)
    with pytest.raises(RuntimeError):
        copy.deepcopy(f(1.0, stop_gradient=False) * 2)


def test_dlpack_shares_memory():
    t = paddle.arange(6, dtype='float32').reshape([2, 3])
    n = np.from_dlpack(t.T)
    assert n.tolist() == t.T.tolist()
    t[0, 0] = 7.0
    assert n[0, 0] == 7.0
    a = np.arange(4.0)
    b = paddle.from_dlpack(a)
    a[1] = 9.0
    assert b.tolist() == [0.0, 9.0, 2.0, 3.0]
    with pytest.raises(BufferError):
        f(1.0, stop_gradient=False).__dlpack__()


def test_hooks():
    x = f(1.0, 2.0, stop_gradient=False)
    seen = []
    keep = x.register_hook(lambda g: seen.append(g.tolist()))
    double = x.register_hook(lambda g: g * 2)
    y = x * 3
    inner = y.register_hook(lambda g: g * 10)
    y.retain_grads()
    y.sum().backward()
    assert (
        seen == [[30.0, 30.0]]
        and x.grad.tolist() == [60.0, 60.0]
        and y.grad.tolist() == [10.0, 10.0]
    )
    assert keep.remove() and double.remove() and inner.remove() and not keep.remove()
    x.clear_grad()
    assert x.grad.tolist() == [0.0, 0.0]
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0] and len(seen) == 1
    x.clear_gradient(False)
    assert x.grad is None
    with pytest.raises(RuntimeError):
        f(1.0).register_hook(lambda g: g)


def test_backward_errors():
    x = f(1.0, 2.0, stop_gradient=False)
    y = (x * x).sum()
    y.backward()
    with pytest.raises(SystemError):
        y.backward()
    with pytest.raises(AssertionError):
        (x * 2).backward(f(1.0))
    with pytest.raises(ValueError):
        x.grad = f(1.0)
    with pytest.raises((ValueError, RuntimeError)):
        x.add_(x)

    def fail(g):
        raise KeyError('from the hook')

    z = x * 2
    z.register_hook(fail)
    with pytest.raises(KeyError):
        z.sum().backward()


def test_functions_are_inspectable():
    assert list(inspect.signature(paddle.add).parameters)[:3] == ['x', 'y', 'name']
    assert paddle.add.__name__ == 'add' and paddle.add.__module__ == 'paddle' and paddle.add.__doc__
    assert pickle.loads(pickle.dumps(paddle.add)) is paddle.add
    t = f(1.0, 2.0)
    assert paddle.add(input=t, other=t).tolist() == [2.0, 4.0]
    out = f(0.0, 0.0)
    assert paddle.add(t, t, out=out) is out and out.tolist() == [2.0, 4.0]
    for args, kwargs in (
        ((t,), {}),
        ((t, t, None, t), {}),
        ((t, t), {'z': 1}),
        ((t,), {'x': t, 'y': t}),
    ):
        with pytest.raises(TypeError):
            paddle.add(*args, **kwargs)
    with pytest.raises(ValueError):
        paddle.add('a', t)
    with pytest.raises(TypeError):
        paddle.sum(t, axis='a')


def test_printing():
    assert repr(f(1.0, 2.0)) == (
        'Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,\n       [1., 2.])'
    )
    assert repr(paddle.to_tensor(1.5)).endswith('\n       1.50000000)')
    assert repr(paddle.to_tensor([[1, -10], [100, 2]])).endswith(
        '\n       [[ 1 , -10],\n        [100,  2 ]])'
    )
    assert '...' in repr(paddle.arange(2000)) and repr(paddle.to_tensor([])).endswith('[])')
    try:
        paddle.set_printoptions(precision=2)
        assert repr(f(0.123)).endswith('[0.12])')
    finally:
        paddle.set_printoptions(precision=8)
