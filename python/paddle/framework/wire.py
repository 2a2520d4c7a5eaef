# SPDX-License-Identifier: Apache-2.0
"""Messages in protobuf's wire format, for files of a few known messages, without its package.
Source: protobuf.dev/programming-guides/encoding.
"""

__all__ = ['field', 'fields', 'message', 'read_varint', 'varint', 'varints']

_LIMIT = (1 << 64) - 1


def varint(value):
    """An integer, modulo 2^64, in groups of 7 bits, the lowest first."""
    value &= _LIMIT
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data, at):
    """(the integer that starts at byte `at`, where it ends). ValueError where it does not end."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a message that ends inside a number")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _LIMIT, at
        shift += 7


def varints(data):
    """All integers of a packed field."""
    at, found = 0, []
    while at < len(data):
        value, at = read_varint(data, at)
        found.append(value)
    return found


def field(number, value):
    """A field: an integer or bool, or text or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def message(*pairs):
    """The fields of (number, value) pairs."""
    return b''.join(field(number, value) for number, value in pairs)


def fields(data):
    """[(number, an integer or bytes)] of a message; numbers of fixed length are bytes. ValueError
    where the bytes are none."""
    at, found = 0, []
    while at < len(data):
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = read_varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(kind, -1)
            if kind == 2:
                size, at = read_varint(data, at)
            if not 0 <= size <= len(data) - at:
                raise ValueError("a message with a field that reaches behind its end")
            value, at = data[at : at + size], at + size
        found.append((key >> 3, value))
    return found
