#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/data/source.h"

// Datasets of the benchmark WILDS (Koh et al., ICML 2021) from the folders of its release:
//
//   ROOT/camelyon17_v1.0/RELEASE_v1.0.txt, metadata.csv, patches/...
//
// Samples, splits, metadata and metrics are those of the Python package wilds. Each dataset is one file
// (wilds_NAME.cpp) and one line in wilds.cpp. Nothing here opens an image.

namespace pair::data {

// The number of splits of data::Split, by which arrays are indexed.
inline constexpr std::size_t split_count = 5;

// Groups of samples, in the order of their numbers. Groups may overlap: a comment can mention several
// identities.
struct WildsGroups {
  std::vector<std::string> names;
  std::vector<std::vector<std::size_t>> samples;  // of all splits, ascending
};

// Which groups are the environments.
enum class WildsEnvironments {
  paper,  // those of PAIR's and Fish's experiments: CivilComments by identity and label, FMoW by region and
          // year
  wilds   // the default groups of WILDS' own training script
};

struct WildsOptions {
  char fold = 'A';  // PovertyMap's countries: A to E. Others ignore it
};

// A dataset as its files describe it. Samples are numbered as in the Python package.
struct WildsSet {
  std::string name = {};
  std::filesystem::path folder = {};
  std::vector<Split> splits = {};         // those that the dataset has, in WILDS' order
  std::vector<std::string> classes = {};  // names; empty for a regression

  // Columns of the metadata, in WILDS' order; the last but one or earlier is y, the last from_source_domain.
  std::vector<std::string> fields = {};
  // Names for the numbers of a field (WILDS' metadata_map).
  std::map<std::string, std::vector<std::string>, std::less<>> meanings = {};

  // Per sample.
  std::vector<double> metadata = {};             // row-major: one number per field
  std::vector<std::optional<Split>> split = {};  // none: in no split
  std::vector<std::string> inputs = {};          // files below the folder, or texts
  bool texts = false;                            // which of the two

  // The size of all images; 0: each has its own.
  std::int64_t rows = 0;
  std::int64_t columns = 0;

  [[nodiscard]] std::size_t size() const { return split.size(); }
  [[nodiscard]] bool regression() const { return classes.empty(); }
  // The column of a field. Throws std::invalid_argument for an unknown one.
  [[nodiscard]] std::size_t field(std::string_view wanted) const;
  [[nodiscard]] double value(std::size_t sample, std::size_t field) const {
    return metadata[sample * fields.size() + field];
  }
  [[nodiscard]] double label(std::size_t sample) const;
  // The samples of a split, ascending.
  [[nodiscard]] std::vector<std::size_t> samples_of(Split wanted) const;
};

// Scores by WILDS' names, in its order: "acc_avg", "acc_slide:0", "count_slide:0", ...
using WildsScores = std::vector<std::pair<std::string, double>>;
// Throws std::out_of_range for a name that is not there.
double score_named(const WildsScores& scores, std::string_view name);

// How a dataset is trained on: the paper's Appendix F.3 and, where it is silent, its published code, which follows
// Fish's. Numbers of steps are the ERM steps, and about as many after them as the paper's epochs have on the real
// data.
struct WildsTraining {
  bool texts = false;             // comments instead of images, which the next four are about
  std::int64_t image_size = 224;  // the default of the option
  std::int64_t size_divides = 0;  // the option must divide this; 0: any size
  bool standardised =
      false;  // each image by itself, with random turns; otherwise by ImageNet's mean and deviation
  std::vector<std::string> metrics = {"accuracy", "worst_group", "macro_f1"};  // as in DatasetEntry
  // By name and value as typed, in addition to those of all (with_common_settings).
  base::Assignments settings = {};
};

struct WildsGeneration;
class Random;

struct WildsKind {
  std::string_view name;     // "camelyon17"
  std::string_view version;  // of the release that is read: "1.0"
  std::string_view summary;  // one line
  // The metrics of WILDS' leaderboard. The first selects models.
  std::vector<std::string> metrics;
  std::vector<std::string> replicates;  // of the leaderboard: "seed:0", ... or "fold:A", ...
  WildsSet (*read)(const std::filesystem::path& folder, const WildsOptions& options) = nullptr;
  WildsGroups (*environments)(const WildsSet& set, WildsEnvironments which) = nullptr;
  // The scores of predictions for some samples: class numbers, or values of a regression.
  WildsScores (*evaluate)(const WildsSet& set, std::span<const std::size_t> samples,
                          std::span<const double> predictions) = nullptr;
  // Writes made-up data into a new folder (wilds_generate.h), except for the release file.
  void (*generate)(const std::filesystem::path& folder, const WildsGeneration& options,
                   Random& random) = nullptr;
  WildsTraining training = {};
};

const std::vector<WildsKind>& wilds_kinds();
// Null for another name.
const WildsKind* find_wilds(std::string_view name);
// Throws std::invalid_argument that suggests the nearest name and lists all.
const WildsKind& wilds_named(std::string_view name);

// ROOT/NAME_vVERSION. Throws std::invalid_argument if it is not there, is another version or lacks its
// release file; the sentence says what was found.
std::filesystem::path wilds_folder(const WildsKind& kind, const std::filesystem::path& root);

// Reads a dataset's tables. Throws std::invalid_argument with one sentence that names the file, and the line
// if there is one: a missing file or column, a cell that is not as expected.
WildsSet read_wilds(const WildsKind& kind, const std::filesystem::path& root,
                    const WildsOptions& options = {});

// The inputs of a dataset that are not on disk, in the order of the samples; at most `most`.
std::vector<std::string> missing_inputs(const WildsSet& set, std::size_t most);

// Groups of samples with the same values of some fields, numbered as WILDS' CombinatorialGrouper does: the
// first field varies fastest, and there is a group for each combination of values, with or without samples.
class WildsGrouper {
 public:
  // The set must outlive this object. `fields`: in the order of the metadata. Throws std::invalid_argument
  // for a field that does not exist.
  WildsGrouper(const WildsSet& set, std::span<const std::string_view> fields);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t of(std::size_t sample) const;
  // As in the keys of WILDS' scores, the last field first: "y:0_male:1".
  [[nodiscard]] std::string name(std::size_t group) const;
  // All of them with their samples.
  [[nodiscard]] WildsGroups groups() const;

 private:
  const WildsSet* set_;
  std::vector<std::string> names_;
  std::vector<std::size_t> places_;
  std::vector<std::size_t> sizes_;
  std::size_t count_ = 1;
};
// The groups that have a sample, by ascending number.
WildsGroups without_empty(WildsGroups groups);

// A file of predictions as WILDS' evaluate.py reads it: one number per line, no header, empty lines ignored.
// Throws std::invalid_argument that names the line if it is not a number, and for another number of lines
// than `count`.
std::vector<double> read_predictions(const std::filesystem::path& path, std::size_t count);
// "camelyon17_split:test_seed:0_epoch:last_pred.csv". replicate: "seed:0" or "fold:A".
std::string prediction_file(std::string_view dataset, Split split, std::string_view replicate,
                            std::string_view epoch);

}  // namespace pair::data
