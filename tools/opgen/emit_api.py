# SPDX-License-Identifier: Apache-2.0
"""The C++ API functions: `paddle::op`, which dispatches, and its in-place form."""

from . import propagation
from .emit_node import setup
from .emit_run import attr_values, joined
from .signatures import list_or_tensor, names, params, ret_type
from .template import commas, fill, when

API = """
$ret $op($params) {
  $amp
  $promote
  $composed
$call
}
"""
CALL = """
  $results
  if (__builtin_expect($recorded, 0)) {
    const InSlot slots_[] = {$slots};
    const AttrValue attrs_[] = {$attrs};
    $dist
    OutSlot results_[] = {$outs};
    RecordOp(def_$op, slots_, attrs_, results_);
  } else {
    $apart
    run_$op($args);
  }
  $written
  $history
  $views
  $composed_history
  return $value;
"""
AMP = """
if (__builtin_expect(State().amp_level != 0, 0)) {
  const DataType amp_to = AmpTarget("$op", AmpClass::k$kind, {$tensors});
  const AmpOffGuard amp_off;
  return paddle::$op($casts);
}
"""
# An integer beside a floating operand takes its dtype; real and complex meet.
PROMOTE = """
if (__builtin_expect($a.dtype() != $b.dtype(), 0)) {
  const DataType a_ = $a.dtype(), b_ = $b.dtype();
  DataType to = phi::IsComplex(a_) || phi::IsComplex(b_)
      ? phi::PromoteOrUndefined(a_, false, b_, false) : DataType::UNDEFINED;
  if (phi::IsDifferentiable(a_) != phi::IsDifferentiable(b_))
    to = phi::IsDifferentiable(a_) ? a_ : b_;
  if (to != DataType::UNDEFINED) return paddle::$op($casts);
}
"""
HISTORY = """
if (State().grad_enabled && ($needed)) {
$setup
}
"""


# On distributed tensors: the composition named, or the call on the parts of this process.
DIST = """
if ($dist) {
  DistCall call_(def_$op, "$rule", slots_, attrs_);
  if (!call_.here()) return call_.Absent<$ret>();
  return call_.Wrap(paddle::$op($args));
}
"""
DIST_AS = "if ($dist) return $composition;"
NO_DIST = """
PD_CHECK(!($dist), InvalidType,
         "[$op] expected a dense tensor, got a distributed one: it is moved by reshard");
"""
# Rules with this sign divide windows: arguments that parts are called with others of.
WINDOWS = "@"
PADDINGS = {"paddings": "Paddings", "padding_algorithm": "PaddingAlgorithm"}


def operands(op, in_place):
    """(tensor argument, its C++ name): the in-place form writes the first one, `x_`."""
    return [(t, "x_" if in_place and t is op.tensors[0] else t.name) for t in op.tensors]


def special(op, in_place=False):
    """C++: whether the call does not run at once: it is recorded, or runs on parts. With a value of
    a program where nothing is recorded, RecordOp refuses it.
    """

    def other(t, name):
        return f"IsSpecial({name})" if t.variadic or t.optional else f"!{name}.is_dense()"

    tests = [other(t, name) for t, name in operands(op, in_place)]
    return " || ".join(["State().record != RecordMode::kRun", *tests])


def is_dist(op, in_place=False):
    """C++: whether an operand is a distributed tensor."""
    return " || ".join(f"IsDist({name})" for _, name in operands(op, in_place))


def dist(op):
    """The statement that runs the op on distributed operands."""
    rule = propagation.rule(op)
    if not op.tensors:
        return None
    if op.effect:
        return fill(NO_DIST, dist=is_dist(op), op=op.name)
    if propagation.composes(op):
        return fill(DIST_AS, dist=is_dist(op), composition=f"{op.compose}({names(op)})")
    if call := propagation.in_place_of(op):
        call = f"{call}({names(op)})" if propagation.of_parts(op) else call
        return fill(DIST_AS, dist=is_dist(op), composition=call)
    counts = iter(range(len(op.args)))
    attrs = iter(range(len(op.args)))
    begins = propagation.counted_from_parts(op)

    def local(a):
        if a.is_tensor:
            return f"call_.List({next(counts)})" if a.variadic else f"call_[{next(counts)}]"
        i = next(attrs)
        if WINDOWS in rule and a.name in PADDINGS:
            return f"call_.{PADDINGS[a.name]}({a.name})"
        if a.name in begins:
            return f"call_.Begin({a.name})"
        return f"call_.Attr({i}, {a.name})" if a.kind == "IntArray" else a.name

    return fill(
        DIST,
        dist=is_dist(op),
        op=op.name,
        rule=rule,
        ret=ret_type(op),
        args=commas(local(a) for a in op.args),
    )


