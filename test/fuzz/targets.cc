// SPDX-License-Identifier: Apache-2.0
// libFuzzer targets for the readers of files: FUZZ_TARGET is Json, Params, Desc, Text or Kernel. Input may be refused
// with common::Error; anything else (another exception, a crash, a leak, much memory) is a defect. A program that is
// read must survive being written.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "paddle/cinn/runtime/disk_cache.h"
#include "paddle/common/error.h"
#include "paddle/pir/io/parser.h"
#include "paddle/pir/io/printer.h"
#include "paddle/pir/serialize/params.h"
#include "paddle/pir/serialize/program_desc.h"
#include "paddle/pir/serialize/program_json.h"

namespace {

void Json(std::string_view text) {
  pir::LoadedProgram p = pir::ReadProgramJson(text);
  std::string again;
  try {
    again = pir::WriteProgramJson(*p.program);
  } catch (const common::Error&) { return; }
  pir::ReadProgramJson(again);
}

void Params(std::string_view bytes) {
  pir::ParamsReader reader(bytes);
  uint64_t sum = 0;
  while (!reader.AtEnd()) {
    pir::RawTensor t = reader.Next();
    if (t.size) sum += static_cast<const uint8_t*>(t.data)[0] + static_cast<const uint8_t*>(t.data)[t.size - 1];
  }
  if (sum == UINT64_MAX) std::abort();
}

void Desc(std::string_view bytes) { pir::ReadProgramDesc(bytes); }

void Text(std::string_view text) { pir::ParseProgram(pir::Print(*pir::ParseProgram(text))); }

// A file of the kernel cache; and what is stored comes back.
void Kernel(std::string_view bytes) {
  static const std::string folder = [] {
    char name[] = "/tmp/fuzz_kernels_XXXXXX";
    return std::string(mkdtemp(name));
  }();
  cinn::DiskCache cache(folder);
  const std::string key(bytes.substr(0, bytes.size() / 4)), path = cache.PathOf(key);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) std::abort();
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  if (cache.Get(key)) std::abort();  // no input holds a quarter of itself as its key
  cache.Put(key, std::string(bytes));
  if (cache.Get(key) != bytes) std::abort();
  ::unlink(path.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    FUZZ_TARGET(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const common::Error&) {}
  return 0;
}
