#include "pair/data/own_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/base/statistics.h"
#include "pair/data/csv.h"
#include "pair/data/image_folder.h"
#include "pair/data/image_manifest.h"
#include "pair/data/prepared_table.h"
#include "pair/data/table_environments.h"
#include "pair/data/table_fit.h"
#include "pair/data/table_spec.h"

namespace pair::data {
namespace {

namespace fs = std::filesystem;
using Role = OwnColumn::Role;

bool holds_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Role role_of(const std::string& column, const OwnDataRequest& request) {
  return column == request.label                   ? Role::label
         : holds_name(request.environment, column) ? Role::environment
         : column == request.text                  ? Role::text
         : holds_name(request.ignore, column)      ? Role::ignored
                                                   : Role::input;
}

OwnColumn summary_of(const Column& column, Role role) {
  OwnColumn summary{.name = column.name, .role = role, .kind = column.kind, .missing = column.missing};
  if (column.kind == ColumnKind::category) {
    constexpr std::size_t most_examples = 5;
    summary.categories = column.categories.size();
    summary.examples.assign(column.categories.begin(),
                            column.categories.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                            most_examples, column.categories.size())));
    return summary;
  }
  std::vector<double> present;
  std::copy_if(column.numbers.begin(), column.numbers.end(), std::back_inserter(present),
               [](double value) { return !std::isnan(value); });
  if (!present.empty()) {
    const auto [low, high] = std::minmax_element(present.begin(), present.end());
    const base::MeanAndDeviation spread = base::mean_and_deviation(present);
    summary.low = *low;
    summary.high = *high;
    summary.mean = spread.mean;
    summary.deviation = spread.deviation;
  }
  return summary;
}

void check_columns_known(const OwnDataRequest& request, const std::vector<std::string>& names) {
  const std::string file = request.path.string();
  const auto check = [&](const char* what, const std::string& name) {
    if (!name.empty()) {
      check_column(what, name, names, file);
    }
  };
  check("label", request.label);
  check("text", request.text);
  for (const std::string& name : request.environment) {
    check("environment", name);
  }
  for (const std::string& name : request.ignore) {
    check("ignore", name);
  }
}

// Adds the sentence of what `work` refuses.
template <class Work>
void collect_problem(std::vector<std::string>& problems, Work work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    problems.emplace_back(error.what());
  }
}

// Adds warnings about columns of inputs, and if the label and the environment are known, the reasons for
// which training refuses columns, and the option that leaves them out.
void check_inputs(const Table& table, const OwnDataRequest& request, bool whole, OwnData& data) {
  std::vector<std::size_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::vector<std::string> ignored = request.ignore;
  for (const Column& column : table.columns) {
    if (role_of(column.name, request) != Role::input) {
      continue;
    }
    if (const auto fault = whole
                               ? fault_of(column, rows, static_cast<std::size_t>(TableSpec().max_categories))
                               : std::nullopt) {
      data.problems.push_back(base::printable(request.path.string()) + ": " + fault->sentence);
      if (fault->leave_out) {
        ignored.push_back(column.name);
      }
    } else if (const std::string warning = numbers_warning(column); !warning.empty()) {
      data.notes.push_back("warning: " + warning);
    }
  }
  if (const std::size_t count = ignored.size() - request.ignore.size(); count > 0) {
    data.notes.push_back(ignore_option(ignored) +
                         (count == 1 ? " leaves this column out" : " leaves these columns out"));
  }
}

