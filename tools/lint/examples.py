# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of documentation and compares what they answer.

Each runs in a namespace of its own that has `paddle`, from seed 0. Numbers with three decimals or
more are compared as far as they are written, others exactly but for rounding.
"""

import concurrent.futures
import doctest
import inspect
import io
import multiprocessing
import os
import re
import tempfile

PROCESSES = 2
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?(?!\w)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Checker(doctest.OutputChecker):
    def check_output(self, want, got, optionflags):
        if super().check_output(want, got, optionflags):
            return True
        if NUMBER.sub("#", " ".join(want.split())) != NUMBER.sub("#", " ".join(got.split())):
            return False
        return all(map(equal, NUMBER.findall(want), NUMBER.findall(got)))


def equal(want, got):
    """Whether a number is what is written of it."""
    if "." not in want:
        return want == got
    decimals = len(want.partition("e")[0].partition(".")[2])
    scale = 10.0 ** int(want.partition("e")[2] or 0)
    rounding = 0.5000001 * 10.0**-decimals * scale if decimals >= 3 else 0.0
    difference = abs(float(want) - float(got))
    return difference <= max(rounding, 1e-6 * max(1.0, abs(float(want))))


def texts(names):
    """{text with examples: name}, each text once."""
    out = {}
    for home, name, value in names:
        text = inspect.getdoc(value)
        if text and ">>> " in text:
            out.setdefault(text, f"{home}.{name}")
    return out


def settle():
    """The state in which an example begins."""
    import paddle

    paddle.disable_static()
    paddle.set_default_dtype("float32")
    paddle.set_grad_enabled(True)
    paddle.seed(0)
    return {"paddle": paddle}


def run_some(named):
    """Failures of [(text, name)], each in a directory of its own."""
    parser, problems, start = doctest.DocTestParser(), [], os.getcwd()
    try:
        for text, name in named:
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                test = parser.get_doctest(text, settle(), name, None, 0)
                report = io.StringIO()
                runner = doctest.DocTestRunner(Checker(), verbose=False, optionflags=FLAGS)
                if runner.run(test, out=report.write).failed:
                    problems.append(report.getvalue())
                os.chdir(start)
    finally:
        os.chdir(start)
        settle()
    return problems


def run(names, prefix="", processes=PROCESSES):
    """Failures of the examples of [(module, name, object)] whose path begins with `prefix`."""
    named = [(text, name) for text, name in texts(names).items() if name.startswith(prefix)]
    parts = [named[k::processes] for k in range(processes)]
    with concurrent.futures.ProcessPoolExecutor(
        processes, multiprocessing.get_context("fork")
    ) as pool:
        problems = [problem for part in pool.map(run_some, parts) for problem in part]
    print(f"documentation: {len(named)} examples, {len(problems)} fail")
    return problems
