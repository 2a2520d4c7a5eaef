// SPDX-License-Identifier: Apache-2.0
// What the processes of a job know of each other before they can talk: keys and values, and waits for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paddle/distributed/deadline.h"

namespace paddle::distributed {

class Store {
 public:
  virtual ~Store() = default;

  virtual void Set(const std::string& key, const std::string& value) = 0;
  // The value, once there is one. Raises at the deadline with the key; and where a process that has a number in the job
  // ends meanwhile: one of `needed`, or, without these, any that dies.
  virtual std::string Get(const std::string& key, const Deadline& deadline, const std::vector<int>& needed = {}) = 0;
  // Adds to the number that a key holds (0 before) and returns it; it is kept as decimal text.
  virtual int64_t Add(const std::string& key, int64_t amount) = 0;
  // Until all keys have values. Raises as Get, at the deadline with the first that has none.
  virtual void Wait(const std::vector<std::string>& keys, const Deadline& deadline,
                    const std::vector<int>& needed = {}) = 0;
  virtual bool Check(const std::string& key) = 0;
  // Whether there was such a key.
  virtual bool Delete(const std::string& key) = 0;
  // What has ended one of these processes of the job: "rank 2: its process died"; empty while all live.
  virtual std::string Ended(const std::vector<int>& ranks) = 0;
  // The address of this process by which it reaches the store, so others that do may reach it.
  virtual std::string OwnAddress() = 0;
};

}  // namespace paddle::distributed
