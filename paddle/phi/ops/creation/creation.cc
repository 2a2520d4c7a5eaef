// SPDX-License-Identifier: Apache-2.0
// Kernels and shape rules of the creation family.
#include <bit>
#include <cmath>

#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

void FillScalar(Tensor& out, const Scalar& value) {
  char element[16];
  StoreScalar(value, out.dtype(), element);
  cpu::Fill(SizeOf(out.dtype()), out.numel(), out.raw_data(), element);
}

DataType OrFloat(DataType t) { return t == DataType::UNDEFINED ? DataType::FLOAT32 : t; }

template <class F>
void StoreDoubles(Tensor& out, F value) {
  double buffer[256];
  for (int64_t at = 0; at < out.numel(); at += 256) {
    int64_t n = std::min<int64_t>(256, out.numel() - at);
    for (int64_t i = 0; i < n; ++i) buffer[i] = value(at + i);
    Convert(DataType::FLOAT64, buffer, 1, out.dtype(), static_cast<char*>(out.raw_data()) + at * SizeOf(out.dtype()), 1,
            n);
  }
}

int64_t RangeLength(double start, double end, double step) {
  PD_CHECK(step != 0, InvalidArgument, "[arange] expected a step other than 0, got 0");
  PD_CHECK(std::isfinite(start) && std::isfinite(end) && std::isfinite(step), InvalidArgument,
           "[arange] expected finite bounds, got start ", start, ", end ", end, ", step ", step);
  double n = std::ceil((end - start) / step);
  PD_CHECK(n < static_cast<double>(common::kMaxElements), InvalidArgument, "[arange] expected fewer than ",
           common::kMaxElements, " elements, got start ", start, ", end ", end, ", step ", step);
  return n > 0 ? static_cast<int64_t>(n) : 0;
}

}  // namespace

void full_infer(const IntArray& shape, const Scalar&, DataType dtype, Place, Meta& out) {
  out = {ShapeArg("full", shape), OrFloat(dtype)};
}
void full_kernel(const Ints&, const Scalar& value, DataType, Place, Tensor& out) { FillScalar(out, value); }

void full_with_tensor_infer(const Meta& value, const IntArray& shape, DataType dtype, Meta& out) {
  PD_CHECK(!common::CertainlyDiffer(common::Product(value.dims), Dim(1)), InvalidArgument,
           "[full_with_tensor] expected one value, got the shape ", common::ShapeText(value.dims));
  out = {ShapeArg("full_with_tensor", shape), OrFloat(dtype)};
}
void full_with_tensor_kernel(const Tensor& value, const Ints&, DataType, Tensor& out) {
  if (const DeviceForms* f = FormsHere()) {  // the host need not know it
    const Ordered one(value, out.dtype());
    const Ints repeated(out.ndim(), 0);
    return f->Copy(SizeOf(out.dtype()), out.dims(), static_cast<const Tensor&>(one).raw_data(), repeated,
                   out.raw_data(), out.strides());
  }
  FillScalar(out, ScalarOf(value));
}

void full_batch_size_like_infer(const Meta& input, const Ints& shape, DataType dtype, double, int64_t in, int64_t to,
                                Place, Meta& out) {
  PD_CHECK(in >= 0 && in < input.dims.size() && to >= 0 && to < shape.size(), InvalidArgument,
           "[full_batch_size_like] expected axes of the input and of shape, got ", in, " and ", to);
  out.dtype = OrFloat(dtype);
  out.dims = {};
  for (int64_t i = 0; i < shape.size(); ++i) {
    PD_CHECK(i == to || shape[i] >= 0, InvalidArgument,
             "[full_batch_size_like] expected non-negative extents in shape, got ", common::ShapeText(shape));
    out.dims.push_back(i == to ? input.dims[in] : Dim(shape[i]));
  }
}
void full_batch_size_like_kernel(const Tensor&, const Ints&, DataType, double value, int64_t, int64_t, Place,
                                 Tensor& out) {
  FillScalar(out, Scalar(value));
}

void full_int_array_infer(const Ints& value, DataType dtype, Place, Meta& out) {
  out = {Dims{Dim(value.size())}, dtype == DataType::UNDEFINED ? DataType::INT64 : dtype};
}
void full_int_array_kernel(const Ints& value, DataType, Place, Tensor& out) {
  if (FormsHere()) {
    for (int64_t i = 0; i < value.size(); ++i) {
      Tensor one = ViewOf(out, {1}, {1}, out->offset() + i);
      FillScalar(one, Scalar(value[i]));
    }
    return;
  }
  Convert(DataType::INT64, value.data(), 1, out.dtype(), out.raw_data(), 1, value.size());
}

void full_like_infer(const Meta& x, const Scalar&, DataType dtype, Place, Meta& out) {
  out = {x.dims, dtype == DataType::UNDEFINED ? x.dtype : dtype};
}
void full_like_kernel(const Tensor&, const Scalar& value, DataType, Place, Tensor& out) { FillScalar(out, value); }

void empty_infer(const IntArray& shape, DataType dtype, Place, Meta& out) {
  out = {ShapeArg("empty", shape), OrFloat(dtype)};
}
void empty_kernel(const Ints&, DataType, Place, Tensor&) {}

