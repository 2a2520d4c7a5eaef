// SPDX-License-Identifier: Apache-2.0
// The Python classes paddle.dtype, the places and paddle.Size, and conversions to and from them.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "paddle/phi/backends/custom/plugin_loader.h"
#include "paddle/phi/backends/gpu/device.h"
#include "paddle/phi/core/device.h"
#include "paddle/pybind/object/py_tensor.h"
#include "paddle/pybind/object/class_texts.h"

namespace paddle::py {
namespace {

struct DtypeEntry {
  const char* member;  // FLOAT32
  const char* name;    // float32
  int value;
  DataType type;
};
// Names and numbers are PaddlePaddle's; unsigned 16..64 and strings are named but hold no data here.
constexpr DtypeEntry kDtypes[] = {{"UNDEFINED", "undefined", 0, DataType::UNDEFINED},
                                  {"BOOL", "bool", 1, DataType::BOOL},
                                  {"UINT8", "uint8", 2, DataType::UINT8},
                                  {"INT8", "int8", 3, DataType::INT8},
                                  {"UINT16", "uint16", 4, DataType::UNDEFINED},
                                  {"INT16", "int16", 5, DataType::INT16},
                                  {"UINT32", "uint32", 6, DataType::UNDEFINED},
                                  {"INT32", "int32", 7, DataType::INT32},
                                  {"UINT64", "uint64", 8, DataType::UNDEFINED},
                                  {"INT64", "int64", 9, DataType::INT64},
                                  {"FLOAT32", "float32", 10, DataType::FLOAT32},
                                  {"FLOAT64", "float64", 11, DataType::FLOAT64},
                                  {"COMPLEX64", "complex64", 12, DataType::COMPLEX64},
                                  {"COMPLEX128", "complex128", 13, DataType::COMPLEX128},
                                  {"PSTRING", "pstring", 14, DataType::UNDEFINED},
                                  {"FLOAT16", "float16", 15, DataType::FLOAT16},
                                  {"BFLOAT16", "bfloat16", 16, DataType::BFLOAT16},
                                  {"FLOAT8_E4M3FN", "float8_e4m3fn", 17, DataType::FLOAT8_E4M3FN},
                                  {"FLOAT8_E5M2", "float8_e5m2", 18, DataType::FLOAT8_E5M2}};
constexpr int kCount = sizeof(kDtypes) / sizeof(kDtypes[0]);

struct PyDtype {
  PyObject_HEAD int index;
};
PyTypeObject* g_dtype_type = nullptr;
PyObject* g_dtypes[kCount];
PyObject* g_by_type[phi::kNumDataTypes];

const DtypeEntry& EntryOf(PyObject* o) { return kDtypes[reinterpret_cast<PyDtype*>(o)->index]; }

// For classes whose arguments have no names.
bool RefusesKeywords(const char* type, PyObject* kwargs) {
  if (!kwargs || PyDict_GET_SIZE(kwargs) == 0) return false;
  PyErr_Format(PyExc_TypeError, "[%s] expected no keyword arguments, got %R", type, kwargs);
  return true;
}

PyObject* DtypeNew(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  PyObject* v;
  if (RefusesKeywords("dtype", kwargs) || !PyArg_ParseTuple(args, "O", &v)) return nullptr;
  return Guarded([&]() -> PyObject* {
    if (Py_TYPE(v) == g_dtype_type) return Py_INCREF(v), v;
    if (PyLong_Check(v)) {
      const int64_t value = ToInt(v, "dtype", "value");
      for (int i = 0; i < kCount; ++i)
        if (kDtypes[i].value == value) return Py_INCREF(g_dtypes[i]), g_dtypes[i];
      RaiseValueError("[dtype] expected the number of a dtype, got " + std::to_string(value));
    }
    return DtypeObject(ToDataType(v, "dtype", "value"));
  });
}
PyObject* DtypeRepr(PyObject* self) { return PyUnicode_FromFormat("paddle.%s", EntryOf(self).name); }
Py_hash_t DtypeHash(PyObject* self) { return EntryOf(self).value + 1; }
PyObject* DtypeCompare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(b) != g_dtype_type || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((a == b) == (op == Py_EQ));
}
PyObject* DtypeName(PyObject* self, void*) { return PyUnicode_FromString(EntryOf(self).member); }
PyObject* DtypeValue(PyObject* self, void*) { return PyLong_FromLong(EntryOf(self).value); }
PyObject* DtypeItemsize(PyObject* self, void*) {
  DataType t = EntryOf(self).type;
  return PyLong_FromLongLong(t == DataType::UNDEFINED ? 0 : phi::SizeOf(t));
}
PyObject* DtypeIsFloat(PyObject* self, void*) { return PyBool_FromLong(phi::IsFloating(EntryOf(self).type)); }
PyObject* DtypeIsComplex(PyObject* self, void*) { return PyBool_FromLong(phi::IsComplex(EntryOf(self).type)); }
PyObject* DtypeInt(PyObject* self) { return PyLong_FromLong(EntryOf(self).value); }
PyObject* DtypeReduce(PyObject* self, PyObject*) {
  return Py_BuildValue("O(i)", reinterpret_cast<PyObject*>(g_dtype_type), EntryOf(self).value);
}
PyObject* Same(PyObject* self, PyObject*) { return Py_INCREF(self), self; }

// --- places

struct PyPlace {
  PyObject_HEAD Place place;
};
PyTypeObject* g_place_type = nullptr;

PyObject* MakePlace(PyTypeObject* type, Place p) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o) reinterpret_cast<PyPlace*>(o)->place = p;
  return o;
}
Place& PlaceIn(PyObject* o) { return reinterpret_cast<PyPlace*>(o)->place; }

