# SPDX-License-Identifier: Apache-2.0
"""Factorisations of matrices by cuSOLVER: its strict double, and the host where it fails or is not
there.
"""

import functools
import pathlib
import re
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from double import DOUBLE, explained, needs_double, run

pytestmark = needs_double
factors = functools.partial(explained, 'cusolver', HERE / 'gpu_solver.py')
OPS = 'cholesky cholesky_solve lu lu_solve solve inverse triangular_solve'.split()
OPS += 'qr svd svdvals eigh eigvalsh eig eigvals lstsq det slogdet slogdet_v2'.split()
OPS += 'matrix_rank matrix_rank_tol matrix_rank_atol_rtol'.split()


def on_the_host(said):
    return set(re.findall(rf'gpu: ({"|".join(OPS)}): on the host: (.*)', said))


def test_factorisations_are_the_librarys(tmp_path):
    """Of all four dtypes; what cannot be factored is told by the host."""
    log = tmp_path / 'log'
    said = factors(FLAGS_cusolver_dir=DOUBLE.parent, FAKECUSOLVER_LOG=log)
    whys = {
        'a matrix that cuSOLVER does not factor',
        'numbers that are not finite',
        'matrices without elements',
    }
    assert {why for _, why in on_the_host(said)} == whys
    lines = log.read_text().splitlines()
    assert lines.count('create') == 1
    for call in ('potrf', 'potrs', 'getrf', 'getrs', 'geqrf', 'orgqr', 'syevd', 'gesvd'):
        for type in (0, 1, 4, 5):
            assert any(re.fullmatch(rf'{call} \d+x\d+ type {type}', s) for s in lines), (call, type)
    for call, rows in (('potrf', 4), ('syevj', 4), ('gesvdj', 3), ('gesvdj', 5)):
        for type in (0, 1, 4, 5):
            one = rf'{call}Batched {rows}x\d+ type {type} batch \d+'
            assert any(re.fullmatch(one, s) for s in lines), (call, type)
    for type in (4, 5):
        assert any(re.fullmatch(rf'geev \d+x\d+ type {type}', s) for s in lines), type


@pytest.mark.parametrize('call', ['create', 'potrfBatched', 'geev', 'gesvd'])
def test_what_fails_is_the_hosts(call):
    said = factors('few', FLAGS_cusolver_dir=DOUBLE.parent, FAKECUSOLVER_FAILS=call)
    failed = {op for op, why in on_the_host(said) if why == 'cuSOLVER did not do it'}
    wanted = {'potrfBatched': {'cholesky'}, 'geev': {'eig', 'eigvals'}}
    wanted['gesvd'] = {'svd', 'svdvals'}
    assert failed == wanted.get(call, failed) and failed


def test_many_small_matrices_are_one_call_or_the_hosts(tmp_path):
    log = tmp_path / 'log'
    out, said = run(
        '-c',
        """
import paddle
paddle.set_device('gpu')
x = paddle.eye(3).expand([100, 3, 3]) * 4
assert paddle.linalg.cholesky(x).sum().item() == 600
assert paddle.linalg.eigvalsh(x).sum().item() == paddle.linalg.svdvals(x).sum().item() == 1200
assert paddle.linalg.inv(x).sum().item() == 75
""",
        FLAGS_cusolver_dir=DOUBLE.parent,
        FLAGS_gpu_explain=1,
        FAKECUSOLVER_LOG=log,
    )
    assert on_the_host(said) == {('inverse', 'many small matrices')}
    calls = [line for line in log.read_text().splitlines() if line != 'create']
    assert [c.split()[0] for c in calls] == ['potrfBatched', 'syevjBatched', 'gesvdjBatched']
    assert all(c.endswith('batch 100') for c in calls)


def test_without_it_factorisations_are_the_hosts():
    whys = {why for _, why in on_the_host(factors('few'))}
    assert len(whys) == 1 and whys.pop().startswith('no cuSOLVER: expected FLAGS_cusolver_dir')
