# SPDX-License-Identifier: Apache-2.0
"""The schema of op stanzas: a field for each key that a stanza may have, what follows from them,
and the reading of all stanzas.
"""

import functools
import pathlib
from dataclasses import dataclass

from . import documentation, expr, ordered, propagation
from .arguments import ARGS, OUTS, SIGNATURES, PySig
from .checks import WAYS, check_expressions, check_key_names, check_keys, check_reach, known_names
from .stanza import (
    DTYPES,
    EXPRESSIONS,
    FALSE,
    FLAGS_OF_TEXTS,
    NAME,
    NAMES,
    NUMBER,
    RENAMES,
    REQUIRED,
    STEPS,
    TEXT,
    TRUE,
    VALUES,
    Kind,
    Mapping,
    OneOf,
    Part,
    Subset,
    Where,
    is_expression,
    key,
    need_name,
    read_file,
    read_table,
)
from .update import Update

LONG_UPDATE = 262144  # `long_from` of updates
# How an op moves elements, and how its gradient op moves those of the output gradient; None: it
# adds them up.
MOVES = {
    "split": "concat",
    "unbind": "stack",
    "transpose": "transpose",
    "extents": "extents",
    "expand": None,
    "slice": "unslice",
    "flip": "flip",
    "concat": "split",
    "stack": "unbind",
    "pad": "unpad",
    "roll": "roll",
    "gather": None,
    "rows": None,
}


class ByClass(Kind):
    """An expression, or one for each class of dtypes."""

    def read(self, value, where, key):
        if isinstance(value, dict):
            for name, e in value.items():
                need_name(
                    name,
                    (*DTYPES, "default"),
                    where.at(value, name),
                    key,
                    f"one of {', '.join(DTYPES)} and default",
                    "class",
                )
                if not is_expression(e):
                    raise where.at(value, name).error(f"{key}: expected an expression, got {e!r}")
            return value
        if not is_expression(value):
            raise where.error(f"{key}: expected {self.shown}, got {value!r}")
        return value


BY_CLASS = ByClass("expression or {class: expression}")


@dataclass
class Variant:
    where: Where | None = None
    when: str | None = key(
        TEXT,
        "A condition on attributes, in the expression language; the last variant, and no other, "
        "has none.",
    )
    expr: object = key(BY_CLASS, "The expression, or one for each class of dtypes.", REQUIRED)


class Body(Kind):
    """[Variant], the last of them without a condition."""

    def read(self, value, where, name):
        if not isinstance(value, list):
            return [Variant(expr=BY_CLASS.read(value, where, name))]
        out = []
        for v in value:
            place = Where(where.file, getattr(v, "line", where.line), where.op)
            out.append(Part(Variant, where=place).read(v, place, name))
        if [v.when is None for v in out] != [False] * (len(out) - 1) + [True]:
            raise where.error(f"{name}: expected the last variant, and no other, without `when`")
        return out


BODY = Body("expression, {class: expression} or [{when: condition, expr: expression}, ...]")


@dataclass
class TestRow:
    """`test:` of an elementwise op."""

    low: float | None = key(NUMBER, "Lowest input.")
    high: float | None = key(NUMBER, "Highest input.")
    ref: str | None = key(TEXT, "NumPy's name or formula, where it is not the op's name.")
    call: str | None = key(TEXT, "The function to call, where it is not the first of `py`.")
    no_grad: bool | None = key(TRUE, "The gradient is not tested.")
    skip_numeric_grad: bool | None = key(
        TRUE, "The gradient is not compared with finite differences."
    )
    grad_order: int | None = key(
        Kind("1", lambda v: v == 1), "How many orders of gradients are tested; else two."
    )
    skip: bool | None = key(TRUE, "A test of its own stands for the row.")


@dataclass
class Legacy:
    """`legacy:`: how older programs name the op."""

    op: str = key(NAME, "The old op.", REQUIRED)
    inputs: dict = key(RENAMES, "Its names of tensors.", {}, names="tensors", written="in")
    out: dict = key(RENAMES, "Its names of results.", {}, names="outputs")
    attrs: dict = key(RENAMES, "Its names of attributes.", {}, names="attributes")
    fixed: dict = key(
        VALUES, "Its attributes that this op lacks, with the only value they may have.", {}
    )
    tensors: dict = key(
        RENAMES, "Its inputs that may hold an attribute's value: that attribute.", {}
    )


