# SPDX-License-Identifier: Apache-2.0
"""Third-party packages run unmodified with ours and with the published package: a small program of
each (`client_programs.py`), and a table of the numbers that it gives.

    PYTHONPATH=build/python .venv/bin/python tools/oracle/clients.py [NAME ...] [--site DIR]

Packages are installed into DIR (default: `.clients`), in front of what either Python has; `--have`
takes what is there. Exits with 1 where a program fails, or gives other numbers than with the
published package.
"""

import argparse
import json
import os
import subprocess
import sys

import client_programs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CLOSE = 2e-5  # of the largest number of a program: losses of three steps
SHARED = ("numpy", "requests", "protobuf", "scipy", "pandas", "colorlog", "pyyaml", "tqdm")


def install(names, site):
    """The packages of programs alone, and then what else they import, with its dependencies."""
    wanted = [p for n in names for p in client_programs.PROGRAMS[n][1]]
    main = [p for p in wanted if "==" in p]
    rest = sorted({p for p in wanted if "==" not in p} | set(SHARED))
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", site, *rest], check=True)
    for package in main:
        subprocess.run([*pip, "--target", site, "--no-deps", package], check=True)


def run(python, name, paths):
    """(numbers or None, last line of what was said)."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [python, "-W", "ignore", os.path.join(HERE, "client_programs.py"), name]
    done = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        cwd=os.path.join(ROOT, "build"),
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("NUMBERS ")]
    if done.returncode == 0 and lines:
        return json.loads(lines[-1][8:]), ""
    said = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["nothing was printed"]
    return None, said[-1]


def difference(a, b):
    """The largest difference of two lists relative to their largest number; texts must be equal."""
    if len(a) != len(b):
        return float("inf")
    pairs = list(zip(a, b))
    if any(x != y for x, y in pairs if isinstance(x, list) or isinstance(y, list)):
        return float("inf")
    pairs = [(x, y) for x, y in pairs if not isinstance(x, list)]
    top = max(abs(y) for _, y in pairs)
    return max(abs(x - y) if x == x and y == y else float("inf") for x, y in pairs) / top


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--site", default=os.path.join(ROOT, ".clients"))
    parser.add_argument("--have", action="store_true", help="install nothing")
    arguments = parser.parse_args()
    names = arguments.names or list(client_programs.PROGRAMS)
    unknown = [n for n in names if n not in client_programs.PROGRAMS]
    if unknown:
        parser.error(f"expected names of {sorted(client_programs.PROGRAMS)}, got {unknown}")
    site = arguments.site.split(os.pathsep)
    if not arguments.have:
        install(names, site[0])
    import paddle

    ours = os.path.dirname(os.path.dirname(os.path.abspath(paddle.__file__)))
    theirs = os.path.join(ROOT, ".oracle", "bin", "python")
    failed = 0
    print(f"{'program':12s} {'package':26s} {'difference':>11s}  result")
    for name in names:
        mine, said = run(sys.executable, name, [ours, *site])
        published, other = run(theirs, name, site)
        apart = difference(mine, published) if mine and published else float("inf")
        good = apart <= CLOSE
        failed += not good
        result = "ok" if good else said or other or "other numbers"
        package = client_programs.PROGRAMS[name][1][0]
        print(f"{name:12s} {package:26s} {apart:11.1e}  {result}", flush=True)
    print(f"clients: {len(names) - failed} of {len(names)} programs pass")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
