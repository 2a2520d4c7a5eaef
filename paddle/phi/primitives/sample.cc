// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/primitives/sample.h"

#include <algorithm>

#include "paddle/phi/primitives/isa.h"

#define PD_SAMPLE_DECL(name) PD_ISA_DECL(void, name, (const SampleCall& call, int64_t begin, int64_t end))
PD_SAMPLE_DECL(samples_f32)
PD_SAMPLE_DECL(samples_f64)
PD_SAMPLE_DECL(samples_back_f32)
PD_SAMPLE_DECL(samples_back_f64)
PD_SAMPLE_DECL(places_back_f32)
PD_SAMPLE_DECL(places_back_f64)
#undef PD_SAMPLE_DECL

namespace phi::cpu {
namespace {

using Loop = void (*)(const SampleCall&, int64_t, int64_t);

void Run(Loop loop, const SampleCall& call, int64_t tasks, int64_t each) {
  ParallelFor(0, tasks, std::max<int64_t>(1, kGrain / (8 * each + 1)),
              [&](int64_t begin, int64_t end) { loop(call, begin, end); });
}

}  // namespace

void Sample(const SampleCall& call, int64_t images, bool wide) {
  Run(wide ? PD_ISA_CALL(samples_f64) : PD_ISA_CALL(samples_f32), call, SampleBlocks(images, call.places),
      kSampleBlock * call.channels);
}
void SampleGradX(const SampleCall& call, int64_t images, bool wide) {
  Run(wide ? PD_ISA_CALL(samples_back_f64) : PD_ISA_CALL(samples_back_f32), call, images * call.channels, call.places);
}
void SampleGradGrid(const SampleCall& call, int64_t images, bool wide) {
  Run(wide ? PD_ISA_CALL(places_back_f64) : PD_ISA_CALL(places_back_f32), call, SampleBlocks(images, call.places),
      kSampleBlock * call.channels);
}

}  // namespace phi::cpu
