// SPDX-License-Identifier: Apache-2.0
// NVIDIA's libraries beside the driver, found and opened when they are first asked for. None is needed.
#pragma once

#include <initializer_list>
#include <string>

namespace phi::gpu {

struct Library {
  void* handle = nullptr;  // of dlopen; null: none was found
  std::string path;        // the file it was opened from
  std::string tried;       // why none was, file by file
  std::string missing;     // functions that were looked up and are not there

  // The function of that name; null where there is none.
  void* Find(const char* symbol);
  // The same of one that may be absent.
  void* FindIfThere(const char* symbol) const;
  // Why it cannot be used; empty: every function that was looked up is there.
  std::string Why() const;
};

// Looks for a library of one of these names ("libnccl.so.2"), one after another: in the folder that the variable `flag`
// names, and nowhere else where that is set, or where FLAGS_cuda_driver names a driver, which these libraries would not
// go by; among the libraries of the process; in `nvidia/<package>/lib` beside this package and below `nvidia/cu13/lib`;
// in lib64 and lib of CUDA_HOME and CUDA_PATH; where the system's loader looks.
Library OpenLibrary(std::initializer_list<const char*> names, const char* flag, const char* package);

// With FLAGS_gpu_explain=1, or in the log of level 1: how something is done.
void SayHow(const std::string& what, const std::string& how);

}  // namespace phi::gpu
