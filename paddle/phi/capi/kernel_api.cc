// SPDX-License-Identifier: Apache-2.0
// The C kernel API over the op registry: argument access, memory, and the adapter that calls a plugin's kernel for an
// op.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>

#include "paddle/phi/capi/include/c_api.h"
#include "paddle/phi/capi/registry.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/phi/core/thread_state.h"

using common::Ints;
using paddle::Tensor;
using phi::DataType;

// A tensor as a kernel sees it: contiguous memory, or the dims and dtype it will have.
struct PD_Tensor {
  Tensor t;
  Ints dims;
  DataType dtype = DataType::UNDEFINED;
  bool is_output = false;
};
struct PD_DeviceContext {
  phi::KernelContext context;
};
struct PD_Scalar {
  phi::Scalar value;
};
struct PD_IntArray {
  Ints value;
};
struct PD_Place {
  phi::Place value;
};
struct PD_KernelContext {
  const phi::OpDef* op = nullptr;
  const phi::AttrValue* attrs = nullptr;
  PD_DeviceContext device;
  std::deque<PD_Tensor> tensors;  // stable addresses
  std::vector<std::vector<PD_Tensor*>> inputs, outputs;
  const std::vector<uint8_t>* passed = nullptr;  // the op's number of each attribute the kernel takes
  std::deque<PD_Scalar> scalars;
  std::deque<std::vector<PD_Scalar*>> scalar_lists;
  std::deque<PD_IntArray> arrays;
  std::deque<PD_Place> places;
  std::deque<std::string> strings;
  std::deque<std::vector<const char*>> string_lists;
  std::deque<std::vector<uint8_t>> flags;
  std::deque<std::vector<int32_t>> ints;
  std::deque<std::vector<int64_t>> longs;
  std::deque<std::vector<float>> floats;
  std::deque<std::vector<double>> doubles;
  std::string error;
};

