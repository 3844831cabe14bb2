#pragma once

#include <string>
#include <variant>
#include <vector>

// The distributions of a random search. Values are text as on the command line, because settings are numbers,
// names or lists. sweep/hparams.h draws from them.

namespace pair::base {

struct Fixed {
  std::string value;
};

struct Uniform {
  double low = 0.0;
  double high = 0.0;
  bool whole = false;  // rounded down to an integer
};

// base^Uniform(low, high).
struct LogUniform {
  double base = 10.0;
  double low = 0.0;
  double high = 0.0;
  bool whole = false;
};

// A list of independently drawn numbers, such as one weight per penalty. At least one.
struct LogUniforms {
  std::vector<LogUniform> each;
};

// Uniform over the values; at least one.
struct Choice {
  std::vector<std::string> values;
};

using Distribution = std::variant<Fixed, Uniform, LogUniform, LogUniforms, Choice>;

// "10^Uniform(-4.5, -2.5)", "whole part of 2^Uniform(3, 9)", "one of 0.01, 0.1", "10^Uniform(0, 1) and
// 10^Uniform(2, 3)".
std::string as_text(const Distribution& distribution);

}  // namespace pair::base
