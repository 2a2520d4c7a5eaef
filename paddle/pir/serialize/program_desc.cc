// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/serialize/program_desc.h"

#include <cstring>

#include "paddle/common/error.h"

namespace pir {
namespace {

// The fields of one message. Nested messages are cursors into the same bytes; nesting is fixed by the format.
class Message {
 public:
  Message(std::string_view bytes, size_t base, const std::string& origin) : s_(bytes), base_(base), origin_(origin) {}

  // The next field, false at the end. Its value is then read by exactly one of the accessors.
  bool Next() {
    if (p_ >= s_.size()) return false;
    at_ = p_;
    uint64_t tag = Varint();
    field_ = tag >> 3;
    wire_ = tag & 7;
    if (wire_ == 0) {
      number_ = Varint();
    } else if (wire_ == 1) {
      Fixed(8);
    } else if (wire_ == 5) {
      Fixed(4);
    } else if (wire_ == 2) {
      uint64_t n = Varint();
      if (n > s_.size() - p_)
        Fail("a field of at most " + std::to_string(s_.size() - p_) + " bytes, got " + std::to_string(n));
      start_ = p_;
      part_ = s_.substr(p_, n);
      p_ += n;
    } else {
      Fail("a wire type of 0, 1, 2 or 5, got " + std::to_string(wire_));
    }
    return true;
  }
  uint64_t field() const { return field_; }

  int64_t Int() {
    if (wire_ != 0) Fail("a number in field " + std::to_string(field_));
    return static_cast<int64_t>(number_);
  }
  bool Bool() { return Int() != 0; }
  // int32 and enums are stored as sign-extended 64 bits.
  double Real() {
    if (wire_ == 5) {
      uint32_t bits = static_cast<uint32_t>(number_);
      float f;
      std::memcpy(&f, &bits, 4);
      return f;
    }
    if (wire_ != 1) Fail("a floating-point number in field " + std::to_string(field_));
    double d;
    std::memcpy(&d, &number_, 8);
    return d;
  }
  std::string Text() {
    if (wire_ != 2) Fail("text in field " + std::to_string(field_));
    return std::string(part_);
  }
  Message Sub() {
    if (wire_ != 2) Fail("a message in field " + std::to_string(field_));
    return Message(part_, base_ + start_, origin_);
  }
  // Repeated numbers, packed or one at a time.
  void Append(std::vector<int64_t>* out) {
    if (wire_ != 2) {
      out->push_back(Int());
      return;
    }
    Message packed = Sub();
    while (packed.p_ < packed.s_.size()) out->push_back(static_cast<int64_t>(packed.Varint()));
  }
  void Append(std::vector<double>* out, int width) {
    if (wire_ != 2) {
      out->push_back(Real());
      return;
    }
    Message packed = Sub();
    packed.wire_ = width == 4 ? 5 : 1;
    while (packed.p_ < packed.s_.size()) {
      packed.Fixed(width);
      out->push_back(packed.Real());
    }
  }
  [[noreturn]] void Fail(const std::string& want) const {
    PD_THROW(InvalidArgument, "'", origin_, "' at byte ", base_ + at_, ": expected ", want, ", got other bytes");
  }

 private:
  uint64_t Varint() {
    uint64_t v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (p_ >= s_.size()) Fail("a number, got the end of the message");
      uint8_t b = static_cast<uint8_t>(s_[p_++]);
      if (shift < 64) v |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (!(b & 0x80)) return v;
    }
    Fail("a number of at most 10 bytes");
  }
  void Fixed(int n) {
    if (s_.size() - p_ < static_cast<size_t>(n)) Fail(std::to_string(n) + " bytes, got the end of the message");
    number_ = 0;
    std::memcpy(&number_, s_.data() + p_, static_cast<size_t>(n));
    p_ += static_cast<size_t>(n);
  }

