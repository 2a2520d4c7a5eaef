// SPDX-License-Identifier: Apache-2.0
// From statements to instructions: device functions are inlined, operands become offsets, every opcode finds its loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/fakecuda/machine.h"

namespace fakecuda {

enum class Type : uint8_t {
  kNone,
  kPred,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kBF16,
  kF32,
  kF64,
  kF16x2,
  kBF16x2
};

Type TypeOf(const std::string& name);  // b32 is u32; kNone for what is no type
int BytesOf(Type type);
inline bool IsSigned(Type t) { return t >= Type::kS8 && t <= Type::kS64; }
inline bool IsFloat(Type t) { return t >= Type::kF16; }

class Decoder {
 public:
  using Resolve = std::function<uint64_t(const std::string&)>;  // the address of a module's variable

  Decoder(const PtxModule& module, Resolve resolve) : module_(module), resolve_(std::move(resolve)) {}
  std::unique_ptr<Kernel> Run(const Function& entry);

  // For the opcodes' own decoding, of the statement at hand.
  const Statement& at() const { return *statement_; }
  bool Has(const char* part) const;
  size_t Args() const { return statement_->args.size(); }
  Type LastType() const;              // of the opcode's parts
  Type TypePart(size_t which) const;  // the which-th part that names a type
  uint32_t Slot(const Operand& o, Type type, bool any_width = false);
  uint32_t Slot(size_t arg, Type type, bool any_width = false) { return Slot(Arg(arg), type, any_width); }
  uint32_t Predicate(const Operand& o, bool* negated = nullptr);
  uint32_t Constant(uint64_t bits, int bytes);
  int RegisterBytes(const Operand& o) const;  // 0 of a predicate, -1 of what is no register
  const Operand& Arg(size_t i) const;
  void Address(const Operand& o, Instr& in);  // sets a, imm, reg_bytes of the base and the space
  const uint32_t* List(std::vector<uint32_t> slots);
  [[noreturn]] void Fail(const std::string& text) const;
  [[noreturn]] void Unknown() const { Fail("unknown instruction '" + statement_->text + "'"); }
  void Emit(Instr in);

 private:
  struct Instance {
    const Function* function = nullptr;
    std::vector<uint32_t> registers;  // offset of each
    std::vector<uint64_t> addresses;  // of each variable, in its space
    std::vector<Space> spaces;
  };
  struct Fixup {
    size_t instr, index;  // index: in its list; kDirect: its own target
    int statement;        // to the end of the function where it is past the last
  };
  void Inline(const Function& f, Instance& instance);
  void Control(const Statement& s, Instance& instance, std::vector<Fixup>& fixups);
  void Call(const Statement& s, const Instance& caller);
  int FindLabel(const Function& f, int scope, const std::string& name) const;
  void PlaceShared(const Function& f);
  void PlaceShared(const std::string& key, const Variable& v);
  uint64_t AddressOf(const Operand& o, Space* space) const;
  uint32_t Allocate(uint64_t bytes, uint64_t align);
  uint32_t SpecialSlot(const std::string& name);

  const PtxModule& module_;
  Resolve resolve_;
  std::unique_ptr<Kernel> kernel_;
  const Statement* statement_ = nullptr;
  const Instance* instance_ = nullptr;
  uint32_t guard_ = kNoSlot;
  bool guard_flip_ = false;
  std::map<std::pair<uint64_t, int>, uint32_t> constants_;
  std::map<Special, uint32_t> specials_;
  std::map<std::string, uint64_t> shared_;  // by name, of a function's by "function/index"
  uint64_t shared_end_ = 0;
  std::vector<const Function*> depth_;
};

using OpDecoder = void (*)(Decoder&);
const std::map<std::string, OpDecoder>& ArithmeticOps();
const std::map<std::string, OpDecoder>& BitOps();
const std::map<std::string, OpDecoder>& CompareOps();
const std::map<std::string, OpDecoder>& ConvertOps();
const std::map<std::string, OpDecoder>& MemoryOps();
const std::map<std::string, OpDecoder>& WarpOps();
const std::map<std::string, OpDecoder>& ControlOps();
const std::map<std::string, OpDecoder>& TensorOps();

}  // namespace fakecuda
