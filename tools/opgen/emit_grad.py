# SPDX-License-Identifier: Apache-2.0
"""The C++ of gradient rules: as compositions, as first-order kernels and loops, and as the OpDef of
`<op>_grad`.
"""

import ast

from . import decomposition, emit_loops, functions, ordered
from .expr import TensorPrinter, parse
from .signatures import attr_form, flag, list_or_tensor, pir_name, slot_tensor
from .template import commas, fill


def context_params(g):
    tensors = [*g.context, *g.op.douts]
    lists = g.variadic | {d for o, d in zip(g.op.outs, g.op.douts) if o.variadic}
    return [f"const {list_or_tensor(n in lists)}& {n}" for n in tensors] + [
        f"{a.cpp} {a.name}" for a in g.op.attrs
    ]


def kernel_params(g):
    """vjp_kernel(saved..., douts..., attrs..., Tensor* dx...): null where a gradient is not
    wanted.
    """
    return commas(
        [*context_params(g), *[f"{list_or_tensor(t.variadic)}* d_{t.name}" for t in g.inputs]]
    )


def rule_params(g):
    """Parameters of composed and first-order rules: context, which gradients are wanted, where they
    go.
    """
    return commas(
        [
            *context_params(g),
            "const bool* need",
            *[f"{list_or_tensor(t.variadic)}& g_{t.name}" for t in g.inputs],
        ]
    )


def rule_args(g, context=None):
    return commas([*(context or g.context_args), "need", *["g_" + t.name for t in g.inputs]])


def composed_steps(g):
    """Statements that name the steps of rules."""
    steps = g.op.vjp_steps
    printer = TensorPrinter(g.op.where, g.ops, steps)
    return [
        f"[[maybe_unused]] const Step {name}([&] {{ return "
        f"{printer.text(parse(text, g.op.where))}; }});"
        for name, text in steps.items()
    ]


def composed_statement(g, i, tensor):
    printer = TensorPrinter(g.op.where, g.ops, g.op.vjp_steps)
    rule = parse(g.op.vjp[tensor.name], g.op.where)
    return f"if (need[{i}]) g_{tensor.name} = {printer.text(rule)};"


COMPOSED = """
void composed_${op}_grad($params) {
  $statements
}
"""


def composed(g):
    """The rules of `vjp` on tensors, which can be differentiated again; None without any."""
    if not g.rules:
        return None
    if g.op.differentiate:
        statements = differentiated_statements(g)
    elif decomposition.has_rules(g.op):
        made = decomposition.backward(g.op)
        statements = decomposed_statements(g, made)
    else:
        statements = [composed_statement(g, i, t) for i, t in enumerate(g.inputs)]
        statements = composed_steps(g) + statements
    return fill(COMPOSED, op=g.op.name, params=rule_params(g), statements=statements)


def decomposed_statements(g, made):
    """Statements of a composed rule: what is wanted, in the dtype of its argument."""
    op, wanted = g.op, {t.name: i for i, t in enumerate(g.inputs)}
    differentiable = [d for o, d in zip(op.outs, op.douts) if o.name not in op.nondiff_outs]
    read = {*g.contents, *op.douts}
    values = {n: f"d.operand({n})" if n in read else n for n in [*g.context, *op.douts]}
    values |= {a.name: a.name for a in op.attrs} | {decomposition.FIRST_ORDER: "false"}
    results = [r.removesuffix("_grad") for r in made.given]
    out = (
        [f"if (!{differentiable[0]}.defined()) return;"]
        if op.lazy_douts and len(differentiable) == 1
        else []
    )
    out += ["TensorDecomposer d;", f"Tensor {commas('r_' + r for r in results)};"]
    args = [values[n] for n in made.inputs if n in made.reads]
    args += [f"need[{wanted[r]}] ? &r_{r} : nullptr" for r in results]
    out.append(f"decomposition::{made.name}({commas(['d', *args])});")
    return out + [f"if (r_{r}.defined()) g_{r} = cast_like(r_{r}, {like(g, r)});" for r in results]


