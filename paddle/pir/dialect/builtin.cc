// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/dialect/builtin.h"

#include <mutex>

#include "paddle/common/error.h"
#include "paddle/pir/dialect/pd_op.h"

namespace pir {
namespace {

void VerifyCombine(const Operation& op) {
  Type t = op.result_type(0);
  PD_CHECK(op.num_results() == 1 && t.is_vector() && t.elements().size() == static_cast<size_t>(op.num_operands()),
           InvalidArgument, "[builtin.combine] expected a vector of ", op.num_operands(), " elements as result, got ",
           TypeText(t));
  for (int i = 0; i < op.num_operands(); ++i)
    PD_CHECK(op.operand(i) || !t.elements()[i], InvalidArgument, "[builtin.combine] expected operand ", i, " to be ",
             TypeText(t.elements()[i]), ", got none");
}

void VerifySplit(const Operation& op) {
  Type t = op.operand_type(0);
  PD_CHECK(op.num_operands() == 1 && t.is_vector() && t.elements().size() == static_cast<size_t>(op.num_results()),
           InvalidArgument, "[builtin.split] expected a vector of ", op.num_results(), " elements as operand, got ",
           TypeText(t));
}

void VerifySlice(const Operation& op) {
  Type t = op.operand_type(0);
  Attribute i = op.attr("index");
  PD_CHECK(t.is_vector() && i && i.to_int() >= 0 && i.to_int() < static_cast<int64_t>(t.elements().size()),
           InvalidArgument, "[builtin.slice] expected an index inside ", TypeText(t), ", got ",
           i ? AttributeText(i) : "none");
}

const Operation* YieldOf(const Operation& op, int region) {
  PD_CHECK(op.region(region).size() == 1, InvalidArgument, "[", op.name(), "] expected one block in region ", region,
           ", got ", op.region(region).size());
  const Operation* y = op.region(region).front().terminator();
  PD_CHECK(y && y->isa("cf.yield"), InvalidArgument, "[", op.name(), "] expected region ", region,
           " to end with cf.yield, got something else");
  return y;
}

// A branch or a loop gives the kind of value that its result `to` is declared to have.
void CheckGiven(const Operation& op, Value from, Value to, const char* what, int i) {
  PD_CHECK(!to.type() || (from && from.type().is_vector() == to.type().is_vector()), InvalidArgument, "[", op.name(),
           "] expected ", what, " ", i, " to be ", TypeText(to.type()), ", got ",
           from ? TypeText(from.type()) : "none");
}

void VerifyIf(const Operation& op) {
  PD_CHECK(op.num_operands() == 1 && op.operand(0), InvalidArgument, "[pd_op.if] expected one condition, got ",
           op.num_operands(), " operands");
  PD_CHECK(op.num_regions() == 2, InvalidArgument, "[pd_op.if] expected 2 regions, got ", op.num_regions());
  for (int r = 0; r < 2; ++r) {
    if (op.num_results() == 0 && (op.region(r).empty() || !op.region(r).front().terminator())) continue;
    const Operation* y = YieldOf(op, r);
    PD_CHECK(y->num_operands() == op.num_results(), InvalidArgument, "[pd_op.if] expected region ", r, " to yield ",
             op.num_results(), " values, got ", y->num_operands());
    for (int i = 0; i < op.num_results(); ++i) CheckGiven(op, y->operand(i), op.result(i), "yielded value", i);
  }
}

void VerifyWhile(const Operation& op) {
  PD_CHECK(op.num_operands() >= 1 && op.operand(0), InvalidArgument, "[pd_op.while] expected a condition, got none");
  PD_CHECK(op.num_regions() == 1 && op.region(0).size() == 1, InvalidArgument,
           "[pd_op.while] expected one region with one block, got ", op.num_regions(), " regions");
  int n = op.num_operands() - 1;
  PD_CHECK(op.num_results() == n && op.region(0).front().num_args() == n, InvalidArgument, "[pd_op.while] expected ", n,
           " results and block arguments, got ", op.num_results(), " and ", op.region(0).front().num_args());
  const Operation* y = YieldOf(op, 0);
  PD_CHECK(y->num_operands() == n + 1, InvalidArgument, "[pd_op.while] expected its body to yield ", n + 1,
           " values (condition first), got ", y->num_operands());
  PD_CHECK(y->operand(0), InvalidArgument, "[pd_op.while] expected its body to yield a condition, got none");
  const Block& body = op.region(0).front();
  for (int i = 0; i < n; ++i) {
    CheckGiven(op, op.operand(i + 1), body.arg(i), "operand", i + 1);
    CheckGiven(op, y->operand(i + 1), body.arg(i), "yielded value", i + 1);
    CheckGiven(op, y->operand(i + 1), op.result(i), "yielded value", i + 1);
  }
}

void VerifyNamed(const Operation& op) {
  const char* key = op.isa("builtin.shadow_output") ? "output_name"
                    : op.isa("builtin.constant")    ? "value"
                                                    : "parameter_name";
  PD_CHECK(op.attr(key), InvalidArgument, "[", op.name(), "] expected attribute '", key, "', got none");
}

OpInfo Make(const char* name, std::vector<OperandInfo> in, std::vector<AttrInfo> attrs, std::vector<OutputInfo> out,
            uint32_t traits, void (*verify)(const Operation&) = nullptr) {
  OpInfo i;
  i.name = name;
  i.inputs = std::move(in);
  i.attrs = std::move(attrs);
  i.outputs = std::move(out);
  i.traits = traits;
  i.verify = verify;
  return i;
}

void RegisterAll() {
  using A = AttrCode;
  const OperandInfo x{"x"};
  const OutputInfo out{"out"};
  constexpr uint32_t kAnyIn = kVariadicOperands, kAnyOut = kVariadicResults;
  RegisterOp(Make("builtin.module", {}, {}, {}, kHasRegions | kSideEffect));
  RegisterOp(Make("builtin.parameter", {},
                  {{"parameter_name", A::kStr, {}},
                   {"is_distributed", A::kBools, {}},
                   {"is_parameter", A::kBools, {}},
                   {"need_clip", A::kBools, {}},
                   {"trainable", A::kBools, {}}},
                  {out}, kConstantLike, VerifyNamed));
  RegisterOp(Make("builtin.set_parameter", {x}, {{"parameter_name", A::kStr, {}}}, {}, kSideEffect, VerifyNamed));
  RegisterOp(Make("builtin.shadow_output", {x}, {{"output_name", A::kStr, {}}}, {}, kSideEffect, VerifyNamed));
  RegisterOp(Make("builtin.constant", {}, {{"value", A::kStr, {}}}, {out}, kPure | kConstantLike, VerifyNamed));
  RegisterOp(Make("builtin.combine", {{"x"}}, {}, {out}, kPure | kAnyIn, VerifyCombine));
  RegisterOp(Make("builtin.split", {{"x", false, true}}, {}, {}, kPure | kAnyOut, VerifySplit));
  RegisterOp(Make("builtin.slice", {{"x", false, true}}, {{"index", A::kInt32, {}}}, {out}, kPure, VerifySlice));
  RegisterOp(Make("builtin.group", {}, {}, {}, kHasRegions | kAnyIn | kAnyOut));
  RegisterOp(Make("cf.yield", {}, {}, {}, kTerminator | kSideEffect | kAnyIn));
  RegisterOp(Make("cf.stack_create", {}, {}, {{"stack"}, {"inlet"}, {"outlet"}}, kSideEffect));
  RegisterOp(Make("cf.tuple_push", {}, {}, {}, kSideEffect | kAnyIn));
  RegisterOp(Make("cf.tuple_pop", {{"outlet"}}, {}, {}, kSideEffect | kAnyOut));
  RegisterOp(Make("cf.has_elements", {{"x"}}, {}, {out}, kSideEffect));

  // Operands and attributes as generated code declared them, if it came first; traits and checks from here.
  auto if_missing = [](OpInfo i) {
    const OpInfo* old = FindOp(i.name);
    if (old && !old->unregistered) {
      OpInfo merged = *old;
      merged.traits |= i.traits;
      if (!merged.verify) merged.verify = i.verify;
      i = std::move(merged);
    }
    RegisterOp(std::move(i));
  };
  if_missing(Make(pd::kIf, {{"cond"}}, {}, {}, kHasRegions | kAnyIn | kAnyOut, VerifyIf));
  if_missing(Make(pd::kWhile, {{"cond"}}, {}, {}, kHasRegions | kAnyIn | kAnyOut, VerifyWhile));
  if_missing(Make(pd::kPrint, {{"in"}},
                  {{"first_n", A::kInt32, -1},
                   {"message", A::kStr, {}},
                   {"summarize", A::kInt32, 20},
                   {"print_tensor_name", A::kBool, true},
                   {"print_tensor_type", A::kBool, true},
                   {"print_tensor_shape", A::kBool, true},
                   {"print_tensor_layout", A::kBool, true},
                   {"print_tensor_lod", A::kBool, true},
                   {"print_phase", A::kStr, std::string("BOTH")},
                   {"is_forward", A::kBool, true}},
                  {out}, kSideEffect));
  if_missing(
      Make(pd::kAssert, {{"cond"}, {"data", false, true}}, {{"summarize", A::kInt64, int64_t{-1}}}, {}, kSideEffect));
  const phi::Place no_place{phi::AllocationType::UNDEFINED, 0, 0};
  if_missing(Make(
      pd::kData, {},
      {{"name", A::kStr, {}}, {"shape", A::kIntArray, {}}, {"dtype", A::kDataType, {}}, {"place", A::kPlace, no_place}},
      {out}, kSideEffect | kConstantLike));
  if_missing(Make(pd::kFeed, {}, {{"name", A::kStr, {}}, {"col", A::kInt32, {}}}, {out}, kSideEffect));
  if_missing(Make(pd::kFetch, {x}, {{"name", A::kStr, {}}, {"col", A::kInt32, {}}}, {out}, kSideEffect));
}

const OpInfo* Info(const char* name) {
  RegisterBuiltinOps();
  const OpInfo* i = FindOp(name);
  PD_ASSERT(i != nullptr);
  return i;
}

Attribute OneBool(bool v) { return Attribute::Array({Attribute::Bool(v)}); }

}  // namespace

void RegisterBuiltinOps() {
  static std::once_flag once;
  std::call_once(once, RegisterAll);
}

Value BuildParameter(Builder& b, std::string_view name, Type type, bool trainable) {
  Value v = b.Create(Info("builtin.parameter"), {},
                     {{"parameter_name", Attribute::Str(name)},
                      {"is_distributed", OneBool(false)},
                      {"is_parameter", OneBool(true)},
                      {"need_clip", OneBool(true)},
                      {"trainable", OneBool(trainable)}},
                     std::span<const Type>(&type, 1))
                ->result(0);
  v.set_persistable(true);
  v.set_stop_gradient(!trainable);
  v.set_name(name);
  return v;
}

Value BuildConstantTensor(Builder& b, std::string_view name, Type type) {
  Value v =
      b.Create(Info("builtin.constant"), {}, {{"value", Attribute::TensorName(name)}}, std::span<const Type>(&type, 1))
          ->result(0);
  v.set_stop_gradient(true);
  v.set_name(name);
  return v;
}

Value BuildCombine(Builder& b, std::span<const Value> values) {
  std::vector<Type> types;
  bool stop = true;
  for (Value v : values) {
    types.push_back(v.type());
    stop = stop && v.stop_gradient();
  }
  Type t = VectorType::Get(types);
  Value r = b.Create(Info("builtin.combine"), values, {}, std::span<const Type>(&t, 1))->result(0);
  r.set_stop_gradient(stop);
  return r;
}

Value BuildData(Builder& b, std::string_view name, Type type, phi::Place place) {
  common::Ints shape;
  for (common::Dim d : type.dims()) shape.push_back(d.visible());
  Value v = b.Create(Info(pd::kData), {},
                     {{"name", Attribute::Str(name)},
                      {"shape", Attribute::IntArray(shape)},
                      {"dtype", Attribute::DType(type.dtype())},
                      {"place", Attribute::PlaceAttr(place)}},
                     std::span<const Type>(&type, 1))
                ->result(0);
  v.set_stop_gradient(true);
  v.set_name(name);
  return v;
}

Operation* BuildFetch(Builder& b, Value v, std::string_view name, int col) {
  Type t = v.type();
  Operation* op =
      b.Create(Info(pd::kFetch), std::span<const Value>(&v, 1),
               {{"name", Attribute::Str(name)}, {"col", Attribute::Int32(col)}}, std::span<const Type>(&t, 1));
  op->result(0).set_persistable(true);
  op->result(0).set_stop_gradient(v.stop_gradient());
  return op;
}

Operation* BuildYield(Builder& b, std::span<const Value> values) { return b.Create(Info("cf.yield"), values, {}, {}); }

Operation* BuildIf(Builder& b, Value cond, std::span<const Type> types) {
  Operation* op = b.Create(Info(pd::kIf), std::span<const Value>(&cond, 1), {}, types, 2);
  op->region(0).AddBlock();
  op->region(1).AddBlock();
  return op;
}

Operation* BuildWhile(Builder& b, Value cond, std::span<const Value> inputs) {
  std::vector<Value> operands{cond};
  std::vector<Type> types;
  for (Value v : inputs) {
    operands.push_back(v);
    types.push_back(v.type());
  }
  Operation* op = b.Create(Info(pd::kWhile), operands, {}, types, 1);
  Block& body = op->region(0).AddBlock();
  for (size_t i = 0; i < types.size(); ++i) {
    Value a = body.AddArg(types[i]);
    a.set_stop_gradient(inputs[i].stop_gradient());
  }
  return op;
}

}  // namespace pir
