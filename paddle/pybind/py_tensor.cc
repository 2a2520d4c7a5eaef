// SPDX-License-Identifier: Apache-2.0
// The type object of paddle.Tensor: creation, identity, garbage collection, the free list. Its members are in the other
// tensor_*.cc.
#include "paddle/pybind/object/py_tensor.h"
#include "paddle/pybind/object/class_texts.h"
#include "paddle/pybind/dist_tensor.h"
#include "paddle/pybind/py_hooks.h"
#include "paddle/jit/python/tape.h"
#include "paddle/pybind/unknown_value.h"
#include "paddle/common/sanitizer.h"
#include "paddle/phi/core/device.h"

#include <cstring>

#include <structmember.h>

#include <deque>
#include <new>
#include <string_view>

#include "paddle/eager/autograd/grad_node.h"

namespace paddle::py {

PyTypeObject* g_tensor_type = nullptr;
PyTypeObject* g_value_type = nullptr;

namespace {

// Dead objects of the exact type, members emptied. The GIL guards the list.
constexpr int kFreeMax = 256;
PyTensor* g_free[kFreeMax];
int g_free_count = 0;

// Objects of the exact type hold no Python reference until someone sets an attribute, or their history does
// (py_hooks.h); only then does the collector see them.
PyTensor* NewExact(PyTypeObject* type) {
  PyTensor* self;
  if (type == g_tensor_type && g_free_count > 0) {
    self = g_free[--g_free_count];
    PyObject_Init(reinterpret_cast<PyObject*>(self), type);
  } else {
    self = PyObject_GC_New(PyTensor, type);
    if (!self) return nullptr;
  }
  self->dict = nullptr;
  self->weakrefs = nullptr;
  return self;
}

void Dealloc(PyObject* o) {
  auto* self = reinterpret_cast<PyTensor*>(o);
  PyTypeObject* type = Py_TYPE(o);
  if (PyObject_GC_IsTracked(o)) PyObject_GC_UnTrack(o);
  if (self->weakrefs) PyObject_ClearWeakRefs(o);
  Py_CLEAR(self->dict);
  if (auto* impl = self->t.impl()) {
    if (impl->pyobj == o) impl->pyobj = nullptr;
    self->t.reset();
  }
  if (!common::kSanitized && type == g_tensor_type && g_free_count < kFreeMax) {
    g_free[g_free_count++] = self;
  } else {
    PyObject_GC_Del(o);
  }
  Py_DECREF(type);
}

int Traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(reinterpret_cast<PyTensor*>(o)->dict);
  return VisitHistory(AsTensor(o), visit, arg);
}
int Clear(PyObject* o) {
  Py_CLEAR(reinterpret_cast<PyTensor*>(o)->dict);
  ClearHistory(AsTensor(o));
  return 0;
}

int SetAttr(PyObject* o, PyObject* name, PyObject* value) {
  int rc = PyObject_GenericSetAttr(o, name, value);
  if (reinterpret_cast<PyTensor*>(o)->dict && !PyObject_GC_IsTracked(o)) PyObject_GC_Track(o);
  return rc;
}

// Handing the dict out makes the object one the collector must see.
PyObject* GetDict(PyObject* o, void* context) {
  PyObject* dict = PyObject_GenericGetDict(o, context);
  if (dict && !PyObject_GC_IsTracked(o)) PyObject_GC_Track(o);
  return dict;
}

PyObject* Make(PyTypeObject* type, Tensor&& t) {
  PyTensor* self = NewExact(type);
  if (!self) return nullptr;
  new (&self->t) Tensor(std::move(t));
  if (self->t.defined()) self->t->pyobj = self;
  if (type != g_tensor_type || (self->t.defined() && self->t->node() && HistoriesHoldObjects()))
    PyObject_GC_Track(reinterpret_cast<PyObject*>(self));
  return reinterpret_cast<PyObject*>(self);
}

// A second impl over the same data: what a subclass object made from a tensor owns.
Tensor Alias(const Tensor& t) {
  if (t.is_dist()) return AliasOfDist(t);
  if (t->kind() != phi::ImplKind::kDense) {
    PD_CHECK(!t->pyobj, InvalidType,
             "[Tensor] expected a dense tensor to make a subclass object of, got a sparse one or a list");
    return t;
  }
  Tensor r = phi::AliasOf(t);
  r->stop_gradient = t->stop_gradient;
  r->persistable = t->persistable;
  return r;
}

// TypeError for arguments of Tensor() that nothing would read; a subclass may have others for its __init__.
void CheckMade(PyObject* kwargs) {
  PyObject *key, *value;
  for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &key, &value);) {
    const std::string name = ToStr(key, "Tensor", "keyword");
    bool known = false;
    for (const char* one : {"value", "data", "dtype", "dims", "type", "stop_gradient", "persistable", "name"})
      known = known || name == one;
    if (name == "place" || name == "device")
      known = IsNone(value) || ToPlace(value, "Tensor", name.c_str()).is_cpu();
    else if (name == "zero_copy")
      known = IsNone(value) || PyBool_Check(value);
    if (!known) RaiseTypeError("[Tensor] got an unexpected keyword argument '" + name + "', or a value it cannot take");
  }
}

