#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pair/data/image.h"
#include "pair/data/loader.h"
#include "pair/data/sampler.h"
#include "pair/data/source.h"

// The samples that a Loader loads for each step, and how their images are resized and augmented.

namespace pair::data::loading {

// The samples of every step. Called by several threads at the same time.
class Plan {
 public:
  virtual ~Plan() = default;
  [[nodiscard]] virtual std::int64_t steps() const = 0;  // one past the last step
  [[nodiscard]] virtual std::vector<std::size_t> samples(std::int64_t step) const = 0;
  // The sample to use in place of a broken one; none to leave it out.
  [[nodiscard]] virtual std::optional<std::size_t> replacement(std::int64_t step, std::size_t place,
                                                               std::uint64_t attempt) const = 0;
  // The sample at a place of a batch, resized, and augmented in training.
  [[nodiscard]] virtual Image prepared(const Source& source, std::size_t sample, std::int64_t step,
                                       std::size_t place) const = 0;
  // The prepared image, turned in training if the options say so.
  [[nodiscard]] virtual Image turned(Image image, std::int64_t /*step*/, std::size_t /*place*/) const {
    return image;
  }
};

// The sampler's batches without end, augmented as the options say.
std::unique_ptr<const Plan> training_plan(Sampler sampler, const LoaderOptions& options);

// All samples once and in order, only resized.
std::unique_ptr<const Plan> ordered_plan(std::vector<std::size_t> samples, std::size_t batch,
                                         const LoaderOptions& options);

}  // namespace pair::data::loading
