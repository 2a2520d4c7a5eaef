# SPDX-License-Identifier: Apache-2.0
"""How one op is tested: its row (generated from its stanza, beside the package), inputs, a NumPy
reference, differences.
"""

import importlib
import json
import pathlib
import zlib

import numpy as np
import paddle

EPS = 1e-6
FLOATS = ("float32", "float64", "float16", "bfloat16")
CLASSES = {
    "bool": ("bool",),
    "int": ("int32", "int64", "int16", "int8", "uint8"),
    "float": FLOATS,
    "complex": ("complex64", "complex128"),
}
# Relative and absolute error allowed by dtype: a few units in the last place of the dtype that is
# stored.
TOLERANCE = {
    "float64": (1e-12, 1e-12),
    "float32": (4e-6, 1e-6),
    "float16": (2e-3, 1e-3),
    "bfloat16": (1.6e-2, 8e-3),
    "complex64": (8e-6, 2e-6),
    "complex128": (1e-12, 1e-12),
}


def load_rows():
    """The rows of elementwise ops that can be called from Python."""
    path = pathlib.Path(paddle.__file__).parent / "_op_tests.json"
    rows = []
    for row in json.loads(path.read_text()):
        if row["elementwise"] and not row.get("skip") and (row["py"] or row.get("call")):
            rows.append(row)
    return rows


def function(row):
    """The Python function of a row."""
    module, name = row["call"].rsplit(".", 1) if row.get("call") else row["py"][0]
    if module == "paddle.Tensor":
        return getattr(paddle.Tensor, name)
    return getattr(importlib.import_module(module), name)


def reference(row):
    """What the row's stanza names, or NumPy's function of the op's name."""
    text = row.get("ref", row["op"])
    scope = {"np": np}
    if "scipy" in text:
        import scipy.special

        scope["scipy"] = scipy
    if text.startswith("lambda") or "." in text:
        return eval(text, scope)  # text of our own stanzas
    return getattr(np, text)


def dtypes(row):
    """Every dtype the row claims to support."""
    classes = list(row["dtypes"])
    if row["int_as_float"]:
        classes += ["int", "bool"]
    return [d for c in ("bool", "int", "float", "complex") if c in classes for d in CLASSES[c]]


def generator(row, salt=0):
    return np.random.RandomState((zlib.crc32(row["op"].encode()) + salt) % 2**31)


def values(rng, shape, dtype, low=-2.0, high=2.0):
    """Uniform values in [low, high) as a NumPy array; bfloat16 values as the float32 they stand
    for.
    """
    kind = np.dtype("float32" if dtype == "bfloat16" else dtype).kind
    if kind == "b":
        return rng.rand(*shape) < 0.5
    if kind in "iu":
        low, high = int(np.ceil(low)), max(int(high), int(np.ceil(low)) + 1)
        return rng.randint(max(low, 0) if kind == "u" else low, high + 1, shape).astype(dtype)
    a = np.asarray(rng.rand(*shape) * (high - low) + low)
    if kind == "c":
        return (a + 1j * (rng.rand(*shape) * (high - low) + low) * 0.5).astype(dtype)
    if dtype == "bfloat16":
        return (a.astype("float32").view("uint32") & np.uint32(0xFFFF0000)).view("float32")
    return a.astype(dtype)


def inputs(row, dtype, shapes, salt=0):
    """One array for every tensor argument of the row."""
    rng, arrays = generator(row, salt), []
    for name, shape in zip(row["tensors"], shapes):
        mask = name in row["bool_inputs"] and not row["compute"]
        low, high = row.get("low", -2.0), row.get("high", 2.0)
        arrays.append(values(rng, shape, "bool" if mask else dtype, low, high))
    return arrays


def tensors(row, arrays, dtype, need_grad=False):
    out = []
    for array in arrays:
        t = paddle.to_tensor(array)
        if array.dtype.kind != "b" or dtype == "bool":
            t = t.astype(dtype) if str(t.dtype) != f"paddle.{dtype}" else t
        t.stop_gradient = not (need_grad and array.dtype.kind in "fc")
        out.append(t)
    return out


def to_numpy(t):
    """bfloat16 widens to float32: NumPy has no such dtype."""
    return (t.astype("float32") if t.dtype == paddle.bfloat16 else t).numpy()


def result_dtype(row, dtype):
    if row["out"] == "bool":
        return "bool"
    kind = np.dtype("float32" if dtype == "bfloat16" else dtype).kind
    if row["int_as_float"] and kind in "biu":
        return "float32" if row["int_as_float"] is True else row["int_as_float"].lower()
    if row["out"] == "real" and kind == "c":
        return "float32" if dtype == "complex64" else "float64"
    return dtype


def expected(row, arrays, dtype):
    """The reference in the widest dtype of the same kind, so that its own rounding does not
    count.
    """
    wide = {"f": "float64", "c": "complex128"}
    args = [a.astype(wide[a.dtype.kind]) if a.dtype.kind in wide else a for a in arrays]
    if row["int_as_float"]:
        args = [a.astype("float64") if a.dtype.kind in "iub" else a for a in args]
    with np.errstate(all="ignore"):
        return np.asarray(reference(row)(*args))


def assert_close(got, want, dtype, what=""):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, expected {want.shape}"
    if dtype in TOLERANCE:
        rtol, atol = TOLERANCE[dtype]
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(
                got.astype("complex128" if got.dtype.kind == "c" else "float64"),
                want,
                rtol=rtol,
                atol=atol,
                err_msg=what,
            )
    else:
        np.testing.assert_array_equal(got, want, err_msg=what)


def central_difference(f, arrays, index):
    """d f / d arrays[index] of the real function f; for complex x, df/dRe x + i df/dIm x
    (PaddlePaddle's convention).
    """
    x = arrays[index]
    out = np.zeros(x.shape, "complex128" if x.dtype.kind == "c" else "float64")
    for at in np.ndindex(*x.shape):
        for unit in (1, 1j) if x.dtype.kind == "c" else (1,):
            ends = []
            for sign in (1, -1):
                moved = x.copy()
                moved[at] += sign * EPS * unit
                ends.append(f([*arrays[:index], moved, *arrays[index + 1 :]]))
            out[at] += (ends[0] - ends[1]) / (2 * EPS) * unit
    return out


def default(argument):
    """The default of an attribute of a stanza; 0 where it has none."""
    if argument.default is None:
        return 0.0
    return {'true': True, 'false': False, '""': ''}.get(argument.default) or eval(
        argument.default, {'true': True, 'false': False}
    )
