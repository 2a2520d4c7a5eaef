// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/op_watch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "paddle/phi/core/device.h"
#include "paddle/phi/core/number_log.h"
#include "paddle/phi/core/thread_state.h"

namespace phi {

constinit std::atomic<uint32_t> g_op_watch{0};

// Events of one thread; outlives it.
struct EventLog {
  std::mutex mutex;
  uint32_t thread = 0;
  std::vector<OpEvent> events;
};

namespace {

struct Shared {
  std::mutex mutex;
  std::vector<std::unique_ptr<EventLog>> logs;  // of all threads, for good
  std::unordered_set<std::string> names;
  NumberCheck check;
  std::string folder;  // of the lines of the check
  std::map<std::string, std::array<int64_t, 4>> types;
};
Shared& Common() {
  static auto* s = new Shared;
  return *s;
}

std::string_view Interned(std::string_view name) {
  Shared& s = Common();
  std::lock_guard<std::mutex> lock(s.mutex);
  return *s.names.emplace(name).first;
}

EventLog& LogOfThread() {
  if (!t_state.events) {
    Shared& s = Common();
    std::lock_guard<std::mutex> lock(s.mutex);
    s.logs.push_back(std::make_unique<EventLog>());
    s.logs.back()->thread = static_cast<uint32_t>(s.logs.size() - 1);
    t_state.events = s.logs.back().get();
  }
  return *t_state.events;
}

void Add(OpEvent e) {
  EventLog& log = LogOfThread();
  e.thread = log.thread;
  e.name = Interned(e.name);
  std::lock_guard<std::mutex> lock(log.mutex);
  log.events.push_back(e);
}

struct Numbers {
  int64_t count = 0, nan = 0, inf = 0, zero = 0;
  double max = -INFINITY, min = INFINITY, sum = 0;
};

template <class T>
Numbers Look(const T* p, int64_t n) {
  Numbers r;
  r.count = n;
  for (int64_t i = 0; i < n; ++i) {
    const double v = static_cast<double>(p[i]);
    r.nan += std::isnan(v);
    r.inf += std::isinf(v);
    r.zero += v == 0;
    r.max = std::isnan(v) || v > r.max ? v : r.max;
    r.min = std::isnan(v) || v < r.min ? v : r.min;
    r.sum += v;
  }
  return r;
}

const char* ShortName(DataType t) {
  switch (t) {
    case DataType::FLOAT16: return "fp16";
    case DataType::BFLOAT16: return "bf16";
    case DataType::FLOAT32: return "fp32";
    case DataType::FLOAT64: return "fp64";
    default: return NameOf(t).data();
  }
}

bool Has(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Adds a line to the file of a device, if there is a folder for it.
bool Logged(std::string device, const std::string& line) {
  Shared& s = Common();
  std::lock_guard<std::mutex> lock(s.mutex);
  if (s.folder.empty()) return false;
  std::replace(device.begin(), device.end(), ':', '.');
  const std::string path = s.folder + "/worker_" + device;
  FILE* f = std::fopen(path.c_str(), "a");
  PD_CHECK(f, PreconditionNotMet, "[check_numerics] expected a file that can be written, got ", path);
  const bool whole = std::fwrite(line.data(), 1, line.size(), f) == line.size();
  PD_CHECK((std::fclose(f) == 0) && whole, ResourceExhausted, "[check_numerics] expected room for a line, got none in ",
           path);
  return true;
}

void CheckNumbers(std::string_view name, const Tensor& t) {
  const NumberCheck check = GetNumberCheck();
  if ((!check.only.empty() && !Has(check.only, name)) || Has(check.skip, name)) return;
  if (name == "empty" || name == "empty_like" || name == "to_tensor" || t.numel() == 0) return;  // not computed
  const DataType dtype = t.dtype();
  const Tensor host = ToHost(t);
  const Tensor x = Contiguous(IsHalf(dtype) ? CastTo(host, DataType::FLOAT32) : host);
  const int64_t n = x.numel();
  Numbers r;
  switch (x.dtype()) {
    case DataType::FLOAT32: r = Look(x.data<float>(), n); break;
    case DataType::FLOAT64: r = Look(x.data<double>(), n); break;
    case DataType::COMPLEX64: r = Look(x.data<float>(), 2 * n); break;
    case DataType::COMPLEX128: r = Look(x.data<double>(), 2 * n); break;
    default: return;
  }
  const bool bad = r.nan || r.inf;
  const bool wide = dtype == DataType::FLOAT32 && std::max(std::fabs(r.max), std::fabs(r.min)) > 65504;
  if (!bad && !(check.level == 2 && wide) && check.level < 3) return;
  char where[256], found[128], range[128];
  std::string device = PlaceText(t.place());  // Place(cpu)
  device = device.substr(6, device.size() - 7);
  std::snprintf(where, sizeof(where), "[device=%.40s, op=%.*s, tensor=, dtype=%s]", device.c_str(),
                static_cast<int>(std::min<size_t>(name.size(), 160)), name.data(), ShortName(dtype));
  std::snprintf(found, sizeof(found), "num_nan=%lld, num_inf=%lld, ", static_cast<long long>(r.nan),
                static_cast<long long>(r.inf));
  std::snprintf(range, sizeof(range), "num_zero=%lld, max=%e, min=%e, mean=%e", static_cast<long long>(r.zero), r.max,
                r.min, r.sum / static_cast<double>(r.count));
  const std::string line = std::string("[PRECISION] ") + (bad ? "[ERROR] " : "") + "in " + where +
                           ", numel=" + std::to_string(n) + ", " + (bad ? found : "") + range + "\n";
  if (Logged(device, line)) return;
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
  PD_CHECK(!bad || check.level > 0, PreconditionNotMet, "[check_numerics] expected finite numbers in ", where,
           ", got num_nan=", r.nan, ", num_inf=", r.inf, ", num_zero=", r.zero);
}

}  // namespace

void WatchOps(OpWatchKind kind, bool on) {
  if (on)
    g_op_watch.fetch_or(kind);
  else
    g_op_watch.fetch_and(~static_cast<uint32_t>(kind));
}

int64_t OpClock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void AddUserEvent(std::string_view name, uint8_t type, int64_t begin, int64_t end) {
  Add({name, OpFrom::kUser, type, 0, begin, end});
}

std::vector<OpEvent> TakeOpEvents() {
  std::vector<EventLog*> logs;
  {
    Shared& s = Common();
    std::lock_guard<std::mutex> lock(s.mutex);
    for (auto& log : s.logs) logs.push_back(log.get());
  }
  std::vector<OpEvent> all;
  for (auto& log : logs) {
    std::lock_guard<std::mutex> lock(log->mutex);
    all.insert(all.end(), log->events.begin(), log->events.end());
    log->events.clear();
    log->events.shrink_to_fit();
  }
  return all;
}

void SetNumberCheck(NumberCheck check) {
  Shared& s = Common();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.check = std::move(check);
}

void SetNumberLog(std::string folder) {
  Shared& s = Common();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.folder = std::move(folder);
}

NumberCheck GetNumberCheck() {
  Shared& s = Common();
  std::lock_guard<std::mutex> lock(s.mutex);
  return s.check;
}

std::map<std::string, std::array<int64_t, 4>> TakeTypeCounts() {
  Shared& s = Common();
  std::lock_guard<std::mutex> lock(s.mutex);
  return std::exchange(s.types, {});
}

OpScope::OpScope(std::string_view name, OpFrom from)
    : name_(name),
      from_(from),
      watch_(g_op_watch.load(std::memory_order_relaxed)),
      begin_(watch_ & kWatchTime ? OpClock() : 0) {}

OpScope::~OpScope() {
  if (watch_ & kWatchTime) Add({name_, from_, 0, 0, begin_, OpClock()});
}

void OpScope::Result(const Tensor& t) {
  if (!t.defined() || t->kind() != ImplKind::kDense) return;
  if ((watch_ & kWatchTypes) && from_ != OpFrom::kBackward) {
    const DataType d = t.dtype();
    Shared& s = Common();
    std::lock_guard<std::mutex> lock(s.mutex);
    ++s.types[std::string(name_)][d == DataType::FLOAT16    ? 0
                                  : d == DataType::BFLOAT16 ? 1
                                  : d == DataType::FLOAT32  ? 2
                                                            : 3];
  }
  if ((watch_ & kWatchNumbers) && t->storage()) CheckNumbers(name_, t);
}

std::string GradOpName(std::string_view node) {
  if (node.ends_with("GradNode")) node.remove_suffix(8);
  std::string s;
  for (size_t i = 0; i < node.size(); ++i) {
    const char c = node[i];
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && i && s.back() != '_') s += '_';
    s += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return s + "_grad";
}

}  // namespace phi