def differentiated_statements(g):
    """Statements of a composed rule that differentiates what computes the results, of tensors that
    stand there for the inputs.
    """
    op, call = g.op, parse(g.op.differentiate, g.op.where)
    text = TensorPrinter(op.where, g.ops, {}).text(call)
    douts = [d for o, d in zip(op.outs, op.douts) if o.name not in op.nondiff_outs]
    params = commas(f"const {list_or_tensor(t.variadic)}& {t.name}" for t in g.inputs)
    return [
        "Differentiation d;",
        *[f"const auto v_{t.name} = d.Input({t.name}, need[{i}]);" for i, t in enumerate(g.inputs)],
        f"d.Run([&]({params}) {{ return {text}; }}({commas('v_' + t.name for t in g.inputs)}), "
        f"{commas(douts)});",
        *[f"if (need[{i}]) g_{t.name} = d.Gradient(v_{t.name});" for i, t in enumerate(g.inputs)],
    ]


def like(g, tensor):
    """What has the dtype of an argument's gradient: it, or the output gradient."""
    return (
        tensor
        if tensor in g.context
        else next(d for o, d in zip(g.op.outs, g.op.douts) if o.name not in g.op.nondiff_outs)
    )


FIRST_KERNEL = """
void first_${op}_grad($params) {
  if (__builtin_expect($work >= $long_work, 0)) {
    $held const phi::WithoutHostLock unlocked;
    phi::$kernel($apart);
    return;
  }
  phi::$kernel($args);
}
"""
FIRST_LOOPS = """
void first_${op}_grad($params) {
  $complex
  $statements
}
"""
COMPLEX = """
if (phi::IsComplex($first.dtype())) {
  composed_${op}_grad($args);
  return;
}
"""
LOOPS = """
if (need[$i]) {
  Tensor* out_[] = {&g_$name};
  $forms
}
"""
FORM = """
$condition {
  const Tensor* in[] = {$ins};
  $attrs
  phi::RunEw(k_$loop, in, out_, $at);
}
"""


def has_first_order(op):
    return bool(op.vjp_kernel or emit_loops.gradients(op))


def first_order(g):
    """The gradient that eager uses when no higher order is asked for."""
    op = g.op
    if op.vjp_kernel:
        reads, attrs = [*g.context, *op.douts], [a.name for a in op.attrs]
        lists = g.variadic | {d for o, d in zip(op.outs, op.douts) if o.variadic}

        def given(of):
            return commas(
                [
                    *[ordered.read_as(op.grad_ordered, n, n in lists, of) for n in reads],
                    *attrs,
                    *[
                        ordered.written_gradient(
                            op.grad_ordered, f"need[{i}] ? &g_{t.name} : nullptr", t.name, of
                        )
                        for i, t in enumerate(g.inputs)
                    ],
                ]
            )

        return fill(
            FIRST_KERNEL,
            op=op.name,
            params=rule_params(g),
            kernel=op.vjp_kernel,
            long_work=op.long_work,
            work=" + ".join(f"phi::WorkOf({n})" for n in reads),
            held=" ".join(f"const auto h_{n} = phi::Held({n});" for n in reads),
            apart=given("h_{}".format),
            args=given(str),
        )
    loops = emit_loops.gradients(op)
    fused = [e for forms in loops.values() for _, e in forms or []]
    first = fused[0].inputs[0] if fused and fused[0].inputs else "dout"
    statements = [] if all(loops.get(t.name) for t in g.inputs) else composed_steps(g)
    statements += [
        loop_statement(i, t, loops[t.name]) if loops.get(t.name) else composed_statement(g, i, t)
        for i, t in enumerate(g.inputs)
    ]
    return fill(
        FIRST_LOOPS,
        op=op.name,
        params=rule_params(g),
        statements=statements,
        complex=fused and fill(COMPLEX, first=first, op=op.name, args=rule_args(g)),
    )


ON_DEVICE = """
bool device_${op}_grad($params, Place place) {
  bool done = false;
  return phi::RunByForms(place, [&] { done = phi::$kernel($args); }) && done;
}
"""


def on_device(g):
    """The gradient that devices have, or not: then the rules are run."""
    args = [*g.context_args]
    args += [f"need[{i}] ? &g_{t.name} : nullptr" for i, t in enumerate(g.inputs)]
    return fill(
        ON_DEVICE, op=g.op.name, params=rule_params(g), kernel=g.op.device_grad, args=commas(args)
    )