PyObject* PlaceNew(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (RefusesKeywords("Place", kwargs) || !PyArg_ParseTuple(args, "")) return nullptr;
  return MakePlace(type, Place{});
}
PyObject* DevicePlaceNew(PyTypeObject* type, PyObject*, PyObject*) {
  return PyErr_Format(PyExc_ValueError, "[%s] expected a build with such devices, got one for CPUs: use CPUPlace()",
                      std::strrchr(type->tp_name, '.') + 1);
}
PyObject* CudaPlaceNew(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  int id;
  if (RefusesKeywords("CUDAPlace", kwargs) || !PyArg_ParseTuple(args, "i", &id)) return nullptr;
  return MakePlace(type, phi::gpu::PlaceOf(id, "CUDAPlace", "gpu:" + std::to_string(id)));
}
PyObject* PinnedPlaceNew(PyTypeObject* type, PyObject*, PyObject*) {
  return PyErr_Format(PyExc_RuntimeError, "[%s] expected a build with such memory, got one without",
                      std::strrchr(type->tp_name, '.') + 1);
}
PyObject* CudaPinnedPlaceNew(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (phi::gpu::DeviceCount() == 0) return PinnedPlaceNew(type, args, kwargs);
  if (RefusesKeywords("CUDAPinnedPlace", kwargs) || !PyArg_ParseTuple(args, "")) return nullptr;
  phi::gpu::PlaceOf(0, "CUDAPinnedPlace", "gpu_pinned");
  return MakePlace(type, Place{phi::AllocationType::GPUPINNED, 0, 0});
}
PyObject* CustomPlaceNew(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  const char* name;
  int id = 0;
  if (RefusesKeywords("CustomPlace", kwargs) || !PyArg_ParseTuple(args, "s|i", &name, &id)) return nullptr;
  if (id < 0 || id > INT8_MAX)
    return PyErr_Format(PyExc_ValueError, "[CustomPlace] expected a device number from 0 to %d, got %d", INT8_MAX, id);
  if (phi::CustomDeviceCount(name) == 0)
    return PyErr_Format(PyExc_ValueError,
                        "[CustomPlace] expected the type of a device whose plugin is loaded, got '%s'", name);
  return MakePlace(type, Place{phi::AllocationType::CUSTOM, static_cast<int8_t>(id), phi::CustomDeviceIndex(name)});
}
PyObject* PlaceRepr(PyObject* self) { return PyUnicode_FromString(phi::PlaceText(PlaceIn(self)).c_str()); }
PyObject* PlaceCompare(PyObject* a, PyObject* b, int op) {
  Place p;
  if ((op != Py_EQ && op != Py_NE) || !IsPlaceObject(b, &p)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((PlaceIn(a) == p) == (op == Py_EQ));
}
Py_hash_t PlaceHash(PyObject* self) {
  Place p = PlaceIn(self);
  return 1000 * static_cast<int>(p.type) + 10 * p.custom + p.device_id + 1;
}
template <phi::AllocationType T>
PyObject* IsPlaceKind(PyObject* self, PyObject*) {
  return PyBool_FromLong(PlaceIn(self).type == T);
}
PyObject* Never(PyObject*, PyObject*) { Py_RETURN_FALSE; }
PyObject* DeviceId(PyObject* self, PyObject*) { return PyLong_FromLong(PlaceIn(self).device_id); }
PyObject* PlaceTypeNumber(PyObject* self, PyObject*) { return PyLong_FromLong(static_cast<int>(PlaceIn(self).type)); }
// Empty for places that are not a plugin's.
PyObject* CustomType(PyObject* self, PyObject*) {
  const Place p = PlaceIn(self);
  return PyUnicode_FromString(p.type == phi::AllocationType::CUSTOM ? phi::CustomDeviceName(p.custom).c_str() : "");
}
PyObject* PlaceEquals(PyObject* a, PyObject* b) { return PlaceCompare(a, b, Py_EQ); }
PyObject* SetPlace(PyObject* self, PyObject* other) {
  Place p;
  if (!IsPlaceObject(other, &p)) {
    PyErr_Format(PyExc_TypeError, "[set_place] expected a place, got %s", Py_TYPE(other)->tp_name);
    return nullptr;
  }
  PlaceIn(self) = p;
  Py_RETURN_NONE;
}
PyObject* PlaceReduce(PyObject* self, PyObject*) {
  PyRef f(PyObject_GetAttrString(reinterpret_cast<PyObject*>(g_place_type), "_of"));
  if (!f) return nullptr;
  Place p = PlaceIn(self);
  return Py_BuildValue("O(is)", f.get(), static_cast<int>(p.device_id),
                       p.is_cpu()                                 ? "cpu"
                       : p.type == phi::AllocationType::CUSTOM    ? phi::CustomDeviceName(p.custom).c_str()
                       : p.type == phi::AllocationType::GPUPINNED ? "gpu_pinned"
                                                                  : "gpu");
}
PyObject* PlaceOf(PyObject*, PyObject* args) {
  int id;
  const char* kind;
  if (!PyArg_ParseTuple(args, "is", &id, &kind)) return nullptr;
  if (std::string_view(kind) == "cpu") return PlaceObject(Place{});
  if (std::string_view(kind) == "gpu") return PlaceObject(phi::gpu::PlaceOf(id, "Place", "gpu:" + std::to_string(id)));
  if (std::string_view(kind) == "gpu_pinned") {
    phi::gpu::PlaceOf(0, "Place", kind);
    return PlaceObject(Place{phi::AllocationType::GPUPINNED, 0, 0});
  }
  return PlaceObject(Place{phi::AllocationType::CUSTOM, static_cast<int8_t>(id), phi::CustomDeviceIndex(kind)});
}

// --- Size

PyTypeObject* g_size_type = nullptr;

PyObject* SizeFrom(PyObject* list) {
  if (!list) return nullptr;
  PyRef owned(list);
  if (!PyList_Check(list)) return owned.release();
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(g_size_type), list);
}
PyObject* SizeRepr(PyObject* self) {
  PyRef list(PyList_GetSlice(self, 0, PyList_GET_SIZE(self)));
  return list ? PyUnicode_FromFormat("paddle.Size(%R)", list.get()) : nullptr;
}
PyObject* SizeSubscript(PyObject* self, PyObject* key) {
  PyObject* r = PyList_Type.tp_as_mapping->mp_subscript(self, key);
  return PySlice_Check(key) ? SizeFrom(r) : r;
}
PyObject* SizeAdd(PyObject* a, PyObject* b) {
  if (PyTuple_Check(b)) {
    PyRef list(PySequence_List(b));
    return list ? SizeFrom(PyList_Type.tp_as_sequence->sq_concat(a, list.get())) : nullptr;
  }
  if (!PyList_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  return SizeFrom(PyList_Type.tp_as_sequence->sq_concat(a, b));
}
PyObject* SizeCompare(PyObject* a, PyObject* b, int op) {
  if (PyTuple_Check(b)) {
    PyRef list(PySequence_List(b));
    return list ? PyList_Type.tp_richcompare(a, list.get(), op) : nullptr;
  }
  return PyList_Type.tp_richcompare(a, b, op);
}
// Words for a list that no memory holds: lists make room for the length that an object claims to have.
void WordClaim(Py_ssize_t count) {
  constexpr Py_ssize_t kMost = PY_SSIZE_T_MAX / static_cast<Py_ssize_t>(sizeof(PyObject*));
  if (!PyErr_ExceptionMatches(PyExc_MemoryError)) return;
  PyErr_Format(PyExc_MemoryError,
               "[Size] expected items that fit in memory, got %zd: they would allocate %zd bytes or more", count,
               std::min(count, kMost) * static_cast<Py_ssize_t>(sizeof(PyObject*)));
}
void WordClaim(PyObject* items) {
  if (!PyErr_ExceptionMatches(PyExc_MemoryError)) return;
  PyErr_Clear();
  const Py_ssize_t count = PyObject_LengthHint(items, 0);
  if (count < 0) return;
  PyErr_NoMemory();
  WordClaim(count);
}
int SizeInit(PyObject* self, PyObject* args, PyObject* kwargs) {
  const int rc = PyList_Type.tp_init(self, args, kwargs);
  if (rc < 0 && PyTuple_GET_SIZE(args)) WordClaim(PyTuple_GET_ITEM(args, 0));
  return rc;
}
PyObject* SizeInplaceAdd(PyObject* self, PyObject* items) {
  PyObject* r = PyList_Type.tp_as_sequence->sq_inplace_concat(self, items);
  if (!r) WordClaim(items);
  return r;
}
PyObject* SizeRepeat(PyObject* a, Py_ssize_t n) {
  PyObject* r = SizeFrom(PyList_Type.tp_as_sequence->sq_repeat(a, n));
  if (!r) WordClaim(n);
  return r;
}
int SizeAssign(PyObject* self, PyObject* key, PyObject* items) {
  const int rc = PyList_Type.tp_as_mapping->mp_ass_subscript(self, key, items);
  if (rc < 0 && items) WordClaim(items);
  return rc;
}
PyObject* SizeExtend(PyObject* self, PyObject* items) {
  const PyRef same(SizeInplaceAdd(self, items));
  if (!same) return nullptr;
  Py_RETURN_NONE;
}
PyObject* SizeNumel(PyObject* self, PyObject*) {
  PyRef product = Own(PyLong_FromLong(1));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(self); ++i) {
    const PyRef extent = ItemAt(self, i, "Size");
    product = Own(PyNumber_Multiply(product.get(), extent.get()));
  }
  return product.release();
}