void arange_infer(const Scalar& start, const Scalar& end, const Scalar& step, DataType dtype, Place, Meta& out) {
  if (!start.known() || !end.known() || !step.known()) {
    const bool counts = start == Scalar(int64_t{0}) && step == Scalar(int64_t{1}) && end.is_integral();
    out = {Dims{counts ? end.integer().extent() : common::NewSymbol()}, dtype};
    return;
  }
  for (const Scalar* s : {&start, &end, &step})
    PD_CHECK(!IsComplex(s->dtype()), InvalidType, "[arange] expected real numbers, got one of ", NameOf(s->dtype()));
  if (start.is_integral() && end.is_integral() && step.is_integral() && step.to_int() != 0) {
    __int128 gap = static_cast<__int128>(end.to_int()) - start.to_int(), by = step.to_int();
    __int128 n = by > 0 ? (gap + by - 1) / by : (gap + by + 1) / by;
    PD_CHECK(n < common::kMaxElements, InvalidArgument, "[arange] expected fewer than ", common::kMaxElements,
             " elements, got start ", start.to_int(), ", end ", end.to_int(), ", step ", step.to_int());
    out = {Dims{Dim(n > 0 ? static_cast<int64_t>(n) : 0)}, dtype};
    return;
  }
  out = {Dims{Dim(RangeLength(start.to_double(), end.to_double(), step.to_double()))}, dtype};
}
void arange_kernel(const Scalar& start, const Scalar&, const Scalar& step, DataType, Place, Tensor& out) {
  if (IsInteger(out.dtype()) && start.is_integral() && step.is_integral()) {
    // Unsigned, as a product may leave the range on the way to a sum inside it.
    if (const DeviceForms* f = FormsHere())
      return f->Steps(out.dtype(), out.numel(), start.to_int(), step.to_int(), out.raw_data());
    const uint64_t a = static_cast<uint64_t>(start.to_int()), d = static_cast<uint64_t>(step.to_int());
    int64_t buffer[256];
    for (int64_t at = 0; at < out.numel(); at += 256) {
      int64_t n = std::min<int64_t>(256, out.numel() - at);
      for (int64_t i = 0; i < n; ++i) buffer[i] = static_cast<int64_t>(a + static_cast<uint64_t>(at + i) * d);
      Convert(DataType::INT64, buffer, 1, out.dtype(), static_cast<char*>(out.raw_data()) + at * SizeOf(out.dtype()), 1,
              n);
    }
    return;
  }
  double a = start.to_double(), d = step.to_double();
  if (const DeviceForms* f = FormsHere()) return f->Steps(out.dtype(), out.numel(), a, d, out.raw_data());
  StoreDoubles(out, [&](int64_t i) { return a + static_cast<double>(i) * d; });
}

// How many there are is a tensor's value.
void linspace_infer(const Meta&, const Meta&, const Meta&, DataType dtype, Place, Meta& out) {
  out = {Dims{common::NewSymbol()}, dtype};
}
void linspace_kernel(const Tensor& start, const Tensor& stop, const Tensor& number, DataType dtype, Place,
                     Tensor& out) {
  int64_t n = ScalarAsInt(number);
  PD_CHECK(n > 0, InvalidArgument, "[linspace] expected num of at least 1, got ", n);
  double a = ScalarAsDouble(start), b = ScalarAsDouble(stop);
  EnsureOut(out, Ints{n}, dtype);
  double step = n > 1 ? (b - a) / static_cast<double>(n - 1) : 0;
  if (const DeviceForms* f = FormsHere())
    return f->ForEach("linspace", dtype, n, {out.raw_data()},
                      {n, std::bit_cast<int64_t>(a), std::bit_cast<int64_t>(b), std::bit_cast<int64_t>(step)});
  StoreDoubles(out, [&](int64_t i) {
    return i < n / 2 ? a + step * static_cast<double>(i) : b - step * static_cast<double>(n - 1 - i) * (n > 1);
  });
  if (n == 1) StoreDoubles(out, [&](int64_t) { return a; });
}

void eye_infer(const Scalar& rows, const Scalar& cols, DataType dtype, Place, Meta& out) {
  const auto count = [](const Scalar& s) { return s.known() ? Int(s.to_int()) : s.integer(); };
  const Int r = count(rows), c = count(cols);
  PD_CHECK(!r.known() || r.value() >= 0, InvalidType, "[eye] expected a non-negative num_rows, got ", r.value());
  out = {Dims{r.extent(), c.known() && c.value() < 0 ? r.extent() : c.extent()}, OrFloat(dtype)};
}
void eye_kernel(const Scalar&, const Scalar&, DataType, Place, Tensor& out) {
  cpu::Zero(out.raw_data(), out.numel() * SizeOf(out.dtype()));
  double one = 1;
  if (const DeviceForms* f = FormsHere()) {
    char element[16];
    StoreScalar(Scalar(one), out.dtype(), element);
    const auto place = f->Room(16);
    f->Fill(SizeOf(out.dtype()), 1, place.get(), element);
    const int64_t count[] = {std::min(out.dim(0), out.dim(1))}, none[] = {0}, by[] = {out.dim(1) + 1};
    return f->Copy(SizeOf(out.dtype()), count, place.get(), none, out.raw_data(), by);
  }
  int64_t n = std::min(out.dim(0), out.dim(1)), step = (out.dim(1) + 1) * SizeOf(out.dtype());
  for (int64_t i = 0; i < n; ++i)
    Convert(DataType::FLOAT64, &one, 1, out.dtype(), static_cast<char*>(out.raw_data()) + i * step, 1, 1);
}

void assign_kernel(const Tensor& x, Tensor& out) { CopyInto(x, out); }

void cast_infer(const Meta& x, DataType dtype, Meta& out) {
  PD_CHECK(dtype != DataType::UNDEFINED, InvalidType, "[cast] expected a dtype, got none");
  out = {x.dims, dtype};
}
void cast_kernel(const Tensor& x, DataType, Tensor& out) { CopyInto(x, out); }

}  // namespace phi
