# SPDX-License-Identifier: Apache-2.0
"""Optimizers: the loops of an `update` for each compute type and variant, and the kernel that reads
its numbers, runs them and writes numbers back.
"""

import ast

from . import expr
from .emit_loops import SETS, TYPES
from .expr import Printer
from .signatures import of_numbers, params
from .template import commas, fill
from .update import MASTER, MOST_NUMBERS, NORM, OF_NUMBERS, SKIP

FLOATS = [t for t in TYPES if t[3] == "float"]
LOOP = """
PD_EW_BEGIN(${name}_$suffix)
using T = $ctype;
$pointers
$numbers
PD_EW_BODY
$loads
$steps
$stores
PD_EW_END
"""
TABLE = """
constexpr cpu::UpdateLoops k_$name[] = {$variants};
"""
KERNEL = """
void $kernel($params) {
  $outs
  $skip
  Update update("$op", param, grad, $master);
  $flags
  $states
$phases
  $numbers
}
"""
PHASE = """
  {
    const double numbers_[] = {$values};
    update.Run(k_$name[variant_], numbers_, $waits);
  }
"""


class LoopText(Printer):
    """C++ of an element; `now`: {name: the variable that holds its value}."""

    def __init__(self, where, now):
        super().__init__(where)
        self.now = now

    def number(self, v):
        return f"lit<T>({v!r})"

    def name(self, n):
        return self.now[n]


class NumberText(Printer):
    """C++ of a number, in double; `now` as above."""

    def __init__(self, update, now):
        super().__init__(update.op.where)
        self.update, self.now = update, now

    def number(self, v):
        return repr(float(v))

    def name(self, n):
        return {"inf": "INFINITY"}.get(n) or self.now.get(n, n)

    def text(self, n):
        if isinstance(n, ast.BoolOp):
            sign = " && " if isinstance(n.op, ast.And) else " || "
            return "(" + sign.join(self.text(v) for v in n.values) + ")"
        if isinstance(n, ast.Subscript):
            return reading(n.value.id, ast.literal_eval(n.slice))
        if isinstance(n, ast.Call) and n.func.id == NORM:
            return f"update.Norm({self.update.pointers.index(n.args[0].id)})"
        return super().text(n)

    def call(self, name, args, kwargs):
        if name not in OF_NUMBERS or kwargs:
            raise self.where.error(
                f"update: expected one of {', '.join(OF_NUMBERS)} in a number, got {name}"
            )
        return f"std::{name}({', '.join(args)})"


def reading(name, k=0):
    return f'update.Number("{name}", {name}, {k})'


def loop_name(op, phase, variant):
    return (
        f"update_{op.name.rstrip('_')}" + f"_{phase}" * (phase > 0) + f"_v{variant}" * (variant > 0)
    )


