# SPDX-License-Identifier: Apache-2.0
"""Functions, layers and initializers against results recorded from PaddlePaddle 3.3.1: names,
values, gradients.
"""

import json
import pathlib

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
import pytest

import nn_cases

DATA = pathlib.Path(__file__).parent / "data"
FUNCTIONS, LAYERS, CALLS, INITIALIZERS = (
    json.loads((DATA / f"nn_{name}.json").read_text())
    for name in ("functional", "layers", "calls", "initializers")
)
# The reference drops these gradients; ours are the derivatives.
EXTRA_GRADIENTS = ("gaussian_nll_loss", "label_smooth")


def _same(ours, recorded):
    assert ours[:2] == recorded[:2]
    size = max(1, int(np.prod(recorded[0])))
    np.testing.assert_allclose(ours[2:], recorded[2:], rtol=1e-4, atol=2e-5 * size**0.5)


def _same_gradient(ours, recorded):
    if recorded is None or ours is None:
        present = ours if recorded is None else recorded
        assert present is None or present[2:] == [0, 0]
    else:
        _same(ours, recorded)


@pytest.mark.parametrize("case", FUNCTIONS)
def test_function(case):
    ours, recorded = nn_cases.run(paddle, F, case), FUNCTIONS[case]
    assert len(ours["out"]) == len(recorded["out"])
    for a, b in zip(ours["out"], recorded["out"]):
        _same(a, b)
    for a, b in zip(ours["grad"], recorded["grad"]):
        if not (b is None and case.startswith(EXTRA_GRADIENTS)):
            _same_gradient(a, b)


@pytest.mark.parametrize("case", CALLS)
def test_layer_call(case):
    ours, recorded = nn_cases.run_layer(paddle, nn, case), CALLS[case]
    assert len(ours["out"]) == len(recorded["out"])
    for a, b in zip(ours["out"], recorded["out"]):
        _same(a, b)
    for a, b in zip(ours["grad"], recorded["grad"]):
        _same_gradient(a, b)
    for table, compare in (("parameters", _same_gradient), ("state", _same)):
        assert list(ours.get(table, {})) == list(recorded.get(table, {}))
        for name, digest in recorded.get(table, {}).items():
            compare(ours[table][name], digest)


@pytest.mark.parametrize("case", LAYERS)
def test_layer_description(case):
    ours, recorded = nn_cases.describe_layer(paddle, nn, case), LAYERS[case]
    for key in ("repr", "full_name", "parameters", "sublayers"):
        assert ours[key] == recorded[key]
    assert [s[:3] for s in ours["state"]] == [s[:3] for s in recorded["state"]]
    for a, b in zip(ours["state"], recorded["state"]):
        _same(a[3], b[3])


@pytest.mark.parametrize("case", INITIALIZERS)
def test_initializer(case):
    _same(nn_cases.initial_value(paddle, nn, case), INITIALIZERS[case])
