// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/dnn_conv.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/phi/core/device.h"

namespace phi::gpu {
namespace {

using Sizes = DnnGraph::Sizes;

constexpr int64_t kMostWorkspace = int64_t{512} << 20;
constexpr size_t kMostFound = 4096;

std::optional<dnn::DataKind> KindOf(DataType t) {
  switch (t) {
    case DataType::FLOAT32: return dnn::kFloat;
    case DataType::FLOAT16: return dnn::kHalf;
    case DataType::BFLOAT16: return dnn::kBfloat;
    default: return std::nullopt;
  }
}

// Everything that a plan depends on.
using Key = std::array<int64_t, 31>;
Key KeyOf(ConvPass pass, DataType t, const cpu::ConvDesc& d, bool tf32, bool aligned) {
  Key key = {static_cast<int64_t>(pass),
             static_cast<int64_t>(t),
             d.nd,
             d.channels_last,
             tf32,
             aligned,
             d.n,
             d.ic,
             d.oc,
             d.groups};
  size_t at = 10;
  for (const int64_t* numbers : {d.in, d.k, d.out, d.stride, d.dilation, d.pad_lo, d.pad_hi}) {
    std::copy_n(numbers, d.nd, key.begin() + static_cast<ptrdiff_t>(at));
    at += 3;
  }
  return key;
}
std::string TextOf(ConvPass pass, DataType t, const cpu::ConvDesc& d) {
  const char* names[] = {"convolution", "convolution's input gradient", "convolution's filter gradient"};
  std::string text = std::string(names[static_cast<size_t>(pass)]) + " of " + std::string(NameOf(t)) + " [" +
                     std::to_string(d.n) + ", " + std::to_string(d.ic);
  for (int i = 0; i < d.nd; ++i) text += ", " + std::to_string(d.in[i]);
  text += "] by [" + std::to_string(d.oc) + ", " + std::to_string(d.ic / d.groups);
  for (int i = 0; i < d.nd; ++i) text += ", " + std::to_string(d.k[i]);
  return text + (d.channels_last ? "], channels last" : "]");
}

void Say(const std::string& what, const std::string& how) {
  static const bool explain = [] {
    const char* flag = std::getenv("FLAGS_gpu_explain");
    return flag && *flag == '1';
  }();
  if (explain) std::fprintf(stderr, "gpu: %s: %s\n", what.c_str(), how.c_str());
  PD_VLOG(1) << what << ": " << how;
}

// A convolution's plan, or none where it is our own kernel's.
struct Found {
  std::unique_ptr<DnnConvolution> convolution;
  std::unique_ptr<DnnPlan> plan;
  bool refused = false;   // it was, when it was to run
  bool captured = false;  // graphs hold what it runs
  uint64_t used = 0;
};
struct Gpu {
  std::mutex mutex;  // a handle serves one thread at a time
  bool started = false;
  dnn::Handle handle = nullptr;
  std::map<Key, Found> found;
  uint64_t calls = 0;
};
Gpu& GpuOf(Place place) {
  static std::mutex mutex;
  static auto& gpus = *new std::map<int, Gpu>;
  std::lock_guard<std::mutex> lock(mutex);
  return gpus[place.device_id];
}

// Drops the quarter that was not used for longest, but what graphs hold.
void Shrink(Gpu& gpu, Place place) {
  std::vector<uint64_t> used;
  for (const auto& [key, f] : gpu.found) used.push_back(f.used);
  const auto quarter = used.begin() + static_cast<ptrdiff_t>(used.size() / 4);
  std::nth_element(used.begin(), quarter, used.end());
  SynchronizeDevice(place);
  std::erase_if(gpu.found, [&](const auto& one) { return !one.second.captured && one.second.used < *quarter; });
}

Found Find(const Gpu& gpu, ConvPass pass, DataType t, const cpu::ConvDesc& d, bool tf32, bool aligned) {
  Found found;
  std::string why;
  if (!aligned)
    why = "addresses that are no multiples of 16";
  else if (found.convolution = DescribeForDnn(pass, t, d, tf32, &why); found.convolution)
    found.plan = DnnPlan::Make(found.convolution->graph, "", gpu.handle, &why, found.convolution->limits);
  Say(TextOf(pass, t, d), found.plan ? "by cuDNN, with " + std::to_string(found.plan->workspace()) + " bytes beside"
                                     : "by our own kernel, not by cuDNN: " + why);
  return found;
}

}  // namespace

std::unique_ptr<DnnConvolution> DescribeForDnn(ConvPass pass, DataType t, const cpu::ConvDesc& d, bool tf32,
                                               std::string* why) {
  const auto type = KindOf(t);
  if (!type) return *why = "a dtype that is not given to it", nullptr;
  for (int i = 0; i < d.nd; ++i)
    if (d.pad_lo[i] != d.pad_hi[i]) return *why = "padding that differs at the ends", nullptr;
  Sizes x = {d.n, d.ic}, w = {d.oc, d.ic / d.groups}, y = {d.n, d.oc}, pads, strides, dilations;
  const auto axis = [&](int64_t in, int64_t k, int64_t out, int64_t pad, int64_t stride, int64_t dilation) {
    x.push_back(in), w.push_back(k), y.push_back(out);
    pads.push_back(pad), strides.push_back(stride), dilations.push_back(dilation);
  };
  if (d.nd == 1) axis(1, 1, 1, 0, 1, 1);  // a picture of one row
  for (int i = 0; i < d.nd; ++i) axis(d.in[i], d.k[i], d.out[i], d.pad_lo[i], d.stride[i], d.dilation[i]);
  for (const Sizes* sizes : {&x, &w, &y}) {
    int64_t n = 1;
    for (const int64_t extent : *sizes)
      if (extent < 1 || __builtin_mul_overflow(n, extent, &n) || n > INT_MAX)
        return *why = "no elements, or more than 31 bits count", nullptr;
  }
  const auto tensor = [&](const Sizes& dims, DnnGraph& graph) {
    Sizes steps(dims.size());
    int64_t step = 1;
    if (d.channels_last) steps[1] = step, step *= dims[1];
    for (size_t a = dims.size(); a-- > 0;)
      if (a != 1 || !d.channels_last) steps[a] = step, step *= dims[a];
    return graph.Tensor(*type, dims, steps);
  };
  auto made = std::make_unique<DnnConvolution>();
  made->x = tensor(x, made->graph), made->w = tensor(w, made->graph), made->y = tensor(y, made->graph);
  made->graph.Convolve(pass == ConvPass::kForward     ? DnnGraph::Pass::kForward
                       : pass == ConvPass::kGradInput ? DnnGraph::Pass::kData
                                                      : DnnGraph::Pass::kFilter,
                       made->x, made->w, made->y, pads, strides, dilations);
  made->limits.without = {dnn::kVaries, dnn::kNarrowsInputs, dnn::kNarrowsSums};
  if (*type == dnn::kFloat && !tf32) made->limits.without.push_back(dnn::kTensorCores);
  made->limits.workspace = kMostWorkspace;
  return made;
}

bool DnnConvolve(const DeviceForms& forms, ConvPass pass, DataType t, const cpu::ConvDesc& d, const void* a,
                 const void* b, void* out, bool tf32) {
  if (!KindOf(t)) return false;
  if (!HasDnn()) {
    static std::once_flag said;
    std::call_once(said, [] { Say("convolutions", "by our own kernels, not by cuDNN: " + WhyNoDnn()); });
    return false;
  }
  const Place place = forms.place();
  const uintptr_t together =
      reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b) | reinterpret_cast<uintptr_t>(out);
  const Key key = KeyOf(pass, t, d, tf32, together % 16 == 0);
  Gpu& gpu = GpuOf(place);
  std::lock_guard<std::mutex> lock(gpu.mutex);
  auto at = gpu.found.find(key);
  const bool known = at != gpu.found.end();
  if (!known && IsCapturing(place)) return false;
  dnn::Stream stream = StreamForCall(place, {a, b, out});
  if (!gpu.started) {
    gpu.started = true;
    std::string why;
    gpu.handle = MakeDnnHandle(&why);
    if (!gpu.handle) Say("convolutions", "by our own kernels, not by cuDNN: " + why);
  }
  if (!gpu.handle) return false;
  if (!known) {
    if (gpu.found.size() >= kMostFound) Shrink(gpu, place);
    at = gpu.found.emplace(key, Find(gpu, pass, t, d, tf32, together % 16 == 0)).first;
  }
  Found& found = at->second;
  found.used = ++gpu.calls;
  if (!found.plan || found.refused) return false;
  found.captured |= CapturesGraph(place);