@dataclass
class Op:
    """A stanza. Its fields with `key` are the keys it may have; docs/design/add_an_op.md shows them
    as a table.
    """

    family: str
    raw: Mapping  # as written, for places in the file
    where: Where

    name: str = key(NAME, "The pd_op's name.", REQUIRED, written="op", group="What it is")
    args: list = key(ARGS, "Names, order and kinds of the pd_op's arguments.", REQUIRED)
    outs: list = key(
        OUTS,
        "Its results: `Tensor`, `Tensor?` (may be undefined) or `Tensor[]`.",
        REQUIRED,
        written="outputs",
    )
    full_doc: documentation.Documentation = key(
        documentation.DOC,
        "What it computes, for `help()`: a line, or the full form.",
        REQUIRED,
        written="doc",
    )
    internal: bool = key(
        TRUE, "No pd_op of PaddlePaddle: cannot be recorded by name, no `_C_ops`.", False
    )
    legacy: Legacy | None = key(
        Part(Legacy),
        "The op's name and those of its arguments in older programs, where not found by name.",
    )

    py: list = key(
        SIGNATURES,
        "Public signatures: `F.f(...)`, `linalg.f(...)`, `Tensor.f(...)`; without a prefix "
        "`paddle.f` and a method.",
        [],
        group="Python",
    )
    alias: dict = key(RENAMES, "Second keyword names.", {}, names="public")
    py_map: dict = key(
        RENAMES, "Arguments that the public signature calls otherwise.", {}, names="inputs"
    )
    none: dict = key(
        VALUES,
        "What None means for an attribute, where it is not the op's default.",
        {},
        names="attributes",
    )
    texts: dict = key(
        FLAGS_OF_TEXTS, "What texts mean for a flag, beside true and false.", {}, names="attributes"
    )
    casts: str | None = key(
        NAME,
        "The tensor that is cast first to what the public argument `dtype` says, where it is "
        "given.",
        names="tensors",
    )
    named: str | None = key(
        NAME,
        "The named tuple of `paddle.tensor.search` that the public functions return their results "
        "in.",
    )
    method: bool | None = key(FALSE, "Not a method of Tensor.")
    varargs: str | None = key(
        NAME, "The argument that may be given as several positional ones.", names="public"
    )
    inplace: object = key(
        OneOf(True, "hidden", "out", "retype", "direct"),
        "The in-place form `op_` exists. `hidden`: only in `_C_ops`; `out`: its `out` "
        "argument stays; `retype`: an integer becomes floating; `direct`: the kernel may be "
        "given `x` as its result and checks all before it writes.",
        False,
    )

    body: list | None = key(
        BODY, "Elementwise: one scalar expression, or variants.", group="How it computes"
    )
    dtypes: list = key(
        Subset(*DTYPES),
        "Classes that an elementwise op computes in; without it `[float]`.",
        ["float"],
    )
    int_as_float: object = key(
        OneOf(True, "FLOAT64"), "Integers compute and return float32, or float64."
    )
    int_via: str | None = key(OneOf("FLOAT64"), "Integers compute in float64 and return integers.")
    int_promote: bool = key(
        TRUE,
        "An integer beside a floating operand takes its dtype; a real and a complex one meet "
        "in a complex dtype.",
        False,
    )
    out: str = key(
        OneOf("bool", "real"), "The result is bool, or real where operands are complex.", "same"
    )
    compute: str | None = key(OneOf("bool"), "All dtypes compute as bool.")
    bool_inputs: list = key(NAMES, "Operands that are bool.", [], names="tensors")
    cost: int = key(NUMBER, "16ths of a nanosecond an element.", 16)
    kernel: str | None = key(
        NAME,
        "Structured: the kernel, `void f(args..., Tensor& out...)` in namespace phi; of a `random` "
        "op, with a `const KernelContext&` first.",
    )
    lowering: str | None = key(
        TEXT,
        "What an element of the result is, for the fusion compiler: an expression as of `body`.",
    )
    infer: str | None = key(
        NAME,
        "The shape rule `void f(metas..., Meta& out...)`; `unchanged`: the first tensor's "
        "meta; `none`: known after running.",
    )
    workspace: str | None = key(
        NAME,
        "Bytes of scratch (`CallMemory`) that the kernel takes, `int64_t f(metas..., attrs...)`, "
        "of known extents: programs lay it out in advance.",
    )
    ordered: dict = key(
        RENAMES,
        "Tensors that the kernel gets with their elements in order, and as what: `own`, their "
        "dtype, that of another argument, `index`: int32 or int64, `wide`: what halves compute in, "
        "`wide x`: what x computes in, `beside x`: that of x, but float32 stays beside halves, "
        "`real`: float32, else float64; `rows`, `rows x`: in order along the last axis. Programs "
        "have room for copies. Of a result: the dtype the kernel writes, converted afterwards.",
        {},
        names="tensors or outputs",
    )
    on_device: bool = key(TRUE, "Its kernel runs on devices too, by its primitives' forms.", False)
    grad_on_device: bool = key(TRUE, "So does its `vjp_kernel`, before any other.", False)
    long_from: int | None = key(NUMBER, "Elements from which it runs without Python's lock; 65536.")
    inplace_map: dict = key(
        RENAMES, "Results that are inputs, written in place (optimizers).", {}, names="outputs"
    )
    update: dict | None = key(
        STEPS,
        "An optimizer: its steps, in order. One that has the name of an argument of `inplace_map` "
        "is its new value; `None` leaves it as it is.",
    )
    numbers: list = key(
        NAMES,
        "Tensors of which an update reads the first element, or `name[k]`: rates, powers.",
        [],
        names="tensors",
    )
    compose: str | None = key(
        NAME, "Composed: `Tensor f(args...)` in namespace paddle, of other ops."
    )
    recorded_as: str | None = key(
        NAME, "What a recorder sees instead: the function whose calls it records."
    )
    eager: str | None = key(
        OneOf("compose"),
        "Eager runs and differentiates `compose`; recording makes one op, whose gradient is `vjp`.",
    )
    decomposition: dict | None = key(
        STEPS,
        "What it computes, as named steps over whole tensors; a step that has a result's name is "
        "that result. Halves compute in float32. Without `kernel` and `compose` it is how the op "
        "computes.",
    )
    composite: bool = key(
        TRUE,
        "No op: a call is the operations of `decomposition`, in the dtypes of its operands, run or "
        "recorded one by one. C++ calls it by its header (`phi/api/<family>.h`).",
        False,
    )
    amp: str | None = key(
        OneOf("white", "black", "first", "keep"),
        "What `auto_cast` does with an op on no list: the low dtype, float32, promotion "
        "where x alone decides and is cast, or nothing; else promotion.",
    )

    view: object = key(
        OneOf(True, "checked", "made"),
        "The result is a view of the first operand; the kernel makes it. `checked`: it "
        "refuses what `infer` does, which eager calls do not ask then. `made`: no view; the "
        "kernel makes memory for results, whose extents it finds.",
        False,
        group="Traits",
    )
    random: bool = key(TRUE, "Draws from the generator: two equal calls differ.", False)
    effect: bool = key(
        TRUE, "Others see that it ran: calls stay, as many as they are and in their order.", False
    )
    moves: str | None = key(
        OneOf(*MOVES),
        "The result's elements are those of operands, at places that shapes and arguments tell. "
        "Fused groups read through what makes views (from `split` to `flip`), and take in what "
        "puts tensors together (`concat`, `stack`, `pad`, `roll`) or reads slices at positions: "
        "`gather` those of x at `index` along `axis`, `rows` those of the second operand at the "
        "first. `extents`: in the same order, under another shape. The gradient op moves the "
        "other way.",
    )
    spmd: str | None = key(
        TEXT,
        "How placements of distributed tensors go through it, as index notation: "
        "`...mk,...kn->...mn` (docs/design/distributed.md). It follows from `body`, `reduces` and "
        "`moves`; without any of them operands are replicated.",
    )
    reduces: str | None = key(
        OneOf("sum", "mean", "max", "min", "any", "all", "like"),
        "The reduction that it is over `axis`; `like`: a sum to the shape of the second operand.",
    )
    calculates: str | None = key(
        OneOf("shape", "same", "cast", "sum", "difference", "product", "quotient"),
        "How extents are calculated of extents: `shape` has those of x for its elements, `same` "
        "and `cast` the elements of x, the others what two tensors give.",
    )
    recorded_view: str | None = key(
        NAME,
        "How a recorded call is a view that writes go through: `void f(const Viewing&)` of "
        "`eager/dispatch/recorded_view.cc`; without it, and `moves: unbind`, a copy.",
    )
    recorded_by: str | None = key(
        NAME,
        "What records calls with numbers that the operation does not hold, as other operations: "
        "`Tensor f(const RecordedCall&)` of `eager/dispatch/recorded_rules.cc`.",
    )
    recorded_broadcast: bool = key(
        TRUE,
        "Operands are recorded with the shape of the result: PaddlePaddle's operation does not "
        "broadcast.",
        False,
    )
    layout: str | None = key(OneOf("any"), "The order of axes does not matter: as elementwise.")
    epilogue: list = key(
        Subset("conv", "matmul"),
        "An activation that fused convolutions, or products, apply to their results.",
        [],
    )
    cheap: bool = key(TRUE, "A compiled gradient computes it again rather than read it.", False)
    shape_only: list = key(NAMES, "Tensors of which the kernel reads shape and dtype alone.", [])
    integers: bool = key(TRUE, "The fusion compiler's rule means the same on integers.", False)
    fuse: bool = key(
        FALSE,
        "Neither it nor its gradient joins fused groups: its own kernel is better than a call for "
        "each lane.",
        True,
    )
    range_error: bool = key(TRUE, "An axis out of range is an IndexError.", False)
    index_value_error: bool = key(
        TRUE, "An index out of range is a ValueError, of other ops an IndexError.", False
    )
    needs_axis: bool = key(TRUE, "A 0-D tensor is refused: it has no extent to cut or join.", False)
    rank_varies: bool = key(TRUE, "Where extents are unknown, so is the rank of the result.", False)

    deriv: dict = key(
        EXPRESSIONS,
        "Partial derivatives, multiplied by `dout`.",
        {},
        names="tensors",
        group="Gradients",
    )
    complex_deriv: bool = key(TRUE, "`deriv` is conjugated.", False)
    vjp_written: dict = key(
        EXPRESSIONS,
        "Whole rules, and named steps that they read, each computed when it is first read.",
        {},
        names="tensors",
        written="vjp",
        steps=True,
    )
    differentiate: str | None = key(
        TEXT,
        "In place of `vjp`: a call of a function of `phi/api` that computes the results (all but "
        "`nondiff_outs`) of other ops. Gradients of higher order are its own, for the inputs in "
        "`grad_of`.",
    )
    loop_grad: bool = key(FALSE, "The rules are no loops: run as ops.", True)
    derivatives: bool = key(
        TRUE,
        "Eager gradients of higher order are single loops: one tensor, no attributes, `dout * "
        "D(v)`.",
        False,
    )
    vjp_kernel: str | None = key(
        NAME, "A fused first-order kernel `void f(saved..., douts..., attrs..., Tensor* d_x...)`."
    )
    device_grad: str | None = key(
        NAME,
        "On devices, by their primitives' forms, before `vjp`, which is the CPU's: `bool f(tensors "
        "of the rules..., douts..., attrs..., Tensor* d_x...)`, false where it is not done.",
    )
    saves: list = key(
        NAMES,
        "What `vjp_kernel` reads, or `device_grad` beside what the rules do.",
        [],
        names="tensors or outputs",
    )
    grad_of: list = key(
        NAMES, "Inputs that `vjp_kernel` covers; without it all.", [], names="tensors"
    )
    nondiff_outs: list = key(NAMES, "Results without history.", [], names="outputs")
    lazy_douts: bool = key(TRUE, "Undefined output gradients are passed on: no zeros.", False)
    no_grad_op: bool = key(
        TRUE, "The composed rule is recorded: PaddlePaddle's gradient is another op's call.", False
    )
    grad_infer: str | None = key(
        NAME, "The shape rule of `<op>_grad`, `void f(dout, attrs..., Meta& x)`."
    )
    grad_ordered: dict = key(
        RENAMES,
        "The same of `vjp_kernel`: arguments, results and output gradients, and `d_x` of the "
        "gradient of x, which the kernel then gets undefined or of x's shape.",
        {},
        names="read or written",
    )
    grad_workspace: str | None = key(
        NAME,
        "The workspace of `<op>_grad`, `int64_t f(saved..., output gradients..., attrs...)`, of "
        "metas.",
    )
    grad_like: dict = key(
        RENAMES,
        "Operands of `<op>_grad` that have a gradient's shape, where the input is none.",
        {},
        names="tensors",
    )

    test: TestRow | None = key(
        Part(TestRow), "How the generic runner tests an elementwise op.", group="Tests"
    )

    @property
    def amp_class(self):
        """`amp`, or what it is by default; the parts of ops, and ops that write their inputs, keep
        what they are given.
        """
        return self.amp or (
            "keep" if self.internal or self.inplace_map or not self.tensors else "promote"
        )

    @property
    def doc(self):
        """What it computes, in one line."""
        return self.full_doc.what

    @property
    def file(self):
        return self.where.file

    def at(self, *path):
        """The place of a key of the stanza, or of one of the mapping that the key holds."""
        mapping, place = self.raw, self.where
        for name in path:
            place = place.at(mapping, name)
            mapping = mapping.get(name) if isinstance(mapping, dict) else None
        return place

    @property
    def tensors(self):
        return [a for a in self.args if a.is_tensor]

    @property
    def attrs(self):
        return [a for a in self.args if not a.is_tensor]

    @property
    def elementwise(self):
        return self.body is not None

    @property
    def made_of_parts(self):
        """Whether the decomposition is how it computes: nothing else is given."""
        return not self.composite and not {*WAYS} & set(self.raw)

    @functools.cached_property
    def steps_of_update(self):
        """The Update of an optimizer."""
        return Update(self)

    @property
    def composed(self):
        return self.compose is not None

    def inplace_signature(self, sig):
        """The signature of the in-place form that a public signature brings, or None."""
        if self.inplace in (False, "hidden") or sig.module == "paddle.Tensor":
            return None
        return PySig(
            sig.module,
            sig.name + "_",
            [a for a in sig.args if a.name != "out" or self.inplace == "out"],
        )

    @property
    def public(self):
        """All public signatures, in-place forms too."""
        return [one for sig in self.py for one in (sig, self.inplace_signature(sig)) if one]

    @property
    def draws(self):
        """Whether the kernel draws numbers: its first parameter is the KernelContext."""
        return self.kernel is not None and self.random

    @property
    def long_work(self):
        """The C++ bound from which a kernel runs without the interpreter's lock."""
        return "phi::kLongWork" if self.long_from is None else self.long_from

    @property
    def douts(self):
        """The names of the output gradients in rules."""
        return ["dout"] if len(self.outs) == 1 else [f"d{o.name}" for o in self.outs]

    @property
    def vjp(self):
        """{input: expression text}; deriv entries are turned into products."""
        out = {
            k: f"dout * conj_of({e})" if self.complex_deriv else f"dout * ({e})"
            for k, e in self.deriv.items()
        }
        if self.differentiate:
            return {k: self.differentiate for k in self.grad_of}
        inputs = {t.name for t in self.tensors}
        return out | {k: str(e) for k, e in self.vjp_written.items() if k in inputs}

    @property
    def vjp_steps(self):
        """{name: expression text} of the named steps that gradient rules read."""
        inputs = {t.name for t in self.tensors}
        return {k: str(e) for k, e in self.vjp_written.items() if k not in inputs}

    @property
    def vjp_whole(self):
        """{input: parsed expression}, with the steps in the place of their names."""
        made = {}
        for k, e in self.vjp_steps.items():
            made[k] = expr.put(expr.parse(e, self.where), made)
        return {k: expr.put(expr.parse(e, self.where), made) for k, e in self.vjp.items()}

    def arg(self, name):
        return next(a for a in self.args if a.name == name)

    @property
    def grad_name(self):
        """The name of its gradient op."""
        return f"{self.name.rstrip('_')}_grad"

    @property
    def camel(self):
        return "".join(p[:1].upper() + p[1:] for p in self.name.split("_"))


