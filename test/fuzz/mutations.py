# SPDX-License-Identifier: Apache-2.0
"""Damage that knows the format: fields of JSON and protobuf, opcodes of pickles, headers of tensors
and archives; and plain bytes.
"""

import copy
import gzip
import json
import pickletools
import struct

from paddle.framework.wire import read_varint, varint

NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    7,
    64,
    127,
    128,
    255,
    256,
    65535,
    65536,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32,
    2**53 + 1,
    2**62,
    2**63 - 1,
    -(2**63),
    2**63,
    2**64 - 1,
    10**30,
)
SCALARS = NUMBERS + (
    None,
    True,
    False,
    0.5,
    -1e308,
    1e-320,
    float('inf'),
    float('nan'),
    '',
    'x',
    '\ud800',
    'x' * 300,
    '1',
    'float32',
    [],
    {},
    [[]],
    [-1],
    [0],
)
WORDS = (b'\xff' * 8, b'\x00' * 8, b'\xff' * 7 + b'\x7f', b'9' * 8, b'\x80' * 8)
COUNTS = (
    1,
    1,
    1,
    2,
    4,
)  # of changes to one file: after many, little more than a refusal at the first of them is tested


def plain(data, choose):
    """Cut, overwrite, repeat or remove pieces."""
    data = bytearray(data)
    for _ in range(choose.choice(COUNTS)):
        if not data:
            break
        kind, at = choose.randrange(6), choose.randrange(len(data))
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data[at] = choose.randrange(256)
        elif kind == 2:
            data[at] = choose.choice((0, 1, 0x7F, 0x80, 0xFF))
        elif kind == 3:
            size = choose.randrange(1, 16)
            data[at:at] = data[at : at + size] * choose.randrange(1, 4)
        elif kind == 4:
            del data[at : at + choose.randrange(1, 16)]
        else:
            data[at : at + 8] = choose.choice(WORDS)
    return bytes(data)