PyTypeObject* MakeType(const char* name, size_t size, unsigned flags, PyType_Slot* slots, PyObject* base) {
  PyType_Spec spec = {name, static_cast<int>(size), 0, flags, slots};
  PyRef bases(base ? PyTuple_Pack(1, base) : nullptr);
  return reinterpret_cast<PyTypeObject*>(base ? PyType_FromSpecWithBases(&spec, bases.get()) : PyType_FromSpec(&spec));
}
int Export(PyObject* module, const char* name, PyTypeObject* type) {
  if (!type) return -1;
  Py_INCREF(type);
  return PyModule_AddObject(module, name, reinterpret_cast<PyObject*>(type));
}
template <class F>
void* P(F f) {
  return reinterpret_cast<void*>(f);
}
#define M(f) reinterpret_cast<PyCFunction>(f)

}  // namespace

PyObject* DtypeObject(DataType t) {
  PyObject* o = t == DataType::UNDEFINED ? g_dtypes[0] : g_by_type[static_cast<int>(t)];
  Py_INCREF(o);
  return o;
}
bool IsDtypeObject(PyObject* o, DataType* out) {
  if (Py_TYPE(o) != g_dtype_type) return false;
  *out = EntryOf(o).type;
  return true;
}

DataType ToDataType(PyObject* o, const char* op, const char* arg) {
  DataType t;
  if (IsNone(o)) return DataType::UNDEFINED;
  if (IsDtypeObject(o, &t)) {
    if (t == DataType::UNDEFINED && EntryOf(o).value != 0)
      RaiseTypeError(std::string("[") + op + "] expected a dtype that holds data in '" + arg + "', got paddle." +
                     EntryOf(o).name);
    return t;
  }
  if (PyType_Check(o)) {
    if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DataType::FLOAT64;
    if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return DataType::BOOL;
    if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return DataType::INT64;
    if (o == reinterpret_cast<PyObject*>(&PyComplex_Type)) return DataType::COMPLEX128;
  }
  std::string name;
  if (PyUnicode_Check(o)) {
    name = ToStr(o, op, arg);
  } else {
    PyRef n(PyObject_GetAttrString(o, PyType_Check(o) ? "__name__" : "name"));
    if (!n || !PyUnicode_Check(n.get())) {
      PyErr_Clear();
      RaiseTypeError(std::string("[") + op + "] expected a dtype in '" + arg + "', got " + Py_TYPE(o)->tp_name);
    }
    name = ToStr(n.get(), op, arg);
  }
  if (name.rfind("paddle.", 0) == 0) name = name.substr(7);
  t = phi::DataTypeFromName(name);
  if (t != DataType::UNDEFINED) return t;
  static constexpr std::pair<const char*, DataType> kAliases[] = {
      {"bool_", DataType::BOOL},      {"float", DataType::FLOAT64},  {"double", DataType::FLOAT64},
      {"half", DataType::FLOAT16},    {"int", DataType::INT64},      {"long", DataType::INT64},
      {"uint16", DataType::BFLOAT16}, {"single", DataType::FLOAT32}, {"complex", DataType::COMPLEX128},
      {"longlong", DataType::INT64},  {"short", DataType::INT16},    {"byte", DataType::INT8},
      {"intc", DataType::INT32}};
  for (auto& [alias, type] : kAliases)
    if (name == alias) return type;
  RaiseTypeError("data type '" + name + "' not understood");
}

