// SPDX-License-Identifier: Apache-2.0
// `paddle._C_ops.<op>_grad`: the operations that programs hold for gradients, called one at a time.
#include "paddle/pybind/module.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "paddle/distributed/propagation/plan.h"
#include "paddle/eager/dispatch/dist_call.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/gradient_check.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pybind/attr_from.h"
#include "paddle/pybind/object/py_args.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {
namespace {

using egr::GradNode;

const phi::OpDef* Find(const std::string& name) {
  const bool gradient = name.size() > 5 && name.ends_with("_grad");
  return gradient ? phi::FindOpDef("pd_op." + name) : nullptr;
}

// What a gradient that was called by hand has as its own gradient: an error in place of none.
class NoRuleNode final : public GradNode {
 public:
  explicit NoRuleNode(const char* name) : name_(name) {}
  const char* name() const override { return name_; }
  void Run(Tensor*, Tensor*, bool) override {
    PD_THROW(Unimplemented, "[", name_, "] expected no gradient of _C_ops.", name_,
             ", got one: paddle.grad(create_graph=True) of the operation has further orders");
  }
  void ReleaseSaved() override {}
  void ForEachSaved(const egr::SavedVisitor&) const override {}

 private:
  const char* name_;
};

bool IsTensor(const phi::ArgDef& a) { return a.kind < phi::ArgDef::kAttr; }

template <class List>
bool Names(const List& list, std::string_view name) {
  for (const auto& one : list)
    if (name == one.name) return true;
  return false;
}

// The operation whose gradient `def` is, if its own call gives this gradient: it draws nothing, writes nothing, and its
// inputs are all among the operands. Or, with one input that is not: one whose rule reads its result alone, a tensor of
// the shape of the input (`by_result`).
struct Forward {
  const phi::OpDef* def = nullptr;
  bool by_result = false;
};
Forward ForwardOf(const phi::OpDef& def) {
  const std::string name(def.name);
  const phi::OpDef* f = phi::FindOpDef("pd_op." + name.substr(0, name.size() - 5));
  if (!f || f->flags & (phi::kOpRandom | phi::kOpSideEffect | phi::kOpInplace | phi::kOpInternal)) return {};
  for (const phi::OutDef& o : f->outs)
    if (o.same_as_input || o.variadic) return {};
  for (const phi::ArgDef* a : def.tensors) {
    std::string_view of = a->name;
    if (of.ends_with("_grad")) of.remove_suffix(5);
    if (!Names(f->args, of) && !Names(f->outs, of)) return {};
  }
  for (const phi::OutDef& o : def.outs) {
    std::string_view of = o.name;
    if (!of.ends_with("_grad") || o.variadic) return {};
    if (!Names(f->args, of.substr(0, of.size() - 5))) return {};
  }
  bool all = true;
  for (const phi::ArgDef& a : f->args) {
    if (a.kind == phi::ArgDef::kTensorList) return {};
    const bool given = Names(def.args, a.name);
    if (IsTensor(a))
      all = all && given;
    else if (!given && a.def.index() == 0)
      return {};
  }
  if (all) return {f, false};
  const bool one = f->tensors.size() == 1 && f->outs.size() == 1 && def.tensors.size() == 2 && def.outs.size() == 1;
  return one && Names(def.args, f->outs[0].name) ? Forward{f, true} : Forward{};
}

// How placements go through a gradient that reads a result: its operands are placed as the result of the operation, and
// its result as the operand.
std::string RuleOfGradient(const phi::OpDef& gradient, const phi::OpDef& forward) {
  const char* known = distributed::RuleTextOf(forward.name);
  std::string_view text = known ? known : "";
  if (text == "elementwise") text = "...->...";
  const size_t arrow = text.find("->");
  if (!gradient.infer || arrow == std::string_view::npos || text.find("= ") != std::string_view::npos) return "";
  const size_t end = std::min(text.find(';'), text.size());
  const std::string in(text.substr(0, arrow)), out(text.substr(arrow + 2, end - arrow - 2));
  return out + "," + out + "->" + in + std::string(text.substr(end));
}

// _run_gradient_op(name, arguments...): a tensor, or a tuple where there are several results.
PyObject* Run(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    PD_CHECK(n > 0, InvalidType, "[_run_gradient_op] expected the name of an operation, got nothing");
    const std::string name = ToStr(args[0], "_run_gradient_op", "name");
    const phi::OpDef* def = Find(name);
    PD_CHECK(def, NotFound, "[", name, "] expected the gradient of an operation, got another name");
    const size_t given = static_cast<size_t>(n) - 1, wanted = def->args.size();
    PD_CHECK(given <= wanted, InvalidType, "[", name, "] expected at most ", wanted, " arguments, got ", given);
    std::vector<std::vector<Tensor>> tensors;
    std::vector<phi::AttrValue> attrs;
    bool record = egr::State().record != egr::RecordMode::kRun, need = false;
    for (size_t i = 0; i < wanted; ++i) {
      const phi::ArgDef& a = def->args[i];
      PyObject* o = i < given ? args[i + 1] : nullptr;
      if (!IsTensor(a)) {
        PD_CHECK(o || a.def.index() != 0, InvalidType, "[", name, "] expected the argument ", a.name, ", got none");
        attrs.push_back(o ? AttrFrom(a, o, def->name) : a.def);
        continue;
      }
      PD_CHECK(o || a.kind == phi::ArgDef::kOptionalTensor, InvalidType, "[", name, "] expected the argument ", a.name,
               ", got none");
      auto& slot = tensors.emplace_back();
      if (a.kind == phi::ArgDef::kTensorList)
        slot = ToTensors(o, def->name, a.name);
      else
        slot.push_back(a.kind == phi::ArgDef::kTensor ? ToTensor(o, def->name, a.name)
                                                      : ToOptionalTensor(o, def->name, a.name));
      for (const Tensor& t : slot) record = record || (t.defined() && t.is_symbolic());
      need = need || AnyNeedsGrad(slot);
    }
    need = need && egr::State().grad_enabled;
    const Forward forward = ForwardOf(*def);
    PD_CHECK(forward.by_result, NotFound, "[", name, "] expected a gradient that reads a result alone, got another");
    PD_CHECK(!record, InvalidType, "[", name, "] expected tensors with values, got one of a program");
    std::vector<phi::InSlot> in(tensors.begin(), tensors.end());
    phi::CheckGradientOperands(*def, *forward.def, in.data(), attrs.data());
    std::optional<egr::DistCall> parts;
    if (std::any_of(tensors.begin(), tensors.end(), [](const auto& slot) { return egr::IsDist(slot); })) {
      parts.emplace(*def, RuleOfGradient(*def, *forward.def).c_str(), in, attrs.data());
      if (!parts->here()) return Wrap(parts->Absent<Tensor>());
      for (size_t i = 0; i < tensors.size(); ++i) tensors[i] = parts->List(static_cast<int>(i));
      in.assign(tensors.begin(), tensors.end());
    }
    std::vector<std::vector<Tensor>> made(def->outs.size());
    std::vector<phi::OutSlot> out;
    for (size_t k = 0; k < made.size(); ++k) {
      if (!def->outs[k].variadic) made[k].resize(1);
      out.push_back(def->outs[k].variadic ? phi::OutSlot(made[k]) : phi::OutSlot(made[k][0]));
    }
    {
      const PlainGuard plain;
      def->Run(phi::ThreadContext(), in.data(), attrs.data(), out.data());
    }
    if (need) {
      auto node = egr::Ref<NoRuleNode>::First(new NoRuleNode(def->name));
      int inputs = 0, outputs = 0;
      for (const auto& list : tensors) inputs += static_cast<int>(list.size());
      for (const auto& list : made) outputs += static_cast<int>(list.size());
      node->SetCounts(inputs, outputs);
      inputs = outputs = 0;
      for (const auto& list : tensors)
        for (const Tensor& t : list) node->SetInput(inputs++, t);
      for (auto& list : made)
        for (Tensor& t : list) {
          if (t.defined() && phi::IsDifferentiable(t.dtype())) node->SetOutput(outputs, t);
          ++outputs;
        }
    }
    if (parts) made[0][0] = parts->Wrap(std::move(made[0][0]));
    auto result = [&](size_t k) {
      return Own(def->outs[k].variadic ? Wrap(std::move(made[k])) : Wrap(std::move(made[k][0])));
    };
    if (made.size() == 1) return result(0).release();
    PyRef tuple = Own(PyTuple_New(static_cast<Py_ssize_t>(made.size())));
    for (size_t k = 0; k < made.size(); ++k)
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(k), result(k).release());
    return tuple.release();
  });
}

