// SPDX-License-Identifier: Apache-2.0
// Operators that users define in libraries of their own (paddle/extension.h): what they declare, and the OpDefs that
// programs and eager calls know them by.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/phi/core/tensor.h"

namespace phi {

// What the functions of an operator are given of its inputs: of each one, none (absent) or many.
template <class T>
struct CustomFacts {
  using One = T;
  const char* op = "";
  std::vector<std::vector<T>> inputs;
  std::vector<AttrValue> attrs;

  bool has(size_t i) const { return !all(i).empty(); }
  const T& one(size_t i) const {
    PD_CHECK(!all(i).empty(), InvalidArgument, "[", op, "] expected input ", i, " of a rule to be given, got none");
    return inputs[i][0];
  }
  const std::vector<T>& all(size_t i) const {
    if (i >= inputs.size()) RaiseTooMany();
    return inputs[i];
  }
  T& one(size_t i) { return const_cast<T&>(std::as_const(*this).one(i)); }
  std::vector<T>& all(size_t i) { return const_cast<std::vector<T>&>(std::as_const(*this).all(i)); }
  [[noreturn]] void RaiseTooMany() const {
    PD_THROW(InvalidArgument, "[", op, "] expected functions of ", inputs.size(), " inputs and ", attrs.size(),
             " attributes, got one with more parameters");
  }
};
struct CustomCall : CustomFacts<Tensor> {
  std::vector<Tensor> results;  // in order of the outputs, lists in a row
};
using CustomShapes = CustomFacts<std::vector<int64_t>>;  // -1: an extent known only when the program runs
using CustomDtypes = CustomFacts<DataType>;

template <class T>
inline constexpr bool IsCustomAttr =
    std::is_same_v<T, bool> || std::is_same_v<T, int> || std::is_same_v<T, int64_t> || std::is_same_v<T, float> ||
    std::is_same_v<T, double> || std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<int>> ||
    std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<float>> ||
    std::is_same_v<T, std::vector<std::string>>;

// The attribute as the type that a parameter has.
template <class T>
T CustomAttr(const char* op, const std::vector<AttrValue>& attrs, size_t i) {
  static_assert(
      IsCustomAttr<T>,
      "expected parameters of a custom operator to be Tensors, vectors or paddle::optional of them, then attributes: "
      "bool, int, int64_t, float, double, std::string or vectors of int, int64_t, float, std::string");
  PD_CHECK(i < attrs.size(), InvalidArgument, "[", op, "] expected functions of the ", attrs.size(),
           " attributes it declares, got one with more parameters");
  const T* value = std::get_if<T>(&attrs[i]);
  PD_CHECK(value != nullptr, InvalidType, "[", op,
           "] expected functions whose parameters have the declared types, got one "
           "with another type for attribute ",
           i);
  return *value;
}

// What a tensor of this name ("X@GRAD") is the gradient of; empty for other names.
std::string_view PrimalName(std::string_view name);

// One declaration. Names without their marks (@VECTOR, @OPTIONAL).
struct CustomOp final : OpCode {
  struct Operand {
    std::string name;
    bool list = false, optional = false;
  };
  struct Attr {
    std::string name, type;
    uint8_t index = 0;  // of the AttrValue alternative
  };
  std::string name;  // of gradients with "_grad", "_grad_grad"
  std::vector<Operand> inputs, outputs;
  std::vector<Attr> attrs;
  std::vector<std::pair<std::string, std::string>> inplace;  // input, output
  void (*kernel)(CustomCall&) = nullptr;
  std::vector<std::vector<int64_t>> (*shapes)(const CustomShapes&) = nullptr;
  std::vector<DataType> (*dtypes)(const CustomDtypes&) = nullptr;
  CustomOp* grad = nullptr;           // its gradient
  const CustomOp* grad_of = nullptr;  // what it is the gradient of
  const OpDef* def = nullptr;         // once registered

  // The input whose memory an output is; -1: it has memory of its own.
  int WrittenInput(size_t output) const;
  // The output whose memory an input is; -1: none.
  int OutputOver(size_t input) const;
  bool IsWritten(size_t input) const { return OutputOver(input) >= 0; }
  int InputIndex(std::string_view input) const;
  int OutputIndex(std::string_view output) const;
  int AttrIndex(std::string_view attr) const;
  void Infer(const MetaSlot* in, const AttrValue* attrs, std::vector<Meta>* outs) const override;
  void Run(const KernelContext& context, const InSlot* in, const AttrValue* attrs, OutSlot* outs) const override;
};

// The declaration of order 0 to 2 of an operator, made where there is none; it counts once RegisterCustomOps has run.
CustomOp* DeclareCustomOp(const std::string& name, int order);
// Makes OpDefs of what was declared since the last call. Raises where a declaration is not whole, and forgets it.
// Returns the operators, without gradients.
std::vector<const CustomOp*> RegisterCustomOps();
// Null where there is none of the name.
const CustomOp* FindCustomOp(std::string_view name);

}  // namespace phi
