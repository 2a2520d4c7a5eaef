# SPDX-License-Identifier: Apache-2.0
"""Collectives inside compiled functions and programs: values, order, gradients, files, failures."""

import re
import signal
import time

import pytest
import ranks


@pytest.mark.parametrize('count', [2, 4])
@pytest.mark.parametrize('full_graph', ['0', '1'])
def test_compiled_equals_eager(count, full_graph):
    ranks.run(count, 'work_programs', 'compiled', full_graph, timeout=120)


@pytest.mark.parametrize('count', [2, 4])
def test_static_programs_equal_eager(count):
    ranks.run(count, 'work_programs', 'static_programs', timeout=120)


@pytest.mark.parametrize('full_graph', ['0', '1'])
def test_calls_are_those_of_eager_code(full_graph):
    ranks.run(3, 'work_programs', 'beside_eager', full_graph)


@pytest.mark.parametrize('what', ['extents', 'branches', 'errors'])
def test_ranks(what):
    ranks.run(2, 'work_programs', what)


@pytest.mark.parametrize('what', ['gradients', 'data_parallel', 'tensor_parallel'])
@pytest.mark.parametrize('full_graph', ['0', '1'])
def test_training(what, full_graph):
    ranks.run(2, 'work_programs', what, full_graph)


def test_saved_programs_communicate(tmp_path):
    ranks.run(2, 'work_programs', 'saved', str(tmp_path))


def test_a_rank_dies_while_a_compiled_step_waits():
    job = ranks.Ranks(3, 'work_programs', 'waits')
    job.ready(*[f'ready{r}' for r in range(3)])
    time.sleep(0.5)
    killed = time.time()
    job.processes[2].send_signal(signal.SIGKILL)
    for code, text in job.end()[:2]:
        assert code == 3, text
        came = re.search(r'after [\d.]+: ([\d.]+) (.*)', text, re.DOTALL)
        assert came and float(came[1]) - killed < 1.0, text
        assert 'rank 2' in came[2] and 'all_reduce' in came[2], text


def test_a_rank_that_hangs_is_named_at_the_deadline():
    job = ranks.Ranks(2, 'work_programs', 'waits', '2')
    job.ready('ready0', 'ready1')
    text = job.processes[0].communicate(timeout=30)[0]
    job.processes[1].kill()
    job.end()
    came = re.search(r'after ([\d.]+): ([\d.]+) (.*)', text, re.DOTALL)
    assert came and 1.9 < float(came[2]) - float(came[1]) < 4, text
    assert 'rank 1' in came[3] and 'all_reduce' in came[3], text