PyObject* PlaceObject(Place p) { return MakePlace(g_place_type, p); }
bool IsPlaceObject(PyObject* o, Place* out) {
  if (!PyObject_TypeCheck(o, g_place_type)) return false;
  *out = PlaceIn(o);
  return true;
}

namespace {
// 'cpu', 'npu:1' or the text of a place, 'Place(npu:1)', as (kind, number); a negative number for any other text.
std::pair<std::string_view, int> DeviceOf(std::string_view name) {
  if (name.starts_with("Place(") && name.ends_with(')')) name = name.substr(6, name.size() - 7);
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos) return {name, 0};
  int number = -1;
  const auto [end, error] = std::from_chars(name.data() + colon + 1, name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size() && number <= INT8_MAX;
  return {name.substr(0, colon), whole ? number : -1};
}
// Null where there is none.
PyRef AttributeOf(PyObject* o, const char* name) {
  PyRef value(PyObject_GetAttrString(o, name));
  if (!value) PyErr_Clear();
  return value;
}

// The GPU that a rank of a job has on its host, which launchers say; the first one without.
int GpuOfRank() {
  const char* text = std::getenv("FLAGS_selected_gpus");
  return text ? static_cast<int>(std::strtol(text, nullptr, 10)) : 0;
}
}  // namespace