def needs_grad(tensors):
    """C++: whether any of the tensors has a gradient."""
    return (
        " || ".join(
            f"AnyNeedsGrad({t.name})" if t.variadic else f"NeedsGrad({t.name})" for t in tensors
        )
        or "false"
    )


def takes_history(op):
    """Whether ComposeHistory can give the op, recorded as one, its gradient."""
    return len(op.outs) == 1 and not op.outs[0].variadic and not any(t.variadic for t in op.tensors)


def runs_composed(op):
    """Whether eager runs the composition and differentiates that."""
    return op.composed and not op.vjp_kernel and (not op.vjp or op.eager == "compose")


def casts(op, how):
    """The arguments, tensors as `how` says."""
    return commas(how.format(a.name) if a.is_tensor else a.name for a in op.args)


def api(g):
    op = g.op
    call = (
        None
        if op.recorded_as
        else fill(
            CALL,
            recorded=special(op),
            dist=dist(op),
            op=op.name,
            results=[f"{list_or_tensor(o.variadic)} {o.name};" for o in op.outs],
            slots=commas(f"InSlot({t.name})" for t in op.tensors) or "InSlot()",
            attrs=attr_values(op),
            outs=commas(f"OutSlot({o.name})" for o in op.outs) or "OutSlot()",
            args=joined(
                op.draws and "phi::ThreadContext()", names(op), commas(o.name for o in op.outs)
            ),
            apart=apart(op),
            written=written(op),
            history=g.exists
            and fill(HISTORY, needed=needs_grad(g.inputs), setup=indent(setup(g, op.outs[0].name))),
            views=views(op),
            composed_history=composed_history(g),
            value=op.outs[0].name
            if len(op.outs) == 1
            else f"{{{commas(o.name for o in op.outs)}}}",
        )
    )
    return fill(
        API,
        ret=ret_type(op),
        op=op.name,
        params=params(op),
        amp=amp(op),
        promote=promote(op),
        composed=composed(g),
        call=call,
    )


def indent(lines, by="  "):
    return [by + line for line in lines]


def amp(op):
    if op.amp_class == "keep":
        return None
    kind, seen = (
        ("promote", op.tensors[:1]) if op.amp_class == "first" else (op.amp_class, op.tensors)
    )
    return fill(
        AMP,
        op=op.name,
        kind=kind.capitalize(),
        tensors=commas(f"AmpInputOf({t.name})" for t in seen),
        casts=commas(f"AmpCast({a.name}, amp_to)" if a in seen else a.name for a in op.args),
    )


def promote(op):
    if not op.int_promote:
        return None
    a, b = (t.name for t in op.tensors)
    return fill(PROMOTE, op=op.name, a=a, b=b, casts=casts(op, "cast({}, to)"))


def composed(g):
    """The statement by which eager runs a composition."""
    op, call = g.op, f"{g.op.compose}({names(g.op)})"
    if op.recorded_as:
        return (
            f"return State().record == RecordMode::kRun ? {call} : {op.recorded_as}({names(op)});"
        )
    if not runs_composed(op):
        return None
    # One recorded op has a gradient only where ComposeHistory can give it one.
    lost = (
        ""
        if g.exists or takes_history(op)
        else f" || (State().grad_enabled && ({needs_grad(g.inputs)}))"
    )
    parts = f" && !({is_dist(op)})" if op.tensors and not propagation.composes(op) else ""
    plain = f"State().record == RecordMode::kRun{parts}"
    return f"if ({f'({plain}){lost}' if lost else plain}) return {call};"


def apart(op):
    """The statement that refuses writes to memory that is written or read elsewhere too."""
    if not op.inplace_map:
        return None
    to_write = list(op.inplace_map.values())
    to_read = [t.name for t in op.tensors if t.name not in to_write]
    pointers = [commas(f"&{name}" for name in names_) for names_ in (to_write, to_read)]
    by_element = "true" if op.update else "false"
    return f'RequireApart("{op.name}", {{{pointers[0]}}}, {{{pointers[1]}}}, {by_element});'


