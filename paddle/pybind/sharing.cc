// SPDX-License-Identifier: Apache-2.0
// Tensors whose memory several processes use, for paddle.incubate.multiprocessing: what a message carries of them, and
// tensors that are made of it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>

#include "paddle/phi/backends/gpu/shared_memory.h"
#include "paddle/phi/core/shared_file.h"
#include "paddle/pybind/module.h"
#include "paddle/pybind/object/py_tensor.h"
#include "paddle/pybind/safe.h"

namespace paddle::py {
namespace {

namespace pyb = pybind11;
constexpr const char* kOp = "multiprocessing";

using File = std::shared_ptr<phi::SharedFile>;
const Tensor& Dense(const pyb::object& o) {
  const Tensor& t = ToTensor(o.ptr(), kOp, "tensor");
  PD_CHECK(t.is_dense() && t->storage() && t.is_contiguous(), InvalidType, "[", kOp,
           "] expected a dense tensor whose elements lie in their order, got another");
  return t;
}
uint64_t BytesOf(const phi::Ints& dims, DataType dtype) {
  return static_cast<uint64_t>(common::Product(dims)) * static_cast<uint64_t>(phi::SizeOf(dtype));
}

std::vector<int64_t> ExtentsOf(const Tensor& t) { return {t.dims().begin(), t.dims().end()}; }

pyb::object Over(phi::Ref<phi::Storage> storage, uint64_t offset, const std::vector<int64_t>& extents, int number) {
  PD_CHECK(number >= 0 && number < phi::kNumDataTypes, InvalidArgument, "[", kOp, "] expected a dtype's number, got ",
           number);
  const auto dtype = static_cast<DataType>(number);
  const phi::Ints dims(extents.begin(), extents.end());
  for (int64_t n : dims) PD_CHECK(n >= 0, InvalidArgument, "[", kOp, "] expected extents, got ", n);
  const uint64_t bytes = BytesOf(dims, dtype), whole = storage->bytes(), size = phi::SizeOf(dtype);
  PD_CHECK(offset % size == 0 && offset <= whole && bytes <= whole - offset, InvalidArgument, "[", kOp,
           "] expected a tensor within ", whole, " shared bytes, got ", bytes, " bytes at ", offset);
  const auto begin = static_cast<int64_t>(offset / size);
  return pyb::reinterpret_steal<pyb::object>(
      ToPy(Tensor(phi::TensorState::Dense(dims, dtype, std::move(storage), begin))));
}

phi::Ref<phi::Storage> StorageOf(File file) {
  void* data = file->data();
  const size_t bytes = file->bytes();
  return phi::Storage::Wrap(data, bytes, Place{}, new File(std::move(file)),
                            [](void* owner) { delete static_cast<File*>(owner); });
}

// The name of the tensor's memory, which moves to a shared file where it does not lie in one; a view stays where it is.
pyb::tuple ShareHost(const pyb::object& o, bool counted) {
  const Tensor& t = Dense(o);
  PD_CHECK(t.place().is_cpu(), InvalidArgument, "[", kOp, "] expected a tensor on the CPU, got one on ",
           phi::PlaceText(t.place()));
  const uint64_t bytes = BytesOf(t.dims(), t.dtype());
  File file = phi::SharedFile::Of(t->storage()->data());
  if (!file || t->offset() != 0 || file->bytes() != bytes) {
    file = phi::SharedFile::Create(bytes, kOp);
    std::memcpy(file->data(), t.raw_data(), bytes);
    if (!t->base()) {
      phi::Ref<phi::Storage> moved = StorageOf(file);
      while (moved->version() != t->storage()->version()) moved->BumpVersion();
      t->Become(phi::TensorState::Dense(t.dims(), t.dtype(), std::move(moved)));
    } else {
      counted = true;  // only the message has it
    }
  }
  if (counted) file->Add(1);
  return pyb::make_tuple(file->name(), bytes, static_cast<int>(t.dtype()), ExtentsOf(t));
}
pyb::object OpenHost(const std::string& name, int dtype, const std::vector<int64_t>& dims, bool counted) {
  File file = phi::SharedFile::Named(name);
  if (!file) file = phi::SharedFile::Open(name, kOp);
  if (counted) file->Add(-1);
  return Over(StorageOf(std::move(file)), 0, dims, dtype);
}
void CountHost(const pyb::object& o, int64_t uses) {
  const File file = phi::SharedFile::Of(Dense(o)->storage()->data());
  PD_CHECK(file, InvalidArgument, "[", kOp, "] expected a tensor in shared memory, got one in memory of its own");
  file->Add(uses);
}

pyb::tuple ShareGpu(const pyb::object& o, bool counted) {
  const Tensor& t = Dense(o);
  PD_CHECK(t.place().type == phi::AllocationType::GPU, InvalidArgument, "[", kOp,
           "] expected a tensor on a GPU, got one on ", phi::PlaceText(t.place()));
  const auto offset = static_cast<uint64_t>(t->offset() * phi::SizeOf(t.dtype()));
  const phi::gpu::SharedMemory m = phi::gpu::Share(t->storage(), offset, BytesOf(t.dims(), t.dtype()), counted);
  return pyb::make_tuple(pyb::bytes(m.handle), m.offset, m.bytes, m.device, m.uses, static_cast<int>(t.dtype()),
                         ExtentsOf(t), pyb::bytes(m.event));
}
pyb::object OpenGpu(const pyb::bytes& handle, uint64_t offset, uint64_t bytes, int device, const std::string& uses,
                    int dtype, const std::vector<int64_t>& dims, const pyb::bytes& event) {
  phi::gpu::Received r = phi::gpu::Receive({handle, offset, bytes, device, uses, event});
  return Over(std::move(r.storage), r.offset, dims, dtype);
}

int Init(PyObject* module) {
  return GuardedInt([&] {
    pyb::module_ m = pyb::reinterpret_borrow<pyb::module_>(module);
    m.def("share_host", Safe(&ShareHost), "(name, bytes, dtype, dims) of a tensor's memory, for other processes.");
    m.def("open_host", Safe(&OpenHost), "A tensor over memory that share_host named.");
    m.def("count_host", Safe(&CountHost), "Adds uses to a tensor's shared memory.");
    m.def("share_gpu", Safe(&ShareGpu),
          "(handle, offset, bytes, device, uses, dtype, dims, event) of a tensor's memory.");
    m.def("open_gpu", Safe(&OpenGpu), "A tensor over memory that share_gpu told of.");
    m.def("leave_shared", &phi::SharedFile::LeaveAll, "Ends this process's uses of shared memory, before it ends.");
  });
}

}  // namespace

PADDLE_MODULE_INIT(Init)

}  // namespace paddle::py
