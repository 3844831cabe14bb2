#pragma once

#include <string>
#include <variant>
#include <vector>

// What a random search draws a setting from. Values are text as the user would type them, because settings
// are numbers, names and lists. sweep/hparams.h draws.

namespace pair::base {

struct Fixed {
  std::string value;
};

struct Uniform {
  double low = 0.0;
  double high = 0.0;
  bool whole = false;  // rounded down to a whole number
};

// base^Uniform(low, high).
struct LogUniform {
  double base = 10.0;
  double low = 0.0;
  double high = 0.0;
  bool whole = false;
};

// A list, each number drawn by itself: one weight per penalty. At least one.
struct LogUniforms {
  std::vector<LogUniform> each;
};

// Each as likely as the others; at least one.
struct Choice {
  std::vector<std::string> values;
};

using Distribution = std::variant<Fixed, Uniform, LogUniform, LogUniforms, Choice>;

// "10^Uniform(-4.5, -2.5)", "whole part of 2^Uniform(3, 9)", "one of 0.01, 0.1", "10^Uniform(0, 1) and
// 10^Uniform(2, 3)".
std::string as_text(const Distribution& distribution);

}  // namespace pair::base
