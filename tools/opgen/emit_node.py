# SPDX-License-Identifier: Apache-2.0
"""The C++ of grad nodes: the struct, and the statements of an op that make one after the forward
ran.
"""

from . import derivatives
from .emit_grad import has_first_order, in_loops, missing_attr, rule_args
from .signatures import attr_value, list_or_tensor
from .template import commas, fill

NODE = """
struct ${camel}GradNode final : GradNode {
  $members
  const char* name() const override { return "${camel}GradNode"; }
  bool repeatable() const override { return true; }
  void ReleaseSaved() override { $resets }
  void ForEachSaved([[maybe_unused]] const SavedVisitor& see) const override { $shows }
  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    $restored
    $output_gradients
    bool need[$count];
    $wanted
    $results
    const Place device_ = __builtin_expect(phi::g_has_external_kernels, 0)
        ? phi::DevicePlace(grads, num_outputs()) : Place{};
    $recorded
    $rules
    $delivered
  }
};
"""


def saved_type(variadic):
    return "std::vector<SavedTensor>" if variadic else "SavedTensor"


def node(g):
    """The grad node of an op."""
    op, kept, starts = g.op, kept_names(g), input_starts(g)
    held = [n for n in kept if n in g.contents or n in g.extra]
    return fill(
        NODE,
        camel=op.camel,
        members=members(g, kept),
        resets=" ".join(reset(g, n) for n in held),
        shows=" ".join(shown(g, n) for n in held),
        restored=[restored(g, n, starts) for n in kept],
        output_gradients=output_gradients(g),
        count=max(len(g.inputs), 1),
        wanted=wanted(g, kept, starts),
        results=[f"{list_or_tensor(t.variadic)} g_{t.name};" for t in g.inputs],
        recorded=g.recorded and recorded(g),
        rules=rule_statements(g),
        delivered=[delivered(g, i, t, starts) for i, t in enumerate(g.inputs)],
    )


def kept_names(g):
    """What the node keeps: what rules read, what the gradient op reads, and the shapes that
    gradients are summed to.
    """
    kept = [*g.context, *g.extra]
    return kept + [t.name for t in g.inputs if t.name not in kept] if g.broadcasts else kept


def members(g, kept):
    out = [f"{saved_type(n in g.variadic)} s_{n};" for n in kept]
    out += [f"{a.cpp_value} {a.name};" for a in g.op.attrs]
    if g.multiple:
        out += [f"{saved_type(o.variadic)} m_{o.name};" for o in g.op.outs]
    return out + (["bool plain_ = false;"] if g.broadcasts else [])


def reset(g, name):
    return f"for (auto& s : s_{name}) s.Reset();" if name in g.variadic else f"s_{name}.Reset();"


def shown(g, name):
    return f"for (const auto& s : s_{name}) see(s);" if name in g.variadic else f"see(s_{name});"


def restored(g, name, starts):
    if name in g.variadic:
        return (
            f'std::vector<Tensor> {name};\nfor (auto& s : s_{name}) '
            f'{name}.push_back(s.Get(this, "{g.op.name}", "{name}"));'
        )
    readers = g.readers(name) if name in g.contents else None
    read = ""
    if readers and len(readers) < len(g.inputs):
        read = ", " + " || ".join(f"needs({starts[t.name]})" for t in readers)
    return f'Tensor {name} = s_{name}.Get(this, "{g.op.name}", "{name}"{read});'


def output_gradients(g):
    """Statements that give the output gradients their names; absent ones are zeros unless the op
    takes them as they are.
    """
    op = g.op
    if not g.multiple:
        return ["if (!grads[0].defined()) return;", "const Tensor& dout = grads[0];"]
    out = ["int at = 0;"]
    for o, d in zip(op.outs, op.douts):
        if o.variadic:
            out.append(f"std::vector<Tensor> {d};")
            out.append(
                f"for (auto& s : m_{o.name}) {{ {d}.push_back(GradOrZeros(grads[at], s.meta())); "
                f"++at; }}"
            )
        elif op.lazy_douts or o.name in op.nondiff_outs:
            out.append(f"Tensor {d} = grads[at++];")
        else:
            out.append(f"Tensor {d} = GradOrZeros(grads[at], m_{o.name}.meta()); ++at;")
    return out


