#include "pair/train/scoring.h"

#include <torch/utils.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/data/environment.h"
#include "pair/data/metrics.h"
#include "pair/train/host_numbers.h"
#include "pair/train/interrupted.h"
#include "pair/train/mode_guard.h"

namespace pair::train {
namespace {

// Rows per pass. The activations of an image outnumber its pixels, and a GPU needs many rows to be busy.
std::int64_t rows_at_once(const torch::Tensor& inputs) {
  const bool image = inputs.dim() > 3;
  return inputs.is_cpu() ? (image ? 256 : 4096) : (image ? 2048 : 65536);
}

}  // namespace

torch::Tensor outputs_of(models::Model& model, const torch::Tensor& inputs,
                         const std::function<bool()>& stop) {
  const torch::NoGradGuard no_graph;
  const ModeGuard mode(model, Mode::evaluation);
  std::vector<torch::Tensor> outputs;
  const std::int64_t rows = rows_at_once(inputs);
  for (std::int64_t row = 0; row < inputs.size(0); row += rows) {
    if (stop && stop()) {
      throw Interrupted();
    }
    const std::int64_t end = std::min(row + rows, inputs.size(0));
    outputs.push_back(model.forward(data::as_numbers(inputs.slice(0, row, end))));
  }
  return torch::cat(outputs);
}

std::vector<torch::Tensor> mean_scores(models::Model& model, const Batch& batch, data::TaskLoss loss,
                                       const std::function<bool()>& stop) {
  if (batch.sizes.empty()) {
    return {};
  }
  std::vector<torch::Tensor> means;
  const torch::Tensor scores = data::sample_scores(loss, outputs_of(model, batch.inputs, stop), batch.labels);
  for (const torch::Tensor& part : scores.split_with_sizes(batch.sizes)) {
    means.push_back(part.mean());
  }
  return means;
}

std::vector<double> mean_scores(models::Model& model, StreamedBatches& batches, data::TaskLoss loss,
                                const DeviceLink& link, const std::function<bool()>& stop) {
  const torch::NoGradGuard no_graph;
  const ModeGuard mode(model, Mode::evaluation);
  std::vector<double> means;
  for (const data::Environment* environment : batches.all()) {
    data::Loader loader = batches.ordered(*environment);
    double sum = 0.0;
    std::int64_t count = 0;
    while (const std::optional<data::LoadedBatch> batch = loader.next(stop)) {
      link.perform([&] {
        const torch::Tensor logits = model.forward(batches.normalised(batch->inputs.to(link.device())));
        sum += data::sample_scores(loss, logits, batch->labels.to(link.device())).sum().item<double>();
      });
      count += batch->labels.size(0);
      if (stop && stop()) {
        throw Interrupted();
      }
    }
    if (!loader.done()) {
      throw Interrupted();
    }
    batches.note(loader);
    if (count == 0) {
      throw std::runtime_error(environment->key + ": expected at least one valid image, got " +
                               std::to_string(environment->samples.size()) + " broken ones");
    }
    means.push_back(sum / static_cast<double>(count));
  }
  return means;
}

Scorer::Scorer(std::shared_ptr<models::Model> model, Batches& batches, data::TaskLoss loss, DeviceLink& link)
    : model_(std::move(model)), batches_(&batches), loss_(loss), link_(&link), work_(link, "evaluations") {}

std::vector<double> Scorer::scores(const std::function<bool()>& stop) {
  if (StreamedBatches* const streamed = batches_->streamed()) {
    return mean_scores(*model_, *streamed, loss_, *link_, stop);
  }
  stop_ = link_->asynchronous() ? nullptr : stop;
  if (work_.empty()) {
    work_.set({[this] {
      std::vector<torch::Tensor> means = mean_scores(*model_, batches_->train(), loss_, stop_);
      const std::vector<torch::Tensor> more = mean_scores(*model_, batches_->held_out(), loss_, stop_);
      means.insert(means.end(), more.begin(), more.end());
      means_ = torch::stack(means);
    }});
  }
  work_.play(0);
  return to_doubles(means_);
}

}  // namespace pair::train
