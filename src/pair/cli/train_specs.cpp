#include "pair/cli/train_specs.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/cli/set_option.h"
#include "pair/cli/train_data.h"
#include "pair/runs/file.h"
#include "pair/runs/settings.h"

namespace pair::cli {
namespace {

using base::Assignment;
using runs::RunSpec;

// Whether the setting weighs objectives after erm in a run that has none. Such runs have it, because sweeps share
// their settings; and pretrain, because rates of learning depend on it, too.
bool weighs_nothing(const RunSpec& spec, std::string_view name) {
  return spec.settings.scheme == train::Scheme::linear && spec.settings.objectives.size() == 1 &&
         (name == "penalty" || name == "penalties" || name == "pretrain_penalty");
}

// A setting that the algorithm would ignore is more likely a mistake.
void refuse_ignored(const RunSpec& spec, const base::Assignments& overrides) {
  const train::Scheme scheme = spec.settings.scheme;
  for (const base::Assignment& override : overrides) {
    if (weighs_nothing(spec, override.first)) {
      throw UsageError(override.first + " does not apply to algorithm '" + spec.algorithm +
                       "', which minimises " + spec.settings.objectives.front() + " alone");
    }
    if (runs::find_setting(spec, override.first) != nullptr && !runs::is_read(spec, override.first)) {
      throw UsageError(override.first + " does not apply to algorithm '" + spec.algorithm + "', which " +
                       (scheme == train::Scheme::linear ? "weighs objectives by fixed penalties"
                        : scheme == train::Scheme::pair ? "weighs the objectives with a solver"
                                                        : "has its own update"));
    }
  }
}

RunSpec spec_in_file(const std::string& file) {
  if (const std::string fault = base::file_fault(file); !fault.empty()) {
    throw UsageError("--spec: expected a spec.json, got '" + base::printable(file) + "', which " + fault);
  }
  try {
    return runs::spec_from_text(runs::read_file(file));
  } catch (const std::invalid_argument& invalid) {
    throw UsageError(file + " cannot be used: " + invalid.what());
  }
}

}  // namespace

std::vector<RunSpec> specs_of(const TrainArguments& arguments, std::vector<std::string>* notes) {
  if (!arguments.spec.empty()) {
    return {spec_in_file(arguments.spec)};
  }
  base::Assignments overrides = arguments.overrides;
  append_set_option(arguments.set, overrides);
  std::string dataset = arguments.dataset;
  if (!arguments.data.empty()) {
    dataset = add_named_data(arguments.data, arguments.dataset_given ? dataset : "", overrides);
  }
  refuse_columns(dataset, overrides);
  complete_paths(overrides);
  // Names of environments are known once the data is.
  std::optional<std::string> test_envs;
  std::erase_if(overrides, [&test_envs](const base::Assignment& override) {
    const bool is = override.first == "test_envs";
    test_envs = is ? override.second : test_envs;
    return is;
  });
  const RunSpec spec = runs::resolve(dataset, arguments.algorithm, overrides);
  refuse_ignored(spec, overrides);
  runs::check_own_objectives(spec);
  return with_test_environments(spec, test_envs ? &*test_envs : nullptr, notes);
}

}  // namespace pair::cli
