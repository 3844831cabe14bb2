#include "pair/runs/score.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "pair/base/names.h"
#include "pair/base/registry.h"
#include "pair/base/tables.h"
#include "pair/data/cell.h"
#include "pair/data/csv.h"
#include "pair/data/environment.h"
#include "pair/data/image_folder.h"
#include "pair/data/inputs.h"
#include "pair/data/metrics.h"
#include "pair/data/registry.h"
#include "pair/data/text.h"
#include "pair/runs/model_files.h"
#include "pair/train/interrupted.h"
#include "pair/train/streamed_batches.h"
#include "pair/train/threads.h"

namespace pair::runs {
namespace {

namespace fs = std::filesystem;

// The outputs and labels of one environment.
struct Scored {
  torch::Tensor outputs;
  torch::Tensor labels;
};

// "env2_out" is a part of environment 2; the splits of WILDS have no number.
std::optional<std::size_t> number_in(const std::string& key) {
  constexpr std::string_view before = "env";
  std::size_t number = 0;
  const bool has_number =
      key.starts_with(before) && static_cast<bool>(std::istringstream(key.substr(before.size())) >> number);
  return has_number ? std::optional(number) : std::nullopt;
}

class Scoring {
 public:
  Scoring(const ScoreRequest& request, const ScoreHooks& hooks)
      : request_(request), hooks_(hooks), model_(request.run, request.device) {}

  ScoreTable run() {
    std::error_code unknown;
    if (!request_.data.empty() && fs::is_directory(request_.data, unknown)) {
      score_folder();
    } else if (card().table && fs::is_regular_file(request_.data, unknown)) {
      score_table();
    } else if (card().input.kind == "text" && fs::is_regular_file(request_.data, unknown)) {
      score_texts();
    } else {
      score_dataset(request_.data.empty() ? card().dataset : request_.data);
    }
    add_worst();
    return std::move(table_);
  }

 private:
  [[nodiscard]] const ModelCard& card() const { return model_.card(); }

  void choose_metrics(const std::vector<std::string>& of_the_data) {
    metrics_ = data::metrics_for(card().loss, request_.metrics.empty() ? of_the_data : request_.metrics);
    for (const data::Metric& metric : metrics_) {
      table_.metrics.push_back(metric.name);
    }
  }

  void add(EnvironmentScore score, const Scored& scored) {
    score.samples = scored.labels.size(0);
    for (const data::Metric& metric : metrics_) {
      score.values.push_back(metric.of(card().loss, scored.outputs, scored.labels).item<double>());
    }
    table_.environments.push_back(std::move(score));
  }

  // The worst values of the rows that `counts` accepts; empty if there are none.
  template <class Counts>
  [[nodiscard]] std::vector<double> worst_of(Counts counts) const {
    std::vector<double> worst;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      std::vector<double> values;
      for (const EnvironmentScore& environment : table_.environments) {
        if (counts(environment)) {
          values.push_back(environment.values[i]);
        }
      }
      if (!values.empty()) {
        worst.push_back(metrics_[i].high_is_good ? std::ranges::min(values) : std::ranges::max(values));
      }
    }
    return worst;
  }

  void add_worst() {
    table_.worst = worst_of([](const EnvironmentScore&) { return true; });
    table_.worst_training =
        worst_of([](const EnvironmentScore& environment) { return environment.part.starts_with("train"); });
    table_.worst_test = worst_of([](const EnvironmentScore& environment) { return environment.test; });
  }

  void scored(std::int64_t samples) {
    done_ += samples;
    if (hooks_.progress) {
      hooks_.progress(done_, all_);
    }
  }

  void notice(const std::string& sentence) const {
    if (hooks_.notice) {
      hooks_.notice(sentence);
    }
  }

