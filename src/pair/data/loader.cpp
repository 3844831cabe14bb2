#include "pair/data/loader.h"

#include <torch/cuda.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/data/loader_plan.h"
#include "pair/data/pixel_loops.h"
#include "pair/data/shared_fields.h"

// Not in an anonymous namespace, because Loader::Work, which is visible outside, has members of these types.
namespace pair::data::loading {

// One sample of a batch that is being made, written by one worker.
struct Place {
  std::size_t sample = 0;
  SampleInfo info;
  bool left_out = false;
  std::vector<std::pair<std::size_t, BrokenFile>> broken;  // samples tried before
  std::exception_ptr error;
};

struct Slot {
  std::int64_t step = 0;
  torch::Tensor inputs;
  std::uint8_t* pixels = nullptr;  // the bytes of inputs
  std::vector<Place> places;
  std::size_t begun = 0;  // places taken by a worker
  std::size_t left = 0;   // places not ready
};

}  // namespace pair::data::loading

namespace pair::data {
namespace {

using loading::Place;
using loading::Plan;
using loading::Slot;

std::int64_t channels_of(const LoaderOptions& options) {
  return options.numbers > 0 ? options.numbers : Image::channels;
}

std::size_t bytes_per_sample(const LoaderOptions& options) {
  return static_cast<std::size_t>(channels_of(options) * options.rows * options.columns) *
         (options.numbers > 0 ? sizeof(float) : 1);
}

// This many broken files in a row are not an accident.
constexpr std::uint64_t most_replacements = 100;

// Interleaved pixels as planes: [rows, columns, 3] to [3, rows, columns].
void write_planes(const Image& image, std::uint8_t* out) {
  pixel_loops().to_planes(image.pixels.data(), static_cast<std::size_t>(image.rows * image.columns), out);
}

void check_options(const LoaderOptions& options) {
  base::require_integer("rows", options.rows, 1, 16'384);
  base::require_integer("columns", options.columns, 1, 16'384);
  base::require_integer("workers", options.workers, 0, most_workers);
  base::require_integer("ahead", options.ahead, 1, 64);
  base::require_integer("numbers", options.numbers, 0, 1024);
  if (options.quarter_turns && options.rows != options.columns) {
    throw std::invalid_argument("quarter_turns: expected as many rows as columns, got " +
                                std::to_string(options.rows) + " x " + std::to_string(options.columns));
  }
  if (!(options.flip >= 0.0 && options.flip <= 1.0)) {
    throw std::invalid_argument("flip: expected a probability from 0 to 1, got " + base::shown(options.flip));
  }
  (void)draw_augmentation(options.augment, 1, 1, [] { return 0.5; });  // throws if it is out of range
  if (options.pinned && !torch::cuda::is_available()) {
    throw std::invalid_argument(
        "pinned: expected a CUDA device, got none; page-locked memory is for copies to a device");
  }
}

}  // namespace

// The batches being made are a window of steps; the first is the next one returned. Workers take places in
// order across batches, so that all workers share one batch.
class Loader::Work {
 public:
  Work(std::shared_ptr<const Source> source, std::unique_ptr<const Plan> plan, const LoaderOptions& options,
       std::int64_t first_step)
      : source_(std::move(source)),
        plan_(std::move(plan)),
        options_(options),
        step_(first_step),
        end_(first_step) {
    fill();
    workers_.reserve(static_cast<std::size_t>(options_.workers));
    for (int i = 0; i < options_.workers; ++i) {
      workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() {
    // Stops all at once; the destructors would stop and join one after another.
    for (std::jthread& worker : workers_) {
      worker.request_stop();
    }
  }

  std::optional<LoadedBatch> next(const std::function<bool()>& stop) {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    while (!done()) {
      if (!(options_.workers == 0 ? make_first(stop) : wait_for_first(stop))) {
        return std::nullopt;
      }
      std::unique_ptr<Slot> slot;
      {
        const std::lock_guard lock(mutex_);
        slot = std::move(window_.front());
        window_.pop_front();
      }
      for (const Place& place : slot->places) {
        if (place.error) {
          failure_ = place.error;
          std::rethrow_exception(failure_);
        }
      }
      ++step_;
      fill();  // before this batch is used, to keep the workers busy
      LoadedBatch batch = finished(*slot);
      if (!batch.samples.empty()) {
        return batch;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool done() const { return step_ >= plan_->steps(); }
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] std::int64_t skipped() const { return skipped_; }
  std::vector<BrokenFile> take_notices() { return std::exchange(notices_, {}); }

 private:
  // Opens batches until the window has its size.
  void fill() {
    const std::size_t most = options_.workers == 0 ? 1 : static_cast<std::size_t>(options_.ahead);
    // Only this thread changes the window's size.
    while (window_.size() < most && end_ < plan_->steps()) {
      auto slot = std::make_unique<Slot>();
      slot->step = end_++;
      const std::vector<std::size_t> samples = plan_->samples(slot->step);
      slot->places.resize(samples.size());
      for (std::size_t i = 0; i < samples.size(); ++i) {
        slot->places[i].sample = samples[i];
      }
      slot->left = samples.size();
      slot->inputs = torch::empty(
          {static_cast<std::int64_t>(samples.size()), channels_of(options_), options_.rows, options_.columns},
          torch::TensorOptions()
              .dtype(options_.numbers > 0 ? torch::kFloat : torch::kByte)
              .pinned_memory(options_.pinned));
      slot->pixels = static_cast<std::uint8_t*>(slot->inputs.data_ptr());
      {
        const std::lock_guard lock(mutex_);
        window_.push_back(std::move(slot));
      }
      work_to_do_.notify_all();
    }
  }

  // The first batch with a free place, or null. Requires the mutex.
  [[nodiscard]] Slot* open_slot() const {
    const auto open =
        std::ranges::find_if(window_, [](const auto& slot) { return slot->begun < slot->places.size(); });
    return open == window_.end() ? nullptr : open->get();
  }

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (work_to_do_.wait(lock, stop, [this] { return open_slot() != nullptr; }) &&
           !stop.stop_requested()) {
      Slot& slot = *open_slot();
      const std::size_t place = slot.begun++;
      lock.unlock();
      make(slot, place, stop);
      lock.lock();
      if (--slot.left == 0) {
        batch_ready_.notify_one();
      }
    }
  }

  // Fills one place. Any error is stored there.
  void make(Slot& slot, std::size_t index, const std::stop_token& stop) const {
    Place& place = slot.places[index];
    try {
      const std::size_t size = bytes_per_sample(options_);
      for (std::uint64_t attempt = 1; !stop.stop_requested(); ++attempt) {
        place.info = source_->sample(place.sample);
        try {
          if (options_.numbers > 0) {
            const std::size_t count = size / sizeof(float);
            source_->read_numbers(place.sample, options_.rows, options_.columns,
                                  {slot.inputs.data_ptr<float>() + index * count, count});
            return;
          }
          write_planes(
              plan_->turned(plan_->prepared(*source_, place.sample, slot.step, index), slot.step, index),
              slot.pixels + index * size);
          return;
        } catch (const BrokenImage& error) {
          if (options_.broken == BrokenFiles::fail) {
            throw;
          }
          place.broken.push_back({place.sample, {place.info.id, error.what()}});
          if (attempt > most_replacements) {
            throw std::runtime_error("expected at least one valid image among " + std::to_string(attempt) +
                                     " drawn from one environment, got none; the last: " + error.what());
          }
          const std::optional<std::size_t> other = plan_->replacement(slot.step, index, attempt);
          if (!other) {
            place.left_out = true;
            return;
          }
          place.sample = *other;
        }
      }
    } catch (...) {
      place.error = std::current_exception();
    }
  }

  // Without workers: makes the first batch in this thread. False if it was stopped.
  bool make_first(const std::function<bool()>& stop) {
    Slot& slot = *window_.front();
    while (slot.begun < slot.places.size()) {
      if (stop && stop()) {
        return false;
      }
      make(slot, slot.begun++, {});
    }
    return true;
  }

  // False if it was stopped.
  bool wait_for_first(const std::function<bool()>& stop) {
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return window_.front()->left == 0; };
    if (!stop) {
      batch_ready_.wait(lock, ready);
      return true;
    }
    while (!ready()) {
      lock.unlock();
      if (stop()) {
        return false;
      }
      lock.lock();
      batch_ready_.wait_for(lock, std::chrono::milliseconds(20), ready);
    }
    return true;
  }

  LoadedBatch finished(Slot& slot) {
    LoadedBatch batch;
    batch.step = slot.step;
    std::vector<double> labels;
    const std::size_t size = bytes_per_sample(options_);
    for (std::size_t i = 0; i < slot.places.size(); ++i) {
      const Place& place = slot.places[i];
      for (const auto& [sample, file] : place.broken) {
        ++skipped_;
        if (reported_.insert(sample).second) {
          notices_.push_back(file);
        }
      }
      if (place.left_out) {
        continue;
      }
      // Left-out samples leave no gap.
      if (const std::size_t to = batch.samples.size(); to != i) {
        std::memcpy(slot.pixels + to * size, slot.pixels + i * size, size);
      }
      if (batch.environments.empty() || batch.environments.back() != place.info.environment) {
        batch.environments.push_back(place.info.environment);
        batch.sizes.push_back(0);
      }
      ++batch.sizes.back();
      batch.samples.push_back(place.sample);
      labels.push_back(options_.regression ? place.info.value : place.info.label);
    }
    batch.inputs = slot.inputs.narrow(0, 0, static_cast<std::int64_t>(labels.size()));
    batch.labels = torch::empty({static_cast<std::int64_t>(labels.size())},
                                torch::TensorOptions()
                                    .dtype(options_.regression ? torch::kFloat : torch::kLong)
                                    .pinned_memory(options_.pinned));
    if (options_.regression) {
      std::ranges::transform(labels, batch.labels.data_ptr<float>(),
                             [](double label) { return static_cast<float>(label); });
    } else {
      std::ranges::transform(labels, batch.labels.data_ptr<std::int64_t>(),
                             [](double label) { return static_cast<std::int64_t>(label); });
    }
    return batch;
  }

  std::shared_ptr<const Source> source_;
  std::unique_ptr<const Plan> plan_;
  LoaderOptions options_;
  std::int64_t step_;  // of the window's first batch
  std::int64_t end_;   // the step after the window's last
  std::exception_ptr failure_;
  std::int64_t skipped_ = 0;
  std::set<std::size_t> reported_;
  std::vector<BrokenFile> notices_;

  mutable std::mutex mutex_;  // protects the window and the slots' counts
  std::condition_variable_any work_to_do_;
  std::condition_variable batch_ready_;
  std::deque<std::unique_ptr<Slot>> window_;
  std::vector<std::jthread> workers_;  // last member: joined before anything they use is destroyed
};

Loader Loader::training(std::shared_ptr<const Source> source, Sampler sampler, const LoaderOptions& options,
                        std::int64_t first_step) {
  check_options(options);
  base::require_integer("first_step", first_step, 0, std::int64_t{1} << 40);
  auto plan = loading::training_plan(std::move(sampler), options);
  return Loader(std::make_unique<Work>(std::move(source), std::move(plan), options, first_step));
}

Loader Loader::ordered(std::shared_ptr<const Source> source, std::vector<std::size_t> samples,
                       std::int64_t batch, const LoaderOptions& options) {
  check_options(options);
  base::require_integer("batch", batch, 1, largest_batch);
  auto plan = loading::ordered_plan(std::move(samples), static_cast<std::size_t>(batch), options);
  return Loader(std::make_unique<Work>(std::move(source), std::move(plan), options, 0));
}

Loader::Loader(std::unique_ptr<Work> work) : work_(std::move(work)) {}
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;
Loader::~Loader() = default;

std::optional<LoadedBatch> Loader::next(const std::function<bool()>& stop) {
  return work_->next(stop);
}

bool Loader::done() const {
  return work_->done();
}

std::int64_t Loader::step() const {
  return work_->step();
}

std::int64_t Loader::skipped() const {
  return work_->skipped();
}

std::vector<BrokenFile> Loader::take_notices() {
  return work_->take_notices();
}

}  // namespace pair::data
