# SPDX-License-Identifier: Apache-2.0
"""try_wheel.py WHEEL [TESTS...]: what the wheel needs of a system is no more than its tag says, it
is no larger than LIMIT, and TRIAL runs from it in a fresh virtual environment of each Python that
it is for and that the machine has; so do the tests, files or folders such as test/jit.
"""

import os
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))

import pythons  # noqa: E402
from lint import symbols  # noqa: E402

LIMIT = 75 * 10**6
TRIAL = os.path.join(ROOT, "test", "api", "trial.py")
SECONDS = 300
SECONDS_OF_TESTS = 1800


def needs(wheel, folder):
    """Problems of the shared libraries in a wheel; unpacks them into the folder."""
    with zipfile.ZipFile(wheel) as file:
        names = [name for name in file.namelist() if symbols.is_library(name)]
        for name in names:
            file.extract(name, folder)
    paths = [os.path.join(folder, name) for name in names]
    return [problem for path in paths for problem in symbols.run_versions(path)]


def versions(wheel):
    """Versions of CPython, as (3, 9), that the wheel has an extension module for."""
    with zipfile.ZipFile(wheel) as file:
        found = re.findall(r"base/libpaddle\.cpython-3(\d+)-", "\n".join(file.namelist()))
    return sorted((3, int(minor)) for minor in found)


def trial(python, wheel, folder, tests):
    """None, or how installing the wheel and running TRIAL and the tests in a new environment went
    wrong.
    """
    home = os.path.join(folder, "environment")
    inside = os.path.join(home, "bin", "python")
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    install = [inside, "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    commands = [[python, "-m", "venv", "--clear", home], [*install, wheel], [inside, TRIAL, folder]]
    if tests:
        commands += [
            [*install, "pytest", "pillow"],
            [inside, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *tests],
        ]
    for command in commands:
        run = subprocess.run(
            command,
            check=False,
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=SECONDS_OF_TESTS if tests and command is commands[-1] else SECONDS,
        )
        if run.returncode:
            said = (run.stdout + run.stderr)[-6000:]
            return f"{' '.join(command)}: exit status {run.returncode}\n{said}"
        if TRIAL in command or tests and command is commands[-1]:
            print(run.stdout.strip())
    return None


def main(wheel, *tests):
    wheel, tests = os.path.abspath(wheel), [os.path.abspath(test) for test in tests]
    size = os.path.getsize(wheel)
    has = versions(wheel)
    print(
        f"{os.path.basename(wheel)}: {size / 1e6:.1f} MB, CPython "
        + ", ".join(f"{major}.{minor}" for major, minor in has)
    )
    found = pythons.find()
    problems = [f"expected at most {LIMIT} bytes, got {size}"] if size > LIMIT else []
    missing = ".".join(map(str, min(set(found) - set(has), default=())))
    if missing:
        problems.append(f"expected an extension module for CPython {missing}, got none")
    with tempfile.TemporaryDirectory() as folder:
        problems += needs(wheel, folder)
        for version in has:
            if version in found:
                problems.append(trial(found[version], wheel, folder, tests))
            else:
                print(f"CPython {version[0]}.{version[1]}: not on this machine, not tried")
    problems = [problem for problem in problems if problem]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
