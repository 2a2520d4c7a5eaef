# SPDX-License-Identifier: Apache-2.0
"""Rewriters of programs that users write in Python: they change a program before it is saved, and
the predictor runs what they made.
"""

import json

import numpy as np
import pytest

import paddle
from paddle import static

X = np.random.RandomState(0).randn(3, 4).astype('float32')


@pytest.fixture
def exe():
    paddle.enable_static()
    try:
        yield static.Executor(paddle.CPUPlace())
    finally:
        paddle.disable_static()


def network(exe):
    """A program of two layers, with relu, a scale by one and dropout of nothing between them."""
    paddle.seed(0)
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data('x', [-1, 4])
        hidden = paddle.nn.functional.relu(static.nn.fc(x, 8))
        hidden = paddle.nn.functional.dropout(paddle.scale(hidden, 1.0), 0.5, training=False)
        y = static.nn.fc(hidden, 2)
    exe.run(startup)
    return main, x, y


def matched(main, name):
    return [op for op in main.global_block().ops if op.name() == name]


def replace(main, op, make):
    """Put what `make(first operand)` records in the place of an operation."""
    block = main.global_block()
    last = block.ops[-1].id()
    with static.program_guard(main):
        made = make(op.operand_source(0))
    for new in block.ops:
        if new.id() > last:
            new.move_before(op)
    op.result(0).replace_all_uses_with(made)
    op.erase()


def bypass(op):
    """Take an operation out whose readers get its first operand."""
    op.result(0).replace_all_uses_with(op.operand_source(0))
    op.erase()


def rewrite(main):
    for op in matched(main, 'pd_op.relu'):
        replace(main, op, lambda x: paddle.nn.functional.gelu(x, approximate=True))
    for op in matched(main, 'pd_op.scale') + matched(main, 'pd_op.dropout'):
        bypass(op)


def predicted(exe, prefix, main, x, y):
    """What the predictor makes of the saved program, and the names of its operations."""
    static.save_inference_model(prefix, [x], [y], exe, program=main)
    config = paddle.inference.Config(prefix + '.json', prefix + '.pdiparams')
    predictor = paddle.inference.create_predictor(config)
    predictor.get_input_handle('x').copy_from_cpu(X)
    predictor.run()
    result = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    with open(prefix + '.json') as file:
        (region,) = json.load(file)['program']['regions']
    return result, [op['#'].partition('.')[2] for op in region['blocks'][0]['ops']]


def test_a_rewritten_program_is_saved_and_runs_in_the_predictor(exe, tmp_path):
    main, x, y = network(exe)
    before, names = predicted(exe, str(tmp_path / 'before'), main, x, y)
    assert {'relu', 'scale'} <= set(names)
    weights = {n: t.numpy() for n, t in main.state_dict('param').items()}
    w0, b0, w1, b1 = (weights[n] for n in sorted(weights, key=lambda n: (n[:4], '.b' in n)))
    rewrite(main)
    after, names = predicted(exe, str(tmp_path / 'after'), main, x, y)
    assert 'gelu' in names and not {'relu', 'scale', 'dropout'} & set(names)
    with paddle.base.dygraph.guard():
        hidden = paddle.nn.functional.gelu(paddle.to_tensor(X @ w0 + b0), approximate=True).numpy()
    np.testing.assert_allclose(after, hidden @ w1 + b1, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(exe.run(main, {'x': X}, [y])[0], after, rtol=1e-6)
    assert np.abs(after - before).max() > 1e-3
    loaded, feeds, fetches = static.load_inference_model(str(tmp_path / 'after'), exe)
    np.testing.assert_array_equal(exe.run(loaded, {feeds[0]: X}, fetches)[0], after)


def test_a_loaded_program_is_rewritten_and_saved_again(exe, tmp_path):
    main, x, y = network(exe)
    first, _ = predicted(exe, str(tmp_path / 'first'), main, x, y)
    loaded, feeds, fetches = static.load_inference_model(str(tmp_path / 'first'), exe)
    for op in matched(loaded, 'pd_op.relu'):
        replace(loaded, op, lambda x: paddle.maximum(x, paddle.full([1], 0.0)))
    value = loaded.global_block().var('x')
    again, names = predicted(exe, str(tmp_path / 'again'), loaded, value, fetches[0])
    assert 'maximum' in names and 'relu' not in names
    np.testing.assert_array_equal(again, first)


def test_operations_are_recorded_where_a_point_says(exe, tmp_path):
    main, x, y = network(exe)
    block, pir = main.global_block(), paddle.pir
    (relu,) = matched(main, 'pd_op.relu')
    with static.program_guard(main):
        pir.set_insertion_point(relu)
        made = paddle.maximum(relu.operand_source(0), paddle.full([1], 0.0))
        assert [op.id() for op in block.ops][-1] != made.get_defining_op().id()
        relu.result(0).replace_all_uses_with(made)
        block.remove_op(relu)  # what the point was before
        again = paddle.abs(made)
        pir.set_insertion_point_after(matched(main, 'pd_op.scale')[-1])
        late = paddle.exp(again)
        pir.reset_insertion_point_to_end()
        last = paddle.sin(late)
    names = [op.name() for op in block.ops]
    assert names.index('pd_op.maximum') + 1 == names.index('pd_op.abs') < names.index('pd_op.scale')
    assert names.index('pd_op.exp') == len(names) - 1 - names[::-1].index('pd_op.scale') + 1
    assert names[-1] == 'pd_op.sin' and last is not None
    after, names = predicted(exe, str(tmp_path / 'net'), main, x, y)
    assert 'maximum' in names and 'relu' not in names
    np.testing.assert_allclose(exe.run(main, {'x': X}, [y])[0], after, rtol=1e-6)


def test_a_point_ends_with_the_guard_and_with_passes(exe):
    main, _, y = network(exe)
    pir = paddle.pir
    with static.program_guard(main):
        pir.set_insertion_point(matched(main, 'pd_op.relu')[0])
    with static.program_guard(main):
        paddle.exp(y)
        assert main.global_block().ops[-1].name() == 'pd_op.exp'
        pir.set_insertion_point(main.global_block().ops[-1])
        passes = pir.PassManager()
        passes.add_pass('common_subexpression_elimination_pass', {})
        passes.run(main)
        paddle.cos(y)
        assert main.global_block().ops[-1].name() == 'pd_op.cos'
        pir.reset_insertion_point_to_start()
        first = paddle.full([1], 1.0)
        assert main.global_block().ops[0].id() == first.get_defining_op().id()
        pir.set_insertion_point_to_block_end(main.global_block())
        paddle.tan(y)
        assert main.global_block().ops[-1].name() == 'pd_op.tan'
    for function in (pir.set_insertion_point, pir.set_insertion_point_after):
        with pytest.raises(TypeError, match='expected an Operation'):
            function(y)


def test_a_change_that_leaves_readers_behind_is_refused(exe):
    main, _, _ = network(exe)
    (relu,) = matched(main, 'pd_op.relu')
    with pytest.raises(RuntimeError, match='nobody reads'):
        relu.erase()
    with pytest.raises(ValueError, match='move_before'):
        matched(main, 'pd_op.scale')[0].move_before(relu)