  std::string_view s_, part_;
  size_t base_, p_ = 0, at_ = 0, start_ = 0;
  const std::string& origin_;
  uint64_t field_ = 0, wire_ = 0, number_ = 0;
};

// AttrType of the format, by number.
enum : int64_t {
  kInt,
  kFloat,
  kString,
  kInts,
  kFloats,
  kStrings,
  kBoolean,
  kBooleans,
  kBlock,
  kLong,
  kBlocks,
  kLongs,
  kFloat64s,
  kVar,
  kVars,
  kFloat64,
  kScalar,
  kScalars
};

constexpr int64_t kDenseTensorVar = 7, kTensorArrayVar = 13;

OpDesc::Attr ReadScalar(Message m) {
  int64_t type = 2, i = 0;
  bool b = false;
  double r = 0;
  while (m.Next()) switch (m.field()) {
      case 1: type = m.Int(); break;
      case 2: b = m.Bool(); break;
      case 3: i = m.Int(); break;
      case 4: r = m.Real(); break;
    }
  if (type == 1) return b;
  if (type == 2) return i;
  if (type == 3) return r;
  m.Fail("a real scalar, got one of type " + std::to_string(type));
}

std::pair<std::string, OpDesc::Attr> ReadAttr(Message m) {
  std::string name, text;
  int64_t type = -1, number = 0;
  double real = 0;
  bool flag = false;
  std::vector<int64_t> numbers;
  std::vector<double> reals;
  std::vector<std::string> texts;
  OpDesc::Attr scalar = int64_t{0};
  std::vector<OpDesc::Attr> scalars;
  while (m.Next()) switch (m.field()) {
      case 1: name = m.Text(); break;
      case 2: type = m.Int(); break;
      case 3:
      case 12:
      case 13: number = m.Int(); break;
      case 4:
      case 19: real = m.Real(); break;
      case 5:
      case 17: text = m.Text(); break;
      case 6:
      case 11:
      case 14:
      case 15: m.Append(&numbers); break;
      case 7: m.Append(&reals, 4); break;
      case 16: m.Append(&reals, 8); break;
      case 8:
      case 18: texts.push_back(m.Text()); break;
      case 10: flag = m.Bool(); break;
      case 20: scalar = ReadScalar(m.Sub()); break;
      case 21: scalars.push_back(ReadScalar(m.Sub())); break;
    }
  switch (type) {
    case kInt:
    case kBlock:
    case kLong: return {name, number};
    case kFloat:
    case kFloat64: return {name, real};
    case kString:
    case kVar: return {name, text};
    case kInts:
    case kBlocks:
    case kLongs: return {name, numbers};
    case kFloats:
    case kFloat64s: return {name, reals};
    case kStrings:
    case kVars: return {name, texts};
    case kBoolean: return {name, flag};
    case kBooleans: return {name, std::vector<bool>(numbers.begin(), numbers.end())};
    case kScalar: return {name, scalar};
    case kScalars:
      for (OpDesc::Attr& s : scalars)
        reals.push_back(std::visit(
            [](auto& v) -> double {
              if constexpr (std::is_arithmetic_v<std::decay_t<decltype(v)>>) return static_cast<double>(v);
              return 0;
            },
            s));
      return {name, reals};
  }
  m.Fail("an attribute type of 0 to 17 for '" + name + "', got " + std::to_string(type));
}

std::pair<std::string, std::vector<std::string>> ReadNames(Message m) {
  std::pair<std::string, std::vector<std::string>> r;
  while (m.Next()) {
    if (m.field() == 1) r.first = m.Text();
    if (m.field() == 2) r.second.push_back(m.Text());
  }
  return r;
}

OpDesc ReadOp(Message m) {
  OpDesc op;
  while (m.Next()) switch (m.field()) {
      case 1: op.inputs.push_back(ReadNames(m.Sub())); break;
      case 2: op.outputs.push_back(ReadNames(m.Sub())); break;
      case 3: op.type = m.Text(); break;
      case 4: op.attrs.push_back(ReadAttr(m.Sub())); break;
    }
  if (op.type.empty()) m.Fail("an op's type");
  return op;
}

void ReadTensorDesc(Message m, VarDesc* v) {
  while (m.Next()) {
    if (m.field() == 1) {
      int64_t n = m.Int();
      bool found = false;
      for (int i = 0; i < phi::kNumDataTypes; ++i)
        if (phi::kDataTypeInfo[i].proto == n) {
          v->dtype = static_cast<phi::DataType>(i);
          found = true;
        }
      if (!found) m.Fail("the number of a data type, got " + std::to_string(n));
    } else if (m.field() == 2) {
      size_t before = v->dims.size();
      m.Append(&v->dims);
      for (size_t i = before; i < v->dims.size(); ++i)
        if (v->dims[i] < -1) m.Fail("an extent of at least -1, got " + std::to_string(v->dims[i]));
    }
  }
}

VarDesc ReadVar(Message m) {
  VarDesc v;
  while (m.Next()) switch (m.field()) {
      case 1: v.name = m.Text(); break;
      case 2: {
        Message type = m.Sub();
        while (type.Next()) {
          if (type.field() == 1) {
            const int64_t kind = type.Int();
            v.is_tensor = kind == kDenseTensorVar;
            v.is_array = kind == kTensorArrayVar;
          }
          if (type.field() != 3) continue;
          Message dense = type.Sub();
          while (dense.Next()) {
            if (dense.field() == 1) ReadTensorDesc(dense.Sub(), &v);
            if (dense.field() == 2) v.lod_level = dense.Int();
          }
        }
        break;
      }
      case 3: v.persistable = m.Bool(); break;
    }
  if (v.name.empty()) m.Fail("a variable's name");
  return v;
}

}  // namespace

std::vector<BlockDesc> ReadProgramDesc(std::string_view bytes, const std::string& origin) {
  std::vector<BlockDesc> blocks;
  Message m(bytes, 0, origin);
  while (m.Next()) {
    if (m.field() != 1) continue;
    Message block = m.Sub();
    BlockDesc& b = blocks.emplace_back();
    while (block.Next()) {
      if (block.field() == 3) b.vars.push_back(ReadVar(block.Sub()));
      if (block.field() == 4) b.ops.push_back(ReadOp(block.Sub()));
    }
  }
  if (blocks.empty()) m.Fail("a program with a block");
  return blocks;
}

}  // namespace pir
