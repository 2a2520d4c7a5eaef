# SPDX-License-Identifier: Apache-2.0
"""The C++ that runs an op without history: declarations of hand-written functions, `run_<op>`, and
the OpDef.
"""

from . import emit_loops, ordered
from .emit_grad import kernel_params, workspace
from .signatures import (
    ARG_KIND,
    attr_form,
    attr_value,
    flag,
    list_or_tensor,
    names,
    of_numbers,
    params,
    pir_name,
    slot_tensor,
)
from .template import commas, fill, when

NO_RULE = (None, "none")  # `infer` of ops whose shapes are known only after running


def meta_type(variadic):
    return "std::vector<Meta>" if variadic else "Meta"


def out_params(op):
    return commas(f"{list_or_tensor(o.variadic)}& {o.name}" for o in op.outs)


def joined(*parts):
    """Argument lists as one."""
    return commas(part for part in parts if part)


def context_param(op, name=""):
    """The first parameter of what runs a kernel that draws numbers."""
    return op.draws and f"const KernelContext& {name}".rstrip()


def kernel_declarations(g):
    """Declarations of the hand-written kernels and shape rules of an op."""
    op, out = g.op, []
    if op.kernel:
        given = joined(context_param(op), of_numbers(params(op)), out_params(op))
        out.append(f"void {op.kernel}({given});")
    if op.infer and op.infer not in ("unchanged", "broadcast", "none"):
        out.append(f"void {op.infer}({infer_params(op)});")
    if op.workspace:
        out.append(f"int64_t {op.workspace}({of_numbers(commas(map(meta_param, op.args)))});")
    if op.grad_workspace:
        given = [f"const Meta& {n}" for n in [*g.context, *op.douts]] + [
            meta_param(a) for a in op.attrs
        ]
        out.append(f"int64_t {op.grad_workspace}({of_numbers(commas(given))});")
    if op.grad_infer:
        attrs = [f"{a.cpp} {a.name}" for a in op.attrs]
        out.append(f"void {op.grad_infer}({commas(['const Meta& dout', *attrs, 'Meta& x'])});")
    if op.vjp_kernel:
        out.append(f"void {op.vjp_kernel}({of_numbers(kernel_params(g))});")
    if op.device_grad:
        out.append(f"bool {op.device_grad}({of_numbers(kernel_params(g))});")
    return out


def meta_param(a):
    """An argument of what is known from metas alone."""
    if not a.is_tensor:
        return f"{a.cpp} {a.name}"
    return (
        f"const MetaList& {a.name}"
        if a.variadic
        else f"const Meta{'*' if a.optional else '&'} {a.name}"
    )


def infer_params(op):
    return commas(
        [*map(meta_param, op.args), *[f"{meta_type(o.variadic)}& {o.name}" for o in op.outs]]
    )


# --- run_<op>
RUN = """
$declared
void run_$op($params) {
  $external
$body
  $placed
}
"""
CREATED = """
  const auto make = [&] {
$body
  };
  if (__builtin_expect(phi::g_has_external_kernels, 0) && phi::CreateByForms(make)) return;
  make();
"""
EXTERNAL = """
if (__builtin_expect(phi::g_has_external_kernels, 0)) {
  const InSlot slots_[] = {$slots};
  const AttrValue values_[] = {$attrs};
  OutSlot results_[] = {$outs};
  if (phi::RunExternalKernel(def_$op, slots_, values_, results_)) return;
}
"""
# ... of an op without tensors, which runs where results are put
MAKING = """
if (__builtin_expect(phi::g_has_external_kernels, 0)) {
  const AttrValue values_[] = {$attrs};
  OutSlot results_[] = {$outs};
  if (phi::CreateByKernel(def_$op, values_, results_)) return;
}
"""
PLACED = """
if (__builtin_expect(phi::g_has_external_kernels, 0)) {
  $moves
}
"""


def run(op):
    """run_<op>(args, outs&): shape rule, allocation, kernel; no autograd."""
    external = fill(
        EXTERNAL if op.tensors else MAKING,
        op=op.name,
        slots=commas(f"InSlot({t.name})" for t in op.tensors),
        attrs=attr_values(op),
        outs=commas(f"OutSlot({o.name})" for o in op.outs) or "OutSlot()",
    )
    asked = next((a.name for a in op.attrs if a.kind == "Place"), "Place{}")
    placed = fill(PLACED, moves=[f"phi::MoveToPlace({o.name}, {asked});" for o in op.outs])
    body = (
        run_loops(op) if op.elementwise else run_composition(op) if op.composed else run_kernel(op)
    )
    if op.on_device and not op.tensors:
        body = fill(CREATED, body=body)
    return fill(
        RUN,
        op=op.name,
        params=joined(context_param(op, "context"), params(op), out_params(op)),
        declared=f"extern OpDef def_{op.name};",
        external=external,
        body=body,
        placed=when(not op.tensors, placed),
    )


def attr_values(op):
    return commas(map(attr_value, op.attrs)) or "AttrValue()"


