// SPDX-License-Identifier: Apache-2.0
// From a program to code: numbers values, folds constant attributes, finds where each value is read last.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "paddle/common/op_traits.h"
#include "paddle/executor/binding.h"
#include "paddle/executor/code.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/gradient_check.h"
#include "paddle/pir/core/operation.h"
#include "paddle/pir/core/program.h"
#include "paddle/pir/dialect/numbers.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/expansion.h"
#include "paddle/pir/pass/passes.h"

namespace executor {
namespace {

constexpr int64_t kFoldedElements = 64;

// The constant an attribute operand holds.
bool ConstantOperand(pir::Value v, phi::AttrValue* out) {
  const std::optional<phi::AttrValue> numbers = pir::TypedNumbersOf(v);
  if (!numbers) return false;
  *out = *numbers;
  const pir::Operation* full = pir::FullBehind(v);
  if (!full) return true;
  // As a list of sizes it has as many elements as its shape says; a long one is read at each run instead.
  int64_t n = 1;
  for (int64_t d : full->attr("shape").to_ints())
    if (d < 0 || d > kFoldedElements || (n *= d) > kFoldedElements) return false;
  if (n == 1) return true;
  if (!phi::IsInteger(full->attr("dtype").to_dtype())) return false;
  *out = std::vector<int64_t>(static_cast<size_t>(n), std::get<phi::Scalar>(*numbers).to_int());
  return true;
}

bool NeedsNoWork(std::string_view name) {
  return name == "builtin.parameter" || name == "builtin.constant" || name == pir::pd::kData ||
         name == pir::pd::kFetch || name == "builtin.shadow_output" || name == "builtin.combine" ||
         name == "builtin.split" || name == "builtin.slice" || name == "cf.yield";
}

// Constants that only serve as attribute operands need no instruction.
bool OnlyAttribute(pir::Operation* op) {
  if (!pir::HoldsNumbers(*op)) return false;
  phi::AttrValue value;
  bool only = !op->result(0).use_empty() && ConstantOperand(op->result(0), &value);
  op->result(0).ForEachUse([&](pir::OpOperand& u) {
    auto* info = u.owner()->info();
    size_t i = static_cast<size_t>(u.index());
    only = only && i < info->inputs.size() && info->inputs[i].mutable_attr;
  });
  return only;
}

void Declare(pir::Type t, int value, std::vector<Declared>& declared) {
  if (value >= 0 && t.is_dense()) declared.push_back({value, t.dtype(), t.dims()});
}

// A member of a list and what stands for it have one type.
void RequireMember(pir::Type list, size_t i, pir::Type member) {
  PD_CHECK(list.is_vector() && i < list.elements().size(), InvalidArgument, "[executor] expected a list of more than ",
           i, " members, got ", pir::TypeText(list));
  const pir::Type t = list.elements()[i];
  const bool alike = t.is_dense() == member.is_dense() &&
                     (!t.is_dense() || (t.dtype() == member.dtype() && common::MayMatch(t.dims(), member.dims())));
  PD_CHECK(alike, InvalidArgument, "[executor] expected member ", i, " of a list to be ", pir::TypeText(t),
           ", as the list declares, got ", pir::TypeText(member));
}

class Compiler {
 public:
  Compiler(CompiledProgram& result, FusionPass fusion, const std::vector<pir::Value>& outputs)
      : r_(result), fusion_(fusion) {
    for (pir::Value v : outputs) outputs_.insert(v.impl());
  }

  // Whether a group has single ops beside it.
  bool trials() const { return trials_; }

  int NumberOf(pir::Value v) {
    if (!v) return -1;
    if (pir::Operation* def = v.defining_op()) {
      // A member of a list is the value the list was made of.
      pir::Value list = def->isa("builtin.slice") || def->isa("builtin.split") ? def->operand(0) : pir::Value();
      pir::Operation* maker = list ? list.defining_op() : nullptr;
      if (maker && maker->isa("builtin.combine")) {
        int i = 0;
        if (def->isa("builtin.slice")) {
          i = static_cast<int>(def->attr("index").to_int());
        } else {
          while (!(def->result(i) == v)) ++i;
        }
        RequireMember(list.type(), static_cast<size_t>(i), v.type());
        return NumberOf(maker->operand(i));
      }
    }
    auto [it, fresh] = numbers_.try_emplace(v.impl(), r_.num_values);
    if (fresh) ++r_.num_values;
    return it->second;
  }

