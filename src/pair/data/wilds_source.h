#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pair/data/source.h"
#include "pair/data/wilds.h"

// The images of a dataset of WILDS, read on demand.

namespace pair::data {

class WildsSource : public Source {
 public:
  // The set's inputs must be files. Environments are the groups; a sample in several has the first.
  WildsSource(std::shared_ptr<const WildsSet> set, const WildsGroups& groups);

  [[nodiscard]] std::size_t size() const override { return set_->size(); }
  // A sample in no split counts as one of train; it is not listed anywhere.
  [[nodiscard]] SampleInfo sample(std::size_t index) const override;
  [[nodiscard]] std::span<const std::string> classes() const override { return set_->classes; }
  [[nodiscard]] std::span<const std::string> environments() const override { return environments_; }

  // Throws BrokenImage, naming the file, also for an image of another size than the dataset's.
  [[nodiscard]] Image read(std::size_t index) const override;
  // PovertyMap's arrays, [8, 224, 224]. Fewer rows and columns, by an integer factor: means over squares.
  void read_numbers(std::size_t index, std::int64_t rows, std::int64_t columns,
                    std::span<float> to) const override;

  [[nodiscard]] const WildsSet& set() const { return *set_; }

 private:
  std::shared_ptr<const WildsSet> set_;
  std::vector<std::string> environments_;
  std::vector<std::int32_t> environment_of_;
  std::size_t label_;  // the column of y
};

// Channels of PovertyMap's images.
inline constexpr std::int64_t poverty_channels = 8;

}  // namespace pair::data
