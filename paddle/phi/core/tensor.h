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

namespace phi {

using common::Dim;
using common::Dims;
using common::Ints;

// Base of everything counted by intrusive handles.
class RefCounted {
 public:
  void Retain() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Release() const {
    if (refs_.load(std::memory_order_acquire) == 1 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      const_cast<RefCounted*>(this)->Destroy();
  }
  uint32_t use_count() const { return refs_.load(std::memory_order_relaxed); }

 protected:
  RefCounted() = default;
  virtual ~RefCounted() = default;
  virtual void Destroy() { delete this; }
  void ResetCount() { refs_.store(0, std::memory_order_relaxed); }

 private:
  mutable std::atomic<uint32_t> refs_{0};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(T* p) : p_(p) {  // NOLINT: a handle is made from a pointer everywhere
    if (p_) p_->Retain();
  }
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
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  T* p_ = nullptr;
};

// Memory shared by a tensor and its views. `version` counts in-place writes.
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
  ~Storage() override = default;
  void Destroy() override;

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

class TensorImpl;
// What the autograd layer keeps for a tensor beyond its node: grad, hooks, view base, name. Owned by the impl, made on
// first use.
class AutogradMetaBase {
 public:
  virtual ~AutogradMetaBase() = default;
};
// What the recording layer keeps: the pir::Value of this tensor.
using RecordedValue = void*;

class TensorImpl final : public RefCounted {
 public:
  static Ref<TensorImpl> Make();

  ImplKind kind = ImplKind::kDense;
  DataType dtype = DataType::FLOAT32;
  bool stop_gradient = true;
  bool persistable = false;
  bool contiguous = true;
  bool is_parameter = false;
  uint16_t slot = 0;   // which output of `node` this tensor is
  int64_t offset = 0;  // in elements
  int64_t numel = 0;
  Ints dims;
  Ints strides;  // in elements
  Ref<Storage> storage;
  Ref<RefCounted> node;  // the grad node that made this tensor
  std::unique_ptr<AutogradMetaBase> meta;
  RecordedValue value = nullptr;
  void* pyobj = nullptr;  // the Python object of this impl, borrowed
  Place place;
  Dims symbolic_dims;  // kSymbolic only

  // Both raise where dims are too large for a tensor (common::Product).
  void SetContiguousStrides();
  void RefreshLayout();  // recomputes numel and contiguous from dims and strides
  // Strides of a contiguous tensor whose dims hold `count` elements.
  void LayOut(int64_t count);

 private:
  void Destroy() override;
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

  bool defined() const { return static_cast<bool>(impl_); }
  explicit operator bool() const { return defined(); }
  phi::TensorImpl* impl() const { return impl_.get(); }
  phi::TensorImpl* operator->() const { return impl_.get(); }

  phi::DataType dtype() const { return impl_->dtype; }
  const phi::Ints& dims() const { return impl_->dims; }
  const phi::Ints& strides() const { return impl_->strides; }
  int64_t dim(int64_t i) const { return impl_->dims[i]; }
  int64_t ndim() const { return is_symbolic() ? impl_->symbolic_dims.size() : impl_->dims.size(); }
  int64_t numel() const { return impl_->numel; }
  phi::Place place() const { return impl_->place; }
  bool is_contiguous() const { return impl_->contiguous; }
  bool is_symbolic() const { return impl_->kind == phi::ImplKind::kSymbolic; }
  bool stop_gradient() const { return impl_->stop_gradient; }
  bool requires_grad() const { return !impl_->stop_gradient; }
  void* raw_data() const {
    return static_cast<char*>(impl_->storage->data()) + impl_->offset * phi::SizeOf(impl_->dtype);
  }
  template <class T>
  T* data() const {
    return static_cast<T*>(raw_data());
  }
  bool is_same(const Tensor& o) const { return impl_.get() == o.impl_.get(); }
  void reset() { impl_.reset(); }
  phi::Meta meta() const { return {is_symbolic() ? impl_->symbolic_dims : common::ToDims(impl_->dims), impl_->dtype}; }
  phi::Dims shape() const { return is_symbolic() ? impl_->symbolic_dims : common::ToDims(impl_->dims); }

 private:
  phi::Ref<phi::TensorImpl> impl_;
};

}  // namespace paddle

namespace phi {

using paddle::Tensor;

// A new contiguous tensor with undefined contents.
Tensor Empty(const Ints& dims, DataType dtype, Place place = {});
// Makes `out` a contiguous tensor of `dims` and `dtype`: keeps a given one that is that already (the executor's), else
// allocates. Kernels write its memory in order.
void EnsureOut(Tensor& out, const Ints& dims, DataType dtype);
// A tensor over the same storage.
Tensor ViewOf(const Tensor& x, const Ints& dims, const Ints& strides, int64_t offset);
// `x` itself when contiguous, else a contiguous copy (no autograd).
Tensor Contiguous(const Tensor& x);
// `x` with another dtype (no autograd); `x` itself when it already has it.
Tensor CastTo(const Tensor& x, DataType dtype);
// dst[...] = src, shapes equal, any strides and dtypes (no autograd).
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
