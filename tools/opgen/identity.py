# SPDX-License-Identifier: Apache-2.0
"""What the pd_ops of PaddlePaddle 3.3.1 are: `identity.json`."""

import functools
import json
import pathlib


@functools.cache
def identities():
    """{name: operands, results and attributes} of the pd_ops of PaddlePaddle 3.3.1."""
    return json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())


def identity(name):
    """Of one pd_op, or None."""
    return identities().get(name)
