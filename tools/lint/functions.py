# SPDX-License-Identifier: Apache-2.0
"""No C++ function is longer than what is read at once.

The text is read without its preprocessor: of the branches of an #if the first counts, and macros
are not looked into. A brace opens a function's body where what stands before it, in a namespace or
a class, has a list of parameters. A lambda is part of the function it stands in.
"""

import os
import re

from .files import tracked

LIMIT = 80
SOURCE = re.compile(r"\.(cc|h|cpp)$")
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/                      # comments
    |R"(?P<mark>[^\s()\\]*)\(.*?\)(?P=mark)"   # raw strings
    |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'    # strings and characters
    |(?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
    |\w+|\n|[^\s\w]""",
    re.S | re.M | re.X,
)
CONTAINERS = {"class", "struct", "union", "enum"}
AFTER_PARAMETERS = {"const", "noexcept", "override", "final", "mutable", "volatile"}


def tokens(text):
    """(token, its line) without comments, directives and the later branches of an #if."""
    line, skipped, depth = 1, None, 0
    for found in TOKEN.finditer(text):
        token = found[0]
        if found["directive"]:
            word = token.strip("# \t")
            depth += word.startswith("if") - word.startswith("endif")
            if word.startswith("endif") and skipped is not None and depth < skipped:
                skipped = None
            elif word.startswith("el") and skipped is None:
                skipped = depth
        elif skipped is None and not token.startswith(("//", "/*", "\n")):
            yield token, line
        line += token.count("\n")


def outside(head):
    """The tokens of a declaration that stand in no parentheses, but for the parentheses."""
    depth, kept = 0, []
    for token in head:
        depth -= token == ")"
        if depth == 0:
            kept.append(token)
        depth += token == "("
    return kept


def block(head):
    """What a brace after these tokens opens, in a namespace or a class."""
    if head.count("(") > head.count(")"):
        return "argument"
    plain = outside(head)
    if not head or "namespace" in plain or plain[0] == "extern" and plain[-1].startswith('"'):
        return "container"
    if "(" not in plain or "=" in plain and "operator" not in plain:
        return "container" if CONTAINERS & set(plain) else "other"
    # Of x(1), y{2}, with which a constructor begins, the last is followed by its body.
    named = re.match(r"\w", plain[-1]) and plain[-1] not in AFTER_PARAMETERS
    if named and ":" in plain[plain.index(")") :]:
        return "initializer"
    return "function"


def name(head):
    before = head[: head.index("(")]
    if "operator" in before:
        before = before[before.index("operator") :]
    return "".join(before[-4:] if ":" in before or "operator" in before else before[-1:])


def functions(text):
    """(name, first line of the body, its lines with both braces) of each function defined."""
    found, blocks, head = [], [], []
    for token, line in tokens(text):
        if token == "{":
            container = not blocks or blocks[-1][0] == "container"
            kind = block(head) if container else "other"
            blocks.append((kind, line, head))
            head = []
        elif token == "}":
            if not blocks:
                raise ValueError(f"line {line}: expected as many braces, got one that closes more")
            kind, start, before = blocks.pop()
            if kind == "function":
                found.append((name(before), start, line - start + 1))
            head = [*before, "{}"] if kind in ("argument", "initializer") else []
        elif token == ";":
            head = head if head.count("(") > head.count(")") else []
        else:
            head.append(token)
    if blocks:
        raise ValueError(f"line {blocks[-1][1]}: expected a brace that closes, got the end")
    return found


def run(root):
    problems, count = [], 0
    for path in tracked(root):
        if not SOURCE.search(path):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            found = functions(file.read())
        count += len(found)
        problems += [
            f"{path}:{line}: {called}: {lines} lines, at most {LIMIT}"
            for called, line, lines in found
            if lines > LIMIT
        ]
    print(f"functions: {len(problems)} of {count} in C++ over {LIMIT} lines")
    return problems
