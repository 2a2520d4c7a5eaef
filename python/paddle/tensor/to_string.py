# SPDX-License-Identifier: Apache-2.0
"""How tensors print, and set_printoptions."""

import numpy as np

from paddle.base.libpaddle import expect_tensors

__all__ = ['set_printoptions', 'to_string']


class _Options:
    precision = 8
    threshold = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode = False


_options = _Options()


_MOST_DIGITS = 1074  # no float64 has more


def set_printoptions(precision=None, threshold=None, edgeitems=None, sci_mode=None, linewidth=None):
    """How tensors are printed; None keeps what was set.

    Args:
        precision (int, default None): The digits after the point.
        threshold (int, default None): From how many elements on they are summarised.
        edgeitems (int, default None): How many items are shown at each end.
        sci_mode (bool, default None): Whether numbers are in scientific notation.
        linewidth (int, default None): The width of a line.

    Returns:
        None.

    Examples:
        >>> paddle.set_printoptions(precision=2)
        >>> str(paddle.to_tensor([3.14159])).splitlines()[-1].strip()
        '[3.14])'
        >>> paddle.set_printoptions(precision=8)
    """
    given = {
        'precision': precision,
        'threshold': threshold,
        'edgeitems': edgeitems,
        'linewidth': linewidth,
        'sci_mode': sci_mode,
    }
    for name, value in given.items():
        if value is not None:
            wanted = bool if name == 'sci_mode' else int
            if not isinstance(value, wanted):
                raise TypeError(
                    f'[set_printoptions] expected {name} of type {wanted.__name__}, got '
                    f'{type(value).__name__}'
                )
            if name == 'precision' and not 0 <= value <= _MOST_DIGITS:
                raise ValueError(
                    f'[set_printoptions] expected precision from 0 to {_MOST_DIGITS}, got {value}'
                )
            setattr(_options, name, value)


def _negative(value):
    return (value.real, value.imag) < (0, 0) if value.dtype.kind == 'c' else value < 0


def _item(value, width, signed):
    """One number as text, padded to `width`."""
    kind = value.dtype.kind
    if kind == 'f':
        if _options.sci_mode:
            text = f'%.{_options.precision}e' % value
        elif np.ceil(value) == value:
            text = f'{value:.0f}.'
        else:
            text = f'%.{_options.precision}f' % value
    elif kind == 'c':
        digits = f'.{_options.precision}' + ('e' if _options.sci_mode else 'f')
        text = f'({value.real:{digits}}{value.imag:+{digits}}j)'
    else:
        text = str(value)
    if width > len(text):
        if signed and not _negative(value):
            text = ' ' + text
        text = text.ljust(width)
    return text


def _width(array):
    """The widest item's length, and whether there are negative ones."""
    texts = [_item(value, 0, False) for value in array.reshape(-1)]
    return max(map(len, texts), default=0), any(_negative(value) for value in array.reshape(-1))


def _lines(array, summary, indent, width, signed):
    edge = _options.edgeitems
    if array.ndim == 0:
        return _item(array[()], width, signed)
    if array.ndim == 1:
        if summary and array.shape[0] > 2 * edge:
            items = (
                [_item(v, width, signed) for v in array[:edge]]
                + ['...']
                + [_item(v, width, signed) for v in array[-edge:]]
            )
        else:
            items = [_item(v, width, signed) for v in array]
        per_line = max(1, (_options.linewidth - indent) // (width + 2))
        rows = [items[i : i + per_line] for i in range(0, len(items), per_line)]
        return '[' + (',\n' + ' ' * (indent + 1)).join(', '.join(row) for row in rows) + ']'
    if summary and array.shape[0] > 2 * edge:
        parts = (
            [_lines(a, summary, indent + 1, width, signed) for a in array[:edge]]
            + ['...']
            + [_lines(a, summary, indent + 1, width, signed) for a in array[-edge:]]
        )
    else:
        parts = [_lines(a, summary, indent + 1, width, signed) for a in array]
    return '[' + (',' + '\n' * (array.ndim - 1) + ' ' * (indent + 1)).join(parts) + ']'


def _shown(array):
    """The elements that appear in a summary."""
    edge = _options.edgeitems
    for axis in range(array.ndim):
        if array.shape[axis] > 2 * edge:
            index = list(range(edge)) + list(range(array.shape[axis] - edge, array.shape[axis]))
            array = array.take(index, axis=axis)
    return array


def _data(tensor, indent):
    parts = tensor._rows_parts()
    if parts is not None:
        tensor = parts[1]
    name = str(tensor.dtype)[7:]
    if name in ('bfloat16', 'float8_e4m3fn', 'float8_e5m2'):
        tensor = tensor.detach().astype('float32')
    array = tensor.detach().numpy()
    if array.size == 0:
        return (
            str(array.tolist()).replace(' ', '')
            if array.ndim < 2
            else _lines(array, False, indent, 0, False)
        )
    summary = array.size > _options.threshold
    width, signed = _width(_shown(array) if summary else array)
    return _lines(array, summary, indent, width, signed)


def to_string(tensor):
    """The text of a tensor: shape, dtype, place, stop_gradient and values."""
    from paddle.base import libpaddle as core

    expect_tensors('to_string', tensor=tensor)
    shape = list(tensor.shape)
    head = f'shape={shape}, dtype={str(tensor.dtype)[7:]}'
    if isinstance(tensor, core.pir.Value):
        return f'Value({head}, stop_gradient={tensor.stop_gradient})'
    parts = tensor._rows_parts()
    if parts is None and not tensor._is_initialized():
        return 'Tensor(Not initialized)'
    prefix = 'Tensor('
    indent = len(prefix)
    where = ''
    if tensor.is_dist():
        mesh, placements = tensor.process_mesh, tensor.placements
        where = f' process_mesh={mesh}, placements={placements}, GlobalDenseTensor='
    if parts is not None:
        where = f' rows={parts[0].tolist()},'
    return (
        f'{prefix}{head}, place={tensor._place_str}, stop_gradient={tensor.stop_gradient},{where}\n'
        f'{" " * indent}{_data(tensor, indent)})'
    )


def sparse_to_string(tensor):
    """The text of a sparse tensor: where its elements stand, and their values."""
    head = (
        f'Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype}, place={tensor.place}, '
        f'stop_gradient={tensor.stop_gradient}, '
    )
    names = ('indices', 'values') if tensor.is_sparse_coo() else ('crows', 'cols', 'values')
    indent = len('Tensor(')
    parts = [
        ' ' * indent + f'{name}=' + _data(getattr(tensor, name)(), indent + len(name) + 1)
        for name in names
    ]
    return head + '\n' + ', \n'.join(parts) + ')'
