# SPDX-License-Identifier: Apache-2.0
"""The typed model of op stanzas: parsed once here, read by every emitter."""
import ast
import json
import pathlib
import re
from dataclasses import dataclass, field

import yaml

HERE = pathlib.Path(__file__).parent


class StanzaError(Exception):
    pass


# kind -> (C++ parameter type, AttrValue alternative, operand when recorded)
KINDS = {
    "bool": ("bool", "bool", False),
    "int": ("int64_t", "int32_t", False),
    "int64": ("int64_t", "int64_t", False),
    "float": ("double", "float", False),
    "double": ("double", "double", False),
    "str": ("const std::string&", "std::string", False),
    "int[]": ("const Ints&", "std::vector<int32_t>", False),
    "int64[]": ("const Ints&", "std::vector<int64_t>", False),
    "float[]": ("const std::vector<double>&", "std::vector<float>", False),
    "double[]": ("const std::vector<double>&", "std::vector<double>", False),
    "str[]": ("const std::vector<std::string>&", "std::vector<std::string>", False),
    "IntArray": ("const Ints&", "Ints", True),
    "Scalar": ("const Scalar&", "Scalar", True),
    "Scalar[]": ("const std::vector<Scalar>&", "std::vector<Scalar>", False),
    "DataType": ("DataType", "DataType", False),
    "Place": ("Place", "Place", False),
}
TENSORS = {"Tensor": "const Tensor&", "Tensor?": "const Tensor&", "Tensor[]": "const std::vector<Tensor>&"}


@dataclass
class Arg:
    name: str
    kind: str
    default: str | None = None

    @property
    def is_tensor(self):
        return self.kind in TENSORS

    @property
    def optional(self):
        return self.kind == "Tensor?"

    @property
    def variadic(self):
        return self.kind == "Tensor[]"

    @property
    def cpp(self):
        return TENSORS.get(self.kind) or KINDS[self.kind][0]

    @property
    def attr_type(self):
        return KINDS[self.kind][1]

    @property
    def is_operand_attr(self):
        return not self.is_tensor and KINDS[self.kind][2]

    @property
    def cpp_default(self):
        """The default as a C++ expression of the parameter's type, or None."""
        d = self.default
        if d is None:
            return None
        if self.kind == "DataType":
            return f"DataType::{d.upper()}"
        if self.kind == "Place":
            return "Place{}"
        if self.kind in ("IntArray", "int[]", "int64[]"):
            return "Ints" + d.replace("[", "{").replace("]", "}")
        if self.kind in ("float[]", "double[]", "str[]", "Scalar[]"):
            return self.cpp.replace("const ", "").replace("&", "") + d.replace("[", "{").replace("]", "}")
        if self.kind == "Scalar":
            return f"Scalar({d})"
        if self.kind == "str":
            return f'std::string({d})'
        return d


@dataclass
class Out:
    name: str
    variadic: bool = False
    optional: bool = False


@dataclass
class PyArg:
    name: str
    default: str | None = None  # Python literal text
    kwonly: bool = False
    varargs: bool = False


@dataclass
class PySig:
    module: str  # "paddle", "paddle.nn.functional", "paddle.linalg", ...
    name: str
    args: list


@dataclass
class Op:
    name: str
    family: str
    file: str
    args: list
    outs: list
    raw: dict
    py: list = field(default_factory=list)

    def get(self, key, default=None):
        return self.raw.get(key, default)

    @property
    def tensors(self):
        return [a for a in self.args if a.is_tensor]

    @property
    def attrs(self):
        return [a for a in self.args if not a.is_tensor]

    @property
    def elementwise(self):
        return "body" in self.raw

    @property
    def composed(self):
        return bool(self.raw.get("compose"))

    @property
    def internal(self):
        return bool(self.raw.get("internal"))

    @property
    def vjp(self):
        """{input: expression text}; deriv entries are turned into products."""
        out = {}
        for k, e in (self.raw.get("deriv") or {}).items():
            out[k] = f"dout * conj_of({e})" if self.raw.get("complex_deriv") else f"dout * ({e})"
        for k, e in (self.raw.get("vjp") or {}).items():
            out[k] = str(e)
        return out

    @property
    def view(self):
        return bool(self.raw.get("view"))

    @property
    def inplace_of(self):
        """{output: input} for ops whose name itself means in-place (adam_)."""
        return self.raw.get("inplace_map") or {}

    @property
    def has_inplace(self):
        return bool(self.raw.get("inplace"))

    def arg(self, name):
        for a in self.args:
            if a.name == name:
                return a
        raise StanzaError(f"{self.file}: {self.name}: no argument {name}")

    @property
    def camel(self):
        return "".join(p[:1].upper() + p[1:] for p in self.name.split("_"))


