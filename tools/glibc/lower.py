# SPDX-License-Identifier: Apache-2.0
"""python -m glibc.lower IN OUT STUBS: a copy of a shared library whose references to versions of
the C library newer than stubs.NEWEST have no version.

The loader then takes the version that the running system has. Only for names that the system's
library had in an older version too: others are an error.
"""

import os
import struct
import sys

from glibc import stubs


def sections(data):
    """{name: (offset, size)} of an ELF file of 64 bits."""
    start, size, count, names = struct.unpack_from('<Q10xHHH', data, 0x28)
    rows = [struct.unpack_from('<IIQQQQII', data, start + size * at) for at in range(count)]

    def text(at):
        return bytes(data[rows[names][4] + at :]).split(b'\0', 1)[0].decode()

    return {text(row[0]): (row[4], row[5]) for row in rows}


def lowered(data, older):
    """Changes `data` in place and returns the names whose version was taken off, all of `older`."""
    parts = sections(data)
    strings, _ = parts['.dynstr']
    dynsym, size = parts['.dynsym']
    versions, _ = parts['.gnu.version']
    need, _ = parts['.gnu.version_r']

    def text(at):
        return bytes(data[strings + at :]).split(b'\0', 1)[0].decode()

    too_new = set()
    while True:
        _, count, _, first, following = struct.unpack_from('<HHIII', data, need)
        before, at = need + 8, need + first
        for _ in range(count):
            _, _, index, name, step = struct.unpack_from('<IHHII', data, at)
            if text(name).startswith('GLIBC_') and not stubs.allowed(text(name)):
                too_new.add(index)
                # The entry is stepped over: what points here points to the next one.
                (back,) = struct.unpack_from('<I', data, before)
                struct.pack_into('<I', data, before, back + step if step else 0)
                (kept,) = struct.unpack_from('<H', data, need + 2)
                if kept == 1:
                    sys.exit(
                        'expected an older version of a library beside the newer ones, got none'
                    )
                struct.pack_into('<H', data, need + 2, kept - 1)
            else:
                before = at + 12
            at += step
        if not following:
            break
        need += following
    names = []
    for at in range(size // 24):
        (index,) = struct.unpack_from('<H', data, versions + 2 * at)
        if index in too_new:
            struct.pack_into('<H', data, versions + 2 * at, 1)
            names.append(text(struct.unpack_from('<I', data, dynsym + 24 * at)[0]))
    missing = sorted(set(names) - older)
    if missing:
        sys.exit(f'expected names of older versions of the C library too, got {", ".join(missing)}')
    return names


def main(source, target, folder):
    """`folder`: that of the stubs."""
    older = set()
    for name in os.listdir(folder):
        if '.so.' in name and not name.endswith(('.s', '.map')):
            older |= set(stubs.symbols(os.path.join(folder, name)))
    with open(source, 'rb') as file:
        data = bytearray(file.read())
    lowered(data, older)
    with open(target, 'wb') as file:
        file.write(data)


if __name__ == '__main__':
    main(*sys.argv[1:])
