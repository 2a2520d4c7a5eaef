// SPDX-License-Identifier: Apache-2.0
// Scheduling. The lanes of a warp that stand at the least instruction run first, so that they meet again behind a
// branch.
#include <algorithm>
#include <bit>
#include <sstream>
#include <thread>

#include "device/fakecuda/config.h"
#include "device/fakecuda/cuda_api.h"
#include "device/fakecuda/launch.h"

namespace fakecuda {
namespace {

constexpr uint64_t kQuantum = 1 << 20;

std::string Triple(const uint32_t v[3]) {
  return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

void Broadcast(uint8_t* to, int bytes, uint64_t bits) {
  for (int l = 0; l < kLanes; ++l) std::memcpy(to + l * bytes, &bits, static_cast<size_t>(bytes));
}

uint32_t SpecialValue(const Launch& launch, const Block& block, const Warp& warp, Special s, uint32_t lane) {
  const uint32_t thread = warp.index * kLanes + lane;
  const uint32_t* b = launch.block;
  switch (s) {
    case Special::kTidX: return thread % b[0];
    case Special::kTidY: return thread / b[0] % b[1];
    case Special::kTidZ: return thread / b[0] / b[1];
    case Special::kNtidX:
    case Special::kNtidY:
    case Special::kNtidZ: return b[static_cast<int>(s) - static_cast<int>(Special::kNtidX)];
    case Special::kCtaidX:
    case Special::kCtaidY:
    case Special::kCtaidZ: return block.ctaid[static_cast<int>(s) - static_cast<int>(Special::kCtaidX)];
    case Special::kNctaidX:
    case Special::kNctaidY:
    case Special::kNctaidZ: return launch.grid[static_cast<int>(s) - static_cast<int>(Special::kNctaidX)];
    case Special::kLaneid: return lane;
    case Special::kWarpid: return warp.index;
    case Special::kNwarpid: return static_cast<uint32_t>(block.warps.size());
    case Special::kSmid: return static_cast<uint32_t>(block.index % 4);
    case Special::kNsmid: return 4;
    case Special::kGridid: return launch.order->id;
    case Special::kLanemaskEq: return 1u << lane;
    case Special::kLanemaskLe: return (2u << lane) - 1;
    case Special::kLanemaskLt: return (1u << lane) - 1;
    case Special::kLanemaskGe: return ~((1u << lane) - 1);
    case Special::kLanemaskGt: return ~((2u << lane) - 1);
    case Special::kDynamicShared: return launch.dynamic_shared;
    case Special::kTotalShared: return launch.dynamic_shared + static_cast<uint32_t>(launch.kernel->static_shared);
    default: return 0;
  }
}

bool IsBlockwise(Special s) { return s >= Special::kCtaidX && s <= Special::kCtaidZ; }

}  // namespace

void Counters::Add(const Counters& o) {
  launches += o.launches, blocks += o.blocks, requests += o.requests, sectors += o.sectors;
  bytes_read += o.bytes_read, bytes_written += o.bytes_written, shared_requests += o.shared_requests;
  bank_conflicts += o.bank_conflicts, barriers += o.barriers, vector_requests += o.vector_requests;
  for (size_t i = 0; i < static_cast<size_t>(Class::kCount); ++i) lanes[i] += o.lanes[i];
}

void Warp::Fail(int result, int lane, const std::string& text) const {
  const Instr& in = launch->kernel->code[pc];
  throw Find(result, "kernel '" + launch->kernel->name + "', line " + std::to_string(in.line) + " '" +
                         launch->kernel->Line(in.line) + "', block " + Triple(block->ctaid) + ", thread " +
                         block->ThreadName(*this, lane) + ": " + text);
}

void Warp::Park(uint32_t at, uint32_t mask, Group::State state, uint8_t barrier) {
  for (Group& g : groups) {
    if (g.pc == at && g.state == state && g.barrier == barrier) {
      g.mask |= mask;
      return;
    }
  }
  groups.push_back({at, mask, state, barrier});
}

// Whether all lanes that the instruction names have come; those that wait join, those that do not wait.
bool Warp::Converge(const Instr& in, uint32_t& mask) {
  const uint32_t first = R<uint32_t>(in.member)[std::countr_zero(mask)];
  for (Group& g : groups) {
    if (g.pc == pc && g.state == Group::kConverging) mask |= std::exchange(g.mask, 0);
  }
  std::erase_if(groups, [](const Group& g) { return g.mask == 0; });
  if (mask & ~first) {
    Fail(CUDA_ERROR_LAUNCH_FAILED, std::countr_zero(mask & ~first), "lane is not in the mask of lanes that take part");
  }
  if ((first & live & ~mask) == 0) return true;
  Park(pc, mask, Group::kConverging);
  return false;
}

void Warp::NeverArrives(uint32_t at, uint32_t missing) {
  pc = at;
  Fail(CUDA_ERROR_LAUNCH_FAILED, std::countr_zero(missing),
       "barrier in divergent code: this thread does not arrive with its warp");
}

uint32_t Warp::NextGroup(uint32_t* limit) {
  size_t best = groups.size();
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].state == Group::kReady && (best == groups.size() || groups[i].pc < groups[best].pc)) best = i;
  }
  if (best == groups.size()) {
    for (const Group& g : groups) {
      if (g.state == Group::kConverging && launch->kernel->code[g.pc].kind == Instr::kBarrier)
        NeverArrives(g.pc, live & ~g.mask);
    }
    return 0;
  }
  pc = groups[best].pc;
  uint32_t mask = groups[best].mask;
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(best));
  *limit = ~0u;
  for (size_t i = 0; i < groups.size();) {
    if (groups[i].state != Group::kReady) {
      ++i;
    } else if (groups[i].pc == pc) {
      mask |= groups[i].mask;
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      *limit = std::min(*limit, groups[i++].pc);
    }
  }
  return mask;
}

