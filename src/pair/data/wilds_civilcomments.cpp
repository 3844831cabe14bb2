#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "pair/data/wilds.h"
#include "pair/data/wilds_metrics.h"
#include "pair/data/wilds_table.h"

// CivilComments (Borkan et al. 2019): is a comment toxic? Eight identities may be mentioned, several in one
// comment, so that groups overlap. All annotations are fractions of annotators, and true from 0.5 on.

namespace pair::data {
namespace {

constexpr std::size_t identity_count = 8;
constexpr std::array<std::string_view, 15> civil_annotations{
    "male",   "female",          "LGBTQ",          "christian",       "muslim",  "other_religions",
    "black",  "white",           "identity_any",   "severe_toxicity", "obscene", "threat",
    "insult", "identity_attack", "sexual_explicit"};

WildsSet read_civilcomments(const std::filesystem::path& folder, const WildsOptions& /*options*/) {
  enum Columns : std::size_t { comment, toxicity, split, first_annotation };
  const auto& names = civil_annotations;
  WildsTable table(
      folder / "all_data_with_identities.csv",
      {"comment_text", "toxicity", "split", names[0], names[1], names[2], names[3], names[4], names[5],
       names[6], names[7], names[8], names[9], names[10], names[11], names[12], names[13], names[14]});
  WildsSet set{.splits = {Split::train, Split::val, Split::test},
               .classes = {"not toxic", "toxic"},
               .fields = {names.begin(), names.end()},
               .texts = true};
  set.fields.emplace_back("y");
  set.fields.emplace_back("from_source_domain");
  const auto at_least_half = [&](std::size_t column) { return table.number(column) >= 0.5 ? 1.0 : 0.0; };
  while (table.next()) {
    const std::string_view name = table.text(split);
    if (name != "train" && name != "val" && name != "test") {
      table.refuse(split, "train, val or test");
    }
    set.split.emplace_back(split_named("split", name));
    set.inputs.emplace_back(table.any_text(comment));
    for (std::size_t i = 0; i < names.size(); ++i) {
      set.metadata.push_back(at_least_half(first_annotation + i));
    }
    set.metadata.push_back(at_least_half(toxicity));
    set.metadata.push_back(name == "train" ? 1.0 : 0.0);
  }
  return set;
}

WildsGroups civilcomments_environments(const WildsSet& set, WildsEnvironments which) {
  if (which == WildsEnvironments::wilds) {
    return WildsGrouper(set, std::array<std::string_view, 2>{"black", "y"}).groups();
  }
  // Fish's: no identity, then each identity, each with the labels 0 and 1.
  WildsGroups groups;
  for (std::size_t d = 0; d <= identity_count; ++d) {
    for (const char* const label : {"0", "1"}) {
      groups.names.push_back((d == 0 ? "none" : std::string(civil_annotations[d - 1])) + "_y:" + label);
    }
  }
  groups.samples.resize(groups.names.size());
  const std::size_t y = set.field("y");
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto label = static_cast<std::size_t>(set.value(i, y));
    bool any = false;
    for (std::size_t d = 0; d < identity_count; ++d) {
      if (set.value(i, d) == 1.0) {
        groups.samples[2 * (d + 1) + label].push_back(i);
        any = true;
      }
    }
    if (!any) {
      groups.samples[label].push_back(i);
    }
  }
  return groups;
}

WildsScores evaluate_civilcomments(const WildsSet& set, std::span<const std::size_t> samples,
                                   std::span<const double> predictions) {
  const std::vector<double> right = right_answers(set, samples, predictions);
  WildsScores scores{{"acc_avg", mean_of(right)}};
  double worst = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < identity_count; ++d) {
    const WildsGrouper grouper(set, std::array<std::string_view, 2>{civil_annotations[d], "y"});
    const GroupMeans groups = means_by_group(grouper, samples, right);
    const std::string present = std::string(civil_annotations[d]) + ":1";
    for (std::size_t g = 0; g < grouper.count(); ++g) {
      const std::string name = grouper.name(g);
      if (!name.ends_with(present)) {
        continue;  // comments that do not mention the identity
      }
      scores.emplace_back("acc_" + name, groups.means[g]);
      scores.emplace_back("count_" + name, static_cast<double>(groups.counts[g]));
      // WILDS counts a group without samples here, with accuracy 0.
      worst = std::min(worst, groups.means[g]);
    }
  }
  scores.emplace_back("acc_wg", std::isinf(worst) ? 0.0 : worst);
  return scores;
}

}  // namespace

WildsKind wilds_civilcomments() {
  return {"civilcomments",
          "1.0",
          "WILDS' CivilComments: toxic comments, by mentioned identity",
          {"acc_wg", "acc_avg"},
          {"seed:0", "seed:1", "seed:2", "seed:3", "seed:4"},
          read_civilcomments,
          civilcomments_environments,
          evaluate_civilcomments};
}

}  // namespace pair::data
