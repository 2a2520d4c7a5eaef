# SPDX-License-Identifier: Apache-2.0
"""The modules that define the layers of `paddle.nn`."""


def __getattr__(name):
    import importlib

    from paddle import nn
    if name in nn._HOME or name in nn._SAME:
        return getattr(nn, name)
    if f"layer.{name}" in nn._MODULES or name in ("layers", "hooks", "state", "alias"):
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