// The keywords, and what stands behind the value in Tensor(value, place, persistable, zero_copy, name, stop_gradient).
PyRef Keywords(PyObject* args, PyObject* kwargs) {
  constexpr const char* kNames[] = {"place", "persistable", "zero_copy", "name", "stop_gradient"};
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  if (n > 1 + static_cast<Py_ssize_t>(std::size(kNames)))
    RaiseTypeError("[Tensor] expected at most 6 arguments, got " + std::to_string(n));
  PyRef all = Own(kwargs ? PyDict_Copy(kwargs) : PyDict_New());
  for (Py_ssize_t i = 1; i < n; ++i) {
    if (PyDict_GetItemString(all.get(), kNames[i - 1]))
      RaiseTypeError(std::string("[Tensor] expected one value for ") + kNames[i - 1] + ", got two");
    PyDict_SetItemString(all.get(), kNames[i - 1], PyTuple_GET_ITEM(args, i));
  }
  return all;
}

// A tensor over the memory of an array; undefined where that cannot be shared, as of read-only arrays.
Tensor OverMemory(PyObject* array) {
  if (!PyObject_HasAttrString(array, "__dlpack__")) return {};
  const PyRef module = Own(PyImport_ImportModule("paddle.utils.dlpack"));
  const PyRef made(PyObject_CallMethod(module.get(), "from_dlpack", "O", array));
  if (!made.get()) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw PyErrAlreadySet();
    PyErr_Clear();
    return {};
  }
  return Alias(AsTensor(made.get()));
}

// Tensor(), Tensor(tensor), Tensor(array or list), Tensor(2, 3) (uninitialised).
PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return Guarded([&]() -> PyObject* {
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    PyObject* first = n ? PyTuple_GET_ITEM(args, 0) : nullptr;
    PyRef named;
    if (type == g_tensor_type) {
      if (n > 1 && !(PyLong_Check(first) && !PyBool_Check(first))) kwargs = (named = Keywords(args, kwargs)).get();
      CheckMade(kwargs);
    }
    PyObject* dtype_arg = kwargs ? PyDict_GetItemString(kwargs, "dtype") : nullptr;
    if (!first && kwargs)
      for (const char* key : {"value", "data"})
        if (!first) first = PyDict_GetItemString(kwargs, key);
    DataType dtype = dtype_arg ? ToDataType(dtype_arg, "Tensor", "dtype") : DataType::UNDEFINED;
    Tensor t;
    if (!first || first == Py_None) {
      if (dtype == DataType::UNDEFINED) dtype = DefaultDtype();
      PyObject* dims = kwargs ? PyDict_GetItemString(kwargs, "dims") : nullptr;
      t = phi::Empty(dims ? ToInts(dims, "Tensor", "dims") : Ints{0}, dtype, phi::CurrentPlace());
    } else if (IsTensor(first)) {
      if (type == g_tensor_type) StopTape(Tape::kPlain, "a tensor was made of another by its class");
      t = Alias(AsTensor(first));
    } else if (PyLong_Check(first) && !PyBool_Check(first)) {
      Ints dims;
      for (Py_ssize_t i = 0; i < n; ++i) dims.push_back(ToInt(PyTuple_GET_ITEM(args, i), "Tensor", "shape"));
      t = phi::Empty(dims, dtype == DataType::UNDEFINED ? DefaultDtype() : dtype, phi::CurrentPlace());
    } else {
      bool list = PyList_Check(first) || PyTuple_Check(first);
      const egr::GradModeGuard no_history(false);
      PyObject* share = kwargs && dtype == DataType::UNDEFINED ? PyDict_GetItemString(kwargs, "zero_copy") : nullptr;
      if (share && !list && PyObject_IsTrue(share) == 1) t = OverMemory(first);
      if (!t.defined()) t = TensorFromData(first, dtype == DataType::UNDEFINED && list ? DefaultDtype() : dtype);
    }
    PyObject* o = Make(type, std::move(t));
    if (!o) return nullptr;
    if (kwargs)
      for (const char* key : {"stop_gradient", "persistable", "name"})
        if (PyObject* v = PyDict_GetItemString(kwargs, key); v && v != Py_None && type == g_tensor_type)
          if (PyObject_SetAttrString(o, key, v) < 0) {
            Py_DECREF(o);
            return nullptr;
          }
    return o;
  });
}

