#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

// Names that users type, and what to say when one is wrong.

namespace pair::base {

// Insertions, deletions, replacements and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The name of `known` nearest to `name`, or an empty view where none is near enough to be a slip.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);

// Letters and digits alone, in lower case: IB_ERM and ib-erm are both iberm.
std::string plain_name(std::string_view name);

// The text with a question mark in place of every character that a terminal would not print as itself:
// control characters, line ends and tabs among them, bytes that are not UTF-8, and the marks that change the
// direction of writing. For names of folders and other texts that come from files, wherever people read them.
std::string printable(std::string_view text);

// "unknown solver 'epoo'; did you mean 'epo'? Known: linear, mgda, ...". Control characters in the name
// are replaced and a long one is shortened, so that the sentence stays one.
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> known);

}  // namespace pair::base
