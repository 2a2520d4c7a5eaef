# SPDX-License-Identifier: Apache-2.0
"""Arguments and results of ops, and their public signatures: the small languages of the keys
`args`, `outputs` and `py`.
"""

import ast
import re
from dataclasses import dataclass

from .stanza import TEXTS, Kind, need_name

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
    "IntArray": ("const IntArray&", "IntArray", True),
    "Scalar": ("const Scalar&", "Scalar", True),
    "Scalar[]": ("const std::vector<Scalar>&", "std::vector<Scalar>", False),
    "DataType": ("DataType", "DataType", False),
    "Place": ("Place", "Place", False),
}
TENSORS = {
    "Tensor": "const Tensor&",
    "Tensor?": "const Tensor&",
    "Tensor[]": "const std::vector<Tensor>&",
}


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
    def cpp_value(self):
        """The C++ type of a variable that holds the argument."""
        return self.cpp.replace("const ", "").replace("&", "")

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
            return self.cpp_value + d.replace("[", "{").replace("]", "}")
        if self.kind in ("float[]", "double[]", "str[]", "Scalar[]"):
            return self.cpp_value + d.replace("[", "{").replace("]", "}")
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


def split_top(text, sep=","):
    """The parts of a text between separators that are in no bracket and no string."""
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


class Listed(Kind):
    """`(Kind name, ...)`; `make` makes an element of the match of `pattern`."""

    def __init__(self, shown, pattern, make):
        super().__init__(shown)
        self.pattern, self.make = re.compile(pattern), make

    def read(self, value, where, key):
        if not (isinstance(value, str) and value.startswith("(") and value.endswith(")")):
            raise where.error(f"{key}: expected {self.shown}, got {value!r}")
        out = []
        for part in split_top(value[1:-1]):
            m = self.pattern.fullmatch(part)
            if not m:
                raise where.error(f"{key}: expected {self.shown}, got {part!r}")
            out.append(self.make(m))
            if any(o.name == out[-1].name for o in out[:-1]):
                raise where.error(f"{key}: {out[-1].name} stands twice")
        return out


_KIND = "|".join(re.escape(k) for k in sorted([*KINDS, *TENSORS], key=len, reverse=True))
ARGS = Listed(
    "(Kind name, Kind name=default, ...)",
    rf"({_KIND})\s+(\w+)(?:\s*=\s*(.*))?",
    lambda m: Arg(m[2], m[1], m[3]),
)
OUTS = Listed(
    "(Tensor name, ...)",
    r"Tensor(\[\]|\?)?\s+(\w+)",
    lambda m: Out(m[2], m[1] == "[]", m[1] == "?"),
)

MODULES = {
    "F": "paddle.nn.functional",
    "linalg": "paddle.linalg",
    "fft": "paddle.fft",
    "signal": "paddle.signal",
    "Tensor": "paddle.Tensor",
    "incubate": "paddle.incubate",
    "geometric": "paddle.geometric",
    "IF": "paddle.incubate.nn.functional",
    "vision": "paddle.vision.ops",
    "_C_ops": "paddle._C_ops",
}


class Signatures(Kind):
    """`F.gelu(x, approximate=False, name=None, *, out=None)`, one or a list."""

    def read(self, value, where, key):
        texts = TEXTS.read(value, where, key)
        return [
            self.one(text.strip(), where, key)
            for text in ([texts] if isinstance(texts, str) else texts)
        ]

    def one(self, text, where, key):
        m = re.fullmatch(r"(?:(\w+)\.)?(\w+)\((.*)\)", text, re.S)
        if not m:
            raise where.error(f"{key}: expected a signature, got {text!r}")
        if m[1]:
            need_name(m[1], MODULES, where, key, f"one of {', '.join(MODULES)}", "module")
        try:
            fn = ast.parse(f"def f({m[3]}): pass").body[0].args
        except SyntaxError as e:
            raise where.error(f"{key}: expected a signature, got {text!r}: {e.msg}") from e
        pos = fn.posonlyargs + fn.args
        defaults = [None] * (len(pos) - len(fn.defaults)) + [ast.unparse(d) for d in fn.defaults]
        args = [PyArg(a.arg, d) for a, d in zip(pos, defaults)]
        if fn.vararg:
            args.append(PyArg(fn.vararg.arg, None, varargs=True))
        args += [
            PyArg(a.arg, ast.unparse(d) if d is not None else None, kwonly=True)
            for a, d in zip(fn.kwonlyargs, fn.kw_defaults)
        ]
        return PySig(MODULES[m[1]] if m[1] else "paddle", m[2], args)


SIGNATURES = Signatures("signature or [signature, ...]")
