// SPDX-License-Identifier: Apache-2.0
// The rules of placements, asked without tensors: where operands and results of a call are to lie.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "paddle/common/error.h"
#include "paddle/distributed/propagation/plan.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/core/attribute.h"
#include "paddle/pybind/attr_from.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_args.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;
namespace pd = paddle::distributed;
using phi::Ints;

// A placement for Python: the axis of the tensor that is divided, or one of these.
constexpr int kWhole = -1, kPartial = -2;

std::vector<int> Out(const pd::Placements& placements) {
  std::vector<int> r;
  for (const pd::Placement& p : placements) r.push_back(p.shards() ? p.dim : p.partial() ? kPartial : kWhole);
  return r;
}

// Operands or results of a call: all tensors in order, and which argument each belongs to.
struct Tensors {
  std::vector<pd::Operand> all;
  std::vector<int> slot;
  std::vector<bool> list;  // of each argument: whether it is a list

  // `given`: of each argument None, (shape, placements) or a list of these.
  Tensors(const pyb::list& given, const pd::ProcessMesh& mesh) {
    for (const pyb::handle& one : given) {
      list.push_back(PyList_Check(one.ptr()));
      if (list.back())
        for (const pyb::handle& o : one) Add(o, mesh);
      else if (!one.is_none())
        Add(one, mesh);
    }
  }
  pyb::list Placed(bool to) const {
    pyb::list r;
    size_t k = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      pyb::list of;
      for (; k < all.size() && slot[k] == static_cast<int>(i); ++k) of.append(Out(to ? all[k].to : all[k].from));
      r.append(list[i] ? pyb::object(of) : of.empty() ? pyb::none() : pyb::object(of[0]));
    }
    return r;
  }

 private:
  void Add(const pyb::handle& o, const pd::ProcessMesh& mesh) {
    const auto [shape, places] = o.cast<std::pair<std::vector<int64_t>, std::vector<int>>>();
    pd::Operand one{Ints(shape), {}, {}, 4};
    for (int p : places)
      one.from.push_back(p >= 0          ? pd::Placement::Shard(p)
                         : p == kPartial ? pd::Placement::Partial(pd::ReduceOp::kSum)
                                         : pd::Placement());
    one.bytes *= common::Product(ExtentsOf(one.dims, mesh, one.from, 0));
    all.push_back(std::move(one));
    slot.push_back(static_cast<int>(list.size()) - 1);
  }
};

// Whether an attribute may be what was given: rules of PaddlePaddle lack some of the arguments.
bool Fits(const phi::ArgDef& a, PyObject* o) {
  const auto kind = static_cast<pir::AttrCode>(a.attr_index);
  if (PyBool_Check(o)) return kind == pir::AttrCode::kBool || kind == pir::AttrCode::kScalar;
  if (PyUnicode_Check(o)) return kind == pir::AttrCode::kStr;
  if (PyList_Check(o) || PyTuple_Check(o))
    return kind != pir::AttrCode::kBool && kind != pir::AttrCode::kDataType && kind != pir::AttrCode::kStr &&
           kind != pir::AttrCode::kScalar && kind != pir::AttrCode::kInt32 && kind != pir::AttrCode::kInt64;
  if (PyLong_Check(o) || PyFloat_Check(o)) return kind != pir::AttrCode::kDataType && kind != pir::AttrCode::kStr;
  return true;
}

// Those given, in order; others have their defaults, or are zero and empty.
std::vector<phi::AttrValue> AttrsOf(const phi::OpDef& op, const pyb::tuple& given) {
  std::vector<phi::AttrValue> attrs;
  size_t next = 0;
  for (const phi::ArgDef* a : op.attrs) {
    if (next < given.size() && Fits(*a, given[next].ptr())) {
      attrs.push_back(AttrFrom(*a, given[next++].ptr(), op.name));
      continue;
    }
    attrs.push_back(a->def);
    if (a->def.index() != 0) continue;
    const pyb::object zero = Fits(*a, Py_False)             ? pyb::object(pyb::bool_(false))
                             : Fits(*a, pyb::int_(0).ptr()) ? pyb::object(pyb::int_(0))
                             : Fits(*a, pyb::str("").ptr()) ? pyb::object(pyb::str(""))
                                                            : pyb::object(pyb::list());
    attrs.back() = AttrFrom(*a, zero.ptr(), op.name);
  }
  return attrs;
}

// The shapes of the results. Operands say no dtype: the first that the operation takes counts.
std::vector<std::vector<phi::Meta>> ResultsOf(const phi::OpDef& op, const Tensors& operands,
                                              const std::vector<phi::AttrValue>& attrs) {
  using phi::DataType;
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    const bool given =
        std::find(operands.slot.begin(), operands.slot.end(), static_cast<int>(i)) != operands.slot.end();
    PD_CHECK(given || op.tensors[i]->kind == phi::ArgDef::kOptionalTensor, InvalidArgument, "[", op.name,
             "] expected a DistTensorSpec as ", op.tensors[i]->name, ", got none");
  }
  const DataType kinds[][2] = {{DataType::FLOAT32, DataType::FLOAT32}, {DataType::FLOAT32, DataType::INT64},
                               {DataType::INT64, DataType::FLOAT32},   {DataType::INT64, DataType::INT64},
                               {DataType::BOOL, DataType::FLOAT32},    {DataType::BOOL, DataType::BOOL},
                               {DataType::INT8, DataType::FLOAT32}};
  std::exception_ptr first;
  for (size_t k = 0;; ++k) {
    std::vector<std::vector<phi::Meta>> metas(op.tensors.size()), found(op.outs.size());
    for (size_t i = 0; i < operands.all.size(); ++i) {
      const auto s = static_cast<size_t>(operands.slot[i]);
      metas[s].push_back({common::ToDims(operands.all[i].dims), kinds[k][s == 0 ? 0 : 1]});
    }
    std::vector<phi::MetaSlot> slots;
    for (const auto& m : metas) slots.push_back({m.data(), static_cast<int>(m.size())});
    try {
      op.infer(slots.data(), attrs.data(), found.data());
      return found;
    } catch (const common::Error&) {
      if (k == 0) first = std::current_exception();
      if (k + 1 == std::size(kinds)) std::rethrow_exception(first);
    }
  }
}

