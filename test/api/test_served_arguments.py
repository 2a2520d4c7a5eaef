# SPDX-License-Identifier: Apache-2.0
"""Arguments that PaddlePaddle takes are served, or refused by exceptions of its types."""

import contextlib
import io
import warnings

import numpy as np
import pytest

import paddle
import paddle.incubate.nn.functional as IF
from paddle import _C_ops, static


def test_sound_files_that_are_none(tmp_path):
    short, other, wide = (str(tmp_path / f'{name}.wav') for name in ('short', 'other', 'wide'))
    with open(short, 'wb') as file:
        file.write(b'abc')
    with open(other, 'wb') as file:
        file.write(b'abcd' * 40)
    import wave

    with wave.open(wide, 'wb') as stream:
        stream.setnchannels(1)
        stream.setsampwidth(4)
        stream.setframerate(8000)
        stream.writeframes(bytes(40))
    for call in (paddle.audio.info, paddle.audio.load):
        with pytest.raises(EOFError, match='ends before its header'):
            call(short)
        with pytest.raises(NotImplementedError, match='expected a PCM WAV file'):
            call(other)
    assert paddle.audio.info(wide).bits_per_sample == 32
    with pytest.raises(ValueError, match='expected samples of 16 bits, got 32'):
        paddle.audio.load(wide)
    paddle.audio.save(short, paddle.zeros([1, 8]), 8000, encoding=paddle.audio.info(wide).encoding)
    assert paddle.audio.info(short).num_samples == 8


def test_scales_of_fused_sums_are_those_of_integers():
    x = paddle.to_tensor([1.0, 2.0])
    scales = [-1, '', 0.0, 0.0, 1.0, [], 2.0, 3.0, 4.0]
    assert _C_ops.fused_elementwise_add(x, x, *scales).tolist() == [2, 4]
    with pytest.raises(NotImplementedError, match='expected scales of integers to be 1.0'):
        _C_ops.fused_elementwise_add(x.astype('int8'), x.astype('int8'), *scales)


@pytest.mark.parametrize(
    'call',
    [
        lambda: IF.fused_feedforward(
            paddle.ones([1, 2, 4]), paddle.eye(4), paddle.eye(4), ring_id=1
        ),
        lambda: IF.fused_multi_head_attention(
            paddle.ones([1, 2, 4]), paddle.ones([3, 1, 4, 4]), paddle.eye(4), ring_id=0
        ),
        lambda: paddle.incubate.nn.FusedFeedForward(4, 4, ring_id=1),
        lambda: paddle.incubate.nn.FusedFeedForward(4, 4, nranks=2),
        lambda: paddle.incubate.nn.FusedMultiTransformer(4, 1, 4, num_layers=1, ring_id=0),
    ],
)
def test_fused_blocks_are_on_one_device(call):
    with pytest.raises(NotImplementedError, match=r'expected (ring_id=-1|nranks=1), got [012]'):
        call()


def test_transforms_that_define_nothing():
    base, x = paddle.distribution.Transform(), paddle.ones([2])
    for name in ('forward', 'inverse', 'forward_log_det_jacobian', 'inverse_log_det_jacobian'):
        with pytest.raises(NotImplementedError, match='expected a subclass to define'):
            getattr(base, name)(x)


def test_transforms_that_define_one_jacobian():
    class Double(paddle.distribution.Transform):
        def _forward(self, x):
            return 2 * x

        def _inverse(self, y):
            return y / 2

        def _inverse_log_det_jacobian(self, y):
            return paddle.full_like(y, -np.log(2.0))

    x = paddle.to_tensor([1.0, 3.0], 'float64')
    np.testing.assert_allclose(Double().forward_log_det_jacobian(x).numpy(), np.log([2.0, 2.0]))


