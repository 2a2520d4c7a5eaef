// SPDX-License-Identifier: Apache-2.0
// What an op is: its name, operands, attributes, results and traits; and the registry of all ops.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "paddle/pir/core/attribute.h"

namespace pir {

class Operation;

struct OperandInfo {
  std::string name;
  bool optional = false;      // the operand may be the null Value
  bool variadic = false;      // the operand has a VectorType (Tensor[])
  bool mutable_attr = false;  // an IntArray/Scalar attribute given as an operand
};

struct AttrInfo {
  std::string name;
  AttrCode code = AttrCode::kNone;
  phi::AttrValue def;  // monostate: no default
};

struct OutputInfo {
  std::string name;
  bool optional = false;
  bool variadic = false;      // the result has a VectorType
  bool intermediate = false;  // not visible to the user
};

enum OpTrait : uint32_t {
  kPure = 1u << 0,        // no effect but its results; may be removed, merged, moved
  kSideEffect = 1u << 1,  // must stay even when unused
  kInplace = 1u << 2,     // writes an operand's storage
  kElementwise = 1u << 3,
  kTerminator = 1u << 4,        // ends a block
  kVariadicOperands = 1u << 5,  // any number of plain operands (combine, yield, while)
  kVariadicResults = 1u << 6,   // any number of plain results (split, if, while)
  kHasRegions = 1u << 7,
  kRandom = 1u << 8,        // two equal calls give different results: never merged or folded
  kConstantLike = 1u << 9,  // no operands, value known from attributes or parameters
  kView = 1u << 10,         // result shares the operand's storage when run eagerly
};

struct OpInfo {
  std::string name;  // "pd_op.tanh"
  std::vector<OperandInfo> inputs;
  std::vector<AttrInfo> attrs;
  std::vector<OutputInfo> outputs;
  uint32_t traits = 0;
  void (*verify)(const Operation&) = nullptr;  // throws common::Error; runs after the generic checks
  const void* phi_op = nullptr;                // set by the phi layer to its OpDef
  bool unregistered = false;                   // made by GetOrCreateOp for a name nobody registered

  bool has(OpTrait t) const { return (traits & t) != 0; }
  std::string_view dialect() const { return std::string_view(name).substr(0, name.find('.')); }
  std::string_view short_name() const {
    size_t dot = name.find('.');
    return dot == std::string::npos ? std::string_view(name) : std::string_view(name).substr(dot + 1);
  }
  int input_index(std::string_view input) const;
  const AttrInfo* attr(std::string_view attr) const;
};

// Adds or replaces an op. The returned address is stable: a later registration of the same name changes the object in
// place, so pointers held by existing operations stay valid; it keeps the earlier traits beside its own, and the
// earlier verify function when it brings none. Thread-safe.
const OpInfo* RegisterOp(OpInfo info);
// nullptr when unknown.
const OpInfo* FindOp(std::string_view name);
// Of an op that the library registers: its lack is a defect.
const OpInfo* KnownOp(std::string_view name);
// Like FindOp, but an unknown name gets an OpInfo with no declared operands; for readers of foreign programs.
const OpInfo* GetOrCreateOp(std::string_view name);
std::vector<const OpInfo*> AllOps();

}  // namespace pir
