// SPDX-License-Identifier: Apache-2.0
#include "paddle/common/op_traits.h"

#include <algorithm>

namespace common {

const OpTraits& TraitsOf(std::string_view op) {
  static constexpr OpTraits kNone;
  op = BareName(op);
  const OpTraitsRow* end = kOpTraits + kOpTraitsCount;
  const OpTraitsRow* row =
      std::lower_bound(kOpTraits, end, op, [](const OpTraitsRow& r, std::string_view name) { return r.op < name; });
  return row != end && row->op == op ? row->traits : kNone;
}

}  // namespace common
