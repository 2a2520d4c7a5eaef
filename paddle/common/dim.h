// SPDX-License-Identifier: Apache-2.0
// One extent of a shape: a known int64 or a symbol. There is deliberately no == on Dim: shape rules say what they need
// (SameDim, CertainlyDiffer, BroadcastDim). What they cannot know they find when a program meets its shapes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/common/small_vector.h"

namespace common {

class Dim {
 public:
  Dim() = default;
  constexpr explicit Dim(int64_t v) : v_(v) {
    if (__builtin_expect(v < 0, 0)) RaiseNegative(v);
  }
  bool known() const { return v_ >= 0; }
  // The extent; raises where it is known only when a program runs.
  int64_t value() const {
    if (__builtin_expect(v_ < 0, 0)) RaiseUnknown();
    return v_;
  }
  // The extent as users see it: -1 when unknown.
  int64_t visible() const { return v_ >= 0 ? v_ : -1; }
  int64_t raw() const { return v_; }
  static Dim FromRaw(int64_t raw) {
    Dim d;
    d.v_ = raw;
    return d;
  }

 private:
  [[noreturn]] void RaiseUnknown() const;
  [[noreturn]] static void RaiseNegative(int64_t v);

  int64_t v_ = 0;  // >= 0: the extent; < 0: -(symbol id + 1)
};

// A fresh symbol in [lo, hi], e.g. an input's dynamic batch or the count of nonzero elements.
Dim NewSymbol(int64_t lo = 0, int64_t hi = INT64_MAX);
// How a symbolic extent reads in messages and IR text: "S0", "S0*4".
std::string DimText(Dim d);

// Known extents are calculated with overflow checks: a result that is no extent raises, and never reads as a symbol.
Dim SymbolicOp(char op, Dim a, Dim b);
[[noreturn]] void RaiseNoExtent(char op, Dim a, Dim b);
inline Dim operator+(Dim a, Dim b) {
  if (!(a.known() && b.known())) return SymbolicOp('+', a, b);
  int64_t r;
  if (__builtin_expect(__builtin_add_overflow(a.raw(), b.raw(), &r), 0)) RaiseNoExtent('+', a, b);
  return Dim(r);
}
inline Dim operator*(Dim a, Dim b) {
  if (!(a.known() && b.known())) return SymbolicOp('*', a, b);
  int64_t r;
  if (__builtin_expect(__builtin_mul_overflow(a.raw(), b.raw(), &r), 0)) RaiseNoExtent('*', a, b);
  return Dim(r);
}
inline Dim Sub(Dim a, Dim b) {
  if (!(a.known() && b.known())) return SymbolicOp('-', a, b);
  if (__builtin_expect(a.raw() < b.raw(), 0)) RaiseNoExtent('-', a, b);
  return Dim(a.raw() - b.raw());
}
// Floor division.
inline Dim Div(Dim a, Dim b) {
  return a.known() && b.known() ? Dim(b.raw() == 0 ? 0 : a.raw() / b.raw()) : SymbolicOp('/', a, b);
}

// How an unknown extent was calculated: `op` of a and b; 's' for a symbol of its own, 'b' for what a and b broadcast
// to.
struct DimParts {
  char op;
  Dim a, b;
};
DimParts PartsOf(Dim d);

// Whether both are certainly the same extent.
inline bool SameDim(Dim a, Dim b) { return a.raw() == b.raw(); }
// Whether both are known and differ; unknown pairs are not "certainly different".
inline bool CertainlyDiffer(Dim a, Dim b) { return a.known() && b.known() && a.raw() != b.raw(); }
inline bool IsOne(Dim a) { return a.raw() == 1; }

using Dims = SmallVector<Dim, 6>;      // shapes while inferring; may hold symbols
using Ints = SmallVector<int64_t, 6>;  // concrete shapes, strides, axes

// Whether both are certainly the same shape.
inline bool SameDims(const Dims& a, const Dims& b) {
  if (a.size() != b.size()) return false;
  for (int64_t k = 0; k < a.size(); ++k)
    if (!SameDim(a[k], b[k])) return false;
  return true;
}
// Whether both shapes have one rank and no extents that certainly differ, `skip` apart.
inline bool MayMatch(const Dims& a, const Dims& b, int64_t skip = -1) {
  if (a.size() != b.size()) return false;
  for (int64_t i = 0; i < a.size(); ++i)
    if (i != skip && CertainlyDiffer(a[i], b[i])) return false;
  return true;
}
inline bool AllKnown(const Dims& d) {
  for (Dim x : d)
    if (!x.known()) return false;
  return true;
}
std::string ShapeText(const Dims& d);  // "[2, S0, 3]"
std::string ShapeText(const Ints& d);

// Every tensor has fewer elements, extents of 0 counted as 1, and at most so many axes: then neither an element count,
// nor a contiguous stride, nor a size in bytes of the widest dtype overflows.
inline constexpr int64_t kMaxElements = int64_t{1} << 59;
inline constexpr int64_t kMaxRank = 64;
// Takes the axes of a shape one by one, from the last where strides are asked for; says whether a tensor can have it.
class ShapeWalk {
 public:
  // The stride of the next axis in memory that is filled in order.
  int64_t stride() const { return run_; }
  void Next(int64_t extent) {
    signs_ |= extent;
    none_ |= extent == 0;
    over_ |= __builtin_mul_overflow(run_, extent + (extent == 0), &run_);
  }
  int64_t count() const { return none_ ? 0 : run_; }
  bool fits(int64_t rank) const { return !over_ && signs_ >= 0 && run_ < kMaxElements && rank <= kMaxRank; }