void Warp::Branch(const Instr& in, uint32_t m, uint32_t& mask, uint32_t& limit) {
  if (m == mask) {
    pc = in.target;
    return;
  }
  Park(in.target, m, Group::kReady);
  limit = std::min(limit, in.target > pc ? in.target : pc + 1);
  mask &= ~m;
  ++pc;
}

void Warp::BranchByTable(const Instr& in, uint32_t m, uint32_t& mask) {
  for (uint32_t rest = m; rest; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    const uint32_t k = R<uint32_t>(in.a)[l];
    if (k >= in.target)
      Fail(CUDA_ERROR_INVALID_PC, l, "branch to entry " + std::to_string(k) + " of " + std::to_string(in.target));
    Park(in.list[k], 1u << l, Group::kReady);
  }
  if (mask & ~m) Park(pc + 1, mask & ~m, Group::kReady);
  mask = 0;
}

void Warp::Exit(uint32_t m, uint32_t& mask, uint32_t& limit) {
  live &= ~m;
  mask &= ~m;
  ++pc;
  for (Group& g : groups) {
    if (g.state != Group::kConverging) continue;
    if (launch->kernel->code[g.pc].kind == Instr::kBarrier) NeverArrives(g.pc, m);
    g.state = Group::kReady;  // it no longer waits for the lanes that left
    limit = std::min(limit, g.pc);
  }
}

void Warp::Wait(const Instr& in, uint32_t m, uint32_t& mask) {
  if (mask & ~m) Park(pc + 1, mask & ~m, Group::kReady);
  mask = 0;
  if (in.flags & kAligned) {  // lanes that come first wait for those of their warp that still compute
    for (Group& g : groups)
      if (g.pc == pc && g.state == Group::kConverging) m |= std::exchange(g.mask, 0);
    std::erase_if(groups, [](const Group& g) { return g.mask == 0; });
    if (m != live) {
      Park(pc, m, Group::kConverging);
      return;
    }
  }
  block->Arrive(*this, in, m);
}

void Warp::Meet(const Instr& in, uint32_t m, uint32_t& mask, uint32_t& limit) {
  if (mask & ~m) {
    Park(pc + 1, mask & ~m, Group::kReady);
    limit = std::min(limit, pc + 1);
  }
  mask = m;
  if (Converge(in, mask)) {
    in.run(*this, in, mask);
    if (++sync_epoch == 1 << 11) {
      sync_epoch = 1;
      block->NextEpoch();
    }
    ++pc;
  } else {
    block->worker.executed[pc] -= static_cast<uint64_t>(std::popcount(m));  // counted when it runs
    mask = 0;
  }
}

void Warp::Run(uint64_t quantum) {
  const Instr* code = launch->kernel->code.data();
  uint64_t* executed = block->worker.executed.data();
  uint64_t done = 0;
  while (!groups.empty() && done < quantum) {
    uint32_t limit = 0, mask = NextGroup(&limit);
    if (!mask) break;
    while (mask && pc < limit && done < quantum) {
      const Instr& in = code[pc];
      uint32_t m = mask;
      if (in.guard != kNoSlot) m &= P(in.guard) ^ (in.guard_flip ? kAllLanes : 0);
      ++done;
      executed[pc] += static_cast<uint64_t>(std::popcount(m));
      if (in.kind == Instr::kPlain) {
        if (m) in.run(*this, in, m);
        ++pc;
        continue;
      }
      if (!m) {
        ++pc;
        continue;
      }
      switch (in.kind) {
        case Instr::kBranch: Branch(in, m, mask, limit); break;
        case Instr::kIndexed: BranchByTable(in, m, mask); break;
        case Instr::kExit: Exit(m, mask, limit); break;
        case Instr::kBarrier: Wait(in, m, mask); break;
        case Instr::kConverge: Meet(in, m, mask, limit); break;
        default: break;
      }
    }
    if (mask) Park(pc, mask, Group::kReady);
  }
  if (launch->executed.fetch_add(done, std::memory_order_relaxed) + done > launch->limit) {
    throw Find(CUDA_ERROR_LAUNCH_TIMEOUT, "kernel '" + launch->kernel->name + "' ran " + std::to_string(launch->limit) +
                                              " instructions of warps and has not ended");
  }
}

