#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/tables.h"
#include "pair/data/image_folder.h"
#include "pair/data/image_manifest.h"
#include "pair/data/images.h"
#include "pair/data/inputs.h"
#include "pair/data/registry.h"
#include "pair/runs/score_sheet.h"
#include "pair/runs/score_stream.h"

namespace pair::runs {
namespace {

// The model's label of each class of the folder.
std::vector<std::int64_t> labels_of(std::span<const std::string> classes, const ScoreSheet& sheet) {
  const std::vector<std::string> known = class_names(sheet.card());
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
    throw std::invalid_argument(sheet.request().data + ": expected classes that the model knows (" +
                                base::joined(known) + "), got also " + base::joined(unknown));
  }
  return labels;
}

// One row per environment; without the samples of `missing`, ascending.
void score_pictures(ScoreSheet& sheet, const std::shared_ptr<const data::Source>& pictures,
                    const std::vector<std::size_t>& missing) {
  const ScoreRequest& request = sheet.request();
  const auto& form = sheet.card().input.options.as<data::ImageInput>();
  const torch::Tensor labels = torch::tensor(labels_of(pictures->classes(), sheet), torch::kLong);
  std::vector<std::vector<std::size_t>> samples(pictures->environments().size());
  sheet.expect(static_cast<std::int64_t>(pictures->size() - missing.size()));
  for (std::size_t i = 0; i < pictures->size(); ++i) {
    if (!std::ranges::binary_search(missing, i)) {
      samples[static_cast<std::size_t>(pictures->sample(i).environment)].push_back(i);
    }
  }
  const data::LoaderOptions loading{
      .rows = form.rows,
      .columns = form.columns,
      .workers = static_cast<int>(request.workers),
      .broken = request.skip_broken ? data::BrokenFiles::skip : data::BrokenFiles::fail};
  for (std::size_t e = 0; e < samples.size(); ++e) {
    const std::string& name = pictures->environments()[e];
    Answers answers = streamed_answers(sheet, pictures, std::move(samples[e]), loading, name);
    answers.labels = labels.index_select(0, answers.labels);
    sheet.add({.environment = name}, answers);
  }
}

void begin_pictures(ScoreSheet& sheet, const char* what) {
  const ScoreRequest& request = sheet.request();
  if (!request.options.empty() || request.seed) {
    throw std::invalid_argument(request.data + ": expected a dataset with the options, got " + what +
                                ", which has none");
  }
  sheet.choose_metrics(sheet.card().metrics);
}

// With the columns that the run was trained with.
data::ImageManifestOptions reading_for(const ModelCard& card) {
  data::ImageManifestOptions reading{.exif = card.input.options.as<data::ImageInput>().exif, .fewest = 1};
  base::Options trained = data::entry_of("images").options;
  if (card.dataset == "images") {
    for (const char* const column : {"label", "environment"}) {
      const base::Field* const field = trained.find(column);
      const auto found = std::ranges::find_if(card.dataset_options,
                                              [&](const auto& option) { return option.first == column; });
      if (found != card.dataset_options.end()) {
        trained.set_value(*field, found->second);
      }
    }
  }
  reading.label = trained.as<data::ImagesOptions>().label;
  reading.environment = trained.as<data::ImagesOptions>().environment;
  return reading;
}

}  // namespace

void score_folder(ScoreSheet& sheet) {
  const ScoreRequest& request = sheet.request();
  const ModelCard& card = sheet.card();
  if (card.input.kind != "image") {
    throw std::invalid_argument(request.data + ": expected " + expected_data(card) +
                                ", got a folder; the model of " + request.run.string() +
                                " does not take images");
  }
  begin_pictures(sheet, "a folder");
  const auto& form = card.input.options.as<data::ImageInput>();
  const auto pictures = std::make_shared<const data::ImageFolder>(
      request.data, data::ImageFolderOptions{.exif = form.exif, .fewest = 1});
  if (const auto [unknown, misplaced] = pictures->skipped(); unknown + misplaced > 0) {
    sheet.notice(request.data + ": skipped entries that are not images at ENVIRONMENT/CLASS/FILE: " +
                 std::to_string(unknown + misplaced));
  }
  score_pictures(sheet, pictures, {});
}

void score_image_list(ScoreSheet& sheet) {
  const ScoreRequest& request = sheet.request();
  begin_pictures(sheet, "a file");
  const auto pictures = std::make_shared<const data::ImageManifest>(request.data, reading_for(sheet.card()));
  score_pictures(sheet, pictures, missing_in(sheet, *pictures, request.skip_broken));
}

}  // namespace pair::runs
