// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/infer/rules.h"

#include <algorithm>

namespace phi {

uint64_t ReduceMask(const char* op, int64_t rank, const Ints& axis) {
  if (axis.empty()) return rank >= 64 ? ~uint64_t{0} : (uint64_t{1} << rank) - 1;
  uint64_t mask = 0;
  for (int64_t a : axis) {
    uint64_t bit = uint64_t{1} << common::NormalizeAxis(op, a, rank);
    PD_CHECK(!(mask & bit), InvalidArgument, "[", op, "] expected each axis once, got axis ", a, " twice");
    mask |= bit;
  }
  return rank == 0 ? 0 : mask;
}

bool BroadcastsTo(const Dims& from, const Dims& to) {
  const int64_t lead = to.size() - from.size();
  bool fits = lead >= 0;
  for (int64_t i = 0; fits && i < from.size(); ++i)
    fits = common::IsOne(from[i]) || !common::CertainlyDiffer(from[i], to[lead + i]);
  return fits;
}

uint64_t SummedMask(const Ints& from, const Ints& to) {
  uint64_t mask = 0;
  const int64_t lead = from.size() - to.size();
  for (int64_t i = 0; i < from.size(); ++i)
    if (i < lead || (to[i - lead] == 1 && from[i] != 1)) mask |= uint64_t{1} << i;
  return mask;
}

Dims ReducedDims(const char* op, const Dims& x, const Ints& axis, bool keepdim) {
  uint64_t mask = ReduceMask(op, x.size(), axis);
  Dims out;
  for (int64_t i = 0; i < x.size(); ++i) {
    if (!(mask >> i & 1))
      out.push_back(x[i]);
    else if (keepdim)
      out.push_back(Dim(1));
  }
  return out;
}

Dims ReducedDims(const char* op, const Dims& x, const IntArray& axis, bool keepdim) {
  if (axis.known()) return ReducedDims(op, x, axis.numbers(), keepdim);
  PD_CHECK(axis.size() <= x.size(), InvalidArgument, "[", op, "] expected at most one axis for each of the shape ",
           common::ShapeText(x), ", got ", common::ShapeText(axis));
  if (!keepdim) return UnknownDims(x.size() - axis.size());
  Dims out = x;
  for (Dim& d : out)
    if (!common::IsOne(d)) d = common::NewSymbol();
  return out;
}

DataType SumDtype(DataType x, DataType dtype) {
  if (dtype != DataType::UNDEFINED) return dtype;
  return x == DataType::BOOL || IsInteger(x) ? DataType::INT64 : x;
}

Dim ExtentArg(const char* op, const IntArray& shape, int64_t i) {
  const Int v = shape[i];
  PD_CHECK(!v.known() || v.value() >= 0, InvalidArgument, "[", op, "] expected non-negative extents in shape, got ",
           common::ShapeText(shape));
  return v.extent();
}

Dims ShapeArg(const char* op, const IntArray& shape) {
  Dims r;
  for (int64_t i = 0; i < shape.size(); ++i) r.push_back(ExtentArg(op, shape, i));
  return r;
}

Dims UnknownDims(int64_t rank) {
  Dims r;
  for (int64_t i = 0; i < rank; ++i) r.push_back(common::NewSymbol());
  return r;
}

namespace {
// What `part` lacks of the product of the extents of `whole` other than 0, where both have as many zeros; else -1.
int64_t BesideZeros(const Dims& whole, const Dims& part) {
  const auto is_zero = [](Dim d) { return d.raw() == 0; };
  const auto rest = [&](const Dims& dims) {
    Dim p(1);
    for (Dim d : dims) p = p * (is_zero(d) ? Dim(1) : d);
    return p;
  };
  const Dim have = rest(whole), want = rest(part);
  if (!have.known() || !want.known() || have.raw() % want.raw()) return -1;
  const bool same =
      std::count_if(whole.begin(), whole.end(), is_zero) == std::count_if(part.begin(), part.end(), is_zero);
  return same ? have.raw() / want.raw() : -1;
}

// `List`: of numbers, or an IntArray.
template <class List>
Dims Resolved(const char* op, const Dims& x, const List& shape) {
  const Dim total = common::Product(x);
  Dims out;
  int64_t infer = -1;
  for (int64_t i = 0; i < shape.size(); ++i) {
    const Int s = shape[i];
    if (s.is(-1)) {
      PD_CHECK(infer < 0, InvalidArgument, "[", op, "] expected at most one -1 in shape, got ",
               common::ShapeText(shape));
      infer = i;
      out.push_back(Dim(1));
      continue;
    }
    PD_CHECK(!s.known() || s.value() >= 0, InvalidArgument, "[", op, "] expected extents of at least -1, got shape ",
             common::ShapeText(shape));
    Dim d = s.extent();
    if (s.is(0) && i < x.size() && total.raw() != 0) d = x[i];
    out.push_back(d);
  }
  const Dim known = common::Product(out);
  if (infer >= 0) {
    if (total.raw() == 0 && known.raw() == 0) {
      int64_t rest = BesideZeros(x, out);
      if (rest < 0 && out.size() <= x.size() + 1 && (out.size() <= x.size() || infer == x.size())) {
        // As of a tensor with elements, zeros stand for x's extents.
        for (int64_t i = 0; i < std::min(out.size(), x.size()); ++i)
          if (out[i].raw() == 0) out[i] = x[i];
        rest = common::Product(out).raw() == 0 ? BesideZeros(x, out) : 0;
      }
      PD_CHECK(rest >= 0, InvalidArgument, "[", op, "] expected a shape in which one extent can stand for -1, got ",
               common::ShapeText(shape), " for input shape ", common::ShapeText(x));
      out[infer] = Dim(rest);
    } else if (total.known() && known.known()) {
      PD_CHECK(known.raw() && total.raw() % known.raw() == 0, InvalidArgument, "[", op,
               "] expected a shape that holds ", total.raw(), " elements, got ", common::ShapeText(shape),
               " for input shape ", common::ShapeText(x));
      out[infer] = Dim(total.raw() / known.raw());
    } else {
      // Cancel the extents both sides share, so that a dynamic batch stays the same symbol.
      Dim t(1), k(1);
      std::vector<bool> used(out.size(), false);
      for (Dim d : x) {
        bool cancelled = false;
        for (int64_t i = 0; i < out.size() && !cancelled; ++i)
          if (i != infer && !used[i] && !d.known() && common::SameDim(out[i], d)) used[i] = cancelled = true;
        if (!cancelled) t = t * d;
      }
      for (int64_t i = 0; i < out.size(); ++i)
        if (i != infer && !used[i]) k = k * out[i];
      out[infer] = common::Div(t, k);
    }
  } else {
    PD_CHECK(!common::CertainlyDiffer(total, known), InvalidArgument, "[", op, "] expected a shape that holds ",
             common::DimText(total), " elements, got ", common::ShapeText(shape), " for input shape ",
             common::ShapeText(x));
  }
  return out;
}
}  // namespace

Dims ResolveReshape(const char* op, const Dims& x, const Ints& shape) { return Resolved(op, x, shape); }
Dims ResolveReshape(const char* op, const Dims& x, const IntArray& shape) { return Resolved(op, x, shape); }

SliceRange SliceOf(int64_t start, int64_t end, int64_t step, int64_t n) {
  if (start < 0) start += n;
  if (end < 0) end += n;
  const int64_t lo = step > 0 ? 0 : -1, hi = step > 0 ? n : n - 1;
  start = std::min(std::max(start, lo), hi);
  end = std::min(std::max(end, lo), hi);
  const int64_t span = step > 0 ? end - start : start - end, by = step > 0 ? step : step == INT64_MIN ? n + 1 : -step;
  return {start, span > 0 ? (span - 1) / by + 1 : 0};
}

Ints DistinctAxes(const char* op, const Ints& axes, int64_t rank) {
  Ints out;
  for (int64_t a : axes) {
    out.push_back(common::NormalizeAxis(op, a, rank));
    for (int64_t i = 0; i + 1 < out.size(); ++i)
      PD_CHECK(out[i] != out.back(), InvalidArgument, "[", op, "] expected each axis once, got ",
               common::ShapeText(axes));
  }
  return out;
}

void CheckWindow(const char* op, const char* what, const Ints& v, int64_t lo) {
  const char* kind = lo == 1 ? "positive " : lo == 0 ? "non-negative " : "";
  for (int64_t i : v)
    PD_CHECK(i >= lo && i <= INT32_MAX, InvalidArgument, "[", op, "] expected ", kind, what, " from ", lo, " to ",
             INT32_MAX, ", got ", common::ShapeText(v));
}

bool CheckPattern(const char* op, const Ints& dims, const Ints& strides, int64_t offset, int64_t held) {
  PD_CHECK(dims.size() == strides.size(), InvalidArgument, "[", op, "] expected one stride an axis, got shape ",
           common::ShapeText(dims), " and strides ", common::ShapeText(strides));
  common::ShapeWalk walk;
  __int128 lo = offset, hi = lo;
  for (int64_t i = 0; i < dims.size(); ++i) {
    PD_CHECK(dims[i] >= 0, InvalidArgument, "[", op, "] expected non-negative extents, got ", common::ShapeText(dims));
    walk.Next(dims[i]);
    (strides[i] < 0 ? lo : hi) += static_cast<__int128>(dims[i] - 1) * strides[i];
  }
  if (!walk.fits(dims.size())) common::RaiseTooLarge(dims);
  if (walk.count() == 0) return false;
  PD_CHECK(lo >= 0 && hi < held, OutOfRange, "[", op, "] expected a pattern inside the memory of ", held,
           " elements, got shape ", common::ShapeText(dims), ", strides ", common::ShapeText(strides), " and offset ",
           offset);
  return true;
}

void matmul_infer(const Meta& x, const Meta& y, bool tx, bool ty, Meta& out) {
  PD_CHECK(!x.dims.empty() && !y.dims.empty(), InvalidArgument,
           "[matmul] expected operands of at least 1 axis, got shapes ", common::ShapeText(x.dims), " and ",
           common::ShapeText(y.dims));
  PD_CHECK(x.dtype == y.dtype, InvalidArgument, "[matmul] expected operands of one dtype, got ", NameOf(x.dtype),
           " and ", NameOf(y.dtype));
  int64_t nx = x.dims.size(), ny = y.dims.size();
  Dim m(1), k, k2, n(1);
  if (nx == 1) {
    k = x.dims[0];
  } else {
    m = x.dims[tx ? nx - 1 : nx - 2];
    k = x.dims[tx ? nx - 2 : nx - 1];
  }
  if (ny == 1) {
    k2 = y.dims[0];
  } else {
    n = y.dims[ty ? ny - 2 : ny - 1];
    k2 = y.dims[ty ? ny - 1 : ny - 2];
  }
  PD_CHECK(!common::CertainlyDiffer(k, k2), InvalidArgument,
           "[matmul] expected x's last axis to match y's second last, got ", common::DimText(k), " and ",
           common::DimText(k2), " for shapes ", common::ShapeText(x.dims), " and ", common::ShapeText(y.dims));
  out.dims.clear();
  if (nx > 2 || ny > 2) {
    Dims bx, by;
    for (int64_t i = 0; i + 2 < nx; ++i) bx.push_back(x.dims[i]);
    for (int64_t i = 0; i + 2 < ny; ++i) by.push_back(y.dims[i]);
    out.dims = common::BroadcastDims("matmul", bx, by);
  }
  if (nx > 1) out.dims.push_back(m);
  if (ny > 1) out.dims.push_back(n);
  out.dtype = x.dtype;
}

bool JoinsProduct(DataType bias, DataType product) {
  if (!IsDifferentiable(bias) || !IsDifferentiable(product) || (IsComplex(bias) && !IsComplex(product))) return false;
  return bias == DataType::FLOAT32 || SizeOf(RealOf(bias)) <= SizeOf(RealOf(product));
}

}  // namespace phi