PyObject* ArgNames(const std::vector<phi::ArgDef>& args) {
  PyRef list = Own(PyList_New(0));
  for (const phi::ArgDef& a : args) {
    const PyRef entry = Own(Py_BuildValue("(si)", a.name, static_cast<int>(IsTensor(a))));
    if (!entry || PyList_Append(list.get(), entry.get()) < 0) throw PyErrAlreadySet();
  }
  return list.release();
}
PyObject* OutNames(const std::vector<phi::OutDef>& outs) {
  PyRef list = Own(PyList_New(0));
  for (const phi::OutDef& o : outs) {
    const PyRef text = Own(PyUnicode_FromString(o.name));
    if (PyList_Append(list.get(), text.get()) < 0) throw PyErrAlreadySet();
  }
  return list.release();
}

// _gradient_op(name): None where it cannot be called by hand, or (arguments, results, whether its rule reads the
// operation's result alone, arguments and results of the operation); arguments are (name, whether it is a tensor).
PyObject* Describe(PyObject*, PyObject* o) {
  return Guarded([&]() -> PyObject* {
    const phi::OpDef* def = Find(ToStr(o, "_gradient_op", "name"));
    const Forward forward = def ? ForwardOf(*def) : Forward{};
    if (!forward.def) Py_RETURN_NONE;
    return Py_BuildValue("(NNiNN)", ArgNames(def->args), OutNames(def->outs), static_cast<int>(forward.by_result),
                         ArgNames(forward.def->args), OutNames(forward.def->outs));
  });
}

PyMethodDef methods[] = {
    {"_run_gradient_op", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(Run)), METH_FASTCALL,
     "_run_gradient_op(name, arguments...): the results of the operation <op>_grad."},
    {"_gradient_op", Describe, METH_O, "What is known of the operation <op>_grad; None where there is none."},
    {nullptr, nullptr, 0, nullptr}};

int Init(PyObject* module) { return PyModule_AddFunctions(module, methods); }

}  // namespace

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
