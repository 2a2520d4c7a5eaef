# SPDX-License-Identifier: Apache-2.0
"""python -m opgen --ops DIR (--out DIR [--list-outputs] | --stats | --manual FILE)"""

import argparse
import json
import pathlib
import sys

from . import (
    documentation,
    emit_bind,
    emit_cpp,
    emit_decomposition,
    emit_device_update,
    emit_legacy,
    emit_loops,
    emit_lowering,
    emit_recorded,
    emit_traits,
    manual,
    model,
    propagation,
    stats,
)
from .gradient import Gradient
from .signatures import own_header
from .stanza import StanzaError


def outputs(ops):
    """{relative path: text} of everything generated."""
    by_name = {op.name: op for op in ops}
    gradients = {op.name: Gradient(op, by_name) for op in ops}
    families = {}
    for op in ops:
        families.setdefault(op.family, []).append(gradients[op.name])
    families = dict(sorted(families.items()))
    headers = {}
    for op in ops:
        header = own_header([g.op for g in families[op.family]]) or "paddle/phi/api/ops.h"
        headers.setdefault(header, []).append(op)
    files = {header: emit_cpp.ops_header(members) for header, members in headers.items()}
    for name, members in families.items():
        files[f"paddle/eager/ops/{name}.cc"] = emit_cpp.source(members)
        files[f"paddle/pybind/{name}_bind.cc"] = emit_bind.family_source([g.op for g in members])
        for k, text in enumerate(emit_cpp.loop_sources(members)):
            files[f"paddle/phi/loops/{name}_{k}.isa.cc"] = text
    every = [g for members in families.values() for g in members]
    files["paddle/pir/dialect/decompositions.h"] = emit_decomposition.templates(every)
    # What follows is of ops: composites are none.
    ops, every = [o for o in ops if not o.composite], [g for g in every if not g.op.composite]
    files["paddle/cinn/lowering.cc"] = emit_lowering.source(every)
    files["paddle/cinn/updates.cc"] = emit_device_update.source(ops)
    files["paddle/eager/ops/decompositions.cc"] = emit_decomposition.tensor_file(every)
    files["paddle/cinn/decompositions.cc"] = emit_decomposition.facts_file(every)
    files["paddle/common/op_trait_table.cc"] = emit_traits.table(every)
    files["paddle/eager/ops/recorded_rules.cc"] = emit_recorded.table(ops)
    files["paddle/distributed/rule_texts.cc"] = propagation.table(ops)
    files["paddle/pir/dialect/pd_op.h"] = emit_traits.names_header(every)
    files["python/paddle/_legacy_ops.py"] = emit_legacy.table(ops)
    files["python/paddle/_legacy_protos.py"] = emit_legacy.declarations()
    files["python/paddle/_op_docs.py"] = documentation.table(ops)
    files["python/paddle/_op_types.json"] = json.dumps(documentation.types(ops), indent=0)
    files["python/paddle/_op_tests.json"] = json.dumps(
        [test_row(op) for op in ops if op.elementwise], indent=0
    )
    return files


def test_row(op):
    """What test/ops reads of an elementwise op."""
    t = (
        {name: value for name, value in vars(op.test).items() if value is not None}
        if op.test
        else {}
    )
    t.update(
        op=op.name,
        py=[[s.module, s.name] for s in op.py],
        tensors=[a.name for a in op.tensors],
        attrs=[[a.name, a.kind, a.default] for a in op.attrs],
        grads=list(op.vjp),
        inplace=op.inplace not in (False, "hidden"),
        elementwise=True,
        dtypes=op.dtypes,
        bool_inputs=op.bool_inputs,
        compute=op.compute,
        out=op.out,
        int_as_float=op.int_as_float,
    )
    return t


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--ops", default="paddle/phi/ops")
    ap.add_argument("--out")
    ap.add_argument("--list-outputs", action="store_true")
    ap.add_argument("--stats", action="store_true")
    ap.add_argument("--sets", nargs="+", help="namespaces of the builds of kernels")
    ap.add_argument("--manual", help="a file whose list of keys is made anew")
    a = ap.parse_args()
    if a.manual:
        path = pathlib.Path(a.manual)
        path.write_text(manual.renewed(path.read_text()))
        return 0
    emit_loops.SETS[:] = a.sets or emit_loops.SETS
    try:
        ops = model.load(a.ops)
        files = outputs(ops)
    except StanzaError as e:
        print(f"opgen: {e}", file=sys.stderr)
        return 1
    if a.stats:
        print(stats.table(ops, a.ops))
        print(propagation.counts(ops))
        return 0
    out = pathlib.Path(a.out)
    for rel, text in files.items():
        path = out / rel
        if a.list_outputs:
            print(path)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
