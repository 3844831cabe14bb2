#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pair/data/environment.h"
#include "pair/data/prepared_table.h"
#include "pair/data/registry.h"
#include "pair/data/table_encoding.h"
#include "pair/data/table_environments.h"
#include "pair/data/table_spec.h"

// A user's own table, as tensors (see prepared_table.h). All rows are in memory, so that steps can take all
// of them: PAIR-o needs no minibatches here.

namespace pair::data {
namespace {

// Rows of the table, and the inputs [n, width] that they become.
struct RowsOfPart {
  const std::vector<std::size_t>* rows;
  torch::Tensor inputs;
};

Environment part_environment(const std::string& key, const std::vector<std::size_t>& rows,
                             const std::vector<float>& labels, bool classes, std::int64_t width) {
  Environment environment{
      .key = key,
      .inputs = torch::empty({static_cast<std::int64_t>(rows.size()), width}, torch::kFloat),
      .labels = torch::empty({static_cast<std::int64_t>(rows.size())}, torch::kFloat),
      .samples = rows};
  float* const to = environment.labels.data_ptr<float>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    to[i] = labels[rows[i]];
  }
  if (classes) {
    environment.labels = environment.labels.to(torch::kLong);
  }
  return environment;
}

EnvironmentSet make_table(const TableSpec& spec, std::uint64_t seed) {
  PreparedTable prepared = prepare_table(spec, seed);
  const TableEncoding& encoding = prepared.encoding;
  const std::size_t classes = encoding.label.classes.size();
  const bool regression = encoding.label.task == TableTask::regression;
  const auto width = static_cast<std::int64_t>(encoding.width());
  EnvironmentSet set{.name = "table", .train = {}, .held_out = {}};
  set.loss = regression     ? TaskLoss::squared_error
             : classes == 2 ? TaskLoss::binary_cross_entropy
                            : TaskLoss::cross_entropy;
  set.outputs = set.loss == TaskLoss::cross_entropy ? static_cast<std::int64_t>(classes) : 1;

  std::vector<RowsOfPart> filled;
  for (std::size_t e = 0; e < prepared.environments.size(); ++e) {
    const PreparedTable::Part& part = prepared.environments[e];
    const auto make = [&](const std::string& suffix, const std::vector<std::size_t>& rows) {
      Environment environment = part_environment("env" + std::to_string(e) + suffix, rows, prepared.labels,
                                                 set.loss == TaskLoss::cross_entropy, width);
      filled.push_back({&rows, environment.inputs});
      return environment;
    };
    (part.test ? set.held_out : set.train).push_back(make("_in", part.in));
    if (part.test) {
      set.held_out.back().test = true;
    }
    set.held_out.push_back(make("_out", part.out));
  }
  // A column at a time, which is then dropped: both forms of the whole table never stand side by side.
  std::size_t place = 0;
  for (std::size_t c = 0; c < encoding.columns.size(); ++c) {
    const Column column = std::exchange(prepared.table.columns[c], {});
    for (const RowsOfPart& part : filled) {
      encode_column(column, encoding.columns[c], *part.rows, part.inputs.data_ptr<float>() + place,
                    static_cast<std::size_t>(width));
    }
    place += encoding.columns[c].width();
  }
  set.notices = std::move(prepared.notices);
  set.description = std::move(prepared.description);
  set.table = std::make_shared<const TableEncoding>(std::move(prepared.encoding));
  set.show = [spec](std::span<const std::size_t> rows) { return shown_rows(spec, rows); };
  return set;
}

}  // namespace

std::vector<DatasetEntry> table_entries() {
  DatasetEntry entry{.name = "table",
                     .summary = "a CSV file with a column for the label and one for the environment"};
  entry.options = base::Options::of<TableSpec>();
  entry.described = true;
  entry.environments_in_data = true;
  entry.standardised_label = true;
  entry.environments = [](const base::Options& options) {
    return environment_names(options.as<TableSpec>());
  };
  entry.test_environments = [](const base::Options& options) { return options.as<TableSpec>().test_envs; };
  entry.check = [](const base::Options& options) { validate(options.as<TableSpec>()); };
  entry.make = [](const base::Options& options, std::uint64_t seed) {
    return make_table(options.as<TableSpec>(), seed);
  };
  return {entry};
}

}  // namespace pair::data
