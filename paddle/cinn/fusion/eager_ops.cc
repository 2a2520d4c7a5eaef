// SPDX-License-Identifier: Apache-2.0
// One op at a time on a device that compiles kernels: the op as a program of one operation, described, grouped and
// compiled as in programs, and kept by what it depends on.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "paddle/cinn/fusion/complex_ops.h"
#include "paddle/cinn/fusion/fused_ops.h"
#include "paddle/cinn/fusion/group_builder.h"
#include "paddle/cinn/fusion/update_rule.h"
#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/device_ops.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/pir/core/builder.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/dialect/numbers.h"
#include "paddle/pir/dialect/pd_op.h"

namespace cinn {
namespace {

using paddle::Tensor;
using phi::OpDef;

// A kernel, and what its arguments are: the op's tensor arguments, the op's results.
struct Part {
  std::shared_ptr<FusedRunner> runner;
  std::vector<int> inputs, outputs;
};
struct Generated {
  std::vector<Part> parts;             // none: the op is not generated
  std::shared_ptr<UpdateRule> update;  // of an optimizer, instead
  std::shared_ptr<ComplexKernel> complex;
  std::string why;
};

class Maker {
 public:
  Maker(const OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, const phi::OutSlot* outs,
        phi::KernelText text)
      : text_(text), op_(op.computed()), in_(in), attrs_(attrs), outs_(outs), builder_(&program_) {}

  // The part, or nothing and why.
  Part Run(std::string* reason) {
    Part g;
    const char* why = "the program has no such operation";
    const pir::OpInfo* info = pir::FindOp(std::string(op_.dialect()) + op_.name);
    if (info && Operands() && Make(info)) {
      if (auto facts = Describe(*made_, &why, true)) {
        GroupBuilder builder(nullptr, true);
        FusedOps fused;
        if (builder.Add(made_, *facts, &why)) {
          why = "an extent depends on data";
          if (builder.Finish(fused, {}, [](pir::Value) { return false; })) why = Connect(fused, g);
        }
      }
    } else if (info) {
      why = "an argument that generated kernels do not take";
    }
    if (!g.runner) *reason = why;
    return g;
  }

