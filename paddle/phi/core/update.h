// SPDX-License-Identifier: Apache-2.0
// One step of an optimizer on one parameter: what generated kernels call to check its tensors and to run its loops.
#pragma once

#include <utility>
#include <vector>

#include "paddle/phi/core/tensor.h"
#include "paddle/phi/primitives/optim.h"

namespace phi {

class Update {
 public:
  // `op` names the optimizer in errors. A gradient of another dtype than the parameter's or float32 is cast.
  Update(const char* op, const Tensor& param, const Tensor& grad, const Tensor& master);
  // Rounds what was widened back into its states.
  ~Update();
  Update(const Update&) = delete;
  Update& operator=(const Update&) = delete;

  // The next pointer of the loops: a state of the parameter's shape, in the compute type or in half precision; memory
  // of the update's own; none.
  void State(const char* name, const Tensor& t);
  void Room();
  void Skip() { Push(nullptr); }

  // A number kept in a tensor: its element k. An empty parameter may have empty ones.
  double Number(const char* name, const Tensor& t, int64_t k) const;
  // Writes it to every element.
  void SetNumber(const Tensor& t, double value) const;
  // The square root of the sum of squares of what a pointer leads to.
  double Norm(int k) const;

  // waits: no later part of the update reads what the loop writes.
  template <size_t N>
  void Run(const cpu::UpdateLoops& loops, const double (&numbers)[N], bool waits) {
    static_assert(N <= cpu::kMaxUpdateNumbers);
    args_.waits = waits && lasts_;
    cpu::RunUpdate(args_, loops, numbers, N);
  }

 private:
  void Push(void* p) { args_.ptrs[args_.pointers++] = p; }

  const char* op_;
  const Tensor& param_;
  Tensor grad_;
  bool lasts_;  // all memory is that of arguments
  cpu::UpdateArgs args_;
  std::vector<std::pair<Tensor, Tensor>> widened_;  // states in half precision, their float32 copies
  std::vector<Tensor> room_;
};

}  // namespace phi
