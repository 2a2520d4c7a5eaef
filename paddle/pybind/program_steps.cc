// SPDX-License-Identifier: Apache-2.0
// A program as a list of calls of paddle._C_ops: what Python needs to run a loaded program operation by operation, with
// history.
#include <pybind11/complex.h>

#include <unordered_map>
#include <unordered_set>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/dialect/numbers.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/operation_object.h"
#include "paddle/pybind/program_object.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

template <class T>
pyb::object AsObject(const T& v) {
  return pyb::cast(v);
}
pyb::object AsObject(const std::monostate&) { return pyb::none(); }
pyb::object AsObject(const phi::IntArray& v) { return pyb::cast(v.numbers().vec()); }
pyb::object AsObject(const phi::Scalar& s) {
  if (s.dtype() == DataType::BOOL) return pyb::bool_(s.to_bool());
  if (s.is_integral()) return pyb::int_(s.to_int());
  if (phi::IsComplex(s.dtype())) return pyb::cast(std::complex<double>(s.to_complex().real(), s.to_complex().imag()));
  return pyb::float_(s.to_double());
}
pyb::object AsObject(const std::vector<phi::Scalar>& v) {
  pyb::list l;
  for (const phi::Scalar& s : v) l.append(AsObject(s));
  return l;
}
pyb::object AsObject(DataType t) {
  if (t == DataType::UNDEFINED) return pyb::none();
  return pyb::reinterpret_steal<pyb::object>(Own(DtypeObject(t)).release());
}
pyb::object AsObject(Place p) {
  if (p.type == phi::AllocationType::UNDEFINED) return pyb::none();
  return pyb::reinterpret_steal<pyb::object>(Own(PlaceObject(p)).release());
}
pyb::object Convert(const phi::AttrValue& v) {
  return std::visit([](const auto& x) { return AsObject(x); }, v);
}

// (kind, name, inputs, outputs, regions): "data", "parameter", "combine", "split", "fetch" with value numbers; "op"
// (and "custom", of users) with the arguments of paddle._C_ops.<name>, each (0, value number or -1, name) or (1,
// constant, name); "if" and "while" with regions, each (numbers of its arguments, steps), which end with a "yield";
// "other", with value numbers: no such call.
pyb::list Steps(pir::Block& block, std::unordered_map<pir::Value, int>& numbers) {
  auto number = [&](pir::Value v) {
    return v && v.type() ? numbers.try_emplace(v, static_cast<int>(numbers.size())).first->second : -1;
  };
  pyb::list steps;
  for (pir::Operation* op = block.front(); op; op = op->next()) {
    pyb::list in, out, regions;
    std::string kind = "op", name = op->name();
    for (int i = 0; i < op->num_results(); ++i) out.append(number(op->result(i)));
    if (op->isa(pir::pd::kData)) {
      kind = "data";
      name = op->attr("name").to_str();
    } else if (op->isa("builtin.parameter") || op->isa("builtin.constant")) {
      kind = "parameter";
      name = op->attr(op->isa("builtin.constant") ? "value" : "parameter_name").to_str();
      pir::Attribute trainable = op->attr("trainable");
      in.append(trainable && trainable.kind() == pir::AttrKind::kArray && !trainable.to_array().empty() &&
                trainable.to_array()[0].to_bool());
    } else if (op->isa("builtin.combine") || op->isa("builtin.split") || op->isa(pir::pd::kFetch) ||
               op->isa("builtin.shadow_output")) {
      kind = op->isa("builtin.combine") ? "combine" : op->isa("builtin.split") ? "split" : "fetch";
      for (int i = 0; i < op->num_operands(); ++i) in.append(number(op->operand(i)));
      if (pir::Attribute col = op->attr("col")) name = std::to_string(col.to_int());
    } else if (op->isa(pir::pd::kIf) || op->isa(pir::pd::kWhile) || op->isa("cf.yield")) {
      kind = op->isa(pir::pd::kIf) ? "if" : op->isa(pir::pd::kWhile) ? "while" : "yield";
      for (int i = 0; i < op->num_operands(); ++i) in.append(number(op->operand(i)));
      for (int k = 0; k < op->num_regions(); ++k) {
        pir::Block& inner = op->region(k).front();
        pyb::list args;
        for (int i = 0; i < inner.num_args(); ++i) args.append(number(inner.arg(i)));
        regions.append(pyb::make_tuple(args, Steps(inner, numbers)));
      }
    } else {
      const auto* def = static_cast<const phi::OpDef*>(op->info()->phi_op);
      if (!def || op->num_regions()) {
        for (int i = 0; i < op->num_operands(); ++i) in.append(number(op->operand(i)));
        steps.append(pyb::make_tuple("other", name, in, out, regions));
        continue;
      }
      name = def->name;
      if (def->code) kind = "custom";
      std::unordered_map<const phi::ArgDef*, int> operand;
      int next = 0;
      for (const phi::ArgDef* t : def->tensors) operand[t] = next++;
      for (const phi::ArgDef* a : def->attrs)
        if (a->kind == phi::ArgDef::kOperandAttr) operand[a] = next++;
      for (const phi::ArgDef& a : def->args) {
        if (a.kind == phi::ArgDef::kAttr) {
          pir::Attribute attr = op->attr(a.name);
          in.append(
              pyb::make_tuple(1, Convert(attr ? attr.value(static_cast<pir::AttrCode>(a.attr_index)) : a.def), a.name));
          continue;
        }
        int at = operand.at(&a);
        pir::Value v = at < op->num_operands() ? op->operand(at) : pir::Value();
        phi::AttrValue constant = a.kind == phi::ArgDef::kOperandAttr
                                      ? (v ? pir::TypedNumbersOf(v).value_or(phi::AttrValue()) : a.def)
                                      : phi::AttrValue();
        if (constant.index() != 0)
          in.append(pyb::make_tuple(1, Convert(constant), a.name));
        else
          in.append(pyb::make_tuple(0, number(v), a.name));
      }
    }
    steps.append(pyb::make_tuple(kind, name, in, out, regions));
  }
  return steps;
}

