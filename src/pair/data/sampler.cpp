#include "pair/data/sampler.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "pair/base/numbers.h"

namespace pair::data {
namespace {

// Puts each environment's samples into its order of measuring.
void arrange_for_measuring(std::vector<std::vector<std::size_t>>& samples, const SamplerOptions& options) {
  if (!options.share.whole()) {
    throw std::invalid_argument("measuring: expected the whole batch, got one of " +
                                std::to_string(options.share.parts) + " parts");
  }
  base::require_integer("batch", options.batch, 2, largest_batch);
  for (std::size_t e = 0; e < samples.size(); ++e) {
    std::vector<std::size_t> arranged;
    arranged.reserve(samples[e].size());
    for (const std::int64_t i : measuring_order(options.seed, e, samples[e].size())) {
      arranged.push_back(samples[e][static_cast<std::size_t>(i)]);
    }
    samples[e] = std::move(arranged);
  }
}

}  // namespace

Sampler::Sampler(std::vector<std::vector<std::size_t>> samples, const SamplerOptions& options)
    : samples_(std::move(samples)),
      options_(options),
      // The same stream as train::Minibatches.
      draws_(options.seed, "batches"),
      environment_draws_(options.seed, "environments of a step"),
      replacements_(options.seed, "replacements") {
  if (samples_.empty()) {
    throw std::invalid_argument("a sampler: expected at least one environment, got none");
  }
  for (const std::vector<std::size_t>& list : samples_) {
    if (list.empty() || list.size() >= std::size_t{1} << 31U) {
      throw std::invalid_argument("samples of an environment: expected 1 to below 2^31, got " +
                                  std::to_string(list.size()));
    }
  }
  base::require_integer("batch", options.batch, 1, largest_batch);
  const auto all = static_cast<std::int64_t>(samples_.size());
  if (options.environments_per_step < 0 || options.environments_per_step > all) {
    throw std::invalid_argument("environments_per_step: expected 1 to " + std::to_string(all) +
                                ", or 0 for all, got " + std::to_string(options.environments_per_step));
  }
  taken_ = options.environments_per_step == 0 ? samples_.size()
                                              : static_cast<std::size_t>(options.environments_per_step);
  if (options.share.part < 0 || options.share.part >= options.share.parts ||
      options.batch < options.share.parts) {
    throw std::invalid_argument("batch: expected at least " + std::to_string(options.share.parts) +
                                ", one sample per environment for each process, got " +
                                std::to_string(options.batch));
  }
  if (options_.measuring.on()) {
    arrange_for_measuring(samples_, options_);
  }
  own_ = static_cast<std::size_t>(options.share.count(options.batch));
  places_ = taken_ * own_;
  all_places_ = taken_ * static_cast<std::size_t>(options.batch);
}

std::size_t Sampler::place_in_batch(std::size_t place) const {
  return place / own_ * static_cast<std::size_t>(options_.batch) +
         static_cast<std::size_t>(options_.share.first(options_.batch)) + place % own_;
}

std::vector<std::size_t> Sampler::environments_of(std::int64_t step) const {
  std::vector<std::size_t> order(samples_.size());
  std::iota(order.begin(), order.end(), 0);
  if (taken_ == order.size()) {
    return order;
  }
  // The first `taken_` steps of a Fisher-Yates shuffle.
  for (std::size_t i = 0; i < taken_; ++i) {
    const std::uint64_t counter = static_cast<std::uint64_t>(step) * taken_ + i;
    std::swap(order[i], order[i + environment_draws_.below(counter, order.size() - i)]);
  }
  order.resize(taken_);
  std::ranges::sort(order);
  return order;
}

template <class Below>
std::size_t Sampler::sample_at(std::int64_t step, std::size_t environment, std::size_t place,
                               const Below& below) const {
  const std::vector<std::size_t>& list = samples_[environment];
  const Measuring& measuring = options_.measuring;
  if (!measuring.on()) {
    return list[below(list.size())];
  }
  const auto n = static_cast<std::int64_t>(list.size());
  const bool measures = static_cast<std::int64_t>(place % own_) < measuring.count(options_.batch);
  const std::int64_t first = measuring.first(step, n) + (measures ? 0 : measuring.count(n));
  const std::int64_t among = measures ? measuring.count(n) : n - measuring.count(n);
  return list[(static_cast<std::size_t>(first) + below(static_cast<std::size_t>(among))) % list.size()];
}

std::vector<std::size_t> Sampler::samples_of(std::int64_t step) const {
  std::vector<std::size_t> drawn;
  drawn.reserve(places_);
  for (const std::size_t environment : environments_of(step)) {
    for (std::size_t i = 0; i < own_; ++i) {
      const std::uint64_t at = counter(step, drawn.size());
      drawn.push_back(sample_at(step, environment, i, [&](std::size_t n) { return draws_.below(at, n); }));
    }
  }
  return drawn;
}

std::size_t Sampler::replacement(std::int64_t step, std::size_t place, std::uint64_t attempt) const {
  const std::size_t environment = environments_of(step).at(place / own_);
  const std::uint64_t at = counter(step, place);
  return sample_at(step, environment, place,
                   [&](std::size_t n) { return replacements_.nth_below(at, attempt, n); });
}

}  // namespace pair::data
