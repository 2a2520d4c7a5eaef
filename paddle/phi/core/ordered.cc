// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/ordered.h"

#include <algorithm>
#include <exception>
#include <unordered_map>

#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/thread_state.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

int64_t BytesOf(const Ints& dims, DataType dtype) { return common::Product(dims) * SizeOf(dtype); }

std::unordered_map<const OpDef*, OrderedRule>& Rules() {
  static std::unordered_map<const OpDef*, OrderedRule> rules;
  return rules;
}

}  // namespace

ScratchTensor::ScratchTensor(const Ints& dims, DataType dtype) {
  if (const DeviceForms* forms = FormsHere()) {
    tensor = Empty(dims, dtype, forms->place());
    return;
  }
  memory.emplace(BytesOf(dims, dtype));
  auto storage =
      Storage::Wrap(memory->as<void>(), static_cast<size_t>(BytesOf(dims, dtype)), Place(), nullptr, [](void*) {});
  tensor = Tensor(TensorState::Dense(dims, dtype, std::move(storage)));
}

Ordered::Copies::Copies(const Tensor& x, DataType dtype) {
  if (!t_state.kernels.workspace || !x.place().is_cpu()) {
    made = Contiguous(CastTo(x, dtype));
    return;
  }
  const Tensor* from = &x;
  if (!x.is_contiguous()) {
    last = from = &in_order.emplace(x.dims(), x.dtype()).tensor;
    CopyInto(x, *last);
  }
  if (x.dtype() == dtype) return;
  last = &converted.emplace(x.dims(), dtype).tensor;
  CastParallel(x.dtype(), from->raw_data(), dtype, last->raw_data(), last->numel());
}

void Ordered::Copy(DataType dtype) {
  if (!(*p_)->storage()) return;  // only its shape is read
  new (&copies_) Copies(*p_, dtype);
  copied_ = true;
  p_ = copies_.last;
}

void Ordered::Drop() { copies_.~Copies(); }

Widened::Widened(Tensor& out, DataType dtype) : p_(&out), out_(&out) {
  if (!out.defined() || out.dtype() == dtype) return;
  p_ = &wide_.emplace(out.dims(), dtype).tensor;
  thrown_ = std::uncaught_exceptions();
}

Widened::Widened(Tensor* gradient, const Tensor& input, DataType dtype) : p_(gradient), out_(gradient) {
  if (!gradient || !input.defined() || input.dtype() == dtype) return;
  EnsureOut(*gradient, input.dims(), input.dtype());
  p_ = &wide_.emplace(input.dims(), dtype).tensor;
  thrown_ = std::uncaught_exceptions();
}

Widened::~Widened() noexcept(false) {
  if (!wide_ || std::uncaught_exceptions() > thrown_) return;
  if (!p_->defined()) {
    *out_ = Tensor();
    return;
  }
  if (FormsHere()) {
    *out_ = CastTo(*p_, out_->dtype());
    return;
  }
  CastParallel(p_->dtype(), p_->raw_data(), out_->dtype(), out_->raw_data(), out_->numel());
}

Expanded::Expanded(const Tensor& x, const Ints& dims)
    : tensor(x.dims() == dims ? x : made_.emplace(dims, x.dtype()).tensor) {
  if (made_) CopyInto(x, tensor);
}

OrderedList::OrderedList(const std::vector<Tensor>& list) : p_(&list) {
  const auto in_order = [](const Tensor& x) { return !x.defined() || x.is_contiguous(); };
  if (std::all_of(list.begin(), list.end(), in_order)) return;
  p_ = &tensors_;
  for (const Tensor& x : list) tensors_.push_back(*parts_.emplace_back(std::make_unique<Ordered>(x)));
}

OrderedList::~OrderedList() {
  tensors_.clear();
  while (!parts_.empty()) parts_.pop_back();
}

int64_t OrderedBytes(const Tensor& x, DataType dtype) {
  if (!x.defined() || !x->storage()) return 0;
  return (x.is_contiguous() ? 0 : Workspace::Piece(BytesOf(x.dims(), x.dtype()))) +
         (x.dtype() == dtype ? 0 : Workspace::Piece(BytesOf(x.dims(), dtype)));
}

int64_t WidenedBytes(const Tensor& out, DataType dtype) {
  return !out.defined() || out.dtype() == dtype ? 0 : Workspace::Piece(BytesOf(out.dims(), dtype));
}

OrderedStatement::OrderedStatement(const OpDef& op, OrderedRule rule) { Rules()[&op] = rule; }

OrderedRule OrderedRuleOf(const OpDef& op) {
  auto it = Rules().find(&op);
  return it == Rules().end() ? nullptr : it->second;
}

void ZeroOf(const Tensor& x) {
  if (x.defined() && x.numel()) cpu::Zero(x.raw_data(), x.numel() * SizeOf(x.dtype()));
}

}  // namespace phi
