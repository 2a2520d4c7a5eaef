# SPDX-License-Identifier: Apache-2.0
"""The closed expression language of `body`, `when`, `deriv` and `vjp`: parsed with ast, printed as
C++ for loops, CINN or Tensor.
"""

import ast

from . import functions
from .stanza import StanzaError, need_name

BIN = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
}
CMP = {ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
CONSTANTS = ("true", "false", "inf")


def parse(text, where):
    try:
        return ast.parse(str(text).strip(), mode="eval").body
    except SyntaxError as e:
        raise StanzaError(f"{where}: cannot read expression {text!r}: {e}") from e


def shape_positions(function):
    """Positions of the arguments of which a function of gradient rules reads only shape and
    dtype.
    """
    rule = functions.rules().get(function)
    return rule.shape_positions if rule else set()


def check(text, where, names, known, expected):
    """Refuses an expression with a name that is none of `names` or a function that is none of
    `known`.
    """
    node = parse(text, where)
    called = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and any(n is f for f in called):
            need_name(n.id, known, where, repr(text), "a function of the language", "function")
        elif isinstance(n, ast.Name) and n.id not in CONSTANTS:
            need_name(n.id, names, where, repr(text), expected, "name")
        elif isinstance(n, ast.Call):
            if not isinstance(n.func, ast.Name):
                raise where.error(
                    f"{text!r}: expected a function of the language, got {ast.unparse(n.func)}"
                )
            scalar = known.get(n.func.id)
            if isinstance(scalar, functions.Scalar) and scalar.operands != len(n.args):
                raise where.error(
                    f"{text!r}: expected {scalar.operands} operands of {n.func.id}, got "
                    f"{len(n.args)}"
                )


class Put(ast.NodeTransformer):
    """Expressions in the place of names."""

    def __init__(self, made):
        self.made = made

    def visit_Name(self, n):
        return self.made.get(n.id, n)

    def visit_Call(self, n):  # the name of a function stays
        n.args = [self.visit(a) for a in n.args]
        n.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in n.keywords]
        return n


def put(node, made):
    """The expression with others, `made`, in the place of their names."""
    return Put(made).visit(node) if made else node


def is_constant(node):
    return isinstance(node, ast.Call) and node.func.id == functions.CONSTANT


def names_in_constants(node):
    """Names that are read inside of `constant(...)`."""
    return set().union(*(free_names(n)[0] for n in ast.walk(node) if is_constant(n)))


def free_names(node):
    """Names used in the expression, and those of them whose contents (not only shape) are
    needed.
    """
    names, contents = set(), set()

    def walk(n, meta=False):
        if isinstance(n, ast.Name):
            names.add(n.id)
            if not meta:
                contents.add(n.id)
        elif isinstance(n, ast.Call):
            metas = shape_positions(n.func.id)
            for i, a in enumerate(n.args):
                walk(a, i in metas)
            for k in n.keywords:
                walk(k.value)
        else:
            for c in ast.iter_child_nodes(n):
                walk(c)

    walk(node)
    return names, contents


def read_when(node, name, decide, meta=False):
    """When the expression reads the contents of what has the name: C++ conditions, of which one
    has to hold ("true": always). `decide`: the C++ of a test, or None of one that is not decided
    yet."""
    if isinstance(node, ast.Name):
        return ["true"] if node.id == name and not meta else []
    test = decide(node.test) if isinstance(node, ast.IfExp) else None
    if test is not None:
        found = [read_when(n, name, decide) for n in (node.body, node.orelse)]
        if found[0] == found[1]:
            return found[0]
        return [
            sign + test + ("" if c == "true" else f" && {c}")
            for sign, conditions in zip(("", "!"), found)
            for c in conditions
        ]
    metas = shape_positions(node.func.id) if isinstance(node, ast.Call) else ()
    parts = node.args + node.keywords if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    found = [c for i, n in enumerate(parts) for c in read_when(n, name, decide, i in metas)]
    return ["true"] if "true" in found else list(dict.fromkeys(found))


