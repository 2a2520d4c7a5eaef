# SPDX-License-Identifier: Apache-2.0
"""Export of layers as ONNX files, by the package paddle2onnx."""

import os

__all__ = ['export']


def export(layer, path, input_spec=None, opset_version=9, **configs):
    """Write a layer as an ONNX file, by the package paddle2onnx.

    Args:
        layer (Layer): The layer.
        path (str): The path without `.onnx`.
        input_spec (list of InputSpecs, default None): What is known of its inputs; None for what it
            was called with.
        opset_version (int, default 9): The version of the operator set.
        **configs (object): What paddle2onnx takes besides.

    Returns:
        None.

    Raises:
        ImportError: paddle2onnx is not installed.
        ValueError: path has no name of a file.

    Examples:
        >>> net = paddle.nn.Linear(2, 1)
        >>> try:
        ...     paddle.onnx.export(net, "net", [paddle.static.InputSpec([None, 2])])
        ... except ImportError as error:
        ...     print("paddle2onnx" in str(error))
        True
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
