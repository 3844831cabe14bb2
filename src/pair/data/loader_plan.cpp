#include "pair/data/loader_plan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "pair/data/counter_random.h"
#include "pair/data/quarter_turns.h"
#include "pair/data/transform.h"

namespace pair::data::loading {
namespace {

class TrainingPlan : public Plan {
 public:
  TrainingPlan(Sampler sampler, const LoaderOptions& options)
      : sampler_(std::move(sampler)),
        options_(options),
        flips_(options.seed, "flips"),
        augmentations_(options.seed, "augmentations"),
        turns_(options.seed, "turns") {}

  [[nodiscard]] std::int64_t steps() const override { return std::numeric_limits<std::int64_t>::max(); }
  [[nodiscard]] std::vector<std::size_t> samples(std::int64_t step) const override {
    return sampler_.samples_of(step);
  }
  [[nodiscard]] std::optional<std::size_t> replacement(std::int64_t step, std::size_t place,
                                                       std::uint64_t attempt) const override {
    return sampler_.replacement(step, place, attempt);
  }
  [[nodiscard]] Image prepared(const Source& source, std::size_t sample, std::int64_t step,
                               std::size_t place) const override {
    const std::uint64_t counter = sampler_.counter(step, place);
    if (!options_.fast_decode) {
      const Image image = source.read(sample);
      return augmented(image, options_.rows, options_.columns, drawn(counter, image.rows, image.columns));
    }
    DrawnAugmentation chosen;
    const ImagePart part = source.read_part(sample, [&](std::int64_t rows, std::int64_t columns) {
      chosen = drawn(counter, rows, columns);
      return WantedPart{chosen.crop, options_.rows, options_.columns};
    });
    return augmented(part, options_.rows, options_.columns, chosen);
  }
  [[nodiscard]] Image turned(Image image, std::int64_t step, std::size_t place) const override {
    return options_.quarter_turns
               ? quarter_turned(image, static_cast<int>(4.0 * turns_.uniform(sampler_.counter(step, place))))
               : std::move(image);
  }

 private:
  [[nodiscard]] DrawnAugmentation drawn(std::uint64_t counter, std::int64_t rows,
                                        std::int64_t columns) const {
    DrawnAugmentation result = draw_augmentation(
        options_.augment, rows, columns,
        [&, n = std::uint64_t{0}]() mutable { return augmentations_.nth_uniform(counter, ++n); });
    result.flip = flips_.uniform(counter) < options_.flip;
    return result;
  }

  Sampler sampler_;
  LoaderOptions options_;
  CounterRandom flips_;
  CounterRandom augmentations_;
  CounterRandom turns_;
};

class OrderedPlan : public Plan {
 public:
  OrderedPlan(std::vector<std::size_t> samples, std::size_t batch, const LoaderOptions& options)
      : samples_(std::move(samples)), batch_(batch), rows_(options.rows), columns_(options.columns) {}

  [[nodiscard]] std::int64_t steps() const override {
    return static_cast<std::int64_t>((samples_.size() + batch_ - 1) / batch_);
  }
  [[nodiscard]] std::vector<std::size_t> samples(std::int64_t step) const override {
    const std::size_t first = static_cast<std::size_t>(step) * batch_;
    const std::size_t end = std::min(first + batch_, samples_.size());
    return {samples_.begin() + static_cast<std::ptrdiff_t>(first),
            samples_.begin() + static_cast<std::ptrdiff_t>(end)};
  }
  [[nodiscard]] std::optional<std::size_t> replacement(std::int64_t /*step*/, std::size_t /*place*/,
                                                       std::uint64_t /*attempt*/) const override {
    return std::nullopt;
  }
  [[nodiscard]] Image prepared(const Source& source, std::size_t sample, std::int64_t /*step*/,
                               std::size_t /*place*/) const override {
    return resized(source.read(sample), rows_, columns_);
  }

 private:
  std::vector<std::size_t> samples_;
  std::size_t batch_;
  std::int64_t rows_;
  std::int64_t columns_;
};

}  // namespace

std::unique_ptr<const Plan> training_plan(Sampler sampler, const LoaderOptions& options) {
  return std::make_unique<TrainingPlan>(std::move(sampler), options);
}

std::unique_ptr<const Plan> ordered_plan(std::vector<std::size_t> samples, std::size_t batch,
                                         const LoaderOptions& options) {
  return std::make_unique<OrderedPlan>(std::move(samples), batch, options);
}

}  // namespace pair::data::loading
