# SPDX-License-Identifier: Apache-2.0
"""python -m glibc.stubs OUT COMPILER: makes in OUT the libraries that the linker sees in place of
the C library's and libstdc++, so that what is linked runs on older systems.

A stub has no code, only the names and versions of the library it stands for, none newer than
NEWEST. A name that came later is not there: tools/glibc/newer.cc defines it, or for libstdc++
the static library does.
"""

import os
import re
import subprocess
import sys

NEWEST = {'GLIBC': (2, 27), 'GLIBCXX': (3, 4, 24), 'CXXABI': (1, 3, 11)}
# What other files of the C library held before 2.34.
PARTS = {
    'libpthread.so.0': re.compile(r'(pthread|sem)_'),
    'libdl.so.2': re.compile(r'dl(open|close|sym|vsym|error|addr1?|info|mopen)$'),
    'librt.so.1': re.compile(r'(shm|mq|aio|timer)_|lio_listio'),
}


def allowed(version):
    """Whether a version such as GLIBC_2.17 is none newer than NEWEST."""
    name, _, number = version.rpartition('_')
    if name not in NEWEST or not re.fullmatch(r'[0-9.]+', number):
        return False
    return tuple(int(part) for part in number.split('.')) <= NEWEST[name]


def symbols(library):
    """{name: (version, kind, size)} of what a shared library defines: the newest of the allowed
    versions of each name.
    """
    out = subprocess.run(
        ['readelf', '--dyn-syms', '--wide', library], capture_output=True, text=True, check=True
    ).stdout
    found = {}
    for line in out.splitlines():
        cells = line.split()
        if len(cells) != 8 or cells[6] == 'UND' or '@' not in cells[7]:
            continue
        name, version = re.split('@+', cells[7])
        kind = (
            'tls_object' if cells[3] == 'TLS' else 'object' if cells[3] == 'OBJECT' else 'function'
        )
        if not allowed(version):
            continue
        entry = tuple(int(part) for part in version.split('_')[-1].split('.'))
        if name not in found or entry > found[name][0]:
            found[name] = entry, version, kind, int(cells[2], 0)
    return {name: entry[1:] for name, entry in found.items()}


def link(out, soname, names, compiler):
    """Makes the stub `soname` with the names {name: (version, kind, size)}."""
    lines = ['.text']
    for at, (name, (version, kind, size)) in enumerate(sorted(names.items())):
        if kind == 'tls_object':
            lines.append('.section .tbss,"awT",@nobits')
        lines += [
            f'.globl s{at}',
            f'.type s{at}, @{kind}',
            f'.size s{at}, {size}',
            f's{at}:',
            f'.symver s{at}, {name}@@{version}, remove',
        ]
        if kind == 'tls_object':
            lines.append('.text')
    lines.append('.section .note.GNU-stack,"",@progbits')
    source, script = (os.path.join(out, soname + end) for end in ('.s', '.map'))
    with open(source, 'w') as file:
        file.write('\n'.join(lines) + '\n')
    with open(script, 'w') as file:
        for version in sorted({entry[0] for entry in names.values()}):
            file.write(f'{version} {{ }};\n')
    command = [compiler, '-shared', '-nostdlib', '-fuse-ld=bfd', f'-Wl,-soname,{soname}']
    command += [f'-Wl,--version-script={script}'] if names else []
    subprocess.run([*command, '-o', os.path.join(out, soname), source], check=True)


def write(path, text):
    with open(path, 'w') as file:
        file.write(text + '\n')


def main(out, compiler):
    def system(name):
        found = subprocess.run(
            [compiler, f'-print-file-name={name}'], capture_output=True, text=True, check=True
        ).stdout.strip()
        if not os.path.isabs(found):
            sys.exit(f'expected {name} beside {compiler}, got none')
        return found

    os.makedirs(out, exist_ok=True)
    libc = symbols(system('libc.so.6'))
    for soname, pattern in PARTS.items():
        part = {name: libc.pop(name) for name in list(libc) if pattern.match(name)}
        part.update(symbols(system(soname)))
        link(out, soname, part, compiler)
    link(out, 'libc.so.6', libc, compiler)
    for soname in ('libm.so.6', 'ld-linux-x86-64.so.2', 'libstdc++.so.6'):
        link(out, soname, symbols(system(soname)), compiler)

    def at(name):
        return os.path.join(out, name)

    rest = ' '.join(at(name) for name in (*PARTS, 'ld-linux-x86-64.so.2'))
    write(
        at('libc.so'),
        f'GROUP ( {at("libc.so.6")} {system("libc_nonshared.a")} AS_NEEDED ( {rest} ) )',
    )
    write(at('libm.so'), f'GROUP ( AS_NEEDED ( {at("libm.so.6")} ) )')
    write(at('libstdc++.so'), f'GROUP ( {at("libstdc++.so.6")} {system("libstdc++.a")} )')
    for name in PARTS:
        write(at(name.rpartition('.')[0]), f'GROUP ( AS_NEEDED ( {at(name)} ) )')


if __name__ == '__main__':
    main(*sys.argv[1:])