 private:
  int64_t run_ = 1, signs_ = 0;
  bool none_ = false, over_ = false;
};
[[noreturn]] void RaiseTooLarge(const Ints& d);
// The number of elements of a shape.
inline int64_t Product(const Ints& d) {
  ShapeWalk walk;
  for (int64_t x : d) walk.Next(x);
  if (__builtin_expect(!walk.fits(d.size()), 0)) RaiseTooLarge(d);
  return walk.count();
}
// Whether the elements lie in memory in their order, without gaps; `count`: their number. Raises as Product does.
inline bool RowMajor(const Ints& d, const Ints& strides, int64_t* count) {
  ShapeWalk walk;
  bool ordered = true;
  for (int64_t i = d.size() - 1; i >= 0; --i) {
    ordered &= d[i] == 1 || strides[i] == walk.stride();
    walk.Next(d[i]);
  }
  if (__builtin_expect(!walk.fits(d.size()), 0)) RaiseTooLarge(d);
  *count = walk.count();
  return ordered || *count == 0;
}
inline bool RowMajor(const Ints& d, const Ints& strides) {
  int64_t count;
  return RowMajor(d, strides, &count);
}
// The same of a shape that may hold symbols.
Dim Product(const Dims& d);
inline Dims ToDims(const Ints& v) { return Dims(v.begin(), v.end()); }
inline Ints ToInts(const Dims& v) {
  Ints r;
  r.resize(v.size());
  int64_t* to = r.data();
  for (Dim d : v) *to++ = d.value();
  return r;
}

// The common extent of two operands' axis under broadcasting; op and shapes are for the message. That of two different
// symbols is a symbol of its own: each of them may be 1 when the program runs.
Dim BroadcastDim(const char* op, Dim a, Dim b, const Dims& sa, const Dims& sb);
Dims BroadcastDims(const char* op, const Dims& a, const Dims& b);
// Raises where a and b certainly differ; says nothing of extents that are not known.
void RequireEq(const char* op, const char* what, Dim a, Dim b);
// NormalizeAxis of a 0-D tensor, and of an axis that there is not.
int64_t UnusualAxis(const char* op, int64_t axis, int64_t rank);
// axis in [-rank, rank) mapped to [0, rank); rank 0 accepts -1 and 0, but for ops with the trait `needs_axis`.
inline int64_t NormalizeAxis(const char* op, int64_t axis, int64_t rank) {
  if (__builtin_expect(rank == 0 || axis < -rank || axis >= rank, 0)) return UnusualAxis(op, axis, rank);
  return axis < 0 ? axis + rank : axis;
}

}  // namespace common
