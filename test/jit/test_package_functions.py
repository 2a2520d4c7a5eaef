# SPDX-License-Identifier: Apache-2.0
"""Functions of the package within compiled ones, with `full_graph`: those that need numbers of
tensors run as they are, and what they raise is raised.
"""

import warnings

import numpy
import pytest

import paddle
import paddle.nn.functional as F


def _histogram(x, bins, ranges=None, density=False, weights=None):
    counts, edges = paddle.histogramdd(x, bins, ranges, density, weights)
    return [counts, *edges]


def _varlen(q, ends):
    return F.flash_attention.flash_attn_unpadded(q, q, q, ends, ends, 4, 4, 1.0)[0]


def _sampled(x, share):
    return paddle.Tensor.top_p_sampling(F.softmax(x), share, seed=5, k=2, return_top=True)


def _coalesced(indices, values):
    return paddle.sparse.coalesce(
        paddle.sparse.sparse_coo_tensor(indices, values, [3, 3])
    ).to_dense()


def _summed(indices, values):
    x = paddle.sparse.sparse_coo_tensor(indices, values, [3, 3])
    return paddle.sparse.sum(x, axis=0).to_dense()


def _adaptive(x, label, head, projection, tail):
    return F.adaptive_log_softmax_with_loss(x, label, head, [[projection, tail]], [2, 5])


def _decoded(state, embedding, cell):
    decoder = paddle.nn.BeamSearchDecoder(cell, 0, 1, beam_size=2, embedding_fn=embedding)
    return paddle.nn.dynamic_decode(decoder, state, max_step_num=4, return_length=True)[2]


def _tensor(*shape, seed=0):
    return paddle.to_tensor(numpy.random.default_rng(seed).normal(size=shape), dtype='float32')


def _recorded():
    points, weights = _tensor(9, 2), _tensor(9).abs()
    yield 'histogram', _histogram, (points, 4)
    yield 'weighted', _histogram, (points, [2, 3], [-1.0, 1.0, -2.0, 0.5], True, weights)
    yield 'edges', _histogram, (points, [paddle.to_tensor([-1.0, 0.0, 2.0])] * 2)
    yield 'exponential', paddle.linalg.matrix_exp, (_tensor(2, 3, 3) * 9,)
    yield 'small', paddle.linalg.matrix_exp, (_tensor(2, 3, 3) * 0.01,)
    yield 'unpadded', _varlen, (_tensor(7, 2, 8), paddle.to_tensor([0, 3, 7], dtype='int32'))
    yield 'top_p', _sampled, (_tensor(6, 9), paddle.full([6], 0.7))
    indices, values = paddle.to_tensor([[0, 1, 1], [0, 2, 2]]), paddle.to_tensor([1.0, 2.0, 3.0])
    yield 'coalesced', _coalesced, (indices, values)
    for f in (paddle.audio.functional.mel_to_hz, paddle.audio.functional.hz_to_mel):
        for htk in (False, True):
            yield f'{f.__name__}-{htk}', f, (paddle.to_tensor([3.0, 40.0, 4000.0]), htk)


def _plain():
    tail = _tensor(4, 2), _tensor(2, 3)
    labels = paddle.to_tensor([0, 1, 4])
    yield 'adaptive', _adaptive, (_tensor(3, 4), labels, _tensor(4, 3), *tail)
    parts = paddle.nn.Embedding(6, 4), paddle.nn.GRUCell(4, 6)
    yield 'decoded', _decoded, (paddle.zeros([3, 6]), *parts)


def _numbers(results):
    return [r.numpy() for r in (results if isinstance(results, (list, tuple)) else [results])]


def _compare(function, args, marked):
    for _ in range(3):
        want, got = _numbers(function(*args)), _numbers(marked(*args))
        assert len(want) == len(got)
        for a, b in zip(want, got):
            assert a.dtype == b.dtype
            numpy.testing.assert_allclose(b, a, 1e-5, 1e-6)


@pytest.mark.parametrize('full_graph', [False, True])
@pytest.mark.parametrize('case', list(_recorded()), ids=lambda c: c[0])
def test_recorded(case, full_graph):
    _, function, args = case

    def call(*args):
        return function(*args)

    marked = paddle.jit.to_static(call, full_graph=full_graph)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        _compare(function, args, marked)
    if full_graph:
        assert marked.get_traced_count() == 1


def test_sums_of_sparse_tensors_are_recorded():
    args = paddle.to_tensor([[0, 1, 1], [0, 2, 2]]), paddle.to_tensor([1.0, 2.0, 3.0])
    marked = paddle.jit.to_static(_summed, full_graph=True)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        _compare(_summed, args, marked)
    assert marked.get_traced_count() == 1


@pytest.mark.parametrize('case', list(_plain()), ids=lambda c: c[0])
def test_run_as_they_are(case):
    """Numbers that only the run knows are needed: one warning names the function and the line."""
    _, function, args = case
    marked = paddle.jit.to_static(function, full_graph=True)
    with pytest.warns(UserWarning, match=r'(?s)as it is.*test_package_functions.py|nn.decode.py'):
        first = _numbers(marked(*args))
    want = _numbers(function(*args))
    assert len(want) == len(first)
    for a, b in zip(want, first):
        numpy.testing.assert_allclose(b, a, 1e-5, 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        _compare(function, args, marked)


def test_what_is_around_is_compiled():
    def function(x, *rest):
        q = paddle.tanh(x * 2 + 1).exp() - x
        q = q / (q.sum() + 1)
        y = _adaptive(q, *rest)[0].sum() + q
        y = (y * 3).sin() + x
        return y.cos() - q * 2

    marked = paddle.jit.to_static(function, full_graph=True)
    args = next(args for name, _, args in _plain() if name == 'adaptive')
    with pytest.warns(UserWarning, match='as it is'):
        marked(*args)
    _compare(function, args, marked)
    ran = [r for r in paddle.jit.explain(marked, *args).regions if r.recordings]
    assert len(ran) == 2


def test_errors_are_eager_ones_and_leave_nothing():
    """A call that the package refuses raises, and the next one is recorded."""
    mode = ['wrong']

    def function(x):
        return F.interpolate(x, scale_factor=2, mode=mode[0])

    marked = paddle.jit.to_static(function, full_graph=True)
    x = _tensor(1, 1, 2, 2)
    for _ in range(3):
        with warnings.catch_warnings(), pytest.raises(ValueError) as expected:
            warnings.simplefilter('error')
            function(x)
        with warnings.catch_warnings(), pytest.raises(ValueError) as found:
            warnings.simplefilter('error')
            marked(x)
        assert str(found.value) == str(expected.value)
    mode[0] = 'nearest'
    _compare(function, (x,), marked)
    assert marked.get_traced_count() == 1


def test_a_refusal_that_is_caught():
    def function(x, axis):
        try:
            y = F.softmax_(x.clone(), axis=axis)
        except (ValueError, IndexError):
            y = x * 2
        return y + 1

    marked = paddle.jit.to_static(function, full_graph=True)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for axis in (0, 7, 0, 7):
            _compare(function, (_tensor(3, 4), axis), marked)


def test_code_of_a_user_that_reads_numbers_raises():
    marked = paddle.jit.to_static(lambda x: x * x.numpy(), full_graph=True)
    with pytest.raises(TypeError, match='recorded'):
        marked(_tensor(3))
