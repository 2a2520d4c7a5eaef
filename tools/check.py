# SPDX-License-Identifier: Apache-2.0
"""Runs every check and prints a table of steps with seconds; the exit status is 1 if a step failed.

--fast: no format step, no clean-up, and tests only where `git diff HEAD` touches. --build DIR:
build directory.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time

PYTEST_SECONDS = 2700
FUZZ_SECONDS = 60
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from lint import (  # noqa: E402
    arguments,
    files,
    functions,
    headers,
    kernel_memory,
    layers,
    messages,
    op_names,
    silence,
    stanzas,
    symbols,
    thread_locals,
)


class Steps:
    """Runs named steps; a step returns None or the text of its failure."""

    def __init__(self):
        self.rows = []

    def run(self, name, step, *args):
        print(f"== {name}", flush=True)
        start = time.monotonic()
        try:
            failure = step(*args)
        except (OSError, subprocess.SubprocessError) as error:
            failure = f"{type(error).__name__}: {error}"
        seconds = time.monotonic() - start
        if failure:
            print(failure, flush=True)
        self.rows.append((name, "FAILED" if failure else "ok", seconds))
        return not failure

    def table(self):
        width = max(len(name) for name, _, _ in self.rows)
        print(
            "\n"
            + "\n".join(
                f"{name:<{width}}  {state:<6}  {seconds:7.1f} s"
                for name, state, seconds in self.rows
            )
        )
        return all(state == "ok" for _, state, _ in self.rows)


def listed(problems, limit=40):
    if not problems:
        return None
    more = f"\n... {len(problems) - limit} more" if len(problems) > limit else ""
    return f"{len(problems)} problems\n" + "\n".join(problems[:limit]) + more


def shell(*command, env=None, cwd=ROOT):
    status = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL).returncode
    return f"{' '.join(command[:4])} ...: exit status {status}" if status else None


def changed_files():
    out = subprocess.run(
        ["git", "-C", ROOT, "diff", "--name-only", "HEAD"], capture_output=True, text=True
    ).stdout
    return [name for name in out.splitlines() if os.path.isfile(os.path.join(ROOT, name))]


# The release whose layout .clang-format was tuned with; others break lines elsewhere.
CLANG_FORMAT = "14."


def check_format(names):
    """C++ files are laid out as clang-format does, Python files as ruff does; a machine with
    another release of clang-format only counts.
    """
    ruff = [sys.executable, "-m", "ruff", "format", "--no-cache", "--check", "--quiet"]
    if subprocess.run([*ruff, "."], cwd=ROOT).returncode:
        return ".venv/bin/ruff format"
    tool = shutil.which("clang-format")
    names = [name for name in names if name.endswith((".cc", ".h")) and not name.endswith(".inc.h")]
    if not tool or not names:
        return None
    off = set()
    for at in range(0, len(names), 50):
        out = subprocess.run(
            [tool, "--dry-run", *names[at : at + 50]], cwd=ROOT, capture_output=True, text=True
        )
        off |= set(re.findall(r"^([^:\n]+):\d+:\d+: warning: code should be", out.stderr, re.M))
    print(f"format: {len(off)} of {len(names)} C++ files differ from .clang-format")
    version = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout
    if off and f"version {CLANG_FORMAT}" in version:
        return "clang-format -i " + " ".join(sorted(off))
    return None


def build(directory, jobs):
    configure = [
        "cmake",
        "-S",
        ROOT,
        "-B",
        directory,
        "-G",
        "Ninja",
        "-DPADDLE_BUILD_TESTS=ON",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    log = subprocess.run(configure, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if log.returncode:
        return log.stdout[-4000:] + log.stderr[-4000:]
    run = subprocess.run(
        ["cmake", "--build", directory, "--parallel", str(jobs), "--", "-k", "0"],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if not run.returncode:
        return None
    text = "\n".join(
        line
        for line in run.stdout.splitlines()
        if not re.match(r"\[\d+/\d+\] |/usr/bin/cmake -E env", line)
    )
    return (text + run.stderr)[-12000:]


def package_env(directory):
    env = dict(os.environ)
    env["PYTHONPATH"] = os.path.join(directory, "python")
    return env


def import_package(directory):
    code = (
        "import time; t = time.perf_counter(); import paddle; "
        "print(f'import paddle: {time.perf_counter() - t:.2f} s')"
    )
    return shell(sys.executable, "-c", code, env=package_env(directory))


def documentation(directory):
    """How many public names are documented in full form; the tests run their examples."""
    env = package_env(directory)
    env["PYTHONPATH"] += os.pathsep + os.path.join(ROOT, "tools")
    return shell(sys.executable, "-m", "lint.documentation", env=env)


def types(directory):
    """Stubs, against the package, and with the type checkers."""
    env = package_env(directory)
    env["PYTHONPATH"] += os.pathsep + os.path.join(ROOT, "tools")
    return shell(sys.executable, "-m", "lint.types", env=env)


def names(directory):
    """How many functions are defined in C++, and in Python too."""
    env = package_env(directory)
    env["PYTHONPATH"] += os.pathsep + os.path.join(ROOT, "tools")
    return shell(sys.executable, "-m", "lint.names", env=env)


def ctest(directory, jobs):
    return shell(
        "ctest",
        "--test-dir",
        directory,
        "--output-on-failure",
        "--no-tests=ignore",
        "-j",
        str(jobs),
    )


def pytest(directory, paths):
    """One process for all, so that one summary line counts every test; the time limit ends a
    hang.
    """
    command = [
        "timeout",
        "--kill-after=30",
        str(PYTEST_SECONDS),
        sys.executable,
        "-m",
        "pytest",
        *paths,
    ]
    return shell(*command, env=package_env(directory))


def fuzz(directory, script, *limit):
    """The first seeds of test/fuzz/`script`, as many as the time allows: random programs compiled
    and op by op (fusion.py), those whose state changes between calls (capture.py), every public
    callable with hostile arguments (calls.py). A longer run is a task of its own.
    """
    command = ["timeout", "--kill-after=30", str(FUZZ_SECONDS + 240), sys.executable]
    path = os.path.join(ROOT, "test", "fuzz", script)
    command += [path, "--seconds", str(FUZZ_SECONDS), *limit]
    return shell(*command, env=package_env(directory))


def stats():
    env = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "tools"))
    out = subprocess.run(
        [sys.executable, "-m", "opgen", "--ops", os.path.join(ROOT, "paddle/phi/ops"), "--stats"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
    )
    if out.returncode == 0:
        print(out.stdout.strip())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    directory = os.path.abspath(options.build)
    steps = Steps()

    changed = changed_files() if options.fast else None
    steps.run("format", check_format, changed if options.fast else files.tracked(ROOT))
    steps.run("lint files", lambda: listed(files.run(ROOT)))
    steps.run("lint functions", lambda: listed(functions.run(ROOT)))
    steps.run("lint arguments", lambda: listed(arguments.run(ROOT)))
    steps.run("lint silence", lambda: listed(silence.run(ROOT)))
    steps.run("lint op names", lambda: listed(op_names.run(ROOT)))
    steps.run("lint messages", lambda: listed(messages.run(ROOT)))
    steps.run("lint stanzas", lambda: listed(stanzas.run(ROOT)))
    steps.run("lint layers", lambda: listed(layers.run(ROOT)))
    steps.run("lint thread-locals", lambda: listed(thread_locals.run(ROOT)))
    steps.run("lint kernel memory", lambda: listed(kernel_memory.run(ROOT)))
    built = steps.run("build", build, directory, options.jobs)
    if built:
        core, extensions = symbols.libraries(directory)
        steps.run(
            "lint headers",
            lambda: listed(headers.run(ROOT, directory) + headers.run_installed(directory)),
        )
        steps.run(
            "lint symbols",
            lambda: listed(
                symbols.run(ROOT, directory)
                + symbols.run_libraries(core, extensions)
                + [found for each in (core, *extensions) for found in symbols.run_paths(each, ROOT)]
                + [
                    found
                    for each in symbols.bundled(directory)
                    for found in symbols.run_versions(each)
                ]
            ),
        )
        steps.run("import", import_package, directory)
        steps.run("names", names, directory)
        steps.run("documentation", documentation, directory)
        if not options.fast:
            steps.run("types", types, directory)
        if not options.fast or any(name.endswith((".cc", ".h", ".yaml")) for name in changed):
            steps.run("ctest", ctest, directory, options.jobs)
        tests = (
            sorted({name for name in changed if re.match(r"test/.*test_\w+\.py$", name)})
            if options.fast
            else ["test"]
        )
        if tests and os.path.isdir(os.path.join(ROOT, "test")):
            steps.run("pytest", pytest, directory, tests)
        if not options.fast:
            steps.run("fuzz", fuzz, directory, "fusion.py", "--cases", "3000")
            steps.run("captures", fuzz, directory, "capture.py", "--programs", "20000")
            steps.run("attack", fuzz, directory, "calls.py", "--calls", "30000")
    stats()
    return 0 if steps.table() else 1


if __name__ == "__main__":
    sys.exit(main())
