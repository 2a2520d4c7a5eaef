# SPDX-License-Identifier: Apache-2.0
"""The C++ of a family: dispatching API functions, grad nodes, first-order gradients, and OpDefs."""
import re

from . import emit_loops, slopes
from .expr import TensorPrinter, free_names, parse, shared_names
from .model import StanzaError, identity

ARG_KIND = {"Tensor": "kTensor", "Tensor?": "kOptionalTensor", "Tensor[]": "kTensorList"}


ALTERNATIVES = {"double": "double", "float": "float", "int": "int32_t", "int64_t": "int64_t", "bool": "bool"}


def flag(value):
    return "true" if value else "false"


def pir_name(arg):
    """The name in programs: a trailing underscore only keeps C++ and Python keywords apart (`lambda_`)."""
    return arg.name.rstrip("_")


def attr_form(op_name, arg):
    """(ArgDef kind, AttrValue alternative) of an attribute: an operand only where PaddlePaddle makes it one."""
    ident = identity(op_name)
    if not arg.is_operand_attr or not ident or arg.name in ident["mutable"]:
        return ("kOperandAttr" if arg.is_operand_attr else "kAttr"), arg.attr_type
    types = {n: t for n, t, _ in ident["attrs"]}
    return "kAttr", ALTERNATIVES.get(types.get(arg.name), arg.attr_type)


def ret_type(op):
    one = ["std::vector<Tensor>" if o.variadic else "Tensor" for o in op.outs]
    return one[0] if len(one) == 1 else f"std::tuple<{', '.join(one)}>"


def params(op, defaults=False, drop_const_first=False):
    out = []
    for i, a in enumerate(op.args):
        t = a.cpp
        if drop_const_first and i == 0:
            t = "Tensor&"
        d = a.cpp_default if defaults and all(b.cpp_default is not None or b.optional for b in op.args[i:] ) else None
        if defaults and a.optional and all(b.cpp_default is not None or b.optional for b in op.args[i:]):
            d = "Tensor()"
        out.append(f"{t} {a.name}" + (f" = {d}" if d is not None else ""))
    return ", ".join(out)


def names(op):
    return ", ".join(a.name for a in op.args)


def declaration(op):
    lines = []
    if op.get("doc"):
        lines += [f"// {line}" for line in op.get("doc").strip().splitlines()]
    lines.append(f"PADDLE_API {ret_type(op)} {op.name}({params(op, True)});")
    if op.has_inplace:
        lines.append(f"PADDLE_API Tensor& {op.name}_({params(op, True, True)});")
    return "\n".join(lines)