@pytest.mark.parametrize(
    'sizes, out_stride, paddings, kernels, strides, windows',
    [
        ([[4, 4], [2, 3]], [1, 1], [0, 0, 0, 0], [2, 2], [1, 1], [(3, 3), (1, 2)]),
        ([[4, 4], [2, 3]], [2, 2], [0, 0, 0, 0], [2, 2], [1, 1], [(1, 1), (0, 1)]),
        ([[8, 6], [3, 7]], [2, 2], [1, 0, 1, 0], [2, 1], [1, 2], [(5, 2), (3, 2)]),
    ],
)
def test_windows_of_images_of_several_sizes(sizes, out_stride, paddings, kernels, strides, windows):
    x = paddle.arange(64, dtype='float32').reshape([2, 2, 4, 4])
    got = _C_ops.im2sequence(
        x, paddle.to_tensor(sizes, 'float32'), kernels, strides, paddings, out_stride
    ).numpy()
    up, left, down, right = paddings
    padded = np.pad(x.numpy(), [(0, 0), (0, 0), (up, down), (left, right)])
    (height, width), (down, right) = kernels, strides
    want = [
        padded[n, :, i * down : i * down + height, j * right : j * right + width].reshape(-1)
        for n, (rows, columns) in enumerate(windows)
        for i in range(rows)
        for j in range(columns)
    ]
    np.testing.assert_array_equal(got, np.stack(want))


def test_calls_within_branches_are_counted_in_tables_of_their_own():
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main, static.Program()):
            x, which = static.data('x', [2], 'float32'), static.data('which', [1], 'bool')
            paddle.cos(x)
            static.nn.cond(which, lambda: paddle.exp(x), lambda: paddle.sin(x))
        texts = []
        for blocks in (False, True):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                static.amp.debugging.collect_operator_stats(main, print_subblocks=blocks)
            texts.append(printed.getvalue())
    finally:
        paddle.disable_static()
    assert all('cos' in text for text in texts)
    assert [('exp' in text, 'sin' in text) for text in texts] == [(False, False), (True, True)]


def test_tensors_that_take_the_memory_of_an_array():
    array = np.ones([2], 'float32')
    shared, copied = paddle.base.core.DenseTensor(), paddle.base.core.DenseTensor()
    shared.set(array, paddle.CPUPlace(), True)
    copied.set(array, paddle.CPUPlace())
    array[0] = 5
    assert np.array(shared).tolist() == [5, 1] and np.array(copied).tolist() == [1, 1]


def test_programs_of_the_older_format_are_said_to_be_none(tmp_path):
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup):
            x = static.data('x', [2, 2], 'float32')
            y = static.nn.fc(x, 2)
        exe = static.Executor()
        exe.run(startup)
        path = str(tmp_path / 'model')
        with pytest.warns(UserWarning, match='legacy_format has no effect'):
            static.save_inference_model(path, [x], [y], exe, program=main, legacy_format=True)
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            static.save_inference_model(path, [x], [y], exe, program=main, legacy_format=False)
    finally:
        paddle.disable_static()
    assert sorted(p.name for p in tmp_path.iterdir()) == ['model.json', 'model.pdiparams']


@pytest.mark.parametrize('dtype', ['float32', 'float16', 'bfloat16'])
def test_fused_norms_are_the_norms_of_a_sum(dtype):
    rng = np.random.RandomState(0)
    x, residual = (paddle.to_tensor(rng.randn(3, 2, 4), dtype) for _ in range(2))
    weight, bias = (paddle.to_tensor(rng.randn(2, 4), dtype) for _ in range(2))
    total = (x + residual).astype('float64').numpy()
    mean = total.mean((1, 2), keepdims=True)
    w, b = weight.astype('float64').numpy(), bias.astype('float64').numpy()
    tolerance = {'float32': 1e-5, 'float16': 4e-3, 'bfloat16': 3e-2}[dtype]

    out, added, means, inverse = IF.fused_layer_norm(x, weight, bias, 1e-5, residual=residual)
    deviation = np.sqrt(((total - mean) ** 2).mean((1, 2), keepdims=True) + 1e-5)
    want = (total - mean) / deviation * w + b
    assert out.dtype == added.dtype == x.dtype
    np.testing.assert_allclose(out.astype('float64').numpy(), want, tolerance, tolerance)
    np.testing.assert_allclose(means.numpy(), mean.reshape(-1), 1e-2, 1e-2)
    np.testing.assert_allclose(inverse.numpy(), 1 / deviation.reshape(-1), 1e-2)

    root = np.sqrt((total**2).mean((1, 2), keepdims=True) + 1e-5)
    out, _ = IF.fused_rms_norm(x, weight, bias, 1e-5, residual=residual)
    np.testing.assert_allclose(
        out.astype('float64').numpy(), total / root * w + b, tolerance, tolerance
    )
    low, _ = IF.fused_rms_norm(x, weight, None, 1e-5, 1, None, residual, 0.1, 0, 127.0, -127.0)
    assert low.dtype == paddle.int8
    wanted = np.clip(np.round(total / root * w * 12.7), -127, 127)
    assert np.abs(low.astype('float64').numpy() - wanted).max() <= 1


