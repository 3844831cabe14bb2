#include "pair/report/importance.h"

#include <algorithm>
#include <set>

namespace pair::report {

std::vector<std::size_t> by_importance(const Sources& sources) {
  const select::History& history = sources.history();
  std::vector<std::size_t> order;
  for (const select::Selection& selection : sources.selections) {
    for (const select::Decision& decision : selection.decisions) {
      order.push_back(static_cast<std::size_t>(decision.chosen().run - history.data()));
    }
  }
  // In a large sweep, each method gets its share.
  std::vector<std::size_t> others;
  for (std::size_t place = 0; others.size() < history.size(); ++place) {
    for (const Method& method : sources.methods) {
      if (place < method.runs.size()) {
        others.push_back(method.runs[place]);
      }
    }
  }
  const auto unusual = std::stable_partition(others.begin(), others.end(), [&sources](std::size_t run) {
    return sources.states[run].state != State::done;
  });
  // The first run of each method comes before those.
  std::rotate(others.begin(), unusual,
              unusual + std::min<std::ptrdiff_t>(others.end() - unusual,
                                                 static_cast<std::ptrdiff_t>(sources.methods.size())));
  order.insert(order.end(), others.begin(), others.end());
  std::set<std::size_t> seen;
  std::erase_if(order, [&seen](std::size_t run) { return !seen.insert(run).second; });
  return order;
}

}  // namespace pair::report