class Family:
    def __init__(self, name, ops, by_name):
        self.name, self.ops, self.by_name = name, ops, by_name

    # --- pieces -----------------------------------------------------------------------------------------------
    def kernel_proto(self, op):
        """Declaration of the hand-written kernel and shape rule of a structured op."""
        lines = []
        outs = ", ".join(f"std::vector<Tensor>& {o.name}" if o.variadic else f"Tensor& {o.name}" for o in op.outs)
        plist = params(op)
        if op.get("kernel"):
            lines.append(f"void {op.get('kernel')}({plist}{', ' if plist else ''}{outs});")
        infer = op.get("infer")
        if infer and infer not in ("unchanged", "broadcast", "none"):
            lines.append(f"void {infer}({self.infer_params(op)});")
        if op.get("vjp_kernel"):
            lines.append(f"void {op.get('vjp_kernel')}({self.vjp_kernel_params(op)});")
        return lines

    def infer_params(self, op):
        ps = []
        for a in op.args:
            if a.is_tensor:
                ps.append(f"const MetaList& {a.name}" if a.variadic else f"const Meta{'*' if a.optional else '&'} {a.name}")
            else:
                ps.append(f"{a.cpp} {a.name}")
        for o in op.outs:
            ps.append(f"std::vector<Meta>& {o.name}" if o.variadic else f"Meta& {o.name}")
        return ", ".join(ps)

    def grad_inputs(self, op):
        """Tensor arguments that have a gradient, in argument order."""
        if op.get("vjp_kernel") and not op.vjp:
            keys = op.get("grad_of") or [t.name for t in op.tensors]
        elif op.composed and not op.vjp:
            keys = op.get("grad_of") or [t.name for t in op.tensors]
        else:
            keys = list(op.vjp)
        return [t for t in op.tensors if t.name in keys]

    def has_grad(self, op):
        return bool(op.vjp or op.get("vjp_kernel"))

    def saved(self, op):
        """(contents, meta_only) names the gradient rules read, among inputs and outputs."""
        contents, metas = set(), set()
        tens = {t.name for t in op.tensors} | {o.name for o in op.outs}
        for k, text in op.vjp.items():
            n, c = free_names(parse(text, f"{op.file}: {op.name}"))
            contents |= c & tens
            metas |= n & tens
        if op.get("vjp_kernel"):
            contents |= set(op.get("saves", [])) & tens
        for k in op.get("saves_meta", []):
            metas.add(k)
        return contents, metas - contents

    def douts(self, op):
        return ["dout"] if len(op.outs) == 1 else [f"d{o.name}" for o in op.outs]

    def grad_context(self, op):
        """Everything a gradient function receives: saved tensors (sorted), output gradients, attributes."""
        contents, metas = self.saved(op)
        order = [t.name for t in op.tensors] + [o.name for o in op.outs]
        return [n for n in order if n in contents | metas]

    def context_params(self, op):
        ps = []
        variadic = {t.name for t in op.tensors if t.variadic} | {o.name for o in op.outs if o.variadic}
        for n in self.grad_context(op):
            ps.append(f"const std::vector<Tensor>& {n}" if n in variadic else f"const Tensor& {n}")
        for o, d in zip(op.outs, self.douts(op)):
            ps.append(f"const std::vector<Tensor>& {d}" if o.variadic else f"const Tensor& {d}")
        ps += [f"{a.cpp} {a.name}" for a in op.attrs]
        return ps

    def context_args(self, op):
        return [*self.grad_context(op), *self.douts(op), *[a.name for a in op.attrs]]

    def vjp_kernel_params(self, op):
        """vjp_kernel(saved..., douts..., attrs..., Tensor* dx...): null where a gradient is not wanted."""
        ps = self.context_params(op)
        for t in self.grad_inputs(op):
            ps.append(f"std::vector<Tensor>* d_{t.name}" if t.variadic else f"Tensor* d_{t.name}")
        return ", ".join(ps)

    def vjp_params(self, op):
        """Parameters of the composed and first-order functions: context, wanted mask, destination per gradient input."""
        ps = self.context_params(op)
        ps.append("const bool* need")
        for t in self.grad_inputs(op):
            ps.append(f"std::vector<Tensor>& g_{t.name}" if t.variadic else f"Tensor& g_{t.name}")
        return ", ".join(ps)

    # --- gradient functions ------------------------------------------------------------------------------------
    def broadcasts(self, op):
        return op.elementwise and len(op.tensors) > 1

    def composed_vjp(self, op):
        where = f"{op.file}: {op.name}"
        if not op.vjp:
            return None
        lines = [f"void composed_{op.name}_grad({self.vjp_params(op)}) {{"]
        for i, t in enumerate(self.grad_inputs(op)):
            node = parse(op.vjp[t.name], where)
            text = TensorPrinter(where, self.by_name).text(node)
            lines.append(f"  if (need[{i}]) g_{t.name} = {text};")
        lines.append("}")
        return "\n".join(lines)

    def first_order(self, op):
        """The gradient eager uses when no higher order is asked for."""
        lines = [f"void first_{op.name}_grad({self.vjp_params(op)}) {{"]
        gins = self.grad_inputs(op)
        if op.get("vjp_kernel"):
            reads = [*self.grad_context(op), *self.douts(op)]
            dests = [f"need[{i}] ? &g_{t.name} : nullptr" for i, t in enumerate(gins)]
            work = " + ".join(f"phi::WorkOf({n})" for n in reads)
            held = " ".join(f"const auto h_{n} = phi::Held({n});" for n in reads)
            call = f"phi::{op.get('vjp_kernel')}({', '.join([*reads, *[a.name for a in op.attrs], *dests])});"
            apart = f"phi::{op.get('vjp_kernel')}({', '.join([*['h_' + n for n in reads], *[a.name for a in op.attrs], *dests])});"
            lines.append(f"  if (__builtin_expect({work} >= {op.get('long_from', 'phi::kLongWork')}, 0)) {{ {held} const phi::WithoutHostLock unlocked; {apart} return; }}")
            lines.append(f"  {call}")
            lines.append("}")
            return "\n".join(lines)
        ews = emit_loops.gradients(op)
        where = f"{op.file}: {op.name}"
        fused = {n: e for n, e in ews.items() if e is not None}
        if fused:
            first = next(iter(fused.values()))
            lines.append(f"  if (phi::IsComplex({first.inputs[0] if first.inputs else 'dout'}.dtype())) {{")
            lines.append(f"    composed_{op.name}_grad({', '.join(self.context_args(op) + ['need'] + ['g_' + t.name for t in gins])});")
            lines.append("    return;\n  }")
        for i, t in enumerate(gins):
            e = ews.get(t.name)
            if e is None:
                text = TensorPrinter(where, self.by_name).text(parse(op.vjp[t.name], where))
                lines.append(f"  if (need[{i}]) g_{t.name} = {text};")
            else:
                vals = e.attr_array()
                lines.append(f"  if (need[{i}]) {{")
                lines.append(f"    const Tensor* in[] = {{{', '.join('&' + n for n in e.inputs)}}};")
                lines.append(f"    Tensor* out_[] = {{&g_{t.name}}};")
                if vals:
                    lines.append(f"    const double at[] = {{{', '.join(vals)}}};")
                lines.append(f"    phi::RunEw(k_{e.name}, in, out_, {'at' if vals else 'nullptr'});\n  }}")
        lines.append("}")
        return "\n".join(lines)

    def grad_def(self, op):
        """OpDef of `<op>_grad`, when the identity has it and every operand can be named. A fused kernel needs only what it
        reads (`saves`). As in PaddlePaddle, gradients of outputs that the op has no operand for do not count."""
        name = f"{op.name.rstrip('_')}_grad"
        ident = identity(name)
        if not ident or op.get("no_grad_op"):
            return None
        fwd = {pir_name(a): a for a in op.args}
        outs = {o.name: o for o in op.outs}
        douts = dict(zip([o.name for o in op.outs], self.douts(op)))
        gins = self.grad_inputs(op)
        tensors, attrs = [], []
        mutable = set(ident["mutable"])
        for n in ident["inputs"]:
            if n in mutable:
                continue
            if n in fwd and fwd[n].is_tensor:
                tensors.append((n, n, fwd[n].variadic, fwd[n].optional))
            elif n in outs:
                tensors.append((n, n, outs[n].variadic, True))
            elif n.endswith("_grad") and n[:-5] in outs:
                tensors.append((n, douts[n[:-5]], outs[n[:-5]].variadic, False))
            else:
                return None
        contents = set(op.get("saves", [])) if op.get("vjp_kernel") else self.saved(op)[0]
        named = {local for _, local, _, _ in tensors}
        if contents - named:
            return None
        when = [f"{d}.defined()" for d in douts.values() if d in named and op.get("lazy_douts")]
        for n, ctype, default in ident["attrs"]:
            attrs.append((n, fwd.get(n)))
            if n in fwd and fwd[n].is_tensor:
                return None
        if any(pir_name(a) not in {n for n, _ in attrs} for a in op.attrs):
            lost = [a for a in op.attrs if pir_name(a) not in {n for n, _ in attrs}]
            read = set().union(*(free_names(parse(text, op.file))[0] for text in op.vjp.values()))
            if any(a.cpp_default is None and (op.get("vjp_kernel") or a.name in read) for a in lost):
                return None
        for o in ident["outputs"]:
            if not (o.endswith("_grad") and o[:-5] in {t.name for t in gins}):
                return None
        # Where a gradient is wanted that the op does not give, the composed rule is recorded.
        when += [f"!need[{i}]" for i, t in enumerate(gins) if t.name + "_grad" not in ident["outputs"]]
        return {"name": name, "tensors": tensors, "attrs": attrs, "outs": ident["outputs"], "mutable": mutable, "when": when}

    def shared(self, op):
        """Tensors of the gradient rules that their results may be, or be views of."""
        names = set()
        if not op.get("vjp_kernel"):
            fresh = {n for n, o in self.by_name.items() if not o.view and not o.composed}
            for text in op.vjp.values():
                names |= shared_names(parse(text, f"{op.file}: {op.name}"), fresh)
        return names

    def grad_opdef_code(self, op, g):
        """Definition of the OpDef of the gradient op: infer and run adapters."""
        gins = {t.name: i for i, t in enumerate(self.grad_inputs(op))}
        gi = self.grad_inputs(op)
        args = []
        read, shared = self.saved(op)[0] | set(op.get("saves", [])) | set(self.douts(op)), self.shared(op)
        for n, loc, variadic, optional in g["tensors"]:
            kind = "kTensorList" if variadic else "kOptionalTensor" if optional else "kTensor"
            args.append(f'{{"{n}", ArgDef::{kind}, 0, {{}}, {flag(loc not in read)}, {flag(loc not in shared)}}}')
        attr_pos = {}
        for k, (n, a) in enumerate(g["attrs"]):
            attr_pos[n] = k
            if a is not None:
                kind, alt = attr_form(g["name"], a)
                args.append(f'{{"{n}", ArgDef::{kind}, AttrIndex<{alt}>(), {{}}}}')
            else:
                default = {"axis": "int32_t{-1}", "reduce_all": "false"}.get(n, "int32_t{0}")
                args.append(f'{{"{n}", ArgDef::kAttr, AttrIndex<{"bool" if default == "false" else "int32_t"}>(), AttrValue({default})}}')
        name = g["name"]
        run = [f"void run_{name}(const InSlot* in, const AttrValue* attrs, OutSlot* outs) {{"]
        local = {}
        for k, (_, loc, variadic, optional) in enumerate(g["tensors"]):
            if variadic:
                local[loc] = f"std::vector<Tensor>(in[{k}].p, in[{k}].p + in[{k}].n)"
            else:
                local[loc] = f"in[{k}].n ? in[{k}].p[0] : Tensor()" if optional else f"in[{k}].p[0]"
        call = []
        undef = "Tensor()"
        for n in self.grad_context(op):
            call.append(local.get(n, undef))
        for d in self.douts(op):
            call.append(local.get(d, undef))
        for a in op.attrs:
            if pir_name(a) in attr_pos:
                base = a.cpp.replace("const ", "").replace("&", "")
                call.append(f'phi::AttrAs<{base}>(attrs[{attr_pos[pir_name(a)]}], "{name}", "{a.name}")')
            else:
                call.append(a.cpp_default or "{}")
        run.append("  PlainGuard plain;")
        run.append(f"  bool need[{len(gi)}];")
        fn = "first" if (op.get("vjp_kernel") or op.elementwise) else "composed"
        # A fused rule writes the memory that the result was given.
        known = [t for t in gi if t.name + "_grad" in g["outs"]]
        given = {t.name for t in known if fn == "first" and not t.variadic and not self.broadcasts(op)}
        if given:
            run.append("  Tensor unwanted;")
        for t in gi:
            if t not in known:
                run.append(f"  need[{gins[t.name]}] = false;\n  {'std::vector<Tensor>' if t.variadic else 'Tensor'} g_{t.name};")
                continue
            k = g["outs"].index(t.name + "_grad")
            run.append(f"  need[{gins[t.name]}] = outs[{k}].p || outs[{k}].list;")
            if t.name in given:
                run.append(f"  Tensor& g_{t.name} = outs[{k}].p ? *outs[{k}].p : unwanted;")
            else:
                run.append(f"  {'std::vector<Tensor>' if t.variadic else 'Tensor'} g_{t.name};")
        run.append(f"  {fn}_{op.name}_grad({', '.join(call + ['need'] + ['g_' + t.name for t in gi])});")
        xs = {n: k for k, (n, _, _, _) in enumerate(g["tensors"])}
        for t in known:
            k = g["outs"].index(t.name + "_grad")
            if t.variadic:
                run.append(f"  if (outs[{k}].list) *outs[{k}].list = std::move(g_{t.name});")
            elif t.name not in given:
                value = f"std::move(g_{t.name})"
                if t.name in xs and self.broadcasts(op):
                    x = f"in[{xs[t.name]}].p[0]"
                    value = f"{x}.defined() ? ReduceGrad(g_{t.name}, {x}) : std::move(g_{t.name})"
                run.append(f"  if (outs[{k}].p) *outs[{k}].p = {value};")
        run.append("}")
        infer = [f"void infer_{name}(const MetaSlot* in, const AttrValue*, std::vector<Meta>* outs) {{"]
        for t in known:
            k = g["outs"].index(t.name + "_grad")
            if op.get("grad_like", {}).get(t.name, t.name) in xs:
                src = xs[op.get("grad_like", {}).get(t.name, t.name)]
            else:
                src = next((i for i, (_, loc, v, _) in enumerate(g["tensors"]) if not v and loc in self.douts(op)), 0)
            infer.append(f"  outs[{k}].assign(in[{src}].p, in[{src}].p + in[{src}].n);")
            if g["tensors"][src][3] and not t.variadic:
                infer.append(f"  if (outs[{k}].empty()) outs[{k}].push_back({{}});")
        infer.append("}")
        outdefs = ", ".join(f'{{"{o}", {"true" if gi[gins[o[:-5]]].variadic else "false"}, true, nullptr}}' for o in g["outs"])
        flags = "phi::kOpSparing" + (" | phi::kOpElementwise" if op.elementwise and len(given) == 1 else "")
        flags += "" if given else " | phi::kOpAllocates"
        return "\n".join([*run, *infer, f'OpDef def_{name}("{name}", {{{", ".join(args)}}}, {{{outdefs}}}, {flags}, infer_{name}, run_{name});'])

    def node(self, op):
        gins = self.grad_inputs(op)
        ctx = self.grad_context(op)
        contents, metas = self.saved(op)
        g = self.grad_def(op)
        extra = [n for n, loc, v, o in (g["tensors"] if g else []) if loc not in ctx and not loc.startswith("d") ]
        extra = [n for n in extra if n in {t.name for t in op.tensors} | {o.name for o in op.outs}]
        reduce_ = self.broadcasts(op)
        variadic = {t.name for t in op.tensors if t.variadic} | {o.name for o in op.outs if o.variadic}
        keep = ctx + [n for n in extra]
        if reduce_:
            keep += [t.name for t in gins if t.name not in keep]
        multi = len(op.outs) > 1 or op.outs[0].variadic
        L = [f"struct {op.camel}GradNode final : GradNode {{"]
        for n in keep:
            L.append(f"  {'std::vector<SavedTensor>' if n in variadic else 'SavedTensor'} s_{n};")
        for a in op.attrs:
            L.append(f"  {a.cpp.replace('const ', '').replace('&', '')} {a.name};")
        if multi:
            for o in op.outs:
                L.append(f"  {'std::vector<SavedTensor>' if o.variadic else 'SavedTensor'} m_{o.name};")
        if reduce_:
            L.append("  bool plain_ = false;")
        L.append(f'  const char* name() const override {{ return "{op.camel}GradNode"; }}')
        L.append("  bool repeatable() const override { return true; }")
        resets = [(f"for (auto& s : s_{n}) s.Reset();" if n in variadic else f"s_{n}.Reset();") for n in keep if n in contents or n in extra]
        L.append(f"  void ReleaseSaved() override {{ {' '.join(resets)} }}")
        L.append("  void Run(Tensor* grads, Tensor* in, bool create_graph) override {")
        for n in keep:
            if n in variadic:
                L.append(f'    std::vector<Tensor> {n};\n    for (auto& s : s_{n}) {n}.push_back(s.Get(this, "{op.name}", "{n}"));')
            else:
                L.append(f'    Tensor {n} = s_{n}.Get(this, "{op.name}", "{n}");')
        # output gradients
        if not multi:
            L.append("    if (!grads[0].defined()) return;\n    const Tensor& dout = grads[0];")
        else:
            L.append("    int at = 0;")
            nodiff = set(op.get("nondiff_outs", []))
            for o, d in zip(op.outs, self.douts(op)):
                if o.variadic:
                    L.append(f"    std::vector<Tensor> {d};")
                    L.append(f"    for (auto& s : m_{o.name}) {{ {d}.push_back(GradOrZeros(grads[at], s.meta())); ++at; }}")
                elif op.get("lazy_douts") or o.name in nodiff:
                    L.append(f"    Tensor {d} = grads[at++];")
                else:
                    L.append(f"    Tensor {d} = GradOrZeros(grads[at], m_{o.name}.meta()); ++at;")
        # wanted gradients
        L.append(f"    bool need[{max(len(gins), 1)}];")
        # A list's gradients lie one after another in `in`, from where the inputs before it end.
        lists = [t for t in gins if t.variadic]
        start, before = {}, []
        for t in gins:
            start[t.name] = " + ".join([str(sum(b == "1" for b in before)), *(b for b in before if b != "1")])
            before.append(f"c_{t.name}" if t.variadic else "1")
        if lists and len(gins) > 1:
            if any(t.name not in keep for t in lists):
                raise StanzaError(f"{op.file}: {op.name}: a Tensor[] gradient beside others must be of a saved argument")
            L += [f"    const int c_{t.name} = static_cast<int>(s_{t.name}.size());" for t in lists]
        for i, t in enumerate(gins):
            if not t.variadic:
                L.append(f"    need[{i}] = needs({start[t.name]});")
            elif len(gins) == 1:
                L.append(f"    need[{i}] = true;")
            else:
                L.append(f"    need[{i}] = false;\n    for (int i = 0; i < c_{t.name}; ++i) need[{i}] |= needs({start[t.name]} + i);")
        for t in gins:
            L.append(f"    {'std::vector<Tensor>' if t.variadic else 'Tensor'} g_{t.name};")
        args = ", ".join(self.context_args(op) + ["need"] + ["g_" + t.name for t in gins])
        comp = op.vjp
        L.append("    const Place device_ = __builtin_expect(phi::g_has_external_kernels, 0) ? phi::DevicePlace(grads, num_outputs()) : Place{};")
        if g:
            slots = ", ".join(f"InSlot({loc})" for _, loc, _, _ in g["tensors"])
            ats = []
            for n, a in g["attrs"]:
                if a is not None:
                    ats.append(self.attr_value(a))
                else:
                    ats.append({"axis": "AttrValue(int32_t{-1})", "reduce_all": "AttrValue(false)"}.get(n, "AttrValue(int32_t{0})"))
            outs = ", ".join(f"OutSlot(g_{o[:-5]})" for o in g["outs"])
            when = "".join(f" && {c}" for c in g["when"])
            on_device = "!device_.is_cpu()"
            if not op.get("vjp_kernel") and not op.elementwise:
                # A composed rule runs on the device op by op where the device has no kernel for the whole.
                named = [loc for _, loc, v, _ in g["tensors"] if not v and (loc in ctx or loc in self.douts(op))]
                on_device = f"({on_device} && phi::FindExternalKernel(def_{g['name']}, {named[0]}.dtype(), device_))"
            L.append(f"    if (!create_graph && (State().record != RecordMode::kRun || {on_device}){when}) {{")
            L.append(f"      const InSlot slots_[] = {{{slots}}};")
            L.append(f"      const AttrValue attrs_[] = {{{', '.join(ats) or 'AttrValue()'}}};")
            L.append(f"      OutSlot results_[] = {{{outs}}};")
            L.append(f"      if (device_.is_cpu()) RecordOp(def_{g['name']}, slots_, attrs_, results_);")
            L.append(f"      else phi::RunGradOnDevice(def_{g['name']}, slots_, attrs_, results_, device_);")
            L.append("    } else ")
        if op.get("vjp_kernel") and not comp:
            L.append(f"    {{ PD_CHECK(!create_graph, Unimplemented, \"[{op.name}] expected a first-order gradient, got create_graph=True: no higher-order rule\"); first_{op.name}_grad({args}); }}")
            if not g:
                tensors = {n for n in self.grad_context(op)} | set(self.douts(op))
                here = ", ".join([f"phi::ToHost({n})" if n in tensors else n for n in self.context_args(op)] + ["need"] + ["g_" + t.name for t in gins])
                L.insert(-1, f"    if (!device_.is_cpu()) {{ first_{op.name}_grad({here});")
                L.insert(-1, "    " + " ".join(f"g_{t.name} = phi::ToPlace(g_{t.name}, device_);" for t in gins) + " } else")
        elif op.get("vjp_kernel") or emit_loops.gradients(op):
            if op.get("slopes"):
                v = slopes.find(op)[0]
                L.append(f"    if (create_graph && need[0] && SlopesApply({v}, dout)) g_{gins[0].name} = Slope(slopes_{op.name}, 0, &dout, {v});\n    else")
            L.append(f"    if (create_graph || State().record != RecordMode::kRun || !device_.is_cpu()) composed_{op.name}_grad({args});")
            L.append(f"    else first_{op.name}_grad({args});")
        else:
            L.append(f"    composed_{op.name}_grad({args});")
        for i, t in enumerate(gins):
            if t.variadic:
                L.append(f"    for (int i = 0; i < static_cast<int>(g_{t.name}.size()); ++i) if (needs({start[t.name]} + i)) in[{start[t.name]} + i] = g_{t.name}[i];")
            elif reduce_:
                L.append(f"    if (need[{i}]) in[{i}] = plain_ ? std::move(g_{t.name}) : ReduceGrad(g_{t.name}, {t.name});")
            else:
                L.append(f"    if (need[{i}]) in[{start[t.name]}] = std::move(g_{t.name});")
        L.append("  }\n};")
        return "\n".join(L)

    def attr_value(self, a):
        if a.kind == "int":
            return f"AttrValue(static_cast<int32_t>({a.name}))"
        if a.kind == "float":
            return f"AttrValue(static_cast<float>({a.name}))"
        if a.kind in ("int[]", "int64[]", "float[]"):
            return f"AttrValue({a.attr_type}({a.name}.begin(), {a.name}.end()))"
        return f"AttrValue({a.name})"

    # --- the op itself -----------------------------------------------------------------------------------------
    def run_fn(self, op):
        """run_<op>(args, outs&): shape rule, allocation, kernel; no autograd."""
        outs = ", ".join(f"{'std::vector<Tensor>' if o.variadic else 'Tensor'}& {o.name}" for o in op.outs)
        plist = params(op)
        L = [f"void run_{op.name}({plist}{', ' if plist else ''}{outs}) {{"]
        if op.tensors:
            L.insert(0, f"extern OpDef def_{op.name};")
            slots = ", ".join(f"InSlot({t.name})" for t in op.tensors)
            ats = ", ".join(self.attr_value(a) for a in op.attrs) or "AttrValue()"
            L.append("  if (__builtin_expect(phi::g_has_external_kernels, 0)) {")
            L.append(f"    const InSlot slots_[] = {{{slots}}};\n    const AttrValue values_[] = {{{ats}}};")
            L.append(f"    OutSlot results_[] = {{{', '.join(f'OutSlot({o.name})' for o in op.outs)}}};")
            L.append(f"    if (phi::RunExternalKernel(def_{op.name}, slots_, values_, results_)) return;\n  }}")
        if op.elementwise:
            tens = [t.name for t in op.tensors]
            L.append(f"  const Tensor* in[] = {{{', '.join('&' + n for n in tens)}}};")
            L.append(f"  Tensor* o_[] = {{&{op.outs[0].name}}};")
            variants = emit_loops.forward(op)
            for cond, e in sorted(variants, key=lambda v: v[0] is None):
                vals = e.attr_array()
                at = f"const double at[] = {{{', '.join(vals)}}}; " if vals else ""
                run = f"{{ {at}phi::RunEw(k_{e.name}, in, o_, {'at' if vals else 'nullptr'}); }}"
                L.append(f"  if ({cond}) {run} else" if cond else f"  {run}")
        elif op.composed:
            call = f"paddle::{op.get('compose')}({names(op)})"
            if len(op.outs) == 1:
                L.append(f"  Deliver({call}, Tensor(), {op.outs[0].name});" if not op.outs[0].variadic else f"  {op.outs[0].name} = {call};")
            else:
                L.append(f"  std::tie({', '.join(o.name for o in op.outs)}) = {call};")
        else:
            infer = op.get("infer")
            if infer not in (None, "none"):
                L += ["  " + l for l in self.infer_call(op, eager=True)]
                for o in op.outs:
                    if o.variadic:
                        L.append(f"  {o.name}.resize(m_{o.name}.size());")
                        if not op.view:
                            L.append(f"  for (size_t i = 0; i < m_{o.name}.size(); ++i) phi::EnsureOut({o.name}[i], common::ToInts(m_{o.name}[i].dims), m_{o.name}[i].dtype);")
                    elif not op.view:
                        if o.optional:
                            L.append(f"  if (m_{o.name}.dtype != DataType::UNDEFINED)")
                        L.append(f"  phi::EnsureOut({o.name}, common::ToInts(m_{o.name}.dims), m_{o.name}.dtype);")
            outs = ", ".join(o.name for o in op.outs)
            L += self.apart(op, op.tensors, op.outs)
            if op.tensors and not op.view and not op.inplace_of:
                held = ", ".join(f"h_{a.name}" if a.is_tensor else a.name for a in op.args)
                L[-1] += f" phi::{op.get('kernel')}({held}, {outs}); return; }}"
            call = f"phi::{op.get('kernel')}({names(op)}{', ' if op.args else ''}{outs});"
            if not op.tensors and infer not in (None, "none"):  # nothing that another thread could rebind
                work = " + ".join(f"phi::WorkOf({o.name})" for o in op.outs)
                L.append(f"  if ({work} >= {op.get('long_from', 'phi::kLongWork')}) {{ const phi::WithoutHostLock apart; {call} }}")
                call = "else " + call
            L.append(f"  {call}")
        if not op.tensors:
            L.append("  if (__builtin_expect(phi::g_has_external_kernels, 0)) {")
            L += [f"    phi::MoveToCurrentPlace({o.name});" for o in op.outs]
            L.append("  }")
        L.append("}")
        return "\n".join(L)

    def apart(self, op, reads, fresh=()):
        """The head of the branch that runs a long kernel without the host's lock, on handles nobody else can rebind."""
        if not op.tensors or op.view or op.inplace_of:
            return []
        work = " + ".join(f"phi::WorkOf({t.name})" for t in [*reads, *fresh])
        held = " ".join(f"const auto h_{t.name} = phi::Held({t.name});" for t in reads)
        return [f"  if (__builtin_expect({work} >= {op.get('long_from', 'phi::kLongWork')}, 0)) {{ {held} const phi::WithoutHostLock apart;"]

    def infer_call(self, op, eager):
        infer = op.get("infer")
        L = []
        for o in op.outs:
            L.append(f"{'std::vector<Meta>' if o.variadic else 'Meta'} m_{o.name};")
        first = op.tensors[0].name if op.tensors else None
        if infer == "unchanged":
            for o in op.outs:
                L.append(f"m_{o.name} = {first}.meta();" if eager else f"m_{o.name} = {first};")
            return L
        args = []
        for a in op.args:
            if not a.is_tensor:
                args.append(a.name)
            elif a.variadic:
                if eager:
                    L.append(f"const MetaList mi_{a.name} = MetasOf({a.name});")
                    args.append(f"mi_{a.name}")
                else:
                    args.append(a.name)
            elif a.optional:
                if eager:
                    L.append(f"Meta mi_{a.name}; if ({a.name}.defined()) mi_{a.name} = {a.name}.meta();")
                    args.append(f"{a.name}.defined() ? &mi_{a.name} : nullptr")
                else:
                    args.append(a.name)
            else:
                args.append(f"{a.name}.meta()" if eager else a.name)
        args += [f"m_{o.name}" for o in op.outs]
        L.append(f"phi::{infer}({', '.join(args)});")
        return L

    def opdef(self, op):
        args = []
        for a in op.args:
            if a.is_tensor:
                args.append(f'{{"{a.name}", ArgDef::{ARG_KIND[a.kind]}, 0, {{}}, false, {flag(not op.view and not op.composed)}}}')
            else:
                kind, alt = attr_form(op.name, a)
                d = "{}"
                if a.cpp_default is not None:
                    d = f"AttrValue({a.attr_type}({a.cpp_default}))" if a.kind not in ("int[]", "int64[]", "float[]", "double[]", "str[]", "Scalar[]") else \
                        f"[] {{ auto v = {a.cpp_default}; return AttrValue({a.attr_type}(v.begin(), v.end())); }}()"
                args.append(f'{{"{pir_name(a)}", ArgDef::{kind}, AttrIndex<{alt}>(), {d}}}')
        outs = []
        inpl = op.inplace_of
        for o in op.outs:
            same = f'"{inpl[o.name]}"' if o.name in inpl else "nullptr"
            outs.append(f'{{"{o.name}", {"true" if o.variadic else "false"}, {"true" if o.optional else "false"}, {same}}}')
        flags = ["0"]
        if op.elementwise:
            flags.append("phi::kOpElementwise")
        if op.view:
            flags.append("phi::kOpView")
        if op.get("random"):
            flags.append("phi::kOpRandom | phi::kOpSideEffect")
        if op.get("side_effect") or inpl:
            flags.append("phi::kOpSideEffect")
        if op.internal:
            flags.append("phi::kOpInternal")
        if op.composed:
            flags.append("phi::kOpComposed")
        unpack_in, unpack_meta = [], []
        ti = ai = 0
        for a in op.args:
            if a.is_tensor:
                if a.variadic:
                    unpack_in.append(f"std::vector<Tensor>(in[{ti}].p, in[{ti}].p + in[{ti}].n)")
                    unpack_meta.append((a.name, f"MetaList {a.name}(in[{ti}].p, in[{ti}].p + in[{ti}].n);"))
                elif a.optional:
                    unpack_in.append(f"in[{ti}].n ? in[{ti}].p[0] : Tensor()")
                    unpack_meta.append((a.name, f"const Meta* {a.name} = in[{ti}].n ? in[{ti}].p : nullptr;"))
                else:
                    unpack_in.append(f"in[{ti}].p[0]")
                    unpack_meta.append((a.name, f"const Meta& {a.name} = in[{ti}].p[0];"))
                ti += 1
            else:
                base = a.cpp.replace("const ", "").replace("&", "")
                e = f'phi::AttrAs<{base}>(attrs[{ai}], "{op.name}", "{a.name}")'
                unpack_in.append(e)
                unpack_meta.append((a.name, f"[[maybe_unused]] const {base} {a.name} = {e};"))
                ai += 1
        outcall = [f"*outs[{k}].list" if o.variadic else f"*outs[{k}].p" for k, o in enumerate(op.outs)]
        L = [f"void run_{op.name}_generic([[maybe_unused]] const InSlot* in, [[maybe_unused]] const AttrValue* attrs, OutSlot* outs) {{"]
        L.append("  PlainGuard plain;")
        L.append(f"  run_{op.name}({', '.join(unpack_in + outcall)});\n}}")
        L.append(f"void infer_{op.name}_generic([[maybe_unused]] const MetaSlot* in, [[maybe_unused]] const AttrValue* attrs, std::vector<Meta>* outs) {{")
        if op.elementwise:
            e = emit_loops.forward(op)[0][1]
            L.append(f"  phi::InferEw(k_{e.name}, in, outs);")
        elif op.composed and op.get("infer") in (None, "none"):
            L.append(f'  PD_THROW(Unimplemented, "[{op.name}] expected a shape rule, got none for symbolic shapes");')
        elif op.get("infer") in (None, "none"):
            L.append("  (void)outs;")
        else:
            for _, u in unpack_meta:
                L.append("  " + u)
            L += ["  " + l for l in self.infer_call(op, eager=False)]
            for k, o in enumerate(op.outs):
                L.append(f"  outs[{k}] = m_{o.name};" if o.variadic else f"  outs[{k}].assign(1, m_{o.name});")
        L.append("}")
        L.append(f'OpDef def_{op.name}("{op.name}", {{{", ".join(args)}}}, {{{", ".join(outs)}}}, {" | ".join(flags)}, '
                 f"infer_{op.name}_generic, run_{op.name}_generic);")
        return "\n".join(L)

    def grad_setup(self, op, outs, inplace=False):
        """Statements that make the node after the forward ran; `outs` are the C++ names of the results."""
        gins = self.grad_inputs(op)
        ctx = self.grad_context(op)
        contents, metas = self.saved(op)
        g = self.grad_def(op)
        extra = [n for n, loc, v, o in (g["tensors"] if g else []) if loc not in ctx and n in {t.name for t in op.tensors} | {o.name for o in op.outs}]
        variadic = {t.name for t in op.tensors if t.variadic} | {o.name for o in op.outs if o.variadic}
        multi = len(op.outs) > 1 or op.outs[0].variadic
        outnames = {o.name for o in op.outs}
        reduce_ = self.broadcasts(op)
        L = [f"  Ref<{op.camel}GradNode> n(new {op.camel}GradNode);"]
        sizes = [f"static_cast<int>({t.name}.size())" if t.variadic else "1" for t in gins]
        nin = " + ".join(sizes) or "0"
        nout = " + ".join([f"static_cast<int>({o.name}.size())" if o.variadic else "1" for o in op.outs])
        L.append(f"  n->SetCounts({nin}, {nout});")
        for i, t in enumerate(gins):
            start = " + ".join([str(sizes[:i].count("1")), *(s for s in sizes[:i] if s != "1")])
            if t.variadic:
                L.append(f"  for (int i = 0; i < static_cast<int>({t.name}.size()); ++i) n->SetInput({start} + i, {t.name}[i]);")
            else:
                L.append(f"  n->SetInput({start}, {t.name});")
        for a in op.attrs:
            L.append(f"  n->{a.name} = {a.name};")

        def save(n, fn):
            if n in variadic:
                return f"  n->s_{n}.resize({n}.size()); for (size_t i = 0; i < {n}.size(); ++i) n->s_{n}[i].{fn}({n}[i]);"
            return f"  n->s_{n}.{fn}({n});"

        for n in ctx:
            if n in outnames:
                continue
            L.append(save(n, "SaveInput" if n in contents else "SaveMeta"))
        extra_in = [n for n in extra if n not in outnames]
        if reduce_:
            rest = [t.name for t in gins if t.name not in ctx]
            same = " && ".join([f"{t.name}.is_symbolic() == false && {t.name}.dims() == {outs[0]}.dims() && {t.name}.dtype() == {outs[0]}.dtype()"
                                for t in gins])
            same_dt = op.get("out", "same") == "same"
            L.append(f"  n->plain_ = State().record == RecordMode::kRun && {same if same_dt else 'false'};")
            if rest:
                L.append("  if (!n->plain_) {")
                L += ["  " + save(r, "SaveMeta") for r in rest]
                L.append("  }")
            extra_in = [n for n in extra_in if n not in rest]
        if extra_in:
            L.append("  if (State().record != RecordMode::kRun) {")
            L += ["  " + save(r, "SaveInput") for r in extra_in]
            L.append("  }")
        if not multi:
            L.append(f"  {'AfterInplace(x_, n.get(), 0);' if inplace else f'n->SetOutput(0, {outs[0]});'}")
        else:
            L.append("  int at = 0;")
            nodiff = set(op.get("nondiff_outs", []))
            for o in op.outs:
                if o.variadic:
                    L.append(f"  n->m_{o.name}.resize({o.name}.size());")
                    L.append(f"  for (size_t i = 0; i < {o.name}.size(); ++i) {{ n->SetOutput(at++, {o.name}[i]); n->m_{o.name}[i].SaveMeta({o.name}[i]); }}")
                elif o.name in nodiff:
                    L.append(f"  if ({o.name}.defined()) n->m_{o.name}.SaveMeta({o.name}); ++at;")
                else:
                    L.append(f"  if ({o.name}.defined()) {{ n->SetOutput(at, {o.name}); n->m_{o.name}.SaveMeta({o.name}); }} ++at;")
        for n in [c for c in ctx if c in outnames]:
            L.append(save(n, "SaveOutput" if n in contents else "SaveMeta"))
        if any(n in outnames for n in extra):
            L.append("  if (State().record != RecordMode::kRun) {")
            L += ["  " + save(n, "SaveOutput") for n in extra if n in outnames]
            L.append("  }")
        return L

    def need_expr(self, op):
        parts = []
        for t in self.grad_inputs(op):
            parts.append(f"AnyNeedsGrad({t.name})" if t.variadic else f"NeedsGrad({t.name})")
        return " || ".join(parts) or "false"

    @staticmethod
    def takes_history(op):
        """Whether ComposeHistory can give the op, recorded as one, its gradient."""
        return len(op.outs) == 1 and not op.outs[0].variadic and not any(t.variadic for t in op.tensors)

    def api(self, op):
        L = [f"{ret_type(op)} {op.name}({params(op)}) {{"]
        outs = [o.name for o in op.outs]
        amp = op.get("amp")
        tens = [t.name for t in op.tensors]
        if amp and tens:
            casts = ", ".join(f"AmpCast({a.name}, amp_to)" if a.is_tensor else a.name for a in op.args)
            L.append(f'  if (__builtin_expect(State().amp_level != 0, 0)) {{\n    DataType amp_to = AmpTarget("{op.name}", AmpClass::k{str(amp).capitalize()}, {{{", ".join("&" + t.name for t in op.tensors if not t.variadic)}}});')
            L.append(f"    if (amp_to != DataType::UNDEFINED) {{ AmpOffGuard off; return paddle::{op.name}({casts}); }}\n  }}")
        if op.get("int_promote"):  # an integer beside a floating operand takes its dtype
            a, b = tens
            same = ", ".join(f"cast({t.name}, to)" if t.is_tensor else t.name for t in op.args)
            L.append(f"  if (__builtin_expect({a}.dtype() != {b}.dtype(), 0) && phi::IsDifferentiable({a}.dtype()) != phi::IsDifferentiable({b}.dtype())) {{")
            L.append(f"    const DataType to = phi::IsDifferentiable({a}.dtype()) ? {a}.dtype() : {b}.dtype();")
            L.append(f"    return paddle::{op.name}({same});\n  }}")
        if op.get("recorded_as"):
            L.append(f"  return State().record == RecordMode::kRun ? {op.get('compose')}({names(op)}) : {op.get('recorded_as')}({names(op)});\n}}")
            return "\n".join(L)
        if op.composed and not op.get("vjp_kernel") and (not op.vjp or op.get("eager") == "compose"):
            # One recorded op has a gradient only where ComposeHistory can give it one.
            parts = "" if self.has_grad(op) or self.takes_history(op) else f" || (State().grad_enabled && ({self.need_expr(op)}))"
            L.append(f"  if (State().record == RecordMode::kRun{parts}) " + f"return {op.get('compose')}({names(op)});")
        for o in op.outs:
            L.append(f"  {'std::vector<Tensor>' if o.variadic else 'Tensor'} {o.name};")
        slots = ", ".join(f"InSlot({t.name})" for t in op.tensors) or "InSlot()"
        ats = ", ".join(self.attr_value(a) for a in op.attrs) or "AttrValue()"
        L.append("  if (__builtin_expect(State().record != RecordMode::kRun, 0)) {")
        L.append(f"    const InSlot slots_[] = {{{slots}}};\n    const AttrValue attrs_[] = {{{ats}}};\n    OutSlot results_[] = {{{', '.join(f'OutSlot({o})' for o in outs)}}};")
        L.append(f"    RecordOp(def_{op.name}, slots_, attrs_, results_);\n  }} else {{")
        L.append(f"    run_{op.name}({', '.join([a.name for a in op.args] + outs)});\n  }}")
        for o, i in op.inplace_of.items():
            L.append(f"  if (State().record == RecordMode::kRun && {o}.defined() && {o}.impl() == {i}.impl() && {i}->storage) {i}->storage->BumpVersion();")
        if self.has_grad(op):
            L.append(f"  if (State().grad_enabled && ({self.need_expr(op)})) {{")
            L += ["  " + l for l in self.grad_setup(op, outs)]
            L.append("  }")
        if op.view:
            src = op.tensors[0].name
            for o in op.outs:
                if o.variadic:
                    L.append(f"  for (auto& v : {o.name}) if (v.defined() && !v.is_symbolic() && v->storage.get() == {src}->storage.get()) MarkView(v, {src});")
                else:
                    L.append(f"  if ({o.name}.defined() && !{o.name}.is_symbolic() && {o.name}->storage.get() == {src}->storage.get()) MarkView({o.name}, {src});")
        if op.composed and not self.has_grad(op) and self.takes_history(op):
            L.append(f"  if (State().grad_enabled && ({self.need_expr(op)}))")
            tl = ", ".join("&" + t.name for t in op.tensors)
            cargs = []
            k = 0
            for a in op.args:
                if a.is_tensor:
                    cargs.append(f"t[{k}]")
                    k += 1
                else:
                    cargs.append(a.name)
            acap = ", ".join(f"{a.name} = {'std::decay_t<decltype(' + a.name + ')>(' + a.name + ')'}" for a in op.attrs)
            L.append(f"    ComposeHistory(\"{op.name}\", {{{tl}}}, {outs[0]}, [{acap}](const std::vector<Tensor>& t) {{ return {op.get('compose')}({', '.join(cargs)}); }});")
        L.append(f"  return {outs[0]};" if len(outs) == 1 else f"  return {{{', '.join(outs)}}};")
        L.append("}")
        return "\n".join(L)

    def inplace_api(self, op):
        x = op.args[0].name
        L = [f"Tensor& {op.name}_({params(op, False, True).replace('Tensor& ' + x, 'Tensor& x_', 1)}) {{"]
        rest = ", ".join(["x_", *[a.name for a in op.args[1:]]])
        L.append(f"  if (State().special()) {{ ReplaceRecorded(x_, paddle::{op.name}({rest})); return x_; }}")
        L.append(f'  BeforeInplace(x_, "{op.name}_");')
        out = op.outs[0].name
        contents, metas = self.saved(op)
        if op.elementwise:
            others = [t.name for t in op.tensors if t.name != x]
            L.append(f"  Tensor {x} = x_;")
            need = f"State().grad_enabled && ({self.need_expr(op)})" if self.has_grad(op) else "false"
            if self.has_grad(op):
                L.append(f"  const bool need = {need};")
                L.append(f"  if (need) {x} = {'CloneWithHistory' if x in contents else 'AliasWithHistory'}(x_);")
            for o in others:
                L.append(f'  CheckInplaceShape("{op.name}_", x_, {o});')
            L.append(f"  Tensor {out} = x_;")
            L.append(f"  run_{op.name}({', '.join([x, *[a.name for a in op.args[1:]], out])});")
            L.append(f'  CheckInplaceResult("{op.name}_", x_, {out});')
            if self.has_grad(op):
                L.append("  if (need) {")
                setup = self.grad_setup(op, [out], inplace=True)
                # saving outputs must see the written tensor
                L += ["  " + l for l in setup]
                L.append("  } else {\n    AfterInplace(x_, nullptr, 0);\n  }")
            else:
                L.append("  AfterInplace(x_, nullptr, 0);")
        else:
            copy = "CloneWithHistory" if (x in contents and not op.view) else "AliasWithHistory"
            L.append(f"  Tensor old = State().grad_enabled && NeedsGrad(x_) ? {copy}(x_) : AliasWithHistory(x_);")
            L.append(f"  ReplaceInplace(x_, paddle::{op.name}({', '.join(['old', *[a.name for a in op.args[1:]]])}), {'true' if op.view else 'false'});")
        L.append("  return x_;\n}")
        return "\n".join(L)

    def source(self):
        decl, defs = [], []
        for op in self.ops:
            if op.elementwise:
                for _, e in emit_loops.forward(op):
                    decl += e.declarations()
                    defs.append(e.definition())
                if self.has_grad(op):
                    for e in emit_loops.gradients(op).values():
                        if e is not None:
                            decl += e.declarations()
                            defs.append(e.definition())
                if op.get("slopes"):
                    _, slope_decl, slope_defs = slopes.emit(op, self.by_name)
                    decl += slope_decl
                    defs += slope_defs
        protos = [p for op in self.ops for p in self.kernel_proto(op)]
        out = [HEAD, *decl, "namespace phi {", *sorted(set(protos)), "}  // namespace phi", "namespace paddle {"]
        comp = sorted({f"{ret_type(op)} {op.get(key)}({params(op)});" for op in self.ops for key in ("compose", "recorded_as") if op.get(key)})
        out += comp
        out += ["using namespace egr;  // NOLINT: generated", "namespace {", *defs]
        out += [self.opdef_forward(op) for op in self.ops]
        out.append("}  // namespace\nnamespace {")
        for op in self.ops:
            if not self.has_grad(op):
                continue
            c = self.composed_vjp(op)
            if c:
                out.append(c)
            if op.get("vjp_kernel") or emit_loops.gradients(op):
                out.append(self.first_order(op))
            g = self.grad_def(op)
            if g:
                out.append(self.grad_opdef_code(op, g))
            out.append(self.node(op))
        out.append("}  // namespace")
        for op in self.ops:
            out.append(self.api(op))
            if op.has_inplace:
                out.append(self.inplace_api(op))
        out.append("}  // namespace paddle")
        return "\n".join(out) + "\n"

    def opdef_forward(self, op):
        return self.run_fn(op) + "\n" + self.opdef(op)

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
        from .expr import CinnPrinter

        class P(CinnPrinter):
            def call(self, fn, args, kwargs):
                return args[0] if fn == "conj_of" else super().call(fn, args, kwargs)

            def number(self, v):
                return repr(v)

        ins = order or forms[0][1].inputs
        attr_names = [a.name for a in op.attrs]
        lines = [f"Expr lower_{name}([[maybe_unused]] const Expr* in, [[maybe_unused]] const double* attrs) {{"]
        for k, n in enumerate(ins):
            if any(n in e.inputs for _, e, _ in forms):
                lines.append(f"  [[maybe_unused]] const Expr& {n} = in[{k}];")
        for cond, e, body in sorted(forms, key=lambda f: f[0] is None):
            block = [f"const Expr {n}(attrs[{attr_names.index(n)}]);" for n in e.attr_names]
            block.append(f"return {P(f'{op.file}: {op.name}').text(body)};")
            if cond:
                plain = [f"const double {n} = attrs[{k}];" for k, n in enumerate(attr_names) if re.search(rf"\b{n}\b", cond)]
                lines.append(f"  if ([&] {{ {' '.join(plain)} return {cond.replace('.to_double()', '')}; }}()) {{ {' '.join(block)} }}")
            else:
                lines += ["  " + line for line in block]
        lines.append("}")
        L.append("\n".join(lines))
        return (name, len(ins))


HEAD = """// Generated by tools/opgen. Do not edit.
#include <tuple>
#include "paddle/eager/autograd/slope.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/ew_run.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/phi/primitives/isa.h"
"""


def ops_header(ops):
    fams = {}
    for op in ops:
        fams.setdefault(op.family, []).append(op)
    out = ["// Generated by tools/opgen. Do not edit.", "#pragma once", '#include <string>', '#include <tuple>', '#include <vector>',
           '#include "paddle/common/attr.h"', '#include "paddle/phi/api/tensor_api.h"', "namespace paddle {", "using phi::DataType;", "using phi::Place;",
           "using phi::Scalar;", "using common::Ints;"]
    for f, items in fams.items():
        out.append(f"// --- {f}")
        out += [declaration(op) for op in items]
    out.append("}  // namespace paddle")
    return "\n".join(out) + "\n"
