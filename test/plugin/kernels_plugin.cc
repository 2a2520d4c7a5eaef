// SPDX-License-Identifier: Apache-2.0
// A plugin in the manner of PaddleCustomDevice's custom_cpu: a device whose memory is the host's, with kernels that use
// what PaddlePaddle's kernel headers offer: temporaries, shared memory, halves and complex numbers, optional arguments,
// lists of tensors, PD_CHECK, kernels of gradients and of what makes tensors, and names that PaddlePaddle's kernels
// have.
#include <cstdlib>
#include <cstring>
#include <random>

#include "kernels_plugin.h"
#include "paddle/phi/backends/device_ext.h"
#include "paddle/phi/extension.h"

int g_calls = 0;
extern "C" int plugin_calls() { return g_calls; }

namespace phi {
// Plugins add words to the namespace, and say more of its types.
template <typename T>
std::string to_string(const T& v) {
  std::ostringstream text;
  text << v;
  return text.str();
}
template <>
std::string to_string<phi::DataLayout>(const phi::DataLayout& l) {
  return l == phi::DataLayout::NCHW ? "rows" : "another";
}
}  // namespace phi

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
void Fill(const phi::Context& ctx, const phi::DenseTensor&, const phi::Scalar& value, phi::DenseTensor* out) {
  g_calls += 100;  // unlike full_like
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
  PD_CHECK(x.dims().data() != nullptr, "expected memory for a first extent, also of a tensor without dimensions");
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
void FullOf(const phi::Context& ctx, const phi::IntArray& shape, const phi::Scalar& value, phi::DataType dtype,
            phi::DenseTensor* out) {
  ++g_calls;
  auto extents = shape.GetData();
  PD_CHECK(dtype == phi::capi::CppTypeToPDType<T>::Type(), "got %s", dtype);
  out->Resize(std::vector<int64_t>(extents.cbegin(), extents.cend()));
  Full<T>(ctx, value, out);
}

template <typename T>
void Uniform(const phi::Context& ctx, const phi::IntArray& shape, phi::DataType, const phi::Scalar& low,
             const phi::Scalar& high, int seed, phi::DenseTensor* out) {
  ++g_calls;
  out->Resize(shape.GetData());
  T* to = ctx.template Alloc<T>(out);
  auto engine = std::make_shared<std::mt19937_64>();
  engine->seed(static_cast<uint64_t>(seed));
  std::uniform_real_distribution<T> numbers(low.to<T>(), high.to<T>());
  for (int64_t i = 0; i < out->numel(); ++i) to[i] = numbers(*engine);
}

template <typename From, typename To>
void Convert(const phi::Context& ctx, const phi::DenseTensor& x, phi::DenseTensor* out) {
  To* to = ctx.template Alloc<To>(out);
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = static_cast<To>(static_cast<float>(x.data<From>()[i]));
}
template <typename T>
void Cast(const phi::Context& ctx, const phi::DenseTensor& x, phi::DataType dtype, phi::DenseTensor* out) {
  ++g_calls;
  out->Resize(x.dims());
  switch (dtype) {
    case phi::DataType::BOOL: return Convert<T, bool>(ctx, x, out);
    case phi::DataType::INT64: return Convert<T, int64_t>(ctx, x, out);
    case phi::DataType::BFLOAT16: return Convert<T, phi::dtype::bfloat16>(ctx, x, out);
    case phi::DataType::FLOAT32: return Convert<T, float>(ctx, x, out);
    case phi::DataType::COMPLEX128: return Convert<T, phi::dtype::complex<double>>(ctx, x, out);
    default: PD_CHECK(false, "expected another dtype than %s, layout %s", dtype, phi::to_string(x.layout()));
  }
}

template <typename T>
void Transpose(const phi::Context& ctx, const phi::DenseTensor& x, const std::vector<int>& axes,
               phi::DenseTensor* out) {
  ++g_calls;
  const std::vector<int64_t> dims = out->dims(), steps = x.strides();
  PD_CHECK(axes.size() == dims.size(), "%d axes of %d", axes.size(), dims.size());
  T* to = ctx.template Alloc<T>(out);
  for (int64_t i = 0; i < out->numel(); ++i) {
    int64_t rest = i, at = 0;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) at += rest % dims[d] * steps[static_cast<size_t>(axes[d])];
    to[i] = x.data<T>()[at];
  }
}

template <typename T>
void Slice(const phi::Context& ctx, const phi::DenseTensor& x, const std::vector<int64_t>& axes,
           const phi::IntArray& from, const phi::IntArray& ends, const std::vector<int64_t>& flags,
           const std::vector<int64_t>& drop, phi::DenseTensor* out) {
  ++g_calls;
  auto starts = from.GetData();
  PD_CHECK(starts.size() == axes.size() && ends.size() == axes.size() && flags.size() <= axes.size(), "lengths");
  std::vector<int64_t> dims = x.dims(), kept;
  const std::vector<int64_t> steps = x.strides(), all = dims;
  int64_t first = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto a = static_cast<size_t>(axes[i]);
    const int64_t n = all[a], end = ends[i] < 0 ? ends[i] + n : ends[i];
    starts[i] = std::max<int64_t>(starts[i] < 0 ? starts[i] + n : starts[i], 0);
    dims[a] = std::max<int64_t>(std::min(end, n) - starts[i], 0);
    first += starts[i] * steps[a];
  }
  for (size_t d = 0; d < dims.size(); ++d)
    if (std::find(drop.begin(), drop.end(), static_cast<int64_t>(d)) == drop.end()) kept.push_back(dims[d]);
  out->Resize(dims);
  T* to = ctx.template Alloc<T>(out);
  for (int64_t i = 0; i < out->numel(); ++i) {
    int64_t rest = i, at = first;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) at += rest % dims[d] * steps[d];
    to[i] = x.data<T>()[at];
  }
  out->Resize(kept);
}

