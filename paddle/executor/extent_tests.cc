// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/extent_tests.h"

#include <string_view>

namespace executor {
namespace {

bool IsComparison(char op) { return std::string_view("<>=!").find(op) != std::string_view::npos; }
constexpr size_t kDeepest = 16;

}  // namespace

ExtentTest::ExtentTest(std::vector<Step> steps) : steps_(std::move(steps)) {
  size_t depth = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const char op = steps_[i].op;
    const bool value = op == 'd' || op == 'n', last = i + 1 == steps_.size();
    const bool known = value || std::string_view("+-*/b").find(op) != std::string_view::npos || IsComparison(op);
    if (value)
      ++depth;
    else if (depth > 0)
      --depth;
    PD_CHECK(known && IsComparison(op) == last && depth > 0 && depth <= kDeepest && (!last || depth == 1),
             InvalidArgument, "[extents] expected a comparison of at most ", kDeepest, " values at a time, got '", op,
             "' at step ", i);
  }
  PD_CHECK(!steps_.empty(), InvalidArgument, "[extents] expected a comparison, got no steps");
}

bool ExtentTest::Holds(const std::vector<Tensor>& tensors) const {
  int64_t stack[kDeepest + 1];
  size_t n = 0;
  for (const Step& s : steps_) {
    if (s.op == 'd' || s.op == 'n') {
      const phi::Ints* dims = s.op == 'n' ? nullptr : &tensors[static_cast<size_t>(s.a)]->dims();
      if (dims && s.b >= dims->size()) return false;
      stack[n++] = dims ? (*dims)[s.b] : s.a;
      continue;
    }
    const int64_t b = stack[--n];
    int64_t& a = stack[n - 1];
    bool over = false;
    switch (s.op) {
      case '+': over = __builtin_add_overflow(a, b, &a); break;
      case '-': over = __builtin_sub_overflow(a, b, &a); break;
      case '*': over = __builtin_mul_overflow(a, b, &a); break;
      case '/':
        over = b <= 0 || a < 0;
        if (!over) a /= b;
        break;
      case 'b': a = a == 1 ? b : a; break;
      case '<': a = a < b; break;
      case '>': a = a > b; break;
      case '=': a = a == b; break;
      default: a = a != b;
    }
    if (over) return false;
  }
  return stack[0] != 0;
}

}  // namespace executor