  void score_folder() {
    if (card().input.kind != "image") {
      throw std::invalid_argument(request_.data +
                                  ": expected the name of a dataset, got a folder; the model of " +
                                  request_.run.string() + " does not take images");
    }
    if (!request_.options.empty() || request_.seed) {
      throw std::invalid_argument(request_.data +
                                  ": expected a dataset with the options, got a folder, which has none");
    }
    choose_metrics(card().metrics);
    const auto pictures = std::make_shared<const data::ImageFolder>(
        request_.data,
        data::ImageFolderOptions{
            .held_out = 0.0, .exif = card().input.options.as<data::ImageInput>().exif, .fewest = 1});
    const std::vector<std::int64_t> labels = labels_of(pictures->classes());
    if (const auto [unknown, misplaced] = pictures->skipped(); unknown + misplaced > 0) {
      notice(request_.data + ": skipped entries that are not images at ENVIRONMENT/CLASS/FILE: " +
             std::to_string(unknown + misplaced));
    }
    std::vector<std::vector<std::size_t>> samples(pictures->environments().size());
    all_ = static_cast<std::int64_t>(pictures->size());
    for (std::size_t i = 0; i < pictures->size(); ++i) {
      samples[static_cast<std::size_t>(pictures->sample(i).environment)].push_back(i);
    }
    const auto& form = card().input.options.as<data::ImageInput>();
    const data::LoaderOptions loading{
        .rows = form.rows,
        .columns = form.columns,
        .workers = static_cast<int>(request_.workers),
        .broken = request_.skip_broken ? data::BrokenFiles::skip : data::BrokenFiles::fail};
    for (std::size_t e = 0; e < samples.size(); ++e) {
      const std::string& name = pictures->environments()[e];
      Scored outcome = streamed(pictures, std::move(samples[e]), loading, name);
      outcome.labels = torch::tensor(labels, torch::kLong).index_select(0, outcome.labels);
      add({.environment = name}, outcome);
    }
  }

  // Rows of a file, encoded as those that the model was trained on.
  void score_table() {
    if (!request_.options.empty() || request_.seed) {
      throw std::invalid_argument(request_.data +
                                  ": expected a dataset with the options, got a file, which has none");
    }
    choose_metrics(card().metrics);
    data::CsvReader reader{fs::path(request_.data)};
    if (!reader.next()) {
      throw std::invalid_argument(request_.data + ": expected a row of column names, got nothing");
    }
    std::optional<data::RowEncoder> encoder;
    try {
      encoder.emplace(*card().table, reader.fields());
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(request_.data + ": " + error.what());
    }
    if (encoder->label_place() == data::RowEncoder::npos) {
      throw std::invalid_argument(request_.data + ": expected the column '" +
                                  base::printable(card().table->label.name) + "' with the labels, got none");
    }
    constexpr std::size_t rows_at_a_time = 4096;
    const std::size_t width = card().table->width();
    std::vector<float> inputs;
    std::vector<torch::Tensor> outputs;
    std::vector<float> labels;
    std::map<std::string, std::vector<std::int64_t>> rows;  // of each environment
    const auto flush = [&] {
      if (!inputs.empty()) {
        outputs.push_back(model_.outputs(
            torch::tensor(inputs, torch::kFloat).view({-1, static_cast<std::int64_t>(width)})));
        inputs.clear();
        scored(outputs.back().size(0));
      }
      if (hooks_.should_stop && hooks_.should_stop()) {
        throw train::Interrupted();
      }
    };
    while (reader.next()) {
      inputs.resize(inputs.size() + width);
      try {
        encoder->encode(reader.fields(), std::span(inputs).last(width));
        rows[environment_in(reader.fields(), encoder->environment_places())].push_back(std::ssize(labels));
        labels.push_back(label_in(reader.fields()[encoder->label_place()]));
      } catch (const std::invalid_argument& error) {
        reader.refuse(error.what());
      }
      if (inputs.size() >= rows_at_a_time * width) {
        flush();
      }
    }
    flush();
    if (labels.empty()) {
      throw std::invalid_argument(request_.data + ": expected rows below the column names, got none");
    }
    const torch::Tensor answers = torch::cat(outputs);
    torch::Tensor truths = torch::tensor(labels, torch::kFloat);
    if (card().loss == data::TaskLoss::cross_entropy) {
      truths = truths.to(torch::kLong);
    }
    add_by_environment(rows, answers, truths);
  }