 private:
  bool Operands() {
    pir::DataType first = phi::DataType::UNDEFINED;
    metas_.resize(op_.tensors.size());
    for (size_t i = 0; i < op_.tensors.size(); ++i) {
      if (op_.tensors[i]->kind == phi::ArgDef::kTensorList) return false;
      const Tensor* t = in_[i].n ? in_[i].p : nullptr;
      if (!t || !t->defined()) {
        operands_.push_back({});
        continue;
      }
      if (!t->is_dense() || (!t->initialized() && !op_.tensors[i]->shape_only)) return false;
      // Elementwise ops promote by PaddlePaddle's rules, where bool gives way to every other dtype.
      if ((op_.flags & phi::kOpElementwise) && t->dtype() != phi::DataType::BOOL) {
        if (first == phi::DataType::UNDEFINED) first = t->dtype();
        if (t->dtype() != first) return false;
      }
      metas_[i].push_back(t->meta());
      operands_.push_back(
          pir::BuildData(builder_, std::to_string(i), pir::DenseTensorType::Get(t->dtype(), metas_[i][0].dims)));
    }
    for (size_t a = 0; a < op_.attrs.size(); ++a) {
      const phi::ArgDef& d = *op_.attrs[a];
      if (d.kind == phi::ArgDef::kOperandAttr) {
        pir::Value v = Number(attrs_[a]);
        if (!v) return false;
        operands_.push_back(v);
        continue;
      }
      const auto* number = std::get_if<phi::Scalar>(&attrs_[a]);
      pir::Attribute attr = number ? pir::Attribute::Number(*number) : pir::Attribute::From(attrs_[a]);
      // Programs hold some numbers as float32; a call has all their digits.
      const bool digits = std::holds_alternative<double>(attrs_[a]) || (number && phi::IsFloating(number->dtype()));
      if (attrs_[a].index() != d.attr_index && attr && !digits)
        attr = pir::Attribute::From(attr.value(static_cast<pir::AttrCode>(d.attr_index)));
      map_.Set(d.name, attr);
    }
    return true;
  }
  pir::Value Number(const phi::AttrValue& v) {
    if (const auto* list = std::get_if<phi::IntArray>(&v)) return pir::BuildIntegers(builder_, list->numbers());
    const auto* s = std::get_if<phi::Scalar>(&v);
    if (!s || phi::IsComplex(s->dtype())) return {};
    return pir::BuildNumber(builder_, pir::Attribute::Number(*s), s->dtype());
  }
  bool Make(const pir::OpInfo* info) {
    std::vector<phi::MetaSlot> slots;
    for (const auto& m : metas_) slots.push_back({m.data(), static_cast<int>(m.size())});
    std::vector<std::vector<phi::Meta>> results(op_.outs.size());
    op_.Infer(slots.data(), attrs_, results.data());
    std::vector<pir::Type> types;
    for (size_t k = 0; k < op_.outs.size(); ++k) {
      if (op_.outs[k].variadic) return false;
      for (size_t i = 0; i < op_.tensors.size() && results[k].empty() && op_.outs[k].same_as_input; ++i)
        if (std::string_view(op_.tensors[i]->name) == op_.outs[k].same_as_input) results[k] = metas_[i];
      const bool absent = results[k].empty() || results[k][0].dtype == phi::DataType::UNDEFINED;
      types.push_back(absent ? pir::Type() : pir::DenseTensorType::Get(results[k][0].dtype, results[k][0].dims));
    }
    made_ = builder_.Create(info, operands_, std::move(map_), types);
    for (size_t k = 0; k < op_.outs.size(); ++k)
      if (outs_[k].p && types[k])
        pir::BuildFetch(builder_, made_->result(static_cast<int>(k)), "r", static_cast<int>(k));
    return true;
  }
  // Null, or why the group is not the op.
  const char* Connect(const FusedOps& fused, Part& g) {
    if (!fused.inplace.empty()) return "it writes in place";
    for (pir::Value v : fused.inputs) {
      const pir::Operation* op = v.defining_op();
      if (!op || !op->isa(pir::pd::kData)) return "a number that the kernel would read";
      g.inputs.push_back(std::atoi(op->attr("name").to_str().c_str()));
      if (!in_[g.inputs.back()].p->initialized()) return "a tensor of which only the shape was kept";
    }
    for (pir::Value v : fused.outputs)
      for (int k = 0; k < made_->num_results(); ++k)
        if (made_->result(k) == v) g.outputs.push_back(k);
    for (size_t k = 0; k < op_.outs.size(); ++k) {
      const pir::Value v = made_->result(static_cast<int>(k));
      if (outs_[k].p && v.type() &&
          std::find(g.outputs.begin(), g.outputs.end(), static_cast<int>(k)) == g.outputs.end())
        return "a result that the kernel does not make";
    }
    g.runner = std::make_shared<FusedRunner>(fused, text_);
    return nullptr;
  }

