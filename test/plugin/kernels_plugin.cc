// SPDX-License-Identifier: Apache-2.0
// A plugin in the manner of PaddleCustomDevice's custom_cpu: a device whose memory is the host's, with kernels that use
// what PaddlePaddle's kernel headers offer: temporaries, shared memory, halves and complex numbers, optional arguments,
// lists of tensors, PD_CHECK, and names that PaddlePaddle's kernels have.
#include <cstdlib>
#include <cstring>

#include "paddle/phi/backends/device_ext.h"
#include "paddle/phi/capi/all.h"

static int g_calls = 0;
extern "C" int plugin_calls() { return g_calls; }

namespace rows {

// `in` with `dims`, by copies of its rows along dimensions that it lacks or has once.
template <typename T>
phi::DenseTensor Spread(const phi::Context& ctx, const phi::DenseTensor& in, const std::vector<int64_t>& dims) {
  phi::DenseTensor wide;
  if (in.dims() == dims) {
    wide.ShareDataWith(in);
    PD_CHECK(wide.Holder() == in.Holder() && wide.Holder() != nullptr, "expected shared memory");
    return wide;
  }
  wide.Resize(dims);
  T* to = ctx.template Alloc<T>(&wide);
  const std::vector<int64_t> own = in.dims(), strides = in.strides();
  const size_t lacks = dims.size() - own.size();
  for (int64_t i = 0; i < wide.numel(); ++i) {
    int64_t rest = i, at = 0;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d])
      if (d >= lacks && own[d - lacks] != 1) at += rest % dims[d] * strides[d - lacks];
    to[i] = in.data<T>()[at];
  }
  return wide;
}

template <typename T>
void Add(const phi::Context& ctx, const phi::DenseTensor& x, const phi::DenseTensor& y, phi::DenseTensor* out) {
  ++g_calls;
  const std::vector<int64_t> dims = out->dims();
  PD_CHECK(dims.size() >= x.dims().size(), "rank %d of x above rank %d of the result, 100%%", x.dims().size(),
           dims.size());
  const phi::DenseTensor a = Spread<T>(ctx, x, dims), b = Spread<T>(ctx, y, dims);
  T* to = ctx.template Alloc<T>(out);
  PD_CHECK(out->memory_size() == sizeof(T) * static_cast<size_t>(out->numel()), "%s", out->dtype());
  for (int64_t i = 0; i < out->numel(); ++i) {
    to[i] = a.data<T>()[i];
    to[i] += b.data<T>()[i];
  }
}

template <typename T>
void Full(const phi::Context& ctx, const phi::Scalar& value, phi::DenseTensor* out) {
  T* to = ctx.template Alloc<T>(out);
  for (int64_t i = 0; i < out->numel(); ++i) to[i] = value.to<T>();
}
template <typename T>
void FullLike(const phi::Context& ctx, const phi::DenseTensor& x, const phi::Scalar& value, phi::DataType dtype,
              phi::DenseTensor* out) {
  ++g_calls;
  PD_CHECK(dtype == phi::DataType::UNDEFINED || dtype == phi::CppTypeToPDType<T>::Type(), "got %s and %s", dtype,
           x.dtype());
  Full<T>(ctx, value, out);
}

template <typename T>
void Mean(const phi::Context& ctx, const phi::DenseTensor& x, phi::DenseTensor* out) {
  ++g_calls;
  out->Resize({1});  // as kernels did before tensors without dimensions
  T* to = ctx.template Alloc<T>(out);
  *to = 0;
  for (int64_t i = 0; i < x.numel(); ++i) *to += x.data<T>()[i];
  *to /= static_cast<T>(x.numel());
}

template <typename T>
void Concat(const phi::Context& ctx, const std::vector<const phi::DenseTensor*>& xs, const phi::Scalar& axis,
            phi::DenseTensor* out) {
  ++g_calls;
  PD_CHECK(axis.to<int>() == 0, "expected axis 0, got %d", axis.to<int>());
  T* to = ctx.template Alloc<T>(out);
  for (const phi::DenseTensor* x : xs) {
    std::memcpy(to, x->data<T>(), x->memory_size());
    to += x->numel();
  }
}

template <typename T>
void Split(const phi::Context& ctx, const phi::DenseTensor& x, int num, const phi::Scalar& axis,
           std::vector<phi::DenseTensor*> outs) {
  ++g_calls;
  PD_CHECK(axis.to<int64_t>() == 0 && num == static_cast<int>(outs.size()), "expected axis 0");
  const T* from = x.data<T>();
  for (phi::DenseTensor* out : outs) {
    std::memcpy(ctx.template Alloc<T>(out), from, static_cast<size_t>(out->numel()) * sizeof(T));
    from += out->numel();
  }
}

