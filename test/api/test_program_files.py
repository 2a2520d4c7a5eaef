# SPDX-License-Identifier: Apache-2.0
"""Program and parameter files: the older format, static.save and load, mapped parameters, damaged
files.
"""

import io
import json
import os
import pathlib
import pickle
import random
import shutil
import struct

import numpy as np
import pytest

import paddle
from paddle import static

DATA = pathlib.Path(__file__).parents[1] / 'fuzz' / 'corpus' / 'model'


@pytest.fixture
def program():
    paddle.enable_static()
    main = static.Program()
    with static.program_guard(main):
        x = static.data('x', [-1, 4])
        y = paddle.tanh(static.nn.fc(x, 3))
    yield main, x, y
    paddle.disable_static()


def run(main, y):
    return static.Executor().run(
        main, {'x': np.linspace(-1, 1, 8, dtype='float32').reshape(2, 4)}, [y]
    )[0]


# Saved and run by PaddlePaddle 3.3.1 with FLAGS_enable_pir_api=0: convolution, batch norm, pooling,
# dropout, linear, softmax, mean.
OLD_RESULTS = (
    [
        [0.2288573980331421, 0.46841180324554443, 0.30273082852363586],
        [0.3340408205986023, 0.5292624831199646, 0.1366966813802719],
    ],
    0.20512142777442932,
)


def test_old_program():
    x = paddle.to_tensor(np.linspace(-1, 1, 32, dtype='float32').reshape(2, 1, 4, 4))
    loaded = paddle.jit.load(str(DATA / 'small'))
    for got, want in zip(loaded(x), OLD_RESULTS):
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)
    main, feeds, fetches = static.load_inference_model(
        str(DATA), None, model_filename='small.pdmodel', params_filename='small.pdiparams'
    )
    assert feeds == ['x'] and list(fetches[0].shape) == [-1, 3]
    both = [(DATA / name).read_bytes() for name in ('small.pdmodel', 'small.pdiparams')]
    main, feeds, fetches = static.load_inference_model(
        None, None, model_filename=both[0], params_filename=both[1]
    )
    np.testing.assert_allclose(
        static.Executor().run(main, {'x': x.numpy()}, fetches)[0], OLD_RESULTS[0], rtol=1e-6
    )


def test_parameters_of_saved_programs(tmp_path):
    state = paddle.load(str(DATA / 'small'))
    assert sorted(state) == [
        'batch_norm2d_0.b_0',
        'batch_norm2d_0.w_0',
        'batch_norm2d_0.w_1',
        'batch_norm2d_0.w_2',
        'conv2d_0.b_0',
        'conv2d_0.w_0',
        'linear_0.b_0',
        'linear_0.w_0',
    ]
    assert list(state['linear_0.w_0'].shape) == [8, 3]


def test_old_program_without_parameters(tmp_path):
    shutil.copy(DATA / 'small.pdmodel', tmp_path / 'm.pdmodel')
    with pytest.raises(FileNotFoundError, match='parameters'):
        paddle.jit.load(str(tmp_path / 'm'))


def test_save_and_load(program, tmp_path):
    main, x, y = program
    want = run(main, y)
    static.save(main, str(tmp_path / 'm'))
    assert sorted(os.listdir(tmp_path)) == ['m.json', 'm.pdopt', 'm.pdparams']
    state = static.load_program_state(str(tmp_path / 'm'))
    static.set_program_state(main, {k: v * 0 for k, v in state.items()})
    assert not run(main, y).any()
    static.load(main, str(tmp_path / 'm'), static.Executor())
    np.testing.assert_array_equal(run(main, y), want)
    name = sorted(state)[0]
    with pytest.raises(ValueError, match='shape'):
        static.set_program_state(main, {name: np.zeros(7, 'float32')})
    with pytest.raises(ValueError, match='dtype'):
        static.set_program_state(main, {name: state[name].astype('float64')})
    with pytest.warns(UserWarning, match='unknown'):
        static.set_program_state(main, {'unknown': np.zeros(7, 'float32')})
    with pytest.raises(FileNotFoundError):
        static.load(main, str(tmp_path / 'none'))


