// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/selected_rows.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/api/compose_rows.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/kernel_context.h"

namespace egr {
namespace {

using common::Ints;
using phi::ArgDef;
using phi::IsSelectedRows;
using phi::RowsOf;

// `values` [n, ...] added into `count` rows of zeros at the places `at`.
Tensor Spread(const Tensor& at, const Tensor& values, int64_t count) {
  Ints dims = values.dims();
  const Ints flat = {dims[0], dims[0] ? values.numel() / dims[0] : 0};
  dims[0] = count;
  if (values.numel() == 0) return paddle::zeros_of(dims, values.dtype());
  const Tensor rows = paddle::reshape(values, phi::IntArray(flat));
  return paddle::reshape(paddle::embedding_scatter(at, rows, count, -1), phi::IntArray(dims));
}

std::vector<int64_t> Numbers(const Tensor& rows) { return phi::ToIntVector(RowsOf(rows).rows); }
Tensor FromNumbers(const std::vector<int64_t>& numbers, phi::Place place) {
  Tensor t = phi::Empty({static_cast<int64_t>(numbers.size())}, phi::DataType::INT64);
  std::copy(numbers.begin(), numbers.end(), t.data<int64_t>());
  return phi::ToPlace(t, place);
}

const phi::OutDef* ResultIn(const phi::OpDef& op, std::string_view argument) {
  for (const phi::OutDef& o : op.outs)
    if (o.same_as_input && argument == o.same_as_input) return &o;
  return nullptr;
}

int Position(const std::vector<const ArgDef*>& args, std::string_view name) {
  for (size_t i = 0; i < args.size(); ++i)
    if (name == args[i]->name) return static_cast<int>(i);
  return -1;
}

// Whether a row without a gradient stays what it is in an update.
bool ByRow(const phi::OpDef& op, const phi::AttrValue* attrs) {
  if (const int lazy = Position(op.attrs, "lazy_mode"); lazy >= 0)
    return phi::AttrAs<bool>(attrs[lazy], op.name, "lazy_mode");
  for (const phi::OutDef& o : op.outs)
    if (!o.same_as_input ||
        (o.same_as_input != std::string_view("param") && o.same_as_input != std::string_view("master_param")))
      return false;
  return true;
}

// One call of an op whose operands are replaced.
class Call {
 public:
  Call(const phi::OpDef& op, const phi::InSlot* in) : op_(op), operands_(op.tensors.size()) {
    for (size_t i = 0; i < operands_.size(); ++i) operands_[i].assign(in[i].p, in[i].p + in[i].n);
  }
  std::vector<Tensor>& operator[](size_t i) { return operands_[i]; }
  size_t size() const { return operands_.size(); }
  void Run(const phi::AttrValue* attrs, phi::OutSlot* outs) {
    std::vector<phi::InSlot> slots(operands_.begin(), operands_.end());
    op_.Run(phi::ThreadContext(), slots.data(), attrs, outs);
  }

