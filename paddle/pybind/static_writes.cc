// SPDX-License-Identifier: Apache-2.0
// Tensors with data that a program recorded in static mode writes: they keep their data while the program is made, and
// each run brings them up to date (paddle.static.Executor).
#include "paddle/jit/writes.h"
#include "paddle/phi/core/assigned.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/program_object.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;

// (tensor, value) for each captured tensor whose last value is not in its memory when the program has run.
pyb::list Settle(ProgramObject& p) {
  pyb::list l;
  for (const jit::Written& w : jit::SettleWrites(p))
    l.append(pyb::make_tuple(TensorObject(w.tensor), TensorObject(w.value)));
  return l;
}

// The tensor stands for `value` from now on; its data stay.
void Resume(pyb::handle tensor, pyb::handle value) {
  const Tensor &t = ToTensor(tensor.ptr(), "program", "tensor"), &v = ToTensor(value.ptr(), "program", "value");
  t->value = v->value;
  t->ShareHistory(*v.impl());
}

void WriteBack(pyb::handle tensor, pyb::handle result) {
  const Tensor &t = ToTensor(tensor.ptr(), "executor", "tensor"), &r = ToTensor(result.ptr(), "executor", "result");
  PD_CHECK(!t.is_symbolic() && !r.is_symbolic(), PreconditionNotMet,
           "[executor] expected tensors with data, got symbolic ones");
  PD_CHECK(t.dims() == r.dims() && t.dtype() == r.dtype(), InvalidArgument, "[executor] expected a value of shape ",
           common::ShapeText(t.dims()), " and dtype ", phi::NameOf(t.dtype()),
           " for a variable the program writes, got shape ", common::ShapeText(r.dims()), " and dtype ",
           phi::NameOf(r.dtype()));
  phi::CopyInto(r, t);
  phi::NoteAssigned(*t->storage());
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m =
        pyb::reinterpret_borrow<pyb::module_>(pyb::reinterpret_borrow<pyb::module_>(module).attr("pir").ptr());
    m.def("_settle", &Settle, "Tensors with data that the program writes, with the values written.");
    m.def("_resume", &Resume, "Lets a tensor stand for a value again.");
    m.def("_write_back", &WriteBack, "Copies a result into the tensor.");
  });
}

PADDLE_MODULE_INIT(Init)

}  // namespace
}  // namespace paddle::py
