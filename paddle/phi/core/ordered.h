// SPDX-License-Identifier: Apache-2.0
// Operands as kernels read them: with their elements in order, in the dtype that the stanza asks for (`ordered`), and
// results as kernels write them. A copy takes memory of the workspace that the thread was lent, of which the op
// declares the bytes here.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "paddle/phi/core/op_def.h"
#include "paddle/phi/core/workspace.h"

namespace phi {

inline DataType TypeOf(const Tensor& x) { return x.defined() ? x.dtype() : DataType::UNDEFINED; }
// What labels, positions and the like are read as: int32 stays, all else is int64.
inline DataType IndexType(const Tensor& x) { return TypeOf(x) == DataType::INT32 ? DataType::INT32 : DataType::INT64; }
// What halves and narrower floats are computed in.
inline DataType WideType(const Tensor& x) {
  const DataType t = TypeOf(x);
  return IsFloating(t) ? ComputeType(t) : t;
}
// What weights of counts are read as: float32 stays, all else is float64.
inline DataType RealType(const Tensor& x) {
  return TypeOf(x) == DataType::FLOAT32 ? DataType::FLOAT32 : DataType::FLOAT64;
}
// What a parameter of norms is read as beside x: float32 beside halves stays, all else is of x's dtype.
inline DataType TypeBeside(const Tensor& parameter, const Tensor& x) {
  return TypeOf(parameter) == DataType::FLOAT32 && IsHalf(TypeOf(x)) ? DataType::FLOAT32 : TypeOf(x);
}

// A tensor of CallMemory, or where primitives run on a device of its memory: scratch in the form that kernels of
// tensors take. Several are released in reverse order.
struct ScratchTensor {
  std::optional<CallMemory> memory;
  Tensor tensor;
  ScratchTensor(const Ints& dims, DataType dtype);
};

// Marks an operand of which only the elements of the last axis follow each other in memory.
struct Rows {};
inline bool InRows(const Tensor& x) { return x.ndim() == 0 || x.dims().back() <= 1 || x.strides().back() == 1; }

// A tensor for the length of a call: x itself where it is in order and of that dtype, or absent. Several are released
// in reverse order; kernels keep no handle.
class Ordered {
 public:
  explicit Ordered(const Tensor& x) : p_(&x) {
    if (x.defined() && __builtin_expect(!x.is_contiguous(), 0)) Copy(x.dtype());
  }
  Ordered(const Tensor& x, DataType dtype) : p_(&x) {
    if (x.defined() && __builtin_expect(x.dtype() != dtype || !x.is_contiguous(), 0)) Copy(dtype);
  }
  Ordered(const Tensor& x, Rows) : p_(&x) {
    if (x.defined() && __builtin_expect(!InRows(x), 0)) Copy(x.dtype());
  }
  Ordered(const Tensor& x, Rows, DataType dtype) : p_(&x) {
    if (x.defined() && __builtin_expect(x.dtype() != dtype || !InRows(x), 0)) Copy(dtype);
  }
  ~Ordered() {
    if (__builtin_expect(copied_, 0)) Drop();
  }
  Ordered(const Ordered&) = delete;
  Ordered& operator=(const Ordered&) = delete;
  operator const Tensor&() const { return *p_; }  // NOLINT: implicit by design

 private:
  struct Copies {
    Copies(const Tensor& x, DataType dtype);
    Tensor made;
    std::optional<ScratchTensor> in_order, converted;
    const Tensor* last = &made;
  };
  [[gnu::cold]] void Copy(DataType dtype);
  [[gnu::cold]] void Drop();

  const Tensor* p_;
  bool copied_ = false;
  union {  // most calls copy nothing, and pay for none of it
    Copies copies_;
  };
};

// A result as a kernel writes it, for the length of a call: itself, or scratch of another dtype that is converted at
// the end. A gradient (null: not wanted) has the extents of its input; a kernel that computes none leaves it undefined.
class Widened {
 public:
  Widened(Tensor& out, DataType dtype);
  Widened(Tensor* gradient, const Tensor& input, DataType dtype);
  ~Widened() noexcept(false);
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;
  operator Tensor&() const { return *p_; }  // NOLINT: implicit by design
  operator Tensor*() const { return p_; }   // NOLINT: implicit by design

