#include "tests/runs/fixtures.h"

#include <fstream>

#include "pair/runs/algorithms.h"

namespace pair::runs::testing {

void write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

data::ColoredMnistSpec& colored_mnist(RunSpec& spec) {
  return std::get<data::ColoredMnistSpec>(spec.dataset);
}

RunSpec small_spec(std::string_view algorithm, std::uint64_t seed) {
  RunSpec spec = resolve("cmnist", algorithm);
  colored_mnist(spec).train_digits = 500;
  colored_mnist(spec).test_digits = 200;
  spec.settings.steps = 20;
  spec.settings.pretrain = 8;
  spec.settings.width = 16;
  spec.eval_every = 4;
  spec.checkpoint_every = 5;
  spec.seed = seed;
  return spec;
}

RunSpec spec_with(const Key& key) {
  RunSpec spec = small_spec();
  for (const data::DatasetInfo& dataset : data::datasets()) {
    if (!key.applies(spec)) {
      spec = resolve(dataset.name, "pair");
    }
  }
  for (const AlgorithmInfo& algorithm : algorithms()) {
    if (!key.applies(spec)) {
      spec = small_spec(algorithm.name);
    }
  }
  return spec;
}

}  // namespace pair::runs::testing
