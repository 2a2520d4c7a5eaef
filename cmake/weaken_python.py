# SPDX-License-Identifier: Apache-2.0
"""Marks the undefined Python symbols of a linked library as weak, so that programs without Python
can load it too.
"""

import struct
import sys

SHT_DYNSYM, STB_GLOBAL, STB_WEAK = 11, 1, 2


def weaken(path):
    """Changes the file in place; returns how many symbols were marked."""
    with open(path, 'r+b') as stream:
        header = stream.read(64)
        if header[:6] != b'\x7fELF\x02\x01':
            raise SystemExit(f'{path}: expected a 64-bit little-endian ELF file')
        (table,) = struct.unpack_from('<Q', header, 40)
        size, count = struct.unpack_from('<HH', header, 58)
        stream.seek(table)
        raw = stream.read(size * count)
        sections = [struct.unpack_from('<IIQQQQIIQQ', raw, i * size) for i in range(count)]
        marked = 0
        for section in sections:
            if section[1] != SHT_DYNSYM:
                continue
            names_at, names_size = sections[section[6]][4:6]
            stream.seek(names_at)
            names = stream.read(names_size)
            stream.seek(section[4])
            symbols = bytearray(stream.read(section[5]))
            for at in range(0, len(symbols), 24):
                name, info, _, defined_in = struct.unpack_from('<IBBH', symbols, at)
                if (
                    defined_in == 0
                    and info >> 4 == STB_GLOBAL
                    and names[name : name + 3].startswith((b'Py', b'_Py'))
                ):
                    symbols[at + 4] = STB_WEAK << 4 | info & 15
                    marked += 1
            stream.seek(section[4])
            stream.write(symbols)
    return marked


if __name__ == '__main__':
    weaken(sys.argv[1])