namespace {

constexpr DataType kTypes[] = {DataType::UNDEFINED, DataType::BOOL,      DataType::UINT8,     DataType::UNDEFINED,
                               DataType::UNDEFINED, DataType::UNDEFINED, DataType::INT8,      DataType::INT16,
                               DataType::INT32,     DataType::INT64,     DataType::FLOAT16,   DataType::FLOAT32,
                               DataType::FLOAT64,   DataType::BFLOAT16,  DataType::COMPLEX64, DataType::COMPLEX128};

DataType FromPD(PD_DataType t) { return static_cast<size_t>(t) < std::size(kTypes) ? kTypes[t] : DataType::UNDEFINED; }
PD_DataType ToPD(DataType t) {
  for (size_t i = 1; i < std::size(kTypes); ++i)
    if (t != DataType::UNDEFINED && kTypes[i] == t) return static_cast<PD_DataType>(i);
  return PD_DATATYPE_UNDEFINED;
}

std::string TypeName(PD_DataType t) {
  static const char* const without_tensors[] = {"uint16", "uint32", "uint64"};
  if (t >= PD_DATATYPE_UINT16 && t <= PD_DATATYPE_UINT64) return without_tensors[t - PD_DATATYPE_UINT16];
  return std::string(phi::NameOf(FromPD(t)));
}
const char* LayoutName(PD_DataLayout l) {
  static const char* const names[] = {"ANY", "NHWC", "NCHW", "NCDHW", "NDHWC", "STRIDED"};
  return static_cast<size_t>(l) < std::size(names) ? names[l] : "an unknown one";
}

// Runs `f`; on an exception sets the status and gives `fallback`.
template <class R, class F>
R Safely(PD_Status* status, R fallback, F f) noexcept {
  try {
    R r = f();
    if (status) *status = PD_STATUS_OK;
    return r;
  } catch (...) {
    if (status) *status = PD_STATUS_FAILED;
    return fallback;
  }
}
// The same for a kernel's argument; the reason becomes the kernel's error.
template <class R, class F>
R Argument(PD_KernelContext* ctx, R fallback, F f) noexcept {
  try {
    return f();
  } catch (const std::exception& e) {
    if (ctx && ctx->error.empty()) ctx->error = e.what();
    return fallback;
  }
}
const phi::AttrValue& AttrAt(PD_KernelContext* ctx, size_t i) {
  PD_CHECK(i < ctx->passed->size(), OutOfRange, "[", ctx->op->name, "] expected an attribute number below ",
           ctx->passed->size(), ", got ", i);
  return ctx->attrs[(*ctx->passed)[i]];
}
template <class T>
T Attr(PD_KernelContext* ctx, size_t i) {
  const phi::AttrValue& v = AttrAt(ctx, i);
  return phi::AttrAs<T>(v, ctx->op->name, ctx->op->attrs[(*ctx->passed)[i]]->name);
}
int32_t ToInt32(const PD_KernelContext* ctx, size_t i, int64_t v) {
  PD_CHECK(v == static_cast<int32_t>(v), OutOfRange, "[", ctx->op->name, "] expected '",
           ctx->op->attrs[(*ctx->passed)[i]]->name, "' to fit in int32, which the kernel takes, got ", v);
  return static_cast<int32_t>(v);
}
const Ints& DimsOf(const PD_Tensor* t) { return t->t.defined() ? t->t.dims() : t->dims; }
Ints RowMajorStrides(const Ints& dims) {
  Ints s(dims.begin(), dims.end());
  int64_t step = 1;
  for (int64_t i = static_cast<int64_t>(dims.size()); i-- > 0; step *= std::max<int64_t>(dims[i], 1)) s[i] = step;
  return s;
}
// The same elements as rows of other extents.
Tensor Reshaped(const Tensor& t, const Ints& dims) { return phi::ViewOf(t, dims, RowMajorStrides(dims), t->offset()); }

struct PluginKernel {
  std::string op;
  std::vector<uint8_t> passed;  // as in PD_KernelContext
  void (*fn)(PD_KernelContext*);
};

bool Fits(const Tensor& t, const PD_Tensor& want) {
  return t.defined() && t.is_contiguous() && t.dtype() == want.dtype && t.dims() == want.dims;
}

// The operands, each as the plugin sees it, and what the op's rule says of its results.
std::vector<std::vector<phi::Meta>> TakeInputs(PD_KernelContext& ctx, const phi::InSlot* in) {
  const phi::OpDef& op = *ctx.op;
  std::vector<std::vector<phi::Meta>> metas(op.tensors.size()), results(op.outs.size());
  std::vector<phi::MetaSlot> slots(op.tensors.size());
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    ctx.inputs.emplace_back();
    for (int k = 0; k < in[i].n; ++k) {
      const Tensor& t = in[i].p[k];
      if (!t.defined()) {
        ctx.inputs.back().push_back(nullptr);
        continue;
      }
      metas[i].push_back(t.meta());
      ctx.tensors.push_back({phi::Contiguous(t), t.dims(), t.dtype(), false});
      ctx.inputs.back().push_back(&ctx.tensors.back());
    }
    slots[i] = {metas[i].data(), static_cast<int>(metas[i].size())};
  }
  op.Infer(slots.data(), ctx.attrs, results.data());
  return results;
}

// Of each output whose memory is an input's, the input's position, else -1.
std::vector<int> InputsWrittenTo(const phi::OpDef& op, const phi::InSlot* in) {
  std::vector<int> same(op.outs.size(), -1);
  for (size_t k = 0; k < op.outs.size(); ++k)
    for (size_t i = 0; op.outs[k].same_as_input && i < op.tensors.size(); ++i)
      if (std::strcmp(op.tensors[i]->name, op.outs[k].same_as_input) == 0 && in[i].n == 1 && in[i].p[0].defined())
        same[k] = static_cast<int>(i);
  return same;
}

bool IsInput(const PD_KernelContext& ctx, const Tensor& buffer) {
  for (const auto& list : ctx.inputs)
    for (const PD_Tensor* t : list)
      if (t && t->t->storage().get() == buffer->storage().get()) return true;
  return false;
}

void MakeOutputs(PD_KernelContext& ctx, const std::vector<std::vector<phi::Meta>>& results,
                 const std::vector<int>& same, const phi::OutSlot* outs) {
  for (size_t k = 0; k < results.size(); ++k) {
    ctx.outputs.emplace_back();
    if (!outs[k].p && !outs[k].list) continue;
    if (same[k] >= 0) {
      PD_Tensor own = *ctx.inputs[same[k]][0];
      own.is_output = true;
      ctx.outputs.back().push_back(&ctx.tensors.emplace_back(std::move(own)));
      continue;
    }
    for (const phi::Meta& m : results[k]) {
      ctx.tensors.push_back({Tensor(), common::ToInts(m.dims), m.dtype, true});
      PD_Tensor& out = ctx.tensors.back();
      ctx.outputs.back().push_back(&out);
      // A buffer that is there is used, unless an input lives in it.
      if (outs[k].p && Fits(*outs[k].p, out) && !IsInput(ctx, *outs[k].p)) out.t = *outs[k].p;
    }
  }
}

