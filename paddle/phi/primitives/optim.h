// SPDX-License-Identifier: Apache-2.0
// Runs the loops of optimizers (generated from their stanzas) over a parameter, in place, with denormals flushed to
// zero.
#pragma once

#include <vector>

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {

inline constexpr int kMaxUpdatePointers = 8, kMaxUpdateNumbers = 12;

// One step on n elements; ptrs: parameter, gradient, states, all of one compute type.
using UpdateLoop = void (*)(char* const* ptrs, int64_t n, const double* numbers);
// A loop by instruction set (Isa), for float32 and float64.
struct UpdateLoops {
  UpdateLoop of[2][2];
};

// One parameter. t: type of param and grad (f32 f64 f16 bf16). States, master and arithmetic are f64 with f64, else
// f32. master (may be null): the f32 copy of a half parameter; it is updated and param receives the rounded value.
// Without it, a half param is widened, updated, rounded.
struct UpdateArgs {
  DataType t = DataType::FLOAT32;
  DataType grad_t = DataType::FLOAT32;  // t, or FLOAT32 with half params
  int64_t n = 0;
  void* master = nullptr;
  void* ptrs[kMaxUpdatePointers];  // parameter, gradient, states; null where unused
  int pointers = 2;
  bool waits = false;  // all memory of this update outlives an UpdateBatch around the call

  DataType math() const { return t == DataType::FLOAT64 ? DataType::FLOAT64 : DataType::FLOAT32; }
};

// While it lives, updates on this thread that may wait (UpdateArgs::waits, nothing to convert) are collected; Finish,
// or else the destructor, runs them in one loop over all their elements, on as many threads as these are worth. Their
// results are those of updates run one by one, if no update reads or writes what another one writes.
class UpdateBatch {
 public:
  UpdateBatch();
  ~UpdateBatch();
  UpdateBatch(const UpdateBatch&) = delete;
  UpdateBatch& operator=(const UpdateBatch&) = delete;
  void Finish();

  struct Item {
    UpdateLoop loop;
    void* ptrs[kMaxUpdatePointers];
    int pointers;
    int64_t n, size;
    double numbers[kMaxUpdateNumbers];
  };
  void Add(const Item& item) { items_.push_back(item); }

 private:
  UpdateBatch* old_;
  std::vector<Item> items_;
};

// `count` numbers, at most kMaxUpdateNumbers.
void RunUpdate(const UpdateArgs& args, const UpdateLoops& loops, const double* numbers, int count);

// The sum of squares of n elements, in f64; deterministic.
double SumSquares(DataType t, const void* x, int64_t n);

}  // namespace phi::cpu
