// SPDX-License-Identifier: Apache-2.0
// Shared memory. A shadow value of a byte: the epoch between barriers of the block (9 bits), the epoch between
// synchronisations of the warp (11), whether several lanes and several warps (1 each), the warp and the lane (5 each).
#include <algorithm>
#include <bit>
#include <cstring>

#include "device/fakecuda/access.h"
#include "device/fakecuda/cuda_api.h"

namespace fakecuda {
namespace {

constexpr uint32_t kManyLanes = 1 << 11, kManyWarps = 1 << 10, kOutside = ~0u, kLastEpoch = 510;
uint32_t EpochOf(uint32_t s) { return s >> 23; }

// Extra passes over the banks: the most distinct words of one bank, per group of lanes that is served together.
uint64_t Conflicts(uint32_t mask, uint32_t bytes, const Lanes& lanes) {
  const int served = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  if (bytes <= 4) {  // within a line of all banks none is met twice
    uint64_t apart = 0;
    const uint64_t line = lanes.address[std::countr_zero(mask)] / 128;
    for (int l = 0; l < kLanes; ++l) apart |= (mask >> l) & 1 ? lanes.address[l] / 128 ^ line : 0;
    if (!apart) return 0;
  }
  uint64_t extra = 0;
  for (int first = 0; first < kLanes; first += served) {
    uint32_t of_bank[kLanes], used = 0;  // most accesses meet no bank twice
    bool meet = false;
    for (int l = first; l < first + served && !meet; ++l) {
      if (!((mask >> l) & 1)) continue;
      for (uint32_t k = 0; k < std::max(bytes / 4, 1u); ++k) {
        const auto word = static_cast<uint32_t>(lanes.address[l] / 4 + k);
        const uint32_t bank = word & 31;
        if (!((used >> bank) & 1)) of_bank[bank] = word;
        used |= 1u << bank;
        meet |= of_bank[bank] != word;
      }
    }
    if (!meet) continue;
    uint32_t words[kLanes][kLanes];
    uint8_t n[kLanes] = {};
    uint8_t most = 0;
    for (int l = first; l < first + served; ++l) {
      if (!((mask >> l) & 1)) continue;
      for (uint32_t k = 0; k < std::max(bytes / 4, 1u); ++k) {
        const auto word = static_cast<uint32_t>(lanes.address[l] / 4 + k);
        const uint32_t bank = word & 31;
        if (std::find(words[bank], words[bank] + n[bank], word) != words[bank] + n[bank]) continue;
        words[bank][n[bank]++] = word;
        most = std::max(most, n[bank]);
      }
    }
    if (most > 1) extra += most - 1u;
  }
  return extra;
}

// Whether four bytes have the same shadow.
bool Alike(const uint32_t* s) {
  uint64_t two[2];
  std::memcpy(two, s, sizeof(two));
  return two[0] == two[1] && static_cast<uint32_t>(two[0]) == static_cast<uint32_t>(two[0] >> 32);
}

class Shadow {
 public:
  Shadow(Warp& w, int lane)
      : block_(*w.block), own_(block_.epoch << 23 | w.sync_epoch << 12 | w.index << 5 | static_cast<uint32_t>(lane)) {}

  // Whether an access recorded as s may be at odds with this one.
  bool Races(uint32_t s) const {
    if (s == own_ || EpochOf(s) != block_.epoch) return false;
    if ((s & kManyWarps) || ((s ^ own_) & (31 << 5))) return true;
    if ((s ^ own_) & (0x7ff << 12)) return false;
    return (s & kManyLanes) || ((s ^ own_) & 31);
  }

  const char* Read(uint32_t* written, uint32_t* read) const {
    if (*written == kOutside) return "outside of a variable";
    if (EpochOf(*written) < block_.first_epoch) return "of shared memory that was never written";
    if (Races(*written)) return "races with the write";
    const uint32_t r = *read;
    if (EpochOf(r) != block_.epoch) {
      *read = own_;
    } else if (r != own_ && !(r & kManyWarps) && ((r ^ own_) & ~31u) != kManyLanes) {  // else it says no less
      const uint32_t warps = (r ^ own_) & (31 << 5) ? kManyWarps : 0;
      *read = own_ | warps | kManyLanes;
    }
    return nullptr;
  }

