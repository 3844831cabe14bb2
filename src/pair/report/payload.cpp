#include "pair/report/payload.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "pair/base/names.h"
#include "pair/plot/text.h"
#include "pair/report/choices.h"
#include "pair/report/evaluation_words.h"
#include "pair/report/importance.h"
#include "pair/report/number.h"
#include "pair/report/payload_of.h"
#include "pair/report/phases.h"
#include "pair/report/series.h"
#include "pair/report/summary.h"

namespace pair::report {
namespace {

using nlohmann::json;

constexpr std::size_t most_characters = 1'000'000;
constexpr std::size_t most_runs = 2'500;

std::string shortened(std::string_view text, std::size_t most) {
  return text.size() <= most ? plot::clean(text) : plot::clean(base::beginning(text, most)) + "…";
}

// The settings that differ between runs, and the values of those that do not.
struct Settings {
  std::map<std::string, std::string> common;
  std::vector<std::string> varying;
};

Settings settings_of(const select::History& history) {
  std::map<std::string, std::pair<std::string, std::size_t>>
      seen;  // the first value and the number of runs that have it
  for (const select::Run& run : history) {
    for (const auto& [name, value] : run.hparams) {
      auto& [first, count] = seen.try_emplace(name, value, 0).first->second;
      count += first == value ? 1 : 0;
    }
  }
  constexpr std::size_t most = 100;  // corrupt records must not fill a page
  Settings settings;
  for (const auto& [name, entry] : seen) {
    if (entry.second == history.size()) {
      settings.common.emplace(name, entry.first);
    } else if (settings.varying.size() < most) {
      settings.varying.push_back(name);
    }
  }
  return settings;
}

json settings_json(const Settings& settings) {
  json common = json::object();
  for (const auto& [name, value] : settings.common) {
    common[shortened(name, 100)] = shortened(value, 300);
  }
  json varying = json::array();
  for (const std::string& name : settings.varying) {
    varying.push_back(shortened(name, 100));
  }
  return {{"common", std::move(common)}, {"varying", std::move(varying)}};
}

json metrics_json(const std::vector<Metric>& metrics) {
  json list = json::array();
  for (const Metric& metric : metrics) {
    list.push_back({{"key", plot::clean(metric.key)},
                    {"label", plot::clean(metric.label)},
                    {"kind", name_of(metric.kind)},
                    {"better", metric.better()}});
  }
  return list;
}

json phases_json(const select::Run& run) {
  json list = json::array();
  for (const Phase& phase : phases_of(run)) {
    list.push_back({{"name", phase.name}, {"from", phase.from}, {"to", phase.to}});
  }
  return list;
}

json steps_wanted(const select::Run& run) {
  const json value = json::parse(run.setting("steps"), nullptr, false);
  return value.is_number() ? value : json();
}

json run_json(const Sources& sources, std::size_t index, const Settings& settings) {
  const select::Run& run = sources.history()[index];
  const RunState& state = sources.states[index];
  json values = json::array();
  for (const std::string& name : settings.varying) {
    const std::string_view value = run.setting(name);
    values.push_back(value.empty() ? json() : json(shortened(value, 120)));
  }
  json last = json::array();
  for (const Metric& metric : sources.metrics) {
    last.push_back(number(last_of(run.find(metric.key))));
  }
  constexpr std::array names{"done", "failed", "open"};
  return {{"name", shortened(run.name, 300)},
          {"label", shortened(std::filesystem::path(run.name).filename().string(), 120)},
          {"dataset", shortened(run.dataset, 120)},
          {"algorithm", shortened(run.algorithm, 120)},
          {"seed", run.trial_seed},
          {"draw", run.hparams_seed},
          {"test_envs", run.test_envs},
          {"state", names.at(static_cast<std::size_t>(state.state))},
          {"failure", plot::clean(state.failure)},
          {"records", run.records()},
          {"step", run.steps.empty() ? json() : json(run.steps.back())},
          {"steps", steps_wanted(run)},
          {"settings", std::move(values)},
          {"last", std::move(last)},
          {"series", nullptr},
          {"labels", json::object()},
          {"phases", phases_json(run)},
          {"evaluation", nullptr}};
}

bool has_curve(const Metric& metric) {
  return metric.kind != Kind::other && metric.kind != Kind::count && metric.kind != Kind::rate &&
         metric.kind != Kind::floor;
}

json methods_json(const Sources& sources) {
  constexpr std::size_t numbers_in_all = 40'000;
  const std::size_t curves = 4 * std::max<std::size_t>(1, sources.methods.size() * sources.metrics.size());
  const std::size_t points = std::clamp<std::size_t>(numbers_in_all / curves, 8, 120);
  json list = json::array();
  for (const Method& method : sources.methods) {
    json drawn = json::object();
    json last = json::object();
    for (const Metric& metric : sources.metrics) {
      const Spread spread = last_spread(sources.history(), method, metric);
      if (spread.runs == 0) {
        continue;
      }
      const std::string key = plot::clean(metric.key);
      last[key] = {{"mean", number(spread.mean)},
                   {"deviation", number(spread.deviation)},
                   {"least", number(spread.least)},
                   {"most", number(spread.most)},
                   {"runs", spread.runs}};
      if (has_curve(metric)) {
        const Curve curve = curve_of(sources.history(), method, metric, points);
        drawn[key] = {{"step", curve.steps},
                      {"mean", numbers(curve.mean)},
                      {"low", numbers(curve.low)},
                      {"high", numbers(curve.high)}};
      }
    }
    list.push_back({{"label", shortened(method.label, 120)},
                    {"dataset", shortened(method.dataset, 120)},
                    {"algorithm", shortened(method.algorithm, 120)},
                    {"runs", method.runs.size()},
                    {"seeds", method.seeds},
                    {"curves", std::move(drawn)},
                    {"last", std::move(last)}});
  }
  return list;
}

json progress_json(const Sources& sources) {
  std::array<std::size_t, 3> counts{};
  for (const RunState& state : sources.states) {
    ++counts.at(static_cast<std::size_t>(state.state));
  }
  const std::size_t early = sources.histories.failed.size();
  return {{"runs", sources.history().size() + early},
          {"done", counts[0]},
          {"failed", counts[1] + early},
          {"open", counts[2]},
          {"records", sources.histories.records}};
}

std::string title_of(const Sources& sources) {
  const select::History& history = sources.history();
  if (history.size() == 1) {
    return shortened(history[0].algorithm + " on " + history[0].dataset + ", seed " +
                         std::to_string(history[0].trial_seed),
                     200);
  }
  return counted(history.size(), "run");
}

std::size_t size_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace).size();
}

