#include "pair/paper/run_study.h"

#include <stdexcept>

namespace pair::paper {

nlohmann::json run_study(const Study& study, const StudyRequest& request, const std::filesystem::path& root,
                         std::size_t jobs, const sweep::ManyRunsHooks& hooks) {
  const StudyRequest asked = prepared(study, request);
  const std::vector<StudyCell> cells = study.cells(asked);
  std::vector<runs::RunSpec> specs;
  for (const StudyCell& cell : cells) {
    specs.insert(specs.end(), cell.specs.begin(), cell.specs.end());
  }
  for (const runs::RunSpec& spec : specs) {
    runs::validate(spec);
  }
  if (study.first) {
    const sweep::ManyRuns first = sweep::run_all(study.first(asked), root, jobs, hooks);
    if (first.stopped) {
      return nullptr;
    }
    for (const sweep::RunOutcome& outcome : first.outcomes) {
      if (!outcome.error.empty()) {
        throw std::runtime_error("a run that other runs start from failed: " + outcome.error);
      }
    }
  }
  const sweep::ManyRuns runs = sweep::run_all(specs, root, jobs, hooks);
  return runs.stopped ? nlohmann::json() : result_json(study, asked, cells, runs.outcomes);
}

}  // namespace pair::paper
