# SPDX-License-Identifier: Apache-2.0
"""Models of tools/oracle under to_static against eager: results and all gradients. The tool runs
all of them, the test the quick ones.
"""

import pathlib
import sys

import pytest

import paddle

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / 'tools')]
import static_equals_eager as tool  # noqa: E402

sys.path[:0] = [str(pathlib.Path(tool.__file__).parent / 'oracle')]
import models  # noqa: E402

QUICK = (
    'lenet bert_like llama_like lstm_dynamic_length control_flow_if control_flow_else '
    'control_flow_while masked_attention scaled_dot_product_attention norms shapes '
    'losses_and_reductions many_inputs_and_outputs pixel_shuffle search_outputs'
).split()


@pytest.mark.parametrize('full_graph', [False, True])
@pytest.mark.parametrize('backend', [None, 'CINN'])
@pytest.mark.parametrize('name', QUICK)
def test_static_equals_eager(name, backend, full_graph):
    paddle.seed(0)
    layer, arrays, _ = models.MODELS[name]()
    layer.eval()
    results, gradients = tool.run(layer, layer, arrays)
    static = paddle.jit.to_static(layer, full_graph=full_graph, backend=backend)
    for _ in range(2):
        got, got_gradients = tool.run(static, layer, arrays)
        assert tool.difference(got, results) < 1e-5
        assert tool.difference(got_gradients, gradients) < 1e-4
