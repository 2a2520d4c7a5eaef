# SPDX-License-Identifier: Apache-2.0
"""Predictors of saved models from Python and from a C++ program built outside the tree."""

import os
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import paddle
import paddle.inference as infer
from paddle.static import InputSpec

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope='module')
def saved(tmp_path_factory):
    paddle.seed(3)
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(1, 4, 3),
        paddle.nn.BatchNorm2D(4),
        paddle.nn.ReLU(),
        paddle.nn.Flatten(),
        paddle.nn.Linear(4 * 36, 5),
        paddle.nn.Softmax(),
    )
    net.eval()
    path = str(tmp_path_factory.mktemp('model') / 'net')
    paddle.jit.save(net, path, input_spec=[InputSpec([None, 1, 8, 8], 'float32', 'image')])
    x = np.random.RandomState(0).rand(2, 1, 8, 8).astype('float32')
    return path, x, net(paddle.to_tensor(x)).numpy()


def make(path, **options):
    config = infer.Config(path + '.json', path + '.pdiparams')
    config.disable_glog_info()
    for name, value in options.items():
        getattr(config, name)(value)
    return infer.create_predictor(config)


def test_hooks_see_and_change_what_runs(saved):
    path, x, want = saved
    predictor, seen = make(path), []
    predictor.register_input_hook(lambda op, name, t: seen.append((op, name, t.shape)))
    predictor.register_output_hook(lambda op, name, t: seen.append((op, t.shape)))
    for inputs in (None, [paddle.to_tensor(x)]):
        predictor.get_input_handle('image').copy_from_cpu(x)
        predictor.run(inputs)
        assert seen == [('data', 'image', [2, 1, 8, 8]), ('fetch', [2, 5])]
        seen.clear()
    predictor.register_input_hook(
        lambda op, name, t: predictor.get_input_handle(name).copy_from_cpu(x[::-1].copy())
    )
    (direct,) = predictor.run([paddle.to_tensor(x)])
    np.testing.assert_allclose(direct.numpy(), want[::-1], rtol=1e-5, atol=1e-6)


def test_a_direct_run_is_that_of_the_handles(saved):
    path, x, want = saved
    predictor = make(path)
    predictor.run([paddle.to_tensor(x)])
    image = predictor.get_input_handle('image')
    np.testing.assert_array_equal(image.copy_to_cpu(), x)
    out = predictor.get_output_handle(predictor.get_output_names()[0])
    np.testing.assert_allclose(out.copy_to_cpu(), want, rtol=1e-5, atol=1e-6)
    predictor.run()  # of the same
    np.testing.assert_allclose(out.copy_to_cpu(), want, rtol=1e-5, atol=1e-6)


def test_handles_and_direct_run(saved):
    path, x, want = saved
    predictor = make(path)
    assert predictor.get_input_names() == ['image']
    handle = predictor.get_input_handle('image')
    handle.copy_from_cpu(x)
    predictor.run()
    out = predictor.get_output_handle(predictor.get_output_names()[0])
    np.testing.assert_allclose(out.copy_to_cpu(), want, rtol=1e-5, atol=1e-6)
    assert out.shape() == [2, 5] and out.type() == infer.DataType.FLOAT32
    (direct,) = predictor.run([paddle.to_tensor(x[:1])])
    np.testing.assert_allclose(direct.numpy(), want[:1], rtol=1e-5, atol=1e-6)
    shared = x[1:].copy()
    handle.share_external_data(shared)
    predictor.run()
    np.testing.assert_allclose(out.copy_to_cpu(), want[1:], rtol=1e-5, atol=1e-6)
    shared[...] = x[:1]  # what the memory holds at the run
    predictor.run()
    np.testing.assert_allclose(out.copy_to_cpu(), want[:1], rtol=1e-5, atol=1e-6)
    handle.share_external_data(x[1:].copy())  # held by the handle alone
    predictor.run()
    np.testing.assert_allclose(out.copy_to_cpu(), want[1:], rtol=1e-5, atol=1e-6)


