// SPDX-License-Identifier: Apache-2.0
// C++14 over the C kernel API: the types kernels are written with, and PD_BUILD_PHI_KERNEL, which registers a kernel
// template
//   template <typename T> void Tanh(const phi::Context& ctx, const phi::DenseTensor& x, phi::DenseTensor* out);
//   PD_BUILD_PHI_KERNEL(tanh, CPU, ALL_LAYOUT, Tanh, float, double) {}
// Header only; lives in an inline namespace so that it never meets the framework's own classes.
#pragma once

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "paddle/phi/capi/include/c_api.h"

namespace phi {
inline namespace capi {

template <typename T>
struct CppTypeToPD;
#define PD_CAPI_TYPE(type, code)               \
  template <>                                  \
  struct CppTypeToPD<type> {                   \
    static constexpr PD_DataType value = code; \
  };
PD_CAPI_TYPE(bool, PD_DATATYPE_BOOL)
PD_CAPI_TYPE(uint8_t, PD_DATATYPE_UINT8)
PD_CAPI_TYPE(int8_t, PD_DATATYPE_INT8)
PD_CAPI_TYPE(int16_t, PD_DATATYPE_INT16)
PD_CAPI_TYPE(int32_t, PD_DATATYPE_INT32)
PD_CAPI_TYPE(int64_t, PD_DATATYPE_INT64)
PD_CAPI_TYPE(float, PD_DATATYPE_FLOAT32)
PD_CAPI_TYPE(double, PD_DATATYPE_FLOAT64)
#undef PD_CAPI_TYPE

// A tensor the framework owns; cheap to copy.
class DenseTensor {
 public:
  DenseTensor() = default;
  explicit DenseTensor(PD_Tensor* raw) : raw_(raw) {}
  bool has_value() const { return raw_ != nullptr; }
  bool initialized() const { return raw_ && PD_TensorIsInitialized(raw_, nullptr); }
  int64_t numel() const { return PD_TensorGetElementCount(raw_, nullptr); }
  PD_DataType dtype() const { return PD_TensorGetPDDataType(raw_, nullptr); }
  std::vector<int64_t> dims() const {
    std::vector<int64_t> d(static_cast<size_t>(PD_TensorGetNumDims(raw_, nullptr)));
    for (size_t i = 0; i < d.size(); ++i) d[i] = PD_TensorGetDim(raw_, i, nullptr);
    return d;
  }
  void Resize(const std::vector<int64_t>& dims) {
    PD_TensorSetDims(raw_, static_cast<int64_t>(dims.size()), dims.data(), nullptr);
  }
  template <typename T>
  T* data() const {
    return static_cast<T*>(PD_TensorGetDataPointer(raw_, nullptr));
  }
  PD_Tensor* raw_data() const { return raw_; }

 private:
  PD_Tensor* raw_ = nullptr;
};

class Context {
 public:
  explicit Context(PD_DeviceContext* raw) : raw_(raw) {}
  // Memory for `out` as its dims say.
  template <typename T>
  T* Alloc(DenseTensor* out, size_t bytes = 0) const {
    return static_cast<T*>(
        PD_DeviceContextAllocateTensor(raw_, out->raw_data(), bytes, CppTypeToPD<T>::value, nullptr));
  }
  void* stream() const { return PD_DeviceContextGetStream(raw_, nullptr); }

 private:
  PD_DeviceContext* raw_;
};

class Scalar {
 public:
  explicit Scalar(PD_Scalar* raw) : raw_(raw) {}
  template <typename T>
  T to() const {
    return std::is_same<T, bool>::value ? static_cast<T>(PD_ScalarGetBoolData(raw_))
           : std::is_integral<T>::value ? static_cast<T>(PD_ScalarGetInt64Data(raw_))
                                        : static_cast<T>(PD_ScalarGetFloat64Data(raw_));
  }

 private:
  PD_Scalar* raw_;
};

class IntArray {
 public:
  explicit IntArray(PD_IntArray* raw) : raw_(raw) {}
  size_t size() const { return PD_IntArrayGetElementCount(raw_); }
  int64_t operator[](size_t i) const { return PD_IntArrayGetElement(raw_, i); }
  std::vector<int64_t> GetData() const {
    std::vector<int64_t> v(size());
    for (size_t i = 0; i < v.size(); ++i) v[i] = (*this)[i];
    return v;
  }

 private:
  PD_IntArray* raw_;
};

// One argument of a kernel: how it is declared, and how it is read from the context. `at` counts inputs, attributes,
// outputs.
struct ArgPositions {
  size_t in = 0, attr = 0, out = 0;
};
enum class ArgRole { kContext, kIn, kAttr, kOut };

template <typename T>
struct KernelArg;
template <>
struct KernelArg<const Context&> {
  static constexpr ArgRole role = ArgRole::kContext;
  static constexpr PD_KernelArgumentType type = PD_ARG_TYPE_CONTEXT;
  static Context Get(PD_KernelContext* c, ArgPositions*) { return Context(PD_KernelContextGetDeviceContext(c)); }
};
template <>
struct KernelArg<const DenseTensor&> {
  static constexpr ArgRole role = ArgRole::kIn;
  static constexpr PD_KernelArgumentType type = PD_ARG_TYPE_TENSOR;
  static DenseTensor Get(PD_KernelContext* c, ArgPositions* p) {
    return DenseTensor(PD_KernelContextInputAt(c, p->in++));
  }
};
// std::vector<DenseTensor>: a Tensor[] argument.
template <>
struct KernelArg<const std::vector<DenseTensor>&> {
  static constexpr ArgRole role = ArgRole::kIn;
  static constexpr PD_KernelArgumentType type = PD_ARG_TYPE_LIST_TENSOR;
  static std::vector<DenseTensor> Get(PD_KernelContext* c, ArgPositions* p) {
    PD_List l = PD_KernelContextMultiInputAt(c, p->in++);
    std::vector<DenseTensor> v;
    for (size_t i = 0; i < l.size; ++i) v.emplace_back(static_cast<PD_Tensor* const*>(l.data)[i]);
    return v;
  }
};
struct OutTensor {
  DenseTensor t;
  operator DenseTensor*() { return t.has_value() ? &t : nullptr; }  // NOLINT: handed to the kernel as its out argument
};
template <>
struct KernelArg<DenseTensor*> {
  static constexpr ArgRole role = ArgRole::kOut;
  static constexpr PD_KernelArgumentType type = PD_ARG_TYPE_TENSOR;
  static OutTensor Get(PD_KernelContext* c, ArgPositions* p) {
    return {DenseTensor(PD_KernelContextOutputAt(c, p->out++))};
  }
};
#define PD_CAPI_ATTR(ctype, code, Getter)                                         \
  template <>                                                                     \
  struct KernelArg<ctype> {                                                       \
    static constexpr ArgRole role = ArgRole::kAttr;                               \
    static constexpr PD_KernelArgumentType type = code;                           \
    static std::decay_t<ctype> Get(PD_KernelContext* c, ArgPositions* p) {        \
      return std::decay_t<ctype>(PD_KernelContext##Getter##AttrAt(c, p->attr++)); \
    }                                                                             \
  };
PD_CAPI_ATTR(bool, PD_ARG_TYPE_BOOL, Bool)
PD_CAPI_ATTR(int32_t, PD_ARG_TYPE_INT32, Int32)
PD_CAPI_ATTR(int64_t, PD_ARG_TYPE_INT64, Int64)
PD_CAPI_ATTR(float, PD_ARG_TYPE_FLOAT32, Float)
PD_CAPI_ATTR(double, PD_ARG_TYPE_FLOAT64, Double)
PD_CAPI_ATTR(const std::string&, PD_ARG_TYPE_STRING, String)
PD_CAPI_ATTR(const Scalar&, PD_ARG_TYPE_SCALAR, Scalar)
PD_CAPI_ATTR(const IntArray&, PD_ARG_TYPE_INT_ARRAY, IntArray)
PD_CAPI_ATTR(PD_DataType, PD_ARG_TYPE_DATA_TYPE, DataType)
#undef PD_CAPI_ATTR
#define PD_CAPI_LIST(elem, code, Getter)                                 \
  template <>                                                            \
  struct KernelArg<const std::vector<elem>&> {                           \
    static constexpr ArgRole role = ArgRole::kAttr;                      \
    static constexpr PD_KernelArgumentType type = code;                  \
    static std::vector<elem> Get(PD_KernelContext* c, ArgPositions* p) { \
      PD_List l = PD_KernelContext##Getter##AttrAt(c, p->attr++);        \
      const elem* d = static_cast<const elem*>(l.data);                  \
      return std::vector<elem>(d, d + l.size);                           \
    }                                                                    \
  };
PD_CAPI_LIST(int32_t, PD_ARG_TYPE_LIST_INT32, ListInt32)
PD_CAPI_LIST(int64_t, PD_ARG_TYPE_LIST_INT64, ListInt64)
PD_CAPI_LIST(float, PD_ARG_TYPE_LIST_FLOAT32, ListFloat)
PD_CAPI_LIST(double, PD_ARG_TYPE_LIST_FLOAT64, ListDouble)
#undef PD_CAPI_LIST

template <typename Fn, Fn fn>
struct KernelAdapter;
template <typename... A, void (*fn)(A...)>
struct KernelAdapter<void (*)(A...), fn> {
  static void Compute(PD_KernelContext* c) {
    try {
      ArgPositions p;
      // Braces evaluate from left to right: each argument takes the next position of its role.
      std::tuple<decltype(KernelArg<A>::Get(c, &p))...> args{KernelArg<A>::Get(c, &p)...};
      Call(args, std::index_sequence_for<A...>());
    } catch (const std::exception& e) { PD_KernelContextSetError(c, e.what()); } catch (...) {
      PD_KernelContextSetError(c, "unknown exception");
    }
  }
  static std::vector<PD_KernelArgumentType> Types(ArgRole role) {
    std::vector<PD_KernelArgumentType> v;
    (void)std::initializer_list<int>{
        (KernelArg<A>::role == role ? (v.push_back(static_cast<PD_KernelArgumentType>(KernelArg<A>::type)), 0) : 0)...};
    return v;
  }

 private:
  template <typename Args, size_t... I>
  static void Call(Args& args, std::index_sequence<I...>) {
    fn(std::get<I>(args)...);
  }
};

template <typename Fn, Fn fn>
bool RegisterKernel(const char* name, const char* backend, PD_DataType dtype, PD_DataLayout layout,
                    void (*args_def)(const PD_KernelKey*, PD_Kernel*)) {
  using K = KernelAdapter<Fn, fn>;
  auto in = K::Types(ArgRole::kIn), attr = K::Types(ArgRole::kAttr), out = K::Types(ArgRole::kOut);
  PD_RegisterPhiKernel(name, backend, dtype, layout, in.size(), in.data(), attr.size(), attr.data(), out.size(),
                       out.data(), args_def, &K::Compute, reinterpret_cast<void*>(fn));
  return true;
}

}  // namespace capi
}  // namespace phi

#define PD_CAPI_LAYOUT_ALL_LAYOUT PD_LAYOUT_ANY
#define PD_CAPI_LAYOUT_ANY PD_LAYOUT_ANY
#define PD_CAPI_LAYOUT_NCHW PD_LAYOUT_NCHW
#define PD_CAPI_LAYOUT_NHWC PD_LAYOUT_NHWC

#define PD_CAPI_CAT_(a, b) a##b
#define PD_CAPI_CAT(a, b) PD_CAPI_CAT_(a, b)
#define PD_CAPI_ONE(name, backend, layout, fn, type)                                                          \
  static const bool PD_CAPI_CAT(pd_kernel_##name##_##backend##_, PD_CAPI_CAT(type, PD_CAPI_CAT(_, __LINE__))) \
      [[gnu::used]] = ::phi::capi::RegisterKernel<decltype(&fn<type>), &fn<type>>(                            \
          #name, #backend, ::phi::capi::CppTypeToPD<type>::value, PD_CAPI_LAYOUT_##layout,                    \
          &pd_args_##name##_##backend);
#define PD_CAPI_1(n, b, l, f, t) PD_CAPI_ONE(n, b, l, f, t)
#define PD_CAPI_2(n, b, l, f, t, ...) PD_CAPI_ONE(n, b, l, f, t) PD_CAPI_1(n, b, l, f, __VA_ARGS__)
#define PD_CAPI_3(n, b, l, f, t, ...) PD_CAPI_ONE(n, b, l, f, t) PD_CAPI_2(n, b, l, f, __VA_ARGS__)
#define PD_CAPI_4(n, b, l, f, t, ...) PD_CAPI_ONE(n, b, l, f, t) PD_CAPI_3(n, b, l, f, __VA_ARGS__)
#define PD_CAPI_5(n, b, l, f, t, ...) PD_CAPI_ONE(n, b, l, f, t) PD_CAPI_4(n, b, l, f, __VA_ARGS__)
#define PD_CAPI_6(n, b, l, f, t, ...) PD_CAPI_ONE(n, b, l, f, t) PD_CAPI_5(n, b, l, f, __VA_ARGS__)
#define PD_CAPI_7(n, b, l, f, t, ...) PD_CAPI_ONE(n, b, l, f, t) PD_CAPI_6(n, b, l, f, __VA_ARGS__)
#define PD_CAPI_8(n, b, l, f, t, ...) PD_CAPI_ONE(n, b, l, f, t) PD_CAPI_7(n, b, l, f, __VA_ARGS__)
#define PD_CAPI_PICK(_1, _2, _3, _4, _5, _6, _7, _8, name, ...) name

// One line in a plugin. The braces behind it are a function body that receives `kernel_key` and `kernel`; they may stay
// empty.
#define PD_BUILD_PHI_KERNEL(kernel_name, backend, layout, fn, ...)                                                     \
  static void pd_args_##kernel_name##_##backend(const PD_KernelKey* kernel_key, PD_Kernel* kernel);                    \
  PD_CAPI_PICK(__VA_ARGS__, PD_CAPI_8, PD_CAPI_7, PD_CAPI_6, PD_CAPI_5, PD_CAPI_4, PD_CAPI_3, PD_CAPI_2, PD_CAPI_1, 0) \
  (kernel_name, backend, layout, fn, __VA_ARGS__) static void pd_args_##kernel_name##_##backend(                       \
      [[gnu::unused]] const PD_KernelKey* kernel_key, [[gnu::unused]] PD_Kernel* kernel)
