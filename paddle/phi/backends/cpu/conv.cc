// SPDX-License-Identifier: Apache-2.0
// The checks of a convolution, the choice of how a type is computed, and the bias where no library adds it.
#include "paddle/phi/backends/cpu/conv.h"

#include <algorithm>
#include <cstring>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/conv_impl.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/isa.h"

namespace phi::cpu {
namespace {

struct Sizes {
  int64_t x, w, y;  // elements
};

// Extents below this keep every product of three of them inside int64.
constexpr int64_t kMaxExtent = int64_t{1} << 40;

int64_t Product(std::initializer_list<int64_t> v) {
  int64_t r = 1;
  for (int64_t i : v)
    PD_CHECK(!__builtin_mul_overflow(r, i, &r) && r < (int64_t{1} << 58), InvalidArgument,
             "[conv] expected a tensor that fits in memory, got extent ", i);
  return r;
}

Sizes Check(DataType t, const ConvDesc& d) {
  PD_CHECK(t == DataType::FLOAT32 || t == DataType::FLOAT64 || IsHalf(t) || IsComplex(t), Unimplemented,
           "[conv] expected float32, float64, half or complex elements, got ", NameOf(t));
  PD_CHECK(d.nd >= 1 && d.nd <= 3, InvalidArgument, "[conv] expected 1 to 3 spatial dims, got ", d.nd);
  PD_CHECK(d.n >= 0 && d.ic >= 0 && d.oc >= 0, InvalidArgument, "[conv] expected extents of at least 0, got batch ",
           d.n, ", channels ", d.ic, " and ", d.oc);
  PD_CHECK(d.groups > 0 && d.ic % d.groups == 0 && d.oc % d.groups == 0, InvalidArgument,
           "[conv] expected channels divisible by groups, got ", d.ic, " and ", d.oc, " in ", d.groups, " groups");
  for (int i = 0; i < d.nd; ++i) {
    PD_CHECK(d.k[i] > 0 && d.stride[i] > 0 && d.dilation[i] > 0, InvalidArgument,
             "[conv] expected positive kernel sizes, strides and dilations, got ", d.k[i], ", ", d.stride[i], " and ",
             d.dilation[i]);
    PD_CHECK(d.pad_lo[i] >= 0 && d.pad_hi[i] >= 0, InvalidArgument, "[conv] expected paddings of at least 0, got ",
             d.pad_lo[i], " and ", d.pad_hi[i]);
    for (int64_t v : {d.in[i], d.k[i], d.out[i], d.stride[i], d.dilation[i], d.pad_lo[i], d.pad_hi[i]})
      PD_CHECK(v >= 0 && v < kMaxExtent, InvalidArgument, "[conv] expected an extent from 0 to 2^40, got ", v);
    Product({d.k[i], d.dilation[i]});
    const int64_t want = ConvOutSize(d.in[i], d.k[i], d.stride[i], d.dilation[i], d.pad_lo[i], d.pad_hi[i]);
    PD_CHECK(d.out[i] == want, InvalidArgument, "[conv] expected output extent ", want, " on axis ", i, ", got ",
             d.out[i]);
  }
  ConvDesc e = d;
  for (int i = d.nd; i < 3; ++i) e.in[i] = e.out[i] = e.k[i] = 1;
  return {Product({e.n, e.ic, e.in[0], e.in[1], e.in[2]}), Product({e.oc, e.ic / e.groups, e.k[0], e.k[1], e.k[2]}),
          Product({e.n, e.oc, e.out[0], e.out[1], e.out[2]})};
}

// y[n, c, s] (or [n, s, c]) += bias[c]
template <class T>
void AddBiasT(int64_t n, int64_t c, int64_t s, bool last, const T* bias, T* y) {
  if (last) {
    ParallelFor(0, n * s, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, c)), [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i)
        for (int64_t j = 0; j < c; ++j) y[i * c + j] += bias[j];
    });
    return;
  }
  ParallelFor(0, n * c, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, s)), [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const T v = bias[i % c];
      T* row = y + i * s;
      for (int64_t j = 0; j < s; ++j) row[j] += v;
    }
  });
}

