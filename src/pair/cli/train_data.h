#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/runs/run_spec.h"

// The data of 'pair train' and 'pair sweep launch' as users name it: a file or folder of their own, and
// environments by their names.

namespace pair::cli {

// Adds the options for the settings of data that 'pair train' and 'pair sweep launch' share. setting(OPTION, SETTING,
// HELP) adds one.
void add_data_settings(
    const std::function<void(const std::string&, const std::string&, const std::string&)>& setting);

// The dataset and settings for --data.
struct NamedData {
  std::string dataset;       // "table" for a file, "images" for a folder or a list of images
  base::Assignment setting;  // the dataset's setting for the path, and the absolute path
};

// `dataset`: the value of --dataset, or empty. Throws std::invalid_argument if the path does not exist, is of
// an unsupported kind, or does not fit the dataset.
NamedData data_named(const std::string& path, std::string_view dataset);

// Adds the settings for '--data PATH', before the others, and returns the dataset's name. `dataset` as above;
// if it is empty and the settings have a column of texts, the dataset is "text". Throws as data_named.
std::string add_named_data(const std::string& path, std::string_view dataset, base::Assignments& settings);

// Makes the paths among the settings (base::Field::path) absolute, so that they hold in any working directory.
void make_paths_absolute(base::Assignments& settings);

// Throws std::invalid_argument if a file that complete_paths would read cannot be opened. Does not read it.
void check_files(const base::Assignments& settings);

// Makes the paths absolute, too, and adds the digests of files whose content decides the run, where they are not
// given. For the complete settings, since the last path of a setting is the one that counts. Throws
// std::invalid_argument if such a file cannot be read.
void complete_paths(base::Assignments& settings);

// Throws std::invalid_argument if one of the settings is for CSV files, such as the label, and the dataset is
// not one.
void refuse_columns(std::string_view dataset, const base::Assignments& settings);

// The numbers of the environments that the text names, of environments that are called `names`: one name or
// several separated by commas (in quotes if one has a comma), or their numbers from 0. A name goes before
// a number. Throws std::invalid_argument that lists the names.
std::vector<std::int64_t> environments_named(std::string_view text, const std::vector<std::string>& names);

// The same for a dataset. Its names are looked up, for which a user's file is read, only if the text is not a
// list of numbers, or the names are the user's: the dataset has environments_in_data, or is images.
std::vector<std::int64_t> environments_named(std::string_view text, const data::Dataset& dataset);

// A note for the user if a text that environments_named takes has a number that is not a name, although all names
// are integers, such as years; otherwise empty.
std::string note_of_number(std::string_view text, const std::vector<std::string>& names);

// The specs that '--test-envs TEXT' stands for, without the setting if `text` is null: one, or one per
// environment if it is "each". For datasets that have the setting test_envs. Without the text, a dataset with
// environments_in_data is tested on its last environment. note_of_number is added to `notes`, if given.
std::vector<runs::RunSpec> with_test_environments(const runs::RunSpec& spec, const std::string* text,
                                                  std::vector<std::string>* notes = nullptr);

}  // namespace pair::cli
