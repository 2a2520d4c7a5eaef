# SPDX-License-Identifier: Apache-2.0
"""Statements that say how tensors of a checkpoint become those of a program (`aoa_config`).

`a -> x` renames, `a, b -> x, axis=0` joins and `a -> x, y, axis=0` divides evenly; `a^T` and
`permute='[1,0]'` change the order of axes, `dtype='bfloat16'` the dtype; `a -> _` drops a tensor,
and `_ -> x` leaves one of the program as it is. `$LAYER_ID` and `$EXPERT_ID` stand for the numbers
with which names occur, `$LAYER_ID+1` for the next one; `*` stands for all of them at once.

`q, k, v -> w, fused_qkv, num_heads=8, num_key_value_groups=2` puts projections into one tensor,
`w -> q, k, v` takes them out, along axis 1 unless `axis` says another; `fused_qkv_old` does so
within each shard of w, and `a -> w` has as many shards of `a` made into those of w. `fused_ffn`
does the latter with two projections.
"""

import ast
import dataclasses
import re

from . import fused

_NAME = re.compile(r'[\w.*$]+(?:[+-]\d+)?(?:\.[\w.*$]*)*(?:\^T)?')
_MACRO = re.compile(r'\$(LAYER_ID|EXPERT_ID)([+-]\d+)?')
_HEADS = ('num_heads', 'num_key_value_groups')
_ATTRIBUTES = ('axis', 'permute', 'dtype', 'src_dtype', 'dst_dtype', *_HEADS)


@dataclasses.dataclass(frozen=True)
class Source:
    """A tensor of the checkpoint."""

    name: str

    def make(self, read):
        return read(self.name)


@dataclasses.dataclass(frozen=True)
class Step:
    """What a function makes of other values."""

    function: object
    inputs: tuple

    def make(self, read):
        return self.function(*[value.make(read) for value in self.inputs])


def _split_outside(text, mark=','):
    """The parts between marks that stand in no quotes or brackets."""
    parts, depth, quote = [''], 0, None
    for c in text:
        if quote:
            quote = None if c == quote else quote
        elif c in '\'"':
            quote = c
        else:
            depth += (c in '[(') - (c in '])')
        if c == mark and not depth and not quote:
            parts.append('')
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


@dataclasses.dataclass
class Statement:
    """Names left and right of the arrow, and attributes; `text` for messages."""

    left: list
    right: list
    attributes: dict
    text: str


def _read_statement(text):
    if not isinstance(text, str):
        raise TypeError(f'[aoa] expected statements as text, got {type(text).__name__}')
    sides = text.split('->')
    if len(sides) != 2:
        raise ValueError(f'[aoa] expected names, "->" and names, got {text!r}')
    left, right, attributes = _split_outside(sides[0]), [], {}
    for part in _split_outside(sides[1]):
        key, equals, value = part.partition('=')
        if not equals and part in fused.KINDS:
            attributes['fused'] = part
        elif not equals:
            right.append(part)
        elif key.strip() in _ATTRIBUTES:
            attributes[key.strip()] = _value(value.strip(), text)
        else:
            raise NotImplementedError(
                f'[aoa] expected attributes among {_ATTRIBUTES}, got {key.strip()!r} in {text!r}'
            )
    for name in [*left, *right]:
        if not _NAME.fullmatch(name):
            raise ValueError(f'[aoa] expected the name of a tensor, got {name!r} in {text!r}')
    for key in _HEADS:
        if key in attributes and 'fused' not in attributes:
            raise NotImplementedError(
                f'[aoa] expected {key} beside fused_qkv or fused_qkv_old alone, got {text!r}'
            )
    return Statement(left, right, attributes, text)


def _value(text, statement):
    try:
        value = ast.literal_eval(text)
        return ast.literal_eval(value) if isinstance(value, str) and value[:1] == '[' else value
    except (ValueError, SyntaxError):
        raise ValueError(
            f'[aoa] expected a number or text, got {text!r} in {statement!r}'
        ) from None


def _pattern(name):
    """The names that one with macros stands for: each macro is a group."""
    text, found = '', set()
    for piece in re.split(r'(\$(?:LAYER_ID|EXPERT_ID)(?:[+-]\d+)?|\*)', name.removesuffix('^T')):
        macro = _MACRO.fullmatch(piece)
        if piece == '*':
            text += r'\d+'
        elif macro is None:
            text += re.escape(piece)
        elif macro[1] in found:
            text += f'(?P={macro[1]})'
        else:
            found.add(macro[1])
            text += rf'(?P<{macro[1]}>\d+)'
    return re.compile(text)


def _numbered(name, numbers):
    return _MACRO.sub(lambda m: str(numbers[m[1]] + int(m[2] or 0)), name)


def _natural(name):
    return [int(part) if part.isdigit() else part for part in re.split(r'(\d+)', name)]


def _expanded(statement, names):
    """The statements that one with macros stands for; `names` of tensors that there are."""
    macros = {m[1] for name in [*statement.left, *statement.right] for m in _MACRO.finditer(name)}
    if not macros:
        return [statement]
    tuples = set()
    for source in statement.left:
        if {m[1] for m in _MACRO.finditer(source)} != macros:
            continue
        for name in names:
            match = _pattern(source).fullmatch(name)
            if match:
                offsets = {m[1]: int(m[2] or 0) for m in _MACRO.finditer(source)}
                tuples.add(tuple((k, int(match[k]) - offsets[k]) for k in sorted(macros)))
    if not tuples:
        raise ValueError(f'[aoa] expected tensors that fit {statement.text!r}, got none')
    return [
        dataclasses.replace(
            statement,
            left=[_numbered(n, dict(one)) for n in statement.left],
            right=[_numbered(n, dict(one)) for n in statement.right],
        )
        for one in sorted(tuples)
    ]