// Hands what the kernel made for one output to the caller; `into` is the input whose memory that is, if any.
void GiveOutput(const std::vector<PD_Tensor*>& made, const Tensor* into, const phi::OutSlot& out) {
  if (out.list) {
    out.list->clear();
    for (PD_Tensor* t : made) out.list->push_back(t->t);
  } else if (into && out.p) {
    const Tensor& from = made[0]->t;
    if ((*into)->storage().get() != from->storage().get()) phi::CopyInto(from, *into);
    *out.p = *into;
  } else if (out.p && !made.empty()) {
    Tensor& to = *out.p;
    const Tensor& from = made[0]->t;
    if (to.defined() && !to.is_same(from) && to.dims() == from.dims() && to.dtype() == from.dtype())
      phi::CopyInto(from, to);
    else
      to = from;
  }
}

void RunPluginKernel(void* self, const phi::KernelContext& context, const phi::OpDef& op, const phi::InSlot* in,
                     const phi::AttrValue* attrs, phi::OutSlot* outs) {
  const auto& kernel = *static_cast<PluginKernel*>(self);
  PD_KernelContext ctx;
  ctx.device.context = context;
  ctx.op = &op;
  ctx.attrs = attrs;
  ctx.passed = &kernel.passed;
  const std::vector<std::vector<phi::Meta>> results = TakeInputs(ctx, in);
  const std::vector<int> same = InputsWrittenTo(op, in);
  MakeOutputs(ctx, results, same, outs);
  kernel.fn(&ctx);
  PD_CHECK(ctx.error.empty(), PreconditionNotMet, "[", op.name, "] the plugin's kernel failed: ", ctx.error);
  for (size_t k = 0; k < op.outs.size(); ++k) {
    for (size_t j = 0; j < ctx.outputs[k].size(); ++j) {
      PD_Tensor* t = ctx.outputs[k][j];
      PD_CHECK(t->t.defined(), PreconditionNotMet, "[", op.name, "] expected the plugin's kernel to allocate output ",
               op.outs[k].name);
      // Kernels written before tensors without dimensions leave [1] there.
      if (same[k] >= 0 || j >= results[k].size()) continue;
      const Ints rule = common::ToInts(results[k][j].dims);
      if (t->t.dims() != rule && common::Product(rule) == t->t.numel()) t->t = Reshaped(t->t, rule);
    }
    GiveOutput(ctx.outputs[k], same[k] >= 0 ? &in[same[k]].p[0] : nullptr, outs[k]);
  }
}

struct Staged {
  std::string op;
  DataType dtype;
  phi::Place place;
  PluginKernel* kernel;
};
void Publish(const std::vector<Staged>& kernels) {
  std::vector<phi::NewKernel> all;
  for (const Staged& s : kernels) all.push_back({s.op, s.dtype, s.place, {RunPluginKernel, s.kernel}});
  phi::RegisterExternalKernels(all);
}

// The op's attributes that a kernel with `n` takes: all, or all but places, which kernels know from their context.
std::vector<uint8_t> Passed(const phi::OpDef& op, size_t n) {
  std::vector<uint8_t> all, but_places;
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    all.push_back(static_cast<uint8_t>(i));
    if (op.attrs[i]->attr_index != phi::AttrValue(phi::Place{}).index()) but_places.push_back(all.back());
  }
  return n == all.size() ? all : but_places;
}

