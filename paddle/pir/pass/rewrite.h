// SPDX-License-Identifier: Apache-2.0
// Pattern rewriting: patterns rooted at an op, declarative graph patterns, and the driver that applies them to a fixed
// point.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "paddle/pir/core/builder.h"

namespace pir {

// A builder that tells the driver what changes; patterns change the program through it alone.
class PatternRewriter : public Builder {
 public:
  // Replaces the op's results by `values` (null for an unused result) and erases it.
  void ReplaceOp(Operation* op, std::span<const Value> values);
  void ReplaceOp(Operation* op, Value value) { ReplaceOp(op, std::span<const Value>(&value, 1)); }
  void EraseOp(Operation* op);
  // Say so after changing an op in place (attributes, operands).
  void Changed(Operation* op);
  Operation* CreateOp(std::string_view op, std::initializer_list<Value> operands, AttributeMap attrs,
                      std::initializer_list<Type> result_types);

 private:
  friend class GreedyDriver;
  std::function<void(Operation*)> on_change_, on_erase_;
};

class RewritePattern {
 public:
  // `root`: the op the pattern starts from; empty means any. Higher benefit is tried first.
  RewritePattern(std::string root, int benefit = 1, std::string name = "")
      : root_(std::move(root)), name_(std::move(name)), benefit_(benefit) {}
  virtual ~RewritePattern() = default;
  const std::string& root() const { return root_; }
  const std::string& name() const { return name_; }
  int benefit() const { return benefit_; }
  // Returns whether it rewrote; without it, nothing may have changed. The insertion point is before `op`.
  virtual bool MatchAndRewrite(Operation* op, PatternRewriter& rewriter) const = 0;

 private:
  std::string root_, name_;
  int benefit_;
};

// What a graph pattern found, by the names given in the pattern.
class Match {
 public:
  Value value(const std::string& name) const { return values_.at(name); }
  Operation* op(const std::string& name) const { return ops_.at(name); }
  Operation* root() const { return root_; }

 private:
  friend class GraphPattern;
  std::map<std::string, Value> values_;
  std::map<std::string, Operation*> ops_;
  Operation* root_ = nullptr;
};

// A source graph written as nested nodes, a condition, and what to put in its place:
//   GraphPattern p("matmul_add", GraphPattern::Op("pd_op.add", {GraphPattern::Op("pd_op.matmul", {Any("x"),
//   Any("w")}).Named("mm").OneUse(), Any("b")})); p.Where([](const Match& m) {...}).Replace([](const Match& m,
//   PatternRewriter& r) { return std::vector<Value>{...}; });
class GraphPattern : public RewritePattern {
 public:
  struct Node {
    std::string op;    // empty: any value, bound to `name`
    std::string name;  // values and ops of equal name must be the same
    std::vector<Node> operands;
    std::vector<std::pair<std::string, Attribute>> attrs;  // that must be equal
    int result = 0;                                        // which result of `op` is meant
    bool one_use = false;                                  // the result has no use outside the pattern
    bool commutative = false;

    Node& Named(std::string n) {
      name = std::move(n);
      return *this;
    }
    Node& OneUse() {
      one_use = true;
      return *this;
    }
    Node& Commutative() {
      commutative = true;
      return *this;
    }
    Node& Result(int i) {
      result = i;
      return *this;
    }
    Node& With(std::string attr, Attribute value) {
      attrs.emplace_back(std::move(attr), value);
      return *this;
    }
  };
  static Node Any(std::string name);
  // No value (an optional operand left out).
  static Node None();
  static Node Op(std::string op, std::vector<Node> operands);

  GraphPattern(std::string name, Node root, int benefit = 1);
  GraphPattern& Where(std::function<bool(const Match&)> f);
  // Returns one value for each result of the root op; an empty vector declines. Interior ops go when unused.
  GraphPattern& Replace(std::function<std::vector<Value>(const Match&, PatternRewriter&)> f);
  bool MatchAndRewrite(Operation* op, PatternRewriter& rewriter) const override;
  // Only the matching half.
  bool MatchOp(Operation* op, Match* match) const;

 private:
  bool MatchNode(const Node& n, Value v, Match* m) const;
  bool MatchOpNode(const Node& n, Operation* op, Match* m) const;
  bool MatchOperands(const Node& n, Operation* op, bool swapped, Match* m) const;

  Node node_;
  std::vector<std::function<bool(const Match&)>> where_;
  std::function<std::vector<Value>(const Match&, PatternRewriter&)> replace_;
};

class PatternSet {
 public:
  template <class P, class... A>
  P& Add(A&&... args) {
    auto p = std::make_unique<P>(std::forward<A>(args)...);
    P& r = *p;
    patterns_.push_back(std::move(p));
    return r;
  }
  const std::vector<std::unique_ptr<RewritePattern>>& patterns() const { return patterns_; }

 private:
  std::vector<std::unique_ptr<RewritePattern>> patterns_;
};

struct RewriteOptions {
  int64_t max_rewrites = 1 << 20;  // a guard against patterns that undo each other
  bool erase_dead = true;          // removable ops that lost their last use go at once
};
// Applies patterns to all ops of the block and its regions until none matches; returns the number of rewrites.
int64_t ApplyPatterns(Block& block, const PatternSet& patterns, const RewriteOptions& options = {});

}  // namespace pir
