# SPDX-License-Identifier: Apache-2.0
"""Pickles that were not written by a pickler: each is refused, soon, with little memory, and
changes nothing for later loads.
"""

import collections
import io
import os
import pickle
import pickletools
import struct
import subprocess
import sys
import time

import numpy as np
import pytest

import paddle
from paddle.framework import pickle_machine, unpickle

P = b'\x80\x04'


def text(s):
    return b'X' + struct.pack('<I', len(s)) + s.encode()


def named(module, name):
    return f'c{module}\n{name}\n'.encode()


RECONSTRUCT, NDARRAY, DTYPE = (
    named(*n)
    for n in (('numpy._core.multiarray', '_reconstruct'), ('numpy', 'ndarray'), ('numpy', 'dtype'))
)
ORDERED, EVAL = named('collections', 'OrderedDict'), named('builtins', 'eval')
FRESH = RECONSTRUCT + b'(' + NDARRAY + b'(K\x00tC\x01btR'
F4 = (
    DTYPE
    + text('f4')
    + b'\x89\x88\x87R(K\x03'
    + text('<')
    + b'NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb'
)
STATE = b'(K\x01(K\x02t' + F4 + b'\x89C\x08' + bytes(8) + b't'
ARRAY = FRESH + STATE + b'b'
SLOTS = (
    b'N}' + text('__defaults__') + b'(' + text('data') + b'}ts\x86'
)  # (None, {'__defaults__': ('data', {})})


def doubled(levels, start=b')', end=b''):
    """A tuple of two mentions of a tuple of two mentions ..., in 4 bytes a level."""
    return (
        start
        + b''.join(b'q' + bytes([i]) + b'h' + bytes([i]) + b'\x86' for i in range(levels))
        + end
    )


GLOBALS = (
    RECONSTRUCT,
    NDARRAY,
    DTYPE,
    ORDERED,
    EVAL,
    named('_codecs', 'encode'),
    named('builtins', 'dict'),
    named('builtins', 'int'),
    named('collections', 'defaultdict'),
)
HOSTILE = {
    **{f'attributes of {g!r}': g + SLOTS + b'b.' for g in GLOBALS},
    **{f'a dict for {g!r}': g + b'}' + text('x') + b'K\x01sb.' for g in GLOBALS},
    **{f'items of {g!r}': g + text('x') + b'K\x01s.' for g in GLOBALS},
    **{f'elements of {g!r}': g + b'K\x01a.' for g in GLOBALS},
    'a state of a list': b']}' + text('x') + b'K\x01sb.',
    'a state of a default dict': named('collections', 'defaultdict')
    + b')RN}'
    + text('default_factory')
    + EVAL
    + b's\x86b.',
    'a class of an ordered dict': ORDERED + b')RN}' + text('__class__') + NDARRAY + b's\x86b.',
    'a method of an ordered dict': ORDERED + b')R}' + text('items') + EVAL + b'sb.',
    'a second state of an array': ARRAY + STATE + b'b.',
    'a second state of a dtype': F4
    + b'(K\x03'
    + text('>')
    + b'NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb.',
    'an array without a state': FRESH + b'.',
    'a call of an array class': NDARRAY + b'(K\x01tR.',
    'a new array': NDARRAY + b')\x81.',
    'a call of a number': b'K\x01)R.',
    'a call of an array': ARRAY + b')R.',
    'a call of a string': text('eval') + b')R.',
    'a call without a tuple': ORDERED + b']R.',
    'keywords': ORDERED + b')}' + text('a') + b'K\x01s\x92.',
    'a function as a value': b'}' + text('a') + EVAL + b's.',
    'a function as an object': b'(' + EVAL + text('1') + b'o.',
    'an instance': b'(' + text('true') + b'ios\nsystem\n.',
    'a persistent id': b'K\x01Q.',
    'a persistent text': b'Pabc\n.',
    'extension 1': b'\x82\x01.',
    'extension 4': b'\x84\xff\xff\xff\x7f.',
    'a buffer': b'\x97.',
    'a read-only buffer': b'\x97\x98.',
    'a default of a function': named('collections', 'defaultdict') + EVAL + b'\x85R.',
    'another eval': EVAL + text('1+1') + b'}\x86R.',
    'an eval of more': EVAL + text('data') + b'}' + text('__builtins__') + b'}s\x86R.',
    'bytes of a number': named('builtins', 'bytes') + b'J\x00\x00\x00\x40\x85R.',
    'a deque of text': named('collections', 'deque') + text('x' * 99) + b'\x85R.',
    'an object array': FRESH
    + b'(K\x01(K\x01t'
    + DTYPE
    + text('O8')
    + b'\x89\x88\x87R\x89]Na'
    + b'tb.',
    'an array of 2^62': FRESH
    + b'(K\x01(\x8a\x08'
    + struct.pack('<q', 1 << 62)
    + b'\x8a\x08'
    + struct.pack('<q', 1 << 62)
    + b't'
    + F4
    + b'\x89C\x00tb.',
    'nested keys': b'}' + doubled(96) + b'K\x01s.',
    'nested members': b'\x8f(' + doubled(96) + b'\x90.',
    'a frozen nested set': b'(' + doubled(96) + b'\x91.',
    'pairs with nested keys': named('builtins', 'dict') + b'(' + doubled(96) + b'K\x01\x86l\x85R.',
    'nested keys of an ordered dict': ORDERED + b'(' + doubled(96) + b'K\x01\x86l\x85R.',
    'a nested set by a call': named('builtins', 'set') + b'(' + doubled(96) + b'l\x85R.',
    'a deep key': b'}' + b')' * 2 + b'\x85' * 100000 + b'K\x01s.',
    'a list as a key': b'}]K\x01s.',
    'an array as a key': b'}' + ARRAY + b'K\x01s.',
    'nested values': doubled(96, end=b'.'),
    'a list in itself': b']q\x00h\x00a.',
    'a dict in itself': b'}q\x00' + text('a') + b'h\x00s.',
    'deep lists': b']' * 200000 + b'a' * 199999 + b'.',
    'deep tuples': b')' + b'\x85' * 200000 + b'.',
    'marks': b'(' * 100000 + b'N.',
    'no mark': b't.',
    'tuples of nothing': b'\x87.',
    'nothing': b'.',
    'a long of 2^31': b'\x8b\xff\xff\xff\x7f\x00.',
    'a long below zero': b'\x8b\xff\xff\xff\xff.',
    'text of 2^62': b'\x8d' + struct.pack('<Q', 1 << 62) + b'.',
    'bytes of 2^63': b'\x8e' + struct.pack('<Q', 1 << 63) + b'.',
    'a byte array of 2^40': b'\x96' + struct.pack('<Q', 1 << 40) + b'.',
    'a frame of 2^62': b'\x95' + struct.pack('<Q', 1 << 62) + b'N.',
    'a memo index of 2^31': b'Nr\xff\xff\xff\x7f.',
    'a memo index of many digits': b'Np' + b'9' * 100000 + b'\n.',
    'a memo that is not there': b'h\x05.',
    'a number of many digits': b'L' + b'9' * 100000 + b'L\n.',
    'a line without an end': b'V' + b'x' * 99,
    'a protocol': b'\x80\x09N.',
    'copies of a list': b'('
    + b'N' * 20000
    + b'lq\x00'
    + (named('builtins', 'list') + b'q\x01')
    + b'h\x01h\x00\x85R' * 20000
    + b'.',
    'copies of bytes': b'B'
    + struct.pack('<I', 1 << 20)
    + bytes(1 << 20)
    + b'q\x00'
    + named('builtins', 'bytearray')
    + b'q\x01'
    + b'h\x01h\x00\x85R' * 20000
    + b'.',
    'many mentions of an array': b'('
    + FRESH
    + b'(K\x01J\x00\x00\x04\x00\x85'
    + F4
    + b'\x89B\x00\x00\x10\x00'
    + bytes(1 << 20)
    + b'tbq\x05'
    + b'h\x05' * 100000
    + b'l.',
}


