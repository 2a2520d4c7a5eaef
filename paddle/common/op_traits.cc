// SPDX-License-Identifier: Apache-2.0
#include "paddle/common/op_traits.h"

#include <algorithm>

namespace common {

const OpTraits& TraitsOf(std::string_view op) {
  static constexpr OpTraits kNone;
  constexpr std::string_view kDialect = "pd_op.";
  if (op.substr(0, kDialect.size()) == kDialect) op.remove_prefix(kDialect.size());
  const OpTraitsRow* end = kOpTraits + kOpTraitsCount;
  const OpTraitsRow* row =
      std::lower_bound(kOpTraits, end, op, [](const OpTraitsRow& r, std::string_view name) { return r.op < name; });
  return row != end && row->op == op ? row->traits : kNone;
}

}  // namespace common
