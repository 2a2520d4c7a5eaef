// SPDX-License-Identifier: Apache-2.0
// Numbers drawn many at a time are those of the standard library, and leave the engine where it would be.
#include "paddle/phi/primitives/uniform.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <vector>

#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(void, unit_f32, (const uint64_t* words, int64_t n, float* out))
PD_ISA_DECL(void, unit_f64, (const uint64_t* words, int64_t n, double* out))

namespace phi {
namespace {

// An engine of one number.
struct Given {
  using result_type = uint64_t;
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return UINT64_MAX; }
  uint64_t operator()() const { return word; }
  uint64_t word;
};

template <class E>
std::string Text(const E& engine) {
  std::ostringstream os;
  os << engine;
  return os.str();
}

TEST(Mersenne64, IsTheStandardEngine) {
  for (uint64_t seed : {uint64_t{0}, uint64_t{7}, UINT64_MAX}) {
    Mersenne64 ours(seed);
    std::mt19937_64 standard(seed);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(ours(), standard()) << i;
    EXPECT_EQ(Text(ours), Text(standard));
    std::seed_seq a({seed, seed >> 32}), b({seed, seed >> 32});
    ours.seed(a);
    standard.seed(b);
    for (int i = 0; i < 400; ++i) ASSERT_EQ(ours(), standard()) << i;
    std::istringstream text(Text(standard));
    Mersenne64 read;
    text >> read;
    ASSERT_TRUE(text);
    for (int i = 0; i < 400; ++i) ASSERT_EQ(read(), standard()) << i;
  }
}

TEST(Mersenne64, OtherTextFails) {
  for (const char* text : {"", "1 2 3", "words"}) {
    std::istringstream is(text);
    Mersenne64 engine;
    EXPECT_FALSE(is >> engine) << text;
  }
  std::istringstream is(Text(std::mt19937_64(1)) + "9");  // a position behind the state
  Mersenne64 engine;
  EXPECT_FALSE(is >> engine);
}

template <class T>
void ExpectDraws() {
  for (int64_t before : {0, 1, 155, 311, 312})
    for (int64_t n : {1, 2, 3, 311, 312, 313, 1000, 1001}) {
      Mersenne64 ours(11);
      std::mt19937_64 standard(11);
      for (int64_t i = 0; i < before; ++i) ours(), standard();
      std::vector<T> got(n);
      cpu::DrawUniform(ours, got.data(), n);
      std::uniform_real_distribution<T> uniform(0, 1);
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(got[i], uniform(standard)) << before << ' ' << n << ' ' << i;
      cpu::DrawNormal(ours, T(0.3), T(1.7), got.data(), n);
      std::normal_distribution<T> normal(T(0.3), T(1.7));
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(got[i], normal(standard)) << before << ' ' << n << ' ' << i;
      ASSERT_EQ(ours(), standard()) << before << ' ' << n;
    }
}

TEST(Draws, AreThoseOfTheStandardDistributions) {
  ExpectDraws<float>();
  ExpectDraws<double>();
}

TEST(Draws, AreRoundedToNearestAndStayBelowOne) {
  std::vector<uint64_t> words{0, 1, UINT64_MAX};
  for (int bit = 1; bit < 64; ++bit)
    for (uint64_t low : {uint64_t{1} << (bit - 1), (uint64_t{1} << bit) - 1, uint64_t{0}})
      for (uint64_t high : {UINT64_MAX << bit, uint64_t{1} << bit, uint64_t{3} << bit}) words.push_back(high | low);
  std::vector<float> f(words.size());
  std::vector<double> d(words.size());
  PD_ISA_CALL(unit_f32)(words.data(), static_cast<int64_t>(words.size()), f.data());
  PD_ISA_CALL(unit_f64)(words.data(), static_cast<int64_t>(words.size()), d.data());
  for (size_t i = 0; i < words.size(); ++i) {
    Given g{words[i]};
    EXPECT_EQ(f[i], (std::generate_canonical<float, 24>(g))) << words[i];
    EXPECT_EQ(d[i], (std::generate_canonical<double, 53>(g))) << words[i];
  }
}

}  // namespace
}  // namespace phi
