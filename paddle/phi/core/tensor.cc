// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/tensor.h"

#include <new>

#include "paddle/phi/core/allocator.h"
#include "paddle/phi/core/assigned.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/selected_rows.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/thread_memory.h"
#include "paddle/phi/core/whole.h"

namespace phi {
Ref<Storage> AllocateStorage(ThreadMemory& m, size_t bytes, Place place) {
  if (__builtin_expect(!place.is_cpu(), 0)) return AllocateOnDevice(bytes, place);
  void* object = TakeObject(m, sizeof(Storage));
  void* data;
  try {
    data = !common::kSanitized && bytes <= kLargestBlock ? AllocateSmall(m, bytes) : AllocateCpu(bytes);
  } catch (...) {
    GiveObject(m, object, sizeof(Storage));
    throw;
  }
  auto* s = new (object) Storage;
  s->data_ = data;
  s->bytes_ = bytes;
  s->place_ = place;
  return Ref<Storage>::First(s);
}

Ref<Storage> Storage::Allocate(size_t bytes, Place place) { return AllocateStorage(t_memory, bytes, place); }

Ref<Storage> Storage::Wrap(void* data, size_t bytes, Place place, void* owner, void (*release)(void*)) {
  auto* s = new (TakeObject(t_memory, sizeof(Storage))) Storage;
  s->data_ = data;
  s->bytes_ = bytes;
  s->place_ = place;
  s->owner_ = owner;
  s->release_ = release;
  return Ref<Storage>::First(s);
}

uint64_t Storage::id() const {
  static std::atomic<uint64_t> last{0};
  uint64_t id = id_.load(std::memory_order_acquire);
  if (id) return id;
  const uint64_t fresh = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return id_.compare_exchange_strong(id, fresh, std::memory_order_acq_rel) ? fresh : id;
}

void Storage::Free(ThreadMemory& m) {
  if (const uint64_t id = id_.load(std::memory_order_relaxed)) [[unlikely]]
    ForgetAssigned(id);
  if (release_) {
    release_(owner_);
  } else {
    if (!common::kSanitized && bytes_ <= kLargestBlock) {
      FreeSmall(m, data_, bytes_);
    } else {
      FreeCpu(data_, bytes_);
    }
  }
  this->~Storage();
  GiveObject(m, this, sizeof(Storage));
}

void Storage::Destroy() { Free(t_memory); }

Ref<TensorImpl> TensorImpl::Make(const TensorState& state) {
  return Ref<TensorImpl>::First(new (TakeObject(t_memory, sizeof(TensorImpl))) TensorImpl(state));
}

void TensorImpl::Destroy() {
  ThreadMemory& m = t_memory;
  if (Storage* s = state_.storage_.Detach(); s && s->ReleaseLast()) s->Free(m);
  this->~TensorImpl();
  GiveObject(m, this, sizeof(TensorImpl));
}

bool TensorState::LayOut() {
  const int64_t n = dims_.size();
  strides_.resize(n);
  common::ShapeWalk walk;
  for (int64_t i = n - 1; i >= 0; --i) {
    strides_[i] = walk.stride();
    walk.Next(dims_[i]);
  }
  numel_ = walk.count();
  contiguous_ = true;
  return walk.fits(n);
}

TensorState TensorState::Dense(const Ints& dims, DataType dtype, Ref<Storage> storage, int64_t offset) {
  TensorState s;
  s.dims_ = dims;
  s.dtype_ = dtype;
  s.offset_ = offset;
  if (!s.LayOut()) common::RaiseTooLarge(dims);
  if (storage) s.place_ = storage->place();
  s.storage_ = std::move(storage);
  return s;
}

TensorState TensorState::Strided(const Ints& dims, const Ints& strides, int64_t offset, DataType dtype,
                                 Ref<Storage> storage) {
  TensorState s;
  s.dims_ = dims;
  s.strides_ = strides;
  s.offset_ = offset;
  s.dtype_ = dtype;
  s.contiguous_ = common::RowMajor(dims, strides, &s.numel_);
  if (storage) s.place_ = storage->place();
  s.storage_ = std::move(storage);
  return s;
}

TensorState TensorState::Symbolic(const Dims& dims, DataType dtype) {
  TensorState s;
  s.kind_ = ImplKind::kSymbolic;
  s.dtype_ = dtype;
  s.symbolic_dims_ = dims;
  const Dim count = common::Product(dims);
  s.numel_ = common::AllKnown(dims) ? count.raw() : -1;
  if (s.numel_ >= 0) s.dims_ = common::ToInts(dims);
  return s;
}

TensorState TensorState::TensorArray() {
  TensorState s;
  s.kind_ = ImplKind::kTensorArray;
  return s;
}

TensorState TensorState::Dist(const Ints& dims, DataType dtype, Place place, Ref<RefCounted> parts) {
  TensorState s = Dense(dims, dtype);
  s.kind_ = dynamic_cast<const RowsParts*>(parts.get()) ? ImplKind::kSelectedRows : ImplKind::kDist;
  s.place_ = place;
  s.parts_ = std::move(parts);
  return s;
}

Tensor MakeSelectedRows(const Tensor& rows, const Tensor& values, int64_t height) {
  Ref<RowsParts> parts(new RowsParts);
  parts->rows = rows;
  parts->values = values;
  parts->height = height;
  return Tensor(TensorState::Dist(values.dims(), values.dtype(), values.place(), std::move(parts)));
}

TensorState TensorState::WithoutStorage() const {
  TensorState s;
  s.CopyLayout(*this);
  return s;
}

TensorState TensorState::At(Place place) const {
  TensorState s = WithoutStorage();
  s.place_ = place;
  return s;
}

void TensorState::CopyLayout(const TensorState& o) {
  kind_ = o.kind_;
  dtype_ = o.dtype_;
  contiguous_ = o.contiguous_;
  place_ = o.place_;
  offset_ = o.offset_;
  numel_ = o.numel_;
  dims_ = o.dims_;
  strides_ = o.strides_;
  symbolic_dims_ = o.symbolic_dims_;
  parts_ = o.parts_;
}

namespace {
constexpr int64_t kMostBytes = int64_t{1} << 46;

[[noreturn, gnu::cold, gnu::noinline]] void RaiseNoTensor(const Ints& dims, DataType dtype) {
  int64_t signs = 0, count = 1;
  bool fits = true;
  for (int64_t d : dims) {
    signs |= d;
    fits = fits && !__builtin_mul_overflow(count, d + (d == 0), &count);
  }
  PD_CHECK(signs >= 0, InvalidArgument, "expected non-negative extents, got shape ", common::ShapeText(dims));
  PD_CHECK(dims.size() <= common::kMaxRank, InvalidArgument, "expected a shape of at most ", common::kMaxRank,
           " axes, got ", common::ShapeText(dims));
  PD_CHECK(dtype != DataType::UNDEFINED, InvalidType, "expected a dtype for a tensor of shape ",
           common::ShapeText(dims), ", got none");
  fits = fits && count < common::kMaxElements;
  PD_THROW(ResourceExhausted, "out of memory: expected to allocate ",
           fits ? std::to_string(count * SizeOf(dtype)) : "more than 2^63", " bytes for a tensor of shape ",
           common::ShapeText(dims), " and dtype ", NameOf(dtype));
}
}  // namespace

Tensor Empty(const Ints& dims, DataType dtype, Place place) {
  ThreadMemory& m = t_memory;
  auto impl = Ref<TensorImpl>::First(new (TakeObject(m, sizeof(TensorImpl))) TensorImpl);
  TensorState& s = impl->state_;
  s.dims_ = dims;
  s.dtype_ = dtype;
  s.place_ = place;
  // What fits has fewer than 2^59 elements of at most 16 bytes: the product does not overflow.
  if (__builtin_expect(!s.LayOut() || dtype == DataType::UNDEFINED || s.numel_ * SizeOf(dtype) >= kMostBytes, 0))
    RaiseNoTensor(dims, dtype);
  s.storage_ = AllocateStorage(m, static_cast<size_t>(s.numel_ * SizeOf(dtype)), place);
  return Tensor(std::move(impl));
}

void EnsureOut(Tensor& out, const Ints& dims, DataType dtype) {
  const DeviceForms* forms = t_state.forms;
  const Place here = __builtin_expect(forms != nullptr, 0) ? forms->place() : Place{};
  if (out.defined() && out.dtype() == dtype && out.dims() == dims && out.is_contiguous() && out.place() == here) return;
  out = Empty(dims, dtype, here);
}

Tensor ViewOf(const Tensor& x, const Ints& dims, const Ints& strides, int64_t offset) {
  auto impl = Ref<TensorImpl>::First(new (TakeObject(t_memory, sizeof(TensorImpl))) TensorImpl);
  TensorState& s = impl->state_;
  s.dims_ = dims;
  s.strides_ = strides;
  s.offset_ = offset;
  s.dtype_ = x.dtype();
  s.place_ = x.place();
  s.storage_ = x->storage();
  s.contiguous_ = common::RowMajor(dims, strides, &s.numel_);
  return Tensor(std::move(impl));
}

Tensor WithoutData(const Tensor& x) {
  auto impl = Ref<TensorImpl>::First(new (TakeObject(t_memory, sizeof(TensorImpl))) TensorImpl);
  impl->state_.CopyLayout(x->state());
  return Tensor(std::move(impl));
}

Tensor AliasOf(const Tensor& x) { return Tensor(x->state()); }

namespace {
// Of `dtype`, on the CPU, to be read.
Tensor ToRead(const Tensor& x, DataType dtype) {
  PD_CHECK(!x.is_symbolic(), PreconditionNotMet,
           "expected a tensor with data, whose elements are read, got a value of a program");
  if (IsComplex(x.dtype()) && !IsComplex(dtype) && x.numel() == 1)
    PD_CHECK(ScalarOf(x).to_complex().imag() == 0, InvalidType, "expected a tensor of a real number, got one of ",
             NameOf(x.dtype()), " with an imaginary part");
  return x.is_dist() ? ToRead(WholeOf(x), dtype) : CastTo(ToHost(x), dtype);
}
}  // namespace

Tensor WholeOf(const Tensor& x) {
  if (!x.is_dist()) return x;
  const auto* parts = dynamic_cast<const Joinable*>(x->parts().get());
  PD_CHECK(parts, PreconditionNotMet, "expected a tensor with elements to read, got one of unknown parts");
  return parts->Whole(x);
}

double ScalarAsDouble(const Tensor& x) {
  PD_CHECK(x.numel() == 1, InvalidArgument, "expected a tensor of one element, got shape ",
           common::ShapeText(x.dims()));
  Tensor d = ToRead(x, DataType::FLOAT64);
  return *d.data<double>();
}

int64_t ScalarAsInt(const Tensor& x) {
  PD_CHECK(x.numel() == 1, InvalidArgument, "expected a tensor of one element, got shape ",
           common::ShapeText(x.dims()));
  Tensor d = ToRead(x, DataType::INT64);
  return *d.data<int64_t>();
}

Scalar ScalarOf(const Tensor& x) {
  if (x.dtype() == DataType::BOOL) return ScalarAsInt(x) != 0;
  if (IsInteger(x.dtype())) return ScalarAsInt(x);
  if (!IsComplex(x.dtype())) return ScalarAsDouble(x);
  PD_CHECK(x.numel() == 1, InvalidArgument, "expected a tensor of one element, got shape ",
           common::ShapeText(x.dims()));
  const Tensor c = ToRead(x, DataType::COMPLEX128);
  return *c.data<complex128>();
}

std::vector<int64_t> ToIntVector(const Tensor& x) {
  Tensor d = Contiguous(ToRead(x, DataType::INT64));
  return {d.data<int64_t>(), d.data<int64_t>() + d.numel()};
}

}  // namespace phi
