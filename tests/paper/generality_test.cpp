#include "pair/paper/generality.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "pair/runs/records.h"
#include "pair/runs/settings.h"

namespace pair::paper::generality_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

GeneralityRequest request(std::vector<std::string> objectives = {}) {
  return {std::move(objectives), {0, 1, 2}};
}

const Row& row_named(const Table& table, const std::string& key) {
  return *std::find_if(table.rows.begin(), table.rows.end(), [&](const Row& row) { return row.key == key; });
}

TEST(Table6, HasTwelveRowsPerObjectiveBetweenErmIrmv1AndTheOracle) {
  const Table table = table6(request());
  EXPECT_EQ(table.rows.size(), 6U * 12 + 3);
  EXPECT_EQ(table.rows.front().key, "erm");
  EXPECT_EQ(table.rows.back().key, "oracle");
  for (const Row& row : table.rows) {
    EXPECT_EQ(row.cells.size(), 2U) << row.key;
    for (const Cell& cell : row.cells) {
      // The paper has no row for DomainBed's rule.
      EXPECT_EQ(cell.paper.has_value(), !row.key.ends_with("_domainbed")) << row.key;
      for (const CellSetting& setting : cell.settings) {
        EXPECT_EQ(setting.specs.size(), 3U) << row.key;
      }
    }
  }
}

TEST(Table6, HasThePreferencesOfThePaper) {
  const Table table = table6(request());
  const auto preference = [&](const std::string& key) {
    return row_named(table, key).cells[0].settings[0].specs[0].settings.preference;
  };
  EXPECT_THAT(preference("vrex_pair"), ElementsAre(1, 1e10, 1e12));
  EXPECT_THAT(preference("fishr_pair"), ElementsAre(1, 1e8, 1e12));
  EXPECT_THAT(preference("ib_pair"), ElementsAre(1, 1e12, 1e8));
  EXPECT_THAT(row_named(table, "ib_pair").cells[0].settings[0].specs[0].settings.objectives,
              ElementsAre("erm", "irmv1", "ib"));
}

TEST(Table6, RunsPairOOnceForItselfAndForPairS) {
  const Table table = table6(request({"vrex"}));
  std::set<std::string> hashes;
  for (const runs::RunSpec& spec : specs_of(table)) {
    EXPECT_TRUE(hashes.insert(runs::hash(spec)).second);
  }
  // Penalties and lengths of annealing for the objective alone, with IRMv1, and for IRMv1; learning rates of
  // two steps, one of them with two solvers; ERM and oracle.
  EXPECT_EQ(hashes.size(), (3U * 5 * 6 + 3 * 5 + 2) * 2 * 3);
}

// The paper's step neither drops momentum nor undoes steps, and has the release's weights where a program has
// no solution; everything else is that of the guarded step.
TEST(Table6, HasThePapersStepBesideTheGuardedOne) {
  const Table table = table6(request({"sd"}));
  for (const char* suffix : {"", "_s", "_s_trained"}) {
    const Row guarded = row_named(table, std::string("sd_pair") + suffix);
    const Row plain = row_named(table, std::string("sd_plain") + suffix);
    for (std::size_t d = 0; d < guarded.cells.size(); ++d) {
      ASSERT_EQ(plain.cells[d].settings.size(), guarded.cells[d].settings.size());
      EXPECT_EQ(plain.cells[d].paper->mean, guarded.cells[d].paper->mean);
      EXPECT_EQ(plain.cells[d].pick, guarded.cells[d].pick);
      for (std::size_t i = 0; i < plain.cells[d].settings.size(); ++i) {
        runs::RunSpec spec = plain.cells[d].settings[i].specs[0];
        EXPECT_FALSE(spec.settings.restart);
        EXPECT_FALSE(spec.settings.backtrack);
        EXPECT_EQ(runs::text_of(spec, "without_solution"), "preference");
        spec.settings.restart = true;
        spec.settings.backtrack = true;
        runs::set(spec, "without_solution", "min_norm");
        EXPECT_EQ(runs::hash(spec), runs::hash(guarded.cells[d].settings[i].specs[0]));
      }
    }
  }
}