struct Called {
  const phi::OpDef& op;
  const pd::Rule& rule;
};
// The notation comes before what is computed in place of the operation.
Called Find(const std::string& name) {
  const phi::OpDef* op = phi::FindOpDef(name);
  if (!op) op = phi::FindOpDef(name + "_");
  const char* text = op ? pd::RuleTextOf(op->name) : nullptr;
  std::string rule = text ? text : "";
  rule = rule.substr(0, rule.find(" = "));
  PD_CHECK(!rule.empty() && rule != "compose" && rule[0] != '=', NotFound,
           "[get_phi_spmd_rule] expected an operation with a rule of placements, got ", name);
  return {*op, pd::RuleOf(rule.c_str())};
}

pd::MeshRef MeshOfShape(const std::vector<int64_t>& grid) {
  std::vector<int> ids(static_cast<size_t>(common::Product(Ints(grid))));
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int>(i);
  return pd::MeshRef(new pd::ProcessMesh(Ints(grid), ids, std::vector<std::string>(grid.size())));
}

// The same of a notation that names no attributes: each operand is an argument. `results` have shapes, and `backward`
// placements that they are to have.
pyb::tuple InferNotation(const std::string& name, const std::string& text, const std::vector<int64_t>& grid,
                         const pyb::list& given, const pyb::list& wanted, bool backward) {
  const pd::MeshRef mesh = MeshOfShape(grid);
  Tensors operands(given, *mesh), results(wanted, *mesh);
  const phi::OpDef op(name.c_str(), {}, {}, 0, nullptr, nullptr);
  const pd::Rule& rule = pd::RuleOf(text.c_str());
  if (backward) {
    pd::PlanBack(rule, op, nullptr, *mesh, &operands.all, operands.slot, &results.all, results.slot);
    return pyb::make_tuple(operands.Placed(true), results.Placed(true));
  }
  std::vector<Ints> out;
  for (const pd::Operand& o : results.all) out.push_back(o.dims);
  const pd::Plan plan =
      pd::PlanOf(rule, op, nullptr, *mesh, &operands.all, operands.slot, out, results.slot, false, false);
  for (size_t i = 0; i < out.size(); ++i) results.all[i].to = plan.out[i];
  return pyb::make_tuple(operands.Placed(true), results.Placed(true));
}

// (placements of operands, of results), each None, a list of axes, or a list of these.
pyb::tuple Infer(const std::string& name, const std::vector<int64_t>& grid, const pyb::list& given,
                 const pyb::object& wanted, const pyb::tuple& values) {
  const Called c = Find(name);
  const pd::MeshRef mesh = MeshOfShape(grid);
  Tensors operands(given, *mesh);
  PD_CHECK(operands.list.size() <= c.op.tensors.size(), InvalidArgument, "[", name, "] expected at most ",
           c.op.tensors.size(), " operands, got ", operands.list.size());
  const std::vector<phi::AttrValue> attrs = AttrsOf(c.op, values);
  if (!wanted.is_none()) {
    Tensors results(wanted.cast<pyb::list>(), *mesh);
    pd::PlanBack(c.rule, c.op, attrs.data(), *mesh, &operands.all, operands.slot, &results.all, results.slot);
    return pyb::make_tuple(operands.Placed(true), results.Placed(true));
  }
  std::vector<Ints> out;
  std::vector<int> out_slot;
  const std::vector<std::vector<phi::Meta>> found = ResultsOf(c.op, operands, attrs);
  for (size_t k = 0; k < found.size(); ++k)
    for (const phi::Meta& m : found[k]) {
      Ints& dims = out.emplace_back();  // -1: values tell
      for (common::Dim d : m.dims) dims.push_back(d.known() ? d.raw() : -1);
      out_slot.push_back(static_cast<int>(k));
    }
  const pd::Plan plan =
      pd::PlanOf(c.rule, c.op, attrs.data(), *mesh, &operands.all, operands.slot, out, out_slot, false, false);
  pyb::list results;
  for (size_t k = 0, i = 0; k < found.size(); ++k) {
    pyb::list of;
    for (size_t n = 0; n < found[k].size(); ++n, ++i)
      of.append(pyb::make_tuple(std::vector<int64_t>(out[i].begin(), out[i].end()), Out(plan.out[i])));
    results.attr("extend")(of);
  }
  return pyb::make_tuple(operands.Placed(true), results);
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m = pyb::reinterpret_borrow<pyb::module_>(module);
    m.def("_infer_placements", &Infer);
    m.def("_infer_by_notation", &InferNotation);
    m.def("_operands_of_rule", [](const std::string& name) {
      const Called c = Find(name);
      return std::make_pair(c.op.tensors.size(), c.op.outs.size());
    });
    m.def("_rules_of_placements", [] {
      std::map<std::string, std::string> r;
      for (size_t i = 0; i < pd::kRuleTextCount; ++i) r.emplace(pd::kRuleTexts[i].op, pd::kRuleTexts[i].text);
      return r;
    });
  });
}

PADDLE_MODULE_INIT(Init)

}  // namespace
}  // namespace paddle::py
