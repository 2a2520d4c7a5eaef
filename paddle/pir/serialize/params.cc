// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/serialize/params.h"

#include <cstring>

#include "paddle/common/error.h"

namespace pir {
namespace {

constexpr uint64_t kPaddingField = 1000;  // of TensorDesc, where protobuf readers skip it

bool DtypeFromProto(uint64_t n, phi::DataType* t) {
  for (int i = 0; i < phi::kNumDataTypes; ++i)
    if (static_cast<uint64_t>(phi::kDataTypeInfo[i].proto) == n) {
      *t = static_cast<phi::DataType>(i);
      return true;
    }
  return false;
}

// numel * element size; false when it does not fit.
bool ByteSize(phi::DataType dtype, const common::Ints& dims, uint64_t* size) {
  uint64_t n = static_cast<uint64_t>(phi::SizeOf(dtype));
  bool zero = false;
  for (int64_t d : dims) {
    if (d < 0) return false;
    zero = zero || d == 0;
  }
  if (zero) {
    *size = 0;
    return true;
  }
  for (int64_t d : dims)
    if (__builtin_mul_overflow(n, static_cast<uint64_t>(d), &n) || n > (uint64_t{1} << 62)) return false;
  *size = n;
  return true;
}

void PutVarint(std::string* s, uint64_t v) {
  for (; v >= 0x80; v >>= 7) s->push_back(static_cast<char>(v | 0x80));
  s->push_back(static_cast<char>(v));
}
template <class T>
void Put(std::string* s, T v) {
  s->append(reinterpret_cast<const char*>(&v), sizeof(v));
}

}  // namespace

ParamsReader::ParamsReader(const std::string& path)
    : file_(std::make_shared<MappedFile>(path, true)), bytes_(file_->data(), file_->size()), origin_(path) {}
ParamsReader::ParamsReader(std::string_view bytes, std::string origin) : bytes_(bytes), origin_(std::move(origin)) {}

void ParamsReader::Need(size_t n, const char* what) const {
  PD_CHECK(bytes_.size() - pos_ >= n, InvalidArgument, "'", origin_, "' at byte ", pos_, ": expected ", n, " bytes of ",
           what, ", got ", bytes_.size() - pos_);
}

template <class T>
T ParamsReader::Read(const char* what) {
  Need(sizeof(T), what);
  T v;
  std::memcpy(&v, bytes_.data() + pos_, sizeof(T));
  pos_ += sizeof(T);
  return v;
}

uint64_t ParamsReader::Varint(std::string_view s, size_t* p, size_t base) const {
  uint64_t v = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    PD_CHECK(*p < s.size(), InvalidArgument, "'", origin_, "' at byte ", base + *p,
             ": expected a tensor description, got its end inside a number");
    uint8_t b = static_cast<uint8_t>(s[(*p)++]);
    v |= static_cast<uint64_t>(b & 0x7f) << shift;
    if (!(b & 0x80)) return v;
  }
  PD_THROW(InvalidArgument, "'", origin_, "' at byte ", base + *p,
           ": expected a number of at most 10 bytes, got a longer one");
}

void ParamsReader::ParseDesc(std::string_view d, size_t base, RawTensor* t) const {
  bool has_type = false;
  auto add_dim = [&](uint64_t v, size_t at) {
    PD_CHECK(static_cast<int64_t>(v) >= 0, InvalidArgument, "'", origin_, "' at byte ", base + at,
             ": expected an extent of at least 0, got ", static_cast<int64_t>(v));
    t->dims.push_back(static_cast<int64_t>(v));
  };
  for (size_t p = 0; p < d.size();) {
    size_t at = p;
    uint64_t tag = Varint(d, &p, base);
    if (tag == 0x08) {
      uint64_t n = Varint(d, &p, base);
      PD_CHECK(DtypeFromProto(n, &t->dtype), InvalidArgument, "'", origin_, "' at byte ", base + at,
               ": expected the number of a data type, got ", n);
      has_type = true;
    } else if (tag == 0x10) {
      add_dim(Varint(d, &p, base), at);
    } else if (tag == 0x12) {
      uint64_t n = Varint(d, &p, base);
      PD_CHECK(n <= d.size() - p, InvalidArgument, "'", origin_, "' at byte ", base + at,
               ": expected packed dims of at most ", d.size() - p, " bytes, got ", n);
      for (size_t end = p + n; p < end;) add_dim(Varint(d.substr(0, end), &p, base), p);
    } else if ((tag & 7) == 2 && tag >> 3 > 2) {  // a later field: padding
      uint64_t n = Varint(d, &p, base);
      PD_CHECK(n <= d.size() - p, InvalidArgument, "'", origin_, "' at byte ", base + at,
               ": expected a field of at most ", d.size() - p, " bytes, got ", n);
      p += n;
    } else {
      PD_THROW(InvalidArgument, "'", origin_, "' at byte ", base + at,
               ": expected a tensor description, got field tag ", tag);
    }
  }
  PD_CHECK(has_type, InvalidArgument, "'", origin_, "' at byte ", base,
           ": expected a data type in the tensor description, got none");
}

