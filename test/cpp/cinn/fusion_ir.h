// SPDX-License-Identifier: Apache-2.0
// A program built by hand, for tests of fusion.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "paddle/cinn/fusion/fused_ops.h"
#include "paddle/common/error.h"
#include "paddle/pir/dialect/builtin.h"

namespace cinn {

using common::Dim;
using common::Dims;
using pir::AttrCode;
using pir::Value;

inline void Register(const char* name, std::vector<pir::OperandInfo> in, std::vector<pir::AttrInfo> attrs = {},
                     uint32_t traits = pir::kPure) {
  if (pir::FindOp(name)) return;
  pir::OpInfo info;
  info.name = name;
  info.inputs = std::move(in);
  info.attrs = std::move(attrs);
  info.outputs = {{"out"}};
  info.traits = traits;
  pir::RegisterOp(std::move(info));
}

struct Ir {
  pir::Program program;
  pir::Builder b{&program};

  Ir() {
    for (const char* op : {"pd_op.tanh", "pd_op.exp", "pd_op.square", "pd_op.silu"}) Register(op, {{"x"}});
    for (const char* op : {"pd_op.add", "pd_op.multiply", "pd_op.subtract", "pd_op.divide", "pd_op.matmul"})
      Register(op, {{"x"}, {"y"}});
    Register("pd_op.scale", {{"x"}, {"scale", false, false, true}},
             {{"bias", AttrCode::kFloat, 0.0f}, {"bias_after_scale", AttrCode::kBool, true}});
    Register("pd_op.sum", {{"x"}, {"axis", false, false, true}},
             {{"dtype", AttrCode::kDataType, DataType::UNDEFINED}, {"keepdim", AttrCode::kBool, false}});
    Register("pd_op.full_int_array", {}, {{"value", AttrCode::kIntArray, {}}});
    Register("pd_op.full", {}, {{"value", AttrCode::kScalar, {}}});
    Register("pd_op.cast", {{"x"}}, {{"dtype", AttrCode::kDataType, {}}});
    Register("pd_op.uniform", {}, {}, pir::kRandom);
    Register("pd_op.assign_", {{"x"}}, {}, pir::kInplace);
  }
  // Shapes are lists of numbers and of extents that are not known.
  pir::Type T(const phi::IntArray& shape, DataType t = DataType::FLOAT32) {
    Dims dims;
    for (int64_t i = 0; i < shape.size(); ++i) dims.push_back(shape[i].extent());
    return pir::DenseTensorType::Get(t, dims);
  }
  Value Data(const char* name, const phi::IntArray& dims, DataType t = DataType::FLOAT32) {
    return pir::BuildData(b, name, T(dims, t));
  }
  Value Op(const char* name, std::vector<Value> in, const phi::IntArray& dims, DataType t = DataType::FLOAT32,
           pir::AttributeMap attrs = {}) {
    const pir::Type types[] = {T(dims, t)};
    return b.Create(pir::FindOp(name), in, std::move(attrs), types)->result(0);
  }
  Value Full(double v) {
    pir::AttributeMap a;
    a.Set("value", pir::Attribute::Scalar(phi::Scalar(v)));
    return Op("pd_op.full", {}, {1}, DataType::FLOAT32, a);
  }
  Value Sum(Value x, std::vector<int64_t> axes, const phi::IntArray& out) {
    pir::AttributeMap a;
    a.Set("value", pir::Attribute::IntArray(common::Ints(axes)));
    Value axis = Op("pd_op.full_int_array", {}, {static_cast<int64_t>(axes.size())}, DataType::INT64, a);
    return Op("pd_op.sum", {x, axis}, out, x.dtype());
  }
  // Creates an op with two results; an op declared on the fly.
  std::pair<Value, Value> Op2(const char* name, std::vector<const char*> names, std::vector<Value> in,
                              const phi::IntArray& d0, const phi::IntArray& d1) {
    std::vector<pir::OperandInfo> infos;
    for (const char* n : names) infos.push_back({n});
    Register(name, infos);
    const pir::Type types[] = {T(d0), T(d1)};
    pir::Operation* op = b.Create(pir::FindOp(name), in, {}, types);
    return {op->result(0), op->result(1)};
  }
  pir::Attribute Ints(std::vector<int64_t> v) { return pir::Attribute::From(std::move(v)); }
  Value IntArray(std::vector<int64_t> v) {
    pir::AttributeMap a;
    a.Set("value", pir::Attribute::IntArray(common::Ints(v)));
    return Op("pd_op.full_int_array", {}, {static_cast<int64_t>(v.size())}, DataType::INT64, a);
  }
  // x[begin:end] along one axis.
  Value Slice(Value x, int64_t axis, int64_t begin, int64_t end) {
    Register("pd_op.slice", {{"input"}, {"starts", false, false, true}, {"ends", false, false, true}},
             {{"axes", AttrCode::kInt64s, {}},
              {"infer_flags", AttrCode::kInt64s, {}},
              {"decrease_axis", AttrCode::kInt64s, {}}});
    pir::AttributeMap a;
    a.Set("axes", Ints({axis}));
    a.Set("infer_flags", Ints({1}));
    a.Set("decrease_axis", Ints({}));
    Dims d = x.dims();
    d[axis] = Dim(end - begin);
    return Op("pd_op.slice", {x, IntArray({begin}), IntArray({end})}, d, x.dtype(), a);
  }
  Value SliceGrad(Value x, Value dout, int64_t axis, int64_t begin, int64_t end) {
    Register("pd_op.slice_grad",
             {{"input"}, {"out_grad"}, {"starts", false, false, true}, {"ends", false, false, true}},
             {{"axes", AttrCode::kInt64s, {}},
              {"infer_flags", AttrCode::kInt64s, {}},
              {"decrease_axis", AttrCode::kInt64s, {}}});
    pir::AttributeMap a;
    a.Set("axes", Ints({axis}));
    a.Set("infer_flags", Ints({1}));
    a.Set("decrease_axis", Ints({}));
    return Op("pd_op.slice_grad", {x, dout, IntArray({begin}), IntArray({end})}, x.dims(), x.dtype(), a);
  }
  Value Concat(std::vector<Value> parts, int64_t axis, const phi::IntArray& out) {
    Register("pd_op.concat", {{"x"}, {"axis", false, false, true}});
    std::vector<pir::Type> types;
    for (Value v : parts) types.push_back(v.type());
    const pir::Type list[] = {pir::VectorType::Get(types)};
    Value l = b.Create(pir::FindOp("builtin.combine"), parts, {}, list)->result(0);
    return Op("pd_op.concat", {l, Full(static_cast<double>(axis))}, out, parts[0].dtype());
  }
  void Fetch(Value v, const char* name) { pir::BuildFetch(b, v, name, 0); }
};

inline paddle::Tensor Fill(const phi::Ints& dims, double seed) {
  paddle::Tensor t = phi::Empty(dims, DataType::FLOAT32);
  for (int64_t i = 0; i < t.numel(); ++i)
    t.data<float>()[i] = static_cast<float>(std::sin(seed + 0.37 * static_cast<double>(i)));
  return t;
}

}  // namespace cinn
