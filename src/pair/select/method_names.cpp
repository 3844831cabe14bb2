#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/options.h"
#include "pair/base/tables.h"
#include "pair/select/catalog.h"

namespace pair::select {
namespace {

// The settings that make two runs of one algorithm different methods.
struct Variant {
  std::string scheme = {};
  std::vector<std::string> objectives = {};
  std::string solver = {};
};

std::string unquoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' ? std::string(text.substr(1, text.size() - 2))
                                                 : std::string(text);
}

// Whether each number of a JSON list is 0.
std::vector<bool> zeros_in(std::string_view list) {
  std::vector<bool> zeros;
  if (list.size() < 3 || list.front() != '[') {
    return zeros;
  }
  list = list.substr(1, list.size() - 2);
  for (const std::string& number : base::comma_separated(list)) {
    zeros.push_back(number == "0" || number == "0.0");
  }
  return zeros;
}

Variant variant_of(const Run& run) {
  Variant variant{unquoted(run.setting("scheme")), texts_in(run.setting("objectives")), {}};
  if (variant.scheme == "pair") {
    // Records from before it was called so have a balancer.
    const std::string_view solver = run.setting("solver");
    variant.solver = unquoted(solver.empty() ? run.setting("balancer") : solver);
  } else if (variant.scheme == "linear") {
    const std::vector<bool> zeros = zeros_in(run.setting("penalties"));
    std::vector<std::string> minimised;
    for (std::size_t i = 0; i < variant.objectives.size(); ++i) {
      if (i == 0 || i > zeros.size() || !zeros[i - 1]) {
        minimised.push_back(variant.objectives[i]);
      }
    }
    variant.objectives = std::move(minimised);
  }
  return variant;
}

struct Differs {
  bool scheme = false;
  bool objectives = false;
  bool solver = false;
};

std::string suffix_of(const Variant& variant, const Differs& differs) {
  std::vector<std::string> parts;
  if (differs.scheme && !variant.scheme.empty()) {
    parts.push_back(variant.scheme);
  }
  if (differs.objectives && !variant.objectives.empty()) {
    parts.push_back(base::joined(variant.objectives));
  }
  if (differs.solver && !variant.solver.empty()) {
    parts.push_back(variant.solver);
  }
  return parts.empty() ? "" : " (" + base::joined(parts, "; ") + ")";
}

}  // namespace

void name_methods(History& history) {
  name_datasets(history);
  join_algorithms(history);
  // Per dataset, since an algorithm may have other objectives there. A difference on one dataset is named on
  // all.
  std::map<std::pair<std::string, std::string>, Variant> first;
  std::map<std::string, Differs> differing;
  for (const Run& run : history) {
    const Variant variant = variant_of(run);
    if (!run.label.empty() || variant.objectives.empty()) {
      continue;  // DomainBed's records have no objectives
    }
    const Variant& other = first.try_emplace({run.dataset, run.algorithm}, variant).first->second;
    Differs& differs = differing[run.algorithm];
    differs.scheme = differs.scheme || variant.scheme != other.scheme;
    differs.objectives = differs.objectives || variant.objectives != other.objectives;
    differs.solver = differs.solver || variant.solver != other.solver;
  }
  for (Run& run : history) {
    const std::string method =
        !run.label.empty() ? run.label : run.algorithm + suffix_of(variant_of(run), differing[run.algorithm]);
    if (method != run.algorithm) {
      run.logged_as = run.trained_as();
      run.algorithm = method;
    }
  }
}

}  // namespace pair::select
