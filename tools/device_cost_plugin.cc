// SPDX-License-Identifier: Apache-2.0
// The least device: the functions that are required, and a copy each way. Everything else has a working default, and
// every op runs on host copies. tools/device_cost.py counts it, trains on it and takes its functions away.
#include <cstdlib>
#include <cstring>

#include "paddle/phi/backends/device_ext.h"

namespace {

C_Status Current(const C_Device) { return C_SUCCESS; }
C_Status Count(size_t* count) {
  *count = 1;
  return C_SUCCESS;
}
C_Status List(size_t* numbers) {
  *numbers = 0;
  return C_SUCCESS;
}
C_Status CreateEvent(const C_Device, C_Event* event) {
  *event = nullptr;
  return C_SUCCESS;
}
C_Status RecordEvent(const C_Device, C_Stream, C_Event) { return C_SUCCESS; }
C_Status OfEvent(const C_Device, C_Event) { return C_SUCCESS; }
C_Status Allocate(const C_Device, void** address, size_t size) {
  *address = std::malloc(size);
  return *address ? C_SUCCESS : C_FAILED;
}
C_Status Deallocate(const C_Device, void* address, size_t) {
  std::free(address);
  return C_SUCCESS;
}
C_Status Copy(const C_Device, void* to, const void* from, size_t size) {
  std::memcpy(to, from, size);
  return C_SUCCESS;
}

}  // namespace

void InitPlugin(CustomRuntimeParams* params) {
  PADDLE_CUSTOM_RUNTIME_CHECK_VERSION(params);
  std::strcpy(params->device_type, "least");
  std::strcpy(params->sub_device_type, "host memory");
  C_DeviceInterface* f = params->interface;
  f->get_device_count = Count;
  f->get_device_list = List;
  f->set_device = Current;
  f->get_device = Current;
  f->create_event = CreateEvent;
  f->record_event = RecordEvent;
  f->synchronize_event = OfEvent;
  f->destroy_event = OfEvent;
  f->device_memory_allocate = Allocate;
  f->device_memory_deallocate = Deallocate;
  f->memory_copy_h2d = Copy;
  f->memory_copy_d2h = Copy;
}
