// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/record.h"

#include <algorithm>

namespace egr {
namespace {

pir::Type TypeOf(const phi::Meta& m) { return pir::DenseTensorType::Get(m.dtype, m.dims); }

void SetValue(Tensor& t, pir::Value v) { t->value = v.impl(); }

Tensor Symbolic(pir::Value v) {
  auto impl = phi::TensorImpl::Make();
  impl->kind = phi::ImplKind::kSymbolic;
  impl->dtype = v.dtype();
  impl->symbolic_dims = v.dims();
  impl->value = v.impl();
  impl->stop_gradient = true;
  impl->numel = 0;
  return Tensor(impl);
}

}  // namespace

pir::Attribute ToPirAttribute(const phi::AttrValue& v) { return pir::Attribute::From(v); }

Recorder::Recorder(pir::Program* program) : program_(program), builder_(program) {}

Tensor Recorder::Wrap(pir::Value v) { return Symbolic(v); }

Tensor Recorder::Data(const std::string& name, const phi::Meta& meta) {
  pir::AttributeMap attrs;
  attrs.Set("name", pir::Attribute::Str(name));
  attrs.Set("shape", pir::Attribute::IntArray([&] {
              common::Ints s;
              for (auto d : meta.dims) s.push_back(d.visible());
              return s;
            }()));
  attrs.Set("dtype", pir::Attribute::DType(meta.dtype));
  attrs.Set("place", pir::Attribute::PlaceAttr(phi::Place{phi::AllocationType::UNDEFINED, 0, 0}));
  pir::Type types[] = {TypeOf(meta)};
  auto* op = builder_.Create(pir::FindOp("pd_op.data"), {}, std::move(attrs), types);
  op->result(0).set_name(name);
  return Symbolic(op->result(0));
}

pir::Value Recorder::ValueOf(const Tensor& t) {
  if (!t.defined()) return {};
  if (t->value) {
    pir::Value v(static_cast<pir::detail::ValueImpl*>(t->value));
    pir::Operation* op = v.defining_op();
    if (t.is_symbolic() || (op && op->program() == program_)) return v;
  }
  PD_CHECK(!t.is_symbolic(), PreconditionNotMet, "expected a value of the program being recorded, got one of another program");
  auto it = captured_index_.find(t.impl());
  if (it != captured_index_.end()) return captured_[it->second].value;
  std::string name = "captured_" + std::to_string(captured_.size());
  pir::Builder::Guard guard(builder_);
  builder_.SetToStart(&program_->block());
  Tensor data = Data(name, t.meta());
  pir::Value v(static_cast<pir::detail::ValueImpl*>(data->value));
  captured_index_[t.impl()] = captured_.size();
  captured_.push_back({t, v, name});
  return v;
}

pir::Value Recorder::AttrOperand(const phi::AttrValue& v) {
  pir::AttributeMap attrs;
  pir::Type types[1];
  if (auto* ints = std::get_if<common::Ints>(&v)) {
    attrs.Set("value", pir::Attribute::Array([&] {
                std::vector<pir::Attribute> a;
                for (int64_t i : *ints) a.push_back(pir::Attribute::Int64(i));
                return a;
              }()));
    attrs.Set("dtype", pir::Attribute::DType(phi::DataType::INT64));
    attrs.Set("place", pir::Attribute::PlaceAttr(phi::Place{}));
    types[0] = pir::DenseTensorType::Get(phi::DataType::INT64, common::Dims{common::Dim(ints->size())});
    return builder_.Create(pir::FindOp("pd_op.full_int_array"), {}, std::move(attrs), types)->result(0);
  }
  phi::Scalar s = std::get<phi::Scalar>(v);
  phi::DataType dtype = s.dtype() == phi::DataType::FLOAT64 ? phi::DataType::FLOAT32 : s.dtype();
  attrs.Set("shape", pir::Attribute::IntArray(common::Ints{1}));
  attrs.Set("value", pir::Attribute::Double(s.to_double()));
  attrs.Set("dtype", pir::Attribute::DType(dtype));
  attrs.Set("place", pir::Attribute::PlaceAttr(phi::Place{}));
  types[0] = pir::DenseTensorType::Get(dtype, common::Dims{common::Dim(1)});
  return builder_.Create(pir::FindOp("pd_op.full"), {}, std::move(attrs), types)->result(0);
}

void Recorder::Record(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs, bool run) {
  const pir::OpInfo* info = pir::FindOp(std::string("pd_op.") + op.name);
  PD_ASSERT(info != nullptr);
  std::vector<std::vector<phi::Meta>> in_metas(op.tensors.size()), out_metas(op.outs.size());
  std::vector<phi::MetaSlot> slots(op.tensors.size());
  std::vector<pir::Value> operands;
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    for (int k = 0; k < in[i].n; ++k)
      if (in[i].p[k].defined()) in_metas[i].push_back(in[i].p[k].meta());
    slots[i] = {in_metas[i].data(), static_cast<int>(in_metas[i].size())};
    if (op.tensors[i]->kind == phi::ArgDef::kTensorList) {
      std::vector<pir::Value> items;
      std::vector<pir::Type> types;
      for (int k = 0; k < in[i].n; ++k) {
        items.push_back(ValueOf(in[i].p[k]));
        types.push_back(items.back().type());
      }
      pir::Type vec[] = {pir::VectorType::Get(types)};
      operands.push_back(builder_.Create(pir::FindOp("builtin.combine"), items, {}, vec)->result(0));
    } else {
      operands.push_back(in[i].n && in[i].p[0].defined() ? ValueOf(in[i].p[0]) : pir::Value());
    }
  }
  if (run) {
    op.run(in, attrs, outs);
    for (size_t k = 0; k < op.outs.size(); ++k) {
      if (outs[k].p && outs[k].p->defined()) out_metas[k].push_back(outs[k].p->meta());
      if (outs[k].list)
        for (Tensor& t : *outs[k].list) out_metas[k].push_back(t.meta());
    }
  } else {
    op.infer(slots.data(), attrs, out_metas.data());
  }
  pir::AttributeMap map;
  for (size_t a = 0; a < op.attrs.size(); ++a) {
    const phi::ArgDef& d = *op.attrs[a];
    if (d.kind == phi::ArgDef::kOperandAttr) {
      operands.push_back(AttrOperand(attrs[a]));
    } else {
      map.Set(d.name, ToPirAttribute(attrs[a]));
    }
  }
  std::vector<pir::Type> types;
  for (size_t k = 0; k < op.outs.size(); ++k) {
    if (op.outs[k].variadic) {
      std::vector<pir::Type> items;
      for (auto& m : out_metas[k]) items.push_back(TypeOf(m));
      types.push_back(pir::VectorType::Get(items));
    } else {
      types.push_back(out_metas[k].empty() || out_metas[k][0].dtype == phi::DataType::UNDEFINED ? pir::Type() : TypeOf(out_metas[k][0]));
    }
  }
  pir::Operation* made = builder_.Create(info, operands, std::move(map), types);
  for (size_t k = 0; k < op.outs.size(); ++k) {
    pir::Value v = made->result(static_cast<int>(k));
    if (outs[k].list) {
      std::vector<pir::Type> items;
      for (auto& m : out_metas[k]) items.push_back(TypeOf(m));
      pir::Value vec[] = {v};
      pir::Operation* split = builder_.Create(pir::FindOp("builtin.split"), vec, {}, items);
      if (!run) outs[k].list->clear();
      for (size_t i = 0; i < items.size(); ++i) {
        if (!run) outs[k].list->push_back(Symbolic(split->result(static_cast<int>(i))));
        else SetValue((*outs[k].list)[i], split->result(static_cast<int>(i)));
      }
    } else if (outs[k].p && types[k]) {
      if (run) {
        SetValue(*outs[k].p, v);
      } else {
        *outs[k].p = Symbolic(v);
      }
    }
  }
}

