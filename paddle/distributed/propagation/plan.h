// SPDX-License-Identifier: Apache-2.0
// How an operation on distributed tensors is divided: where its operands are to lie, and where its results do then.
#pragma once

#include <string_view>
#include <vector>

#include "paddle/distributed/mesh/process_mesh.h"
#include "paddle/distributed/propagation/rule.h"

namespace paddle::distributed {

// One tensor among the operands.
struct Operand {
  phi::Ints dims;
  Placements from, to;
  int64_t bytes;  // of its part
};

struct Plan {
  std::vector<Placements> out;
  // Of each operand: along which axes of the mesh processes use it otherwise, though they have it alike.
  std::vector<std::vector<bool>> apart;
  bool windows = false;  // whether axes are divided that windows go over
  Spatial spatial;
  // Where an attribute says at which element an operand begins: the operand and its axis.
  int begins_operand = -1, begins_axis = 0;
};
// Says where the operands move. `slot` and `out_slot` as of AxesOf; `out`: the shapes of the results. `by_bytes`: of
// what the operands divide an axis of the mesh divides what moves the fewest bytes, else what the first one divides.
Plan PlanOf(const Rule& rule, const phi::OpDef& op, const phi::AttrValue* attrs, const ProcessMesh& mesh,
            std::vector<Operand>* operands, const std::vector<int>& slot, const std::vector<phi::Ints>& out,
            const std::vector<int>& out_slot, bool history, bool by_bytes = true);
// Says where operands are to lie for results to lie as given.
void PlanBack(const Rule& rule, const phi::OpDef& op, const phi::AttrValue* attrs, const ProcessMesh& mesh,
              std::vector<Operand>* operands, const std::vector<int>& slot, std::vector<Operand>* results,
              const std::vector<int>& out_slot);

// The `spmd` of an operation's stanza, or what its kind says: null for none, empty where operands are replicated.
const char* RuleTextOf(std::string_view op);
struct RuleRow {
  std::string_view op;
  const char* text;
};
extern const RuleRow kRuleTexts[];
extern const size_t kRuleTextCount;

}  // namespace paddle::distributed
