// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/op_def.h"

#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "paddle/phi/core/custom_op.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/device_ops.h"
#include "paddle/phi/core/promote.h"
#include "paddle/phi/core/thread_state.h"

namespace phi {
namespace {

std::map<std::string, const OpDef*, std::less<>>& Registry() {
  static auto* r = new std::map<std::string, const OpDef*, std::less<>>;
  return *r;
}

using KernelKey = std::tuple<std::string, int, int, int>;
using KernelTable = std::map<KernelKey, ExternalKernel>;
// A registration publishes a new table; calls may still read the ones before, which stay.
std::mutex g_kernel_mutex;
std::atomic<const KernelTable*> g_kernels{nullptr};

[[noreturn]] void WrongKind(const char* op, const char* name, const char* want) {
  PD_THROW(InvalidType, "[", op, "] expected attribute ", name, " to be ", want, ", got another kind");
}

double AsNumber(const AttrValue& v, const char* op, const char* name) {
  return std::visit(
      [&](const auto& x) -> double {
        using X = std::decay_t<decltype(x)>;
        if constexpr (std::is_arithmetic_v<X>) return static_cast<double>(x);
        if constexpr (std::is_same_v<X, Scalar>) return x.to_double();
        WrongKind(op, name, "a number");
      },
      v);
}

// A whole number stays exact; a real one that an integer cannot hold is refused.
template <class E, class X>
E Fit(X x, const char* op, const char* name) {
  if constexpr (std::is_integral_v<E> && std::is_floating_point_v<X>)
    if (!(x >= -0x1p63 && x < 0x1p63)) WrongKind(op, name, "whole numbers");
  return static_cast<E>(x);
}

template <class E>
E FitScalar(const Scalar& s, const char* op, const char* name) {
  return s.is_integral() ? Fit<E>(s.to_int(), op, name) : Fit<E>(s.to_double(), op, name);
}

template <class E>
std::vector<E> AsNumbers(const AttrValue& v, const char* op, const char* name) {
  return std::visit(
      [&](const auto& x) -> std::vector<E> {
        using X = std::decay_t<decltype(x)>;
        std::vector<E> r;
        if constexpr (std::is_same_v<X, std::vector<int32_t>> || std::is_same_v<X, std::vector<int64_t>> ||
                      std::is_same_v<X, std::vector<float>> || std::is_same_v<X, std::vector<double>> ||
                      std::is_same_v<X, std::vector<bool>>) {
          r.reserve(x.size());
          for (auto e : x) r.push_back(Fit<E>(e, op, name));
        } else if constexpr (std::is_same_v<X, IntArray>) {
          for (int64_t e : Known(op, name, x)) r.push_back(Fit<E>(e, op, name));
        } else if constexpr (std::is_same_v<X, std::vector<Scalar>>) {
          for (const Scalar& s : x) r.push_back(FitScalar<E>(s, op, name));
        } else if constexpr (std::is_same_v<X, Scalar>) {
          r.push_back(FitScalar<E>(x, op, name));
        } else if constexpr (std::is_arithmetic_v<X>) {
          r.push_back(Fit<E>(x, op, name));
        } else {
          WrongKind(op, name, "a list of numbers");
        }
        return r;
      },
      v);
}

}  // namespace

OpDef::OpDef(const char* n, std::vector<ArgDef> a, std::vector<OutDef> o, uint32_t f, decltype(infer) inf,
             decltype(run) r, decltype(workspace) w)
    : name(n), args(std::move(a)), outs(std::move(o)), flags(f), infer(inf), run(r), workspace(w) {
  for (const ArgDef& d : args) (d.kind <= ArgDef::kTensorList ? tensors : attrs).push_back(&d);
  Registry()[n] = this;
}

OpDef::OpDef(const char* n, std::vector<ArgDef> a, std::vector<OutDef> o, uint32_t f, const OpCode* c)
    : name(n), args(std::move(a)), outs(std::move(o)), flags(f), code(c) {
  for (const ArgDef& d : args) (d.kind <= ArgDef::kTensorList ? tensors : attrs).push_back(&d);
}

const OpDef* FindOpDef(std::string_view name) {
  if (constexpr std::string_view custom = "custom_op."; name.substr(0, custom.size()) == custom) {
    const CustomOp* op = FindCustomOp(name.substr(custom.size()));
    return op ? op->def : nullptr;
  }
  if (name.substr(0, 6) == "pd_op.") name.remove_prefix(6);
  auto it = Registry().find(name);
  return it == Registry().end() ? nullptr : it->second;
}
const std::map<std::string, const OpDef*, std::less<>>& AllOpDefs() { return Registry(); }

template <>
bool AttrAs<bool>(const AttrValue& v, const char* op, const char* name) {
  return AsNumber(v, op, name) != 0;
}
template <>
int64_t AttrAs<int64_t>(const AttrValue& v, const char* op, const char* name) {
  if (auto* p = std::get_if<int64_t>(&v)) return *p;
  if (auto* p = std::get_if<Scalar>(&v)) return p->to_int();
  return Fit<int64_t>(AsNumber(v, op, name), op, name);
}
template <>
double AttrAs<double>(const AttrValue& v, const char* op, const char* name) {
  return AsNumber(v, op, name);
}
template <>
std::string AttrAs<std::string>(const AttrValue& v, const char* op, const char* name) {
  if (auto* p = std::get_if<std::string>(&v)) return *p;
  WrongKind(op, name, "a string");
}
template <>
IntArray AttrAs<IntArray>(const AttrValue& v, const char* op, const char* name) {
  if (auto* p = std::get_if<IntArray>(&v)) return *p;
  return Ints(AsNumbers<int64_t>(v, op, name));
}
template <>
Ints AttrAs<Ints>(const AttrValue& v, const char* op, const char* name) {
  if (auto* p = std::get_if<IntArray>(&v)) return Known(op, name, *p);
  return Ints(AsNumbers<int64_t>(v, op, name));
}
template <>
std::vector<double> AttrAs<std::vector<double>>(const AttrValue& v, const char* op, const char* name) {
  return AsNumbers<double>(v, op, name);
}
template <>
std::vector<std::string> AttrAs<std::vector<std::string>>(const AttrValue& v, const char* op, const char* name) {
  if (auto* p = std::get_if<std::vector<std::string>>(&v)) return *p;
  WrongKind(op, name, "a list of strings");
}
template <>
Scalar AttrAs<Scalar>(const AttrValue& v, const char* op, const char* name) {
  return std::visit(
      [&](const auto& x) -> Scalar {
        using X = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<X, Scalar>)
          return x;
        else if constexpr (std::is_same_v<X, bool>)
          return Scalar(x);
        else if constexpr (std::is_integral_v<X>)
          return Scalar(static_cast<int64_t>(x));
        else if constexpr (std::is_arithmetic_v<X>)
          return Scalar(static_cast<double>(x));
        else
          WrongKind(op, name, "a number");
      },
      v);
}
template <>
std::vector<Scalar> AttrAs<std::vector<Scalar>>(const AttrValue& v, const char* op, const char* name) {
  if (auto* p = std::get_if<std::vector<Scalar>>(&v)) return *p;
  std::vector<Scalar> r;
  for (double d : AsNumbers<double>(v, op, name)) r.emplace_back(d);
  return r;
}
template <>
DataType AttrAs<DataType>(const AttrValue& v, const char* op, const char* name) {
  if (auto* p = std::get_if<DataType>(&v)) return *p;
  if (std::holds_alternative<std::monostate>(v)) return DataType::UNDEFINED;
  WrongKind(op, name, "a dtype");
}
template <>
Place AttrAs<Place>(const AttrValue& v, const char* op, const char* name) {
  if (auto* p = std::get_if<Place>(&v)) return *p;
  if (std::holds_alternative<std::monostate>(v)) return Place{};
  WrongKind(op, name, "a place");
}

