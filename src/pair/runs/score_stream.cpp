#include "pair/runs/score_stream.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/data/image_manifest.h"
#include "pair/data/inputs.h"
#include "pair/train/interrupted.h"
#include "pair/train/streamed_batches.h"

namespace pair::runs {

std::vector<std::size_t> missing_in(ScoreSheet& sheet, const data::ImageManifest& list, bool skip) {
  if (!skip) {
    list.require_files();
    return {};
  }
  std::vector<std::size_t> missing = list.missing();
  for (const std::size_t sample : missing) {
    sheet.skip(list.missing_sentence(sample));
  }
  return missing;
}

Answers streamed_answers(ScoreSheet& sheet, const std::shared_ptr<const data::Source>& source,
                         std::vector<std::size_t> samples, data::LoaderOptions loading,
                         const std::string& name) {
  if (samples.empty()) {
    throw std::invalid_argument(name + ": expected at least one image that can be read, got none");
  }
  const data::InputForm& form = sheet.card().input;
  const auto normalised = [&form](const torch::Tensor& bytes) {
    return form.kind == "image" ? data::normalised(form.options.as<data::ImageInput>(), bytes) : bytes;
  };
  // Broken files are always left out there, and refused here: a refusal is not a failure of the disk.
  const bool refuses = loading.broken == data::BrokenFiles::fail;
  loading.broken = data::BrokenFiles::skip;
  data::Loader loader =
      data::Loader::ordered(source, std::move(samples), train::pictures_scored_at_once(loading), loading);
  std::vector<torch::Tensor> outputs;
  std::vector<torch::Tensor> labels;
  while (const std::optional<data::LoadedBatch> batch = loader.next(sheet.hooks().should_stop)) {
    for (const data::BrokenFile& file : loader.take_notices()) {
      if (refuses) {
        throw std::invalid_argument(file.reason + data::broken_hint);
      }
      sheet.skip(file.reason);
    }
    if (batch->labels.size(0) > 0) {
      outputs.push_back(sheet.outputs(normalised(batch->inputs)));
      labels.push_back(batch->labels);
      sheet.count(batch->labels.size(0));
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

}  // namespace pair::runs
