#include "pair/train/scoring.h"

#include <torch/utils.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "pair/data/environment.h"
#include "pair/data/metrics.h"
#include "pair/train/held_out_losses.h"
#include "pair/train/host_numbers.h"
#include "pair/train/interrupted.h"
#include "pair/train/mode_guard.h"

namespace pair::train {
namespace {

// Rows per pass. The activations of an image outnumber its pixels, those of a text its tokens by far more,
// and a GPU needs many rows to be busy.
std::int64_t rows_at_once(const torch::Tensor& inputs) {
  const bool text = inputs.scalar_type() == torch::kInt;
  if (text) {
    return inputs.is_cpu() ? 64 : 512;
  }
  const bool image = inputs.dim() > 3;
  return inputs.is_cpu() ? (image ? 256 : 4096) : (image ? 2048 : 65536);
}

std::vector<torch::Tensor> means_of(const torch::Tensor& outputs, const Batch& batch, data::TaskLoss loss) {
  std::vector<torch::Tensor> means;
  for (const torch::Tensor& part :
       data::sample_scores(loss, outputs, batch.labels).split_with_sizes(batch.sizes)) {
    means.push_back(part.mean());
  }
  return means;
}

// The rows of some environments of a batch, [n, ...], in the order of `places`.
torch::Tensor rows_of(const torch::Tensor& rows, const Batch& batch, const std::vector<std::size_t>& places) {
  const std::vector<torch::Tensor> all = rows.split_with_sizes(batch.sizes);
  std::vector<torch::Tensor> chosen;
  for (const std::size_t place : places) {
    chosen.push_back(all[place]);
  }
  return torch::cat(chosen);
}

// The outputs, labels and samples of each batch of one environment, on the device, in order. The model is in
// evaluation mode.
void see_environment(models::Model& model, StreamedBatches& batches, const data::Environment& environment,
                     const DeviceLink& link, const std::function<bool()>& stop,
                     const std::function<void(const torch::Tensor&, const torch::Tensor&,
                                              std::span<const std::size_t>)>& see) {
  data::Loader loader = batches.ordered(environment);
  std::int64_t count = 0;
  while (const std::optional<data::LoadedBatch> batch = loader.next(stop)) {
    link.perform([&] {
      const torch::Tensor logits =
          model.forward(batches.normalised(batch->inputs.to(link.device(), /*non_blocking=*/true)));
      see(logits, batch->labels.to(link.device(), /*non_blocking=*/true), batch->samples);
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
    throw std::runtime_error(environment.key + ": expected at least one valid image, got " +
                             std::to_string(environment.samples.size()) + " broken ones");
  }
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
  return batch.sizes.empty() ? std::vector<torch::Tensor>{}
                             : means_of(outputs_of(model, batch.inputs, stop), batch, loss);
}

std::vector<double> mean_scores(models::Model& model, StreamedBatches& batches, data::TaskLoss loss,
                                const DeviceLink& link, const std::function<bool()>& stop,
                                const SeenOutputs& seen) {
  const torch::NoGradGuard no_graph;
  const ModeGuard mode(model, Mode::evaluation);
  std::vector<double> means;
  for (const data::Environment* environment : batches.all()) {
    if (!environment->scored) {
      means.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    double sum = 0.0;
    std::int64_t count = 0;
    see_environment(
        model, batches, *environment, link, stop,
        [&](const torch::Tensor& logits, const torch::Tensor& labels, std::span<const std::size_t> samples) {
          sum += data::sample_scores(loss, logits, labels).sum().item<double>();
          count += labels.size(0);
          if (seen) {
            seen(means.size(), logits, labels, samples);
          }
        });
    means.push_back(sum / static_cast<double>(count));
  }
  return means;
}

void see_held_out(models::Model& model, Batches& batches, const data::EnvironmentSet& data,
                  const DeviceLink& link, const std::function<bool(std::size_t environment)>& wanted,
                  const SeenOutputs& seen, const std::function<bool()>& stop) {
  const torch::NoGradGuard no_graph;
  const ModeGuard mode(model, Mode::evaluation);
  if (StreamedBatches* const streamed = batches.streamed()) {
    for (std::size_t e = 0; e < data.held_out.size(); ++e) {
      if (wanted(e)) {
        see_environment(model, *streamed, data.held_out[e], link, stop,
                        [&](const torch::Tensor& outputs, const torch::Tensor& labels,
                            std::span<const std::size_t> samples) { seen(e, outputs, labels, samples); });
      }
    }
    return;
  }
  if (data.held_out.empty()) {
    return;
  }
  link.perform([&] {
    const Batch& held_out = batches.held_out();
    const std::vector<torch::Tensor> outputs =
        outputs_of(model, held_out.inputs, stop).split_with_sizes(held_out.sizes);
    const std::vector<torch::Tensor> labels = held_out.labels.split_with_sizes(held_out.sizes);
    for (std::size_t e = 0; e < data.held_out.size(); ++e) {
      if (wanted(e)) {
        seen(e, outputs[e], labels[e], data.held_out[e].samples);
      }
    }
  });
}

Scorer::Scorer(std::shared_ptr<models::Model> model, Batches& batches, data::TaskLoss loss, DeviceLink& link,
               std::span<const std::unique_ptr<objectives::Objective>> objectives,
               std::vector<std::size_t> parts)
    : model_(std::move(model)),
      batches_(&batches),
      loss_(loss),
      link_(&link),
      objectives_(objectives),
      parts_(std::move(parts)),
      work_(link, "evaluations") {}

std::vector<torch::Tensor> Scorer::resident_train_means() const {
  const std::vector<data::Environment>& environments = batches_->data().train;
  std::vector<std::size_t> places;
  for (std::size_t e = 0; e < environments.size(); ++e) {
    if (environments[e].scored) {
      places.push_back(e);
    }
  }
  const Batch& all = batches_->train();
  if (places.size() == environments.size()) {
    return mean_scores(*model_, all, loss_, stop_);
  }
  const torch::Tensor none =
      torch::full({}, std::numeric_limits<double>::quiet_NaN(), all.labels.options().dtype(torch::kDouble));
  std::vector<torch::Tensor> means(environments.size(), none);
  if (places.empty()) {
    return means;
  }
  Batch scored{rows_of(all.inputs, all, places), rows_of(all.labels, all, places), {}};
  for (const std::size_t place : places) {
    scored.sizes.push_back(all.sizes[place]);
  }
  const std::vector<torch::Tensor> some = mean_scores(*model_, scored, loss_, stop_);
  for (std::size_t i = 0; i < places.size(); ++i) {
    means[places[i]] = some[i];
  }
  return means;
}

void Scorer::score_resident() {
  std::vector<torch::Tensor> means = resident_train_means();
  const Batch& held_out = batches_->held_out();
  torch::Tensor more;
  if (!held_out.sizes.empty()) {
    const torch::Tensor outputs = outputs_of(*model_, held_out.inputs, stop_);
    std::ranges::move(means_of(outputs, held_out, loss_), std::back_inserter(means));
    if (batches_->data().more_scores) {
      answers_ = data::answers(loss_, outputs).to(torch::kDouble);
    }
    if (!parts_.empty()) {
      std::vector<std::int64_t> sizes;
      for (const std::size_t part : parts_) {
        sizes.push_back(held_out.sizes[part]);
      }
      more = held_out_losses(objectives_, loss_, rows_of(outputs, held_out, parts_),
                             rows_of(held_out.labels, held_out, parts_), sizes);
    }
  }
  numbers_ = torch::stack(means);
  if (more.defined()) {
    numbers_ = torch::cat({numbers_.to(torch::kDouble), more.flatten()});
  }
}

Scores Scorer::streamed_scores(StreamedBatches& batches, const std::function<bool()>& stop) {
  if (parts_.empty()) {
    return more_scores(batches, stop);
  }
  // Outputs are few numbers per sample, unlike inputs.
  std::vector<std::vector<torch::Tensor>> outputs(parts_.size());
  std::vector<std::vector<torch::Tensor>> labels(parts_.size());
  const auto first = static_cast<std::size_t>(batches_->all_environments());
  const SeenOutputs seen = [&](std::size_t environment, const torch::Tensor& some, const torch::Tensor& of,
                               std::span<const std::size_t> /*samples*/) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (environment == first + parts_[i]) {
        outputs[i].push_back(some);
        labels[i].push_back(of);
      }
    }
  };
  std::vector<double> numbers = mean_scores(*model_, batches, loss_, *link_, stop, seen);
  std::vector<torch::Tensor> all_outputs;
  std::vector<torch::Tensor> all_labels;
  std::vector<std::int64_t> sizes;
  link_->perform([&] {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      all_outputs.push_back(torch::cat(outputs[i]));
      all_labels.push_back(torch::cat(labels[i]));
      sizes.push_back(all_labels.back().size(0));
    }
    const torch::Tensor more =
        held_out_losses(objectives_, loss_, torch::cat(all_outputs), torch::cat(all_labels), sizes);
    std::ranges::copy(to_doubles(more), std::back_inserter(numbers));
  });
  return scores_from(std::move(numbers));
}

Scores Scorer::more_scores(StreamedBatches& batches, const std::function<bool()>& stop) {
  const data::EnvironmentSet& data = batches.data();
  if (!data.more_scores) {
    return {mean_scores(*model_, batches, loss_, *link_, stop)};
  }
  const std::size_t first = data.train.size();
  std::vector<std::vector<double>> answers(data.held_out.size());
  Scores scores{mean_scores(*model_, batches, loss_, *link_, stop,
                            [&](std::size_t environment, const torch::Tensor& outputs, const torch::Tensor&,
                                std::span<const std::size_t>) {
                              if (environment >= first) {
                                std::ranges::copy(
                                    to_doubles(data::answers(loss_, outputs).to(torch::kDouble)),
                                    std::back_inserter(answers[environment - first]));
                              }
                            })};
  scores.more = further_scores(answers);
  return scores;
}

std::vector<std::pair<std::string, double>> Scorer::further_scores(
    std::span<const std::vector<double>> answers) const {
  const data::EnvironmentSet& data = batches_->data();
  std::vector<std::pair<std::string, double>> scores;
  for (std::size_t e = 0; e < data.held_out.size(); ++e) {
    if (data.held_out[e].scored) {
      std::ranges::move(data.more_scores(data.held_out[e], answers[e]), std::back_inserter(scores));
    }
  }
  return scores;
}

Scores Scorer::scores_from(std::vector<double> numbers) const {
  Scores scores;
  if (!parts_.empty()) {
    const auto m = static_cast<std::ptrdiff_t>(objectives_.size());
    scores.held_out_floors.assign(numbers.end() - m, numbers.end());
    scores.held_out_losses.assign(numbers.end() - 2 * m, numbers.end() - m);
    numbers.resize(numbers.size() - static_cast<std::size_t>(2 * m));
  }
  scores.means = std::move(numbers);
  return scores;
}

Scores Scorer::scores(const std::function<bool()>& stop) {
  if (StreamedBatches* const streamed = batches_->streamed()) {
    return streamed_scores(*streamed, stop);
  }
  stop_ = link_->asynchronous() ? nullptr : stop;
  if (work_.empty()) {
    work_.set({[this] { score_resident(); }});
  }
  work_.play(0);
  Scores scores = scores_from(to_doubles(numbers_));
  if (batches_->data().more_scores && answers_.defined()) {
    const std::vector<double> all = to_doubles(answers_);
    std::vector<std::vector<double>> answers;
    auto from = all.begin();
    for (const std::int64_t size : batches_->held_out().sizes) {
      answers.emplace_back(from, from + size);
      from += size;
    }
    scores.more = further_scores(answers);
  }
  return scores;
}

}  // namespace pair::train
