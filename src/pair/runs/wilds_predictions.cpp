#include "pair/runs/wilds_predictions.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "pair/base/assignment.h"
#include "pair/base/files.h"
#include "pair/base/registry.h"
#include "pair/data/environment.h"
#include "pair/data/inputs.h"
#include "pair/data/metrics.h"
#include "pair/data/registry.h"
#include "pair/data/text.h"
#include "pair/data/wilds_data.h"
#include "pair/runs/model_files.h"
#include "pair/train/interrupted.h"
#include "pair/train/streamed_batches.h"
#include "pair/train/threads.h"

namespace pair::runs {
namespace {

// Classes are integers; the values of a regression have the fewest digits that read back as the same number.
std::string prediction_text(bool regression, double value) {
  char digits[32];
  return {digits, regression
                      ? std::to_chars(digits, digits + sizeof digits, static_cast<float>(value)).ptr
                      : std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(value)).ptr};
}

[[noreturn]] void refuse_split(std::string_view dataset, const std::string& split) {
  throw std::invalid_argument("splits: expected splits that " + std::string(dataset) + " has, got '" + split +
                              "'");
}

// The comments of the splits, divided into tokens by the model's own vocabulary: vocab.txt is not needed.
std::vector<std::filesystem::path> predict_texts(
    const WildsPredictRequest& request, const data::WildsKind& kind, TrainedModel& model,
    const data::WildsTextOptions& options,
    const std::function<std::filesystem::path(const std::string&)>& file_of,
    const std::function<bool()>& should_stop) {
  const auto& form = model.card().input.options.as<data::TextInput>();
  const data::WordPiece tokenizer = data::WordPiece::from_text(form.vocabulary);
  const data::WildsSet set =
      data::read_wilds(kind, request.data_root.empty() ? options.data_root : request.data_root);
  train::use_threads(request.threads);
  std::filesystem::create_directories(request.out);
  std::vector<std::filesystem::path> files;
  for (const std::string& split : request.splits) {
    const std::vector<std::size_t> samples = set.samples_of(data::split_named("splits", split));
    if (samples.empty()) {
      refuse_split(kind.name, split);
    }
    constexpr std::size_t at_a_time = 256;
    std::string text;
    for (std::size_t from = 0; from < samples.size(); from += at_a_time) {
      if (should_stop && should_stop()) {
        throw train::Interrupted();
      }
      std::vector<std::string_view> texts;
      for (std::size_t i = from; i < std::min(from + at_a_time, samples.size()); ++i) {
        texts.emplace_back(set.inputs[samples[i]]);
      }
      const torch::Tensor rows = data::token_rows(tokenizer, texts, form.max_tokens);
      const torch::Tensor answers =
          data::answers(model.card().loss, model.outputs(rows)).to(torch::kLong).contiguous();
      for (std::int64_t i = 0; i < answers.size(0); ++i) {
        text += std::to_string(answers.data_ptr<std::int64_t>()[i]) + "\n";
      }
    }
    files.push_back(file_of(split));
    base::replace_file(files.back(), text);
  }
  return files;
}

}  // namespace

std::vector<std::filesystem::path> predict_wilds(
    const WildsPredictRequest& request, const std::function<bool()>& should_stop,
    const std::function<void(std::int64_t done, std::int64_t all)>& progress) {
  TrainedModel model(request.run);
  const ModelCard& card = model.card();
  const data::WildsKind* const kind = data::find_wilds(card.dataset);
  if (kind == nullptr) {
    throw std::invalid_argument("splits: expected a run on a dataset of WILDS, got one on '" + card.dataset +
                                "'");
  }
  const data::DatasetEntry& entry = data::entry_of(card.dataset);
  base::Options options = entry.options;
  for (const auto& [option, value] : card.dataset_options) {
    if (const base::Field* const field = options.find(option)) {
      options.set_value(*field, value);
    }
  }
  const auto file_of = [&](const std::string& split, std::string_view fold) {
    return request.out / data::prediction_file(kind->name, data::split_named("splits", split),
                                               data::replicate_of(*kind, fold, card.seed), request.epoch);
  };
  if (card.input.kind == "text") {
    return predict_texts(
        request, *kind, model, options.as<data::WildsTextOptions>(),
        [&](const std::string& split) { return file_of(split, /*fold=*/"seed"); }, should_stop);
  }
  std::string scored = "val,test";
  for (const std::string& split : request.splits) {
    scored += split == "val" || split == "test" ? "" : "," + split;
  }
  base::Assignments changes{{"score_splits", scored}};
  if (!request.data_root.empty()) {
    changes.emplace_back("data_root", std::filesystem::absolute(request.data_root).string());
  }
  options = base::with_changes(options, changes);
  data::validate({entry.name, options});
  const data::EnvironmentSet set = entry.make(options, card.seed);
  train::use_threads(request.threads);
  std::filesystem::create_directories(request.out);
  data::LoaderOptions loading = set.loading;
  loading.workers = static_cast<int>(request.workers);
  const data::Normalisation normalisation(set.input, torch::kCPU);
  std::vector<std::filesystem::path> files;
  std::int64_t done = 0;
  std::int64_t all = 0;
  for (const data::Environment& environment : set.held_out) {
    all += std::ranges::count(request.splits, environment.key) * std::ssize(environment.samples);
  }
  for (const std::string& split : request.splits) {
    const auto found = std::ranges::find(set.held_out, split, &data::Environment::key);
    if (found == set.held_out.end()) {
      refuse_split(entry.name, split);
    }
    data::Loader loader =
        data::Loader::ordered(set.source, found->samples, train::pictures_scored_at_once(loading), loading);
    std::string text;
    while (const std::optional<data::LoadedBatch> batch = loader.next(should_stop)) {
      const torch::Tensor answers = data::answers(card.loss, model.outputs(normalisation(batch->inputs)))
                                        .to(torch::kDouble)
                                        .contiguous();
      for (std::int64_t i = 0; i < answers.size(0); ++i) {
        text += prediction_text(set.loading.regression, answers.data_ptr<double>()[i]) + "\n";
      }
      done += answers.size(0);
      if (progress) {
        progress(done, all);
      }
    }
    if (!loader.done()) {
      throw train::Interrupted();
    }
    files.push_back(file_of(split, options.as<data::WildsDataOptions>().fold));
    base::replace_file(files.back(), text);
  }
  return files;
}

}  // namespace pair::runs
