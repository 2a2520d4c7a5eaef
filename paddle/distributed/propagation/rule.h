// SPDX-License-Identifier: Apache-2.0
// The `spmd` of a stanza, read: which axes of operands and results belong together.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "paddle/distributed/collective/reduce.h"
#include "paddle/distributed/reshard/windows.h"
#include "paddle/phi/core/op_def.h"

namespace paddle::distributed {

// `...mk~transpose_x`, of one operand or result.
struct Term {
  bool whole = false;    // `*`: no axis is divided
  bool leading = false;  // `...`: the axes before the letters
  std::string letters;   // `_`: not divided; a capital is a run of axes
  std::string optional;  // letters that a tensor of too few axes lacks
  char sign = 0;  // what the attributes say: `!` axes not divided, `-` axes that are gone, `+` new ones, `<` only
                  // axes before it are divided, `~` the last two change places; `@`, `%`: by the order of channels
  std::vector<std::string> attrs;
};

// `n:reduction=sum|none`: letters that are divided only where the attribute reads so; none of `values`: never.
struct Condition {
  std::string letters, attr;
  std::vector<std::string> values;
};

struct Rule {
  enum Kind : uint8_t { kReplicate, kNotation, kReduce, kExtents, kTranspose } kind = kReplicate;
  std::vector<Term> in, out;                       // kNotation; the last stands for all further ones
  std::vector<std::pair<char, std::string>> runs;  // how many axes a run has: what an attribute or an operand says
  std::vector<Condition> conditions;
  char begins = 0;       // a letter of whose axis an attribute says where the operand begins
  bool partial = false;  // kReduce: reductions of parts reduce to the whole
  ReduceOp op = ReduceOp::kSum;
};

// Whether it has windows.
bool HasWindows(const Rule& rule);
// The rule of a text of opgen; read once.
const Rule& RuleOf(const char* text);

// Axes that belong together, in all operands and results.
struct Factor {
  int64_t extent = 1;
  bool divides = true;          // whether it can be divided at all
  bool contracts = false;       // results lack it: they are partial then
  bool windows = false;         // windows go over it: results have another extent
  bool one_run = false;         // parts are not divided by pieces
  std::vector<int64_t> evenly;  // extents that the number of parts must divide
};
constexpr int kWholeAxis = -1;
// What a rule says of one call. An axis that is divided is the number of a factor.
struct Axes {
  std::vector<Factor> factors;
  std::vector<std::vector<int>> in, out;  // of each tensor; operands in order, lists flattened
  std::vector<bool> alike;                // results that all processes have alike, whatever is divided
  ReduceOp op = ReduceOp::kSum;           // of partial results
  int begins = kWholeAxis;                // the factor of Rule::begins
};

// `in` and `out`: the whole tensors; `slot[i]` is the argument that tensor i belongs to, `out_slot` the same of
// results. `history`: whether gradients are wanted.
Axes AxesOf(const Rule& rule, const phi::OpDef& op, const phi::AttrValue* attrs, const std::vector<phi::Ints>& in,
            const std::vector<int>& slot, const std::vector<phi::Ints>& out, const std::vector<int>& out_slot,
            bool history);

// The windows of a convolution or a pooling, by the arguments of its call.
struct Spatial {
  Windows windows;     // along the axes of its operand that were asked for; none: they cannot be divided
  phi::Ints paddings;  // low and high, of each axis from `first` on
  int first = 0;
};
Spatial SpatialOf(const phi::OpDef& op, const phi::AttrValue* attrs, const std::vector<phi::Ints>& in,
                  const phi::Ints& out, const std::vector<bool>& divided);

}  // namespace paddle::distributed
