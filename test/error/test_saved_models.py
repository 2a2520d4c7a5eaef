# SPDX-License-Identifier: Apache-2.0
"""Saved models that are wrong: what each public loader raises, and that the message says where."""

import json
import pathlib
import re
import shutil

import pytest

import paddle
from paddle import inference, static
from paddle.static import InputSpec


@pytest.fixture(scope='module')
def models(tmp_path_factory):
    """Three models that differ in the shapes and number of parameters."""
    folder = tmp_path_factory.mktemp('models')
    spec = [InputSpec([None, 4], 'float32', 'x')]
    for name, layer in (
        ('good', paddle.nn.Linear(4, 3)),
        ('wider', paddle.nn.Linear(4, 5)),
        ('fewer', paddle.nn.Linear(4, 3, bias_attr=False)),
    ):
        paddle.jit.save(layer, str(folder / name), input_spec=spec)
    return folder


def cut(path, size):
    path.write_bytes(path.read_bytes()[:size])


def folder_instead(path):
    path.unlink()
    path.mkdir()


def version(path, number):
    program = json.loads(path.read_text())
    program['base_code']['version'] = number
    path.write_text(json.dumps(program))


def unknown_member(path):
    version(path, 99)
    path.write_text(path.read_text().replace('"0.t_f32"', '"0.t_f31"'))


MODEL, PARAMS = 'm.json', 'm.pdiparams'
# What is done to which file -> exception and text. The predictor reports missing files as
# PaddlePaddle does: RuntimeError.
FILES = {
    'parameters of another shape': (
        PARAMS,
        lambda p, d: shutil.copy(d / 'wider.pdiparams', p),
        ValueError,
        r'm\.pdiparams.* at byte 0: .*b_0',
    ),
    'parameters of another model': (
        PARAMS,
        lambda p, d: shutil.copy(d / 'fewer.pdiparams', p),
        ValueError,
        r'm\.pdiparams.* at byte 0: .*b_0',
    ),
    'parameters cut': (
        PARAMS,
        lambda p, d: cut(p, -3),
        ValueError,
        r'm\.pdiparams.* at byte \d+: expected 48 bytes',
    ),
    'parameters and more': (
        PARAMS,
        lambda p, d: p.write_bytes(p.read_bytes() + b'abc'),
        ValueError,
        'got 3 more bytes',
    ),
    'no parameters': (
        PARAMS,
        lambda p, d: p.write_bytes(b''),
        ValueError,
        r'm\.pdiparams.* at byte 0: expected another tensor',
    ),
    'no parameter file': (
        PARAMS,
        lambda p, d: p.unlink(),
        (OSError, RuntimeError),
        r'm\.pdiparams',
    ),
    'a folder of parameters': (
        PARAMS,
        lambda p, d: folder_instead(p),
        (OSError, RuntimeError),
        r'm\.pdiparams',
    ),
    'text for parameters': (
        PARAMS,
        lambda p, d: p.write_text('hello world' * 9),
        ValueError,
        r'm\.pdiparams.* at byte 0: .*version 0',
    ),
    'a pickle for parameters': (
        PARAMS,
        lambda p, d: paddle.save({'a': paddle.ones([2])}, str(p)),
        ValueError,
        'at byte 0',
    ),
    'an empty program': (
        MODEL,
        lambda p, d: p.write_text(''),
        ValueError,
        r'm\.json.*line 1, column 1',
    ),
    'no program': (MODEL, lambda p, d: p.unlink(), (ValueError, OSError, RuntimeError), r'm\.json'),
    'a folder for the program': (
        MODEL,
        lambda p, d: folder_instead(p),
        (ValueError, OSError, RuntimeError),
        r'm\.json',
    ),
    'text for the program': (
        MODEL,
        lambda p, d: p.write_text('hello'),
        ValueError,
        r'm\.json.*expected a JSON program',
    ),
    'a list for the program': (
        MODEL,
        lambda p, d: p.write_text('[]'),
        ValueError,
        r'm\.json.* at base_code: expected an object',
    ),
    'a program cut': (MODEL, lambda p, d: cut(p, 500), ValueError, r'm\.json.*line 1, column 501'),
    'a version below zero': (
        MODEL,
        lambda p, d: version(p, -1),
        ValueError,
        r'm\.json.* at base_code: expected a version',
    ),
    'a version of text': (
        MODEL,
        lambda p, d: version(p, '4'),
        ValueError,
        r'm\.json.* at base_code: expected an integer, got "4"',
    ),
    'a later version': (
        MODEL,
        lambda p, d: unknown_member(p),
        ValueError,
        r'm\.json.* at program\.regions.*version 99, known are those up to 4',
    ),
}
LOADERS = {
    'jit.load': lambda d: paddle.jit.load(str(d / 'm')),
    'load_inference_model': lambda d: static.load_inference_model(str(d / 'm'), None),
    'create_predictor': lambda d: inference.create_predictor(
        inference.Config(str(d / MODEL), str(d / PARAMS))
    ),
}