  // Texts of a file, divided into tokens as those that the model was trained on.
  void score_texts() {
    if (!request_.options.empty() || request_.seed) {
      throw std::invalid_argument(request_.data +
                                  ": expected a dataset with the options, got a file, which has none");
    }
    choose_metrics(card().metrics);
    const auto& form = card().input.options.as<data::TextInput>();
    const data::WordPiece tokenizer = data::WordPiece::from_text(form.vocabulary);
    data::CsvReader reader{fs::path(request_.data)};
    if (!reader.next()) {
      throw std::invalid_argument(request_.data + ": expected a row of column names, got nothing");
    }
    const std::size_t text_place = place_of(reader.fields(), form.text_column, "the texts");
    const std::size_t label_place = place_of(reader.fields(), form.label_column, "the labels");
    std::vector<std::size_t> environment_places;
    for (const std::string& name : form.environment_columns) {
      const std::optional<std::size_t> place = find_place(reader.fields(), name);
      if (!place) {
        environment_places.clear();
        break;
      }
      environment_places.push_back(*place);
    }
    constexpr std::size_t texts_at_a_time = 256;
    std::vector<std::string> texts;
    std::vector<torch::Tensor> outputs;
    std::vector<std::int64_t> labels;
    std::map<std::string, std::vector<std::int64_t>> rows;  // of each environment
    const auto flush = [&] {
      if (!texts.empty()) {
        const std::vector<std::string_view> views(texts.begin(), texts.end());
        outputs.push_back(model_.outputs(data::token_rows(tokenizer, views, form.max_tokens)));
        texts.clear();
        scored(outputs.back().size(0));
      }
      if (hooks_.should_stop && hooks_.should_stop()) {
        throw train::Interrupted();
      }
    };
    while (reader.next()) {
      rows[environment_in(reader.fields(), environment_places)].push_back(std::ssize(labels));
      try {
        labels.push_back(class_in(reader.fields()[label_place], form.label_column));
      } catch (const std::invalid_argument& error) {
        reader.refuse(error.what());
      }
      texts.emplace_back(reader.fields()[text_place]);
      if (texts.size() >= texts_at_a_time) {
        flush();
      }
    }
    flush();
    if (labels.empty()) {
      throw std::invalid_argument(request_.data + ": expected rows below the column names, got none");
    }
    const torch::Tensor truths =
        torch::tensor(labels, torch::kLong)
            .to(card().loss == data::TaskLoss::cross_entropy ? torch::kLong : torch::kFloat);
    add_by_environment(rows, torch::cat(outputs), truths);
  }

