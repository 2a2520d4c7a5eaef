// SPDX-License-Identifier: Apache-2.0
// The thread-local state every op reads: grad mode, AMP level and lists, and whether ops run or are recorded.
#pragma once

#include <cstdint>

namespace egr {

// O1 and O2 differ in their lists only; OD runs what is on no list in float32, kAmpLow in the low dtype.
enum AmpLevel : uint8_t { kAmpOff = 0, kAmpO1 = 1, kAmpO2 = 2, kAmpOD = 3, kAmpLow = 4 };

// kExpand: as kRecord, and the next op that would run its own code (PlainGuard) records what that calls.
enum class RecordMode : uint8_t { kRun = 0, kRecord = 1, kExpand = 2 };

class Recorder;
struct AmpLists;  // names of ops by AMP class; equal ones are one object

struct DispatchState {
  bool grad_enabled = true;
  uint8_t amp_level = 0;  // AmpLevel
  int8_t amp_dtype = 0;   // phi::DataType
  RecordMode record = RecordMode::kRun;
  Recorder* recorder = nullptr;
  const AmpLists* amp_lists = nullptr;  // null where AMP is off

  // True when an op has more to do than run: record, or cast for AMP.
  bool special() const { return amp_level != 0 || record != RecordMode::kRun; }
};

class GradNode;
struct SavedHookList;

// What autograd keeps for a thread, beside the dispatch state: in one object they are found by one look-up.
struct ThreadState {
  DispatchState dispatch;
  uint64_t sequence = 0;                 // of the last node made
  uint64_t running = 0;                  // the engine run in progress, 0 when there is none
  bool caller_grad = true;               // the gradient mode of the call that started it: the mode of Python hooks
  uint8_t caller_amp = 0;                // its AMP level: that of Python code the engine calls; rules run without AMP
  bool draining = false;                 // nodes are being freed
  GradNode* dead = nullptr;              // those waiting for it
  SavedHookList* saved_hooks = nullptr;  // saved_tensors_hooks in force; null when there are none
};
extern thread_local constinit ThreadState t_state;
inline DispatchState& State() { return t_state.dispatch; }

class GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) : old_(State().grad_enabled) { State().grad_enabled = enabled; }
  ~GradModeGuard() { State().grad_enabled = old_; }
  GradModeGuard(const GradModeGuard&) = delete;

 private:
  bool old_;
};

// The AMP level until the scope ends.
class AmpLevelGuard {
 public:
  explicit AmpLevelGuard(uint8_t level) : old_(State().amp_level) { State().amp_level = level; }
  ~AmpLevelGuard() { State().amp_level = old_; }
  AmpLevelGuard(const AmpLevelGuard&) = delete;

 private:
  uint8_t old_;
};

// Switches AMP off while an op whose inputs are cast calls itself again, and in gradient rules.
class AmpOffGuard : public AmpLevelGuard {
 public:
  AmpOffGuard() : AmpLevelGuard(kAmpOff) {}
};

}  // namespace egr
