#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Messages for values that must be one of several names, and for lists of names that are too long to print.

namespace pair::base {

// "--across: expected paper, score or validation, got 'scores'; did you mean 'score'?". The subject is an
// option or a setting. Control characters in the name are replaced, and long names are shortened.
std::string unexpected_name(std::string_view subject, std::string_view name,
                            std::span<const std::string_view> known);

// "a, b or c".
std::string alternatives(std::span<const std::string_view> names);

// Up to `count` of the known names, nearest first; those at the same distance in their order.
std::vector<std::string_view> nearest_names(std::string_view name, std::span<const std::string_view> known,
                                            std::size_t count);

}  // namespace pair::base
