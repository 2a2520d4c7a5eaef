// SPDX-License-Identifier: Apache-2.0
// Fourier transforms through MKL.
#include <mkl_dfti.h>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/fft_impl.h"

namespace phi::cpu {
namespace {

void CheckStatus(MKL_LONG status) {
  PD_CHECK(status == DFTI_NO_ERROR, Internal, "[fft] MKL failed: ", DftiErrorMessage(status));
}

class Plan : public FftPlan {
 public:
  explicit Plan(const FftKey& key) : forward_(key.forward), in_place_(key.in_place) {}
  ~Plan() override {
    if (h) DftiFreeDescriptor(&h);
  }
  void Run(char* from, char* to) override {
    if (in_place_)
      CheckStatus(forward_ ? DftiComputeForward(h, from) : DftiComputeBackward(h, from));
    else
      CheckStatus(forward_ ? DftiComputeForward(h, from, to) : DftiComputeBackward(h, from, to));
  }

  DFTI_DESCRIPTOR_HANDLE h = nullptr;

 private:
  bool forward_, in_place_;
};

}  // namespace

std::unique_ptr<FftPlan> MakeFftPlan(const FftKey& key) {
  auto p = std::make_unique<Plan>(key);
  MKL_LONG n[kMaxFftRank], in[kMaxFftRank + 1], out[kMaxFftRank + 1];
  for (int i = 0; i <= key.rank; ++i) {
    if (i < key.rank) n[i] = key.n[i];
    in[i] = key.in[i];
    out[i] = key.out[i];
  }
  const DFTI_CONFIG_VALUE precision = key.is_double ? DFTI_DOUBLE : DFTI_SINGLE;
  const DFTI_CONFIG_VALUE domain = key.kind == FftKind::kC2C ? DFTI_COMPLEX : DFTI_REAL;
  CheckStatus(key.rank == 1 ? DftiCreateDescriptor(&p->h, precision, domain, 1, n[0])
                            : DftiCreateDescriptor(&p->h, precision, domain, key.rank, n));
  CheckStatus(DftiSetValue(p->h, DFTI_PLACEMENT, key.in_place ? DFTI_INPLACE : DFTI_NOT_INPLACE));
  // "Forward" and "backward" name the two domains here: a backward transform reads the backward one.
  const auto from = key.forward ? DFTI_FWD_STRIDES : DFTI_BWD_STRIDES;
  const auto to = key.forward ? DFTI_BWD_STRIDES : DFTI_FWD_STRIDES;
  CheckStatus(DftiSetValue(p->h, from, in));
  CheckStatus(DftiSetValue(p->h, to, key.in_place ? in : out));
  if (key.count > 1) {
    CheckStatus(DftiSetValue(p->h, DFTI_NUMBER_OF_TRANSFORMS, static_cast<MKL_LONG>(key.count)));
    const auto from_step = key.forward ? DFTI_FWD_DISTANCE : DFTI_BWD_DISTANCE;
    const auto to_step = key.forward ? DFTI_BWD_DISTANCE : DFTI_FWD_DISTANCE;
    CheckStatus(DftiSetValue(p->h, from_step, static_cast<MKL_LONG>(key.in_step)));
    CheckStatus(DftiSetValue(p->h, to_step, static_cast<MKL_LONG>(key.out_step)));
  }
  if (key.kind != FftKind::kC2C) CheckStatus(DftiSetValue(p->h, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX));
  CheckStatus(DftiSetValue(p->h, key.forward ? DFTI_FORWARD_SCALE : DFTI_BACKWARD_SCALE, key.scale));
  CheckStatus(DftiCommitDescriptor(p->h));
  return p;
}

}  // namespace phi::cpu
