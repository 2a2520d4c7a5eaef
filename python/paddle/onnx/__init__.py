# SPDX-License-Identifier: Apache-2.0
"""Export of layers as ONNX files, by the package paddle2onnx."""

import os

__all__ = ['export']


def export(layer, path, input_spec=None, opset_version=9, **configs):
    """Write `layer` as the file `<path>.onnx`. ImportError where paddle2onnx is not installed,
    ValueError for a path without a name.
    """
    from paddle.utils import try_import

    converter = try_import('paddle2onnx')
    if not os.path.basename(path):
        raise ValueError(
            f"[onnx.export] expected a path that ends with a file's name, got {path!r}"
        )
    converter.dygraph2onnx(
        layer, path + '.onnx', input_spec=input_spec, opset_version=opset_version, **configs
    )
