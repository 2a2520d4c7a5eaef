# SPDX-License-Identifier: Apache-2.0
"""The language of `decomposition`, and of gradient rules in it: named steps over whole tensors,
typed here and printed as one C++ template that each reader instantiates with values of its own.
"""

import ast
from dataclasses import dataclass

from . import functions
from .expr import BIN, CMP, CONSTANTS, parse
from .stanza import need_name

# The kind of an argument's value in the language, by the kind of the argument.
KINDS = {
    "Tensor": "tensor",
    "Tensor?": "tensor",
    "bool": "flag",
    "int": "number",
    "int64": "number",
    "float": "number",
    "double": "number",
    "str": "text",
    "int[]": "axes",
    "int64[]": "axes",
    "IntArray": "axes",
}
# What gradient rules may ask: whether results without history may be read as they were saved.
FIRST_ORDER = "first_order"
CPP = {
    "tensor": "V",
    "tensors": "std::vector<V>",
    "number": "auto",
    "flag": "bool",
    "axes": "Ints",
    "text": "std::string",
}


@dataclass
class Step:
    """A named value."""

    name: str
    kind: str
    cpp: str
    reads: set  # names in its expression
    result: bool


def called(node):
    return {
        n.func.id
        for n in ast.walk(node)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    }


def in_language(texts, where):
    """Whether expressions call functions of this language alone."""
    known = {*functions.scalars(), *functions.tensors()}
    return all(called(parse(text, where)) <= known for text in texts)


def has_rules(op):
    """Whether the gradient rules of an op are in this language."""
    return (
        op.decomposition is not None
        and bool(op.vjp_written)
        and in_language(op.vjp_written.values(), op.at("vjp"))
    )


class Writer:
    """Types an expression and prints it; `kinds`: {name: kind} of the names it may read."""

    def __init__(self, where, text, kinds):
        self.where, self.shown, self.kinds = where, repr(str(text)), kinds
        self.reads = set()

    def error(self, expected, got):
        return self.where.error(f"{self.shown}: expected {expected}, got {got}")

    def want(self, node, *kinds):
        """The C++ of an operand of one of the kinds."""
        kind, cpp = self.value(node)
        if kind not in kinds:
            raise self.error(f"{' or '.join(kinds)}", f"the {kind} {ast.unparse(node)}")
        return cpp

    def value(self, n):
        """(kind, C++)."""
        if isinstance(n, ast.Constant):
            return self.constant(n)
        if isinstance(n, ast.Name):
            if n.id in CONSTANTS:
                return ("number", "INFINITY") if n.id == "inf" else ("flag", n.id)
            need_name(n.id, self.kinds, self.where, self.shown, "a name that stands before", "name")
            self.reads.add(n.id)
            return self.kinds[n.id], n.id
        if isinstance(n, ast.List):
            return "axes", "Ints{" + ", ".join(self.want(e, "number") for e in n.elts) + "}"
        if isinstance(n, ast.IfExp):
            return self.choice(n)
        if isinstance(n, ast.BoolOp):
            sign = " && " if isinstance(n.op, ast.And) else " || "
            return "flag", "(" + sign.join(self.test(v) for v in n.values) + ")"
        if isinstance(n, ast.UnaryOp):
            if isinstance(n.op, ast.Not):
                return "flag", f"!{self.test(n.operand)}"
            if isinstance(n.op, ast.USub):
                kind, cpp = self.value(n.operand)
                if kind in ("tensor", "number"):
                    return kind, f"(-{cpp})"
        if isinstance(n, ast.BinOp) and type(n.op) in BIN:
            return self.operation(n.left, BIN[type(n.op)], n.right)
        if isinstance(n, ast.Compare) and len(n.ops) == 1:
            return self.operation(n.left, CMP[type(n.ops[0])], n.comparators[0])
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name):
            return self.call(n)
        if isinstance(n, ast.Subscript):
            return "tensor", f"{self.want(n.value, 'tensors')}[{self.position(n.slice)}]"
        raise self.error("an expression of the language", ast.unparse(n))

    def constant(self, n):
        if isinstance(n.value, bool):
            return "flag", "true" if n.value else "false"
        if isinstance(n.value, str):
            return "text", f'"{n.value}"'
        return "number", repr(n.value)

    def position(self, n):
        """That of one of several tensors."""
        if isinstance(n, ast.Constant) and type(n.value) is int and n.value >= 0:
            return n.value
        raise self.error("a number that is not negative in [ ]", ast.unparse(n))

    def test(self, n):
        """A condition: a flag, or a tensor that may be absent."""
        kind, cpp = self.value(n)
        if kind not in ("flag", "tensor") or kind == "tensor" and not isinstance(n, ast.Name):
            raise self.error("a flag, or a tensor's name for whether it is there", ast.unparse(n))
        return f"d.has({cpp})" if kind == "tensor" else cpp

    def choice(self, n):
        test = self.test(n.test)
        (one, yes), (other, no) = self.value(n.body), self.value(n.orelse)
        if one != other:
            raise self.error("two values of one kind around `if`", f"a {one} and a {other}")
        return one, f"({test} ? {yes} : {no})"

    def operation(self, left, sign, right):
        (one, a), (other, b) = self.value(left), self.value(right)
        texts = {one, other} == {"text"} and sign in ("==", "!=")
        if not texts and not {one, other} <= {"tensor", "number"}:
            raise self.error(f"tensors or numbers around {sign}", f"a {one} and a {other}")
        kind = (
            "tensor" if "tensor" in (one, other) else "number" if sign in BIN.values() else "flag"
        )
        return kind, f"({a} {sign} {b})"

    def call(self, n):
        name = n.func.id
        table = {**functions.scalars(), **functions.tensors()}
        need_name(name, table, self.where, self.shown, "a function of the language", "function")
        function = table[name]
        if isinstance(function, functions.Scalar):
            if n.keywords or len(n.args) != function.operands:
                raise self.error(f"{function.operands} operands of {name}", ast.unparse(n))
            args = [self.want(a, "tensor", "number") for a in n.args]
            if not any(self.value(a)[0] == "tensor" for a in n.args):
                raise self.error(f"a tensor in {name}", ast.unparse(n))
            return "tensor", f"{name}({args[0]})" if len(
                args
            ) == 1 else f"d.{name}({', '.join(args)})"
        given = dict(zip(function.operands, n.args)) | {k.arg: k.value for k in n.keywords}
        if len(n.args) + len(n.keywords) != len(given) or len(n.args) > len(function.operands):
            raise self.error(f"{name}({', '.join(function.operands)})", ast.unparse(n))
        for key in given:
            need_name(key, function.operands, self.where, self.shown, f"operands of {name}", "name")
        args = []
        for key, kind in function.operands.items():
            if key in given:
                args.append(self.want(given[key], kind))
            elif kind == "flag":
                args.append("false")
            else:
                raise self.error(f"{name}({', '.join(function.operands)})", ast.unparse(n))
        return function.gives, f"d.{name}({', '.join(args)})"


