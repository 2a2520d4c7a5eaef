# SPDX-License-Identifier: Apache-2.0
"""`.pdmodel` programs: loops, branches, extents in tensors and ops with a later form, against
results of PaddlePaddle 3.3.1.

The models of test/fuzz/corpus/model were saved by the published package with
FLAGS_enable_pir_api=0; data/old_programs_3.3.1.npz holds inputs and results, `in2` and `out2` a
second pair that takes the other branches.
"""

import pathlib

import numpy as np
import pytest

import paddle
from paddle import inference, static

DATA = pathlib.Path(__file__).parents[1] / 'fuzz' / 'corpus' / 'model'
RESULTS = np.load(pathlib.Path(__file__).parent / 'data' / 'old_programs_3.3.1.npz')
NAMES = sorted({key.split('/')[0] for key in RESULTS.files})


def part(name, which):
    """{input or number of the result: array}."""
    start = f'{name}/{which}_'
    return {key[len(start) :]: RESULTS[key] for key in RESULTS.files if key.startswith(start)}


def compare(name, suffix, got):
    want = part(name, 'out' + suffix)
    assert len(got) == len(want)
    for k, value in enumerate(got):
        assert value.dtype == want[str(k)].dtype and value.shape == want[str(k)].shape
        np.testing.assert_allclose(value, want[str(k)], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('name', NAMES)
def test_against_recorded_results(name):
    layer = paddle.jit.load(str(DATA / name))
    for suffix in ['', '2'] if part(name, 'in2') else ['']:
        given = part(name, 'in' + suffix)
        got = layer(*[paddle.to_tensor(given[n]) for n in layer._methods['forward'].feeds])
        compare(name, suffix, [t.numpy() for t in (got if isinstance(got, list) else [got])])


@pytest.mark.parametrize('name', ['greedy', 'nested'])
def test_predictor_and_conversion(name, tmp_path):
    params = DATA / f'{name}.pdiparams'
    predictor = inference.create_predictor(
        inference.Config(str(DATA / f'{name}.pdmodel'), str(params) if params.exists() else '')
    )
    given = part(name, 'in')
    for n in predictor.get_input_names():
        predictor.get_input_handle(n).copy_from_cpu(given[n])
    predictor.run()
    compare(
        name,
        '',
        [predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()],
    )
    program, feeds, fetches = static.load_inference_model(str(DATA / name), None)
    paddle.enable_static()
    try:
        inputs = {
            op.attrs()['name']: op.result(0)
            for op in program._operations()
            if op.name() == 'pd_op.data'
        }
        static.save_inference_model(
            str(tmp_path / 'm'), [inputs[n] for n in feeds], fetches, None, program=program
        )
        program, feeds, fetches = static.load_inference_model(str(tmp_path / 'm'), None)
        compare(name, '', static.Executor().run(program, part(name, 'in'), fetches))
    finally:
        paddle.disable_static()


def number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def field(tag, value):
    data = value if isinstance(value, bytes) else value.encode()
    return number(tag << 3 | 2) + number(len(data)) + data


def op(kind, inputs, outputs, block=None):
    """The bytes of one op; `block` is its sub_block."""
    slots = [
        field(tag, field(1, slot) + b''.join(field(2, n) for n in names))
        for tag, given in ((1, inputs), (2, outputs))
        for slot, names in given.items()
    ]
    attr = (
        b''
        if block is None
        else field(4, field(1, 'sub_block') + b'\x10\x08' + b'\x60' + number(block))
    )
    return field(4, b''.join(slots) + field(3, kind) + attr)


def program(*blocks):
    return b''.join(field(1, b''.join(ops)) for ops in blocks)


def loop(block, made='c'):
    return op('while', {'Condition': [made], 'X': []}, {'Out': []}, block)


BAD = {
    'a block that is not there': (program([loop(5)]), ValueError, 'sub_block from 1 to 0, got 5'),
    'a block of itself': (
        program([loop(1)], [loop(1)]),
        ValueError,
        'each block to be the sub_block of one op',
    ),
    'the outermost block': (program([loop(0)]), ValueError, 'sub_block from 1'),
    'blocks within blocks': (
        program(*[[loop(i + 1)] for i in range(40)], []),
        ValueError,
        'at most 32 blocks',
    ),
    'a name nobody wrote': (
        program([op('tanh', {'X': ['x']}, {'Out': ['y']})]),
        ValueError,
        "op 0 .tanh.*'x'",
    ),
    'no condition': (
        program([op('while', {'X': []}, {'Out': []}, 1)], []),
        ValueError,
        "op 0 .while.*'Condition'",
    ),
    'an op without counterpart': (
        program([op('pyramid_hash', {}, {})]),
        NotImplementedError,
        'pyramid_hash',
    ),
}


@pytest.mark.parametrize('name', BAD)
def test_refused(name, tmp_path):
    data, error, text = BAD[name]
    (tmp_path / 'm.pdmodel').write_bytes(data)
    with pytest.raises(error, match=f'm.pdmodel.*({text})'):
        paddle.jit.load(str(tmp_path / 'm'))


def test_parameters_in_separate_files(tmp_path):
    """As the oldest models have them: `__model__` and one file for each parameter."""
    from paddle.static.legacy_program import read

    _, _, (want, *_) = read(DATA / 'cond.pdmodel', DATA / 'cond.pdiparams')
    (tmp_path / '__model__').write_bytes((DATA / 'cond.pdmodel').read_bytes())
    with pytest.raises(FileNotFoundError, match='w_0'):
        static.load_inference_model(str(tmp_path), None, model_filename='__model__')
    (tmp_path / 'create_parameter_0.w_0').write_bytes((DATA / 'cond.pdiparams').read_bytes())
    program, feeds, fetches = static.load_inference_model(
        str(tmp_path), None, model_filename='__model__'
    )
    compare('cond', '', static.Executor().run(program, part('cond', 'in'), fetches))
    assert list(fetches[0].shape) == list(want.shape)


TAGGER = pathlib.Path(__file__).parent / 'data' / 'tagger'
TAGGED = np.load(f'{TAGGER}_3.3.1.npz')  # what the published package gave for these words


def folder_of_old(tmp_path):
    """The program as older ones lie in a folder: `__model__`, and a file for each parameter."""
    program, _, _ = static.io._read(f'{TAGGER}.pdmodel')
    for name, tensor in program._parameters().items():
        held = paddle.base.core.LoDTensor()
        held.set(tensor.numpy(), paddle.CPUPlace())
        paddle.base.core.save_dense_tensor(held, str(tmp_path / name))
    (tmp_path / '__model__').write_bytes(pathlib.Path(f'{TAGGER}.pdmodel').read_bytes())
    return str(tmp_path)


def check_tags(scores, path, lod):
    np.testing.assert_allclose(scores, TAGGED['scores'], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(path, TAGGED['path'])
    assert lod == [TAGGED['lod'].tolist()]


@pytest.mark.parametrize('folder', [False, True])
@pytest.mark.parametrize('passes', [False, True])
def test_a_predictor_runs_recurrences_over_sequences(tmp_path, folder, passes):
    files = (f'{TAGGER}.pdmodel', f'{TAGGER}.pdiparams')
    config = inference.Config(folder_of_old(tmp_path)) if folder else inference.Config(*files)
    config.switch_ir_optim(passes)
    predictor = inference.create_predictor(config)
    assert predictor.get_input_names() == ['words']
    words = predictor.get_input_handle('words')
    words.copy_from_cpu(TAGGED['words'])
    with pytest.raises(RuntimeError, match='levels of sequences'):
        predictor.run()
    words.set_lod([[0, 5, 4, 8]])
    with pytest.raises(ValueError, match='that rise from 0 to 8'):
        predictor.run()
    words.set_lod([TAGGED['lod'].tolist()])
    predictor.run()
    scores, path = (predictor.get_output_handle(n) for n in predictor.get_output_names())
    check_tags(scores.copy_to_cpu(), path.copy_to_cpu(), path.lod())
    words.copy_from_cpu(TAGGED['words'][3:])  # other lengths, one sequence fewer
    words.set_lod([[0, 1, 5]])
    predictor.run()
    np.testing.assert_array_equal(path.copy_to_cpu(), TAGGED['path'][3:])
    assert path.lod() == [[0, 1, 5]]
    with pytest.raises(RuntimeError, match='give them by handles'):
        predictor.run([paddle.to_tensor(TAGGED['words'])])


def test_an_executor_runs_recurrences_over_sequences(tmp_path):
    paddle.enable_static()
    try:
        exe = static.Executor()
        folder = folder_of_old(tmp_path)
        program, feeds, fetches = static.load_inference_model(
            folder, exe, model_filename='__model__'
        )
        assert feeds == ['words']
        rows = paddle.base.create_lod_tensor(TAGGED['words'], [[3, 1, 4]])
        scores, path = exe.run(
            program, feed={'words': rows}, fetch_list=fetches, return_numpy=False
        )
        check_tags(np.array(scores), np.array(path), path.lod())
    finally:
        paddle.disable_static()


@pytest.mark.parametrize(
    'name, inputs, results, with_sequences',
    [
        ('sequences', ['x', 's'], 9, (6, 7)),
        ('lstm', ['x'], 4, range(4)),
        ('reset', ['rows', 'like'], 2, (0,)),  # its rows have the sequences of the other input
    ],
)
def test_operations_on_sequences_of_old_programs(name, inputs, results, with_sequences):
    stem = pathlib.Path(__file__).parent / 'data' / name
    data = np.load(f'{stem}_3.3.1.npz')
    params = pathlib.Path(f'{stem}.pdiparams')
    predictor = inference.create_predictor(
        inference.Config(f'{stem}.pdmodel', str(params) if params.exists() else '')
    )
    assert predictor.get_input_names() == inputs
    for given in inputs:
        handle = predictor.get_input_handle(given)
        handle.copy_from_cpu(data[given])
        handle.set_lod([[0, 3, 4, 8]])
    predictor.run()
    made = [predictor.get_output_handle(n) for n in predictor.get_output_names()]
    assert len(made) == results
    for k, handle in enumerate(made):
        got = handle.copy_to_cpu()
        np.testing.assert_allclose(got, data[f'out{k}'], rtol=1e-5, atol=1e-6)
        assert handle.lod() == ([[0, 3, 4, 8]] if k in with_sequences else [])


@pytest.mark.parametrize('passes', [False, True])
@pytest.mark.parametrize('name', ['quantised', 'quantised_whole'])
def test_models_that_the_published_package_quantised(name, passes):
    """Of PostTrainingQuantization, with and without onnx_format: this one has weights in int8."""
    stem = pathlib.Path(__file__).parent / 'data' / name
    data = np.load(f'{stem}_3.3.1.npz')
    config = inference.Config(f'{stem}.pdmodel', f'{stem}.pdiparams')
    config.switch_ir_optim(passes)
    predictor = inference.create_predictor(config)
    predictor.get_input_handle('x').copy_from_cpu(data['x'])
    predictor.run()
    got = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    np.testing.assert_allclose(got, data['out'], rtol=1e-5, atol=1e-5)


def test_loaded_layers_refuse_sequences():
    layer = paddle.jit.load(str(TAGGER))
    with pytest.raises(ValueError, match='expected a program without sequences'):
        layer(paddle.to_tensor(TAGGED['words']))


@pytest.mark.parametrize(
    'was, now', [(b'AVERAGE', b'AVERRGE'), (b'sequence_pool', b'sequence_poll')]
)
def test_damaged_programs_on_sequences_are_refused(was, now):
    stem = pathlib.Path(__file__).parent / 'data' / 'sequences'
    text = pathlib.Path(f'{stem}.pdmodel').read_bytes().replace(was, now)
    with pytest.raises((ValueError, NotImplementedError), match=r'op \d+ \(sequence_'):
        static.legacy_program.read(f'{stem}.pdmodel', f'{stem}.pdiparams', text)
