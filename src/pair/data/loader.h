#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pair/data/sampler.h"
#include "pair/data/source.h"
#include "pair/data/transform.h"

// Batches of a Source, read, decoded and augmented by worker threads ahead of the step that needs them.
//
//   const data::EnvironmentSet set = data::make_images({.folder = "PACS"}, seed, "images");
//   std::vector<std::vector<std::size_t>> samples;
//   for (const data::Environment& environment : set.train) {
//     samples.push_back(environment.samples);
//   }
//   const data::Sampler sampler(samples, {.seed = seed, .batch = 32});
//   data::Loader loader = data::Loader::training(set.source, sampler, set.loading, first_step);
//   while (const auto batch = loader.next(stop)) {
//     inputs = data::as_numbers(batch->inputs.to(device, true)); ...
//   }
//
// A batch is a function of the source, the sampler, the seed and the step. It does not depend on the number
// of workers, on timing, or on where a run was stopped and resumed.

namespace pair::data {

// The handling of a sample whose file is not a valid image (BrokenImage). A file that cannot be read at all
// always ends the loading: a missing disk is not a set of broken images.
enum class BrokenFiles {
  fail,  // next() throws at the step that needs it
  skip,  // training: draw another sample of the same environment; ordered pass: leave the sample out
};

struct LoaderOptions {
  std::int64_t rows = 224;  // images are resized to rows x columns, 1 to 16384 each
  std::int64_t columns = 224;
  double flip = 0.0;          // training: probability that an image is mirrored, 0 to 1
  Augmentation augment = {};  // training: what else is done to an image
  // Training: turn images by 0, 90, 180 or 270 degrees, each equally often. Images must be square.
  bool quarter_turns = false;
  // Training: decode only what the augmented image needs, at a lower resolution where that is enough
  // (decode_part). An ordered pass always decodes the whole image.
  bool fast_decode = false;
  // Channels of samples that are numbers (Source::read_numbers), which are not augmented; 0: samples are
  // images.
  std::int64_t numbers = 0;
  bool regression = false;  // labels are SampleInfo::value; otherwise they are classes
  std::uint64_t seed = 0;   // of the augmentation; the sampler has its own
  int workers = 0;          // threads; 0: next() does the work in the calling thread
  int ahead = 2;            // batches started before they are needed, 1 to 64. Each takes memory.
  bool pinned = false;      // batches in page-locked memory, for asynchronous copies to a CUDA device
  BrokenFiles broken = BrokenFiles::fail;
};

struct LoadedBatch {
  std::int64_t step = 0;
  torch::Tensor
      inputs;  // [n, 3, rows, columns], bytes: red, green and blue; or floats [n, numbers, rows, columns]
  torch::Tensor labels;  // [n], int64: classes; or floats: values of a regression
  // The environments in order: the number of samples of each, and its index in the source.
  std::vector<std::int64_t> sizes;
  std::vector<std::int32_t> environments;
  std::vector<std::size_t> samples;  // [n]: index of each sample in the source
};

struct BrokenFile {
  std::string id;      // the sample's
  std::string reason;  // a sentence that names the file
};

class Loader {
 public:
  // Batches of steps first_step, first_step + 1, ... without end.
  // Throws std::invalid_argument for an option out of range, or pinned memory without a CUDA device.
  static Loader training(std::shared_ptr<const Source> source, Sampler sampler, const LoaderOptions& options,
                         std::int64_t first_step = 0);

  // All of `samples` once and in order, `batch` at a time; the last batch may be smaller.
  // Without augmentation: flip and augment are ignored.
  static Loader ordered(std::shared_ptr<const Source> source, std::vector<std::size_t> samples,
                        std::int64_t batch, const LoaderOptions& options);

  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;
  // Waits only for the images that workers are decoding, at most one per worker.
  ~Loader();

  // The next batch; none at the end of an ordered pass. While waiting, `stop` is called about every 20 ms
  // (without workers: before every image); if it returns true, the result is also none, and a later call
  // continues from there. Throws std::runtime_error for a file that cannot be read, or is broken under
  // BrokenFiles::fail (the first one if there are several); later calls throw the same. Not thread-safe.
  [[nodiscard]] std::optional<LoadedBatch> next(const std::function<bool()>& stop = {});

  // Whether an ordered pass is at its end. Training never ends.
  [[nodiscard]] bool done() const;
  // The step of the next batch.
  [[nodiscard]] std::int64_t step() const;

  // With BrokenFiles::skip: the number of draws, in the batches returned so far, that were replaced or left
  // out.
  [[nodiscard]] std::int64_t skipped() const;
  // The broken files among them that were not reported before, each once, in the order of the batches.
  [[nodiscard]] std::vector<BrokenFile> take_notices();

 private:
  class Work;
  explicit Loader(std::unique_ptr<Work> work);

  std::unique_ptr<Work> work_;
};

}  // namespace pair::data
