// SPDX-License-Identifier: Apache-2.0
// Pooling: the checks, and half-precision types by way of float.
#include "paddle/phi/backends/cpu/pool.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/pool_impl.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(void, PoolMaxF32, (const cpu::PoolArgs& a, const float* x, float* y, int32_t* mask))
PD_ISA_DECL(void, PoolMaxF64, (const cpu::PoolArgs& a, const double* x, double* y, int32_t* mask))
PD_ISA_DECL(void, PoolMaxGradF32, (const cpu::PoolArgs& a, const float* x, const float* y, const float* dy, float* dx))
PD_ISA_DECL(void, PoolMaxGradF64,
            (const cpu::PoolArgs& a, const double* x, const double* y, const double* dy, double* dx))
PD_ISA_DECL(void, PoolAvgF32, (const cpu::PoolArgs& a, const float* x, float* y))
PD_ISA_DECL(void, PoolAvgF64, (const cpu::PoolArgs& a, const double* x, double* y))
PD_ISA_DECL(void, PoolAvgGradF32, (const cpu::PoolArgs& a, const float* dy, float* dx))
PD_ISA_DECL(void, PoolAvgGradF64, (const cpu::PoolArgs& a, const double* dy, double* dx))

namespace phi::cpu {
namespace {

struct Sizes {
  int64_t planes, in, out;
};

Sizes Fill(DataType t, const PoolDesc& d, bool average, PoolArgs* a) {
  PD_CHECK(t == DataType::FLOAT32 || t == DataType::FLOAT64 || IsHalf(t), Unimplemented,
           "[pool] expected float32, float64 or half elements, got ", NameOf(t));
  PD_CHECK(d.nd >= 1 && d.nd <= 3, InvalidArgument, "[pool] expected 1 to 3 spatial dims, got ", d.nd);
  PD_CHECK(d.n >= 0 && d.c >= 0, InvalidArgument, "[pool] expected extents of at least 0, got batch ", d.n,
           " and channels ", d.c);
  Sizes s{0, 1, 1};
  PD_CHECK(!__builtin_mul_overflow(d.n, d.c, &s.planes), InvalidArgument,
           "[pool] expected a tensor that fits in memory, got batch ", d.n, " and channels ", d.c);
  a->n = d.n, a->c = d.c;
  for (int i = 0; i < 3; ++i) {
    const int j = i - (3 - d.nd);
    const bool own = j >= 0;
    a->in[i] = own ? d.in[j] : 1;
    a->out[i] = own ? d.out[j] : 1;
    a->k[i] = own ? d.k[j] : 1;
    a->stride[i] = own ? d.stride[j] : 1;
    a->pad[i] = own && !d.adaptive ? d.pad_lo[j] : 0;
    a->pad_hi[i] = own && !d.adaptive ? d.pad_hi[j] : 0;
    a->dilation[i] = own && !average && !d.adaptive ? d.dilation[j] : 1;
    PD_CHECK(a->in[i] >= 0 && a->out[i] >= 0, InvalidArgument, "[pool] expected extents of at least 0, got ", a->in[i],
             " and ", a->out[i]);
    if (!d.adaptive) {
      constexpr int64_t kMost = int64_t{1} << 31;
      for (int64_t v : {a->k[i], a->stride[i], a->dilation[i]})
        PD_CHECK(v > 0 && v < kMost, InvalidArgument,
                 "[pool] expected positive kernel sizes, strides and dilations, got ", v);
      for (int64_t v : {a->pad[i], a->pad_hi[i]})
        PD_CHECK(v >= 0 && v < kMost, InvalidArgument, "[pool] expected paddings of at least 0, got ", v);
    }
    // Positions are kept in int32.
    PD_CHECK(!__builtin_mul_overflow(s.in, a->in[i], &s.in) && s.in < INT32_MAX, InvalidArgument,
             "[pool] expected fewer than 2^31 positions per plane, got extent ", a->in[i]);
    PD_CHECK(!__builtin_mul_overflow(s.out, a->out[i], &s.out) && s.out < INT32_MAX, InvalidArgument,
             "[pool] expected fewer than 2^31 outputs per plane, got extent ", a->out[i]);
  }
  bool even = d.adaptive;
  for (int i = 0; i < 3; ++i) even = even && a->out[i] > 0 && a->in[i] > 0 && a->in[i] % a->out[i] == 0;
  a->adaptive = d.adaptive && !even;
  if (d.adaptive)
    for (int i = 0; i < 3; ++i) a->k[i] = a->stride[i] = even ? a->in[i] / a->out[i] : 1;
  a->last = d.channels_last && d.c != 1;
  a->exclusive = d.exclusive || d.adaptive;
  a->divisor = d.divisor;
  a->lowest = t == DataType::FLOAT64    ? std::numeric_limits<double>::lowest()
              : t == DataType::FLOAT16  ? -65504.0
              : t == DataType::BFLOAT16 ? -3.3895313892515355e38
                                        : static_cast<double>(std::numeric_limits<float>::lowest());
  a->row_lo = a->row_hi = nullptr;
  a->row_count = nullptr;
  a->empty_row_windows = false;
  return s;
}

// What depends on the position in a row only.
class Rows {
 public:
  explicit Rows(PoolArgs* a) : mem_(Bytes(*a)) {
    const int64_t n = Table(*a), s = a->stride[2], step = a->dilation[2], w = a->in[2], out = a->out[2];
    auto* lo = mem_.as<int64_t>();
    auto* hi = lo + n;
    auto* count = reinterpret_cast<double*>(hi + n);
    auto up = [s](int64_t v) { return v > 0 ? (v + s - 1) / s : -(-v / s); };
    for (int64_t j = 0; j < n; ++j) {
      const int64_t off = j * step - a->pad[2];
      lo[j] = std::clamp<int64_t>(up(-off), 0, out);
      hi[j] = std::clamp<int64_t>(up(w - off), lo[j], out);
    }
    for (int64_t o = 0; o < out; ++o) {
      const int64_t at = o * s - a->pad[2];
      if (a->adaptive) {
        count[o] = static_cast<double>(((o + 1) * w + out - 1) / out - o * w / out);
        continue;
      }
      const int64_t first = at < 0 ? at + (-at + step - 1) / step * step : at;
      const int64_t inside = std::min(at + (a->k[2] - 1) * step + 1, w) - first;
      a->empty_row_windows |= inside <= 0;
      count[o] = static_cast<double>(a->exclusive ? std::max<int64_t>(inside, 0)
                                                  : std::min(at + a->k[2], w + a->pad_hi[2]) - at);
    }
    if (n) a->row_lo = lo, a->row_hi = hi;
    a->row_count = count;
  }
  static int64_t Bytes(const PoolArgs& a) { return Table(a) * 16 + a.out[2] * 8; }

