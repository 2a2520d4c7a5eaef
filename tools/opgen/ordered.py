# SPDX-License-Identifier: Apache-2.0
"""`ordered` and `grad_ordered`: operands that kernels get with their elements in order, as what."""

from .stanza import need_name
from .template import fill

# Dtypes beside `own` and those of tensors, as C++ of the tensor.
FORMS = {
    "index": "phi::IndexType({})",
    "wide": "phi::WideType({})",
    "float32": "DataType::FLOAT32",
    "float64": "DataType::FLOAT64",
    "int64": "DataType::INT64",
}
WIDE = "wide "  # of another tensor: what that one computes in


def check(op, known):
    """What tensors are read as is a known dtype, or that of a tensor that the kernel gets."""
    for name, given_as, names in (
        ("ordered", op.ordered, known["tensors"]),
        ("grad_ordered", op.grad_ordered, known["read"]),
    ):
        for tensor, form in given_as.items():
            need_name(
                form,
                ("own", *FORMS, *names, *(WIDE + n for n in names)),
                op.at(name, tensor),
                name,
                "own, index, wide, wide and a tensor, a dtype or a tensor that the kernel gets",
                "form",
            )


def given(forms, name, variadic, of):
    """C++ arguments of an Ordered, or of OrderedBytes: a tensor of a kernel and the dtype it is
    read as; None where it is read as it is. `forms`: `ordered` of the stanza, `of`: C++ of a
    tensor.
    """
    form = forms.get(name)
    if form is None:
        return None
    if form == "own" or variadic:
        return of(name)
    if form in FORMS:
        return f"{of(name)}, {FORMS[form].format(of(name))}"
    if form.startswith(WIDE):
        return f"{of(name)}, phi::WideType({of(form.removeprefix(WIDE))})"
    return f"{of(name)}, phi::TypeOf({of(form)})"


def read_as(forms, name, variadic, of=str):
    """C++ of a tensor as a kernel gets it."""
    as_ = given(forms, name, variadic, of)
    if as_ is None:
        return of(name)
    return f"phi::Ordered{'List' if variadic else ''}({as_})"


STATEMENT = """
const phi::OrderedStatement ordered_$name(def_$name, [](const InSlot* in) -> int64_t {
  return $bytes;
});
"""


def statement(forms, name, slots):
    """What an op states of the copies of its operands; `slots`: {tensor's name in the kernel:
    (whether a list, C++ of it)} of the generic call.
    """
    parts = [
        f"phi::OrderedBytes({given(forms, tensor, variadic, lambda n: f'({slots[n][1]})')})"
        for tensor, (variadic, _) in slots.items()
        if tensor in forms
    ]
    return parts and fill(STATEMENT, name=name, bytes=" + ".join(parts))
