// SPDX-License-Identifier: Apache-2.0
// The tensors of calls that are recorded while they run with data: which were there before and which a call made, that
// nothing but the calls changed them, and what stands for each when the calls are made again with symbolic tensors. The
// calls themselves are kept by who knows their arguments (python/tape.h).
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "paddle/jit/capture_state.h"
#include "paddle/jit/modes.h"

namespace paddle::jit {

class TapeTensors {
 public:
  // What can be made of the tape. kOnce: not of this one, but of running the code in record mode; kChanged: not of this
  // call, since it changed what it depends on, but perhaps of the next.
  enum End : uint8_t { kRecord, kOnce, kChanged, kPlain };

  // `inputs`: tensors with proxies of their own; `known`: other tensors that existed before the code ran.
  TapeTensors(std::vector<Tensor> inputs, const std::vector<Tensor>& known);
  TapeTensors(const TapeTensors&) = delete;

  // Another tensor that existed before the code ran, found while it runs, before it is used.
  void Know(const Tensor& t);

  // From Start to Finish the calls of this thread go onto the tape, which hides the one before.
  void Start();
  void Finish();
  // No longer taped: why. The first reason stands, but kPlain goes before the others.
  void Stop(End end, std::string why);
  End end() const { return end_; }
  const std::string& why() const { return why_; }
  // Whether no recording can stand for what the code did until now.
  bool Lost();
  // Whether calls go onto it now.
  bool takes() const { return end_ == kRecord && depth_ == 0; }
  bool stopped() const { return end_ != kRecord; }

  // How many tensors made on the tape Python still holds, but for those in `accounted`.
  int CountEscaped(const std::vector<Tensor>& accounted);
  // Whether a call on the tape has the tensor among its arguments or results.
  bool Uses(const Tensor& t) const { return IndexOf(t) >= 0; }
  // Whether the tensor is an input or was made by a call on the tape.
  bool Made(const Tensor& t) const;
  // After Replay: what stands for the tensor (for a known one the tensor itself); undefined for others.
  Tensor ProxyOf(const Tensor& t) const;
  // After Replay: known tensors are as before it.
  void Restore();

 protected:
  // Tensors are numbers, given in the order in which calls use them first.
  // That of a tensor which a call has used or that existed before; -1: not known. Stops where it is not dense.
  int Use(const Tensor& t);
  // Of a new one that a call made of the arguments numbered `from`.
  int Make(const Tensor& t, const std::vector<int>& from);
  // Of one that a call has used; -1: none has.
  int IndexOf(const Tensor& t) const;
  // That the tensor is as the last call left it.
  void Check(int tensor);
  // It is as this call leaves it.
  void Settle(int tensor);
  // After a call: releases tensors that only the tape holds, which cannot come back.
  void Sweep();
  // Stops where Python read numbers since the last call.
  void CheckReads();
  // The number that was read last is one the recording tells of.
  void AllowRead() { reads_ = t_capture.data_reads; }
  const Tensor& held(int tensor) const { return slots_[static_cast<size_t>(tensor)].held; }

  // While a call runs none within it is taped.
  class Inside {
   public:
    explicit Inside(TapeTensors& tape) : tape_(tape) { ++tape_.depth_; }
    ~Inside() { --tape_.depth_; }
    Inside(const Inside&) = delete;

   private:
    TapeTensors& tape_;
  };

  // Calls are made again from here: the proxies of the inputs, and tensors that stand for known ones.
  void BeginReplay(const std::vector<Tensor>& proxies, const std::vector<std::pair<Tensor, Tensor>>& instead);
  const Tensor& proxy(int tensor) const { return slots_[static_cast<size_t>(tensor)].proxy; }
  // A call gave `t` in place of the tensor. Throws where it is another than the first time.
  void Link(int tensor, const Tensor& t);
  // The extents of the tensor were read. Throws, and ends as kOnce, where those of its proxy are not known.
  void CheckExtents(int tensor);

  struct Slot {
    enum Kind : uint8_t { kInput, kKnown, kMade } kind = kMade;
    Tensor held;  // undefined once nobody else holds it
    phi::DataType dtype;
    phi::Ints dims;
    uint64_t storage;     // as the last call left it
    bool shares = false;  // made as a view: of `origin`, which was at `version` then
    uint64_t origin = 0;
    uint32_t version = 0;
    Tensor proxy;
  };
  // The tape has stopped: releases these and what is known of calls, which may run code that comes back here.
  virtual void Drop(std::vector<Slot> tensors) = 0;
  // A derived class has called Finish().
  ~TapeTensors();

 private:
  // What a tensor was when the tape started.
  struct Before {
    Tensor tensor;
    phi::Ints dims;
    phi::DataType dtype;
    bool stop_gradient;
    phi::Ref<phi::RefCounted> node;
    uint32_t version;
  };
  struct Fields;

  static Before Look(const Tensor& t);
  static Fields Keep(const Tensor& t);
  int Add(const Tensor& t, Slot::Kind kind);
  void CheckBefore(const Before& b);

  std::vector<Tensor> inputs_;
  std::vector<Before> before_;
  std::unordered_map<phi::TensorImpl*, Tensor> known_;
  std::unordered_map<phi::TensorImpl*, int> index_;
  std::vector<Slot> slots_;
  std::unordered_map<uint64_t, uint32_t> versions_;  // by storage
  std::vector<Fields> saved_;
  End end_ = kRecord;
  std::string why_;
  int depth_ = 0;
  size_t sweep_at_ = 256;
  bool running_ = false;
  TapeTensors* outer_ = nullptr;
  Modes modes_;
  uint64_t reads_ = 0;
};

// What the code does now cannot be called again from the tape.
inline void StopTape(TapeTensors::End end, const char* why) {
  if (__builtin_expect(t_capture.tape != nullptr, 0) && !t_capture.tape->stopped()) t_capture.tape->Stop(end, why);
}

}  // namespace paddle::jit