def loop_statement(i, tensor, forms):
    return fill(
        LOOPS,
        i=i,
        name=tensor.name,
        forms=[loop_form(k, condition, e) for k, (condition, e) in enumerate(forms)],
    )


def loop_form(k, condition, e):
    attrs = e.attr_array()
    return fill(
        FORM,
        condition=("else " if k else "") + (f"if ({condition.cpp})" if condition else ""),
        ins=commas("&" + n for n in e.inputs),
        loop=e.name,
        at="at" if attrs else "nullptr",
        attrs=attrs and f"const double at[] = {{{commas(attrs)}}};",
    )


# --- the OpDef of the gradient op
# ------------------------------------------------------------------------------------ Attributes
# that PaddlePaddle's gradient ops have and the ops lack, with what they are; others are an int32 of
# 0.
MISSING = {"axis": "int32_t{-1}", "reduce_all": "false"}


def missing_attr(name):
    """The value of an attribute that only the gradient op has, as C++."""
    return MISSING.get(name, "int32_t{0}")


def arg_defs(g, d):
    """The ArgDefs: operands, then attributes."""
    read = g.contents | set(g.op.saves) | set(g.op.douts)
    out = []
    for t in d.tensors:
        kind = "kTensorList" if t.variadic else "kOptionalTensor" if t.optional else "kTensor"
        out.append(
            f'{{"{t.name}", ArgDef::{kind}, 0, {{}}, {flag(t.local not in read)}, '
            f'{flag(t.local not in g.shared)}}}'
        )
    for name, arg in d.attrs:
        if arg is not None:
            kind, alternative = attr_form(d.name, arg)
            out.append(f'{{"{name}", ArgDef::{kind}, AttrIndex<{alternative}>(), {{}}}}')
        else:
            value = missing_attr(name)
            kind = "bool" if value == "false" else "int32_t"
            out.append(f'{{"{name}", ArgDef::kAttr, AttrIndex<{kind}>(), AttrValue({value})}}')
    return commas(out)


def call_values(g, d, of_slot=slot_tensor, absent="Tensor()"):
    """The arguments of a rule, from the slots of the generic call."""
    slots = {t.local: of_slot(t, k) for k, t in enumerate(d.tensors)}
    positions = {name: k for k, (name, _) in enumerate(d.attrs)}
    out = [slots.get(n, absent) for n in [*g.context, *g.op.douts]]
    for a in g.op.attrs:
        if pir_name(a) in positions:
            out.append(
                f'phi::AttrAs<{a.cpp_value}>(attrs[{positions[pir_name(a)]}], "{d.name}", '
                f'"{a.name}")'
            )
        else:
            out.append(a.cpp_default or "{}")
    return out


def meta_of_slot(t, k):
    """Of a list: that of its first member."""
    return f"in[{k}].n ? *in[{k}].p : Meta()" if t.optional or t.variadic else f"*in[{k}].p"


def in_loops(op):
    """Whether gradients of an elementwise op are loops of their own, not ops on tensors."""
    return op.elementwise and any(emit_loops.gradients(op).values())


def in_place_results(g, d):
    """Names of the inputs whose gradients a fused rule writes into the memory that the result was
    given.
    """
    if g.broadcasts or not (g.op.vjp_kernel or in_loops(g.op)):
        return set()
    return {t.name for t in g.inputs if d.output(t) is not None and not t.variadic}


def summed(g, d):
    """Inputs, which may be broadcast, whose gradients loops write where `OperandGradient` says."""
    if not g.broadcasts or not in_loops(g.op):
        return set()
    operands = {t.name for t in d.tensors}
    return {
        t.name
        for t in g.inputs
        if d.output(t) is not None and t.name in operands and not t.variadic
    }


def shape_giver(g, d, name):
    """C++ of the output gradient whose shape the loop of a gradient has, as a pointer; null where
    no loop computes it.
    """
    forms = emit_loops.gradients(g.op).get(name) or []
    read = {n for _, e in forms for n in e.inputs}
    return next(
        (
            f"&{slot_tensor(t, k)}"
            for k, t in enumerate(d.tensors)
            if t.local in read & {*g.op.douts}
        ),
        "nullptr",
    )