  const phi::KernelText text_;
  const OpDef& op_;
  const phi::InSlot* in_;
  const phi::AttrValue* attrs_;
  const phi::OutSlot* outs_;
  pir::Program program_;
  pir::Builder builder_;
  std::vector<std::vector<phi::Meta>> metas_;
  std::vector<pir::Value> operands_;
  pir::AttributeMap map_;
  pir::Operation* made_ = nullptr;
};

using Key = common::SmallVector<char, 248>;
template <class T>
void Append(Key& key, const T& v) {
  key.append(reinterpret_cast<const char*>(&v), reinterpret_cast<const char*>(&v) + sizeof(v));
}
struct HashOfKey {
  using is_transparent = void;
  size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
};
// One kernel for all results, or else one for each of them.
Generated Generate(const OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, const phi::OutSlot* outs,
                   phi::KernelText text) {
  Generated g;
  Part whole = Maker(op, in, attrs, outs, text).Run(&g.why);
  if (whole.runner) {
    g.parts.push_back(std::move(whole));
    return g;
  }
  std::vector<phi::OutSlot> one(op.outs.size());
  for (size_t k = 0; k < one.size(); ++k) {
    if (!outs[k].p) continue;
    std::fill(one.begin(), one.end(), phi::OutSlot());
    one[k] = outs[k];
    std::string why;
    Part part = Maker(op, in, attrs, one.data(), text).Run(&why);
    if (!part.runner) {
      g.parts.clear();
      return g;
    }
    g.parts.push_back(std::move(part));
  }
  return g;
}

// What the generated kernel and its use depend on.
Key KeyOf(const OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, const phi::OutSlot* outs,
          phi::KernelText text) {
  Key key;
  Append(key, text);
  Append(key, &op);
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    Append(key, in[i].n);
    for (int k = 0; k < in[i].n; ++k) {
      const Tensor& t = in[i].p[k];
      Append(key, t.defined() ? t.dtype() : phi::DataType::UNDEFINED);
      if (!t.defined()) continue;
      Append(key, t.ndim());
      Append(key, t.initialized());
      for (int64_t d : t.dims()) Append(key, d);
    }
  }
  for (size_t a = 0; a < op.attrs.size(); ++a) Append(key, pir::Attribute::From(attrs[a]).key());
  for (size_t k = 0; k < op.outs.size(); ++k) Append(key, outs[k].p != nullptr);
  return key;
}

bool MakesKernels() {
  const char* flag = std::getenv("FLAGS_gpu_kernels");
  return !flag || !*flag || *flag != '0';
}

bool RunsByPrimitives(const OpDef& op, phi::KernelText text) {
  return text == phi::KernelText::kPtx && phi::RunsByPrimitives(op.computed());
}
// The scope in which primitives run on a device.
class OnDevice {
 public:
  explicit OnDevice(const phi::DeviceForms* forms) : before_(phi::t_state.forms) { phi::t_state.forms = forms; }
  ~OnDevice() { phi::t_state.forms = before_; }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  const phi::DeviceForms* before_;
};

// Whether it runs as other ops where it has no kernel.
bool IsMadeOfOthers(const OpDef& op) { return (op.flags & phi::kOpComposed) || phi::IsComposed(op); }

std::shared_ptr<const Generated> Find(const OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs,
                                      const phi::OutSlot* outs, phi::KernelText text) {
  static std::mutex mutex;
  static auto& table =
      *new std::unordered_map<std::string, std::shared_ptr<const Generated>, HashOfKey, std::equal_to<>>;
  constexpr size_t kMost = 1 << 16;  // of signatures, which are compiled anew when forgotten
  const Key text_of = KeyOf(op, in, attrs, outs, text);
  const std::string_view key(text_of.data(), static_cast<size_t>(text_of.size()));
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto it = table.find(key); it != table.end()) return it->second;
  }
  auto made = std::make_shared<Generated>();
  try {
    made->update = UpdateRule::Make(op, in, attrs, text);
    const bool own = text == phi::KernelText::kPtx && phi::RunsByPrimitivesFirst(op);
    if (!made->update && !own) made->complex = ComplexKernel::Make(op.computed(), in, attrs, text, &made->why);
    if (!made->update && !own && !made->complex) *made = Generate(op, in, attrs, outs, text);
  } catch (const common::Error& e) { made->why = e.what(); }
  const bool generated = !made->parts.empty() || made->update || made->complex;
  if (!generated && RunsByPrimitives(op, text)) made->why.clear();
  if (common::ExplainsDevices())
    std::fprintf(stderr, "gpu: %s: %s\n", op.name,
                 generated            ? "generated"
                 : made->why.empty()  ? "by primitives"
                 : IsMadeOfOthers(op) ? "composed"
                                      : ("on the host: " + made->why).c_str());
  std::lock_guard<std::mutex> lock(mutex);
  if (table.size() >= kMost) table.clear();
  return table.emplace(std::string(key), made).first->second;
}

// Runs the op's own kernel, whose primitives have forms for the device.
bool RunByPrimitives(const OpDef& given, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs,
                     phi::Place place) {
  const OpDef& op = given.computed();
  const phi::OrderedRule ordered = phi::OrderedRuleOf(op);
  std::vector<std::vector<Tensor>> here(op.tensors.size());
  std::vector<phi::InSlot> slots(op.tensors.size());
  for (size_t i = 0; i < here.size(); ++i) {
    for (int k = 0; k < in[i].n; ++k) {
      const Tensor& t = in[i].p[k];
      if (t.defined() && !t->storage() && !op.tensors[i]->shape_only) return false;
      here[i].push_back(phi::ToPlace(t, place));
      if (ordered && t.defined()) here[i].back() = phi::Contiguous(here[i].back());
    }
    slots[i] = phi::InSlot(here[i]);
  }
  std::vector<Tensor> results(op.outs.size());
  std::vector<phi::OutSlot> to(op.outs.size());
  for (size_t k = 0; k < results.size(); ++k) {
    if (outs[k].list) return false;
    if (outs[k].p) to[k] = phi::OutSlot(results[k]);
  }
  try {
    const OnDevice scope(phi::g_forms_of(place));
    op.Run(phi::ThreadContext(), slots.data(), attrs, to.data());
  } catch (const phi::NoDeviceForm& e) {
    if (common::ExplainsDevices())
      std::fprintf(stderr, "gpu: %s: %s: %s\n", op.name, IsMadeOfOthers(op) ? "composed" : "on the host", e.why);
    return false;
  }
  phi::DeliverResults(results, results.size(), outs);
  return true;
}

