// SPDX-License-Identifier: Apache-2.0
// libpaddle.pir._py_func: an operation of a program that calls a Python function when it runs (paddle.static.py_func).
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "paddle/pybind/object/gil.h"
#include "paddle/common/error.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;
using Longs = std::vector<int64_t>;

// Programs hold functions by number, and programs and their copies end unnoticed: functions live as long as the
// process.
std::vector<pyb::object>& Functions() {
  static auto* functions = new std::vector<pyb::object>;
  return *functions;
}

// The declared results: dtypes, ranks and all extents in a row, -1 where unknown.
void Infer(const phi::MetaSlot*, const phi::AttrValue* attrs, std::vector<phi::Meta>* outs) {
  const auto &dtypes = std::get<Longs>(attrs[1]), &ranks = std::get<Longs>(attrs[2]), &dims = std::get<Longs>(attrs[3]);
  size_t at = 0;
  for (size_t k = 0; k < dtypes.size(); ++k) {
    phi::Meta m;
    m.dtype = static_cast<phi::DataType>(dtypes[k]);
    for (int64_t r = 0; r < ranks[k]; ++r, ++at)
      m.dims.push_back(dims[at] < 0 ? common::NewSymbol() : common::Dim(dims[at]));
    outs[0].push_back(m);
  }
}

void Run(const phi::KernelContext&, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  const GilHeld gil;
  const int64_t number = phi::AttrAs<int64_t>(attrs[0], "py_func", "function");
  PD_CHECK(number >= 0 && number < static_cast<int64_t>(Functions().size()), PreconditionNotMet,
           "[py_func] expected a function of this process, got number ", number,
           "; programs with py_func cannot be loaded");
  const auto& dtypes = std::get<Longs>(attrs[1]);
  pyb::tuple args(in[0].n);
  for (int i = 0; i < in[0].n; ++i) args[i] = pyb::reinterpret_steal<pyb::object>(ToPy(in[0].p[i]));
  pyb::object made = Functions()[number](*args);
  std::vector<Tensor> results;
  for (pyb::handle o : pyb::reinterpret_borrow<pyb::iterable>(made))
    results.push_back(ToTensor(o.ptr(), "py_func", "result"));
  PD_CHECK(results.size() == dtypes.size(), InvalidArgument, "[py_func] expected ", dtypes.size(), " results, got ",
           results.size());
  for (size_t k = 0; k < results.size(); ++k)
    PD_CHECK(results[k].dtype() == static_cast<phi::DataType>(dtypes[k]), InvalidArgument, "[py_func] expected result ",
             k, " to be ", phi::NameOf(static_cast<phi::DataType>(dtypes[k])), ", got ",
             phi::NameOf(results[k].dtype()));
  *outs[0].list = std::move(results);
}

phi::OpDef def_py_func("py_func",
                       {{"x", phi::ArgDef::kTensorList, 0, {}},
                        {"function", phi::ArgDef::kAttr, paddle::AttrIndex<int64_t>(), {}},
                        {"dtypes", phi::ArgDef::kAttr, paddle::AttrIndex<Longs>(), {}},
                        {"ranks", phi::ArgDef::kAttr, paddle::AttrIndex<Longs>(), {}},
                        {"extents", phi::ArgDef::kAttr, paddle::AttrIndex<Longs>(), {}}},
                       {{"out", true, false, nullptr}}, phi::kOpSideEffect | phi::kOpInternal, Infer, Run);

int64_t Register(pyb::object function) {
  Functions().push_back(std::move(function));
  return static_cast<int64_t>(Functions().size()) - 1;
}

pyb::list Record(int64_t number, const pyb::iterable& inputs, const std::vector<pyb::object>& dtypes,
                 const std::vector<Longs>& shapes) {
  PD_CHECK(egr::State().record != egr::RecordMode::kRun, PreconditionNotMet,
           "[py_func] expected a program that is being recorded, got none");
  std::vector<Tensor> in, out;
  for (pyb::handle o : inputs) in.push_back(ToTensor(o.ptr(), "py_func", "x"));
  Longs numbers, ranks, extents;
  for (size_t k = 0; k < dtypes.size(); ++k) {
    numbers.push_back(static_cast<int64_t>(ToDataType(dtypes[k].ptr(), "py_func", "dtype")));
    ranks.push_back(static_cast<int64_t>(shapes[k].size()));
    extents.insert(extents.end(), shapes[k].begin(), shapes[k].end());
  }
  phi::InSlot slots[] = {phi::InSlot(in)};
  phi::AttrValue attrs[] = {number, numbers, ranks, extents};
  phi::OutSlot results[] = {phi::OutSlot(out)};
  egr::RecordOp(def_py_func, slots, attrs, results);
  pyb::list l;
  for (Tensor& t : out) l.append(pyb::reinterpret_steal<pyb::object>(ToPy(t)));
  return l;
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m =
        pyb::reinterpret_borrow<pyb::module_>(pyb::reinterpret_borrow<pyb::module_>(module).attr("pir").ptr());
    m.def("_register_py_func", &Register, "Keeps a function that _py_func names by the number returned.");
    m.def("_py_func", &Record, "Records a call of function `number`: symbolic results of the given dtypes and shapes.");
  });
}

}  // namespace

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
