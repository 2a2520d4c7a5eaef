// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of our own: self-sorting steps of radix 4, 2 and small primes (Stockham); lengths with large
// primes as convolutions of a power of two (Bluestein, "A linear filtering approach to the computation of discrete
// Fourier transform", 1970).
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "paddle/phi/backends/cpu/fft_impl.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {
namespace {

constexpr int64_t kMostPrime = 31;  // up to here a prime factor is a step of its own

template <class R>
using Numbers = std::vector<std::complex<R>>;

// exp(-2 pi i k / n), by the sine and cosine of an angle below pi / 4.
std::complex<double> Root(int64_t k, int64_t n) {
  const int64_t eighth = 8 * k / n;
  const auto unit = [n](int64_t j) {  // of the angle 2 pi j / (8 n)
    const double angle = std::numbers::pi * static_cast<double>(j) / (4 * static_cast<double>(n));
    return std::complex<double>(std::cos(angle), std::sin(angle));
  };
  const int64_t rest = 8 * k - eighth * n;
  const std::complex<double> z = eighth % 2 ? std::conj(unit(n - rest)) : unit(rest);
  constexpr std::complex<double> kTurns[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  const std::complex<double> turn = kTurns[(eighth + 1) / 2 % 4];
  return {z.real() * turn.real() - z.imag() * turn.imag(), -(z.real() * turn.imag() + z.imag() * turn.real())};
}

template <class R>
std::complex<R> Times(std::complex<R> a, std::complex<R> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// The forward transform of n numbers in place.
template <class R>
class Line {
 public:
  explicit Line(int64_t n) : n_(n) {
    int64_t rest = n;
    for (; rest % 4 == 0; rest /= 4) steps_.push_back(4);
    for (int64_t p = 2; p <= kMostPrime; ++p)
      for (; rest % p == 0; rest /= p) steps_.push_back(p);
    if (rest > 1) MakeChirp();
    for (int64_t k = 0; k < n && rest == 1; ++k) roots_.push_back(std::complex<R>(Root(k, n)));
  }

  // x holds n numbers; `other` is memory of the transform, whatever its size.
  void Run(Numbers<R>& x, Numbers<R>& other) const {
    if (inner_) return RunChirp(x);
    other.resize(n_);
    int64_t n = n_, s = 1;
    for (int64_t p : steps_) {
      const int64_t m = n / p;
      for (int64_t k = 0; k < m; ++k) {
        const std::complex<R>* from = x.data() + s * k;
        std::complex<R>* to = other.data() + s * p * k;
        p == 4 ? Four(from, s, s * m, k, to) : p == 2 ? Two(from, s, s * m, k, to) : Any(p, from, s, s * m, k, to);
      }
      std::swap(x, other);
      n = m, s *= p;
    }
  }

 private:
  // Elements `gap` apart of s transforms side by side meet; what comes out at place t is turned by root k * t.
  void Two(const std::complex<R>* x, int64_t s, int64_t gap, int64_t k, std::complex<R>* y) const {
    const std::complex<R> w = roots_[k * s];
    for (int64_t q = 0; q < s; ++q) {
      const std::complex<R> a = x[q], b = x[q + gap];
      y[q] = a + b;
      y[q + s] = Times(a - b, w);
    }
  }
  void Four(const std::complex<R>* x, int64_t s, int64_t gap, int64_t k, std::complex<R>* y) const {
    const std::complex<R> w1 = roots_[k * s], w2 = roots_[2 * k * s], w3 = roots_[3 * k * s];
    for (int64_t q = 0; q < s; ++q) {
      const std::complex<R> a = x[q], b = x[q + gap], c = x[q + 2 * gap], d = x[q + 3 * gap];
      const std::complex<R> sum = a + c, less = a - c, odd = b + d, turned(b.imag() - d.imag(), d.real() - b.real());
      y[q] = sum + odd;
      y[q + s] = Times(less + turned, w1);
      y[q + 2 * s] = Times(sum - odd, w2);
      y[q + 3 * s] = Times(less - turned, w3);
    }
  }
  void Any(int64_t p, const std::complex<R>* x, int64_t s, int64_t gap, int64_t k, std::complex<R>* y) const {
    for (int64_t t = 0; t < p; ++t)
      for (int64_t q = 0; q < s; ++q) {
        std::complex<R> sum = x[q];
        for (int64_t r = 1; r < p; ++r) sum += Times(x[q + r * gap], roots_[r * t % p * (n_ / p)]);
        y[q + t * s] = Times(sum, roots_[k * t * s]);
      }
  }

  void MakeChirp() {
    const auto size = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * n_ - 1)));
    inner_ = std::make_unique<Line>(size);
    kernel_.resize(size);
    for (int64_t k = 0; k < n_; ++k) {
      const auto square = static_cast<int64_t>(static_cast<unsigned __int128>(k) * k % (2 * n_));
      chirp_.push_back(std::complex<R>(Root(square, 2 * n_)));
      kernel_[k] = kernel_[(size - k) % size] = std::conj(chirp_[k]);
    }
    Numbers<R> other;
    inner_->Run(kernel_, other);
    for (std::complex<R>& v : kernel_) v /= static_cast<R>(size);
  }
  void RunChirp(Numbers<R>& x) const {
    Numbers<R> longer(kernel_.size()), other;
    for (int64_t k = 0; k < n_; ++k) longer[k] = Times(x[k], chirp_[k]);
    inner_->Run(longer, other);
    // The way back is the conjugate of the way there of the conjugate.
    for (size_t k = 0; k < longer.size(); ++k) longer[k] = std::conj(Times(longer[k], kernel_[k]));
    inner_->Run(longer, other);
    for (int64_t k = 0; k < n_; ++k) x[k] = Times(std::conj(longer[k]), chirp_[k]);
  }

