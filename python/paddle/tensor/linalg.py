# SPDX-License-Identifier: Apache-2.0
"""`paddle.linalg` under its older name."""

from paddle import _lazy
from paddle.linalg import *  # noqa: F403

_lazy.serve(globals())
