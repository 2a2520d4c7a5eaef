// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/api/ext/op_meta_info.h"

#include <algorithm>

namespace paddle {
namespace {

using phi::AttrValue;
using phi::CustomOp;

// Takes the mark out of the name; whether it was there.
bool TakeMark(std::string& name, std::string_view mark) {
  const size_t at = name.find(mark);
  if (at == std::string::npos) return false;
  name.erase(at, mark.size());
  return true;
}

CustomOp::Operand OperandOf(std::string name) {
  CustomOp::Operand o;
  o.list = TakeMark(name, "@VECTOR");
  o.optional = TakeMark(name, "@OPTIONAL");
  TakeMark(name, "@NEW");
  o.name = std::move(name);
  return o;
}

template <class T, size_t I = 0>
constexpr uint8_t IndexOf() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, AttrValue>, T>)
    return I;
  else
    return IndexOf<T, I + 1>();
}

struct AttrType {
  std::string_view name;
  uint8_t index;
};
constexpr AttrType kAttrTypes[] = {{"bool", IndexOf<bool>()},
                                   {"int", IndexOf<int32_t>()},
                                   {"int32_t", IndexOf<int32_t>()},
                                   {"int64_t", IndexOf<int64_t>()},
                                   {"float", IndexOf<float>()},
                                   {"double", IndexOf<double>()},
                                   {"std::string", IndexOf<std::string>()},
                                   {"std::vector<int>", IndexOf<std::vector<int32_t>>()},
                                   {"std::vector<int64_t>", IndexOf<std::vector<int64_t>>()},
                                   {"std::vector<float>", IndexOf<std::vector<float>>()},
                                   {"std::vector<std::string>", IndexOf<std::vector<std::string>>()}};

// "name: type", with any spaces. A type that is none has index 0: RegisterCustomOps says so, as nothing may be thrown
// while a library is being loaded.
CustomOp::Attr AttrOf(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const size_t colon = std::min(text.find(':'), text.size());
  CustomOp::Attr a;
  a.name = text.substr(0, colon);
  a.type = text.substr(std::min(colon + 1, text.size()));
  for (const AttrType& t : kAttrTypes)
    if (t.name == a.type) a.index = t.index;
  return a;
}

}  // namespace

OpMetaInfoBuilder::OpMetaInfoBuilder(const std::string& name, int order) : op_(phi::DeclareCustomOp(name, order)) {}

OpMetaInfoBuilder& OpMetaInfoBuilder::Inputs(const std::vector<std::string>& names) {
  for (const std::string& name : names) op_->inputs.push_back(OperandOf(name));
  return *this;
}
OpMetaInfoBuilder& OpMetaInfoBuilder::Outputs(const std::vector<std::string>& names) {
  for (const std::string& name : names) op_->outputs.push_back(OperandOf(name));
  return *this;
}
OpMetaInfoBuilder& OpMetaInfoBuilder::Attrs(const std::vector<std::string>& attrs) {
  for (const std::string& text : attrs) op_->attrs.push_back(AttrOf(text));
  return *this;
}
OpMetaInfoBuilder& OpMetaInfoBuilder::SetInplaceMap(
    const std::unordered_map<std::string, std::string>& inputs_to_outputs) {
  for (const auto& [input, output] : inputs_to_outputs)
    op_->inplace.emplace_back(OperandOf(input).name, OperandOf(output).name);
  std::sort(op_->inplace.begin(), op_->inplace.end());
  return *this;
}
OpMetaInfoBuilder& OpMetaInfoBuilder::SetKernelFn(KernelFunc kernel) {
  op_->kernel = kernel;
  return *this;
}
OpMetaInfoBuilder& OpMetaInfoBuilder::SetInferShapeFn(InferShapeFunc rule) {
  op_->shapes = rule;
  return *this;
}
OpMetaInfoBuilder& OpMetaInfoBuilder::SetInferDtypeFn(InferDtypeFunc rule) {
  op_->dtypes = rule;
  return *this;
}

}  // namespace paddle