  void Block(pir::Block& block, Code& code) {
    code.id = r_.num_codes++;
    for (int i = 0; i < block.num_args(); ++i) {
      code.args.push_back(NumberOf(block.arg(i)));
      Declare(block.arg(i).type(), code.args.back(), code.declared);
    }
    std::unordered_map<pir::Operation*, FusedGroup*> last;
    std::unordered_set<pir::Operation*> grouped;
    std::vector<FusedGroup> groups;
    if (fusion_) groups = fusion_(block);
    for (FusedGroup& g : groups) {
      if (!g.kernel) continue;
      last[g.ops.back()] = &g;
      grouped.insert(g.ops.begin(), g.ops.end());
    }
    for (pir::Operation* op = block.front(); op; op = op->next()) {
      auto it = last.find(op);
      if (it != last.end()) {
        Instruction ins = Make(Instruction::kFused, op);
        ins.name = "fused";
        for (pir::Operation* member : it->second->ops) ins.name += " " + std::string(member->info()->short_name());
        r_.names.back() = ins.name;
        ins.sources.clear();  // in the order of the members
        for (pir::Operation* member : it->second->ops) AddSource(*member, ins);
        ins.fused = it->second->kernel;
        ins.inplace = it->second->inplace;
        for (pir::Value v : it->second->inputs) ins.in.push_back({NumberOf(v)});
        for (pir::Value v : it->second->outputs) {
          ins.out.push_back({NumberOf(v)});
          Declare(v.type(), ins.out.back().value, ins.declared);
        }
        AddSingleOps(*it->second, ins);
        trials_ |= !ins.regions.empty();
        code.instructions.push_back(std::move(ins));
        ++r_.fused;
      } else if (!grouped.count(op)) {
        Op(op, code);
      }
    }
    if (pir::Operation* end = block.terminator(); end && end->isa("cf.yield"))
      for (int i = 0; i < end->num_operands(); ++i) code.yields.push_back(NumberOf(end->operand(i)));
  }

 private:
  // The ops of a group with results of their own, so that both ways can run side by side. Not where they read more than
  // the kernel does, which would have to be kept for them, nor where they draw random numbers. What the program is
  // given is kept anyway.
  void AddSingleOps(const FusedGroup& g, Instruction& ins) {
    auto code = std::make_unique<Code>();
    code->id = r_.num_codes++;
    const int first = r_.num_ids;
    std::vector<std::pair<const void*, int>> numbers;
    for (pir::Value v : g.outputs) {
      numbers.emplace_back(v.impl(), NumberOf(v));
      code->yields.push_back(numbers_[v.impl()] = r_.num_values++);
    }
    expands_ = false;  // results have their numbers
    for (pir::Operation* op : g.ops) Op(op, *code);
    expands_ = true;
    for (auto [value, number] : numbers) numbers_[value] = number;
    for (int id = first; id < r_.num_ids; ++id) r_.spare[id] = 1;
    std::unordered_set<int> known, made, taking;
    for (auto& a : ins.in) known.insert(a.value);
    for (auto& [v, t] : r_.constants) known.insert(v);
    known.insert(r_.inputs.begin(), r_.inputs.end());
    for (const Instruction& one : code->instructions) {
      if (one.kind != Instruction::kOp || (one.op->flags & phi::kOpRandom) ||
          ((one.op->flags & phi::kOpSideEffect) && one.inplace.empty()))
        return;
      for (auto [out, in] : one.inplace)
        if (!made.count(one.in[in].value)) code->writes.push_back(one.in[in].value);
      for (size_t k = 0; k < one.in.size(); ++k) {
        if (one.op->tensors[k]->shape_only) continue;
        if (one.in[k].value >= 0 && !known.count(one.in[k].value)) return;
        for (int v : one.in[k].list)
          if (v >= 0 && !known.count(v)) return;
      }
      for (auto& [a, v] : one.dynamic_attrs)
        if (!known.count(v)) return;
      ForEachMade(one, [&](int v) { known.insert(v), made.insert(v); });
      if (TakesMemory(one)) ForEachMade(one, [&](int v) { taking.insert(v); });
    }
    for (int v : code->yields) {
      if (!known.count(v)) return;
      code->takes.push_back(taking.count(v) != 0);
    }
    ins.regions.push_back(std::move(code));
  }

