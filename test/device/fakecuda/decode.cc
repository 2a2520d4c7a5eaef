// SPDX-License-Identifier: Apache-2.0
#include "device/fakecuda/decode.h"

#include <algorithm>
#include <bit>

#include "device/fakecuda/lanes.h"

namespace fakecuda {
namespace {

constexpr size_t kDirect = ~0ull;
constexpr uint64_t kSharedGap = 32;

const std::map<std::string, Type>& Types() {
  static const std::map<std::string, Type> types = {
      {"pred", Type::kPred}, {"b8", Type::kU8},    {"b16", Type::kU16},     {"b32", Type::kU32},
      {"b64", Type::kU64},   {"u8", Type::kU8},    {"u16", Type::kU16},     {"u32", Type::kU32},
      {"u64", Type::kU64},   {"s8", Type::kS8},    {"s16", Type::kS16},     {"s32", Type::kS32},
      {"s64", Type::kS64},   {"f16", Type::kF16},  {"bf16", Type::kBF16},   {"f32", Type::kF32},
      {"f64", Type::kF64},   {"tf32", Type::kF32}, {"f16x2", Type::kF16x2}, {"bf16x2", Type::kBF16x2}};
  return types;
}

uint64_t Align(uint64_t v, uint64_t to) { return (v + to - 1) / to * to; }

}  // namespace

Type TypeOf(const std::string& name) {
  const auto it = Types().find(name);
  return it == Types().end() ? Type::kNone : it->second;
}

int BytesOf(Type t) {
  switch (t) {
    case Type::kU8:
    case Type::kS8: return 1;
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBF16: return 2;
    case Type::kU64:
    case Type::kS64:
    case Type::kF64: return 8;
    case Type::kNone:
    case Type::kPred: return 0;
    default: return 4;
  }
}

void Decoder::Fail(const std::string& text) const { throw PtxError(statement_ ? statement_->line : 0, text); }

bool Decoder::Has(const char* part) const {
  return std::find(statement_->op.begin() + 1, statement_->op.end(), part) != statement_->op.end();
}

Type Decoder::LastType() const {
  for (size_t i = statement_->op.size(); i-- > 1;) {
    if (const Type t = TypeOf(statement_->op[i]); t != Type::kNone) return t;
  }
  Fail("expected a type in '" + statement_->text + "'");
}

Type Decoder::TypePart(size_t which) const {
  for (size_t i = 1; i < statement_->op.size(); ++i) {
    const Type t = TypeOf(statement_->op[i]);
    if (t != Type::kNone && which-- == 0) return t;
  }
  return Type::kNone;
}

const Operand& Decoder::Arg(size_t i) const {
  if (i >= statement_->args.size()) Fail("expected more operands of '" + statement_->text + "'");
  return statement_->args[i];
}

uint32_t Decoder::Allocate(uint64_t bytes, uint64_t align) {
  const uint64_t at = Align(kernel_->register_bytes, align);
  kernel_->register_bytes = at + bytes;
  if (kernel_->register_bytes > 1u << 30) Fail("too many registers");
  return static_cast<uint32_t>(at);
}

uint32_t Decoder::Constant(uint64_t bits, int bytes) {
  if (bytes < 8) bits &= (1ull << (8 * bytes)) - 1;
  const auto [it, fresh] = constants_.try_emplace({bits, bytes}, 0);
  if (fresh) {
    it->second = Allocate(static_cast<uint64_t>(bytes) * kLanes, 64);
    kernel_->constants.push_back({it->second, bytes, bits});
  }
  return it->second;
}

int Decoder::RegisterBytes(const Operand& o) const {
  if (o.kind == Operand::kReg) return instance_->function->registers[static_cast<size_t>(o.index)].bytes;
  return o.kind == Operand::kName && !o.name.empty() && o.name[0] == '%' ? 4 : -1;
}

uint32_t Decoder::SpecialSlot(const std::string& name) {
  static const std::map<std::string, Special> names = {{"%tid.x", Special::kTidX},
                                                       {"%tid.y", Special::kTidY},
                                                       {"%tid.z", Special::kTidZ},
                                                       {"%ntid.x", Special::kNtidX},
                                                       {"%ntid.y", Special::kNtidY},
                                                       {"%ntid.z", Special::kNtidZ},
                                                       {"%ctaid.x", Special::kCtaidX},
                                                       {"%ctaid.y", Special::kCtaidY},
                                                       {"%ctaid.z", Special::kCtaidZ},
                                                       {"%nctaid.x", Special::kNctaidX},
                                                       {"%nctaid.y", Special::kNctaidY},
                                                       {"%nctaid.z", Special::kNctaidZ},
                                                       {"%laneid", Special::kLaneid},
                                                       {"%warpid", Special::kWarpid},
                                                       {"%nwarpid", Special::kNwarpid},
                                                       {"%smid", Special::kSmid},
                                                       {"%nsmid", Special::kNsmid},
                                                       {"%gridid", Special::kGridid},
                                                       {"%lanemask_eq", Special::kLanemaskEq},
                                                       {"%lanemask_le", Special::kLanemaskLe},
                                                       {"%lanemask_lt", Special::kLanemaskLt},
                                                       {"%lanemask_ge", Special::kLanemaskGe},
                                                       {"%lanemask_gt", Special::kLanemaskGt},
                                                       {"%dynamic_smem_size", Special::kDynamicShared},
                                                       {"%total_smem_size", Special::kTotalShared}};
  const auto it = names.find(name);
  if (it == names.end()) Fail("unknown name '" + name + "'");
  const auto [slot, fresh] = specials_.try_emplace(it->second, 0);
  if (fresh) {
    slot->second = Allocate(4 * kLanes, 64);
    kernel_->specials.emplace_back(it->second, slot->second);
  }
  return slot->second;
}

uint64_t Decoder::AddressOf(const Operand& o, Space* space) const {
  if (o.kind == Operand::kVariable) {
    const auto i = static_cast<size_t>(o.index);
    *space = instance_->spaces[i];
    return instance_->addresses[i] + o.bits;
  }
  for (const Variable& v : module_.variables) {
    if (v.name != o.name) continue;
    *space = v.space;
    return (v.space == Space::kShared ? shared_.at(v.name) : resolve_(v.name)) + o.bits;
  }
  Fail("unknown name '" + o.name + "'");
}

uint32_t Decoder::Slot(const Operand& o, Type type, bool any_width) {
  const int bytes = BytesOf(type);
  if (o.kind == Operand::kReg) {
    const int have = RegisterBytes(o);
    if (have != bytes && !any_width) {
      Fail("expected a register of " + std::to_string(8 * bytes) + " bits, got '" + o.name + "' of " +
           std::to_string(8 * have));
    }
    return instance_->registers[static_cast<size_t>(o.index)];
  }
  if (o.kind == Operand::kImmediate) {
    uint64_t bits = o.bits;
    if (o.number == 'd' && bytes == 4) bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    if (o.number == 'f' && type == Type::kF64) {
      bits = std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
    }
    return Constant(bits, bytes);
  }
  if (o.kind == Operand::kName && o.name == "WARP_SZ") return Constant(kLanes, bytes);
  if (o.kind == Operand::kName && o.name[0] == '%') {
    if (bytes != 4) Fail("expected a 32-bit operation on '" + o.name + "'");
    return SpecialSlot(o.name);
  }
  if (o.kind == Operand::kName || o.kind == Operand::kVariable) {
    Space space;
    return Constant(AddressOf(o, &space), bytes);
  }
  if (o.kind == Operand::kSink) return Allocate(static_cast<uint64_t>(std::max(bytes, 1)) * kLanes, 64);
  Fail("unknown form of an operand of '" + statement_->text + "'");
}

uint32_t Decoder::Predicate(const Operand& o, bool* negated) {
  if (o.kind == Operand::kSink) return Allocate(4, 4);
  if (o.kind != Operand::kReg || RegisterBytes(o) != 0) Fail("expected a predicate in '" + statement_->text + "'");
  if (o.negated && !negated) Fail("expected a predicate without '!'");
  if (negated) *negated = o.negated;
  return instance_->registers[static_cast<size_t>(o.index)];
}

void Decoder::Address(const Operand& o, Instr& in) {
  if (o.kind != Operand::kAddress) Fail("expected an address in '" + statement_->text + "'");
  const Operand& base = o.parts[0];
  in.imm = static_cast<int64_t>(o.bits);
  if (base.kind == Operand::kReg) {
    in.reg_bytes = static_cast<uint8_t>(RegisterBytes(base));
    if (in.reg_bytes < 4) Fail("expected an address of 32 or 64 bits, got '" + base.name + "'");
    in.a = instance_->registers[static_cast<size_t>(base.index)];
  } else if (base.kind == Operand::kImmediate) {
    in.imm += static_cast<int64_t>(base.bits);
  } else {
    Space space = Space::kGeneric;
    in.imm += static_cast<int64_t>(AddressOf(base, &space));
    const bool fits = in.space == space || (in.space == Space::kParam && space == Space::kLocal);
    if (!fits && in.space != Space::kGeneric)
      Fail("'" + base.name + "' is not in the space of '" + statement_->text + "'");
    in.space = space;
  }
}

const uint32_t* Decoder::List(std::vector<uint32_t> slots) {
  kernel_->lists.push_back(std::move(slots));
  return kernel_->lists.back().data();
}

void Decoder::Emit(Instr in) {
  in.line = statement_->line;
  in.guard = guard_;
  in.guard_flip = guard_flip_;
  kernel_->code.push_back(in);
}

int Decoder::FindLabel(const Function& f, int scope, const std::string& name) const {
  for (; scope >= 0; scope = f.scope_parent[static_cast<size_t>(scope)]) {
    const auto it = f.labels.find({scope, name});
    if (it != f.labels.end()) return it->second;
  }
  Fail("unknown label '" + name + "'");
}

void Decoder::Control(const Statement& s, Instance& instance, std::vector<Fixup>& fixups) {
  const Function& f = *instance.function;
  Instr in;
  in.cls = Class::kBranch;
  if (s.op[0] == "call") return Call(s, instance);
  if (s.op[0] == "exit" || s.op[0] == "ret") {
    if (s.op[0] == "exit" || depth_.size() == 1) {
      in.kind = Instr::kExit;
    } else {
      in.kind = Instr::kBranch;
      fixups.push_back({kernel_->code.size(), kDirect, static_cast<int>(f.body.size())});
    }
  } else if (s.op[0] == "bra") {
    in.kind = Instr::kBranch;
    fixups.push_back({kernel_->code.size(), kDirect, FindLabel(f, s.scope, Arg(0).name)});
  } else {
    in.kind = Instr::kIndexed;
    in.a = Slot(0, Type::kU32);
    const std::vector<std::string>* names = nullptr;
    for (int scope = s.scope; scope >= 0 && !names; scope = f.scope_parent[static_cast<size_t>(scope)]) {
      const auto it = f.targets.find({scope, Arg(1).name});
      if (it != f.targets.end()) names = &it->second;
    }
    if (!names) Fail("unknown list of targets '" + Arg(1).name + "'");
    in.target = static_cast<uint32_t>(names->size());
    in.list = List(std::vector<uint32_t>(names->size()));
    for (size_t i = 0; i < names->size(); ++i)
      fixups.push_back({kernel_->code.size(), i, FindLabel(f, s.scope, (*names)[i])});
  }
  Emit(in);
}

void Decoder::Call(const Statement& s, const Instance& caller) {
  const bool result = !s.args.empty() && s.args[0].kind == Operand::kList;
  const Operand& name = Arg(result ? 1 : 0);
  const auto it = module_.functions.find(name.name);
  if (name.kind != Operand::kName || it == module_.functions.end())
    Fail("unknown function '" + name.name + "'; calls through a register are not supported");
  const Function& f = it->second;
  if (!f.defined) Fail("function '" + f.name + "' is declared and has no body");
  if (std::find(depth_.begin(), depth_.end(), &f) != depth_.end())
    Fail("recursion of '" + f.name + "' is not supported");
  const size_t first = result ? 2 : 1;
  static const std::vector<Operand> kNone;
  const std::vector<Operand>& args = s.args.size() > first ? s.args[first].parts : kNone;
  const std::vector<Operand>& results = result ? s.args[0].parts : kNone;
  if (args.size() != f.params.size() || results.size() != f.results.size())
    Fail("call of '" + f.name + "' with a wrong number of operands");
  Instance callee;
  callee.function = &f;
  callee.addresses.resize(f.variables.size());
  callee.spaces.resize(f.variables.size(), Space::kGeneric);
  const auto bind = [&](const std::vector<Operand>& from, const std::vector<int>& to) {
    for (size_t i = 0; i < from.size(); ++i) {
      if (from[i].kind != Operand::kVariable) Fail("expected a .param variable as operand of a call");
      const auto variable = static_cast<size_t>(from[i].index), param = static_cast<size_t>(to[i]);
      callee.addresses[param] = caller.addresses[variable];
      callee.spaces[param] = caller.spaces[variable];
    }
  };
  bind(args, f.params);
  bind(results, f.results);
  size_t skip = kDirect;
  if (guard_ != kNoSlot) {
    Instr in;
    in.kind = Instr::kBranch;
    in.cls = Class::kBranch;
    guard_flip_ = !guard_flip_;
    skip = kernel_->code.size();
    Emit(in);
  }
  const Statement* statement = statement_;
  const Instance* instance = instance_;
  Inline(f, callee);
  statement_ = statement;
  instance_ = instance;
  if (skip != kDirect) kernel_->code[skip].target = static_cast<uint32_t>(kernel_->code.size());
}

void Decoder::PlaceShared(const std::string& key, const Variable& v) {
  if (shared_.count(key) || v.external) return;
  const uint64_t at = Align(shared_end_, std::max<uint64_t>(v.align, 16));
  shared_[key] = at;
  shared_end_ = at + v.size + kSharedGap;
  kernel_->static_shared = Align(kernel_->static_shared, v.align) + v.size;
  kernel_->shared.push_back({v.name, at, v.size});
}

void Decoder::PlaceShared(const Function& f) {
  for (size_t i = 0; i < f.variables.size(); ++i) {
    if (f.variables[i].space == Space::kShared) PlaceShared(f.name + "/" + std::to_string(i), f.variables[i]);
  }
  const std::function<void(const Operand&)> visit = [&](const Operand& o) {
    for (const Operand& part : o.parts) visit(part);
    if (o.kind != Operand::kName) return;
    for (const Variable& v : module_.variables) {
      if (v.space == Space::kShared && v.name == o.name) PlaceShared(v.name, v);
    }
  };
  depth_.push_back(&f);
  for (const Statement& s : f.body) {
    for (const Operand& o : s.args) visit(o);
    if (s.op[0] != "call") continue;
    for (const Operand& o : s.args) {
      const auto it = o.kind == Operand::kName ? module_.functions.find(o.name) : module_.functions.end();
      if (it != module_.functions.end() && std::find(depth_.begin(), depth_.end(), &it->second) == depth_.end())
        PlaceShared(it->second);
    }
  }
  depth_.pop_back();
}

void Decoder::Inline(const Function& f, Instance& instance) {
  static const std::map<std::string, OpDecoder> ops = [] {
    std::map<std::string, OpDecoder> all;
    for (const auto* table :
         {&ArithmeticOps(), &BitOps(), &CompareOps(), &ConvertOps(), &MemoryOps(), &WarpOps(), &ControlOps()}) {
      all.insert(table->begin(), table->end());
    }
    return all;
  }();
  depth_.push_back(&f);
  for (const Register& r : f.registers) {
    instance.registers.push_back(r.bytes == 0 ? Allocate(4, 4) : Allocate(static_cast<uint64_t>(r.bytes) * kLanes, 64));
  }
  for (size_t i = 0; i < f.variables.size(); ++i) {
    const Variable& v = f.variables[i];
    if (instance.spaces[i] != Space::kGeneric) continue;
    instance.spaces[i] = v.space == Space::kShared ? Space::kShared : Space::kLocal;
    if (v.space == Space::kShared) {
      instance.addresses[i] = v.external ? kernel_->dynamic_base : shared_.at(f.name + "/" + std::to_string(i));
    } else {
      instance.addresses[i] = Align(kernel_->local_bytes, std::max<uint64_t>(v.align, 16));
      kernel_->local_bytes = instance.addresses[i] + v.size;
    }
  }
  std::vector<uint32_t> starts;
  std::vector<Fixup> fixups;
  for (const Statement& s : f.body) {
    starts.push_back(static_cast<uint32_t>(kernel_->code.size()));
    statement_ = &s;
    instance_ = &instance;
    guard_ = s.guarded ? Predicate(s.guard, &guard_flip_) : kNoSlot;
    if (!s.guarded) guard_flip_ = false;
    const std::string& op = s.op[0];
    if (op == "bra" || op == "brx" || op == "ret" || op == "exit" || op == "call") {
      Control(s, instance, fixups);
      continue;
    }
    const auto it = ops.find(op);
    if (it == ops.end()) Unknown();
    it->second(*this);
  }
  starts.push_back(static_cast<uint32_t>(kernel_->code.size()));
  for (const Fixup& fix : fixups) {
    const uint32_t to = starts[static_cast<size_t>(fix.statement)];
    Instr& in = kernel_->code[fix.instr];
    if (fix.index == kDirect)
      in.target = to;
    else
      const_cast<uint32_t*>(in.list)[fix.index] = to;
  }
  depth_.pop_back();
}

std::unique_ptr<Kernel> Decoder::Run(const Function& entry) {
  kernel_ = std::make_unique<Kernel>();
  kernel_->name = entry.name;
  if (entry.max_threads) kernel_->max_threads = entry.max_threads;
  std::copy(entry.required, entry.required + 3, kernel_->required);
  PlaceShared(entry);
  kernel_->dynamic_base = Align(shared_end_, 1024);
  for (const Variable& v : module_.variables) {
    if (v.space == Space::kShared && v.external) shared_[v.name] = kernel_->dynamic_base;
  }
  Instance instance;
  instance.function = &entry;
  instance.addresses.resize(entry.variables.size());
  instance.spaces.resize(entry.variables.size(), Space::kGeneric);
  for (const int p : entry.params) {
    const Variable& v = entry.variables[static_cast<size_t>(p)];
    const uint64_t at = Align(kernel_->param_bytes, v.align);
    kernel_->params.push_back({at, v.size});
    kernel_->param_bytes = at + v.size;
    instance.addresses[static_cast<size_t>(p)] = at;
    instance.spaces[static_cast<size_t>(p)] = Space::kParam;
  }
  Inline(entry, instance);
  Instr end;
  end.kind = Instr::kExit;
  end.cls = Class::kBranch;
  end.line = entry.line;
  kernel_->code.push_back(end);
  kernel_->register_bytes = Align(kernel_->register_bytes, 64);
  return std::move(kernel_);
}

}  // namespace fakecuda
