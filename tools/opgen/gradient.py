# SPDX-License-Identifier: Apache-2.0
"""What follows from an op's gradient rules: what they read, and the gradient op that programs have
for them.
"""

from dataclasses import dataclass
from functools import cached_property

from . import functions
from .arguments import Arg
from .decomposition import has_rules
from .expr import TensorPrinter, free_names, read_when, shared_names
from .identity import identity
from .signatures import pir_name


@dataclass
class Operand:
    """A tensor of a gradient op."""

    name: str
    local: str  # its name in the rules
    variadic: bool
    optional: bool


@dataclass
class GradOp:
    """`<op>_grad` as PaddlePaddle has it."""

    name: str
    tensors: list  # [Operand]
    attrs: list  # [(name, Arg of the op or None)]
    outs: list  # names, `<input>_grad`
    when: list  # C++ conditions under which it gives what is asked

    def nobodys(self, gradient):
        """Outputs for arguments that have no gradient here: none is ever given."""
        wanted = {f"{t.name}_grad" for t in gradient.inputs}
        return [o for o in self.outs if o not in wanted]

    def output(self, tensor):
        """The position of the gradient of an argument, or None."""
        name = f"{tensor.name}_grad"
        return self.outs.index(name) if name in self.outs else None


class Gradient:
    """The gradient of an op; `ops`: all ops by name."""

    def __init__(self, op, ops):
        self.op, self.ops = op, ops

    @property
    def exists(self):
        return bool(self.op.vjp or self.op.vjp_kernel)

    @cached_property
    def inputs(self):
        """Tensor arguments that have a gradient, in argument order."""
        op = self.op
        every = [t.name for t in op.tensors]
        keys = list(op.vjp) or (op.grad_of or every if op.vjp_kernel or op.composed else [])
        return [t for t in op.tensors if t.name in keys]

    @cached_property
    def rules(self):
        """{input: parsed rule, with the named steps it reads put in}."""
        return self.op.vjp_whole

    @cached_property
    def saved(self):
        """(names whose contents the rules read, names of which they read the shape alone), among
        arguments and results.
        """
        op, contents, metas = self.op, set(), set()
        tensors = {t.name for t in op.tensors} | {o.name for o in op.outs}
        for node in self.rules.values():
            names, read = free_names(node)
            contents |= read & tensors
            metas |= names & tensors
        if op.vjp_kernel or op.device_grad:
            contents |= set(op.saves) & tensors
        return contents, metas - contents

    @property
    def contents(self):
        return self.saved[0]

    def readers(self, name):
        """The inputs whose rules read the contents of `name`, where each rule is evaluated for its
        own input; None where they are not told apart.
        """
        op = self.op
        if op.vjp_kernel or op.device_grad or op.saves or has_rules(op) or not self.rules:
            return None
        if any(t.name not in self.rules or t.variadic for t in self.inputs):
            return None
        return [t for t in self.inputs if name in free_names(self.rules[t.name])[1]]

    @cached_property
    def read_when(self):
        """{name: C++ condition, on what an op knows after its forward ran} of those of `contents`
        that the rules do not read always.
        """
        op = self.op
        if op.vjp_kernel or op.elementwise or has_rules(op):
            return {}  # one kernel or decomposition reads them all
        attrs, printer = {a.name for a in op.attrs}, TensorPrinter(op.where, self.ops)
        known = attrs | {n.name for n in [*op.tensors, *op.outs]}

        def decide(test):
            names, contents = free_names(test)
            return printer.test(test) if names <= known and contents <= attrs else None

        def condition(name):
            found = [c for rule in self.rules.values() for c in read_when(rule, name, decide)]
            return None if "true" in found else " || ".join(f"({c})" for c in dict.fromkeys(found))

        names = sorted(self.contents - set(op.saves))
        return {name: c for name in names if (c := condition(name))}

    @cached_property
    def context(self):
        """Saved tensors, in the order of the declaration: arguments, then results."""
        return [
            n.name
            for n in [*self.op.tensors, *self.op.outs]
            if n.name in self.saved[0] | self.saved[1]
        ]

    @property
    def context_args(self):
        """What a function of the gradient receives: the context, output gradients, attributes."""
        return [*self.context, *self.op.douts, *[a.name for a in self.op.attrs]]

    @cached_property
    def variadic(self):
        """Names of lists among arguments and results."""
        return {n.name for n in [*self.op.tensors, *self.op.outs] if n.variadic}

    @property
    def broadcasts(self):
        """Whether a gradient has to be summed to the shape of its argument."""
        return self.op.elementwise and len(self.op.tensors) > 1

    @property
    def multiple(self):
        """Whether there may be more than one output gradient."""
        return len(self.op.outs) > 1 or self.op.outs[0].variadic

    @cached_property
    def extra(self):
        """What the gradient op reads beyond the context."""
        names = {n.name for n in [*self.op.tensors, *self.op.outs]}
        return [
            t.name
            for t in (self.recorded.tensors if self.recorded else [])
            if t.local not in self.context and t.name in names
        ]

    @cached_property
    def shared(self):
        """Names of tensors that gradients may be, or be views of."""
        if self.op.vjp_kernel:
            return set()
        made = {name for name, op in self.ops.items() if not op.view and not op.composed}
        table = functions.rules()
        if has_rules(self.op):
            table = functions.tensors()
            # A reduction over no axes is its operand.
            made = made & {*functions.scalars()} | {"select", "pow"}
        return set().union(*(shared_names(node, made, table) for node in self.rules.values()))

    @cached_property
    def recorded(self):
        """The GradOp that recording makes, or None: the composed rule is recorded."""
        return None if self.op.no_grad_op else self.readable

    @cached_property
    def readable(self):
        """The GradOp: of those that recording makes, and of those that only programs of others
        have. It is there when every operand can be named; a fused kernel needs only what it reads
        (`saves`), and like PaddlePaddle's takes no gradients of results that the op has no operand
        for."""
        op, declared = self.op, identity(self.op.grad_name)
        tensors = self._operands(declared) if declared else None
        if tensors is None:
            return None
        named = {t.local for t in tensors}
        if (set(op.saves) if op.vjp_kernel else self.contents) - named or (
            op.no_grad_op and not self._shapes(tensors)
        ):
            return None
        arguments = {pir_name(a): a for a in op.args}
        attrs = [(name, arguments.get(name)) for name, _, _ in declared["attrs"]]
        if any(a is not None and a.is_tensor for _, a in attrs) or not self._attributes_suffice(
            {name for name, _ in attrs}
        ):
            return None
        if not all(
            o.endswith("_grad") and o[:-5] in {t.name for t in op.tensors}
            for o in declared["outputs"]
        ):
            return None
        conditions = [f"{d}.defined()" for d in op.douts if d in named and op.lazy_douts]
        # Where one arrives that the op does not take, or one is wanted that it does not give, the
        # composed rule is recorded.
        untaken = [
            d
            for o, d in zip(op.outs, op.douts)
            if d not in named and o.name not in op.nondiff_outs and not op.vjp_kernel
        ]
        if untaken and not (op.lazy_douts and op.vjp):
            raise op.where.error(
                f"expected lazy_douts and a vjp, as {op.grad_name} has no operand for {untaken[0]}"
            )
        conditions += [f"!{d}.defined()" for d in untaken]
        conditions += [
            f"!need[{i}]"
            for i, t in enumerate(self.inputs)
            if t.name + "_grad" not in declared["outputs"]
        ]
        # What the op lacks has its default in programs; where it has not, a device runs the rule.
        read = self._read()
        conditions += [
            f"(device_.is_cpu() || {a.name} == {a.cpp_default})"
            for a in op.attrs
            if a.name in read and pir_name(a) not in {name for name, _ in attrs}
        ]
        return GradOp(op.grad_name, tensors, attrs, declared["outputs"], conditions)

    def _operands(self, declared):
        """The operands of the gradient op, or None where one is neither an argument, nor a result,
        nor the gradient of one.
        """
        arguments, outs = {pir_name(a): a for a in self.op.args}, {o.name: o for o in self.op.outs}
        douts = {f"{o.name}_grad": (o, d) for o, d in zip(self.op.outs, self.op.douts)}
        found = []
        for name in declared["inputs"]:
            if name in declared["mutable"]:
                continue
            argument: Arg | None = arguments.get(name)
            if argument and argument.is_tensor:
                found.append(Operand(name, name, argument.variadic, argument.optional))
            elif name in outs:
                found.append(Operand(name, name, outs[name].variadic, True))
            elif name in douts:
                found.append(Operand(name, douts[name][1], douts[name][0].variadic, False))
            else:
                return None
        return found

    def _shapes(self, tensors):
        """Whether the operands give the shapes of the gradients too."""
        if self.saved[1] - {t.local for t in tensors}:
            return False
        if self.op.grad_infer:
            return len(tensors) == 1
        return {(t.name, t.variadic) for t in self.inputs} <= {
            (t.local, t.variadic) for t in tensors
        }

    def _read(self):
        """The names that rules read."""
        return set().union(*(free_names(node)[0] for node in self.rules.values()))

    def _attributes_suffice(self, given):
        """Whether attributes that the gradient op lacks have defaults, or are not read."""
        read = self._read()
        lost = [a for a in self.op.attrs if pir_name(a) not in given]
        return all(
            a.cpp_default is not None or not (self.op.vjp_kernel or a.name in read) for a in lost
        )
