// SPDX-License-Identifier: Apache-2.0
// Paths through beams and tags.
#include <algorithm>
#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/by_float.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"

namespace phi {

void gather_tree_infer(const Meta& ids, const Meta& parents, Meta& out) {
  PD_CHECK_DTYPE((ids.dtype == DataType::INT32 || ids.dtype == DataType::INT64) && IsInteger(parents.dtype),
                 "[gather_tree] expected ids and parents of int32 or int64, got ", NameOf(ids.dtype), " and ",
                 NameOf(parents.dtype));
  bool same = ids.dims.size() == 3 && parents.dims.size() == 3;
  for (int64_t i = 0; same && i < 3; ++i) same = !common::CertainlyDiffer(ids.dims[i], parents.dims[i]);
  PD_CHECK(same, InvalidArgument, "[gather_tree] expected ids and parents [time, batch, beam], got shapes ",
           common::ShapeText(ids.dims), " and ", common::ShapeText(parents.dims));
  out = ids;
}
void gather_tree_kernel(const Tensor& ids, const Tensor& parents, Tensor& out) {
  const int64_t steps = ids.dim(0), batch = ids.dim(1), beams = ids.dim(2);
  const std::vector<int64_t> up = ToIntVector(parents);
  auto run = [&](auto tag) {
    using T = decltype(tag);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t w = 0; w < beams; ++w)
        for (int64_t t = steps - 1, beam = w; t >= 0; --t) {
          const int64_t row = (t * batch + b) * beams;
          out.data<T>()[row + w] = ids.data<T>()[row + beam];
          beam = up[row + beam];
          PD_CHECK(0 <= beam && beam < beams, InvalidArgument, "[gather_tree] expected parents from 0 to ", beams - 1,
                   ", got ", beam);
        }
  };
  ids.dtype() == DataType::INT64 ? run(int64_t{}) : run(int32_t{});
}

void viterbi_decode_infer(const Meta& x, const Meta& moves, const Meta& lengths, bool bounds, Meta& scores,
                          Meta& path) {
  PD_CHECK_DTYPE(IsFloating(x.dtype) && IsFloating(moves.dtype) && IsInteger(lengths.dtype),
                 "[viterbi_decode] expected floating potentials and transition_params and integer lengths, got ",
                 NameOf(x.dtype), ", ", NameOf(moves.dtype), " and ", NameOf(lengths.dtype));
  PD_CHECK(x.dims.size() == 3 && moves.dims.size() == 2 && !common::CertainlyDiffer(moves.dims[0], x.dims[2]) &&
               !common::CertainlyDiffer(moves.dims[1], x.dims[2]),
           InvalidArgument,
           "[viterbi_decode] expected potentials [B, T, tags] and transition_params [tags, tags], got shapes ",
           common::ShapeText(x.dims), " and ", common::ShapeText(moves.dims));
  const int64_t least = bounds ? 2 : 1;
  PD_CHECK(!x.dims[2].known() || x.dims[2].raw() >= least, InvalidArgument, "[viterbi_decode] expected at least ",
           least, " tags, got ", common::DimText(x.dims[2]));
  scores = {Dims{x.dims[0]}, x.dtype};
  path = {Dims{x.dims[0], common::NewSymbol()}, DataType::INT64};
}
int64_t viterbi_decode_workspace(const Meta& potentials, const Meta&, const Meta&, bool) {
  const DataType t = ComputeType(potentials.dtype);
  return ConvertedBytes(potentials, t) + ConvertedBytes({Dims{potentials.dims[0]}, potentials.dtype}, t);
}
void viterbi_decode_kernel(const Tensor& potentials, const Tensor& transition, const Tensor& lengths, bool bounds,
                           Tensor& scores, Tensor& path) {
  const int64_t batch = potentials.dim(0), steps = potentials.dim(1), tags = potentials.dim(2);
  const std::vector<int64_t> sizes = ToIntVector(lengths);
  PD_CHECK(static_cast<int64_t>(sizes.size()) == batch, InvalidArgument, "[viterbi_decode] expected ", batch,
           " lengths, got shape ", common::ShapeText(lengths.dims()));
  int64_t longest = 0;
  for (int64_t n : sizes) {
    PD_CHECK(0 <= n && n <= steps, InvalidArgument, "[viterbi_decode] expected lengths from 0 to ", steps, ", got ", n);
    longest = std::max(longest, n);
  }
  PD_CHECK(batch == 0 || steps > 0, InvalidArgument, "[viterbi_decode] expected at least one step, got shape ",
           common::ShapeText(potentials.dims()));
  const DataType t = ComputeType(potentials.dtype());
  const Ordered wide_x(potentials, t);
  const Tensor& x = wide_x;
  EnsureOut(scores, Ints{batch}, potentials.dtype());
  const Widened wide_scores(scores, t);
  const Tensor& wide = static_cast<Tensor&>(wide_scores);
  EnsureOut(path, Ints{batch, longest}, DataType::INT64);
  cpu::Zero(path.raw_data(), path.numel() * static_cast<int64_t>(sizeof(int64_t)));
  auto run = [&](auto tag) {
    using T = decltype(tag);
    const T* move = transition.data<T>();
    // What it costs a path to start or to end with a tag: the last row and the one before, as in PaddlePaddle.
    auto start = [&](int64_t k) { return bounds ? move[(tags - 1) * tags + k] : T(0); };
    auto stop = [&](int64_t k, bool last) { return bounds && last ? move[(tags - 2) * tags + k] : T(0); };
    cpu::ParallelFor(
        0, batch, std::max<int64_t>(1, cpu::kGrain / (longest * tags * tags + 1)), [&](int64_t begin, int64_t end) {
          std::vector<T> best(tags), next(tags);
          std::vector<int64_t> back(std::max<int64_t>(longest, 1) * tags);
          for (int64_t b = begin; b < end; ++b) {
            const T* score = x.data<T>() + b * steps * tags;
            for (int64_t k = 0; k < tags; ++k) best[k] = score[k] + start(k) + stop(k, sizes[b] == 1);
            for (int64_t s = 1; s < sizes[b]; ++s) {
              for (int64_t to = 0; to < tags; ++to) {
                int64_t from = 0;
                for (int64_t k = 1; k < tags; ++k)
                  if (best[k] + move[k * tags + to] > best[from] + move[from * tags + to]) from = k;
                back[s * tags + to] = from;
                next[to] = best[from] + move[from * tags + to] + score[s * tags + to] + stop(to, s + 1 == sizes[b]);
              }
              best.swap(next);
            }
            int64_t at = std::max_element(best.begin(), best.end()) - best.begin();
            wide.data<T>()[b] = best[at];
            for (int64_t s = sizes[b] - 1; s >= 0; --s) {
              path.data<int64_t>()[b * longest + s] = at;
              if (s > 0) at = back[s * tags + at];
            }
          }
        });
  };
  ByFloat(t, run);
}

}  // namespace phi
