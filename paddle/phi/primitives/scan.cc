// SPDX-License-Identifier: Apache-2.0
// Prefix scans. Lanes are walked in blocks of neighbouring columns, so that any inner size reads memory in order; no
// lane is split, so results do not depend on the thread count.
#include "paddle/phi/primitives/scan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "paddle/common/error.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi::cpu {
namespace {

constexpr int64_t kColumns = 64;

// Reads x before it writes the same place of out. op(acc, v) is the new accumulator, which starts as `init`; emit(acc)
// is the element stored.
template <class T, class A, class Op, class Emit>
void Scan(const T* x, int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse, A init, Op op, Emit emit,
          T* out, int64_t cost) {
  if (n <= 0 || inner <= 0) return;
  const int64_t blocks = (inner + kColumns - 1) / kColumns;
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, cost * n * std::min(inner, kColumns)));
  ParallelFor(0, outer * blocks, grain, [&](int64_t b, int64_t e) {
    A acc[kColumns];
    for (int64_t unit = b; unit < e; ++unit) {
      const int64_t first = unit % blocks * kColumns, width = std::min(kColumns, inner - first);
      const int64_t base = unit / blocks * n * inner + first;
      std::fill(acc, acc + width, init);
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = base + (reverse ? n - 1 - i : i) * inner;
        const T* from = x + at;
        T* to = out + at;
        for (int64_t c = 0; c < width; ++c) {
          const A next = op(acc[c], from[c]);
          to[c] = emit(exclusive ? acc[c] : next);
          acc[c] = next;
        }
      }
    }
  });
}

// Calls f(dtype, x, out) with half data widened to float32 and the result narrowed back.
template <class F>
void Widened(DataType t, const void* x, int64_t total, void* out, F&& f) {
  if (!IsHalf(t)) return f(t, x, out);
  Scratch wide(std::max<int64_t>(1, total) * 4);
  CastParallel(t, x, DataType::FLOAT32, wide.as<float>(), total);
  f(DataType::FLOAT32, wide.as<float>(), wide.as<float>());
  CastParallel(DataType::FLOAT32, wide.as<float>(), t, out, total);
}

template <class T>
struct Type {
  using type = T;
};

template <class F>
void EachReal(const char* op, DataType t, F&& f) {
  switch (t) {
    case DataType::BOOL: return f(Type<bool>{});
    case DataType::UINT8: return f(Type<uint8_t>{});
    case DataType::INT8: return f(Type<int8_t>{});
    case DataType::INT16: return f(Type<int16_t>{});
    case DataType::INT32: return f(Type<int32_t>{});
    case DataType::INT64: return f(Type<int64_t>{});
    case DataType::FLOAT32: return f(Type<float>{});
    case DataType::FLOAT64: return f(Type<double>{});
    default: PD_THROW(Unimplemented, "[", op, "] expected a real dtype, got ", NameOf(t));
  }
}

template <class F>
void EachNumber(const char* op, DataType t, F&& f) {
  if (t == DataType::COMPLEX64) return f(Type<complex64>{});
  if (t == DataType::COMPLEX128) return f(Type<complex128>{});
  EachReal(op, t, f);
}

// Integers wrap: arithmetic is done in uint64 and cut to the type.
template <class T>
T Add(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}
template <class T>
T Mul(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a && b;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}

double LogAddExp(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  const double hi = std::max(a, b), lo = std::min(a, b);
  if (std::isinf(hi) || std::isinf(lo)) return hi;
  return hi + std::log1p(std::exp(lo - hi));
}

template <class T, class I>
void Extreme(bool max, const T* x, int64_t outer, int64_t n, int64_t inner, T* out, I* indices) {
  const int64_t blocks = (inner + kColumns - 1) / kColumns;
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n * std::min(inner, kColumns)));
  ParallelFor(0, outer * blocks, grain, [&](int64_t b, int64_t e) {
    T best[kColumns];
    int64_t where[kColumns];
    for (int64_t unit = b; unit < e; ++unit) {
      const int64_t first = unit % blocks * kColumns, width = std::min(kColumns, inner - first);
      const int64_t base = unit / blocks * n * inner + first;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = base + i * inner;
        for (int64_t c = 0; c < width; ++c) {
          const T v = x[at + c];
          if (i == 0 || v != v || (max ? v >= best[c] : v <= best[c])) {
            best[c] = v;
            where[c] = i;
          }
          out[at + c] = best[c];
          indices[at + c] = static_cast<I>(where[c]);
        }
      }
    }
  });
}

}  // namespace

void CumSum(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse,
            void* out) {
  Widened(t, x, outer * n * inner, out, [&](DataType w, const void* from, void* to) {
    EachNumber("cumsum", w, [&](auto type) {
      using T = typename decltype(type)::type;
      Scan(static_cast<const T*>(from), outer, n, inner, exclusive, reverse, T(0), Add<T>, [](T v) { return v; },
           static_cast<T*>(to), 1);
    });
  });
}

void CumProd(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse,
             void* out) {
  Widened(t, x, outer * n * inner, out, [&](DataType w, const void* from, void* to) {
    EachNumber("cumprod", w, [&](auto type) {
      using T = typename decltype(type)::type;
      Scan(static_cast<const T*>(from), outer, n, inner, exclusive, reverse, T(1), Mul<T>, [](T v) { return v; },
           static_cast<T*>(to), 1);
    });
  });
}

void LogCumSumExp(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse,
                  void* out) {
  PD_CHECK(IsHalf(t) || t == DataType::FLOAT32 || t == DataType::FLOAT64, Unimplemented,
           "[logcumsumexp] expected a floating dtype, got ", NameOf(t));
  Widened(t, x, outer * n * inner, out, [&](DataType w, const void* from, void* to) {
    auto run = [&]<class T>(Type<T>) {
      Scan(static_cast<const T*>(from), outer, n, inner, exclusive, reverse, -std::numeric_limits<double>::infinity(),
           [](double acc, T v) { return LogAddExp(acc, static_cast<double>(v)); },
           [](double v) { return static_cast<T>(v); }, static_cast<T*>(to), 32);
    };
    w == DataType::FLOAT64 ? run(Type<double>{}) : run(Type<float>{});
  });
}

void CumExtreme(bool max, DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* out,
                DataType index_t, void* indices) {
  const char* op = max ? "cummax" : "cummin";
  PD_CHECK(index_t == DataType::INT32 || index_t == DataType::INT64, InvalidArgument, "[", op,
           "] expected an index dtype of int32 or int64, got ", NameOf(index_t));
  PD_CHECK(index_t == DataType::INT64 || n <= std::numeric_limits<int32_t>::max(), OutOfRange, "[", op,
           "] expected an axis that int32 can index, got ", n);
  if (n <= 0 || inner <= 0) return;
  Widened(t, x, outer * n * inner, out, [&](DataType w, const void* from, void* to) {
    EachReal(op, w, [&](auto type) {
      using T = typename decltype(type)::type;
      if (index_t == DataType::INT32)
        Extreme(max, static_cast<const T*>(from), outer, n, inner, static_cast<T*>(to), static_cast<int32_t*>(indices));
      else
        Extreme(max, static_cast<const T*>(from), outer, n, inner, static_cast<T*>(to), static_cast<int64_t*>(indices));
    });
  });
}

}  // namespace phi::cpu