  int64_t n_;
  std::vector<int64_t> steps_;
  Numbers<R> roots_;
  std::unique_ptr<Line> inner_;  // of the convolution, where there is one
  Numbers<R> chirp_, kernel_;
};

template <class R>
class Plan : public FftPlan {
 public:
  explicit Plan(const FftKey& key) : key_(key) {
    for (int i = 0; i < key.rank; ++i) lines_.emplace_back(key.n[i]);
  }

  void Run(char* from, char* to) override {
    const int64_t* out = key_.in_place ? key_.in : key_.out;
    const int64_t out_step = key_.in_place ? key_.in_step : key_.out_step;
    for (int axis = 0; axis < key_.rank; ++axis) {
      // After the first axis the numbers are where they shall be.
      const bool moved = axis > 0;
      Axis(axis, moved ? to : from, moved ? out : key_.in, moved ? out_step : key_.in_step, to, out, out_step);
    }
  }

 private:
  void Axis(int axis, char* from, const int64_t* in, int64_t in_step, char* to, const int64_t* out, int64_t out_step) {
    int64_t count = key_.count;
    for (int i = 0; i < key_.rank; ++i) count *= i == axis ? 1 : key_.n[i];
    const int64_t n = key_.n[axis], si = in[axis + 1], so = out[axis + 1];
    const R scale = axis + 1 == key_.rank ? static_cast<R>(key_.scale) : R(1);
    ParallelFor(0, count, std::max<int64_t>(1, kGrain / (8 * n)), [&](int64_t begin, int64_t end) {
      Numbers<R> line, other;
      for (int64_t l = begin; l < end; ++l) {
        int64_t r = l, at = 0, to_at = 0;
        for (int i = 0; i < key_.rank; ++i) {
          if (i == axis) continue;
          at += r % key_.n[i] * in[i + 1], to_at += r % key_.n[i] * out[i + 1];
          r /= key_.n[i];
        }
        line.resize(n);
        Load(reinterpret_cast<const R*>(from), at + r * in_step, si, n, line);
        lines_[axis].Run(line, other);
        Store(line, n, scale, reinterpret_cast<R*>(to), to_at + r * out_step, so);
      }
    });
  }
  // A backward transform is a forward one with real and imaginary parts exchanged, before and after.
  void Load(const R* p, int64_t at, int64_t step, int64_t n, Numbers<R>& line) const {
    if (key_.kind == FftKind::kR2C) {
      for (int64_t k = 0; k < n; ++k) line[k] = p[at + k * step];
      return;
    }
    const auto number = [&](int64_t k) {
      const R *z = p + 2 * (at + k * step), re = z[0], im = z[1];
      return key_.forward ? std::complex<R>(re, im) : std::complex<R>(im, re);
    };
    if (key_.kind == FftKind::kC2C) {
      for (int64_t k = 0; k < n; ++k) line[k] = number(k);
      return;
    }
    // The other half of a real line's numbers are the conjugates; exchanged, those have the real part negated.
    for (int64_t k = 0; k <= n / 2; ++k) line[k] = number(k);
    for (int64_t k = n / 2 + 1; k < n; ++k) line[k] = {-line[n - k].real(), line[n - k].imag()};
    line[0] = {R(0), line[0].imag()};
    if (n % 2 == 0) line[n / 2] = {R(0), line[n / 2].imag()};
  }
  void Store(const Numbers<R>& line, int64_t n, R scale, R* p, int64_t at, int64_t step) const {
    if (key_.kind == FftKind::kC2R) {
      for (int64_t k = 0; k < n; ++k) p[at + k * step] = line[k].imag() * scale;
      return;
    }
    const int64_t kept = key_.kind == FftKind::kR2C ? n / 2 + 1 : n;
    for (int64_t k = 0; k < kept; ++k) {
      R* z = p + 2 * (at + k * step);
      z[0] = (key_.forward ? line[k].real() : line[k].imag()) * scale;
      z[1] = (key_.forward ? line[k].imag() : line[k].real()) * scale;
    }
  }

  const FftKey key_;
  std::vector<Line<R>> lines_;
};

}  // namespace

std::unique_ptr<FftPlan> MakeFftPlan(const FftKey& key) {
  if (key.is_double) return std::make_unique<Plan<double>>(key);
  return std::make_unique<Plan<float>>(key);
}

}  // namespace phi::cpu
