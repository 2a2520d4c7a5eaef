# SPDX-License-Identifier: Apache-2.0
"""paddle.save and paddle.load: content of the files, round trips, damaged and hostile files."""

import collections
import io
import os
import pickle

import numpy as np
import pytest

import paddle


def state():
    paddle.seed(3)
    return paddle.nn.Linear(2, 3).state_dict()


def same(a, b):
    assert list(a) == list(b)
    for key in a:
        np.testing.assert_array_equal(np.asarray(a[key]), np.asarray(b[key]))


@pytest.mark.parametrize('protocol', [2, 3, 4])
def test_state_dict_file(protocol, tmp_path):
    saved, path = state(), tmp_path / 'new' / 'x.pdparams'
    paddle.save(saved, str(path), protocol=protocol)
    assert os.listdir(path.parent) == ['x.pdparams']
    with open(path, 'rb') as stream:
        raw = pickle.load(stream, encoding='latin1')
    assert list(raw) == ['weight', 'bias', 'StructuredToParameterName@@']
    assert raw['StructuredToParameterName@@'] == {k: v.name for k, v in saved.items()}
    assert type(raw['weight']) is np.ndarray
    loaded = paddle.load(str(path))
    assert (
        isinstance(loaded['weight'], paddle.Tensor)
        and loaded['weight'].name == saved['weight'].name
    )
    same({k: v.numpy() for k, v in loaded.items()}, {k: v.numpy() for k, v in saved.items()})
    same(paddle.load(str(path), return_numpy=True), {k: v.numpy() for k, v in saved.items()})
    assert 'StructuredToParameterName@@' in paddle.load(str(path), keep_name_table=True)


def test_nested_objects():
    t = paddle.to_tensor([1.0, 2.0])
    t.name = 'mine'
    stream = io.BytesIO()
    paddle.save({'a': 1, 'b': [t, (t, 'x')], 'c': collections.OrderedDict(d=t)}, stream)
    stream.seek(0)
    assert pickle.load(stream)['b'][0][0] == 'mine'
    stream.seek(0)
    loaded = paddle.load(stream)
    assert loaded['a'] == 1 and loaded['b'][0].name == 'mine' and loaded['b'][1][1] == 'x'
    assert isinstance(loaded['c'], collections.OrderedDict)
    np.testing.assert_array_equal(loaded['c']['d'].numpy(), [1.0, 2.0])


@pytest.mark.parametrize(
    'dtype',
    [
        'bool',
        'uint8',
        'int8',
        'int32',
        'int64',
        'float16',
        'float32',
        'float64',
        'bfloat16',
        'complex64',
    ],
)
def test_dtypes(dtype):
    t = paddle.ones([2, 3]).astype(dtype)
    stream = io.BytesIO()
    paddle.save({'t': t, 'scalar': paddle.ones([]).astype(dtype)}, stream)
    stream.seek(0)
    loaded = paddle.load(stream)
    assert (
        loaded['t'].dtype == t.dtype
        and list(loaded['t'].shape) == [2, 3]
        and list(loaded['scalar'].shape) == []
    )
    np.testing.assert_array_equal(loaded['t'].numpy(), t.numpy())


def test_bfloat16_is_stored_as_its_bits():
    stream = io.BytesIO()
    paddle.save({'t': paddle.ones([2]).astype('bfloat16')}, stream)
    stream.seek(0)
    raw = paddle.load(stream, return_numpy=True)['t']
    assert raw.dtype == np.uint16 and raw.tolist() == [0x3F80, 0x3F80]


def test_binary_format(tmp_path):
    path = str(tmp_path / 't')
    paddle.save(paddle.to_tensor(np.array([[1.0, 2.0]], 'float32')), path, use_binary_format=True)
    with open(path, 'rb') as stream:
        data = stream.read()
    assert (
        data
        == bytes(16) + b'\x06\0\0\0\x08\x05\x10\x01\x10\x02' + np.array([1, 2], '<f4').tobytes()
    )
    np.testing.assert_array_equal(paddle.load(path).numpy(), [[1.0, 2.0]])


def test_numpy_1_files_load():
    stream = io.BytesIO()
    paddle.save(state(), stream)
    old = stream.getvalue().replace(
        b'\x8c\x16numpy._core.multiarray', b'\x8c\x15numpy.core.multiarray'
    )
    head = old.index(b'\x95')
    old = old[: head + 1] + (len(old) - head - 9).to_bytes(8, 'little') + old[head + 9 :]
    same(
        {k: v.numpy() for k, v in paddle.load(io.BytesIO(old)).items()},
        {k: v.numpy() for k, v in state().items()},
    )


def test_layers_are_refused():
    with pytest.raises(ValueError, match='Layer'):
        paddle.save({'net': paddle.nn.Linear(2, 2)}, io.BytesIO())
    with pytest.raises(ValueError, match='protocol'):
        paddle.save(state(), io.BytesIO(), protocol=5)
    with pytest.raises(ValueError, match="a file's name, got ''"):
        paddle.save(state(), '')
    with pytest.raises(ValueError, match="got '/nonexistent/file'"):
        paddle.load('/nonexistent/file')


def test_truncated_files():
    stream = io.BytesIO()
    paddle.save(state(), stream)
    data = stream.getvalue()
    for size in range(0, len(data) - 1, 7):
        with pytest.raises((ValueError, EOFError)):
            paddle.load(io.BytesIO(data[:size]))


def test_corrupted_files_do_not_crash():
    stream = io.BytesIO()
    paddle.save(state(), stream)
    rng = np.random.RandomState(0)
    for _ in range(500):
        data = bytearray(stream.getvalue())
        data[rng.randint(len(data))] = rng.randint(256)
        try:
            paddle.load(io.BytesIO(bytes(data)))
        except (ValueError, EOFError):
            pass


class _Hostile:
    def __init__(self, call, *args):
        self.call, self.args = call, args

    def __reduce__(self):
        return self.call, self.args


@pytest.mark.parametrize(
    'what', [_Hostile(os.system, 'true'), _Hostile(eval, '1 + 1', {}), _Hostile(exec, 'pass')]
)
def test_hostile_files_are_refused(what):
    data = pickle.dumps({'a': what})
    with pytest.raises(ValueError, match='a file that can be read'):
        paddle.load(io.BytesIO(data))


def test_failed_save_keeps_the_old_file(tmp_path):
    path = str(tmp_path / 'x')
    paddle.save({'a': 1}, path)
    with pytest.raises(Exception):
        paddle.save({'a': lambda: 0}, path)
    assert paddle.load(path) == {'a': 1}
    assert os.listdir(tmp_path) == ['x']


def test_optimizer_file(tmp_path):
    net = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.Adam(
        paddle.optimizer.lr.StepDecay(0.1, 2), parameters=net.parameters()
    )
    net(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    path = str(tmp_path / 'x.pdopt')
    paddle.save(optimizer.state_dict(), path)
    loaded = paddle.load(path)
    assert loaded['LR_Scheduler'] == {'last_epoch': 0, 'last_lr': 0.1}
    assert net.weight.name + '_moment1_0' in loaded


def test_async_save(tmp_path):
    path = str(tmp_path / 'x')
    saved = state()
    paddle.async_save(saved, path)
    paddle.framework.io.clear_async_save_task_queue()
    same(
        {k: v.numpy() for k, v in paddle.load(path).items()},
        {k: v.numpy() for k, v in saved.items()},
    )