  const char* Write(uint32_t* written, const uint32_t* read, bool same) const {
    if (*written == kOutside) return "outside of a variable";
    if (!same && EpochOf(*written) >= block_.first_epoch && Races(*written)) return "races with the write";
    if (!same && EpochOf(*read) >= block_.first_epoch && Races(*read)) return "races with the read";
    *written = own_;
    return nullptr;
  }

  std::string Other(uint32_t s) const {
    if (s & kManyWarps) return " by several warps";
    return " by thread " + block_.ThreadName(block_.warps[(s >> 5) & 31], static_cast<int>(s & 31));
  }

 private:
  Block& block_;
  uint32_t own_;
};

}  // namespace

void Block::NextEpoch() {
  if (++epoch <= kLastEpoch) return;
  // What this block wrote stays written; who wrote it no longer matters.
  for (size_t i = 0; i < shared_written.size(); ++i) {
    if (shared_written[i] != kOutside) shared_written[i] = EpochOf(shared_written[i]) >= first_epoch ? 1u << 23 : 0;
    shared_read[i] = 0;
  }
  first_epoch = 1;
  epoch = 2;
}

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void Refuse(const Warp& w, int lane, uint64_t address, uint32_t bytes,
                                                   Touch touch, const std::string& why,
                                                   int result = CUDA_ERROR_ILLEGAL_ADDRESS) {
  const char* name = touch == Touch::kRead ? "read" : touch == Touch::kWrite ? "write" : "atomic operation";
  std::string near = ", outside of all variables";
  for (const auto& v : w.launch->kernel->shared) {
    if (address >= v.offset && address < v.offset + v.size + 32)
      near = ", '" + v.name + "' + " + std::to_string(address - v.offset);
  }
  if (w.launch->dynamic_shared && address >= w.launch->kernel->dynamic_base) {
    near = ", dynamic shared memory + " + std::to_string(address - w.launch->kernel->dynamic_base);
  }
  w.Fail(result, lane,
         std::string(name) + " of " + std::to_string(bytes) + " bytes at shared address " + std::to_string(address) +
             near + " " + why);
}

}  // namespace

void CheckShared(Warp& w, uint32_t mask, uint32_t bytes, Touch touch, Lanes& lanes, const uint8_t* values) {
  Block& block = *w.block;
  const uint64_t size = block.shared.size();
  for (uint32_t m = mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint64_t address = lanes.address[l];
    if (address + bytes > size || address + bytes < address)
      Refuse(w, l, address, bytes, touch, "outside of the block's shared memory");
    if (address & (bytes - 1) & 15)
      Refuse(w, l, address, bytes, touch, "is not aligned", CUDA_ERROR_MISALIGNED_ADDRESS);
    lanes.host[l] = block.shared.data() + address;
    const Shadow shadow(w, l);
    uint32_t *written = block.shared_written.data() + address, *read = block.shared_read.data() + address;
    const bool same = touch == Touch::kWrite && values &&
                      std::memcmp(lanes.host[l], values + static_cast<size_t>(l) * bytes, bytes) == 0;
    uint32_t step = 1;  // bytes that are checked as one
    for (uint32_t k = 0; k < bytes; k += step) {
      step = bytes - k >= 4 && Alike(written + k) && Alike(read + k) ? 4 : 1;
      if (touch == Touch::kAtomic) {  // the order of atomic operations is theirs
        if (written[k] == kOutside) Refuse(w, l, address, bytes, touch, "outside of a variable");
        if (EpochOf(written[k]) < block.first_epoch)
          Refuse(w, l, address, bytes, touch, "of shared memory that was never written");
        continue;
      }
      const uint32_t was = written[k], was_read = read[k];
      const char* wrong =
          touch == Touch::kRead ? shadow.Read(written + k, read + k) : shadow.Write(written + k, read + k, same);
      if (!wrong) {
        uint32_t* const made = (touch == Touch::kRead ? read : written) + k;
        if (step == 4 && (made[0] != (touch == Touch::kRead ? was_read : was))) made[1] = made[2] = made[3] = made[0];
        continue;
      }
      std::string why = wrong;
      if (why == "races with the write") why += shadow.Other(was);
      if (why == "races with the read") why += shadow.Other(was_read);
      Refuse(w, l, address, bytes, touch, why);
    }
  }
  Counters& c = block.worker.counters;
  ++c.shared_requests;
  c.bank_conflicts += Conflicts(mask, bytes, lanes);
}

}  // namespace fakecuda
