// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/runtime/build_id.h"

#include <dlfcn.h>
#include <sys/stat.h>

namespace cinn {

std::string BuildId() {
  static const char anchor = 0;
  Dl_info info;
  struct stat st;
  if (dladdr(&anchor, &info) && info.dli_fname && stat(info.dli_fname, &st) == 0)
    return std::to_string(st.st_size) + "." + std::to_string(st.st_mtim.tv_sec) + "." +
           std::to_string(st.st_mtim.tv_nsec);
  return "0";
}

}  // namespace cinn
