// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <sstream>

#include "device/fakecuda/ptx.h"
#include "device/fakecuda/ptx_lexer.h"

namespace fakecuda {
namespace {

// Bytes of a type such as ".b32"; 0 for .pred, -1 for what is no type.
int TypeBytes(const std::string& t) {
  if (t == ".pred") return 0;
  static const std::map<std::string, int> kSizes = {
      {".b8", 1},   {".u8", 1},  {".s8", 1},    {".b16", 2},    {".u16", 2}, {".s16", 2}, {".f16", 2},
      {".bf16", 2}, {".b32", 4}, {".u32", 4},   {".s32", 4},    {".f32", 4}, {".b64", 8}, {".u64", 8},
      {".s64", 8},  {".f64", 8}, {".f16x2", 4}, {".bf16x2", 4}, {".tf32", 4}};
  const auto it = kSizes.find(t);
  return it == kSizes.end() ? -1 : it->second;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : tokens_(LexPtx(text)) {}

  PtxModule Run() {
    while (Peek().kind != Token::kEnd) TopLevel();
    if (module_.version == 0) throw PtxError(1, "expected .version, got none");
    return std::move(module_);
  }

 private:
  const Token& Peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& Next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool Is(const char* text) const { return Peek().kind != Token::kString && Peek().text == text; }
  bool Take(const char* text) { return Is(text) ? (Next(), true) : false; }
  void Expect(const char* text) {
    if (!Take(text)) Fail(std::string("expected '") + text + "', got '" + Peek().text + "'");
  }
  [[noreturn]] void Fail(const std::string& text) const { throw PtxError(Peek().line, text); }
  const std::string& Word() {
    if (Peek().kind != Token::kWord) Fail("expected a name, got '" + Peek().text + "'");
    return Next().text;
  }
  uint64_t Integer() {
    const bool minus = Take("-");
    if (Peek().kind != Token::kNumber) Fail("expected a number, got '" + Peek().text + "'");
    const uint64_t v = Next().bits;
    return minus ? 0 - v : v;
  }

  void TopLevel() {
    const Token& t = Peek();
    if (Take(".version")) {
      const Token& v = Next();
      module_.version = static_cast<int>(std::stod(v.text) * 10 + 0.5);
    } else if (Take(".target")) {
      const std::string name = Word();
      if (name.rfind("sm_", 0) != 0) Fail("expected a target sm_NN, got '" + name + "'");
      module_.target = std::stoi(name.substr(3));
      while (Take(",")) Word();
    } else if (Take(".address_size")) {
      if (Integer() != 64) Fail("expected .address_size 64");
    } else if (t.text == ".file" || t.text == ".pragma" || t.text == ".loc") {
      SkipLine();
    } else if (t.text == ".section") {
      while (!Is("}")) Next();
      Next();
    } else if (Take(";")) {
    } else {
      Declaration();
    }
  }

  void SkipLine() {
    const int line = Peek().line;
    while (Peek().line == line && Peek().kind != Token::kEnd) Next();
  }

  void Declaration() {
    bool external = false;
    while (Is(".visible") || Is(".extern") || Is(".weak") || Is(".common") || Is(".noreturn")) {
      external |= Next().text == ".extern";
    }
    if (Take(".entry")) return DeclareFunction(true);
    if (Take(".func")) return DeclareFunction(false);
    static const std::map<std::string, Space> kSpaces = {
        {".global", Space::kGlobal}, {".const", Space::kConst}, {".shared", Space::kShared}};
    const auto it = kSpaces.find(Peek().text);
    if (it == kSpaces.end()) Fail("unknown directive '" + Peek().text + "'");
    Next();
    Variable v = DeclareVariable(it->second);
    v.external = external;
    module_.variables.push_back(std::move(v));
    Expect(";");
  }

  // After the space: [.align n] .type name [dims] [= init], up to the semicolon or comma.
  Variable DeclareVariable(Space space) {
    Variable v;
    v.space = space;
    uint64_t lanes = 1;
    int bytes = -1;
    while (bytes < 0) {
      const std::string w = Word();
      if (w == ".align") {
        v.align = Integer();
      } else if (w == ".v2" || w == ".v4") {
        lanes = w == ".v2" ? 2 : 4;
      } else if (w == ".attribute") {
        while (!Take(")")) Next();
      } else if (w == ".ptr") {
        Fail("expected a type, got .ptr");
      } else if ((bytes = TypeBytes(w)) <= 0) {
        Fail("expected the type of a variable, got '" + w + "'");
      }
    }
    const uint64_t element = static_cast<uint64_t>(bytes);
    v.align = std::max(v.align, element * lanes);
    while (Is(".ptr") || Is(".global") || Is(".shared") || Is(".const") || Is(".local") || Is(".align")) {
      if (Next().text == ".align") Integer();
    }
    v.name = Word();
    uint64_t count = lanes;
    bool open = false;
    while (Take("[")) {
      if (Take("]")) {
        open = true;
      } else {
        count *= Integer();
        Expect("]");
      }
    }
    if (Take("=")) Initialise(v, element);
    v.size = open ? v.init.size() : count * element;
    return v;
  }

  void Initialise(Variable& v, uint64_t bytes) {
    if (Take("{")) {
      while (!Take("}")) {
        Initialise(v, bytes);
        Take(",");
      }
      return;
    }
    uint64_t bits = 0;
    if (Peek().kind == Token::kWord) {
      std::string name = Word();
      if (name == "generic") {
        Expect("(");
        name = Word();
        Expect(")");
      }
      v.addresses.emplace_back(v.init.size(), name);
      if (Take("+")) bits = Integer();
    } else if (Peek().kind == Token::kNumber && Peek().number == 'd' && bytes == 4) {
      double d;
      std::memcpy(&d, &Next().bits, 8);
      const float f = static_cast<float>(d);
      std::memcpy(&bits, &f, 4);
    } else {
      bits = Integer();
    }
    v.init.append(reinterpret_cast<const char*>(&bits), bytes);
  }

  void Params(std::vector<int>& into) {
    if (!Take("(")) return;
    while (!Take(")")) {
      if (!Take(".param")) Fail("expected .param, got '" + Peek().text + "'");
      into.push_back(AddVariable(DeclareVariable(Space::kParam)));
      Take(",");
    }
  }

  int AddVariable(Variable v) {
    const int index = static_cast<int>(f_.variables.size());
    names_.back()[v.name] = {false, index};
    f_.variables.push_back(std::move(v));
    return index;
  }

  void DeclareFunction(bool entry) {
    f_ = Function();
    f_.entry = entry;
    names_.assign(1, {});
    scopes_.assign(1, 0);
    f_.scope_parent.assign(1, -1);
    if (!entry) Params(f_.results);
    f_.line = Peek().line;
    f_.name = Word();
    Params(f_.params);
    while (!Is("{") && !Is(";")) Attribute();
    if (Take(";")) {
      module_.functions.try_emplace(f_.name, f_);
      return;
    }
    f_.defined = true;
    Next();
    Block();
    module_.functions[f_.name] = std::move(f_);
  }

  void Attribute() {
    const std::string w = Word();
    if (w == ".maxntid" || w == ".reqntid") {
      uint32_t dims[3] = {1, 1, 1};
      for (int i = 0; i < 3; ++i) {
        dims[i] = static_cast<uint32_t>(Integer());
        if (!Take(",")) break;
      }
      f_.max_threads = dims[0] * dims[1] * dims[2];
      if (w == ".reqntid") std::copy(dims, dims + 3, f_.required);
    } else if (w == ".minnctapersm" || w == ".maxnreg") {
      Integer();
    } else if (w != ".noreturn") {
      Fail("unknown directive '" + w + "' of a function");
    }
  }

  // Statements up to the closing brace.
  void Block() {
    while (!Take("}")) {
      if (Take("{")) {
        names_.emplace_back();
        scopes_.push_back(static_cast<int>(f_.scope_parent.size()));
        f_.scope_parent.push_back(scopes_[scopes_.size() - 2]);
        Block();
        names_.pop_back();
        scopes_.pop_back();
      } else {
        BodyStatement();
      }
    }
  }

  void BodyStatement() {
    const Token& t = Peek();
    if (t.kind == Token::kEnd) Fail("expected '}', got the end of the text");
    if (t.text == ".loc" || t.text == ".file") return SkipLine();
    if (Take(";")) return;
    if (Take(".pragma")) {
      while (!Take(";")) Next();
    } else if (Take(".reg")) {
      Registers();
    } else if (Is(".local") || Is(".shared") || Is(".param")) {
      const std::string w = Next().text;
      const Space space = w == ".local" ? Space::kLocal : w == ".shared" ? Space::kShared : Space::kParam;
      do { AddVariable(DeclareVariable(space)); } while (Take(","));
      Expect(";");
    } else if (t.kind == Token::kWord && Peek(1).text == ":") {
      const std::string name = Next().text;
      Next();
      if (Take(".branchtargets")) {
        auto& list = f_.targets[{scopes_.back(), name}];
        do { list.push_back(Word()); } while (Take(","));
        Expect(";");
      } else {
        f_.labels[{scopes_.back(), name}] = static_cast<int>(f_.body.size());
      }
    } else {
      Instruction();
    }
  }

  void Registers() {
    std::string type = Word();
    if (type == ".v2" || type == ".v4") Fail("registers of vectors are not supported");
    const int bytes = TypeBytes(type);
    if (bytes < 0) Fail("expected the type of a register, got '" + type + "'");
    do {
      const std::string name = Word();
      if (Take("<")) {
        const uint64_t n = Integer();
        Expect(">");
        for (uint64_t i = 0; i < n; ++i) AddRegister(name + std::to_string(i), bytes);
      } else {
        AddRegister(name, bytes);
      }
    } while (Take(","));
    Expect(";");
  }

  void AddRegister(const std::string& name, int bytes) {
    names_.back()[name] = {true, static_cast<int>(f_.registers.size())};
    f_.registers.push_back({name, static_cast<uint8_t>(bytes == 1 ? 2 : bytes)});
  }

  void Instruction() {
    Statement s;
    s.line = Peek().line;
    s.scope = scopes_.back();
    if (Take("@")) {
      s.guarded = true;
      s.guard = Argument();
      if (s.guard.kind != Operand::kReg) Fail("expected a predicate as guard");
    }
    s.text = Word();
    std::istringstream parts(s.text);
    for (std::string part; std::getline(parts, part, '.');) s.op.push_back(part);
    while (!Take(";")) {
      s.args.push_back(Argument());
      if (!Is(";")) Expect(",");
    }
    f_.body.push_back(std::move(s));
  }

  Operand Argument() {
    Operand o;
    if (Take("!")) {
      o = Argument();
      o.negated = !o.negated;
      return o;
    }
    if (Take("[")) {
      o.kind = Operand::kAddress;
      o.parts.push_back(Argument());
      if (Take("+")) o.bits = Integer();
      if (Is("-")) o.bits = Integer();
      Expect("]");
      return o;
    }
    if (Is("{") || Is("(")) {
      const bool list = Next().text == "(";
      o.kind = list ? Operand::kList : Operand::kVector;
      const char* close = list ? ")" : "}";
      while (!Take(close)) {
        o.parts.push_back(Argument());
        if (!Is(close)) Expect(",");
      }
      return o;
    }
    if (Is("-") || Peek().kind == Token::kNumber) {
      const bool minus = Take("-");
      o.kind = Operand::kImmediate;
      o.number = Peek().number;
      o.bits = Integer();
      if (minus) o.bits = o.number == 'i' ? 0 - o.bits : o.bits ^ (o.number == 'f' ? 1ull << 31 : 1ull << 63);
      return o;
    }
    o.name = Word();
    if (o.name == "_") return o;
    o.kind = Operand::kName;
    for (size_t i = names_.size(); i-- > 0;) {
      const auto it = names_[i].find(o.name);
      if (it == names_[i].end()) continue;
      o.kind = it->second.first ? Operand::kReg : Operand::kVariable;
      o.index = it->second.second;
      break;
    }
    if (o.kind != Operand::kReg && Is("+") && Peek(1).kind == Token::kNumber) {
      Next();
      o.bits = Integer();
    }
    if (Take("|")) {
      Operand pair;
      pair.kind = Operand::kVector;
      pair.parts = {o, Argument()};
      return pair;
    }
    return o;
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
  PtxModule module_;
  Function f_;
  std::vector<std::map<std::string, std::pair<bool, int>>> names_;  // of each scope: (register?, index)
  std::vector<int> scopes_;
};

}  // namespace

PtxModule ParsePtx(const std::string& text) { return Parser(text).Run(); }

}  // namespace fakecuda
