#include "pair/base/algorithm_names.h"

#include <algorithm>
#include <array>

namespace pair::base {
namespace {

struct Names {
  std::string_view ours;
  std::string_view domainbed;
};

constexpr std::array shared = {
    Names{"erm", "ERM"},       Names{"irmv1", "IRM"},
    Names{"vrex", "VREx"},     Names{"groupdro", "GroupDRO"},
    Names{"dann", "DANN"},     Names{"cdann", "CDANN"},
    Names{"coral", "CORAL"},   Names{"mmd", "MMD"},
    Names{"mixup", "Mixup"},   Names{"sd", "SD"},
    Names{"iga", "IGA"},       Names{"ib-erm", "IB_ERM"},
    Names{"ib-irm", "IB_IRM"}, Names{"fishr", "Fishr"},
    Names{"fish", "Fish"},
};

// Null if only one of the two has the algorithm.
const Names* find(std::string_view name) {
  const std::string plain = plain_name(name);
  const auto* const found = std::find_if(shared.begin(), shared.end(), [&plain](const Names& names) {
    return plain_name(names.ours) == plain || plain_name(names.domainbed) == plain;
  });
  return found == shared.end() ? nullptr : found;
}

}  // namespace

std::string_view domainbed_algorithm(std::string_view name) {
  const Names* const found = find(name);
  return found == nullptr ? std::string_view() : found->domainbed;
}

bool same_algorithm(std::string_view a, std::string_view b) {
  const Names* const found = find(a);
  return found == nullptr ? plain_name(a) == plain_name(b) : found == find(b);
}

}  // namespace pair::base
