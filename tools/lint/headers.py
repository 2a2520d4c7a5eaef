# SPDX-License-Identifier: Apache-2.0
"""Public headers compile alone, without third-party headers behind them, at the standard their
users may have.
"""

import glob
import os
import re
import shutil
import subprocess
import tempfile

PUBLIC = [
    ("paddle/phi/backends/device_ext.h", "c++14"),
    ("paddle/phi/backends/custom/device_ext.h", "c++14"),
    ("paddle/phi/capi/*.h", "c++14"),
    ("paddle/phi/extension.h", "c++14"),
    ("paddle/phi/capi/include/*.h", "c++14"),
    ("paddle/extension.h", "c++17"),
]
FOREIGN = re.compile(
    r"(Eigen|pybind11|google/protobuf|glog|gflags|nlohmann|mkl|dnnl|llvm)/?[\w/]*\.h"
)


def run(root, build=None):
    compiler = shutil.which("g++")
    problems = []
    for pattern, standard in PUBLIC:
        for path in sorted(glob.glob(os.path.join(root, pattern))):
            name = os.path.relpath(path, root)
            out = subprocess.run(
                [
                    compiler,
                    f"-std={standard}",
                    "-fsyntax-only",
                    "-H",
                    "-x",
                    "c++",
                    "-I",
                    root,
                    "-I",
                    os.path.join(build or os.path.join(root, "build"), "generated"),
                    path,
                ],
                capture_output=True,
                text=True,
            )
            if out.returncode:
                first = next(
                    (line for line in out.stderr.splitlines() if "error" in line), out.stderr[:200]
                )
                problems.append(f"{name}: does not compile alone as {standard}: {first}")
            for line in out.stderr.splitlines():
                if line.startswith(".") and FOREIGN.search(line):
                    problems.append(f"{name}: includes third-party header {line.lstrip('. ')}")
    return problems


def run_installed(build):
    """The headers of the package include each other and nothing else that is ours or a third
    party's.
    """
    with tempfile.TemporaryDirectory() as folder:
        install = ["cmake", "--install", build, "--component", "headers", "--prefix", folder]
        out = subprocess.run(install, capture_output=True, text=True)
        if out.returncode:
            return [f"cmake --install: {out.stderr[-400:]}"]
        include = os.path.join(folder, "paddle", "include")
        names = sorted(
            os.path.relpath(os.path.join(at, name), include)
            for at, _, files in os.walk(include)
            for name in files
        )
        # It gives PD_CHECK and the like the meaning they have for operators of users.
        names.sort(key=lambda name: name == "paddle/extension.h")
        # Plugins of devices see their headers alone, which give names of the core other meanings.
        plugins = [
            name
            for name in names
            if name.startswith(("paddle/phi/capi/", "paddle/phi/extension.h"))
        ]
        lines = []
        for unit in (plugins, [name for name in names if name not in plugins]):
            out = subprocess.run(
                [shutil.which("g++"), "-std=c++20", "-fsyntax-only", "-H", "-x", "c++"]
                + ["-I", include, "-"],
                cwd=folder,  # quoted names are looked for there first
                input="".join(f'#include "{name}"\n' for name in unit),
                capture_output=True,
                text=True,
            )
            lines += out.stderr.splitlines()
    problems = [f"installed headers: {line}" for line in lines if " error: " in line]
    problems += [
        f"installed headers include {line.lstrip('. ')}"
        for line in lines
        if line.startswith(".") and FOREIGN.search(line)
    ]
    return problems
