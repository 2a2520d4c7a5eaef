// SPDX-License-Identifier: Apache-2.0
// What phi keeps for a thread beside the memory it allocates from (thread_memory.h). Plain values that their scopes put
// back: the end of a thread has nothing to do.
#pragma once

#include "paddle/phi/core/kernel_context.h"

namespace phi {

struct EwSeen;
struct EventLog;
class DeviceForms;
namespace cpu {
class UpdateBatch;
}
namespace capi_impl {
struct Loading;
}

struct ThreadState {
  KernelContext kernels;                  // what calls of ops on this thread hand to kernels
  int host_runs = 0;                      // scopes in which new tensors stay on the CPU (device.cc)
  const Place* place = nullptr;           // where new tensors are put instead of the current place (device.cc)
  int apart = 0;                          // scopes that compute without the host's lock (host_lock.cc)
  EwSeen* seen = nullptr;                 // where elementwise ops tell the loop they came down to (ew_run.cc)
  cpu::UpdateBatch* updates = nullptr;    // collects small optimizer steps (optim.cc)
  EventLog* events = nullptr;             // of watched operations; owned by the list of all logs (op_watch.cc)
  const DeviceForms* forms = nullptr;     // of the device that an op's own kernel runs on (device_forms.h)
  capi_impl::Loading* loading = nullptr;  // what a plugin that is being loaded registers (kernel_api.cc)
};
extern thread_local constinit ThreadState t_state;

}  // namespace phi