class Kernel:
    """The C++ of an op's update."""

    def __init__(self, op):
        self.op, self.update = op, op.steps_of_update
        self.now = {}  # {name: the C++ of its number at this step}
        for a in op.attrs:
            self.now[a.name] = f"{a.name}_" if a.kind == "Scalar" else a.name
        for name in op.numbers:
            self.now[name] = f"{name}_"
        self.numbers = [[] for _ in range(self.update.phases)]  # statements before each loop
        self.values = [{} for _ in range(self.update.phases)]  # what its elements read: {C++: slot}
        self.seen = {}  # {step: the C++ of numbers when it is computed}
        for step in self.update.steps:
            self.step(step)

    def step(self, step):
        if step.element:
            self.seen[step.name] = dict(self.now)
            for name in sorted(expr.free_names(step.node)[0] & set(self.now)):
                if self.update.attributes.get(name) in ("flag", "text"):
                    continue
                values = self.values[step.phase]
                values.setdefault(self.now[name], len(values))
            if len(self.values[step.phase]) > MOST_NUMBERS:
                raise self.op.at("update").error(
                    f"update: expected at most {MOST_NUMBERS} numbers in a loop, got more"
                )
            return
        text = NumberText(self.update, self.now).text(step.node)
        new = f"{step.name}_new" if step.name in self.op.numbers else f"{step.name}_"
        self.numbers[step.phase].append(f"  const auto {new} = {text};")
        self.now[step.name] = new

    # --- loops
    def loops(self):
        """The C++ of the loops."""
        return [
            self.loop(phase, k, flags, suffix, ctype)
            for phase in range(self.update.phases)
            for k, flags in enumerate(self.update.variants())
            for suffix, ctype, _, _ in FLOATS
        ]

    def loop(self, phase, k, flags, suffix, ctype):
        body, slots = self.update.loop(phase, flags), self.update.pointers
        now, steps, read = {name: name for name in body.loads}, [], set()
        for name, node in body.steps:
            text = LoopText(self.op.where, self.seen[name] | now).text(node)
            read |= {self.seen[name][n] for n in expr.free_names(node)[0] if n in self.seen[name]}
            now[name] = f"{name}_of"
            steps.append(f"const T {now[name]} = {text};")
        kinds = [
            f"PD_EW_{'OUT' if n in body.stores else 'IN'}({slots.index(n)}, T)"
            for n in slots
            if n in {*body.loads, *body.stores}
        ]
        return fill(
            LOOP,
            name=loop_name(self.op, phase, k),
            suffix=suffix,
            ctype=ctype,
            pointers=kinds,
            numbers=[
                f"PD_EW_ATTR({slot}, T, {value})"
                for value, slot in self.values[phase].items()
                if value in read
            ],
            loads=[f"PD_EW_LOAD({slots.index(n)}, {n})" for n in body.loads],
            steps=steps,
            stores=[f"PD_EW_STORE({slots.index(n)}, {now[n]})" for n in body.stores],
        )

    def names(self):
        return [
            loop_name(self.op, phase, k)
            for phase in range(self.update.phases)
            for k in range(len(self.update.variants()))
        ]

    def declarations(self):
        return [
            f"PD_ISA_DECL(void, {name}_{suffix}, (char* const* ptrs, int64_t n, const double* "
            "attrs))"
            for name in self.names()
            for suffix, _, _, _ in FLOATS
        ]

    # --- the kernel
    def tables(self):
        """The C++ of {loops of a phase, by variant}."""
        out = []
        for phase in range(self.update.phases):
            rows = []
            for k in range(len(self.update.variants())):
                sets = [
                    commas(
                        f"&phi::{isa}::{loop_name(self.op, phase, k)}_{suffix}"
                        for suffix, _, _, _ in FLOATS
                    )
                    for isa in SETS
                ]
                rows.append("{{{" + "}, {".join(sets) + "}}}")
            out.append(fill(TABLE, name=loop_name(self.op, phase, 0), variants=commas(rows)))
        return out

    def kernel(self):
        """The C++ of the kernel."""
        op, update = self.op, self.update
        names = [a.name for a in op.args]
        return fill(
            KERNEL,
            kernel=op.kernel,
            params=commas([of_numbers(params(op)), *(f"Tensor& {o.name}" for o in op.outs)]),
            op=op.name.rstrip("_"),
            outs=[f"{o.name} = {op.inplace_map[o.name]};" for o in op.outs],
            skip=[f"if ({SKIP}.defined() && ScalarAsDouble({SKIP}) != 0) return;"]
            if SKIP in names
            else None,
            master=MASTER if MASTER in names else "Tensor()",
            flags=[self.variant()],
            states=[
                *map(self.state, range(2, len(update.pointers))),
                *(f"const double {n}_ = {reading(n)};" for n in op.numbers if self.reads(n)),
                *(
                    f"const double {a.name}_ = {a.name}.to_double();"
                    for a in op.attrs
                    if a.kind == "Scalar"
                ),
            ],
            phases=[text for k in range(update.phases) for text in self.phase(k)],
            numbers=[
                f"update.SetNumber({s.name}, {s.name}_new);"
                for s in update.steps
                if s.name in op.numbers
            ],
        )

    def reads(self, number):
        """Whether a step reads the number of a tensor by the tensor's name alone."""
        nodes = [n for s in self.update.steps for n in ast.walk(s.node)]
        parts = [n.value for n in nodes if isinstance(n, ast.Subscript)]
        return any(
            isinstance(n, ast.Name) and n.id == number and not any(n is p for p in parts)
            for n in nodes
        )

    def variant(self):
        bits = [f"({flag} ? {1 << k} : 0)" for k, flag in enumerate(self.update.flags)]
        return f"const int variant_ = {' | '.join(bits) or '0'};"

    def state(self, k):
        """The statement that gives a pointer to the loops."""
        name = self.update.pointers[k]
        if name in self.update.room:
            return "update.Room();"
        used = [name in self.update.used(flags) for flags in self.update.variants()]
        text = f'update.State("{name}", {name});'
        if all(used):
            return text
        wanted = commas(str(v) for v in map(int, used))
        return (
            f"if (const bool wanted_[] = {{{wanted}}}; wanted_[variant_]) {text} "
            "else update.Skip();"
        )

    def phase(self, k):
        values = list(self.values[k]) or ["0.0"]
        waits = "true" if self.update.phases == 1 else "false"
        return [
            *self.numbers[k],
            fill(
                PHASE,
                name=loop_name(self.op, k, 0),
                values=commas(f"static_cast<double>({v})" for v in values),
                waits=waits,
            ),
        ]
