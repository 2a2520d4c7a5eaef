// SPDX-License-Identifier: Apache-2.0
// Ops for the IR's own tests, and the few pd_op names their texts use when the generated dialect is not linked in.
#pragma once

#include <initializer_list>
#include <string>

#include "paddle/pir/core/op_info.h"
#include "paddle/pir/core/program.h"
#include "paddle/pir/dialect/builtin.h"

namespace pir::test {

inline OpInfo MakeOp(std::string name, int inputs, uint32_t traits, std::vector<AttrInfo> attrs = {}, int outputs = 1) {
  OpInfo i;
  i.name = std::move(name);
  for (int k = 0; k < inputs; ++k) i.inputs.push_back({"x" + std::to_string(k), false, false, false});
  for (int k = 0; k < outputs; ++k) i.outputs.push_back({"out" + std::to_string(k), false, false, false});
  i.attrs = std::move(attrs);
  i.traits = traits;
  return i;
}

inline void RegisterMissing(OpInfo i) {
  if (!FindOp(i.name)) RegisterOp(std::move(i));
}

// Operations that tests made up.
inline void RegisterMadeUp() {
  RegisterOp(MakeOp("test.source", 0, kSideEffect));
  RegisterOp(MakeOp("test.neg", 1, kPure));
  RegisterOp(MakeOp("test.add", 2, kPure));
  RegisterOp(MakeOp("test.mul", 2, kPure));
  RegisterOp(MakeOp("test.muladd", 3, kPure));
  RegisterOp(MakeOp("test.const", 0, kPure | kConstantLike, {{"value", AttrCode::kInt64, int64_t{0}}}));
  RegisterOp(MakeOp("test.random", 0, kRandom));
  RegisterOp(MakeOp("test.write", 1, kInplace));
  RegisterOp(MakeOp("test.sink", 1, kSideEffect, {}, 0));
}

// Operations of the dialect, where a test is linked without it.
inline void RegisterSimple() {
  using A = AttrCode;
  const phi::Place cpu;
  RegisterMissing(MakeOp("pd_op.full", 0, kPure | kConstantLike,
                         {{"shape", A::kIntArray, {}},
                          {"value", A::kScalar, {}},
                          {"dtype", A::kDataType, DataType::FLOAT32},
                          {"place", A::kPlace, cpu}}));
  RegisterMissing(
      MakeOp("pd_op.full_int_array", 0, kPure | kConstantLike,
             {{"value", A::kInt64s, {}}, {"dtype", A::kDataType, DataType::INT64}, {"place", A::kPlace, cpu}}));
  RegisterMissing(MakeOp("pd_op.tanh", 1, kPure));
  RegisterMissing(MakeOp("pd_op.add", 2, kPure));
  RegisterMissing(MakeOp("pd_op.multiply", 2, kPure));
  RegisterMissing(MakeOp("pd_op.less_than", 2, kPure));
  RegisterMissing(
      MakeOp("pd_op.matmul", 2, kPure, {{"transpose_x", A::kBool, false}, {"transpose_y", A::kBool, false}}));
  RegisterMissing(MakeOp("pd_op.cast", 1, kPure, {{"dtype", A::kDataType, {}}}));
  RegisterMissing(
      MakeOp("pd_op.scale", 2, kPure, {{"bias", A::kScalar, phi::Scalar(0.0f)}, {"bias_after_scale", A::kBool, true}}));
  RegisterMissing(MakeOp("pd_op.transpose", 1, kPure, {{"perm", A::kInt32s, {}}}));
  for (const char* unary : {"pd_op.rsqrt", "pd_op.relu", "pd_op.sqrt"}) RegisterMissing(MakeOp(unary, 1, kPure));
  RegisterMissing(MakeOp("pd_op.gelu", 1, kPure, {{"approximate", A::kBool, false}}));
  for (const char* binary : {"pd_op.subtract", "pd_op.divide", "pd_op.reshape"})
    RegisterMissing(MakeOp(binary, 2, kPure));
  RegisterMissing(MakeOp("pd_op.pow", 1, kPure, {{"y", A::kScalar, {}}}));
  RegisterMissing(MakeOp("pd_op.mean", 2, kPure, {{"keepdim", A::kBool, false}}));
  RegisterMissing(MakeOp("pd_op.linear_v2", 3, kPure, {{"transpose_weight", A::kBool, false}}));
}
inline void RegisterLayers() {
  using A = AttrCode;
  const phi::Place cpu;
  OpInfo norm =
      MakeOp("pd_op.layer_norm", 3, kPure, {{"epsilon", A::kFloat, 1e-5f}, {"begin_norm_axis", A::kInt32, 1}}, 3);
  norm.inputs[1].optional = norm.inputs[2].optional = true;
  RegisterMissing(norm);
  norm = MakeOp("pd_op.rms_norm", 2, kPure, {{"normalized_shape", A::kInt64s, {}}, {"epsilon", A::kDouble, 1e-5}}, 2);
  norm.inputs[1].optional = true;
  RegisterMissing(norm);
  RegisterMissing(MakeOp("pd_op.softmax", 1, kPure, {{"axis", A::kInt32, -1}}));
  RegisterMissing(MakeOp("pd_op.triu", 1, kPure, {{"diagonal", A::kInt32, 0}}));
  RegisterMissing(MakeOp("pd_op.full_like", 2, kPure, {{"dtype", A::kDataType, {}}, {"place", A::kPlace, cpu}}));
  OpInfo attention = MakeOp("pd_op.fused_attention", 5, kPure,
                            {{"scale", A::kDouble, 1.0},
                             {"causal", A::kBool, false},
                             {"offset", A::kInt64, int64_t{0}},
                             {"dropout", A::kDouble, 0.0}},
                            2);
  attention.inputs[3].optional = attention.inputs[4].optional = true;
  RegisterMissing(attention);
  OpInfo sum =
      MakeOp("pd_op.fused_add_norm", 4, kPure,
             {{"epsilon", A::kDouble, 1e-5}, {"normalized_shape", A::kInt64s, {}}, {"rms", A::kBool, false}}, 2);
  sum.inputs[2].optional = sum.inputs[3].optional = true;
  RegisterMissing(sum);
  std::vector<AttrInfo> conv = {{"strides", A::kInt32s, {}},        {"paddings", A::kInt32s, {}},
                                {"padding_algorithm", A::kStr, {}}, {"dilations", A::kInt32s, {}},
                                {"groups", A::kInt32, 1},           {"data_format", A::kStr, {}}};
  RegisterMissing(MakeOp("pd_op.conv2d", 2, kPure, conv));
  conv.push_back({"activation", A::kStr, {}});
  RegisterMissing(MakeOp("pd_op.block_channels", 1, kPure));
  RegisterMissing(MakeOp("pd_op.unblock_channels", 1, kPure, {{"channels", A::kInt32, int32_t{16}}}));
  OpInfo fused = MakeOp("pd_op.fused_conv", 4, kPure, conv);
  fused.inputs[2].optional = fused.inputs[3].optional = true;
  RegisterMissing(fused);
  fused = MakeOp("pd_op.fused_matmul", 3, kPure,
                 {{"transpose_x", A::kBool, false}, {"transpose_y", A::kBool, false}, {"activation", A::kStr, {}}});
  fused.inputs[2].optional = true;
  RegisterMissing(fused);
  RegisterMissing(MakeOp("pd_op.batch_norm_", 5, kInplace,
                         {{"is_test", A::kBool, false},
                          {"momentum", A::kFloat, 0.9f},
                          {"epsilon", A::kFloat, 1e-5f},
                          {"data_format", A::kStr, {}},
                          {"use_global_stats", A::kBool, false},
                          {"trainable_statistics", A::kBool, false}},
                         6));
  RegisterMissing(MakeOp("pd_op.increment_", 1, kInplace, {{"value", A::kFloat, 1.0f}}));
  RegisterMissing(MakeOp("pd_op.uniform", 3, kRandom,
                         {{"dtype", A::kDataType, {}}, {"seed", A::kInt32, 0}, {"place", A::kPlace, cpu}}));
}

inline void RegisterTestOps() {
  static const bool once = [] {
    RegisterBuiltinOps();
    RegisterMadeUp();
    RegisterSimple();
    RegisterLayers();
    return true;
  }();
  (void)once;
}

inline Type F32(std::initializer_list<int64_t> dims) {
  common::Dims d;
  for (int64_t x : dims) d.push_back(x < 0 ? common::NewSymbol() : common::Dim(x));
  return DenseTensorType::Get(DataType::FLOAT32, d);
}

}  // namespace pir::test
