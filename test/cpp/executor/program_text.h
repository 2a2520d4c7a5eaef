// SPDX-License-Identifier: Apache-2.0
// Plans from program text, and tensors by value, for the tests of the executor.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "paddle/executor/registration.h"
#include "paddle/executor/plan.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/io/parser.h"

namespace executor::test {

inline std::unique_ptr<pir::Program> Parse(const std::string& text) {
  static const bool once = (executor::RegisterOps(), pir::RegisterBuiltinOps(), true);
  (void)once;
  return pir::ParseProgram(text);
}

inline std::shared_ptr<Plan> PlanOf(const std::string& text) { return Plan::Build(*Parse(text)); }

template <class T>
Tensor Make(const common::Ints& dims, phi::DataType dtype, const std::vector<T>& values) {
  Tensor t = phi::Empty(dims, dtype);
  std::copy(values.begin(), values.end(), t.data<T>());
  return t;
}
inline Tensor F32(const std::vector<float>& v) {
  return Make<float>(common::Ints{static_cast<int64_t>(v.size())}, phi::DataType::FLOAT32, v);
}
inline Tensor I64(int64_t v) { return Make<int64_t>(common::Ints{1}, phi::DataType::INT64, {v}); }

inline std::vector<float> Values(const Tensor& t) {
  Tensor c = phi::Contiguous(phi::CastTo(t, phi::DataType::FLOAT32));
  return {c.data<float>(), c.data<float>() + c.numel()};
}

inline std::string Data(const std::string& id, const std::string& name, const std::string& dtype,
                        const std::string& type) {
  return "(%" + id + ") = \"pd_op.data\" () {dtype:" + dtype + ",name:\"" + name +
         "\",place:Place(undefined:0),shape:[-1],stop_gradient:[true]} : () -> tensor<" + type + ">\n";
}

}  // namespace executor::test
