#include "pair/runs/trained.h"

#include <sstream>

#include "pair/runs/run_directory.h"

namespace pair::runs {

train::Trainer trained(const RunSpec& spec, const std::filesystem::path& directory, DatasetCache& datasets) {
  std::istringstream state(final_state(directory, spec));
  train::Trainer trainer(datasets.get(spec.dataset, spec.seed), spec.settings, spec.seed);
  trainer.load(state);
  return trainer;
}

}  // namespace pair::runs