  static std::optional<std::size_t> find_place(std::span<const std::string_view> names,
                                               const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (base::trimmed(names[i]) == name) {
        return i;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::size_t place_of(std::span<const std::string_view> names, const std::string& name,
                                     const char* content) const {
    const std::optional<std::size_t> place = find_place(names, name);
    if (!place) {
      throw std::invalid_argument(request_.data + ": expected the column '" + base::printable(name) +
                                  "' with " + content + ", got none");
    }
    return *place;
  }

  // The index of a class, by its name.
  [[nodiscard]] std::int64_t class_in(std::string_view field, const std::string& column) const {
    const std::vector<std::string> classes = class_names(card());
    const std::string_view cell = data::trimmed_cell(field);
    const std::optional<double> number = data::number_of(cell);
    const auto found = std::ranges::find_if(classes, [&](const std::string& name) {
      return name == cell || (number && data::number_of(name) == number);
    });
    if (found == classes.end()) {
      throw std::invalid_argument("column '" + base::printable(column) +
                                  "': expected a class that the model knows (" + base::joined(classes) +
                                  "), got '" + base::printable(cell) + "'");
    }
    return found - classes.begin();
  }

  void add_by_environment(const std::map<std::string, std::vector<std::int64_t>>& rows,
                          const torch::Tensor& answers, const torch::Tensor& truths) {
    std::vector<std::string> names;
    for (const auto& [name, ignored] : rows) {
      names.push_back(name);
    }
    data::sort_names(names);
    for (const std::string& name : names) {
      const torch::Tensor own = torch::tensor(rows.at(name), torch::kLong);
      add({.environment = name}, {answers.index_select(0, own), truths.index_select(0, own)});
    }
  }

  // The name that the dataset gives it: the columns' texts, joined; "all" if the file lacks the columns.
  static std::string environment_in(std::span<const std::string_view> fields,
                                    const std::vector<std::size_t>& places) {
    const auto cell = [fields](std::size_t place) { return data::trimmed_cell(fields[place]); };
    return places.empty() ? "all" : base::joined(places, "/", cell);
  }

  // The class's index, or the number standardised as the training labels were.
  [[nodiscard]] float label_in(std::string_view field) const {
    const data::LabelEncoding& encoding = card().table->label;
    const std::string_view cell = data::trimmed_cell(field);
    const std::optional<double> number = data::number_of(cell);
    if (encoding.task == data::TableTask::regression) {
      if (!number || !std::isfinite(*number)) {
        throw std::invalid_argument("column '" + base::printable(encoding.name) +
                                    "': expected a number, got '" + base::printable(cell) + "'");
      }
      return static_cast<float>((*number - encoding.mean) / encoding.deviation);
    }
    const auto found = std::ranges::find_if(encoding.classes, [&](const std::string& name) {
      return name == cell || (number && data::number_of(name) == number);
    });
    if (found == encoding.classes.end()) {
      throw std::invalid_argument("column '" + base::printable(encoding.name) +
                                  "': expected a class that the model knows (" +
                                  base::joined(encoding.classes) + "), got '" + base::printable(cell) + "'");
    }
    return static_cast<float>(found - encoding.classes.begin());
  }

  // The model's label of each class of a folder.
  [[nodiscard]] std::vector<std::int64_t> labels_of(std::span<const std::string> classes) const {
    const std::vector<std::string> known = class_names(card());
    std::vector<std::int64_t> labels;
    std::vector<std::string> unknown;
    for (const std::string& name : classes) {
      const auto found = std::ranges::find(known, name);
      labels.push_back(found - known.begin());
      if (found == known.end()) {
        unknown.push_back("'" + base::printable(name) + "'");
      }
    }
    if (!unknown.empty()) {
      throw std::invalid_argument(request_.data + ": expected classes that the model knows (" +
                                  base::joined(known) + "), got also " + base::joined(unknown));
    }
    return labels;
  }

  Scored streamed(const std::shared_ptr<const data::Source>& source, std::vector<std::size_t> samples,
                  data::LoaderOptions loading, const std::string& name) {
    // Broken files are always left out there, and refused here: a refusal is not a failure of the disk.
    const bool refuses = loading.broken == data::BrokenFiles::fail;
    loading.broken = data::BrokenFiles::skip;
    data::Loader loader =
        data::Loader::ordered(source, std::move(samples), train::pictures_scored_at_once(loading), loading);
    std::vector<torch::Tensor> outputs;
    std::vector<torch::Tensor> labels;
    while (const std::optional<data::LoadedBatch> batch = loader.next(hooks_.should_stop)) {
      for (const data::BrokenFile& file : loader.take_notices()) {
        if (refuses) {
          throw std::invalid_argument(file.reason);
        }
        ++table_.skipped;
        notice("skipped a broken file (" + std::to_string(table_.skipped) + " so far): " + file.reason);
      }
      if (batch->labels.size(0) > 0) {
        outputs.push_back(model_.outputs(normalised(batch->inputs)));
        labels.push_back(batch->labels);
        scored(batch->labels.size(0));
      }
    }
    if (!loader.done()) {
      throw train::Interrupted();
    }
    if (outputs.empty()) {
      throw std::invalid_argument(name +
                                  ": expected at least one image that can be read, got only broken ones");
    }
    return {torch::cat(outputs), torch::cat(labels)};
  }

  [[nodiscard]] torch::Tensor normalised(const torch::Tensor& bytes) const {
    return card().input.kind == "image" ? data::normalised(card().input.options.as<data::ImageInput>(), bytes)
                                        : bytes;
  }

  [[nodiscard]] data::Dataset dataset_of(const std::string& name) const {
    const data::DatasetEntry& entry = data::entry_of(name);
    data::Dataset dataset{entry.name, entry.options};
    if (entry.name == card().dataset) {
      for (const auto& [option, value] : card().dataset_options) {
        if (const base::Field* const field = dataset.options.find(option)) {
          dataset.options.set_value(*field, value);
        }
      }
    }
    dataset.options = base::with_changes(dataset.options, request_.options);
    data::validate(dataset);
    return dataset;
  }

  void score_dataset(const std::string& name) {
    const data::Dataset dataset = dataset_of(name);
    data::EnvironmentSet set =
        data::entry_of(dataset.name).make(dataset.options, request_.seed.value_or(card().seed));
    if (set.table && card().table && *set.table != *card().table) {
      throw std::invalid_argument(dataset.name +
                                  ": expected the table that the run was trained on, got another; "
                                  "'pair score RUN FILE' scores the rows of a new file");
    }
    require_fit(set, dataset.name);
    choose_metrics(data::entry_of(dataset.name).metrics);
    for (const std::string& sentence : set.notices) {
      notice(sentence);
    }
    set.loading.workers = static_cast<int>(request_.workers);
    if (request_.skip_broken) {
      set.loading.broken = data::BrokenFiles::skip;
    }
    const std::vector<std::string> names = data::environment_names(dataset);
    for (auto* environments : {&set.train, &set.held_out}) {
      // As in records: scoring the training environments of large data would take too long.
      std::erase_if(*environments, [](const data::Environment& one) { return !one.scored; });
      for (const data::Environment& environment : *environments) {
        all_ += set.streamed() ? std::ssize(environment.samples) : environment.labels.size(0);
      }
    }
    const std::vector<std::int64_t> tests = data::test_environments(dataset);
    for (const auto* environments : {&set.train, &set.held_out}) {
      const std::vector<Scored> outcomes =
          set.streamed() ? streamed_environments(set, *environments) : resident(*environments);
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const data::Environment& environment = (*environments)[i];
        const std::optional<std::size_t> number = number_in(environment.key);
        const bool of_test =
            number && std::ranges::find(tests, static_cast<std::int64_t>(*number)) != tests.end();
        add({.environment = environment_name(environment.key, names),
             .key = environment.key,
             .part = part_of(environment.key, of_test, environment.test),
             .test = environment.test},
            outcomes[i]);
      }
    }
  }

  void require_fit(const data::EnvironmentSet& set, const std::string& name) const {
    const std::vector<std::int64_t> shape = data::input_shape(set);
    const auto shown = [](const std::vector<std::int64_t>& sizes, data::TaskLoss loss, std::int64_t outputs) {
      std::ostringstream text;
      text << "inputs of shape " << at::IntArrayRef(sizes) << " and "
           << (loss == data::TaskLoss::squared_error
                   ? "numbers to predict"
                   : std::to_string(std::max<std::int64_t>(outputs, 2)) + " classes");
      return text.str();
    };
    if (shape != card().input_shape || set.loss != card().loss || set.outputs != card().outputs) {
      throw std::invalid_argument(name + ": expected " +
                                  shown(card().input_shape, card().loss, card().outputs) +
                                  ", as the model has, got " + shown(shape, set.loss, set.outputs));
    }
    if (!set.classes.empty() && !card().classes.empty() && set.classes != card().classes) {
      throw std::invalid_argument(name + ": expected the model's classes (" + base::joined(card().classes) +
                                  "), got " + base::printable(base::joined(set.classes)));
    }
  }

  // All environments in one pass, in the same parts as training's evaluation: a number of a matrix product
  // may depend on the rows beside it.
  std::vector<Scored> resident(const std::vector<data::Environment>& environments) {
    if (environments.empty()) {
      return {};
    }
    std::vector<torch::Tensor> inputs;
    std::vector<std::int64_t> sizes;
    for (const data::Environment& environment : environments) {
      inputs.push_back(environment.inputs);
      sizes.push_back(environment.labels.size(0));
    }
    const std::vector<torch::Tensor> outputs = model_.outputs(data::joined(inputs)).split_with_sizes(sizes);
    std::vector<Scored> outcomes;
    for (std::size_t i = 0; i < environments.size(); ++i) {
      outcomes.push_back({outputs[i], environments[i].labels});
      scored(sizes[i]);
    }
    return outcomes;
  }

  std::vector<Scored> streamed_environments(const data::EnvironmentSet& set,
                                            const std::vector<data::Environment>& environments) {
    std::vector<Scored> outcomes;
    outcomes.reserve(environments.size());
    for (const data::Environment& environment : environments) {
      outcomes.push_back(streamed(set.source, environment.samples, set.loading, environment.key));
    }
    return outcomes;
  }

  const ScoreRequest& request_;
  const ScoreHooks& hooks_;
  TrainedModel model_;
  std::vector<data::Metric> metrics_;
  ScoreTable table_;
  std::int64_t done_ = 0;  // samples
  std::int64_t all_ = 0;   // 0: not known
};

}  // namespace

std::string environment_name(const std::string& key, const std::vector<std::string>& names) {
  const std::optional<std::size_t> number = number_in(key);
  return number && *number < names.size() ? names[*number] : key;
}

std::string part_of(std::string_view key, bool test_environment, bool counts) {
  if (counts) {
    return "test";
  }
  const bool held_out = key.ends_with("_out") || key == "id_test";
  if (!key.starts_with("env") && !held_out) {
    return "validation";
  }
  if (test_environment) {
    return held_out ? "test, held out" : "validation";
  }
  return held_out ? "train, held out" : "train";
}

ScoreTable score(const ScoreRequest& request, const ScoreHooks& hooks) {
  if (request.workers < 0 || request.workers > 256) {
    throw std::invalid_argument("workers: expected an integer from 0 to 256, got " +
                                std::to_string(request.workers));
  }
  if (request.threads < 1 || request.threads > 1024) {
    throw std::invalid_argument("threads: expected an integer from 1 to 1024, got " +
                                std::to_string(request.threads));
  }
  train::use_threads(request.threads);
  return Scoring(request, hooks).run();
}

}  // namespace pair::runs
