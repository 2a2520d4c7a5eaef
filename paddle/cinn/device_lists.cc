// SPDX-License-Identifier: Apache-2.0
// Primitives whose results are lists, and functions of numbers, on NVIDIA GPUs.
#include "paddle/cinn/device_launch.h"

namespace cinn {
namespace {

using phi::DataType;

// What elements compared with 0 are named in kernels.
const char* ElementName(DataType t) {
  switch (t) {
    case DataType::BOOL: return "b";
    case DataType::INT8: return "i8";
    case DataType::UINT8: return "u8";
    case DataType::INT16: return "i16";
    case DataType::COMPLEX64: return "c64";
    case DataType::COMPLEX128: return "c128";
    default: return NumberName(t);
  }
}

}  // namespace

void ListForms::ForEach(const char* what, DataType t, int64_t n, const std::vector<const void*>& addresses,
                        const std::vector<int64_t>& numbers) const {
  Each(t == DataType::UNDEFINED ? std::string("device_") + what : KernelOf(what, t), n, addresses, numbers);
}

int64_t ListForms::Chosen(DataType t, const void* x, int64_t n, std::shared_ptr<void>* at) const {
  constexpr int64_t kPiece = 64;  // device_lists.inc.h has the same
  const char* name = ElementName(t);
  if (!name) throw phi::NoDeviceForm{"a dtype without such kernels"};
  if (n == 0) return 0;
  // Counts of pieces, of pieces of these, and so on.
  struct Level {
    std::shared_ptr<void> counts;
    int64_t n;
  };
  const auto pieces = [](int64_t of) { return (of + kPiece - 1) / kPiece; };
  std::vector<Level> levels = {{Room(pieces(n) * 8), pieces(n)}};
  Each(std::string("device_chosen_count_") + name, pieces(n), {x, levels[0].counts.get()}, {n});
  while (levels.back().n > kPiece) {
    const Level below = levels.back();
    levels.push_back({Room(pieces(below.n) * 8), pieces(below.n)});
    Each("device_piece_sums", pieces(below.n), {below.counts.get(), levels.back().counts.get()}, {below.n});
  }
  const auto total = Room(8);
  for (size_t k = levels.size(); k-- > 0;)
    Each("device_piece_starts", pieces(levels[k].n),
         {levels[k].counts.get(), k + 1 < levels.size() ? levels[k + 1].counts.get() : nullptr,
          k == 0 ? total.get() : nullptr},
         {levels[k].n});
  int64_t count = 0;
  Fetch(total.get(), sizeof(count), &count);
  *at = Room(count * 8);
  Each(std::string("device_chosen_places_") + name, pieces(n), {x, levels[0].counts.get(), at->get()}, {n});
  return count;
}

int64_t ListForms::Gamma(int64_t kind, int64_t n, const double* a, const double* x, double* out) const {
  const Wrong wrong(*this);
  Each("device_gamma", n, {a, x, out, wrong.at()}, {n, kind, wrong.instead()});
  return wrong.Least();
}

}  // namespace cinn
