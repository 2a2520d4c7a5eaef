# SPDX-License-Identifier: Apache-2.0
"""Many ops recorded with known and unknown extents: equal to eager, and saved so that the published
wheel computes the same.
"""

import json
import os

import numpy as np
import pytest
from recorded_cases import CASES

import paddle
import paddle.static as static


def record(name, unknown):
    """(program, inputs, results, gradients) of a case."""
    fn, arrays = CASES[name]
    program = static.Program()
    with static.program_guard(program, static.Program()):
        inputs = [
            static.data(f'x{i}', [-1 if unknown else a.shape[0], *a.shape[1:]], str(a.dtype))
            for i, a in enumerate(arrays)
        ]
        for x, a in zip(inputs, arrays):
            x.stop_gradient = a.dtype != np.float32
        out = fn(*inputs)
        wanted = [x for x in inputs if not x.stop_gradient]
        grads = (
            []
            if out.stop_gradient
            else [g for g in static.gradients([out], wanted) if g is not None]
        )
    return program, inputs, [out, *grads]


def run(name, unknown, folder=None):
    """Results and gradients; saved in `folder` with the inputs when it is given."""
    arrays = CASES[name][1]
    paddle.enable_static()
    try:
        program, inputs, values = record(name, unknown)
        exe = static.Executor()
        results = exe.run(
            program, feed={f'x{i}': a for i, a in enumerate(arrays)}, fetch_list=values
        )
        if folder:
            prefix = os.path.join(folder, f'{name}.{int(unknown)}')
            static.save_inference_model(prefix, inputs, values, exe, program=program)
            np.savez(
                prefix + '.npz',
                **{f'x{i}': a for i, a in enumerate(arrays)},
                **{f'r{i}': r for i, r in enumerate(results)},
            )
        return results
    finally:
        paddle.disable_static()


@pytest.mark.parametrize('unknown', [False, True], ids=['known', 'unknown'])
@pytest.mark.parametrize('name', CASES)
def test_recorded_equals_eager(name, unknown):
    fn, arrays = CASES[name]
    xs = [paddle.to_tensor(a, stop_gradient=a.dtype != np.float32) for a in arrays]
    out = fn(*xs)
    want = [out]
    if not out.stop_gradient:
        want += [
            g
            for g in paddle.grad(
                [out],
                [x for x in xs if not x.stop_gradient],
                [paddle.ones_like(out)],
                allow_unused=True,
            )
            if g is not None
        ]
    got = run(name, unknown)
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert g.dtype == w.numpy().dtype
        np.testing.assert_allclose(g, w.numpy(), rtol=2e-5, atol=2e-6)


def test_assigned_values_of_unknown_extents_reach_bases_and_views(static_mode):
    program = static.Program()
    with static.program_guard(program, static.Program()):
        x = static.data('x', [-1, 3])
        y = static.data('y', [-1, 3])
        known = paddle.zeros([2, 3])
        row = known[0]
        paddle.assign(x * 2, known)
        unknown = y * 0
        paddle.assign(x * 2, unknown.detach())
        whole = paddle.zeros([3, 3])
        paddle.assign(x * 2, whole[1:])
    exe = static.Executor()
    ones = np.ones((2, 3), 'float32')
    got = exe.run(program, feed={'x': ones, 'y': ones}, fetch_list=[row, unknown, whole])
    assert got[0].tolist() == [2.0] * 3
    assert np.array_equal(got[1], 2 * ones)
    assert np.array_equal(got[2], np.concatenate([0 * ones[:1], 2 * ones]))
    more = np.ones((3, 3), 'float32')
    with pytest.raises(ValueError, match='expected extents'):
        exe.run(program, feed={'x': more, 'y': more}, fetch_list=[row])


ORACLE = '''
import json, sys
import numpy as np, paddle
folder = sys.argv[1]
paddle.enable_static()
exe = paddle.static.Executor(paddle.CPUPlace())
problems = {}
for name in json.load(open(folder + '/names.json')):
    try:
        data = np.load(f'{folder}/{name}.npz')
        program, feeds, fetches = paddle.static.load_inference_model(f'{folder}/{name}', exe)
        fed = {n: data[n] for n in feeds}
        for i, r in enumerate(exe.run(program, feed=fed, fetch_list=fetches)):
            assert r.dtype == data[f'r{i}'].dtype
            np.testing.assert_allclose(r, data[f'r{i}'], rtol=1e-4, atol=1e-5)
    except Exception as error:
        problems[name] = str(error)[-300:]
json.dump(problems, open(folder + '/problems.json', 'w'))
'''


@pytest.mark.oracle
def test_the_wheel_computes_the_same(tmp_path, run_oracle):
    names = []
    for name in CASES:
        for unknown in (False, True):
            run(name, unknown, str(tmp_path))
            names.append(f'{name}.{int(unknown)}')
    (tmp_path / 'names.json').write_text(json.dumps(names))
    run_oracle(ORACLE, tmp_path)
    assert json.loads((tmp_path / 'problems.json').read_text()) == {}
