# SPDX-License-Identifier: Apache-2.0
"""CINN lowering functions of elementwise ops and their gradients."""
from . import emit_loops
from .expr import CinnPrinter


class Printer(CinnPrinter):
    def call(self, fn, args, kwargs):
        return args[0] if fn == "conj_of" else super().call(fn, args, kwargs)

    def number(self, v):
        return repr(v)


class Lowerings:
    """The lowering functions of a family; a base of emit_cpp.Family."""

    def lowering(self):
        """CINN lowering functions of elementwise ops."""
        L = []
        reg = []
        for op in self.ops:
            if not op.elementwise:
                continue
            forms = [(cond, e, e.bodies.get("float", e.bodies.get("default"))) for cond, e in emit_loops.forward(op)]
            if all(body is not None and {"float", "int", "bool"} & set(e.classes) for _, e, body in forms):
                reg.append(self.lower_fn(op, op.name, forms, L))
            if self.has_grad(op) and len(op.tensors) == 1:
                gs = emit_loops.gradients(op)
                for n, e in gs.items():
                    g = self.grad_def(op)
                    if e is None or g is None:
                        continue
                    order = [loc for _, loc, _, _ in g["tensors"]]
                    reg.append(self.lower_fn(op, f"{op.name}_grad", [(None, e, e.bodies["default"])], L, order))
        return L, reg

    def lower_fn(self, op, name, forms, L, order=None):
        ins = order or forms[0][1].inputs
        attr_names = [a.name for a in op.attrs]
        lines = [f"Expr lower_{name}([[maybe_unused]] const Expr* in, [[maybe_unused]] const phi::Scalar* attrs) {{"]
        for k, n in enumerate(ins):
            if any(n in e.inputs for _, e, _ in forms):
                lines.append(f"  [[maybe_unused]] const Expr& {n} = in[{k}];")
        for cond, e, body in sorted(forms, key=lambda f: f[0] is None):
            block = [f"const Expr {n}(attrs[{attr_names.index(n)}]);" for n in e.attr_names]
            block.append(f"return {Printer(op.where).text(body)};")
            if cond:
                plain = [f"const phi::Scalar& {a.name} = attrs[{k}];" if a.kind == "Scalar" else f"const double {a.name} = attrs[{k}].to_double();"
                         for k, a in enumerate(op.attrs) if a.name in cond.names]
                lines.append(f"  if ([&] {{ {' '.join(plain)} return {cond.cpp}; }}()) {{ {' '.join(block)} }}")
            else:
                lines += ["  " + line for line in block]
        lines.append("}")
        L.append("\n".join(lines))
        return (name, len(ins))
