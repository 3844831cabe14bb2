#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

// Names typed by users, and messages for unknown ones.

namespace pair::base {

// The number of insertions, deletions, replacements and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The name in `known` that is nearest to `name`, or an empty view if none is similar enough to be meant. Case
// and punctuation do not matter: 'PAIR-o' is near 'pair'. Names that begin with the other one are near: 'env'
// and 'environment'.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);

// With the letters A to Z in lower case; other characters are unchanged.
std::string lower_case(std::string_view text);

// Only letters and digits, in lower case: IB_ERM and ib-erm are both iberm.
std::string plain_name(std::string_view name);

// The text with a question mark in place of every character that a terminal would not print as itself:
// control characters, including line ends and tabs; bytes that are not UTF-8; and marks that change the
// direction of writing. For names of folders and other texts from files, wherever they are shown to users.
std::string printable(std::string_view text);

// The longest beginning of at most `most` bytes that does not end inside a UTF-8 character.
std::string_view beginning(std::string_view text, std::size_t most);
// The same, with "..." if it is not the whole text.
std::string shortened(std::string_view text, std::size_t most);

// "unknown solver 'epoo'; did you mean 'epo'? Known: linear, mgda, ...". Control characters in the name are
// replaced and long names are shortened.
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> known);

}  // namespace pair::base