RawTensor ParamsReader::Next() {
  size_t start = pos_;
  PD_CHECK(!AtEnd(), InvalidArgument, "'", origin_, "' at byte ", pos_,
           ": expected another tensor, got the end of the file");
  auto version = Read<uint32_t>("a record's version");
  PD_CHECK(version == 0, InvalidArgument, "'", origin_, "' at byte ", start, ": expected record version 0, got ",
           version);
  auto levels = Read<uint64_t>("a level count");
  PD_CHECK(levels <= 16, InvalidArgument, "'", origin_, "' at byte ", start + 4, ": expected at most 16 levels, got ",
           levels);
  for (uint64_t i = 0; i < levels; ++i) {
    auto n = Read<uint64_t>("a level's size");
    Need(n, "level offsets");
    pos_ += n;
  }
  size_t at = pos_;
  version = Read<uint32_t>("a tensor's version");
  PD_CHECK(version == 0, InvalidArgument, "'", origin_, "' at byte ", at, ": expected tensor version 0, got ", version);
  at = pos_;
  auto length = Read<int32_t>("a description's length");
  PD_CHECK(length > 0 && length <= 4096, InvalidArgument, "'", origin_, "' at byte ", at,
           ": expected a tensor description of 1 to 4096 bytes, got ", length);
  Need(static_cast<size_t>(length), "a tensor description");
  RawTensor t;
  ParseDesc(bytes_.substr(pos_, length), pos_, &t);
  pos_ += static_cast<size_t>(length);
  uint64_t size = 0;
  PD_CHECK(ByteSize(t.dtype, t.dims, &size), InvalidArgument, "'", origin_, "' at byte ", pos_,
           ": expected a shape whose size fits, got ", common::ShapeText(t.dims));
  Need(size, "tensor data");
  t.data = bytes_.data() + pos_;
  t.size = size;
  pos_ += size;
  return t;
}

void ParamsReader::ExpectEnd() const {
  PD_CHECK(AtEnd(), InvalidArgument, "'", origin_, "' at byte ", pos_, ": expected the end of the file, got ",
           bytes_.size() - pos_, " more bytes; the model names fewer parameters than the file holds");
}

std::string EncodeTensorHeader(const RawTensor& t, uint64_t offset) {
  uint64_t size = 0;
  PD_CHECK(t.dtype != phi::DataType::UNDEFINED && ByteSize(t.dtype, t.dims, &size) && size == t.size, InvalidArgument,
           "expected ", size, " bytes for a tensor of shape ", common::ShapeText(t.dims), " and type ",
           phi::NameOf(t.dtype), ", got ", t.size);
  std::string desc;
  desc.push_back(0x08);
  PutVarint(&desc, static_cast<uint64_t>(phi::kDataTypeInfo[static_cast<int>(t.dtype)].proto));
  for (int64_t d : t.dims) {
    desc.push_back(0x10);
    PutVarint(&desc, static_cast<uint64_t>(d));
  }
  constexpr size_t kBefore = 4 + 8 + 4 + 4, kPadField = 3;  // tag in two bytes, length
  if (offset != kNoPadding && t.size >= kPaddedTensorBytes) {
    size_t end = offset + kBefore + desc.size() + kPadField,
           pad = (kDataAlignment - end % kDataAlignment) % kDataAlignment;
    PutVarint(&desc, kPaddingField << 3 | 2);
    PutVarint(&desc, pad);
    desc.append(pad, '\0');
  }
  std::string s;
  Put<uint32_t>(&s, 0);
  Put<uint64_t>(&s, 0);
  Put<uint32_t>(&s, 0);
  Put<int32_t>(&s, static_cast<int32_t>(desc.size()));
  return s + desc;
}

std::string EncodeTensor(const RawTensor& t) {
  return EncodeTensorHeader(t).append(static_cast<const char*>(t.data), t.size);
}

void ParamsWriter::Add(const RawTensor& t) {
  std::string header = EncodeTensorHeader(t, offset_);
  file_.Write(header);
  file_.Write(t.data, t.size);
  offset_ += header.size() + t.size;
}

}  // namespace pir