def test_profile_is_printed_at_the_end(saved, capfd):
    path, x, want = saved
    config = infer.Config(path + '.json', path + '.pdiparams')
    config.disable_glog_info()
    config.enable_profile()
    predictor = infer.create_predictor(config)
    for _ in range(2):
        predictor.run([paddle.to_tensor(x)])
    assert 'total us' not in capfd.readouterr().err
    del predictor
    rows = [line.split() for line in capfd.readouterr().err.splitlines()]
    assert ['softmax', '2'] in [row[:2] for row in rows], rows


def test_optimised_program_is_smaller_and_equal(saved):
    path, x, want = saved
    plain, optimised = make(path, switch_ir_optim=False), make(path)
    assert optimised._num_instructions <= plain._num_instructions
    for predictor in (plain, optimised):
        np.testing.assert_allclose(
            predictor.run([paddle.to_tensor(x)])[0].numpy(), want, rtol=1e-5, atol=1e-6
        )


class WrittenOut(paddle.nn.Layer):
    """Layer norms in single operations, a branch that parameters decide, and a list of
    parameters.
    """

    def __init__(self):
        super().__init__()
        self.w, self.b = (
            self.create_parameter([8], default_initializer=paddle.nn.initializer.Uniform(-1, 1))
            for _ in range(2)
        )
        self.linear = paddle.nn.Linear(8, 8)
        self.register_buffer('flag', paddle.to_tensor([True]))

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        y = self.w * (centred / paddle.sqrt((centred**2).mean(-1, keepdim=True) + 1e-5)) + self.b
        centred = y - paddle.mean(y, [1, 2], True)
        z = centred * paddle.rsqrt(paddle.mean(paddle.square(centred), [1, 2], True) + 1e-6)
        z = (z - z.mean(-1, keepdim=True)) / paddle.sqrt(
            paddle.var(z, -1, unbiased=False, keepdim=True) + 1e-6
        )
        if self.flag.all():
            z = paddle.tanh(self.linear(z))
        else:
            z = z * 3
        return z + paddle.concat([self.w, self.b]).sum()


def test_profile_of_recognised_operations(tmp_path, capfd):
    paddle.seed(5)
    net, path = WrittenOut(), str(tmp_path / 'net')
    net.eval()
    paddle.jit.save(net, path, input_spec=[InputSpec([None, 4, 8], 'float32', 'x')])
    x = paddle.to_tensor(np.random.RandomState(1).rand(3, 4, 8).astype('float32') * 5 + 3)
    want, plain, optimised = net(x).numpy(), make(path, set_optimization_level=0), None
    config = infer.Config(path + '.json', path + '.pdiparams')
    config.enable_profile()
    optimised = infer.create_predictor(config)
    for predictor in (plain, optimised, optimised.clone()):
        np.testing.assert_allclose(predictor.run([x])[0].numpy(), want, rtol=1e-5, atol=2e-6)
    del plain, optimised, predictor
    rows = {line.split()[0]: line.split()[1] for line in capfd.readouterr().err.splitlines()[1:]}
    assert rows == {'layer_norm': '6', 'fused_matmul': '2', 'add': '2'}


def test_old_program():
    folder = ROOT / 'test/fuzz/corpus/model'
    config = infer.Config(str(folder / 'small.pdmodel'), str(folder / 'small.pdiparams'))
    x = paddle.to_tensor(np.linspace(-1, 1, 32, dtype='float32').reshape(2, 1, 4, 4))
    want = paddle.jit.load(str(folder / 'small'))(x)
    for predictor in (infer.create_predictor(config), infer.PredictorPool(config, 2).retrieve(1)):
        assert predictor.get_input_names() == ['x']
        for got, value in zip(predictor.run([x]), want):
            np.testing.assert_allclose(got.numpy(), value.numpy(), rtol=1e-5)
    assert config.prog_file().endswith('small.pdmodel') and not config.model_from_memory()


def test_model_buffer(saved):
    path, x, want = saved
    program, parameters = (
        pathlib.Path(path + suffix).read_bytes() for suffix in ('.json', '.pdiparams')
    )
    config = infer.Config()
    config.set_model_buffer(program, len(program), parameters, len(parameters))
    assert config.model_from_memory()
    np.testing.assert_allclose(
        infer.create_predictor(config).run([paddle.to_tensor(x)])[0].numpy(),
        want,
        rtol=1e-5,
        atol=1e-6,
    )