@pytest.mark.parametrize('unpadded', [False, True])
def test_dropout_of_attention_draws_from_a_named_state(unpadded):
    tracker = paddle.distributed.fleet.meta_parallel.get_rng_state_tracker()
    before = tracker.get_states_tracker()
    F = paddle.nn.functional.flash_attention

    def call(**arguments):
        if unpadded:
            x, cut = paddle.ones([16, 1, 8]), paddle.to_tensor([0, 16], 'int32')
            out, _ = F.flash_attn_unpadded(x, x, x, cut, cut, 16, 16, 0.5, 0.5, **arguments)
        else:
            x = paddle.ones([1, 16, 1, 8])
            out, _ = F.flash_attention(x, x, x, 0.5, **arguments)
        return out.flatten().tolist()

    try:
        tracker.reset()
        tracker.add('dropout', 7)
        state = tracker.get_states_tracker()
        paddle.seed(3)
        plain = call()
        paddle.seed(3)
        named = call(rng_name='dropout')
        assert call() == plain, 'the global generator moved'
        tracker.set_states_tracker(state)
        with tracker.rng_state('dropout'):
            assert call() == named != plain
        with pytest.raises(ValueError, match='expected a name that was added'):
            call(rng_name='another')
    finally:
        tracker.reset()
        tracker.set_states_tracker(before)


def test_polygamma_of_integers():
    x = np.array([1, 2, 5])
    for dtype in ('uint8', 'int32', 'int64'):
        got = paddle.polygamma(paddle.to_tensor(x.astype(dtype)), 1)
        assert got.dtype == paddle.float32
        np.testing.assert_allclose(
            got.numpy(), [np.pi**2 / 6, np.pi**2 / 6 - 1, 0.221322956], rtol=1e-6
        )
    for dtype in ('bool', 'complex64'):
        with pytest.raises(RuntimeError, match='expected a floating or integer dtype'):
            paddle.polygamma(paddle.to_tensor(x).astype(dtype), 1)


def test_settings_of_distributed_datasets(tmp_path):
    (tmp_path / 'part').write_text('1 first 1 2.5\n')
    paddle.enable_static()
    try:
        with static.program_guard(static.Program()):
            x = static.data('x', [None, 1], 'float32')
            data = paddle.distributed.InMemoryDataset()
            data.init(use_var=[x])
            data._init_distributed_settings(parse_ins_id=True)
            data.set_filelist([str(tmp_path / 'part')])
            data.load_into_memory()
    finally:
        paddle.disable_static()
    assert data.get_memory_data_size() == 1
    with pytest.raises(NotImplementedError, match='expected merge_size=None, got 2'):
        data._init_distributed_settings(merge_size=2)


@pytest.mark.parametrize('call', ['method', 'backward', 'grad'])
def test_graphs_of_what_runs_are_written(call, tmp_path):
    x, w = (paddle.to_tensor([1.0, 2.0], stop_gradient=False) for _ in range(2))
    y = ((x * w).exp() + x).sum()
    path = str(tmp_path / 'graphs')
    if call == 'method':
        y.backward(dump_backward_graph_path=path)
    elif call == 'backward':
        paddle.autograd.backward([y], dump_backward_graph_path=path)
    else:
        paddle.grad([y], [x], dump_backward_graph_path=path)
    texts = {p.name.split('_', 2)[2]: p.read_text() for p in (tmp_path / 'graphs').iterdir()}
    named = {}
    for what in ('backward_graph.dot', 'ref_forward_graph.dot'):
        lines = [line.strip() for line in texts[what].splitlines()]
        names = {line.split('[')[0]: line.split('"')[1] for line in lines if line.endswith(']')}
        arrows = [tuple(line.split('->')) for line in lines if '->' in line]
        named[what] = sorted((names[a], names[b]) for a, b in arrows)
    assert named['backward_graph.dot'] == sorted(
        [
            ('SumGradNode', 'AddGradNode'),
            ('AddGradNode', 'ExpGradNode'),
            ('AddGradNode', 'AccumulateGrad'),
            ('ExpGradNode', 'MultiplyGradNode'),
            ('MultiplyGradNode', 'AccumulateGrad'),
            ('MultiplyGradNode', 'AccumulateGrad'),
        ]
    )
    assert ('Exp', 'Add') in named['ref_forward_graph.dot']
    assert (x.grad is None) == (call == 'grad')
