#include "pair/train/streamed_batches.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "pair/train/interrupted.h"
#include "pair/train/minibatches.h"

namespace pair::train {
namespace {

// Images per part of a scoring pass: at most this many, and this many bytes. The same on every device.
constexpr std::int64_t most_pictures_scored = 256;
constexpr std::int64_t most_bytes_scored = std::int64_t{1} << 24;

data::Sampler sampler_of(const data::EnvironmentSet& data, const Settings& settings, std::uint64_t seed,
                         data::Share share) {
  if (settings.batch < 1) {
    throw std::invalid_argument("batch: expected 1 or more with '" + data.name +
                                "', whose samples are read during training, got " +
                                std::to_string(settings.batch));
  }
  const data::TaskLoss expected =
      data.loading.regression ? data::TaskLoss::squared_error : data::TaskLoss::cross_entropy;
  if (data.loss != expected) {
    throw std::invalid_argument("the loss of '" + data.name + "': expected " +
                                std::string(to_string(expected)) + " for the source's labels, got " +
                                std::string(to_string(data.loss)));
  }
  require_environments(settings.environments, data.train.size());
  std::vector<std::vector<std::size_t>> samples;
  for (const data::Environment& environment : data.train) {
    samples.push_back(environment.samples);
  }
  return {std::move(samples),
          {.seed = seed,
           .batch = settings.batch,
           .environments_per_step = settings.environments,
           .share = share,
           .measuring = settings.measuring()}};
}

}  // namespace

StreamedBatches::StreamedBatches(const data::EnvironmentSet& data, const Settings& settings,
                                 std::uint64_t seed, torch::Device device, data::Share share)
    : data_(&data),
      loading_(data.loading),
      sampler_(sampler_of(data, settings, seed, share)),
      normalisation_(data.input, device) {
  loading_.pinned = device.is_cuda();
  std::vector<std::int64_t> shape = data::input_shape(data);
  const auto places = static_cast<std::int64_t>(sampler_.places());
  shape.insert(shape.begin(), places);
  const auto inputs_type = data.loading.numbers > 0 ? torch::kFloat : torch::kByte;
  const auto labels_type = data.loading.regression ? torch::kFloat : torch::kLong;
  inputs_ = torch::zeros(shape, torch::TensorOptions().dtype(inputs_type).device(device));
  labels_ = torch::zeros({places}, torch::TensorOptions().dtype(labels_type).device(device));
  const std::int64_t own = share.count(settings.batch);
  sizes_.assign(static_cast<std::size_t>(places / own), own);
  if (sizes_.size() < sampler_.environments()) {
    chosen_ = torch::zeros({environments()}, torch::TensorOptions().dtype(torch::kLong).device(device));
  }
}

std::int64_t StreamedBatches::environments() const {
  return static_cast<std::int64_t>(sizes_.size());
}

std::vector<std::int64_t> StreamedBatches::whole_sizes() const {
  return std::vector<std::int64_t>(sizes_.size(), sampler_.options().batch);
}

void StreamedBatches::await(std::int64_t step, const std::function<bool()>& stop) {
  if (ready_ && ready_->step == step) {
    return;
  }
  ready_.reset();
  if (!loader_ || loader_->step() != step) {
    loader_.reset();  // joins its workers before others start
    loader_ = data::Loader::training(data_->source, sampler_, loading_, step);
  }
  ready_ = loader_->next(stop);
  if (!ready_) {
    throw Interrupted();
  }
  note(*loader_);
}

void StreamedBatches::begin_step(std::int64_t step) {
  await(step);
  // From page-locked memory, which is not used again before the device has read it: LibTorch's allocator guarantees that.
  inputs_.copy_(ready_->inputs, /*non_blocking=*/true);
  labels_.copy_(ready_->labels, /*non_blocking=*/true);
  if (chosen_.defined()) {
    const std::vector<std::size_t> chosen = sampler_.environments_of(step);
    chosen_.copy_(torch::tensor(std::vector<std::int64_t>(chosen.begin(), chosen.end()), torch::kLong));
  }
  ready_.reset();
}

Batch StreamedBatches::of_step() const {
  Batch batch{normalised(inputs_), labels_, sizes_};
  if (!sampler_.options().share.whole()) {
    batch.whole = whole_sizes();
  }
  batch.environments = chosen_;
  batch.all_environments = static_cast<std::int64_t>(sampler_.environments());
  const data::Measuring& measuring = sampler_.options().measuring;
  return measuring.on() ? with_roles(batch, measuring.count(sampler_.options().batch)) : batch;
}

std::vector<const data::Environment*> StreamedBatches::all() const {
  std::vector<const data::Environment*> environments;
  for (const auto* some : {&data_->train, &data_->held_out}) {
    for (const data::Environment& environment : *some) {
      environments.push_back(&environment);
    }
  }
  return environments;
}

std::int64_t pictures_scored_at_once(const data::LoaderOptions& loading) {
  const std::int64_t bytes =
      (loading.numbers > 0 ? 4 * loading.numbers : data::Image::channels) * loading.rows * loading.columns;
  return std::clamp(most_bytes_scored / bytes, std::int64_t{1}, most_pictures_scored);
}

data::Loader StreamedBatches::ordered(const data::Environment& environment) const {
  return data::Loader::ordered(data_->source, environment.samples, pictures_scored_at_once(loading_),
                               loading_);
}

void StreamedBatches::note(data::Loader& loader) {
  for (const data::BrokenFile& file : loader.take_notices()) {
    if (broken_.insert(file.id).second) {
      notices_.push_back("skipped a broken file (" + std::to_string(broken_.size()) +
                         " so far): " + file.reason);
    }
  }
}

std::vector<std::string> StreamedBatches::take_notices() {
  return std::exchange(notices_, {});
}

}  // namespace pair::train
