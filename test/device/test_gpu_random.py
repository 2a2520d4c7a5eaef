# SPDX-License-Identifier: Apache-2.0
"""Random numbers of GPUs: the generator's vectors, the streams of draws, graphs that draw anew."""

import pathlib
import re
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from double import needs_double, run
from philox import philox

# The vectors of Random123 for ten rounds: counter, key, result.
VECTORS = """
00000000 00000000 00000000 00000000 00000000 00000000 6627e8d5 e169c58d bc57ac4c 9b00dbd8
ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 408f276d 41c83b0e a20bc7c6 6d5451fd
243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 d16cfe09 94fdcceb 5001e420 24126ea1
"""


@pytest.mark.parametrize('line', VECTORS.split('\n')[1:-1])
def test_the_generator_has_the_published_vectors(line):
    numbers = [int(word, 16) for word in line.split()]
    assert [int(v) for v in philox(numbers[:4], numbers[4:6])] == numbers[6:]


@needs_double
@pytest.mark.parametrize('capability, resident', [(75, 40 * 1024), (90, 132 * 2048)])
def test_draws_are_those_of_the_stream(capability, resident):
    explained = run(
        HERE / 'gpu_random.py', resident, FAKECUDA_CAPABILITY=capability, FLAGS_gpu_explain=1
    )[1]
    assert len(re.findall('^gpu: .*: by primitives$', explained, re.M)) > 5


@needs_double
def test_draws_with_parameters_have_their_distributions():
    explained = run(
        HERE / 'gpu_variates.py', 40 * 1024, FAKECUDA_CAPABILITY=75, FLAGS_gpu_explain=1
    )[1]
    kinds = {
        'bernoulli',
        'poisson',
        'binomial',
        'standard_gamma',
        'dirichlet',
        'multinomial',
        'rrelu',
    }
    assert kinds <= set(re.findall('^gpu: (.*): by primitives$', explained, re.M))
    host = re.findall('^gpu: (.*on the host.*)$', explained, re.M)
    assert all('a generator of the host' in line for line in host), host


@needs_double
def test_each_run_of_a_graph_draws_anew():
    run(
        '-c',
        """
import paddle
import paddle.nn.functional as F
paddle.set_device('gpu')
x = paddle.ones([700])
share, count = paddle.full([40], 0.4), paddle.full([40], 30, 'int64')

def draw():
    return (
        F.dropout(x, 0.5), paddle.rand([30]), paddle.randn([5], 'float64'), paddle.bernoulli(share),
        paddle.poisson(share * 50), paddle.binomial(count, share), paddle.standard_gamma(share),
        paddle.multinomial(share, 3), paddle.multinomial(share, 3, True), F.rrelu(-share),
        paddle.distribution.Dirichlet(share).sample(),
    )

draw()
paddle.seed(3)
want = [[v.tolist() for v in draw()] for _ in range(3)]
paddle.seed(3)
graph = paddle.device.cuda.graphs.CUDAGraph()
graph.capture_begin()
got = draw()
graph.capture_end()
for k in range(3):
    graph.replay()
    assert [v.tolist() for v in got] == want[k], k
paddle.seed(3)
graph.replay()
assert [v.tolist() for v in got] == want[0]
assert [v.tolist() for v in draw()] == want[1]
share.fill_(2)
graph.replay()
paddle.device.synchronize()
try:
    graph.replay()
    raise AssertionError('expected an error')
except IndexError as e:
    assert 'parameters of draws' in str(e)
""",
    )


@needs_double
def test_attention_drops_on_the_gpu():
    explained = run(
        '-c',
        """
import numpy as np, paddle
import paddle.nn.functional as F
paddle.set_device('gpu')
q = paddle.ones([1, 40, 2, 16])
q.stop_gradient = False
out = F.scaled_dot_product_attention(q, q, q, dropout_p=0.5)
again = F.scaled_dot_product_attention(q, q, q, dropout_p=0.5)
assert not out.equal_all(again) and abs(out.mean().item() - 1) < 0.1
out.sum().backward()
assert q.grad.place.is_gpu_place() and np.isfinite(q.grad.numpy()).all()
""",
        FLAGS_gpu_explain=1,
    )[1]
    assert 'on the host' not in explained, explained