TEST(Table6, HasThePapersStepWithTheReleasesOtherSolver) {
  const Table table = table6(request({"sd"}));
  for (const char* suffix : {"", "_s", "_s_trained"}) {
    const Row sepo = row_named(table, std::string("sd_sepo") + suffix);
    const Row plain = row_named(table, std::string("sd_plain") + suffix);
    for (std::size_t d = 0; d < sepo.cells.size(); ++d) {
      EXPECT_EQ(sepo.cells[d].pick, plain.cells[d].pick);
      ASSERT_EQ(sepo.cells[d].settings.size(), plain.cells[d].settings.size());
      for (std::size_t i = 0; i < sepo.cells[d].settings.size(); ++i) {
        runs::RunSpec spec = sepo.cells[d].settings[i].specs[0];
        EXPECT_EQ(spec.settings.solver, "sepo");
        runs::set(spec, "solver", "epo");
        runs::set(spec, "without_solution", "preference");
        EXPECT_EQ(runs::hash(spec), runs::hash(plain.cells[d].settings[i].specs[0]));
      }
    }
  }
}

// The paper's release: its train.py, retyped as settings.
TEST(Table6, RunsTheLinearSchemeOfTheRelease) {
  const Table table = table6(request());
  const auto settings = [&](const std::string& key) -> const train::Settings& {
    return row_named(table, key).cells[0].settings[0].specs[0].settings;
  };
  EXPECT_EQ(settings("vrex").sums, "erm");
  EXPECT_EQ(settings("irmv1").sums, "erm");
  EXPECT_EQ(settings("iga").sums, "erm,iga");
  EXPECT_EQ(settings("sd_irmv1").sums, "erm,sd");
  EXPECT_EQ(settings("erm").sums, "none");
  EXPECT_EQ(settings("sd").annealed_divisor, 500.0);
  EXPECT_EQ(settings("vrex").annealed_divisor, 1.0);
  for (const char* key : {"fishr", "fishr_irmv1", "fishr_pair"}) {
    const runs::RunSpec& spec = row_named(table, key).cells[0].settings[0].specs[0];
    EXPECT_EQ(runs::text_of(spec, "fishr_centred"), "false") << key;
    EXPECT_EQ(runs::text_of(spec, "fishr_ema"), "0") << key;
  }
  for (const char* key : {"clove", "clove_irmv1"}) {
    EXPECT_EQ(settings(key).batch, 512) << key;
    EXPECT_EQ(settings(key).l2, 0.0) << key;
    EXPECT_EQ(settings(key).sums, "erm,clove") << key;
    EXPECT_EQ(settings(key).track, 1.0) << key;
    EXPECT_EQ(settings(key).steps, 501) << key;
  }
  for (const char* key : {"clove", "sd", "vrex_irmv1", "irmv1"}) {
    EXPECT_FALSE(settings(key).refresh) << key;
    EXPECT_EQ(settings(key).lr, 1e-3) << key;
    EXPECT_EQ(settings(key).annealed_lr, 0.0) << key;
    EXPECT_EQ(settings(key).pretrain_penalty, 1.0) << key;
  }
}

// "For pretraining epochs, we search from {0,50,100,150,200,250}. For OOD penalty, we search from
// {1e1,1e2,1e3,1e4,1e5}" (Appendix F.1).
TEST(Table6, SearchesPenaltiesAndAnnealingAsAppendixF1) {
  const Table table = table6(request({"sd"}));
  for (const char* key : {"sd", "sd_irmv1", "irmv1"}) {
    for (const Cell& cell : row_named(table, key).cells) {
      std::set<std::pair<double, std::int64_t>> searched;
      for (const CellSetting& setting : cell.settings) {
        searched.emplace(setting.specs[0].settings.penalty, setting.specs[0].settings.pretrain);
      }
      std::set<std::pair<double, std::int64_t>> expected;
      for (const double penalty : {1e1, 1e2, 1e3, 1e4, 1e5}) {
        for (const std::int64_t pretrain : {0, 50, 100, 150, 200, 250}) {
          expected.emplace(penalty, pretrain);
        }
      }
      EXPECT_EQ(searched, expected) << key;
    }
  }
}

