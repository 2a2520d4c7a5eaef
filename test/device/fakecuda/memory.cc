// SPDX-License-Identifier: Apache-2.0
#include "device/fakecuda/memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace fakecuda {
namespace {

constexpr uint64_t kPage = 4096;
uint64_t RoundUp(uint64_t v, uint64_t to) { return (v + to - 1) / to * to; }

uint8_t* Reserve_(uint64_t bytes, int protection) {
  void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    std::perror("fakecuda: expected address space for device memory");
    std::abort();
  }
  return static_cast<uint8_t*>(p);
}

std::string Hex(uint64_t v) {
  std::ostringstream s;
  s << "0x" << std::hex << v;
  return s.str();
}

}  // namespace

std::string Allocation::Describe() const {
  std::string s =
      "allocation " + std::to_string(id) + " (" + std::to_string(size) + " bytes at " + Hex(address) + ", " + made;
  if (!live) s += ", freed by " + freed;
  return s + ")";
}

std::pair<uint64_t, uint64_t> Allocation::Open(uint64_t at, int by) const {
  if (parts.empty()) return {address, address + size};
  const uint8_t bits = by < 0 ? 0x7f : static_cast<uint8_t>(1 << by);
  const auto open = [&](uint64_t part) { return part < parts.size() && (parts[part] & bits) != 0; };
  uint64_t begin = (at - address) / kPart, end = begin;
  while (open(end)) ++end;
  while (end > begin && begin > 0 && open(begin - 1)) --begin;
  return {address + begin * kPart, address + end * kPart};
}

std::string Allocation::Closed(uint64_t at, int by) const {
  const uint64_t part = (at - address) / kPart;
  if (part >= parts.size()) return "past the end of " + Describe();
  if ((parts[part] & kMapped) == 0) return "where no memory is mapped in " + Describe();
  return "in mapped memory without access of " + (by < 0 ? "any device" : "device " + std::to_string(by)) +
         " (cuMemSetAccess) in " + Describe();
}

Memory& Memory::Get() {
  static Memory* const memory = new Memory;
  return *memory;
}

Memory::Memory() {
  base_ = reinterpret_cast<uint64_t>(Reserve_(kSpan * kDevices, PROT_NONE));
  delta_ = reinterpret_cast<uint64_t>(Reserve_(kSpan * kDevices, PROT_NONE)) - base_;
  for (int i = 0; i < kDevices; ++i) next_[i] = base_ + kSpan * static_cast<uint64_t>(i) + (1 << 21);
}

uint64_t Memory::Reserve(int device, uint64_t size, uint64_t align) {
  const std::unique_lock lock(mutex_);
  const auto d = static_cast<size_t>(device);
  const uint64_t end = base_ + kSpan * (d + 1);
  uint64_t at = RoundUp(next_[d], align);
  // The gap takes accesses past the end, by a stride too.
  const uint64_t gap = std::min<uint64_t>(RoundUp(size, kPage) + (64 << 10), 1 << 28);
  if (at + size + gap > end) at = RoundUp(base_ + kSpan * d + (1 << 21), align);
  if (at + size + gap > end) return 0;
  for (auto it = all_.lower_bound(at); it != all_.end() && it->first < at + size + gap;) {
    const Allocation& a = *it->second;
    if (a.live) {
      at = RoundUp(a.address + a.size + (64 << 10), align);
      ++it;
    } else {
      it = all_.erase(it);
    }
    if (at + size + gap > end) return 0;
  }
  next_[d] = at + size + gap;
  return at;
}

void Memory::Shadow(Allocation& a) {
  a.mapped = RoundUp(a.size * 4, kPage);
  a.written = reinterpret_cast<uint32_t*>(Reserve_(a.mapped, PROT_READ | PROT_WRITE));
  a.read = reinterpret_cast<uint32_t*>(Reserve_(a.mapped, PROT_READ | PROT_WRITE));
}

Allocation* Memory::Allocate(int device, uint64_t size, Origin origin, const std::string& made) {
  const uint64_t address = Reserve(device, size, origin == Origin::kModule ? 256 : 4096);
  if (address == 0) return nullptr;
  // Pages appear zeroed; the poison makes a forgotten initialisation visible where the check is off.
  uint8_t* bytes = Bytes(address);
  const uint64_t first = address / kPage * kPage, last = RoundUp(address + size, kPage);
  if (mprotect(Bytes(first), last - first, PROT_READ | PROT_WRITE) != 0) return nullptr;
  if (size <= 1 << 20) std::fill_n(bytes, size, uint8_t{0xfb});
  Hold(device, size);
  return AdoptRange(device, address, size, origin, made);
}

