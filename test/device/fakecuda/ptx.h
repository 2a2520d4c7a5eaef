// SPDX-License-Identifier: Apache-2.0
// PTX text as a tree: variables, functions and instructions with their operands, registers numbered per function.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fakecuda {

enum class Space : uint8_t { kGeneric, kGlobal, kConst, kShared, kLocal, kParam };

// What a PTX text may not hold; what() begins with the line.
class PtxError : public std::runtime_error {
 public:
  PtxError(int line, const std::string& text) : std::runtime_error("line " + std::to_string(line) + ": " + text) {}
};

struct Operand {
  enum Kind : uint8_t { kReg, kImmediate, kName, kVariable, kAddress, kVector, kList, kSink };
  Kind kind = kSink;
  bool negated = false;        // !%p of a predicate
  char number = 'i';           // of an immediate: i integer, f bits of a float, d bits of a double
  int index = -1;              // register or variable of the function
  uint64_t bits = 0;           // immediate; an address's offset
  std::string name;            // label, function, module variable or special register
  std::vector<Operand> parts;  // an address's base; elements of a vector, pair or list
};

struct Statement {
  std::string text;             // the opcode as written, "add.rn.f32"
  std::vector<std::string> op;  // its parts, without dots
  bool guarded = false;
  Operand guard;
  std::vector<Operand> args;
  int line = 0, scope = 0;
};

struct Register {
  std::string name;
  uint8_t bytes = 0;  // 0: predicate
};

struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  uint64_t align = 1, size = 0;
  bool external = false;
  std::string init;                                         // bytes, shorter than size where the rest is zero
  std::vector<std::pair<uint64_t, std::string>> addresses;  // offset in the variable, variable whose address goes there
};

struct Function {
  std::string name;
  bool entry = false, defined = false;
  int line = 0;
  std::vector<Register> registers;
  std::vector<Variable> variables;   // params, local, shared
  std::vector<int> params, results;  // indices into variables
  std::vector<Statement> body;
  std::vector<int> scope_parent;
  std::map<std::pair<int, std::string>, int> labels;                        // (scope, name) to statement
  std::map<std::pair<int, std::string>, std::vector<std::string>> targets;  // of .branchtargets
  uint32_t max_threads = 0, required[3] = {0, 0, 0};
};

struct PtxModule {
  int version = 0, target = 0;  // 80 for 8.0; 90 for sm_90
  std::vector<Variable> variables;
  std::map<std::string, Function> functions;
};

PtxModule ParsePtx(const std::string& text);

}  // namespace fakecuda
