// SPDX-License-Identifier: Apache-2.0
// C++14 over the C kernel API: the types kernels are written with, and PD_BUILD_PHI_KERNEL, which registers a kernel
// template
//   template <typename T> void Tanh(const phi::Context& ctx, const phi::DenseTensor& x, phi::DenseTensor* out);
//   PD_BUILD_PHI_KERNEL(tanh, CPU, ALL_LAYOUT, Tanh, float, double) {}
// or, of a template over the type and the context, PD_REGISTER_PLUGIN_KERNEL.
// Header only; lives in an inline namespace so that it never meets the framework's own classes.
#pragma once

#include <exception>
#include <initializer_list>
#include <tuple>

#include "paddle/phi/capi/include/types.h"

namespace phi {
inline namespace capi {

using LoD = std::vector<std::vector<size_t>>;

// A tensor of the framework: an argument of the kernel, or one of its own that lives as long as its copies. Cheap to
// copy; what is changed is what all copies show.
class DenseTensor {
 public:
  // One of the kernel's own, without memory: Resize and Context::Alloc follow.
  DenseTensor() : own_(PD_NewTensor(), PD_DeleteTensor), raw_(own_.get()) {}
  explicit DenseTensor(PD_Tensor* raw) : raw_(raw) {}
  bool has_value() const { return raw_ != nullptr; }
  bool valid() const { return raw_ && PD_TensorIsValid(raw_, nullptr); }
  bool initialized() const { return raw_ && PD_TensorIsInitialized(raw_, nullptr); }
  int64_t numel() const { return PD_TensorGetElementCount(There(), nullptr); }
  // Bytes of the elements.
  size_t memory_size() const { return static_cast<size_t>(PD_TensorGetByteSize(There(), nullptr)); }
  DataType dtype() const { return static_cast<DataType>(PD_TensorGetPDDataType(There(), nullptr)); }
  DataLayout layout() const { return static_cast<DataLayout>(PD_TensorGetDataLayout(There(), nullptr)); }
  std::vector<int64_t> dims() const {
    auto d = WithRoom(PD_TensorGetNumDims(There(), nullptr));
    for (size_t i = 0; i < d.size(); ++i) d[i] = PD_TensorGetDim(There(), i, nullptr);
    return d;
  }
  // In elements; those of row-major memory unless the kernel asked for others.
  std::vector<int64_t> strides() const {
    auto s = WithRoom(PD_TensorGetNumDims(There(), nullptr));
    for (size_t i = 0; i < s.size(); ++i) s[i] = PD_TensorGetStride(There(), i, nullptr);
    return s;
  }
  // Where the elements begin in Holder(); data() counts it already.
  int64_t offset() const { return PD_TensorGetOffset(There(), nullptr); }
  // Identifies the memory: equal for tensors that share it, null without memory.
  const void* Holder() const { return PD_TensorGetHolder(There(), nullptr); }

  void Resize(const std::vector<int64_t>& dims) {
    Did("Resize", [&](PD_Status* s) { PD_TensorSetDims(There(), static_cast<int64_t>(dims.size()), dims.data(), s); });
  }
  void set_dtype(DataType t) {
    Did("set_dtype", [&](PD_Status* s) { PD_TensorSetDataType(There(), static_cast<PD_DataType>(t), s); });
  }
  void set_layout(DataLayout l) {
    Did("set_layout", [&](PD_Status* s) { PD_TensorSetDataLayout(There(), static_cast<PD_DataLayout>(l), s); });
  }
  // Results are row-major from their memory's start: other strides and offsets are refused.
  void set_strides(const std::vector<int64_t>& strides) {
    Did("set_strides",
        [&](PD_Status* s) { PD_TensorSetStrides(There(), static_cast<int64_t>(strides.size()), strides.data(), s); });
  }
  void set_offset(int64_t offset) {
    Did("set_offset", [&](PD_Status* s) { PD_TensorSetOffset(There(), offset, s); });
  }
  // The memory and the dims of `from`, which keeps them.
  void ShareDataWith(const DenseTensor& from) {
    Did("ShareDataWith", [&](PD_Status* s) { PD_TensorShareDataWith(There(), from.There(), s); });
  }
  // Tensors of kernels have no levels of detail.
  LoD lod() const { return {}; }
  void ResetLoD(const LoD& lod) {
    PD_CHECK(lod.empty(), "[ResetLoD] expected no levels of detail, got %d", lod.size());
  }
  void share_lod(const DenseTensor& from) { ResetLoD(from.lod()); }

  template <typename T>
  T* data() const {
    return static_cast<T*>(PD_TensorGetDataPointer(There(), nullptr));
  }
  void* data() const { return PD_TensorGetDataPointer(There(), nullptr); }
  PD_Tensor* raw_data() const { return raw_; }

 private:
  template <typename F>
  void Did(const char* what, F f) {
    PD_Status s = PD_STATUS_OK;
    f(&s);
    PD_CHECK(s == PD_STATUS_OK, "[%s] expected what this tensor can become, got a refusal", what);
  }
  // Kernels written before tensors without dimensions read the first extent of what has none: memory is there, a 1.
  static std::vector<int64_t> WithRoom(int64_t n) {
    std::vector<int64_t> v(static_cast<size_t>(n) + 1, 1);
    v.pop_back();
    return v;
  }
  // An optional tensor that a kernel takes as one that is there, and reads, may be absent.
  PD_Tensor* There() const {
    PD_CHECK(raw_ != nullptr, "got an optional tensor that is absent");
    return raw_;
  }
  std::shared_ptr<PD_Tensor> own_;
  PD_Tensor* raw_ = nullptr;
};

class Context {
 public:
  explicit Context(PD_DeviceContext* raw) : raw_(raw) {}
  // Memory on the kernel's device for `out` as its dims say; `bytes` is a lower bound.
  template <typename T>
  T* Alloc(DenseTensor* out, size_t bytes = 0) const {
    return static_cast<T*>(Alloc(out, CppTypeToPDType<T>::Type(), bytes));
  }
  void* Alloc(DenseTensor* out, DataType dtype, size_t bytes = 0) const {
    return PD_DeviceContextAllocateTensor(raw_, out->raw_data(), bytes, static_cast<PD_DataType>(dtype), nullptr);
  }
  // The same in memory of the host.
  template <typename T>
  T* HostAlloc(DenseTensor* out, size_t bytes = 0) const {
    return static_cast<T*>(HostAlloc(out, CppTypeToPDType<T>::Type(), bytes));
  }
  void* HostAlloc(DenseTensor* out, DataType dtype, size_t bytes = 0) const {
    return PD_DeviceContextHostAllocateTensor(raw_, out->raw_data(), bytes, static_cast<PD_DataType>(dtype), nullptr);
  }
  void* stream() const { return PD_DeviceContextGetStream(raw_, nullptr); }

 private:
  PD_DeviceContext* raw_;
};

// The context by the name that templates over it have for the one of plugins.
using CustomContext = Context;

// Where a creation op is asked to put its result.
class Place {
 public:
  explicit Place(PD_Place* raw) : host_(PD_PlaceIsHost(raw)), id_(PD_PlaceGetDeviceId(raw)) {}
  bool is_host() const { return host_; }
  int8_t GetDeviceID() const { return id_; }

 private:
  bool host_;
  int8_t id_;
};

// A number of any kind.
class Scalar {
 public:
  explicit Scalar(PD_Scalar* raw)
      : dtype_(static_cast<DataType>(PD_ScalarGetDataType(raw))), i_(PD_ScalarGetInt64Data(raw)) {
    PD_ScalarGetComplex128Data(raw, parts_);
  }
  template <typename N, typename = typename std::enable_if<std::is_arithmetic<N>::value>::type>
  Scalar(N v)  // NOLINT: numbers are scalars
      : dtype_(CppTypeToPDType<N>::Type()), i_(std::is_integral<N>::value ? static_cast<int64_t>(v) : 0) {
    parts_[0] = static_cast<double>(v);
  }
  DataType dtype() const { return dtype_; }
  template <typename T>
  T to() const {
    return To(static_cast<T*>(nullptr));
  }

 private:
  template <typename T>
  T To(T*) const {
    const bool whole = dtype_ == DataType::BOOL || dtype_ == DataType::INT64 || dtype_ == DataType::INT32;
    return whole ? static_cast<T>(i_) : static_cast<T>(parts_[0]);
  }
  template <typename T>
  dtype::complex<T> To(dtype::complex<T>*) const {
    return {static_cast<T>(parts_[0]), static_cast<T>(parts_[1])};
  }
  DataType dtype_;
  int64_t i_ = 0;
  double parts_[2] = {0, 0};
};

class IntArray {
 public:
  explicit IntArray(PD_IntArray* raw) {
    for (size_t i = 0, n = PD_IntArrayGetElementCount(raw); i < n; ++i) v_.push_back(PD_IntArrayGetElement(raw, i));
  }
  IntArray(std::vector<int64_t> v) : v_(std::move(v)) {}  // NOLINT: a list of numbers
  IntArray(std::initializer_list<int64_t> v) : v_(v) {}   // NOLINT: a list of numbers
  size_t size() const { return v_.size(); }
  int64_t operator[](size_t i) const { return v_[i]; }
  const std::vector<int64_t>& GetData() const { return v_; }

 private:
  std::vector<int64_t> v_;
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
template <>
struct KernelArg<const paddle::optional<DenseTensor>&> {
  static constexpr ArgRole role = ArgRole::kIn;
  static constexpr PD_KernelArgumentType type = PD_ARG_TYPE_OPTIONAL_TENSOR;
  static paddle::optional<DenseTensor> Get(PD_KernelContext* c, ArgPositions* p) {
    PD_Tensor* raw = PD_KernelContextInputAt(c, p->in++);
    return raw ? paddle::optional<DenseTensor>(DenseTensor(raw)) : paddle::optional<DenseTensor>();
  }
};
// A Tensor[] argument.
inline std::vector<DenseTensor> TensorsOf(PD_List l) {
  std::vector<DenseTensor> v;
  for (size_t i = 0; i < l.size; ++i) v.emplace_back(static_cast<PD_Tensor* const*>(l.data)[i]);
  return v;
}
template <>
struct KernelArg<const std::vector<DenseTensor>&> {
  static constexpr ArgRole role = ArgRole::kIn;
  static constexpr PD_KernelArgumentType type = PD_ARG_TYPE_LIST_TENSOR;
  static std::vector<DenseTensor> Get(PD_KernelContext* c, ArgPositions* p) {
    return TensorsOf(PD_KernelContextMultiInputAt(c, p->in++));
  }
};
// Tensors by their addresses, which live as long as this.
template <typename Pointer>
struct TensorPointers {
  std::shared_ptr<std::vector<DenseTensor>> tensors;
  std::vector<Pointer> pointers;
  explicit TensorPointers(PD_List l) : tensors(std::make_shared<std::vector<DenseTensor>>(TensorsOf(l))) {
    for (DenseTensor& t : *tensors) pointers.push_back(t.has_value() ? &t : nullptr);
  }
  operator const std::vector<Pointer>&() const { return pointers; }  // NOLINT: handed to the kernel as its argument
};
template <>
struct KernelArg<const std::vector<const DenseTensor*>&> {
  static constexpr ArgRole role = ArgRole::kIn;
  static constexpr PD_KernelArgumentType type = PD_ARG_TYPE_LIST_TENSOR;
  static TensorPointers<const DenseTensor*> Get(PD_KernelContext* c, ArgPositions* p) {
    return TensorPointers<const DenseTensor*>(PD_KernelContextMultiInputAt(c, p->in++));
  }
};
// A Tensor[] argument that may be left out, which an empty one is.
struct OptionalTensorPointers {
  TensorPointers<const DenseTensor*> all;
  paddle::optional<std::vector<const DenseTensor*>> given;
  explicit OptionalTensorPointers(PD_List l) : all(l) {
    if (l.size) given = all.pointers;
  }
  operator const paddle::optional<std::vector<const DenseTensor*>>&() const { return given; }  // NOLINT: an argument
};
template <>
struct KernelArg<const paddle::optional<std::vector<const DenseTensor*>>&> {
  static constexpr ArgRole role = ArgRole::kIn;
  static constexpr PD_KernelArgumentType type = PD_ARG_TYPE_OPTIONAL_MULTI_TENSOR;
  static OptionalTensorPointers Get(PD_KernelContext* c, ArgPositions* p) {
    return OptionalTensorPointers(PD_KernelContextMultiInputAt(c, p->in++));
  }
};
template <>
struct KernelArg<std::vector<DenseTensor*>> {
  static constexpr ArgRole role = ArgRole::kOut;
  static constexpr PD_KernelArgumentType type = PD_ARG_TYPE_LIST_TENSOR;
  static TensorPointers<DenseTensor*> Get(PD_KernelContext* c, ArgPositions* p) {
    return TensorPointers<DenseTensor*>(PD_KernelContextMultiOutputAt(c, p->out++));
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
PD_CAPI_ATTR(DataType, PD_ARG_TYPE_DATA_TYPE, DataType)
PD_CAPI_ATTR(const Place&, PD_ARG_TYPE_PLACE, Place)
#undef PD_CAPI_ATTR
#define PD_CAPI_LIST(elem, stored, code, Getter)                         \
  template <>                                                            \
  struct KernelArg<const std::vector<elem>&> {                           \
    static constexpr ArgRole role = ArgRole::kAttr;                      \
    static constexpr PD_KernelArgumentType type = code;                  \
    static std::vector<elem> Get(PD_KernelContext* c, ArgPositions* p) { \
      PD_List l = PD_KernelContext##Getter##AttrAt(c, p->attr++);        \
      auto* d = static_cast<stored const*>(l.data);                      \
      return std::vector<elem>(d, d + l.size);                           \
    }                                                                    \
  };
PD_CAPI_LIST(bool, uint8_t, PD_ARG_TYPE_LIST_BOOL, ListBool)
PD_CAPI_LIST(int32_t, int32_t, PD_ARG_TYPE_LIST_INT32, ListInt32)
PD_CAPI_LIST(int64_t, int64_t, PD_ARG_TYPE_LIST_INT64, ListInt64)
PD_CAPI_LIST(float, float, PD_ARG_TYPE_LIST_FLOAT32, ListFloat)
PD_CAPI_LIST(double, double, PD_ARG_TYPE_LIST_FLOAT64, ListDouble)
PD_CAPI_LIST(std::string, const char*, PD_ARG_TYPE_LIST_STRING, ListString)
#undef PD_CAPI_LIST
template <>
struct KernelArg<const std::vector<Scalar>&> {
  static constexpr ArgRole role = ArgRole::kAttr;
  static constexpr PD_KernelArgumentType type = PD_ARG_TYPE_LIST_SCALAR;
  static std::vector<Scalar> Get(PD_KernelContext* c, ArgPositions* p) {
    PD_List l = PD_KernelContextListScalarAttrAt(c, p->attr++);
    std::vector<Scalar> v;
    for (size_t i = 0; i < l.size; ++i) v.emplace_back(static_cast<PD_Scalar* const*>(l.data)[i]);
    return v;
  }
};

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
#define PD_CAPI_LAYOUT_NCDHW PD_LAYOUT_NCDHW
#define PD_CAPI_LAYOUT_NDHWC PD_LAYOUT_NDHWC
#define PD_CAPI_LAYOUT_STRIDED PD_LAYOUT_STRIDED

#define PD_CAPI_CAT_(a, b) a##b
#define PD_CAPI_CAT(a, b) PD_CAPI_CAT_(a, b)
// Kernels of a type: `fn` is a template over it alone, or over it and the context.
#define PD_CAPI_BUILD(name, backend, layout, fn, ...) \
  PD_CAPI_ONE(name, backend, layout, (&fn<__VA_ARGS__>), __VA_ARGS__)
#define PD_CAPI_PLUGIN(name, backend, layout, fn, ...) \
  PD_CAPI_ONE(name, backend, layout, (&fn<__VA_ARGS__, ::phi::CustomContext>), __VA_ARGS__)
#define PD_CAPI_ONE(name, backend, layout, kernel, ...)                                                   \
  static const bool PD_CAPI_CAT(pd_kernel_##name##_##backend##_, __COUNTER__) [[gnu::used]] =             \
      ::phi::capi::RegisterKernel<decltype(kernel), kernel>(#name, #backend,                              \
                                                            ::phi::capi::CppTypeToPD<__VA_ARGS__>::value, \
                                                            PD_CAPI_LAYOUT_##layout, &pd_args_##name##_##backend);
#define PD_CAPI_1(m, n, b, l, f, t) m(n, b, l, f, t)
#define PD_CAPI_2(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_1(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_3(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_2(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_4(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_3(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_5(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_4(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_6(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_5(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_7(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_6(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_8(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_7(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_9(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_8(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_10(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_9(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_11(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_10(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_12(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_11(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_13(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_12(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_14(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_13(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_15(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_14(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_16(m, n, b, l, f, t, ...) m(n, b, l, f, t) PD_CAPI_15(m, n, b, l, f, __VA_ARGS__)
#define PD_CAPI_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, name, ...) name
#define PD_CAPI_KERNELS(m, kernel_name, backend, layout, fn, ...)                                                    \
  static void pd_args_##kernel_name##_##backend(const PD_KernelKey* kernel_key, PD_Kernel* kernel);                  \
  PD_CAPI_PICK(__VA_ARGS__, PD_CAPI_16, PD_CAPI_15, PD_CAPI_14, PD_CAPI_13, PD_CAPI_12, PD_CAPI_11, PD_CAPI_10,      \
               PD_CAPI_9, PD_CAPI_8, PD_CAPI_7, PD_CAPI_6, PD_CAPI_5, PD_CAPI_4, PD_CAPI_3, PD_CAPI_2, PD_CAPI_1, 0) \
  (m, kernel_name, backend, layout, fn, __VA_ARGS__) static void pd_args_##kernel_name##_##backend(                  \
      [[gnu::unused]] const PD_KernelKey* kernel_key, [[gnu::unused]] PD_Kernel* kernel)

// One line in a plugin, for up to 16 types. The braces behind it are a function body that receives `kernel_key` and
// `kernel`; they may stay empty.
#define PD_BUILD_PHI_KERNEL(kernel_name, backend, layout, fn, ...) \
  PD_CAPI_KERNELS(PD_CAPI_BUILD, kernel_name, backend, layout, fn, __VA_ARGS__)
// The same for a template over the type and the context.
#define PD_REGISTER_PLUGIN_KERNEL(kernel_name, backend, layout, fn, ...) \
  PD_CAPI_KERNELS(PD_CAPI_PLUGIN, kernel_name, backend, layout, fn, __VA_ARGS__)
