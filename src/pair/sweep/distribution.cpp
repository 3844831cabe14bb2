#include "pair/sweep/distribution.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "pair/base/numbers.h"

namespace pair::sweep {
namespace {

std::string number(double value, bool whole) {
  char text[64];
  if (whole) {
    std::snprintf(text, sizeof text, "%.0f", std::floor(value));
    return text;
  }
  std::snprintf(text, sizeof text, "%.6g", value);
  return base::shown(std::strtod(text, nullptr));
}

std::string range(double low, double high) {
  return "Uniform(" + base::shown(low) + ", " + base::shown(high) + ")";
}

struct Draw {
  data::Random& random;

  std::string operator()(const Fixed& fixed) const { return fixed.value; }
  std::string operator()(const Uniform& uniform) const {
    return number(random.uniform(uniform.low, uniform.high), uniform.whole);
  }
  std::string operator()(const LogUniform& log) const {
    return number(std::pow(log.base, random.uniform(log.low, log.high)), log.whole);
  }
  std::string operator()(const LogUniforms& list) const {
    std::string text;
    for (const LogUniform& one : list.each) {
      text += (text.empty() ? "" : ",") + (*this)(one);
    }
    return text;
  }
  std::string operator()(const Choice& choice) const {
    return choice.values[random.below(choice.values.size())];
  }
};

struct Text {
  std::string operator()(const Fixed& fixed) const { return fixed.value; }
  std::string operator()(const Uniform& uniform) const {
    return (uniform.whole ? "whole part of " : "") + range(uniform.low, uniform.high);
  }
  std::string operator()(const LogUniform& log) const {
    return (log.whole ? "whole part of " : "") + base::shown(log.base) + "^" + range(log.low, log.high);
  }
  std::string operator()(const LogUniforms& list) const {
    std::string text;
    for (const LogUniform& one : list.each) {
      text += (text.empty() ? "" : " and ") + (*this)(one);
    }
    return text;
  }
  std::string operator()(const Choice& choice) const {
    std::string text;
    for (const std::string& value : choice.values) {
      // Lists hold commas of their own.
      const bool list = value.find(',') != std::string::npos;
      text += (text.empty() ? "one of " : ", ") + (list ? "(" + value + ")" : value);
    }
    return text;
  }
};

}  // namespace

std::string draw(const Distribution& distribution, data::Random& random) {
  return std::visit(Draw{random}, distribution);
}

std::string as_text(const Distribution& distribution) {
  return std::visit(Text{}, distribution);
}

}  // namespace pair::sweep
