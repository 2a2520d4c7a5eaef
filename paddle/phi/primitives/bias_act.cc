// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/primitives/bias_act.h"

#include <algorithm>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(void, bias_act_rows, (int act, bool f64, const void* bias, int64_t rows, int64_t n, void* x))

namespace phi::cpu {

Activation ActivationOf(std::string_view name) {
  if (name.empty()) return Activation::kNone;
  if (name == "relu") return Activation::kRelu;
  if (name == "gelu") return Activation::kGelu;
  if (name == "silu" || name == "swish") return Activation::kSilu;
  if (name == "sigmoid") return Activation::kSigmoid;
  if (name == "tanh") return Activation::kTanh;
  return Activation::kUnknown;
}

void BiasActivate(DataType t, Activation act, const void* bias, int64_t rows, int64_t n, void* x) {
  PD_CHECK(t == DataType::FLOAT32 || t == DataType::FLOAT64, Unimplemented,
           "[bias_act] expected float32 or float64, got ", NameOf(t));
  if (rows == 0 || n == 0 || (!bias && act == Activation::kNone)) return;
  auto fn = PD_ISA_CALL(bias_act_rows);
  const int64_t size = SizeOf(t);
  const int64_t grain =
      std::max<int64_t>(1, (act == Activation::kNone || act == Activation::kRelu ? kGrain : kGrain / 8) / n);
  ParallelFor(0, rows, grain, [&](int64_t lo, int64_t hi) {
    fn(static_cast<int>(act), t == DataType::FLOAT64, bias, hi - lo, n, static_cast<char*>(x) + lo * n * size);
  });
}

}  // namespace phi::cpu
