// SPDX-License-Identifier: Apache-2.0
// A device as a vendor brings it, built outside the tree with the public headers alone: two "fake_cpu" devices whose
// memory the host cannot read (addresses are marked, so that a stray access faults), a stream with a log of what ran on
// it, and a few float32 kernels. Whatever else is asked for runs on the host.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "paddle/phi/backends/device_ext.h"
#include "paddle/phi/capi/all.h"

struct C_Stream_st {
  int device, pending;
};
struct C_Event_st {
  int recorded;
};

static int g_kernels = 0, g_live = 0, g_allocations = 0, g_streams = 0, g_events = 0, g_current = 0;
extern "C" {
int fake_kernels() { return g_kernels; }
int fake_live() { return g_live; }
int fake_allocations() { return g_allocations; }
int fake_streams() { return g_streams; }
int fake_events() { return g_events; }
}

namespace {

const uintptr_t kMark = uintptr_t(1) << 62;
template <typename T>
T* Real(T* p) {
  uintptr_t a = reinterpret_cast<uintptr_t>(p);
  if (p && !(a & kMark)) throw std::runtime_error("expected device memory, got a host address");
  return reinterpret_cast<T*>(a & ~kMark);
}

template <typename T>
const T* In(const phi::DenseTensor& x) {
  return Real(x.data<T>());
}
template <typename T>
T* Out(const phi::Context& ctx, phi::DenseTensor* out) {
  ++g_kernels;
  if (!ctx.stream()) throw std::runtime_error("expected a stream");
  ++static_cast<C_Stream>(ctx.stream())->pending;
  return Real(ctx.Alloc<T>(out));
}

template <typename T>
void MatmulKernel(const phi::Context& ctx, const phi::DenseTensor& x, const phi::DenseTensor& y, bool tx, bool ty,
                  phi::DenseTensor* out) {
  if (x.dims().size() != 2 || y.dims().size() != 2) throw std::runtime_error("expected matrices");
  const int64_t m = x.dims()[tx ? 1 : 0], k = x.dims()[tx ? 0 : 1], n = y.dims()[ty ? 0 : 1];
  const T *a = In<T>(x), *b = In<T>(y);
  T* c = Out<T>(ctx, out);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += double(a[tx ? l * m + i : i * k + l]) * double(b[ty ? j * k + l : l * n + j]);
      c[i * n + j] = T(sum);
    }
}

template <typename T>
void ReluKernel(const phi::Context& ctx, const phi::DenseTensor& x, phi::DenseTensor* out) {
  const T* p = In<T>(x);
  T* y = Out<T>(ctx, out);
  for (int64_t i = 0; i < x.numel(); ++i) y[i] = std::max(p[i], T(0));
}

template <typename T>
void ReluGradKernel(const phi::Context& ctx, const phi::DenseTensor& out, const phi::DenseTensor& dout,
                    phi::DenseTensor* dx) {
  const T *y = In<T>(out), *g = In<T>(dout);
  T* d = Out<T>(ctx, dx);
  for (int64_t i = 0; i < out.numel(); ++i) d[i] = y[i] > 0 ? g[i] : T(0);
}

template <typename T>
void SgdKernel(const phi::Context& ctx, const phi::DenseTensor& param, const phi::DenseTensor& rate,
               const phi::DenseTensor& grad, const phi::DenseTensor& master, bool, phi::DenseTensor* param_out,
               phi::DenseTensor*) {
  if (master.has_value()) throw std::runtime_error("expected no master weights");
  const T *p = In<T>(param), *g = In<T>(grad), lr = *In<T>(rate);
  T* q = Out<T>(ctx, param_out);
  for (int64_t i = 0; i < param.numel(); ++i) q[i] = p[i] - lr * g[i];
}

}  // namespace

PD_BUILD_PHI_KERNEL(matmul, fake_cpu, ALL_LAYOUT, MatmulKernel, float) {}
PD_BUILD_PHI_KERNEL(relu, fake_cpu, ALL_LAYOUT, ReluKernel, float) {}
PD_BUILD_PHI_KERNEL(relu_grad, fake_cpu, ALL_LAYOUT, ReluGradKernel, float) {}
PD_BUILD_PHI_KERNEL(sgd_, fake_cpu, ALL_LAYOUT, SgdKernel, float) {}