class Decomposition:
    """Steps of a stanza. `inputs`: {name: kind} of what they may read; `results`: {step: the C++
    name} of those that are results; `texts`: {name: text}, of which `place` tells the line.
    """

    def __init__(self, name, inputs, results, texts, place):
        self.name, self.inputs, self.results, self.steps = name, inputs, results, []
        kinds, taken = dict(inputs), {*functions.scalars(), *functions.tensors()} - set(results)
        for step, text in texts.items():
            where = place(step)
            result = step in results
            if not result and (step in kinds or step in taken):
                raise where.error(
                    f"{step}: expected a new name, got one of an argument, a function or a step "
                    "before"
                )
            writer = Writer(where, text, kinds)
            kind, cpp = writer.value(parse(text, where))
            if result and kind != "tensor":
                raise where.error(f"{step}: expected a tensor, got {kind}")
            self.steps.append(Step(step, "tensor" if result else kind, cpp, writer.reads, result))
            # A gradient has the name of its argument, which it does not hide.
            if results.get(step) == step or not result:
                kinds[step] = self.steps[-1].kind
        read = set().union(*(s.reads for s in self.steps))
        for s in self.steps:
            if not s.result and s.name not in read:
                raise place(s.name).error(
                    f"{s.name}: expected a step that a result reads, got one that nothing reads"
                )

    @property
    def reads(self):
        """Names of inputs that are read."""
        return set().union(*(s.reads for s in self.steps)) & set(self.inputs)

    @property
    def given(self):
        """The results that the steps give, by their C++ names, in the order of declaration."""
        stand = {s.name for s in self.steps}
        return [r for s, r in self.results.items() if s in stand]

    def needs(self, step):
        """The results, of those there are, that a step leads to."""
        found, reached = [], {step.name}
        for s in self.steps[self.steps.index(step) :]:
            if s is step or s.reads & reached:
                reached |= {s.name} if not s.result or self.results[s.name] == s.name else set()
                found += [s.name] if s.result else []
        return found


def forward(op):
    """The Decomposition of an op."""
    inputs = {a.name: KINDS[a.kind] for a in op.args if a.kind in KINDS}
    results = {o.name: o.name for o in op.outs}
    made = Decomposition(
        op.name, inputs, results, op.decomposition, lambda step: op.at("decomposition", step)
    )
    missing = [o.name for o in op.outs if not o.optional and o.name not in op.decomposition]
    if missing:
        raise op.at("decomposition").error(
            f"decomposition: expected the result {missing[0]}, got none"
        )
    return made


def backward(op):
    """That of its gradient rules, which are in the language."""
    rules = op.vjp_written
    tensors = [t.name for t in op.tensors]
    inputs = {a.name: KINDS[a.kind] for a in op.args if a.kind in KINDS}
    inputs |= (
        {o.name: "tensor" for o in op.outs}
        | {d: "tensor" for d in op.douts}
        | {FIRST_ORDER: "flag"}
    )
    results = {n: f"{n}_grad" for n in tensors if n in rules}
    return Decomposition(op.grad_name, inputs, results, rules, lambda step: op.at("vjp", step))
