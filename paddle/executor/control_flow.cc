// SPDX-License-Identifier: Apache-2.0
// Instructions with regions, the stacks that carry values from a forward region to its gradient, assert and print.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "paddle/executor/frame.h"
#include "paddle/executor/stack.h"
#include "paddle/phi/core/device.h"

namespace executor {
namespace {

// What cf.stack_create makes. It travels as the node of a tensor without data, so that it is a value like any other:
// inner stacks can be pushed on outer ones.
class Stack final : public phi::RefCounted {
 public:
  std::vector<std::vector<Tensor>> entries;

 private:
  ~Stack() override = default;
};

Stack& StackOf(const Tensor& t, const char* op) {
  PD_CHECK(t.defined() && t->kind() == phi::ImplKind::kTensorArray && t->node(), InvalidArgument, "[", op,
           "] expected a stack made by cf.stack_create, got another value");
  return static_cast<Stack&>(*t->node());
}

bool Condition(const Tensor& t, const char* op) {
  PD_CHECK(t.defined() && t.numel() == 1, InvalidArgument, "[", op, "] expected a condition of one element, got ",
           t.defined() ? "shape " + common::ShapeText(t.dims()) : std::string("none"));
  if (t.dtype() == phi::DataType::BOOL) return *phi::ToHost(t).data<bool>();
  return phi::ScalarAsDouble(t) != 0;
}

// The block in which PaddlePaddle shows a tensor.
std::string Describe(const Tensor& t, const std::string& name, const std::string& message, bool type, bool shape,
                     bool layout, bool lod, int64_t summarize) {
  std::string s;
  if (!name.empty()) s += "Variable: " + name + "\n";
  if (!message.empty()) s += "  - message: " + message + "\n";
  if (lod) s += "  - lod: {}\n";
  s += "  - place: " + PlaceText(t.place()) + "\n";
  if (shape) {
    s += "  - shape: [";
    for (int64_t i = 0; i < t.ndim(); ++i) s += (i ? ", " : "") + std::to_string(t.dim(i));
    s += "]\n";
  }
  if (layout) s += "  - layout: NCHW\n";
  if (type) s += "  - dtype: " + std::string(phi::NameOf(t.dtype())) + "\n";
  s += "  - data: [";
  const bool complex = phi::IsComplex(t.dtype());
  Tensor flat =
      phi::ToHost(phi::Contiguous(phi::CastTo(t, complex ? phi::DataType::COMPLEX128 : phi::DataType::FLOAT64)));
  const int64_t n = summarize < 0 ? t.numel() : std::min(summarize, t.numel());
  char number[96];
  for (int64_t i = 0; i < n; ++i) {
    const double* d = flat.data<double>() + (complex ? 2 * i : i);
    if (complex)
      std::snprintf(number, sizeof number, "(%f,%f)", d[0], d[1]);
    else
      std::snprintf(number, sizeof number, "%f", d[0]);
    s += (i ? " " : "") + std::string(number);
  }
  return s + "]\n";
}

// A one-element bool tensor; `out`'s own memory when nobody else holds it.
void SetBool(Tensor& out, bool value) {
  if (out.defined() && (out->use_count() > 1 || out->storage()->use_count() > 1)) out.reset();
  phi::EnsureOut(out, common::Ints{1}, phi::DataType::BOOL);
  *out.data<bool>() = value;
}

}  // namespace

Tensor CopyOfStack(const Tensor& t, StackCopies& copies) {
  if (!t.defined() || t->kind() != phi::ImplKind::kTensorArray || !t->node()) return t;
  phi::Ref<phi::RefCounted> copy = copies[t->node().get()];
  if (!copy) {
    auto* stack = new Stack;
    copy = phi::Ref<phi::RefCounted>(stack);
    for (const std::vector<Tensor>& entry : static_cast<Stack&>(*t->node()).entries) {
      std::vector<Tensor>& values = stack->entries.emplace_back();
      for (const Tensor& v : entry) values.push_back(CopyOfStack(v, copies));
    }
    copies[t->node().get()] = copy;
  }
  Tensor r(phi::TensorState::TensorArray());
  r->SetHistory(copy);
  return r;
}

Tensor Frame::Take(const Code& code, size_t yield) {
  Tensor& t = values_[code.yields[yield]];
  return code.moves[yield] ? std::move(t) : t;
}

uint32_t VersionOfStack(const Tensor& t) {
  uint32_t sum = 0;
  if (!t.defined() || t->kind() != phi::ImplKind::kTensorArray || !t->node()) return sum;
  for (const std::vector<Tensor>& entry : static_cast<Stack&>(*t->node()).entries)
    for (const Tensor& v : entry)
      if (v.defined()) sum += v->storage() ? v->storage()->version() : VersionOfStack(v);
  return sum;
}

void Frame::RunIf(const Instruction& ins) {
  const Code& code = *ins.regions[Condition(values_[ins.in[0].value], "if") ? 0 : 1];
  RunCode(code);
  for (size_t i = 0; i < ins.out.size(); ++i) values_[ins.out[i].value] = Take(code, i);
}

void Frame::RunWhile(const Instruction& ins) {
  const Code& body = *ins.regions[0];
  const size_t n = body.args.size();
  bool more = Condition(values_[ins.in[0].value], "while");
  for (size_t i = 0; i < n; ++i) values_[body.args[i]] = values_[ins.in[i + 1].value];
  for (int v : ins.early_drops) values_[v].reset();
  std::vector<Tensor>& next = slots_[ins.id].lists_in[0];
  next.resize(n);
  while (more) {
    RunCode(body);
    more = Condition(values_[body.yields[0]], "while");
    for (size_t i = 0; i < n; ++i) next[i] = Take(body, i + 1);
    if (body.moves[0]) values_[body.yields[0]].reset();
    for (size_t i = 0; i < n; ++i) values_[body.args[i]] = std::move(next[i]);
  }
  for (size_t i = 0; i < n; ++i) values_[ins.out[i].value] = std::move(values_[body.args[i]]);
}

void Frame::RunStack(const Instruction& ins) {
  if (ins.kind == Instruction::kStackCreate) {
    Tensor t(phi::TensorState::TensorArray());
    t->SetHistory(phi::Ref<phi::RefCounted>(new Stack));
    for (auto& out : ins.out) values_[out.value] = t;
    return;
  }
  Stack& stack = StackOf(values_[ins.in[0].value], ins.name.c_str());
  if (ins.kind == Instruction::kPush) {
    std::vector<Tensor>& entry = stack.entries.emplace_back();
    for (size_t i = 1; i < ins.in.size(); ++i) {
      if (ins.in[i].variadic)
        for (int v : ins.in[i].list) entry.push_back(values_[v]);
      else
        entry.push_back(values_[ins.in[i].value]);
    }
  } else if (ins.kind == Instruction::kPop) {
    PD_CHECK(!stack.entries.empty() && stack.entries.back().size() == ins.out.size(), PreconditionNotMet,
             "[tuple_pop] expected ", ins.out.size(), " values on the stack, got ",
             stack.entries.empty() ? 0 : stack.entries.back().size());
    for (size_t i = 0; i < ins.out.size(); ++i) values_[ins.out[i].value] = std::move(stack.entries.back()[i]);
    stack.entries.pop_back();
  } else {
    SetBool(values_[ins.out[0].value], !stack.entries.empty());
  }
}

void Frame::Assert(const Instruction& ins) {
  if (Condition(values_[ins.in[0].value], "assert")) return;
  const int64_t summarize = std::get<int64_t>(ins.attrs[0]);
  const auto& names = std::get<std::vector<std::string>>(ins.attrs[1]);
  std::string text;
  for (size_t i = 0; i < ins.in[1].list.size(); ++i)
    text += Describe(values_[ins.in[1].list[i]], names[i].empty() ? "var" : names[i], "", true, true, true, true,
                     summarize);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  PD_THROW(InvalidArgument, "[assert] expected the condition to be true, got false");
}

void Frame::Print(const Instruction& ins) {
  const Tensor& x = values_[ins.in[0].value];
  const int64_t first_n = std::get<int64_t>(ins.attrs[2]), summarize = std::get<int64_t>(ins.attrs[3]);
  auto flag = [&](int i) { return std::get<bool>(ins.attrs[i]); };
  int64_t& printed = slots_[ins.id].printed;
  if (flag(4) && (first_n < 0 || printed < first_n)) {
    ++printed;
    const std::string& given = std::get<std::string>(ins.attrs[1]);
    std::string text = Describe(x, flag(5) ? (given.empty() ? "var" : given) : "", std::get<std::string>(ins.attrs[0]),
                                flag(6), flag(7), flag(8), flag(9), summarize);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  values_[ins.out[0].value] = x;
}

}  // namespace executor
