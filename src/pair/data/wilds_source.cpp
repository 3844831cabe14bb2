#include "pair/data/wilds_source.h"

#include <stdexcept>
#include <utility>

#include "pair/data/npz.h"

namespace pair::data {
namespace {

std::string size_text(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

}  // namespace

WildsSource::WildsSource(std::shared_ptr<const WildsSet> set, const WildsGroups& groups)
    : set_(std::move(set)),
      environments_(groups.names),
      environment_of_(set_->size(), -1),
      label_(set_->field("y")) {
  for (std::size_t g = 0; g < groups.samples.size(); ++g) {
    for (const std::size_t sample : groups.samples[g]) {
      if (environment_of_[sample] < 0) {
        environment_of_[sample] = static_cast<std::int32_t>(g);
      }
    }
  }
}

SampleInfo WildsSource::sample(std::size_t index) const {
  const double label = set_->value(index, label_);
  return {.id = set_->inputs[index],
          .label = set_->regression() ? 0 : static_cast<std::int32_t>(label),
          .environment = environment_of_[index],
          .split = set_->split[index].value_or(Split::train),
          .value = label};
}

Image WildsSource::read(std::size_t index) const {
  const std::filesystem::path file = set_->folder / set_->inputs[index];
  const Bytes bytes = read_bytes(file);
  try {
    Image image = decode_image(bytes);
    if (set_->rows > 0 && (image.rows != set_->rows || image.columns != set_->columns)) {
      throw BrokenImage("expected an image of " + size_text(set_->rows, set_->columns) + " pixels, got " +
                        size_text(image.rows, image.columns));
    }
    return image;
  } catch (const BrokenImage& error) {
    throw BrokenImage(file.string() + ": " + error.what());
  }
}

void WildsSource::read_numbers(std::size_t index, std::int64_t rows, std::int64_t columns,
                               std::span<float> to) const {
  const std::filesystem::path file = set_->folder / set_->inputs[index];
  const Bytes bytes = read_bytes(file);
  const NumpyArray array = [&] {
    try {
      return read_npz(bytes, "x", file.string());
    } catch (const std::runtime_error& error) {
      throw BrokenImage(error.what());
    }
  }();
  const std::vector<std::int64_t> expected{poverty_channels, set_->rows, set_->columns};
  if (array.shape != expected) {
    std::string got;
    for (const std::int64_t size : array.shape) {
      got += (got.empty() ? "" : " x ") + std::to_string(size);
    }
    throw BrokenImage(file.string() + ": expected an array of " + std::to_string(poverty_channels) + " x " +
                      size_text(set_->rows, set_->columns) + " numbers, got " + got);
  }
  const std::int64_t factor = set_->rows / rows;
  if (factor * rows != set_->rows || factor * columns != set_->columns) {
    throw std::invalid_argument("image_size: expected a divisor of " + std::to_string(set_->rows) + ", got " +
                                std::to_string(rows));
  }
  const double share = 1.0 / static_cast<double>(factor * factor);
  for (std::int64_t channel = 0; channel < poverty_channels; ++channel) {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        double sum = 0.0;
        for (std::int64_t y = row * factor; y < (row + 1) * factor; ++y) {
          const auto* const line =
              array.values.data() + (channel * set_->rows + y) * set_->columns + column * factor;
          for (std::int64_t x = 0; x < factor; ++x) {
            sum += line[x];
          }
        }
        to[static_cast<std::size_t>((channel * rows + row) * columns + column)] =
            static_cast<float>(sum * share);
      }
    }
  }
}

}  // namespace pair::data
