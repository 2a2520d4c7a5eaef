// SPDX-License-Identifier: Apache-2.0
// Hashes of rows of integers: XXH64 (Collet, https://github.com/Cyan4973/xxHash) of their bytes.
#include <bit>
#include <cstring>

#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"

namespace phi {

namespace {

constexpr uint64_t kP1 = 0x9E3779B185EBCA87, kP2 = 0xC2B2AE3D27D4EB4F, kP3 = 0x165667B19E3779F9,
                   kP4 = 0x85EBCA77C2B2AE63, kP5 = 0x27D4EB2F165667C5;

uint64_t Round(uint64_t acc, uint64_t word) { return std::rotl(acc + word * kP2, 31) * kP1; }

template <class T>
T Read(const uint8_t*& p) {
  T v;
  std::memcpy(&v, p, sizeof(T));
  p += sizeof(T);
  return v;
}

uint64_t Hash(const uint8_t* p, uint64_t size, uint64_t seed) {
  const uint8_t* end = p + size;
  uint64_t h = seed + kP5;
  if (size >= 32) {
    uint64_t acc[4] = {seed + kP1 + kP2, seed + kP2, seed, seed - kP1};
    while (end - p >= 32)
      for (uint64_t& a : acc) a = Round(a, Read<uint64_t>(p));
    h = std::rotl(acc[0], 1) + std::rotl(acc[1], 7) + std::rotl(acc[2], 12) + std::rotl(acc[3], 18);
    for (uint64_t a : acc) h = (h ^ Round(0, a)) * kP1 + kP4;
  }
  h += size;
  while (end - p >= 8) h = std::rotl(h ^ Round(0, Read<uint64_t>(p)), 27) * kP1 + kP4;
  if (end - p >= 4) h = std::rotl(h ^ (Read<uint32_t>(p) * kP1), 23) * kP2 + kP3;
  while (p < end) h = std::rotl(h ^ (Read<uint8_t>(p) * kP5), 11) * kP1;
  h = (h ^ (h >> 33)) * kP2;
  h = (h ^ (h >> 29)) * kP3;
  return h ^ (h >> 32);
}

}  // namespace

void hash_infer(const Meta& x, int64_t count, int64_t mod_by, bool, Meta& out) {
  PD_CHECK(x.dtype == DataType::INT32 || x.dtype == DataType::INT64, InvalidType,
           "[hash] expected x of int32 or int64, got ", NameOf(x.dtype));
  PD_CHECK(x.dims.size() == 2, InvalidArgument, "[hash] expected x [rows, numbers], got shape ",
           common::ShapeText(x.dims));
  PD_CHECK(count > 0 && mod_by > 0, InvalidArgument, "[hash] expected num_hash and mod_by above 0, got ", count,
           " and ", mod_by);
  out = {Dims{x.dims[0], Dim(count), Dim(1)}, x.dtype};
}
void hash_kernel(const Tensor& x, int64_t count, int64_t mod_by, bool, Tensor& out) {
  const uint64_t bytes = static_cast<uint64_t>(x.dim(1)) * SizeOf(x.dtype());
  const auto* row = static_cast<const uint8_t*>(x.raw_data());
  auto run = [&](auto tag) {
    using T = decltype(tag);
    for (int64_t k = 0; k < x.dim(0); ++k, row += bytes)
      for (int64_t seed = 0; seed < count; ++seed)
        out.data<T>()[k * count + seed] =
            static_cast<T>(Hash(row, bytes, static_cast<uint64_t>(seed)) % static_cast<uint64_t>(mod_by));
  };
  x.dtype() == DataType::INT64 ? run(int64_t{}) : run(int32_t{});
}

}  // namespace phi
