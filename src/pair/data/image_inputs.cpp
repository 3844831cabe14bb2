#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "pair/data/environment.h"
#include "pair/data/input_kinds.h"
#include "pair/data/inputs.h"
#include "pair/data/named_inputs.h"

// Images as inputs: files, folders, or paths on standard input, decoded by the loader's threads.

namespace pair::data {
namespace {

// Some files that are in no environment and have no label.
class UnlabelledPictures final : public Source {
 public:
  UnlabelledPictures(std::vector<std::string> paths, bool exif) : paths_(std::move(paths)), exif_(exif) {}

  [[nodiscard]] std::size_t size() const override { return paths_.size(); }
  [[nodiscard]] SampleInfo sample(std::size_t index) const override {
    return {paths_.at(index), 0, 0, Split::test};
  }
  [[nodiscard]] std::span<const std::string> classes() const override { return {}; }
  [[nodiscard]] std::span<const std::string> environments() const override { return {}; }
  [[nodiscard]] Image read(std::size_t index) const override {
    const std::string& path = paths_.at(index);
    try {
      const Bytes file = read_bytes(path);
      Image image = decode_image(file);
      return exif_ ? upright(std::move(image), exif_orientation(file)) : image;
    } catch (const BrokenImage& error) {
      throw BrokenImage(path + ": " + error.what());
    }
  }

 private:
  std::vector<std::string> paths_;
  bool exif_;
};

torch::Tensor per_channel(const std::vector<double>& values) {
  return torch::tensor(values, torch::kFloat).view({1, -1, 1, 1});
}

// Whether normalising changes nothing.
bool is_identity(const ImageInput& form) {
  const auto is = [](double value) { return [value](double other) { return other == value; }; };
  return std::ranges::all_of(form.mean, is(0)) && std::ranges::all_of(form.deviation, is(1));
}

class ImageInputs final : public Inputs {
 public:
  ImageInputs(const ImageInput& form, std::vector<std::string> inputs, std::istream& in,
              const ReadingOptions& options)
      : form_(form), options_(options), names_(std::move(inputs), in) {
    for (const auto* list : {&form_.mean, &form_.deviation}) {
      if (list->size() != static_cast<std::size_t>(Image::channels)) {
        throw std::invalid_argument("mean and std: expected 3 numbers each, one per channel, got " +
                                    std::to_string(list->size()));
      }
    }
  }

  std::optional<InputBatch> next() override {
    for (;;) {
      if (!loader_ && !begin_part()) {
        return std::nullopt;
      }
      std::optional<LoadedBatch> loaded = loader_->next();
      note_broken();
      if (!loaded) {
        loader_.reset();
        continue;
      }
      if (loaded->samples.empty()) {
        continue;
      }
      InputBatch batch{{}, normalised(form_, loaded->inputs)};
      for (const std::size_t sample : loaded->samples) {
        batch.names.push_back(source_->sample(sample).id);
      }
      return batch;
    }
  }

  [[nodiscard]] std::int64_t skipped() const override { return skipped_; }
  [[nodiscard]] std::vector<std::string> take_notices() override { return std::exchange(notices_, {}); }

 private:
  // Batches per loader: the list of names may be endless.
  static constexpr std::int64_t batches_a_part = 64;

  bool begin_part() {
    std::vector<std::string> paths;
    const std::int64_t most = options_.batch * batches_a_part;
    while (std::ssize(paths) < most) {
      std::optional<std::string> path = names_.next();
      if (!path) {
        break;
      }
      paths.push_back(std::move(*path));
    }
    if (paths.empty()) {
      return false;
    }
    source_ = std::make_shared<const UnlabelledPictures>(std::move(paths), form_.exif);
    std::vector<std::size_t> all(source_->size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    // Broken files are always left out there, and refused here: a refusal is not a failure of the disk.
    loader_.emplace(Loader::ordered(source_, std::move(all), options_.batch,
                                    {.rows = form_.rows,
                                     .columns = form_.columns,
                                     .workers = options_.workers,
                                     .broken = BrokenFiles::skip}));
    return true;
  }

  void note_broken() {
    for (const BrokenFile& file : loader_->take_notices()) {
      if (options_.broken == BrokenFiles::fail) {
        throw std::invalid_argument(file.reason + broken_hint);
      }
      ++skipped_;
      notices_.push_back("skipped a broken file (" + std::to_string(skipped_) + " so far): " + file.reason);
    }
  }

  ImageInput form_;
  ReadingOptions options_;
  NamedPictures names_;
  std::shared_ptr<const UnlabelledPictures> source_;
  std::optional<Loader> loader_;
  std::int64_t skipped_ = 0;
  std::vector<std::string> notices_;
};

std::unique_ptr<Inputs> open_images(const base::Options& form, std::vector<std::string> inputs,
                                    std::istream& in, const ReadingOptions& options) {
  return std::make_unique<ImageInputs>(form.as<ImageInput>(), std::move(inputs), in, options);
}

// Each channel of each image by its mean and unbiased deviation; a constant one is only centred.
torch::Tensor standardised(const torch::Tensor& images) {
  const torch::Tensor numbers = as_numbers(images);
  const torch::Tensor deviation = numbers.flatten(2).std(2, /*unbiased=*/true).unsqueeze(2).unsqueeze(3);
  return (numbers - numbers.mean({2, 3}, /*keepdim=*/true)) /
         torch::where(deviation == 0, torch::ones_like(deviation), deviation);
}

}  // namespace

torch::Tensor normalised(const ImageInput& form, const torch::Tensor& bytes) {
  if (form.standardise) {
    return standardised(bytes);
  }
  if (is_identity(form)) {
    return bytes;
  }
  return (as_numbers(bytes) - per_channel(form.mean)) / per_channel(form.deviation);
}

Normalisation::Normalisation(const InputForm& form, torch::Device device) {
  if (form.kind != "image") {
    return;
  }
  const auto& image = form.options.as<ImageInput>();
  standardise_ = image.standardise;
  if (!is_identity(image)) {
    mean_ = per_channel(image.mean).to(device);
    deviation_ = per_channel(image.deviation).to(device);
  }
}

torch::Tensor Normalisation::operator()(const torch::Tensor& inputs) const {
  if (standardise_) {
    return standardised(inputs);
  }
  return mean_.defined() ? (as_numbers(inputs) - mean_) / deviation_ : as_numbers(inputs);
}

InputKind image_inputs() {
  InputForm defaults = form_of(ImageInput{});
  return {.name = std::move(defaults.kind), .options = std::move(defaults.options), .open = open_images};
}

}  // namespace pair::data
