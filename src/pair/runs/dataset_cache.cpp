#include "pair/runs/dataset_cache.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "pair/data/environment.h"

namespace pair::runs {

class DatasetCache::Impl {
 public:
  explicit Impl(std::size_t kept) : kept_(kept) {}

  std::shared_ptr<const data::EnvironmentSet> get(const data::Dataset& dataset, std::uint64_t seed,
                                                  const std::string& device) {
    const Key key{dataset, seed, device == "cuda" ? "cuda:0" : device};
    std::promise<Set> promise;
    std::optional<std::shared_future<Set>> others;
    {
      const std::scoped_lock lock(mutex_);
      if (Set held = find(key)) {
        keep(held);
        return held;
      }
      const auto found = std::find_if(making_.begin(), making_.end(),
                                      [&](const Making& making) { return making.key == key; });
      if (found != making_.end()) {
        others = found->set;
      } else {
        making_.push_back({key, promise.get_future().share()});
      }
    }
    if (others) {
      return others->get();
    }
    try {
      data::EnvironmentSet here = make(dataset, seed);
      auto set = std::make_shared<const data::EnvironmentSet>(
          device == "cpu" ? std::move(here) : data::on_device(here, torch::Device(device)));
      const std::scoped_lock lock(mutex_);
      made_.push_back({key, set});
      keep(set);
      forget_making(key);
      promise.set_value(set);
      return set;
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      forget_making(key);
      promise.set_exception(std::current_exception());
      throw;
    }
  }

  void forget() {
    std::deque<Set> dropped;  // destroyed after the lock is released: freeing a set may take a while
    const std::scoped_lock lock(mutex_);
    dropped.swap(last_);
  }

 private:
  using Set = std::shared_ptr<const data::EnvironmentSet>;
  struct Key {
    data::Dataset dataset;
    std::uint64_t seed;
    std::string device;
    bool operator==(const Key&) const = default;
  };
  struct Making {
    Key key;
    std::shared_future<Set> set;
  };
  struct Made {
    Key key;
    std::weak_ptr<const data::EnvironmentSet> set;
  };

  static data::EnvironmentSet make(const data::Dataset& dataset, std::uint64_t seed) {
    data::validate(dataset);
    return data::entry_of(dataset.name).make(dataset.options, seed);
  }

  Set find(const Key& key) {
    std::erase_if(made_, [](const Made& made) { return made.set.expired(); });
    for (const Made& made : made_) {
      if (made.key == key) {
        return made.set.lock();
      }
    }
    return nullptr;
  }

  void keep(const Set& set) {
    std::erase(last_, set);
    last_.push_back(set);
    if (last_.size() > kept_) {
      last_.pop_front();
    }
  }

  void forget_making(const Key& key) {
    std::erase_if(making_, [&](const Making& making) { return making.key == key; });
  }

  std::size_t kept_;
  std::mutex mutex_;
  std::vector<Making> making_;
  std::vector<Made> made_;
  std::deque<Set> last_;
};

DatasetCache::DatasetCache(std::size_t kept) : impl_(std::make_unique<Impl>(kept)) {}
DatasetCache::~DatasetCache() = default;

std::shared_ptr<const data::EnvironmentSet> DatasetCache::get(const data::Dataset& dataset,
                                                              std::uint64_t seed, const std::string& device) {
  return impl_->get(dataset, seed, device);
}

void DatasetCache::forget() {
  impl_->forget();
}

}  // namespace pair::runs
