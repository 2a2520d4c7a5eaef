// SPDX-License-Identifier: Apache-2.0
// Operators of users for Python (paddle.utils.cpp_extension): loading the libraries that define them, and calls.
#include "paddle/pybind/module.h"

#include <dlfcn.h>

#include "paddle/eager/api/custom_op.h"
#include "paddle/executor/registration.h"
#include "paddle/phi/api/ext/casts.h"
#include "paddle/pir/core/attribute.h"
#include "paddle/pybind/object/gil.h"
#include "paddle/pybind/object/py_args.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {
namespace {

using phi::CustomOp;

// (name, names of inputs, names of attributes)
PyObject* Describe(const CustomOp& op) {
  auto names = [](const auto& list) {
    PyRef made = Own(PyTuple_New(static_cast<Py_ssize_t>(list.size())));
    for (size_t i = 0; i < list.size(); ++i)
      PyTuple_SET_ITEM(made.get(), i, Own(PyUnicode_FromString(list[i].name.c_str())).release());
    return made;
  };
  return Py_BuildValue("(sNN)", op.name.c_str(), names(op.inputs).release(), names(op.attrs).release());
}

PyObject* Load(PyObject*, PyObject* path) {
  return Guarded([&]() -> PyObject* {
    const std::string file = ToStr(path, "load_op_meta_info_and_register_op", "lib_filename");
    PD_CHECK(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), PreconditionNotMet,
             "[load_op_meta_info_and_register_op] expected a library that can be loaded, got ", dlerror());
    const auto ops = executor::RegisterUserOps();
    PyRef list = Own(PyList_New(0));
    for (const CustomOp* op : ops) {
      const PyRef entry = Own(Describe(*op));
      if (PyList_Append(list.get(), entry.get()) < 0) throw PyErrAlreadySet();
    }
    return list.release();
  });
}

template <class T>
std::vector<T> Narrowed(const Ints& values) {
  return {values.begin(), values.end()};
}

phi::AttrValue AttrFrom(const CustomOp& op, const CustomOp::Attr& a, PyObject* o) {
  const char *name = op.name.c_str(), *arg = a.name.c_str();
  switch (static_cast<pir::AttrCode>(a.index)) {
    case pir::AttrCode::kBool: return ToBool(o, name, arg);
    case pir::AttrCode::kInt32: return static_cast<int32_t>(ToInt32(o, name, arg));
    case pir::AttrCode::kInt64: return ToInt(o, name, arg);
    case pir::AttrCode::kFloat: return static_cast<float>(ToDouble(o, name, arg));
    case pir::AttrCode::kDouble: return ToDouble(o, name, arg);
    case pir::AttrCode::kStr: return ToStr(o, name, arg);
    case pir::AttrCode::kInt32s: return Narrowed<int32_t>(ToInts32(o, name, arg));
    case pir::AttrCode::kInt64s: return Narrowed<int64_t>(ToInts(o, name, arg));
    case pir::AttrCode::kStrs: return ToStrs(o, name, arg);
    default: {
      const std::vector<double> values = ToDoubles(o, name, arg);
      return std::vector<float>(values.begin(), values.end());
    }
  }
}

// _run_custom_op(name, inputs..., attributes...): a tensor, or a list where there are other than one result. A tensor
// is a list of one.
PyObject* Run(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return Guarded([&]() -> PyObject* {
    PD_CHECK(n > 0, InvalidType, "[_run_custom_op] expected the name of an operator, got nothing");
    const std::string name = ToStr(args[0], "_run_custom_op", "name");
    const CustomOp* op = phi::FindCustomOp(name);
    PD_CHECK(op, NotFound, "[", name, "] expected an operator of a loaded library, got a name that none defines");
    const size_t inputs = op->inputs.size(), wanted = inputs + op->attrs.size();
    PD_CHECK(static_cast<size_t>(n) == wanted + 1, InvalidType, "[", name, "] expected ", wanted, " arguments, got ",
             n - 1);
    egr::CustomValues given(inputs);
    for (size_t i = 0; i < inputs; ++i) {
      const CustomOp::Operand& o = op->inputs[i];
      PyObject* value = args[1 + i];
      if (o.optional && IsNone(value)) continue;
      if (o.list && !IsTensor(value))
        given[i] = ToTensors(value, name.c_str(), o.name.c_str());
      else
        given[i] = {ToTensor(value, name.c_str(), o.name.c_str())};
    }
    std::vector<phi::AttrValue> attrs;
    for (size_t a = 0; a < op->attrs.size(); ++a) attrs.push_back(AttrFrom(*op, op->attrs[a], args[1 + inputs + a]));
    egr::CustomValues made = egr::CallCustomOp(*op, given, attrs);
    if (made.size() == 1 && !op->outputs[0].list) return made[0].empty() ? Wrap(Tensor()) : Wrap(std::move(made[0][0]));
    if (made.size() == 1 && made[0].size() == 1) return Wrap(std::move(made[0][0]));
    if (made.size() == 1) return Wrap(std::move(made[0]));
    PyRef list = Own(PyList_New(0));
    for (size_t k = 0; k < made.size(); ++k) {
      const PyRef each = Own(op->outputs[k].list ? Wrap(std::move(made[k]))
                                                 : Wrap(made[k].empty() ? Tensor() : std::move(made[k][0])));
      if (PyList_Append(list.get(), each.get()) < 0) throw PyErrAlreadySet();
    }
    return list.release();
  });
}

PyMethodDef methods[] = {
    {"_load_custom_ops", Load, METH_O, "Loads a library; [(name, inputs, attributes)] of the operators it defines."},
    {"_run_custom_op", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(Run)), METH_FASTCALL,
     "_run_custom_op(name, inputs..., attributes...): the results of an operator of a loaded library."},
    {nullptr, nullptr, 0, nullptr}};

// For modules that users bind themselves.
bool TensorOf(PyObject* object, Tensor* tensor) {
  const bool is = IsTensor(object);
  if (is) *tensor = AsTensor(object);
  return is;
}
bool DtypeOf(PyObject* object, DataType* dtype) { return IsDtypeObject(object, dtype); }
bool PlaceOf(PyObject* object, Place* place) { return IsPlaceObject(object, place); }
constexpr paddle::ext::Casts kCasts = {
    TensorOf,
    DtypeOf,
    PlaceOf,
    +[](const Tensor& t) { return Wrap(t); },
    +[](const DataType& t) { return DtypeObject(t); },
    +[](const Place& p) { return PlaceObject(p); },
};

int Init(PyObject* module) {
  PyObject* casts = PyCapsule_New(const_cast<paddle::ext::Casts*>(&kCasts), paddle::ext::Casts::kName, nullptr);
  if (!casts || PyModule_AddObject(module, "_casts", casts) < 0) return -1;
  return PyModule_AddFunctions(module, methods);
}

}  // namespace

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
