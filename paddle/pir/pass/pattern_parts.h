// SPDX-License-Identifier: Apache-2.0
// Small pieces that fusion patterns build their replacements from.
#pragma once

#include <initializer_list>
#include <string_view>

#include "paddle/pir/dialect/numbers.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/pass.h"
#include "paddle/pir/pass/rewrite.h"

namespace pir::fusion {

// Names of the ops for which `pred` holds: roots of patterns.
template <class Pred>
std::vector<const char*> OpsWith(Pred pred) {
  std::vector<const char*> names;
  for (const OpInfo* op : AllOps())
    if (pred(*op)) names.push_back(op->name.c_str());
  return names;
}

inline Value Numbers(PatternRewriter& r, std::initializer_list<int64_t> values) { return BuildIntegers(r, values); }

inline Value Number(PatternRewriter& r, double value, DataType dtype) {
  return BuildNumber(r, Attribute::Double(value), dtype);
}

inline Value Reshape(PatternRewriter& r, Value x, std::initializer_list<int64_t> shape) {
  common::Dims dims;
  for (int64_t n : shape) dims.push_back(common::Dim(n));
  return r.CreateOp(pd::kReshape, {x, Numbers(r, shape)}, {}, {DenseTensorType::Get(x.dtype(), dims)})->result(0);
}

inline Value Transpose(PatternRewriter& r, Value x, std::initializer_list<int> perm) {
  std::vector<Attribute> items;
  common::Dims dims;
  for (int p : perm) {
    items.push_back(Attribute::Int32(p));
    dims.push_back(x.dims()[p]);
  }
  AttributeMap attrs;
  attrs.Set("perm", Attribute::Array(std::move(items)));
  return r.CreateOp(pd::kTranspose, {x}, std::move(attrs), {DenseTensorType::Get(x.dtype(), dims)})->result(0);
}

// An op of one result of x's type, or of `type`.
inline Value Apply(PatternRewriter& r, std::string_view op, std::initializer_list<Value> operands, Type type,
                   AttributeMap attrs = {}) {
  return r.CreateOp(op, operands, std::move(attrs), {type})->result(0);
}

// Known at load time: parameters, constants, and what is computed from them alone.
bool IsFrozen(Value v);

// A pass that applies patterns to a fixed point; `fill` adds them.
class PatternPass : public Pass {
 public:
  PatternPass(std::string name, void (*fill)(PatternSet&)) : Pass(std::move(name)) { fill(set_); }
  bool Run(Program& program) override { return ApplyPatterns(program.block(), set_) > 0; }

 private:
  PatternSet set_;
};

inline bool OnlyUse(Value v) { return v.has_one_use() && !v.persistable(); }

// Whether the op computes the same where `to` is: nobody writes to what it reads, and both run equally often.
bool MayMove(const Operation& op, const Operation& to);

// The name an activation op has in fused operations; empty for another op, or one with attributes other than the
// defaults.
std::string_view ActivationName(const Operation& op);

// Joins an activation to the operation whose result it alone reads.
class JoinActivation : public RewritePattern {
 public:
  explicit JoinActivation(const char* root) : RewritePattern(root, 1, "join_activation") {}

  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const final {
    const Operation* maker = op->operand(0).defining_op();
    const std::string_view name = ActivationName(*op);
    if (name.empty() || !maker || !Takes(*maker) || !OnlyUse(maker->result(0)) || !MayMove(*maker, *op)) return false;
    r.ReplaceOp(op, Joined(r, *maker, name, op->result_type(0)));
    return true;
  }

 private:
  // Whether an activation can be joined to the operation.
  virtual bool Takes(const Operation& maker) const = 0;
  virtual Value Joined(PatternRewriter& r, const Operation& maker, std::string_view activation, Type type) const = 0;
};

}  // namespace pir::fusion
