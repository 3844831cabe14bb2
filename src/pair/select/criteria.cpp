#include "pair/select/criteria.h"

#include <utility>

#include "pair/select/domainbed.h"

namespace pair::select {
namespace {

// The second if it chooses something and the first does not.
Selection first_that_chooses(Selection first, Selection second) {
  if (!first.decisions.empty() || second.decisions.empty()) {
    return first;
  }
  second.notes.insert(second.notes.begin(),
                      "no run has held-out accuracies of its training environments; using training accuracy "
                      "instead");
  return second;
}

}  // namespace

Selection pair_s_or_training(const History& history, PairOptions options) {
  Selection first = pair_s(history, options);
  if (options.validation != Validation::train_domain || !first.decisions.empty()) {
    return first;
  }
  options.validation = Validation::training;
  return first_that_chooses(std::move(first), pair_s(history, options));
}

Selection train_domain_or_training(const History& history) {
  Selection first = train_domain(history);
  return first.decisions.empty() ? first_that_chooses(std::move(first), training_accuracy(history)) : first;
}

}  // namespace pair::select
