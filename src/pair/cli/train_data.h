#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/runs/run_spec.h"

// The data of 'pair train' as users name it: a file or folder of their own, and environments by their names.

namespace pair::cli {

// What --data stands for.
struct NamedData {
  std::string dataset;     // "table" for a file, "images" for a folder
  runs::Override setting;  // which setting of it holds the path, which is absolute, and the path
  // For a file, its digest, so that a run is not continued on other data.
  std::vector<runs::Override> more = {};
};

// `dataset`: what --dataset was given, or empty. Throws std::invalid_argument where the path does not exist,
// is of a kind that cannot be read, or does not fit the dataset.
NamedData data_named(const std::string& path, std::string_view dataset);

// The numbers of the environments that the text names, of environments that are called `names`: one name or
// several separated by commas (in quotes where one has a comma), or their numbers from 0. A name goes before
// a number. Throws std::invalid_argument that lists the names.
std::vector<std::int64_t> environments_named(std::string_view text, const std::vector<std::string>& names);

// The specs that '--test-envs TEXT' stands for, without the setting where `text` is null: one, or one per
// environment where it is "each". For datasets that have the setting test_envs. Without the text, a table is
// tested on its last environment.
std::vector<runs::RunSpec> with_test_environments(const runs::RunSpec& spec, const std::string* text);

}  // namespace pair::cli
