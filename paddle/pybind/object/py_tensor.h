// SPDX-License-Identifier: Apache-2.0
// The Python class paddle.Tensor and the way between its objects and C++ tensors.
#pragma once

#include "paddle/phi/core/default_dtype.h"
#include "paddle/pybind/object/py_args.h"

namespace paddle::py {

// An object owns one reference to the impl; the impl borrows the object (`pyobj`), so a tensor alive in Python keeps
// its identity. An object that dies while C++ still holds the impl takes its Python attributes and subclass with it.
struct PyTensor {
  PyObject_HEAD Tensor t;
  PyObject* dict;
  PyObject* weakrefs;
};

extern PyTypeObject* g_tensor_type;  // paddle.Tensor
extern PyTypeObject* g_value_type;   // paddle.base.libpaddle.pir.Value, of symbolic tensors

// Subclasses are made by class statements: no static type, as those of numbers, lists and arrays are, is one.
inline bool IsTensor(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  return type == g_tensor_type ||
         (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) && PyType_IsSubtype(type, g_tensor_type));
}
// Unchecked.
inline Tensor& AsTensor(PyObject* o) { return reinterpret_cast<PyTensor*>(o)->t; }
// The object of `t`: the living one, else a new one. Undefined: None.
PyObject* ToPy(const Tensor& t);
PyObject* ToPy(Tensor&& t);

// Adds Tensor to the module; called once.
int InitTensorType(PyObject* module);

// Pieces of the type, one file each.
extern PyMethodDef g_tensor_methods[];
extern PyMethodDef g_tensor_convert_methods[];
extern PyMethodDef g_tensor_autograd_methods[];
extern PyGetSetDef g_tensor_getset[];
void FillNumberSlots(std::vector<PyType_Slot>* slots);
PyObject* TensorGetItem(PyObject* self, PyObject* key);
int TensorSetItem(PyObject* self, PyObject* key, PyObject* value);
PyObject* TensorRichCompare(PyObject* a, PyObject* b, int op);

// numpy and to_tensor (creation.cc, numpy.cc).
bool IsNdarray(PyObject* o);
PyObject* ToNumpy(const Tensor& t, PyObject* base);     // shares memory when it can; `base` keeps it alive
Tensor FromBuffer(PyObject* o, bool copy);              // buffer protocol; `copy` or in its memory where it can
PyObject* ItemOf(const Tensor& t, int64_t flat_index);  // a Python number
PyObject* NestedList(const Tensor& t);
// Python data to a tensor. UNDEFINED: infer the dtype.
Tensor TensorFromData(PyObject* data, DataType dtype);
using phi::DefaultDtype;

// dtype and place objects (types.cc).
PyObject* DtypeObject(DataType t);  // new reference
bool IsDtypeObject(PyObject* o, DataType* out);
PyObject* PlaceObject(Place p);
bool IsPlaceObject(PyObject* o, Place* out);
PyObject* ShapeObject(const Tensor& t);  // paddle.Size
PyObject* IntList(const Ints& v);
int InitTypes(PyObject* module);
int InitCreation(PyObject* module);
int InitAutograd(PyObject* module);
int InitRuntime(PyObject* module);

// Positional/keyword parsing for hand-written methods: METH_FASTCALL|METH_KEYWORDS arguments into `slots` by name.
void ParseArgs(const char* fn, const char* const* names, int n, int required, PyObject* const* args, Py_ssize_t nargs,
               PyObject* kwnames, PyObject** slots);

}  // namespace paddle::py