Place ToPlace(PyObject* o, const char* op, const char* arg) {
  Place p;
  if (IsNone(o)) return phi::CurrentPlace();
  if (IsPlaceObject(o, &p)) return p;
  if (PyUnicode_Check(o)) {
    const std::string name = ToStr(o, op, arg);
    const auto [kind, number] = DeviceOf(name);
    if (kind == "cpu" && number == 0) return Place{};
    if ((kind == "gpu" || kind == "cuda") && number >= 0)
      return phi::gpu::PlaceOf(kind.size() == name.size() ? GpuOfRank() : number, op, "'" + name + "'");
    if (kind == "gpu_pinned" && number == 0) {
      phi::gpu::PlaceOf(0, op, "'" + name + "'");
      return Place{phi::AllocationType::GPUPINNED, 0, 0};
    }
    for (const std::string& type : phi::CustomDeviceTypes())
      if (kind == type && number >= 0)
        return Place{phi::AllocationType::CUSTOM, static_cast<int8_t>(number), phi::CustomDeviceIndex(type)};
    RaiseValueError("[" + std::string(op) + "] expected a device such as 'cpu' in '" + arg + "', got '" + name + "'");
  }
  // Devices of other libraries have a kind and a number or None.
  const PyRef type = AttributeOf(o, "type"), index = AttributeOf(o, "index");
  if (type && PyUnicode_Check(type.get())) {
    const bool numbered = index && PyLong_Check(index.get());
    return ToPlace(numbered ? Own(PyUnicode_FromFormat("%U:%S", type.get(), index.get())).get() : type.get(), op, arg);
  }
  RaiseTypeError("[" + std::string(op) + "] expected a place in '" + arg + "', got " + Py_TYPE(o)->tp_name);
}

