#include "pair/select/catalog.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "pair/base/algorithm_names.h"

namespace pair::select {
namespace {

constexpr std::array<std::string_view, 34> algorithms{
    "ERM",         "Fish",   "IRM",     "GroupDRO", "Mixup",       "MLDG",     "CORAL",
    "MMD",         "DANN",   "CDANN",   "MTL",      "SagNet",      "ARM",      "VREx",
    "RSC",         "SD",     "ANDMask", "SANDMask", "IGA",         "SelfReg",  "Fishr",
    "TRM",         "IB_ERM", "IB_IRM",  "CAD",      "CondCAD",     "Transfer", "CausIRL_CORAL",
    "CausIRL_MMD", "EQRM",   "RDM",     "ADRMX",    "ERMPlusPlus", "URM"};

struct Dataset {
  std::string_view name;
  std::span<const std::string_view> environments;
};

constexpr std::array<std::string_view, 3> numbered{"0", "1", "2"};
constexpr std::array<std::string_view, 3> colours{"+90%", "+80%", "-90%"};
constexpr std::array<std::string_view, 6> angles{"0", "15", "30", "45", "60", "75"};
constexpr std::array<std::string_view, 4> vlcs{"C", "L", "S", "V"};
constexpr std::array<std::string_view, 4> pacs{"A", "C", "P", "S"};
constexpr std::array<std::string_view, 4> office{"A", "C", "P", "R"};
constexpr std::array<std::string_view, 4> terra{"L100", "L38", "L43", "L46"};
constexpr std::array<std::string_view, 6> domain_net{"clip", "info", "paint", "quick", "real", "sketch"};
constexpr std::array<std::string_view, 10> sviro{"aclass", "escape", "hilux",  "i3", "lexus",
                                                 "tesla",  "tiguan", "tucson", "x5", "zoe"};
constexpr std::array<std::string_view, 5> hospitals{"hospital_0", "hospital_1", "hospital_2", "hospital_3",
                                                    "hospital_4"};
constexpr std::array<std::string_view, 6> regions{"region_0", "region_1", "region_2",
                                                  "region_3", "region_4", "region_5"};
constexpr std::array<std::string_view, 3> spawrious{"Test", "SC_group_1", "SC_group_2"};

constexpr std::array datasets{
    Dataset{"Debug28", numbered},
    Dataset{"Debug224", numbered},
    Dataset{"ColoredMNIST", colours},
    Dataset{"RotatedMNIST", angles},
    Dataset{"VLCS", vlcs},
    Dataset{"PACS", pacs},
    Dataset{"OfficeHome", office},
    Dataset{"TerraIncognita", terra},
    Dataset{"DomainNet", domain_net},
    Dataset{"SVIRO", sviro},
    Dataset{"WILDSCamelyon", hospitals},
    Dataset{"WILDSFMoW", regions},
    Dataset{"SpawriousO2O_easy", spawrious},
    Dataset{"SpawriousO2O_medium", spawrious},
    Dataset{"SpawriousO2O_hard", spawrious},
    Dataset{"SpawriousM2M_easy", spawrious},
    Dataset{"SpawriousM2M_medium", spawrious},
    Dataset{"SpawriousM2M_hard", spawrious},
};

// `position` returns the index of a known name, and an index after all of them for other names.
template <class Position>
std::vector<std::string> in_order(std::vector<std::string> names, Position position) {
  std::sort(names.begin(), names.end(), [&position](const std::string& a, const std::string& b) {
    return std::pair(position(a), a) < std::pair(position(b), b);
  });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// The algorithm's name in DomainBed; empty if it has none.
std::string domainbed_name(const Run& run) {
  return run.declared.domainbed.empty() ? std::string(base::domainbed_algorithm(run.algorithm))
                                        : run.declared.domainbed;
}

}  // namespace

std::span<const std::string_view> environments_of(std::string_view dataset) {
  const auto found = std::find_if(datasets.begin(), datasets.end(),
                                  [dataset](const Dataset& known) { return known.name == dataset; });
  return found == datasets.end() ? std::span<const std::string_view>() : found->environments;
}

std::string environment_name(const Run& run, int environment) {
  const auto index = static_cast<std::size_t>(environment);
  const auto known = environments_of(run.dataset);
  return index < known.size()              ? std::string(known[index])
         : index < run.environments.size() ? run.environments[index]
                                           : std::to_string(environment);
}

std::string environment_name(const History& history, std::string_view dataset, int environment) {
  std::string name;
  for (const Run& run : history) {
    if (run.dataset != dataset) {
      continue;
    }
    const std::string its = environment_name(run, environment);
    if (!name.empty() && its != name) {
      return std::to_string(environment);
    }
    name = its;
  }
  return name.empty() ? std::to_string(environment) : name;
}

void join_algorithms(History& history) {
  std::set<std::string> names;
  for (const Run& run : history) {
    names.insert(run.algorithm);
  }
  for (Run& run : history) {
    std::string domainbed = domainbed_name(run);
    if (domainbed != run.algorithm && names.contains(domainbed)) {
      run.logged_as = std::exchange(run.algorithm, std::move(domainbed));
    }
  }
}

bool is_algorithm(std::string_view name, const Run& run) {
  return base::same_algorithm(name, run.algorithm) ||
         (!run.declared.domainbed.empty() &&
          base::plain_name(name) == base::plain_name(run.declared.domainbed)) ||
         (!run.logged_as.empty() && base::plain_name(name) == base::plain_name(run.logged_as));
}

std::vector<std::string> algorithms_in_order(const History& history) {
  std::map<std::string, std::string> domainbed;
  for (const Run& run : history) {
    domainbed.try_emplace(run.algorithm, domainbed_name(run));
  }
  std::vector<std::string> names;
  for (const auto& [name, ignored] : domainbed) {
    names.push_back(name);
  }
  return in_order(std::move(names), [&domainbed](const std::string& name) {
    const std::string& there = domainbed.at(name);
    return std::find(algorithms.begin(), algorithms.end(), there.empty() ? name : there) - algorithms.begin();
  });
}

std::vector<std::string> datasets_in_order(std::vector<std::string> names) {
  return in_order(std::move(names), [](const std::string& name) {
    return std::find_if(datasets.begin(), datasets.end(),
                        [&name](const Dataset& known) { return known.name == name; }) -
           datasets.begin();
  });
}

}  // namespace pair::select