// Whether an operand repeats elements so often that to write them out for a kernel is no good: the host gets a copy of
// those that there are, and its reductions count the repeats.
bool RepeatsMuch(const OpDef& op, const phi::InSlot* in) {
  constexpr int64_t kMost = int64_t{1} << 30;  // bytes written out
  for (size_t i = 0; i < op.tensors.size(); ++i)
    for (int k = 0; k < in[i].n; ++k) {
      const Tensor& t = in[i].p[k];
      if (!t.defined() || t.is_contiguous() || t.numel() <= kMost / static_cast<int64_t>(phi::SizeOf(t.dtype())))
        continue;
      for (int64_t a = 0; a < t.ndim(); ++a)
        if (t.strides()[a] == 0 && t.dim(a) > 1) return true;
    }
  return false;
}

// The results of a part, in memory of outputs that are given and are no arguments.
void RunPart(const Part& part, const OpDef& op, const phi::InSlot* in, phi::OutSlot* outs, phi::Place place,
             Tensor* results) {
  common::SmallVector<const Tensor*, 8> inputs;
  for (int i : part.inputs) inputs.push_back(in[i].p);
  common::SmallVector<Tensor*, 8> to;
  for (size_t k = 0; k < part.outputs.size(); ++k) {
    // FusedRunner checks that it fits.
    Tensor* out = outs[part.outputs[k]].p;
    bool apart = out && out->defined();
    for (size_t i = 0; i < op.tensors.size() && apart; ++i)
      for (int n = 0; n < in[i].n; ++n)
        apart = apart && !(in[i].p[n].defined() && in[i].p[n]->storage().get() == (*out)->storage().get());
    if (apart) results[k] = *out;
    to.push_back(&results[k]);
  }
  part.runner->Run(inputs.data(), to.data(), place);
}
void Deliver(const Part& part, const Tensor* results, phi::OutSlot* outs) {
  for (size_t k = 0; k < part.outputs.size(); ++k) {
    Tensor* out = outs[part.outputs[k]].p;
    if (!out || out->is_same(results[k])) continue;
    const bool fits = out->defined() && (*out)->storage() && out->dims() == results[k].dims();
    if (fits)
      phi::CopyInto(results[k], *out);
    else
      *out = results[k];
  }
}

bool RunGenerated(const OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs,
                  phi::Place place) {
  const phi::KernelText text = phi::KernelTextOf(place);
  if (text == phi::KernelText::kNone || RepeatsMuch(op, in)) return false;
  const auto generated = Find(op, in, attrs, outs, text);
  if (generated->update) return generated->update->Run(op, in, outs, place);
  if (generated->complex) {
    generated->complex->Run(in, outs, place);
    return true;
  }
  if (generated->parts.empty())
    return (generated->why.empty() && RunByPrimitives(op, in, attrs, outs, place)) ||
           phi::RunComposed(op, in, attrs, outs, place);
  // Results come last, so that no part reads what another has written over an argument.
  constexpr size_t kMost = 4;  // results of an op, mostly
  size_t n = 0;
  for (const Part& part : generated->parts) n += part.outputs.size();
  Tensor few[kMost];
  std::vector<Tensor> many(n > kMost ? n : 0);
  Tensor* const results = n > kMost ? many.data() : few;
  Tensor* at = results;
  for (const Part& part : generated->parts) {
    RunPart(part, op, in, outs, place, at);
    at += part.outputs.size();
  }
  at = results;
  for (const Part& part : generated->parts) {
    Deliver(part, at, outs);
    at += part.outputs.size();
  }
  return true;
}
const bool g_registered = [] {
  if (MakesKernels()) phi::g_run_generated = RunGenerated;
  return true;
}();

}  // namespace
}  // namespace cinn
