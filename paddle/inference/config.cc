// SPDX-License-Identifier: Apache-2.0
// The options of a predictor, and their table.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "paddle/common/error.h"
#include "paddle/inference/paddle_inference_api.h"
#include "paddle/phi/backends/gpu/device.h"
#include "paddle/phi/core/device.h"

namespace paddle_infer {
namespace {

void NeedFile(const std::string& path) {
  std::error_code ignored;
  PD_CHECK(std::filesystem::is_regular_file(path, ignored), NotFound, "[Config] expected an existing file, got ", path);
}

const char* YesNo(bool v) { return v ? "true" : "false"; }

}  // namespace

std::string GetVersion() { return "version: 3.3.1\n"; }

void Config::SetModel(const std::string& model_dir) {
  namespace fs = std::filesystem;
  model_dir_ = model_dir;
  from_memory_ = false;
  for (const char* stem : {"inference", "__model__", "model"}) {
    for (const char* suffix : {".json", ".pdmodel"}) {
      const fs::path program = fs::path(model_dir) / (std::string(stem) + suffix);
      std::error_code ignored;
      if (!fs::is_regular_file(program, ignored)) continue;
      prog_file_ = program.string();
      const fs::path params = fs::path(program).replace_extension(".pdiparams");
      params_file_ = fs::is_regular_file(params, ignored) ? params.string() : "";
      return;
    }
  }
  // A program of old, with a file for each parameter.
  const fs::path program = fs::path(model_dir) / "__model__";
  std::error_code ignored;
  if (!fs::is_regular_file(program, ignored)) return;
  prog_file_ = program.string();
  params_file_.clear();
}

void Config::SetModel(const std::string& prog_file, const std::string& params_file) {
  NeedFile(prog_file);
  model_dir_.clear();
  from_memory_ = false;
  prog_file_ = prog_file;
  params_file_ = params_file;
}

void Config::SetModelBuffer(const char* prog, size_t prog_size, const char* params, size_t params_size) {
  prog_buffer_.assign(prog, prog_size);
  params_buffer_.assign(params ? params : "", params ? params_size : 0);
  from_memory_ = true;
}

void Config::EnableUseGpu(uint64_t memory_mb, int device_id, PrecisionType precision) {
  PD_CHECK(precision == PrecisionType::kFloat32, Unimplemented,
           "[Config.enable_use_gpu] expected the precision kFloat32, got number ", static_cast<int>(precision),
           ": paddle.inference converts programs to Half and Bfloat16");
  if (phi::gpu::DeviceCount() == 0) {
    if (log_) std::cerr << "[Config.enable_use_gpu] no GPU is found, the CPU is used\n";
    return;
  }
  phi::gpu::PlaceOf(device_id, "Config.enable_use_gpu", std::to_string(device_id));
  use_gpu_ = true;
  gpu_device_id_ = device_id;
  memory_mb_ = memory_mb;
}

float Config::fraction_of_gpu_memory_for_pool() const {
  if (!use_gpu_) return 0.0f;
  size_t total = 0, free = 0;
  const phi::Place place = phi::gpu::PlaceOf(gpu_device_id_, "Config", std::to_string(gpu_device_id_));
  if (!phi::DeviceMemoryInfo(place, &total, &free) || total == 0) return 0.0f;
  return static_cast<float>(static_cast<double>(memory_mb_ << 20) / static_cast<double>(total));
}

void Config::SetCpuMathLibraryNumThreads(int n) {
  PD_CHECK(n >= 0, InvalidArgument, "[Config] expected a number of threads of at least 0, got ", n);
  threads_ = n;
}

void Config::SwitchIrDebug(bool on, const std::vector<std::string>& passes) {
  ir_debug_ = on;
  ir_debug_passes_ = passes;
}

void Config::EnableCustomPasses(const std::vector<std::string>& passes, bool custom_pass_only) {
  custom_passes_ = passes;
  custom_passes_only_ = custom_pass_only;
}

void Config::SetOptimizationLevel(int level) {
  PD_CHECK(level >= 0 && level <= 3, InvalidArgument, "[Config] expected an optimization level from 0 to 3, got ",
           level);
  optimization_level_ = level;
}

std::string Config::Summary() const {
  std::vector<std::pair<std::string, std::string>> rows;
  if (from_memory_) {
    rows = {{"model_from_memory", "true"}};
  } else {
    if (!model_dir_.empty()) rows.push_back({"model_dir", model_dir_});
    rows.push_back({"model_file", prog_file_});
    rows.push_back({"params_file", params_file_});
  }
  const size_t model_rows = rows.size();
  rows.push_back({"cpu_math_thread", threads_ ? std::to_string(threads_) : "auto"});
  rows.push_back({"use_gpu", YesNo(use_gpu_)});
  if (use_gpu_) {
    rows.push_back({"gpu_device_id", std::to_string(gpu_device_id_)});
    rows.push_back({"memory_pool_init_size", std::to_string(memory_mb_) + "MB"});
  }
  rows.push_back({"use_cinn_compiler", YesNo(cinn_)});
  rows.push_back({"ir_optim", YesNo(ir_optim_)});
  rows.push_back({"ir_debug", YesNo(ir_debug_)});
  rows.push_back({"optimization_level", std::to_string(optimization_level_)});
  rows.push_back({"memory_optim", YesNo(memory_optim_)});
  rows.push_back({"enable_profile", YesNo(profile_)});
  rows.push_back({"enable_log", YesNo(log_)});
  size_t left = 6, right = 5;
  for (const auto& [name, value] : rows) {
    left = std::max(left, name.size());
    right = std::max(right, value.size());
  }
  const std::string rule = "+" + std::string(left + 2, '-') + "+" + std::string(right + 2, '-') + "+\n";
  auto row = [&](const std::string& a, const std::string& b) {
    return "| " + a + std::string(left - a.size(), ' ') + " | " + b + std::string(right - b.size(), ' ') + " |\n";
  };
  std::string text = rule + row("Option", "Value") + rule;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i == model_rows) text += rule;
    text += row(rows[i].first, rows[i].second);
  }
  return text + rule;
}

}  // namespace paddle_infer