  static void AddSource(const pir::Operation& op, Instruction& ins) {
    constexpr size_t kMost = 4;  // lines that an error tells
    const common::SourceId s = op.source();
    if (s <= common::kNoSource || ins.sources.size() >= kMost) return;
    if (std::find(ins.sources.begin(), ins.sources.end(), s) == ins.sources.end()) ins.sources.push_back(s);
  }

  Instruction Make(Instruction::Kind kind, pir::Operation* op) {
    Instruction ins;
    ins.kind = kind;
    ins.id = r_.num_ids++;
    ins.name = within_ + std::string(op->info()->short_name());
    AddSource(*op, ins);
    r_.names.push_back(ins.name);
    r_.spare.push_back(0);
    return ins;
  }

  Instruction::Arg List(pir::Value v, const pir::Operation* user) {
    Instruction::Arg arg;
    arg.variadic = true;
    if (!v) return arg;
    pir::Operation* combine = v.defining_op();
    PD_CHECK(combine && combine->isa("builtin.combine"), Unimplemented,
             "[executor] expected a list made by builtin.combine as operand of ", user->name(), ", got ",
             combine ? combine->name() : "an argument");
    for (int i = 0; i < combine->num_operands(); ++i) {
      if (combine->operand(i)) RequireMember(v.type(), static_cast<size_t>(i), combine->operand_type(i));
      arg.list.push_back(NumberOf(combine->operand(i)));
    }
    return arg;
  }

  // Operands and results as they are; lists made by builtin.combine count as their members.
  void Plain(pir::Operation* op, Instruction& ins) {
    for (int i = 0; i < op->num_operands(); ++i) {
      pir::Value v = op->operand(i);
      PD_CHECK(v, InvalidArgument, "[executor] expected operand ", i, " of ", op->name(), " to be a value, got none");
      if (v.type().is_vector())
        ins.in.push_back(List(v, op));
      else
        ins.in.push_back({NumberOf(v)});
    }
    for (int i = 0; i < op->num_results(); ++i) {
      ins.out.push_back({NumberOf(op->result(i))});
      Declare(op->result_type(i), ins.out.back().value, ins.declared);
    }
  }