def loads(data):
    return paddle.load(io.BytesIO(data), return_numpy=True)


@pytest.mark.parametrize('what', HOSTILE, ids=str)
def test_refused_at_once(what):
    start = time.process_time()
    with pytest.raises(ValueError, match='a file that can be read'):
        loads(P + HOSTILE[what])
    assert time.process_time() - start < 10
    np.testing.assert_array_equal(loads(P + ARRAY + b'.'), np.zeros(2, 'float32'))
    stream = io.BytesIO()
    paddle.save(
        {'a': paddle.ones([2, 2]), 'n': [(1, 2.5), {'b': collections.OrderedDict(c=None)}]}, stream
    )
    stream.seek(0)
    loaded = paddle.load(stream)
    assert loaded['a'].numpy().tolist() == [[1, 1], [1, 1]] and loaded['n'] == [
        (1, 2.5),
        {'b': {'c': None}},
    ]


def test_all_of_them_take_little_memory():
    """In a child whose address space is small: nothing is claimed that the size of a file does not
    explain.
    """
    code = (
        "import resource, sys; sys.path.insert(0, sys.argv[1])\n"
        "import paddle, test_hostile_pickles as t\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (400 << 20),) * 2)\n"
        "for what, data in t.HOSTILE.items():\n"
        "    try:\n"
        "        t.loads(t.P + data)\n"
        "    except ValueError as error:\n"
        "        assert 'MemoryError' not in str(error), what\n"
        "print('done')\n"
    )
    done = subprocess.run(
        [sys.executable, '-c', code, os.path.dirname(__file__)], capture_output=True, text=True
    )
    assert done.stdout == 'done\n', done.stderr


