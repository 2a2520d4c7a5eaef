# SPDX-License-Identifier: Apache-2.0
"""The C++ of gradients: what they read, the rules as functions, grad nodes, and OpDefs of `<op>_grad`."""
from . import emit_loops, slopes
from .expr import TensorPrinter, free_names, parse, shared_names
from .model import identity
from .signatures import attr_form, flag, pir_name


class Gradients:
    """What the C++ of a family says of gradients; a base of emit_cpp.Family."""

    def grad_inputs(self, op):
        """Tensor arguments that have a gradient, in argument order."""
        if op.vjp_kernel and not op.vjp:
            keys = op.grad_of or [t.name for t in op.tensors]
        elif op.composed and not op.vjp:
            keys = op.grad_of or [t.name for t in op.tensors]
        else:
            keys = list(op.vjp)
        return [t for t in op.tensors if t.name in keys]

    def has_grad(self, op):
        return bool(op.vjp or op.vjp_kernel)

    def saved(self, op):
        """(contents, meta_only) names the gradient rules read, among inputs and outputs."""
        contents, metas = set(), set()
        tens = {t.name for t in op.tensors} | {o.name for o in op.outs}
        for k, text in op.vjp.items():
            n, c = free_names(parse(text, op.where))
            contents |= c & tens
            metas |= n & tens
        if op.vjp_kernel:
            contents |= set(op.saves) & tens
        for k in op.saves_meta:
            metas.add(k)
        return contents, metas - contents

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
        for o, d in zip(op.outs, op.douts):
            ps.append(f"const std::vector<Tensor>& {d}" if o.variadic else f"const Tensor& {d}")
        ps += [f"{a.cpp} {a.name}" for a in op.attrs]
        return ps

    def context_args(self, op):
        return [*self.grad_context(op), *op.douts, *[a.name for a in op.attrs]]

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
        where = op.where
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
        if op.vjp_kernel:
            reads = [*self.grad_context(op), *op.douts]
            dests = [f"need[{i}] ? &g_{t.name} : nullptr" for i, t in enumerate(gins)]
            work = " + ".join(f"phi::WorkOf({n})" for n in reads)
            held = " ".join(f"const auto h_{n} = phi::Held({n});" for n in reads)
            call = f"phi::{op.vjp_kernel}({', '.join([*reads, *[a.name for a in op.attrs], *dests])});"
            apart = f"phi::{op.vjp_kernel}({', '.join([*['h_' + n for n in reads], *[a.name for a in op.attrs], *dests])});"
            lines.append(f"  if (__builtin_expect({work} >= {op.long_work}, 0)) {{ {held} const phi::WithoutHostLock unlocked; {apart} return; }}")
            lines.append(f"  {call}")
            lines.append("}")
            return "\n".join(lines)
        ews = emit_loops.gradients(op)
        where = op.where
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

    def grad_def(self, op, read=False):
        """OpDef of `<op>_grad`, when the identity has it and every operand can be named. A fused kernel needs only what it
        reads (`saves`). As in PaddlePaddle, gradients of outputs that the op has no operand for do not count. With `read` also one
        that programs of others have and that is not recorded here, where operands give the shapes too."""
        name = f"{op.name.rstrip('_')}_grad"
        ident = identity(name)
        if not ident or (op.no_grad_op and not read):
            return None
        fwd = {pir_name(a): a for a in op.args}
        outs = {o.name: o for o in op.outs}
        douts = dict(zip([o.name for o in op.outs], op.douts))
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
        contents = set(op.saves) if op.vjp_kernel else self.saved(op)[0]
        named = {local for _, local, _, _ in tensors}
        if contents - named:
            return None
        if op.no_grad_op:
            if self.saved(op)[1] - named or (op.grad_infer and len(tensors) != 1):
                return None
            if not op.grad_infer and any((t.name, t.variadic) not in {(loc, v) for _, loc, v, _ in tensors} for t in gins):
                return None
        when = [f"{d}.defined()" for d in douts.values() if d in named and op.lazy_douts]
        for n, ctype, default in ident["attrs"]:
            attrs.append((n, fwd.get(n)))
            if n in fwd and fwd[n].is_tensor:
                return None
        if any(pir_name(a) not in {n for n, _ in attrs} for a in op.attrs):
            lost = [a for a in op.attrs if pir_name(a) not in {n for n, _ in attrs}]
            read = set().union(*(free_names(parse(text, op.where))[0] for text in op.vjp.values()))
            if any(a.cpp_default is None and (op.vjp_kernel or a.name in read) for a in lost):
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
        if not op.vjp_kernel:
            fresh = {n for n, o in self.by_name.items() if not o.view and not o.composed}
            for text in op.vjp.values():
                names |= shared_names(parse(text, op.where), fresh)
        return names

    def grad_opdef_code(self, op, g):
        """Definition of the OpDef of the gradient op: infer and run adapters."""
        gins = {t.name: i for i, t in enumerate(self.grad_inputs(op))}
        gi = self.grad_inputs(op)
        args = []
        read, shared = self.saved(op)[0] | set(op.saves) | set(op.douts), self.shared(op)
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
        for d in op.douts:
            call.append(local.get(d, undef))
        for a in op.attrs:
            if pir_name(a) in attr_pos:
                base = a.cpp_value
                call.append(f'phi::AttrAs<{base}>(attrs[{attr_pos[pir_name(a)]}], "{name}", "{a.name}")')
            else:
                call.append(a.cpp_default or "{}")
        run.append("  PlainGuard plain;")
        run.append(f"  bool need[{len(gi)}];")
        fn = "first" if (op.vjp_kernel or op.elementwise) else "composed"
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
        infer = [f"void infer_{name}(const MetaSlot* in, [[maybe_unused]] const AttrValue* attrs, std::vector<Meta>* outs) {{"]
        if op.grad_infer:
            given_attrs = [c for c in call if c.startswith("phi::AttrAs")]
            infer.append(f"  outs[0].resize(1);\n  phi::{op.grad_infer}({', '.join(['*in[0].p', *given_attrs, 'outs[0][0]'])});")
        for t in [] if op.grad_infer else known:
            k = g["outs"].index(t.name + "_grad")
            if op.grad_like.get(t.name, t.name) in xs:
                src = xs[op.grad_like.get(t.name, t.name)]
            else:
                src = next((i for i, (_, loc, v, _) in enumerate(g["tensors"]) if not v and loc in op.douts), 0)
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
            nodiff = set(op.nondiff_outs)
            for o, d in zip(op.outs, op.douts):
                if o.variadic:
                    L.append(f"    std::vector<Tensor> {d};")
                    L.append(f"    for (auto& s : m_{o.name}) {{ {d}.push_back(GradOrZeros(grads[at], s.meta())); ++at; }}")
                elif op.lazy_douts or o.name in nodiff:
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
                raise op.where.error("a Tensor[] gradient beside others must be of a saved argument")
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
            if not op.vjp_kernel and not op.elementwise:
                # A composed rule runs on the device op by op where the device has no kernel for the whole.
                named = [loc for _, loc, v, _ in g["tensors"] if not v and (loc in ctx or loc in op.douts)]
                on_device = f"({on_device} && phi::FindExternalKernel(def_{g['name']}, {named[0]}.dtype(), device_))"
            L.append(f"    if (!create_graph && (State().record != RecordMode::kRun || {on_device}){when}) {{")
            L.append(f"      const InSlot slots_[] = {{{slots}}};")
            L.append(f"      const AttrValue attrs_[] = {{{', '.join(ats) or 'AttrValue()'}}};")
            L.append(f"      OutSlot results_[] = {{{outs}}};")
            L.append(f"      if (device_.is_cpu()) RecordOp(def_{g['name']}, slots_, attrs_, results_);")
            L.append(f"      else phi::RunGradOnDevice(def_{g['name']}, slots_, attrs_, results_, device_);")
            L.append("    } else ")
        if op.vjp_kernel and not comp:
            L.append(f"    {{ PD_CHECK(!create_graph, Unimplemented, \"[{op.name}] expected a first-order gradient, got create_graph=True: no higher-order rule\"); first_{op.name}_grad({args}); }}")
            if not g:
                tensors = {n for n in self.grad_context(op)} | set(op.douts)
                here = ", ".join([f"phi::ToHost({n})" if n in tensors else n for n in self.context_args(op)] + ["need"] + ["g_" + t.name for t in gins])
                L.insert(-1, f"    if (!device_.is_cpu()) {{ first_{op.name}_grad({here});")
                L.insert(-1, "    " + " ".join(f"g_{t.name} = phi::ToPlace(g_{t.name}, device_);" for t in gins) + " } else")
        elif op.vjp_kernel or emit_loops.gradients(op):
            if op.slopes:
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

