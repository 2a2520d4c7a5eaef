// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/primitives/softmax.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(void, softmax_rows, (int kind, bool f64, const void* a, const void* b, void* c, int64_t rows, int64_t n))
PD_ISA_DECL(void, softmax_columns,
            (int kind, bool f64, const void* a, const void* b, void* c, int64_t n, int64_t w, int64_t ld))

namespace phi::cpu {
namespace {

// Calls `rows_fn(kind, ...)` on rows of the middle axis: straight when inner is 1 and the type computes as itself, else
// row blocks are gathered (transposed, widened) into scratch.
void Run(int kind, DataType t, const void* a, const void* b, int64_t outer, int64_t n, int64_t inner, void* c) {
  PD_CHECK(IsFloating(t), Unimplemented, "[softmax] expected a floating dtype, got ", NameOf(t));
  if (outer * n * inner == 0) return;
  const bool f64 = t == DataType::FLOAT64;
  const DataType math = f64 ? DataType::FLOAT64 : DataType::FLOAT32;
  const int64_t size = SizeOf(t), msize = SizeOf(math);
  auto rows_fn = PD_ISA_CALL(softmax_rows);
  const int64_t grain = std::max<int64_t>(1, 8192 / n);
  if (inner == 1 && t == math) {
    ParallelFor(0, outer, grain, [&](int64_t lo, int64_t hi) {
      auto at = [&](const void* p) { return p ? static_cast<const char*>(p) + lo * n * size : nullptr; };
      rows_fn(kind, f64, at(a), at(b), const_cast<char*>(at(c)), hi - lo, n);
    });
    return;
  }
  auto columns_fn = PD_ISA_CALL(softmax_columns);
  if (inner == 1) {
    ParallelFor(0, outer, grain, [&](int64_t lo, int64_t hi) {
      const int64_t step = std::min(hi - lo, std::max<int64_t>(1, 4096 / n));  // rows widened at a time
      Scratch s(3 * step * n * msize);
      char *ra = s.as<char>(), *rb = ra + step * n * msize, *rc = rb + step * n * msize;
      for (int64_t r = lo; r < hi; r += step) {
        const int64_t k = std::min(step, hi - r), at = r * n * size;
        Convert(t, static_cast<const char*>(a) + at, 1, math, ra, 1, k * n);
        if (b) Convert(t, static_cast<const char*>(b) + at, 1, math, rb, 1, k * n);
        rows_fn(kind, f64, ra, b ? rb : nullptr, rc, k, n);
        Convert(math, rc, 1, t, static_cast<char*>(c) + at, 1, k * n);
      }
    });
    return;
  }
  // Blocks of neighbouring columns at a time.
  const int64_t w = std::min<int64_t>(inner, 128), blocks = (inner + w - 1) / w;
  ParallelFor(0, outer * blocks, std::max<int64_t>(1, grain / w), [&](int64_t lo, int64_t hi) {
    Scratch s(t == math ? 0 : 3 * w * n * msize);
    char *ra = s.as<char>(), *rb = ra + w * n * msize, *rc = rb + w * n * msize;
    for (int64_t job = lo; job < hi; ++job) {
      const int64_t col = job % blocks * w, k = std::min(w, inner - col), at = (job / blocks * n * inner + col) * size;
      const char *pa = static_cast<const char*>(a) + at, *pb = b ? static_cast<const char*>(b) + at : nullptr;
      char* pc = static_cast<char*>(c) + at;
      if (t == math) {
        columns_fn(kind, f64, pa, pb, pc, n, k, inner);
        continue;
      }
      for (int64_t r = 0; r < n; ++r) {
        Convert(t, pa + r * inner * size, 1, math, ra + r * k * msize, 1, k);
        if (b) Convert(t, pb + r * inner * size, 1, math, rb + r * k * msize, 1, k);
      }
      columns_fn(kind, f64, ra, b ? rb : nullptr, rc, n, k, k);
      for (int64_t r = 0; r < n; ++r) Convert(math, rc + r * k * msize, 1, t, pc + r * inner * size, 1, k);
    }
  });
}

}  // namespace

void Softmax(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* out) {
  Run(0, t, x, nullptr, outer, n, inner, out);
}
void LogSoftmax(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* out) {
  Run(1, t, x, nullptr, outer, n, inner, out);
}
void SoftmaxGrad(DataType t, const void* out, const void* dout, int64_t outer, int64_t n, int64_t inner, void* dx) {
  Run(2, t, out, dout, outer, n, inner, dx);
}
void LogSoftmaxGrad(DataType t, const void* out, const void* dout, int64_t outer, int64_t n, int64_t inner, void* dx) {
  Run(3, t, out, dout, outer, n, inner, dx);
}

}  // namespace phi::cpu
