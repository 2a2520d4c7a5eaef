# SPDX-License-Identifier: Apache-2.0
"""Calls of public functions whose results have gradients, on the CPU and on gpu:0. Prints, as JSON,
{function: [largest differences of results and gradients]}.
"""

import json
import os
import pathlib
import sys
import tempfile
import warnings

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / 'ops')]
import gpu_rows
import paddle
import test_strided_calls


def differences():
    for name, (function, tensors) in test_strided_calls.cases().items():

        def results():
            given = [t.to(paddle.get_device()) for t in tensors]
            return test_strided_calls.outcome(function, given, None)

        yield name, gpu_rows.on_both(results)


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # recipes write files
        print('\n' + json.dumps(dict(differences())))