// sum[c] over n and s of dy
template <class T, class Acc>
void SumBiasT(int64_t n, int64_t c, int64_t s, bool last, const T* dy, T* sum) {
  ParallelFor(0, c, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n * s)), [&](int64_t b, int64_t e) {
    if (last) {
      constexpr int64_t kBlock = 32;
      for (int64_t j = b; j < e; j += kBlock) {
        const int64_t m = std::min(kBlock, e - j);
        Acc acc[kBlock] = {};
        for (int64_t i = 0; i < n * s; ++i)
          for (int64_t q = 0; q < m; ++q) acc[q] += dy[i * c + j + q];
        for (int64_t q = 0; q < m; ++q) sum[j + q] = static_cast<T>(acc[q]);
      }
      return;
    }
    for (int64_t j = b; j < e; ++j) {
      Acc acc[8] = {};
      for (int64_t i = 0; i < n; ++i) {
        const T* row = dy + (i * c + j) * s;
        int64_t p = 0;
        for (; p + 8 <= s; p += 8)
          for (int q = 0; q < 8; ++q) acc[q] += row[p + q];
        for (; p < s; ++p) acc[0] += row[p];
      }
      for (int q = 1; q < 8; ++q) acc[0] += acc[q];
      sum[j] = static_cast<T>(acc[0]);
    }
  });
}

void AddBias(DataType t, int64_t n, int64_t c, int64_t s, bool last, const void* bias, void* y) {
  switch (t) {
    case DataType::FLOAT32: return AddBiasT(n, c, s, last, static_cast<const float*>(bias), static_cast<float*>(y));
    case DataType::FLOAT64: return AddBiasT(n, c, s, last, static_cast<const double*>(bias), static_cast<double*>(y));
    case DataType::COMPLEX64:
      return AddBiasT(n, c, s, last, static_cast<const complex64*>(bias), static_cast<complex64*>(y));
    case DataType::COMPLEX128:
      return AddBiasT(n, c, s, last, static_cast<const complex128*>(bias), static_cast<complex128*>(y));
    default: {
      const int64_t size = n * c * s;
      const CallMemory fy(size * 4), fb(c * 4);
      CastParallel(t, y, DataType::FLOAT32, fy.as<float>(), size);
      CastParallel(t, bias, DataType::FLOAT32, fb.as<float>(), c);
      AddBiasT(n, c, s, last, fb.as<const float>(), fy.as<float>());
      CastParallel(DataType::FLOAT32, fy.as<float>(), t, y, size);
    }
  }
}

void SumBias(DataType t, int64_t n, int64_t c, int64_t s, bool last, const void* dy, void* sum) {
  switch (t) {
    case DataType::FLOAT32:
      return SumBiasT<float, double>(n, c, s, last, static_cast<const float*>(dy), static_cast<float*>(sum));
    case DataType::FLOAT64:
      return SumBiasT<double, double>(n, c, s, last, static_cast<const double*>(dy), static_cast<double*>(sum));
    case DataType::COMPLEX64:
      return SumBiasT<complex64, complex128>(n, c, s, last, static_cast<const complex64*>(dy),
                                             static_cast<complex64*>(sum));
    case DataType::COMPLEX128:
      return SumBiasT<complex128, complex128>(n, c, s, last, static_cast<const complex128*>(dy),
                                              static_cast<complex128*>(sum));
    default: {
      const CallMemory fy(n * c * s * 4), fb(c * 4);
      CastParallel(t, dy, DataType::FLOAT32, fy.as<float>(), n * c * s);
      SumBiasT<float, double>(n, c, s, last, fy.as<const float>(), fb.as<float>());
      CastParallel(DataType::FLOAT32, fb.as<float>(), t, sum, c);
    }
  }
}

// A complex operand conjugated; real types are passed through.
class Conjugated {
 public:
  Conjugated(DataType t, const void* p, int64_t n, bool on) : p_(const_cast<void*>(p)), mem_(on ? Bytes(t, n) : 0) {
    if (!on || !IsComplex(t)) return;
    p_ = mem_.as<>();
    if (t == DataType::COMPLEX64)
      Copy(static_cast<const float*>(p), mem_.as<float>(), n);
    else
      Copy(static_cast<const double*>(p), mem_.as<double>(), n);
  }
  void* get() const { return p_; }
  // Of CallMemory, where it is on.
  static int64_t Bytes(DataType t, int64_t n) { return IsComplex(t) ? n * SizeOf(t) : 0; }

 private:
  template <class R>
  static void Copy(const R* s, R* d, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      d[2 * i] = s[2 * i];
      d[2 * i + 1] = -s[2 * i + 1];
    }
  }
  void* p_;
  CallMemory mem_;
};

