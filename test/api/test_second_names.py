# SPDX-License-Identifier: Apache-2.0
"""Arguments that have a second name: PyTorch's word for them, which PaddlePaddle takes too."""

import copy
import inspect
import os
import pickle
import re
import types
import weakref

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F

X = paddle.to_tensor([[3.0, 1.0, 2.0, 4.0], [6.0, 5.0, 8.0, 7.0]])
Y = paddle.to_tensor([[1.0, 1.0, 2.0, 5.0], [6.0, 4.0, 8.0, 9.0]])
I = paddle.to_tensor([[12, 18], [4, 6]])
J = paddle.to_tensor([[8, 9], [6, 3]])
V = paddle.to_tensor([1.0, 3.0, 5.0])
IMAGE = paddle.arange(32, dtype='float32').reshape([1, 2, 4, 4])
ROWS = paddle.arange(8, dtype='float32').reshape([1, 2, 4])
SQUARE = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]])

# (function, arguments by position, keywords by their second names, the same by their first names)
CALLS = [
    (F.softmax, (), {'input': X, 'dim': 0}, {'x': X, 'axis': 0}),
    (F.glu, (), {'input': X, 'dim': 0}, {'x': X, 'axis': 0}),
    (F.normalize, (), {'input': X, 'dim': 0, 'eps': 0.5}, {'x': X, 'axis': 0, 'epsilon': 0.5}),
    (F.layer_norm, (),
     {'input': X, 'normalized_shape': 4, 'eps': 0.5},
     {'x': X, 'normalized_shape': 4, 'epsilon': 0.5}),
    (F.cosine_similarity, (X, Y), {'dim': 0}, {'axis': 0}),
    (F.cross_entropy, (X,),
     {'target': paddle.to_tensor([1, 0])},
     {'label': paddle.to_tensor([1, 0])}),
    (F.pairwise_distance, (), {'x1': X, 'x2': Y, 'eps': 0.5}, {'x': X, 'y': Y, 'epsilon': 0.5}),
    (F.one_hot, (), {'input': I, 'num_classes': 20}, {'x': I, 'num_classes': 20}),
    (F.embedding, (),
     {'input': paddle.to_tensor([1]), 'weight': X},
     {'x': paddle.to_tensor([1]), 'weight': X}),
    (F.pad, (), {'input': ROWS, 'pad': [1, 1]}, {'x': ROWS, 'pad': [1, 1]}),
    (F.interpolate, (), {'input': IMAGE, 'size': [2, 2]}, {'x': IMAGE, 'size': [2, 2]}),
    (F.conv2d, (),
     {'input': IMAGE, 'weight': paddle.ones([1, 2, 2, 2])},
     {'x': IMAGE, 'weight': paddle.ones([1, 2, 2, 2])}),
    (F.adaptive_avg_pool2d, (), {'input': IMAGE, 'output_size': 2}, {'x': IMAGE, 'output_size': 2}),
    (F.hardshrink, (), {'input': X, 'lambd': 4.5}, {'x': X, 'threshold': 4.5}),
    (F.softshrink, (), {'input': X, 'lambd': 1.5}, {'x': X, 'threshold': 1.5}),
    (F.silu, (), {'input': X}, {'x': X}),
    (F.log_sigmoid, (), {'input': X}, {'x': X}),
    (F.lp_pool2d, (),
     {'input': IMAGE, 'norm_type': 2.0, 'kernel_size': 2},
     {'x': IMAGE, 'norm_type': 2.0, 'kernel_size': 2}),
    (paddle.chunk, (), {'input': X, 'chunks': 2, 'dim': 1}, {'x': X, 'chunks': 2, 'axis': 1}),
    (paddle.concatenate, (), {'tensors': [X, Y], 'dim': 1}, {'x': [X, Y], 'axis': 1}),
    (paddle.tensor_split, (),
     {'input': X, 'sections': 2, 'dim': 1},
     {'x': X, 'num_or_indices': 2, 'axis': 1}),
    (paddle.var, (), {'input': X, 'dim': 1}, {'x': X, 'axis': 1}),
    (paddle.median, (), {'input': X, 'dim': 1}, {'x': X, 'axis': 1, 'mode': 'min'}),
    (paddle.quantile, (), {'input': X, 'q': 0.25, 'dim': 1}, {'x': X, 'q': 0.25, 'axis': 1}),
    (paddle.diff, (), {'input': X, 'dim': 0}, {'x': X, 'axis': 0}),
    (paddle.unbind, (X,), {'dim': 1}, {'axis': 1}),
    (paddle.transpose, (X,), {'axis0': 0, 'axis1': 1}, {'dim0': 0, 'dim1': 1}),
    (paddle.swapaxes, (X,), {'axis0': 0, 'axis1': 1}, {'dim0': 0, 'dim1': 1}),
    (paddle.unflatten, (),
     {'input': X, 'dim': 1, 'sizes': [2, 2]},
     {'x': X, 'axis': 1, 'shape': [2, 2]}),
    (paddle.repeat_interleave, (),
     {'input': X, 'repeats': 2, 'dim': 1},
     {'x': X, 'repeats': 2, 'axis': 1}),
    (paddle.take_along_dim, (),
     {'input': I, 'indices': J * 0, 'dim': 1},
     {'arr': I, 'indices': J * 0, 'axis': 1}),
    (paddle.index_add, (),
     {'input': X, 'index': paddle.to_tensor([1]), 'dim': 0, 'source': Y[:1]},
     {'x': X, 'index': paddle.to_tensor([1]), 'axis': 0, 'value': Y[:1]}),
    (paddle.bucketize, (), {'input': X, 'boundaries': V}, {'x': X, 'sorted_sequence': V}),
    (paddle.searchsorted, (V,), {'input': X}, {'values': X}),
    (paddle.broadcast_to, (), {'input': V, 'size': [2, 3]}, {'x': V, 'shape': [2, 3]}),
    (paddle.eye, (), {'n': 2, 'm': 3}, {'num_rows': 2, 'num_columns': 3}),
    (paddle.linspace, (0, ), {'end': 1, 'steps': 5}, {'stop': 1, 'num': 5}),
    (paddle.zeros_like, (), {'input': X}, {'x': X}),
    (paddle.full_like, (), {'input': X, 'fill_value': 2}, {'x': X, 'fill_value': 2}),
    (paddle.gcd, (), {'input': I, 'other': J}, {'x': I, 'y': J}),
    (paddle.ge, (), {'input': X, 'other': Y}, {'x': X, 'y': Y}),
    (paddle.mul, (), {'input': X, 'other': Y}, {'x': X, 'y': Y}),
    (paddle.outer, (), {'input': V, 'vec2': V}, {'x': V, 'y': V}),
    (paddle.trace, (), {'input': X}, {'x': X}),
    (paddle.fft.fft, (), {'input': X, 'dim': 0}, {'x': X, 'axis': 0}),
    (paddle.fft.rfft2, (), {'input': X, 'dim': (1, 0)}, {'x': X, 'axes': (1, 0)}),
    (paddle.linalg.norm, (), {'A': X, 'ord': 1, 'dim': 1}, {'x': X, 'p': 1, 'axis': 1}),
    (paddle.linalg.vector_norm, (X,), {'ord': 1, 'dim': 1}, {'p': 1, 'axis': 1}),
    (paddle.linalg.solve, (), {'A': SQUARE, 'B': SQUARE}, {'x': SQUARE, 'y': SQUARE}),
]  # fmt: skip