int Init(PyObject*, PyObject*, PyObject*) { return 0; }

// A 0-d tensor gives nothing, as in PaddlePaddle; list() of it raises, because its len() does.
PyObject* Iter(PyObject* self) {
  TapeShape(self);
  const Tensor& t = AsTensor(self);
  if (t.is_symbolic() && t.ndim() > 0 && !t->symbolic_dims()[0].known()) {
    RaiseUnknownValue("iter",
                      "use paddle.static.nn.while_loop with paddle.shape(x)[0], or operations on the whole tensor");
    return nullptr;
  }
  return PySeqIter_New(self);
}

Py_ssize_t Length(PyObject* self) {
  TapeShape(self);
  const Tensor& t = AsTensor(self);
  if (t.is_symbolic()) {
    if (t.ndim() > 0 && t->symbolic_dims()[0].known()) return t->symbolic_dims()[0].value();
    if (t.ndim() == 0)
      PyErr_SetString(PyExc_AssertionError, "[len] expected a tensor of at least one axis, got a 0-D tensor");
    else
      RaiseUnknownValue("len", "use paddle.shape(x)[0]");
    return -1;
  }
  if (t.ndim() == 0) {
    PyErr_SetString(PyExc_AssertionError, "[len] expected a tensor of at least one axis, got a 0-D tensor");
    return -1;
  }
  return t.dim(0);
}

PyObject* SequenceItem(PyObject* self, Py_ssize_t i) {
  TapeShape(self);
  const Tensor& t = AsTensor(self);
  const bool known = !t.is_symbolic() || (t.ndim() > 0 && t->symbolic_dims()[0].known());
  if (known && t.ndim() > 0 && (i < 0 || i >= (t.is_symbolic() ? t->symbolic_dims()[0].value() : t.dim(0)))) {
    PyErr_SetString(PyExc_IndexError, "index out of range");
    return nullptr;
  }
  PyRef key(PyLong_FromSsize_t(i));
  return key ? TensorGetItem(self, key.get()) : nullptr;
}

// id(x), as PaddlePaddle has it.
Py_hash_t Hash(PyObject* self) { return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(self)); }

PyObject* Repr(PyObject* self) {
  static PyObject* to_string = nullptr;
  if (!to_string) {
    PyRef module(PyImport_ImportModule("paddle.tensor.to_string"));
    if (!module) return nullptr;
    to_string = PyObject_GetAttrString(module.get(), "to_string");
    if (!to_string) return nullptr;
  }
  return PyObject_CallOneArg(to_string, self);
}

// Parameters of the methods that have any, after self.
std::string ParametersOf(std::string_view name) {
  static constexpr std::pair<std::string_view, const char*> kTable[] = {
      {"backward", ", grad_tensor=None, retain_graph=False, dump_backward_graph_path=None"},
      {"clear_grad", ", set_to_zero=True"},
      {"clear_gradient", ", set_to_zero=True"},
      {"register_hook", ", hook"},
      {"register_post_accumulate_grad_hook", ", hook"},
      {"requires_grad_", ", requires_grad=True"},
      {"astype", ", dtype"},
      {"type_as", ", other"},
      {"set_value", ", value"},
      {"numpy", ", blocking=True, force=False"},
      {"clone", ", memory_format=None"},
      {"copy_", ", other, blocking=False"},
      {"stride", ", dim=None"},
      {"item", ", *args"},
      {"is_same_shape", ", y"},
      {"__array__", ", dtype=None, copy=None"},
      {"__dlpack__", ", stream=None, max_version=None, dl_device=None, copy=None"}};
  for (auto& [key, parameters] : kTable)
    if (key == name) return parameters;
  return "";
}

