#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The input of selection: runs with their records, as numbers. pair/select/read_histories.h reads them from
// disk.

namespace pair::select {

// One logged quantity of a run, such as nll or env0_out_acc. NaN if a record lacks it.
struct Column {
  std::string key;
  std::vector<double> values;  // one per record
};

// The description of its algorithm in a run's records, so that selection needs no list of algorithms. Records
// of DomainBed and of older versions do not have it.
struct Declared {
  // args.losses: the losses of PAIR-s, as keys or objectives; the first list that the records have. An empty
  // list: none.
  std::optional<std::vector<std::vector<std::string>>> losses = {};
  std::optional<bool> noisy_losses = {};  // args.noisy_losses: too noisy to compare runs by
  std::string domainbed = {};             // args.domainbed: the algorithm's name there
};

struct Run {
  std::string name;  // the run's folder; unique within a history
  std::string dataset;
  std::string algorithm;
  std::string logged_as;       // the algorithm's name in the records, if name_methods changed it
  std::string label;           // the name given by 'pair train --name'; may be empty
  std::vector<int> test_envs;  // from 0, each once, in the order of args.test_envs
  std::int64_t trial_seed = 0;
  std::int64_t hparams_seed = 0;
  Declared declared = {};
  std::vector<std::pair<std::string, std::string>> hparams;  // by name; the values as JSON
  std::vector<std::int64_t> steps;                           // one per record, in the order they were logged
  std::vector<Column> columns;
  // Names of the environments, from environment 0; empty if the records have none.
  std::vector<std::string> environments = {};
  std::string dataset_in_records = {};  // if name_datasets changed it

  // The algorithm's name in the records.
  [[nodiscard]] const std::string& trained_as() const { return logged_as.empty() ? algorithm : logged_as; }
  // The dataset's name in the records.
  [[nodiscard]] const std::string& recorded_dataset() const {
    return dataset_in_records.empty() ? dataset : dataset_in_records;
  }
  // The value of a setting as JSON; empty if the records do not have the setting.
  [[nodiscard]] std::string_view setting(std::string_view key) const;
  [[nodiscard]] std::size_t records() const { return steps.size(); }
  // Null if no record has the key.
  [[nodiscard]] const Column* find(std::string_view key) const;
  // The column of this name, or of the objective as our records name it: erm finds losses.erm, and
  // DomainBed's IRM_penalty finds losses.irmv1.
  [[nodiscard]] const Column* find_loss(std::string_view loss) const;
  // The same loss on the held-out samples of the training environments; nll is erm's. Null for other numbers
  // that are not objectives, such as penalty.
  [[nodiscard]] const Column* find_held_out_loss(std::string_view loss) const;
  // Adds a record: its step and its numbers. If a key occurs twice, the later value counts.
  void add(std::int64_t step, std::span<const std::pair<std::string, double>> values);
};

// The texts of a JSON value: a and b of ["a","b"], a of "a".
std::vector<std::string> texts_in(std::string_view json);

// Whether a run's records have squared errors by environment, env{i}_in_mse, and no accuracies.
bool is_regression(const Run& run);

// A sweep: runs in any order.
using History = std::vector<Run>;

// A run's accuracies by environment: env{i}_in_acc on the larger split and env{i}_out_acc on the held-out
// one. Valid as long as the run is neither changed nor moved.
class Accuracies {
 public:
  explicit Accuracies(const Run& run);

  // NaN if the record lacks it.
  [[nodiscard]] double in(int environment, std::size_t record) const { return at(in_, environment, record); }
  [[nodiscard]] double out(int environment, std::size_t record) const {
    return at(out_, environment, record);
  }
  // The number of leading environments 0, 1, ... that have a held-out accuracy in the record: DomainBed's
  // count.
  [[nodiscard]] int held_out(std::size_t record) const;
  // One more than the largest environment index in any record.
  [[nodiscard]] int environments() const { return static_cast<int>(in_.size()); }

 private:
  using Columns = std::vector<const Column*>;
  static double at(const Columns& columns, int environment, std::size_t record);

  Columns in_;
  Columns out_;
};

}  // namespace pair::select
