# SPDX-License-Identifier: Apache-2.0
"""What programs ask the core that other modules know: kinds of attributes, counts, files of
programs, and plain forms of functions."""

import enum

import paddle
from paddle.base import libpaddle as _core
from paddle.base.core import AttrType
from paddle.static.scope import DenseTensor

__all__ = [
    'DenseTensorArray',
    'OpUpdateType',
    'clear_low_precision_op_list',
    'get_attribute_type',
    'get_low_precision_op_list',
    'serialize_pir_program',
]


class OpUpdateType(enum.IntEnum):
    """Kinds of changes of an old operation from version to version."""

    kInvalid, kModifyAttr, kNewAttr, kNewInput, kNewOutput, kBugfixWithBehaviorChanged = range(6)


class DenseTensorArray(list):
    """A list of `DenseTensor`s.

    Examples:
        >>> array = paddle.base.core.DenseTensorArray()
        >>> array.append(paddle.base.core.DenseTensor())
        >>> len(array)
        1
    """

    def append(self, value):
        """One more at the end; TypeError for what is no `DenseTensor`."""
        if not isinstance(value, DenseTensor):
            raise TypeError(
                f'[DenseTensorArray] expected a DenseTensor, got {type(value).__name__}'
            )
        super().append(value)

    def _move_to_list(self):
        made = list(self)
        self.clear()
        return made


def get_attribute_type(op_type, name):
    """The kind of an attribute of an old operation. ValueError for unknown ones."""
    from paddle.base.op_proto import OpProtoHolder

    for attr in OpProtoHolder.instance().get_op_proto(op_type).attrs:
        if attr.name == name:
            return AttrType(attr.type)
    raise ValueError(f'[get_attribute_type] expected an attribute of {op_type}, got {name!r}')


_counted = {}


def get_low_precision_op_list():
    """{operation: 'float16,bfloat16,float32,other'}: calls since counting began
    (`FLAGS_low_precision_op_list`) or since `clear_low_precision_op_list`."""
    for name, row in _core._take_type_counts().items():
        before = _counted.get(name, [0, 0, 0, 0])
        _counted[name] = [a + b for a, b in zip(before, row)]
    return {name: ','.join(map(str, row)) for name, row in sorted(_counted.items())}


def clear_low_precision_op_list():
    """Forget the counts."""
    _core._take_type_counts()
    _counted.clear()


def serialize_pir_program(
    program, file_path, overwrite=True, readable=False, trainable=True, pir_version=-1
):
    """Write a program as `.json`."""
    import os

    from paddle.base.arguments import only
    from paddle.framework.output_file import write_file

    only('serialize_pir_program', 'one version is written', pir_version=(pir_version, -1, 0, 1, 4))
    if os.path.exists(file_path) and not overwrite:
        raise RuntimeError(
            f'[serialize_pir_program] expected a new file or overwrite=True, got {file_path!r}'
        )
    write_file(file_path, program._to_json(bool(trainable), bool(readable)).encode())


def scale(x, scale, bias, bias_after_scale=True, trace_backward=True):
    """`paddle.scale`; without history where `trace_backward` is False."""
    if trace_backward:
        return paddle.scale(x, scale, bias, bias_after_scale)
    with paddle.no_grad():
        return paddle.scale(x, scale, bias, bias_after_scale)


def sparse_coo_tensor(indices, values, shape, stop_gradient=True):
    """`paddle.sparse.sparse_coo_tensor`."""
    return paddle.sparse.sparse_coo_tensor(indices, values, shape, stop_gradient=stop_gradient)


EAGER = {'scale': scale, 'sparse_coo_tensor': sparse_coo_tensor}