def split_top(text, sep=","):
    parts, depth, cur, quote = [], 0, "", None
    for ch in text:
        if quote:
            quote = None if ch == quote else quote
        elif ch in "\"'":
            quote = ch
        elif ch in "([{":
            depth += 1
        elif ch in ")]}":
            depth -= 1
        if ch == sep and depth == 0 and not quote:
            parts.append(cur)
            cur = ""
        else:
            cur += ch
    if cur.strip():
        parts.append(cur)
    return [p.strip() for p in parts]


def strip_parens(text):
    text = text.strip()
    if not (text.startswith("(") and text.endswith(")")):
        raise StanzaError(f"expected (...), got {text!r}")
    return text[1:-1]


def parse_args(text):
    out = []
    for part in split_top(strip_parens(text)):
        m = re.fullmatch(r"([A-Za-z0-9]+(?:\[\]|\?)?)\s+(\w+)(?:\s*=\s*(.*))?", part)
        if not m or (m[1] not in KINDS and m[1] not in TENSORS):
            raise StanzaError(f"cannot read argument {part!r}")
        out.append(Arg(m[2], m[1], m[3]))
    return out


def parse_outs(text):
    out = []
    for part in split_top(strip_parens(text)):
        m = re.fullmatch(r"Tensor(\[\]|\?)?\s+(\w+)", part)
        if not m:
            raise StanzaError(f"cannot read output {part!r}")
        out.append(Out(m[2], m[1] == "[]", m[1] == "?"))
    return out


MODULES = {"F": "paddle.nn.functional", "linalg": "paddle.linalg", "fft": "paddle.fft", "signal": "paddle.signal",
           "Tensor": "paddle.Tensor", "incubate": "paddle.incubate", "geometric": "paddle.geometric", "IF": "paddle.incubate.nn.functional",
           "vision": "paddle.vision.ops", "_C_ops": "paddle._C_ops"}


def parse_py(text):
    """`F.gelu(x, approximate=False, name=None, *, out=None)` as a signature."""
    m = re.fullmatch(r"(?:(\w+)\.)?(\w+)\((.*)\)", text.strip(), re.S)
    if not m:
        raise StanzaError(f"cannot read python signature {text!r}")
    fn = ast.parse(f"def f({m[3]}): pass").body[0].args
    args = []
    pos = fn.posonlyargs + fn.args
    defaults = [None] * (len(pos) - len(fn.defaults)) + [ast.unparse(d) for d in fn.defaults]
    args += [PyArg(a.arg, d) for a, d in zip(pos, defaults)]
    if fn.vararg:
        args.append(PyArg(fn.vararg.arg, None, varargs=True))
    args += [PyArg(a.arg, ast.unparse(d) if d is not None else None, kwonly=True) for a, d in zip(fn.kwonlyargs, fn.kw_defaults)]
    return PySig(MODULES[m[1]] if m[1] else "paddle", m[2], args)


def check_reach(op, line):
    """Every argument of a public signature reaches the op, a map or the wrapper: none is dropped."""
    mapping = op.get("py_map") or {}
    for name in mapping:
        op.arg(name)
    reached = {mapping.get(a.name, a.name) for a in op.args} | {"name", "out"} | ({"inplace"} if op.has_inplace else set())
    for sig in op.py:
        for p in sig.args:
            if p.name not in reached:
                raise StanzaError(f"{op.file}:{line}: {op.name}: the argument {p.name} of py: {sig.name}(...) reaches neither the op nor py_map")


def as_list(v):
    return [] if v is None else v if isinstance(v, list) else [v]


def load(root):
    """Reads every stanza under root, in a stable order."""
    ops, names = [], set()
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in sorted(pathlib.Path(root).rglob("*.yaml")):
        family = path.parent.name
        text = path.read_text()
        for raw in yaml.load(text, Loader=loader) or []:
            try:
                op = Op(raw["op"], family, str(path), parse_args(raw["args"]), parse_outs(raw["outputs"]), raw)
                op.py = [parse_py(p) for p in as_list(raw.get("py"))]
            except (StanzaError, KeyError, SyntaxError) as e:
                raise StanzaError(f"{path}: {raw.get('op')}: {e}") from e
            if op.name in names:
                raise StanzaError(f"{path}: {op.name} is defined twice")
            names.add(op.name)
            check_reach(op, text.partition(f"- op: {op.name}\n")[0].count("\n") + 1)
            ops.append(op)
    return ops


_identity = None


def identity(name):
    """Operands, results and attributes of a pd_op of PaddlePaddle 3.3.1, or None."""
    global _identity
    if _identity is None:
        _identity = json.loads((HERE / "identity.json").read_text())
    return _identity.get(name)