# Keys of one hash fill a dict in quadratic time: 100,000 of them would take minutes.
def _alike(count):
    modulus = (1 << 61) - 1
    return {
        'integers': [i * modulus for i in range(1, count)],
        'complex numbers': [complex(-1000003.0 * k, k) for k in range(count)],
        'tuples': [(i * modulus,) for i in range(count)],
    }


@pytest.mark.parametrize('kind', _alike(1))
def test_keys_of_one_hash(kind):
    keys = _alike(50_000)[kind]
    assert len({hash(k) for k in keys}) == 1
    items = b''.join(pickle.dumps(k, 2)[2:-1] + b'N' for k in keys)
    start = time.process_time()
    with pytest.raises(ValueError, match='keys of one hash'):
        loads(P + b'}(' + items + b'u.')
    assert time.process_time() - start < 10


OBJECTS = [
    {
        'a': [1.5, None, True, b'x', (1, 2, 3), 'é\ud800'],
        3: 4,
        (1, 2): 5,
        -7: 2**70,
        2**70: 1,
        1.5: 2,
        None: 3,
        frozenset([1]): 2,
        1j: 3,
        True: 9,
    },
    collections.OrderedDict(a=1),
    collections.defaultdict(list, {'a': [1]}),
    collections.defaultdict(None, {1: 2}),
    collections.deque([1, 2], 5),
    {1, 2},
    set('ab'),
    bytearray(b'abc'),
    bytearray(),
    b'',
    slice(1, None, 2),
    complex(1, 2),
    int,
    list,
    np.float32(1.5),
    np.bool_(True),
    np.dtype('f4'),
    np.dtype('>i8'),
    {np.int64(3): 1},
    -1,
    255,
    65536,
    -(2**31),
    10**30,
    1e300,
    'x' * 300,
    'x' * 70000,
    b'x' * 300,
    (1,),
    (1, 2),
    tuple(range(9)),
    [[]] * 3,
    {(i, i): i for i in range(3000)},
    {i: i for i in range(3000)},
    [('p', 1)] * 9,
]
ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.arange(6, dtype='>i4'),
    np.array(['a', 'bc']),
    np.array([b'a', b'bc']),
    np.asfortranarray(np.ones((2, 3))),
    np.zeros((0, 3)),
    np.array(True),
    np.ones((2, 3))[:, ::2],
    np.arange(100000),
]


@pytest.mark.parametrize('protocol', range(6))
def test_what_picklers_write_is_read(protocol):
    def read(value):
        return unpickle.load_pickle(io.BytesIO(pickle.dumps(value, protocol)))

    for value in OBJECTS:
        got = read(value)
        assert got == value and type(got) is type(value)
    assert read(OBJECTS[4]).maxlen == 5 and read(OBJECTS[2]).default_factory is list
    for value in ARRAYS:
        got = read(value)
        assert got.dtype == value.dtype.newbyteorder('=') and got.flags.writeable
        np.testing.assert_array_equal(got, value)


def test_attributes_of_ordered_dicts():
    value = collections.OrderedDict(a=1)
    value._metadata = {'version': 1, 'array': np.ones(2)}
    got = loads(pickle.dumps(value))
    assert got._metadata['version'] == 1 and got._metadata['array'].tolist() == [1, 1]


def test_every_opcode_is_known_or_refused():
    known = set(pickle_machine._STEPS) | {b'.'}
    refused = {info.code.encode('latin1') for info in pickletools.opcodes} - known
    assert refused == {
        b'P',
        b'Q',
        b'\x82',
        b'\x83',
        b'\x84',
        b'\x97',
        b'\x98',
    }  # ids, extensions, buffers kept elsewhere


def test_large_headers_of_other_formats():
    header = (
        '{'
        + ','.join(
            f'"{i}":{{"dtype":"U8","shape":[4096],"data_offsets":[0,4096]}}' for i in range(2000)
        )
        + '}'
    ).encode()
    with pytest.raises(ValueError, match='over another'):
        paddle.load(io.BytesIO(struct.pack('<Q', len(header)) + header + bytes(4096)))
    for text_ in (
        b'[' * 5000,
        b'{"a":' * 5000,
        b'{"a":{"dtype":"U8","shape":[1e999],"data_offsets":[0,1]}}',
    ):
        with pytest.raises(ValueError, match='a file that can be read'):
            paddle.load(io.BytesIO(struct.pack('<Q', len(text_)) + text_ + bytes(8)))
    for dims in (
        b'\x10\x03' * 40 + b'\x10\0',
        b'\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f',
        b'\x10\x01' * 9999,
        b'\x10\xff\xff\xff\xff\x07',
    ):
        body = b'\x08\x05' + dims
        with pytest.raises(ValueError, match='a file that can be read'):
            paddle.load(io.BytesIO(bytes(16) + struct.pack('<i', len(body)) + body))
    with pytest.raises(ValueError, match='a file that can be read'):
        paddle.load(io.BytesIO(bytes(4) + struct.pack('<QQ', 1, 1 << 39) + bytes(9)))
