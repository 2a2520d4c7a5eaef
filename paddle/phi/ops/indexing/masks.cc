// SPDX-License-Identifier: Apache-2.0
// Advanced indexing with lists of index tensors or masks, and ops whose result's extent depends on values.
#include <deque>
#include <memory>

#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/gather.h"

namespace phi {
void nonzero_kernel(const Tensor& x, Tensor& out);

namespace {

Ints BroadcastShape(const char* op, const Tensor& a, const Tensor& b) {
  return common::ToInts(common::BroadcastDims(op, common::ToDims(a.dims()), common::ToDims(b.dims())));
}
Tensor BoolOf(const char* op, const Tensor& mask) {
  PD_CHECK(mask.dtype() == DataType::BOOL, InvalidArgument, "[", op, "] expected a bool mask, got dtype ",
           NameOf(mask.dtype()));
  return mask;
}

// x broadcast to `dims`, in order in memory of the device.
std::shared_ptr<void> WrittenOut(const Tensor& x, const Ints& dims) {
  Ints from(dims.size(), 0), to(dims.size(), 1);
  const int64_t lead = dims.size() - x.ndim();
  for (int64_t k = lead; k < dims.size(); ++k) from[k] = x.dim(k - lead) == 1 ? 0 : x.strides()[k - lead];
  for (int64_t k = dims.size() - 1; k > 0; --k) to[k - 1] = to[k] * dims[k];
  const int64_t size = SizeOf(x.dtype());
  auto room = FormsHere()->Room(common::Product(dims) * size);
  FormsHere()->Copy(size, dims, x.raw_data(), from, room.get(), to);
  return room;
}

// x[indices] spelled out: one contiguous int64 array for each leading axis, all of shape `dims`.
struct Positions {
  std::vector<std::unique_ptr<Ordered>> numbers;
  std::deque<Tensor> arrays;
  std::vector<std::unique_ptr<Expanded>> whole;
  std::vector<std::shared_ptr<void>> there;  // the same on a device
  std::vector<const void*> ptrs;
  Ints dims, indexed;
  int64_t count = 1, inner = 1;
};
Positions Spell(const char* op, const Tensor& x, const std::vector<Tensor>& indices) {
  Positions p;
  Dims shape;
  for (const Tensor& t : indices) {
    if (t.dtype() != DataType::BOOL) {
      PD_CHECK(IsInteger(t.dtype()), InvalidType, "[", op, "] expected integer or bool indices, got dtype ",
               NameOf(t.dtype()));
      if (t.dtype() == DataType::INT64)
        p.arrays.push_back(t);
      else if (FormsHere())
        p.arrays.push_back(CastTo(t, DataType::INT64));
      else
        p.arrays.push_back(*p.numbers.emplace_back(std::make_unique<Ordered>(t, DataType::INT64)));
      shape = common::BroadcastDims(op, shape, common::ToDims(t.dims()));
      continue;
    }
    int64_t at = p.arrays.size(), rank = t.ndim();
    for (int64_t i = 0; i < rank; ++i)
      PD_CHECK(at + i < x.ndim() && x.dim(at + i) == t.dim(i), OutOfRange, "[", op, "] expected a mask of shape ",
               common::ShapeText(
                   Ints(x.dims().begin() + std::min(at, x.ndim()), x.dims().begin() + std::min(at + rank, x.ndim()))),
               ", got ", common::ShapeText(t.dims()));
    Tensor rows;
    nonzero_kernel(t, rows);
    const int64_t n = rows.dim(0);
    for (int64_t i = 0; i < rank; ++i) {
      if (FormsHere()) {
        p.arrays.push_back(Contiguous(ViewOf(rows, {n}, {rank}, rows->offset() + i)));
        continue;
      }
      Tensor column = Empty(Ints{n}, DataType::INT64);
      for (int64_t k = 0; k < n; ++k) column.data<int64_t>()[k] = rows.data<int64_t>()[k * rank + i];
      p.arrays.push_back(column);
    }
    shape = common::BroadcastDims(op, shape, Dims{Dim(n)});
  }
  int64_t k = p.arrays.size();
  PD_CHECK(k > 0, InvalidArgument, "[", op, "] expected at least one index, got none");
  PD_CHECK(k <= x.ndim(), InvalidArgument, "[", op, "] expected indices for at most ", x.ndim(), " axes, got ", k);
  p.dims = common::ToInts(shape);
  p.count = common::Product(p.dims);
  for (const Tensor& t : p.arrays) {
    if (t.dims() == p.dims)
      p.ptrs.push_back(t.raw_data());
    else if (FormsHere())
      p.ptrs.push_back(p.there.emplace_back(WrittenOut(t, p.dims)).get());
    else
      p.ptrs.push_back(p.whole.emplace_back(std::make_unique<Expanded>(t, p.dims))->tensor.raw_data());
  }
  for (int64_t i = 0; i < k; ++i) p.indexed.push_back(x.dim(i));
  for (int64_t i = k; i < x.ndim(); ++i) {
    p.inner *= x.dim(i);
    p.dims.push_back(x.dim(i));
  }
  return p;
}

// What integers among indices take, their places included. Nothing is known beside masks, whose places only data tells.
int64_t PositionsBytes(const MetaList& indices) {
  Dims dims;
  for (const Meta& m : indices) {
    if (m.dtype == DataType::BOOL) return 0;
    dims = common::BroadcastDims("index", dims, m.dims);
  }
  int64_t bytes = cpu::PlacesBytes(common::Product(common::ToInts(dims)));
  for (const Meta& m : indices)
    bytes += ConvertedBytes(m, DataType::INT64) + ExpandedBytes(m.dims, dims, DataType::INT64);
  return bytes;
}

}  // namespace

void index_get_infer(const Meta& x, const MetaList& indices, Meta& out) {
  // Integer indices broadcast; a mask stands for as many axes as it has and gives an extent known only when it is read.
  Dims shape;
  int64_t used = 0;
  for (const Meta& m : indices) {
    bool mask = m.dtype == DataType::BOOL;
    shape = common::BroadcastDims("index", shape, mask ? Dims{common::NewSymbol()} : m.dims);
    used += mask ? m.dims.size() : 1;
  }
  PD_CHECK(used <= x.dims.size(), InvalidArgument, "[index] expected indices for at most ", x.dims.size(),
           " axes, got ", used);
  out = {shape, x.dtype};
  for (int64_t i = used; i < x.dims.size(); ++i) out.dims.push_back(x.dims[i]);
}
int64_t index_get_workspace(const Meta&, const MetaList& indices) { return PositionsBytes(indices); }
void index_get_kernel(const Tensor& x, const std::vector<Tensor>& indices, Tensor& out) {
  Positions p = Spell("index", x, indices);
  EnsureOut(out, p.dims, x.dtype());
  if (out.numel() == 0) return;
  cpu::IndexGet("index", SizeOf(x.dtype()), x.raw_data(), 1, p.indexed, p.inner, DataType::INT64, p.ptrs, p.count,
                out.raw_data());
}

void index_put_infer(const Meta& x, const MetaList&, const Meta&, bool, Meta& out) { out = x; }
// Beside the positions, value broadcast to the written places takes this at most. A mask may name as many places as
// value has along their axis, or all of its own.
int64_t index_put_workspace(const Meta& x, const MetaList& indices, const Meta& value, bool accumulate) {
  const int64_t positions = PositionsBytes(indices);
  if (CountOf(value) == 1) return positions + (accumulate ? cpu::WideWriteBytes(x.dtype, CountOf(x), 1) : 0);
  Dims places;
  int64_t used = 0;
  for (const Meta& m : indices) {
    const bool mask = m.dtype == DataType::BOOL;
    used += mask ? m.dims.size() : 1;
    if (!mask) places = common::BroadcastDims("index_put", places, m.dims);
  }
  const int64_t rest = std::max<int64_t>(x.dims.size() - used, 0);
  for (const Meta& m : indices) {
    if (m.dtype != DataType::BOOL) continue;
    const int64_t axis = value.dims.size() - rest - 1;
    const Dim named = axis >= 0 && !common::IsOne(value.dims[axis]) ? value.dims[axis] : common::Product(m.dims);
    if (places.empty()) places.push_back(Dim(1));
    if (common::IsOne(places.back())) places.back() = named;
  }
  for (int64_t i = x.dims.size() - rest; i < x.dims.size(); ++i) places.push_back(x.dims[i]);
  const int64_t sums =
      accumulate ? cpu::WideWriteBytes(x.dtype, CountOf(x), common::Product(common::ToInts(places))) : 0;
  return positions + ExpandedBytes(value.dims, places, value.dtype) + sums;
}
void index_put_kernel(const Tensor& x, const std::vector<Tensor>& indices, const Tensor& value, bool accumulate,
                      Tensor& out) {
  PD_CHECK(x.dtype() == value.dtype(), InvalidType, "[index_put] expected a value of dtype ", NameOf(x.dtype()),
           ", got ", NameOf(value.dtype()));
  Positions p = Spell("index_put", x, indices);
  if (!(x.raw_data() == out.raw_data())) CopyInto(x, out);
  if (p.count == 0 || out.numel() == 0) return;
  const bool one = value.numel() == 1 && !(FormsHere() && accumulate);
  const auto put = [&](const void* whole) {
    cpu::IndexPut("index_put", x.dtype(), out.raw_data(), 1, p.indexed, p.inner, DataType::INT64, p.ptrs, p.count,
                  whole, one, accumulate);
  };
  if (one || value.dims() == p.dims) return put(value.raw_data());
  PD_CHECK(BroadcastsTo(common::ToDims(value.dims()), common::ToDims(p.dims)), InvalidArgument,
           "[index_put] expected a value that broadcasts to ", common::ShapeText(p.dims), ", got shape ",
           common::ShapeText(value.dims()));
  if (FormsHere()) return put(WrittenOut(value, p.dims).get());
  put(Expanded(value, p.dims).tensor.raw_data());
}

void masked_select_infer(const Meta& x, const Meta&, Meta& out) { out = {Dims{common::NewSymbol()}, x.dtype}; }
int64_t masked_select_workspace(const Meta& x, const Meta& mask) {
  const Dims dims = common::BroadcastDims("masked_select", x.dims, mask.dims);
  return ExpandedBytes(x.dims, dims, x.dtype) + ExpandedBytes(mask.dims, dims, mask.dtype);
}
void masked_select_kernel(const Tensor& x, const Tensor& mask, Tensor& out) {
  BoolOf("masked_select", mask);
  const Ints dims = BroadcastShape("masked_select", x, mask);
  const Expanded whole(x, dims), whole_mask(mask, dims);
  const Tensor& m = whole_mask.tensor;
  if (const DeviceForms* d = FormsHere()) {
    std::shared_ptr<void> at;
    const int64_t n = d->Chosen(DataType::BOOL, m.raw_data(), m.numel(), &at);
    EnsureOut(out, Ints{n}, x.dtype());
    return d->Read(SizeOf(x.dtype()), whole.tensor.raw_data(), 1, m.numel(), 1, static_cast<int64_t*>(at.get()), n,
                   out.raw_data());
  }
  EnsureOut(out, Ints{cpu::CountTrue(m.raw_data(), m.numel())}, x.dtype());
  if (out.numel())
    cpu::MaskedSelect(SizeOf(x.dtype()), whole.tensor.raw_data(), m.raw_data(), m.numel(), out.raw_data());
}

void masked_unselect_infer(const Meta& dy, const Meta& mask, Meta& out) { out = {mask.dims, dy.dtype}; }
void masked_unselect_kernel(const Tensor& dy, const Tensor& mask, Tensor& out) {
  const Tensor m = BoolOf("masked_select_grad", mask);
  if (const DeviceForms* d = FormsHere()) {
    std::shared_ptr<void> at;
    const int64_t n = d->Chosen(DataType::BOOL, m.raw_data(), m.numel(), &at);
    PD_CHECK(n == dy.numel(), InvalidArgument,
             "[masked_select_grad] expected one value for each element that the mask selects, got shape ",
             common::ShapeText(dy.dims()));
    cpu::Zero(out.raw_data(), out.numel() * SizeOf(out.dtype()));
    if (n == 0) return;
    return d->Put(SizeOf(dy.dtype()), out.raw_data(), 1, m.numel(), 1, static_cast<int64_t*>(at.get()), n,
                  dy.raw_data(), false);
  }
  PD_CHECK(cpu::CountTrue(m.raw_data(), m.numel()) == dy.numel(), InvalidArgument,
           "[masked_select_grad] expected one value for each element that the mask selects, got shape ",
           common::ShapeText(dy.dims()));
  if (out.numel()) cpu::MaskedSelectGrad(SizeOf(dy.dtype()), dy.raw_data(), m.raw_data(), m.numel(), out.raw_data());
}

void masked_fill_infer(const Meta& x, const Meta& mask, const Meta&, Meta& out) {
  PD_CHECK(mask.dtype == DataType::BOOL, InvalidType, "[masked_fill] expected a bool mask, got dtype ",
           NameOf(mask.dtype));
  out = {common::BroadcastDims("masked_fill", x.dims, mask.dims), x.dtype};
}

void nonzero_infer(const Meta& x, Meta& out) { out = {Dims{common::NewSymbol(), Dim(x.dims.size())}, DataType::INT64}; }
void nonzero_kernel(const Tensor& x, Tensor& out) {
  PD_CHECK(x.ndim() >= 1, InvalidArgument, "[nonzero] expected a tensor of at least 1 axis, got a 0-D tensor");
  if (const DeviceForms* d = FormsHere()) {
    constexpr int64_t kMostAxes = 8;
    if (x.ndim() > kMostAxes) throw NoDeviceForm{"more axes than an index has"};
    std::shared_ptr<void> at;
    const int64_t n = d->Chosen(x.dtype(), x.raw_data(), x.numel(), &at);
    EnsureOut(out, Ints{n, x.ndim()}, DataType::INT64);
    std::vector<int64_t> numbers = {n, x.ndim()};
    numbers.insert(numbers.end(), kMostAxes - x.ndim(), 1);
    numbers.insert(numbers.end(), x.dims().begin(), x.dims().end());
    return d->ForEach("unravel", DataType::UNDEFINED, n, {at.get(), out.raw_data()}, numbers);
  }
  int64_t n = x.numel() ? cpu::CountNonzero(x.dtype(), x.raw_data(), x.numel()) : 0;
  EnsureOut(out, Ints{n, x.ndim()}, DataType::INT64);
  if (n) cpu::NonZero(x.dtype(), x.raw_data(), x.dims(), out.data<int64_t>());
}

void multiplex_infer(const MetaList& inputs, const Meta&, Meta& out) {
  PD_CHECK(!inputs.empty(), InvalidArgument, "[multiplex] expected at least one input, got none");
  out = inputs[0];
}

namespace {
// The strided part of `x` that a slice assignment names, with dropped axes removed and new ones inserted.
Tensor Part(const Tensor& x, const Ints& starts, const Ints& ends, const Ints& steps, const Ints& axes,
            const Ints& drop, const Ints& none) {
  PD_CHECK(axes.size() == starts.size() && axes.size() == ends.size() && axes.size() == steps.size(), InvalidArgument,
           "[set_value] expected starts, ends, steps and axes of one length, got ", starts.size(), ", ", ends.size(),
           ", ", steps.size(), " and ", axes.size());
  Ints dims = x.dims(), strides = x.strides();
  int64_t offset = x->offset();
  const Ints at = DistinctAxes("set_value", axes, dims.size());
  for (int64_t i = 0; i < at.size(); ++i) {
    const int64_t a = at[i], n = x.dim(a);
    PD_CHECK(steps[i] != 0, InvalidArgument, "[set_value] expected a step other than 0, got 0");
    SliceRange r = SliceOf(starts[i], ends[i], steps[i], n);
    bool dropped = false;
    for (int64_t k : drop) dropped = dropped || common::NormalizeAxis("set_value", k, dims.size()) == a;
    if (dropped) {
      PD_CHECK(starts[i] >= -n && starts[i] < n, OutOfRange, "[set_value] expected an index in [", -n, ", ", n,
               ") for axis ", a, ", got ", starts[i]);
      r = {starts[i] < 0 ? starts[i] + n : starts[i], 1};
    }
    offset += r.start * strides[a];
    dims[a] = r.length;
    strides[a] = StepStride(strides[a], steps[i]);
  }
  Ints od, os;
  for (int64_t i = 0; i <= dims.size(); ++i) {
    for (int64_t k : none)
      if (k == i) {
        od.push_back(1);
        os.push_back(0);
      }
    if (i == dims.size()) break;
    bool dropped = false;
    for (int64_t k : drop) dropped = dropped || common::NormalizeAxis("set_value", k, dims.size()) == i;
    if (dropped) continue;
    od.push_back(dims[i]);
    os.push_back(strides[i]);
  }
  if (common::Product(od) == 0) offset = x->offset();
  return ViewOf(x, od, os, offset);
}
// What holds each of these numbers.
DataType ValuesType(const std::vector<Scalar>& values) {
  bool complex = false, integral = true;
  for (const Scalar& s : values) {
    complex = complex || s.dtype() == DataType::COMPLEX128 || s.dtype() == DataType::COMPLEX64;
    integral = integral && s.is_integral();
  }
  return complex ? DataType::COMPLEX128 : integral ? DataType::INT64 : DataType::FLOAT64;
}
// Assigns with leading axes of one in `value` dropped.
void AssignPart(const Tensor& value, const Tensor& part) {
  if (part.numel() == 0) return;
  Ints dims = value.dims(), strides = value.strides();
  while (dims.size() > part.ndim() && dims[0] == 1) {
    dims.erase(0);
    strides.erase(0);
  }
  CopyInto(ViewOf(value, dims, strides, value->offset()), part);
}
}  // namespace

void set_value_infer(const Meta& x, const IntArray&, const IntArray&, const IntArray&, const Ints&, const Ints&,
                     const Ints&, const Ints&, const std::vector<Scalar>&, Meta& out) {
  out = x;
}
int64_t set_value_workspace(const Meta&, const Ints&, const Ints&, const Ints&, const Ints&, const Ints&, const Ints&,
                            const Ints&, const std::vector<Scalar>& values) {
  return WorkspaceFor(Dims{Dim(static_cast<int64_t>(values.size()))}, ValuesType(values));
}
void set_value_kernel(const Tensor& x, const Ints& starts, const Ints& ends, const Ints& steps, const Ints& axes,
                      const Ints& drop, const Ints& none, const Ints& shape, const std::vector<Scalar>& values,
                      Tensor& out) {
  CopyInto(x, out);
  Ints dims = shape;
  if (common::Product(dims) != static_cast<int64_t>(values.size())) {
    PD_CHECK(values.size() == 1, InvalidArgument, "[set_value] expected as many values as shape ",
             common::ShapeText(shape), " holds, got ", values.size());
    dims = Ints{};
  }
  const DataType t = ValuesType(values);
  if (const DeviceForms* f = FormsHere(); f && values.size() == 1) {
    char element[16];
    StoreScalar(values[0], out.dtype(), element);
    const auto one = f->Room(16);
    f->Fill(SizeOf(out.dtype()), 1, one.get(), element);
    const Tensor part = Part(out, starts, ends, steps, axes, drop, none);
    const Ints repeated(part.ndim(), 0);
    return f->Copy(SizeOf(out.dtype()), part.dims(), one.get(), repeated, part.raw_data(), part.strides());
  }
  const ScratchTensor list(dims, t);
  const Tensor& v = list.tensor;
  for (size_t i = 0; i < values.size(); ++i) {
    if (t == DataType::COMPLEX128)
      v.data<complex128>()[i] = values[i].to_complex();
    else if (t == DataType::INT64)
      v.data<int64_t>()[i] = values[i].to_int();
    else
      v.data<double>()[i] = values[i].to_double();
  }
  AssignPart(v, Part(out, starts, ends, steps, axes, drop, none));
}
void set_value_with_tensor_infer(const Meta& x, const Meta&, const IntArray&, const IntArray&, const IntArray&,
                                 const Ints&, const Ints&, const Ints&, Meta& out) {
  out = x;
}
void set_value_with_tensor_kernel(const Tensor& x, const Tensor& values, const Ints& starts, const Ints& ends,
                                  const Ints& steps, const Ints& axes, const Ints& drop, const Ints& none,
                                  Tensor& out) {
  CopyInto(x, out);
  AssignPart(values, Part(out, starts, ends, steps, axes, drop, none));
}

}  // namespace phi