constinit LastingFact g_has_external_kernels;
GeneratedRun g_run_generated = nullptr;
ComposedRun g_run_composed = nullptr;
FormsOf g_forms_of = nullptr;

namespace {
std::map<const OpDef*, bool>& ByPrimitives() {
  static auto* ops = new std::map<const OpDef*, bool>;
  return *ops;
}
}  // namespace
DeviceStatement::DeviceStatement(const OpDef& op, bool first) { ByPrimitives()[&op] = first; }
bool RunsByPrimitives(const OpDef& op) { return ByPrimitives().count(&op) != 0; }
bool RunsByPrimitivesFirst(const OpDef& op) {
  const auto it = ByPrimitives().find(&op);
  return it != ByPrimitives().end() && it->second;
}

namespace {

// UNDEFINED: none, or operands that do not meet.
DataType KernelType(const OpDef& op, const InSlot* in) {
  DataType type = DataType::UNDEFINED;
  bool zero_d = true;
  for (size_t i = 0; i < op.tensors.size(); ++i)
    for (int k = 0; k < in[i].n; ++k) {
      const Tensor& t = in[i].p[k];
      if (!t.defined() || op.tensors[i]->truth) continue;
      const bool first = type == DataType::UNDEFINED;
      if (op.flags & kOpElementwise) {
        type = first ? t.dtype() : PromoteOrUndefined(type, zero_d, t.dtype(), t.dims().empty());
        if (type == DataType::UNDEFINED) return type;
        zero_d = zero_d && t.dims().empty();
      } else if (first || (IsInteger(type) && (IsFloating(t.dtype()) || IsComplex(t.dtype())))) {
        type = t.dtype();
      }
    }
  return type;
}

}  // namespace

