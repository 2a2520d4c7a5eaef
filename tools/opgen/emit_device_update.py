# SPDX-License-Identifier: Apache-2.0
"""Optimizers on devices: the steps of an `update` as expressions of the fusion compiler, which
makes one kernel of them. Numbers are computed in float64 and met in the elements' type, as on the
CPU.
"""

import ast

from .emit_lowering import RULES_FILE
from .expr import CinnPrinter, free_names
from .template import commas, fill
from .update import NORM, is_none, norms

RULE = """
void update_$name([[maybe_unused]] UpdateRule& rule) {
  $attributes
  $steps
}
"""


class StepText(CinnPrinter):
    """C++ of a step; `now`: {name: the C++ of its value}; `of_attributes`: names whose conditions
    are decided when the kernel is made.
    """

    def __init__(self, where, now, of_attributes):
        super().__init__(where)
        self.now, self.of_attributes = now, of_attributes

    def number(self, v):
        return "Expr()" if v is None else repr(v)

    def name(self, n):
        return {"inf": "INFINITY"}.get(n) or self.now[n]

    def text(self, n):
        if isinstance(n, ast.Call) and norms(n) and n.func.id == NORM:
            return f'rule.Norm("{n.args[0].id}")'
        if not isinstance(n, ast.IfExp):
            return super().text(n)
        body, other = f"Expr({self.text(n.body)})", f"Expr({self.text(n.orelse)})"
        if free_names(n.test)[0] <= self.of_attributes:
            return f"({Condition(self.where).text(n.test)} ? {body} : {other})"
        return f"select({self.text(n.test)}, {body}, {other})"


class Condition(CinnPrinter):
    """C++ of a condition on attributes."""

    def number(self, v):
        return f'"{v}"' if isinstance(v, str) else repr(v)

    def name(self, n):
        return n

    def text(self, n):
        if isinstance(n, ast.BoolOp):
            sign = " && " if isinstance(n.op, ast.And) else " || "
            return "(" + sign.join(self.text(v) for v in n.values) + ")"
        return super().text(n)


def source(ops):
    """The file of all optimizers."""
    ops = [op for op in ops if op.update is not None]
    return (
        fill(
            RULES_FILE,
            includes='#include "paddle/cinn/fusion/update_rule.h"',
            functions=[rule(op) for op in ops],
            rows=[
                f'RegisterUpdate("{op.name}", &update_{op.name}, '
                f'{{{commas(map(quoted, op.numbers))}}});'
                for op in ops
            ],
        )
        + "\n"
    )


def quoted(name):
    return f'"{name}"'


def rule(op):
    update = op.steps_of_update
    kinds = update.attributes
    conditions = {n for n, kind in kinds.items() if kind in ("flag", "text")}
    read = {n for s in update.steps for n in free_names(s.node)[0]}
    reader = {"flag": "Flag", "text": "Text", "number": "Number"}
    attributes = [
        f'const auto {n} = rule.{reader[kind]}("{n}");' for n, kind in kinds.items() if n in read
    ]
    first = {n: f'rule.Element("{n}")' for n in update.pointers}  # the values of elements
    now = dict(first)
    numbers = dict.fromkeys(op.numbers)  # of numbers; None: as its tensor holds it
    lines, phase = [], 0
    for k, step in enumerate(update.steps):
        if is_none(step.node):
            continue
        if step.phase > phase:
            phase, now = step.phase, dict(first)
            lines.append("rule.NextPhase();")
        if isinstance(step.node, (ast.BoolOp, ast.Compare)) and (
            free_names(step.node)[0] <= conditions | {*kinds}
        ):
            lines.append(f"const bool {step.name} = {Condition(op.where).text(step.node)};")
            conditions.add(step.name)
            continue

        def value(n, element=step.element):
            if n in now:
                return now[n]
            if n in numbers:
                number = numbers[n] or f'rule.Held("{n}")'
            elif n in conditions:
                return n
            else:
                return f"rule.Constant({n}, {str(element).lower()})"
            return f"rule.Met({number})" if element else number

        text = StepText(
            op.where, Names(value), conditions | {n for n in kinds if kinds[n] == "number"}
        )
        node = Parts().visit(step.node)
        lines.append(f"const Expr {step.name}_{k} = {text.text(node)};")
        (now if step.element else numbers)[step.name] = f"{step.name}_{k}"
        if step.name in update.written or step.name in update.room:
            where = "SetElement" if step.element else "SetNumber"
            lines.append(f'rule.{where}("{step.name}", {step.name}_{k});')
    return fill(RULE, name=op.name, attributes=attributes, steps=lines)


class Names(dict):
    """Looks names up by a function."""

    def __init__(self, value):
        super().__init__()
        self.value = value

    def __missing__(self, name):
        name, _, part = name.partition("@")
        found = self.value(name)
        return found.replace('")', f'", {part})', 1) if part else found


class Parts(ast.NodeTransformer):
    """`etas[1]` as a name of its own."""

    def visit_Subscript(self, n):
        return ast.Name(f"{n.value.id}@{ast.literal_eval(n.slice)}", ast.Load())