// The labels that differ from those of `metrics`.
json labels_in(const select::Run& run, std::span<const Metric> metrics) {
  json labels = json::object();
  for (const Metric& metric : metrics) {
    if (run.find(metric.key) == nullptr) {
      continue;
    }
    if (const std::string label = label_in(run, metric); label != metric.label) {
      labels[plot::clean(metric.key)] = plot::clean(label);
    }
  }
  return labels;
}

void add_series(json& result, const Sources& sources, std::span<const std::size_t> kept,
                std::span<const std::size_t> order) {
  const std::size_t runs = sources.history().size();
  const std::size_t points = runs <= 8 ? 400 : runs <= 40 ? 120 : 60;
  std::map<std::size_t, std::size_t> place;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    place[kept[i]] = i;
  }
  std::size_t used = size_of(result);
  std::size_t with = 0;
  for (const std::size_t run : order) {
    if (!place.contains(run)) {
      continue;
    }
    json series = series_of(sources.history()[run], sources.metrics, points);
    json labels = labels_in(sources.history()[run], sources.metrics);
    used += size_of(series) + size_of(labels);
    if (used > most_characters) {
      break;
    }
    result["runs"][place[run]]["series"] = std::move(series);
    result["runs"][place[run]]["labels"] = std::move(labels);
    ++with;
  }
  if (with < kept.size()) {
    result["notes"].push_back("To keep the page small, " + std::to_string(with) + " of " +
                              counted(runs, "run") +
                              " can be viewed step by step: those that a criterion chose, that failed or are "
                              "unfinished, and some of every method. Everything else covers all runs.");
  }
}