 private:
  Tensor *p_, *out_;
  std::optional<ScratchTensor> wide_;
  int thrown_ = 0;  // exceptions on their way when it was made
};

// What a kernel answers that computes none of its gradients.
inline void NoGradients(std::initializer_list<Tensor*> gradients) {
  for (Tensor* g : gradients)
    if (g) *g = Tensor();
}

// The memory of what may be absent: null then.
inline const void* DataOf(const Tensor& x) { return x.defined() ? x.raw_data() : nullptr; }
// Zeros, what sums over nothing are; nothing where x is absent.
void ZeroOf(const Tensor& x);

// x broadcast to `dims` for the length of a call: x itself where it has these extents, else scratch with its elements
// in order. Several are released in reverse order.
class Expanded {
  std::optional<ScratchTensor> made_;

 public:
  Expanded(const Tensor& x, const Ints& dims);
  Expanded(const Expanded&) = delete;
  Expanded& operator=(const Expanded&) = delete;

  const Tensor& tensor;
};

// What Ordered is of a list: the list itself where all of it is in order.
class OrderedList {
 public:
  explicit OrderedList(const std::vector<Tensor>& list);
  operator const std::vector<Tensor>&() const { return *p_; }  // NOLINT: implicit by design
  ~OrderedList();
  OrderedList(const OrderedList&) = delete;
  OrderedList& operator=(const OrderedList&) = delete;

 private:
  const std::vector<Tensor>* p_;
  std::vector<std::unique_ptr<Ordered>> parts_;
  std::vector<Tensor> tensors_;
};

// Bytes of a workspace that the copy takes; none where no copy is made.
int64_t OrderedBytes(const Tensor& x, DataType dtype);
inline int64_t OrderedBytes(const Tensor& x) { return x.defined() ? OrderedBytes(x, x.dtype()) : 0; }
inline int64_t OrderedBytes(const Tensor& x, Rows) { return x.defined() && !InRows(x) ? OrderedBytes(x) : 0; }
inline int64_t OrderedBytes(const Tensor& x, Rows, DataType dtype) {
  return x.defined() && (x.dtype() != dtype || !InRows(x)) ? OrderedBytes(x, dtype) : 0;
}
inline int64_t OrderedBytes(const std::vector<Tensor>& list) {
  int64_t sum = 0;
  for (const Tensor& x : list) sum += OrderedBytes(x);
  return sum;
}

// Bytes that a tensor of known extents takes.
inline int64_t WorkspaceFor(const Dims& dims, DataType dtype) {
  return Workspace::Piece(common::Product(common::ToInts(dims)) * SizeOf(dtype));
}
// Bytes that x takes in another dtype.
inline int64_t ConvertedBytes(const Meta& x, DataType dtype) {
  return x.dtype == dtype ? 0 : WorkspaceFor(x.dims, dtype);
}
// Bytes that an Expanded takes.
inline int64_t ExpandedBytes(const Dims& x, const Dims& dims, DataType dtype) {
  return common::ToInts(x) == common::ToInts(dims) ? 0 : WorkspaceFor(dims, dtype);
}
int64_t WidenedBytes(const Tensor& out, DataType dtype);

// States how many bytes the copies of an op's operands, and its results in other dtypes, take in all. `out`: results,
// undefined where nobody reads them or they are lists.
using OrderedRule = int64_t (*)(const InSlot* in, const Tensor* out);
struct OrderedStatement {
  OrderedStatement(const OpDef& op, OrderedRule rule);
};
// Null: the op states nothing.
OrderedRule OrderedRuleOf(const OpDef& op);

}  // namespace phi