// What is read alike: any number as another, any list of numbers as another.
enum class Kind { kNumber, kNumbers, kText, kTexts, kDtype, kPlace, kOther };
const char* NameOf(Kind k) {
  static const char* const names[] = {"a number",    "a list of numbers", "a string",    "a list of strings",
                                      "a data type", "a place",           "another kind"};
  return names[static_cast<int>(k)];
}
Kind KindOf(PD_KernelArgumentType t) {
  if (t >= PD_ARG_TYPE_BOOL && t <= PD_ARG_TYPE_INT64) return Kind::kNumber;
  switch (t) {
    case PD_ARG_TYPE_SCALAR: return Kind::kNumber;
    case PD_ARG_TYPE_STRING: return Kind::kText;
    case PD_ARG_TYPE_LIST_STRING: return Kind::kTexts;
    case PD_ARG_TYPE_DATA_TYPE: return Kind::kDtype;
    case PD_ARG_TYPE_PLACE: return Kind::kPlace;
    case PD_ARG_TYPE_INT_ARRAY:
    case PD_ARG_TYPE_LIST_SCALAR: return Kind::kNumbers;
    default: return t >= PD_ARG_TYPE_LIST_BOOL && t <= PD_ARG_TYPE_LIST_FLOAT64 ? Kind::kNumbers : Kind::kOther;
  }
}
Kind KindOf(const phi::ArgDef& attr) {
  const auto is = [&](const phi::AttrValue& v) { return attr.attr_index == v.index(); };
  if (is(std::string())) return Kind::kText;
  if (is(std::vector<std::string>())) return Kind::kTexts;
  if (is(DataType::UNDEFINED)) return Kind::kDtype;
  if (is(phi::Place{})) return Kind::kPlace;
  const bool one = is(false) || is(int32_t{0}) || is(int64_t{0}) || is(0.0f) || is(0.0) || is(phi::Scalar(0.0));
  return one ? Kind::kNumber : Kind::kNumbers;
}

// Why the declaration does not match the op; empty when it does.
std::string Mismatch(const phi::OpDef& op, size_t nin, const PD_KernelArgumentType* in, size_t nattr,
                     const PD_KernelArgumentType* attrs, size_t nout, const std::vector<uint8_t>& passed) {
  std::string what;
  auto count = [&](const char* name, size_t want, size_t got) {
    if (what.empty() && want != got)
      what = "expected " + std::to_string(want) + " " + name + " arguments, got " + std::to_string(got);
  };
  count("tensor", op.tensors.size(), nin);
  count("attribute", nattr == passed.size() ? nattr : op.attrs.size(), nattr);
  count("output", op.outs.size(), nout);
  for (size_t i = 0; what.empty() && i < nin; ++i) {
    const bool list = in[i] == PD_ARG_TYPE_LIST_TENSOR || in[i] == PD_ARG_TYPE_OPTIONAL_MULTI_TENSOR;
    if ((op.tensors[i]->kind == phi::ArgDef::kTensorList) != list)
      what = std::string("expected ") + (list ? "one tensor" : "a list of tensors") + " as " + op.tensors[i]->name;
  }
  for (size_t i = 0; what.empty() && i < nattr; ++i) {
    const phi::ArgDef& attr = *op.attrs[passed[i]];
    if (KindOf(attr) != KindOf(attrs[i]))
      what = std::string("expected ") + NameOf(KindOf(attr)) + " as " + attr.name + ", got " + NameOf(KindOf(attrs[i]));
  }
  return what;
}

}  // namespace

namespace phi::capi_impl {

struct Loading {
  LoadedKernels names;
  std::vector<Staged> kernels;
};

// Libraries that no plugin's report speaks of, such as those of operators, are told on stderr.
static void Refuse(const std::string& kernel, const std::string& why) {
  if (t_state.loading)
    t_state.loading->names.rejected.push_back(kernel + ": " + why);
  else
    std::fprintf(stderr, "[PD_RegisterPhiKernel] %s was refused: %s\n", kernel.c_str(), why.c_str());
}

void BeginLoading() { t_state.loading = new Loading; }
LoadedKernels CommitLoading() {
  const std::unique_ptr<Loading> done(std::exchange(t_state.loading, nullptr));
  Publish(done->kernels);
  return std::move(done->names);
}
LoadedKernels DropLoading() {
  const std::unique_ptr<Loading> done(std::exchange(t_state.loading, nullptr));
  for (const Staged& s : done->kernels) delete s.kernel;
  return std::move(done->names);
}

}  // namespace phi::capi_impl

#define PD_API extern "C" __attribute__((visibility("default")))

