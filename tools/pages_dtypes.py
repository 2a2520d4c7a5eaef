# SPDX-License-Identifier: Apache-2.0
"""The dtypes that structured operators compute, found by calling them: the example of a function
that calls an operator runs, and what it gave the operator is given again in each dtype. Operators
that no example calls so have a call in `CALLS`.
"""

import contextlib
import doctest
import functools
import inspect
import io
import re
import warnings

import paddle
from lint import documentation
from paddle import _C_ops
from paddle.base.core import ProcessGroup, TCPStore

KINDS = {
    "bool": ("bool",),
    "int": ("int8", "uint8", "int16", "int32", "int64"),
    "float": ("float16", "bfloat16", "float32", "float64"),
    "complex": ("complex64", "complex128"),
}

# Arguments of operators whose functions' examples do not call them: `x` makes a tensor of the dtype
# that is tried, `D` is its name, `indices` makes one of int64; calls of other operators make what
# those leave.
CALLS = {
    "accuracy_check": "x(2), x(2), 'f'",
    "all_gather": "x(2), 0, 1",
    "all_reduce": "x(2), 0, 0",
    "all_to_all": "x(2), 0",
    "arange": "0, 3, 1, D",
    "assign": "x(2)",
    "barrier": "x(2), 0",
    "bipartite_match": "x(2, 2)",
    "broadcast": "x(2), 0, 0",
    "c_allreduce_sum": "x(2), 0, True, True",
    "c_concat": "x(2), 0, 1, 0, True, True",
    "c_embedding": "x(2, 2), indices(2)",
    "c_identity": "x(2), 0, True, True",
    "c_scatter": "x(2), 0, 0, 1, True",
    "c_split": "x(2), 0, 1, 0, True",
    "check_numerics": "x(2)",
    "chunk_eval": "x(1, 2), x(1, 2), None, 2",
    "coalesce_tensor": "[x(2), x(2)], D",
    "crf_decoding": "x(2, 2), x(4, 2), None, None",
    "ctc_align": "x(1, 2), None",
    "depthwise_conv2d": "x(1, 2, 3, 3), x(2, 1, 2, 2), groups=2",
    "edit_distance": "x(1, 2), x(1, 2), None, None",
    "empty": "[2], D",
    "eye": "2, 2, D",
    "fft_c2c": 'x(4), [0], "backward", True',
    "fill_diagonal": "x(2, 2)",
    "flash_attn": "x(1, 2, 1, 4), x(1, 2, 1, 4), x(1, 2, 1, 4), None, None",
    "flash_attn_unpadded": "x(2, 1, 4), x(2, 1, 4), x(2, 1, 4), indices(2), indices(2), "
    "None, None, 2, 2, 1.0",
    "full": "[2], 1, D",
    "full_batch_size_like": "x(2), [1], D, 1.0, 0, 0",
    "full_int_array": "[1, 2], D",
    "full_with_tensor": "x(1), [2], D",
    "gammainc_by_bound": "x(2), x(2)",
    "gammainc_by_shape": "x(2), x(2)",
    "gaussian": "[2], 0.0, 1.0, 0, D",
    "gaussian_inplace": "x(2)",
    "hash": "x(1, 2)",
    "is_empty": "x(2)",
    "linear_v2": "x(2, 2), x(2, 2), x(2)",
    "matrix_rank_atol_rtol": "x(2, 2), x(1), None",
    "matrix_rank_tol": "x(2, 2), x(1)",
    "max": "x(2)",
    "max_pool3d_with_index": "x(1, 1, 2, 2, 2), [2, 2, 2]",
    "mean": "x(2)",
    "mean_all": "x(2)",
    "min": "x(2)",
    "mp_allreduce_sum": "x(2), 0",
    "numel": "x(2)",
    "partial_allgather": "x(2), 1, 0",
    "partial_concat": "[x(2, 2)]",
    "partial_recv": "*(_C_ops.send_v2(x(2), 0, 0) or (0, 0, D, [2]))",
    "partial_send": "x(2), 0, 0",
    "partial_sum": "[x(2, 2)]",
    "pool3d": "x(1, 1, 2, 2, 2), [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 'NCDHW', 'max', "
    "False, False, 'EXPLICIT'",
    "randint": "0, 3, [2], D",
    "random": "x(2), 0, 3",
    "randperm": "3, D",
    "recv_v2": "[2], D, 0, 0",
    "reduce": "x(2), 0, 0, 0",
    "reduce_scatter": "x(2), 0, 1",
    "rnn": "x(1, 1, 2), [x(1, 1, 2)], [x(2, 2), x(2, 2), x(2), x(2)], None, None, input_size=2, "
    "hidden_size=2, is_test=True",
    "send_v2": "x(2), 0, 0",
    "set_value": "x(2), [0], [1], [1], [0], [], [], [1], [1.0]",
    "set_value_with_tensor": "x(2), x(1), [0], [1], [1], [0], [], []",
    "shape": "x(2)",
    "shape64": "x(2)",
    "slogdet_v2": "x(2, 2)",
    "squared_l2_norm": "x(2)",
    "sync_calc_stream": "x(2)",
    "sync_comm_stream": "x(2), 0",
    "tril_indices": "2, 2, 0, D",
    "triu_indices": "2, 2, 0, D",
    "truncated_gaussian_random": "[2], 0.0, 1.0, 0, -2.0, 2.0, D",
    "uniform": "[2], D, 0.0, 1.0, 0",
    "uniform_inplace": "x(2)",
    "unpool3d": "x(1, 1, 1, 1, 1), indices(1, 1, 1, 1, 1), [1, 1, 1], [1, 1, 1], [0, 0, 0], "
    "[1, 1, 1]",
    "var": "x(2)",
}