 private:
  static int64_t Table(const PoolArgs& a) { return a.adaptive || a.k[2] > 65536 ? 0 : a.k[2]; }
  CallMemory mem_;
};

// Windows that span one position of the outermost of three axes: as so many more images.
PoolDesc Unstacked(const PoolDesc& d) {
  const bool alone =
      d.adaptive ? d.in[0] == d.out[0] : d.k[0] == 1 && d.stride[0] == 1 && d.pad_lo[0] == 0 && d.pad_hi[0] == 0;
  PoolDesc e = d;
  if (d.nd != 3 || !d.channels_last || !alone || d.in[0] != d.out[0] || d.in[0] < 1 ||
      __builtin_mul_overflow(d.n, d.in[0], &e.n))
    return d;
  e.in[0] = e.out[0] = 1;
  return e;
}

void CheckIndexType(const char* op, DataType t) {
  PD_CHECK(t == DataType::INT32 || t == DataType::INT64, InvalidArgument, "[", op,
           "] expected indices of int32 or int64, got ", NameOf(t));
}

void FillLowest(DataType t, const PoolArgs& a, int64_t n, void* y) {
  Convert(DataType::FLOAT64, &a.lowest, 0, t, y, 1, n);
}

struct Operand {
  const void* p;  // null: absent
  int64_t n;
};

// Calls `f32` or `f64` with the operands and the result in that type; halves go through float copies.
template <class F32, class F64>
void InLoopType(DataType t, std::initializer_list<Operand> operands, void* result, int64_t n, F32 f32, F64 f64) {
  constexpr size_t kMost = 3;
  auto given = [&](auto* in) {
    for (const Operand& o : operands) *in++ = static_cast<std::remove_reference_t<decltype(*in)>>(o.p);
  };
  if (t == DataType::FLOAT64) {
    const double* in[kMost] = {};
    given(in);
    return f64(in, static_cast<double*>(result));
  }
  const float* in[kMost] = {};
  if (t == DataType::FLOAT32) {
    given(in);
    return f32(in, static_cast<float*>(result));
  }
  int64_t all = n;
  for (const Operand& o : operands) all += o.p ? o.n : 0;
  const CallMemory copies(all * 4);
  float *out = copies.as<float>(), *at = out + n;
  const float** to = in;
  for (const Operand& o : operands) {
    if (o.p) {
      CastParallel(t, o.p, DataType::FLOAT32, at, o.n);
      *to = at;
      at += o.n;
    }
    ++to;
  }
  f32(in, out);
  CastParallel(DataType::FLOAT32, out, t, result, n);
}

// A gradient that reads what the pooling read, its result and the result's gradient, of which some may be absent.
struct Known {
  const void *x, *y, *dy;
};
template <class F32, class F64>
void Gradient(DataType t, const PoolDesc& d, bool average, const Known& known, void* dx, F32 f32, F64 f64) {
  PoolArgs a;
  const Sizes s = Fill(t, d, average, &a);
  if (const DeviceForms* f = FormsHere())
    return f->Pool(average ? PoolPass::kMeanGrad : PoolPass::kMaxGrad, t, d, known.x, known.y, known.dy, dx, nullptr);
  const int64_t nx = s.planes * s.in, ny = s.planes * s.out;
  if (nx == 0) return;
  if (ny == 0) {
    Zero(dx, nx * SizeOf(t));
    return;
  }
  const Rows rows(&a);
  InLoopType(
      t, {{known.x, nx}, {known.y, ny}, {known.dy, ny}}, dx, nx,
      [&](const float* const* in, float* o) { f32(a, in, o); },
      [&](const double* const* in, double* o) { f64(a, in, o); });
}

}  // namespace

int64_t PoolOutSize(int64_t in, int64_t k, int64_t stride, int64_t pad_lo, int64_t pad_hi, bool ceil_mode) {
  PD_CHECK(stride > 0, InvalidArgument, "[pool] expected a positive stride, got ", stride);
  // As in PaddlePaddle the quotient is cut toward zero: a window that is too long by less than a stride is cut.
  return (in - k + pad_lo + pad_hi + (ceil_mode ? stride - 1 : 0)) / stride + 1;
}

void MaxPool(DataType t, const PoolDesc& d, const void* x, void* y, DataType index_t, void* mask) {
  PoolArgs a;
  const Sizes s = Fill(t, mask ? d : Unstacked(d), false, &a);
  if (mask) CheckIndexType("max_pool", index_t);
  if (const DeviceForms* f = FormsHere()) {
    if (mask && index_t != DataType::INT32) throw NoDeviceForm{"a mask of int64"};
    return f->Pool(PoolPass::kMax, t, d, x, nullptr, nullptr, y, mask);
  }
  const int64_t nx = s.planes * s.in, ny = s.planes * s.out;
  if (ny == 0) return;
  if (nx == 0) {
    FillLowest(t, a, ny, y);
    if (mask) {
      const int64_t none = -1;
      Convert(DataType::INT64, &none, 0, index_t, mask, 1, ny);
    }
    return;
  }
  const Rows rows(&a);
  const bool wide = mask && index_t == DataType::INT64;
  const CallMemory pos_mem(wide ? ny * 4 : 0);
  int32_t* pos = wide ? pos_mem.as<int32_t>() : static_cast<int32_t*>(mask);
  InLoopType(
      t, {{x, nx}}, y, ny,
      [&](const float* const* in, float* o) {
        PD_ISA_CALL(PoolMaxF32)
        (a, in[0], o, pos);
      },
      [&](const double* const* in, double* o) {
        PD_ISA_CALL(PoolMaxF64)
        (a, in[0], o, pos);
      });
  if (wide) CastParallel(DataType::INT32, pos, DataType::INT64, mask, ny);
}

int64_t PoolScratch(PoolUse use, DataType t, const PoolDesc& d) {
  PoolArgs a;
  const bool average = use == PoolUse::kAverage || use == PoolUse::kAverageGrad;
  const Sizes s = Fill(t, d, average, &a);
  const int64_t nx = s.planes * s.in, ny = s.planes * s.out;
  if (nx == 0 || ny == 0) return 0;
  const int64_t copies = use == PoolUse::kMaxGrad ? 2 * (nx + ny) : nx + ny;
  return Workspace::Piece(Rows::Bytes(a)) + (IsHalf(t) ? Workspace::Piece(copies * 4) : 0);
}

void MaxPoolGrad(DataType t, const PoolDesc& d, const void* x, const void* y, const void* dy, void* dx) {
  Gradient(
      t, d, false, {x, y, dy}, dx,
      [](const PoolArgs& a, const float* const* in, float* o) {
        PD_ISA_CALL(PoolMaxGradF32)(a, in[0], in[1], in[2], o);
      },
      [](const PoolArgs& a, const double* const* in, double* o) {
        PD_ISA_CALL(PoolMaxGradF64)(a, in[0], in[1], in[2], o);
      });
}

void AvgPool(DataType t, const PoolDesc& d, const void* x, void* y) {
  PoolArgs a;
  const Sizes s = Fill(t, Unstacked(d), true, &a);
  if (const DeviceForms* f = FormsHere()) return f->Pool(PoolPass::kMean, t, d, x, nullptr, nullptr, y, nullptr);
  const int64_t nx = s.planes * s.in, ny = s.planes * s.out;
  if (ny == 0) return;
  if (nx == 0) {
    Zero(y, ny * SizeOf(t));
    return;
  }
  const Rows rows(&a);
  InLoopType(
      t, {{x, nx}}, y, ny,
      [&](const float* const* in, float* o) {
        PD_ISA_CALL(PoolAvgF32)
        (a, in[0], o);
      },
      [&](const double* const* in, double* o) {
        PD_ISA_CALL(PoolAvgF64)
        (a, in[0], o);
      });
}

void AvgPoolGrad(DataType t, const PoolDesc& d, const void* dy, void* dx) {
  Gradient(
      t, d, true, {nullptr, nullptr, dy}, dx,
      [](const PoolArgs& a, const float* const* in, float* o) {
        PD_ISA_CALL(PoolAvgGradF32)
        (a, in[2], o);
      },
      [](const PoolArgs& a, const double* const* in, double* o) {
        PD_ISA_CALL(PoolAvgGradF64)
        (a, in[2], o);
      });
}

}  // namespace phi::cpu