namespace {

C_Status SetDevice(const C_Device device) {
  g_current = device->id;
  return C_SUCCESS;
}
C_Status GetDevice(const C_Device device) {
  device->id = g_current;
  return C_SUCCESS;
}
C_Status CreateStream(const C_Device device, C_Stream* stream) {
  ++g_streams;
  *stream = new C_Stream_st{device->id, 0};
  return C_SUCCESS;
}
C_Status DestroyStream(const C_Device, C_Stream stream) {
  --g_streams;
  delete stream;
  return C_SUCCESS;
}
C_Status QueryStream(const C_Device, C_Stream stream) { return stream->pending ? C_FAILED : C_SUCCESS; }
C_Status SynchronizeStream(const C_Device, C_Stream stream) {
  stream->pending = 0;
  return C_SUCCESS;
}
C_Status SynchronizeDevice(const C_Device) { return C_SUCCESS; }
C_Status CreateEvent(const C_Device, C_Event* event) {
  ++g_events;
  *event = new C_Event_st{0};
  return C_SUCCESS;
}
C_Status DestroyEvent(const C_Device, C_Event event) {
  --g_events;
  delete event;
  return C_SUCCESS;
}
C_Status RecordEvent(const C_Device, C_Stream, C_Event event) {
  event->recorded = 1;
  return C_SUCCESS;
}
C_Status SynchronizeEvent(const C_Device, C_Event event) { return event->recorded ? C_SUCCESS : C_FAILED; }

constexpr size_t kMemory = size_t(1) << 26;

C_Status Allocate(const C_Device, void** ptr, size_t size) {
  if (size > kMemory) return C_FAILED;
  void* p = std::malloc(size);
  if (!p) return C_FAILED;
  ++g_live;
  ++g_allocations;
  *ptr = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(p) | kMark);
  return C_SUCCESS;
}
C_Status Deallocate(const C_Device, void* ptr, size_t) {
  --g_live;
  std::free(Real(ptr));
  return C_SUCCESS;
}
C_Status ToDevice(const C_Device, C_Stream, void* dst, const void* src, size_t size) {
  std::memcpy(Real(dst), src, size);
  return C_SUCCESS;
}
C_Status ToHost(const C_Device, void* dst, const void* src, size_t size) {
  std::memcpy(dst, Real(src), size);
  return C_SUCCESS;
}
C_Status Within(const C_Device, void* dst, const void* src, size_t size) {
  std::memcpy(Real(dst), Real(src), size);
  return C_SUCCESS;
}
C_Status Count(size_t* count) {
  *count = 2;
  return C_SUCCESS;
}
C_Status List(size_t* devices) {
  devices[0] = 0;
  devices[1] = 1;
  return C_SUCCESS;
}
C_Status MemoryStats(const C_Device, size_t* total, size_t* free) {
  *total = kMemory;
  *free = kMemory / 2;
  return C_SUCCESS;
}

}  // namespace

extern "C" void InitPlugin(CustomRuntimeParams* params) {
  PADDLE_CUSTOM_RUNTIME_CHECK_VERSION(params);
  std::strcpy(params->device_type, "fake_cpu");
  std::strcpy(params->sub_device_type, "test");
  C_DeviceInterface* f = params->interface;
  f->set_device = SetDevice;
  f->get_device = GetDevice;
  f->create_stream = CreateStream;
  f->destroy_stream = DestroyStream;
  f->query_stream = QueryStream;
  f->synchronize_stream = SynchronizeStream;
  f->synchronize_device = SynchronizeDevice;
  f->create_event = CreateEvent;
  f->record_event = RecordEvent;
  f->destroy_event = DestroyEvent;
  f->synchronize_event = SynchronizeEvent;
  f->device_memory_allocate = Allocate;
  f->device_memory_deallocate = Deallocate;
  f->async_memory_copy_h2d = ToDevice;
  f->memory_copy_d2h = ToHost;
  f->memory_copy_d2d = Within;
  f->get_device_count = Count;
  f->get_device_list = List;
  f->device_memory_stats = MemoryStats;
}