def _starred(side, names, text):
    """The names of a side, each `*` replaced by all numbers with which it occurs in `names`."""
    found = []
    for name in side:
        if '*' not in name:
            found.append(name)
            continue
        pattern, turned = _pattern(name), '^T' * name.endswith('^T')
        matches = sorted(filter(pattern.fullmatch, names), key=_natural)
        if not matches:
            raise ValueError(f'[aoa] expected tensors that fit {name!r} in {text!r}, got none')
        found.extend(match + turned for match in matches)
    return found


def _permuted(order):
    def permuted(tensor):
        axes = list(range(tensor.ndim))[::-1] if order is None else order
        return tensor.transpose(axes)

    return permuted


def _joined(axis):
    import paddle

    return lambda *tensors: paddle.concat(tensors, axis)


def _piece(axis, i, count, text):
    def piece(tensor):
        if tensor.shape[axis] % count:
            raise AssertionError(
                f'[aoa] expected an axis {axis} that {count} divides in {text!r}, got shape '
                f'{list(tensor.shape)}'
            )
        return tensor.split(count, axis)[i]

    return piece


def _whole(name, axis, made):
    return 1


def plan(config, sources, targets=None, shards=_whole):
    """What each target is made of, by name: a `Source`, a `Step`, or None where it is left as it
    is. `targets` None: all tensors that there are in the end. `shards(name, axis, made)` is into
    how many parts an axis of a tensor of the checkpoint, or of one that is made, is divided.
    """
    if not isinstance(config, dict):
        raise TypeError(f'[aoa] expected aoa_config as a dict, got {type(config).__name__}')
    unknown = set(config) - {'aoa_statements'}
    if unknown:
        raise ValueError(f"[aoa] expected 'aoa_statements' in aoa_config, got {sorted(unknown)}")
    values = {name: Source(name) for name in sources}
    gone, left_alone = set(), set()
    for text in config.get('aoa_statements', ()):
        for statement in _expanded(_read_statement(text), list(values)):
            _apply(statement, values, gone, left_alone, list(targets or ()), shards)
    live = {name: value for name, value in values.items() if name not in gone}
    if targets is None:
        return live
    missing = [n for n in targets if n not in values and n not in left_alone]
    if missing:
        raise ValueError(f'[aoa] expected statements that make {missing[0]!r}, got none')
    return {name: None if name in left_alone else live.get(name) for name in targets}


def _apply(statement, values, gone, left_alone, targets, shards):
    text, attributes = statement.text, statement.attributes
    left = _starred(statement.left, list(values), text)
    right = _starred(statement.right, targets, text)
    if left == ['_']:
        left_alone.update(right)
        return
    taken = []
    for name in left:
        plain = name.removesuffix('^T')
        if plain not in values:
            raise ValueError(f'[aoa] expected a tensor {plain!r} for {text!r}, got none')
        value = values[plain]
        taken.append(value if plain == name else Step(_permuted(None), (value,)))
    gone.update(name.removesuffix('^T') for name in left)
    if right == ['_']:
        return
    if 'fused' in attributes:
        made = _fused(statement, list(zip(left, taken)), right, shards)
        for name, value in zip(right, made):
            values[name] = value
            gone.discard(name)
        return
    if len(left) > 1 and len(right) > 1:
        raise AssertionError(
            f'[aoa] expected one name on one side, got several on both in {text!r}'
        )
    several = len(left) > 1 or len(right) > 1
    if several != ('axis' in attributes) or (several and len(attributes) > 1):
        raise ValueError(f'[aoa] expected axis, and nothing else, to join or divide, got {text!r}')
    if len(left) > 1:
        made = [Step(_joined(attributes['axis']), tuple(taken))]
    elif len(right) > 1:
        pieces = range(len(right))
        made = [Step(_piece(attributes['axis'], i, len(right), text), tuple(taken)) for i in pieces]
    else:
        made = [_changed(taken[0], attributes)]
    for name, value in zip(right, made):
        values[name] = value
        gone.discard(name)


def _fused(statement, given, right, shards):
    """What the names on the right become; `given`: names and values on the left."""
    text, attributes = statement.text, dict(statement.attributes)
    kind, axis = attributes.pop('fused'), attributes.pop('axis', 1)
    heads, groups = (attributes.pop(key, None) for key in _HEADS)
    count, ways = (2 if kind == 'fused_ffn' else 3), (len(given), len(right))
    same = ways == (1, 1) and kind != 'fused_qkv'
    if attributes or (ways not in ((count, 1), (1, count)) and not same):
        raise AssertionError(
            f'[aoa] expected {count} projections on one side and what has them on the other, got '
            f'{text!r}'
        )

    def order(name, made):
        turned = not made and name.endswith('^T')
        parts = shards(name.removesuffix('^T'), 1 - axis if turned else axis, made)
        return fused.pieces(kind, heads, groups, parts, text)

    values = tuple(value for _, value in given)
    if len(given) == 1:
        before = order(given[0][0], False)
        values = tuple(
            Step(fused.projection(before, part, axis, text), values) for part in range(count)
        )
    if len(right) > 1:
        return values
    return [Step(fused.fused(order(right[0], True), axis, text), values)]


def _changed(value, attributes):
    if 'permute' in attributes:
        order = attributes['permute']
        value = Step(_permuted(list(order) or None), (value,))
    for key in ('src_dtype', 'dtype', 'dst_dtype'):
        if key in attributes:
            dtype = attributes[key]
            value = Step(lambda tensor, dtype=dtype: tensor.astype(dtype), (value,))
    return value
