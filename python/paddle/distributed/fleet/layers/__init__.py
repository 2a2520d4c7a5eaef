# SPDX-License-Identifier: Apache-2.0
"""Layers that are divided among processes."""

from paddle import _lazy

_lazy.serve(globals())
