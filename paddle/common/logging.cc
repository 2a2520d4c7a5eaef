// SPDX-License-Identifier: Apache-2.0
#include "paddle/common/logging.h"

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace common {
namespace {

int FromEnvironment() {
  for (const char* name : {"FLAGS_v", "GLOG_v"})
    if (const char* text = std::getenv(name); text && *text) return std::atoi(text);
  return 0;
}

}  // namespace

std::atomic<int> g_verbosity{FromEnvironment()};

bool ExplainsDevices() {
  static const bool explains = [] {
    const char* flag = std::getenv("FLAGS_gpu_explain");
    return flag && *flag && *flag != '0';
  }();
  return explains;
}

LogLine::LogLine(const char* file, int line) {
  timeval now;
  gettimeofday(&now, nullptr);
  tm t;
  localtime_r(&now.tv_sec, &t);
  const char* slash = std::strrchr(file, '/');
  char head[160];
  std::snprintf(head, sizeof head, "I%02d%02d %02d:%02d:%02d.%06ld %5ld %.60s:%d] ", t.tm_mon + 1, t.tm_mday, t.tm_hour,
                t.tm_min, t.tm_sec, static_cast<long>(now.tv_usec), syscall(SYS_gettid), slash ? slash + 1 : file,
                line);
  text_ << head;
}

LogLine::~LogLine() {
  text_ << '\n';
  const std::string line = text_.str();
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace common
