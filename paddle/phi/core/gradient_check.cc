// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/gradient_check.h"

#include <algorithm>
#include <string_view>

#include "paddle/common/error.h"

namespace phi {
namespace {

constexpr std::string_view kSuffix = "_grad";

int Position(const auto& list, std::string_view name) {
  for (size_t i = 0; i < list.size(); ++i) {
    if constexpr (requires { list[i]->name; }) {
      if (name == list[i]->name) return static_cast<int>(i);
    } else {
      if (name == list[i].name) return static_cast<int>(i);
    }
  }
  return -1;
}

std::vector<Meta> MetasOf(const InSlot& slot) {
  std::vector<Meta> metas;
  for (int k = 0; k < slot.n; ++k)
    if (slot.p[k].defined()) metas.push_back(slot.p[k].meta());
  return metas;
}

// Extents of shapes are written -1 where they are not known.
bool HasNegative(const AttrValue& value) {
  const auto any = [](const auto* list) {
    return list && std::any_of(list->begin(), list->end(), [](auto v) { return v < 0; });
  };
  return any(std::get_if<std::vector<int32_t>>(&value)) || any(std::get_if<std::vector<int64_t>>(&value));
}

// What is known of a call of the op.
struct Call {
  std::vector<std::vector<Meta>> inputs;  // of its tensor arguments
  std::vector<AttrValue> attrs;
  int missing = -1;       // a tensor argument that is not among the gradient's operands
  int missing_count = 0;  // how many are not
  bool complete = true;   // whether the gradient has all attributes, and shapes are known
};

Call CallOf(const OpDef& op, const OpDef& forward, const InSlot* in, const AttrValue* attrs) {
  Call call;
  for (size_t k = 0; k < forward.tensors.size(); ++k) {
    const int i = Position(op.tensors, forward.tensors[k]->name);
    call.inputs.push_back(i < 0 ? std::vector<Meta>() : MetasOf(in[i]));
    if (i >= 0 || forward.tensors[k]->kind == ArgDef::kOptionalTensor) continue;
    call.missing = static_cast<int>(k);
    ++call.missing_count;
  }
  for (const ArgDef* a : forward.attrs) {
    const int i = Position(op.attrs, a->name);
    call.attrs.push_back(i < 0 ? a->def : attrs[i]);
    call.complete = call.complete && i >= 0 && !HasNegative(call.attrs.back());
  }
  if (call.attrs.empty()) call.attrs.emplace_back();
  return call;
}

void RequireLike(const OpDef& op, std::string_view name, const Meta& got, const Meta& want) {
  PD_CHECK(common::MayMatch(got.dims, want.dims), InvalidArgument, "[", op.name, "] expected ", name, " of shape ",
           common::ShapeText(want.dims), ", as the operation makes it, got ", common::ShapeText(got.dims));
  PD_CHECK(want.dtype == DataType::UNDEFINED || got.dtype == want.dtype, InvalidArgument, "[", op.name, "] expected ",
           name, " of dtype ", NameOf(want.dtype), ", as the operation makes it, got ", NameOf(got.dtype));
}

}  // namespace

const OpDef* GradientOf(const OpDef& op) {
  std::string_view name = op.name;
  if (op.code || !name.ends_with(kSuffix)) return nullptr;
  const std::string of(name.substr(0, name.size() - kSuffix.size()));
  const OpDef* forward = FindOpDef(of);
  return forward ? forward : FindOpDef(of + "_");  // an op that exists in place only (batch_norm_)
}

void CheckGradientOperands(const OpDef& op, const OpDef& forward, const InSlot* in, const AttrValue* attrs) {
  // Results, and gradients of results, among the operands: (result, operand).
  std::vector<std::pair<int, int>> made;
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    const std::string_view name = op.tensors[i]->name;
    const bool given = in[i].n > 0 && in[i].p[0].defined();
    bool needed = op.tensors[i]->kind == ArgDef::kTensor;
    if (Position(forward.tensors, name) < 0) {
      int k = Position(forward.outs, name);
      needed = needed || (k >= 0 && !forward.outs[k].optional && !forward.outs[k].variadic);
      if (k < 0 && name.ends_with(kSuffix)) k = Position(forward.outs, name.substr(0, name.size() - kSuffix.size()));
      if (k >= 0 && given) made.push_back({k, static_cast<int>(i)});
    }
    PD_CHECK(given || !needed, InvalidArgument, "[", op.name, "] expected a tensor ", name, ", got none");
  }
  Call call = CallOf(op, forward, in, attrs);
  if (!call.complete || call.missing_count > 1 || made.empty()) return;
  if (call.missing_count == 1) {
    // A rule that reads results alone: their input has the shape of the result.
    if (forward.tensors.size() != 1 || forward.outs.size() != 1 || made.size() < 2) return;
    const std::vector<Meta> result = MetasOf(in[made[0].second]);
    PD_CHECK(IsDifferentiable(result[0].dtype), InvalidArgument, "[", op.name, "] expected a floating result, got ",
             NameOf(result[0].dtype));
    call.inputs[static_cast<size_t>(call.missing)] = result;
  }
  std::vector<MetaSlot> slots;
  for (const auto& metas : call.inputs) slots.push_back({metas.data(), static_cast<int>(metas.size())});
  std::vector<std::vector<Meta>> results(forward.outs.size());
  forward.Infer(slots.data(), call.attrs.data(), results.data());
  for (const auto& [k, i] : made) {
    const std::vector<Meta> got = MetasOf(in[i]);
    const std::vector<Meta>& want = results[static_cast<size_t>(k)];
    const char* name = op.tensors[static_cast<size_t>(i)]->name;
    PD_CHECK(got.size() == want.size(), InvalidArgument, "[", op.name, "] expected ", want.size(), " tensors ", name,
             ", got ", got.size());
    for (size_t j = 0; j < got.size(); ++j) RequireLike(op, name, got[j], want[j]);
  }
}

}  // namespace phi