  void Op(pir::Operation* op, Code& code) {
    const std::string& name = op->name();
    if (NeedsNoWork(name) || OnlyAttribute(op)) return;
    static const std::unordered_map<std::string_view, Instruction::Kind> kinds{
        {pir::pd::kIf, Instruction::kIf},
        {pir::pd::kWhile, Instruction::kWhile},
        {"cf.stack_create", Instruction::kStackCreate},
        {"cf.tuple_push", Instruction::kPush},
        {"cf.tuple_pop", Instruction::kPop},
        {"cf.has_elements", Instruction::kHasElements},
        {pir::pd::kAssert, Instruction::kAssert},
        {pir::pd::kPrint, Instruction::kPrint}};
    auto kind = kinds.find(name);
    if (kind == kinds.end()) {
      if (!Expanded(op, code)) code.instructions.push_back(Kernel(op));
      return;
    }
    Instruction ins = Make(kind->second, op);
    Plain(op, ins);
    if (ins.kind == Instruction::kAssert) Assert(op, ins);
    if (ins.kind == Instruction::kPrint) Print(op, ins);
    for (int i = 0; i < op->num_regions(); ++i) {
      auto region = std::make_unique<Code>();
      if (op->region(i).empty())
        region->id = r_.num_codes++;
      else
        Block(op->region(i).front(), *region);
      size_t want = ins.kind == Instruction::kIf ? ins.out.size() : ins.out.size() + 1;
      PD_CHECK(region->yields.size() == want, InvalidArgument, "[executor] expected region ", i, " of ", name,
               " to yield ", want, " values, got ", region->yields.size());
      ins.regions.push_back(std::move(region));
    }
    if (ins.kind == Instruction::kIf)
      PD_CHECK(ins.in.size() == 1 && ins.regions.size() == 2, InvalidArgument,
               "[executor] expected pd_op.if to have a condition and two regions, got ", ins.in.size(),
               " operands and ", ins.regions.size(), " regions");
    if (ins.kind == Instruction::kWhile)
      PD_CHECK(ins.regions.size() == 1 && ins.in.size() == ins.out.size() + 1 &&
                   ins.regions[0]->args.size() == ins.out.size(),
               InvalidArgument,
               "[executor] expected pd_op.while to have one region and as many inputs as results, got ",
               ins.regions.size(), " regions, ", ins.in.size(), " operands, ", ins.out.size(), " results");
    code.instructions.push_back(std::move(ins));
  }

  // Whether `op` is a composition of operations, which are in the code now, so that their results have a place.
  bool Expanded(pir::Operation* op, Code& code) {
    const auto* def = static_cast<const phi::OpDef*>(op->info()->phi_op);
    if (!expands_ || !def || !(def->flags & phi::kOpComposed) || phi::g_has_external_kernels) return false;
    if ((def->flags & phi::kOpWholeOnDevice) && !phi::CurrentPlace().is_cpu()) return false;
    std::vector<bool> wanted;
    for (int k = 0; k < op->num_results(); ++k) {
      const pir::Value v = op->result(k);
      wanted.push_back(v && v.type() && (!v.use_empty() || outputs_.count(v.impl())));
      for (const pir::OpOperand* u = wanted[k] ? v.first_use() : nullptr; u && v.type().is_vector(); u = u->next_use())
        if (!u->owner()->isa("builtin.split") && !u->owner()->isa("builtin.slice")) return false;
    }
    wanted.resize(def->outs.size());
    auto into = std::make_unique<pir::Expansion>();
    if (!pir::Expand(*op, wanted, *into)) return false;
    std::vector<pir::Value> operands;
    for (int i = 0; i < op->num_operands(); ++i) {
      const pir::Value v = op->operand(i);
      if (!v || i >= static_cast<int>(def->tensors.size())) continue;
      const pir::Operation* list = v.type().is_vector() ? v.defining_op() : nullptr;
      for (int k = 0; list && k < list->num_operands(); ++k) operands.push_back(list->operand(k));
      if (!list) operands.push_back(v);
    }
    PD_ASSERT(operands.size() == into->inputs.size());
    for (size_t i = 0; i < operands.size(); ++i) numbers_[into->inputs[i].impl()] = NumberOf(operands[i]);
    const std::string outside = within_;
    if (within_.empty()) within_ = std::string(op->info()->short_name()) + ": ";
    for (pir::Operation& one : into->program.block()) Op(&one, code);
    within_ = outside;
    for (size_t k = 0; k < into->results.size(); ++k) {
      const std::vector<pir::Value>& made = into->results[k];
      if (made.empty()) continue;
      const pir::Value v = op->result(static_cast<int>(k));
      if (!v.type().is_vector()) {
        numbers_[v.impl()] = NumberOf(made[0]);
        continue;
      }
      for (const pir::OpOperand* u = v.first_use(); u; u = u->next_use())
        for (int i = 0; i < u->owner()->num_results(); ++i) {
          const bool split = u->owner()->isa("builtin.split");
          const size_t at = split ? static_cast<size_t>(i) : static_cast<size_t>(u->owner()->attr("index").to_int());
          numbers_[u->owner()->result(i).impl()] = NumberOf(made[at]);
        }
    }
    expansions_.push_back(std::move(into));
    return true;
  }