TEST(Table6, SearchesOnTheFirstSeedsAndReportsTheBestSettingOnAll) {
  GeneralityRequest asked = request({"vrex"});
  asked.search_seeds = 1;
  Table table = table6(asked);
  std::erase_if(table.rows, [](const Row& row) { return row.key != "vrex"; });
  for (Cell& cell : table.rows[0].cells) {
    cell.settings.resize(3);
  }
  const Table first = first_stage(table);
  EXPECT_EQ(specs_of(first).size(), 2U * 3);
  sweep::ManyRuns runs;
  for (std::size_t i = 0; i < specs_of(first).size(); ++i) {
    sweep::RunOutcome outcome;
    // The second setting is the best on the first dataset, the third on the second.
    outcome.record = {{"worst_test_acc", i == 1 || i == 5 ? 0.7 : 0.1 * static_cast<double>(i)}};
    runs.outcomes.push_back(outcome);
  }
  const Table second = second_stage(table, runs);
  const auto seeds = [&](std::size_t cell, std::size_t setting) {
    return second.rows[0].cells[cell].settings[setting].specs.size();
  };
  EXPECT_THAT((std::vector{seeds(0, 0), seeds(0, 1), seeds(0, 2)}), ElementsAre(1, 3, 1));
  EXPECT_THAT((std::vector{seeds(1, 0), seeds(1, 1), seeds(1, 2)}), ElementsAre(1, 1, 3));
  // The other seeds are worse, and another setting would be better by them; the search decides.
  runs.outcomes.clear();
  for (std::size_t i = 0; i < specs_of(second).size(); ++i) {
    sweep::RunOutcome outcome;
    outcome.record = {{"worst_test_acc", i == 1 || i == 9 ? 0.7 : i == 0 ? 0.6 : 0.2}};
    runs.outcomes.push_back(outcome);
  }
  const nlohmann::json cell = result_json(second, runs, asked.seeds).at("rows")[0].at("cells")[0];
  EXPECT_EQ(cell.at("setting"), table.rows[0].cells[0].settings[1].name);
  EXPECT_EQ(cell.at("search_seeds"), 1);
  ASSERT_EQ(cell.at("values").size(), 3U);
  EXPECT_NEAR(cell.at("mean").get<double>(), 100.0 * (0.7 + 0.2 + 0.2) / 3, 1e-9);
}

TEST(Table6, IsMadeOfItsParts) {
  const auto keys = [](const Table& table) {
    std::set<std::string> names;
    for (const Row& row : table.rows) {
      names.insert(row.key);
    }
    return names;
  };
  GeneralityRequest part = request();
  part.rows = GeneralityRequest::Rows::linear;
  std::set<std::string> all = keys(table6(part));
  EXPECT_TRUE(all.contains("oracle"));
  EXPECT_FALSE(all.contains("vrex_pair"));
  EXPECT_FALSE(all.contains("vrex_plain"));
  using Rows = GeneralityRequest::Rows;
  for (const auto& [rows, per_objective] : {std::pair{Rows::pair, 4U}, {Rows::plain, 3U}, {Rows::sepo, 3U}}) {
    part.rows = rows;
    for (const std::string& key : keys(table6(part))) {
      EXPECT_TRUE(all.insert(key).second) << key;
    }
    EXPECT_EQ(table7(part).rows.size(), 7U * per_objective);
  }
  EXPECT_EQ(all, keys(table6(request())));
}

