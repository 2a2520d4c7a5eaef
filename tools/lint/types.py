# SPDX-License-Identifier: Apache-2.0
"""Whether the stubs say what the package is.

    PYTHONPATH=build/python:tools python -m lint.types [--keep DIR]

Writes the stubs, then: `stubtest` compares each with the module that it is of; `mypy --strict` and
`basedpyright` pass on a program that uses every public name; and the examples of the documentation,
which run, are well typed. Prints what is wrong.
"""

import argparse
import doctest
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

from . import documentation, examples

# What stubtest is not asked about, and why.
ALLOWED = {
    r"paddle\.__main__": "a program, no module",
    r"paddle\.distributed\.launch\.__main__": "a program, no module",
    r"paddle\.base\.proto\.framework_pb2": "needs protobuf, which is no requirement",
}
# What examples do that mypy takes for mistakes: one name for values of several types; attributes
# that may be None (`x.grad`); calls for their effect.
LENIENT = (
    "assignment",
    "union-attr",
    "func-returns-value",
    "var-annotated",
    "no-redef",
    "annotation-unchecked",
)
CONFIG = "[mypy]\ncheck_untyped_defs = True\n"


def allowed():
    """`ALLOWED`, and names that classes are asked for and have not."""
    from paddle import Tensor
    from paddle.base.absent import Absent
    from paddle.optimizer.optimizer import Optimizer

    found = dict(ALLOWED)
    for owner, home in ((Tensor, "paddle"), (Optimizer, "paddle.optimizer.optimizer")):
        names = "|".join(key for key, value in vars(owner).items() if isinstance(value, Absent))
        path = re.escape(f"{home}.{owner.__name__}")
        found[rf"{path}\.({names})"] = "who asks gets an AttributeError"
    return found


def uses():
    """A program that uses every public name."""
    lines, imported = [], set()
    for k, (home, name, _) in enumerate(documentation.public()):
        module = home.removesuffix(".Tensor")
        if module not in imported:
            imported.add(module)
            lines.append(f"import {module}")
        lines.append(f"_{k} = {home}.{name}")
    return "\n".join(lines) + "\n"


def programs():
    """The examples of the documentation as functions of a module."""
    parts = ["import paddle\n"]
    parser = doctest.DocTestParser()
    for k, (text, name) in enumerate(examples.texts(documentation.public()).items()):
        body = "".join(e.source for e in parser.get_examples(text) if e.exc_msg is None)
        if body.strip():
            parts.append(f"def example_{k}():  # {name}\n{textwrap.indent(body, '    ')}")
    return "\n".join(parts)


def told(command, folder, stubs, **environment):
    """What a tool says where it fails, else nothing."""
    run = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=dict(os.environ, MYPYPATH=str(stubs), **environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    return (
        [f"{command[0]}: {line}" for line in (run.stdout + run.stderr).splitlines()]
        if run.returncode
        else []
    )


def run(folder):
    """Problems; the stubs are left in the folder."""
    folder = pathlib.Path(folder)
    stubs, plain = folder / "stubs", folder / "plain"
    problems = told(["stubs", "--strict", "--out", str(stubs)], folder, stubs)
    problems += told(["stubs", "--plain", "--out", str(plain)], folder, stubs)
    (folder / "every_name.py").write_text(uses())
    (folder / "every_example.py").write_text(programs())
    (folder / "mypy.ini").write_text(CONFIG)
    (folder / "allowed.txt").write_text("".join(f"{name}\n" for name in allowed()))
    settings = {
        "include": ["every_name.py"],
        "stubPath": "stubs",
        "typeCheckingMode": "standard",
        "reportMissingModuleSource": False,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    problems += told(["mypy", "--strict", "every_name.py"], folder, stubs)
    lenient = [f"--disable-error-code={code}" for code in LENIENT]
    problems += told(["mypy", *lenient, "every_example.py"], folder, stubs)
    problems += told(
        [
            "mypy.stubtest",
            "paddle",
            "--concise",
            "--ignore-disjoint-bases",
            "--mypy-config-file",
            "mypy.ini",
            "--allowlist",
            "allowed.txt",
            "--ignore-unused-allowlist",
        ],
        folder,
        plain,
    )
    problems += told(["basedpyright"], folder, stubs)
    return problems


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", metavar="DIR")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        problems = run(options.keep or folder)
    print("\n".join(problems))
    print(f"types: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
