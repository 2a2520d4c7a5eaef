// SPDX-License-Identifier: Apache-2.0
// Runs a saved model from C++, each thread with a predictor of its own that shares the program and the weights.
//   d=$(python -c 'import paddle, os; print(os.path.dirname(paddle.__file__))')
//   g++ -std=c++17 -O2 serve.cc -I$d/include -L$d/libs -lpaddle_core -Wl,-rpath,$d/libs -pthread -o serve
//   ./serve model.json model.pdiparams 4
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include "paddle/inference/paddle_inference_api.h"

namespace {

// Fills each input with 0.5 (extents of any size become 1), runs `times` times, and returns the first output's sum.
double Serve(paddle_infer::Predictor* predictor, int times, std::vector<double>* milliseconds) {
  const auto shapes = predictor->GetInputTensorShape();
  for (const std::string& name : predictor->GetInputNames()) {
    std::vector<int> shape;
    size_t count = 1;
    for (int64_t n : shapes.at(name)) {
      shape.push_back(n < 0 ? 1 : static_cast<int>(n));
      count *= shape.back();
    }
    auto input = predictor->GetInputHandle(name);
    input->Reshape(shape);
    input->CopyFromCpu(std::vector<float>(count, 0.5f).data());
  }
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    predictor->Run();
    milliseconds->push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  auto output = predictor->GetOutputHandle(predictor->GetOutputNames().front());
  size_t count = 1;
  for (int n : output->shape()) count *= n;
  std::vector<float> values(count);
  output->CopyToCpu(values.data());
  double sum = 0;
  for (float v : values) sum += v;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s program.json parameters.pdiparams [threads]\n", argv[0]);
    return 2;
  }
  try {
    const size_t threads = argc > 3 ? std::max(1, std::atoi(argv[3])) : 1;
    paddle_infer::Config config(argv[1], argv[2]);
    paddle_infer::services::PredictorPool pool(config, threads);
    std::vector<double> sums(threads);
    std::vector<std::vector<double>> times(threads);
    std::vector<std::thread> workers;
    for (size_t i = 0; i < threads; ++i)
      workers.emplace_back([&, i] { sums[i] = Serve(pool.Retrieve(i), 100, &times[i]); });
    for (std::thread& w : workers) w.join();
    std::printf("thread  p50 ms  p99 ms  sum of output\n");
    for (size_t i = 0; i < threads; ++i) {
      std::sort(times[i].begin(), times[i].end());
      std::printf("%6zu  %6.3f  %6.3f  %.6f\n", i, times[i][times[i].size() / 2], times[i][times[i].size() * 99 / 100],
                  sums[i]);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
