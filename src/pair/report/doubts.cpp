#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "pair/base/tables.h"
#include "pair/report/number.h"
#include "pair/report/ranking.h"
#include "pair/report/series.h"
#include "pair/report/summary.h"

namespace pair::report {
namespace {

// A set of runs for use in a sentence: "NAME" or "3 runs, such as NAME,", and the verb that follows.
class Runs {
 public:
  Runs(const Sources& sources, const std::function<bool(std::size_t)>& matches) {
    for (std::size_t i = 0; i < sources.history().size(); ++i) {
      if (matches(i) && count_++ == 0) {
        first_ = sources.history()[i].name;
      }
    }
  }
  [[nodiscard]] bool any() const { return count_ > 0; }
  [[nodiscard]] std::string said() const {
    return count_ == 1 ? first_ : std::to_string(count_) + " runs, such as " + first_ + ",";
  }
  // The verb in singular or plural, such as "has" or "have".
  [[nodiscard]] std::string verb(const char* one, const char* several) const {
    return std::string(" ") + (count_ == 1 ? one : several) + " ";
  }

 private:
  std::size_t count_ = 0;
  std::string first_;
};

double best_of(const select::Column& column, bool high) {
  double best = std::nan("");
  for (const double value : column.values) {
    best = std::isnan(best) || (high ? value > best : value < best) ? value : best;
  }
  return best;
}

void doubt_the_runs(const Sources& sources, std::vector<std::string>& doubts) {
  const select::History& history = sources.history();
  const Runs failed(sources, [&](std::size_t i) { return sources.states[i].state == State::failed; });
  if (failed.any()) {
    doubts.push_back(failed.said() + " failed: the records up to then are shown.");
  }
  if (!sources.histories.failed.empty()) {
    doubts.push_back(early_failures(sources));
  }
  const Runs open(sources, [&](std::size_t i) { return sources.states[i].state == State::open; });
  if (open.any()) {
    doubts.push_back(open.said() + open.verb("is", "are") + "not finished: the numbers may still change.");
  }
  const Runs not_finite(sources, [&](std::size_t i) {
    return std::any_of(history[i].columns.begin(), history[i].columns.end(),
                       [&declared = history[i].declared](const select::Column& column) {
                         return metric_of(column.key, declared).kind == Kind::loss &&
                                !column.values.empty() && !std::isfinite(column.values.back());
                       });
  });
  if (not_finite.any()) {
    doubts.push_back(not_finite.said() + not_finite.verb("ends", "end") + "with a loss that is not finite.");
  }
  const Runs refused(sources, [&](std::size_t i) { return last_of(history[i].find("rollbacks")) > 0; });
  if (refused.any()) {
    doubts.push_back(refused.said() + " had steps refused because a value was not finite.");
  }
  const Runs infeasible(sources, [&](std::size_t i) {
    const select::Column* const feasible = history[i].find("feasible");
    const auto count =
        feasible == nullptr ? 0 : std::count(feasible->values.begin(), feasible->values.end(), 0.0);
    return 10 * count > static_cast<std::ptrdiff_t>(history[i].records());
  });
  if (infeasible.any()) {
    doubts.push_back("In " + infeasible.said() +
                     " EPO's program was infeasible in more than 10% of the records.");
  }
}

void doubt_the_ends(const Sources& sources, std::vector<std::string>& doubts) {
  constexpr double collapse = 0.1;  // drop of accuracy from the best record to the last
  const Metric* const metric = sources.headline_metric();
  if (metric == nullptr || metric->kind != Kind::accuracy) {
    return;
  }
  const Runs fallen(sources, [&](std::size_t i) {
    const select::Column* const column = sources.history()[i].find(metric->key);
    return column != nullptr && best_of(*column, true) - last_of(column) > collapse;
  });
  if (fallen.any()) {
    doubts.push_back(fallen.said() + fallen.verb("ends", "end") +
                     "more than 10 points below the best record: "
                     "the result depends on when training stops.");
  }
}

// The objectives other than erm, which are penalties, whose last number in the run fulfils the condition.
bool any_penalty(const select::Run& run, const std::function<bool(const std::string&)>& condition) {
  constexpr std::string_view prefix = "losses.";
  return std::any_of(run.columns.begin(), run.columns.end(), [&](const select::Column& column) {
    return column.key.starts_with(prefix) && column.key != "losses.erm" &&
           condition(column.key.substr(prefix.size()));
  });
}

// Training losses that say less than they seem to.
void doubt_the_losses(const Sources& sources, std::vector<std::string>& doubts) {
  constexpr double memorised_penalty = 10.0;  // times the penalty on training samples
  constexpr double above_noise = 3.0;         // times the noise floor of the held-out penalty
  constexpr double memorised_risk = 1.5;      // times the risk on training samples
  const auto last = [](const select::Run& run, const std::string& key) { return last_of(run.find(key)); };
  const Runs hidden(sources, [&](std::size_t i) {
    const select::Run& run = sources.history()[i];
    return any_penalty(run, [&](const std::string& name) {
      const double held_out = last(run, "held_out_losses." + name);
      const double floor = last(run, "held_out_noise_floor." + name);
      return held_out > memorised_penalty * std::abs(last(run, "losses." + name)) &&
             held_out > above_noise * floor;
    });
  });
  if (hidden.any()) {
    doubts.push_back(
        hidden.said() + hidden.verb("has", "have") +
        "a penalty that is more than 10 times as large on held-out samples as in training: the "
        "model has memorised its samples, and the losses in training hide it. Choose by held-out "
        "losses (pair select --losses-from held-out).");
  }
  const Runs memorised(sources, [&](std::size_t i) {
    const select::Run& run = sources.history()[i];
    return last(run, "held_out_losses.erm") > memorised_risk * last(run, "losses.erm");
  });
  if (memorised.any()) {
    doubts.push_back(memorised.said() + memorised.verb("has", "have") +
                     "a risk that is more than 1.5 times as large on held-out samples as in training: fewer "
                     "steps or more regularisation may help.");
  }
  const Runs noise(sources, [&](std::size_t i) {
    const select::Run& run = sources.history()[i];
    return any_penalty(run, [&](const std::string& name) {
      return last(run, "losses." + name) < last(run, "noise_floor." + name);
    });
  });
  if (noise.any()) {
    doubts.push_back(
        noise.said() + noise.verb("ends", "end") +
        "with a penalty below its noise floor: how far below says nothing. More samples per step "
        "or a larger track lower the floor.");
  }
}

void doubt_the_comparison(const Sources& sources, std::vector<std::string>& doubts) {
  std::vector<std::string> few;
  for (const Method& method : sources.methods) {
    if (method.seeds < 3) {
      few.push_back(method.label);
    }
  }
  if (!few.empty()) {
    doubts.push_back("Fewer than three seeds (" + base::joined(few) +
                     "): the spread between seeds is uncertain.");
  }
  bool compared = false;
  std::vector<std::string> close;  // where the best method is not clear
  for (const auto& [dataset, with, metric, methods] : rankings_of(sources)) {
    if (methods.size() < 2) {
      continue;
    }
    compared = true;
    const Spread& best = methods[0].second;
    const Spread& next = methods[1].second;
    if (std::abs(best.mean - next.mean) < std::max(best.deviation, next.deviation)) {
      const std::string on = have_several_datasets(sources.methods) ? "on " + dataset : "";
      close.push_back(on + (on.empty() || with.empty() ? "" : " ") + with);
    }
  }
  if (!close.empty()) {
    std::string text = close.front().empty() ? "The two" : close.front() + ", the two";
    text.front() = text.front() == 'o' ? 'O' : text.front() == 'w' ? 'W' : text.front();
    text += " best methods differ by less than the spread of their runs";
    doubts.push_back(text +
                     (close.size() > 1 ? ", as in " + counted(close.size() - 1, "other ranking") : "") + ".");
  }
  if (compared) {
    doubts.emplace_back("The ranking at the last record uses test data. Do not choose settings by it.");
  }
}

}  // namespace

std::string early_failures(const Sources& sources) {
  const std::vector<select::FailedRun>& failed = sources.histories.failed;
  if (failed.size() == 1) {
    return failed.front().sentence() + ".";
  }
  return std::to_string(failed.size()) + " runs failed before their first record, such as " +
         failed.front().folder.string() + ": " + failed.front().reason + ".";
}

std::vector<std::string> doubts_of(const Sources& sources) {
  std::vector<std::string> doubts;
  doubt_the_runs(sources, doubts);
  doubt_the_ends(sources, doubts);
  doubt_the_losses(sources, doubts);
  doubt_the_comparison(sources, doubts);
  // An unfinished run has a line that is still being written; that it is unfinished is reported above.
  const auto left_out = static_cast<std::size_t>(std::count_if(
      sources.histories.left_out.begin(), sources.histories.left_out.end(),
      [](const select::Omission& omission) { return !omission.what.starts_with("has no end"); }));
  if (left_out > 0) {
    doubts.push_back(
        (left_out == 1 ? "1 file or folder was" : std::to_string(left_out) + " files or folders were") +
        " left out; the list at the end has the reason" + (left_out == 1 ? "." : "s."));
  }
  return doubts;
}

}  // namespace pair::report