@pytest.mark.parametrize('size', [0, 2**31, 2**62])
def test_size_of_a_pool(saved, size):
    with pytest.raises(ValueError, match='PredictorPool'):
        infer.PredictorPool(infer.Config(saved[0] + '.json', saved[0] + '.pdiparams'), size)


def test_clones_run_in_threads(saved):
    path, x, want = saved
    config = infer.Config(path + '.json', path + '.pdiparams')
    pool, wrong = infer.PredictorPool(config, 4), []

    def work(i):
        predictor = pool.retrieve(i)
        for n in (1, 2) * 20:
            predictor.get_input_handle('image').copy_from_cpu(x[:n])
            predictor.run()
            got = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
            if not np.allclose(got, want[:n], rtol=1e-5, atol=1e-6):
                wrong.append((i, n))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_hooks_see_names_and_tensors(saved):
    path, x, want = saved
    predictor, seen = make(path), []
    predictor.register_input_hook(lambda op, name, tensor: seen.append((name, tensor.shape)))
    predictor.register_output_hook(lambda op, name, tensor: seen.append((op, tensor.shape)))
    predictor.get_input_handle('image').copy_from_cpu(x)
    predictor.run()
    assert [(n, list(s)) for n, s in seen] == [('image', [2, 1, 8, 8]), ('fetch', [2, 5])]


def test_bad_input_names_what_is_wrong(saved, tmp_path):
    path, x, _ = saved
    predictor = make(path)
    with pytest.raises(RuntimeError, match="one of \\[image\\], got 'picture'"):
        predictor.get_input_handle('picture')
    with pytest.raises(RuntimeError, match="input 'image' to be given"):
        predictor.run()
    with pytest.raises(ValueError, match='expected 1 inputs, got 0'):
        predictor.run([])
    with pytest.raises(ValueError, match=r'expected input channels .* input shape \[1, 2, 8, 8\]'):
        predictor.run([paddle.zeros([1, 2, 8, 8])])
    with pytest.raises(ValueError, match="expected shape .* for input 'image', got"):
        predictor.run([paddle.zeros([1, 8, 8])])
    with pytest.raises(TypeError, match='expected dtype float32'):
        predictor.run([paddle.zeros([1, 1, 8, 8], 'float64')])
    with pytest.raises(RuntimeError, match='expected an existing file'):
        infer.Config(str(tmp_path / 'no.json'), '')
    with pytest.raises(RuntimeError, match='no.pdiparams'):
        infer.create_predictor(infer.Config(path + '.json', str(tmp_path / 'no.pdiparams')))
    with pytest.raises(ValueError, match='with a model'):
        infer.create_predictor(infer.Config())
    with pytest.raises(ValueError, match='expected a parameter file'):
        infer.create_predictor(infer.Config(path + '.json', ''))
    half = tmp_path / 'half.pdiparams'
    half.write_bytes(pathlib.Path(path + '.pdiparams').read_bytes()[:100])
    with pytest.raises(ValueError):
        infer.create_predictor(infer.Config(path + '.json', str(half)))


def test_options_of_other_engines_are_accepted_with_a_notice(capfd):
    config = infer.Config()
    config.enable_tensorrt_engine(1 << 30, 1, 3)
    config.enable_tensorrt_engine()
    assert (
        capfd.readouterr().err
        == '[Config.enable_tensorrt_engine] no TensorRT, the CPU executor runs the whole program\n'
    )
    assert config.tensorrt_engine_enabled() is False and config.onednn_enabled() is True
    assert 'cpu_math_thread' in config.summary()
    config.delete_pass('constant_folding_pass')
    assert 'constant_folding_pass' not in config.pass_builder().all_passes()


