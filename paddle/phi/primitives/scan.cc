// SPDX-License-Identifier: Apache-2.0
// Prefix scans: lines run side by side, each in order, so results do not depend on the thread count.
#include "paddle/phi/primitives/scan.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/dispatch.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi::cpu {
namespace {

constexpr int64_t kLane = 64;  // columns scanned together
constexpr int64_t kRows = 8;   // contiguous lines scanned together: each waits for its own sums only

// kRows lines of n elements that lie one behind the other, a few elements of each at a time, so that the processor
// works on several lines at once. These pass through a block of their own: lines a power of two apart would drive each
// other out of the cache at every element.
template <class A, class T, class Step, class Store>
void ScanRows(const T* x, int64_t n, bool exclusive, bool reverse, T* out, A first, Step step, Store store) {
  constexpr int64_t kWidth = 16;
  T block[kRows][kWidth];
  A acc[kRows];
  std::fill(acc, acc + kRows, first);
  const auto scan = [&](int64_t at, auto width) {  // `width` is a constant but at the end
    for (int64_t r = 0; r < kRows; ++r) std::memcpy(block[r], x + r * n + at, sizeof(T) * width);
    for (int64_t r = 0; r < kRows; ++r) {
      A a = acc[r];
      for (int64_t k = 0; k < width; ++k) {
        T& place = block[r][reverse ? width - 1 - k : k];
        const T v = place;
        if (exclusive) place = store(a);
        step(a, v);
        if (!exclusive) place = store(a);
      }
      acc[r] = a;
    }
    for (int64_t r = 0; r < kRows; ++r) std::memcpy(out + r * n + at, block[r], sizeof(T) * width);
  };
  int64_t done = 0;
  for (; done + kWidth <= n; done += kWidth)
    scan(reverse ? n - done - kWidth : done, std::integral_constant<int64_t, kWidth>());
  if (done < n) scan(reverse ? 0 : done, n - done);
}

// Scans x [outer, n, inner] with state `A`: step(acc, x) after which store(acc) is the inclusive result.
template <class A, class T, class Step, class Store>
void Scan(const T* x, int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse, T* out, A first, Step step,
          Store store) {
  if (inner == 1 && outer >= kRows) {
    const int64_t blocks = outer / kRows, done = blocks * kRows;
    ParallelFor(0, blocks, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n * kRows)), [&](int64_t b, int64_t e) {
      for (int64_t s = b; s < e; ++s)
        ScanRows<A>(x + s * kRows * n, n, exclusive, reverse, out + s * kRows * n, first, step, store);
    });
    if (done == outer) return;
    x += done * n;
    out += done * n;
    outer -= done;
  }
  int64_t strips = (inner + kLane - 1) / kLane;
  ParallelFor(0, outer * strips, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n * std::min(inner, kLane))),
              [&](int64_t b, int64_t e) {
                A acc[kLane];
                for (int64_t s = b; s < e; ++s) {
                  int64_t lo = s % strips * kLane, width = std::min(kLane, inner - lo),
                          base = s / strips * n * inner + lo;
                  std::fill(acc, acc + width, first);
                  for (int64_t k = 0; k < n; ++k) {
                    int64_t at = base + (reverse ? n - 1 - k : k) * inner;
                    for (int64_t c = 0; c < width; ++c) {
                      T v = x[at + c];
                      if (exclusive) out[at + c] = store(acc[c]);
                      step(acc[c], v);
                      if (!exclusive) out[at + c] = store(acc[c]);
                    }
                  }
                }
              });
}

// Half runs in float32 through a buffer.
template <class F>
void Widened(DataType t, const void* x, int64_t total, void* out, F&& run) {
  if (!IsHalf(t)) return run(t, x, out);
  CallMemory a(total * 4), b(total * 4);
  Convert(t, x, 1, DataType::FLOAT32, a.as<float>(), 1, total);
  run(DataType::FLOAT32, a.as<float>(), b.as<float>());
  Convert(DataType::FLOAT32, b.as<float>(), 1, t, out, 1, total);
}

template <class T>
struct LogSum {
  T max, sum;  // log of the sum so far is max + log(sum)
};

}  // namespace

void CumSum(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse,
            void* out) {
  if (const DeviceForms* d = FormsHere()) return d->Scan(false, t, x, outer, n, inner, exclusive, reverse, out);
  Widened(t, x, outer * n * inner, out, [&](DataType w, const void* in, void* to) {
    DispatchNumber("cumsum", w, [&](auto tag) {
      using T = typename decltype(tag)::type;
      using A =
          std::conditional_t<std::is_same_v<T, bool>, int, std::conditional_t<std::is_integral_v<T>, uint64_t, T>>;
      Scan<A>(
          static_cast<const T*>(in), outer, n, inner, exclusive, reverse, static_cast<T*>(to), A(0),
          [](A& a, T v) { a += static_cast<A>(v); }, [](A a) { return static_cast<T>(a); });
    });
  });
}