Allocation* Memory::AdoptRange(int device, uint64_t address, uint64_t size, Origin origin, const std::string& made) {
  const std::unique_lock lock(mutex_);
  auto a = std::make_unique<Allocation>();
  a->address = address;
  a->size = size;
  a->id = ++next_id_;
  a->device = device;
  a->origin = origin;
  a->made = made;
  a->bytes = Bytes(address);
  if (origin == Origin::kVirtual) a->parts.resize(size / kPart);
  Shadow(*a);
  return (all_[address] = std::move(a)).get();
}

Allocation* Memory::AdoptHost(void* address, uint64_t size, Origin origin, const std::string& made) {
  const std::unique_lock lock(mutex_);
  auto a = std::make_unique<Allocation>();
  a->address = reinterpret_cast<uint64_t>(address);
  a->size = size;
  a->id = ++next_id_;
  a->origin = origin;
  a->made = made;
  a->bytes = static_cast<uint8_t*>(address);
  return (all_[a->address] = std::move(a)).get();
}

void Memory::Free(Allocation* a, const std::string& freed) {
  const std::unique_lock lock(mutex_);
  a->live = false;
  a->freed = freed;
  if (a->written) {
    munmap(a->written, a->mapped);
    munmap(a->read, a->mapped);
    a->written = a->read = nullptr;
  }
  if (a->origin == Origin::kHost || a->origin == Origin::kRegistered) {
    all_.erase(a->address);
    return;
  }
  if (a->origin != Origin::kVirtual && a->origin != Origin::kImported) Drop(a->device, a->size);
  const uint64_t first = a->address / kPage * kPage, last = RoundUp(a->address + a->size, kPage);
  mmap(Bytes(first), last - first, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void Memory::MapShared(uint64_t address, uint64_t size, int descriptor, uint64_t offset) {
  mmap(Bytes(address), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, static_cast<off_t>(offset));
}

void Memory::Unmap(Allocation& range, uint64_t address, uint64_t size) {
  const uint64_t offset = address - range.address;
  std::fill_n(range.parts.begin() + static_cast<int64_t>(offset / kPart), size / kPart, uint8_t{0});
  madvise(range.written + offset, size * 4, MADV_DONTNEED);
  madvise(range.read + offset, size * 4, MADV_DONTNEED);
  mmap(Bytes(address), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

Allocation* Memory::Find(uint64_t address) {
  const std::shared_lock lock(mutex_);
  auto it = all_.upper_bound(address);
  if (it == all_.begin()) return nullptr;
  Allocation* a = (--it)->second.get();
  return address < a->address + std::max<uint64_t>(a->size, 1) ? a : nullptr;
}

std::string Memory::Explain(uint64_t address) {
  if (const Allocation* a = Find(address)) return "in " + a->Describe();
  if (address < base_ || address >= base_ + kSpan * kDevices) return "no address of a device";
  const std::shared_lock lock(mutex_);
  auto it = all_.upper_bound(address);
  const Allocation* after = it != all_.end() ? it->second.get() : nullptr;
  const Allocation* before = it != all_.begin() ? std::prev(it)->second.get() : nullptr;
  const uint64_t past = before ? address - before->address - before->size : ~0ull;
  const uint64_t ahead = after ? after->address - address : ~0ull;
  if (before && past <= ahead) return std::to_string(past) + " bytes past the end of " + before->Describe();
  if (after) return std::to_string(ahead) + " bytes before " + after->Describe();
  return "in no allocation";
}

std::vector<const Allocation*> Memory::Live() const {
  const std::shared_lock lock(mutex_);
  std::vector<const Allocation*> live;
  for (const auto& [address, a] : all_) {
    if (a->live) live.push_back(a.get());
  }
  return live;
}

void Memory::ForgetOrders() {
  const std::unique_lock lock(mutex_);
  for (const auto& [address, a] : all_) {
    if (!a->written) continue;
    const auto forget = [&a = *a](uint64_t from, uint64_t bytes) {  // of shadows
      std::vector<unsigned char> resident(bytes / kPage);
      mincore(a.written + from / 4, bytes, resident.data());
      for (size_t page = 0; page < resident.size(); ++page) {
        uint32_t* w = a.written + from / 4 + page * (kPage / 4);
        for (size_t i = 0; (resident[page] & 1) && i < kPage / 4; ++i) w[i] = w[i] ? kMaxOrder << kBlockBits : 0;
      }
      madvise(a.read + from / 4, bytes, MADV_DONTNEED);
    };
    if (a->parts.empty()) forget(0, a->mapped);
    for (size_t part = 0; part < a->parts.size(); ++part) {
      if (a->parts[part]) forget(part * kPart * 4, kPart * 4);
    }
  }
}

}  // namespace fakecuda