PD_API void PD_RegisterPhiKernel(const char* name, const char* backend, PD_DataType pd_dtype, PD_DataLayout layout,
                                 size_t in_nargs, PD_KernelArgumentType* in_args, size_t attr_nargs,
                                 PD_KernelArgumentType* attr_args, size_t out_nargs, PD_KernelArgumentType*,
                                 void (*)(const PD_KernelKey*, PD_Kernel*), void (*fn)(PD_KernelContext*), void*) {
  try {
    DataType dtype = FromPD(pd_dtype);
    const std::string label = std::string(name) + "(" + TypeName(pd_dtype) + ", " + backend + ")";
    const phi::OpDef* op = phi::FindOpDef(name);
    if (!op) op = phi::FindOpDef(std::string(name) + "_");
    std::string why;
    std::vector<uint8_t> passed;
    if (!op || (op->flags & phi::kOpInternal))
      why = "there is no op of this name";
    else if (dtype == DataType::UNDEFINED)
      why = "there are no tensors of this data type";
    else if (layout != PD_LAYOUT_ANY && layout != PD_LAYOUT_NCHW)
      why = std::string("expected ALL_LAYOUT, ANY or NCHW, which tensors have here, got ") + LayoutName(layout);
    else
      why = Mismatch(*op, in_nargs, in_args, attr_nargs, attr_args, out_nargs, passed = Passed(*op, attr_nargs));
    if (why.empty() && !fn) why = "no kernel function";
    if (!why.empty()) return phi::capi_impl::Refuse(label, why);
    phi::Place place;
    if (std::strcmp(backend, "CPU") != 0) place = {phi::AllocationType::CUSTOM, 0, phi::CustomDeviceIndex(backend)};
    Staged s{op->name, dtype, place, new PluginKernel{op->name, std::move(passed), fn}};
    if (auto* loading = phi::t_state.loading) {
      loading->names.accepted.push_back(label);
      loading->kernels.push_back(s);
    } else {
      Publish({s});
    }
  } catch (const std::exception& e) { phi::capi_impl::Refuse(name, e.what()); }
}

// --- tensors

