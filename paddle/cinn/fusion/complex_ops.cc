// SPDX-License-Identifier: Apache-2.0
// A tensor of complex numbers is one of reals with one more axis of extent 2: each part is an input or output of the
// group that takes one of its places.
#include "paddle/cinn/fusion/complex_ops.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "paddle/cinn/fusion/attr_reader.h"
#include "paddle/cinn/fusion/lowering.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/device_ops.h"

namespace cinn {
namespace {

using paddle::Tensor;

// Its numbers as reals, a complex one as two.
Tensor Reals(const Tensor& t, bool flat) {
  phi::Ints dims = flat ? phi::Ints{t.numel()} : t.dims();
  if (!phi::IsComplex(t.dtype())) return Tensor(phi::TensorState::Dense(dims, t.dtype(), t->storage(), t->offset()));
  dims.push_back(2);
  return Tensor(phi::TensorState::Dense(dims, phi::RealOf(t.dtype()), t->storage(), 2 * t->offset()));
}

// The type of the parts that the group computes in: that of all tensors but bools, whose numbers are of one. Nothing
// where they are not.
std::optional<phi::DataType> PartTypeOf(const phi::InSlot* in, size_t n) {
  phi::DataType part = phi::DataType::UNDEFINED;
  for (size_t i = 0; i < n; ++i) {
    const phi::DataType dtype = in[i].p->dtype();
    if (dtype == phi::DataType::BOOL) continue;
    const phi::DataType own = phi::IsComplex(dtype) ? phi::RealOf(dtype) : dtype;
    if (part == phi::DataType::UNDEFINED) part = own;
    if (own != part) return std::nullopt;
  }
  return part;
}

// The group over parts. `flat`: all operands have the result's shape, so it has one axis.
struct PartsGroup {
  const phi::Ints& shape;
  bool flat;
  FusedOps fused;
  std::vector<int> inputs;  // of the group: the op's tensors

  PartsGroup(const phi::Ints& s, bool f) : shape(s), flat(f) {
    FusionGroup& g = fused.group;
    g.rank = flat ? 1 : static_cast<int>(shape.size());
    for (int a = 0; a < g.rank; ++a) {
      FusedOps::Extent e;
      e.known = flat ? common::Product(shape) : shape[a];
      fused.extents.push_back(e);
    }
  }

  // What lies along the iteration's axes, of a tensor or of the numbers at `place` of its last axis.
  std::vector<ViewDim> View(const phi::Ints& dims, int place, std::vector<bool>* real) const {
    const int rank = fused.group.rank;
    std::vector<ViewDim> v;
    real->assign(static_cast<size_t>(rank), false);
    if (flat) {
      v.emplace_back(0);
      (*real)[0] = true;
    } else {
      const int64_t lead = rank - dims.size();
      for (int64_t k = 0; k < dims.size(); ++k) {
        const bool own = dims[k] == shape[lead + k];
        v.emplace_back(own ? static_cast<int>(lead + k) : -1);
        (*real)[static_cast<size_t>(lead + k)] = own;
      }
    }
    if (place >= 0) v.emplace_back(-1, place, 1);
    return v;
  }

  // Tensor number `i` of the op, its complex numbers as parts of type `part`.
  ComplexExpr Operand(const Tensor& t, size_t i, phi::DataType part) {
    const bool pair = phi::IsComplex(t.dtype());
    Expr parts[2];
    for (int p = 0; p < (pair ? 2 : 1); ++p) {
      GroupInput input;
      input.dtype = pair ? part : t.dtype();
      std::vector<ViewDim> v = View(t.dims(), pair ? p : -1, &input.real);
      if (pair) {
        input.cut = input.real;
        input.unit = false;
      }
      parts[p] = Expr::Input(static_cast<int>(fused.group.inputs.size()), input.dtype);
      fused.group.inputs.push_back(std::move(input));
      fused.input_views.push_back(std::move(v));
      inputs.push_back(static_cast<int>(i));
    }
    return pair ? ComplexExpr(parts[0], parts[1]) : ComplexExpr(parts[0]);
  }

