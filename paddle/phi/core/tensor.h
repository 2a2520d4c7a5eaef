// SPDX-License-Identifier: Apache-2.0
// The tensor: an intrusive handle to an impl that holds dtype, shape, strides and shared storage, plus the autograd
// slot.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/common/dim.h"
#include "paddle/common/dtype.h"
#include "paddle/common/error.h"
#include "paddle/common/place.h"

namespace paddle {
class Tensor;
}

namespace phi {

using common::Dim;
using common::Dims;
using common::Ints;
using paddle::Tensor;

// Base of everything counted by intrusive handles.
class RefCounted {
 public:
  void Retain() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  // Ends a handle. True: it was the last, and the object is the caller's to destroy.
  bool ReleaseLast() const {
    return refs_.load(std::memory_order_acquire) == 1 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  void Release() const {
    if (ReleaseLast()) const_cast<RefCounted*>(this)->Destroy();
  }
  uint32_t use_count() const { return refs_.load(std::memory_order_relaxed); }

 protected:
  RefCounted() = default;
  virtual ~RefCounted() = default;
  virtual void Destroy() { delete this; }

 private:
  template <class T>
  friend class Ref;
  mutable std::atomic<uint32_t> refs_{0};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(T* p) : p_(p) {  // NOLINT: a handle is made from a pointer everywhere
    if (p_) p_->Retain();
  }
  // The first handle of an object that no other thread can see yet: counted without a locked operation.
  static Ref First(T* p) {
    Ref r;
    p->refs_.store(1, std::memory_order_relaxed);
    r.p_ = p;
    return r;
  }
  template <class U>
  Ref(Ref<U>&& o) : p_(o.Detach()) {}  // NOLINT: a handle of a base
  Ref(const Ref& o) : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  ~Ref() {
    if (p_) p_->Release();
  }
  Ref& operator=(const Ref& o) {
    Ref(o).swap(*this);
    return *this;
  }
  Ref& operator=(Ref&& o) noexcept {
    Ref(std::move(o)).swap(*this);
    return *this;
  }
  void swap(Ref& o) { std::swap(p_, o.p_); }
  void reset() { Ref().swap(*this); }
  // The pointer, with the count this handle had.
  T* Detach() { return std::exchange(p_, nullptr); }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  T* p_ = nullptr;
};

// Memory shared by a tensor and its views. `version` counts in-place writes.
struct ThreadMemory;
class Storage final : public RefCounted {
 public:
  static Ref<Storage> Allocate(size_t bytes, Place place);
  // Memory owned by someone else; `release(owner)` runs when the last view is gone.
  static Ref<Storage> Wrap(void* data, size_t bytes, Place place, void* owner, void (*release)(void*));

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  Place place() const { return place_; }
  uint32_t version() const { return version_; }
  void BumpVersion() { ++version_; }
  // Unique in the process, unlike the address: with the version it names the contents. Given out on first use.
  uint64_t id() const;

 private:
  friend class TensorImpl;
  friend Ref<Storage> AllocateStorage(ThreadMemory& m, size_t bytes, Place place);
  ~Storage() override = default;
  void Destroy() override;
  void Free(ThreadMemory& m);

  void* data_ = nullptr;
  size_t bytes_ = 0;
  void* owner_ = nullptr;
  void (*release_)(void*) = nullptr;
  uint32_t version_ = 0;
  Place place_;
  mutable std::atomic<uint64_t> id_{0};
};

enum class ImplKind : uint8_t {
  kDense,
  kSparseCoo,
  kSparseCsr,
  kSelectedRows,
  kTensorArray,
  kString,
  kDist,
  kSymbolic
};

// What the autograd layer keeps for a tensor beyond its node: grad, hooks, name. Owned by the impl, made on
// first use.
class AutogradMetaBase {
 public:
  virtual ~AutogradMetaBase() = default;
};
// What the recording layer keeps: the pir::Value of this tensor.
using RecordedValue = void*;

// What a tensor is: dtype, extents, and where its elements lie. A value, copied and replaced whole, so extents,
// strides, count and contiguity agree.
class TensorState {
 public:
  // Elements in their order from `offset` on; no storage: a tensor without memory. All raise where dims are too large
  // for a tensor (common::Product).
  static TensorState Dense(const Ints& dims, DataType dtype, Ref<Storage> storage = {}, int64_t offset = 0);
  static TensorState Strided(const Ints& dims, const Ints& strides, int64_t offset, DataType dtype,
                             Ref<Storage> storage);
  // A value of a program.
  static TensorState Symbolic(const Dims& dims, DataType dtype);
  static TensorState TensorArray();
  // A tensor without memory of its own that consists of `parts`: kDist (dist_tensor.h) or kSelectedRows by their type.
  static TensorState Dist(const Ints& dims, DataType dtype, Place place, Ref<RefCounted> parts);
  // The same without its memory.
  TensorState WithoutStorage() const;
  // A state without memory, as of a tensor elsewhere.
  TensorState At(Place place) const;