PD_API PD_DataType PD_TensorGetPDDataType(PD_Tensor* t, PD_Status* s) {
  return Safely(s, PD_DATATYPE_UNDEFINED, [&] { return ToPD(t->t.defined() ? t->t.dtype() : t->dtype); });
}
PD_API PD_DataLayout PD_TensorGetDataLayout(PD_Tensor*, PD_Status* s) {
  return Safely(s, PD_LAYOUT_ANY, [&] { return PD_LAYOUT_NCHW; });
}
PD_API int64_t PD_TensorGetElementCount(PD_Tensor* t, PD_Status* s) {
  return Safely(s, int64_t{0}, [&] { return common::Product(DimsOf(t)); });
}
PD_API int64_t PD_TensorGetByteSize(PD_Tensor* t, PD_Status* s) {
  DataType dtype = t->t.defined() ? t->t.dtype() : t->dtype;
  return PD_TensorGetElementCount(t, s) * (dtype == DataType::UNDEFINED ? 0 : static_cast<int64_t>(phi::SizeOf(dtype)));
}
PD_API int64_t PD_TensorGetNumDims(PD_Tensor* t, PD_Status* s) {
  return Safely(s, int64_t{0}, [&] { return static_cast<int64_t>(DimsOf(t).size()); });
}
PD_API int64_t PD_TensorGetDim(PD_Tensor* t, size_t i, PD_Status* s) {
  return Safely(s, int64_t{0}, [&] {
    PD_CHECK(i < static_cast<size_t>(DimsOf(t).size()), OutOfRange, "expected a dimension below ", DimsOf(t).size(),
             ", got ", i);
    return static_cast<int64_t>(DimsOf(t)[static_cast<int64_t>(i)]);
  });
}
PD_API bool PD_TensorIsInitialized(PD_Tensor* t, PD_Status* s) {
  return Safely(s, false, [&] { return t->t.defined(); });
}
PD_API bool PD_TensorIsValid(PD_Tensor* t, PD_Status* s) {
  return Safely(s, false, [&] { return t != nullptr; });
}
PD_API void* PD_TensorGetDataPointer(PD_Tensor* t, PD_Status* s) {
  return Safely(s, static_cast<void*>(nullptr),
                [&] { return t->t.defined() && t->t->storage() ? t->t.raw_data() : nullptr; });
}
PD_API void PD_TensorSetDims(PD_Tensor* t, int64_t n, const int64_t* dims, PD_Status* s) {
  Safely(s, 0, [&] {
    PD_CHECK(t->is_output || !t->t.defined(), PreconditionNotMet, "expected an output, got an input");
    Ints d;
    for (int64_t i = 0; i < n; ++i) {
      PD_CHECK(dims[i] >= 0, InvalidArgument, "expected extents of at least 0, got ", dims[i]);
      d.push_back(dims[i]);
    }
    if (t->t.defined() && t->t.dims() != d) t->t = common::Product(d) == t->t.numel() ? Reshaped(t->t, d) : Tensor();
    t->dims = d;
    return 0;
  });
}
PD_API void PD_TensorSetDataType(PD_Tensor* t, PD_DataType dtype, PD_Status* s) {
  Safely(s, 0, [&] {
    PD_CHECK(t->is_output || !t->t.defined(), PreconditionNotMet, "expected an output, got an input");
    t->dtype = FromPD(dtype);
    if (t->t.defined() && t->t.dtype() != t->dtype) t->t.reset();
    return 0;
  });
}
PD_API void PD_TensorShareDataWith(PD_Tensor* dst, const PD_Tensor* src, PD_Status* s) {
  Safely(s, 0, [&] {
    PD_CHECK(dst->is_output && src->t.defined(), PreconditionNotMet,
             "expected an output and a tensor with memory, got an input or none");
    dst->t = phi::ViewOf(src->t, src->t.dims(), src->t.strides(), src->t->offset());
    return 0;
  });
}
PD_API void PD_TensorSetDataLayout(PD_Tensor* t, PD_DataLayout layout, PD_Status* s) {
  Safely(s, 0, [&] {
    PD_CHECK(t->is_output && (layout == PD_LAYOUT_NCHW || layout == PD_LAYOUT_ANY), PreconditionNotMet,
             "expected an output of layout NCHW, got ", static_cast<int>(layout));
    return 0;
  });
}
PD_API int64_t PD_TensorGetStride(PD_Tensor* t, size_t i, PD_Status* s) {
  return Safely(s, int64_t{0}, [&] {
    const auto n = static_cast<size_t>(DimsOf(t).size());
    PD_CHECK(i < n, OutOfRange, "expected a dimension below ", n, ", got ", i);
    const Ints strides = t->t.defined() ? t->t.strides() : RowMajorStrides(t->dims);
    return static_cast<int64_t>(strides[static_cast<int64_t>(i)]);
  });
}
PD_API void PD_TensorSetStrides(PD_Tensor* t, int64_t n, const int64_t* strides, PD_Status* s) {
  Safely(s, 0, [&] {
    PD_CHECK(t->is_output && common::RowMajor(DimsOf(t), Ints(strides, strides + n)), PreconditionNotMet,
             "expected an output and the strides of row-major memory");
    return 0;
  });
}
PD_API int64_t PD_TensorGetOffset(PD_Tensor* t, PD_Status* s) {
  return Safely(s, int64_t{0}, [&] { return t->t.defined() ? t->t->offset() : int64_t{0}; });
}
PD_API void PD_TensorSetOffset(PD_Tensor* t, int64_t offset, PD_Status* s) {
  Safely(s, 0, [&] {
    PD_CHECK(t->is_output && offset == 0, PreconditionNotMet, "expected an output and the offset 0, got ", offset);
    return 0;
  });
}
PD_API void* PD_TensorGetHolder(PD_Tensor* t, PD_Status* s) {
  return Safely(s, static_cast<void*>(nullptr),
                [&]() -> void* { return t->t.defined() ? t->t->storage().get() : nullptr; });
}
PD_API PD_Tensor* PD_NewTensor(void) {
  return Safely(nullptr, static_cast<PD_Tensor*>(nullptr), [] {
    return new PD_Tensor{Tensor(), {}, DataType::UNDEFINED, true};
  });
}
PD_API void PD_DeleteTensor(PD_Tensor* t) { delete t; }

// --- device context

