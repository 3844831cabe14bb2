#include "pair/base/distribution.h"

#include "pair/base/numbers.h"

namespace pair::base {
namespace {

std::string range(double low, double high) {
  return "Uniform(" + shown(low) + ", " + shown(high) + ")";
}

struct DistributionText {
  std::string operator()(const Fixed& fixed) const { return fixed.value; }
  std::string operator()(const Uniform& uniform) const {
    return (uniform.whole ? "whole part of " : "") + range(uniform.low, uniform.high);
  }
  std::string operator()(const LogUniform& log) const {
    return (log.whole ? "whole part of " : "") + shown(log.base) + "^" + range(log.low, log.high);
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
      // Lists contain commas.
      const bool list = value.find(',') != std::string::npos;
      text += (text.empty() ? "one of " : ", ") + (list ? "(" + value + ")" : value);
    }
    return text;
  }
};

}  // namespace

std::string as_text(const Distribution& distribution) {
  return std::visit(DistributionText{}, distribution);
}

}  // namespace pair::base