// Samples per environment and class, as training divides them with the last environment as the test.
void add_environments(const OwnDataRequest& request, OwnData& data) {
  TableSpec spec{.file = request.path.string(), .label = request.label, .environment = request.environment};
  if (!request.text.empty()) {
    spec.task = TaskChoice::classes_only;
  }
  collect_problem(data.problems, [&] {
    spec.test_envs = {static_cast<std::int64_t>(environment_names(spec).size()) - 1};
    const PreparedTable prepared = prepare_labels(spec, /*seed=*/0);
    const LabelEncoding& label = prepared.encoding.label;
    data.task = label.task;
    data.classes = label.classes;
    for (const PreparedTable::Part& part : prepared.environments) {
      OwnEnvironment environment{.name = part.name, .samples = part.in.size() + part.out.size()};
      environment.classes.assign(label.classes.size(), 0);
      double sum = 0.0;
      for (const auto* rows : {&part.in, &part.out}) {
        for (const std::size_t row : *rows) {
          const auto value = static_cast<double>(prepared.labels[row]);
          if (label.task == TableTask::classification) {
            ++environment.classes[static_cast<std::size_t>(value)];
          }
          sum += label.mean + label.deviation * value;
        }
      }
      environment.mean =
          label.task == TableTask::regression ? sum / static_cast<double>(environment.samples) : 0.0;
      data.environments.push_back(std::move(environment));
    }
    data.notes.insert(data.notes.end(), prepared.notices.begin(), prepared.notices.end());
  });
}

OwnData describe_table(const OwnDataRequest& request) {
  OwnData data{.kind = request.text.empty() ? "table" : "text"};
  const std::vector<std::string> names = read_column_names(request.path);
  check_columns_known(request, names);
  TableReading reading{.environment = request.environment, .label = request.label};
  // All of them, to count them.
  reading.most_categories = std::numeric_limits<std::uint32_t>::max() - 1;
  for (const std::string& name : names) {
    const Role role = role_of(name, request);
    if (role == Role::text || role == Role::ignored) {
      reading.ignore.push_back(name);
    }
  }
  const bool whole = !request.label.empty() && !request.environment.empty();
  const Table table = read_table(request.path, reading);
  data.samples = table.rows;
  for (const std::string& name : names) {
    const Role role = role_of(name, request);
    const Column* const column = table.find(name);
    data.columns.push_back(column == nullptr ? OwnColumn{.name = name, .role = role}
                                             : summary_of(*column, role));
  }
  if (request.text.empty()) {
    check_inputs(table, request, whole, data);
  }
  const bool has_inputs = std::any_of(data.columns.begin(), data.columns.end(), [](const OwnColumn& column) {
    return column.role == Role::input || column.role == Role::text;
  });
  if (whole && !has_inputs) {
    data.problems.push_back(base::printable(request.path.string()) +
                            ": expected columns besides label and environment, got none");
  }
  if (!table.unnamed.empty()) {
    data.notes.push_back(unnamed_note(table));
  }
  if (whole) {
    add_environments(request, data);
  }
  return data;
}

void count_images(const Source& source, OwnData& data) {
  data.samples = source.size();
  data.task = TableTask::classification;
  data.classes.assign(source.classes().begin(), source.classes().end());
  for (const std::string& name : source.environments()) {
    data.environments.push_back(
        {.name = name, .samples = 0, .classes = std::vector<std::size_t>(data.classes.size(), 0)});
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    const SampleInfo info = source.sample(i);
    OwnEnvironment& environment = data.environments[static_cast<std::size_t>(info.environment)];
    ++environment.samples;
    ++environment.classes[static_cast<std::size_t>(info.label)];
  }
  for (const auto& [count, what] :
       {std::pair(data.environments.size(), "environments"), std::pair(data.classes.size(), "classes")}) {
    if (count < 2) {
      data.problems.push_back(std::string("expected at least 2 ") + what + ", got " + std::to_string(count));
    }
  }
  for (const OwnEnvironment& environment : data.environments) {
    if (environment.samples == 0) {
      data.problems.push_back("environment '" + base::printable(environment.name) +
                              "': expected image files (.jpg, .png, ...) in folders of classes, got none");
    }
  }
  std::size_t lacking = 0;
  std::string example;
  for (const OwnEnvironment& environment : data.environments) {
    for (std::size_t c = 0; c < environment.classes.size(); ++c) {
      if (environment.samples > 0 && environment.classes[c] == 0 && lacking++ == 0) {
        example = std::string("'")  // not "'" + ..., which GCC 12 takes for an overflow
                      .append(base::printable(environment.name))
                      .append("' without '")
                      .append(base::printable(data.classes[c]))
                      .append("'");
      }
    }
  }
  if (lacking > 0) {
    data.notes.push_back("environments without an image of a class: " + std::to_string(lacking) + ", " +
                         (lacking == 1 ? "" : "for example ") + example);
  }
}