PD_API void* PD_DeviceContextAllocateTensor(const PD_DeviceContext* ctx, PD_Tensor* t, size_t size,
                                            PD_DataType pd_dtype, PD_Status* s) {
  return Safely(s, static_cast<void*>(nullptr), [&] {
    DataType dtype = FromPD(pd_dtype);
    PD_CHECK(dtype != DataType::UNDEFINED, InvalidType, "expected a known data type, got ", static_cast<int>(pd_dtype));
    if (!t->t.defined() || t->t.dtype() != dtype || t->t.dims() != t->dims) {
      PD_CHECK(t->is_output, PreconditionNotMet, "expected an output, got an input");
      t->dtype = dtype;
      t->t = phi::Empty(t->dims, dtype, ctx->context.place);
    }
    size_t bytes = static_cast<size_t>(t->t.numel()) * phi::SizeOf(dtype);
    PD_CHECK(size <= bytes, InvalidArgument, "expected at most the ", bytes, " bytes the dims need, got ", size);
    return t->t.numel() ? t->t.raw_data() : nullptr;
  });
}
PD_API void* PD_DeviceContextHostAllocateTensor(const PD_DeviceContext* ctx, PD_Tensor* t, size_t size,
                                                PD_DataType dtype, PD_Status* s) {
  PD_DeviceContext host = *ctx;
  host.context.place = {};
  return PD_DeviceContextAllocateTensor(&host, t, size, dtype, s);
}
PD_API void* PD_DeviceContextGetStream(const PD_DeviceContext* ctx, PD_Status* s) {
  return Safely(s, static_cast<void*>(nullptr), [&] { return ctx->context.stream; });
}

// --- arguments

