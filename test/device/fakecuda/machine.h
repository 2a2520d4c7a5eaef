// SPDX-License-Identifier: Apache-2.0
// Decoded kernels and the state of what runs them: a warp is 32 lanes that execute one instruction together.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/fakecuda/ptx.h"

namespace fakecuda {

constexpr int kLanes = 32;
constexpr uint32_t kAllLanes = ~0u;
constexpr uint32_t kNoSlot = ~0u;

// Windows of the generic address space; every other address is global.
constexpr uint64_t kSharedWindow = 1ull << 56, kLocalWindow = 2ull << 56, kParamWindow = 3ull << 56,
                   kWindowMask = 0xffull << 56;

// What a counter counts, lane by lane.
enum class Class : uint8_t {
  kMove,
  kInteger,
  kFloat,
  kSpecial,
  kDivision,
  kConvert,
  kCompare,
  kLoad,
  kStore,
  kAtomic,
  kBranch,
  kBarrier,
  kWarp,
  kTensor,
  kCount
};

enum Flag : uint8_t { kFtz = 1, kSat = 2, kNaN = 4, kSignExtend = 8, kVolatile = 16, kAligned = 32 };

class Warp;
struct Instr;
using Handler = void (*)(Warp&, const Instr&, uint32_t mask);

// Operands are byte offsets into a warp's registers: 32 values side by side, or the 32 bits of a predicate.
struct Instr {
  enum Kind : uint8_t { kPlain, kBranch, kIndexed, kExit, kBarrier, kConverge };
  Handler run = nullptr;
  Kind kind = kPlain;
  Class cls = Class::kMove;
  uint8_t flags = 0, op = 0, bytes = 0, count = 1, reg_bytes = 0;
  Space space = Space::kGeneric;
  bool guard_flip = false;
  uint32_t guard = kNoSlot;
  uint32_t d = kNoSlot, a = kNoSlot, b = kNoSlot, c = kNoSlot, e = kNoSlot;
  uint32_t member = kNoSlot;       // mask of the lanes that take part in a kConverge
  uint32_t target = 0;             // of a branch
  int64_t imm = 0;                 // added to an address
  const uint32_t* list = nullptr;  // further operands, or targets of an indexed branch
  int line = 0;
};

enum class Special : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kDynamicShared,
  kTotalShared,
  kCount
};

struct Kernel {
  struct Param {
    uint64_t offset = 0, size = 0;
  };
  struct Constant {
    uint32_t offset = 0;
    int bytes = 0;
    uint64_t bits = 0;  // of every lane
  };
  struct SharedVariable {
    std::string name;
    uint64_t offset = 0, size = 0;  // what lies between variables is accessed by mistake only
  };
  std::string name;
  std::vector<Instr> code;
  std::vector<Constant> constants;
  std::vector<SharedVariable> shared;
  std::vector<std::pair<Special, uint32_t>> specials;
  std::deque<std::vector<uint32_t>> lists;
  std::vector<Param> params;
  uint64_t param_bytes = 0, register_bytes = 0, local_bytes = 0;
  uint64_t static_shared = 0;  // bytes of the variables
  uint64_t dynamic_base = 0;   // address of dynamic shared memory
  uint32_t max_threads = 1024, required[3] = {0, 0, 0};
  std::string source;  // the PTX text
  std::string Line(int number) const;
};

// What the checks found. The message names kernel, line, block, thread and what the address belongs to.
class Find : public std::runtime_error {
 public:
  Find(int result, const std::string& text) : std::runtime_error(text), result(result) {}
  int result;
};

struct Launch;
class Block;

struct Group {
  enum State : uint8_t { kReady, kConverging, kAtBarrier };
  uint32_t pc = 0, mask = 0;
  State state = kReady;
  uint8_t barrier = 0;
};

struct PendingCopy {
  uint32_t shared;
  uint64_t global;
  uint8_t bytes, copied, lane;
  int line;
};

class Warp {
 public:
  uint8_t* regs = nullptr;
  Block* block = nullptr;
  Launch* launch = nullptr;
  uint32_t index = 0, live = 0, begun = 0;  // live: lanes that have not left; begun: lanes that exist
  uint32_t carry = 0;
  uint32_t sync_epoch = 1;
  std::vector<Group> groups;
  std::vector<std::vector<PendingCopy>> copies;  // closed groups of asynchronous copies, then the open one
  std::vector<uint8_t> local;                    // of all lanes
  uint32_t pc = 0;                               // of the instruction that executes

  template <class T>
  T* R(uint32_t slot) const {
    return reinterpret_cast<T*>(regs + slot);
  }
  uint32_t P(uint32_t slot) const {
    uint32_t v;
    std::memcpy(&v, regs + slot, 4);
    return v;
  }
  void SetP(uint32_t slot, uint32_t value, uint32_t mask) const {
    const uint32_t v = (P(slot) & ~mask) | (value & mask);
    std::memcpy(regs + slot, &v, 4);
  }
  void Run(uint64_t quantum);
  [[noreturn]] void Fail(int result, int lane, const std::string& text) const;

 private:
  [[noreturn]] void NeverArrives(uint32_t at, uint32_t missing);
  void Park(uint32_t at, uint32_t mask, Group::State state, uint8_t barrier = 0);
  bool Converge(const Instr& in, uint32_t& mask);
  // The lanes that run next, at pc, up to where others wait; none: 0.
  uint32_t NextGroup(uint32_t* limit);
  // Instructions that not only compute, for the lanes m of those that run, `mask`.
  void Branch(const Instr& in, uint32_t m, uint32_t& mask, uint32_t& limit);
  void BranchByTable(const Instr& in, uint32_t m, uint32_t& mask);
  void Exit(uint32_t m, uint32_t& mask, uint32_t& limit);
  void Wait(const Instr& in, uint32_t m, uint32_t& mask);
  void Meet(const Instr& in, uint32_t m, uint32_t& mask, uint32_t& limit);
};

template <class T>
inline void Put(T* d, const T* r, uint32_t m) {
  if (m == kAllLanes) {
    std::memcpy(d, r, sizeof(T) * kLanes);
  } else {
    for (int l = 0; l < kLanes; ++l) d[l] = (m >> l) & 1 ? r[l] : d[l];
  }
}

}  // namespace fakecuda