Block::Block(Launch& l, Worker& wk) : launch(l), worker(wk) {
  const Kernel& k = *l.kernel;
  const uint32_t n = (l.threads() + kLanes - 1) / kLanes;
  stride_ = k.register_bytes;
  registers_.resize(stride_ * n + 64);
  uint8_t* base = registers_.data() + (64 - reinterpret_cast<uintptr_t>(registers_.data()) % 64) % 64;
  warps.resize(n);
  for (uint32_t i = 0; i < n; ++i) {
    Warp& w = warps[i];
    w.regs = base + stride_ * i;
    w.block = this;
    w.launch = &l;
    w.index = i;
    const uint32_t threads = std::min<uint32_t>(l.threads() - i * kLanes, kLanes);
    w.begun = threads == kLanes ? kAllLanes : (1u << threads) - 1;
    w.local.resize(k.local_bytes * kLanes);
    for (const auto& c : k.constants) Broadcast(w.regs + c.offset, c.bytes, c.bits);
    for (const auto& [special, slot] : k.specials) {
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        w.R<uint32_t>(slot)[lane] = SpecialValue(l, *this, w, special, lane);
    }
  }
  const uint64_t bytes = l.dynamic_shared ? k.dynamic_base + l.dynamic_shared : k.dynamic_base;
  shared.assign(bytes, 0xfb);
  shared_written.assign(bytes, ~0u);
  shared_read.assign(bytes, 0);
  for (const auto& v : k.shared)
    std::fill_n(shared_written.begin() + static_cast<std::ptrdiff_t>(v.offset), v.size, 0u);
  std::fill_n(shared_written.begin() + static_cast<std::ptrdiff_t>(k.dynamic_base), l.dynamic_shared, 0u);
}

void Block::Begin(uint64_t at) {
  index = at;
  ctaid[0] = static_cast<uint32_t>(at % launch.grid[0]);
  ctaid[1] = static_cast<uint32_t>(at / launch.grid[0] % launch.grid[1]);
  ctaid[2] = static_cast<uint32_t>(at / launch.grid[0] / launch.grid[1]);
  NextEpoch();
  first_epoch = epoch;
  fenced = false;
  for (BarrierState& b : barriers_) b = BarrierState();
  for (Warp& w : warps) {
    w.live = w.begun;
    w.groups.assign(1, {0, w.begun, Group::kReady, 0});
    w.copies.clear();
    for (const auto& [special, slot] : launch.kernel->specials) {
      if (IsBlockwise(special)) Broadcast(w.regs + slot, 4, SpecialValue(launch, *this, w, special, 0));
    }
  }
}

std::string Block::ThreadName(const Warp& warp, int lane) const {
  const uint32_t t = warp.index * kLanes + static_cast<uint32_t>(lane);
  const uint32_t v[3] = {t % launch.block[0], t / launch.block[0] % launch.block[1],
                         t / launch.block[0] / launch.block[1]};
  return Triple(v);
}

void Block::Arrive(Warp& warp, const Instr& in, uint32_t mask) {
  const int lane = std::countr_zero(mask);
  const uint32_t id = warp.R<uint32_t>(in.a)[lane];
  if (id >= 16) warp.Fail(CUDA_ERROR_LAUNCH_FAILED, lane, "barrier " + std::to_string(id) + " of 16");
  BarrierState& b = barriers_[id];
  const uint32_t expected = in.b == kNoSlot ? 0 : warp.R<uint32_t>(in.b)[lane];
  if (expected % kLanes)
    warp.Fail(CUDA_ERROR_LAUNCH_FAILED, lane,
              "barrier for " + std::to_string(expected) + " threads, which are no whole warps");
  if (b.arrived && b.expected != expected)
    warp.Fail(CUDA_ERROR_LAUNCH_FAILED, lane, "barrier with different counts of threads");
  b.expected = expected;
  b.instr = &in;
  // A count of threads is one of whole warps: the last may be smaller.
  b.arrived += expected ? kLanes : static_cast<uint32_t>(std::popcount(mask));
  if (in.op > 1) {
    const uint32_t p = (warp.P(in.c) ^ (in.imm ? kAllLanes : 0)) & mask;
    b.count += static_cast<uint32_t>(std::popcount(p));
    b.either |= p;
    b.all &= p == mask ? ~0u : 0;
  }
  warp.groups.push_back({warp.pc + 1, mask, in.op == 1 ? Group::kReady : Group::kAtBarrier, static_cast<uint8_t>(id)});
  if (b.arrived >= (expected ? expected : launch.threads())) Release(id);
}

