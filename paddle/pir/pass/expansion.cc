// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/pass/expansion.h"

namespace pir {
namespace {
ExpandFn g_expand = nullptr;
}  // namespace

void SetExpand(ExpandFn expand) { g_expand = expand; }
bool Expand(const Operation& op, const std::vector<bool>& wanted, Expansion& into) {
  return g_expand && g_expand(op, wanted, into);
}

}  // namespace pir
