// SPDX-License-Identifier: Apache-2.0
// Blocks (arguments and a list of operations) and regions (lists of blocks).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "paddle/pir/core/operation.h"

namespace pir {

class Block {
 public:
  // Iterates over Operation&; erasing the current op is safe after the iterator was advanced.
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Operation;
    using difference_type = std::ptrdiff_t;
    using pointer = Operation*;
    using reference = Operation&;
    iterator() = default;
    explicit iterator(Operation* op) : op_(op) {}
    Operation& operator*() const { return *op_; }
    Operation* operator->() const { return op_; }
    iterator& operator++() {
      op_ = op_->next();
      return *this;
    }
    iterator operator++(int) {
      iterator r = *this;
      op_ = op_->next();
      return r;
    }
    friend bool operator==(iterator a, iterator b) { return a.op_ == b.op_; }

   private:
    Operation* op_ = nullptr;
  };

  Block() = default;
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  Region* region() const { return region_; }
  Operation* parent_op() const;
  Program* program() const;

  bool empty() const { return first_ == nullptr; }
  size_t size() const { return size_; }
  Operation* front() const { return first_; }
  Operation* back() const { return last_; }
  iterator begin() const { return iterator(first_); }
  iterator end() const { return iterator(nullptr); }
  // The last op when it is a terminator, else nullptr.
  Operation* terminator() const;

  // Takes ownership; `before` == nullptr appends.
  void Insert(Operation* before, Operation* op);
  void push_back(Operation* op) { Insert(nullptr, op); }
  void clear();

  int num_args() const { return static_cast<int>(args_.size()); }
  Value arg(int i) const { return Value(args_[i].get()); }
  Value AddArg(Type type);
  const std::vector<std::pair<std::string, std::unique_ptr<detail::ValueImpl>>>& kwargs() const { return kwargs_; }
  Value AddKwarg(std::string key, Type type);

 private:
  friend class Operation;
  friend class Region;
  void Unlink(Operation* op);
  void Renumber() const;
  void Touch() const;

  Region* region_ = nullptr;
  Operation* first_ = nullptr;
  Operation* last_ = nullptr;
  size_t size_ = 0;
  mutable bool ordered_ = true;
  std::vector<std::unique_ptr<detail::ValueImpl>> args_;
  std::vector<std::pair<std::string, std::unique_ptr<detail::ValueImpl>>> kwargs_;
};

class Region {
 public:
  explicit Region(Operation* parent) : parent_(parent) {}
  ~Region();
  Operation* parent_op() const { return parent_; }
  bool empty() const { return blocks_.empty(); }
  size_t size() const { return blocks_.size(); }
  Block& front() const { return *blocks_.front(); }
  Block& block(size_t i) const { return *blocks_[i]; }
  Block& AddBlock();
  const std::vector<std::unique_ptr<Block>>& blocks() const { return blocks_; }
  void clear();

 private:
  friend class Block;
  friend class Operation;
  friend class Program;
  Operation* parent_;
  Program* program_ = nullptr;  // of the module's region only
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace pir
