#include "pair/runs/score.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "pair/base/names.h"
#include "pair/base/registry.h"
#include "pair/base/tables.h"
#include "pair/data/environment.h"
#include "pair/data/image_folder.h"
#include "pair/data/inputs.h"
#include "pair/data/metrics.h"
#include "pair/data/registry.h"
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

class Scoring {
 public:
  Scoring(const ScoreRequest& request, const ScoreHooks& hooks)
      : request_(request), hooks_(hooks), model_(request.run) {}

  ScoreTable run() {
    std::error_code unknown;
    if (!request_.data.empty() && fs::is_directory(request_.data, unknown)) {
      score_folder();
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

  void add_worst() {
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      std::vector<double> values;
      for (const EnvironmentScore& environment : table_.environments) {
        values.push_back(environment.values[i]);
      }
      table_.worst.push_back(metrics_[i].high_is_good ? std::ranges::min(values) : std::ranges::max(values));
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
                                  request_.run.string() + " is not one of pictures");
    }
    if (!request_.options.empty() || request_.seed) {
      throw std::invalid_argument(request_.data +
                                  ": expected a dataset with the options, got a folder, which has none");
    }
    choose_metrics(card().metrics);
    const auto pictures = std::make_shared<const data::ImageFolder>(
        request_.data, data::ImageFolderOptions{.held_out = 0.0, .fewest = 1});
    const std::vector<std::int64_t> labels = labels_of(pictures->classes());
    if (const auto [unknown, misplaced] = pictures->skipped(); unknown + misplaced > 0) {
      notice(request_.data + ": what is not a picture at ENVIRONMENT/CLASS/PICTURE is passed over: " +
             std::to_string(unknown + misplaced));
    }
    std::vector<std::vector<std::size_t>> samples(pictures->environments().size());
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
      Scored scored = streamed(pictures, std::move(samples[e]), loading, name);
      scored.labels = torch::tensor(labels, torch::kLong).index_select(0, scored.labels);
      add({.environment = name}, scored);
    }
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
      }
    }
    if (!loader.done()) {
      throw train::Interrupted();
    }
    if (outputs.empty()) {
      throw std::invalid_argument(name + ": expected at least one whole picture, got broken ones alone");
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
    choose_metrics(data::entry_of(dataset.name).metrics);
    data::EnvironmentSet set =
        data::entry_of(dataset.name).make(dataset.options, request_.seed.value_or(card().seed));
    require_fit(set, dataset.name);
    for (const std::string& sentence : set.notices) {
      notice(sentence);
    }
    set.loading.workers = static_cast<int>(request_.workers);
    if (request_.skip_broken) {
      set.loading.broken = data::BrokenFiles::skip;
    }
    const std::vector<std::string> names = data::environment_names(dataset);
    for (const auto* environments : {&set.train, &set.held_out}) {
      const std::vector<Scored> scored =
          set.streamed() ? streamed_environments(set, *environments) : resident(*environments);
      for (std::size_t i = 0; i < scored.size(); ++i) {
        const data::Environment& environment = (*environments)[i];
        add({.environment = name_of(environment.key, names),
             .key = environment.key,
             .test = environment.test},
            scored[i]);
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
    std::vector<Scored> scored;
    for (std::size_t i = 0; i < environments.size(); ++i) {
      scored.push_back({outputs[i], environments[i].labels});
    }
    return scored;
  }

  std::vector<Scored> streamed_environments(const data::EnvironmentSet& set,
                                            const std::vector<data::Environment>& environments) {
    std::vector<Scored> scored;
    scored.reserve(environments.size());
    for (const data::Environment& environment : environments) {
      scored.push_back(streamed(set.source, environment.samples, set.loading, environment.key));
    }
    return scored;
  }

  // "env2_out" is a part of environment 2.
  static std::string name_of(const std::string& key, const std::vector<std::string>& names) {
    constexpr std::string_view before = "env";
    std::size_t number = names.size();
    if (key.starts_with(before)) {
      std::istringstream(key.substr(before.size())) >> number;
    }
    return number < names.size() ? names[number] : key;
  }

  const ScoreRequest& request_;
  const ScoreHooks& hooks_;
  TrainedModel model_;
  std::vector<data::Metric> metrics_;
  ScoreTable table_;
};

}  // namespace

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