def input_starts(g):
    """{input: C++ of where its gradients begin in `in`}: a list's lie one after another, from where
    the inputs before it end.
    """
    out, singles, lists = {}, 0, []
    for t in g.inputs:
        out[t.name] = " + ".join([str(singles), *lists])
        if t.variadic:
            lists.append(f"c_{t.name}")
        else:
            singles += 1
    return out


def wanted(g, kept, starts):
    """Statements that fill `need`."""
    alone, out = len(g.inputs) == 1, []
    for t in g.inputs:
        if t.variadic and not alone:
            if t.name not in kept:
                raise g.op.where.error(
                    "a Tensor[] gradient beside others must be of a saved argument"
                )
            out.append(f"const int c_{t.name} = static_cast<int>(s_{t.name}.size());")
    for i, t in enumerate(g.inputs):
        if not t.variadic:
            out.append(f"need[{i}] = needs({starts[t.name]});")
        elif alone:
            out.append(f"need[{i}] = true;")
        else:
            out += [
                f"need[{i}] = false;",
                f"for (int i = 0; i < c_{t.name}; ++i) need[{i}] |= needs({starts[t.name]} + i);",
            ]
    return out


RECORDED = """
if (!create_graph && ($records || $on_device)$conditions) {
  $alike
  const InSlot slots_[] = {$slots};
  const AttrValue attrs_[] = {$attrs};
  $nobodys
  OutSlot results_[] = {$outs};
  if (device_.is_cpu()) RecordOp(def_$name, slots_, attrs_, results_);
  else phi::RunGradOnDevice(def_$name, slots_, attrs_, results_, device_);
} else 
"""


def recorded(g):
    """The head of the statement: the gradient as one op, where it is recorded or a device has
    it.
    """
    op, d = g.op, g.recorded
    on_device = "!device_.is_cpu()"
    if not op.vjp_kernel and not op.elementwise:
        # A composed rule runs on the device op by op where the device has no kernel for the whole.
        local = next(
            t.local
            for t in d.tensors
            if not t.variadic and (t.local in g.context or t.local in op.douts)
        )
        on_device = (
            f"({on_device} && phi::FindExternalKernel(def_{d.name}, {local}.dtype(), device_))"
        )
    attrs = [
        attr_value(a) if a is not None else f"AttrValue({missing_attr(name)})"
        for name, a in d.attrs
    ]
    records = "State().record != RecordMode::kRun"
    if in_loops(op):
        # They have no complex form: programs hold the rule's operations, and devices run these.
        records = f"({records} && !phi::IsComplex({op.douts[0]}.dtype()))"
        given = [n for n in [*g.context, *op.douts] if n not in g.variadic]
        on_device = f"({on_device} && !AnyComplex({{{commas('&' + n for n in given)}}}))"
    return fill(
        RECORDED,
        name=d.name,
        records=records,
        on_device=on_device,
        conditions="".join(f" && {c}" for c in d.when),
        # Shapes that were not kept are those of the result.
        alike=[
            f"if (plain_ && !{t.name}.defined()) {t.name} = phi::WithoutData(dout);"
            for t in g.inputs
            if g.broadcasts and t.name not in g.context
        ],
        slots=commas(f"InSlot({t.local})" for t in d.tensors),
        attrs=commas(attrs) or "AttrValue()",
        nobodys=[f"Tensor g_{o[:-5]};" for o in d.nobodys(g)],
        outs=commas(f"OutSlot(g_{o[:-5]})" for o in d.outs),
    )


