// SPDX-License-Identifier: Apache-2.0
// The bounded cache that primitives of libraries and plans of transforms are kept in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace phi::cpu {

// What is made once for a key and used by one thread at a time: primitives and FFT plans. Threads that use the same key
// at once have one each; what was used least recently goes. Key: trivially copyable, without padding.
template <class Key, class Value>
class PlanCache {
  struct Entry {
    Key key;
    std::unique_ptr<Value> value;
    bool used = false;
  };

 public:
  explicit PlanCache(size_t limit) : limit_(limit) {}

  // The right to use a value until the scope ends.
  class Lease {
   public:
    Lease(PlanCache& cache, Entry& entry) : cache_(cache), entry_(entry) {}
    ~Lease() { cache_.GiveBack(entry_); }
    Lease(const Lease&) = delete;
    Value* operator->() const { return entry_.value.get(); }

   private:
    PlanCache& cache_;
    Entry& entry_;
  };

  // `make` gives the std::unique_ptr<Value> where none is idle.
  template <class Make>
  Lease Take(const Key& key, const Make& make) {
    if (Entry* e = Idle(key)) return Lease(*this, *e);
    Entry fresh{key, make(), true};
    std::lock_guard<std::mutex> lock(mutex_);
    order_.push_front(std::move(fresh));
    map_.emplace(key, order_.begin());
    Trim(limit_);
    return Lease(*this, order_.front());
  }
  // Those in use stay.
  void Clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    Trim(0);
  }

 private:
  using Order = std::list<Entry>;
  struct Hash {
    size_t operator()(const Key& k) const {
      return std::hash<std::string_view>()({reinterpret_cast<const char*>(&k), sizeof(Key)});
    }
  };
  struct Equal {
    bool operator()(const Key& a, const Key& b) const { return std::memcmp(&a, &b, sizeof(Key)) == 0; }
  };

  Entry* Idle(const Key& key) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!order_.empty() && !order_.front().used && Equal()(order_.front().key, key)) {
      order_.front().used = true;
      return &order_.front();
    }
    auto [begin, end] = map_.equal_range(key);
    const auto it = std::find_if(begin, end, [](const auto& row) { return !row.second->used; });
    if (it == end) return nullptr;
    order_.splice(order_.begin(), order_, it->second);
    it->second->used = true;
    return &*it->second;
  }
  void GiveBack(Entry& e) {
    std::lock_guard<std::mutex> lock(mutex_);
    e.used = false;
  }
  void Trim(size_t limit) {
    for (auto it = order_.end(); order_.size() > limit && it != order_.begin();) {
      --it;
      if (it->used) continue;
      auto row = map_.equal_range(it->key).first;
      while (row->second != it) ++row;
      map_.erase(row);
      it = order_.erase(it);
    }
  }

  std::mutex mutex_;
  size_t limit_;
  Order order_;
  std::unordered_multimap<Key, typename Order::iterator, Hash, Equal> map_;
};

}  // namespace phi::cpu
