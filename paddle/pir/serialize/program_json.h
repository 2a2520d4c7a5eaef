// SPDX-License-Identifier: Apache-2.0
// Programs as PaddlePaddle's `.json` files (format version 4): what jit.save and save_inference_model write.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "paddle/pir/core/program.h"

namespace pir {

struct LoadedProgram {
  std::unique_ptr<Program> program;
  int64_t version = 0;
  bool trainable = false;
};

// Throws InvalidArgument naming `origin` and the path inside the document, e.g.
// "program.regions[0].blocks[0].ops[3].I[0]". Unknown ops get a placeholder OpInfo; unknown "dist" attributes are
// dropped. Each -1 extent becomes a symbol that differs from the others of the program.
LoadedProgram ReadProgramJson(std::string_view text, const std::string& origin = "<memory>");
LoadedProgram ReadProgramJsonFile(const std::string& path);

struct WriteJsonOptions {
  bool trainable = true;  // also writes stop_gradient and persistable of results
  bool readable = false;  // indented instead of one line
};
// cf.stack_create, tuple_push and tuple_pop are left out, as in PaddlePaddle; a program whose other ops use their
// results cannot be written (Unimplemented).
std::string WriteProgramJson(const Program& program, const WriteJsonOptions& options = {});
// Writes beside `path` and renames, so that a reader never sees half a file.
void WriteProgramJsonFile(const Program& program, const std::string& path, const WriteJsonOptions& options = {});

// Names of the builtin.parameter ops that are kept in .pdiparams, sorted: the order of its records. Parameters marked
// as not persistable (the dropout state of recurrent layers) are not in the file.
std::vector<std::string> SortedParameterNames(const Program& program);

}  // namespace pir
