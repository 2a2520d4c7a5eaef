// SPDX-License-Identifier: Apache-2.0
// Loops of sample.h: a block of places is turned into indices and weights, which all channels share.
#include <stdint.h>

#include "paddle/phi/primitives/sample_call.inc.h"

namespace phi::PD_ISA {
namespace {

constexpr int64_t kBlock = kSampleBlock;

// Where `kBlock` places lie along an axis: the element at or before each and the one after, as steps to them and masks
// of whether they exist, and how far it is from there.
template <class T, class I>
struct Along {
  T part[2][kBlock];  // weights of the two
  T rate[kBlock];     // elements that one unit of the grid is
  I step[2][kBlock];
  I there[2][kBlock];  // -1 or 0
};

// Coordinate `axis` of `n` places, counted in elements, and what a unit of the grid is there.
template <class T>
void Places(const SampleCall& call, int axis, int64_t at, int64_t n, T* p, T* rate) {
  const T extent = static_cast<T>(call.extents[axis]), last = extent - 1;
  const int64_t axes = call.axes, first = at * axes + (axes - 1 - axis);
  if (call.float_grid)
    for (int64_t s = 0; s < n; ++s) p[s] = static_cast<T>(static_cast<const float*>(call.grid)[first + s * axes]);
  else
    for (int64_t s = 0; s < n; ++s) p[s] = static_cast<T>(static_cast<const double*>(call.grid)[first + s * axes]);
  const T unit = call.align_corners ? last / 2 : extent / 2;
  for (int64_t s = 0; s < n; ++s)
    p[s] = call.align_corners ? (p[s] + 1) * unit : ((p[s] + 1) * extent - 1) / T(2), rate[s] = unit;
  if (call.reflected) {
    const T low = call.align_corners ? T(0) : T(-0.5), span = call.align_corners ? last : extent;
    const T scale = span > 0 ? T(1) : T(0), turn = span > 0 ? 2 * span : T(1);
    for (int64_t s = 0; s < n; ++s) {
      const T from = p[s] - low, distance = __builtin_fabs(from);
      const T rest = distance - static_cast<T>(__builtin_floor(distance / turn)) * turn;
      const bool back = rest > span;
      p[s] = scale * ((back ? turn - rest : rest) + low);
      rate[s] = scale * ((from < 0) != back ? -rate[s] : rate[s]);
    }
  }
  if (call.clipped)
    for (int64_t s = 0; s < n; ++s) {
      rate[s] = p[s] >= 0 && p[s] <= last ? rate[s] : T(0);
      p[s] = p[s] < 0 ? T(0) : p[s] > last ? last : p[s];
    }
}

template <class T>
T Nearest(T x) {
  return sizeof(T) == 4 ? static_cast<T>(__builtin_rintf(static_cast<float>(x)))
                        : static_cast<T>(__builtin_rint(static_cast<double>(x)));
}
template <class T>
T Below(T x) {
  return sizeof(T) == 4 ? static_cast<T>(__builtin_floorf(static_cast<float>(x)))
                        : static_cast<T>(__builtin_floor(static_cast<double>(x)));
}

template <class T, class I>
void Find(const SampleCall& call, int axis, int64_t at, int64_t n, Along<T, I>* a) {
  T p[kBlock], low[kBlock];
  Places(call, axis, at, n, p, a->rate);
  const T last = static_cast<T>(call.extents[axis] - 1);
  I stride = 1;
  for (int k = axis + 1; k < call.axes; ++k) stride *= static_cast<I>(call.extents[k]);
  if (call.nearest)
    for (int64_t s = 0; s < n; ++s) low[s] = Nearest(p[s]);
  else
    for (int64_t s = 0; s < n; ++s) low[s] = Below(p[s]);
  for (int up = 0; up < 2; ++up)
    for (int64_t s = 0; s < n; ++s) {
      const T to = up ? low[s] + 1 : low[s];
      const bool there = to >= 0 && to <= last;  // NaN is nowhere
      a->there[up][s] = there ? I(-1) : I(0);
      a->step[up][s] = static_cast<I>(there ? to : T(0)) * stride;
      a->part[up][s] = up ? p[s] - low[s] : low[s] + 1 - p[s];
    }
}

// The elements that a block of places reads: 2 ** axes of each, -1 where there is none, with their weights, and the
// weights without the part of one axis, negative for the elements before the place.
template <class T, class I, int kAxes>
struct Block {
  static constexpr int kCorners = 1 << kAxes;
  int64_t n;
  I index[kCorners][kBlock];
  T weight[kCorners][kBlock];
  T slope[kAxes][kCorners][kBlock];

