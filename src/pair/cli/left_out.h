#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "pair/select/read_histories.h"

// What 'pair select' and 'pair report' say of the folders that they read, a line each, "pair: " before it.

namespace pair::cli {

// Runs that failed before their first record, and what was left out: the first few, or with `all` everything.
// `rest`: where the others are named, such as
// "--explain names all".
void say_left_out(const select::Histories& histories, bool all, std::string_view rest, std::ostream& err);

// Of every folder that has a sweep.json: whether it holds runs that are not in the list of folders there, as
// after a change of sweep.json by hand. They count, since any folder of runs may be read; 'pair sweep
// collect' reads the jobs alone. A sweep.json without that list says nothing.
void say_strangers(std::span<const std::filesystem::path> folders, std::ostream& err);

// "2 folders hold runs that are not among the sweep's jobs, such as a".
std::string strangers_sentence(std::span<const std::string> strangers);

}  // namespace pair::cli