PyMemberDef members[] = {{"__dictoffset__", T_PYSSIZET, offsetof(PyTensor, dict), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(PyTensor, weakrefs), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

}  // namespace

PyObject* ToPy(Tensor&& t) {
  if (!t.defined()) Py_RETURN_NONE;
  if (t->pyobj) {
    auto* o = static_cast<PyObject*>(t->pyobj);
    Py_INCREF(o);
    return o;
  }
  return Make(__builtin_expect(t.is_symbolic(), 0) ? g_value_type : g_tensor_type, std::move(t));
}

PyObject* ToPy(const Tensor& t) {
  if (!t.defined()) Py_RETURN_NONE;
  if (t->pyobj) {
    auto* o = static_cast<PyObject*>(t->pyobj);
    Py_INCREF(o);
    return o;
  }
  return ToPy(Tensor(t));
}

int InitTensorType(PyObject* module) {
  static std::vector<PyGetSetDef> getset;
  for (PyGetSetDef* g = g_tensor_getset; g->name; ++g) getset.push_back(*g);
  getset.push_back({"__dict__", GetDict, PyObject_GenericSetDict, nullptr, nullptr});
  getset.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
  static std::vector<PyMethodDef> methods;
  static std::deque<std::string> docs;  // "name(parameters)\n--\n\ndoc": what inspect.signature reads
  for (PyMethodDef* table : {g_tensor_methods, g_tensor_convert_methods, g_tensor_autograd_methods})
    for (PyMethodDef* m = table; m->ml_name; ++m) {
      methods.push_back(*m);
      const bool own = m->ml_doc && std::strstr(m->ml_doc, ")\n--\n\n");
      docs.push_back(own ? m->ml_doc
                         : std::string(m->ml_name) + "($self" + ParametersOf(m->ml_name) + ")\n--\n\n" +
                               (m->ml_doc ? m->ml_doc : ""));
      methods.back().ml_doc = docs.back().c_str();
    }
  methods.push_back({nullptr, nullptr, 0, nullptr});
  std::vector<PyType_Slot> slots = {{Py_tp_new, reinterpret_cast<void*>(New)},
                                    {Py_tp_init, reinterpret_cast<void*>(Init)},
                                    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
                                    {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                                    {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                                    {Py_tp_setattro, reinterpret_cast<void*>(SetAttr)},
                                    {Py_tp_hash, reinterpret_cast<void*>(Hash)},
                                    {Py_tp_iter, reinterpret_cast<void*>(Iter)},
                                    {Py_tp_repr, reinterpret_cast<void*>(Repr)},
                                    {Py_tp_str, reinterpret_cast<void*>(Repr)},
                                    {Py_tp_richcompare, reinterpret_cast<void*>(TensorRichCompare)},
                                    {Py_tp_members, members},
                                    {Py_tp_methods, methods.data()},
                                    {Py_tp_getset, getset.data()},
                                    {Py_mp_subscript, reinterpret_cast<void*>(TensorGetItem)},
                                    {Py_mp_ass_subscript, reinterpret_cast<void*>(TensorSetItem)},
                                    {Py_mp_length, reinterpret_cast<void*>(Length)},
                                    {Py_sq_item, reinterpret_cast<void*>(SequenceItem)},
                                    {Py_tp_doc, const_cast<char*>(kTensorText)}};
  FillNumberSlots(&slots);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"paddle.Tensor", sizeof(PyTensor), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
  g_tensor_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!g_tensor_type) return -1;
  g_tensor_type->tp_name = "Tensor";  // what messages call it; __module__ is 'paddle' already
  PyObject* type = reinterpret_cast<PyObject*>(g_tensor_type);
  if (PyObject_SetAttrString(type, "__array_ufunc__", Py_None) < 0) return -1;

  PyType_Slot value_slots[] = {{Py_tp_doc, const_cast<char*>(kValueText)}, {0, nullptr}};
  PyType_Spec value_spec = {"paddle.base.libpaddle.pir.Value", sizeof(PyTensor), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, value_slots};
  PyRef bases(PyTuple_Pack(1, type));
  g_value_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&value_spec, bases.get()));
  if (!g_value_type) return -1;
  if (InstallTensorMethods(g_tensor_type) < 0) return -1;
  Py_INCREF(type);
  return PyModule_AddObject(module, "Tensor", type);
}

}  // namespace paddle::py
