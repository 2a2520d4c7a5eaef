// SPDX-License-Identifier: Apache-2.0
// Devices other than the CPU as the core sees them: memory from a caching allocator, copies, streams, and the rule for
// ops that a device has no kernel for. Implemented in phi/backends/custom over plugins and the CUDA driver.
#pragma once

#include "paddle/phi/core/allocator.h"
#include "paddle/phi/core/generator.h"
#include "paddle/phi/core/op_def.h"

namespace phi {

// Memory of `place`, a GPU's or a loaded plugin's; ResourceExhausted when the device refuses. Freed memory is kept for
// requests on the same stream, split and merged; FLAGS_use_system_allocator=1 takes and gives each from the device.
Ref<Storage> AllocateOnDevice(size_t bytes, Place place);
// The memory is used in `stream` beside that which it was taken on: once freed, it serves no other request before
// `stream` has done the work that it has then. False where it is not from a device's allocator.
bool UseInStream(const Storage& memory, void* stream);
// Copies between any two places. Host memory may be reused when this returns, but for pinned memory where `blocking` is
// false; copies within a device follow its stream.
void CopyBytes(void* dst, Place to, const void* src, Place from, size_t bytes, bool blocking = true);
// Waits for all work on the device.
void SynchronizeDevice(Place place);
MemoryStats DeviceMemoryStats(Place place);
void ResetDeviceMemoryPeaks(Place place);
// Figures of a device's allocator by name: segments, blocks, free_bytes, largest_free, waiting_bytes.
std::vector<std::pair<std::string, int64_t>> DeviceMemoryShape(Place place);
// Gives cached blocks of all devices back.
void ReleaseDeviceCaches();
// Total and free bytes as the device reports them; false when it does not.
bool DeviceMemoryInfo(Place place, size_t* total, size_t* free);

// Streams and events are the device's own handles; null is the CPU's or the default stream.
void* CurrentStream(Place place);
// The current stream, for a library's call that works there on memory at these addresses, which may be of other
// streams; the device is made the thread's.
void* StreamForCall(Place place, std::initializer_list<const void*> addresses);
void SetCurrentStream(Place place, void* stream);
void* CreateStream(Place place);
void DestroyStream(Place place, void* stream);
bool QueryStream(Place place, void* stream);
void SynchronizeStream(Place place, void* stream);
void* CreateEvent(Place place);
void DestroyEvent(Place place, void* event);
void RecordEvent(Place place, void* event, void* stream);
bool QueryEvent(Place place, void* event);
void SynchronizeEvent(Place place, void* event);
void StreamWaitEvent(Place place, void* stream, void* event);
// What follows in `stream` waits for what the current stream has now.
void WaitInStream(Place place, void* stream);
// Milliseconds between two events that have been reached; Unimplemented where the device has no clock.
float ElapsedTime(Place place, void* start, void* end);

// Work on the current stream of a device, captured from construction to End and run any number of times after, on the
// memory that it had then: tensors made meanwhile take theirs from a pool, which lives as long as the last graph of it.
// Modes are those of C_StreamCaptureMode. Unimplemented where the device captures nothing.
struct MemoryPool;
class DeviceGraph {
 public:
  DeviceGraph(Place place, MemoryPool* pool, int mode);
  ~DeviceGraph();
  DeviceGraph(const DeviceGraph&) = delete;
  void End();
  // IndexError or ValueError, as on the CPU, where a number that was looked up in a run before lay outside of its
  // table.
  void Launch() const;
  // The same of the last run, which is waited for where it looks numbers up.
  void CheckRun() const;
  // As text of the graph language DOT.
  void Print(const std::string& path, unsigned flags) const;
  MemoryPool* pool() const { return pool_; }

 private:
  const Place place_;
  MemoryPool* pool_;
  std::vector<void*> constants_;  // blocks of pinned memory
  void *stream_ = nullptr, *graph_ = nullptr, *exec_ = nullptr;
  void* base_ = nullptr;                       // the block of DrawKey::base
  uint64_t drawn_ = 0;                         // numbers of a run
  void *outside_ = nullptr, *told_ = nullptr;  // blocks of OutsideFlag, on the device and in pinned memory
  bool capturing_ = false;

