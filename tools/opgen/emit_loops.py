# SPDX-License-Identifier: Apache-2.0
"""Elementwise loops: one C++ loop per (op, compute type), built for each instruction set, and the
EwDef that lists them.
"""

import ast

from .expr import Condition, LoopPrinter, Printer, free_names, parse
from .signatures import flag
from .template import commas, fill

# Namespaces of the builds of kernels, in the order of phi::Isa; `--sets` replaces them.
SETS = ["cpu_avx2", "cpu_avx512"]
# suffix, C++ type, LoopType index, stanza class
TYPES = [
    ("f32", "float", 0, "float"),
    ("f64", "double", 1, "float"),
    ("i32", "int32_t", 2, "int"),
    ("i64", "int64_t", 3, "int"),
    ("b", "bool", 4, "bool"),
    ("c64", "cplx<float>", 5, "complex"),
    ("c128", "cplx<double>", 6, "complex"),
]
REAL = {"cplx<float>": "float", "cplx<double>": "double"}
DTYPES = [
    "BOOL",
    "UINT8",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "FLOAT16",
    "BFLOAT16",
    "FLOAT32",
    "FLOAT64",
    "COMPLEX64",
    "COMPLEX128",
    "FLOAT8_E4M3FN",
    "FLOAT8_E5M2",
]
COMPUTE = {
    "BOOL": "BOOL",
    "UINT8": "INT32",
    "INT8": "INT32",
    "INT16": "INT32",
    "INT32": "INT32",
    "INT64": "INT64",
    "FLOAT16": "FLOAT32",
    "BFLOAT16": "FLOAT32",
    "FLOAT32": "FLOAT32",
    "FLOAT64": "FLOAT64",
    "COMPLEX64": "COMPLEX64",
    "COMPLEX128": "COMPLEX128",
    "FLOAT8_E4M3FN": "FLOAT32",
    "FLOAT8_E5M2": "FLOAT32",
}


def dtype_class(d):
    return (
        "bool" if d == "BOOL" else "int" if "INT" in d else "complex" if "COMPLEX" in d else "float"
    )


LOOP = """
PD_EW_BEGIN(${name}_$suffix)
using T = $ctype;
PD_EW_OUT(0, $result)
$ins
$attrs
PD_EW_BODY
$loads
PD_EW_STORE(0, $body)
PD_EW_END
"""
DEFINITION = """
constexpr EwDef k_$name = {"$op", $ins, 1,
  {$compute},
  {$results},
  {$bools}, {EwOut::$out}, $cost, {$table}};
"""


