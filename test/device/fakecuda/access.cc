// SPDX-License-Identifier: Apache-2.0
#include "device/fakecuda/access.h"

#include <algorithm>
#include <bit>
#include <sstream>

#include "device/fakecuda/cuda_api.h"

namespace fakecuda {
namespace {

std::string Hex(uint64_t v) {
  std::ostringstream s;
  s << "0x" << std::hex << v;
  return s.str();
}

const char* Name(Touch t) { return t == Touch::kRead ? "read" : t == Touch::kWrite ? "write" : "atomic operation"; }

// What one operation (and block) does to shadows. Messages come from `fail`.
struct Toucher {
  const Order& order;
  uint32_t tag;  // id and block of this operation
  bool excused;  // no race with other blocks is reported
  bool atomic;

  // Empty when the access is in order.
  std::string Read(uint32_t* written, uint32_t* read, uint64_t n) const {
    const uint32_t first = written[0];
    uint32_t differ = 0, other_reader = 0;
    for (uint64_t i = 0; i < n; ++i) {
      differ |= written[i] ^ first;
      other_reader |= read[i] ^ tag;
    }
    if (differ) {
      for (uint64_t i = 0; i < n; ++i) {
        if (std::string s = ReadOf(written[i]); !s.empty()) return s;
      }
    } else if (std::string s = ReadOf(first); !s.empty()) {
      return s;
    }
    if (other_reader && !atomic) {
      for (uint64_t i = 0; i < n; ++i) {
        const bool shared = (read[i] >> kBlockBits) == order.id && read[i] != tag;
        read[i] = shared ? (tag | kManyBlocks) : tag;
      }
    }
    return "";
  }

  std::string Write(uint32_t* written, uint32_t* read, uint64_t n, const uint8_t* old, const uint8_t* value) const {
    const uint32_t own = atomic ? (tag & ~kBlockMask) | kAtomicBlock : tag;
    const uint32_t w = written[0], r = read[0];
    uint32_t differ = 0;
    for (uint64_t i = 0; i < n; ++i) differ |= (written[i] ^ w) | (read[i] ^ r);
    for (uint64_t i = 0; i < (differ ? n : 1); ++i) {
      const bool same = old && value && (differ ? old[i] == value[i] : std::equal(old, old + n, value));
      if (std::string s = WriteOf(written[i], read[i], same); !s.empty()) return s;
    }
    std::fill_n(written, n, own);
    return "";
  }

