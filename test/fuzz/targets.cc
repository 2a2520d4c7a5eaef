// SPDX-License-Identifier: Apache-2.0
// libFuzzer targets for the readers of files: FUZZ_TARGET is json, params, desc or text. Input may be refused with
// common::Error; anything else (another exception, a crash, a leak, much memory) is a defect. A program that is read
// must survive being written.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    FUZZ_TARGET(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const common::Error&) {}
  return 0;
}
