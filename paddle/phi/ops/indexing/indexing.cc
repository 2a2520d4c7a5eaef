// SPDX-License-Identifier: Apache-2.0
// Shape rules and adapters of gather, scatter and their relatives along one axis or several.
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/gather.h"

namespace phi {

void gather_infer(const Meta& x, const Meta& index, const Scalar& axis, Meta& out) {
  CheckIndexType("gather", index);
  const Dims& d = index.dims;
  PD_CHECK(d.size() < 2 || (d.size() == 2 && !common::CertainlyDiffer(d[1], Dim(1))), InvalidArgument,
           "[gather] expected an index of rank 0 or 1, got shape ", common::ShapeText(d));
  PD_CHECK(!x.dims.empty(), InvalidArgument, "[gather] expected an input of at least 1 axis, got a 0-D tensor");
  if (!axis.known()) {
    out = {UnknownDims(x.dims.size() - d.empty()), x.dtype};
    return;
  }
  int64_t a = common::NormalizeAxis("gather", axis.to_int(), x.dims.size());
  out = x;
  if (d.empty())
    out.dims.erase(a);
  else
    out.dims[a] = d[0];
}
int64_t gather_workspace(const Meta&, const Meta& index, const Scalar&) { return cpu::PlacesBytes(CountOf(index)); }
void gather_kernel(const Tensor& x, const Tensor& index, const Scalar& axis, Tensor& out) {
  if (out.numel() == 0) return;
  AxisSplit s = SplitAt("gather", x.dims(), axis.to_int());
  cpu::GatherAxis("gather", SizeOf(x.dtype()), x.raw_data(), s.outer, s.n, s.inner, index.dtype(), index.raw_data(),
                  index.numel(), out.raw_data());
}

void index_select_infer(const Meta& x, const Meta& index, int64_t axis, Meta& out) {
  CheckIndexType("index_select", index);
  PD_CHECK(index.dims.size() <= 1 || (index.dims.size() == 2 && common::IsOne(index.dims[1])), InvalidArgument,
           "[index_select] expected a 1-D index, got shape ", common::ShapeText(index.dims));
  int64_t a = common::NormalizeAxis("index_select", axis, x.dims.size());
  out = x;
  const Dim count = index.dims.empty() ? Dim(1) : index.dims[0];
  PD_CHECK(!x.dims.empty() || !common::CertainlyDiffer(count, Dim(1)), InvalidArgument,
           "[index_select] expected one index of a 0-D tensor, got ", common::DimText(count));
  if (!out.dims.empty()) out.dims[a] = count;
}
int64_t index_select_workspace(const Meta&, const Meta& index, int64_t) { return cpu::PlacesBytes(CountOf(index)); }
void index_select_kernel(const Tensor& x, const Tensor& index, int64_t axis, Tensor& out) {
  if (out.numel() == 0) return;
  AxisSplit s = SplitAt("index_select", x.dims(), axis);
  cpu::GatherAxis("index_select", SizeOf(x.dtype()), x.raw_data(), s.outer, s.n, s.inner, index.dtype(),
                  index.raw_data(), index.numel(), out.raw_data());
}

namespace {
// The shape of the elements of x at indices whose last axis counts its first axes.
Dims DimsAt(const char* op, const Meta& x, const Meta& index) {
  CheckIndexType(op, index);
  PD_CHECK(!index.dims.empty(), InvalidArgument, "[", op, "] expected an index of at least 1 axis, got a 0-D tensor");
  int64_t depth = index.dims.back().value();
  PD_CHECK(depth <= x.dims.size(), InvalidArgument, "[", op, "] expected a last extent of index of at most ",
           x.dims.size(), ", got ", depth);
  Dims out;
  for (int64_t i = 0; i + 1 < index.dims.size(); ++i) out.push_back(index.dims[i]);
  for (int64_t i = depth; i < x.dims.size(); ++i) out.push_back(x.dims[i]);
  return out;
}
int64_t RowsOf(const Meta& index) {
  const int64_t depth = index.dims.back().value();
  return depth ? CountOf(index) / depth : CountOf({{index.dims.begin(), index.dims.end() - 1}, index.dtype});
}
}  // namespace
void gather_nd_infer(const Meta& x, const Meta& index, Meta& out) { out = {DimsAt("gather_nd", x, index), x.dtype}; }
int64_t gather_nd_workspace(const Meta&, const Meta& index) { return cpu::PlacesBytes(RowsOf(index)); }
void gather_nd_kernel(const Tensor& x, const Tensor& index, Tensor& out) {
  if (out.numel() == 0) return;
  int64_t depth = index.dims().back(), count = 1;
  for (int64_t k = 0; k + 1 < index.ndim(); ++k) count *= index.dim(k);
  cpu::GatherNd("gather_nd", SizeOf(x.dtype()), x.raw_data(), x.dims(), index.dtype(), index.raw_data(), count, depth,
                out.raw_data());
}

void index_sample_infer(const Meta& x, const Meta& index, Meta& out) {
  CheckIndexType("index_sample", index);
  PD_CHECK(x.dims.size() == 2 && index.dims.size() == 2 && !common::CertainlyDiffer(x.dims[0], index.dims[0]),
           InvalidArgument, "[index_sample] expected 2-D tensors of as many rows, got shapes ",
           common::ShapeText(x.dims), " and ", common::ShapeText(index.dims));
  out = {index.dims, x.dtype};
}
int64_t index_sample_workspace(const Meta&, const Meta& index) { return cpu::PlacesBytes(CountOf(index)); }
void index_sample_kernel(const Tensor& x, const Tensor& index, Tensor& out) {
  if (out.numel() == 0) return;
  cpu::TakeAlongAxis("index_sample", SizeOf(x.dtype()), x.raw_data(), x.dims(), 1, index.dtype(), index.raw_data(),
                     index.dims(), out.raw_data());
}

namespace {
void CheckAlong(const char* op, const Meta& x, const Meta& index, int64_t axis) {
  CheckIndexType(op, index);
  PD_CHECK(x.dims.size() == index.dims.size(), InvalidArgument, "[", op, "] expected indices of rank ", x.dims.size(),
           ", got shape ", common::ShapeText(index.dims));
  int64_t a = common::NormalizeAxis(op, axis, x.dims.size());
  for (int64_t i = 0; i < x.dims.size(); ++i)
    PD_CHECK(i == a || !x.dims[i].known() || !index.dims[i].known() || index.dims[i].raw() <= x.dims[i].raw(),
             InvalidArgument, "[", op, "] expected indices within the shape ", common::ShapeText(x.dims), " off axis ",
             a, ", got ", common::ShapeText(index.dims));
}
}  // namespace

void take_along_axis_infer(const Meta& arr, const Meta& indices, int64_t axis, Meta& out) {
  CheckAlong("take_along_axis", arr, indices, axis);
  out = {indices.dims, arr.dtype};
}
int64_t take_along_axis_workspace(const Meta&, const Meta& indices, int64_t) {
  return cpu::PlacesBytes(CountOf(indices));
}
void take_along_axis_kernel(const Tensor& arr, const Tensor& indices, int64_t axis, Tensor& out) {
  if (out.numel() == 0) return;
  int64_t a = common::NormalizeAxis("take_along_axis", axis, arr.ndim());
  if (arr.ndim() == 0) {
    int64_t one = 1;
    cpu::TakeAlongAxis("take_along_axis", SizeOf(arr.dtype()), arr.raw_data(), {&one, 1}, 0, indices.dtype(),
                       indices.raw_data(), {&one, 1}, out.raw_data());
    return;
  }
  cpu::TakeAlongAxis("take_along_axis", SizeOf(arr.dtype()), arr.raw_data(), arr.dims(), static_cast<int>(a),
                     indices.dtype(), indices.raw_data(), indices.dims(), out.raw_data());
}

void put_along_axis_infer(const Meta& arr, const Meta& indices, const Meta& values, int64_t axis, const std::string&,
                          bool, Meta& out) {
  CheckAlong("put_along_axis", arr, indices, axis);
  PD_CHECK(values.dims.size() <= indices.dims.size(), InvalidArgument,
           "[put_along_axis] expected values that broadcast to the shape of indices ", common::ShapeText(indices.dims),
           ", got ", common::ShapeText(values.dims));
  out = arr;
}
int64_t put_along_axis_workspace(const Meta& arr, const Meta& indices, const Meta& values, int64_t, const std::string&,
                                 bool) {
  return 2 * cpu::PlacesBytes(CountOf(indices)) + cpu::WideWriteBytes(arr.dtype, CountOf(arr), CountOf(values));
}
void put_along_axis_kernel(const Tensor& arr, const Tensor& indices, const Tensor& values, int64_t axis,
                           const std::string& reduce, bool include_self, Tensor& out) {
  CopyInto(arr, out);
  if (indices.numel() == 0 || out.numel() == 0) return;
  cpu::PutMode mode = cpu::PutMode::kAssign;
  if (reduce == "add" || reduce == "sum")
    mode = cpu::PutMode::kAdd;
  else if (reduce == "mul" || reduce == "multiply")
    mode = cpu::PutMode::kMul;
  else if (reduce == "mean")
    mode = cpu::PutMode::kMean;
  else if (reduce == "amax")
    mode = cpu::PutMode::kMax;
  else if (reduce == "amin")
    mode = cpu::PutMode::kMin;
  else
    PD_CHECK(reduce == "assign", InvalidArgument,
             "[put_along_axis] expected reduce to be assign, add, mul, multiply, mean, amax or amin, got ", reduce);
  Ints shape = out.dims(), ishape = indices.dims(), strides(indices.ndim(), 0);
  int64_t lead = indices.ndim() - values.ndim();
  for (int64_t k = 0; k < values.ndim(); ++k) {
    PD_CHECK(values.dim(k) == indices.dim(k + lead) || values.dim(k) == 1 || values.dim(k) > indices.dim(k + lead),
             InvalidArgument, "[put_along_axis] expected values that broadcast to the shape of indices ",
             common::ShapeText(indices.dims()), ", got ", common::ShapeText(values.dims()));
    strides[k + lead] = values.dim(k) == 1 ? 0 : values.strides()[k];
  }
  if (shape.empty()) {
    shape = ishape = Ints{1};
    strides = Ints{0};
  }
  int64_t a = common::NormalizeAxis("put_along_axis", axis, arr.ndim());
  cpu::PutAlongAxis("put_along_axis", arr.dtype(), out.raw_data(), shape, static_cast<int>(a), indices.dtype(),
                    indices.raw_data(), ishape, values.raw_data(), strides, mode, include_self);
}

void scatter_infer(const Meta& x, const Meta& index, const Meta& updates, bool, Meta& out) {
  CheckIndexType("scatter", index);
  PD_CHECK(!x.dims.empty(), InvalidArgument, "[scatter] expected an input of at least 1 axis, got a 0-D tensor");
  PD_CHECK(index.dims.size() <= 1 || (index.dims.size() == 2 && common::IsOne(index.dims[1])), InvalidArgument,
           "[scatter] expected an index of rank 0 or 1, got shape ", common::ShapeText(index.dims));
  PD_CHECK(x.dtype == updates.dtype, InvalidType, "[scatter] expected updates of dtype ", NameOf(x.dtype), ", got ",
           NameOf(updates.dtype));
  Dims want = x.dims;
  if (index.dims.empty())
    want.erase(0);
  else
    want[0] = index.dims[0];
  // One row may come with the axis it takes the place of, of which the first is read.
  const bool row = index.dims.empty() && common::MayMatch(updates.dims, x.dims, 0) && updates.dims[0].raw() != 0;
  PD_CHECK(common::MayMatch(updates.dims, want) || row, InvalidArgument, "[scatter] expected updates of shape ",
           common::ShapeText(want), ", got ", common::ShapeText(updates.dims));
  out = x;
}
int64_t scatter_workspace(const Meta& x, const Meta& index, const Meta& updates, bool overwrite) {
  return cpu::ScatterRowsBytes(x.dtype, CountOf(x), CountOf(updates), CountOf(index), overwrite);
}
void scatter_kernel(const Tensor& x, const Tensor& index, const Tensor& updates, bool overwrite, Tensor& out) {
  CopyInto(x, out);
  if (out.numel() == 0 || index.numel() == 0) return;
  cpu::ScatterRows(x.dtype(), out.raw_data(), out.dim(0), out.numel() / out.dim(0), index.dtype(), index.raw_data(),
                   index.numel(), updates.raw_data(), overwrite);
}

void scatter_nd_add_infer(const Meta& x, const Meta& index, const Meta& updates, Meta& out) {
  const Dims want = DimsAt("scatter_nd_add", x, index);
  PD_CHECK(x.dtype == updates.dtype, InvalidType, "[scatter_nd_add] expected updates of dtype ", NameOf(x.dtype),
           ", got ", NameOf(updates.dtype));
  PD_CHECK(common::MayMatch(updates.dims, want), InvalidArgument, "[scatter_nd_add] expected updates of shape ",
           common::ShapeText(want), ", got ", common::ShapeText(updates.dims));
  out = x;
}
int64_t scatter_nd_add_workspace(const Meta& x, const Meta& index, const Meta& updates) {
  return cpu::PlacesBytes(RowsOf(index)) + cpu::WideWriteBytes(x.dtype, CountOf(x), CountOf(updates));
}
void scatter_nd_add_kernel(const Tensor& x, const Tensor& index, const Tensor& updates, Tensor& out) {
  CopyInto(x, out);
  if (out.numel() == 0 || updates.numel() == 0) return;
  int64_t depth = index.dims().back(), count = 1;
  for (int64_t k = 0; k + 1 < index.ndim(); ++k) count *= index.dim(k);
  cpu::ScatterNdAdd("scatter_nd_add", x.dtype(), out.raw_data(), out.dims(), index.dtype(), index.raw_data(), count,
                    depth, updates.raw_data());
}

void index_add_infer(const Meta& x, const Meta& index, const Meta& value, int64_t axis, Meta& out) {
  CheckIndexType("index_add", index);
  PD_CHECK(index.dims.size() <= 1, InvalidArgument, "[index_add] expected a 1-D index, got shape ",
           common::ShapeText(index.dims));
  int64_t a = common::NormalizeAxis("index_add", axis, x.dims.size());
  PD_CHECK(x.dtype == value.dtype, InvalidType, "[index_add] expected a value of dtype ", NameOf(x.dtype), ", got ",
           NameOf(value.dtype));
  Dims want = x.dims;
  const Dim count = index.dims.empty() ? Dim(1) : index.dims[0];
  PD_CHECK(!x.dims.empty() || !common::CertainlyDiffer(count, Dim(1)), InvalidArgument,
           "[index_add] expected one index of a 0-D tensor, got ", common::DimText(count));
  if (!want.empty()) want[a] = count;
  PD_CHECK(common::MayMatch(value.dims, want), InvalidArgument, "[index_add] expected a value of shape ",
           common::ShapeText(want), ", got ", common::ShapeText(value.dims));
  out = x;
}
int64_t index_add_workspace(const Meta& x, const Meta& index, const Meta& value, int64_t) {
  return cpu::PlacesBytes(CountOf(index)) + cpu::WideWriteBytes(x.dtype, CountOf(x), CountOf(value));
}
void index_add_kernel(const Tensor& x, const Tensor& index, const Tensor& value, int64_t axis, Tensor& out) {
  CopyInto(x, out);
  if (out.numel() == 0 || value.numel() == 0) return;
  AxisSplit s = SplitAt("index_add", x.dims(), axis);
  cpu::ScatterAddAxis("index_add", x.dtype(), out.raw_data(), s.outer, s.n, s.inner, index.dtype(), index.raw_data(),
                      index.numel(), value.raw_data());
}

void one_hot_infer(const Meta& x, const Scalar& classes, Meta& out) {
  PD_CHECK_DTYPE(x.dtype == DataType::INT32 || x.dtype == DataType::INT64, "[one_hot] expected int32 or int64, got ",
                 NameOf(x.dtype));
  PD_CHECK(!classes.known() || classes.to_int() >= 0, InvalidArgument,
           "[one_hot] expected a non-negative num_classes, got ", classes.to_int());
  out = {x.dims, DataType::FLOAT32};
  out.dims.push_back(classes.known() ? Dim(classes.to_int()) : classes.integer().extent());
}
void one_hot_kernel(const Tensor& x, const Scalar& classes, Tensor& out) {
  if (x.numel() == 0) return;
  PD_CHECK(classes.to_int() > 0, InvalidArgument, "[one_hot] expected num_classes above every index, got 0");
  cpu::OneHot(out.dtype(), x.dtype(), x.raw_data(), x.numel(), classes.to_int(), out.raw_data());
}

void shard_index_infer(const Meta& input, int64_t index_num, int64_t nshards, int64_t shard_id, int64_t, Meta& out) {
  CheckIndexType("shard_index", input);
  PD_CHECK(index_num > 0, InvalidArgument, "[shard_index] expected a positive index_num, got ", index_num);
  PD_CHECK(nshards > 0, InvalidArgument, "[shard_index] expected a positive nshards, got ", nshards);
  PD_CHECK(shard_id >= 0 && shard_id < nshards, InvalidArgument, "[shard_index] expected shard_id from 0 to ",
           nshards - 1, ", got ", shard_id);
  out = input;
}
template <class T>
static void ShardIndex(const Tensor& input, int64_t index_num, int64_t size, int64_t shard_id, int64_t ignore_value,
                       Tensor& out) {
  const T* index = input.data<T>();
  T* local = out.data<T>();
  for (int64_t i = 0; i < input.numel(); ++i) {
    PD_CHECK(index[i] >= 0 && index[i] < index_num, InvalidArgument, "[shard_index] expected indices from 0 to ",
             index_num - 1, ", got ", index[i]);
    local[i] = static_cast<T>(index[i] / size == shard_id ? index[i] % size : ignore_value);
  }
}
void shard_index_kernel(const Tensor& input, int64_t index_num, int64_t nshards, int64_t shard_id, int64_t ignore_value,
                        Tensor& out) {
  const int64_t size = index_num / nshards + (index_num % nshards != 0);
  auto* run = input.dtype() == DataType::INT32 ? ShardIndex<int32_t> : ShardIndex<int64_t>;
  run(input, index_num, size, shard_id, ignore_value, out);
}

}  // namespace phi