class Ew:
    """One elementwise kernel: the op itself, a variant of it, or the gradient of one input."""

    def __init__(
        self,
        op,
        name,
        inputs,
        bodies,
        classes,
        out="same",
        compute=None,
        int_as_float=None,
        bool_inputs=(),
        cost=16,
        int_via=None,
    ):
        self.op, self.name, self.inputs, self.bodies, self.classes = (
            op,
            name,
            inputs,
            bodies,
            classes,
        )
        self.out, self.compute, self.bool_inputs = out, compute, set(bool_inputs)
        self.int_as_float = "FLOAT32" if int_as_float is True else int_as_float
        self.cost, self.int_via = cost, int_via
        self.attr_names, self.plain_attrs, self.numbers = [], [], {}
        attrs = {a.name for a in op.attrs}
        for b in bodies.values():
            add_new(self.attr_names, sorted(free_names(b)[0] & attrs))
            found = numbers_in(b, attrs) if self.classes == ["float"] else []
            self.numbers |= {ast.unparse(n): n for n in found}
            add_new(self.plain_attrs, sorted(names_beside(b, self.numbers) & attrs))

    def body_for(self, cls):
        return self.bodies.get(cls, self.bodies.get("default"))

    def loop_types(self):
        if self.compute == "bool":
            return [t for t in TYPES if t[3] == "bool"]
        return [t for t in TYPES if t[3] in self.classes and self.body_for(t[3]) is not None]

    def compute_of(self, d):
        cls = dtype_class(d)
        if self.compute == "bool":
            return "BOOL"
        if cls in self.classes and self.body_for(cls) is not None:
            return COMPUTE[d]
        if self.int_as_float and cls in ("int", "bool"):
            return self.int_as_float
        if self.int_via and cls in ("int", "bool"):
            return self.int_via
        return "UNDEFINED"

    def result_of(self, d):
        if (
            self.int_as_float
            and dtype_class(d) in ("int", "bool")
            and self.compute_of(d) == self.int_as_float
        ):
            return self.int_as_float
        return d

    def loops(self):
        """The C++ of the loops, one for each compute type."""
        return [self.loop(suffix, ctype, cls) for suffix, ctype, _, cls in self.loop_types()]

    def loop(self, suffix, ctype, cls):
        boolean = self.compute == "bool"
        body = (
            self.bodies.get("bool", self.bodies.get("default")) if boolean else self.body_for(cls)
        )
        result = {"same": ctype, "bool": "bool", "real": REAL.get(ctype, ctype)}[self.out]
        return fill(
            LOOP,
            name=self.name,
            suffix=suffix,
            ctype=ctype,
            result=result,
            body=Loop(self.op.where, self.number_names).text(body),
            ins=[
                f"PD_EW_IN({i + 1}, {'bool' if n in self.bool_inputs else ctype})"
                for i, n in enumerate(self.inputs)
            ],
            attrs=[self.attr_line(k, n, ctype, cls) for k, n in self.attr_slots()]
            + [f"PD_EW_ATTR({k}, {ctype}, {n})" for k, n in self.number_slots()],
            loads=[f"PD_EW_LOAD({i + 1}, {n})" for i, n in enumerate(self.inputs)],
        )

    def attr_line(self, k, name, ctype, cls):
        kind = self.op.arg(name).kind
        if kind == "Scalar" and cls == "int":
            return f"PD_EW_ATTR_INT({k + 1}, {ctype}, {name})"
        if kind == "Scalar" and cls == "complex":
            return f"PD_EW_ATTR_C({k}, {REAL[ctype]}, {name})"
        return f"PD_EW_ATTR({k}, {'bool' if kind == 'bool' else ctype}, {name})"

    def declarations(self):
        return [
            f"PD_ISA_DECL(void, {self.name}_{s}, (char* const* ptrs, int64_t n, const double* "
            f"attrs))"
            for s, _, _, _ in self.loop_types()
        ]

    def definition(self):
        """The C++ of its EwDef."""
        table = []
        for isa in SETS:
            have = {
                index: f"&phi::{isa}::{self.name}_{suffix}"
                for suffix, _, index, _ in self.loop_types()
            }
            table.append("{" + commas(have.get(i, "nullptr") for i in range(len(TYPES))) + "}")
        return fill(
            DEFINITION,
            name=self.name,
            op=self.op.name,
            ins=len(self.inputs),
            cost=self.cost,
            table=commas(table),
            compute=commas(f"DataType::{self.compute_of(d)}" for d in DTYPES),
            results=commas(f"DataType::{self.result_of(d)}" for d in DTYPES),
            bools=commas(flag(n in self.bool_inputs) for n in self.inputs),
            out="k" + self.out.capitalize(),
        )

    def attr_array(self):
        """C++ initialiser of the double array handed to the loop."""
        vals = []
        for n in self.plain_attrs:
            if self.op.arg(n).kind == "Scalar":
                vals += [f"{n}.to_double()", f"phi::IntegerBits({n})", f"{n}.to_complex().imag()"]
            else:
                vals.append(f"static_cast<double>({n})")
        return vals + [Number(self.op).text(n) for n in self.numbers.values()]

    def attr_slots(self):
        """[(position in that array, name)] of attributes."""
        out, at = [], 0
        for n in self.plain_attrs:
            out.append((at, n))
            at += 3 if self.op.arg(n).kind == "Scalar" else 1
        return out

    @property
    def number_names(self):
        """{text: name} of the numbers that are computed of attributes before the loop."""
        return {text: f"number{k}" for k, text in enumerate(self.numbers)}

    def number_slots(self):
        """[(position in that array, name)] of those numbers."""
        at = len(self.attr_array()) - len(self.numbers)
        return [(at + k, n) for k, n in enumerate(self.number_names.values())]


def add_new(names, more):
    names += [n for n in more if n not in names]