 private:
  const phi::OpDef& op_;
  std::vector<std::vector<Tensor>> operands_;
};

void Update(const phi::OpDef& op, const phi::InSlot* in, int grad, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  Call call(op, in);
  const Tensor param = in[0].p[0], given = in[grad].p[0];
  const phi::RowsParts& of = RowsOf(given);
  PD_CHECK(param.is_dense() && param.ndim() > 0 && param.dim(0) == of.height, InvalidArgument, "[", op.name,
           "] expected a gradient of ", of.height, " rows for a parameter of that many, got a parameter of shape ",
           common::ShapeText(param.dims()));
  const bool by_row = ByRow(op, attrs);
  Tensor rows;
  if (by_row) {
    const Tensor merged = MergedRows(given);
    rows = RowsOf(merged).rows;
    call[grad] = {RowsOf(merged).values};
  } else {
    call[grad] = {ToTable(given)};
  }
  std::vector<std::pair<Tensor, Tensor>> parts;  // a state of the table's shape, its rows
  for (size_t i = 0; by_row && i < call.size(); ++i) {
    if (static_cast<int>(i) == grad) continue;
    for (Tensor& t : call[i]) {
      if (!t.defined() || t.dims() != param.dims()) continue;
      Tensor part = paddle::index_select(t, rows, 0);
      if (ResultIn(op, op.tensors[i]->name)) parts.emplace_back(t, part);
      t = part;
    }
  }
  if (!by_row || rows.numel()) call.Run(attrs, outs);
  for (auto& [whole, part] : parts) {
    Tensor target = phi::AliasOf(whole);
    if (rows.numel()) paddle::scatter_(target, rows, part, true);
  }
  for (size_t k = 0; k < op.outs.size(); ++k) {
    const int i = op.outs[k].same_as_input ? Position(op.tensors, op.outs[k].same_as_input) : -1;
    if (i >= 0 && outs[k].p && in[i].n) *outs[k].p = in[i].p[0];
  }
}

void Elementwise(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  Call call(op, in);
  const phi::RowsParts* of = nullptr;
  for (size_t i = 0; i < call.size(); ++i)
    for (Tensor& t : call[i]) {
      if (!IsSelectedRows(t)) continue;
      const phi::RowsParts& own = RowsOf(t);
      PD_CHECK(!of || of->rows.is_same(own.rows), InvalidArgument, "[", op.name,
               "] expected rows of the same numbers, got others; to_dense() makes tables of them");
      of = &own;
    }
  const Ints dims = of->values.dims();
  for (size_t i = 0; i < call.size(); ++i)
    for (Tensor& t : call[i]) {
      if (!t.defined()) continue;
      PD_CHECK(IsSelectedRows(t) || t.ndim() < static_cast<int64_t>(dims.size()) || t.dim(0) == 1, InvalidArgument, "[",
               op.name, "] expected a tensor that is the same for each of ", dims[0], " rows, got shape ",
               common::ShapeText(t.dims()), "; to_dense() makes a table of the rows");
      if (IsSelectedRows(t)) t = RowsOf(t).values;
    }
  call.Run(attrs, outs);
  for (size_t k = 0; k < op.outs.size(); ++k)
    if (outs[k].p && outs[k].p->defined()) *outs[k].p = phi::MakeSelectedRows(of->rows, *outs[k].p, of->height);
}

// The rows are written where they are.
void Write(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  Call call(op, in);
  for (size_t i = 0; i < call.size(); ++i)
    for (Tensor& t : call[i])
      if (IsSelectedRows(t)) t = RowsOf(t).values;
  call.Run(attrs, outs);
  for (size_t k = 0; k < op.outs.size(); ++k) {
    const int i = op.outs[k].same_as_input ? Position(op.tensors, op.outs[k].same_as_input) : -1;
    if (i < 0) continue;
    if (outs[k].list) outs[k].list->assign(in[i].p, in[i].p + in[i].n);
    if (outs[k].p && in[i].n) *outs[k].p = in[i].p[0];
  }
}

}  // namespace

Tensor ToTable(const Tensor& rows) {
  const GradModeGuard off(false);
  return Spread(RowsOf(rows).rows, RowsOf(rows).values, RowsOf(rows).height);
}

Tensor MergedRows(const Tensor& rows) {
  const GradModeGuard off(false);
  const phi::RowsParts& of = RowsOf(rows);
  const std::vector<int64_t> numbers = Numbers(rows);
  std::vector<int64_t> once = numbers;
  std::sort(once.begin(), once.end());
  once.erase(std::unique(once.begin(), once.end()), once.end());
  if (once == numbers) return rows;
  std::vector<int64_t> at(numbers.size());
  for (size_t i = 0; i < at.size(); ++i) at[i] = std::lower_bound(once.begin(), once.end(), numbers[i]) - once.begin();
  const auto count = static_cast<int64_t>(once.size());
  const phi::Place place = of.values.place();
  return phi::MakeSelectedRows(FromNumbers(once, place), Spread(FromNumbers(at, place), of.values, count), of.height);
}

Tensor AddRows(const Tensor& a, const Tensor& b) {
  if (!IsSelectedRows(a)) return paddle::add(a, ToTable(b));
  if (!IsSelectedRows(b)) return paddle::add(ToTable(a), b);
  const GradModeGuard off(false);
  const phi::RowsParts &x = RowsOf(a), &y = RowsOf(b);
  return MergedRows(
      phi::MakeSelectedRows(paddle::concat({x.rows, y.rows}), paddle::concat({x.values, y.values}), x.height));
}

bool AnyRows(const phi::OpDef& op, const phi::InSlot* in) {
  for (size_t i = 0; i < op.tensors.size(); ++i)
    for (int k = 0; k < in[i].n; ++k)
      if (IsSelectedRows(in[i].p[k])) return true;
  return false;
}

void RunOnRows(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  const GradModeGuard off(false);
  const int grad = Position(op.tensors, "grad");
  bool writes = !op.outs.empty();
  for (const phi::OutDef& o : op.outs) writes = writes && o.same_as_input;
  if (writes && grad > 0 && in[grad].n == 1 && IsSelectedRows(in[grad].p[0])) {
    Update(op, in, grad, attrs, outs);
  } else if (op.flags & phi::kOpElementwise) {
    Elementwise(op, in, attrs, outs);
  } else {
    PD_CHECK(op.flags & phi::kOpSideEffect, InvalidArgument, "[", op.name,
             "] expected dense tensors, got rows of a table; to_dense() makes a table of them");
    Write(op, in, attrs, outs);
  }
}

}  // namespace egr

namespace paddle {

Tensor lookup_rows(const Tensor& x, const Tensor& dout, int64_t rows, int64_t padding_idx) {
  if (egr::State().record != egr::RecordMode::kRun || egr::State().grad_enabled)
    return embedding_scatter(x, dout, rows, padding_idx);
  const int64_t n = x.numel();
  const Tensor numbers = cast(reshape(x, phi::IntArray(common::Ints{n})), phi::DataType::INT64);
  Tensor values = reshape(dout, phi::IntArray(common::Ints{n, dout.dims().back()}));
  if (padding_idx >= 0) {
    const Tensor padding = full_like(numbers, phi::Scalar(padding_idx), phi::DataType::INT64);
    values = where(unsqueeze(equal(numbers, padding), {1}), zeros_like_of(values), values);
  }
  // Of their own, since they are kept.
  return phi::MakeSelectedRows(assign(numbers), assign(values), rows);
}

}  // namespace paddle
