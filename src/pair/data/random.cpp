#include "pair/data/random.h"

#include <cmath>
#include <locale>
#include <sstream>
#include <stdexcept>

namespace pair::data {

Random::Random(std::uint64_t seed, std::string_view stream) {
  // FNV-1a: unlike std::hash, it gives the same value everywhere.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : stream) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U),
                         static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(hash >> 32U)};
  engine_.seed(sequence);
}

std::uint64_t Random::below(std::uint64_t bound) {
  // Draws from the incomplete last multiple of bound are rejected.
  const std::uint64_t excess = (~std::uint64_t{0} % bound + 1) % bound;
  std::uint64_t draw = bits();
  while (draw > ~std::uint64_t{0} - excess) {
    draw = bits();
  }
  return draw % bound;
}

double Random::normal() {
  for (;;) {
    const double u = uniform(-1.0, 1.0);
    const double v = uniform(-1.0, 1.0);
    const double square = u * u + v * v;
    if (square > 0.0 && square < 1.0) {
      return u * std::sqrt(-2.0 * std::log(square) / square);
    }
  }
}

std::string Random::state() const {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << engine_;
  return out.str();
}

void Random::restore(const std::string& state) {
  std::istringstream in(state);
  in.imbue(std::locale::classic());
  std::mt19937_64 engine;
  if (!(in >> engine) || !(in >> std::ws).eof()) {
    throw std::invalid_argument("the state of a random generator is invalid");
  }
  engine_ = engine;
}

}  // namespace pair::data
