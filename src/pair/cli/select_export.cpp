#include "pair/cli/select_export.h"

#include <cctype>
#include <set>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/base/tables.h"
#include "pair/runs/copy_model.h"
#include "pair/runs/kept_models.h"

namespace pair::cli {
namespace {

// Letters, digits, dots and minuses; anything else becomes one minus.
std::string as_folder_name(std::string_view text) {
  std::string name;
  for (const char letter : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.';
    if (plain || (!name.empty() && name.back() != '-')) {
      name += plain ? letter : '-';
    }
  }
  while (name.ends_with('-')) {
    name.pop_back();
  }
  return name;
}

// cmnist-pair-test2-3-4-trial0, with a number if another choice has the same name.
std::string folder_for(const select::Decision& decision, std::set<std::string>& taken) {
  const std::string name = as_folder_name(
      decision.dataset + "-" + decision.algorithm + "-test" +
      base::joined(decision.test_envs, "-", [](int environment) { return std::to_string(environment); }) +
      "-trial" + std::to_string(decision.trial_seed));
  std::string unique = name;
  for (int count = 2; !taken.insert(unique).second; ++count) {
    unique = name + "-" + std::to_string(count);
  }
  return unique;
}

}  // namespace

std::vector<ExportedModel> export_choices(const std::vector<select::Decision>& decisions,
                                          const std::filesystem::path& to) {
  const bool several = decisions.size() > 1;
  if (several && to.extension() == ".safetensors") {
    throw std::invalid_argument("--export: expected a folder for the models of " +
                                std::to_string(decisions.size()) + " choices, got the file '" +
                                base::printable(to.string()) +
                                "'; --datasets and --algorithms restrict the choices");
  }
  std::vector<ExportedModel> models;
  std::vector<std::filesystem::path> sources;
  std::set<std::string> taken;
  std::string missing;
  std::size_t count = 0;
  for (const select::Decision& decision : decisions) {
    const select::Candidate& chosen = decision.chosen();
    const std::int64_t step = chosen.run->steps[chosen.record];
    try {
      sources.push_back(runs::folder_of_step(chosen.run->name, step));
      models.push_back({chosen.run->name, step, several ? to / folder_for(decision, taken) : to});
    } catch (const std::invalid_argument& error) {
      missing = missing.empty() ? error.what() : missing;
      ++count;
    }
  }
  if (count > 0) {
    throw std::runtime_error(
        missing +
        (count > 1 ? "; " + std::to_string(count - 1) + " more of the chosen models were not kept" : ""));
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    try {
      runs::copy_model(sources[i], models[i].place);
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(error.what());
    }
  }
  return models;
}

}  // namespace pair::cli
