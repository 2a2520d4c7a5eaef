// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/input_dims.h"

#include <string_view>
#include <unordered_set>
#include <utility>

#include "paddle/executor/code.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/core/operation.h"
#include "paddle/pir/dialect/pd_op.h"

namespace executor {
namespace {

using common::Dims;
using pir::Type;
using pir::Value;
using pir::WithDims;

// The type with extents of which nothing is known.
Type Unknown(Type t) {
  if (t.is_vector()) {
    std::vector<Type> elements;
    for (Type e : t.elements()) elements.push_back(Unknown(e));
    return pir::VectorType::Get(elements);
  }
  if (!t.is_dense() && t.kind() != pir::TypeKind::kSelectedRows) return t;
  Dims dims;
  for (int64_t i = 0; i < t.dims().size(); ++i) dims.push_back(common::NewSymbol());
  return WithDims(t, dims);
}

// What holds for values of both types.
Type Common(Type a, Type b) {
  if (a == b) return a;
  if (!a.is_dense() || !b.is_dense() || a.dims().size() != b.dims().size()) return Unknown(a);
  Dims dims = a.dims();
  for (int64_t i = 0; i < dims.size(); ++i)
    if (!common::SameDim(dims[i], b.dims()[i])) dims[i] = common::NewSymbol();
  return WithDims(a, dims);
}

class Inference {
 public:
  void Set(Value v, Type t) {
    if (!v || v.type() == t) return;
    v.set_type(t);
    changed_.insert(v.impl());
  }

  void Block(pir::Block& block) {
    for (pir::Operation& op : block) Op(op);
  }

 private:
  bool Changed(Value v) const { return v && changed_.count(v.impl()) != 0; }

  // Lists that operations write to keep their type when that of their members changes.
  bool Affected(const pir::Operation& op) const {
    for (int i = 0; i < op.num_operands(); ++i) {
      const Value v = op.operand(i);
      if (v && (Changed(v) || !(v.type().is_dense() || v.type().is_vector()))) return true;
    }
    return false;
  }

  void Op(pir::Operation& op) {
    if (op.isa(pir::pd::kIf)) return If(op);
    if (op.isa(pir::pd::kWhile)) return While(op);
    for (int i = 0; i < op.num_regions(); ++i)
      for (auto& block : op.region(i).blocks()) Block(*block);
    if (!Affected(op) && op.num_regions() == 0) return;
    if (op.isa("builtin.combine")) {
      std::vector<Type> elements;
      for (int i = 0; i < op.num_operands(); ++i) elements.push_back(op.operand_type(i));
      return Set(op.result(0), pir::VectorType::Get(elements));
    }
    if (op.isa("builtin.slice"))
      return Set(op.result(0), op.operand_type(0).elements().at(static_cast<size_t>(op.attr("index").to_int())));
    if (op.isa("builtin.split")) {
      for (int i = 0; i < op.num_results(); ++i)
        Set(op.result(i), op.operand_type(0).elements().at(static_cast<size_t>(i)));
      return;
    }
    const std::vector<Type> types = op.num_regions() ? std::vector<Type>() : ByRule(op);
    for (int i = 0; i < op.num_results(); ++i) {
      const Type old = op.result_type(i);
      const Type known = static_cast<size_t>(i) < types.size() ? types[static_cast<size_t>(i)] : Type();
      if (old) Set(op.result(i), known ? known : Unknown(old));
    }
  }