def run_loops(op):
    out = [
        f"  const Tensor* in[] = {{{commas('&' + t.name for t in op.tensors)}}};",
        f"  Tensor* o_[] = {{&{op.outs[0].name}}};",
    ]
    for condition, e in sorted(emit_loops.forward(op), key=lambda v: v[0] is None):
        values = e.attr_array()
        attrs = f"const double at[] = {{{commas(values)}}}; " if values else ""
        call = f"{{ {attrs}phi::RunEw(k_{e.name}, in, o_, {'at' if values else 'nullptr'}); }}"
        out.append(f"  if ({condition.cpp}) {call} else" if condition else f"  {call}")
    return out


def run_composition(op):
    call = f"paddle::{op.compose}({names(op)})"
    if len(op.outs) > 1:
        return f"  std::tie({commas(o.name for o in op.outs)}) = {call};"
    out = op.outs[0]
    return (
        f"  {out.name} = {call};" if out.variadic else f"  Deliver({call}, Tensor(), {out.name});"
    )


LONG = """
  if (__builtin_expect($work >= $long_work, 0)) {
    $held
    { const phi::WithoutHostLock apart; phi::$kernel($args); }
    $written
    return;
  }
"""


def run_kernel(op):
    """Shape rule, allocation, and the kernel: a long one without the host's lock, on handles that
    nobody else can rebind.
    """
    ruled = op.infer not in NO_RULE and op.view != "checked"
    out = (
        ["  " + line for line in infer_call(op, eager=True)]
        + [line for o in op.outs for line in allocation(op, o)]
        if ruled
        else []
    )
    context, results = op.draws and "context", [o.name for o in op.outs]

    def given(of=str):
        def named(n):
            return n if n in results else of(n)

        return joined(
            context,
            *[
                ordered.read_as(op.ordered, a.name, a.variadic, named) if a.is_tensor else a.name
                for a in op.args
            ],
            *[ordered.written(op.ordered, o, named) for o in results],
        )

    call = f"phi::{op.kernel}({given()});"
    work = " + ".join(f"phi::WorkOf({n.name})" for n in [*op.tensors, *op.outs])
    if op.tensors and not op.view:
        out.append(
            fill(
                LONG,
                work=work,
                long_work=op.long_work,
                kernel=op.kernel,
                args=given("h_{}".format),
                held=" ".join(f"const auto h_{t.name} = phi::Held({t.name});" for t in op.tensors),
                written=[
                    f"if ({o}.impl() == h_{i}.impl()) {o} = {i};" for o, i in op.inplace_map.items()
                ],
            )
        )
    elif not op.tensors and ruled:  # nothing that another thread could rebind
        out.append(
            f"  if ({work} >= {op.long_work}) {{ const phi::WithoutHostLock apart; {call} }}"
        )
        call = "else " + call
    return [*out, f"  {call}"]


def allocation(op, o):
    """Statements that allocate a result as inferred; the kernel of a view makes its own."""

    def room(meta, out):
        return f"phi::EnsureOut({out}, common::ToInts({meta}.dims), {meta}.dtype);"

    if o.variadic:
        resize = f"  {o.name}.resize(m_{o.name}.size());"
        loop = f"  for (size_t i = 0; i < m_{o.name}.size(); ++i) " + room(
            f"m_{o.name}[i]", f"{o.name}[i]"
        )
        return [resize] if op.view else [resize, loop]
    if op.view:
        return []
    return ([f"  if (m_{o.name}.dtype != DataType::UNDEFINED)"] if o.optional else []) + [
        "  " + room(f"m_{o.name}", o.name)
    ]


def infer_call(op, eager):
    """Statements that compute `m_<out>`, the metas of results: of tensors, or (not eager) of metas
    with the arguments' names.
    """
    out = [f"{meta_type(o.variadic)} m_{o.name};" for o in op.outs]
    if op.infer == "unchanged":
        first = op.tensors[0].name if op.tensors else None
        return out + [
            f"m_{o.name} = {first}.meta();" if eager else f"m_{o.name} = {first};" for o in op.outs
        ]
    args = []
    for a in op.args:
        if not a.is_tensor or not eager:
            args.append(a.name)
        elif a.variadic:
            out.append(f"const MetaList mi_{a.name} = MetasOf({a.name});")
            args.append(f"mi_{a.name}")
        elif a.optional:
            out.append(f"Meta mi_{a.name}; if ({a.name}.defined()) mi_{a.name} = {a.name}.meta();")
            args.append(f"{a.name}.defined() ? &mi_{a.name} : nullptr")
        else:
            args.append(f"{a.name}.meta()")
    return [*out, f"phi::{op.infer}({commas([*args, *[f'm_{o.name}' for o in op.outs]])});"]


