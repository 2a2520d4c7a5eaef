# SPDX-License-Identifier: Apache-2.0
"""`ordered` and `grad_ordered`: operands that kernels get with their elements in order, as what,
and results that they write in another dtype.
"""

from .stanza import need_name
from .template import fill

# Dtypes beside `own` and those of tensors, as C++ of the tensor.
FORMS = {
    "index": "phi::IndexType({})",
    "wide": "phi::WideType({})",
    "real": "phi::RealType({})",
    "float32": "DataType::FLOAT32",
    "float64": "DataType::FLOAT64",
    "int64": "DataType::INT64",
}
ROWS = "rows"  # elements of the last axis follow each other; before a tensor: in that one's dtype
WIDE = "wide "  # of another tensor: what that one computes in
BESIDE = "beside "  # another tensor: float32 beside halves, else that one's dtype
GRADIENT = "d_"  # before the name of an argument: its gradient


def check(op, known):
    """What tensors are read as is a known dtype, or that of a tensor that the kernel gets."""
    for name, given_as, names in (
        ("ordered", op.ordered, known["tensors or outputs"]),
        ("grad_ordered", op.grad_ordered, known["read"]),
    ):
        for tensor, form in given_as.items():
            read = tensor in (known["tensors"] if name == "ordered" else known["read"])
            beside = [w + n for w in (WIDE, BESIDE) for n in names]
            own = ["own", ROWS, *(f"{ROWS} {n}" for n in names)] if read else []
            need_name(
                form,
                (*own, *FORMS, *names, *beside),
                op.at(name, tensor),
                name,
                "own, rows, index, real, wide, rows, wide or beside and a tensor, a dtype or a "
                "tensor that the kernel gets",
                "form",
            )


def dtype_of(form, name, of):
    """C++ of the dtype that a form gives a tensor; `of`: C++ of a tensor."""
    if form in FORMS:
        return FORMS[form].format(of(name))
    if form.startswith(WIDE):
        return f"phi::WideType({of(form.removeprefix(WIDE))})"
    if form.startswith(BESIDE):
        return f"phi::TypeBeside({of(name)}, {of(form.removeprefix(BESIDE))})"
    return f"phi::TypeOf({of(form)})"


def given(forms, name, variadic, of):
    """C++ arguments of an Ordered, or of OrderedBytes: a tensor of a kernel and the dtype it is
    read as; None where it is read as it is. `forms`: `ordered` of the stanza.
    """
    form = forms.get(name)
    if form is None:
        return None
    if form == "own" or variadic:
        return of(name)
    first, _, like = form.partition(" ")
    if first == ROWS:
        return f"{of(name)}, phi::Rows()" + (f", phi::TypeOf({of(like)})" if like else "")
    return f"{of(name)}, {dtype_of(form, name, of)}"


def read_as(forms, name, variadic, of=str):
    """C++ of a tensor as a kernel gets it."""
    as_ = given(forms, name, variadic, of)
    if as_ is None:
        return of(name)
    return f"phi::Ordered{'List' if variadic else ''}({as_})"


def written(forms, name, of=str):
    """C++ of a result as a kernel gets it."""
    if name not in forms:
        return name
    return f"phi::Widened({name}, {dtype_of(forms[name], name, of)})"


def written_gradient(forms, pointer, name, of=str):
    """The same of a pointer to the gradient of the argument `name`."""
    form = forms.get(GRADIENT + name)
    if form is None:
        return pointer
    return f"phi::Widened({pointer}, {of(name)}, {dtype_of(form, name, of)})"


STATEMENT = """
const phi::OrderedStatement ordered_$name(def_$name, [](
    [[maybe_unused]] const InSlot* in, [[maybe_unused]] const Tensor* out) -> int64_t {
  return $bytes;
});
"""


def statement(forms, name, slots, results):
    """What an op states of the copies of its operands and of its results in other dtypes; `slots`:
    {tensor's name in the kernel: (whether a list, C++ of it)} of the generic call, `results`:
    {key of a result: (its number, the tensor whose dtype it has)}.
    """

    def of(n):
        return f"out[{results[n][0]}]" if n in results else f"({slots[n][1]})"

    parts = [
        f"phi::OrderedBytes({given(forms, tensor, variadic, of)})"
        for tensor, (variadic, _) in slots.items()
        if tensor in forms
    ] + [
        f"phi::WidenedBytes(out[{k}], {dtype_of(forms[key], like, of)})"
        for key, (k, like) in results.items()
        if key in forms
    ]
    return stated(name, parts)


def stated(name, parts):
    """The statement of an op whose calls take these bytes, as C++."""
    return parts and fill(STATEMENT, name=name, bytes=" + ".join(parts))