def written(op):
    """Statements that tell of inputs written in place."""

    def one(o, i):
        told = f"phi::NoteAssigned(*{i}->storage());"
        if op.random:
            told = f"{{ Tensor x_ = {i}; AfterInplace(x_, nullptr, 0); }}"
        elif op.update:  # no gradient needs the state of an optimizer
            told = f"{{ if ({i}->stop_gradient) {i}->storage()->BumpVersion(); else {told} }}"
        return (
            f"if (State().record == RecordMode::kRun && {o}.defined() && {o}.impl() == "
            f"{i}.impl() && {i}->storage()) {told}"
        )

    recorded = [
        f"if (State().record != RecordMode::kRun) {{ Tensor x_ = {i}; ReplaceRecorded(x_, {o}); "
        f"{o} = {i}; }}"
        for o, i in op.inplace_map.items()
        if op.random
    ]
    return [one(o, i) for o, i in op.inplace_map.items()] + recorded


def views(op):
    """Statements that mark results as views of the first operand."""
    if not op.view or op.view == "made":
        return None
    src, out = op.tensors[0].name, []
    for o in op.outs:
        seen = (
            f"{{0}}.defined() && !{{0}}.is_symbolic() && {{0}}->storage().get() == "
            f"{src}->storage().get()) MarkView({{0}}, {src});"
        )
        out.append(
            f"for (auto& v : {o.name}) if (" + seen.format("v")
            if o.variadic
            else "if (" + seen.format(o.name)
        )
    return out


COMPOSED_HISTORY = """
if (State().grad_enabled && ($needed))
  ComposeHistory("$op", {$tensors}, $out,
                 [$held](const std::vector<Tensor>& t) { return $compose($args); });
"""


def composed_history(g):
    op = g.op
    if not op.composed or g.exists or not takes_history(op):
        return None
    positions = {t.name: k for k, t in enumerate(op.tensors)}
    held = commas(f"{a.name} = std::decay_t<decltype({a.name})>({a.name})" for a in op.attrs)
    return fill(
        COMPOSED_HISTORY,
        needed=needs_grad(g.inputs),
        op=op.name,
        tensors=commas("&" + t.name for t in op.tensors),
        held=held,
        out=op.outs[0].name,
        compose=op.compose,
        args=commas(f"t[{positions[a.name]}]" if a.is_tensor else a.name for a in op.args),
    )


# --- in place
INPLACE = """
Tensor& ${op}_($params) {
  $amp
$body
}
"""
AMP_OFF = (
    "if (__builtin_expect(State().amp_level != 0, 0)) { const AmpOffGuard amp_off; "
    "return paddle::${op}_(x_$rest); }"
)
VIEW = """
  if (__builtin_expect(State().record != RecordMode::kRun || !x_.is_dense(), 0)) {
    $dist
    const GradModeGuard history(State().grad_enabled || x_->node());
    ShowRecordedAs(x_, [&](const Tensor& was) { return paddle::$op(was$rest); });
    return x_;
  }
  BeforeInplace(x_, "${op}_");
  const GradModeGuard history(State().grad_enabled || x_->node());  // it fits the new shape
  ShowAs(x_, paddle::$op(AliasWithHistory(x_)$rest));
  return x_;
"""
DIST_WRITE = """
if ($dist) {
  DistWrite(x_, "${op}_", [&](const Tensor& was_) { return paddle::$op(was_$rest); });
  return x_;
}
"""
GENERAL = """
$dist
$reads
const bool saved_ = $saved;
Tensor old_ = BeforeWrite(x_, "${op}_", saved_);
WriteOver(x_, old_, paddle::$op(old_$rest), "${op}_", saved_);
return x_;
"""
DIRECT = """
  if (State().record == RecordMode::kRun && !($special) &&
      !(State().grad_enabled && ($every)) && $apart) {
    BeforeInplace(x_, "${op}_");
    Tensor out_ = x_;
    run_$op(${context}x_$rest, out_);
    PD_ASSERT(out_.impl() == x_.impl());
    AfterInplace(x_, nullptr, 0);
    return x_;
  }
"""
ELEMENTWISE = """
  $refused
  if (__builtin_expect($indirect, 0)) {
    $general
  }
  BeforeInplace(x_, "${op}_");
  Tensor $x = x_;
  $kept
  $shapes
  Tensor $out = x_;
  run_$op($x$rest, $out);
  PD_ASSERT($out.impl() == x_.impl());
  $after
  return x_;
"""
KEPT = """
const bool need = $need;
if (need) $x = $clone(x_);
"""
AFTER = """
if (need) {
$setup
} else {
  AfterInplace(x_, nullptr, 0);
}
"""


