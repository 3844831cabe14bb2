#include "pair/runs/trained.h"

#include <optional>
#include <sstream>
#include <stdexcept>

#include "pair/runs/run_directory.h"

namespace pair::runs {

train::Trainer trained(const RunSpec& spec, const std::filesystem::path& directory, DatasetCache& datasets) {
  if (!RunDirectory::finished(directory, spec)) {
    throw std::runtime_error(directory.string() + " does not contain a finished run");
  }
  const std::optional<Checkpoint> checkpoint = RunDirectory(directory, spec).resume();
  if (!checkpoint) {
    throw std::runtime_error(checkpoint_file(directory).string() + " cannot be read");
  }
  train::Trainer trainer(datasets.get(spec.dataset, spec.seed), spec.settings, spec.seed);
  std::istringstream state(checkpoint->state);
  trainer.load(state);
  return trainer;
}

}  // namespace pair::runs