  // in: the condition, the tensors to show; attrs: summarize, the names of the tensors.
  void Assert(pir::Operation* op, Instruction& ins) {
    PD_CHECK(ins.in.size() == 2 && ins.in[1].variadic, InvalidArgument,
             "[executor] expected pd_op.assert to have a condition and a list, got ", ins.in.size(), " operands");
    std::vector<std::string> names;
    pir::Operation* combine = op->operand(1).defining_op();
    for (int i = 0; i < combine->num_operands(); ++i) names.push_back(combine->operand(i).name());
    pir::Attribute n = op->attr("summarize");
    ins.attrs = {phi::AttrValue(n ? n.to_int() : int64_t{-1}), phi::AttrValue(std::move(names))};
  }

  // attrs: message, name, first_n, summarize, whether to run at all, then what to show: name, type, shape, layout, lod.
  void Print(pir::Operation* op, Instruction& ins) {
    PD_CHECK(ins.in.size() == 1 && ins.out.size() == 1, InvalidArgument,
             "[executor] expected pd_op.print to have one operand and one result, got ", ins.in.size(), " and ",
             ins.out.size());
    auto text = [&](const char* key) { return op->attr(key) ? op->attr(key).to_str() : std::string(); };
    auto number = [&](const char* key) { return op->attr(key) ? op->attr(key).to_int() : int64_t{-1}; };
    auto flag = [&](const char* key) { return op->attr(key) ? op->attr(key).to_bool() : true; };
    std::string phase = text("print_phase");
    for (char& c : phase) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const bool forward = flag("is_forward");
    const bool runs = phase.empty() || phase == "BOTH" || phase == (forward ? "FORWARD" : "BACKWARD");
    ins.attrs = {phi::AttrValue(text("message")), phi::AttrValue(op->operand(0).name()),
                 phi::AttrValue(number("first_n")), phi::AttrValue(number("summarize")), phi::AttrValue(runs)};
    for (const char* key :
         {"print_tensor_name", "print_tensor_type", "print_tensor_shape", "print_tensor_layout", "print_tensor_lod"})
      ins.attrs.emplace_back(flag(key));
  }