def _places(value, found):
    """(container, key) of every member of nested JSON."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        members = list(node.items()) if isinstance(node, dict) else list(enumerate(node))
        for key, member in members:
            found.append((node, key))
            if isinstance(member, (dict, list)):
                waiting.append(member)
    return found


def json_fields(data, choose):
    """Members removed, repeated, exchanged, renamed or given another value."""
    root = [json.loads(data)]
    for _ in range(choose.choice(COUNTS)):
        places = _places(root, [])
        if len(places) > 100_000:
            raise ValueError('copies of copies')
        node, key = choose.choice(places)
        other, name = choose.choice(places)
        kind = choose.randrange(8)
        if node is root and kind < 4:
            continue
        if kind == 0:
            del node[key]
        elif kind == 1 and isinstance(node, list):
            node[key:key] = [node[key]] * choose.choice((1, 1, 2, 40))
        elif kind == 2:
            text = json.dumps(other[name])
            if len(text) < 20000:
                node[key] = json.loads(text)
        elif kind == 3 and isinstance(node, dict):
            node[choose.choice([*node, '', 'x', '#', 'A', 'D', 'I', 'O'])] = node.pop(key)
        elif isinstance(node[key], int) and not isinstance(node[key], bool) and kind < 7:
            node[key] = choose.choice((node[key] + 1, node[key] - 1, -node[key], *NUMBERS))
        elif isinstance(node[key], str) and kind < 7:
            texts = [n[k] for n, k in places if isinstance(n[k], str)]
            node[key] = choose.choice(
                (choose.choice(texts), node[key] + 'x', node[key][:-1], '0.t_f32', '1.full', '')
            )
        else:
            node[key] = copy.deepcopy(choose.choice(SCALARS))
    return json.dumps(root[0], separators=(',', ':')).encode('utf-8', 'surrogatepass')


def program_operands(data, choose):
    """Operands, types of results and names of operations of a program exchanged, so that it stays
    well formed: what its operations then get is other than they were made for.
    """
    root = json.loads(data)
    operations = [o for r in root['program']['regions'] for b in r['blocks'] for o in b['ops']]
    results = [v for o in operations for v in o.get('O') or [] if isinstance(v, dict)]
    gradients = [o for o in operations if o['#'].endswith('_grad')] or operations
    for _ in range(choose.choice(COUNTS)):
        kind, op = choose.randrange(10), choose.choice(choose.choice((gradients, operations)))
        operands = op.get('I') or []
        value = choose.choice(results)
        if kind < 6 and operands:
            choose.choice(operands)['%'] = value.get('%', 0)
        elif kind == 6 and operands:
            del operands[choose.randrange(len(operands))]
        elif kind == 7 and operands:
            operands.insert(choose.randrange(len(operands) + 1), {'%': value.get('%', 0)})
        elif kind == 8:
            op['#'] = choose.choice(gradients)['#']
        else:
            value['TT'] = copy.deepcopy(choose.choice(results).get('TT', {}))
    return json.dumps(root, separators=(',', ':')).encode()


def pickle_opcodes(data, choose):
    """Opcodes removed, repeated, exchanged, replaced or given another argument; frames are left
    out, so that lengths stay right.
    """
    starts = [at for _, _, at in pickletools.genops(data)] + [len(data)]
    pieces = [data[a:b] for a, b in zip(starts, starts[1:]) if data[a : a + 1] != b'\x95']
    for _ in range(choose.choice(COUNTS)):
        kind, at = choose.randrange(7), choose.randrange(1, len(pieces))
        if kind == 0:
            del pieces[at]
        elif kind == 1:
            pieces[at:at] = [choose.choice(pieces)] * choose.choice((1, 1, 2, 50))
        elif kind == 2:
            other = choose.randrange(1, len(pieces))
            pieces[at], pieces[other] = pieces[other], pieces[at]
        elif kind == 3:
            pieces[at] = pieces[at][:1] + plain(pieces[at][1:] or b'\0', choose)
        elif kind == 4:
            code = choose.choice(pickletools.opcodes)
            pieces[at : at + choose.randrange(2)] = [
                code.code.encode('latin1')
                + choose.choice((b'', b'\0', b'\1', b'\1\0\0\0', b'1\n', b'\5\0\0\0\0\0\0\0'))
            ]
        elif kind == 5:
            pieces[at:at] = [
                choose.choice(
                    (
                        b'h\0',
                        b'h\1',
                        b'h\2',
                        b'h\5',
                        b'2',
                        b'0',
                        b'(',
                        b'}',
                        b']',
                        b')',
                        b'N',
                        b'\x94',
                        b'R',
                        b'b',
                        b's',
                        b'u',
                        b'\x93',
                    )
                )
            ]
        else:
            pieces[at:at] = [
                b'J' + struct.pack('<i', choose.choice((0, 1, -1, 2**31 - 1, -(2**31))))
            ]
        if len(pieces) < 2:
            break
    return b''.join(pieces)


def _message(data, depth=0):
    """[[field, wire, value]] of protobuf bytes, where length-delimited values that parse are
    messages themselves; None for other bytes.
    """
    fields, at = [], 0
    try:
        while at < len(data):
            key, at = read_varint(data, at)
            wire = key & 7
            if wire == 0:
                value, at = read_varint(data, at)
            elif wire in (1, 5):
                size = 8 if wire == 1 else 4
                value, at = data[at : at + size], at + size
            elif wire == 2:
                size, at = read_varint(data, at)
                value, at = data[at : at + size], at + size
                if len(value) != size:
                    return None
                if depth < 12 and size > 1 and not value.isascii():
                    value = _message(value, depth + 1) or value
                elif depth < 12 and size > 1:
                    parsed = _message(value, depth + 1)
                    value = parsed if parsed and value[0] < 0x20 else value
            else:
                return None
            if not key >> 3:
                return None
            fields.append([key >> 3, wire, value])
    except (IndexError, ValueError):
        return None
    return fields


def _encoded(fields):
    out = bytearray()
    for field, wire, value in fields:
        out += varint(field << 3 | wire)
        if wire == 0:
            out += varint(value)
        elif wire == 2:
            body = _encoded(value) if isinstance(value, list) else value
            out += varint(len(body)) + body
        else:
            out += value
    return bytes(out)


def _lists(fields, found):
    found.append(fields)
    for _, _, value in fields:
        if isinstance(value, list):
            _lists(value, found)
    return found


def protobuf_fields(data, choose):
    """Fields removed, repeated, exchanged, renumbered or given another value, with all lengths
    right.
    """
    root = _message(data)
    if not root:
        return plain(data, choose)
    for _ in range(choose.choice(COUNTS)):
        lists = [fields for fields in _lists(root, []) if fields]
        if not lists:
            break
        fields, other = choose.choice(lists), choose.choice(lists)
        at = choose.randrange(len(fields))
        field, wire, value = fields[at]
        kind = choose.randrange(6)
        if kind == 0:
            del fields[at]
        elif kind == 1:
            body = _encoded([fields[at]])
            for _ in range(choose.choice((1, 1, 2, 30))):
                fields[at:at] = _message(body) or []
        elif kind == 2:
            fields[at] = (_message(_encoded([choose.choice(other)])) or [fields[at]])[0]
        elif kind == 3:
            fields[at] = [choose.randrange(1, 20), wire, value]
        elif wire == 0:
            fields[at][2] = choose.choice((value + 1, value - 1, *NUMBERS))
        elif isinstance(value, bytes):
            strings = [f[2] for fs in lists for f in fs if isinstance(f[2], bytes) and f[1] == wire]
            fields[at][2] = (
                choose.choice((plain(value, choose), choose.choice(strings)))
                if wire == 2
                else choose.choice(strings)
            )
    return _encoded(root)


def tensor_records(data, choose):
    """The description of one record of `.pdiparams`: its fields, and its length set right."""
    records, at = [], 0
    while at + 20 <= len(data):
        if data[at : at + 16] != bytes(16):
            break
        size = struct.unpack_from('<i', data, at + 16)[0]
        records.append((at, size))
        fields = _message(data[at + 20 : at + 20 + size]) or []
        count = {5: 4, 6: 8, 3: 8, 2: 4, 0: 1}.get(next((f[2] for f in fields if f[0] == 1), 5), 4)
        for number, _, value in fields:
            if number == 2:
                count *= value if isinstance(value, int) else 1
        at += 20 + size + count
    if not records:
        return plain(data, choose)
    at, size = choose.choice(records)
    body = protobuf_fields(data[at + 20 : at + 20 + size], choose)
    return data[: at + 16] + struct.pack('<i', len(body)) + body + data[at + 20 + size :]


def safetensors_header(data, choose):
    """The JSON header, and its length set right."""
    size = struct.unpack_from('<Q', data)[0]
    body = json_fields(data[8 : 8 + size], choose)
    return struct.pack('<Q', len(body)) + body + data[8 + size :]


def tar_blocks(data, choose):
    """Bytes of an unpacked tar file, the sums of its headers set right."""
    data = bytearray(plain(data, choose))
    for at in range(0, len(data) - 511, 512):
        block = data[at : at + 512]
        if block[257:262] == b'ustar':
            block[148:156] = b' ' * 8
            data[at + 148 : at + 156] = b'%06o\0 ' % sum(block)
    return bytes(data)


def gzipped(inner):
    """`inner` on what a gzip file holds, packed again."""
    return lambda data, choose: gzip.compress(inner(gzip.decompress(data), choose), 1)


def either(*ways):
    """One of several kinds of damage, or plain bytes."""

    def damage(data, choose):
        try:
            return choose.choice((plain, *ways, *ways))(data, choose)
        except (ValueError, IndexError, RecursionError):  # more damage than the format can hold
            return plain(data, choose)

    return damage
