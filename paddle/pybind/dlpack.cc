// SPDX-License-Identifier: Apache-2.0
// Zero-copy exchange with other frameworks through DLPack capsules.
#include "paddle/pybind/dlpack.h"

#include "paddle/eager/dispatch/unfilled.h"
#include "paddle/phi/backends/gpu/device.h"
#include "paddle/phi/core/device.h"
#include "paddle/pybind/interchange.h"

namespace paddle::py {
constexpr int32_t kDlCpu = 1, kDlCuda = 2, kDlCudaHost = 3;
DlDevice DlDeviceOf(Place place) {
  if (place.is_cpu()) return {kDlCpu, 0};
  if (place.type == phi::AllocationType::GPUPINNED) return {kDlCudaHost, 0};
  PD_CHECK(place.type == phi::AllocationType::GPU, Unimplemented, "[to_dlpack] expected a tensor on the CPU or a GPU, ",
           "got one on ", phi::PlaceText(place));
  return {kDlCuda, place.device_id};
}

namespace {

enum DlCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4m3fn = 10,
  kFloat8E5m2 = 12
};

DlDataType ToDl(DataType t) {
  uint8_t bits = static_cast<uint8_t>(8 * phi::SizeOf(t));
  switch (t) {
    case DataType::BOOL: return {kBool, 8, 1};
    case DataType::UINT8: return {kUInt, 8, 1};
    case DataType::BFLOAT16: return {kBfloat, 16, 1};
    case DataType::FLOAT8_E4M3FN: return {kFloat8E4m3fn, 8, 1};
    case DataType::FLOAT8_E5M2: return {kFloat8E5m2, 8, 1};
    default:
      if (phi::IsInteger(t)) return {kInt, bits, 1};
      return {phi::IsComplex(t) ? kComplex : kFloat, bits, 1};
  }
}
DataType FromDl(DlDataType d) {
  if (d.lanes == 1)
    for (int i = 0; i < phi::kNumDataTypes; ++i) {
      auto t = static_cast<DataType>(i);
      DlDataType e = ToDl(t);
      if (e.code == d.code && e.bits == d.bits) return t;
    }
  PD_THROW(InvalidType, "[from_dlpack] expected a dtype that tensors have, got code ", int{d.code}, " with ",
           int{d.bits}, " bits");
}

struct Exported {
  DlManagedTensor managed;
  Tensor tensor;
};
struct ExportedVersioned {
  DlManagedTensorVersioned managed;
  Tensor tensor;
};
void FillTensor(DlTensor& d, const Tensor& t) {
  d = {t.raw_data(),
       DlDeviceOf(t.place()),
       static_cast<int32_t>(t.ndim()),
       ToDl(t.dtype()),
       const_cast<int64_t*>(t.dims().data()),
       const_cast<int64_t*>(t.strides().data()),
       0};
}
void CapsuleGone(PyObject* capsule) {
  if (auto* m = static_cast<DlManagedTensor*>(
          PyCapsule_IsValid(capsule, "dltensor") ? PyCapsule_GetPointer(capsule, "dltensor") : nullptr))
    m->deleter(m);
}
void VersionedCapsuleGone(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor_versioned")) return;
  auto* m = static_cast<DlManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
  if (m) m->deleter(m);
}

template <class Managed>
Tensor Import(Managed* m) {
  const DlTensor& d = m->tensor;
  PD_CHECK(d.device.type == kDlCpu || d.device.type == kDlCudaHost || d.device.type == kDlCuda, Unimplemented,
           "[from_dlpack] expected data on the CPU or a GPU, got device type ", d.device.type);
  Place place;
  if (d.device.type == kDlCuda)
    place = phi::gpu::PlaceOf(d.device.id, "from_dlpack", "gpu:" + std::to_string(d.device.id));
  const DataType dtype = FromDl(d.dtype);
  const Ints dims(d.shape, d.shape + d.ndim);
  int64_t span = 1;
  if (!d.strides) span = common::Product(dims);
  for (int32_t i = 0; d.strides && i < d.ndim; ++i)
    if (d.shape[i] > 0 && d.strides[i] > 0) span += (d.shape[i] - 1) * d.strides[i];
  auto memory = phi::Storage::Wrap(static_cast<char*>(d.data) + d.byte_offset,
                                   static_cast<size_t>(span * phi::SizeOf(dtype)), place, m, [](void* owner) {
                                     auto* p = static_cast<Managed*>(owner);
                                     if (p->deleter) p->deleter(p);
                                   });
  if (!d.strides) return Tensor(phi::TensorState::Dense(dims, dtype, std::move(memory)));
  const Ints strides(d.strides, d.strides + d.ndim);
  return Tensor(phi::TensorState::Strided(dims, strides, 0, dtype, std::move(memory)));
}

}  // namespace

PyObject* ToDlpackCapsule(const Tensor& t, bool versioned) {
  egr::RequireFilled(t, "to_dlpack");
  PD_CHECK(!t.is_symbolic() && t->kind() == phi::ImplKind::kDense, InvalidType,
           "[to_dlpack] expected a dense tensor with data, got one that ",
           t.is_symbolic() ? "is being recorded" : "is sparse or a list");
  if (versioned) {
    auto* e = new ExportedVersioned{{1, 0, nullptr, nullptr, 0, {}}, t};
    e->managed.manager = e;
    e->managed.deleter = [](DlManagedTensorVersioned* m) { delete static_cast<ExportedVersioned*>(m->manager); };
    FillTensor(e->managed.tensor, e->tensor);
    return PyCapsule_New(&e->managed, "dltensor_versioned", VersionedCapsuleGone);
  }
  auto* e = new Exported{{{}, nullptr, nullptr}, t};
  e->managed.manager = e;
  e->managed.deleter = [](DlManagedTensor* m) { delete static_cast<Exported*>(m->manager); };
  FillTensor(e->managed.tensor, e->tensor);
  return PyCapsule_New(&e->managed, "dltensor", CapsuleGone);
}

Tensor FromDlpackCapsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto* m = static_cast<DlManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    Tensor t = Import(m);
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
    return t;
  }
  if (!PyCapsule_IsValid(capsule, "dltensor"))
    RaiseValueError("[from_dlpack] expected an unused DLPack capsule, got " +
                    std::string(PyCapsule_CheckExact(capsule) ? "one that is used, or another capsule"
                                                              : Py_TYPE(capsule)->tp_name));
  auto* m = static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  Tensor t = Import(m);
  PyCapsule_SetName(capsule, "used_dltensor");
  return t;
}

}  // namespace paddle::py