// A half's tensors as floats, with a bias.
struct Floats {
  explicit Floats(const ConvDesc& d)
      : x(d.n * d.ic * SpatialIn(d)),
        w(d.oc * (d.ic / d.groups) * KernelSize(d)),
        y(d.n * d.oc * SpatialOut(d)),
        bias(d.oc) {}
  int64_t x, w, y, bias;  // elements
};

// Bytes of CallMemory that Compute takes.
int64_t ComputeScratch(ConvKind kind, DataType t, const ConvDesc& d, bool bias) {
  if (t == DataType::FLOAT32) {
    if (const int64_t bytes = ConvDirectScratch(kind, d); bytes >= 0) return bytes;
    if (IsPointwise(kind, d)) return 0;
  }
  if (t == DataType::FLOAT32 || (t == DataType::BFLOAT16 && HasAvx512Bf16()))
    if (const int64_t bytes = ConvOnednnScratch(kind, t, d, bias); bytes >= 0) return bytes;
  if (!IsHalf(t)) return ConvGenericScratch(t, d);
  const Floats f(d);
  int64_t bytes = ComputeScratch(kind, DataType::FLOAT32, d, bias);
  for (int64_t n : {f.x, f.w, f.y, f.bias}) bytes += Workspace::Piece(n * 4);
  return bytes;
}

// One checked, non-empty convolution, bias included (kForward adds it, kGradWeight writes its gradient).
void Compute(ConvKind kind, DataType t, const ConvDesc& d, void* x, void* w, void* bias, void* y) {
  if (t == DataType::FLOAT32 && kind != ConvKind::kGradWeight) {
    const bool forward = kind == ConvKind::kForward;
    if (ConvDirect(kind, d, static_cast<const float*>(forward ? x : y), static_cast<const float*>(w),
                   static_cast<const float*>(bias), static_cast<float*>(forward ? y : x)))
      return;
  }
  if (t == DataType::FLOAT32 && IsPointwise(kind, d)) {
    ConvPointwise(kind, d, static_cast<float*>(x), static_cast<float*>(w), static_cast<const float*>(bias),
                  static_cast<float*>(y));
    if (bias && kind == ConvKind::kGradWeight) SumBias(t, d.n, d.oc, SpatialOut(d), false, y, bias);
    return;
  }
  if ((t == DataType::FLOAT32 || (t == DataType::BFLOAT16 && HasAvx512Bf16())) && ConvOnednn(kind, t, d, x, w, bias, y))
    return;
  if (IsHalf(t)) {
    const auto [nx, nw, ny, nb] = Floats(d);
    const DataType f = DataType::FLOAT32;
    const CallMemory fx(nx * 4), fw(nw * 4), fy(ny * 4), fb(nb * 4);
    if (kind != ConvKind::kGradInput) CastParallel(t, x, f, fx.as<>(), nx);
    if (kind != ConvKind::kGradWeight) CastParallel(t, w, f, fw.as<>(), nw);
    if (kind != ConvKind::kForward) CastParallel(t, y, f, fy.as<>(), ny);
    if (kind == ConvKind::kForward && bias) CastParallel(t, bias, f, fb.as<>(), nb);
    Compute(kind, f, d, fx.as<>(), fw.as<>(), bias ? fb.as<>() : nullptr, fy.as<>());
    if (kind == ConvKind::kForward) CastParallel(f, fy.as<>(), t, y, ny);
    if (kind == ConvKind::kGradInput) CastParallel(f, fx.as<>(), t, x, nx);
    if (kind == ConvKind::kGradWeight) CastParallel(f, fw.as<>(), t, w, nw);
    if (kind == ConvKind::kGradWeight && bias) CastParallel(f, fb.as<>(), t, bias, nb);
    return;
  }
  ConvGeneric(kind, t, d, x, w, y);
  if (!bias) return;
  if (kind == ConvKind::kForward)
    AddBias(t, d.n, d.oc, SpatialOut(d), d.channels_last, bias, y);
  else if (kind == ConvKind::kGradWeight)
    SumBias(t, d.n, d.oc, SpatialOut(d), d.channels_last, y, bias);
}