FIRST_ONLY = """
{ PD_CHECK(State().record == RecordMode::kRun, Unimplemented, \
"[$op] expected a gradient of eager mode, got one to record: programs have no operation for it"); \
PD_CHECK(!create_graph, Unimplemented, \
"[$op] expected a first-order gradient, got create_graph=True: no higher-order rule"); \
first_${op}_grad($args); }
"""
ON_HOST = """
if (!device_.is_cpu()) { first_${op}_grad($here);
$back } else
"""
EITHER = """
$derivatives
if (create_graph || State().record != RecordMode::kRun || !device_.is_cpu())
  composed_${op}_grad($args);
else first_${op}_grad($args);
"""


BY_FORMS = """
$derivatives
{
  const bool once_ = !create_graph && State().record == RecordMode::kRun;
  if (once_ && device_.is_cpu())
    first_${op}_grad($args);
  else if (!once_ || !phi::RunByForms(device_, [&] { first_${op}_grad($args); }))
    composed_${op}_grad($args);
}
"""


WHERE_IT_IS = """
if (create_graph || State().record != RecordMode::kRun || device_.is_cpu() ||
    !device_${op}_grad($args, device_))
  composed_${op}_grad($args);
"""


def rule_statements(g):
    """Statements that run the rules."""
    op, args = g.op, rule_args(g)
    if op.device_grad:
        return fill(WHERE_IT_IS, op=op.name, args=args).split("\n")
    if op.vjp_kernel and not op.vjp:
        lines = fill(FIRST_ONLY, op=op.name, args=args).split("\n")
        if not g.recorded:
            tensors = {*g.context, *op.douts}
            here = rule_args(
                g, [f"phi::ToHost({n})" if n in tensors else n for n in g.context_args]
            )
            back = " ".join(f"g_{t.name} = phi::ToPlace(g_{t.name}, device_);" for t in g.inputs)
            lines = fill(ON_HOST, op=op.name, here=here, back=back).split("\n") + lines
        return lines
    if not has_first_order(op):
        return [f"composed_{op.name}_grad({args});"]
    text = BY_FORMS if op.grad_on_device else EITHER
    return fill(text, op=op.name, args=args, derivatives=derivative_statement(g)).split("\n")


def derivative_statement(g):
    if not g.op.derivatives:
        return None
    v, result = derivatives.find(g.op)[0], f"g_{g.inputs[0].name}"
    return [
        f"if (create_graph && need[0] && DerivativesApply({v}, dout)) {result} = "
        f"Derivative(derivatives_{g.op.name}, 0, &dout, {v});",
        "else",
    ]


def delivered(g, i, t, starts):
    """The statement that hands a gradient over."""
    start = starts[t.name]
    if t.variadic:
        return (
            f"for (int i = 0; i < static_cast<int>(g_{t.name}.size()); ++i) if "
            f"(needs({start} + i)) in[{start} + i] = g_{t.name}[i];"
        )
    if g.broadcasts:
        return (
            f"if (need[{i}]) in[{i}] = plain_ ? std::move(g_{t.name}) : "
            f"ReduceGrad(g_{t.name}, {t.name});"
        )
    value = f"std::move(g_{t.name})"
    if t.name in g.context:
        value = f"CastGrad({value}, {t.name})"
    return f"if (need[{i}]) in[{start}] = {value};"


# --- making a node
SETUP = """
auto $node = Ref<${camel}GradNode>::First(new ${camel}GradNode);
$node->SetCounts($inputs, $outputs);
$edges
$attrs
$saved
$plain
$extra
$outs
$saved_outs
$extra_outs
"""
WHILE_RECORDING = """
if (State().record != RecordMode::kRun) {
  $saves
}
"""
WHERE_READ = """
if (State().record != RecordMode::kRun || $condition) {
  $whole
} else {
  $meta
}
"""


def counts(names):
    """C++ of how many tensors the arguments or results are."""
    return (
        " + ".join(f"static_cast<int>({n.name}.size())" if n.variadic else "1" for n in names)
        or "0"
    )