 private:
  std::string By(uint32_t shadow) const {
    const uint32_t id = shadow >> kBlockBits, block = shadow & kBlockMask;
    if (id != order.id) return order.names ? (*order.names)[id] : "another operation";
    if (block == kAtomicBlock) return "an atomic operation of another block";
    return block == kManyBlocks ? "other blocks" : "block " + std::to_string(block) + " of this launch";
  }
  std::string ReadOf(uint32_t w) const {
    if (w == 0) return "of memory that was never written";
    if (w == tag) return "";
    const uint32_t id = w >> kBlockBits;
    if (id != order.id)
      return order.ordered[id]
                 ? ""
                 : "is not ordered after the write by " + By(w) + " (no event or synchronisation between the streams)";
    if (excused || (atomic && (w & kBlockMask) == kAtomicBlock)) return "";
    return "races with the write by " + By(w);
  }
  std::string WriteOf(uint32_t w, uint32_t r, bool same) const {
    for (const auto& [shadow, verb] : {std::pair{w, "write"}, std::pair{r, "read"}}) {
      if (shadow == 0 || shadow == tag) continue;
      const uint32_t id = shadow >> kBlockBits;
      if (id != order.id) {
        if (!order.ordered[id]) {
          return std::string("is not ordered after the ") + verb + " by " + By(shadow) +
                 " (no event or synchronisation between the streams)";
        }
        continue;
      }
      if (excused || same || (atomic && (shadow & kBlockMask) == kAtomicBlock)) continue;
      return std::string("races with the ") + verb + " by " + By(shadow);
    }
    return "";
  }
};

[[noreturn]] void Illegal(const Warp& w, int lane, Touch touch, uint32_t bytes, uint64_t address,
                          const std::string& why, int result = CUDA_ERROR_ILLEGAL_ADDRESS) {
  w.Fail(result, lane,
         std::string(Name(touch)) + " of " + std::to_string(bytes) + " bytes at " + Hex(address) + " " + why);
}

// Distinct 32-byte sectors of a request.
uint64_t Sectors(uint32_t mask, uint32_t bytes, const Lanes& lanes, uint64_t low, uint64_t high) {
  if (lanes.adjacent || low == high) return (high + bytes - 1) / 32 - low / 32 + 1;
  uint64_t ids[2 * kLanes];
  int n = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint64_t a = lanes.address[std::countr_zero(m)];
    ids[n++] = a / 32;
    if ((a + bytes - 1) / 32 != a / 32) ids[n++] = (a + bytes - 1) / 32;
  }
  std::sort(ids, ids + n);
  return static_cast<uint64_t>(std::unique(ids, ids + n) - ids);
}

void CheckGlobal(Warp& w, const Instr& in, uint32_t mask, uint32_t bytes, Touch touch, Lanes& lanes,
                 const uint8_t* values) {
  Launch& launch = *w.launch;
  Block& block = *w.block;
  uint64_t low = ~0ull, high = 0, step = 0;
  for (int l = 0; l < kLanes; ++l) {
    const bool on = (mask >> l) & 1;
    low = std::min<uint64_t>(low, on ? lanes.address[l] : ~0ull);
    high = std::max<uint64_t>(high, on ? lanes.address[l] : 0);
    step |= lanes.address[l] ^ (lanes.address[0] + static_cast<uint64_t>(l) * bytes);
  }
  lanes.adjacent = mask == kAllLanes && step == 0;
  Worker::Range& range = block.worker.ranges[static_cast<size_t>(&in - launch.kernel->code.data())];
  const bool within = low >= range.begin && high + bytes <= range.end;
  const uint32_t tag = launch.order->id << kBlockBits | static_cast<uint32_t>(block.index % kAtomicBlock);
  const Toucher toucher{*launch.order, tag, block.fenced || (in.flags & kVolatile) != 0, touch == Touch::kAtomic};

  const auto allocation_of = [&](int lane) -> Allocation& {
    const uint64_t address = lanes.address[lane];
    Allocation* a = launch.memory->Find(address);
    if (!a || address + bytes > a->address + a->size)
      Illegal(w, lane, touch, bytes, address, launch.memory->Explain(a ? a->address + a->size : address));
    if (!a->live) Illegal(w, lane, touch, bytes, address, "in freed memory: " + a->Describe());
    const auto [begin, end] = a->Open(address, launch.device);
    if (address + bytes > end)
      Illegal(w, lane, touch, bytes, address, a->Closed(std::max(address, end), launch.device));
    range = {begin, end, a};
    return *a;
  };
  for (uint32_t m = mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint64_t address = lanes.address[l];
    if (address & (bytes - 1) & 15)
      Illegal(w, l, touch, bytes, address, "is not aligned; " + launch.memory->Explain(address),
              CUDA_ERROR_MISALIGNED_ADDRESS);
    if (lanes.adjacent && l > 0 && within) break;
  }
  const uint64_t pieces = lanes.adjacent && within ? 1 : kLanes;
  const uint64_t length = pieces == 1 ? uint64_t{bytes} * kLanes : bytes;
  for (uint32_t m = mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint64_t address = lanes.address[l];
    Allocation& a =
        within || (address >= range.begin && address + bytes <= range.end) ? *range.allocation : allocation_of(l);
    const uint64_t offset = address - a.address;
    lanes.host[l] = a.bytes + offset;
    if (a.written) {
      std::string wrong;
      if (touch != Touch::kWrite) wrong = toucher.Read(a.written + offset, a.read + offset, length);
      if (touch != Touch::kRead && wrong.empty()) {
        wrong = toucher.Write(a.written + offset, a.read + offset, length, a.bytes + offset,
                              values ? values + static_cast<size_t>(l) * bytes : nullptr);
      }
      if (!wrong.empty()) Illegal(w, l, touch, bytes, address, wrong + "; " + launch.memory->Explain(address));
    }
    if (pieces == 1) {
      for (int k = 1; k < kLanes; ++k) lanes.host[k] = lanes.host[0] + static_cast<size_t>(k) * bytes;
      break;
    }
  }
  Counters& c = block.worker.counters;
  const auto lanes_on = static_cast<uint64_t>(std::popcount(mask));
  ++c.requests;
  c.vector_requests += bytes == 16;
  c.sectors += Sectors(mask, bytes, lanes, low, high);
  if (touch != Touch::kWrite) c.bytes_read += lanes_on * bytes;
  if (touch != Touch::kRead) c.bytes_written += lanes_on * bytes;
  if (touch == Touch::kAtomic) block.fenced = true;
}

void CheckLocal(Warp& w, uint32_t mask, uint32_t bytes, Touch touch, Lanes& lanes) {
  const uint64_t size = w.launch->kernel->local_bytes;
  for (uint32_t m = mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint64_t address = lanes.address[l];
    if (address + bytes > size || address + bytes < address) {
      Illegal(w, l, touch, bytes, address, "outside the thread's " + std::to_string(size) + " bytes of local memory");
    }
    if (address & (bytes - 1) & 15)
      Illegal(w, l, touch, bytes, address, "is not aligned", CUDA_ERROR_MISALIGNED_ADDRESS);
    lanes.host[l] = w.local.data() + static_cast<uint64_t>(l) * size + address;
  }
}

void CheckParam(Warp& w, uint32_t mask, uint32_t bytes, Touch touch, Lanes& lanes) {
  std::vector<uint8_t>& params = w.launch->params;
  for (uint32_t m = mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    if (touch != Touch::kRead || lanes.address[l] + bytes > params.size()) {
      Illegal(w, l, touch, bytes, lanes.address[l],
              "outside the " + std::to_string(params.size()) + " bytes of parameters");
    }
    lanes.host[l] = params.data() + lanes.address[l];
  }
}

}  // namespace