  // Programs of PaddlePaddle write operands by `set_value_` and others, where ours have a result that what follows
  // reads.
  Instruction Written(pir::Operation* op, const phi::OpDef* def) {
    Instruction ins = Kernel(op, def);
    Replace(ins);
    return ins;
  }
  void Replace(const Instruction& write) {
    for (auto& [value, number] : numbers_)
      if (number == write.in[0].value) number = write.out[0].value;
  }
  // `assign_value_` as values of the whole of its operand.
  Instruction Assigned(pir::Operation* op) {
    const phi::OpDef* def = phi::FindOpDef(pir::pd::kSetValue);
    Instruction ins = Make(Instruction::kOp, op);
    ins.op = def;
    ins.in.push_back({NumberOf(op->operand(0))});
    const auto shape = std::get<std::vector<int64_t>>(op->attr("shape").value(pir::AttrCode::kInt64s));
    const common::Ints first(static_cast<int64_t>(shape.size()), 0), step(static_cast<int64_t>(shape.size()), 1);
    common::Ints end;
    std::vector<int64_t> axes;
    for (int64_t n : shape) {
      axes.push_back(end.size());
      end.push_back(n);
    }
    const std::vector<int64_t> none;
    ins.attrs = {phi::IntArray(first),
                 phi::IntArray(end),
                 phi::IntArray(step),
                 axes,
                 none,
                 none,
                 shape,
                 op->attr("values").value(pir::AttrCode::kScalars)};
    ins.out.emplace_back();
    ins.out[0].value = NumberOf(op->result(0));
    Declare(op->result(0).type(), ins.out[0].value, ins.declared);
    Replace(ins);
    return ins;
  }
  Instruction Kernel(pir::Operation* op) {
    const std::string& name = op->name();
    const phi::OpDef* def = static_cast<const phi::OpDef*>(op->info()->phi_op);
    if (!def) def = phi::FindOpDef(name);
    if (!def && op->num_operands() && op->num_results() && pir::WritesOperand(*op->info())) {
      PD_CHECK(op->operand(0).block() == op->block(), Unimplemented, "[executor] expected ", name,
               " to write what its own block makes, got a value from outside of it");
      if (op->isa(pir::pd::kAssignValue_)) return Assigned(op);
      if (const auto* same = phi::FindOpDef(name.substr(0, name.size() - 1))) return Written(op, same);
    }
    return Kernel(op, def);
  }
  Instruction Kernel(pir::Operation* op, const phi::OpDef* def) {
    const std::string& name = op->name();
    PD_CHECK(def, Unimplemented, "[executor] expected an op with a kernel, got ", name);
    Instruction ins = Make(Instruction::kOp, op);
    ins.op = def;
    ins.gradient_of = phi::GradientOf(*def);
    int operand = 0;
    auto next = [&] { return operand < op->num_operands() ? op->operand(operand++) : pir::Value(); };
    for (const phi::ArgDef* t : def->tensors) {
      pir::Value v = next();
      if (t->kind == phi::ArgDef::kTensorList)
        ins.in.push_back(List(v, op));
      else
        ins.in.push_back({NumberOf(v)});
    }
    std::vector<std::pair<int, pir::Value>> at_run;
    ins.attrs = AttributesOf(*op, *def, &at_run);
    for (auto& [a, v] : at_run) ins.dynamic_attrs.push_back({a, NumberOf(v)});
    const pir::Type first = op->num_operands() ? op->operand_type(0) : pir::Type();
    const bool open = common::TraitsOf(def->name).rank_varies && first.is_dense() && !common::AllKnown(first.dims());
    for (size_t k = 0; k < def->outs.size(); ++k) {
      Instruction::Arg out;
      out.variadic = def->outs[k].variadic;
      pir::Value v = static_cast<int>(k) < op->num_results() ? op->result(static_cast<int>(k)) : pir::Value();
      if (!out.variadic) {
        out.value = v && v.type() ? NumberOf(v) : r_.num_values++;
      } else if (v && v.type()) {
        Members(v, out.list, ins.declared);
      }
      if (!open && v && !out.variadic) Declare(v.type(), out.value, ins.declared);
      ins.out.push_back(std::move(out));
      if (const char* same = def->outs[k].same_as_input)
        for (size_t i = 0; i < def->tensors.size(); ++i)
          if (!ins.in[i].variadic && ins.in[i].value >= 0 && std::string_view(def->tensors[i]->name) == same)
            ins.inplace.push_back({static_cast<int>(k), static_cast<int>(i)});
    }
    return ins;
  }

  // Values of the members of a list result, as far as somebody takes them apart; -1: not read.
  void Members(pir::Value list, std::vector<int>& numbers, std::vector<Declared>& declared) {
    numbers.assign(list.type().is_vector() ? list.type().elements().size() : 0, -1);
    auto set = [&](size_t i, int n) {
      if (numbers.size() <= i) numbers.resize(i + 1, -1);
      numbers[i] = n;
    };
    // A second split or slice of the same list names the same members.
    for (pir::OpOperand* u = list.first_use(); u; u = u->next_use()) {
      pir::Operation* user = u->owner();
      const bool split = user->isa("builtin.split");
      if (!split && !user->isa("builtin.slice")) continue;
      for (int i = 0; i < user->num_results(); ++i) {
        size_t at = split ? static_cast<size_t>(i) : static_cast<size_t>(user->attr("index").to_int());
        pir::Value member = user->result(i);
        RequireMember(list.type(), at, member.type());
        if (at < numbers.size() && numbers[at] >= 0)
          numbers_[member.impl()] = numbers[at];
        else
          set(at, NumberOf(member));
      }
    }
    for (size_t i = 0; i < numbers.size(); ++i)
      if (list.type().is_vector()) Declare(list.type().elements()[i], numbers[i], declared);
  }

