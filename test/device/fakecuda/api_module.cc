// SPDX-License-Identifier: Apache-2.0
// Modules from PTX, functions and launches.
#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

#include "device/fakecuda/decode.h"
#include "device/fakecuda/engine.h"

namespace fakecuda {

std::string Kernel::Line(int number) const {
  std::istringstream lines(source);
  std::string line;
  for (int i = 0; i < number && std::getline(lines, line); ++i) {}
  const size_t first = line.find_first_not_of(" \t"), end = line.find(';');
  if (first == std::string::npos) return "";
  line = line.substr(first, end == std::string::npos ? end : end + 1 - first);
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

namespace {

struct Module;

struct Entry {
  Module* module = nullptr;
  std::shared_ptr<const Kernel> kernel;
  int dynamic_limit = 48 << 10;
};

struct Module {
  int device = 0;
  std::map<std::string, std::unique_ptr<Entry>> entries;
  std::map<std::string, Allocation*> variables;
};

std::set<Module*>& Modules() {
  static auto* const modules = new std::set<Module*>;
  return *modules;
}

Entry& EntryOf(CUfunction function) {
  auto* e = reinterpret_cast<Entry*>(function);
  for (const Module* m : Modules()) {
    for (const auto& [name, entry] : m->entries) {
      if (entry.get() == e) return *e;
    }
  }
  throw ApiError{CUDA_ERROR_INVALID_HANDLE};
}

Module& ModuleOf(CUmodule module) {
  auto* m = reinterpret_cast<Module*>(module);
  Require(Modules().count(m) != 0, CUDA_ERROR_INVALID_HANDLE);
  return *m;
}

void MarkWritten(Allocation& a) { std::fill_n(a.written, a.size, kMaxOrder << kBlockBits); }

std::unique_ptr<Module> Load(Engine& e, const std::string& text) {
  const PtxModule ptx = ParsePtx(text);
  const Config& c = Config::Get();
  if (ptx.target > c.capability)
    throw PtxError(
        1, "target sm_" + std::to_string(ptx.target) + " on a device of capability " + std::to_string(c.capability));
  // CUDA 12.0 has PTX 8.0, 12.8 has 8.7.
  const int newest = (c.driver / 1000 - 12) * 10 + 80 + std::min(c.driver % 1000 / 10, 8);
  if (ptx.version > newest)
    throw PtxError(1, ".version " + std::to_string(ptx.version / 10) + "." + std::to_string(ptx.version % 10) +
                          " is newer than the driver");
  auto m = std::make_unique<Module>();
  m->device = e.Current().index;
  try {
    for (const Variable& v : ptx.variables) {
      if (v.space == Space::kShared || v.external) continue;
      Allocation* a = Memory::Get().Allocate(m->device, std::max<uint64_t>(v.size, 1), Origin::kModule,
                                             "module variable '" + v.name + "'");
      Require(a != nullptr, CUDA_ERROR_OUT_OF_MEMORY);
      m->variables[v.name] = a;
      std::memset(a->bytes, 0, v.size);
      std::memcpy(a->bytes, v.init.data(), v.init.size());
      MarkWritten(*a);
    }
    for (const Variable& v : ptx.variables) {
      for (const auto& [offset, name] : v.addresses) {
        if (!m->variables.count(name))
          throw PtxError(1, "unknown name '" + name + "' in the value of '" + v.name + "'");
        uint8_t* at = m->variables.at(v.name)->bytes + offset;
        uint64_t value;
        std::memcpy(&value, at, 8);
        value += m->variables.at(name)->address;
        std::memcpy(at, &value, 8);
      }
    }
    for (const auto& [name, function] : ptx.functions) {
      if (!function.entry) continue;
      Decoder decoder(ptx, [&](const std::string& variable) -> uint64_t {
        const auto it = m->variables.find(variable);
        if (it == m->variables.end())
          throw PtxError(function.line, "variable '" + variable + "' is declared and not defined");
        return it->second->address;
      });
      auto entry = std::make_unique<Entry>();
      auto kernel = decoder.Run(function);
      kernel->source = text;
      entry->kernel = std::move(kernel);
      entry->module = m.get();
      m->entries[name] = std::move(entry);
    }
  } catch (...) {
    for (const auto& [name, a] : m->variables) Memory::Get().Free(a, "failed load of the module");
    throw;
  }
  return m;
}

void Report(const std::string& text, unsigned n, const int* options, void** values) {
  char* buffer = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < n; ++i) {
    if (options[i] == 5) buffer = static_cast<char*>(values[i]);
    if (options[i] == 6) size = static_cast<size_t>(reinterpret_cast<uintptr_t>(values[i]));
  }
  if (buffer && size) *std::copy_n(text.begin(), std::min(text.size(), size - 1), buffer) = '\0';
}

struct Shape {
  uint32_t grid[3], block[3], shared;
  bool cooperative;
};

[[noreturn]] void Refuse(const Kernel& k, const std::string& text, CUresult result = CUDA_ERROR_INVALID_VALUE) {
  throw Find(result, "launch of '" + k.name + "': " + text);
}

void CheckShape(const Entry& entry, const Shape& s) {
  const Kernel& k = *entry.kernel;
  const uint64_t threads = uint64_t{s.block[0]} * s.block[1] * s.block[2];
  const auto text = [](const uint32_t v[3]) {
    return std::to_string(v[0]) + " x " + std::to_string(v[1]) + " x " + std::to_string(v[2]);
  };
  if (threads == 0 || threads > 1024 || s.block[2] > 64)
    Refuse(k, "block of " + text(s.block) + " threads, at most 1024");
  if (!s.grid[0] || !s.grid[1] || !s.grid[2] || s.grid[0] > 2147483647u || s.grid[1] > 65535 || s.grid[2] > 65535)
    Refuse(k, "grid of " + text(s.grid) + " blocks");
  if (threads > k.max_threads)
    Refuse(k, std::to_string(threads) + " threads, .maxntid allows " + std::to_string(k.max_threads));
  if (k.required[0] && !std::equal(s.block, s.block + 3, k.required))
    Refuse(k, "block of " + text(s.block) + ", .reqntid is " + text(k.required));
  if (s.shared > static_cast<uint32_t>(entry.dynamic_limit) || k.static_shared + s.shared > 227 << 10 ||
      (k.static_shared + s.shared > 48 << 10 && entry.dynamic_limit <= 48 << 10)) {
    Refuse(k, std::to_string(k.static_shared) + " bytes of static and " + std::to_string(s.shared) +
                  " of dynamic shared memory, the function allows " + std::to_string(entry.dynamic_limit));
  }
}

std::vector<uint8_t> Params(const Kernel& k, void** params, void** extra) {
  std::vector<uint8_t> bytes(k.param_bytes);
  if (extra) {
    const void* from = nullptr;
    size_t size = 0;
    for (size_t i = 0; extra[i]; i += 2) {
      if (extra[i] == reinterpret_cast<void*>(1)) from = extra[i + 1];
      if (extra[i] == reinterpret_cast<void*>(2)) size = *static_cast<size_t*>(extra[i + 1]);
    }
    if (!from || size != k.param_bytes)
      Refuse(k, "expected " + std::to_string(k.param_bytes) + " bytes of parameters, got " + std::to_string(size));
    std::memcpy(bytes.data(), from, size);
    return bytes;
  }
  for (size_t i = 0; i < k.params.size(); ++i) {
    if (!params || !params[i]) Refuse(k, "parameter " + std::to_string(i) + " is missing");
    std::memcpy(bytes.data() + k.params[i].offset, params[i], k.params[i].size);
  }
  return bytes;
}

CUresult LaunchKernel(CUfunction function, const Shape& shape, CUstream stream, void** params, void** extra) {
  return Call([&](Engine& e) {
    Entry& entry = EntryOf(function);
    Stream& s = e.Resolve(stream);
    Require(entry.module->device == s.device, CUDA_ERROR_INVALID_HANDLE);
    CheckShape(entry, shape);
    const Config& c = Config::Get();
    ++e.launches;
    if (e.launches == c.fail_launch) throw ApiError{CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES};
    if (e.launches == c.lose_device)
      throw Find(CUDA_ERROR_DEVICE_UNAVAILABLE,
                 "device " + std::to_string(s.device) + " was lost at launch " + std::to_string(e.launches));
    auto bytes = Params(*entry.kernel, params, extra);
    const auto kernel = entry.kernel;
    e.Enqueue(s, "kernel '" + kernel->name + "'", [=, &e, device = s.device, &c](const Order& order) {
      Launch launch;
      launch.kernel = kernel.get();
      std::copy_n(shape.grid, 3, launch.grid);
      std::copy_n(shape.block, 3, launch.block);
      launch.dynamic_shared = shape.shared;
      launch.params = bytes;
      launch.memory = &Memory::Get();
      launch.order = &order;
      launch.device = device;
      launch.cooperative = shape.cooperative;
      launch.limit = c.limit;
      RunLaunch(launch);
      e.counters.Add(launch.counters);
    });
  });
}

int Registers(const Kernel& k) {
  return static_cast<int>(std::clamp<uint64_t>(k.register_bytes / (4 * kLanes), 16, 255));
}

}  // namespace
}  // namespace fakecuda

