// SPDX-License-Identifier: Apache-2.0
// Removes ops whose result is one of their operands.
#include "paddle/pir/dialect/numbers.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/passes.h"
#include "paddle/pir/pass/rewrite.h"

namespace pir {
namespace {

// The number that pd_op.full puts into every element of v.
bool FullValue(Value v, double* out) {
  const Operation* op = FullBehind(v);
  if (!op) return false;
  Attribute a = op->attr("value");
  if (!a || a.kind() == AttrKind::kStr || a.kind() == AttrKind::kArray) return false;
  *out = a.to_double();
  return true;
}

bool NumberIs(Attribute a, double want) { return a && a.kind() != AttrKind::kStr && a.to_double() == want; }

bool SamePermutation(Attribute a) {
  if (!a) return false;
  common::Ints p = a.to_ints();
  for (int64_t i = 0; i < p.size(); ++i)
    if (p[i] != i && p[i] != i - p.size()) return false;
  return true;
}

bool IsIdentity(const Operation& op) {
  if (op.isa(pd::kCast)) return op.operand(0).dtype() == op.result(0).dtype();
  if (op.isa(pd::kAssign) || op.isa(pd::kShareData)) return true;
  if (op.isa(pd::kTranspose)) return SamePermutation(op.attr("perm"));
  if (op.isa(pd::kScale)) {
    double s = 0;
    return op.num_operands() == 2 && FullValue(op.operand(1), &s) && s == 1 && NumberIs(op.attr("bias"), 0);
  }
  if (op.isa(pd::kReshape)) return AllKnown(op.result(0).dims());
  if (op.isa(pd::kReduceAs)) return op.operand(0).type() == op.result(0).type();
  if (op.isa(pd::kDropout)) {
    Attribute test = op.attr("is_test"), mode = op.attr("mode");
    return test && test.to_bool() && mode && mode.to_str() == "upscale_in_train" && op.num_results() == 2 &&
           op.result(1).use_empty();
  }
  return false;
}

class DropIdentity : public RewritePattern {
 public:
  DropIdentity(const char* root, bool inplace, bool separate_results)
      : RewritePattern(root, 1, "drop_identity"), inplace_(inplace), separate_(separate_results) {}

  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    if (op->num_operands() < 1 || !op->operand(0) || op->num_results() < 1 || !IsIdentity(*op)) return false;
    Value x = op->operand(0), y = op->result(0);
    if (!SameVisible(x.type(), y.type()) || y.persistable() || !x.type().is_dense()) return false;
    // The copy is what keeps later writes apart.
    if (inplace_ && (IsMutated(x) || IsMutated(y))) return false;
    if (separate_ && Escapes(y)) return false;
    std::vector<Value> values(op->num_results());
    values[0] = x;
    r.ReplaceOp(op, values);
    return true;
  }

 private:
  bool inplace_, separate_;
};

class SplitOfCombine : public RewritePattern {
 public:
  SplitOfCombine() : RewritePattern("builtin.split", 2, "split_of_combine") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    Operation* c = op->operand(0) ? op->operand(0).defining_op() : nullptr;
    if (!c || !c->isa("builtin.combine") || c->num_operands() != op->num_results()) return false;
    r.ReplaceOp(op, c->operands());
    return true;
  }
};

class SliceOfCombine : public RewritePattern {
 public:
  SliceOfCombine() : RewritePattern("builtin.slice", 2, "slice_of_combine") {}
  bool MatchAndRewrite(Operation* op, PatternRewriter& r) const override {
    Operation* c = op->operand(0) ? op->operand(0).defining_op() : nullptr;
    Attribute index = op->attr("index");
    if (!c || !c->isa("builtin.combine") || !index) return false;
    int64_t i = index.to_int();
    if (i < 0 || i >= c->num_operands()) return false;
    r.ReplaceOp(op, c->operand(static_cast<int>(i)));
    return true;
  }
};

class IdentityClean : public Pass {
 public:
  explicit IdentityClean(bool separate_results) : Pass("identity_op_clean_pass"), separate_(separate_results) {}
  bool Run(Program& program) override {
    PatternSet set;
    bool inplace = HasInplaceOps(program);
    for (const char* root : {pd::kCast, pd::kAssign, pd::kShareData, pd::kTranspose, pd::kScale, pd::kReshape,
                             pd::kReduceAs, pd::kDropout})
      set.Add<DropIdentity>(root, inplace, separate_);
    set.Add<SplitOfCombine>();
    set.Add<SliceOfCombine>();
    return ApplyPatterns(program.block(), set) > 0;
  }

 private:
  bool separate_;
};

}  // namespace

std::unique_ptr<Pass> CreateIdentityClean(bool separate_results) {
  return std::make_unique<IdentityClean>(separate_results);
}

}  // namespace pir
