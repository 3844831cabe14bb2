#include "tests/runs/fixtures.h"

#include <fstream>

#include "pair/algorithms/registry.h"
#include "pair/models/registry.h"
#include "pair/moo/registry.h"
#include "pair/objectives/registry.h"

namespace pair::runs::testing {

void write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

data::ColoredMnistSpec& colored_mnist(RunSpec& spec) {
  return spec.dataset.options.as<data::ColoredMnistSpec>();
}

RunSpec small_spec(std::string_view algorithm, std::uint64_t seed,
                   std::span<const base::Assignment> overrides) {
  RunSpec spec = resolve("cmnist", algorithm, overrides);
  colored_mnist(spec).train_digits = 500;
  colored_mnist(spec).test_digits = 200;
  spec.settings.steps = 20;
  spec.settings.pretrain = 8;
  set(spec, "width", "16");
  spec.eval_every = 4;
  spec.checkpoint_every = 5;
  spec.seed = seed;
  return spec;
}

RunSpec spec_with(std::string_view setting) {
  RunSpec spec = small_spec();
  for (const data::DatasetEntry& dataset : data::datasets()) {
    if (find_setting(spec, setting) == nullptr) {
      spec = resolve(dataset.name, "pair");
    }
  }
  for (const moo::SolverEntry& solver : moo::solvers()) {
    if (find_setting(spec, setting) == nullptr) {
      spec = small_spec();
      set(spec, "solver", solver.name);
    }
  }
  for (const models::ModelEntry& model : models::models()) {
    if (find_setting(spec, setting) == nullptr) {
      spec = small_spec();
      set(spec, "model", model.name);
    }
  }
  for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
    if (find_setting(spec, setting) == nullptr) {
      spec = small_spec(algorithm.name);
    }
  }
  // Objectives that no algorithm has.
  for (const objectives::ObjectiveEntry& objective : objectives::objectives()) {
    if (find_setting(spec, setting) == nullptr && objective.name != "erm") {
      spec = small_spec();
      set(spec, "objectives", "erm," + objective.name);
      set(spec, "preference", "auto");
    }
  }
  return spec;
}

}  // namespace pair::runs::testing