namespace {
PyObject* NewSize(int64_t n) {
  PyObject* o = g_size_type->tp_alloc(g_size_type, 0);
  if (!o) return nullptr;
  auto* list = reinterpret_cast<PyListObject*>(o);
  list->ob_item = n ? static_cast<PyObject**>(PyMem_Calloc(static_cast<size_t>(n), sizeof(PyObject*))) : nullptr;
  if (n && !list->ob_item) {
    Py_DECREF(o);
    return PyErr_NoMemory();
  }
  list->allocated = n;
  Py_SET_SIZE(list, n);
  return o;
}
}  // namespace

PyObject* ShapeObject(const Tensor& t) {
  int64_t n = t.ndim();
  PyObject* o = NewSize(n);
  if (!o) return nullptr;
  for (int64_t i = 0; i < n; ++i)
    PyList_SET_ITEM(o, i, PyLong_FromLongLong(t.is_symbolic() ? t->symbolic_dims()[i].visible() : t.dim(i)));
  return o;
}
PyObject* IntList(const Ints& v) {
  PyObject* o = PyList_New(v.size());
  if (!o) return nullptr;
  for (int64_t i = 0; i < v.size(); ++i) PyList_SET_ITEM(o, i, PyLong_FromLongLong(v[i]));
  return o;
}

