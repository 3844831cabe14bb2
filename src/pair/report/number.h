#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace pair::report {

// Rounded to six significant digits, more than a page can show; null if not finite.
nlohmann::json number(double value);
nlohmann::json numbers(std::span<const double> values);

// For sentences: three significant digits; accuracies in percent with one decimal ("69.1%").
std::string said(double value);
std::string said_accuracy(double value);

// "1 run", "2 runs".
std::string counted(std::size_t count, const std::string& singular, const std::string& plural = "");

}  // namespace pair::report
