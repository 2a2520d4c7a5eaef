// SPDX-License-Identifier: Apache-2.0
// Types of SSA values: interned and immutable, so a Type is one pointer and equality is pointer equality.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "paddle/common/dim.h"
#include "paddle/common/dtype.h"
#include "paddle/pir/core/name.h"

namespace pir {

using phi::DataType;

enum class TypeKind : uint8_t {
  kNull,
  kScalar,  // an element type by itself: f32, i64, ...
  kIndex,
  kUndefined,
  kDenseTensor,
  kVector,  // Tensor[]
  kSelectedRows,
  kSparseCoo,
  kSparseCsr,
  kTensorArray,
  kStack,  // cf.stack_create's results
  kInlet,
  kOutlet,
};

class Type;

namespace detail {
struct TypeStorage {
  TypeKind kind = TypeKind::kNull;
  DataType dtype = DataType::UNDEFINED;
  Name layout;
  common::Dims dims;
  common::Dims nnz_dims;       // kSparseCoo
  std::vector<Type> elements;  // kVector; component types of the sparse kinds
  size_t hash = 0;
};
}  // namespace detail

class Type {
 public:
  Type() = default;
  explicit Type(const detail::TypeStorage* impl) : impl_(impl) {}

  explicit operator bool() const { return impl_ != nullptr; }
  friend bool operator==(Type a, Type b) { return a.impl_ == b.impl_; }
  const void* key() const { return impl_; }

  TypeKind kind() const { return impl_ ? impl_->kind : TypeKind::kNull; }
  bool is_dense() const { return kind() == TypeKind::kDenseTensor; }
  bool is_vector() const { return kind() == TypeKind::kVector; }
  // A type with dtype, dims and layout: dense, selected rows, sparse, tensor array.
  bool is_tensor_like() const {
    return kind() >= TypeKind::kDenseTensor && kind() <= TypeKind::kTensorArray && !is_vector();
  }

  // UNDEFINED, empty and "" for types that have none.
  DataType dtype() const { return impl_ ? impl_->dtype : DataType::UNDEFINED; }
  const common::Dims& dims() const;
  const std::string& layout() const;
  // Element types of a vector.
  const std::vector<Type>& elements() const;
  const detail::TypeStorage* storage() const { return impl_; }

  template <class T>
  bool isa() const {
    return T::Classof(*this);
  }
  // The null T when this is of another kind.
  template <class T>
  T dyn_cast() const {
    return isa<T>() ? T(impl_) : T();
  }

  // An element type, e.g. the `f32` inside a tensor type.
  static Type Scalar(DataType dtype);
  static Type Plain(TypeKind kind);  // kIndex, kUndefined, kStack, kInlet, kOutlet
  // A tensor-like type of a kind other than dense.
  static Type TensorLike(TypeKind kind, DataType dtype, const common::Dims& dims, Name layout = {});
  // Any type from its parts (readers); `parts.hash` is ignored.
  static Type Intern(detail::TypeStorage parts);

 protected:
  const detail::TypeStorage* impl_ = nullptr;
};

class DenseTensorType : public Type {
 public:
  using Type::Type;
  // Layout defaults to "NCHW".
  static DenseTensorType Get(DataType dtype, const common::Dims& dims);
  static DenseTensorType Get(DataType dtype, const common::Dims& dims, Name layout);
  static bool Classof(Type t) { return t.is_dense(); }
};

class VectorType : public Type {
 public:
  using Type::Type;
  static VectorType Get(std::span<const Type> elements);
  static bool Classof(Type t) { return t.is_vector(); }
  size_t size() const { return elements().size(); }
  Type operator[](size_t i) const { return elements()[i]; }
};

// A tensor-like type with other extents.
Type WithDims(Type t, const common::Dims& dims);
// Whether the two types read the same to a user: symbols of different identity both count as -1.
bool SameVisible(Type a, Type b);
// Text as in a printed program: "tensor<2x-1xf32>", "vec[tensor<2xf32>]", "<<NULL TYPE>>".
std::string TypeText(Type t);

}  // namespace pir

template <>
struct std::hash<pir::Type> {
  size_t operator()(pir::Type t) const noexcept { return std::hash<const void*>()(t.key()); }
};
