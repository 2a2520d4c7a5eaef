// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/primitives/special.h"

#include <atomic>
#include <bit>
#include <cmath>

#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(bool, gammas, (int kind, const double* a, const double* x, double* out, int64_t n))
PD_ISA_DECL(void, polygammas, (int order, double factorial, const double* x, double* out, int64_t n))

namespace phi::cpu {

bool IncompleteGamma(GammaKind kind, int64_t n, const double* a, const double* x, double* out) {
  if (const DeviceForms* d = FormsHere()) return d->Gamma(static_cast<int64_t>(kind), n, a, x, out) < 0;
  const auto each = PD_ISA_CALL(gammas);
  std::atomic<bool> fit = true;
  ParallelFor(0, n, 64, [&](int64_t begin, int64_t end) {
    if (!each(static_cast<int>(kind), a + begin, x + begin, out + begin, end - begin)) fit = false;
  });
  return fit;
}

void Polygamma(int64_t order, int64_t n, const double* x, double* out) {
  const double factorial = std::tgamma(static_cast<double>(order + 1));
  if (const DeviceForms* d = FormsHere())
    return d->ForEach("polygamma", DataType::UNDEFINED, n, {x, out}, {n, order, std::bit_cast<int64_t>(factorial)});
  const auto each = PD_ISA_CALL(polygammas);
  ParallelFor(0, n, 512, [&](int64_t begin, int64_t end) {
    each(static_cast<int>(order), factorial, x + begin, out + begin, end - begin);
  });
}

}  // namespace phi::cpu