  void CheckTold(const char* run) const;
};
// Whether work on the current stream is being captured.
bool IsCapturing(Place place);
// The same, as far as DeviceGraph captures it; asks no driver.
bool CapturesGraph(Place place);
// While a graph is captured: the address of 64 bits on the device that are INT64_MAX when a run of the graph begins. A
// kernel writes a smaller number there where it was to look one up outside of a table, or INT64_MIN where a parameter
// was out of its range: an IndexError, or with `value` a ValueError.
void* OutsideFlag(Place place, bool value);
// The key of a draw of `numbers` (DeviceGenerator::Take): while a graph is captured, one that each run of it draws
// anew.
DrawKey TakeDraws(Place place, uint64_t numbers);

// Generated kernels, for devices that compile text.
enum class KernelText : uint8_t { kNone, kPtx, kOpenCl };  // as C_KernelText
KernelText KernelTextOf(Place place);
// The compute capability of a GPU, 90 for 9.0; what a plugin reports, 0 where it does not.
int CapabilityOf(Place place);
// How many threads of kernels a GPU runs at once; 2048 where a plugin does not say.
int64_t ResidentThreadsOf(Place place);
struct DeviceKernel;  // on one device, as long as the process lives
// PreconditionNotMet with the compiler's words where the device refuses the text.
const DeviceKernel* LoadKernel(const std::string& text, const std::string& name, Place place);
// On the current stream. Parameters are the addresses, then the numbers; they are read before this returns.
void LaunchKernel(const DeviceKernel* kernel, Place place, int64_t blocks, int threads, void* const* addresses,
                  size_t naddresses, const int64_t* numbers, size_t nnumbers);

// `x` itself where it already is, else a contiguous copy there (no autograd), which need not be done yet where
// `blocking` is false and one of the two is pinned memory. A tensor without memory keeps none.
Tensor ToPlace(const Tensor& x, Place place, bool blocking = true);
inline Tensor ToHost(const Tensor& x) { return x.defined() && !x.place().is_cpu() ? ToPlace(x, Place{}) : x; }
inline std::vector<Tensor> ToHost(const std::vector<Tensor>& xs) {
  std::vector<Tensor> r;
  for (const Tensor& x : xs) r.push_back(ToHost(x));
  return r;
}
// CastTo of a tensor on a device: by its kernel, else by way of the host.
Tensor CastThere(const Tensor& x, DataType dtype);
// CopyInto where at least one side is on a device; dtypes are equal and `src` has the shape of `dst`.
void CopyAcross(const Tensor& src, const Tensor& dst, bool blocking = true);

// Where creation ops put their results: the place of the thread's innermost scope, else the one that was set.
Place CurrentPlace();
class PlaceScope {
 public:
  explicit PlaceScope(Place place);
  ~PlaceScope();
  PlaceScope(const PlaceScope&) = delete;

 private:
  const Place place_;
  const Place* const before_;
};
void SetCurrentPlace(Place place);
// The plugin's device that a creation op is asked for, else the current place: programs from elsewhere ask for GPUs.
Place PlaceToCreate(Place asked);
void MoveToPlace(Tensor& out, Place asked);
void MoveToPlace(std::vector<Tensor>& outs, Place asked);

// The first place among `n` tensors that is not the CPU's; the CPU's when there is none.
Place DevicePlace(const Tensor* tensors, int n);
// Runs `op` on host copies of its inputs; results, and inputs it changed, go to `place`. Where that is not allowed
// (FLAGS_enable_api_kernel_fallback), an op of a device without a kernel for it is an error that names both.
void RunOnHost(const OpDef& op, const InSlot* in, const AttrValue* attrs, OutSlot* outs, Place place);
void AllowHostRuns(bool allowed);
// A gradient op: the device's kernel when there is one and what it reads was kept, else the ops that it is made of,
// else RunOnHost.
void RunGradOnDevice(const OpDef& op, const InSlot* in, const AttrValue* attrs, OutSlot* outs, Place place);

}  // namespace phi