  CompiledProgram& r_;
  FusionPass fusion_;
  std::unordered_set<const void*> outputs_;
  std::unordered_map<const void*, int> numbers_;
  std::vector<std::unique_ptr<pir::Expansion>> expansions_;  // their values are numbered
  std::string within_;                                       // what the names of instructions begin with
  bool trials_ = false, expands_ = true;
};

constexpr int64_t kKeptElements = 64;

// Whether an instruction runs kernels of this library.
bool IsPlain(const Instruction& ins) {
  return ins.kind == Instruction::kFused || (ins.kind == Instruction::kOp && !ins.op->code);
}

// Whether an instruction without operands makes few elements.
bool IsSmall(const Instruction& ins) {
  std::vector<phi::Meta> made(1);
  ins.op->Infer(nullptr, ins.attrs.data(), &made);
  int64_t n = 1;
  for (int64_t d : common::ToInts(made[0].dims))
    if (d < 0 || d > kKeptElements || (n *= d) > kKeptElements) return false;
  return made[0].dtype != phi::DataType::UNDEFINED;
}

// Small tensors that are the same at each run (`full`) are made now, where loops and fused kernels alone read them:
// those give no view of an operand.
void MakeConstants(CompiledProgram& r, std::unordered_set<int>& kept) {
  if (phi::g_has_external_kernels) return;
  std::unordered_map<int, size_t> made;  // by whom
  for (size_t i = 0; i < r.code.instructions.size(); ++i) {
    const Instruction& ins = r.code.instructions[i];
    if (ins.kind == Instruction::kOp && ins.in.empty() && ins.out.size() == 1 && !ins.out[0].variadic &&
        ins.dynamic_attrs.empty() && !ins.op->code && !(ins.op->flags & ~uint32_t{phi::kOpInternal}))
      made[ins.out[0].value] = i;
  }
  if (made.empty()) return;
  for (const Instruction& ins : r.code.instructions) {
    if (ins.kind == Instruction::kFused || (ins.kind == Instruction::kOp && (ins.op->flags & phi::kOpElementwise))) {
      for (auto [out, in] : ins.inplace) made.erase(ins.in[in].value);
      for (auto& [a, v] : ins.dynamic_attrs) made.erase(v);
      for (auto& region : ins.regions) {
        for (int v : region->writes) made.erase(v);
        for (int v : region->yields) made.erase(v);
      }
      continue;
    }
    for (auto& a : ins.in) {
      made.erase(a.value);
      for (int v : a.list) made.erase(v);
    }
    for (auto& [a, v] : ins.dynamic_attrs) made.erase(v);
    for (auto& region : ins.regions) FindReads(*region, [&](int v) { made.erase(v); });
  }
  for (int v : r.code.yields) made.erase(v);
  std::unordered_set<size_t> gone;
  for (auto [v, i] : made) {
    const Instruction& ins = r.code.instructions[i];
    if (!IsSmall(ins)) continue;
    Tensor t;
    phi::OutSlot out(t);
    ins.op->Run(phi::ThreadContext(), nullptr, ins.attrs.data(), &out);
    if (!t.place().is_cpu()) continue;
    r.constants.push_back({v, t});
    r.code.fixed.push_back({v, t});
    kept.insert(v);
    gone.insert(i);
  }
  size_t at = 0;
  std::erase_if(r.code.instructions, [&](const Instruction& ins) {
    const bool is_gone = gone.count(at++) != 0;
    if (is_gone) r.spare[static_cast<size_t>(ins.id)] = 1;
    return is_gone;
  });
}

// Sets `drops`, `moves` and `captured`, inner regions first. `kept` is never dropped: parameters.
void FindLastReads(Code& code, const std::unordered_set<int>& kept) {
  std::unordered_set<int> own(code.args.begin(), code.args.end());
  std::unordered_map<int, size_t> last;
  for (int v : code.args) last[v] = 0;
  std::unordered_set<int> captured;
  auto read = [&](int v, size_t i) {
    if (own.count(v))
      last[v] = i;
    else if (captured.insert(v).second)
      code.captured.push_back(v);
  };
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    Instruction& ins = code.instructions[i];
    for (auto& c : ins.regions) FindLastReads(*c, kept);
    ForEachRead(ins, [&](int v) { read(v, i); });
    for (auto& a : ins.out) {
      if (a.value >= 0) own.insert(a.value), last[a.value] = i;
      for (int v : a.list)
        if (v >= 0) own.insert(v), last[v] = i;
    }
    for (auto& [v, shape] : ins.shapes) own.insert(shape), last[shape] = i;
  }
  const size_t end = code.instructions.size();
  std::unordered_set<int> moved, args(code.args.begin(), code.args.end());
  code.moves.assign(code.yields.size(), 0);
  for (size_t i = code.yields.size(); i-- > 0;) {
    int v = code.yields[i];
    read(v, end);
    code.moves[i] = own.count(v) && !args.count(v) && !kept.count(v) && moved.insert(v).second;
  }
  for (auto& [v, i] : last)
    if (i < end && !kept.count(v)) code.instructions[i].drops.push_back(v);
  for (Instruction& ins : code.instructions) {
    std::sort(ins.drops.begin(), ins.drops.end());
    if (ins.kind != Instruction::kWhile) continue;
    const std::vector<int>& inside = ins.regions[0]->captured;
    for (auto& a : ins.in)
      if (std::binary_search(ins.drops.begin(), ins.drops.end(), a.value) &&
          std::find(inside.begin(), inside.end(), a.value) == inside.end())
        ins.early_drops.push_back(a.value);
  }
}

}  // namespace

