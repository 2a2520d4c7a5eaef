// SPDX-License-Identifier: Apache-2.0
#include "paddle/common/op_traits.h"

#include <algorithm>

namespace common {
namespace {

constexpr OpTraits kNoTraits;

}  // namespace

const OpTraits& TraitsOf(std::string_view op) {
  op = BareName(op);
  const OpTraitsRow* end = kOpTraits + kOpTraitsCount;
  const OpTraitsRow* row =
      std::lower_bound(kOpTraits, end, op, [](const OpTraitsRow& r, std::string_view name) { return r.op < name; });
  return row != end && row->op == op ? row->traits : kNoTraits;
}

const OpTraits& TraitsOfForward(std::string_view op) {
  constexpr std::string_view kGradient = "_grad";
  return op.ends_with(kGradient) ? TraitsOf(op.substr(0, op.size() - kGradient.size())) : kNoTraits;
}

}  // namespace common
