// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/core/type.h"

#include "paddle/common/error.h"
#include "paddle/pir/core/context.h"

namespace pir {

using detail::TypeStorage;

Type Type::Intern(TypeStorage parts) { return Type(IrContext::Instance().InternType(std::move(parts))); }

Type Type::Plain(TypeKind kind) {
  TypeStorage s;
  s.kind = kind;
  return Intern(std::move(s));
}

Type Type::Scalar(DataType dtype) {
  TypeStorage s;
  s.kind = TypeKind::kScalar;
  s.dtype = dtype;
  return Intern(std::move(s));
}

Type Type::TensorLike(TypeKind kind, DataType dtype, const common::Dims& dims, Name layout) {
  static const Name nchw("NCHW");
  TypeStorage s;
  s.kind = kind;
  s.dtype = dtype;
  s.dims = dims;
  s.layout = layout ? layout : nchw;
  return Intern(std::move(s));
}

const common::Dims& Type::dims() const {
  static const common::Dims* none = new common::Dims;
  return impl_ ? impl_->dims : *none;
}
const std::string& Type::layout() const { return impl_ ? impl_->layout.str() : Name().str(); }
const std::vector<Type>& Type::elements() const {
  static const std::vector<Type>* none = new std::vector<Type>;
  return impl_ ? impl_->elements : *none;
}

DenseTensorType DenseTensorType::Get(DataType dtype, const common::Dims& dims, Name layout) {
  return DenseTensorType(TensorLike(TypeKind::kDenseTensor, dtype, dims, layout).storage());
}
DenseTensorType DenseTensorType::Get(DataType dtype, const common::Dims& dims) { return Get(dtype, dims, Name()); }

VectorType VectorType::Get(std::span<const Type> elements) {
  TypeStorage s;
  s.kind = TypeKind::kVector;
  s.elements.assign(elements.begin(), elements.end());
  return VectorType(Intern(std::move(s)).storage());
}

namespace {
bool SameVisibleDims(const common::Dims& a, const common::Dims& b) {
  if (a.size() != b.size()) return false;
  for (int64_t i = 0; i < a.size(); ++i)
    if (a[i].visible() != b[i].visible()) return false;
  return true;
}

std::string_view DtypeLetter(DataType t) {
  switch (t) {
    case DataType::UNDEFINED: return "undefined";
    case DataType::BOOL: return "b";
    case DataType::UINT8: return "u8";
    default: return phi::kDataTypeInfo[static_cast<int>(t)].letter;
  }
}

std::string DimsAndDtype(const TypeStorage& s) {
  std::string r;
  for (common::Dim d : s.dims) r += std::to_string(d.visible()) + "x";
  return r.append(DtypeLetter(s.dtype));
}
}  // namespace

Type WithDims(Type t, const common::Dims& dims) {
  return t.is_dense() ? DenseTensorType::Get(t.dtype(), dims, t.storage()->layout)
                      : Type::TensorLike(t.kind(), t.dtype(), dims, t.storage()->layout);
}

bool SameVisible(Type a, Type b) {
  if (a == b) return true;
  if (!a || !b) return false;
  const TypeStorage &x = *a.storage(), &y = *b.storage();
  if (x.kind != y.kind || x.dtype != y.dtype || !(x.layout == y.layout) || !SameVisibleDims(x.dims, y.dims) ||
      !SameVisibleDims(x.nnz_dims, y.nnz_dims) || x.elements.size() != y.elements.size())
    return false;
  for (size_t i = 0; i < x.elements.size(); ++i)
    if (!SameVisible(x.elements[i], y.elements[i])) return false;
  return true;
}

std::string TypeText(Type t) {
  if (!t) return "<<NULL TYPE>>";
  const TypeStorage& s = *t.storage();
  switch (s.kind) {
    case TypeKind::kScalar: return std::string(DtypeLetter(s.dtype));
    case TypeKind::kIndex: return "index";
    case TypeKind::kUndefined: return "undefined";
    case TypeKind::kDenseTensor: return "tensor<" + DimsAndDtype(s) + ">";
    case TypeKind::kSelectedRows: return "pd_op.selectedrows<" + DimsAndDtype(s) + ">";
    case TypeKind::kSparseCoo: return "pd_op.sparse_coo_tensor<" + DimsAndDtype(s) + ">";
    case TypeKind::kSparseCsr: return "pd_op.sparse_csr_tensor<" + DimsAndDtype(s) + ">";
    case TypeKind::kTensorArray: return "pd_op.tensor_array<" + std::string(DtypeLetter(s.dtype)) + ">";
    case TypeKind::kStack: return "cf.stack";
    case TypeKind::kInlet: return "cf.inlet";
    case TypeKind::kOutlet: return "cf.outlet";
    case TypeKind::kVector: {
      std::string r = "vec[";
      for (size_t i = 0; i < s.elements.size(); ++i) r += (i ? "," : "") + TypeText(s.elements[i]);
      return r + "]";
    }
    case TypeKind::kNull: break;
  }
  return "<<NULL TYPE>>";
}

}  // namespace pir