  ImplKind kind() const { return kind_; }
  DataType dtype() const { return dtype_; }
  Place place() const { return place_; }
  bool contiguous() const { return contiguous_; }
  int64_t offset() const { return offset_; }  // in elements
  // For a value of a program whose extents are not all known: -1, and no dims.
  int64_t numel() const { return numel_; }
  const Ints& dims() const { return dims_; }
  const Ints& strides() const { return strides_; }  // in elements
  const Ref<Storage>& storage() const { return storage_; }
  const Dims& symbolic_dims() const { return symbolic_dims_; }  // kSymbolic only
  const Ref<RefCounted>& parts() const { return parts_; }       // kDist, kSelectedRows

 private:
  friend class TensorImpl;
  friend Tensor Empty(const Ints& dims, DataType dtype, Place place);
  friend Tensor ViewOf(const Tensor& x, const Ints& dims, const Ints& strides, int64_t offset);
  friend Tensor WithoutData(const Tensor& x);
  TensorState() = default;
  // What dims say of a contiguous tensor: strides, numel. False where no tensor has them.
  bool LayOut();
  void CopyLayout(const TensorState& o);

  ImplKind kind_ = ImplKind::kDense;
  DataType dtype_ = DataType::FLOAT32;
  bool contiguous_ = true;
  Place place_;
  int64_t offset_ = 0;
  int64_t numel_ = 0;
  Ints dims_;
  Ints strides_;
  Ref<Storage> storage_;
  Dims symbolic_dims_;
  Ref<RefCounted> parts_;
};

class TensorImpl final : public RefCounted {
  // The history comes before the state: with the state in its place eager calls are slower.
  uint16_t slot_ = 0;
  Ref<RefCounted> node_;
  Ref<TensorImpl> base_;
  uint32_t generation_ = 0, base_generation_ = 0;

 public:
  static Ref<TensorImpl> Make(const TensorState& state);

  const TensorState& state() const { return state_; }
  // The tensor is what `state` says from now on; its history and recorded value stay.
  void Become(const TensorState& state) { state_ = state; }
  // Gives up its memory; dtype and extents stay.
  void ReleaseStorage() { state_.storage_.reset(); }

  ImplKind kind() const { return state_.kind_; }
  DataType dtype() const { return state_.dtype_; }
  Place place() const { return state_.place_; }
  bool contiguous() const { return state_.contiguous_; }
  int64_t offset() const { return state_.offset_; }
  int64_t numel() const { return state_.numel_; }
  const Ints& dims() const { return state_.dims_; }
  const Ints& strides() const { return state_.strides_; }
  const Ref<Storage>& storage() const { return state_.storage_; }
  const Dims& symbolic_dims() const { return state_.symbolic_dims_; }
  const Ref<RefCounted>& parts() const { return state_.parts_; }

  // The history: the grad node that made this tensor, null for a leaf, and which of its outputs the tensor is.
  const Ref<RefCounted>& node() const { return node_; }
  uint16_t slot() const { return slot_; }
  void SetHistory(Ref<RefCounted> node, int slot = 0) {
    node_ = std::move(node);
    slot_ = static_cast<uint16_t>(slot);
  }
  void ShareHistory(const TensorImpl& of) { SetHistory(of.node_, of.slot_); }
  // Makes the tensor a leaf. Returns the node it had.
  Ref<RefCounted> DropHistory() {
    slot_ = 0;
    return std::move(node_);
  }
  // Of a view that gradients pass through: the tensor whose history follows writes to it (eager/autograd).
  const Ref<TensorImpl>& base() const { return base_; }
  void SetBase(Ref<TensorImpl> base) { base_ = std::move(base); }
  // Counts in-place writes that changed the node of this tensor; of a view, also what the base's was when its node was
  // derived.
  uint32_t generation() const { return generation_; }
  uint32_t base_generation() const { return base_generation_; }
  void SetGeneration(uint32_t generation) { generation_ = generation; }
  void SetBaseGeneration(uint32_t generation) { base_generation_ = generation; }

  bool stop_gradient = true;
  bool persistable = false;
  bool is_parameter = false;
  std::unique_ptr<AutogradMetaBase> meta;
  RecordedValue value = nullptr;
  void* pyobj = nullptr;  // the Python object of this impl, borrowed

 private:
  friend Tensor Empty(const Ints& dims, DataType dtype, Place place);
  friend Tensor ViewOf(const Tensor& x, const Ints& dims, const Ints& strides, int64_t offset);
  friend Tensor WithoutData(const Tensor& x);
  TensorImpl() = default;
  explicit TensorImpl(const TensorState& state) : state_(state) {}
  void Destroy() override;

  TensorState state_;
};

// The shape and dtype of a tensor while inferring.
struct Meta {
  Dims dims;
  DataType dtype = DataType::UNDEFINED;
};

}  // namespace phi

namespace paddle {

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(phi::Ref<phi::TensorImpl> impl) : impl_(std::move(impl)) {}
  // A tensor without history.
  explicit Tensor(const phi::TensorState& state) : impl_(phi::TensorImpl::Make(state)) {}

