// SPDX-License-Identifier: Apache-2.0
// Copying operations and blocks with their regions, and the map from old to new values.
#pragma once

#include <unordered_map>

#include "paddle/pir/core/program.h"

namespace pir {

class IrMapping {
 public:
  void Map(Value from, Value to) { values_[from] = to; }
  void Map(const Operation* from, Operation* to) { ops_[from] = to; }
  // The value itself when it was not mapped (captured from outside the cloned part).
  Value Lookup(Value v) const {
    auto it = values_.find(v);
    return it == values_.end() ? v : it->second;
  }
  bool Has(Value v) const { return values_.count(v) != 0; }
  Operation* Lookup(const Operation* op) const {
    auto it = ops_.find(op);
    return it == ops_.end() ? nullptr : it->second;
  }

 private:
  std::unordered_map<Value, Value> values_;
  std::unordered_map<const Operation*, Operation*> ops_;
};

// A detached deep copy; operands are looked up in `mapping`, results and inner values added to it.
Operation* CloneOp(const Operation& op, IrMapping& mapping);
// Appends copies of all of `from`'s ops (and arguments when `with_args`) to `to`.
void CloneBlockInto(const Block& from, Block& to, IrMapping& mapping, bool with_args = true);

}  // namespace pir