  void Result(const ComplexExpr& made, phi::DataType dtype) {
    const bool pair = phi::IsComplex(dtype);
    const ComplexExpr value = pair ? Whole(made) : made;
    for (int p = 0; p < (pair ? 2 : 1); ++p) {
      GroupOutput output;
      output.dtype = pair ? phi::RealOf(dtype) : dtype;
      output.value = cast(p ? value.im : value.re, phi::ComputeType(output.dtype));
      std::vector<bool> real;
      std::vector<ViewDim> v = View(shape, pair ? p : -1, &real);
      if (pair) {
        output.cut = real;
        output.unit = false;
      }
      fused.group.outputs.push_back(std::move(output));
      fused.output_views.push_back(std::move(v));
      fused.output_of.push_back(0);
    }
    FusedOps::Assembled assembled;
    if (pair) {
      assembled.extents.assign(flat ? 1 : static_cast<size_t>(shape.size()), -1);
      assembled.extents.push_back(2);
    }
    fused.assembled.push_back(std::move(assembled));
  }
};

}  // namespace

std::shared_ptr<ComplexKernel> ComplexKernel::Make(const phi::OpDef& op, const phi::InSlot* in,
                                                   const phi::AttrValue* attrs, phi::KernelText text,
                                                   std::string* why) {
  const ComplexLowering* lowering = FindComplexLowering(op.name);
  const auto no = [&](const char* text) {
    *why = text;
    return nullptr;
  };
  const size_t n = op.tensors.size();
  std::vector<std::vector<phi::Meta>> metas(n);
  std::vector<phi::MetaSlot> slots;
  bool complex = false;
  for (size_t i = 0; i < n; ++i) {
    if (in[i].n != 1 || !in[i].p->defined() || !in[i].p->is_dense() || !in[i].p->initialized()) return nullptr;
    metas[i].push_back(in[i].p->meta());
    slots.push_back({metas[i].data(), 1});
    complex |= phi::IsComplex(metas[i][0].dtype);
  }
  if (op.outs.size() != 1) return nullptr;
  if (!lowering || lowering->nin != static_cast<int>(n)) return complex ? no("complex numbers") : nullptr;
  std::vector<std::vector<phi::Meta>> results(1);
  op.Infer(slots.data(), attrs, results.data());
  if (results[0].size() != 1 || (!complex && !phi::IsComplex(results[0][0].dtype))) return nullptr;
  if (complex && lowering->casts && results[0][0].dtype == phi::DataType::BOOL) return no("complex numbers as bool");

  auto kernel = std::make_shared<ComplexKernel>();
  kernel->result_ = results[0][0];
  const phi::Ints shape = common::ToInts(kernel->result_.dims);
  kernel->flat_ = std::all_of(in, in + n, [&](const phi::InSlot& s) { return s.p->dims() == shape; });
  const auto part = PartTypeOf(in, n);
  if (!part) return no("complex numbers beside other numbers");
  if (shape.size() >= kMaxGroupRank) return no("complex numbers of too many axes");
  PartsGroup group(shape, kernel->flat_);
  std::vector<ComplexExpr> operands;
  for (size_t i = 0; i < n; ++i) operands.push_back(group.Operand(*in[i].p, i, *part));
  std::vector<phi::Scalar> numbers;
  for (size_t a = 0; a < op.attrs.size(); ++a) numbers.push_back(NumberOf(attrs[a]).value_or(phi::Scalar(0)));
  group.Result(lowering->fn(operands.data(), numbers.data()), kernel->result_.dtype);
  SimplifyGroup(group.fused.group);
  kernel->inputs_ = std::move(group.inputs);
  kernel->runner_ = std::make_shared<FusedRunner>(group.fused, text);
  return kernel;
}

void ComplexKernel::Run(const phi::InSlot* in, phi::OutSlot* outs, phi::Place place) const {
  std::vector<Tensor> reals;
  reals.reserve(inputs_.size());
  std::vector<const Tensor*> inputs;
  for (size_t k = 0; k < inputs_.size(); ++k) {
    if (k == 0 || inputs_[k] != inputs_[k - 1])
      reals.push_back(Reals(phi::Contiguous(phi::ToPlace(*in[inputs_[k]].p, place)), flat_));
    inputs.push_back(&reals.back());
  }
  std::vector<Tensor> results = {phi::Empty(common::ToInts(result_.dims), result_.dtype, place)};
  Tensor written = Reals(results[0], flat_);
  Tensor* const to[] = {&written};
  runner_->Run(inputs.data(), to, place);
  phi::DeliverResults(results, 1, outs);
}

}  // namespace cinn
