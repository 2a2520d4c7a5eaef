// SPDX-License-Identifier: Apache-2.0
// A tensor of complex numbers is one of reals with one more axis of extent 2: each part is an input or output of the
// group that takes one of its places.
#include "paddle/cinn/fusion/complex_ops.h"

#include <algorithm>
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
  phi::DataType part = phi::DataType::UNDEFINED;
  kernel->flat_ = true;
  for (size_t i = 0; i < n; ++i) {
    const Tensor& t = *in[i].p;
    kernel->flat_ &= t.dims() == shape;
    if (t.dtype() == phi::DataType::BOOL) continue;
    const phi::DataType own = phi::IsComplex(t.dtype()) ? phi::RealOf(t.dtype()) : t.dtype();
    if (part == phi::DataType::UNDEFINED) part = own;
    if (own != part) return no("complex numbers beside other numbers");
  }
  if (shape.size() >= kMaxGroupRank) return no("complex numbers of too many axes");

  FusedOps fused;
  FusionGroup& g = fused.group;
  g.rank = kernel->flat_ ? 1 : static_cast<int>(shape.size());
  for (int a = 0; a < g.rank; ++a) {
    FusedOps::Extent e;
    e.known = kernel->flat_ ? common::Product(shape) : shape[a];
    fused.extents.push_back(e);
  }
  // What lies along the iteration's axes, of a tensor or of the numbers at `place` of its last axis.
  const auto view = [&](const phi::Ints& dims, int place, std::vector<bool>* real) {
    std::vector<ViewDim> v;
    real->assign(static_cast<size_t>(g.rank), false);
    if (kernel->flat_) {
      v.emplace_back(0);
      (*real)[0] = true;
    } else {
      const int64_t lead = g.rank - dims.size();
      for (int64_t k = 0; k < dims.size(); ++k) {
        const bool own = dims[k] == shape[lead + k];
        v.emplace_back(own ? static_cast<int>(lead + k) : -1);
        (*real)[static_cast<size_t>(lead + k)] = own;
      }
    }
    if (place >= 0) v.emplace_back(-1, place, 1);
    return v;
  };
  std::vector<ComplexExpr> operands;
  for (size_t i = 0; i < n; ++i) {
    const Tensor& t = *in[i].p;
    const bool pair = phi::IsComplex(t.dtype());
    Expr parts[2];
    for (int p = 0; p < (pair ? 2 : 1); ++p) {
      GroupInput input;
      input.dtype = pair ? part : t.dtype();
      std::vector<ViewDim> v = view(t.dims(), pair ? p : -1, &input.real);
      if (pair) {
        input.cut = input.real;
        input.unit = false;
      }
      parts[p] = Expr::Input(static_cast<int>(g.inputs.size()), input.dtype);
      g.inputs.push_back(std::move(input));
      fused.input_views.push_back(std::move(v));
      kernel->inputs_.push_back(static_cast<int>(i));
    }
    operands.push_back(pair ? ComplexExpr(parts[0], parts[1]) : ComplexExpr(parts[0]));
  }
  std::vector<phi::Scalar> numbers;
  for (size_t a = 0; a < op.attrs.size(); ++a) numbers.push_back(NumberOf(attrs[a]).value_or(phi::Scalar(0)));
  ComplexExpr value = lowering->fn(operands.data(), numbers.data());
  const bool pair = phi::IsComplex(kernel->result_.dtype);
  if (pair) value = Whole(value);
  for (int p = 0; p < (pair ? 2 : 1); ++p) {
    GroupOutput output;
    output.dtype = pair ? phi::RealOf(kernel->result_.dtype) : kernel->result_.dtype;
    const DataType computed = phi::ComputeType(output.dtype);
    output.value = cast(p ? value.im : value.re, computed);
    std::vector<bool> real;
    std::vector<ViewDim> v = view(shape, pair ? p : -1, &real);
    if (pair) {
      output.cut = real;
      output.unit = false;
    }
    g.outputs.push_back(std::move(output));
    fused.output_views.push_back(std::move(v));
    fused.output_of.push_back(0);
  }
  FusedOps::Assembled assembled;
  if (pair) {
    assembled.extents.assign(kernel->flat_ ? 1 : static_cast<size_t>(shape.size()), -1);
    assembled.extents.push_back(2);
  }
  fused.assembled.push_back(std::move(assembled));
  SimplifyGroup(g);
  kernel->runner_ = std::make_shared<FusedRunner>(fused, text);
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
