#include "pair/algorithms/registry.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/registry.h"

namespace pair::algorithms {

// Not in an anonymous namespace: the functions declared inside would be members of it.
static base::Registry<AlgorithmEntry>& algorithm_registry() {
  static base::Registry<AlgorithmEntry> all("algorithm", [] {
    std::vector<AlgorithmEntry> list;
    // clang-format off
    // One line per algorithm, in the order of lists.
    { extern AlgorithmEntry erm(); list.push_back(erm()); }
    { extern AlgorithmEntry irmv1(); list.push_back(irmv1()); }
    { extern AlgorithmEntry vrex(); list.push_back(vrex()); }
    { extern AlgorithmEntry irmx(); list.push_back(irmx()); }
    { extern AlgorithmEntry fishr(); list.push_back(fishr()); }
    { extern AlgorithmEntry ib_erm(); list.push_back(ib_erm()); }
    { extern AlgorithmEntry ib_irm(); list.push_back(ib_irm()); }
    { extern AlgorithmEntry clove(); list.push_back(clove()); }
    { extern AlgorithmEntry iga(); list.push_back(iga()); }
    { extern AlgorithmEntry sd(); list.push_back(sd()); }
    { extern AlgorithmEntry groupdro(); list.push_back(groupdro()); }
    { extern AlgorithmEntry coral(); list.push_back(coral()); }
    { extern AlgorithmEntry mmd(); list.push_back(mmd()); }
    { extern AlgorithmEntry dann(); list.push_back(dann()); }
    { extern AlgorithmEntry cdann(); list.push_back(cdann()); }
    { extern AlgorithmEntry mixup(); list.push_back(mixup()); }
    { extern AlgorithmEntry fish(); list.push_back(fish()); }
    { extern AlgorithmEntry lisa(); list.push_back(lisa()); }
    { extern AlgorithmEntry pair(); list.push_back(pair()); }
    // clang-format on
    return list;
  }());
  return all;
}

const std::vector<AlgorithmEntry>& algorithms() {
  return algorithm_registry().entries();
}

void add_algorithm(AlgorithmEntry entry) {
  algorithm_registry().add(std::move(entry));
}

const AlgorithmEntry& algorithm_named(std::string_view name) {
  // A sweep calls this for every job, with the exact name.
  std::vector<std::string_view> names;
  for (const AlgorithmEntry& entry : algorithms()) {
    if (entry.name == name) {
      return entry;
    }
    names.push_back(entry.name);
  }
  const std::string plain = base::plain_name(name);
  for (const AlgorithmEntry& entry : algorithms()) {
    if (base::plain_name(entry.name) == plain ||
        (!entry.domainbed.empty() && base::plain_name(entry.domainbed) == plain)) {
      return entry;
    }
  }
  throw std::invalid_argument(base::unknown_name("algorithm", name, names));
}

}  // namespace pair::algorithms
