#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "pair/select/read_histories.h"

// Reports of 'pair select' and 'pair report' about the folders they read, one line each, prefixed with "pair:
// ".

namespace pair::cli {

// Runs that failed before their first record, and files that were left out: the first few, or all of them
// with `all`. `rest`: where the others are listed, such as "--explain names all".
void say_left_out(const select::Histories& histories, bool all, std::string_view rest, std::ostream& err);

// For every folder with a sweep.json: whether it has runs that are not in the list of folders there, for
// example after a manual change of sweep.json. They are included, since any folder of runs may be read; 'pair
// sweep collect' only reads jobs. A sweep.json without that list is ignored.
void say_strangers(std::span<const std::filesystem::path> folders, std::ostream& err);

// "2 folders hold runs that are not among the sweep's jobs, such as a".
std::string strangers_sentence(std::span<const std::string> strangers);

}  // namespace pair::cli