void Addresses(const Warp& w, const Instr& in, Lanes& lanes) {
  const auto add = static_cast<uint64_t>(in.imm);
  if (in.a == kNoSlot) {
    for (uint64_t& a : lanes.address) a = add;
  } else if (in.reg_bytes == 4) {
    const uint32_t* a = w.R<uint32_t>(in.a);
    for (int l = 0; l < kLanes; ++l) lanes.address[l] = a[l] + add;
  } else {
    const uint64_t* a = w.R<uint64_t>(in.a);
    for (int l = 0; l < kLanes; ++l) lanes.address[l] = a[l] + add;
  }
}

void CheckSpace(Warp& w, const Instr& in, Space space, uint32_t mask, uint32_t bytes, Touch touch, Lanes& lanes,
                const uint8_t* values) {
  lanes.adjacent = false;
  switch (space) {
    case Space::kShared: return CheckShared(w, mask, bytes, touch, lanes, values);
    case Space::kLocal: return CheckLocal(w, mask, bytes, touch, lanes);
    case Space::kParam: return CheckParam(w, mask, bytes, touch, lanes);
    case Space::kGlobal:
    case Space::kConst: return CheckGlobal(w, in, mask, bytes, touch, lanes, values);
    case Space::kGeneric: break;
  }
  uint32_t rest = mask;
  const uint64_t window = lanes.address[std::countr_zero(mask)] & kWindowMask;
  uint32_t same = 0;
  for (int l = 0; l < kLanes; ++l) same |= static_cast<uint32_t>((lanes.address[l] & kWindowMask) == window) << l;
  if (window == 0 && (same & mask) == mask) return CheckGlobal(w, in, mask, bytes, touch, lanes, values);
  while (rest) {
    const uint64_t of = lanes.address[std::countr_zero(rest)] & kWindowMask;
    Lanes part = lanes;
    uint32_t here = 0;
    for (int l = 0; l < kLanes; ++l) {
      if (((rest >> l) & 1) == 0 || (lanes.address[l] & kWindowMask) != of) continue;
      here |= 1u << l;
      part.address[l] -= of;
    }
    if (of == 0)
      CheckGlobal(w, in, here, bytes, touch, part, values);
    else if (of == kSharedWindow)
      CheckShared(w, here, bytes, touch, part, values);
    else if (of == kLocalWindow)
      CheckLocal(w, here, bytes, touch, part);
    else if (of == kParamWindow)
      CheckParam(w, here, bytes, touch, part);
    else
      Illegal(w, std::countr_zero(here), touch, bytes, lanes.address[std::countr_zero(here)], "is in no address space");
    for (int l = 0; l < kLanes; ++l) {
      if ((here >> l) & 1) lanes.host[l] = part.host[l];
    }
    rest &= ~here;
  }
}

void Check(Warp& w, const Instr& in, uint32_t mask, uint32_t bytes, Touch touch, Lanes& lanes, const uint8_t* values) {
  CheckSpace(w, in, in.space, mask, bytes, touch, lanes, values);
}

void CheckRange(Memory& memory, const Order& order, uint64_t address, uint64_t bytes, Touch touch,
                const std::string& what) {
  if (bytes == 0) return;
  Allocation* a = memory.Find(address);
  std::string wrong;
  if (!a || address + bytes > a->address + a->size) {
    wrong = memory.Explain(a ? a->address + a->size : address);
  } else if (!a->live) {
    wrong = "in freed memory: " + a->Describe();
  } else if (const uint64_t end = a->Open(address, -1).second; address + bytes > end) {
    wrong = a->Closed(std::max(address, end), -1);
  } else if (a->written) {
    const Toucher toucher{order, order.id << kBlockBits, false, false};
    uint32_t *written = a->written + (address - a->address), *read = a->read + (address - a->address);
    if (touch == Touch::kWrite) {
      wrong = toucher.Write(written, read, bytes, nullptr, nullptr);
    } else {
      for (uint64_t i = 0; i < bytes && wrong.empty(); ++i) {
        if (written[i])
          wrong = toucher.Read(written + i, read + i, 1);
        else
          read[i] = toucher.tag;  // what was never written may be copied, a later write must know of it
      }
    }
    if (!wrong.empty()) wrong += "; " + memory.Explain(address);
  }
  if (!wrong.empty()) {
    throw Find(CUDA_ERROR_ILLEGAL_ADDRESS,
               what + ": " + Name(touch) + " of " + std::to_string(bytes) + " bytes at " + Hex(address) + " " + wrong);
  }
}

}  // namespace fakecuda