def read_op(raw, path, family):
    line = getattr(raw, "line", 1)
    where = Where(str(path), line, raw.get("op", "") if isinstance(raw, dict) else "")
    if not isinstance(raw, dict):
        raise where.error(f"expected a stanza, got {raw!r}")
    op = read_table(Op, raw, where, more={"family": family, "raw": raw, "where": where})
    check_keys(op)
    if op.composite:
        op.internal = True
    if op.made_of_parts:
        op.compose = f"{op.name}_of_parts"
    check_key_names(op, Op, raw)
    if op.update is not None:
        op.kernel, op.infer = f"{op.name}update", "none"
        op.long_from = LONG_UPDATE
        _ = op.steps_of_update
    if op.legacy:
        check_key_names(op, Legacy, raw["legacy"], "legacy")
    if isinstance(raw["doc"], dict):
        check_key_names(op, documentation.Documentation, raw["doc"], "doc")
    ordered.check(op, known_names(op))
    check_reach(op)
    documentation.check(op)
    propagation.check(op)
    return op


def load(root):
    """Reads every stanza under root, in a stable order."""
    ops, public = {}, {}
    for path in sorted(pathlib.Path(root).rglob("*.yaml")):
        for raw in read_file(path) or []:
            op = read_op(raw, path, path.parent.name)
            if op.name in ops:
                raise op.where.error(f"the op is defined twice: {ops[op.name].where}")
            ops[op.name] = op
            for sig in op.public:
                other = public.setdefault((sig.module, sig.name), op)
                if other is not op:
                    raise op.at("py").error(
                        f"{sig.module}.{sig.name} is defined twice: {other.where}"
                    )
    for op in ops.values():
        check_expressions(op, ops)
    return list(ops.values())
