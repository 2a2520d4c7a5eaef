// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/tensor.h"

#include <new>

#include "paddle/common/sanitizer.h"
#include "paddle/phi/core/allocator.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/memory_hook.h"

namespace phi {
namespace {

// Free lists of the two objects every tensor needs. Objects on them keep their constructed members in the empty state.
template <class T>
struct Pool {
  static constexpr int kMax = 512;
  void* free[kMax];  // a fixed place: what is given back may be the last there is of memory
  int count = 0;
  ~Pool() {
    while (count > 0) ::operator delete (free[--count], std::align_val_t{64});
    dead = true;
  }
  void* Take() {
    if (count == 0) return ::operator new (sizeof(T), std::align_val_t{64});
    return free[--count];
  }
  void Give(void* p) {
    if (common::kSanitized || dead || count == kMax) {
      ::operator delete (p, std::align_val_t{64});
      return;
    }
    free[count++] = p;
  }
  static thread_local bool dead;
};
template <class T>
thread_local bool Pool<T>::dead = false;
thread_local Pool<TensorImpl> t_impls;
thread_local Pool<Storage> t_storages;

}  // namespace

Ref<Storage> Storage::Allocate(size_t bytes, Place place) {
  if (__builtin_expect(!place.is_cpu(), 0)) return AllocateOnDevice(bytes, place);
  if (__builtin_expect(t_memory_hook != nullptr, 0)) {
    RefCounted* owner = nullptr;
    if (void* lent = t_memory_hook->Ask(bytes, &owner)) {
      owner->Retain();
      return Wrap(lent, bytes, place, owner, [](void* o) { static_cast<RefCounted*>(o)->Release(); });
    }
  }
  void* object = t_storages.Take();
  void* data;
  try {
    data = AllocateCpu(bytes);
  } catch (...) {
    t_storages.Give(object);
    throw;
  }
  if (__builtin_expect(t_memory_hook != nullptr, 0)) t_memory_hook->Note(data, bytes);
  auto* s = new (object) Storage;
  s->data_ = data;
  s->bytes_ = bytes;
  s->place_ = place;
  return s;
}

Ref<Storage> Storage::Wrap(void* data, size_t bytes, Place place, void* owner, void (*release)(void*)) {
  auto* s = new (t_storages.Take()) Storage;
  s->data_ = data;
  s->bytes_ = bytes;
  s->place_ = place;
  s->owner_ = owner;
  s->release_ = release;
  return s;
}

uint64_t Storage::id() const {
  static std::atomic<uint64_t> last{0};
  uint64_t id = id_.load(std::memory_order_acquire);
  if (id) return id;
  const uint64_t fresh = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return id_.compare_exchange_strong(id, fresh, std::memory_order_acq_rel) ? fresh : id;
}

void Storage::Destroy() {
  if (release_) {
    release_(owner_);
  } else {
    if (__builtin_expect(t_memory_hook != nullptr, 0)) t_memory_hook->Released(data_);
    FreeCpu(data_, bytes_);
  }
  this->~Storage();
  t_storages.Give(this);
}

Ref<TensorImpl> TensorImpl::Make() { return new (t_impls.Take()) TensorImpl; }

void TensorImpl::Destroy() {
  this->~TensorImpl();
  t_impls.Give(this);
}

void TensorImpl::SetContiguousStrides() { LayOut(common::Product(dims)); }

void TensorImpl::LayOut(int64_t count) {
  int64_t n = dims.size(), run = 1;
  strides.resize(n);
  for (int64_t i = n - 1; i >= 0; --i) {
    strides[i] = run;
    run *= dims[i] > 0 ? dims[i] : 1;
  }
  numel = count;
  contiguous = true;
}

void TensorImpl::RefreshLayout() {
  numel = common::Product(dims);
  contiguous = true;
  int64_t run = 1;
  for (int64_t i = dims.size() - 1; i >= 0 && contiguous; --i) {
    if (dims[i] != 1 && strides[i] != run) contiguous = numel == 0;
    run *= dims[i];
  }
}

Tensor Empty(const Ints& dims, DataType dtype, Place place) {
  auto impl = TensorImpl::Make();
  impl->dims = dims;
  impl->dtype = dtype;
  impl->place = place;
  int64_t count;
  const bool fits = common::CountElements(dims, &count);
  int64_t signs = 0;
  for (int64_t d : dims) signs |= d;
  PD_CHECK(signs >= 0, InvalidArgument, "expected non-negative extents, got shape ", common::ShapeText(dims));
  PD_CHECK(dims.size() <= common::kMaxRank, InvalidArgument, "expected a shape of at most ", common::kMaxRank,
           " axes, got ", common::ShapeText(dims));
  PD_CHECK(dtype != DataType::UNDEFINED, InvalidType, "expected a dtype for a tensor of shape ",
           common::ShapeText(dims), ", got none");
  // What fits has fewer than 2^59 elements of at most 16 bytes: the product does not overflow.
  if (__builtin_expect(!fits || count * static_cast<int64_t>(SizeOf(dtype)) >= (int64_t{1} << 46), 0))
    PD_THROW(ResourceExhausted, "out of memory: expected to allocate ",
             fits ? std::to_string(count * SizeOf(dtype)) : "more than 2^63", " bytes for a tensor of shape ",
             common::ShapeText(dims), " and dtype ", NameOf(dtype));
  impl->LayOut(count);
  impl->storage = Storage::Allocate(static_cast<size_t>(count * SizeOf(dtype)), place);
  return Tensor(std::move(impl));
}

void EnsureOut(Tensor& out, const Ints& dims, DataType dtype) {
  if (out.defined() && out.dtype() == dtype && out.dims() == dims && out.is_contiguous() && out.place().is_cpu())
    return;
  out = Empty(dims, dtype);
}

Tensor ViewOf(const Tensor& x, const Ints& dims, const Ints& strides, int64_t offset) {
  auto impl = TensorImpl::Make();
  impl->dims = dims;
  impl->strides = strides;
  impl->offset = offset;
  impl->dtype = x.dtype();
  impl->place = x.place();
  impl->storage = x->storage;
  impl->RefreshLayout();
  return Tensor(std::move(impl));
}

double ScalarAsDouble(const Tensor& x) {
  PD_CHECK(x.numel() == 1, InvalidArgument, "expected a tensor of one element, got shape ",
           common::ShapeText(x.dims()));
  Tensor d = CastTo(ToHost(x), DataType::FLOAT64);
  return *d.data<double>();
}

int64_t ScalarAsInt(const Tensor& x) {
  PD_CHECK(x.numel() == 1, InvalidArgument, "expected a tensor of one element, got shape ",
           common::ShapeText(x.dims()));
  Tensor d = CastTo(ToHost(x), DataType::INT64);
  return *d.data<int64_t>();
}

Scalar ScalarOf(const Tensor& x) {
  if (x.dtype() == DataType::BOOL) return ScalarAsInt(x) != 0;
  if (IsInteger(x.dtype())) return ScalarAsInt(x);
  if (!IsComplex(x.dtype())) return ScalarAsDouble(x);
  PD_CHECK(x.numel() == 1, InvalidArgument, "expected a tensor of one element, got shape ",
           common::ShapeText(x.dims()));
  const Tensor c = CastTo(ToHost(x), DataType::COMPLEX128);
  return *c.data<complex128>();
}

std::vector<int64_t> ToIntVector(const Tensor& x) {
  Tensor d = Contiguous(CastTo(ToHost(x), DataType::INT64));
  return {d.data<int64_t>(), d.data<int64_t>() + d.numel()};
}

}  // namespace phi
