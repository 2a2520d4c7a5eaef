# SPDX-License-Identifier: Apache-2.0
"""The C++ of a family: dispatching API functions, and OpDefs; gradients and lowerings come from its bases."""
import re

from . import emit_loops, slopes
from .emit_grad import Gradients
from .emit_lowering import Lowerings
from .signatures import ARG_KIND, attr_form, declaration, flag, names, params, pir_name, ret_type


class Family(Gradients, Lowerings):
    def __init__(self, name, ops, by_name):
        self.name, self.ops, self.by_name = name, ops, by_name

    def kernel_proto(self, op):
        """Declaration of the hand-written kernel and shape rule of a structured op."""
        lines = []
        outs = ", ".join(f"std::vector<Tensor>& {o.name}" if o.variadic else f"Tensor& {o.name}" for o in op.outs)
        plist = params(op)
        if op.kernel:
            lines.append(f"void {op.kernel}({plist}{', ' if plist else ''}{outs});")
        infer = op.infer
        if infer and infer not in ("unchanged", "broadcast", "none"):
            lines.append(f"void {infer}({self.infer_params(op)});")
        if op.grad_infer:
            lines.append(f"void {op.grad_infer}({', '.join(['const Meta& dout', *[f'{a.cpp} {a.name}' for a in op.attrs], 'Meta& x'])});")
        if op.vjp_kernel:
            lines.append(f"void {op.vjp_kernel}({self.vjp_kernel_params(op)});")
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

    def attr_value(self, a):
        if a.kind == "int":
            return f"AttrValue(static_cast<int32_t>({a.name}))"
        if a.kind == "float":
            return f"AttrValue(static_cast<float>({a.name}))"
        if a.kind in ("int[]", "int64[]", "float[]"):
            return f"AttrValue({a.attr_type}({a.name}.begin(), {a.name}.end()))"
        return f"AttrValue({a.name})"

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
                L.append(f"  if ({cond.cpp}) {run} else" if cond else f"  {run}")
        elif op.composed:
            call = f"paddle::{op.compose}({names(op)})"
            if len(op.outs) == 1:
                L.append(f"  Deliver({call}, Tensor(), {op.outs[0].name});" if not op.outs[0].variadic else f"  {op.outs[0].name} = {call};")
            else:
                L.append(f"  std::tie({', '.join(o.name for o in op.outs)}) = {call};")
        else:
            infer = op.infer
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
            if op.tensors and not op.view:
                held = ", ".join(f"h_{a.name}" if a.is_tensor else a.name for a in op.args)
                L[-1] += f" phi::{op.kernel}({held}, {outs}); }}"
                L += [f"    if ({o}.impl() == h_{i}.impl()) {o} = {i};" for o, i in op.inplace_map.items()]
                L.append("    return;\n  }")
            call = f"phi::{op.kernel}({names(op)}{', ' if op.args else ''}{outs});"
            if not op.tensors and infer not in (None, "none"):  # nothing that another thread could rebind
                work = " + ".join(f"phi::WorkOf({o.name})" for o in op.outs)
                L.append(f"  if ({work} >= {op.long_work}) {{ const phi::WithoutHostLock apart; {call} }}")
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
        if not op.tensors or op.view:
            return []
        work = " + ".join(f"phi::WorkOf({t.name})" for t in [*reads, *fresh])
        held = " ".join(f"const auto h_{t.name} = phi::Held({t.name});" for t in reads)
        return [f"  if (__builtin_expect({work} >= {op.long_work}, 0)) {{\n    {held}",
                "    { const phi::WithoutHostLock apart;"]

    def infer_call(self, op, eager):
        infer = op.infer
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
        inpl = op.inplace_map
        for o in op.outs:
            same = f'"{inpl[o.name]}"' if o.name in inpl else "nullptr"
            outs.append(f'{{"{o.name}", {"true" if o.variadic else "false"}, {"true" if o.optional else "false"}, {same}}}')
        flags = ["0"]
        if op.elementwise:
            flags.append("phi::kOpElementwise")
        if op.view:
            flags.append("phi::kOpView")
        if op.random:
            flags.append("phi::kOpRandom | phi::kOpSideEffect")
        if inpl:
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
                base = a.cpp_value
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
        elif op.composed and op.infer in (None, "none"):
            L.append(f'  PD_THROW(Unimplemented, "[{op.name}] expected a shape rule, got none for symbolic shapes");')
        elif op.infer in (None, "none"):
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
            same_dt = op.out == "same"
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
            nodiff = set(op.nondiff_outs)
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
        if any(a.name == "n" for a in op.args):  # the node needs another name
            L = [re.sub(r"(?<![>.\w])n(?=->|\.get\(|\(new)", "node_", line) for line in L]
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
        amp = op.amp
        tens = [t.name for t in op.tensors]
        if amp and tens:
            casts = ", ".join(f"AmpCast({a.name}, amp_to)" if a.is_tensor else a.name for a in op.args)
            L.append(f'  if (__builtin_expect(State().amp_level != 0, 0)) {{\n    DataType amp_to = AmpTarget("{op.name}", AmpClass::k{str(amp).capitalize()}, {{{", ".join("&" + t.name for t in op.tensors if not t.variadic)}}});')
            L.append(f"    if (amp_to != DataType::UNDEFINED) {{ AmpOffGuard off; return paddle::{op.name}({casts}); }}\n  }}")
        if op.int_promote:  # an integer beside a floating operand takes its dtype; real and complex meet
            a, b = tens
            same = ", ".join(f"cast({t.name}, to)" if t.is_tensor else t.name for t in op.args)
            L.append(f"  if (__builtin_expect({a}.dtype() != {b}.dtype(), 0)) {{")
            L.append(f"    const DataType a_ = {a}.dtype(), b_ = {b}.dtype();")
            L.append("    DataType to = phi::IsComplex(a_) || phi::IsComplex(b_) ? phi::PromoteOrUndefined(a_, false, b_, false) : DataType::UNDEFINED;")
            L.append("    if (phi::IsDifferentiable(a_) != phi::IsDifferentiable(b_)) to = phi::IsDifferentiable(a_) ? a_ : b_;")
            L.append(f"    if (to != DataType::UNDEFINED) return paddle::{op.name}({same});\n  }}")
        if op.recorded_as:
            L.append(f"  return State().record == RecordMode::kRun ? {op.compose}({names(op)}) : {op.recorded_as}({names(op)});\n}}")
            return "\n".join(L)
        if op.composed and not op.vjp_kernel and (not op.vjp or op.eager == "compose"):
            # One recorded op has a gradient only where ComposeHistory can give it one.
            parts = "" if self.has_grad(op) or self.takes_history(op) else f" || (State().grad_enabled && ({self.need_expr(op)}))"
            L.append(f"  if (State().record == RecordMode::kRun{parts}) " + f"return {op.compose}({names(op)});")
        for o in op.outs:
            L.append(f"  {'std::vector<Tensor>' if o.variadic else 'Tensor'} {o.name};")
        slots = ", ".join(f"InSlot({t.name})" for t in op.tensors) or "InSlot()"
        ats = ", ".join(self.attr_value(a) for a in op.attrs) or "AttrValue()"
        L.append("  if (__builtin_expect(State().record != RecordMode::kRun, 0)) {")
        L.append(f"    const InSlot slots_[] = {{{slots}}};\n    const AttrValue attrs_[] = {{{ats}}};\n    OutSlot results_[] = {{{', '.join(f'OutSlot({o})' for o in outs)}}};")
        L.append(f"    RecordOp(def_{op.name}, slots_, attrs_, results_);\n  }} else {{")
        L.append(f"    run_{op.name}({', '.join([a.name for a in op.args] + outs)});\n  }}")
        for o, i in op.inplace_map.items():
            written = f"{{ Tensor x_ = {i}; AfterInplace(x_, nullptr, 0); }}" if op.random else f"{i}->storage->BumpVersion();"
            L.append(f"  if (State().record == RecordMode::kRun && {o}.defined() && {o}.impl() == {i}.impl() && {i}->storage) {written}")
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
            L.append(f"    ComposeHistory(\"{op.name}\", {{{tl}}}, {outs[0]}, [{acap}](const std::vector<Tensor>& t) {{ return {op.compose}({', '.join(cargs)}); }});")
        L.append(f"  return {outs[0]};" if len(outs) == 1 else f"  return {{{', '.join(outs)}}};")
        L.append("}")
        return "\n".join(L)

    def inplace_api(self, op):
        """The in-place form: elementwise ops write x's memory themselves, others through egr::WriteOver."""
        x = op.args[0].name
        contents, _ = self.saved(op)
        need = f"State().grad_enabled && ({self.need_expr(op)})" if self.has_grad(op) else "false"
        reads = x in contents
        if op.composed and not op.vjp_kernel and (not op.vjp or op.eager == "compose"):  # its parts may keep x
            reads, need = True, "State().grad_enabled && (" + " || ".join(
                f"{'AnyNeedsGrad' if t.variadic else 'NeedsGrad'}({t.name})" for t in op.tensors) + ")"
        L = [f"Tensor& {op.name}_({params(op, False, True).replace('Tensor& ' + x, 'Tensor& x_', 1)}) {{"]
        rest = "".join(f", {a.name}" for a in op.args[1:])
        if op.amp or op.composed:
            L.append(f"  if (__builtin_expect(State().amp_level != 0, 0)) {{ AmpOffGuard off; return paddle::{op.name}_(x_{rest}); }}")
        if op.view:
            L.append("  if (__builtin_expect(State().record != RecordMode::kRun, 0)) {")
            L.append("    const GradModeGuard history(State().grad_enabled || x_->node);")
            L.append(f"    ShowRecordedAs(x_, [&](const Tensor& was) {{ return paddle::{op.name}(was{rest}); }});\n    return x_;\n  }}")
            L.append(f'  BeforeInplace(x_, "{op.name}_");')
            L.append("  const GradModeGuard history(State().grad_enabled || x_->node);  // what it has fits the new shape")
            L.append(f"  ShowAs(x_, paddle::{op.name}(AliasWithHistory(x_){rest}));\n  return x_;\n}}")
            return "\n".join(L)
        refuses = op.int_as_float and len(op.tensors) == 1 and op.inplace != "retype"
        if refuses:
            L.append(f'  PD_CHECK(phi::IsDifferentiable(x_.dtype()), Unimplemented, "[{op.name}_] expected a dtype with a kernel, got ", phi::NameOf(x_.dtype()), '
                     '": the kernel is not registered for it, as its result is no integer");')
        general = []
        if reads:
            general.append(f"[[maybe_unused]] const Tensor& {x} = x_;")
        saved = need if reads else "false"
        general.append(f"const bool saved_ = {saved};")
        call = f"paddle::{op.name}(old_{rest})"
        body = [f'Tensor old_ = BeforeWrite(x_, "{op.name}_", saved_);', f'WriteOver(x_, old_, {call}, "{op.name}_", saved_);', "return x_;"]
        if not op.elementwise:
            if op.inplace == "direct":
                apart = " && ".join(["!phi::g_has_external_kernels", "x_.is_contiguous()", *(f"!SharesMemory({t.name}, x_)" for t in op.tensors if t.name != x)])
                every = " || ".join(f"{'AnyNeedsGrad' if t.variadic else 'NeedsGrad'}({'x_' if t.name == x else t.name})" for t in op.tensors)
                L.append(f"  if (State().record == RecordMode::kRun && !(State().grad_enabled && ({every})) && {apart}) {{")
                L.append(f'    BeforeInplace(x_, "{op.name}_");\n    Tensor out_ = x_;\n    run_{op.name}(x_{rest}, out_);')
                L.append("    PD_ASSERT(out_.impl() == x_.impl());\n    AfterInplace(x_, nullptr, 0);\n    return x_;\n  }")
            L += ["  " + l for l in general + body] + ["}"]
            return "\n".join(L)
        bools = op.bool_inputs
        others = [t.name for t in op.tensors if t.name != x]
        direct = [f"x_.dtype() == {t}.dtype()" for t in others if t not in bools]
        if op.out == "bool":
            direct.append("x_.dtype() == DataType::BOOL")
        elif op.out == "real":
            direct.append("!phi::IsComplex(x_.dtype())")
        if op.int_as_float and not refuses:
            direct.append("phi::IsDifferentiable(x_.dtype())")
        L.append(f"  if (__builtin_expect({' || '.join(['State().record != RecordMode::kRun', *('!(' + d + ')' for d in direct)])}, 0)) {{")
        L += ["    " + l for l in general + body] + ["  }"]
        L.append(f'  BeforeInplace(x_, "{op.name}_");')
        out = op.outs[0].name
        L.append(f"  Tensor {x} = x_;")
        if self.has_grad(op):
            L.append(f"  const bool need = {need};")
            L.append(f"  if (need) {x} = {'CloneWithHistory' if x in contents else 'AliasWithHistory'}(x_);")
        for o in others:
            L.append(f'  CheckInplaceShape("{op.name}_", x_, {o});')
        L.append(f"  Tensor {out} = x_;")
        L.append(f"  run_{op.name}({x}{rest}, {out});")
        L.append(f"  PD_ASSERT({out}.impl() == x_.impl());")
        if self.has_grad(op):
            L.append("  if (need) {")
            # saving outputs must see the written tensor
            L += ["  " + l for l in self.grad_setup(op, [out], inplace=True)]
            L.append("  } else {\n    AfterInplace(x_, nullptr, 0);\n  }")
        else:
            L.append("  AfterInplace(x_, nullptr, 0);")
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
                if op.slopes:
                    _, slope_decl, slope_defs = slopes.emit(op, self.by_name)
                    decl += slope_decl
                    defs += slope_defs
        protos = [p for op in self.ops for p in self.kernel_proto(op)]
        promote = '#include "paddle/phi/core/promote.h"\n' if any(op.int_promote for op in self.ops) else ""
        out = [HEAD + promote, *decl, "namespace phi {", *sorted(set(protos)), "}  // namespace phi", "namespace paddle {"]
        comp = sorted({f"{ret_type(op)} {getattr(op, key)}({params(op)});" for op in self.ops for key in ("compose", "recorded_as") if getattr(op, key)})
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
            if op.vjp_kernel or emit_loops.gradients(op):
                out.append(self.first_order(op))
            g = self.grad_def(op, read=True)
            if g:
                out.append(self.grad_opdef_code(op, g))
            out.append(self.node(op))
        out.append("}  // namespace")
        for op in self.ops:
            out.append(self.api(op))
            if op.inplace:
                out.append(self.inplace_api(op))
        out.append("}  // namespace paddle")
        return "\n".join(out) + "\n"

    def opdef_forward(self, op):
        return self.run_fn(op) + "\n" + self.opdef(op)


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
