# SPDX-License-Identifier: Apache-2.0
"""The language of `update`: named steps of an optimizer, in order. A step of an element reads the
parameter, its gradient or states; any other is a number of the whole update.
"""

import ast
import itertools
from dataclasses import dataclass, field

from . import functions
from .expr import CONSTANTS, free_names, parse
from .stanza import need_name

NORM = "norm"  # of a parameter, a gradient or a step: a number
OF_NUMBERS = ("sqrt", "exp", "log", "pow")
KINDS = {"bool": "flag", "str": "text"} | dict.fromkeys(
    ("int", "int64", "float", "double", "Scalar"), "number"
)
# Arguments that mean the same in every update.
FIRST, MASTER, SKIP = ("param", "grad"), "master_param", "skip_update"
MOST_POINTERS, MOST_NUMBERS = 8, 12  # as in phi/primitives/optim.h


@dataclass
class Step:
    """A named value; a number is computed before the loop of its phase."""

    name: str
    node: ast.AST  # None: the state stays as it is
    element: bool
    phase: int


@dataclass
class Phase:
    """One loop: what it loads, the steps it computes and the names it stores."""

    loads: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    stores: list = field(default_factory=list)


class Settle(ast.NodeTransformer):
    """Conditions on flags decided."""

    def __init__(self, flags):
        self.flags = flags

    def visit_IfExp(self, n):
        if free_names(n.test)[0] <= set(self.flags):
            test = compile(ast.fix_missing_locations(ast.Expression(n.test)), "when", "eval")
            return self.visit(n.body if eval(test, {}, self.flags) else n.orelse)
        return self.generic_visit(n)


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def norms(node):
    """Names whose norm an expression reads."""
    return [
        c.args[0].id
        for c in ast.walk(node)
        if isinstance(c, ast.Call) and isinstance(c.func, ast.Name) and c.func.id == NORM
    ]


class Update:
    """The steps of a stanza."""

    def __init__(self, op):
        self.op, self.steps = op, []
        names = [a.name for a in op.args]
        self.pointers = [*FIRST] + [
            t.name for t in op.tensors if t.name not in (*FIRST, MASTER, SKIP, *op.numbers)
        ]
        self.attributes = {a.name: KINDS[a.kind] for a in op.attrs if a.kind in KINDS}
        self.written = set(op.inplace_map.values())
        for name in FIRST:
            need_name(name, names, op.where, "update", "an argument of every update", "name")
        self.read()
        self.flags = self.read_flags()
        self.room = self.read_room()
        self.pointers += self.room
        if len(self.pointers) > MOST_POINTERS:
            raise op.at("update").error(
                f"update: expected at most {MOST_POINTERS} tensors and steps that loops pass on, "
                f"got {len(self.pointers)}"
            )

    # --- reading
    def read(self):
        """Types the steps and gives each its phase."""
        elements, numbers = set(self.pointers), set(self.attributes) | set(self.op.numbers)
        phase, made = 0, set()  # names that the loop of this phase computes
        for name, text in self.op.update.items():
            where = self.op.at("update", name)
            node = parse(text, where)
            known = elements | numbers
            self.check(name, node, where, known)
            read = free_names(node)[0] - set(CONSTANTS)
            of_norms = set(norms(node))
            element = bool(read - of_norms & elements) or is_none(node)
            if element and of_norms:
                raise where.error(f"{name}: expected norm(...) in a step that is a number")
            if of_norms & made:
                phase, made = phase + 1, set()
            if name in numbers and element or name in elements and not element:
                raise where.error(f"{name}: expected {'a number' if element else 'an element'}")
            self.steps.append(Step(name, node, element, phase))
            if element:
                made.add(name)
            (elements if element else numbers).add(name)
        self.phases = phase + 1
        self.check_use()

    def check_use(self):
        """Every step is read or is an argument's new value, and every argument that is written has
        one.
        """
        op, left = self.op, self.written - {MASTER}
        for k, step in enumerate(self.steps):
            left.discard(step.name)
            later = self.steps[k + 1 :]
            if step.name not in self.written and not any(
                step.name in free_names(s.node)[0] for s in later
            ):
                raise op.at("update", step.name).error(
                    f"{step.name}: expected a step that a later one reads, or an argument of "
                    "inplace_map, got a name that nothing reads"
                )
        if left:
            raise op.at("update").error(f"update: expected the step {min(left)}, got none")

    def check(self, name, node, where, known):
        """Names and functions are known, and a new name is one."""
        called = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
        scalars = functions.scalars()
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and any(n is f for f in called):
                need_name(
                    n.id, [*scalars, NORM], where, name, "a function of the language", "function"
                )
            elif isinstance(n, ast.Name) and n.id not in CONSTANTS:
                need_name(n.id, known, where, name, "an argument, or a step before", "name")
        if name in known and name not in self.written or name in scalars:
            raise where.error(
                f"{name}: expected a new name or that of an argument in inplace_map, got one of "
                "an argument, a function or a step before"
            )

    def read_flags(self):
        """Attributes that decide which loop runs."""
        flags = []
        for step in self.steps:
            for n in ast.walk(step.node):
                if not (step.element and isinstance(n, ast.IfExp)):
                    continue
                for name in sorted(free_names(n.test)[0]):
                    if self.attributes.get(name) != "flag":
                        raise self.op.at("update", step.name).error(
                            f"{step.name}: expected a condition on attributes of kind bool, got "
                            f"{ast.unparse(n.test)}"
                        )
                    if name not in flags:
                        flags.append(name)
        return flags

    def read_room(self):
        """Steps that a later loop or a norm reads: they need memory."""
        found = []
        for step in self.steps:
            if not step.element or step.name in self.pointers:
                continue
            later = [s for s in self.steps if s.phase > step.phase and s.element]
            read = [n for s in self.steps for n in norms(s.node)]
            if step.name in read or any(step.name in free_names(s.node)[0] for s in later):
                found.append(step.name)
        return found

    # --- loops
    def variants(self):
        """[{flag: value}], by the bits of their positions."""
        return [
            dict(zip(self.flags, reversed(bits)))
            for bits in itertools.product((False, True), repeat=len(self.flags))
        ]

    def settled(self, node, flags):
        """The expression of an element with its conditions decided."""
        return Settle(flags).visit(parse(ast.unparse(node), self.op.where))

    def loop(self, phase, flags):
        """The Phase of a variant."""
        out, made = Phase(), set()
        for step in self.steps:
            if not step.element or step.phase != phase:
                continue
            node = self.settled(step.node, flags)
            if is_none(node):
                continue
            for name in sorted(free_names(node)[0] & set(self.pointers) - made):
                if name not in out.loads:
                    out.loads.append(name)
            out.steps.append((step.name, node))
            made.add(step.name)
            if step.name in self.pointers:
                out.stores.append(step.name)
        return out

    def used(self, flags):
        """Pointers that a variant reads or writes."""
        loops = [self.loop(k, flags) for k in range(self.phases)]
        return {name for one in loops for name in [*one.loads, *one.stores]}
