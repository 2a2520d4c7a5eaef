# SPDX-License-Identifier: Apache-2.0
"""Old operations that act when the program runs, by `append_op`: blocks with a gradient of their
own, functions of users, printing, files and beams.
"""

import numpy as np
import pytest

import paddle
from paddle.base import core
from paddle.base.core import VarDesc
from paddle.static.nn.control_flow import ConditionalBlock, While

X = np.arange(6, dtype='float32').reshape(2, 3)


def run(program, fetched, **feed):
    return paddle.static.Executor().run(program, feed=feed, fetch_list=fetched)


def variable(program, name, shape=(2, 3), dtype='float32', **more):
    return program.current_block().create_var(name=name, shape=shape, dtype=dtype, **more)


def append(program, kind, inputs, outputs, **attrs):
    program.current_block().append_op(type=kind, inputs=inputs, outputs=outputs, attrs=attrs)


def scaled(program, x, by, place):
    """Ops of a block that write `place`."""
    between = program.current_block().create_var(name=f'{place.name}.scaled')
    append(program, 'scale', {'X': [x]}, {'Out': [between]}, scale=by)
    append(program, 'assign', {'X': [between]}, {'Out': [place]})


def pylayer(program, x, backward):
    out = variable(program, 'out')
    blocks = [program._create_block()]
    scaled(program, x, 3.0, out)
    program._rollback()
    if backward:
        blocks.append(program._create_block())
        blocks[1]._set_forward_block_idx(blocks[0].idx)
        scaled(program, variable(program, 'out@GRAD'), 7.0, variable(program, 'x@GRAD'))
        program._rollback()
        assert blocks[1].forward_block_idx == blocks[0].idx
    scope = program.current_block().create_var(type=VarDesc.VarType.STEP_SCOPES)
    append(program, 'pylayer', {'Input': [x]}, {'Out': [out], 'Scope': [scope]}, blocks=blocks)
    return out


def test_the_backward_block_of_a_pylayer_is_its_gradient(main):
    x = paddle.static.data('x', [2, 3])
    x.stop_gradient = False
    out = pylayer(main, x, True)
    (dx,) = paddle.static.gradients(out, x)
    y, dx = run(main, [out, dx], x=X)
    np.testing.assert_array_equal(y, X * 3)
    np.testing.assert_array_equal(dx, np.full([2, 3], 7, 'float32'))
    assert [op.name() for op in main.global_block().ops].count('pd_op.scale') == 2


def test_a_pylayer_of_one_block_has_no_gradient(main):
    x = paddle.static.data('x', [2, 3])
    x.stop_gradient = False
    out = pylayer(main, x, False)
    assert paddle.static.gradients(out, x) == [None]
    np.testing.assert_array_equal(run(main, [out], x=X)[0], X * 3)


def test_a_pylayer_needs_blocks_that_write_its_outputs(main):
    x = paddle.static.data('x', [2, 3])
    block = main._create_block()
    paddle.scale(x, 2.0)
    main._rollback()
    with pytest.raises(ValueError, match='pylayer.*writes its outputs'):
        append(main, 'pylayer', {'Input': [x]}, {'Out': [variable(main, 'y')]}, blocks=[block])
    with pytest.raises(ValueError, match='pylayer.*one or two blocks'):
        append(main, 'pylayer', {'Input': [x]}, {'Out': [variable(main, 'z')]}, blocks=[])


def test_a_static_pylayer_returns_what_its_function_does(main):
    x = paddle.static.data('x', [2, 3])
    assert type(paddle.static.nn.static_pylayer(lambda a: (a, a + 1), [x])) is tuple
    assert type(paddle.static.nn.static_pylayer(lambda a: [a], [x])) is list


def test_py_func_calls_functions_by_their_numbers(main):
    seen = []

    def forward(x):
        seen.append(type(x))
        return (np.array(x) * 2,)

    def backward(out, grad):
        return (np.array(grad) * np.array(out),)

    numbers = [core._append_python_callable_object_and_return_id(f) for f in (forward, backward)]
    x = paddle.static.data('x', [2, 3])
    x.stop_gradient = False
    y = variable(main, 'y')
    attrs = dict(zip(('forward_callable_id', 'backward_callable_id'), numbers))
    append(main, 'py_func', {'X': [x]}, {'Out': [y]}, **attrs, backward_skip_vars=['x'])
    (dx,) = paddle.static.gradients(y, x)
    made = run(main, [y, dx], x=X)
    np.testing.assert_array_equal(made, [X * 2, X * 2])
    assert seen == [core.DenseTensor]