def numbers_in(node, attrs):
    """The parts of an expression that are arithmetic on attributes and plain numbers. Loops get
    them computed once, in float64, as the fusion compiler computes them."""
    parts = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.operator, ast.USub, ast.Load)
    names = free_names(node)[0]
    if isinstance(node, ast.BinOp) and names and names <= attrs:
        if all(isinstance(n, parts) for n in ast.walk(node)):
            return [node]
    return [found for n in ast.iter_child_nodes(node) for found in numbers_in(n, attrs)]


def names_beside(node, numbers):
    """Names in the expression outside of `numbers`, which are texts."""
    if isinstance(node, ast.expr) and ast.unparse(node) in numbers:
        return set()
    names = {node.id} if isinstance(node, ast.Name) else set()
    return names.union(*(names_beside(n, numbers) for n in ast.iter_child_nodes(node)))


class Number(Printer):
    """C++ of a double, of attributes."""

    def __init__(self, op):
        super().__init__(op.where)
        self.op = op

    def number(self, v):
        return repr(float(v))

    def name(self, n):
        return (
            f"{n}.to_double()" if self.op.arg(n).kind == "Scalar" else f"static_cast<double>({n})"
        )


class Loop(LoopPrinter):
    """The body of a loop; `numbers`: {text of an expression: the name that stands for it}."""

    def __init__(self, where, numbers=()):
        super().__init__(where)
        self.numbers = dict(numbers)

    def text(self, n):
        return self.numbers.get(ast.unparse(n)) or super().text(n)

    def call(self, name, args, kwargs):
        if name == "conj_of":
            return args[0]
        return super().call(name, args, kwargs)


def kernels(g):
    """The elementwise kernels of an op: its own, and those of its gradient."""
    if not g.op.elementwise:
        return []
    own = [e for _, e in forward(g.op)]
    made = gradients(g.op).values() if g.exists else []
    return own + [e for forms in made for _, e in forms or []]


def parse_bodies(op, value):
    """{class or "default": parsed expression}."""
    return {
        k: parse(v, op.where)
        for k, v in (value if isinstance(value, dict) else {"default": value}).items()
    }


def forward(op):
    """[(Condition or None, Ew)] for the op's body and its variants."""
    out = []
    for k, variant in enumerate(op.body):
        name = f"ew_{op.name}" + (f"_v{k}" if k else "")
        out.append(
            (
                variant.when and Condition(op, variant.when),
                Ew(
                    op,
                    name,
                    [t.name for t in op.tensors],
                    parse_bodies(op, variant.expr),
                    op.dtypes,
                    op.out,
                    op.compute,
                    op.int_as_float,
                    op.bool_inputs,
                    op.cost,
                    op.int_via,
                ),
            )
        )
    return out


def gradients(op):
    """{input: [(Condition or None, Ew)], or None}: None where the gradient is the output gradient
    itself or not one fused loop for each condition on attributes.
    """
    if not op.elementwise or op.vjp_kernel:
        return {}
    return {name: gradient_forms(op, name, node) for name, node in op.vjp_whole.items()}


def gradient_forms(op, name, node):
    attrs, forms = {a.name for a in op.attrs}, []
    while isinstance(node, ast.IfExp) and free_names(node.test)[0] <= attrs:
        forms.append((Condition(op, ast.unparse(node.test)), node.body))
        node = node.orelse
    forms.append((None, node))
    if not op.loop_grad or not all(is_loop(op, body) for _, body in forms):
        return None
    bools, out = set(op.bool_inputs), []
    for k, (condition, body) in enumerate(forms):
        ins = sorted(free_names(body)[0] - attrs)
        ins.sort(key=lambda n: n in bools)
        loop = f"ew_{op.name}_grad_{name}" + (f"_v{k}" if k else "")
        bodies = {"default": body}
        out.append(
            (condition, Ew(op, loop, ins, bodies, ["float"], bool_inputs=bools, cost=op.cost))
        )
    return out


def is_loop(op, node):
    """Whether a gradient is a scalar expression over elements and attributes, and not one of them
    alone."""
    names = [n.name for n in [*op.args, *op.outs]]
    return (
        not isinstance(node, ast.Name)
        and not any(isinstance(n, (ast.List, ast.keyword, ast.IfExp)) for n in ast.walk(node))
        and free_names(node)[0] <= {*names, "dout"}
    )
