// SPDX-License-Identifier: Apache-2.0
// libpaddle.pir._if_region and _while_region: pd_op.if and pd_op.while recorded by calling Python functions.
#include "paddle/eager/dispatch/control_flow.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "paddle/eager/dispatch/record.h"
#include "paddle/phi/api/ops.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_tensor.h"
#include "paddle/pybind/operation_object.h"
#include "paddle/pybind/program_object.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

pyb::object Object(const Tensor& t) {
  return t.defined() ? pyb::reinterpret_steal<pyb::object>(Own(ToPy(t)).release()) : pyb::none();
}

pyb::list ListOf(const std::vector<Tensor>& ts) {
  pyb::list l;
  for (const Tensor& t : ts) l.append(Object(t));
  return l;
}

std::vector<Tensor> TensorsOf(const pyb::handle& list, const char* op) {
  std::vector<Tensor> r;
  for (pyb::handle o : pyb::reinterpret_borrow<pyb::iterable>(list))
    r.push_back(o.is_none() ? Tensor() : ToTensor(o.ptr(), op, "value"));
  return r;
}

pyb::list IfRegion(pyb::handle pred, const pyb::object& yes, const pyb::object& no, const pyb::object& fill) {
  auto branch = [](const pyb::object& f) { return [&f] { return TensorsOf(f(), "if"); }; };
  auto filled = [&](int k) { return TensorsOf(fill(k), "if"); };
  return ListOf(egr::RecordIf(ToTensor(pred.ptr(), "if", "pred"), branch(yes), branch(no), filled));
}

pyb::list WhileRegion(const pyb::object& cond, const pyb::object& body, const pyb::iterable& values) {
  auto condition = [&](const std::vector<Tensor>& v) {
    pyb::object o = cond(*pyb::tuple(ListOf(v)));
    return ToTensor(o.ptr(), "while", "cond");
  };
  auto step = [&](const std::vector<Tensor>& v) { return TensorsOf(body(*pyb::tuple(ListOf(v))), "while"); };
  return ListOf(egr::RecordWhile(condition, step, TensorsOf(values, "while")));
}

pyb::list IfAgain(OperationObject& op, const pyb::object& yes, const pyb::object& no) {
  auto branch = [](const pyb::object& f) { return [&f] { return TensorsOf(f(), "if"); }; };
  return ListOf(egr::IfAgain(&op.get(), branch(yes), branch(no)));
}

pyb::list WhileAgain(OperationObject& op, const pyb::object& body, const pyb::iterable& values) {
  auto step = [&](const std::vector<Tensor>& v) { return TensorsOf(body(ListOf(v)), "while"); };
  return ListOf(egr::WhileAgain(&op.get(), step, TensorsOf(values, "while")));
}

pyb::object Print(pyb::handle x, int first_n, const std::string& message, int summarize, bool name, bool type,
                  bool shape, bool layout, bool lod, const std::string& phase) {
  return Object(egr::RecordPrint(ToTensor(x.ptr(), "print", "input"),
                                 {first_n, message, summarize, name, type, shape, layout, lod, phase}));
}

void Assert(pyb::handle cond, const pyb::iterable& data, int64_t summarize) {
  egr::RecordAssert(ToTensor(cond.ptr(), "assert", "cond"), TensorsOf(data, "assert"), summarize);
}

// An extent that is known only when the program runs, as an entry of a shape argument.
struct Extent {
  common::Dim dim;
};

pyb::object ExtentObjectOf(common::Dim d) {
  return d.known() ? pyb::object(pyb::int_(d.value())) : pyb::cast(Extent{d});
}

pyb::object Combined(const Extent& self, char op, pyb::handle other, bool swapped) {
  common::Dim a = self.dim, b;
  if (!IsExtent(other.ptr(), &b)) b = common::Dim(ToInt(other.ptr(), "to_static", "other"));
  if (swapped) std::swap(a, b);
  switch (op) {
    case '+': return ExtentObjectOf(a + b);
    case '-': return ExtentObjectOf(common::Sub(a, b));
    case '*': return ExtentObjectOf(a * b);
    case '/': return ExtentObjectOf(common::Div(a, b));
    case 'b': return ExtentObjectOf(common::SymbolicOp('b', a, b));
    default: PD_THROW(InvalidArgument, "[to_static] expected +, -, *, / or b, got ", std::string(1, op));
  }
}