template <typename T>
void Reshape(const phi::Context& ctx, const phi::DenseTensor& x, const phi::IntArray& shape, phi::DenseTensor* out) {
  ++g_calls;
  PD_CHECK(shape.size() > 0, "expected extents");
  out->Resize({x.numel()});
  out->set_dtype(x.dtype());
  out->set_layout(x.layout());
  out->set_strides({1});
  out->set_offset(0);
  out->share_lod(x);
  std::memcpy(ctx.Alloc(out, x.dtype()), x.data(), x.memory_size());
  out->Resize({x.numel(), 1});  // the elements stay
}

template <typename T>
void Sgd(const phi::Context& ctx, const phi::DenseTensor& param, const phi::DenseTensor& rate,
         const phi::DenseTensor& grad, const paddle::optional<phi::DenseTensor>& master, bool, phi::DenseTensor* out,
         phi::DenseTensor*) {
  ++g_calls;
  PD_CHECK(!master, "expected no master weights, got some of %s", master->dtype());
  T* to = ctx.template Alloc<T>(out);
  for (int64_t i = 0; i < out->numel(); ++i) to[i] = param.data<T>()[i] - *rate.data<T>() * grad.data<T>()[i];
}

template <typename T>
void Values(const phi::Context& ctx, const std::vector<int>&, phi::DataType, const std::vector<phi::Scalar>& values,
            phi::DenseTensor* out) {
  T* to = ctx.template HostAlloc<T>(out);
  for (const phi::Scalar& v : values) *to++ = v.to<T>();
}

}  // namespace rows

PD_BUILD_PHI_KERNEL(add, rows_cpu, ALL_LAYOUT, rows::Add, uint8_t, int8_t, int16_t, int32_t, int64_t, float, double,
                    phi::dtype::float16, phi::dtype::bfloat16, phi::dtype::complex<float>,
                    phi::dtype::complex<double>) {}
PD_BUILD_PHI_KERNEL(full_like, rows_cpu, ALL_LAYOUT, rows::FullLike, bool, uint8_t, int8_t, int16_t, int32_t, int64_t,
                    float, double, phi::dtype::float16, phi::dtype::bfloat16, phi::dtype::complex<float>,
                    phi::dtype::complex<double>) {}
PD_BUILD_PHI_KERNEL(mean_all, rows_cpu, ALL_LAYOUT, rows::Mean, float, double, phi::dtype::float16) {}
PD_BUILD_PHI_KERNEL(concat, rows_cpu, ALL_LAYOUT, rows::Concat, float, phi::dtype::bfloat16) {}
PD_BUILD_PHI_KERNEL(split_with_num, rows_cpu, ALL_LAYOUT, rows::Split, float) {}
PD_BUILD_PHI_KERNEL(reshape, rows_cpu, ALL_LAYOUT, rows::Reshape, float) {}
PD_BUILD_PHI_KERNEL(sgd, rows_cpu, ALL_LAYOUT, rows::Sgd, float) {}
PD_BUILD_PHI_KERNEL(values, rows_cpu, ALL_LAYOUT, rows::Values, float) {}

namespace {
C_Status Nothing(const C_Device) { return C_SUCCESS; }
C_Status NoEvent(const C_Device, C_Event*) { return C_SUCCESS; }
C_Status Record(const C_Device, C_Stream, C_Event) { return C_SUCCESS; }
C_Status OneEvent(const C_Device, C_Event) { return C_SUCCESS; }
C_Status Allocate(const C_Device, void** ptr, size_t size) {
  *ptr = std::malloc(size);
  return *ptr ? C_SUCCESS : C_FAILED;
}
C_Status Deallocate(const C_Device, void* ptr, size_t) {
  std::free(ptr);
  return C_SUCCESS;
}
C_Status Copy(const C_Device, void* dst, const void* src, size_t size) {
  std::memcpy(dst, src, size);
  return C_SUCCESS;
}
C_Status Count(size_t* count) {
  *count = 1;
  return C_SUCCESS;
}
C_Status List(size_t* devices) {
  *devices = 0;
  return C_SUCCESS;
}
char g_type[] = "rows_cpu";
}  // namespace

void InitPlugin(CustomRuntimeParams* params) {
  PADDLE_CUSTOM_RUNTIME_CHECK_VERSION(params);
  params->device_type = g_type;  // a pointer of its own, and a struct that it clears
  std::memset(static_cast<void*>(params->interface), 0, sizeof(C_DeviceInterface));
  C_DeviceInterface* f = params->interface;
  f->set_device = f->get_device = Nothing;
  f->create_event = NoEvent;
  f->record_event = Record;
  f->destroy_event = f->synchronize_event = OneEvent;
  f->device_memory_allocate = Allocate;
  f->device_memory_deallocate = Deallocate;
  f->memory_copy_h2d = f->memory_copy_d2h = f->memory_copy_d2d = Copy;
  f->get_device_count = Count;
  f->get_device_list = List;
}