def is_composition(g, given):
    """Whether the rule is evaluated by ops, on tensors whose data is not read."""
    names = {
        node.func.id
        for rule in [*g.op.vjp_whole.values()]
        for node in ast.walk(rule)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    table = functions.rules()
    return (
        not given
        and not g.op.vjp_kernel
        and not in_loops(g.op)
        and not any(table[name].places for name in names if name in table)
    )


def wanted(g, d, given):
    """Statements: which gradients are wanted, and where they go: loops write into memory that has
    the shape of their result. An optional operand that was not given has no gradient, whoever asks.
    """
    out = ["Tensor unwanted;"] if given else []
    operands = {t.name: k for k, t in enumerate(d.tensors)}
    for i, t in enumerate(g.inputs):
        k = d.output(t)
        if k is None:
            out += [f"need[{i}] = false;", f"{list_or_tensor(t.variadic)} g_{t.name};"]
            continue
        asked, operand = f"outs[{k}].p || outs[{k}].list", operands.get(t.name)
        if operand is not None and d.tensors[operand].optional and not t.variadic:
            asked = f"outs[{k}].p && in[{operand}].n && in[{operand}].p[0].defined()"
        out.append(f"need[{i}] = {asked};")
        if t.name in given:
            out.append(f"Tensor& g_{t.name} = outs[{k}].p ? *outs[{k}].p : unwanted;")
        elif t.name in summed(g, d):
            out.append(
                f"OperandGradient g_{t.name}(outs[{k}].p, {slot_tensor(t, operand)}, "
                f"{shape_giver(g, d, t.name)});"
            )
        else:
            out.append(f"{list_or_tensor(t.variadic)} g_{t.name};")
            if t.variadic and g.op.vjp_kernel:
                out.append(f"if (outs[{k}].list) g_{t.name} = std::move(*outs[{k}].list);")
    return out


def delivered(g, d, given):
    """Statements that hand over the results that are not written in place."""
    operands = {t.name: k for k, t in enumerate(d.tensors)}
    out = []
    for t in g.inputs:
        k = d.output(t)
        if k is None or t.name in given:
            continue
        if t.name in summed(g, d):
            out.append(f"g_{t.name}.Deliver();")
            continue
        value = f"std::move(g_{t.name})"
        if t.variadic:
            out.append(f"if (outs[{k}].list) *outs[{k}].list = {value};")
            continue
        if t.name in operands:
            x = slot_tensor(t, operands[t.name])
            reduced = f"({x}).defined() ? ReduceGrad(g_{t.name}, {x}) : {value}"
            value = reduced if g.broadcasts else f"CastGrad({value}, {x})"
        out.append(f"if (outs[{k}].p) *outs[{k}].p = {value};")
    return out


def infer_statements(g, d, values):
    """The shape rule: `grad_infer`, or each gradient as its input, as the operand of `grad_like`,
    or as the output gradient.
    """
    op = g.op
    if op.grad_infer:
        attrs = [v for v in values if v.startswith("phi::AttrAs")]
        return [
            "outs[0].resize(1);",
            f"phi::{op.grad_infer}({commas(['*in[0].p', *attrs, 'outs[0][0]'])});",
        ]
    operands, out = {t.name: k for k, t in enumerate(d.tensors)}, []
    for t in g.inputs:
        k = d.output(t)
        if k is None:
            continue
        like = operands.get(op.grad_like.get(t.name, t.name))
        if like is None:
            like = next(
                (i for i, o in enumerate(d.tensors) if not o.variadic and o.local in op.douts), 0
            )
        out.append(f"outs[{k}].assign(in[{like}].p, in[{like}].p + in[{like}].n);")
        if d.tensors[like].optional and not t.variadic:
            out.append(f"if (outs[{k}].empty()) outs[{k}].push_back({{}});")
    return out + [f"outs[{d.outs.index(o)}].push_back({{}});" for o in d.nobodys(g)]


GRAD_OP = """
void run_$name(const KernelContext&, const InSlot* in, const AttrValue* attrs, OutSlot* outs) {
  PlainGuard plain;
  bool need[$count];
  $wanted
  $there
  ${rule}_${op}_grad($args);
  $delivered
}
void infer_$name(const MetaSlot* in, [[maybe_unused]] const AttrValue* attrs,
                 std::vector<Meta>* outs) {
  $infer
}
$workspace
OpDef def_$name("$name", {$defs}, {$outs}, $flags, infer_$name, run_$name$declared);
$ordered
$device
$composition
"""
COMPOSITION = """
[[maybe_unused]] const bool composition_$name = RegisterComposition("$name",
    [](const InSlot* in, const AttrValue* attrs, OutSlot* outs) {
  bool need[$count];
  $wanted
  composed_${op}_grad($args);
  $delivered
});
"""
WORKSPACE = """
int64_t workspace_$name(const MetaSlot* in, [[maybe_unused]] const AttrValue* attrs) {
  $variables
  return phi::$function($args);
}
"""


def workspace(name, function, args, variables=()):
    """How much scratch an op declares, in the form of its OpDef."""
    return fill(WORKSPACE, name=name, function=function, args=args, variables=variables)


def copies(g, d):
    """What the gradient op states of copies, and of gradients that are summed."""
    if g.op.vjp_kernel:
        return ordered.statement(
            g.op.grad_ordered,
            d.name,
            {t.local: (t.variadic, slot_tensor(t, k)) for k, t in enumerate(d.tensors)},
            {
                ordered.GRADIENT + t.name: (d.output(t), t.name)
                for t in g.inputs
                if d.output(t) is not None and t.name in {a.local for a in d.tensors}
            },
        )
    return ordered.stated(
        d.name,
        [
            f"OperandGradient::Bytes(out[{d.output(t)}], {shape_giver(g, d, t.name)})"
            for t in g.inputs
            if t.name in summed(g, d) and shape_giver(g, d, t.name) != "nullptr"
        ],
    )


def op_def(g, d):
    """The OpDef of the gradient op, with its adapters."""
    given, values, lists = (
        in_place_results(g, d),
        call_values(g, d),
        {t.name for t in g.inputs if t.variadic},
    )
    flags = ["phi::kOpSparing"]
    if g.op.elementwise and len(given) == 1:
        flags.append("phi::kOpElementwise")
    if is_composition(g, given):
        flags.append("phi::kOpComposed")
        if g.op.device_grad:
            flags.append("phi::kOpWholeOnDevice")
    elif not given and not in_loops(g.op):
        flags.append("phi::kOpAllocates")
    rule = "first" if g.op.vjp_kernel or in_loops(g.op) else "composed"
    return fill(
        GRAD_OP,
        name=d.name,
        op=g.op.name,
        count=len(g.inputs),
        rule=rule,
        wanted=wanted(g, d, given),
        args=rule_args(g, values),
        there=g.op.device_grad and there(g, d, values),
        delivered=delivered(g, d, given),
        infer=infer_statements(g, d, values),
        workspace=g.op.grad_workspace
        and workspace(
            d.name, g.op.grad_workspace, commas(call_values(g, d, meta_of_slot, "Meta()"))
        ),
        declared=f", workspace_{d.name}" if g.op.grad_workspace else "",
        defs=arg_defs(g, d),
        flags=" | ".join(flags),
        ordered=copies(g, d),
        device=g.op.grad_on_device
        and f"const phi::DeviceStatement device_{d.name}(def_{d.name}, true);",
        composition=g.op.vjp_kernel and g.rules and composition(g, d, values),
        outs=commas(f'{{"{o}", {flag(o[:-5] in lists)}, true, nullptr}}' for o in d.outs),
    )


def there(g, d, values):
    """The head of the statement: the same where the operands are on a device."""
    first = values[len(g.context)]
    return (
        f"if (const Place p_ = {first}.place(); p_.is_cpu() || "
        "State().record != RecordMode::kRun || "
        f"!device_{g.op.name}_grad({rule_args(g, values)}, p_))"
    )


def composition(g, d, values):
    """What runs on devices that have no kernel for the gradient op."""
    return fill(
        COMPOSITION,
        name=d.name,
        op=g.op.name,
        count=len(g.inputs),
        wanted=wanted(g, d, set()),
        args=rule_args(g, values),
        delivered=delivered(g, d, set()),
    )
