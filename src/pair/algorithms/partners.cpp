#include "pair/algorithms/partners.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace pair::algorithms {
namespace {

// Samples with the same number.
struct Kin {
  std::vector<std::int64_t> members;  // in ascending order
  // By the other number: for each member that has it, how many members before it do not.
  std::map<double, std::vector<std::size_t>> others_before = {};
};

}  // namespace

std::vector<std::int64_t> partners_of(std::span<const double> same, std::span<const double> other,
                                      data::Random& random) {
  std::map<double, Kin> groups;
  for (std::size_t i = 0; i < same.size(); ++i) {
    Kin& kin = groups[same[i]];
    std::vector<std::size_t>& alike = kin.others_before[other[i]];
    alike.push_back(kin.members.size() - alike.size());
    kin.members.push_back(static_cast<std::int64_t>(i));
  }
  std::vector<std::int64_t> partners;
  partners.reserve(same.size());
  for (std::size_t i = 0; i < same.size(); ++i) {
    const Kin& kin = groups.at(same[i]);
    const std::vector<std::size_t>& alike = kin.others_before.at(other[i]);
    const std::size_t candidates = kin.members.size() - alike.size();
    if (candidates == 0) {
      partners.push_back(static_cast<std::int64_t>(i));
      continue;
    }
    // Before the k-th candidate, from 0, are k others and those alike that have at most k others before them.
    const auto k = static_cast<std::size_t>(random.below(candidates));
    const auto passed = std::ranges::upper_bound(alike, k) - alike.begin();
    partners.push_back(kin.members[k + static_cast<std::size_t>(passed)]);
  }
  return partners;
}

}  // namespace pair::algorithms
