// SPDX-License-Identifier: Apache-2.0
// NVIDIA's libraries beside the driver, found and opened when they are first asked for. None is needed.
#pragma once

#include <string>

namespace phi::gpu {

struct Library {
  void* handle = nullptr;  // of dlopen; null: none was found
  std::string path;        // the file it was opened from
  std::string tried;       // why none was, file by file
};

// Looks for `soname` ("libnccl.so.2"): in the folder that the variable `flag` names, and nowhere else where that is
// set, or where FLAGS_cuda_driver names a driver, which these libraries would not go by; among the libraries of the
// process; in `nvidia/<package>/lib` beside this package and below `nvidia/cu13/lib`; in lib64 and lib of CUDA_HOME and
// CUDA_PATH; where the system's loader looks.
Library OpenLibrary(const char* soname, const char* flag, const char* package);

}  // namespace phi::gpu