bool RunExternalKernel(const OpDef& op, const InSlot* in, const AttrValue* attrs, OutSlot* outs) {
  Place place;
  for (size_t i = 0; i < op.tensors.size(); ++i)
    for (int k = 0; k < in[i].n; ++k) {
      const Tensor& t = in[i].p[k];
      if (!t.defined()) continue;
      if (place.is_cpu() || place.type == AllocationType::GPUPINNED) place = t.place().is_cpu() ? place : t.place();
    }
  if (place.type == AllocationType::GPUPINNED) {  // the host's, which its kernels take for no memory of theirs
    if (op.flags & (kOpView | kOpComposed)) return false;
    RunOnHost(op, in, attrs, outs, Place{});
    return true;
  }
  const bool any = g_kernels.load(std::memory_order_acquire);
  const DataType dtype = any ? KernelType(op, in) : DataType::UNDEFINED;
  const ExternalKernel* kernel = any ? FindExternalKernel(op, dtype, place) : nullptr;
  if (!kernel && (place.is_cpu() || (op.flags & (kOpView | kOpComposed)))) return false;
  if (!kernel) {
    if (t_state.forms) return false;
    if (g_run_generated && g_run_generated(op, in, attrs, outs, place)) return true;
    RunOnHost(op, in, attrs, outs, place);
    return true;
  }
  std::vector<std::vector<Tensor>> here(op.tensors.size());
  std::vector<InSlot> slots(op.tensors.size());
  for (size_t i = 0; i < here.size(); ++i) {
    const bool meets = (op.flags & kOpElementwise) && !op.tensors[i]->truth;
    for (int k = 0; k < in[i].n; ++k) {
      const Tensor t = ToPlace(in[i].p[k], place);
      here[i].push_back(!meets || !t.defined() || t.dtype() == dtype ? t
                        : place.is_cpu()                             ? CastTo(t, dtype)
                                                                     : CastThere(t, dtype));
    }
    slots[i] = InSlot(here[i]);
  }
  KernelContext context = ThreadContext();
  context.place = place;
  if (!place.is_cpu()) context.stream = CurrentStream(place);
  kernel->fn(kernel->self, context, op, slots.data(), attrs, outs);
  return true;
}

bool CreateByKernel(const OpDef& op, const AttrValue* attrs, OutSlot* outs) {
  if (!g_kernels.load(std::memory_order_acquire) || t_state.host_runs) return false;
  KernelContext context = ThreadContext();
  Place asked;
  for (size_t i = 0; i < op.attrs.size(); ++i)
    if (const Place* place = std::get_if<Place>(&attrs[i])) asked = *place;
  context.place = PlaceToCreate(asked);
  if (ExternalKernelTypes(op, context.place).empty()) return false;
  std::vector<std::vector<Meta>> results(op.outs.size());
  op.Infer(nullptr, attrs, results.data());
  if (results.empty() || results[0].empty()) return false;
  const ExternalKernel* kernel = FindExternalKernel(op, results[0][0].dtype, context.place);
  if (!kernel) return false;
  if (!context.place.is_cpu()) context.stream = CurrentStream(context.place);
  kernel->fn(kernel->self, context, op, nullptr, attrs, outs);
  return true;
}

void RegisterExternalKernels(const std::vector<NewKernel>& kernels) {
  std::lock_guard<std::mutex> lock(g_kernel_mutex);
  static auto* tables = new std::list<KernelTable>;
  KernelTable& next = tables->emplace_back(tables->empty() ? KernelTable() : tables->back());
  for (const NewKernel& k : kernels)
    next[{k.op, static_cast<int>(k.dtype), static_cast<int>(k.place.type), k.place.custom}] = k.kernel;
  g_kernels.store(&next, std::memory_order_release);
  g_has_external_kernels.State();
}
const ExternalKernel* FindExternalKernel(const OpDef& op, DataType dtype, Place place) {
  const KernelTable* kernels = g_kernels.load(std::memory_order_acquire);
  if (!kernels) return nullptr;
  const auto it = kernels->find({op.name, static_cast<int>(dtype), static_cast<int>(place.type), place.custom});
  return it == kernels->end() ? nullptr : &it->second;
}

std::vector<DataType> ExternalKernelTypes(const OpDef& op, Place place) {
  std::vector<DataType> types;
  const KernelTable* kernels = g_kernels.load(std::memory_order_acquire);
  if (!kernels) return types;
  for (auto it = kernels->lower_bound({op.name, -1, 0, 0}); it != kernels->end(); ++it) {
    const auto& [name, dtype, type, custom] = it->first;
    if (name != op.name) break;
    if (type == static_cast<int>(place.type) && custom == place.custom) types.push_back(static_cast<DataType>(dtype));
  }
  return types;
}

}  // namespace phi