  int64_t taps = 1;
  for (int i = 0; i < d.nd; ++i) taps *= d.k[i];
  const int64_t channels = d.ic / d.groups, size = static_cast<int64_t>(SizeOf(t));
  const bool turned = d.channels_last && taps > 1 && channels > 1;  // the filter, in memory
  const Sizes shape = {d.oc, taps, channels}, first = {taps * channels, 1, taps}, last = {taps * channels, channels, 1};
  std::shared_ptr<void> filter, workspace;
  try {
    if (turned) filter = forms.Room(d.oc * taps * channels * size);
    if (found.plan->workspace()) workspace = forms.Room(found.plan->workspace());
  } catch (const common::Error& e) {
    if (e.code() != common::ErrorCode::kResourceExhausted) throw;
    return false;
  }
  const bool gradient = pass == ConvPass::kGradWeight;
  void* const given = gradient ? out : const_cast<void*>(b);
  void* const w = turned ? filter.get() : given;
  if (turned && !gradient) forms.Copy(size, shape, given, first, w, last);
  void* const from = const_cast<void*>(a);
  std::vector<std::pair<DnnGraph::Id, void*>> addresses = {{found.convolution->w, w}};
  const DnnConvolution& c = *found.convolution;
  if (pass == ConvPass::kForward)
    addresses.insert(addresses.end(), {{c.x, from}, {c.y, out}});
  else if (pass == ConvPass::kGradInput)
    addresses.insert(addresses.end(), {{c.x, out}, {c.y, from}});
  else
    addresses.insert(addresses.end(), {{c.x, from}, {c.y, const_cast<void*>(b)}});
  std::string why;
  if (!found.plan->Run(gpu.handle, stream, addresses, workspace.get(), &why)) {
    found.refused = true;
    Say(TextOf(pass, t, d), "by our own kernel from here on, cuDNN did not run it: " + why);
    return false;
  }
  if (turned && gradient) forms.Copy(size, shape, w, last, given, first);
  return true;
}

}  // namespace phi::gpu