@pytest.mark.parametrize(
    ('attrs', 'message'),
    [
        ({'forward_callable_id': 10**6}, 'forward_callable_id'),
        ({'forward_callable_id': 0, 'backward_skip_vars': ['no']}, 'backward_skip_vars'),
    ],
)
def test_py_func_refuses_numbers_and_names_it_does_not_know(main, attrs, message):
    core._append_python_callable_object_and_return_id(lambda x: (x,))
    x = paddle.static.data('x', [2, 3])
    with pytest.raises(ValueError, match=f'py_func.*{message}'):
        append(main, 'py_func', {'X': [x]}, {'Out': [variable(main, 'y')]}, **attrs)


def counted(program, inside):
    """A loop of three rounds over `inside(i)`."""
    i, n = paddle.full([1], 0, 'int64'), paddle.full([1], 3, 'int64')
    more = paddle.less_than(i, n)
    with While(more).block():
        paddle.increment(i)
        inside(i)
        paddle.assign(paddle.less_than(i, n), more)
    return i


def test_a_block_prints_in_each_round(main, capfd):
    def inside(i):
        out = variable(main, 'printed', [1], 'int64')
        append(main, 'print', {'In': [i]}, {'Out': [out]}, message='round', summarize=-1)

    i = counted(main, inside)
    assert run(main, [i])[0] == 3
    shown = capfd.readouterr().out
    assert shown.count('round') == 3
    assert [shown.count(f'data: [{k}.0') for k in (1, 2, 3)] == [1, 1, 1]


def test_a_branch_in_a_block_prints_where_it_runs(main, capfd):
    def inside(i):
        with ConditionalBlock([i > 2], is_scalar_condition=True).block():
            paddle.static.Print(i, message='last')
            paddle.static.nn.cond(i > 5, lambda: paddle.static.Print(i, message='never'), lambda: i)

    run(main, [counted(main, inside)])
    shown = capfd.readouterr().out
    assert (shown.count('last'), shown.count('never')) == (1, 0)


def test_a_block_calls_functions_and_asserts(main):
    seen = []
    number = core._append_python_callable_object_and_return_id(
        lambda i: seen.append(np.array(i).item()) or ()
    )

    def inside(i):
        append(main, 'py_func', {'X': [i]}, {'Out': []}, forward_callable_id=number)
        paddle.static.nn.control_flow.Assert(i < 3, [i])

    i = counted(main, inside)
    with pytest.raises(ValueError, match='[aA]ssert'):
        run(main, [i])
    assert seen == [1, 2, 3]


def test_files_are_written_and_read_when_a_program_runs(main, tmp_path):
    one, both = str(tmp_path / 'deep' / 'one'), str(tmp_path / 'both')
    x = paddle.static.data('x', [2, 3])
    whole = paddle.cast(x, 'int64')
    append(main, 'save', {'X': [x]}, {}, file_path=one)
    raw = main.current_block().create_var(name='Y', type=VarDesc.VarType.RAW, persistable=True)
    append(main, 'save_combine', {'X': [x, whole]}, {'Y': [raw]}, file_path=both)
    run(main, [x], x=X)
    reader = paddle.static.Program()
    with paddle.static.program_guard(reader):
        places = [variable(reader, name) for name in ('a', 'b', 'c', 'd')]
        append(reader, 'load', {}, {'Out': [places[0]]}, file_path=one)
        append(reader, 'load', {}, {'Out': [places[1]]}, file_path=one, seek=3, shape=[2])
        append(reader, 'load_combine', {}, {'Out': places[2:]}, file_path=both)
    a, b, c, d = run(reader, places)
    np.testing.assert_array_equal(a, X)
    np.testing.assert_array_equal(b, [3, 4])
    np.testing.assert_array_equal(c, X)
    np.testing.assert_array_equal(d, X.astype('int64'))
    assert d.dtype == np.int64


def test_files_hold_halves_where_the_operation_says(main, tmp_path):
    x, files = paddle.static.data('x', [2, 3]), [str(tmp_path / name) for name in 'abc']
    append(main, 'save', {'X': [x]}, {}, file_path=files[0], save_as_fp16=True)
    append(main, 'save', {'X': [paddle.cast(x, 'int64')]}, {}, file_path=files[1])
    run(main, [x], x=X)
    place, other = variable(main, 'a'), variable(main, 'b', dtype='float32')
    append(main, 'load', {}, {'Out': [place]}, file_path=files[0])
    append(main, 'load', {}, {'Out': [other]}, file_path=files[1], load_as_fp16=True)
    made = run(main, [place, other], x=X)
    assert [v.dtype for v in made] == [np.float16, np.float16]
    np.testing.assert_array_equal(made, [X, X])