def arrays(result):
    several = isinstance(result, (list, tuple))
    return [one.numpy() for one in (result if several else [result])]


@pytest.mark.parametrize('call', CALLS, ids=lambda call: call[0].__name__)
def test_second_names_mean_the_first(call):
    function, args, second, first = call
    want, got = function(*args, **first), function(*args, **second)
    for one, other in zip(arrays(want), arrays(got)):
        np.testing.assert_array_equal(one, other)


def test_both_names_at_once_are_refused():
    with pytest.raises(ValueError, match=r"\[softmax\] expected one of 'axis' and 'dim', got both"):
        F.softmax(X, axis=0, dim=0)
    with pytest.raises(TypeError, match="multiple values for argument 'axis'"):
        F.softmax(X, 0, dim=0)
    with pytest.raises(ValueError, match=r"\[stack\] expected one of 'x' and 'tensors', got both"):
        paddle.stack(x=[X], tensors=[X])


def test_methods_take_them_too():
    assert X.var(dim=1).shape == X.norm(dim=1).shape == [2]
    assert [part.shape for part in X.chunk(2, dim=1)] == [[2, 2], [2, 2]]


def test_gelu_takes_texts():
    for text, flag in (('tanh', True), ('none', False)):
        for got in (F.gelu(X, approximate=text), paddle.nn.GELU(text)(X)):
            np.testing.assert_array_equal(got.numpy(), F.gelu(X, flag).numpy())
    with pytest.raises(ValueError, match="approximate True, False, 'none' or 'tanh', got 'erf'"):
        F.gelu(X, approximate='erf')


def test_views_and_repeats_by_name():
    assert X.view(dtype='int32').dtype == paddle.int32
    assert X.view(size=[4, 2]).shape == X.view(shape_or_dtype=[4, 2]).shape == [4, 2]
    assert X.view(4, 2).shape == X.view([4, 2]).shape == [4, 2]
    with pytest.raises(TypeError, match=r'\[view\] expected shape_or_dtype once, got it 2 times'):
        X.view([4, 2], dtype='int32')
    for got in (X.repeat(repeats=[2, 1]), X.repeat(2, 1), X.repeat([2, 1])):
        np.testing.assert_array_equal(got.numpy(), np.tile(X.numpy(), [2, 1]))


def test_functions_with_second_names_look_like_their_own():
    for f, names, defaults in (
        (F.glu, ('x', 'axis', 'name'), (-1, None)),
        (paddle.Tensor.chunk, ('x', 'chunks', 'axis', 'name'), (0, None)),
    ):
        assert isinstance(f, types.FunctionType) and inspect.isfunction(f)
        assert f.__code__.co_varnames[: len(names)] == names and f.__defaults__ == defaults
        assert tuple(inspect.signature(f).parameters) == names
        assert pickle.loads(pickle.dumps(f)) is f and copy.deepcopy(f) is f
        assert inspect.ismethod(f.__get__(X)) and weakref.ref(f)() is f
    F.glu.marked = True
    assert F.glu.marked and not hasattr(F.glu.__wrapped__, 'marked')
    del F.glu.marked


def test_calls_have_no_frame_of_their_own():
    with pytest.raises(TypeError, match='axis to be an int') as raised:
        F.glu(X, dim='a')
    files = [os.path.basename(entry.path) for entry in raised.traceback]
    assert files == [os.path.basename(__file__), 'activation.py']


def test_they_are_compiled():
    softmax = paddle.nn.Softmax(dim=0)

    def half(x):
        return softmax(F.glu(x, dim=1)) + x.chunk(2, dim=1)[0]

    compiled = paddle.jit.to_static(half, full_graph=False)
    x = paddle.arange(8, dtype='float32').reshape([2, 4])
    for _ in range(4):
        np.testing.assert_array_equal(compiled(x).numpy(), half(x).numpy())
    assert re.search(r'[1-9]\d* calls ran a recording', str(paddle.jit.explain(compiled, x)))
