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

namespace phi::cpu {
namespace {

// Calls `rows_fn(kind, ...)` on rows of the middle axis: straight when inner is 1 and the type computes as itself, else row blocks are
// gathered (transposed, widened) into scratch.
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
  // Blocks of `w` neighbouring columns at a time.
  const int64_t w = inner == 1 ? 1 : std::min<int64_t>(inner, 16), blocks = (inner + w - 1) / w;
  ParallelFor(0, outer * blocks, std::max<int64_t>(1, grain / w), [&](int64_t lo, int64_t hi) {
    std::vector<char> ra(w * n * msize), rb(b ? w * n * msize : 0), rc(w * n * msize);
    for (int64_t job = lo; job < hi; ++job) {
      const int64_t o = job / blocks, col = job % blocks * w, k = std::min(w, inner - col);
      auto gather = [&](const void* p, std::vector<char>& row) {
        for (int64_t j = 0; j < k; ++j)
          Convert(t, static_cast<const char*>(p) + (o * n * inner + col + j) * size, inner, math, row.data() + j * n * msize, 1, n);
      };
      gather(a, ra);
      if (b) gather(b, rb);
      rows_fn(kind, f64, ra.data(), b ? rb.data() : nullptr, rc.data(), k, n);
      for (int64_t j = 0; j < k; ++j)
        Convert(math, rc.data() + j * n * msize, 1, t, static_cast<char*>(c) + (o * n * inner + col + j) * size, inner, n);
    }
  });
}

}  // namespace

void Softmax(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* out) { Run(0, t, x, nullptr, outer, n, inner, out); }
void LogSoftmax(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* out) { Run(1, t, x, nullptr, outer, n, inner, out); }
void SoftmaxGrad(DataType t, const void* out, const void* dout, int64_t outer, int64_t n, int64_t inner, void* dx) {
  Run(2, t, out, dout, outer, n, inner, dx);
}
void LogSoftmaxGrad(DataType t, const void* out, const void* dout, int64_t outer, int64_t n, int64_t inner, void* dx) {
  Run(3, t, out, dout, outer, n, inner, dx);
}

}  // namespace phi::cpu
