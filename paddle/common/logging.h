// SPDX-License-Identifier: Apache-2.0
// Verbose logging in glog's form and under its settings: PD_VLOG(n) << ... writes a line to stderr when n is at most
// the verbosity, which GLOG_v or FLAGS_v in the environment, or set_flags({'FLAGS_v': n}), gives.
#pragma once

#include <atomic>
#include <sstream>

namespace common {

extern std::atomic<int> g_verbosity;

// Whether FLAGS_gpu_explain asks for lines on stderr that say how each operation runs on a device.
bool ExplainsDevices();

// One line: "I1121 07:54:06.123456  1234 plan.cc:12] text", written at once when it ends.
class LogLine {
 public:
  LogLine(const char* file, int line);
  ~LogLine();
  std::ostream& stream() { return text_; }
  LogLine(const LogLine&) = delete;

 private:
  std::ostringstream text_;
};

}  // namespace common

#define PD_VLOG(n)                                                 \
  if ((n) > common::g_verbosity.load(std::memory_order_relaxed)) { \
  } else /* NOLINT */                                              \
    common::LogLine(__FILE__, __LINE__).stream()