def test_cpp_program_runs_a_saved_model(saved, tmp_path):
    """Passes of predictors find the ops without Python: the second model has a fused product."""
    fused = paddle.nn.Sequential(paddle.nn.Linear(8, 16), paddle.nn.GELU(), paddle.nn.Linear(16, 3))
    fused.eval()
    other = str(tmp_path / 'fused')
    paddle.jit.save(fused, other, input_spec=[InputSpec([None, 8], 'float32')])
    expected = float(fused(paddle.full([1, 8], 0.5)).sum())
    compiler = shutil.which('g++')
    if compiler is None:
        pytest.skip('no g++')
    program = str(tmp_path / 'serve')
    libs = paddle.sysconfig.get_lib()
    source = str(ROOT / 'docs/examples/serve.cc')
    link = [f'-L{libs}', '-lpaddle_core', f'-Wl,-rpath,{libs}', '-pthread']
    subprocess.run(
        [compiler, '-std=c++17', '-O1', source, f'-I{ROOT}', *link, '-o', program], check=True
    )
    for path, total in ((saved[0], 1), (other, expected)):
        run = subprocess.run(
            [program, path + '.json', path + '.pdiparams', '3'],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert run.returncode == 0, run.stderr
        rows = [line.split() for line in run.stdout.splitlines()[1:]]
        assert len(rows) == 3 and all(abs(float(row[3]) - total) < 1e-4 for row in rows)


def test_deploy_example(tmp_path):
    pytest.importorskip('sklearn')
    run = subprocess.run(
        [
            sys.executable,
            'deploy.py',
            '--epochs',
            '1',
            '--requests',
            '50',
            '--model',
            str(tmp_path / 'net'),
        ],
        cwd=ROOT / 'docs/examples',
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, 'PYTHONPATH': str(pathlib.Path(paddle.__file__).absolute().parents[1])},
    )
    assert run.returncode == 0, run.stderr
    rows = [line.split() for line in run.stdout.splitlines()[-2:]]
    assert [row[0] for row in rows] == ['1', '4'] and all(float(row[-1]) < 1e-5 for row in rows)


class Blocks(paddle.nn.Layer):
    """Attention and norms as models write them: heads by transposes, keys turned, masks added,
    heads shared, RMS norms.
    """

    def __init__(self):
        super().__init__()
        self.w = self.create_parameter(
            [16], default_initializer=paddle.nn.initializer.Uniform(0.5, 1.5)
        )
        self.q, self.k, self.v, self.o = (paddle.nn.Linear(16, n) for n in (16, 8, 8, 16))
        self.encoder = paddle.nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1)

    def forward(self, x, mask):
        b, t = x.shape[:2]
        h = x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * self.w
        heads = lambda y: y.reshape([b, t, -1, 4]).transpose([0, 2, 1, 3])  # noqa: E731
        q, k, v = heads(self.q(h)), heads(self.k(h)), heads(self.v(h))
        k, v = (paddle.repeat_interleave(y, 2, 1) for y in (k, v))
        scores = paddle.matmul(q, k.transpose([0, 1, 3, 2])) / 2.0 + mask
        y = (
            paddle.matmul(paddle.nn.functional.softmax(scores, -1), v)
            .transpose([0, 2, 1, 3])
            .reshape([b, t, 16])
        )
        y = self.encoder(x + self.o(y), mask)
        z = y.reshape([b, t, 4, 4])
        return paddle.nn.functional.scaled_dot_product_attention(z, z, z, is_causal=True)


@pytest.fixture(scope='module')
def blocks(tmp_path_factory):
    paddle.seed(6)
    net, path = Blocks(), str(tmp_path_factory.mktemp('blocks') / 'net')
    net.eval()
    paddle.jit.save(
        net,
        path,
        input_spec=[
            InputSpec([None, 9, 16], 'float32', 'x'),
            InputSpec([None, 1, 1, 9], 'float32', 'mask'),
        ],
    )
    random = np.random.RandomState(2)
    x, mask = (
        random.rand(2, 9, 16).astype('float32') * 2 - 1,
        np.where(random.rand(2, 1, 1, 9) > 0.2, 0, -1e4).astype('float32'),
    )
    return path, [x, mask], net(paddle.to_tensor(x), paddle.to_tensor(mask)).numpy()