class Seen(Exception):
    """Ends an example: the operator was called."""


def tensors(value):
    if isinstance(value, paddle.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors(part)


def cast(value, chosen, new):
    """The value with the tensors that are chosen in another dtype, and copies of others."""
    if isinstance(value, paddle.Tensor):
        copy = value.detach().clone()
        return copy.astype(new) if any(value is one for one in chosen) else copy
    if isinstance(value, (list, tuple)):
        return type(value)(cast(part, chosen, new) for part in value)
    return value


def given_by(texts, owner, name):
    """(operator, args, kwargs) of its first call in examples, or None."""
    function, call = getattr(owner, name), []

    @functools.wraps(function)
    def noted(*args, **kwargs):
        if any(True for _ in tensors([*args, *kwargs.values()])):
            call.append((function, args, kwargs))
            raise Seen
        return function(*args, **kwargs)

    setattr(owner, name, noted)
    try:
        for text in texts:
            scope = {"paddle": paddle}
            for example in doctest.DocTestParser().get_examples(text):
                if call or "SKIP" in example.source:
                    break
                try:
                    exec(compile(example.source, "<example>", "single"), scope)
                except Exception:  # noqa: BLE001 examples of errors, and Seen
                    continue
    finally:
        setattr(owner, name, function)
    return call[0] if call else None


def in_words(runs):
    """The dtypes that `runs` takes, with the name of a kind for all of its dtypes."""
    words = []
    for kind, names in KINDS.items():
        served = [name for name in names if runs(name)]
        words += [kind] if len(served) == len(names) else served
    return ", ".join(words)


def computed(function, args, kwargs):
    """The dtypes that the call can be made in, in words."""
    every = list(tensors([*args, *kwargs.values()]))
    floating = [t for t in every if t.is_floating_point() or t.is_complex()]
    first = (floating or every)[0]
    alike = [t for t in every if t.dtype == first.dtype]

    def runs(chosen, name):
        try:
            function(
                *(cast(a, chosen, name) for a in args),
                **{key: cast(a, chosen, name) for key, a in kwargs.items()},
            )
        except Exception:  # noqa: BLE001 that it raises is the answer
            return False
        return True

    # Where the example's numbers are integers, positions may be among them.
    return in_words(lambda name: runs(alike, name) or (not floating and runs([first], name)))


@functools.cache
def alone():
    """A process group of this process, which operators find as number 0."""
    store = TCPStore("127.0.0.1", 0, True, 1, rank=0)
    group = ProcessGroup(store, "alone", [0], 0, 60.0)
    group._serve(0)
    return store, group


def written(name):
    """The dtypes that the call in CALLS can be made in, in words."""
    alone()

    def runs(dtype):
        scope = {
            "call": getattr(_C_ops, name),
            "_C_ops": _C_ops,
            "x": lambda *shape: paddle.ones(shape).astype(dtype),
            "D": dtype,
            "indices": lambda *shape: paddle.zeros(shape, "int64"),
        }
        try:
            eval(f"call({CALLS[name]})", scope)
        except Exception:  # noqa: BLE001 that it raises is the answer
            return False
        return True

    return in_words(runs)


@functools.cache
def callers():
    """{operator: texts of functions that are named as it, or whose source calls it}."""
    found = {}
    for _, public, value in documentation.public():
        text = inspect.getdoc(value) or ""
        if ">>>" not in text:
            continue
        try:
            source = inspect.getsource(value)
        except (OSError, TypeError):
            source = ""
        named = {public.lower(), f"{public.lower()}_"}
        for name in named | set(re.findall(r"\b_C_ops\.(\w+)\(", source)):
            found.setdefault(name, []).append(text)
    return found


def owner_of(path):
    """The module or class of a dotted name."""
    value = paddle
    for part in path.split(".")[1:]:
        value = getattr(value, part, None)
    return value


# Dtypes that are of no kind.
OTHERS = {"fp8_fp8_half_gemm_fused": "float8_e4m3fn"}


def of(op):
    """The dtypes of an operator, or nothing where neither an example nor CALLS calls it."""
    if op.name in OTHERS:
        return OTHERS[op.name]
    if op.name in CALLS:
        return written(op.name)
    places = [(owner_of(sig.module), sig.name) for sig in op.public]
    tries = [([inspect.getdoc(getattr(o, n)) or ""], o, n) for o, n in places if hasattr(o, n)]
    if hasattr(_C_ops, op.name):
        tries.append((callers().get(op.name, []), _C_ops, op.name))
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for texts, owner, name in tries:
            call = given_by(texts, owner, name)
            if call:
                return computed(*call)
    return ""
