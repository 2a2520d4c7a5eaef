// SPDX-License-Identifier: Apache-2.0
// Runs a generated elementwise op on tensors: dtype promotion, broadcasting, output allocation, loop choice.
#pragma once

#include "paddle/common/attr.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/phi/core/tensor.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {

// Loops are indexed by compute type.
enum LoopType : int8_t { kLoopF32, kLoopF64, kLoopI32, kLoopI64, kLoopBool, kLoopC64, kLoopC128, kNumLoopTypes };

enum class EwOut : int8_t { kSame, kBool, kReal };

struct EwDef {
  const char* name;
  int8_t nin, nout;
  // What inputs of a dtype are computed in; UNDEFINED: the op does not take it.
  DataType compute[kNumDataTypes];
  // Dtype of a kSame output for inputs of a dtype (itself, or float32 for integers of float functions).
  DataType result[kNumDataTypes];
  bool bool_input[8];  // inputs read as bool whatever the op's dtype (conditions)
  EwOut out[4];
  int16_t cost;
  EwLoop loops[2][kNumLoopTypes];  // [Isa][LoopType]
};

// Outputs that are defined and fit are written in place. Inputs of a TypeError pair raise.
void RunEw(const EwDef& def, const Tensor* const* in, Tensor* const* out, const double* attrs);
// The same with the common dtype given (in-place ops, gradients).
void RunEwAs(const EwDef& def, DataType dtype, const Tensor* const* in, Tensor* const* out, const double* attrs);
// A Scalar argument takes three attributes: its value, these bits of it as an int64_t (saturated), its imaginary part.
double IntegerBits(const Scalar& v);
// Shape and dtypes of the outputs without running.
void InferEw(const EwDef& def, const MetaSlot* in, std::vector<Meta>* out);
DataType EwResult(const EwDef& def, int out, DataType common);

}  // namespace phi
