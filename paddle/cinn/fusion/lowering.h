// SPDX-License-Identifier: Apache-2.0
// How an elementwise op becomes an expression: a table by op name, filled by generated code from the stanzas.
#pragma once

#include <string_view>
#include <vector>

#include "paddle/cinn/ir/complex_body.h"

namespace cinn {

// `inputs` are the op's tensor operands, already in their compute types; `attrs` its other arguments in the stanza's
// order, as numbers. The result is converted to the op's declared result type by the caller.
using LowerFn = Expr (*)(const Expr* inputs, const phi::Scalar* attrs);

struct Lowering {
  LowerFn fn = nullptr;
  int nin = 0;
  bool integers =
      false;  // also right for integer operands; otherwise they are converted to the floating result type or declined
};

void RegisterLowering(const char* op, LowerFn fn, int nin);
// `alone`: also of an op whose stanza keeps it out of groups.
const Lowering* FindLowering(std::string_view op, bool alone = false);

// The same over complex numbers; operands without an imaginary part are real.
using ComplexLowerFn = ComplexExpr (*)(const ComplexExpr* inputs, const phi::Scalar* attrs);
struct ComplexLowering {
  ComplexLowerFn fn = nullptr;
  int nin = 0;
  bool casts = false;  // the result's dtype need not be that of the operands
};
void RegisterComplexLowering(const char* op, ComplexLowerFn fn, int nin);
const ComplexLowering* FindComplexLowering(std::string_view op);

// One result of the gradient of an op that broadcasts: an expression over operands of the gradient op, by name, summed
// to the shape of the argument whose gradient it is.
struct GradLowering {
  const char* input;
  LowerFn fn;
  std::vector<const char*> operands;
};
// `results`: all of the op's, in its order.
void RegisterGradLowering(const char* op, std::vector<GradLowering> results);
const std::vector<GradLowering>* FindGradLowering(std::string_view op, bool alone = false);

}  // namespace cinn