namespace {

constexpr unsigned kBase = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;

int InitDtypes(PyObject* module) {
  static PyGetSetDef dtype_getset[] = {{"name", DtypeName, nullptr, nullptr, nullptr},
                                       {"value", DtypeValue, nullptr, nullptr, nullptr},
                                       {"itemsize", DtypeItemsize, nullptr, "Bytes of one element.", nullptr},
                                       {"is_floating_point", DtypeIsFloat, nullptr, nullptr, nullptr},
                                       {"is_complex", DtypeIsComplex, nullptr, nullptr, nullptr},
                                       {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyMethodDef dtype_methods[] = {{"__reduce__", M(DtypeReduce), METH_NOARGS, nullptr},
                                        {"__copy__", M(Same), METH_NOARGS, nullptr},
                                        {"__deepcopy__", M(Same), METH_O, nullptr},
                                        {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot dtype_slots[] = {{Py_tp_new, P(DtypeNew)},
                                      {Py_tp_repr, P(DtypeRepr)},
                                      {Py_tp_hash, P(DtypeHash)},
                                      {Py_tp_richcompare, P(DtypeCompare)},
                                      {Py_tp_getset, dtype_getset},
                                      {Py_tp_methods, dtype_methods},
                                      {Py_nb_int, P(DtypeInt)},
                                      {Py_nb_index, P(DtypeInt)},
                                      {Py_tp_doc, const_cast<char*>(kDtypeText)},
                                      {0, nullptr}};
  g_dtype_type = MakeType("paddle.dtype", sizeof(PyDtype), Py_TPFLAGS_DEFAULT, dtype_slots, nullptr);
  if (Export(module, "DataType", g_dtype_type) < 0) return -1;
  PyRef members(PyDict_New());
  for (int i = 0; i < kCount; ++i) {
    auto* o = PyObject_New(PyDtype, g_dtype_type);
    if (!o) return -1;
    o->index = i;
    g_dtypes[i] = reinterpret_cast<PyObject*>(o);
    if (kDtypes[i].type != DataType::UNDEFINED) g_by_type[static_cast<int>(kDtypes[i].type)] = g_dtypes[i];
    if (PyDict_SetItemString(g_dtype_type->tp_dict, kDtypes[i].member, g_dtypes[i]) < 0) return -1;
    if (PyDict_SetItemString(members.get(), kDtypes[i].member, g_dtypes[i]) < 0) return -1;
  }
  if (PyDict_SetItemString(g_dtype_type->tp_dict, "ALL_DTYPE", g_dtypes[0]) < 0) return -1;
  if (PyDict_SetItemString(g_dtype_type->tp_dict, "__members__", members.get()) < 0) return -1;
  PyType_Modified(g_dtype_type);
  return 0;
}

int InitPlaces(PyObject* module) {
  static PyMethodDef place_methods[] = {
      {"is_cpu_place", M(IsPlaceKind<phi::AllocationType::CPU>), METH_NOARGS, nullptr},
      {"is_gpu_place", M(IsPlaceKind<phi::AllocationType::GPU>), METH_NOARGS, nullptr},
      {"is_cuda_pinned_place", M(IsPlaceKind<phi::AllocationType::GPUPINNED>), METH_NOARGS, nullptr},
      {"is_custom_place", M(IsPlaceKind<phi::AllocationType::CUSTOM>), METH_NOARGS, nullptr},
      {"is_xpu_place", M(Never), METH_NOARGS, nullptr},
      {"is_xpu_pinned_place", M(Never), METH_NOARGS, nullptr},
      {"is_ipu_place", M(Never), METH_NOARGS, nullptr},
      {"gpu_device_id", M(DeviceId), METH_NOARGS, nullptr},
      {"xpu_device_id", M(DeviceId), METH_NOARGS, nullptr},
      {"ipu_device_id", M(DeviceId), METH_NOARGS, nullptr},
      {"custom_device_id", M(DeviceId), METH_NOARGS, nullptr},
      {"custom_device_type", M(Entry<CustomType>::Call), METH_NOARGS, nullptr},
      {"_type", M(PlaceTypeNumber), METH_NOARGS, nullptr},
      {"_equals", M(PlaceEquals), METH_O, nullptr},
      {"set_place", M(SetPlace), METH_O, nullptr},
      {"__reduce__", M(Entry<PlaceReduce>::Call), METH_NOARGS, nullptr},
      {"_of", M(Entry<PlaceOf>::Call), METH_VARARGS | METH_STATIC, nullptr},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot place_slots[] = {{Py_tp_new, P(PlaceNew)},       {Py_tp_repr, P(Entry<PlaceRepr>::Call)},
                                      {Py_tp_hash, P(PlaceHash)},     {Py_tp_richcompare, P(PlaceCompare)},
                                      {Py_tp_methods, place_methods}, {0, nullptr}};
  g_place_type = MakeType("paddle.base.libpaddle.Place", sizeof(PyPlace), kBase, place_slots, nullptr);
  if (Export(module, "Place", g_place_type) < 0) return -1;
  PyObject* parent = reinterpret_cast<PyObject*>(g_place_type);
  static PyMethodDef custom_methods[] = {{"get_device_id", M(DeviceId), METH_NOARGS, nullptr},
                                         {"get_device_type", M(Entry<CustomType>::Call), METH_NOARGS, nullptr},
                                         {nullptr, nullptr, 0, nullptr}};
  static PyMethodDef no_methods[] = {{nullptr, nullptr, 0, nullptr}};
  struct Sub {
    const char* full;
    const char* name;
    void* make;
    const char* text;
    PyMethodDef* methods = no_methods;
  };
  for (Sub s :
       {Sub{"paddle.base.libpaddle.CPUPlace", "CPUPlace", P(PlaceNew), kCpuPlaceText},
        Sub{"paddle.base.libpaddle.CUDAPlace", "CUDAPlace", P(Entry<CudaPlaceNew>::Call), kCudaPlaceText},
        Sub{"paddle.base.libpaddle.CUDAPinnedPlace", "CUDAPinnedPlace", P(CudaPinnedPlaceNew), kCudaPinnedPlaceText},
        Sub{"paddle.base.libpaddle.XPUPlace", "XPUPlace", P(DevicePlaceNew), kXpuPlaceText},
        Sub{"paddle.base.libpaddle.IPUPlace", "IPUPlace", P(DevicePlaceNew), kIpuPlaceText},
        Sub{"paddle.base.libpaddle.XPUPinnedPlace", "XPUPinnedPlace", P(PinnedPlaceNew), kXpuPinnedPlaceText},
        Sub{"paddle.base.libpaddle.CustomPlace", "CustomPlace", P(Entry<CustomPlaceNew>::Call), kCustomPlaceText,
            custom_methods}}) {
    PyType_Slot slots[] = {
        {Py_tp_new, s.make}, {Py_tp_methods, s.methods}, {Py_tp_doc, const_cast<char*>(s.text)}, {0, nullptr}};
    PyTypeObject* type = MakeType(s.full, sizeof(PyPlace), kBase, slots, parent);
    if (Export(module, s.name, type) < 0) return -1;
  }
  return 0;
}

int InitSize(PyObject* module) {
  static PyMethodDef size_methods[] = {{"numel", M(Entry<SizeNumel>::Call), METH_NOARGS, "The product of the extents."},
                                       {"extend", SizeExtend, METH_O, "Adds the items of an iterable at the end."},
                                       {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot size_slots[] = {{Py_tp_init, P(SizeInit)},
                                     {Py_tp_repr, P(SizeRepr)},
                                     {Py_mp_subscript, P(SizeSubscript)},
                                     {Py_mp_ass_subscript, P(SizeAssign)},
                                     {Py_sq_concat, P(SizeAdd)},
                                     {Py_sq_inplace_concat, P(SizeInplaceAdd)},
                                     {Py_sq_repeat, P(SizeRepeat)},
                                     {Py_tp_richcompare, P(SizeCompare)},
                                     {Py_tp_hash, P(PyObject_HashNotImplemented)},
                                     {Py_tp_methods, size_methods},
                                     {Py_tp_doc, const_cast<char*>(kSizeText)},
                                     {0, nullptr}};
  g_size_type = MakeType("paddle.base.libpaddle.Size", 0, kBase, size_slots, reinterpret_cast<PyObject*>(&PyList_Type));
  return Export(module, "Size", g_size_type);
}

}  // namespace

int InitTypes(PyObject* module) {
  return InitDtypes(module) < 0 || InitPlaces(module) < 0 || InitSize(module) < 0 ? -1 : 0;
}

}  // namespace paddle::py
