# SPDX-License-Identifier: Apache-2.0
"""Public headers compile alone, without third-party headers behind them, at the standard their
users may have.
"""

import glob
import os
import re
import shutil
import subprocess

PUBLIC = [
    ("paddle/phi/backends/device_ext.h", "c++14"),
    ("paddle/phi/backends/custom/device_ext.h", "c++14"),
    ("paddle/phi/capi/*.h", "c++14"),
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