@pytest.mark.parametrize('cinn', [False, True])
def test_attention_and_rms_norm_are_recognised(blocks, cinn, capfd):
    path, arrays, want = blocks
    config = infer.Config(path + '.json', path + '.pdiparams')
    config.enable_profile()
    if cinn:
        config.enable_cinn()
    predictor = infer.create_predictor(config)
    for _ in range(4):  # the plan binds memory in its later runs
        np.testing.assert_allclose(
            predictor.run([paddle.to_tensor(a) for a in arrays])[0].numpy(),
            want,
            rtol=1e-4,
            atol=1e-5,
        )
    del predictor
    rows = {
        line.split()[0]: line.split()[1] for line in capfd.readouterr().err.splitlines()[1:] if line
    }
    assert (
        rows['fused_attention'] == '12'
        and 'softmax' not in rows
        and 'repeat_interleave' not in rows
    )
    if not cinn:
        assert rows['rms_norm'] == '4' and rows['fused_add_norm'] == '8' and 'rsqrt' not in rows


@pytest.mark.parametrize(
    'precision,dtype,limit', [('Bfloat16', 'bfloat16', 3e-2), ('Half', 'float16', 5e-3)]
)
def test_mixed_precision(blocks, tmp_path, precision, dtype, limit):
    path, arrays, want = blocks
    files = [
        path + '.json',
        path + '.pdiparams',
        str(tmp_path / 'm.json'),
        str(tmp_path / 'm.pdiparams'),
    ]
    kind = getattr(infer.PrecisionType, precision)
    infer.convert_to_mixed_precision(*files, kind, infer.PlaceType.CPU)
    predictor = make(str(tmp_path / 'm'))
    out = predictor.run([paddle.to_tensor(a) for a in arrays])[0]
    assert out.dtype == paddle.float32
    assert np.abs(out.numpy() - want).max() < limit * np.abs(want).max()
    assert os.path.getsize(files[3]) < 0.8 * os.path.getsize(files[1])
    infer.convert_to_mixed_precision(*files, kind, infer.PlaceType.CPU, keep_io_types=False)
    predictor = make(str(tmp_path / 'm'))
    out = predictor.run([paddle.to_tensor(a).astype(dtype) for a in arrays])[0]
    assert str(out.dtype) == f'paddle.{dtype}'
    infer.convert_to_mixed_precision(
        *files, kind, infer.PlaceType.CPU, black_list={'matmul', 'linear_v2'}
    )
    np.testing.assert_allclose(
        make(str(tmp_path / 'm')).run([paddle.to_tensor(a) for a in arrays])[0].numpy(),
        want,
        rtol=1e-4,
        atol=1e-5,
    )


def test_mixed_precision_refuses(blocks, tmp_path):
    path = blocks[0]
    files = [
        path + '.json',
        path + '.pdiparams',
        str(tmp_path / 'm.json'),
        str(tmp_path / 'm.pdiparams'),
    ]
    with pytest.raises(ValueError, match='Half or Bfloat16'):
        infer.convert_to_mixed_precision(*files, infer.PrecisionType.Int8, infer.PlaceType.CPU)
    with pytest.raises(ValueError, match="unexpected keyword argument 'whitelist'"):
        infer.convert_to_mixed_precision(
            *files, infer.PrecisionType.Half, infer.PlaceType.CPU, whitelist=set()
        )
    assert not os.path.exists(files[2])


def test_packed_weights_belong_to_one_model(tmp_path):
    """Predictors keep packed filters by their memory: another model in the same process has its
    own.
    """
    x, got, want = np.random.RandomState(4).rand(1, 16, 8, 8).astype('float32'), [], []
    for seed in range(3):
        paddle.seed(seed)
        net = paddle.nn.Sequential(
            paddle.nn.Conv2D(16, 32, 3), paddle.nn.BatchNorm2D(32), paddle.nn.ReLU()
        )
        net.eval()
        path = str(tmp_path / f'net{seed}')
        paddle.jit.save(net, path, input_spec=[InputSpec([1, 16, 8, 8], 'float32', 'x')])
        predictor = make(path)
        for _ in range(3):
            got.append(predictor.run([paddle.to_tensor(x)])[0].numpy())
            want.append(net(paddle.to_tensor(x)).numpy())
    np.testing.assert_allclose(np.stack(got), np.stack(want), rtol=1e-4, atol=1e-5)