// Texts of unknown origin, everywhere in the value; base64 has none.
void clean_texts(json& value) {
  if (value.is_string()) {
    value = plot::clean(value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (auto& [key, part] : value.items()) {
      if (key != "picture") {
        clean_texts(part);
      }
    }
  }
}

json evaluation_json(const runs::Evaluation& evaluation) {
  json object = runs::as_json(evaluation);
  object.erase("format");
  object["words"] = evaluation_words(evaluation);
  clean_texts(object);
  return object;
}

// The pictures of an evaluation, taken out of it.
std::vector<json> taken_pictures(json& evaluation) {
  std::vector<json> pictures;
  for (json& wrong : evaluation["wrong"]) {
    pictures.push_back(wrong.value("picture", json()));
    wrong.erase("picture");
  }
  return pictures;
}

// To runs that can be viewed step by step, as far as there is room; then their pictures.
void add_evaluations(json& result, const Sources& sources, std::span<const std::ptrdiff_t> place,
                     std::span<const std::size_t> order) {
  constexpr std::size_t most_text = 500'000;
  constexpr std::size_t most_pictures = 1'500'000;
  std::size_t used = 0;
  std::size_t without = 0;
  std::vector<std::pair<json*, std::vector<json>>> added;
  for (const std::size_t run : order) {
    const auto found = sources.evaluations.find(run);
    if (found == sources.evaluations.end() || place[run] < 0 ||
        result["runs"][static_cast<std::size_t>(place[run])]["series"].is_null()) {
      continue;
    }
    json object = evaluation_json(found->second);
    std::vector<json> pictures = taken_pictures(object);
    if (const std::size_t size = size_of(object); used + size <= most_text) {
      used += size;
      json& there = result["runs"][static_cast<std::size_t>(place[run])]["evaluation"];
      there = std::move(object);
      added.emplace_back(&there, std::move(pictures));
    } else {
      ++without;
    }
  }
  std::size_t bytes = 0;
  std::size_t unseen = 0;
  for (auto& [evaluation, pictures] : added) {
    std::size_t size = 0;
    for (const json& picture : pictures) {
      size += picture.is_string() ? picture.get_ref<const std::string&>().size() : 0;
    }
    if (bytes + size > most_pictures) {
      ++unseen;
      continue;
    }
    bytes += size;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      if (pictures[i].is_string()) {
        (*evaluation)["wrong"][i]["picture"] = std::move(pictures[i]);
      }
    }
  }
  if (without > 0) {
    result["notes"].push_back("To keep the page small, the evaluations of " + counted(without, "run") +
                              " are left out.");
  }
  if (unseen > 0) {
    result["notes"].push_back("To keep the page small, the pictures of wrong answers of " +
                              counted(unseen, "run") + " are left out.");
  }
}

}  // namespace

nlohmann::json payload_of(const Sources& sources) {
  const Settings settings = settings_of(sources.history());
  const std::vector<std::size_t> order = by_importance(sources);
  std::vector<std::size_t> kept(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), most_runs)));
  std::sort(kept.begin(), kept.end());

  json summary = json::array();
  for (const Sentence& sentence : summary_of(sources)) {
    summary.push_back({{"kind", sentence.kind}, {"text", plot::clean(sentence.text)}});
  }
  std::map<std::size_t, std::size_t> method_of;
  for (std::size_t i = 0; i < sources.methods.size(); ++i) {
    for (const std::size_t run : sources.methods[i].runs) {
      method_of[run] = i;
    }
  }
  std::vector<std::ptrdiff_t> place(sources.history().size(), -1);
  json runs = json::array();
  for (const std::size_t run : kept) {
    place[run] = static_cast<std::ptrdiff_t>(runs.size());
    runs.push_back(run_json(sources, run, settings));
    runs.back()["method"] = method_of[run];
  }
  json selections = choices_of(sources);
  for (json& selection : selections) {
    for (json& choice : selection["choices"]) {
      choice["run"] = place[choice["run"].get<std::size_t>()];
    }
  }
  constexpr std::size_t most_omissions = 200;
  json left_out = json::array();
  const std::vector<select::Omission>& omissions = sources.histories.left_out;
  for (std::size_t i = 0; i < std::min(most_omissions, omissions.size()); ++i) {
    left_out.push_back(shortened(omissions[i].sentence(), 500));
  }
  if (omissions.size() > most_omissions) {
    left_out.push_back("and " + std::to_string(omissions.size() - most_omissions) + " more");
  }
  json result{{"title", title_of(sources)},
              {"summary", std::move(summary)},
              {"headline", sources.headline},
              {"progress", progress_json(sources)},
              {"metrics", metrics_json(sources.metrics)},
              {"settings", settings_json(settings)},
              {"runs", std::move(runs)},
              {"methods", methods_json(sources)},
              {"selections", std::move(selections)},
              {"left_out", std::move(left_out)},
              {"notes", json::array()}};
  const std::vector<select::FailedRun>& failed = sources.histories.failed;
  for (std::size_t i = 0; i < std::min(most_omissions, failed.size()); ++i) {
    result["notes"].push_back(shortened(failed[i].sentence(), 500));
  }
  if (kept.size() < sources.history().size()) {
    result["notes"].push_back("The table and the scatter show " + std::to_string(kept.size()) + " of " +
                              counted(sources.history().size(), "run") +
                              "; the curves and figures per method cover all runs.");
  }
  add_series(result, sources, kept, order);
  add_evaluations(result, sources, place, order);
  return result;
}

nlohmann::json payload(std::span<const std::filesystem::path> directories) {
  return payload_of(read_sources(directories));
}

}  // namespace pair::report