// Sum of products over nothing: zeros, and where a bias is wanted, the bias.
void Forward(DataType t, const ConvDesc& d, const Sizes& s, void* x, void* w, const void* bias, void* y) {
  if (s.y == 0) return;
  if (s.x == 0 || s.w == 0) {
    Zero(y, s.y * SizeOf(t));
    if (bias) AddBias(t, d.n, d.oc, SpatialOut(d), d.channels_last, bias, y);
    return;
  }
  Compute(ConvKind::kForward, t, d, x, w, const_cast<void*>(bias), y);
}

void GradInput(DataType t, const ConvDesc& d, const Sizes& s, void* y, void* w, void* x) {
  if (s.x == 0) return;
  if (s.y == 0 || s.w == 0)
    Zero(x, s.x * SizeOf(t));
  else
    Compute(ConvKind::kGradInput, t, d, x, w, nullptr, y);
}

void GradWeight(DataType t, const ConvDesc& d, const Sizes& s, void* x, void* y, void* dw, void* dbias) {
  if (dw && s.w != 0) {
    if (s.x != 0 && s.y != 0) {
      Compute(ConvKind::kGradWeight, t, d, x, dw, dbias, y);
      return;
    }
    Zero(dw, s.w * SizeOf(t));
  }
  if (dbias) SumBias(t, d.n, d.oc, SpatialOut(d), d.channels_last, y, dbias);
}

void* Mutable(const void* p) { return const_cast<void*>(p); }

}  // namespace

int64_t ConvOutSize(int64_t in, int64_t k, int64_t stride, int64_t dilation, int64_t pad_lo, int64_t pad_hi) {
  PD_CHECK(stride > 0, InvalidArgument, "[conv] expected a positive stride, got ", stride);
  const int64_t room = in + pad_lo + pad_hi - dilation * (k - 1) - 1;
  return room < 0 ? -((-room + stride - 1) / stride) + 1 : room / stride + 1;
}

void ConvForward(DataType t, const ConvDesc& d, const void* x, const void* w, const void* bias, void* y) {
  Forward(t, d, Check(t, d), Mutable(x), Mutable(w), bias, y);
}

bool ConvForwardFused(const ConvDesc& d, const ConvEpilogue& e, const void* x, const void* w, const void* bias,
                      void* y) {
  const Sizes s = Check(DataType::FLOAT32, d);
  if (s.x == 0 || s.w == 0 || s.y == 0) return false;
  return ConvOnednn(ConvKind::kForward, DataType::FLOAT32, d, Mutable(x), Mutable(w), Mutable(bias), y, e);
}

int64_t ConvScratch(ConvUse use, DataType t, const ConvDesc& d, const ConvEpilogue& epilogue, bool bias) {
  const Sizes s = Check(t, d);
  if (s.x == 0 || s.w == 0 || s.y == 0) return 0;
  switch (use) {
    case ConvUse::kForward: return ComputeScratch(ConvKind::kForward, t, d, bias);
    case ConvUse::kFused: return std::max<int64_t>(ConvOnednnScratch(ConvKind::kForward, t, d, bias, epilogue), 0);
    case ConvUse::kTranspose: return ComputeScratch(ConvKind::kGradInput, t, d, false);
    case ConvUse::kGradInput:
      return Workspace::Piece(Conjugated::Bytes(t, s.w)) + ComputeScratch(ConvKind::kGradInput, t, d, false);
    case ConvUse::kGradWeight:
      return Workspace::Piece(Conjugated::Bytes(t, s.x)) + ComputeScratch(ConvKind::kGradWeight, t, d, bias);
  }
  return 0;
}

// Gradients of complex tensors use the conjugate of the other factor.
void ConvGradInput(DataType t, const ConvDesc& d, const void* dy, const void* w, void* dx) {
  const Sizes s = Check(t, d);
  const Conjugated wc(t, w, s.w, true);
  GradInput(t, d, s, Mutable(dy), wc.get(), dx);
}

void ConvGradWeight(DataType t, const ConvDesc& d, const void* x, const void* dy, void* dw, void* dbias) {
  const Sizes s = Check(t, d);
  const Conjugated xc(t, x, s.x, dw != nullptr);
  GradWeight(t, d, s, xc.get(), Mutable(dy), dw, dbias);
}

void ConvTransposeForward(DataType t, const ConvDesc& d, const void* x, const void* w, const void* bias, void* y) {
  const Sizes s = Check(t, d);
  GradInput(t, d, s, Mutable(x), Mutable(w), y);
  if (bias && s.x != 0) AddBias(t, d.n, d.ic, SpatialIn(d), d.channels_last, bias, y);
}

}  // namespace phi::cpu