struct NotesObject {
  std::shared_ptr<ProgramObject> program;
  std::unique_ptr<egr::WriteNotes> notes;
};

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m =
        pyb::reinterpret_borrow<pyb::module_>(pyb::reinterpret_borrow<pyb::module_>(module).attr("pir").ptr());
    m.def("_if_region", &IfRegion,
          "Records pd_op.if: lists of equal length from two functions without arguments; fill(0) and fill(1) replace "
          "Nones.");
    m.def("_while_region", &WhileRegion,
          "Records pd_op.while: cond(*values) and body(*values), which returns the next values.");
    m.def("_if_again", &IfAgain, "The results of a pd_op.if of the program, from what its regions yield, as lists.");
    m.def("_while_again", &WhileAgain, "The results of a pd_op.while: body gets the arguments in a list.");
    pyb::class_<Extent>(m, "_Extent")
        .def(pyb::init<const Extent&>(), pyb::arg("extent"))
        .def(
            "_combined", &Combined, pyb::arg("op"), pyb::arg("other"), pyb::arg("swapped") = false,
            "+, -, * or floor division (/) of it and an int of at least 0 or an extent, or what they broadcast to (b).")
        .def(
            "_parts",
            [](const Extent& a) {
              const common::DimParts parts = common::PartsOf(a.dim);
              return pyb::make_tuple(parts.op, ExtentObjectOf(parts.a), ExtentObjectOf(parts.b));
            },
            "(op, a, b) as it was calculated; op is 's' where it was not.")
        .def(
            "_tensor",
            [](const Extent& a) {
              const egr::GradModeGuard off(false);
              return Object(paddle::reshape(egr::State().recorder->ExtentTensor(a.dim), {}));
            },
            "The extent as a value of the program that is being recorded, int64 of no axes.")
        .def(
            "__eq__", [](const Extent& a, const Extent& b) { return common::SameDim(a.dim, b.dim); },
            pyb::is_operator())
        .def("__hash__", [](const Extent& a) { return a.dim.raw(); })
        .def("__repr__", [](const Extent& a) { return common::DimText(a.dim); });
    m.def(
        "_extents",
        [](pyb::handle t) {
          pyb::list r;
          for (common::Dim d : ToTensor(t.ptr(), "shape", "x").extents()) r.append(ExtentObjectOf(d));
          return r;
        },
        "The extents as entries of a shape argument: ints, and objects for those that are not known.");
    pyb::class_<NotesObject>(m, "_WriteNotes", "Which tensors are written in place while a program is recorded.")
        .def(pyb::init([](std::shared_ptr<ProgramObject> program) {
          auto notes = std::make_unique<egr::WriteNotes>(program->recorder());
          notes->Begin();
          return NotesObject{std::move(program), std::move(notes)};
        }))
        .def(
            "end",
            [](NotesObject& n) {
              pyb::list r;
              for (auto& [tensor, now] : n.notes->End()) r.append(pyb::make_tuple(Object(tensor), Object(now)));
              return r;
            },
            "[(tensor, what it holds now)]; each holds what it held before.");
    m.def("_record_print", &Print, "Records pd_op.print; its result is the tensor.");
    m.def("_print_again", [](OperationObject& op, pyb::handle x) {
      return Object(egr::PrintAgain(&op.get(), ToTensor(x.ptr(), "print", "input")));
    });
    m.def("_record_assert", &Assert, "Records pd_op.assert.");
  });
}

}  // namespace

bool IsExtent(PyObject* o, common::Dim* extent) {
  if (!pyb::isinstance<Extent>(o)) return false;
  *extent = pyb::handle(o).cast<const Extent&>().dim;
  return true;
}

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