void Block::Release(uint32_t id) {
  BarrierState& b = barriers_[id];
  for (Warp& w : warps) {
    for (Group& g : w.groups) {
      if (g.state != Group::kAtBarrier || g.barrier != id) continue;
      g.state = Group::kReady;
      g.barrier = 0;
      const Instr& in = launch.kernel->code[g.pc - 1];
      if (in.op == 2) {
        uint32_t r[kLanes];
        std::fill_n(r, kLanes, b.count);
        Put(w.R<uint32_t>(in.d), r, g.mask);
      } else if (in.op > 2) {
        w.SetP(in.d, in.op == 3 ? b.all : b.either ? kAllLanes : 0, g.mask);
      }
    }
  }
  b = BarrierState();
  ++worker.counters.barriers;
  NextEpoch();
}

bool Block::Step(uint64_t quantum) {
  bool waits = false, moved = false;
  for (Warp& w : warps) {
    const bool ready =
        std::any_of(w.groups.begin(), w.groups.end(), [](const Group& g) { return g.state == Group::kReady; });
    if (ready) w.Run(quantum);
    moved |= ready;
    waits |= !w.groups.empty();
  }
  if (waits && !moved) Deadlock();
  return !waits;
}

void Block::Deadlock() {
  uint32_t left = 0;
  for (const Warp& w : warps) left += static_cast<uint32_t>(std::popcount(w.begun & ~w.live));
  for (Warp& w : warps) {
    for (const Group& g : w.groups) {
      const bool barrier = g.state == Group::kAtBarrier;
      w.pc = barrier ? g.pc - 1 : g.pc;
      const int lane = std::countr_zero(g.mask);
      if (barrier) {
        w.Fail(CUDA_ERROR_LAUNCH_FAILED, lane,
               "barrier " + std::to_string(g.barrier) +
                   " waits for ever: " + std::to_string(barriers_[g.barrier].arrived) + " threads have arrived, " +
                   std::to_string(left) + " have left the kernel");
      }
      const uint32_t members = w.R<uint32_t>(launch.kernel->code[g.pc].member)[lane];
      w.Fail(CUDA_ERROR_LAUNCH_FAILED, lane,
             "waits for ever for lane " + std::to_string(std::countr_zero(members & w.live & ~g.mask)) +
                 ", which is in the mask and does not come");
    }
  }
}

void RunLaunch(Launch& launch) {
  const uint64_t blocks = launch.blocks();
  std::atomic<uint64_t> next{0};
  const auto work = [&] {
    Worker worker;
    worker.ranges.resize(launch.kernel->code.size());
    worker.executed.resize(launch.kernel->code.size());
    try {
      std::vector<std::unique_ptr<Block>> together;
      if (launch.cooperative) {
        for (uint64_t i = 0; i < blocks; ++i) {
          together.push_back(std::make_unique<Block>(launch, worker));
          together.back()->Begin(i);
        }
        for (size_t left = together.size(); left;) {
          for (auto& block : together) {
            if (block && block->Step(1 << 12)) block.reset(), --left;
          }
        }
      } else {
        Block block(launch, worker);
        for (uint64_t i; !launch.stop && (i = next.fetch_add(1)) < blocks;) {
          block.Begin(i);
          while (!block.Step(kQuantum)) {}
        }
      }
    } catch (...) {
      const std::lock_guard lock(launch.mutex);
      if (!launch.failure) launch.failure = std::current_exception();
      launch.stop = true;
    }
    for (size_t i = 0; i < worker.executed.size(); ++i) {
      worker.counters.lanes[static_cast<size_t>(launch.kernel->code[i].cls)] += worker.executed[i];
    }
    const std::lock_guard lock(launch.mutex);
    launch.counters.Add(worker.counters);
  };
  const uint64_t warps = blocks * ((launch.threads() + kLanes - 1) / kLanes);  // a thread is worth many of them
  const uint64_t threads = launch.cooperative ? 1 : std::min({blocks / 4, warps / 64, Config::Get().threads});
  std::vector<std::thread> pool;
  for (uint64_t i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
  for (std::thread& t : pool) t.join();
  launch.counters.launches = 1;
  launch.counters.blocks = blocks;
  if (launch.failure) std::rethrow_exception(launch.failure);
}

}  // namespace fakecuda