def shared_names(node, fresh, table):
    """Names whose memory the value of the expression may share; `fresh`: ops that make the memory
    of their results; `table`: {name: Rule or OfTensors} of what else it may call.
    """
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)):
        return set()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        function = table.get(node.func.id)
        if node.func.id in fresh or function and function.fresh:
            return set()
        unread = function.shape_positions if function else ()
        parts = [a for i, a in enumerate(node.args) if i not in unread]
        parts += [k.value for k in node.keywords]
    elif isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    else:
        parts = ast.iter_child_nodes(node)
    return set().union(*(shared_names(n, fresh, table) for n in parts))


class Printer:
    """C++ text; subclasses say how numbers, calls and select look."""

    def __init__(self, where):
        self.where = where

    def number(self, v):
        return repr(v)

    def call(self, name, args, kwargs):
        if kwargs:
            raise StanzaError(f"{self.where}: keyword arguments are not allowed in {name}()")
        return f"{name}({', '.join(args)})"

    def name(self, n):
        return n

    def string(self, s):
        return f'std::string("{s}")'

    def listing(self, items):
        return "IntArray{" + ", ".join(items) + "}"

    def text(self, n):
        if isinstance(n, ast.Constant):
            if isinstance(n.value, bool):
                return "true" if n.value else "false"
            if isinstance(n.value, str):
                return self.string(n.value)
            return self.number(n.value)
        if isinstance(n, ast.Name):
            return self.name(n.id)
        if isinstance(n, ast.UnaryOp):
            op = {ast.USub: "-", ast.Invert: "~", ast.Not: "!"}[type(n.op)]
            return f"({op}{self.text(n.operand)})"
        if isinstance(n, ast.BinOp):
            if isinstance(n.op, ast.Pow):
                return self.call("pow", [self.text(n.left), self.text(n.right)], {})
            if type(n.op) not in BIN:
                raise StanzaError(f"{self.where}: operator not in the language")
            return f"({self.text(n.left)} {BIN[type(n.op)]} {self.text(n.right)})"
        if isinstance(n, ast.Compare) and len(n.ops) == 1:
            return f"({self.text(n.left)} {CMP[type(n.ops[0])]} {self.text(n.comparators[0])})"
        if isinstance(n, ast.BoolOp):
            op = " & " if isinstance(n.op, ast.And) else " | "
            return "(" + op.join(self.text(v) for v in n.values) + ")"
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name):
            return self.call(
                n.func.id,
                [self.arg(a) for a in n.args],
                {k.arg: self.arg(k.value) for k in n.keywords},
            )
        if isinstance(n, (ast.List, ast.Tuple)):
            return self.listing([self.arg(e) for e in n.elts])
        if isinstance(n, ast.IfExp):  # on attributes only
            body, other = self.text(n.body), self.text(n.orelse)
            if isinstance(n.body, ast.List) or isinstance(n.orelse, ast.List):
                body, other = f"IntArray({body})", f"IntArray({other})"
            return f"({self.arg(n.test)} ? {body} : {other})"
        raise StanzaError(f"{self.where}: {ast.dump(n)} is not in the expression language")

    def arg(self, n):
        return self.text(n)


class Condition(Printer):
    """A condition on the attributes of an op, for `when`: its C++ and the attributes in it."""

    def __init__(self, op, text):
        super().__init__(op.where)
        self.op = op
        node = parse(text, op.where)
        out = self.text(node)
        self.cpp = out[1:-1] if out.startswith("(") else out
        self.names = free_names(node)[0]

    def text(self, n):
        scalar = (
            isinstance(n, ast.Compare)
            and isinstance(n.left, ast.Name)
            and self.op.arg(n.left.id).kind == "Scalar"
        )
        if (
            scalar
            and isinstance(n.comparators[0], ast.Constant)
            and isinstance(n.ops[0], (ast.Eq, ast.NotEq))
        ):
            return (
                f"({n.left.id}.to_complex() {CMP[type(n.ops[0])]} "
                f"phi::complex128({n.comparators[0].value!r}))"
            )
        if (
            isinstance(n, ast.UnaryOp)
            and isinstance(n.op, ast.Not)
            and isinstance(n.operand, ast.Name)
        ):
            return f"!{n.operand.id}"
        if isinstance(n, ast.BoolOp):
            return (
                "("
                + (" && " if isinstance(n.op, ast.And) else " || ").join(
                    self.text(v) for v in n.values
                )
                + ")"
            )
        return super().text(n)