// The largest of all elements.
template <typename T>
void Max(const phi::Context& ctx, const phi::DenseTensor& x, const phi::IntArray& axes, bool, phi::DenseTensor* out) {
  ++g_calls;
  PD_CHECK(axes.size() == 0 && out->numel() == 1, "expected no axes");
  T* to = ctx.template Alloc<T>(out);
  std::fill(to, to + out->numel(), std::numeric_limits<T>::lowest());
  for (int64_t i = 0; i < x.numel(); ++i) *to = std::max(*to, x.data<T>()[i]);
}

// Of matrices. A gradient that nobody asks for is null.
template <typename T>
void MatmulGrad(const phi::Context& ctx, const phi::DenseTensor& x, const phi::DenseTensor& y,
                const phi::DenseTensor& dout, bool tx, bool ty, phi::DenseTensor* dx, phi::DenseTensor* dy) {
  ++g_calls;
  PD_CHECK(!tx && !ty);
  const int64_t m = x.dims()[0], k = x.dims()[1], n = y.dims()[1];
  T* gx = dx ? ctx.template Alloc<T>(dx) : nullptr;
  T* gy = dy ? ctx.template Alloc<T>(dy) : nullptr;
  if (gx) std::memset(gx, 0, sizeof(T) * static_cast<size_t>(m * k));
  if (gy) std::memset(gy, 0, sizeof(T) * static_cast<size_t>(k * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < k; ++l) {
        const T d = dout.data<T>()[i * n + j];
        if (gx) gx[i * k + l] += d * y.data<T>()[l * n + j];
        if (gy) gy[l * n + j] += d * x.data<T>()[i * k + l];
      }
}

// The label comes first, and the dtype is that of the numbers.
template <typename T>
void CrossEntropyGrad(const phi::Context& ctx, const phi::DenseTensor& label, const phi::DenseTensor& softmax,
                      const phi::DenseTensor& dloss, bool soft, bool use_softmax, bool, int ignored, int,
                      phi::DenseTensor* dx) {
  ++g_calls;
  PD_CHECK(!soft && use_softmax && label.dtype() == phi::DataType::INT64, "expected indices, got %s", label.dtype());
  const int64_t classes = softmax.dims().back(), rows = softmax.numel() / classes;
  T* to = ctx.template Alloc<T>(dx);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t c = 0; c < classes; ++c) {
      const int64_t l = label.data<int64_t>()[i];
      const T p = softmax.data<T>()[i * classes + c], one = c == l ? T(1) : T(0);
      to[i * classes + c] = l == ignored ? T(0) : (p - one) * dloss.data<T>()[i];
    }
}

// Of a type and a context.
template <typename T, typename Context>
void Where(const Context& ctx, const phi::DenseTensor& condition, const phi::DenseTensor& x, const phi::DenseTensor& y,
           phi::DenseTensor* out) {
  ++g_calls;
  PD_CHECK(condition.dtype() == phi::DataType::BOOL && x.dtype() == y.dtype(), "%s, %s", x.dtype(), y.dtype());
  PD_CHECK(x.numel() == out->numel() && y.numel() == out->numel() && condition.numel() == out->numel(), "extents");
  T* to = ctx.template Alloc<T>(out);
  for (int64_t i = 0; i < out->numel(); ++i) to[i] = (condition.data<bool>()[i] ? x : y).template data<T>()[i];
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
PD_BUILD_PHI_KERNEL(fill, rows_cpu, ALL_LAYOUT, rows::Fill, float, int64_t, bool) {}
PD_BUILD_PHI_KERNEL(mean_all, rows_cpu, ALL_LAYOUT, rows::Mean, float, double, phi::dtype::float16) {}
PD_BUILD_PHI_KERNEL(concat, rows_cpu, ALL_LAYOUT, rows::Concat, float, phi::dtype::bfloat16) {}
PD_BUILD_PHI_KERNEL(split_with_num, rows_cpu, ALL_LAYOUT, rows::Split, float) {}
PD_BUILD_PHI_KERNEL(reshape, rows_cpu, ALL_LAYOUT, rows::Reshape, float) {}
PD_BUILD_PHI_KERNEL(sgd, rows_cpu, ALL_LAYOUT, rows::Sgd, float) {}
PD_BUILD_PHI_KERNEL(full, rows_cpu, ALL_LAYOUT, rows::FullOf, float, int64_t, bool) {}
PD_BUILD_PHI_KERNEL(uniform, rows_cpu, ALL_LAYOUT, rows::Uniform, float, double) {}
PD_BUILD_PHI_KERNEL(cast, rows_cpu, ALL_LAYOUT, rows::Cast, phi::dtype::float16) {}
PD_BUILD_PHI_KERNEL(transpose, rows_cpu, ALL_LAYOUT, rows::Transpose, float, int64_t, bool) {}
PD_BUILD_PHI_KERNEL(slice, rows_cpu, NCHW, rows::Slice, float) {}
PD_BUILD_PHI_KERNEL(max, rows_cpu, ANY, rows::Max, float, int32_t) {}
PD_BUILD_PHI_KERNEL(matmul_grad, rows_cpu, ALL_LAYOUT, rows::MatmulGrad, float) {}
PD_BUILD_PHI_KERNEL(cross_entropy_with_softmax_grad, rows_cpu, ALL_LAYOUT, rows::CrossEntropyGrad, float) {}
PD_REGISTER_PLUGIN_KERNEL(where, rows_cpu, ALL_LAYOUT, rows::Where, float, int64_t, phi::dtype::complex<float>) {}
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
