// SPDX-License-Identifier: Apache-2.0
// The ways a function is known to be called: what a call must be like for a recording to stand for it, as far as modes
// and tensors tell, and which recordings are looked at first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "paddle/executor/extent_tests.h"
#include "paddle/jit/modes.h"
#include "paddle/jit/traced.h"

namespace paddle::jit {

// What a tensor among the arguments must be.
struct TensorSpec {
  phi::DataType dtype = phi::DataType::UNDEFINED;
  bool stop_gradient = true;
  phi::Ints dims;  // -1: any extent

  static TensorSpec Of(const Tensor& t) { return {t.dtype(), t.stop_gradient(), t.dims()}; }
  // Whether it is such a tensor, with data.
  bool Fits(const Tensor& t, phi::ImplKind kind = phi::ImplKind::kDense) const {
    if (!t.defined() || t->kind() != kind || t->dtype() != dtype || t->stop_gradient != stop_gradient ||
        t->dims().size() != dims.size())
      return false;
    for (int64_t i = 0; i < static_cast<int64_t>(dims.size()); ++i)
      if (dims[i] >= 0 && dims[i] != t->dims()[i]) return false;
    return true;
  }
};

// One way of calling. kRecorded: the recording stands for the call; kPlain: the function runs as it is; kOnce: the call
// is recorded anew, by another means than before.
struct KnownCall {
  enum Mode : int { kRecorded, kPlain, kOnce } mode = kPlain;
  Modes modes;
  std::shared_ptr<Traced> traced;           // of kRecorded
  int64_t number = 0;                       // in the order in which they were added
  std::vector<executor::ExtentTest> tests;  // what it assumes of extents that are free

  // Whether the recording, if it is one, may run with these tensors: their extents are as it assumes, what it captured
  // is as it was, and what it writes shares no memory with other tensors.
  bool Runs(const std::vector<Tensor>& tensors) const {
    return mode != kRecorded ||
           (executor::AllHold(tests, tensors) && traced->CapturedUnchanged() && traced->KeepsApart(tensors));
  }
};

// The calls that are known of one function, those used last first. Who looks through them may run code that changes
// them: what is removed meanwhile goes when the last Look ends. All of it is used under the host's lock.
template <class Call>
class CallCache {
 public:
  static constexpr size_t kMost = 64;

  // While it exists, what `at` gives stays.
  class Look {
   public:
    explicit Look(CallCache& cache) : cache_(cache) { ++cache_.looks_; }
    ~Look() {
      if (--cache_.looks_ == 0 && !cache_.removed_.empty()) std::exchange(cache_.removed_, {}).clear();
    }
    Look(const Look&) = delete;

   private:
    CallCache& cache_;
  };

  size_t size() const { return calls_.size(); }
  Call& at(size_t i) const { return *calls_[i]; }
  const std::vector<std::shared_ptr<Call>>& all() const { return calls_; }

  // The one at `i` is used now: it goes one place ahead.
  void Use(size_t i) {
    if (i > 0 && i < calls_.size()) std::swap(calls_[i], calls_[i - 1]);
  }
  // Puts it first; the last goes where there are kMost. Returns its number.
  int64_t Add(std::shared_ptr<Call> call) {
    const int64_t number = call->number = added_++;
    const std::shared_ptr<Call> gone = calls_.size() >= kMost ? std::move(calls_.back()) : nullptr;
    if (gone) {
      calls_.pop_back();
      Keep({gone});
    }
    calls_.insert(calls_.begin(), std::move(call));
    return number;
  }
  // Forgets those that `fits` says true of.
  template <class F>
  void Forget(const F& fits) {
    std::vector<std::shared_ptr<Call>> keep, gone;
    for (const auto& call : std::vector<std::shared_ptr<Call>>(calls_)) (fits(*call) ? gone : keep).push_back(call);
    calls_.swap(keep);
    Keep(gone);
  }
  // Empties it. What they hold goes with the result.
  std::vector<std::shared_ptr<Call>> Take() {
    Keep(calls_);
    return std::exchange(calls_, {});
  }

 private:
  void Keep(const std::vector<std::shared_ptr<Call>>& gone) {
    if (looks_) removed_.insert(removed_.end(), gone.begin(), gone.end());
  }

  std::vector<std::shared_ptr<Call>> calls_, removed_;
  int looks_ = 0;
  int64_t added_ = 0;
};

}  // namespace paddle::jit
