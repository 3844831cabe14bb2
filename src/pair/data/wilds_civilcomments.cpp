#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "pair/base/tables.h"
#include "pair/data/wilds.h"
#include "pair/data/wilds_making.h"
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

// The tokens of the made-up comments, for a tokenizer of uncased BERT models.
std::string civilcomments_vocabulary() {
  std::string text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (const char* const word :
       {"this",    "male",      "female", "lgbtq",        "christian", "muslim",     "other",
        "_",       "religions", "black",  "white",        "person",    "'",          "s",
        "opinion", "is",        ",",      "\"",           "really",    ".",          "a",
        "second",  "line",      "naive",  "\xe2\x80\x94", "number",    "thoughtful", "helpful",
        "clear",   "friendly",  "fair",   "calm",         "stupid",    "idiotic",    "awful",
        "dumb",    "trash",     "garbage"}) {
    text += std::string(word) + "\n";
  }
  for (int digit = 0; digit < 10; ++digit) {
    text += std::to_string(digit) + "\n##" + std::to_string(digit) + "\n";
  }
  return text;
}

void generate_civilcomments(const std::filesystem::path& folder, const WildsGeneration& options,
                            Random& random) {
  constexpr std::array<const char*, 8> identities{"male",   "female",          "LGBTQ", "christian",
                                                  "muslim", "other_religions", "black", "white"};
  constexpr std::array<const char*, 7> others{
      "severe_toxicity", "obscene", "sexual_explicit", "identity_attack", "insult", "threat", "identity_any"};
  constexpr std::array<const char*, 6> kind_words{"thoughtful", "helpful", "clear",
                                                  "friendly",   "fair",    "calm"};
  constexpr std::array<const char*, 6> rude_words{"stupid", "idiotic", "awful", "dumb", "trash", "garbage"};
  std::string table = ",id,comment_text,split,created_date,toxicity";
  for (const char* const name : others) {
    table += std::string(",") + name;
  }
  for (const char* const name : identities) {
    table += std::string(",") + name;
  }
  table += ",identity_annotator_count,toxicity_annotator_count\n";
  std::size_t row = 0;
  for (const char* const split : {"train", "val", "test"}) {
    // Each split has all 16 groups, comments without an identity, and comments with two.
    const std::int64_t rounds = split[1] == 'r' ? 2 * options.samples : options.samples;
    for (std::int64_t n = 0; n < rounds * 20; ++n) {
      const auto kind = static_cast<std::size_t>(n % 20);
      const bool toxic = kind % 2 == 1;
      const std::size_t first = kind / 2;  // 8 and 9: none
      const std::size_t second = n % 3 == 0 ? random.below(8) : first;
      // 0.5 exactly counts as true.
      const double toxicity = toxic ? (n % 5 == 0 ? 0.5 : random.uniform(0.5, 1)) : random.uniform(0, 0.49);
      std::string comment = "This " + std::string(first < 8 ? identities[first] : "person's") +
                            " opinion is " +
                            std::string(toxic ? rude_words[random.below(6)] : kind_words[random.below(6)]);
      if (n % 4 == 0) {
        comment += ", \"really\".\nA second line, na\xc3\xafve \xe2\x80\x94 number " + std::to_string(n);
      }
      table += std::to_string(row) + "," + std::to_string(5000000 + row) + "," + base::csv_value(comment) +
               "," + split + ",2017-06-0" + std::to_string(1 + n % 9) + " 10:00:00+00:00," +
               std::to_string(toxicity);
      ++row;
      for (std::size_t i = 0; i < others.size(); ++i) {
        const bool any = i == 6 && first < 8;
        table += ',';
        table += std::to_string(any ? 1.0 : toxic && i == 4 ? 0.75 : random.uniform(0, 0.6));
      }
      for (std::size_t i = 0; i < identities.size(); ++i) {
        const bool named = i == first || (first < 8 && i == second);
        table += ',';
        table += std::to_string(named ? (n % 7 == 0 ? 0.5 : 1.0) : random.uniform(0, 0.45));
      }
      table += ",4," + std::to_string(4 + random.below(6)) + "\n";
    }
  }
  write_made(folder / "all_data_with_identities.csv", table);
  write_made(folder.parent_path() / "civilcomments_vocab.txt", civilcomments_vocabulary());
}

}  // namespace

// The published code has the learning rate 1e-5 without weight decay, the paper 2e-6 with 0.01. The steps after
// those of ERM are five of the code's epochs.
WildsKind wilds_civilcomments() {
  return {"civilcomments",
          "1.0",
          "WILDS' CivilComments: toxic comments, by mentioned identity",
          {"acc_wg", "acc_avg"},
          {"seed:0", "seed:1", "seed:2", "seed:3", "seed:4"},
          read_civilcomments,
          civilcomments_environments,
          evaluate_civilcomments,
          generate_civilcomments,
          {.texts = true,
           .settings = {{"model", "distilbert"},
                        {"batch", "16"},
                        {"environments", "5"},
                        {"pretrain", "20000"},
                        {"steps", "34300"},
                        {"lr", "1e-5"},
                        {"amsgrad", "true"},
                        {"l2", "0"},
                        {"balance_optimizer", "adam"},
                        {"balance_lr", "1e-5"},
                        {"preference", "1,1e8,1e12"},
                        {"irmv1_constant", "1e-4"},
                        {"eval_every", "500"},
                        {"checkpoint_every", "500"}}}};
}

}  // namespace pair::data