class Channels(paddle.nn.Layer):
    """Convolutions with full and padded blocks of channels, grouped and depthwise, and what may lie
    between them.
    """

    def __init__(self, shortcut):
        super().__init__()
        nn = paddle.nn
        self.stem, self.wide, self.down = (
            nn.Conv2D(3, 24, 5, 2, 2),
            nn.Conv2D(24, 48, 1),
            nn.Conv2D(48, 24, 3, padding=1),
        )
        self.each, self.grouped = (
            nn.Conv2D(48, 48, 3, padding=1, groups=48),
            nn.Conv2D(32, 64, 3, padding=[1, 0], groups=2),
        )
        self.odd, self.squeeze, self.excite = (
            nn.Conv2D(24, 32, 3, dilation=2),
            nn.Conv2D(64, 16, 1),
            nn.Conv2D(16, 64, 1),
        )
        self.few, self.norm, self.shortcut = nn.Conv2D(64, 5, 3), nn.BatchNorm2D(48), shortcut

    def forward(self, x):
        F = paddle.nn.functional
        x = F.relu(self.stem(x))
        y = F.relu6(self.each(F.hardswish(self.norm(self.wide(x)))))
        x = self.down(y) + x if self.shortcut else F.sigmoid(self.down(y)) * x
        x = F.max_pool2d(self.odd(x), 3, 2, 1, ceil_mode=True)
        x = self.grouped(x)
        s = F.sigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(x, 1)))))
        x = paddle.concat(
            [x * s, F.avg_pool2d(x, 3, 1, 1, exclusive=False) * 2 + 1, F.avg_pool2d(x, 3, 1, 1)], 1
        )
        return (
            self.few(x[:, 64:128] + x[:, :64]),
            F.adaptive_avg_pool2d(x, [3, 2]).flatten(1),
            F.adaptive_max_pool2d(x, 2),
        )


@pytest.mark.parametrize('cinn', [False, True])
@pytest.mark.parametrize('shortcut', [False, True])
def test_convolutions_keep_channels_in_blocks(tmp_path, capfd, shortcut, cinn):
    paddle.seed(8)
    net = Channels(shortcut)
    net.eval()
    path = str(tmp_path / 'net')
    paddle.jit.save(net, path, input_spec=[InputSpec([None, 3, None, None], 'float32', 'x')])
    config = infer.Config(path + '.json', path + '.pdiparams')
    config.disable_glog_info()
    config.switch_ir_debug(True)
    if cinn:
        config.enable_cinn()
    predictor = infer.create_predictor(config)
    after = capfd.readouterr().err.rpartition('--- after')[2]
    if 'NCHW16C' not in after:
        pytest.skip('no AVX-512')
    assert (
        after.count('"pd_op.block_channels"') == (not shortcut)
        and after.count('"pd_op.unblock_channels"') == 4 - 2 * shortcut
    ), after
    for shape in ([2, 3, 40, 38], [1, 3, 33, 61]):
        x = paddle.randn(shape)
        for got, want in zip(predictor.run([x]), net(x)):
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-5, atol=1e-5)


def test_blocked_residual_may_turn_out_larger(tmp_path):
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(16, 128, 1), paddle.nn.ReLU(), paddle.nn.Conv2D(128, 128, 3, padding=1)
    )
    net.eval()

    def call(x, r):
        return paddle.nn.functional.sigmoid(net(x) + r)

    path = str(tmp_path / 'net')
    paddle.jit.save(
        paddle.jit.to_static(
            call,
            input_spec=[
                InputSpec([None, 16, 6, 6], 'float32', 'x'),
                InputSpec([None, 128, 6, 6], 'float32', 'r'),
            ],
        ),
        path,
    )
    predictor, r = make(path), paddle.randn([3, 128, 6, 6])
    for batch in (1, 3):
        x = paddle.randn([batch, 16, 6, 6])
        np.testing.assert_allclose(
            predictor.run([x, r])[0].numpy(), call(x, r).numpy(), rtol=1e-5, atol=1e-5
        )
