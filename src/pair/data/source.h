#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/names.h"
#include "pair/data/image.h"

// Data that is read one sample at a time, because it does not fit into memory. A source knows its samples
// without reading them: listing, splitting and drawing do not open files.

namespace pair::data {

// The purpose of a sample. The names are those of records, DomainBed and WILDS:
//   train     training, in a training environment
//   id_val    held out in a training environment, for model selection
//   val       in an environment that is only for model selection
//   id_test   held out in a training environment, for reporting
//   test      in an environment that is not used for training
enum class Split : std::uint8_t { train, id_val, val, id_test, test };

constexpr std::string_view name_of(Split split) {
  switch (split) {
    case Split::train:
      return "train";
    case Split::id_val:
      return "id_val";
    case Split::val:
      return "val";
    case Split::id_test:
      return "id_test";
    case Split::test:
      return "test";
  }
  return "unknown";
}

// Throws std::invalid_argument "WHAT: expected train, id_val, val, id_test or test, got 'NAME'".
inline Split split_named(std::string_view what, std::string_view name) {
  for (const Split split : {Split::train, Split::id_val, Split::val, Split::id_test, Split::test}) {
    if (name_of(split) == name) {
      return split;
    }
  }
  throw std::invalid_argument(std::string(what) + ": expected train, id_val, val, id_test or test, got '" +
                              base::printable(name.substr(0, 40)) + "'");
}

struct SampleInfo {
  std::string id;          // unique within the source and the same on every machine: a path below its root
  std::int32_t label = 0;  // index into classes()
  std::int32_t environment = 0;  // index into environments()
  Split split = Split::train;
  double value = 0.0;  // the label of a regression
};

// All functions are const and thread-safe.
class Source {
 public:
  virtual ~Source() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  // index < size(). The order of samples depends only on the data.
  [[nodiscard]] virtual SampleInfo sample(std::size_t index) const = 0;

  [[nodiscard]] virtual std::span<const std::string> classes() const = 0;
  [[nodiscard]] virtual std::span<const std::string> environments() const = 0;

  // Reads and decodes a sample. Throws BrokenImage, naming the file, if it is not a valid image, and
  // std::runtime_error if it cannot be read (missing disk, no permission).
  [[nodiscard]] virtual Image read(std::size_t index) const = 0;

  // Only what is needed for a part of a sample (decode_part), if the source can do that in less time. Throws
  // like read.
  [[nodiscard]] virtual ImagePart read_part(std::size_t index, const ChoosePart& choose) const {
    Image image = read(index);
    const CropBox box = choose(image.rows, image.columns).box;
    return part_of(std::move(image), box);
  }

  // For a source whose samples are numbers and not images (LoaderOptions::numbers): fills `to`, [channels,
  // rows, columns] row-major. Throws like read, and std::logic_error if samples are images.
  virtual void read_numbers(std::size_t index, std::int64_t rows, std::int64_t columns,
                            std::span<float> to) const;
};

inline void Source::read_numbers(std::size_t /*index*/, std::int64_t /*rows*/, std::int64_t /*columns*/,
                                 std::span<float> /*to*/) const {
  throw std::logic_error("read_numbers: expected a source of numbers, got one of images");
}

}  // namespace pair::data