using namespace fakecuda;

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned n, int* options, void** values) {
  std::string text;
  const CUresult result = Call([&](Engine& e) {
    Require(module && image);
    e.Unsafe("cuModuleLoadData");
    const auto* bytes = static_cast<const unsigned char*>(image);
    if (bytes[0] == 0x7f || bytes[0] == 0x50 || bytes[0] == 0xba) {
      text = "expected PTX text, got a binary";
      throw ApiError{CUDA_ERROR_NO_BINARY_FOR_GPU};
    }
    try {
      *module = reinterpret_cast<CUmodule>(*Modules().insert(Load(e, static_cast<const char*>(image)).release()).first);
    } catch (const PtxError& error) {
      text = error.what();
      throw ApiError{text.find("newer than the driver") != std::string::npos ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION
                                                                             : CUDA_ERROR_INVALID_PTX};
    }
  });
  Report(text, n, options, values);
  return result;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleUnload(CUmodule module) {
  return Call([&](Engine& e) {
    Module& m = ModuleOf(module);
    e.RunAll();
    for (const auto& [name, a] : m.variables) Memory::Get().Free(a, "cuModuleUnload");
    Modules().erase(&m);
    delete &m;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return Call([&](Engine&) {
    Module& m = ModuleOf(module);
    const auto it = m.entries.find(name);
    Require(it != m.entries.end(), CUDA_ERROR_NOT_FOUND);
    *function = reinterpret_cast<CUfunction>(it->second.get());
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name) {
  return Call([&](Engine&) {
    Module& m = ModuleOf(module);
    const auto it = m.variables.find(name);
    Require(it != m.variables.end(), CUDA_ERROR_NOT_FOUND);
    if (pointer) *pointer = it->second->address;
    if (bytes) *bytes = it->second->size;
  });
}

CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction function) {
  return Call([&](Engine&) {
    const Entry& entry = EntryOf(function);
    const Kernel& k = *entry.kernel;
    switch (attribute) {
      case 0: *value = static_cast<int>(k.max_threads); break;
      case 1: *value = static_cast<int>(k.static_shared); break;
      case 2: *value = 0; break;
      case 3: *value = static_cast<int>(k.local_bytes); break;
      case 4: *value = Registers(k); break;
      case 5:
      case 6: *value = Config::Get().capability; break;
      case 8: *value = entry.dynamic_limit; break;
      default: throw ApiError{CUDA_ERROR_INVALID_VALUE};
    }
  });
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  return Call([&](Engine&) {
    Entry& entry = EntryOf(function);
    const int most = Config::Get().capability >= 90 ? 227 << 10 : Config::Get().capability >= 80 ? 163 << 10 : 64 << 10;
    if (attribute == 8) {
      Require(value >= 0 && value + static_cast<int>(entry.kernel->static_shared) <= most);
      entry.dynamic_limit = std::max(value, 48 << 10);
    } else {
      Require(attribute == 9);  // a preference
    }
  });
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream stream, void** params, void** extra) {
  return LaunchKernel(function, {{gx, gy, gz}, {bx, by, bz}, shared, false}, stream, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, CUstream stream, void** params) {
  return LaunchKernel(function, {{gx, gy, gz}, {bx, by, bz}, shared, true}, stream, params, nullptr);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return Call(
      [&](Engine& e) { e.Enqueue(e.Resolve(stream), "cuLaunchHostFunc", [=](const Order&) { function(data); }); });
}

CUresult fakecudaHold(CUstream stream, bool (*ready)(void* data), void* data) {
  return Call([&](Engine& e) {
    Stream& s = e.Resolve(stream);
    Require(!s.capture);
    e.Enqueue(s, "fakecudaHold", [](const Order&) {});
    s.queue.back().ready = [=] { return ready(data); };
  });
}
CUresult fakecudaAdvance(CUstream stream) {
  return Call([&](Engine& e) { e.Advance(e.Resolve(stream)); });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads, size_t shared) {
  return Call([&](Engine&) {
    const Kernel& k = *EntryOf(function).kernel;
    Require(threads > 0 && threads <= 1024);
    const int warps = (threads + 31) / 32, per_sm = Config::Get().capability >= 80 ? 64 : 32;
    const size_t bytes = k.static_shared + shared + 1024;
    *blocks = std::min({per_sm / warps, 65536 / ((Registers(k) + 7) / 8 * 8 * 32 * warps),
                        static_cast<int>((228u << 10) / bytes), 32});
  });
}
}
