# SPDX-License-Identifier: Apache-2.0
"""What a beginner gets wrong: messages name the function, the argument, what was expected and what
came.
"""

import re
import traceback

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.io import DataLoader, Dataset


class _Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, k):
        return np.ones(k + 1, 'float32')


class _Misspelt(nn.Layer):
    def foward(self, x):
        return x


def _linear(*shape, dtype='float32'):
    return nn.Linear(4, 2)(paddle.ones(shape, dtype))


@pytest.mark.parametrize(
    ('call', 'error', 'words'),
    [
        (
            lambda: paddle.flip(paddle.ones([2]), 2**63),
            OverflowError,
            "[flip] expected 'axis' to fit in int64, got a larger number",
        ),
        (
            lambda: paddle.ones([2]).reshape([1, 2**64]),
            OverflowError,
            "[reshape] expected 'shape' to fit in int64, got a larger number",
        ),
        (
            lambda: paddle.scale(paddle.ones([2]), 10**400),
            OverflowError,
            "[scale] expected 'scale' to fit in float64, got a larger number",
        ),
        (
            lambda: paddle.linalg.norm(paddle.ones([2]), p='x'),
            ValueError,
            "[norm] expected p to be a number, of matrices also 'fro' or 'nuc', got 'x'",
        ),
        *(
            (call, TypeError, '[out] expected a Tensor')
            for call in (
                lambda: paddle.add(paddle.ones([2]), paddle.ones([2]), out=3),
                lambda: paddle.full([2], 0.5, out='float32'),
                lambda: paddle.fft.hfft(paddle.ones([2, 3]), out=np.zeros(2)),
                lambda: paddle.polar(paddle.ones([2]), paddle.ones([2]), out={}),
                lambda: paddle.assign([1.0], output=3),
            )
        ),
        (
            lambda: paddle.vision.transforms.hflip(paddle.ones([8])),
            RuntimeError,
            '[transforms] expected a tensor of 3 or 4 axes as image, got shape',
        ),
        (lambda: _linear(3, 5), ValueError, '[linear] expected x of 4 features, got shape [3, 5] '),
        (lambda: _linear(), ValueError, '[linear] expected x of 4 features, got shape [] '),
        (
            lambda: _linear(3, 4, dtype='float64'),
            ValueError,
            "[linear] expected x of the weight's dtype float32, got float64; ",
        ),
        (
            lambda: nn.Linear(4, 2)([1.0]),
            ValueError,
            '[linear] expected x to be a Tensor, got list',
        ),
        (lambda: nn.Linear('4', 2), TypeError, '[create_parameter] expected extents of shape to'),
        (lambda: nn.Linear(4.0, 2), TypeError, 'extents of shape to be an integer, got float'),
        (
            lambda: nn.Linear(-4, 2),
            AssertionError,
            '[create_parameter] expected extents of at least 0 in shape, got [-4, 2]',
        ),
        (
            lambda: nn.LSTM(4, 8)(paddle.ones([3, 4])),
            ValueError,
            '[LSTM] expected inputs of 3 axes, got shape [3, 4]',
        ),
        (
            lambda: nn.GRU(4, 8)(paddle.ones([2, 3, 5])),
            ValueError,
            '[rnn] expected inputs of 4 features, got 5',
        ),
        (
            lambda: F.cross_entropy(paddle.ones([3, 2]), paddle.ones([3, 2])),
            ValueError,
            'got [3, 2]; probabilities need soft_label=True',
        ),
        (
            lambda: nn.Layer()(1),
            NotImplementedError,
            '[Layer] expected the class to define forward, got none',
        ),
        (
            lambda: _Misspelt()(1),
            NotImplementedError,
            "[_Misspelt] expected the class to define forward, got none; 'foward' is something",
        ),
        (
            lambda: nn.Linear(1, 1).set_state_dict([1]),
            AttributeError,
            '[set_state_dict] expected a dict of names and tensors, got list',
        ),
        (
            lambda: list(DataLoader(_Rows(), batch_size=2)),
            ValueError,
            '[default_collate_fn] expected arrays of one shape in a batch, got (1,) and (2,)',
        ),
        (
            lambda: DataLoader(_Rows(), batch_size='2'),
            TypeError,
            '[DataLoader] expected batch_size to be an integer, got str',
        ),
        (
            lambda: DataLoader(_Rows(), num_workers='2'),
            TypeError,
            '[DataLoader] expected num_workers to be an integer, got str',
        ),
        (
            lambda: list(DataLoader(_Rows(), batch_sampler=[1, 2])),
            TypeError,
            '[DataLoader] expected batch_sampler to give lists of indices, got 1: ',
        ),
        (
            lambda: paddle.jit.load('nothing.pdmodel'),
            ValueError,
            "got neither; the prefix of the files is 'nothing'",
        ),
        (
            lambda: nn.Conv2D('fc', 3, 4),
            TypeError,
            '[Conv2D] expected in_channels to be an integer, got str',
        ),
        (
            lambda: paddle.full([2], 'a'),
            ValueError,
            "[full] expected a number as fill_value, got 'a'",
        ),
        (
            lambda: paddle.normal('a'),
            ValueError,
            "[gaussian] expected mean to be a number, got 'a'",
        ),
        (
            lambda: F.interpolate(paddle.ones([1, 1, 2, 2]), scale_factor='a'),
            ValueError,
            "[interpolate] expected scale_factor to be a number, got 'a'",
        ),
        (lambda: paddle.static.nn.fc(3, 2), TypeError, "[fc] expected a Tensor for 'x', got int"),
        (lambda: paddle.seed('a'), ValueError, "[seed] expected an integer, got 'a'"),
        (
            lambda: paddle.optimizer.AdamW(0.1, [{'params': []}]),
            TypeError,
            '[AdamW] expected beta1 to be a number, got list',
        ),
        (
            lambda: paddle.ones([2])['a':],
            ValueError,
            '[index] expected bounds of slices that are integers, tensors of one or None, got str',
        ),
    ],
)
def test_message(call, error, words):
    with pytest.raises(error, match=re.escape(words)):
        call()


