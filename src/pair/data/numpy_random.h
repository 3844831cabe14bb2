#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The draws of NumPy's RandomState, bit for bit: the same seed gives the same numbers. DomainBed draws its
// splits and hyperparameters with it, and derives the seeds by seed_hash.

namespace pair::data {

// numpy.random.RandomState: the Mersenne Twister MT19937 (Matsumoto and Nishimura, ACM TOMACS 1998) and
// NumPy's legacy distributions, which are frozen (NEP 19).
class NumpyRandom {
 public:
  // RandomState(seed), seed below 2^32.
  explicit NumpyRandom(std::uint32_t seed);
  // RandomState([key, ...]); at least one number. Throws std::invalid_argument for none.
  explicit NumpyRandom(std::span<const std::uint32_t> key);

  // The generator's next 32 bits.
  std::uint32_t bits();
  // random_sample(): in [0, 1), with 53 random bits.
  double uniform();
  // uniform(low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // randint(low, high): in [low, high). Throws std::invalid_argument for an empty range.
  std::int64_t randint(std::int64_t low, std::int64_t high);
  // The index of choice(values), for `count` values.
  std::size_t choice(std::size_t count) {
    return static_cast<std::size_t>(randint(0, static_cast<std::int64_t>(count)));
  }

  // shuffle(values).
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<std::size_t>(up_to(i - 1))]);
    }
  }
  // permutation(count).
  std::vector<std::int64_t> permutation(std::size_t count);

 private:
  // In [0, most]: bits under the mask of `most`, drawn until they are in range.
  std::uint64_t up_to(std::uint64_t most);
  void refill();

  static constexpr std::size_t length = 624;
  std::array<std::uint32_t, length> state_{};
  std::size_t at_ = length;
};

// DomainBed's misc.seed_hash(...): the MD5 digest of the text, modulo 2^31. The text is the repr of the tuple
// of arguments, such as "(0, 1)" or "(17, 'lr')".
std::uint32_t domainbed_seed(std::string_view arguments);
std::uint32_t domainbed_seed(std::int64_t first, std::int64_t second);
std::uint32_t domainbed_seed(std::int64_t first, std::string_view second);

// DomainBed's misc.split_dataset: the samples 0, 1, ..., count - 1 of an environment, shuffled; the first
// int(count * holdout) are held out. Seeds are DomainBed's --trial_seed and the environment's number.
struct DomainBedSplit {
  std::vector<std::int64_t> out;  // held out, in DomainBed's order
  std::vector<std::int64_t> in;
};
DomainBedSplit domainbed_split(std::size_t count, double holdout, std::uint64_t trial_seed,
                               std::int64_t environment);

}  // namespace pair::data