def inplace_api(g):
    """The in-place form: views show x in another way, elementwise ops write x's memory themselves,
    others through egr::WriteOver.
    """
    op, x = g.op, g.op.args[0].name
    rest = "".join(f", {a.name}" for a in op.args[1:])
    body = (
        fill(VIEW, op=op.name, rest=rest, dist=dist_write(op, rest))
        if op.view
        else inplace_loops(g, x, rest)
        if op.elementwise
        else inplace_kernel(g, x, rest)
    )
    return fill(
        INPLACE,
        op=op.name,
        params=params(op, False, True).replace("Tensor& " + x, "Tensor& x_", 1),
        body=body,
        amp=when(op.amp_class != "keep", fill(AMP_OFF, op=op.name, rest=rest)),
    )


def dist_write(op, rest):
    return fill(DIST_WRITE, dist=is_dist(op, in_place=True), op=op.name, rest=rest)


def needed(g):
    """C++: whether the call has history."""
    op = g.op
    if runs_composed(op):
        return f"State().grad_enabled && ({needs_grad(op.tensors)})"
    return f"State().grad_enabled && ({needs_grad(g.inputs)})" if g.exists else "false"


def general(g, x, rest):
    reads = x in g.contents or runs_composed(g.op)  # the parts of a composition may keep x
    return fill(
        GENERAL,
        dist=dist_write(g.op, rest),
        op=g.op.name,
        rest=rest,
        reads=when(reads, f"[[maybe_unused]] const Tensor& {x} = x_;"),
        saved=needed(g) if reads else "false",
    )


def inplace_kernel(g, x, rest):
    op = g.op
    body = indent(general(g, x, rest).split("\n"))
    if op.inplace == "direct":
        others = [f"!SharesMemory({t.name}, x_)" for t in op.tensors if t.name != x]
        every = " || ".join(
            f"{'AnyNeedsGrad' if t.variadic else 'NeedsGrad'}({'x_' if t.name == x else t.name})"
            for t in op.tensors
        )
        apart = " && ".join(["!phi::g_has_external_kernels", "x_.is_contiguous()", *others])
        body.insert(
            0,
            fill(
                DIRECT,
                context=when(op.draws, "phi::ThreadContext(), ") or "",
                op=op.name,
                rest=rest,
                special=special(op, in_place=True),
                every=every,
                apart=apart,
            ),
        )
    return body


REFUSED = """
PD_CHECK(phi::IsDifferentiable(x_.dtype()), Unimplemented, \
"[${op}_] expected a dtype with a kernel, got ", phi::NameOf(x_.dtype()), \
": the kernel is not registered for it, as its result is no integer");
"""


def inplace_loops(g, x, rest):
    op, out = g.op, g.op.outs[0].name
    others = [t.name for t in op.tensors if t.name != x]
    refuses = bool(op.int_as_float) and len(op.tensors) == 1 and op.inplace != "retype"
    fits = [f"x_.dtype() == {t}.dtype()" for t in others if t not in op.bool_inputs]
    fits += {"bool": ["x_.dtype() == DataType::BOOL"], "real": ["!phi::IsComplex(x_.dtype())"]}.get(
        op.out, []
    )
    if op.int_as_float and not refuses:
        fits.append("phi::IsDifferentiable(x_.dtype())")
    kept = fill(
        KEPT,
        need=needed(g),
        x=x,
        clone="CloneWithHistory" if x in g.contents else "AliasWithHistory",
    )
    after = (
        fill(AFTER, setup=indent(setup(g, out, inplace=True)))
        if g.exists
        else "AfterInplace(x_, nullptr, 0);"
    )
    return fill(
        ELEMENTWISE,
        op=op.name,
        x=x,
        out=out,
        rest=rest,
        refused=when(refuses, fill(REFUSED, op=op.name)),
        indirect=" || ".join([special(op, in_place=True), *(f"!({f})" for f in fits)]),
        general=general(g, x, rest),
        kept=when(g.exists, kept),
        shapes=[f'CheckInplaceShape("{op.name}_", x_, {o});' for o in others],
        after=after,
    )
