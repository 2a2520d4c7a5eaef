// SPDX-License-Identifier: Apache-2.0
// Matrices of a warp: ldmatrix, stmatrix and mma.sync. Lane l holds of a fragment's rows and columns what the PTX
// manual states: row l / 4, columns 2 * (l % 4) and the next.
#include <bit>

#include "device/fakecuda/access.h"
#include "device/fakecuda/cuda_api.h"
#include "device/fakecuda/decode.h"
#include "device/fakecuda/lanes.h"

namespace fakecuda {
namespace {

void WholeWarp(Warp& w, uint32_t m, const char* what) {
  if (m != kAllLanes) w.Fail(CUDA_ERROR_LAUNCH_FAILED, std::countr_zero(m), std::string(what) + " by a part of a warp");
}

// Matrices of 8 x 8 values of 16 bits; lane l of each eight gives the address of a row. op 1: transposed, 2: stores.
void MoveMatrix(Warp& w, const Instr& in, uint32_t m) {
  WholeWarp(w, m, "ldmatrix or stmatrix");
  Lanes given;
  Addresses(w, in, given);
  const bool store = in.op & 2, transposed = in.op & 1;
  for (size_t k = 0; k < in.count; ++k) {
    Lanes lanes;
    std::fill_n(lanes.address, kLanes, given.address[8 * k]);
    uint32_t mask = 0;
    for (size_t row = 0; row < 8; ++row) {
      lanes.address[8 * k + row] = given.address[8 * k + row];
      mask |= 1u << (8 * k + row);
    }
    auto* reg = w.R<uint16_t>(in.list[k]);
    uint8_t values[kLanes * 16] = {};
    const auto place = [&](int l, int half, uint8_t*& at) {
      const int row = l / 4, column = 2 * (l % 4) + half;
      const int r = transposed ? column : row, c = transposed ? row : column;
      at += (8 * k + static_cast<size_t>(r)) * 16 + static_cast<size_t>(c) * 2;
    };
    if (store) {
      for (int l = 0; l < kLanes; ++l) {
        for (int half = 0; half < 2; ++half) {
          uint8_t* at = values;
          place(l, half, at);
          std::memcpy(at, reg + 2 * l + half, 2);
        }
      }
    }
    CheckSpace(w, in, in.space, mask, 16, store ? Touch::kWrite : Touch::kRead, lanes, store ? values : nullptr);
    for (size_t row = 8 * k; row < 8 * k + 8; ++row) {
      if (store)
        std::memcpy(lanes.host[row], values + row * 16, 16);
      else
        std::memcpy(values + row * 16, lanes.host[row], 16);
    }
    if (store) continue;
    for (int l = 0; l < kLanes; ++l) {
      for (int half = 0; half < 2; ++half) {
        uint8_t* at = values;
        place(l, half, at);
        std::memcpy(reg + 2 * l + half, at, 2);
      }
    }
  }
}

void MatrixMoveOp(Decoder& d, bool store) {
  Instr in;
  in.kind = Instr::kConverge;
  in.cls = Class::kTensor;
  in.space = d.Has("shared") || d.Has("shared::cta") ? Space::kShared : Space::kGeneric;
  in.op = static_cast<uint8_t>((d.Has("trans") ? 1 : 0) | (store ? 2 : 0));
  in.count = d.Has("x4") ? 4 : d.Has("x2") ? 2 : d.Has("x1") ? 1 : 0;
  if (!in.count || !d.Has("m8n8") || !d.Has("b16")) d.Unknown();
  const Operand& values = d.Arg(store ? 1 : 0);
  std::vector<uint32_t> slots;
  for (const Operand& o : values.parts) slots.push_back(d.Slot(o, Type::kU32));
  if (slots.size() != in.count) d.Unknown();
  in.member = d.Constant(kAllLanes, 4);
  in.list = d.List(slots);
  d.Address(d.Arg(store ? 0 : 1), in);
  in.run = &MoveMatrix;
  d.Emit(in);
}

struct Tf32 {
  uint32_t bits;
  explicit operator float() const { return std::bit_cast<float>(bits & ~0x1fffu); }
};

// m16n8kK: products summed in double and rounded once to Acc. list: 4 or 2 registers of d, then a, b, c.
template <class T, int kK, class Acc>
void Mma(Warp& w, const Instr& in, uint32_t m) {
  WholeWarp(w, m, "mma");
  constexpr int kPer = 4 / sizeof(T);  // values of a register
  constexpr int kGroup = 4 * kPer;     // columns of a that one register of four lanes covers
  constexpr int kA = kK / kGroup * 2, kB = kK / kGroup;
  constexpr int kC = std::is_same_v<Acc, float> ? 4 : 2;
  float a[16][kK], b[kK][8], r[16][8];
  for (int l = 0; l < kLanes; ++l) {
    const int row = l / 4, column = kPer * (l % 4);
    for (int reg = 0; reg < kA; ++reg) {
      const T* v = w.R<T>(in.list[kC + reg]) + kPer * l;
      for (int k = 0; k < kPer; ++k) a[row + 8 * (reg % 2)][column + k + kGroup * (reg / 2)] = static_cast<float>(v[k]);
    }
    for (int reg = 0; reg < kB; ++reg) {
      const T* v = w.R<T>(in.list[kC + kA + reg]) + kPer * l;
      for (int k = 0; k < kPer; ++k) b[column + k + kGroup * reg][row] = static_cast<float>(v[k]);
    }
  }
  const auto accumulator = [&](int first, int l, int i) -> Acc* {  // i: 0 and 1 of row l / 4, 2 and 3 eight rows below
    if constexpr (kC == 4)
      return w.R<Acc>(in.list[first + i]) + l;
    else
      return w.R<Acc>(in.list[first + i / 2]) + 2 * l + i % 2;
  };
  for (int l = 0; l < kLanes; ++l) {
    for (int i = 0; i < 4; ++i)
      r[l / 4 + 8 * (i / 2)][2 * (l % 4) + i % 2] = static_cast<float>(*accumulator(kC + kA + kB, l, i));
  }
  for (int y = 0; y < 16; ++y) {
    double sum[8];
    for (int x = 0; x < 8; ++x) sum[x] = r[y][x];
    for (int k = 0; k < kK; ++k) {
      for (int x = 0; x < 8; ++x) sum[x] += static_cast<double>(a[y][k]) * static_cast<double>(b[k][x]);
    }
    for (int x = 0; x < 8; ++x) r[y][x] = Canonical(static_cast<float>(sum[x]));
  }
  for (int l = 0; l < kLanes; ++l) {
    for (int i = 0; i < 4; ++i) {
      const float v = r[l / 4 + 8 * (i / 2)][2 * (l % 4) + i % 2];
      if constexpr (std::is_same_v<Acc, float>)
        *accumulator(0, l, i) = v;
      else
        *accumulator(0, l, i) = FromFloat<Acc>(v);
    }
  }
}

void MmaOp(Decoder& d) {
  const std::string& text = d.at().text;
  Instr in;
  in.kind = Instr::kConverge;
  in.cls = Class::kTensor;
  const Type dt = d.TypePart(0), at = d.TypePart(1), bt = d.TypePart(2), ct = d.TypePart(3);
  if (!d.Has("sync") || !d.Has("aligned") || !d.Has("row") || !d.Has("col") || at != bt || dt != ct) d.Unknown();
  const bool half = dt == Type::kF16;
  if (d.Has("m16n8k16")) {
    if (at == Type::kF16) in.run = half ? &Mma<F16, 16, F16> : &Mma<F16, 16, float>;
    if (at == Type::kBF16 && !half) in.run = &Mma<BF16, 16, float>;
  } else if (d.Has("m16n8k8")) {
    if (at == Type::kF16) in.run = half ? &Mma<F16, 8, F16> : &Mma<F16, 8, float>;
    if (at == Type::kBF16 && !half) in.run = &Mma<BF16, 8, float>;
    if (text.find("tf32") != std::string::npos && !half) in.run = &Mma<Tf32, 8, float>;
  } else if (d.Has("m16n8k4") && text.find("tf32") != std::string::npos) {
    in.run = &Mma<Tf32, 4, float>;
  }
  if (!in.run || (dt != Type::kF32 && dt != Type::kF16)) d.Unknown();
  std::vector<uint32_t> slots;
  for (size_t k = 0; k < 4; ++k) {
    const Operand& o = d.Arg(k);
    const bool one = o.kind == Operand::kReg;
    for (size_t i = 0; i < (one ? 1 : o.parts.size()); ++i) {
      const bool accumulator = (k == 0 || k == 3) && !half;
      slots.push_back(d.Slot(one ? o : o.parts[i], accumulator ? Type::kF32 : Type::kU32));
    }
  }
  const size_t k = d.Has("m16n8k16") ? 16 : d.Has("m16n8k8") ? 8 : 4;
  const size_t group = text.find("tf32") != std::string::npos ? 4 : 8;
  if (slots.size() != (half ? 4u : 8u) + 3 * (k / group)) d.Fail("wrong number of registers of '" + text + "'");
  in.member = d.Constant(kAllLanes, 4);
  in.list = d.List(slots);
  d.Emit(in);
}

}  // namespace

const std::map<std::string, OpDecoder>& TensorOps() {
  static const std::map<std::string, OpDecoder> ops = {{"ldmatrix", [](Decoder& d) { MatrixMoveOp(d, false); }},
                                                       {"stmatrix", [](Decoder& d) { MatrixMoveOp(d, true); }},
                                                       {"mma", MmaOp}};
  return ops;
}

}  // namespace fakecuda
