// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/nccl/nccl_api.h"

#include "paddle/phi/backends/gpu/library.h"

namespace paddle::distributed::nccl {
namespace {

constexpr int kLeastVersion = 21200;

struct Found {
  Api api;
  std::string why;
  Found() {
    phi::gpu::Library library = phi::gpu::OpenLibrary({"libnccl.so.2"}, "FLAGS_nccl_dir", "nccl");
    api.path = library.path;
#define PADDLE_NCCL_LOOK_UP(name, symbol, args) api.name = reinterpret_cast<Result(*) args>(library.Find(#symbol));
    PADDLE_NCCL_FUNCTIONS(PADDLE_NCCL_LOOK_UP)
#undef PADDLE_NCCL_LOOK_UP
    api.GetErrorString = reinterpret_cast<const char* (*)(Result)>(library.Find("ncclGetErrorString"));
    why = library.Why();
    if (why.empty() && (api.GetVersion(&api.version) != kSuccess || api.version < kLeastVersion))
      why = api.path + " is version " + std::to_string(api.version) + ", expected " + std::to_string(kLeastVersion) +
            " or newer";
  }
};
const Found& TheFound() {
  static const auto* found = new Found;
  return *found;
}

}  // namespace

const Api* Find() { return TheFound().why.empty() ? &TheFound().api : nullptr; }
const std::string& WhyNot() { return TheFound().why; }

}  // namespace paddle::distributed::nccl
