// SPDX-License-Identifier: Apache-2.0
// A vector of trivially copyable values that keeps the first N inside itself: shapes and strides never touch the heap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <new>
#include <type_traits>
#include <vector>

namespace common {

template <class T, int N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() = default;
  // n times v. Only where numbers are elements too: braces around numbers never mean a count.
  template <class U = T, class = std::enable_if_t<std::is_convertible_v<int64_t, U>>>
  explicit SmallVector(int64_t n, T v = T{}) {
    assign(n, v);
  }
  SmallVector(std::initializer_list<T> l) { append(l.begin(), l.end()); }
  SmallVector(const std::vector<T>& v) { append(v.data(), v.data() + v.size()); }  // NOLINT: implicit by design
  template <class It, class = typename std::iterator_traits<It>::iterator_category>
  SmallVector(It b, It e) {
    if constexpr (std::is_base_of_v<std::random_access_iterator_tag,
                                    typename std::iterator_traits<It>::iterator_category>) {
      const int64_t n = e - b;
      if (n > cap_) Grow(n);
      T* to = data();
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(b[i]);
      size_ = static_cast<int32_t>(n);
    } else {
      for (; b != e; ++b) push_back(*b);
    }
  }
  SmallVector(const SmallVector& o) { Assign(o); }
  SmallVector(SmallVector&& o) noexcept { Steal(o); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) Assign(o);
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this != &o) {
      Free();
      Steal(o);
    }
    return *this;
  }
  ~SmallVector() { Free(); }

  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_ : inline_; }
  const T* data() const { return heap_ ? heap_ : inline_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](int64_t i) { return data()[i]; }
  const T& operator[](int64_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }

  void push_back(T v) {
    if (size_ == cap_) Grow(size_ + 1);
    data()[size_++] = v;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(int64_t n, T v = T{}) {
    if (n > cap_) Grow(n);
    for (int64_t i = size_; i < n; ++i) data()[i] = v;
    size_ = static_cast<int32_t>(n);
  }
  void assign(int64_t n, T v) {
    size_ = 0;
    resize(n, v);
  }
  void append(const T* b, const T* e) {
    int64_t n = e - b;
    if (size_ + n > cap_) Grow(size_ + n);
    if (n) std::memcpy(static_cast<void*>(data() + size_), b, n * sizeof(T));
    size_ += static_cast<int32_t>(n);
  }
  void insert(int64_t pos, T v) {
    push_back(v);
    for (int64_t i = size_ - 1; i > pos; --i) std::swap(data()[i], data()[i - 1]);
  }
  void erase(int64_t pos) {
    for (int64_t i = pos; i + 1 < size_; ++i) data()[i] = data()[i + 1];
    --size_;
  }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    const T *p = a.data(), *q = b.data();
    for (int64_t i = 0; i < a.size_; ++i)
      if (!(p[i] == q[i])) return false;
    return true;
  }

 private:
  void Grow(int64_t want) {
    if (want > INT32_MAX) throw std::bad_alloc();
    int64_t cap = std::min<int64_t>(std::max<int64_t>(want, int64_t{2} * cap_), INT32_MAX);
    T* p = static_cast<T*>(std::malloc(cap * sizeof(T)));
    if (!p) throw std::bad_alloc();
    if (size_) std::memcpy(static_cast<void*>(p), data(), size_ * sizeof(T));
    Free();
    heap_ = p;
    cap_ = static_cast<int32_t>(cap);
  }
  void Free() {
    if (__builtin_expect(heap_ != nullptr, 0)) std::free(heap_);
    heap_ = nullptr;
    cap_ = N;
  }
  // Elements kept inside are copied with the unused ones: a length known to the compiler takes no call.
  void CopyInline(const SmallVector& o) { std::memcpy(static_cast<void*>(inline_), o.inline_, sizeof inline_); }
  void Assign(const SmallVector& o) {
    if (__builtin_expect(!heap_ && !o.heap_, 1)) {
      size_ = o.size_;
      CopyInline(o);
    } else {
      size_ = 0;
      append(o.begin(), o.end());
    }
  }
  void Steal(SmallVector& o) {
    heap_ = o.heap_;
    size_ = o.size_;
    cap_ = o.cap_;
    if (!heap_) CopyInline(o);
    o.heap_ = nullptr;
    o.size_ = 0;
    o.cap_ = N;
  }

  T* heap_ = nullptr;
  int32_t size_ = 0;
  int32_t cap_ = N;
  T inline_[N];
};

}  // namespace common