OwnData describe_image_folder(const fs::path& path) {
  OwnData data{.kind = "images"};
  const ImageFolder folder(path, {.fewest = 1, .keep_empty = true});
  count_images(folder, data);
  const auto [unknown, misplaced] = folder.skipped();
  if (unknown > 0) {
    data.notes.push_back("files whose names do not end as those of images do (.jpg, .png, ...): " +
                         std::to_string(unknown));
  }
  if (misplaced > 0) {
    data.notes.push_back("entries that are not at ENVIRONMENT/CLASS/FILE: " + std::to_string(misplaced) +
                         ", the first is '" + base::printable(folder.first_misplaced()) + "'");
  }
  return data;
}

// "2 ('b.png' in line 3, 'c.png' in line 4)"
std::string missing_text(const ImageManifest& manifest, const std::vector<std::size_t>& missing) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(missing.size(), most); ++i) {
    text.append(i == 0 ? "'" : ", '")
        .append(base::printable(manifest.sample(missing[i]).id))
        .append("' in line ")
        .append(std::to_string(manifest.line(missing[i])));
  }
  return std::to_string(missing.size()) + " (" + text +
         (missing.size() > most ? " and " + std::to_string(missing.size() - most) + " more)" : ")");
}

OwnData describe_manifest(const OwnDataRequest& request) {
  OwnData data{.kind = "images"};
  ImageManifestOptions options{.fewest = 1};
  if (!request.label.empty()) {
    options.label = request.label;
  }
  if (!request.environment.empty()) {
    options.environment = request.environment;
  }
  const ImageManifest manifest(request.path, options);
  count_images(manifest, data);
  if (const std::vector<std::size_t> missing = manifest.missing(); !missing.empty()) {
    data.problems.push_back("images that do not exist: " + missing_text(manifest, missing));
  }
  return data;
}

}  // namespace

OwnData describe_own_data(const OwnDataRequest& request) {
  std::error_code error;
  const fs::file_status status = fs::status(request.path, error);
  const std::string shown = "'" + base::printable(request.path.string()) + "'";
  const bool folder = fs::is_directory(status);
  if (const std::string fault = folder ? "" : base::file_fault(request.path); !fault.empty()) {
    throw std::invalid_argument("expected a CSV file or a folder of images, got " + shown + ", which " +
                                fault);
  }
  if (const std::string kind = folder ? "" : binary_kind_of_file(request.path); !kind.empty()) {
    throw std::invalid_argument("expected a CSV file or a folder of images, got " + shown + ", which is " +
                                kind);
  }
  const bool columns = !request.label.empty() || !request.environment.empty() || !request.text.empty() ||
                       !request.ignore.empty();
  const bool manifest = !folder && is_image_manifest(request.path);
  const bool for_tables = !request.text.empty() || !request.ignore.empty();
  if (!folder && (for_tables || !manifest)) {
    OwnData data = describe_table(request);
    if (manifest) {
      data.notes.emplace_back(
          "a CSV file with a column path of image files is a list of images, which takes neither --text nor "
          "--ignore");
    }
    return data;
  }
  if (folder && columns) {
    throw std::invalid_argument("expected a CSV file with --label, --environment, --text and --ignore, got " +
                                shown + ", which is a folder");
  }
  return folder ? describe_image_folder(request.path) : describe_manifest(request);
}

}  // namespace pair::data
