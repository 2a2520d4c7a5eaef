# SPDX-License-Identifier: Apache-2.0
"""What the operations of the old IR declare, for programs that look an operation's inputs, outputs
and attributes up by name.
"""

import json
from types import SimpleNamespace

from paddle.framework.wire import message

__all__ = ['OpProtoHolder', 'canonicalize_attrs']

# Attributes every old operation has.
_COMMON = (
    ('op_role', 0),
    ('op_role_var', 5),
    ('op_namescope', 2),
    ('op_callstack', 5),
    ('op_device', 2),
    ('with_quant_attr', 6),
)


def _parsed(text):
    """(name, marks) of each word: 'Seed?' is ('Seed', '?')."""
    for word in text.split():
        end = next((i for i, c in enumerate(word) if c in '[?~:'), len(word))
        yield word[:end], word[end:]


def _message(*fields):
    """A message of (number, value) pairs; a false bool is left out."""
    return message(*(pair for pair in fields if pair[1] is not False))


class OpProto:
    """One operation: `type`, and lists `inputs`, `outputs` and `attrs` of records with a `name`."""

    def __init__(self, type, inputs, outputs, attrs, form=''):
        self.type, self.comment, self._form = type, '', form.split()
        self.inputs = [
            SimpleNamespace(
                name=n, duplicable='[]' in m, dispensable='?' in m, intermediate=False, extra=False
            )
            for n, m in _parsed(inputs)
        ]
        self.outputs = [
            SimpleNamespace(
                name=n,
                duplicable='[]' in m,
                dispensable='?' in m,
                intermediate='~' in m,
                extra=False,
            )
            for n, m in _parsed(outputs)
        ]
        self.attrs = [
            SimpleNamespace(name=n, type=int(m[1:].partition('=')[0]), extra=False, generated=False)
            for n, m in _parsed(attrs)
        ]
        self._defaults = {n: json.loads(m.partition('=')[2]) for n, m in _parsed(attrs) if '=' in m}
        self.attrs += [
            SimpleNamespace(name=n, type=t, extra=True, generated=False) for n, t in _COMMON
        ]

    def SerializeToString(self):
        """The declaration as a message `OpProto` of `paddle.base.proto.framework_pb2`."""

        def variable(v):
            return _message(
                (1, v.name),
                (2, ''),
                (3, v.duplicable),
                (4, v.intermediate),
                (5, v.dispensable),
                (6, v.extra),
            )

        return _message(
            (1, self.type),
            *((2, variable(v)) for v in self.inputs),
            *((3, variable(v)) for v in self.outputs),
            *(
                (4, _message((1, a.name), (2, a.type), (3, ''), (4, a.generated), (5, a.extra)))
                for a in self.attrs
            ),
            (5, self.comment),
        )

    def __repr__(self):
        return f'OpProto({self.type})'


class OpProtoHolder:
    """All operations that can be appended to a program, by their old names."""

    _only = None

    @classmethod
    def instance(cls):
        """The one holder."""
        if OpProtoHolder._only is None:
            OpProtoHolder._only = cls()
        return OpProtoHolder._only

    def __init__(self):
        from paddle._legacy_protos import PROTOS
        from paddle.static.legacy_calls import known

        self.op_proto_map = {
            name: OpProto(name, *parts) for name, parts in PROTOS.items() if known(name)
        }

    def get_op_proto(self, type):
        """The declaration of an operation; ValueError for one that is not known."""
        if type not in self.op_proto_map:
            raise ValueError(f"[get_op_proto] expected the name of an op, got {type!r}")
        return self.op_proto_map[type]

    def has_op_proto(self, type):
        """Whether the operation is known."""
        return type in self.op_proto_map

    @staticmethod
    def generated_op_attr_names():
        """Names of the attributes every operation has."""
        return {name for name, _ in _COMMON}


_CONVERT = {0: int, 9: int, 1: float, 12: float, 6: bool, 2: str}
_CONVERT_EACH = {3: int, 11: int, 4: float, 7: bool, 5: str}


def canonicalize_attrs(attrs, op_proto):
    """A copy of `attrs` with numbers of the types the operation declares."""
    import numpy

    types, made = {a.name: a.type for a in op_proto.attrs}, {}
    for name, value in (attrs or {}).items():
        kind = types.get(name)
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            value = value.tolist()
        if kind in _CONVERT and isinstance(value, (bool, int, float)):
            value = _CONVERT[kind](value)
        elif kind in _CONVERT_EACH and isinstance(value, (list, tuple)):
            value = [_CONVERT_EACH[kind](v) for v in value]
        made[name] = value
    return made