class _Wrong(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(9, 2)

    def forward(self, x):
        return self.second(self.first(x))


def _code_lines(call):
    with pytest.raises(ValueError, match='expected x of 9 features') as caught:
        call()
    return [(f.filename, f.line) for f in traceback.extract_tb(caught.value.__traceback__)]


@pytest.mark.parametrize('full_graph', [False, True])
def test_tracebacks_of_compiled_functions_are_the_users(full_graph):
    """Between the call and the user's line there is nothing of how calls are recorded."""
    x = paddle.ones([3, 4])
    plain = [line for line in _code_lines(lambda: _Wrong()(x)) if line[0] == __file__]
    marked = paddle.jit.to_static(_Wrong(), full_graph=full_graph)
    shown = _code_lines(lambda: marked(x))
    assert not [file for file, _ in shown if '/paddle/jit/' in file]
    own = [line for line in shown if line[0] == __file__]
    assert [line for _, line in own][-1:] == [line for _, line in plain][-1:]
    paddle.set_flags({'FLAGS_call_stack_level': 2})
    try:
        again = paddle.jit.to_static(_Wrong(), full_graph=full_graph)
        assert [file for file, _ in _code_lines(lambda: again(x)) if '/paddle/jit/' in file]
    finally:
        paddle.set_flags({'FLAGS_call_stack_level': 1})


def test_tracebacks_of_saving_are_the_users(tmp_path):
    spec = [paddle.static.InputSpec([None, 4])]
    shown = _code_lines(lambda: paddle.jit.save(_Wrong(), str(tmp_path / 'm'), spec))
    inside = [file for file, _ in shown if '/paddle/jit/' in file]
    assert len(inside) == 1  # save itself
    assert 'return self.second(self.first(x))' in [line for _, line in shown]


def test_a_bias_of_another_dtype_is_taken():
    x, w = paddle.ones([1, 2]), paddle.ones([2, 1])
    for dtype in ('float16', 'bfloat16', 'float64'):
        assert F.linear(x, w, paddle.full([1], 0.5, dtype)).tolist() == [[2.5]]
