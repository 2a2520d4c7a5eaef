// SPDX-License-Identifier: Apache-2.0
// The ops the IR itself knows: module, parameters, vectors, control flow, and a program's inputs and outputs.
#pragma once

#include <span>
#include <string_view>

#include "paddle/pir/core/builder.h"

namespace pir {

// Registers builtin.*, cf.*, pd_op.if/while/data/feed/fetch. Runs once; Program() calls it. The pd_op entries are only
// added when nobody registered the name before.
void RegisterBuiltinOps();

Value BuildParameter(Builder& b, std::string_view name, Type type, bool trainable = true);
// A value known at compile time, kept among the program's parameters under `name`.
Value BuildConstantTensor(Builder& b, std::string_view name, Type type);
Value BuildCombine(Builder& b, std::span<const Value> values);
Value BuildData(Builder& b, std::string_view name, Type type,
                phi::Place place = {phi::AllocationType::UNDEFINED, 0, 0});
Operation* BuildFetch(Builder& b, Value v, std::string_view name, int col);
Operation* BuildYield(Builder& b, std::span<const Value> values);
// pd_op.if: two regions with an empty block each; end both with BuildYield of values of `types`.
Operation* BuildIf(Builder& b, Value cond, std::span<const Type> types);
// pd_op.while: one region whose block has an argument for each input; end it with BuildYield(cond, next values...).
Operation* BuildWhile(Builder& b, Value cond, std::span<const Value> inputs);

}  // namespace pir
