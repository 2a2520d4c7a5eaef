// SPDX-License-Identifier: Apache-2.0
// The process's oneDNN engine and streams.
#include "paddle/phi/backends/cpu/onednn.h"

namespace phi::cpu {

const dnnl::engine& OnednnEngine() {
  static const dnnl::engine* e = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *e;
}

dnnl::stream& OnednnStream() {
  thread_local dnnl::stream s(OnednnEngine());
  return s;
}

}  // namespace phi::cpu