class LoopPrinter(Printer):
    """Scalar C++ over math.inc.h; T is the compute type."""

    def number(self, v):
        return f"lit<T>({v!r})"


class CinnPrinter(Printer):
    """cinn::Expr building code."""

    def number(self, v):
        return f"lit({float(v)!r}, T)"


class TensorPrinter(Printer):
    """Calls on paddle::Tensor through the dispatcher; `steps`: names that stand for C++ objects
    that compute a value when they are called."""

    RENAME = {"select": "where", "pow": "pow_expr"}

    def __init__(self, where, ops, steps=()):
        super().__init__(where)
        self.ops, self.steps = ops, steps

    def number(self, v):
        if v is None:
            return "Tensor()"
        return repr(float(v)) if isinstance(v, float) else repr(v)

    def name(self, n):
        return f"{n}()" if n in self.steps else {"inf": "INFINITY"}.get(n, n)

    def text(self, n):
        if isinstance(n, ast.BoolOp):
            sign = " && " if isinstance(n.op, ast.And) else " || "
            return "(" + sign.join(self.test(v) for v in n.values) + ")"
        if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not):
            return f"!{self.test(n.operand)}"
        if isinstance(n, ast.IfExp):
            body, other = self.text(n.body), self.text(n.orelse)
            return body if body == other else f"({self.test(n.test)} ? {body} : {other})"
        if isinstance(n, ast.Subscript):
            return f"item<{ast.literal_eval(n.slice)}>({self.text(n.value)})"
        if isinstance(n, ast.Call) and n.func.id == functions.UNREAD:
            return self.text(n.args[0])
        if is_constant(n):
            return f"{functions.CONSTANT}([&] {{ return {self.text(n.args[0])}; }})"
        if isinstance(n, ast.Call) and n.func.id in self.ops and n.func.id not in self.RENAME:
            kinds = {i: a.kind for i, a in enumerate(self.ops[n.func.id].args)}
            args = [self.operand(a, kinds.get(i)) for i, a in enumerate(n.args)]
            return self.call(n.func.id, args, {k.arg: self.text(k.value) for k in n.keywords})
        return super().text(n)

    def test(self, n):
        """A condition: a tensor stands for whether it is there."""
        return f"there({self.text(n)})"

    def operand(self, n, kind):
        """An argument of an op, of a kind."""
        if kind == "Tensor[]" and isinstance(n, ast.List):
            return "std::vector<Tensor>{" + ", ".join(self.text(e) for e in n.elts) + "}"
        if kind == "DataType" and isinstance(n, ast.Constant):
            return f"DataType::{n.value.upper()}"
        return f"Scalar({self.text(n)})" if kind == "Scalar" else self.text(n)

    def call(self, name, args, kwargs):
        name = self.RENAME.get(name, name)
        if kwargs:
            op = self.ops.get(name)
            if op is None:
                raise StanzaError(f"{self.where}: keyword arguments need an op stanza for {name}")
            rest = op.args[len(args) :]
            last = max(i for i, a in enumerate(rest) if a.name in kwargs)
            for a in rest[: last + 1]:
                value = kwargs.pop(a.name, None)
                if value is None:
                    value = a.cpp_default
                if value is None:
                    raise StanzaError(f"{self.where}: {name}() needs {a.name}")
                args = [*args, value]
            if kwargs:
                raise StanzaError(f"{self.where}: {name}() has no {', '.join(kwargs)}")
        return f"{name}({', '.join(args)})"