// Whether gradients of a value would end where a value was reached through its operation, which tells no history; or
// the value is known by one of the program that this one is a copy of.
bool LacksHistory(ProgramObject& program, const Tensor& t) {
  if (!t.is_symbolic()) return false;
  if (program.OfOrigin(t)) return true;
  auto made = [&](const Tensor& leaf) {
    if (!leaf.is_symbolic() || leaf.stop_gradient() || !program.recorder().Knows(leaf)) return false;
    const pir::Operation* op = program.ValueOf(leaf).defining_op();
    return op && !op->isa(pir::pd::kData);
  };
  if (!t->node()) return made(t);
  std::unordered_set<egr::GradNode*> met;
  std::vector<egr::GradNode*> waiting{egr::GradEdge(t).node.get()};
  while (!waiting.empty()) {
    egr::GradNode* n = waiting.back();
    waiting.pop_back();
    if (!n || !met.insert(n).second) continue;
    if (const Tensor* leaf = n->leaf(); leaf && made(*leaf)) return true;
    for (int i = 0; i < n->num_inputs(); ++i) waiting.push_back(n->edge(i).node.get());
  }
  return false;
}

// What a call of an operation of the program gives, as the results of that operation. pd_op.if, while and print are
// called as pir._if_again, _while_again and _print_again; in regions operations are called again.
pyb::object Again(OperationObject& op, const pyb::object& function, const pyb::args& args) {
  egr::Recorder& recorder = op.owner->recorder();
  const egr::RecordGuard recording(&recorder);
  egr::State().grad_enabled = true;
  egr::State().amp_level = 0;
  if (op.get().info()->phi_op) recorder.SetAgain(&op.get());
  try {
    pyb::object result = function(*args);
    recorder.SetAgain(nullptr);
    return result;
  } catch (...) {
    recorder.SetAgain(nullptr);
    throw;
  }
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m = pyb::reinterpret_borrow<pyb::module_>(module);
    m.def("_program_steps", [](const std::shared_ptr<ProgramObject>& program) {
      std::unordered_map<pir::Value, int> numbers;
      return Steps(program->program().block(), numbers);
    });
    m.def(
        "_steps_to",
        [](const std::shared_ptr<ProgramObject>& program, const pyb::iterable& values) {
          std::unordered_map<pir::Value, int> numbers;
          pyb::list known;
          for (pyb::handle t : values) {
            const pir::Value v = program->ValueAnywhere(ToTensor(t.ptr(), "gradients", "value"));
            known.append(numbers.try_emplace(v, static_cast<int>(numbers.size())).first->second);
          }
          return pyb::make_tuple(Steps(program->program().block(), numbers), known);
        },
        "The steps of a program, and the number in them of each of the values.");
    m.def("_lacks_history", [](ProgramObject& program, pyb::handle value) {
      return LacksHistory(program, ToTensor(value.ptr(), "gradients", "targets"));
    });
    m.def("_again", &Again, "function(*args), which is one operation: that of the program, which it gives a history.");
  });
}

PADDLE_MODULE_INIT(Init)

}  // namespace
}  // namespace paddle::py
