// SPDX-License-Identifier: Apache-2.0
// What the forms of primitives on a GPU share: memory, launches of the library's kernels, and the random ones.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "paddle/cinn/codegen/ptx.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/device_forms.h"

namespace cinn {

// Of the kernels of a dtype; null where there are none.
const char* NumberName(phi::DataType t);
// The kernel of that name for a dtype, or NoDeviceForm.
std::string KernelOf(const char* what, phi::DataType t);

class LaunchForms : public phi::DeviceForms {
 public:
  explicit LaunchForms(phi::Place place)
      : place_(place), capability_(phi::CapabilityOf(place)), most_threads_(phi::ResidentThreadsOf(place)) {}

  phi::Place place() const override { return place_; }
  std::shared_ptr<void> Room(int64_t bytes) const override;
  std::shared_ptr<void> Sent(const void* p, int64_t bytes) const override;
  void Fetch(const void* p, int64_t bytes, void* to) const override;
  int64_t IndexAt(phi::DataType index_t, const void* index, int64_t i) const override;

 protected:
  // Parameters are the addresses, then the numbers; a thread for each of n, or so many blocks.
  void Each(const std::string& name, int64_t n, const std::vector<const void*>& addresses,
            const std::vector<int64_t>& numbers) const;
  void Launch(const std::string& name, int64_t blocks, const std::vector<const void*>& addresses,
              const std::vector<int64_t>& numbers, int threads = kGpuThreads) const;

  // Where kernels write the least number of what they find wrong.
  class Wrong {
   public:
    explicit Wrong(const LaunchForms& forms, bool value = true);
    const void* at() const { return at_; }
    // What is written in place of a number, or 0.
    int64_t instead() const { return room_ ? 0 : INT64_MIN; }
    // -1: none, or a graph is captured, whose next run tells.
    int64_t Least() const;

   private:
    const phi::Place place_;
    std::shared_ptr<void> room_;
    const void* at_;
  };

  const phi::Place place_;
  const int capability_;
  const int64_t most_threads_;  // at once

 private:
  const phi::DeviceKernel* Kernel(const std::string& name) const;

  mutable std::mutex mutex_;
  mutable std::map<std::string, const phi::DeviceKernel*> kernels_;
};

class ListForms : public LaunchForms {
 public:
  using LaunchForms::LaunchForms;
  void ForEach(const char* what, phi::DataType t, int64_t n, const std::vector<const void*>& addresses,
               const std::vector<int64_t>& numbers) const override;
  int64_t Chosen(phi::DataType t, const void* x, int64_t n, std::shared_ptr<void>* at) const override;
  int64_t Gamma(int64_t kind, int64_t n, const double* a, const double* x, double* out) const override;
};

class DrawForms : public ListForms {
 public:
  using ListForms::ListForms;
  void Random(const phi::Draw& draw, phi::DataType t, int64_t n, int64_t seed, void* out) const override;
  void Dropout(phi::DataType t, int64_t n, const void* x, double probability, double factor, int64_t seed, void* out,
               uint8_t* keep) const override;
  int64_t Variates(phi::VariateKind kind, phi::DataType t, int64_t n, const void* x, const void* y,
                   void* out) const override;
  void LeakyNoise(phi::DataType t, int64_t n, const void* x, void* noise, void* out) const override;
  void Shares(phi::DataType t, int64_t rows, int64_t k, void* x) const override;
  int64_t PickPlaces(phi::DataType t, int64_t rows, int64_t n, int64_t k, bool again, const void* x,
                     int64_t* out) const override;

 private:
  // The numbers that each draw of n begins with, and its base; a round of all threads makes `round` of them.
  const void* KeyOf(int64_t n, int64_t round, int64_t threads, int64_t seed, std::vector<int64_t>* numbers) const;
};

}  // namespace cinn
