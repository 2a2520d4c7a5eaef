# SPDX-License-Identifier: Apache-2.0
"""What the built libraries and the objects of instruction sets show and hold.

A weak function outside namespace cpu_<set> may be chosen by the linker for the whole library and
then runs on machines without those instructions; an initializer runs at load on every machine. Both
are reported, and so are products that the compiler joined with the sums of a complex product.
"""

import glob
import os
import re
import subprocess

from glibc import stubs


def functions(path):
    """Yields (kind, mangled name) of the symbols an object defines."""
    out = subprocess.run(
        ["nm", "--defined-only", path], capture_output=True, text=True, check=True
    ).stdout
    for line in out.splitlines():
        _, kind, name = line.split(maxsplit=2)
        yield kind, name


# What GCC 12 makes of a difference beside a sum of products (phi/primitives/product.inc.h). No
# source asks for it by name: what is to be fused says fma.
JOINED = re.compile(r"\bvfm(?:addsub|subadd)\w+|\bfcmla\b")


def joined(path):
    """Names of instructions in an object that multiply and, in turns, add and subtract."""
    command = ["objdump", "-d", "--no-show-raw-insn", path]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(JOINED.findall(out))


def run(root, build=None):
    problems = []
    build = build or os.path.join(root, "build")
    for folder in glob.glob(os.path.join(build, "CMakeFiles", "paddle_*_*.dir")):
        library, _, name = os.path.basename(folder).removesuffix(".dir").rpartition("_")
        if library not in ("paddle_isa", "paddle_loops"):
            continue
        isa = f"cpu_{name}"
        for path in glob.glob(os.path.join(folder, "**", "*.o"), recursive=True):
            where = os.path.relpath(path, folder)
            for kind, name in functions(path):
                if kind in "Ww" and isa not in name:
                    problems.append(f"{isa}: {where}: weak function {name} outside namespace {isa}")
                elif name.startswith("_GLOBAL__sub_I_") or re.match(r"_Z41__static_init", name):
                    problems.append(f"{isa}: {where}: static initializer {name}")
                elif kind == "T" and isa not in name:
                    problems.append(f"{isa}: {where}: function {name} outside namespace {isa}")
            problems += [f"{isa}: {where}: {name}" for name in sorted(joined(path))]
    return problems


SPACES = "(6common|3pir|3phi|3egr|4cinn|8executor|6paddle|12paddle_infer)"
OWN = re.compile(rf"^(PD_|_ZNK?{SPACES}|_ZT.N{SPACES})")
# Variables and what functions keep, but for those of one file.
STATE = re.compile(rf"^_Z(GV)?(Z*NK?|Z?T.N){SPACES}(?!.*_GLOBAL__N_)")
WRITABLE = {".bss", ".data", ".tbss", ".tdata", ".lbss", ".ldata"}


def libraries(build):
    """The core library and the extension modules of the package in a build directory."""
    package = os.path.join(build, "python", "paddle")
    return (
        os.path.join(package, "libs", "libpaddle_core.so"),
        sorted(glob.glob(os.path.join(package, "base", "libpaddle.*.so"))),
    )


def bundled(build):
    """Every shared library of the package in a build directory."""
    package = os.path.join(build, "python", "paddle")
    found = glob.glob(os.path.join(package, "**", "*.so*"), recursive=True)
    return sorted(path for path in found if is_library(path))


def is_library(name):
    """Not the text by which linkers find the core."""
    return ".so" in os.path.basename(name) and os.path.basename(name) != "libpaddle.so"


def dynamic(library, which):
    """Names a shared library has in its dynamic table: `--defined-only` or `--undefined-only`."""
    out = subprocess.run(["nm", "-D", which, library], capture_output=True, text=True, check=True)
    return [line.split()[-1] for line in out.stdout.splitlines()]


def state(library):
    """Writable variables of our namespaces, hidden ones too."""
    out = subprocess.run(
        ["nm", "--format=sysv", "--defined-only", library],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = [[cell.strip() for cell in line.split("|")] for line in out.splitlines() if "|" in line]
    return {row[0] for row in rows if row[-1] in WRITABLE and STATE.match(row[0])}


def run_libraries(core, extensions):
    """The core shows PD_* and names of our namespaces and needs nothing of Python; an extension
    shows its entry and has no second copy of a variable of the core.
    """
    problems = [
        f"libpaddle_core.so shows {name}"
        for name in dynamic(core, "--defined-only")
        if not OWN.match(name)
    ][:20]
    problems += [
        f"libpaddle_core.so needs {name}"
        for name in dynamic(core, "--undefined-only")
        if name.startswith(("Py", "_Py"))
    ]
    if not extensions:
        problems.append("expected an extension module beside libpaddle_core.so, got none")
    kept = state(core)
    for extension in extensions:
        base = os.path.basename(extension)
        shown = set(dynamic(extension, "--defined-only")) - {"PyInit_libpaddle"}
        problems += [f"{base} shows {name}" for name in sorted(shown)][:20]
        problems += [
            f"{base} has a copy of its own of {name}" for name in sorted(state(extension) & kept)
        ]
    return problems


def run_versions(library):
    """A shared library of the package needs no version newer than those of glibc.stubs; an
    extension, which is linked without -z defs, no name that nobody has.
    """
    base = os.path.basename(library)
    problems = []
    out = subprocess.run(
        ["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True
    )
    for line in out.stdout.splitlines():
        kind, symbol = line.split()[-2:]
        name, _, version = symbol.partition("@")
        if version.startswith(tuple(f"{each}_" for each in stubs.NEWEST)):
            if not stubs.allowed(version):
                problems.append(f"{base} needs {symbol}, which older systems lack")
        elif not version and kind == "U" and base.startswith("libpaddle."):
            if not name.startswith(("Py", "_Py")) and not OWN.match(name):
                problems.append(f"{base} needs {name}, which neither Python nor the core has")
    return problems


def run_paths(library, root):
    """A library names no file of the machine it was built on: neither of the source tree nor of its
    user's home.
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
                f"{os.path.basename(library)} holds the path "
                f"{data[at : at + 120].split(bytes(1))[0].decode(errors='replace')}"
            )
    return problems
