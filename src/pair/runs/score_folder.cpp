#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/tables.h"
#include "pair/data/image_folder.h"
#include "pair/data/inputs.h"
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

}  // namespace

void score_folder(ScoreSheet& sheet) {
  const ScoreRequest& request = sheet.request();
  const ModelCard& card = sheet.card();
  if (card.input.kind != "image") {
    throw std::invalid_argument(request.data + ": expected " + expected_data(card) +
                                ", got a folder; the model of " + request.run.string() +
                                " does not take images");
  }
  if (!request.options.empty() || request.seed) {
    throw std::invalid_argument(request.data +
                                ": expected a dataset with the options, got a folder, which has none");
  }
  sheet.choose_metrics(card.metrics);
  const auto& form = card.input.options.as<data::ImageInput>();
  const auto pictures = std::make_shared<const data::ImageFolder>(
      request.data, data::ImageFolderOptions{.held_out = 0.0, .exif = form.exif, .fewest = 1});
  const torch::Tensor labels = torch::tensor(labels_of(pictures->classes(), sheet), torch::kLong);
  if (const auto [unknown, misplaced] = pictures->skipped(); unknown + misplaced > 0) {
    sheet.notice(request.data + ": skipped entries that are not images at ENVIRONMENT/CLASS/FILE: " +
                 std::to_string(unknown + misplaced));
  }
  std::vector<std::vector<std::size_t>> samples(pictures->environments().size());
  sheet.expect(static_cast<std::int64_t>(pictures->size()));
  for (std::size_t i = 0; i < pictures->size(); ++i) {
    samples[static_cast<std::size_t>(pictures->sample(i).environment)].push_back(i);
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

}  // namespace pair::runs
