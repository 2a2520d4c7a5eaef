// SPDX-License-Identifier: Apache-2.0
// NumPy interchange: arrays in through the buffer protocol, arrays out through NumPy's C table, which is looked up on
// first use so that importing paddle does not import numpy here. Python numbers and nested lists out.
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "paddle/common/half.h"
#include "paddle/eager/dispatch/unfilled.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/phi/core/selected_rows.h"
#include "paddle/pybind/dist_tensor.h"
#include "paddle/jit/capture_state.h"
#include "paddle/pybind/object/gil.h"
#include "paddle/pybind/object/py_tensor.h"

namespace paddle::py {
namespace {

// Slots of NumPy's stable C-API table (numpy.core.multiarray._ARRAY_API).
constexpr int kArrayType = 2, kArrayNew = 93;
using ArrayNewFn = PyObject* (*)(PyTypeObject*, int, Py_ssize_t*, int, Py_ssize_t*, void*, int, int, PyObject*);

struct NumpyApi {
  PyTypeObject* array_type = nullptr;
  ArrayNewFn array_new = nullptr;
};
NumpyApi g_numpy;
bool g_numpy_ready = false;

const NumpyApi& Numpy() {
  if (__builtin_expect(!g_numpy_ready, 0)) {
    PyRef module(PyImport_ImportModule("numpy._core._multiarray_umath"));
    if (!module) {
      PyErr_Clear();
      module = Own(PyImport_ImportModule("numpy.core._multiarray_umath"));
    }
    PyRef capsule = Own(PyObject_GetAttrString(module.get(), "_ARRAY_API"));
    auto** table = static_cast<void**>(PyCapsule_GetPointer(capsule.get(), nullptr));
    if (!table) throw PyErrAlreadySet();
    g_numpy.array_type = static_cast<PyTypeObject*>(table[kArrayType]);
    g_numpy.array_new = reinterpret_cast<ArrayNewFn>(table[kArrayNew]);
    g_numpy_ready = true;
  }
  return g_numpy;
}

// NumPy's type numbers; bfloat16 goes out as its bits, uint16, and fp8 as int8, as PaddlePaddle does.
int TypeNumber(DataType t) {
  switch (t) {
    case DataType::BOOL: return 0;
    case DataType::INT8: return 1;
    case DataType::UINT8: return 2;
    case DataType::INT16: return 3;
    case DataType::INT32: return 5;
    case DataType::INT64: return sizeof(long) == 8 ? 7 : 9;
    case DataType::FLOAT16: return 23;
    case DataType::BFLOAT16: return 4;
    case DataType::FLOAT32: return 11;
    case DataType::FLOAT64: return 12;
    case DataType::COMPLEX64: return 14;
    case DataType::COMPLEX128: return 15;
    default: return 1;
  }
}

// The dtype of a buffer format, UNDEFINED when tensors have none like it.
DataType FromFormat(const char* f, Py_ssize_t itemsize) {
  if (!f) return DataType::UINT8;
  if (*f == '<' || *f == '=' || *f == '@') ++f;
  if (*f == '>' || *f == '!') return DataType::UNDEFINED;
  if (f[0] == 'Z') return f[1] == 'f' ? DataType::COMPLEX64 : f[1] == 'd' ? DataType::COMPLEX128 : DataType::UNDEFINED;
  if (f[1] != 0) return DataType::UNDEFINED;
  switch (*f) {
    case '?': return DataType::BOOL;
    case 'b': return DataType::INT8;
    case 'B': return DataType::UINT8;
    case 'h': return DataType::INT16;
    case 'H': return DataType::BFLOAT16;
    case 'e': return DataType::FLOAT16;
    case 'f': return DataType::FLOAT32;
    case 'd': return DataType::FLOAT64;
    case 'i':
    case 'l':
    case 'q': return itemsize == 4 ? DataType::INT32 : itemsize == 8 ? DataType::INT64 : DataType::UNDEFINED;
    default: return DataType::UNDEFINED;
  }
}

[[noreturn, gnu::cold]] void BadArray(const std::string& got) {
  RaiseValueError(
      "[Tensor] expected an array of bool, float16, float32, float64, int8, int16, int32, int64, uint8, uint16 (bits "
      "of "
      "bfloat16), complex64 or complex128 in native byte order, got " +
      got);
}

}  // namespace

bool IsNdarray(PyObject* o) {
  if (g_numpy_ready) return PyObject_TypeCheck(o, g_numpy.array_type);
  for (PyTypeObject* t = Py_TYPE(o); t; t = t->tp_base)
    if (std::string_view(t->tp_name) == "numpy.ndarray") {
      Numpy();
      return PyObject_TypeCheck(o, g_numpy.array_type);
    }
  return false;
}

namespace {
// Without the interpreter's lock where it takes long; nobody else may free either side meanwhile.
void CopyBytes(void* to, const void* from, size_t bytes) {
  std::optional<phi::WithoutHostLock> apart;
  if (bytes >= size_t{1} << 20) apart.emplace();
  std::memcpy(to, from, bytes);
}
}  // namespace

namespace {
// The memory of a buffer, which is held as long as the tensor's.
Tensor SharedWith(std::unique_ptr<Py_buffer> view, const Ints& dims, DataType dtype) {
  void* at = view->buf;
  const auto bytes = static_cast<size_t>(view->len);
  return Tensor(
      phi::TensorState::Dense(dims, dtype, phi::Storage::Wrap(at, bytes, Place{}, view.release(), [](void* held) {
                                if (!Py_IsInitialized()) return;
                                const GilHeld gil;
                                PyBuffer_Release(static_cast<Py_buffer*>(held));
                                delete static_cast<Py_buffer*>(held);
                              })));
}
}  // namespace

Tensor FromBuffer(PyObject* o, bool copy) {
  Py_buffer view;
  if (PyObject_GetBuffer(o, &view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) {
    PyErr_Clear();
    BadArray(Py_TYPE(o)->tp_name);
  }
  struct Release {
    Py_buffer* view;
    ~Release() { PyBuffer_Release(view); }
  } release{&view};
  DataType dtype = FromFormat(view.format, view.itemsize);
  if (dtype == DataType::UNDEFINED || phi::SizeOf(dtype) != view.itemsize)
    BadArray(std::string("elements of format ") + (view.format ? view.format : "B"));
  Ints dims;
  for (int i = 0; i < view.ndim; ++i) dims.push_back(view.shape[i]);
  bool dense = PyBuffer_IsContiguous(&view, 'C');
  if (dense && !copy && view.len) {
    auto held = std::make_unique<Py_buffer>();
    if (PyObject_GetBuffer(o, held.get(), PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) throw PyErrAlreadySet();
    return SharedWith(std::move(held), dims, dtype);
  }
  Tensor t = phi::Empty(dims, dtype);
  if (t.numel() == 0) return t;
  if (dense) {
    CopyBytes(t.raw_data(), view.buf, static_cast<size_t>(view.len));
    return t;
  }
  bool even = true;
  for (int i = 0; i < view.ndim; ++i) even = even && view.strides[i] % view.itemsize == 0;
  if (even) {
    Ints strides;
    for (int i = 0; i < view.ndim; ++i) strides.push_back(view.strides[i] / view.itemsize);
    auto memory = phi::Storage::Wrap(view.buf, static_cast<size_t>(view.len), Place{}, nullptr, [](void*) {});
    phi::CopyInto(Tensor(phi::TensorState::Strided(dims, strides, 0, dtype, std::move(memory))), t);
    return t;
  }
  if (PyBuffer_ToContiguous(t.raw_data(), &view, view.len, 'C') < 0) throw PyErrAlreadySet();
  return t;
}

PyObject* ToNumpy(const Tensor& t, PyObject*) {
  jit::NoteRead(t);
  if (t.is_dist()) return ToNumpy(WholeOf(t), nullptr);
  if (phi::IsSelectedRows(t)) return ToNumpy(phi::RowsOf(t).values, nullptr);
  egr::RequireFilled(t, "numpy");
  PD_CHECK(!t.is_symbolic(), InvalidType, "[numpy] expected a tensor with data, got one that is being recorded");
  PD_CHECK(t->kind() == phi::ImplKind::kDense, InvalidType,
           "[numpy] expected a dense tensor, got a sparse one or a list; use to_dense()");
  Tensor c = phi::Contiguous(phi::ToHost(t));
  if (c.numel() >= phi::kLongWork) c = phi::Held(c);
  Py_ssize_t dims[64];
  int n = static_cast<int>(c.ndim());
  PD_CHECK(n <= 64, InvalidArgument, "[numpy] expected at most 64 dimensions, got ", n);
  for (int i = 0; i < n; ++i) dims[i] = c.dim(i);
  const NumpyApi& api = Numpy();
  PyRef array = Own(api.array_new(api.array_type, n, dims, TypeNumber(c.dtype()), nullptr, nullptr, 0, 0, nullptr));
  char* data = *reinterpret_cast<char**>(reinterpret_cast<char*>(array.get()) + sizeof(PyObject));
  if (c.numel()) CopyBytes(data, c.raw_data(), static_cast<size_t>(c.numel() * phi::SizeOf(c.dtype())));
  return array.release();
}

namespace {

PyObject* Number(const char* p, DataType dtype) {
  switch (dtype) {
    case DataType::BOOL: return PyBool_FromLong(*reinterpret_cast<const bool*>(p));
    case DataType::UINT8: return PyLong_FromLong(*reinterpret_cast<const uint8_t*>(p));
    case DataType::INT8: return PyLong_FromLong(*reinterpret_cast<const int8_t*>(p));
    case DataType::INT16: return PyLong_FromLong(*reinterpret_cast<const int16_t*>(p));
    case DataType::INT32: return PyLong_FromLong(*reinterpret_cast<const int32_t*>(p));
    case DataType::INT64: return PyLong_FromLongLong(*reinterpret_cast<const int64_t*>(p));
    case DataType::FLOAT16: return PyFloat_FromDouble(phi::ToFloat(*reinterpret_cast<const phi::float16*>(p)));
    case DataType::BFLOAT16: return PyFloat_FromDouble(phi::ToFloat(*reinterpret_cast<const phi::bfloat16*>(p)));
    case DataType::FLOAT32: return PyFloat_FromDouble(*reinterpret_cast<const float*>(p));
    case DataType::FLOAT64: return PyFloat_FromDouble(*reinterpret_cast<const double*>(p));
    case DataType::COMPLEX64: {
      auto* c = reinterpret_cast<const float*>(p);
      return PyComplex_FromDoubles(c[0], c[1]);
    }
    case DataType::COMPLEX128: {
      auto* c = reinterpret_cast<const double*>(p);
      return PyComplex_FromDoubles(c[0], c[1]);
    }
    default: return nullptr;
  }
}

PyObject* Nested(const Tensor& t, int64_t axis, const char* base) {
  int64_t size = phi::SizeOf(t.dtype());
  if (axis == t.ndim()) return Number(base, t.dtype());
  int64_t n = t.dim(axis), stride = t.strides()[axis] * size;
  PyObject* list = PyList_New(n);
  if (!list) return nullptr;
  for (int64_t i = 0; i < n; ++i) {
    // The items of a view may be more than memory, and are made until then.
    PyObject* o = i % 4096 == 4095 && PyErr_CheckSignals() < 0 ? nullptr : Nested(t, axis + 1, base + i * stride);
    if (!o) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, i, o);
  }
  return list;
}

Tensor Readable(const Tensor& tensor, const char* what) {
  const Tensor t = phi::IsSelectedRows(tensor) ? phi::RowsOf(tensor).values : WholeOf(tensor);
  egr::RequireFilled(t, what);
  PD_CHECK(!t.is_symbolic(), InvalidType, "[", what, "] expected a tensor with data, got one that is being recorded");
  Tensor h = phi::ToHost(t);
  return phi::IsFloat8(h.dtype()) ? phi::CastTo(h, DataType::FLOAT32) : h;
}

}  // namespace

PyObject* ItemOf(const Tensor& tensor, int64_t flat) {
  jit::NoteRead(tensor);
  Tensor t = Readable(tensor, "item");
  int64_t offset = 0;
  for (int64_t i = t.ndim() - 1; i >= 0; --i) {
    offset += flat % t.dim(i) * t.strides()[i];
    flat /= t.dim(i);
  }
  return Number(static_cast<const char*>(t.raw_data()) + offset * phi::SizeOf(t.dtype()), t.dtype());
}

PyObject* NestedList(const Tensor& tensor) {
  jit::NoteRead(tensor);
  const Tensor t = phi::Held(Readable(tensor, "tolist"));
  return Nested(t, 0, static_cast<const char*>(t.raw_data()));
}

}  // namespace paddle::py