  void Make(const SampleCall& call, int64_t at, int64_t count, bool slopes) {
    Along<T, I> along[kAxes];
    n = count;
    for (int a = 0; a < kAxes; ++a) Find(call, a, at, n, &along[a]);
    for (int k = 0; k < (call.nearest ? 1 : kCorners); ++k) {
      for (int64_t s = 0; s < n; ++s) {
        I step = 0, there = -1;
        T w = 1;
        for (int a = 0; a < kAxes; ++a) {
          step += along[a].step[k >> a & 1][s];
          there &= along[a].there[k >> a & 1][s];
          w *= along[a].part[k >> a & 1][s];
        }
        index[k][s] = step | ~there;
        weight[k][s] = w;
      }
      for (int a = 0; slopes && a < kAxes; ++a)
        for (int64_t s = 0; s < n; ++s) {
          T w = k >> a & 1 ? along[a].rate[s] : -along[a].rate[s];
          for (int b = 0; b < kAxes; ++b)
            if (b != a) w *= along[b].part[k >> b & 1][s];
          slope[a][k][s] = w;
        }
    }
  }
};

// An element of an image; 0 outside of it.
template <class E, class I>
inline E Read(const E* image, I index) {
  const E value = image[index < 0 ? I(0) : index];
  return index < 0 ? E{} : value;
}

// f(block, image, first place of the image's) for blocks [begin, end) of all images.
template <class T, class I, int kAxes, class F>
void ForBlocks(const SampleCall& call, int64_t begin, int64_t end, bool slopes, F&& f) {
  const int64_t each = (call.places + kBlock - 1) / kBlock;
  Block<T, I, kAxes> block;
  for (int64_t k = begin; k < end; ++k) {
    const int64_t image = k / each, s = k % each * kBlock;
    block.Make(call, image * call.places + s, call.places - s < kBlock ? call.places - s : kBlock, slopes);
    f(block, image, s);
  }
}

template <class E, class B>
void Copy(const SampleCall& call, const B& block, int64_t image, int64_t first) {
  for (int64_t c = image * call.channels; c < (image + 1) * call.channels; ++c) {
    const E* x = static_cast<const E*>(call.x) + c * call.area;
    E* out = static_cast<E*>(call.out) + c * call.places + first;
#pragma GCC ivdep
    for (int64_t s = 0; s < block.n; ++s) out[s] = Read(x, block.index[0][s]);
  }
}
struct Wide {
  uint64_t parts[2];
};

template <class T, class I, int kAxes>
void Samples(const SampleCall& call, int64_t begin, int64_t end) {
  ForBlocks<T, I, kAxes>(call, begin, end, false, [&](const auto& block, int64_t image, int64_t first) {
    if (call.nearest) {
      switch (call.size) {
        case 1: return Copy<uint8_t>(call, block, image, first);
        case 2: return Copy<uint16_t>(call, block, image, first);
        case 4: return Copy<uint32_t>(call, block, image, first);
        case 8: return Copy<uint64_t>(call, block, image, first);
        default: return Copy<Wide>(call, block, image, first);
      }
    }
    for (int64_t c = image * call.channels; c < (image + 1) * call.channels; ++c) {
      const T* x = static_cast<const T*>(call.x) + c * call.area;
      T* out = static_cast<T*>(call.out) + c * call.places + first;
#pragma GCC ivdep
      for (int64_t s = 0; s < block.n; ++s) {
        T sum = Read(x, block.index[0][s]) * block.weight[0][s];
        for (int k = 1; k < block.kCorners; ++k) sum += Read(x, block.index[k][s]) * block.weight[k][s];
        out[s] = sum;
      }
    }
  });
}

// The gradient of x, of channels [begin, end) of all images.
template <class T, class I, int kAxes>
void SamplesBack(const SampleCall& call, int64_t begin, int64_t end) {
  const int64_t each = (call.places + kBlock - 1) / kBlock;
  for (int64_t at = begin, stop; at < end; at = stop) {
    const int64_t image = at / call.channels;
    stop = (image + 1) * call.channels < end ? (image + 1) * call.channels : end;
    ForBlocks<T, I, kAxes>(call, image * each, (image + 1) * each, false,
                           [&](const auto& block, int64_t, int64_t first) {
                             for (int64_t c = at; c < stop; ++c) {
                               const T* dout = static_cast<const T*>(call.dout) + c * call.places + first;
                               T* dx = static_cast<T*>(call.out) + c * call.area;
                               for (int64_t s = 0; s < block.n; ++s)
                                 for (int k = 0; k < (call.nearest ? 1 : block.kCorners); ++k)
                                   if (block.index[k][s] >= 0)
                                     dx[block.index[k][s]] += call.nearest ? dout[s] : dout[s] * block.weight[k][s];
                             }
                           });
  }
}

// The gradient of the grid; `out` [images, places, axes].
template <class T, class I, int kAxes>
void PlacesBack(const SampleCall& call, int64_t begin, int64_t end) {
  ForBlocks<T, I, kAxes>(call, begin, end, true, [&](const auto& block, int64_t image, int64_t first) {
    T sum[kAxes][kBlock] = {};
    for (int64_t c = image * call.channels; c < (image + 1) * call.channels; ++c) {
      const T* x = static_cast<const T*>(call.x) + c * call.area;
      const T* dout = static_cast<const T*>(call.dout) + c * call.places + first;
#pragma GCC ivdep
      for (int64_t s = 0; s < block.n; ++s) {
        T by[kAxes] = {};
        for (int k = 0; k < block.kCorners; ++k) {
          const T value = Read(x, block.index[k][s]);
          for (int a = 0; a < kAxes; ++a) by[a] += value * block.slope[a][k][s];
        }
        for (int a = 0; a < kAxes; ++a) sum[a][s] += by[a] * dout[s];
      }
    }
    T* out = static_cast<T*>(call.out) + (image * call.places + first) * kAxes;
    for (int a = 0; a < kAxes; ++a)
      for (int64_t s = 0; s < block.n; ++s) out[s * kAxes + (kAxes - 1 - a)] = sum[a][s];
  });
}

// Indices of 32 bits are gathered twice as fast as those of 64.
#define PD_SAMPLE(name, T, loop)                                                              \
  void name(const SampleCall& call, int64_t begin, int64_t end) {                             \
    const bool narrow = call.area <= INT32_MAX;                                               \
    if (call.axes == 2)                                                                       \
      narrow ? loop<T, int32_t, 2>(call, begin, end) : loop<T, int64_t, 2>(call, begin, end); \
    else                                                                                      \
      narrow ? loop<T, int32_t, 3>(call, begin, end) : loop<T, int64_t, 3>(call, begin, end); \
  }

}  // namespace

PD_SAMPLE(samples_f32, float, Samples)
PD_SAMPLE(samples_f64, double, Samples)
PD_SAMPLE(samples_back_f32, float, SamplesBack)
PD_SAMPLE(samples_back_f64, double, SamplesBack)
PD_SAMPLE(places_back_f32, float, PlacesBack)
PD_SAMPLE(places_back_f64, double, PlacesBack)

}  // namespace phi::PD_ISA
