#include "pair/report/metric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/select/catalog.h"

namespace pair::report {
namespace {

constexpr std::string_view held_out_losses = "held_out_losses.";

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

Kind kind_of(std::string_view key) {
  if (key.ends_with("_acc")) {
    return Kind::accuracy;
  }
  if (key.ends_with("_mse")) {
    return Kind::error;
  }
  if (key.starts_with("noise_floor.") || key.starts_with("held_out_noise_floor.")) {
    return Kind::floor;
  }
  if (key.starts_with("losses.") || key.starts_with(held_out_losses) || key.ends_with("loss") ||
      key.ends_with("penalty") || key == "nll") {
    return Kind::loss;
  }
  if (key.starts_with("weights.")) {
    return Kind::weight;
  }
  if (key.starts_with("conflict.")) {
    return Kind::conflict;
  }
  if (is_one_of(key, {"restarts", "backtracks", "rollbacks"})) {
    return Kind::count;
  }
  return key == "divergence" ? Kind::divergence : key == "lr" ? Kind::rate : Kind::other;
}

bool declares(const select::Declared& declared, std::string_view key) {
  return declared.losses && std::ranges::any_of(*declared.losses, [key](const auto& together) {
           return std::ranges::find(together, key) != together.end();
         });
}

// The parts of "env0_out_acc".
struct EnvironmentKey {
  std::string number;
  bool held_out = false;
};

EnvironmentKey environment_key(std::string_view key) {
  const std::string_view rest = key.substr(3, key.rfind('_') - 3);
  const std::size_t split = rest.find('_');
  return {std::string(rest.substr(0, split)),
          split != std::string_view::npos && rest.substr(split + 1) == "out"};
}

// "env0_in_acc" as "accuracy, environment 0".
std::string environment_label(std::string_view key, std::string_view what) {
  const auto [number, held_out] = environment_key(key);
  return std::string(what) + ", environment " + number + (held_out ? " (held out)" : "");
}

struct NamedEnvironment {
  std::string name;
  std::string role;  // training or test
  bool held_out = false;
};

// None if the run's records do not name it.
std::optional<NamedEnvironment> named_environment(const select::Run& run, std::string_view key) {
  const auto [number, held_out] = environment_key(key);
  const std::optional<int> environment = base::number_from<int>(number);
  if (!environment || *environment < 0 ||
      std::cmp_greater_equal(
          *environment, std::max(select::environments_of(run.dataset).size(), run.environments.size()))) {
    return std::nullopt;
  }
  std::string name = select::environment_name(run, *environment);
  if (name == number) {
    name = "environment " + number;
  } else if (base::number_from<double>(name)) {
    name = "'" + name + "'";
  }
  const bool test =
      std::find(run.test_envs.begin(), run.test_envs.end(), *environment) != run.test_envs.end();
  const std::string_view suffix = key.substr(key.rfind('_'));
  const bool split = run.find("env" + number + "_in" + std::string(suffix)) != nullptr;
  return NamedEnvironment{std::move(name), test ? "test" : "training", held_out && split};
}

std::string named(const std::string& label, const NamedEnvironment& environment) {
  std::string in_brackets = environment.role;
  if (environment.held_out) {
    in_brackets += in_brackets.empty() ? "held out" : ", held out";
  }
  return label.substr(0, label.find(", ")) + ", " + environment.name +
         (in_brackets.empty() ? "" : " (" + in_brackets + ")");
}

// If all runs that have the metric agree on the name of its environment.
void name_environment(Metric& metric, const select::History& history) {
  std::optional<NamedEnvironment> common;
  for (const select::Run& run : history) {
    if (run.find(metric.key) == nullptr) {
      continue;
    }
    const std::optional<NamedEnvironment> its = named_environment(run, metric.key);
    if (!its || (common && its->name != common->name)) {
      return;
    }
    if (!common) {
      common = its;
    }
    common->role = common->role == its->role ? common->role : "";
    common->held_out = common->held_out && its->held_out;
  }
  if (common) {
    metric.label = named(metric.label, *common);
  }
}

bool is_of_environment(const Metric& metric) {
  return metric.key.starts_with("env") && (metric.kind == Kind::accuracy || metric.kind == Kind::error);
}

std::string label_of(std::string_view key, Kind kind) {
  const std::size_t dot = key.find('.');
  std::string name(dot == std::string_view::npos ? key : key.substr(dot + 1));
  const std::string_view what = kind == Kind::accuracy ? "accuracy" : "squared error";
  if (key == worst_accuracy || key == worst_error) {
    return "worst-environment test " + std::string(what);
  }
  if (key.starts_with("env") && (kind == Kind::accuracy || kind == Kind::error)) {
    return environment_label(key, what);
  }
  switch (kind) {
    case Kind::loss:
      return dot == std::string_view::npos      ? name
             : key.starts_with(held_out_losses) ? "held-out loss of " + name
                                                : "loss of " + name;
    case Kind::floor:
      return (key.starts_with("held_out") ? "noise floor of the held-out loss of " : "noise floor of ") +
             name;
    case Kind::weight:
      return "weight of " + name;
    case Kind::conflict:
      return "cosine of erm with " + name;
    case Kind::rate:
      return "learning rate";
    default:
      return name;
  }
}

// Most informative first; environments by number, not alphabetically.
auto rank(const Metric& metric) {
  const bool worst = metric.key == worst_accuracy || metric.key == worst_error;
  const bool erm = metric.key.ends_with(".erm") || metric.key == "nll";
  const std::size_t length = metric.key.starts_with("env") ? metric.key.size() : 0;
  const bool held_out = metric.key.starts_with("held_out");
  return std::tuple(!worst, metric.kind, held_out, !erm, length, std::string_view(metric.key));
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 10> names{"accuracy", "error",      "loss", "floor", "weight",
                                                   "conflict", "divergence", "rate", "count", "other"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view Metric::better() const {
  if (kind == Kind::accuracy) {
    return "high";
  }
  return kind == Kind::error || kind == Kind::loss || kind == Kind::divergence ? "low" : "";
}

Metric metric_of(std::string key, const select::Declared& declared) {
  const Kind kind = declares(declared, key) ? Kind::loss : kind_of(key);
  std::string label = label_of(key, kind);
  return {std::move(key), std::move(label), kind};
}

void add_worst_accuracy(select::Run& run) {
  const auto has = [&run](std::string_view key) { return run.find(key) != nullptr; };
  if (run.records() == 0 || has(worst_accuracy) || has(worst_error)) {
    return;
  }
  std::vector<double> worst(run.records(), std::numeric_limits<double>::quiet_NaN());
  bool any = false;
  {
    const select::Accuracies accuracies(run);
    for (std::size_t record = 0; record < run.records(); ++record) {
      for (const int environment : run.test_envs) {
        const double in = accuracies.in(environment, record);
        const double value = std::isnan(in) ? accuracies.out(environment, record) : in;
        if (!std::isnan(value)) {
          worst[record] = std::isnan(worst[record]) ? value : std::min(worst[record], value);
          any = true;
        }
      }
    }
  }
  if (any) {
    run.columns.push_back({std::string(worst_accuracy), std::move(worst)});
  }
}

std::vector<Metric> metrics_of(const select::History& history) {
  // Corrupt records must not fill a page with columns.
  constexpr std::size_t most = 80;
  std::map<std::string, Metric, std::less<>> by_key;
  for (const select::Run& run : history) {
    for (const select::Column& column : run.columns) {
      // DomainBed's machine statistics, and keys that the phases of a run already show.
      if (is_one_of(column.key, {"epoch", "mem_gb", "step_time", "balancing"})) {
        continue;
      }
      const auto [metric, is_new] = by_key.try_emplace(column.key);
      if (is_new || declares(run.declared, column.key)) {
        metric->second = metric_of(column.key, run.declared);
      }
    }
  }
  // nll is losses.erm, and penalty the sum of the other losses.
  if (by_key.contains("losses.erm")) {
    by_key.erase("nll");
    by_key.erase("penalty");
  }
  std::vector<Metric> metrics;
  metrics.reserve(by_key.size());
  for (auto& [key, metric] : by_key) {
    metrics.push_back(std::move(metric));
    if (is_of_environment(metrics.back())) {
      name_environment(metrics.back(), history);
    }
  }
  std::sort(metrics.begin(), metrics.end(),
            [](const Metric& a, const Metric& b) { return rank(a) < rank(b); });
  if (metrics.size() > most) {
    metrics.erase(metrics.begin() + most, metrics.end());
  }
  return metrics;
}

std::string label_in(const select::Run& run, const Metric& metric) {
  const std::optional<NamedEnvironment> environment =
      is_of_environment(metric) ? named_environment(run, metric.key) : std::nullopt;
  return environment ? named(metric.label, *environment) : metric.label;
}

std::string headline(std::span<const Metric> metrics) {
  for (const std::string_view key : {worst_accuracy, worst_error}) {
    if (std::any_of(metrics.begin(), metrics.end(),
                    [key](const Metric& metric) { return metric.key == key; })) {
      return std::string(key);
    }
  }
  return "";
}

}  // namespace pair::report
