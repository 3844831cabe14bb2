#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/image.h"

// Data that is read a sample at a time, because all of it does not fit into memory. A source knows what it
// holds without reading it: listing, splitting and drawing need no file to be opened.

namespace pair::data {

// What a sample is for. The names are those of records and of DomainBed and WILDS:
//   train     training, in a training environment
//   id_val    held out in a training environment, to choose models
//   val       of an environment that is for choosing models only
//   id_test   held out in a training environment, to report
//   test      of an environment that is never trained on
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

struct SampleInfo {
  std::string id;          // unique within the source and the same on every machine: a path below its root
  std::int32_t label = 0;  // index into classes()
  std::int32_t environment = 0;  // index into environments()
  Split split = Split::train;
};

// All functions are const and may be called by several threads at once.
class Source {
 public:
  virtual ~Source() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  // index < size(). The order of samples is fixed by the data alone.
  [[nodiscard]] virtual SampleInfo sample(std::size_t index) const = 0;

  [[nodiscard]] virtual std::span<const std::string> classes() const = 0;
  [[nodiscard]] virtual std::span<const std::string> environments() const = 0;

  // Reads and decodes a sample. Throws BrokenImage, naming the file, where it is there but not a whole
  // picture, and std::runtime_error where it cannot be read (the disk is gone, permission is denied).
  [[nodiscard]] virtual Image read(std::size_t index) const = 0;
};

// The samples of a split, in the source's order.
inline std::vector<std::size_t> samples_of(const Source& source, Split split) {
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.sample(i).split == split) {
      samples.push_back(i);
    }
  }
  return samples;
}

}  // namespace pair::data
