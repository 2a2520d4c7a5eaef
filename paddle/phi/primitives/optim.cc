// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/primitives/optim.h"

#include <algorithm>

#include "paddle/phi/core/thread_state.h"
#include "paddle/phi/primitives/denormals.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/isa.h"

namespace phi::cpu {
namespace {

// A loop over elements from one on.
void RunAt(UpdateLoop loop, void* const* ptrs, int pointers, int64_t at, int64_t size, int64_t n,
           const double* numbers) {
  char* moved[kMaxUpdatePointers];
  for (int k = 0; k < pointers; ++k) moved[k] = ptrs[k] ? static_cast<char*>(ptrs[k]) + at * size : nullptr;
  loop(moved, n, numbers);
}

// Elements [lo, hi) of an update that converts, 1024 at a time.
void RunConverted(const UpdateArgs& args, UpdateLoop loop, int64_t lo, int64_t hi, const double* numbers) {
  const DataType math = args.math();
  const int64_t size = SizeOf(math), half = SizeOf(args.t);
  float param_buf[1024], grad_buf[1024];
  for (int64_t at = lo; at < hi; at += 1024) {
    const int64_t n = std::min<int64_t>(1024, hi - at);
    char* ptrs[kMaxUpdatePointers];
    for (int k = 2; k < args.pointers; ++k)
      ptrs[k] = args.ptrs[k] ? static_cast<char*>(args.ptrs[k]) + at * size : nullptr;
    ptrs[1] = static_cast<char*>(args.ptrs[1]) + at * SizeOf(args.grad_t);
    if (args.grad_t != math) {
      Convert(args.grad_t, ptrs[1], 1, math, grad_buf, 1, n);
      ptrs[1] = reinterpret_cast<char*>(grad_buf);
    }
    char* param = static_cast<char*>(args.ptrs[0]) + at * half;
    if (args.master) {
      ptrs[0] = static_cast<char*>(args.master) + at * size;
    } else {
      Convert(args.t, param, 1, math, param_buf, 1, n);
      ptrs[0] = reinterpret_cast<char*>(param_buf);
    }
    loop(ptrs, n, numbers);
    Convert(math, ptrs[0], 1, args.t, param, 1, n);
  }
}

}  // namespace

UpdateBatch::UpdateBatch() : old_(t_state.updates) { t_state.updates = this; }

UpdateBatch::~UpdateBatch() {
  t_state.updates = old_;
  Finish();
}

void UpdateBatch::Finish() {
  int64_t total = 0;
  for (const Item& item : items_) total += item.n;
  ParallelFor(0, total, kGrain, [&](int64_t lo, int64_t hi) {
    FlushDenormals flush;
    int64_t at = 0;  // where an item begins
    for (const Item& item : items_) {
      const int64_t from = std::max(lo - at, int64_t{0}), to = std::min(hi - at, item.n);
      at += item.n;
      if (from < to) RunAt(item.loop, item.ptrs, item.pointers, from, item.size, to - from, item.numbers);
    }
  });
  items_.clear();
}

void RunUpdate(const UpdateArgs& args, const UpdateLoops& loops, const double* numbers, int count) {
  const DataType math = args.math();
  UpdateLoop loop = loops.of[static_cast<int>(CpuIsa())][math == DataType::FLOAT64];
  const int64_t size = SizeOf(math);
  if (args.t != math || args.grad_t != math || args.master) {
    return ParallelFor(0, args.n, kGrain, [&](int64_t lo, int64_t hi) {
      FlushDenormals flush;
      RunConverted(args, loop, lo, hi, numbers);
    });
  }
  if (t_state.updates && args.waits) {
    UpdateBatch::Item item{loop, {}, args.pointers, args.n, size, {}};
    std::copy_n(args.ptrs, args.pointers, item.ptrs);
    std::copy_n(numbers, count, item.numbers);
    return t_state.updates->Add(item);
  }
  auto run = [&](int64_t lo, int64_t hi) {
    FlushDenormals flush;
    RunAt(loop, args.ptrs, args.pointers, lo, size, hi - lo, numbers);
  };
  if (args.n < 4096) return run(0, args.n);
  ParallelFor(0, args.n, kGrain, run);
}

double SumSquares(DataType t, const void* x, int64_t n) {
  double total = 0, buf[1024];
  for (int64_t at = 0; at < n; at += 1024) {
    const int64_t k = std::min<int64_t>(1024, n - at);
    Convert(t, static_cast<const char*>(x) + at * SizeOf(t), 1, DataType::FLOAT64, buf, 1, k);
    double part[8] = {};
    for (int64_t i = 0; i < k; ++i) part[i & 7] += buf[i] * buf[i];
    total += ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  }
  return total;
}

}  // namespace phi::cpu