std::vector<phi::AttrValue> AttributesOf(const pir::Operation& op, const phi::OpDef& def,
                                         std::vector<std::pair<int, pir::Value>>* at_run) {
  std::vector<phi::AttrValue> values;
  int operand = static_cast<int>(def.tensors.size());
  for (size_t a = 0; a < def.attrs.size(); ++a) {
    const phi::ArgDef& d = *def.attrs[a];
    if (d.kind == phi::ArgDef::kOperandAttr) {
      const pir::Value v = operand < op.num_operands() ? op.operand(operand++) : pir::Value();
      values.push_back(d.def);
      if (v && !ConstantOperand(v, &values.back())) {
        values.back() = d.def;
        at_run->push_back({static_cast<int>(a), v});
      }
    } else {
      const pir::Attribute attr = op.attr(d.name);
      values.push_back(attr ? attr.value(static_cast<pir::AttrCode>(d.attr_index)) : d.def);
    }
  }
  if (values.empty()) values.emplace_back();
  return values;
}

CompiledProgram CompileProgram(pir::Program& program, const std::vector<pir::Value>& inputs,
                               const std::vector<pir::Value>& outputs, FusionPass fusion) {
  CompiledProgram r;
  Compiler c(r, fusion, outputs);
  std::unordered_set<int> kept;
  for (pir::Operation* op = program.block().front(); op; op = op->next()) {
    const bool parameter = op->isa("builtin.parameter");
    if (!parameter && !op->isa("builtin.constant")) continue;
    const std::string& name = op->attr(parameter ? "parameter_name" : "value").to_str();
    auto held = std::static_pointer_cast<Tensor>(program.parameter(name));
    PD_CHECK(held && held->defined(), NotFound, "[executor] expected parameter ", name, " to have a value, got none");
    r.constants.push_back({c.NumberOf(op->result(0)), *held});
    kept.insert(r.constants.back().first);
  }
  for (pir::Value v : inputs) r.inputs.push_back(c.NumberOf(v));
  c.Block(program.block(), r.code);
  for (pir::Value v : outputs) r.code.yields.push_back(c.NumberOf(v));
  r.code.args = r.inputs;
  MakeConstants(r, kept);
  Arrange(r);
  FindLastReads(r.code, kept);
  if (c.trials()) r.trials = std::make_unique<Trials>(r.num_ids);
  r.plain = r.early.empty() && std::all_of(r.code.instructions.begin(), r.code.instructions.end(), IsPlain);
  return r;
}

}  // namespace executor