  // The types of results by the operation's shape rule; the null type where it does not tell.
  static std::vector<Type> ByRule(const pir::Operation& op) {
    const auto* def = static_cast<const phi::OpDef*>(op.info()->phi_op);
    if (!def || def->code) return {};
    std::vector<std::vector<phi::Meta>> in(def->tensors.size()), out(def->outs.size());
    std::vector<phi::MetaSlot> slots;
    for (size_t i = 0; i < in.size(); ++i) {
      const Value v = static_cast<int>(i) < op.num_operands() ? op.operand(static_cast<int>(i)) : Value();
      const Type t = v.type();
      if (t.is_vector()) {
        for (Type e : t.elements()) {
          if (!e.is_dense()) return {};
          in[i].push_back({e.dims(), e.dtype()});
        }
      } else if (t) {
        if (!t.is_dense()) return {};
        in[i].push_back({t.dims(), t.dtype()});
      }
      slots.push_back({in[i].data(), static_cast<int>(in[i].size())});
    }
    std::vector<std::pair<int, Value>> at_run;
    const std::vector<phi::AttrValue> attrs = AttributesOf(op, *def, &at_run);
    if (!at_run.empty()) return {};
    try {
      def->Infer(slots.data(), attrs.data(), out.data());
    } catch (const common::Error&) {
      return {};  // the kernel says what does not fit, with the extents of the run
    }
    std::vector<Type> types;
    for (size_t k = 0; k < out.size() && static_cast<int>(k) < op.num_results(); ++k) {
      for (size_t i = 0; i < in.size() && out[k].empty() && def->outs[k].same_as_input; ++i)
        if (std::string_view(def->tensors[i]->name) == def->outs[k].same_as_input) out[k] = in[i];
      const Type old = op.result_type(static_cast<int>(k));
      const auto like = [](Type was, const phi::Meta& m) {
        return was.is_dense() && was.dtype() == m.dtype ? WithDims(was, m.dims) : Type();
      };
      types.emplace_back();
      if (!old.is_vector()) {
        if (old && out[k].size() == 1) types.back() = like(old, out[k][0]);
        continue;
      }
      std::vector<Type> elements;
      for (size_t j = 0; j < out[k].size() && j < old.elements().size(); ++j) {
        const Type e = like(old.elements()[j], out[k][j]);
        elements.push_back(e ? e : Unknown(old.elements()[j]));
      }
      if (elements.size() == old.elements().size()) types.back() = pir::VectorType::Get(elements);
    }
    return types;
  }

  void If(pir::Operation& op) {
    std::vector<pir::Operation*> ends;
    for (int i = 0; i < op.num_regions(); ++i) {
      if (op.region(i).empty()) continue;
      Block(op.region(i).front());
      ends.push_back(op.region(i).front().terminator());
    }
    for (int k = 0; k < op.num_results(); ++k) {
      bool changed = false;
      Type t;
      for (pir::Operation* end : ends) {
        changed = changed || Changed(end->operand(k));
        t = t ? Common(t, end->operand_type(k)) : end->operand_type(k);
      }
      if (changed) Set(op.result(k), t);
    }
  }

  // An argument has the extents that it begins with as long as the body yields them. Each round makes one more of them
  // unknown.
  void While(pir::Operation& op) {
    pir::Block& body = op.region(0).front();
    const int n = op.num_results();
    std::vector<std::vector<char>> open(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) {
      const Value arg = body.arg(i), first = op.operand(i + 1);
      open[static_cast<size_t>(i)].assign(static_cast<size_t>(arg.type().dims().size()), 0);
      if (!Changed(first)) continue;
      const bool alike = first.type().is_dense() && first.type().dims().size() == arg.type().dims().size();
      Set(arg, alike ? first.type() : Unknown(arg.type()));
    }
    for (bool again = true; again;) {
      again = false;
      Block(body);
      const pir::Operation* end = body.terminator();
      for (int i = 0; i < n; ++i) {
        const Value arg = body.arg(i), next = end->operand(i + 1);
        if (!arg.type().is_dense() || (!Changed(next) && !Changed(arg))) continue;
        Dims dims = arg.type().dims();
        bool opened = false;
        for (int64_t k = 0; k < dims.size(); ++k) {
          char& is_open = open[static_cast<size_t>(i)][static_cast<size_t>(k)];
          const bool same = next.type().is_dense() && next.type().dims().size() == dims.size() &&
                            common::SameDim(dims[k], next.type().dims()[k]);
          if (is_open || same) continue;
          dims[k] = common::NewSymbol();
          is_open = 1;
          opened = true;
        }
        if (opened) Set(arg, WithDims(arg.type(), dims));
        again = again || opened;
      }
    }
    for (int i = 0; i < n; ++i)
      if (Changed(body.arg(i))) Set(op.result(i), body.arg(i).type());
  }

  std::unordered_set<const void*> changed_;
};

}  // namespace

void SetInputDims(pir::Program& program, const std::vector<Dims>& dims) {
  Inference inference;
  size_t next = 0;
  for (pir::Operation& op : program.block())
    if (op.isa(pir::pd::kData)) {
      PD_CHECK(next < dims.size(), InvalidArgument, "[executor] expected extents for each input, got ", dims.size());
      inference.Set(op.result(0), WithDims(op.result_type(0), dims[next++]));
    }
  PD_CHECK(next == dims.size(), InvalidArgument, "[executor] expected extents of ", next, " inputs, got ", dims.size());
  inference.Block(program.block());
  program.Touch();
}

}  // namespace executor