TEST(Table6, KnowsItsObjectives) {
  const std::vector<std::string> wrong = {"vrx"};
  EXPECT_THAT([&] { (void)table6(request(wrong)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'vrex'?")));
}

TEST(Table7, HasEveryCombinationInElevenRows) {
  const Table table = table7(request());
  EXPECT_EQ(table.rows.size(), 7U * 11 + 3);
}

// Decreasing from 1e12 by steps of 1e2: agreement of gradients or risks first, IB last.
TEST(Table7, HasThePreferencesOfThePaper) {
  const Table table = table7(request());
  const std::vector<std::tuple<std::string, std::vector<std::string>, std::vector<double>>> expected = {
      {"ib", {"erm", "irmv1", "ib"}, {1, 1e12, 1e8}},
      {"vrex", {"erm", "irmv1", "vrex"}, {1, 1e10, 1e12}},
      {"fishr", {"erm", "irmv1", "fishr"}, {1, 1e8, 1e12}},
      {"ib_vrex", {"erm", "irmv1", "ib", "vrex"}, {1, 1e10, 1e8, 1e12}},
      {"ib_fishr", {"erm", "irmv1", "ib", "fishr"}, {1, 1e10, 1e8, 1e12}},
      {"vrex_fishr", {"erm", "irmv1", "vrex", "fishr"}, {1, 1e8, 1e10, 1e12}},
      {"all", {"erm", "irmv1", "ib", "vrex", "fishr"}, {1, 1e8, 1e6, 1e10, 1e12}},
  };
  for (const auto& [key, objectives, preference] : expected) {
    for (const char* scheme :
         {"_pair", "_pair_s", "_pair_s_domainbed", "_plain", "_plain_s", "_sepo", "_sepo_s"}) {
      for (const Cell& cell : row_named(table, key + scheme).cells) {
        for (const CellSetting& setting : cell.settings) {
          for (const runs::RunSpec& spec : setting.specs) {
            EXPECT_EQ(spec.settings.objectives, objectives) << key << scheme;
            EXPECT_EQ(spec.settings.preference, preference) << key << scheme;
          }
        }
      }
    }
  }
}

// An independent implementation of PAIR-s's choice on one seed: in each run, the best score of the last 5
// records; among the runs in the upper half of training accuracies, the best score; the worst test accuracy
// there, in percent.
double by_algorithm_2(const Cell& cell, std::size_t seed, const std::filesystem::path& root) {
  struct Best {
    double score = -std::numeric_limits<double>::infinity();
    double validation = 0.0;
    double test = 0.0;
  };
  std::vector<Best> best;
  for (const CellSetting& setting : cell.settings) {
    const runs::RunSpec& spec = setting.specs.at(seed);
    const std::vector<nlohmann::json> records =
        runs::read_records(root / runs::folder_name(spec) / "results.jsonl");
    EXPECT_GT(records.size(), 5U);
    Best of_run;
    for (std::size_t i = records.size() - 5; i < records.size(); ++i) {
      double score = 0.0;
      double sum = 0.0;
      for (std::size_t k = 0; k < spec.settings.objectives.size(); ++k) {
        const double loss = records[i].at("losses").at(spec.settings.objectives[k]).get<double>();
        score -= std::abs(loss) * spec.settings.preference.at(k);
        sum += spec.settings.preference.at(k);
      }
      const auto accuracy = [&](const char* key) { return records[i].at(key).get<double>(); };
      if (score / sum > of_run.score) {
        of_run = {score / sum, (accuracy("env0_in_acc") + accuracy("env1_in_acc")) / 2.0,
                  100.0 * accuracy("worst_test_acc")};
      }
    }
    best.push_back(of_run);
  }
  const auto by_validation = [](const Best& a, const Best& b) { return a.validation < b.validation; };
  const auto [least, most] = std::minmax_element(best.begin(), best.end(), by_validation);
  const double bar = 0.5 * (least->validation + most->validation);
  Best chosen;
  for (const Best& one : best) {
    if (one.validation >= bar - 1e-12 && one.score > chosen.score) {
      chosen = one;
    }
  }
  return chosen.test;
}

// The release's rule on one seed, retyped: the step after annealing with the smallest sum of preference times
// loss, among those above 5% of the range of training accuracies.
double by_the_release(const Cell& cell, std::size_t seed, const std::filesystem::path& root,
                      std::size_t setting, const std::map<std::string, double>& preference) {
  const runs::RunSpec& spec = cell.settings[setting].specs.at(seed);
  struct Step {
    double score;
    double validation;
    double test;
  };
  std::vector<Step> steps;
  for (const nlohmann::json& record : runs::read_records(root / runs::folder_name(spec) / "results.jsonl")) {
    if (record.at("step").get<std::int64_t>() > spec.settings.pretrain) {
      const nlohmann::json& losses = record.at("losses");
      const auto number = [](const nlohmann::json& value) { return value.get<double>(); };
      double score = 0.0;
      for (const auto& [name, weight] : preference) {
        score += weight * number(losses.at(name));
      }
      steps.push_back({score, (number(record.at("env0_in_acc")) + number(record.at("env1_in_acc"))) / 2.0,
                       100.0 * number(record.at("worst_test_acc"))});
    }
  }
  double least = 1.0;
  double most = 0.0;
  for (const Step& step : steps) {
    least = std::min(least, step.validation);
    most = std::max(most, step.validation);
  }
  const Step* chosen = nullptr;
  for (const Step& step : steps) {
    if (step.validation >= (most - least) * 0.05 + least &&
        (chosen == nullptr || step.score < chosen->score)) {
      chosen = &step;
    }
  }
  return chosen->test;
}

TEST(TablePick, GivesPairSTheLossesByPreferenceAndIfAskedThePreference) {
  const Table table = table6(request({"sd"}));
  const auto& settings = row_named(table, "sd_pair_s").cells[0].settings[0].specs[0].settings;
  const select::WithinRunOptions release = within_run_options(settings, Pick::within_run);
  EXPECT_THAT(release.losses, ElementsAre("erm", "sd", "irmv1"));
  EXPECT_THAT(release.preference, ElementsAre());
  const select::WithinRunOptions own = within_run_options(settings, Pick::within_run_as_trained);
  EXPECT_EQ(own.losses, release.losses);
  EXPECT_THAT(own.preference, ElementsAre(1, 1e8, 1e12));
}

TEST(TablePick, TakesTheBestMeanAndWhatPairSChooses) {
  const std::filesystem::path root = std::filesystem::temp_directory_path() / "pair-generality-pick";
  std::filesystem::remove_all(root);
  const std::vector<std::uint64_t> seeds = {0, 1};
  GeneralityRequest asked;
  asked.objectives = {"sd"};
  asked.seeds = seeds;
  asked.common = {{"steps", "16"},         {"pretrain", "4"},      {"eval_every", "2"},
                  {"train_digits", "200"}, {"test_digits", "100"}, {"width", "8"}};
  Table table = table6(asked);
  std::erase_if(table.rows, [](const Row& row) { return !row.key.starts_with("sd_pair"); });
  for (Cell& cell : table.rows[3].cells) {
    EXPECT_EQ(cell.thin, 10U);
    cell.thin = 1;  // these runs have few records
  }
  const sweep::ManyRuns runs = sweep::run_all(specs_of(table), root, 2);
  const nlohmann::json result = result_json(table, runs, seeds);
  const nlohmann::json& best = result.at("rows")[0].at("cells")[0];
  EXPECT_EQ(best.at("settings").size(), 5U);
  double largest = 0.0;
  for (const nlohmann::json& setting : best.at("settings")) {
    largest = std::max(largest, setting.at("mean").get<double>());
  }
  EXPECT_EQ(best.at("mean").get<double>(), largest);
  // The release's rule, within each run, with its own preference and with PAIR-o's; the best setting by what it
  // chose.
  const std::map<std::string, double> of_release = {{"erm", 1e-12}, {"sd", 1e-2}, {"irmv1", 1}};
  const std::map<std::string, double> of_training = {{"erm", 1}, {"sd", 1e8}, {"irmv1", 1e12}};
  for (const auto& [row, preference] : {std::pair{1U, of_release}, {2U, of_training}}) {
    const nlohmann::json& within = result.at("rows")[row].at("cells")[0];
    const Cell& cell = table.rows[row].cells[0];
    ASSERT_EQ(within.at("settings").size(), 5U);
    for (std::size_t setting = 0; setting < 5; ++setting) {
      const double mean = (by_the_release(cell, 0, root, setting, preference) +
                           by_the_release(cell, 1, root, setting, preference)) /
                          2.0;
      EXPECT_NEAR(within.at("settings")[setting].at("mean").get<double>(), mean, 1e-9);
    }
  }
  // DomainBed's rule, among runs and steps.
  const nlohmann::json& selected = result.at("rows")[3].at("cells")[0];
  EXPECT_EQ(selected.at("setting"), "PAIR-s");
  ASSERT_EQ(selected.at("values").size(), 2U);
  for (std::size_t seed = 0; seed < seeds.size(); ++seed) {
    EXPECT_NEAR(selected.at("values")[seed].get<double>(), by_algorithm_2(table.rows[3].cells[0], seed, root),
                1e-9);
  }
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace pair::paper::generality_test