void CumProd(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse,
             void* out) {
  if (const DeviceForms* d = FormsHere()) return d->Scan(true, t, x, outer, n, inner, exclusive, reverse, out);
  Widened(t, x, outer * n * inner, out, [&](DataType w, const void* in, void* to) {
    DispatchNumber("cumprod", w, [&](auto tag) {
      using T = typename decltype(tag)::type;
      using A =
          std::conditional_t<std::is_same_v<T, bool>, int, std::conditional_t<std::is_integral_v<T>, uint64_t, T>>;
      Scan<A>(
          static_cast<const T*>(in), outer, n, inner, exclusive, reverse, static_cast<T*>(to), A(1),
          [](A& a, T v) { a *= static_cast<A>(v); }, [](A a) { return static_cast<T>(a); });
    });
  });
}

void LogCumSumExp(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse,
                  void* out) {
  if (const DeviceForms* d = FormsHere())
    return d->ForEach("logsums", t, outer * inner, {x, out}, {outer * inner, n, inner, exclusive, reverse});
  Widened(t, x, outer * n * inner, out, [&](DataType w, const void* in, void* to) {
    auto run = [&](auto tag) {
      using T = typename decltype(tag)::type;
      using A = LogSum<T>;
      constexpr T kInf = std::numeric_limits<T>::infinity();
      Scan<A>(
          static_cast<const T*>(in), outer, n, inner, exclusive, reverse, static_cast<T*>(to), A{-kInf, T(0)},
          [](A& a, T v) {
            if (v != v || a.sum != a.sum) {
              a.sum = std::numeric_limits<T>::quiet_NaN();
            } else if (v > a.max) {
              a.sum = a.max == -kInf ? T(1) : a.sum * std::exp(a.max - v) + T(1);
              a.max = v;
            } else if (v != -kInf) {
              a.sum += v == a.max ? T(1) : std::exp(v - a.max);
            }
          },
          [](A a) { return a.sum == T(0) ? -kInf : a.max + std::log(a.sum); });
    };
    if (w == DataType::FLOAT32) return run(Tag<float>{});
    if (w == DataType::FLOAT64) return run(Tag<double>{});
    PD_THROW_DTYPE("[logcumsumexp] expected a floating dtype, got ", NameOf(t));
  });
}

// Sums over j >= i of dout[j] * exp(out[i] - out[j]) follow a recurrence whose exponents are never positive.
void LogCumSumExpGrad(DataType t, const void* x, const void* out, const void* dout, int64_t outer, int64_t n,
                      int64_t inner, bool exclusive, bool reverse, void* dx) {
  if (const DeviceForms* d = FormsHere())
    return d->ForEach("logsums_grad", t, outer * inner, {x, out, dout, dx},
                      {outer * inner, n, inner, exclusive, reverse});
  auto run = [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *xs = static_cast<const T*>(x), *outs = static_cast<const T*>(out), *douts = static_cast<const T*>(dout);
    T* const to = static_cast<T*>(dx);
    auto ratio = [](T a, T b) { return a == -std::numeric_limits<T>::infinity() ? T(0) : std::exp(a - b); };
    ParallelFor(0, outer * inner, std::max<int64_t>(1, kGrain / 8 / n), [&](int64_t b, int64_t e) {
      for (int64_t line = b; line < e; ++line) {
        const int64_t base = line / inner * n * inner + line % inner;
        auto at = [&](int64_t i) { return base + (reverse ? n - 1 - i : i) * inner; };
        T sum(0);
        for (int64_t i = n - 1; i >= 0; --i) {
          if (exclusive) to[at(i)] = i + 1 < n ? ratio(xs[at(i)], outs[at(i + 1)]) * sum : T(0);
          sum = douts[at(i)] + (i + 1 < n ? ratio(outs[at(i)], outs[at(i + 1)]) * sum : T(0));
          if (!exclusive) to[at(i)] = ratio(xs[at(i)], outs[at(i)]) * sum;
        }
      }
    });
  };
  t == DataType::FLOAT64 ? run(Tag<double>{}) : run(Tag<float>{});
}

void CumExtreme(bool max, DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* out,
                DataType index_t, void* indices) {
  if (const DeviceForms* d = FormsHere())
    return d->ForEach("extremes", t, outer * inner, {x, out, indices},
                      {outer * inner, n, inner, max, index_t == DataType::INT32});
  auto run = [&](auto tag, const void* in, void* to) {
    using T = typename decltype(tag)::type;
    const T* src = static_cast<const T*>(in);
    T* dst = static_cast<T*>(to);
    ParallelFor(0, outer * inner, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n)), [&](int64_t b, int64_t e) {
      for (int64_t line = b; line < e; ++line) {
        int64_t base = line / inner * n * inner + line % inner, best = 0;
        for (int64_t k = 0; k < n; ++k) {
          T v = src[base + k * inner], old = src[base + best * inner];
          bool nan = v != v, old_nan = old != old;
          if (k == 0 || nan || (!old_nan && (max ? v >= old : v <= old))) best = k;
          dst[base + k * inner] = src[base + best * inner];
          if (index_t == DataType::INT32)
            static_cast<int32_t*>(indices)[base + k * inner] = static_cast<int32_t>(best);
          else
            static_cast<int64_t*>(indices)[base + k * inner] = best;
        }
      }
    });
  };
  Widened(t, x, outer * n * inner, out, [&](DataType w, const void* in, void* to) {
    DispatchReal(max ? "cummax" : "cummin", w, [&](auto tag) { run(tag, in, to); });
  });
}

}  // namespace phi::cpu
