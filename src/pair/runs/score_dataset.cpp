#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/base/registry.h"
#include "pair/base/tables.h"
#include "pair/data/environment.h"
#include "pair/data/image_manifest.h"
#include "pair/data/registry.h"
#include "pair/runs/record_keys.h"
#include "pair/runs/score_sheet.h"
#include "pair/runs/score_stream.h"

namespace pair::runs {
namespace {

// Options of the run's own dataset are those that it was trained with.
data::Dataset dataset_of(const std::string& name, const ScoreSheet& sheet) {
  const data::DatasetEntry& entry = data::entry_of(name);
  data::Dataset dataset{entry.name, entry.options};
  if (entry.name == sheet.card().dataset) {
    for (const auto& [option, value] : sheet.card().dataset_options) {
      if (const base::Field* const field = dataset.options.find(option)) {
        dataset.options.set_value(*field, value);
      }
    }
  }
  dataset.options = base::with_changes(dataset.options, sheet.request().options);
  if (sheet.request().skip_broken && dataset.options.find("broken") != nullptr) {
    dataset.options = base::with_changes(dataset.options, {{"broken", "skip"}});
  }
  data::validate(dataset);
  return dataset;
}

// Whether the table is that of the run, divided differently: by another seed or share of held-out rows.
bool is_divided_differently(const ScoreSheet& sheet, const data::EnvironmentSet& set) {
  const ModelCard& card = sheet.card();
  const auto is_of_file = [](const base::Assignment& option) {
    return option.first == "file" || option.first == "file_sha256";
  };
  return set.table && card.table && *set.table != *card.table &&
         set.table->label.name == card.table->label.name && set.table->label.task == card.table->label.task &&
         std::ranges::none_of(sheet.request().options, is_of_file);
}

// Means and deviations are those of the training rows, so that another division has other inputs: the model takes
// those of its own.
void encode_as_trained(const data::TableEncoding& encoding, const data::TableSpec& table,
                       data::EnvironmentSet& set) {
  const EncodedRows rows = encoded_rows(encoding, table);
  for (auto* environments : {&set.train, &set.held_out}) {
    for (data::Environment& environment : *environments) {
      const torch::Tensor own = torch::tensor(
          std::vector<std::int64_t>(environment.samples.begin(), environment.samples.end()), torch::kLong);
      environment.inputs = rows.inputs.index_select(0, own);
      environment.labels = rows.labels.index_select(0, own).to(environment.labels.scalar_type());
    }
  }
  set.table = std::make_shared<const data::TableEncoding>(encoding);
}

std::string sizes_text(const std::vector<std::int64_t>& shape, data::TaskLoss loss, std::int64_t outputs) {
  std::ostringstream text;
  text << "inputs of shape " << at::IntArrayRef(shape) << " and "
       << (loss == data::TaskLoss::squared_error
               ? "numbers to predict"
               : std::to_string(std::max<std::int64_t>(outputs, 2)) + " classes");
  return text.str();
}

void require_fit(const ModelCard& card, const data::EnvironmentSet& set, const std::string& name) {
  if (set.table && card.table && *set.table != *card.table) {
    throw std::invalid_argument(name +
                                ": expected the table that the run was trained on, got another; "
                                "'pair score RUN FILE' scores the rows of a new file");
  }
  const std::vector<std::int64_t> shape = data::input_shape(set);
  if (shape != card.input_shape || set.loss != card.loss || set.outputs != card.outputs) {
    throw std::invalid_argument(name + ": expected " + sizes_text(card.input_shape, card.loss, card.outputs) +
                                ", as the model has, got " + sizes_text(shape, set.loss, set.outputs));
  }
  if (!set.classes.empty() && !card.classes.empty() && set.classes != card.classes) {
    throw std::invalid_argument(name + ": expected the model's classes (" + base::joined(card.classes) +
                                "), got " + base::printable(base::joined(set.classes)));
  }
}

// All environments in one pass, in the same parts as training's evaluation: a number of a matrix product may
// depend on the rows beside it.
std::vector<Answers> resident_answers(ScoreSheet& sheet, const std::vector<data::Environment>& environments) {
  if (environments.empty()) {
    return {};
  }
  std::vector<torch::Tensor> inputs;
  std::vector<std::int64_t> sizes;
  for (const data::Environment& environment : environments) {
    inputs.push_back(environment.inputs);
    sizes.push_back(environment.labels.size(0));
  }
  const std::vector<torch::Tensor> outputs = sheet.outputs(data::joined(inputs)).split_with_sizes(sizes);
  std::vector<Answers> answers;
  for (std::size_t i = 0; i < environments.size(); ++i) {
    answers.push_back({outputs[i], environments[i].labels});
    sheet.count(sizes[i]);
  }
  return answers;
}

std::vector<Answers> answers_of(ScoreSheet& sheet, const data::EnvironmentSet& set,
                                const std::vector<data::Environment>& environments) {
  if (!set.streamed()) {
    return resident_answers(sheet, environments);
  }
  std::vector<Answers> answers;
  answers.reserve(environments.size());
  for (const data::Environment& environment : environments) {
    answers.push_back(streamed_answers(sheet, set.source, environment.samples, set.loading, environment.key));
  }
  return answers;
}

}  // namespace

void score_dataset(ScoreSheet& sheet, const std::string& name) {
  const ScoreRequest& request = sheet.request();
  const data::Dataset dataset = dataset_of(name, sheet);
  data::EnvironmentSet set =
      data::entry_of(dataset.name).make(dataset.options, request.seed.value_or(sheet.card().seed));
  if (is_divided_differently(sheet, set)) {
    encode_as_trained(*sheet.card().table, dataset.options.as<data::TableSpec>(), set);
  }
  require_fit(sheet.card(), set, dataset.name);
  sheet.choose_metrics(data::entry_of(dataset.name).metrics);
  for (const std::string& sentence : set.notices) {
    sheet.notice(sentence);
  }
  set.loading.workers = static_cast<int>(request.workers);
  if (request.skip_broken) {
    set.loading.broken = data::BrokenFiles::skip;
  }
  if (const auto* const list = dynamic_cast<const data::ImageManifest*>(set.source.get())) {
    const std::vector<std::size_t> missing =
        missing_in(sheet, *list, set.loading.broken == data::BrokenFiles::skip);
    for (auto* environments : {&set.train, &set.held_out}) {
      for (data::Environment& environment : *environments) {
        std::erase_if(environment.samples,
                      [&](std::size_t sample) { return std::ranges::binary_search(missing, sample); });
      }
    }
  }
  const std::vector<std::string> names = data::environment_names(dataset);
  for (auto* environments : {&set.train, &set.held_out}) {
    // As in records: scoring the training environments of large data would take too long.
    std::erase_if(*environments, [](const data::Environment& one) { return !one.scored; });
    for (const data::Environment& environment : *environments) {
      sheet.expect(set.streamed() ? std::ssize(environment.samples) : environment.labels.size(0));
    }
  }
  const std::vector<std::int64_t> tests = data::test_environments(dataset);
  for (const auto* environments : {&set.train, &set.held_out}) {
    const std::vector<Answers> answers = answers_of(sheet, set, *environments);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const data::Environment& environment = (*environments)[i];
      const std::optional<std::size_t> number = environment_number(environment.key);
      const bool of_test =
          number && std::ranges::find(tests, static_cast<std::int64_t>(*number)) != tests.end();
      sheet.add({.environment = environment_name(environment.key, names),
                 .key = environment.key,
                 .part = part_of(environment.key, of_test, environment.test),
                 .test = environment.test},
                answers[i]);
    }
  }
}

}  // namespace pair::runs
