#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pair/data/table.h"
#include "pair/data/table_encoding.h"

// The content of a user's own data, before anything is trained on it: a CSV file (table_spec.h, text_spec.h),
// a folder of images (image_folder.h) or a CSV file of images (image_manifest.h).

namespace pair::data {

struct OwnDataRequest {
  std::filesystem::path path;
  // CSV files only. Without a label and an environment, only the columns of a table are described; those of a
  // list of images are then "label" and "environment".
  std::string label = {};
  std::vector<std::string> environment = {};
  std::string text = {};                 // the column with the texts
  std::vector<std::string> ignore = {};  // columns that are not used
};

struct OwnColumn {
  enum class Role { input, label, environment, text, ignored };
  std::string name;
  Role role = Role::input;
  // Without a value for texts and ignored columns, which are not read.
  std::optional<ColumnKind> kind = {};
  std::size_t missing = 0;  // cells
  // number: of the cells that are not missing
  double low = 0.0;
  double high = 0.0;
  double mean = 0.0;
  double deviation = 0.0;
  // category: how many there are, and the first ones in the file
  std::size_t categories = 0;
  std::vector<std::string> examples = {};
};

struct OwnEnvironment {
  std::string name;
  std::size_t samples = 0;
  std::vector<std::size_t> classes = {};  // samples per class; empty for regressions
  double mean = 0.0;                      // of a regression's label
};

struct OwnData {
  std::string kind;  // "table", "text" or "images"
  std::size_t samples = 0;
  std::vector<OwnColumn> columns = {};    // of a CSV file, in its order
  std::optional<TableTask> task = {};     // if the label is known
  std::vector<std::string> classes = {};  // empty for regressions
  std::vector<OwnEnvironment> environments = {};
  std::vector<std::string> problems = {};  // why a model cannot be trained on it, a sentence each
  std::vector<std::string> notes = {};     // a sentence each; of a warning, "warning: ..."
};

// Reads a table's cells; images are counted, not opened. With a label and an environment, `problems` has what
// 'pair train' would refuse, as far as it does not depend on the test environments. Throws
// std::invalid_argument for a path that does not exist, a file that is not CSV and a column that it does not
// have, and for columns with a folder.
OwnData describe_own_data(const OwnDataRequest& request);

}  // namespace pair::data