@pytest.mark.parametrize('loader', LOADERS)
@pytest.mark.parametrize('what', FILES)
def test_files(models, tmp_path, what, loader):
    name, damage, error, text = FILES[what]
    for end in ('.json', '.pdiparams'):
        shutil.copy(models / ('good' + end), tmp_path / ('m' + end))
    LOADERS[loader](tmp_path)
    damage(tmp_path / name, models)
    with pytest.raises(error) as raised:
        LOADERS[loader](tmp_path)
    assert re.search(text, str(raised.value)), raised.value


def test_a_later_version_that_reads(models, tmp_path):
    """As in PaddlePaddle: only what is not known is refused."""
    for end in ('.json', '.pdiparams'):
        shutil.copy(models / ('good' + end), tmp_path / ('m' + end))
    version(tmp_path / MODEL, 99)
    assert paddle.jit.load(str(tmp_path / 'm'))(paddle.ones([2, 4])).shape == [2, 3]


PICKLES = {
    'nothing': (None, ValueError, 'where there is none'),
    'an empty file': (b'', EOFError, 'empty'),
    'text': (b'not a pickle at all', ValueError, 'neither a pickle'),
    'a pickle cut': (b'\x80\x04\x95\xff\x00\x00\x00\x00\x00\x00\x00}', ValueError, 'at byte 3'),
    'a function': (b'\x80\x02cposix\nsystem\nq\x00.', ValueError, 'system'),
}


@pytest.mark.parametrize('what', PICKLES)
def test_pickles(tmp_path, what):
    data, error, text = PICKLES[what]
    if data is not None:
        (tmp_path / 'm.pdparams').write_bytes(data)
    with pytest.raises(error, match=f'm.pdparams.*{text}'):
        paddle.load(str(tmp_path / 'm.pdparams'))


SHAPES = {
    'below -1': ([-2, 4], ValueError, 'at least -1'),
    'a fraction': ([None, 4.5], ValueError, 'at least -1 or None, got 4.5'),
    'text': (['a'], ValueError, "got 'a'"),
    'a truth': ([True, 4], ValueError, 'got True'),
    'more than 64 bits': ([2**70], ValueError, 'at most 9223372036854775807 elements'),
    'more elements than 64 bits': (
        [2**62, None, 2**62],
        ValueError,
        'at most 9223372036854775807 elements',
    ),
    'a number': (5, TypeError, 'a list or tuple'),
}


@pytest.mark.parametrize('what', SHAPES)
def test_shapes_of_inputs(what):
    shape, error, text = SHAPES[what]
    with pytest.raises(error, match=rf'\[InputSpec\].*{text}'):
        InputSpec(shape, 'float32', 'x')
    paddle.enable_static()
    try:
        with (
            static.program_guard(static.Program()),
            pytest.raises(error, match=rf'\[data\].*{text}'),
        ):
            static.data('x', shape, 'float32')
    finally:
        paddle.disable_static()


def test_targets_of_saving(tmp_path):
    spec = [InputSpec([None, 4], 'float32', 'x')]
    with pytest.raises(ValueError, match=f"a file's name, got .*{tmp_path.name}"):
        paddle.jit.save(paddle.nn.Linear(4, 3), str(tmp_path), input_spec=spec)
    with pytest.raises(OSError):
        paddle.save({'a': paddle.ones([2])}, str(tmp_path))
    assert not list(tmp_path.parent.glob('*.tmp')) and not list(tmp_path.iterdir())


def operations(block):
    for op in block['ops']:
        yield op
        for region in op.get('regions', []):
            for inner in region['blocks']:
                yield from operations(inner)


@pytest.mark.parametrize(
    'ending, message',
    [
        (
            '.yield',
            r'expected (yielded value \d+ to be .*|its body to yield a condition), got none',
        ),
        ('.combine', r'\[builtin.combine\] expected operand \d+ to be .*, got none'),
    ],
)
def test_what_branches_loops_and_lists_declare_is_there(ending, message):
    folder = pathlib.Path(__file__).parents[1] / 'fuzz' / 'corpus' / 'json'
    texts = [path.read_text() for path in sorted(folder.glob('*.json'))]
    paddle.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()):
            x = static.data('x', [2, 3])
            texts.append(static.serialize_program([x], [paddle.concat([x, x * 2])]))
    finally:
        paddle.disable_static()
    tried = 0
    for program in map(json.loads, texts):
        for op in operations(program['program']['regions'][0]['blocks'][0]):
            for operand in op.get('I', []) if op['#'].endswith(ending) else []:
                number, operand['%'] = operand['%'], 0
                with pytest.raises(ValueError, match=message):
                    static.deserialize_program(json.dumps(program).encode())
                operand['%'] = number
                tried += 1
    assert tried >= 2
