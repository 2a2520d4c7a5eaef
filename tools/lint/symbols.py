# SPDX-License-Identifier: Apache-2.0
"""Object files of the instruction-set units hold no code that other units could be linked to.

A weak function outside namespace cpu_<set> may be chosen by the linker for the whole library and
then runs on machines without those instructions; an initializer runs at load on every machine. Both
are reported.
"""

import glob
import os
import re
import subprocess


def functions(path):
    """Yields (kind, mangled name) of the symbols an object defines."""
    out = subprocess.run(
        ["nm", "--defined-only", path], capture_output=True, text=True, check=True
    ).stdout
    for line in out.splitlines():
        _, kind, name = line.split(maxsplit=2)
        yield kind, name


def run(root, build=None):
    problems = []
    build = build or os.path.join(root, "build")
    for isa in ("cpu_avx2", "cpu_avx512"):
        folder = os.path.join(build, "CMakeFiles", f"paddle_isa_{isa[4:]}.dir")
        for path in glob.glob(os.path.join(folder, "**", "*.o"), recursive=True):
            where = os.path.relpath(path, folder)
            for kind, name in functions(path):
                if kind in "Ww" and isa not in name:
                    problems.append(f"{isa}: {where}: weak function {name} outside namespace {isa}")
                elif name.startswith("_GLOBAL__sub_I_") or re.match(r"_Z41__static_init", name):
                    problems.append(f"{isa}: {where}: static initializer {name}")
                elif kind == "T" and isa not in name:
                    problems.append(f"{isa}: {where}: function {name} outside namespace {isa}")
    return problems


def exports(library):
    """Names a shared library defines for others."""
    out = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
    ).stdout
    return [line.split(maxsplit=2)[2] for line in out.splitlines()]


def run_exports(library):
    """Everything libpaddle.so shows is the module entry, PD_*, or a name in paddle's own
    namespaces.
    """
    spaces = "(6paddle|3phi|6common|12paddle_infer)"
    own = re.compile(
        rf"^(PyInit_libpaddle$|PD_|_ZT[ISV]N?K?{spaces}|_ZN?K?{spaces}|_ZN?[A-Za-z]*{spaces})"
    )
    return [f"libpaddle.so exports {name}" for name in exports(library) if not own.match(name)][:20]


def run_paths(library, root):
    """The library names no file of the machine it was built on: neither of the source tree nor of
    its user's home.
    """
    with open(library, "rb") as file:
        data = file.read()
    problems = []
    for folder in {
        root,
        os.path.realpath(root),
        os.path.realpath(os.path.join(root, ".venv")),
        os.path.expanduser("~"),
    } - {"/"}:
        at = data.find(os.fsencode(folder) + b"/")
        if at >= 0:
            problems.append(
                f"libpaddle.so holds the path "
                f"{data[at : at + 120].split(bytes(1))[0].decode(errors='replace')}"
            )
    return problems