void RecordOp(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  DispatchState& s = State();
  PD_ASSERT(s.recorder != nullptr);
  if (op.flags & phi::kOpInternal) {
    // Not a pd_op: only the eager half exists.
    PD_CHECK(s.record == RecordMode::kBoth, Unimplemented, "[", op.name, "] expected eager execution, got a program being recorded");
    op.run(in, attrs, outs);
    return;
  }
  s.recorder->Record(op, in, attrs, outs, s.record == RecordMode::kBoth);
}

void RegisterPirOps() {
  for (auto& [name, def] : phi::AllOpDefs()) {
    if (def->flags & phi::kOpInternal) continue;
    pir::OpInfo info;
    info.name = "pd_op." + name;
    for (const phi::ArgDef* t : def->tensors)
      info.inputs.push_back({t->name, t->kind == phi::ArgDef::kOptionalTensor, t->kind == phi::ArgDef::kTensorList, false});
    for (const phi::ArgDef* a : def->attrs) {
      if (a->kind == phi::ArgDef::kOperandAttr) {
        info.inputs.push_back({a->name, false, false, true});
      } else {
        info.attrs.push_back({a->name, static_cast<pir::AttrCode>(a->attr_index), a->def});
      }
    }
    for (const phi::OutDef& o : def->outs) info.outputs.push_back({o.name, o.optional, o.variadic, false});
    if (def->flags & phi::kOpElementwise) info.traits |= pir::kElementwise;
    if (def->flags & phi::kOpSideEffect) info.traits |= pir::kSideEffect;
    else info.traits |= pir::kPure;
    if (def->flags & phi::kOpRandom) info.traits |= pir::kRandom;
    if (def->flags & phi::kOpView) info.traits |= pir::kView;
    info.phi_op = def;
    pir::RegisterOp(std::move(info));
  }
}

}  // namespace egr
