# SPDX-License-Identifier: Apache-2.0
"""Names of operations that the published package has and this one has not, and why: prints, or
with --write renews, docs/absent_names.md.

    PYTHONPATH=build/python .venv/bin/python tools/oracle/absent.py [--wheel PYTHON] [--write]

The published package is asked for the names of `paddle._C_ops` and `paddle._legacy_C_ops`, for the
kernels that it has for the CPU (a name without one has no sense there) and for the old operations
that it lets a program hold, of those that tools/opgen/legacy.json declares.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import textwrap

import absent_modules

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SPACES = ("_C_ops", "_legacy_C_ops", "append_op")
ASKED = """
import json, paddle
kernels = paddle.base.core._get_registered_phi_kernels("all")
cpu = sorted(n for n, keys in kernels.items() if any("(CPU" in key for key in keys))
old = paddle.base.core._get_all_register_op_kernels("all")
cpu += [n for n, keys in old.items() if any("cpu" in key.lower() for key in keys)]
names = {s: sorted(dir(getattr(paddle, s))) for s in ("_C_ops", "_legacy_C_ops")}
names["append_op"] = sorted(json.load(open(%r)))
print("ANSWER " + json.dumps([names, sorted(set(cpu))]))
"""

# The first pattern that a name matches says why it is absent.
REASONS = [
    (
        r"^read$|_reader$|_engine$|^fusion_group$",
        "holds readers or engines: `paddle.io` reads, and programs run whole",
    ),
    (
        r"^faster_tokenizer$|^pyramid_hash(_grad)?$|^beam_search_decode$"
        r"|^distributed_fused_lamb_init_?$|^index_elementwise_",
        "reads or writes strings, hashes, memory that others hold or arrays of sequences",
    ),
    (r"xpu|npu|cudnn|tensorrt|onednn|memcpy|trans_layout|transfer_layout", "for other devices"),
    (r"_run_custom_op|_run_python_op|run_program|^ap_|^nop|^legacy$|^core$|^name$", "internal"),
    (
        r"get_core_ops|set_parameter|update_parameter|set_persistable|share_var|^parameter$|^data$"
        r"|^feed|^fetch|shadow_output|builtin_|^print$|^depend$|^array_to_tensor$|^slice_array"
        r"|add_n_array|create_array_like|array_pop",
        "makes operations of programs, or is a part of their machinery",
    ),
    (
        r"^c_|all_gather|all_reduce|allreduce|all_to_all|barrier|broadcast|recv|send|reduce_scatter"
        r"|^reduce_?$|comm_|sync_|partial_all|global_gather|global_scatter|dist_|dtensor|reshard"
        r"|shard_tensor|mp_|dist_concat|moe_.*mesh",
        "of several processes: here functions of `paddle.distributed` stand for them",
    ),
    (
        r"^number_count$|^limit_by_capacity$|^prune_gate_by_capacity$|^random_routing_?$"
        r"|^assign_pos$|^correlation(_grad)?$|^batch_fc_grad$"
        r"|^fused_(matmul|seqpool_cvm|softplus|transpose)$"
        r"|^rank_attention(_grad)?$",
        "refuses the CPU, or gives nothing there, in the published package",
    ),
]


# What calling an absent operation gives in the published package, on a CPU in one process, with
# operands and attributes as it declares them.
REFUSED = "it refuses the CPU"
NO_KERNEL = "it finds no kernel, also with use_mkldnn"
INDEX = "it takes no notice of the index: an inner step of `x[index]`, which is here"
CALLED = {
    **dict.fromkeys(
        "cudnn_lstm c_softmax_with_multi_label_cross_entropy p_recv p_send p_send_array "
        "distributed_fused_lamb_init assign_pos correlation fused_seqpool_cvm limit_by_capacity "
        "number_count prune_gate_by_capacity random_routing rank_attention".split(),
        REFUSED,
    ),
    **dict.fromkeys("fused_matmul fused_softplus fused_transpose".split(), NO_KERNEL),
    **dict.fromkeys(
        "index_elementwise_get index_elementwise_put index_elementwise_put_with_tensor".split(),
        INDEX,
    ),
    "p_recv_array": "it finds no dtype",
    "data": "the process ends by a signal",
    "faster_tokenizer": "it raises IndexError",
    "run_program": "programs cannot hold it: its attributes are blocks, which `to_static` makes",
    "create_py_reader": "it runs, in old programs only, where `DataLoader.from_generator("
    "iterable=False)` puts it: here the executor reads from that loader",
    "create_double_buffer_reader": "as `create_py_reader`",
    "read": "as `create_py_reader`",
    "pyramid_hash": "it runs: sums of rows of a table that hashes of runs of words choose, for "
    "a search engine's parameter server; no program of a package, and no published model, has it",
}

# Old operations that the published package runs on a CPU without a kernel.
WITHOUT_KERNEL = set("read create_py_reader create_double_buffer_reader run_program".split())


def ask(python):
    environment = {**os.environ, "PYTHONPATH": "", "GLOG_minloglevel": "3"}
    asked = ASKED % os.path.join(ROOT, "tools", "opgen", "legacy.json")
    done = subprocess.run(
        [python, "-c", asked], capture_output=True, text=True, env=environment, timeout=300
    )
    answer = [line for line in done.stdout.splitlines() if line.startswith("ANSWER ")]
    if not answer:
        raise SystemExit(f"absent.py: {python} gave no answer: {done.stderr[-400:]}")
    return json.loads(answer[-1][len("ANSWER ") :])


def base(name):
    """The operation of a gradient or of what is written in place."""
    return re.sub(r"(_grad)?_*$", "", name)


def reason(name, on_cpu):
    for pattern, why in REASONS:
        if re.search(pattern, name):
            return why
    forms = {name, name.rstrip("_"), base(name), re.sub("^sparse_", "", base(name)) + "_coo"}
    if not forms & on_cpu:
        return "has no kernel for the CPU in the published package"
    return "not served yet"


def _with_kernels(ordered, reasons, on_cpu):
    """Of the old operations that `append_op` does not take, those the published package has."""
    out = [
        "",
        "Of the old operations that `append_op` does not take, these have a kernel for the CPU in",
        "the published package, or need none:",
        "",
        "| reason | operations | with a kernel there |",
        "|---|---|---|",
    ]
    every = []
    for why in ordered:
        old = set(reasons[why].get("append_op", []))
        every += sorted(old & on_cpu)
        if old:
            out.append(f"| {why} | {len(old)} | {len(old & on_cpu)} |")
    told = {}
    for name in every:
        told.setdefault(CALLED.get(name, "not called yet"), []).append(f"`{name}`")
    out += ["", "Called there, in one process on the CPU:", ""]
    for what, names in told.items():
        text = f"- {', '.join(names)}: {what}."
        out += textwrap.wrap(
            text, 120, break_long_words=False, break_on_hyphens=False, subsequent_indent="  "
        )
    return out


def page(names, cpu):
    import paddle
    from paddle.static import legacy_calls
    from paddle.static.block import HOLDERS

    on_cpu = set(cpu)
    out = [
        "# Names of operations that are absent",
        "",
        "Made by `tools/oracle/absent.py --write`: what paddlepaddle 3.3.1 (its wheel, CPU) has in",
        "`paddle._C_ops` and `paddle._legacy_C_ops` and this package has not, and declared old",
        "operations that `append_op` does not take, by reason. Which of the others run in the",
        "wheel, and give the same, `tools/oracle/legacy_ops.py` prints.",
        "",
        "| module | names there | here | absent |",
        "|---|---|---|---|",
    ]
    reasons = {}
    for space in SPACES:
        there = [n for n in names[space] if not n.startswith("__")]
        if space == "append_op":
            absent = [n for n in there if not (legacy_calls.known(n) or n in HOLDERS)]
        else:
            absent = [n for n in there if not hasattr(getattr(paddle, space), n)]
        shown = space if space == "append_op" else f"paddle.{space}"
        out.append(f"| `{shown}` | {len(there)} | {len(there) - len(absent)} | {len(absent)} |")
        for name in absent:
            reasons.setdefault(reason(name, on_cpu), {}).setdefault(space, []).append(name)
    ordered = sorted(reasons, key=lambda w: (w == "not served yet", w))
    out += _with_kernels(ordered, reasons, on_cpu | WITHOUT_KERNEL)
    for why in ordered:
        out += ["", f"## {why[0].upper()}{why[1:]}"]
        for space, absent in reasons[why].items():
            text = f"`{space}` ({len(absent)}): " + ", ".join(f"`{n}`" for n in absent) + "."
            out += ["", *textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)]
    return "\n".join([*out, "", *absent_modules.lines(), ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", default=os.path.join(ROOT, ".oracle/bin/python"))
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    text = page(*ask(arguments.wheel))
    if not arguments.write:
        sys.stdout.write(text)
        return
    path = os.path.join(ROOT, "docs", "absent_names.md")
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
