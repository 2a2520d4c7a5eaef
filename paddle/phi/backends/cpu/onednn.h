// SPDX-License-Identifier: Apache-2.0
// The process's oneDNN engine, a stream per thread, and the bounded cache every primitive is kept in.
#pragma once

#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <dnnl.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "paddle/common/dtype.h"

namespace phi::cpu {

const dnnl::engine& OnednnEngine();
dnnl::stream& OnednnStream();  // of the calling thread

inline dnnl::memory::data_type OnednnType(DataType t) {
  return t == DataType::BFLOAT16  ? dnnl::memory::data_type::bf16
         : t == DataType::FLOAT16 ? dnnl::memory::data_type::f16
                                  : dnnl::memory::data_type::f32;
}

// Least recently used cache from a trivially copyable key without padding to shared values. Not synchronised: keep it
// thread_local.
template <class Key, class Value>
class LruCache {
 public:
  explicit LruCache(size_t limit) : limit_(limit) {}
  // Null if absent.
  std::shared_ptr<Value> Find(const Key& key) {
    if (!order_.empty() && std::memcmp(&order_.front().first, &key, sizeof(Key)) == 0) return order_.front().second;
    auto it = map_.find(key);
    if (it == map_.end()) return nullptr;
    order_.splice(order_.begin(), order_, it->second);
    return it->second->second;
  }
  void Insert(const Key& key, std::shared_ptr<Value> v) {
    order_.emplace_front(key, std::move(v));
    map_[key] = order_.begin();
    if (order_.size() > limit_) {
      map_.erase(order_.back().first);
      order_.pop_back();
    }
  }
  void Clear() {
    map_.clear();
    order_.clear();
  }

 private:
  struct Hash {
    size_t operator()(const Key& k) const {
      return std::hash<std::string_view>()({reinterpret_cast<const char*>(&k), sizeof(Key)});
    }
  };
  struct Equal {
    bool operator()(const Key& a, const Key& b) const { return std::memcmp(&a, &b, sizeof(Key)) == 0; }
  };
  size_t limit_;
  std::list<std::pair<Key, std::shared_ptr<Value>>> order_;
  std::unordered_map<Key, typename std::list<std::pair<Key, std::shared_ptr<Value>>>::iterator, Hash, Equal> map_;
};

}  // namespace phi::cpu
