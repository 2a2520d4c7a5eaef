// SPDX-License-Identifier: Apache-2.0
// Who watches operations: the profiler (when each ran), the checker of numbers (NaN and infinities in results), the
// counter of result types. Whoever runs operations opens an OpScope around each while something is watched.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "paddle/phi/core/tensor.h"

namespace phi {

// kWatchTape: the bindings put calls onto a tape (jit/python/tape.h).
enum OpWatchKind : uint32_t { kWatchTime = 1, kWatchNumbers = 2, kWatchTypes = 4, kWatchTape = 8 };
extern std::atomic<uint32_t> g_op_watch;  // of OpWatchKind; 0: an operation costs one load more
inline bool OpsWatched() { return __builtin_expect(g_op_watch.load(std::memory_order_relaxed) != 0, 0); }
void WatchOps(OpWatchKind kind, bool on);

enum class OpFrom : uint8_t { kCall, kBackward, kProgram, kUser };

struct OpEvent {
  std::string_view name;  // lives as long as the process
  OpFrom from = OpFrom::kCall;
  uint8_t type = 0;  // of a kUser event
  uint32_t thread = 0;
  int64_t begin = 0, end = 0;  // ns of the steady clock
};
int64_t OpClock();
void AddUserEvent(std::string_view name, uint8_t type, int64_t begin, int64_t end);
// Types of such events that are not the user's, of paddle.profiler.TracerEventType.
constexpr uint8_t kForwardEvent = 9, kBackwardEvent = 10;
// An event while it lives, where times are watched. `name` outlives it.
class UserSpan {
 public:
  UserSpan(std::string_view name, uint8_t type) : name_(name), type_(type), begin_(OpsWatched() ? OpClock() : 0) {}
  ~UserSpan() {
    if (begin_ && (g_op_watch.load(std::memory_order_relaxed) & kWatchTime))
      AddUserEvent(name_, type_, begin_, OpClock());
  }
  UserSpan(const UserSpan&) = delete;

 private:
  std::string_view name_;
  uint8_t type_;
  int64_t begin_;
};
// What was recorded since the last call, thread by thread; forgets it.
std::vector<OpEvent> TakeOpEvents();

// How results are checked. Level 0: an error names the operation; 1: a line is printed; 2: also where float32 leaves
// the range of float16; 3: a line for each result. Empty `only`: all operations but those in `skip`.
struct NumberCheck {
  int level = 0;
  std::vector<std::string> only, skip;
};
void SetNumberCheck(NumberCheck check);
NumberCheck GetNumberCheck();

// Results of each forward operation by type: float16, bfloat16, float32, other.
std::map<std::string, std::array<int64_t, 4>> TakeTypeCounts();

class OpScope {
 public:
  OpScope(std::string_view name, OpFrom from);
  ~OpScope();
  OpScope(const OpScope&) = delete;
  // Each tensor the operation gave. Throws PreconditionNotMet at level 0 of the check.
  void Result(const Tensor& t);

 private:
  std::string_view name_;
  OpFrom from_;
  uint32_t watch_;
  int64_t begin_;
};

// "ReluGradNode" -> "relu_grad".
std::string GradOpName(std::string_view node_name);

}  // namespace phi