PD_API PD_DeviceContext* PD_KernelContextGetDeviceContext(PD_KernelContext* ctx) { return &ctx->device; }
PD_API PD_Tensor* PD_KernelContextInputAt(PD_KernelContext* ctx, size_t i) {
  return i < ctx->inputs.size() && !ctx->inputs[i].empty() ? ctx->inputs[i][0] : nullptr;
}
PD_API PD_List PD_KernelContextMultiInputAt(PD_KernelContext* ctx, size_t i) {
  if (i >= ctx->inputs.size()) return {0, nullptr};
  return {ctx->inputs[i].size(), ctx->inputs[i].data()};
}
PD_API PD_Tensor* PD_KernelContextOutputAt(PD_KernelContext* ctx, size_t i) {
  return i < ctx->outputs.size() && !ctx->outputs[i].empty() ? ctx->outputs[i][0] : nullptr;
}
PD_API PD_List PD_KernelContextMultiOutputAt(PD_KernelContext* ctx, size_t i) {
  if (i >= ctx->outputs.size()) return {0, nullptr};
  return {ctx->outputs[i].size(), ctx->outputs[i].data()};
}
PD_API bool PD_KernelContextBoolAttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, false, [&] { return Attr<bool>(c, i); });
}
PD_API int32_t PD_KernelContextInt32AttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, int32_t{0}, [&] { return ToInt32(c, i, Attr<int64_t>(c, i)); });
}
PD_API int64_t PD_KernelContextInt64AttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, int64_t{0}, [&] { return Attr<int64_t>(c, i); });
}
PD_API float PD_KernelContextFloatAttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, 0.0f, [&] { return static_cast<float>(Attr<double>(c, i)); });
}
PD_API double PD_KernelContextDoubleAttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, 0.0, [&] { return Attr<double>(c, i); });
}
PD_API const char* PD_KernelContextStringAttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, "", [&] { return c->strings.emplace_back(Attr<std::string>(c, i)).c_str(); });
}
PD_API PD_DataType PD_KernelContextDataTypeAttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, PD_DATATYPE_UNDEFINED, [&] { return ToPD(Attr<DataType>(c, i)); });
}
PD_API PD_Scalar* PD_KernelContextScalarAttrAt(PD_KernelContext* c, size_t i) {
  static PD_Scalar zero;
  return Argument(c, &zero, [&] { return &c->scalars.emplace_back(PD_Scalar{Attr<phi::Scalar>(c, i)}); });
}
PD_API PD_IntArray* PD_KernelContextIntArrayAttrAt(PD_KernelContext* c, size_t i) {
  static PD_IntArray none;
  return Argument(c, &none, [&] { return &c->arrays.emplace_back(PD_IntArray{Attr<Ints>(c, i)}); });
}
PD_API PD_List PD_KernelContextListInt32AttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, PD_List{0, nullptr}, [&] {
    auto& l = c->ints.emplace_back();
    for (int64_t v : Attr<Ints>(c, i)) l.push_back(ToInt32(c, i, v));
    return PD_List{l.size(), l.data()};
  });
}
PD_API PD_List PD_KernelContextListInt64AttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, PD_List{0, nullptr}, [&] {
    Ints v = Attr<Ints>(c, i);
    auto& l = c->longs.emplace_back(v.begin(), v.end());
    return PD_List{l.size(), l.data()};
  });
}
PD_API PD_List PD_KernelContextListFloatAttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, PD_List{0, nullptr}, [&] {
    std::vector<double> v = Attr<std::vector<double>>(c, i);
    auto& l = c->floats.emplace_back(v.begin(), v.end());
    return PD_List{l.size(), l.data()};
  });
}
PD_API PD_List PD_KernelContextListDoubleAttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, PD_List{0, nullptr}, [&] {
    auto& l = c->doubles.emplace_back(Attr<std::vector<double>>(c, i));
    return PD_List{l.size(), l.data()};
  });
}
PD_API PD_List PD_KernelContextListScalarAttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, PD_List{0, nullptr}, [&] {
    auto& l = c->scalar_lists.emplace_back();
    for (const phi::Scalar& v : Attr<std::vector<phi::Scalar>>(c, i))
      l.push_back(&c->scalars.emplace_back(PD_Scalar{v}));
    return PD_List{l.size(), l.data()};
  });
}
PD_API PD_List PD_KernelContextListBoolAttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, PD_List{0, nullptr}, [&] {
    auto& l = c->flags.emplace_back();
    for (int64_t v : Attr<Ints>(c, i)) l.push_back(v != 0);
    return PD_List{l.size(), l.data()};
  });
}
PD_API PD_List PD_KernelContextListStringAttrAt(PD_KernelContext* c, size_t i) {
  return Argument(c, PD_List{0, nullptr}, [&] {
    auto& l = c->string_lists.emplace_back();
    for (std::string& v : Attr<std::vector<std::string>>(c, i))
      l.push_back(c->strings.emplace_back(std::move(v)).c_str());
    return PD_List{l.size(), l.data()};
  });
}
PD_API PD_Place* PD_KernelContextPlaceAttrAt(PD_KernelContext* c, size_t i) {
  static PD_Place host;
  return Argument(c, &host, [&] { return &c->places.emplace_back(PD_Place{Attr<phi::Place>(c, i)}); });
}
PD_API bool PD_PlaceIsHost(PD_Place* p) { return p->value.is_cpu(); }
PD_API int8_t PD_PlaceGetDeviceId(PD_Place* p) { return p->value.device_id; }
PD_API bool PD_ScalarGetBoolData(PD_Scalar* s) {
  return Safely(nullptr, false, [&] { return s->value.to_bool(); });
}
PD_API int64_t PD_ScalarGetInt64Data(PD_Scalar* s) {
  return Safely(nullptr, int64_t{0}, [&] { return s->value.to_int(); });
}
PD_API double PD_ScalarGetFloat64Data(PD_Scalar* s) {
  return Safely(nullptr, 0.0, [&] { return s->value.to_double(); });
}
PD_API void PD_ScalarGetComplex128Data(PD_Scalar* s, double parts[2]) {
  const phi::complex128 v = Safely(nullptr, phi::complex128(0), [&] { return s->value.to_complex(); });
  parts[0] = v.real();
  parts[1] = v.imag();
}
PD_API PD_DataType PD_ScalarGetDataType(PD_Scalar* s) { return ToPD(s->value.dtype()); }
PD_API size_t PD_IntArrayGetElementCount(PD_IntArray* a) { return static_cast<size_t>(a->value.size()); }
PD_API int64_t PD_IntArrayGetElement(PD_IntArray* a, size_t i) {
  return i < static_cast<size_t>(a->value.size()) ? a->value[static_cast<int64_t>(i)] : 0;
}
PD_API void PD_KernelContextSetError(PD_KernelContext* ctx, const char* message) {
  Safely(nullptr, 0, [&] {
    if (ctx->error.empty()) ctx->error = message && *message ? message : "unknown failure";
    return 0;
  });
}
