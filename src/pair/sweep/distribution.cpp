#include "pair/sweep/distribution.h"

#include <algorithm>
#include <cmath>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"

namespace pair::sweep {
namespace {

std::string number(double value, bool whole) {
  return whole ? base::with_decimals(std::floor(value), 0) : base::shown(base::rounded(value));
}

struct Draw {
  data::Random& random;

  std::string operator()(const base::Fixed& fixed) const { return fixed.value; }
  std::string operator()(const base::Uniform& uniform) const {
    return number(random.uniform(uniform.low, uniform.high), uniform.whole);
  }
  std::string operator()(const base::LogUniform& log) const {
    return number(std::pow(log.base, random.uniform(log.low, log.high)), log.whole);
  }
  std::string operator()(const base::LogUniforms& list) const { return base::joined(list.each, ",", *this); }
  std::string operator()(const base::Choice& choice) const {
    return choice.values[random.below(choice.values.size())];
  }
};

// By NumPy's generators, one per number.
struct NumpyDraw {
  std::span<data::NumpyRandom> randoms;
  double scale;

  [[nodiscard]] std::string shown(double value, bool whole) const {
    return whole ? std::to_string(static_cast<std::int64_t>(value)) : base::shown(value * scale);
  }
  std::string operator()(const base::Fixed& fixed) const { return fixed.value; }
  std::string operator()(const base::Uniform& uniform) const {
    return shown(randoms.front().uniform(uniform.low, uniform.high), uniform.whole);
  }
  std::string operator()(const base::LogUniform& log) const {
    return shown(std::pow(log.base, randoms.front().uniform(log.low, log.high)), log.whole);
  }
  std::string operator()(const base::LogUniforms& list) const {
    std::string text;
    for (std::size_t i = 0; i < list.each.size(); ++i) {
      const NumpyDraw one{randoms.subspan(std::min(i, randoms.size() - 1), 1), scale};
      text += (text.empty() ? "" : ",") + one(list.each[i]);
    }
    return text;
  }
  std::string operator()(const base::Choice& choice) const {
    return choice.values[randoms.front().choice(choice.values.size())];
  }
};

}  // namespace

std::string draw(const base::Distribution& distribution, std::span<data::NumpyRandom> randoms, double scale) {
  return std::visit(NumpyDraw{randoms, scale}, distribution);
}

std::string draw(const base::Distribution& distribution, data::Random& random) {
  return std::visit(Draw{random}, distribution);
}

}  // namespace pair::sweep