  bool defined() const { return static_cast<bool>(impl_); }
  explicit operator bool() const { return defined(); }
  phi::TensorImpl* impl() const { return impl_.get(); }
  phi::TensorImpl* operator->() const { return impl_.get(); }

  phi::DataType dtype() const { return impl_->dtype(); }
  const phi::Ints& dims() const { return impl_->dims(); }
  const phi::Ints& strides() const { return impl_->strides(); }
  int64_t dim(int64_t i) const { return impl_->dims()[i]; }
  int64_t ndim() const { return is_symbolic() ? impl_->symbolic_dims().size() : impl_->dims().size(); }
  int64_t numel() const { return impl_->numel(); }
  phi::Place place() const { return impl_->place(); }
  bool is_contiguous() const { return impl_->contiguous(); }
  bool is_dense() const { return impl_->kind() == phi::ImplKind::kDense; }
  bool is_symbolic() const { return impl_->kind() == phi::ImplKind::kSymbolic; }
  bool is_dist() const { return impl_->kind() == phi::ImplKind::kDist; }
  bool stop_gradient() const { return impl_->stop_gradient; }
  bool requires_grad() const { return !impl_->stop_gradient; }
  void* raw_data() const {
    return static_cast<char*>(impl_->storage()->data()) + impl_->offset() * phi::SizeOf(impl_->dtype());
  }
  template <class T>
  T* data() const {
    return static_cast<T*>(raw_data());
  }
  bool is_same(const Tensor& o) const { return impl_.get() == o.impl_.get(); }

  // What operators of users call (paddle/extension.h), beside the above; for tensors with data.
  std::vector<int64_t> shape() const { return {impl_->dims().begin(), impl_->dims().end()}; }
  phi::DataType type() const { return dtype(); }
  int64_t size() const { return numel(); }
  bool initialized() const { return defined() && impl_->storage(); }
  bool is_cpu() const { return place().is_cpu(); }
  bool is_gpu() const { return place().type == phi::AllocationType::GPU; }
  bool is_custom_device() const { return place().type == phi::AllocationType::CUSTOM; }
  template <class T>
  T* mutable_data() {
    return data<T>();
  }
  // Where it lies already.
  template <class T>
  T* mutable_data(phi::Place where) {
    PD_CHECK(where == place(), InvalidArgument, "[mutable_data] expected ", phi::PlaceText(place()),
             ", where the tensor lies, got ", phi::PlaceText(where));
    return data<T>();
  }
  Tensor contiguous() const;
  Tensor cast(phi::DataType dtype) const;
  Tensor copy_to(phi::Place place, bool blocking = true) const;

  void reset() { impl_.reset(); }
  phi::Meta meta() const {
    return {is_symbolic() ? impl_->symbolic_dims() : common::ToDims(impl_->dims()), impl_->dtype()};
  }
  phi::Dims extents() const { return is_symbolic() ? impl_->symbolic_dims() : common::ToDims(impl_->dims()); }

 private:
  phi::Ref<phi::TensorImpl> impl_;
};

}  // namespace paddle

namespace phi {

// Whether both have memory, and it is the same.
inline bool SameStorage(const Tensor& a, const Tensor& b) {
  return a->storage() && a->storage().get() == b->storage().get();
}
// A new contiguous tensor with undefined contents.
Tensor Empty(const Ints& dims, DataType dtype, Place place = {});
// Makes `out` a contiguous tensor of `dims` and `dtype`: keeps a given one that is that already (the executor's), else
// allocates. Kernels write its memory in order.
void EnsureOut(Tensor& out, const Ints& dims, DataType dtype);
// A tensor over the same storage.
Tensor ViewOf(const Tensor& x, const Ints& dims, const Ints& strides, int64_t offset);
// The same elements, without history.
Tensor AliasOf(const Tensor& x);
// A tensor of the same dtype, extents and layout without memory and history.
Tensor WithoutData(const Tensor& x);
// `x` itself when contiguous, else a contiguous copy (no autograd).
Tensor Contiguous(const Tensor& x);
// `x` with another dtype (no autograd); `x` itself when it already has it.
Tensor CastTo(const Tensor& x, DataType dtype);
// dst[...] = src, which broadcasts to it; any strides and dtypes (no autograd).
void CopyInto(const Tensor& src, const Tensor& dst);
Tensor FullLike(const Ints& dims, DataType dtype, const Scalar& value);
// The number as one element of `dtype`, converted as a tensor of its own type would be.
void StoreScalar(const Scalar& value, DataType dtype, void* element);
// The only element of a one-element tensor.
Scalar ScalarOf(const Tensor& x);
double ScalarAsDouble(const Tensor& x);
int64_t ScalarAsInt(const Tensor& x);
std::vector<int64_t> ToIntVector(const Tensor& x);

}  // namespace phi