def test_what_is_no_file_or_no_new_one_is_refused_when_the_program_runs(main, tmp_path):
    path = str(tmp_path / 'kept')
    x = paddle.static.data('x', [2, 3])
    append(main, 'save', {'X': [x]}, {}, file_path=path, overwrite=False)
    run(main, [x], x=X)
    with pytest.raises(RuntimeError, match='overwrite=True'):
        run(main, [x], x=X)
    missing = paddle.static.Program()
    with paddle.static.program_guard(missing):
        place = variable(missing, 'a')
        append(missing, 'load', {}, {'Out': [place]}, file_path=path + '.none')
        with pytest.raises(ValueError, match=r'\[load\].*shape and dtype'):
            append(
                missing,
                'load',
                {},
                {'Out': [missing.current_block().create_var(name='b')]},
                file_path=path + '.none',
            )
    with pytest.raises(RuntimeError, match=r'\[load\].*No such file'):
        run(missing, [place])


def test_a_program_loads_what_lasts_over_runs(main, tmp_path):
    path = str(tmp_path / 'one')
    x = paddle.static.data('x', [2, 3])
    append(main, 'save', {'X': [x]}, {}, file_path=path)
    run(main, [x], x=X)
    loader, reader = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(loader):
        place = variable(loader, 'lasting_of_files', persistable=True)
        append(loader, 'load', {}, {'Out': [place]}, file_path=path)
    run(loader, [])
    kept = paddle.static.global_scope().find_var('lasting_of_files').get_tensor()
    np.testing.assert_array_equal(np.array(kept), X)
    with paddle.static.program_guard(reader):
        y = variable(reader, 'lasting_of_files', persistable=True) + 1
    np.testing.assert_array_equal(run(reader, [y])[0], X + 1)


# Steps of two beams of two sources: both levels of sequences, and words.
STEPS = [
    ([[0, 1, 2], [0, 1, 2]], [0, 0]),
    ([[0, 1, 2], [0, 2, 4]], [2, 3, 4, 5]),
    ([[0, 2, 4], [0, 2, 2, 4, 4]], [3, 1, 5, 4]),
    ([[0, 2, 4], [0, 1, 2, 3, 4]], [1, 1, 3, 5]),
    ([[0, 2, 4], [0, 0, 0, 2, 2]], [5, 1]),
]
# What the published package gives for these.
WORDS = [0, 2, 3, 1, 0, 2, 1, 0, 4, 5, 3, 5, 0, 4, 5, 3, 1]
LEVELS = [[0, 2, 4], [0, 4, 7, 12, 17]]


def step(words, levels, dtype, number):
    tensor = core.DenseTensor()
    array = np.array(words, dtype).reshape(-1, 1)
    tensor.set((array * (1 if dtype == 'int64' else 1 + 0.1 * number)).astype(dtype), None)
    tensor.set_lod(levels)
    return tensor


def decoded(program, arrays, feed, width=2):
    block = program.current_block()
    places = [block.create_var(name=n, dtype=d) for n, d in (('w', 'int64'), ('s', 'float32'))]
    append(
        program,
        'beam_search_decode',
        {'Ids': [arrays[0]], 'Scores': [arrays[1]]},
        {'SentenceIds': [places[0]], 'SentenceScores': [places[1]]},
        beam_size=width,
        end_id=1,
    )
    words, scores = paddle.static.Executor().run(
        program, feed=feed, fetch_list=places, return_numpy=False
    )
    assert words.lod() == scores.lod()
    assert np.array(scores).dtype == np.float32
    return np.array(words).tolist(), words.lod(), np.array(scores)


def written(program):
    arrays, feed = [None, None], {}
    for number, (levels, words) in enumerate(STEPS):
        for k, dtype in enumerate(('int64', 'float32')):
            name = f'{dtype}_{number}'
            x = paddle.static.data(name, [None, 1], dtype, lod_level=2)
            index = paddle.full([1], number, 'int64')
            arrays[k] = paddle.tensor.array_write(x, index, arrays[k])
            feed[name] = step(words, levels, dtype, number)
    return arrays, feed


def test_beams_of_a_program_become_sentences(main):
    arrays, feed = written(main)
    words, levels, scores = decoded(main, arrays, feed)
    assert (words, levels) == (WORDS, LEVELS)
    np.testing.assert_allclose(scores[:7], [0, 2.2, 3.6, 1.3, 0, 2.2, 1.3], rtol=1e-6)


def test_beams_of_a_scope_become_sentences(main):
    arrays = []
    for name, dtype in (('beam_words', 'int64'), ('beam_scores', 'float32')):
        held = paddle.static.global_scope().var(name).get_dense_tensor_array()
        for number, (levels, words) in enumerate(STEPS):
            held.append(step(words, levels, dtype, number))
        kind = VarDesc.VarType.DENSE_TENSOR_ARRAY
        arrays.append(
            main.current_block().create_var(name=name, type=kind, dtype=dtype, persistable=True)
        )
    assert decoded(main, arrays, {})[:2] == (WORDS, LEVELS)


def test_more_sentences_than_beams_are_refused(main):
    arrays, feed = written(main)
    with pytest.raises(IndexError, match='beam_search_decode.*at most 1'):
        decoded(main, arrays, feed, width=1)