def test_bytes(program, tmp_path):
    main, x, y = program
    want = run(main, y)
    data = static.serialize_program([x], [y], program=main)
    kept = static.serialize_persistables([x], [y], None, program=main)
    again = static.deserialize_program(data)
    static.deserialize_persistables(again, kept, None)
    static.save_to_file(str(tmp_path / 'f'), data)
    assert static.load_from_file(str(tmp_path / 'f')) == data
    with pytest.raises(ValueError, match='bytes'):
        static.save_to_file(str(tmp_path / 'f'), 'text')
    with pytest.raises(ValueError):
        static.deserialize_program(b'abc')
    loaded, feeds, fetches = static.load_inference_model(
        None, None, model_filename=data, params_filename=kept
    )
    np.testing.assert_array_equal(run(loaded, fetches[0]), want)


def test_big_parameters_are_mapped(tmp_path):
    layer = paddle.nn.Linear(1024, 512)
    layer.eval()
    spec = [static.InputSpec([-1, 1024], 'float32')]
    paddle.jit.save(layer, str(tmp_path / 'm'), input_spec=spec)
    data = (tmp_path / 'm.pdiparams').read_bytes()
    assert data.find(layer.weight.numpy().tobytes()) % 64 == 0
    loaded = paddle.jit.load(str(tmp_path / 'm'))
    assert str(tmp_path / 'm.pdiparams') in pathlib.Path('/proc/self/maps').read_text()
    x = paddle.ones([2, 1024])
    np.testing.assert_allclose(loaded(x).numpy(), layer(x).numpy(), rtol=1e-5)
    for value in loaded.program()._parameters().values():  # a write stays in memory
        value.set_value(value.numpy() * 0)
    assert (tmp_path / 'm.pdiparams').read_bytes() == data
    assert not loaded(x).numpy().any()


def test_recurrent_layer_with_free_length(tmp_path):
    for layer in (
        paddle.nn.LSTM(4, 5, 2, direction='bidirect'),
        paddle.nn.GRU(4, 5),
        paddle.nn.SimpleRNN(4, 5, activation='relu'),
    ):
        layer.eval()
        paddle.jit.save(
            layer, str(tmp_path / 'm'), input_spec=[static.InputSpec([-1, -1, 4], 'float32')]
        )
        x = paddle.to_tensor(np.random.RandomState(0).standard_normal((3, 6, 4)).astype('float32'))
        want = layer(x)[0]  # step by step, as gradients are recorded
        np.testing.assert_allclose(
            paddle.jit.load(str(tmp_path / 'm'))(x)[0].numpy(), want.numpy(), rtol=1e-5, atol=1e-6
        )
        lengths = paddle.to_tensor(np.array([6, 2, 4]))
        with paddle.no_grad():
            fast = layer(x, sequence_length=lengths)[0]
        np.testing.assert_allclose(
            fast.numpy(), layer(x, sequence_length=lengths)[0].numpy(), rtol=1e-5, atol=1e-6
        )


def test_where_and_split_as_the_published_package_runs_them(tmp_path):
    def forward(x):
        a, b = paddle.split(x, 2, axis=-1)
        return paddle.where(a > 0, a, paddle.full([1], 2.0)) + b

    paddle.jit.save(
        forward, str(tmp_path / 'm'), input_spec=[static.InputSpec([-1, 4], 'float32', 'x')]
    )
    text = str(paddle.jit.load(str(tmp_path / 'm')).program())
    assert 'pd_op.expand_as' in text and 'value:-1' not in text
    x = np.array([[1, -2, 3, 4]], 'float32')
    np.testing.assert_array_equal(
        paddle.jit.load(str(tmp_path / 'm'))(paddle.to_tensor(x)).numpy(), [[4, 6]]
    )


def test_reading_again_makes_no_new_types():
    loaded = [paddle.base.libpaddle.pir._load_json_text(_free_shapes()) for _ in range(2)]
    assert str(loaded[0]) == str(loaded[1])


def _free_shapes():
    program = static.Program()
    with static.program.recording(program):
        x = program._data('x', [-1, -1, 4], paddle.float32)
        program._append_fetch(paddle.tanh(x), 'y', 0)
    return program._to_json()


