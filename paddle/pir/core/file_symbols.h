// SPDX-License-Identifier: Apache-2.0
// The symbols that stand for the -1 extents of a program that is read. Readers draw the same ones for every program, so
// that symbols and types, which live as long as the process, grow with the largest program instead of with the number
// of reads.
#pragma once

#include <mutex>
#include <vector>

#include "paddle/common/dim.h"

namespace pir {

class FileSymbols {
 public:
  // Differs from all others this object gave. Programs of other readers use it too: equal symbols say something only
  // within one program.
  common::Dim Next() {
    static std::mutex mutex;
    static auto* pool = new std::vector<common::Dim>;
    std::lock_guard<std::mutex> lock(mutex);
    if (next_ == pool->size()) pool->push_back(common::NewSymbol());
    return (*pool)[next_++];
  }

 private:
  size_t next_ = 0;
};

}  // namespace pir
