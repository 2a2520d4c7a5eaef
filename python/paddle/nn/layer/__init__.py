# SPDX-License-Identifier: Apache-2.0
"""The modules that define the layers of `paddle.nn`."""

from paddle import _lazy


def __getattr__(name):
    import importlib

    from paddle import nn

    if name in nn._HOME or name in nn._SAME:
        return getattr(nn, name)
    if f"layer.{name}" in nn._MODULES or name in ("layers", "hooks", "state", "alias"):
        return importlib.import_module("." + name, __name__)
    return _lazy.listed(__name__, name)