@pytest.mark.parametrize('name', ['small.pdmodel', 'small.pdiparams'])
def test_damaged_old_files(tmp_path, name):
    """Every damage gives an exception of the documented kinds, or a model."""
    for file in ('small.pdmodel', 'small.pdiparams'):
        shutil.copy(DATA / file, tmp_path / file)
    good = (DATA / name).read_bytes()
    choose = random.Random(0)
    for turn in range(150):
        bad = bytearray(good)
        if turn % 3 == 0:
            bad = bad[: choose.randrange(len(bad))]
        for _ in range(choose.randrange(1, 4)):
            if bad:
                bad[choose.randrange(len(bad))] = choose.choice(
                    (0, 1, 0x7F, 0x80, 0xFF, choose.randrange(256))
                )
        (tmp_path / name).write_bytes(bytes(bad))
        try:
            paddle.jit.load(str(tmp_path / 'small'))
        except (ValueError, NotImplementedError, OSError, RuntimeError, IndexError):
            pass


def _nested():
    value = ()
    for _ in range(60):
        value = (value, value)
    return value


def _cycle():
    value = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    'data',
    [
        b'\x80\x04}r\xff\xff\xff\x7f.',
        b'\x80\x05\x96' + struct.pack('<Q', 1 << 40) + b'.',
        b'\x80\x04\x95' + struct.pack('<Q', 1 << 40) + b'}.',
        pickle.dumps({'a': _nested()}, 4),
        pickle.dumps({'a': _cycle()}, 4),
        b'\x80\x04cbuiltins\nstr\n]\x85R.',
    ],
    ids=['memo', 'bytearray', 'frame', 'nested', 'cycle', 'str'],
)
def test_pickles_that_ask_for_too_much(data):
    with pytest.raises(ValueError, match='a file that can be read'):
        paddle.load(io.BytesIO(data))


def test_a_list_of_a_million_unknown_numbers_is_refused(static_mode):
    with static.program_guard(static.Program()):
        x, ends = static.data('x', [4, 4], 'float32'), static.data('ends', [1 << 20], 'int64')
        with pytest.raises(
            TypeError,
            match='at most 4096 numbers that are known only when the program runs, got 1048576',
        ):
            paddle.slice(x, [0], [0], ends)


@pytest.mark.parametrize('optimizer', ['SGD', 'Adam'])
def test_training_program_from_files(tmp_path, static_mode, optimizer):
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data('x', [4, 6, 5], 'float32')
        out, _ = paddle.nn.LSTM(5, 3)(x)
        loss = (paddle.transpose(out[:, -1], [1, 0]) ** 2).mean()
        getattr(paddle.optimizer, optimizer)(0.1).minimize(loss)
    exe, feed = static.Executor(), {'x': np.random.RandomState(0).rand(4, 6, 5).astype('float32')}
    exe.run(startup)
    static.save(main, str(tmp_path / 'm'))
    text = (tmp_path / 'm.json').read_text()
    assert json.loads(text)['base_code']['trainable']
    # As PaddlePaddle writes it: state is a persistable input, gradients of transpose have an
    # operation of their own.
    assert '"1.data","A":[{"AT":{"#":"0.a_str","D":"learning_rate_' in text
    first, _, last = text.rpartition('"1.transpose"')
    (tmp_path / 'm.json').write_text(first + '"1.transpose_grad"' + last)
    paddle.save(main, str(tmp_path / 'again.json'))
    assert (tmp_path / 'again.json').read_text() == text

    def losses(program, value):
        return [float(exe.run(program, feed=feed, fetch_list=[value])[0]) for _ in range(4)]

    def mean(program):
        return next(op.result(0) for op in program._operations() if op.name() == 'pd_op.mean')

    read, lent = (paddle.load(str(tmp_path / name)) for name in ('m.json', 'again.json'))
    assert 'pd_op.transpose_grad' in [op.name() for op in read._operations()]
    static.load(read, str(tmp_path / 'm'), exe)
    want = losses(main, loss)
    assert losses(read, mean(read)) == want and want[3] < want[0]
    assert losses(lent, mean(lent))[0] < want[3]  # the scope's parameters, where main left them
    with pytest.raises(ValueError, match='expected .* to be'):
        other = paddle.load(str(tmp_path / 'm.json'))
        paddle.save(
            {n: np.zeros([7], 'float32') for n in other._parameter_names()},
            str(tmp_path / 'm.pdparams'),
        )
        static.load(other, str(tmp_path / 'm'), exe)
    for damaged in (
        b'{garbage',
        b'{"base_code":{"magic":"pir","version":4},"program":{}}',
        b'{\xff\xfe',
    ):
        (tmp_path / 'm.json').write_bytes(damaged)
        with pytest.raises(ValueError, match='a file that can be read, got .*m.json'):
            paddle.load(str(tmp_path / 'm.json'))