# --- the OpDef
OP_DEF = """
void run_${op}_generic([[maybe_unused]] const KernelContext& context,
                       [[maybe_unused]] const InSlot* in,
                       [[maybe_unused]] const AttrValue* attrs, OutSlot* outs) {
  PlainGuard plain;
  run_$op($args);
}
void infer_${op}_generic([[maybe_unused]] const MetaSlot* in,
                         [[maybe_unused]] const AttrValue* attrs, std::vector<Meta>* outs) {
  $infer
}
$workspace
OpDef def_$op("$op", {$defs}, {$outs}, $flags, infer_${op}_generic, run_${op}_generic$declared);
$ordered
$device
"""
LISTS = ("int[]", "int64[]", "float[]", "double[]", "str[]", "Scalar[]")


def op_def(op):
    outs = [f"*outs[{k}].list" if o.variadic else f"*outs[{k}].p" for k, o in enumerate(op.outs)]
    return fill(
        OP_DEF,
        op=op.name,
        args=joined(op.draws and "context", *slot_values(op, slot_tensor), *outs),
        infer=infer_statements(op),
        workspace=op.workspace
        and workspace(op.name, op.workspace, names(op), variables_of_metas(op)),
        declared=f", workspace_{op.name}" if op.workspace else "",
        defs=commas(arg_def(op, a) for a in op.args),
        outs=commas(out_def(op, o) for o in op.outs),
        flags=" | ".join(op_flags(op)),
        ordered=ordered.statement(
            op.ordered,
            op.name,
            {t.name: (t.variadic, slot_tensor(t, k)) for k, t in enumerate(op.tensors)},
            {o.name: (k, o.name) for k, o in enumerate(op.outs)},
        ),
        device=op.on_device and f"const phi::DeviceStatement device_{op.name}(def_{op.name});",
    )


def arg_def(op, a):
    if a.is_tensor:
        return (
            f'{{"{a.name}", ArgDef::{ARG_KIND[a.kind]}, 0, {{}}, {flag(a.name in op.shape_only)}, '
            f'{flag(not op.view and not op.composed)}, {flag(a.name in op.bool_inputs)}}}'
        )
    kind, alternative = attr_form(op.name, a)
    default = "{}"
    if a.kind in LISTS and a.cpp_default is not None:
        default = (
            f"[] {{ auto v = {a.cpp_default}; return AttrValue({a.attr_type}(v.begin(), "
            f"v.end())); }}()"
        )
    elif a.cpp_default is not None:
        default = f"AttrValue({a.attr_type}({a.cpp_default}))"
    return f'{{"{pir_name(a)}", ArgDef::{kind}, AttrIndex<{alternative}>(), {default}}}'


def out_def(op, o):
    same = f'"{op.inplace_map[o.name]}"' if o.name in op.inplace_map else "nullptr"
    return f'{{"{o.name}", {flag(o.variadic)}, {flag(o.optional)}, {same}}}'


def op_flags(op):
    said = {
        "phi::kOpElementwise": op.elementwise,
        "phi::kOpView": op.view and op.view != "made",
        "phi::kOpAllocates": op.view == "made" and any(o.variadic for o in op.outs),
        "phi::kOpRandom | phi::kOpSideEffect": op.random,
        "phi::kOpSideEffect": op.inplace_map or op.effect,
        "phi::kOpInternal": op.internal,
        "phi::kOpComposed": op.composed,
    }
    return ["0", *(name for name, value in said.items() if value)]


def meta_variable(a, k):
    if a.variadic:
        return f"MetaList {a.name}(in[{k}].p, in[{k}].p + in[{k}].n);"
    if a.optional:
        return f"const Meta* {a.name} = in[{k}].n ? in[{k}].p : nullptr;"
    return f"const Meta& {a.name} = in[{k}].p[0];"


def slot_values(op, tensor, attr=lambda a, value: value):
    """The arguments of the generic call: `tensor(arg, slot)` and `attr(arg, value)` say how."""
    slots, attrs = iter(range(len(op.args))), iter(range(len(op.args)))
    return [
        tensor(a, next(slots))
        if a.is_tensor
        else attr(a, f'phi::AttrAs<{a.cpp_value}>(attrs[{next(attrs)}], "{op.name}", "{a.name}")')
        for a in op.args
    ]


def infer_statements(op):
    if op.elementwise:
        return [f"phi::InferEw(k_{emit_loops.forward(op)[0][1].name}, in, outs);"]
    if op.infer in NO_RULE:
        text = (
            f'PD_THROW(Unimplemented, "[{op.name}] expected a shape rule, got none for '
            f'symbolic shapes");'
        )
        return [text if op.composed else "(void)outs;"]
    results = [
        f"outs[{k}] = m_{o.name};" if o.variadic else f"outs[{k}].assign(1, m_{o.name});"
        for k, o in enumerate(op.outs)
    ]
    return [*variables_of_metas(op), *infer_call(op, eager=False), *results]


def variables_of_metas(op):
    """Statements that name the arguments of the generic call of a shape rule."""
    return slot_values(
        op,
        meta_variable,
        lambda a, value: f"[[maybe_unused]] const {a.cpp_value} {a.name} = {value};",
    )
