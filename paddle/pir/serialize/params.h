// SPDX-License-Identifier: Apache-2.0
// `.pdiparams`: tensor records one after another without names; the names, sorted, come from the program file. The
// format aligns nothing; this writer adds an unknown field to the descriptions of big tensors, so that their data
// starts at a multiple of 64 and can be used where it is mapped.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "paddle/common/dim.h"
#include "paddle/common/dtype.h"
#include "paddle/pir/serialize/whole_file.h"

namespace pir {

// A tensor's parts; the bytes belong to someone else (the reader's buffer, or the caller who writes). They need not be
// aligned.
struct RawTensor {
  phi::DataType dtype = phi::DataType::UNDEFINED;
  common::Ints dims;
  const void* data = nullptr;
  size_t size = 0;  // bytes: numel * SizeOf(dtype)
};

inline constexpr uint64_t kNoPadding = UINT64_MAX;
inline constexpr size_t kPaddedTensorBytes = size_t{1} << 20, kDataAlignment = 64;

class ParamsReader {
 public:
  // Maps the file; views may be written, which does not change the file.
  explicit ParamsReader(const std::string& path);
  // Over a buffer the caller keeps alive.
  explicit ParamsReader(std::string_view bytes, std::string origin = "<memory>");

  bool AtEnd() const { return pos_ == bytes_.size(); }
  // The next record, a view that lives as long as the reader. Throws InvalidArgument with the byte offset for data that
  // is no record, and when the records end before.
  RawTensor Next();
  // All records must have been read.
  void ExpectEnd() const;
  size_t offset() const { return pos_; }
  // The file's name, for messages.
  const std::string& origin() const { return origin_; }
  // What keeps the views of Next() alive; null over a caller's buffer.
  const std::shared_ptr<MappedFile>& file() const { return file_; }

 private:
  template <class T>
  T Read(const char* what);
  void Need(size_t n, const char* what) const;
  void ParseDesc(std::string_view desc, size_t base, RawTensor* t) const;
  uint64_t Varint(std::string_view s, size_t* p, size_t base) const;

  std::shared_ptr<MappedFile> file_;
  std::string_view bytes_;
  std::string origin_;
  size_t pos_ = 0;
};

class ParamsWriter {
 public:
  explicit ParamsWriter(const std::string& path) : file_(path) {}
  // In sorted order of the names. `size` must be what dtype and dims say.
  void Add(const RawTensor& t);
  void Commit() { file_.Commit(); }

 private:
  AtomicFile file_;
  uint64_t offset_ = 0;
};

// One record as bytes (paddle.save with use_binary_format).
std::string EncodeTensor(const RawTensor& t);
// Its part before the data. With `offset`, where the record starts in its file, padded so that the data of a big tensor
// starts at a multiple of 64.
std::string EncodeTensorHeader(const RawTensor& t, uint64_t offset = kNoPadding);

}  // namespace pir
