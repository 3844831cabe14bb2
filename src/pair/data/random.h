#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The random generator of a run. The same seed gives the same draws on every machine: the generator is the
// standard's mt19937_64, and the distributions, which the standard does not fix, are implemented here.

namespace pair::data {

class Random {
 public:
  // stream separates purposes ("data", "model", "batches"), so that more draws for one do not shift another.
  Random(std::uint64_t seed, std::string_view stream);

  std::uint64_t bits() { return engine_(); }
  // In [0, 1), with 53 random bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  bool bernoulli(double probability) { return uniform() < probability; }
  // In [0, bound); bound > 0. Unbiased.
  std::uint64_t below(std::uint64_t bound);
  // Standard normal, by the polar method; the second value is discarded.
  double normal();

  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[below(i)]);
    }
  }
  // A random permutation of 0, 1, ..., n-1.
  std::vector<std::int64_t> permutation(std::size_t n) {
    std::vector<std::int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    shuffle(std::span(order));
    return order;
  }

  // The complete state as text, for checkpoints.
  [[nodiscard]] std::string state() const;
  // Throws std::invalid_argument for text that state() did not write.
  void restore(const std::string& state);

 private:
  std::mt19937_64 engine_;
};

}  // namespace pair::data
