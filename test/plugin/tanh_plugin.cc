// SPDX-License-Identifier: Apache-2.0
// A plugin as a vendor writes one: built outside the tree with the public headers alone. It serves tanh and scale for
// float32 on the CPU, counts its calls, refuses an op that does not exist, and announces a device.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "paddle/phi/backends/device_ext.h"
#include "paddle/phi/capi/all.h"

static int g_calls = 0;
extern "C" int plugin_calls() { return g_calls; }

namespace {

template <typename T>
void TanhKernel(const phi::Context& ctx, const phi::DenseTensor& x, phi::DenseTensor* out) {
  ++g_calls;
  T* y = ctx.Alloc<T>(out);
  const T* p = x.data<T>();
  for (int64_t i = 0; i < x.numel(); ++i) y[i] = std::tanh(p[i]);
}

template <typename T>
void ScaleKernel(const phi::Context& ctx, const phi::DenseTensor& x, const phi::Scalar& scale, float bias,
                 bool bias_after_scale, phi::DenseTensor* out) {
  ++g_calls;
  const T s = scale.to<T>();
  if (s == T(13)) throw std::runtime_error("thirteen is not supported");
  T* y = ctx.Alloc<T>(out);
  const T* p = x.data<T>();
  for (int64_t i = 0; i < x.numel(); ++i) y[i] = bias_after_scale ? p[i] * s + T(bias) : (p[i] + T(bias)) * s;
}

template <typename T>
void Nothing(const phi::Context&, const phi::DenseTensor&, phi::DenseTensor*) {}

}  // namespace

PD_BUILD_PHI_KERNEL(tanh, CPU, ALL_LAYOUT, TanhKernel, float) {}
PD_BUILD_PHI_KERNEL(scale, CPU, ALL_LAYOUT, ScaleKernel, float) {}
PD_BUILD_PHI_KERNEL(no_such_op, CPU, ALL_LAYOUT, Nothing, float, double) {}
PD_BUILD_PHI_KERNEL(matmul, CPU, ALL_LAYOUT, Nothing, float) {}

namespace {
C_Status SetDevice(const C_Device) { return C_SUCCESS; }
#ifdef PLUGIN_DOES_NOT_START
C_Status InitDevice(const C_Device) { return C_FAILED; }
#endif
C_Status GetDevice(const C_Device device) {
  device->id = 0;
  return C_SUCCESS;
}
C_Status CreateEvent(const C_Device, C_Event*) { return C_SUCCESS; }
C_Status RecordEvent(const C_Device, C_Stream, C_Event) { return C_SUCCESS; }
C_Status OneEvent(const C_Device, C_Event) { return C_SUCCESS; }
C_Status Allocate(const C_Device, void** ptr, size_t size) {
  *ptr = std::malloc(size);
  return *ptr ? C_SUCCESS : C_FAILED;
}
C_Status Deallocate(const C_Device, void* ptr, size_t) {
  std::free(ptr);
  return C_SUCCESS;
}
C_Status Count(size_t* count) {
  *count = 1;
  return C_SUCCESS;
}
C_Status List(size_t* devices) {
  devices[0] = 0;
  return C_SUCCESS;
}
}  // namespace

extern "C" void InitPlugin(CustomRuntimeParams* params) {
  PADDLE_CUSTOM_RUNTIME_CHECK_VERSION(params);
  std::strcpy(params->device_type, "custom_cpu");
  std::strcpy(params->sub_device_type, "test");
  C_DeviceInterface* f = params->interface;
#ifdef PLUGIN_DOES_NOT_START
  f->init_device = InitDevice;
#endif
  f->set_device = SetDevice;
  f->get_device = GetDevice;
  f->create_event = CreateEvent;
  f->record_event = RecordEvent;
  f->destroy_event = OneEvent;
#ifndef PLUGIN_WITHOUT_SYNC
  f->synchronize_event = OneEvent;
#endif
  f->device_memory_allocate = Allocate;
  f->device_memory_deallocate = Deallocate;
  f->get_device_count = Count;
  f->get_device_list = List;
#ifdef PLUGIN_MAJOR
  params->version.major = PLUGIN_MAJOR;
#endif
#ifdef PLUGIN_MORE_BYTES
  f->size += PLUGIN_MORE_BYTES;
#endif
}