def setup(g, result, inplace=False):
    """Statements that make the node after the forward ran; `result`: the C++ name of the first
    result.
    """
    op, made = g.op, {o.name for o in g.op.outs}
    name = "node_" if any(a.name == "n" for a in op.args) else "n"

    def save(n, fn):
        if n in g.variadic:
            return (
                f"{name}->s_{n}.resize({n}.size()); for (size_t i = 0; i < {n}.size(); "
                f"++i) {name}->s_{n}[i].{fn}({n}[i]);"
            )
        return f"{name}->s_{n}.{fn}({n});"

    def saves(names, fn):
        return [
            fill(WHERE_READ, condition=g.read_when[n], whole=save(n, fn), meta=save(n, "SaveMeta"))
            if n in g.read_when
            else save(n, fn if n in g.contents else "SaveMeta")
            for n in names
        ]

    def while_recording(names, fn):
        return names and fill(WHILE_RECORDING, saves=[save(n, fn) for n in names])

    rest = [t.name for t in g.inputs if t.name not in g.context] if g.broadcasts else []
    return fill(
        SETUP,
        camel=op.camel,
        node=name,
        inputs=counts(g.inputs),
        outputs=counts(op.outs),
        edges=edges(g, name),
        attrs=[f"{name}->{a.name} = {a.name};" for a in op.attrs],
        saved=saves([n for n in g.context if n not in made], "SaveInput"),
        plain=g.broadcasts and plain(g, name, result, [save(n, "SaveMeta") for n in rest]),
        extra=while_recording([n for n in g.extra if n not in made and n not in rest], "SaveInput"),
        outs=outputs(g, name, result, inplace),
        saved_outs=saves([n for n in g.context if n in made], "SaveOutput"),
        extra_outs=while_recording([n for n in g.extra if n in made], "SaveOutput"),
    ).split("\n")


def edges(g, node):
    out, singles, lists = [], 0, []
    for t in g.inputs:
        start = " + ".join([str(singles), *lists])
        if t.variadic:
            out.append(
                f"for (int i = 0; i < static_cast<int>({t.name}.size()); ++i) "
                f"{node}->SetInput({start} + i, {t.name}[i]);"
            )
            lists.append(f"static_cast<int>({t.name}.size())")
        else:
            out.append(f"{node}->SetInput({start}, {t.name});")
            singles += 1
    return out


def plain(g, node, result, saves):
    """Statements that find out whether gradients are summed to nothing and converted to nothing,
    and else keep the shapes for that.
    """
    same = " && ".join(
        f"{t.name}.is_symbolic() == false && {t.name}.dims() == {result}.dims() && "
        f"{t.name}.dtype() == {result}.dtype()"
        for t in g.inputs
    )
    out = [
        f"{node}->plain_ = State().record == RecordMode::kRun && "
        f"{same if g.op.out == 'same' else 'false'};"
    ]
    return out + ([f"if (!{node}->plain_) {{", *["  " + s for s in saves], "}"] if saves else [])


def outputs(g, node, result, inplace):
    if not g.multiple:
        if inplace:
            return f"AfterInplace(x_, {node}.get(), 0);"
        read = any(n == g.op.outs[0].name for n in (*g.context, *g.extra))
        return (
            f"{node}->SetOutput(0, {result});"
            if read
            else f"SetOnlyOutput(std::move({node}), {result});"
        )
    out = ["int at = 0;"]
    for o in g.op.outs:
        n = o.name
        if o.variadic:
            out.append(f"{node}->m_{n}.resize({n}.size());")
            out.append(
                f"for (size_t i = 0; i < {n}.size(); ++i) {{ {node}->SetOutput(at++, {n}[i]); "
                f"{node}->m_{n}[i].SaveMeta({n}[i]); }}"
            )
        elif n in g.op.nondiff_outs:
            out += [f"if ({n}.defined()) {node}->m_{n}.SaveMeta({n});", "++at;"]
        else:
            out += [
                f"if ({n}.defined()) {{",
                f"  {node}->SetOutput(at, {n});",
                f"  {node}->m_{n}.SaveMeta({n});",
                "}",
                "++at;",
            ]
    return out
