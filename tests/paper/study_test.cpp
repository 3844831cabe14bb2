#include "pair/paper/study.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "pair/data/colored_mnist_spec.h"
#include "pair/paper/studies.h"
#include "pair/plot/csv.h"
#include "pair/plot/svg.h"
#include "pair/runs/idle_settings.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/settings.h"

namespace pair::paper::study_test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

StudyRequest full(const Study& study, StudyRequest request = {}) {
  return prepared(study, std::move(request));
}

StudyRequest quick(const Study& study) {
  return prepared(study, {.quick = true});
}

const StudyCell& cell_at(const std::vector<StudyCell>& cells, const json& place) {
  return *std::find_if(cells.begin(), cells.end(),
                       [&](const StudyCell& cell) { return cell.place == place; });
}

// Outcomes as if every run had ended with the accuracy that `accuracy` gives its cell.
template <class Accuracy>
json result_with(const Study& study, const StudyRequest& request, Accuracy accuracy) {
  const std::vector<StudyCell> cells = study.cells(request);
  std::vector<sweep::RunOutcome> outcomes;
  for (const StudyCell& cell : cells) {
    for (std::size_t seed = 0; seed < cell.specs.size(); ++seed) {
      sweep::RunOutcome outcome;
      outcome.record = {{"worst_test_acc", accuracy(cell.place)}};
      outcomes.push_back(std::move(outcome));
    }
  }
  return result_json(study, request, cells, outcomes);
}

const plot::HeatMap& heat_of(const plot::Panel& panel) {
  return std::get<plot::HeatMap>(std::get<plot::Chart>(panel).marks.front());
}

TEST(Studies, AreCalledAsTheirFiguresAre) {
  std::vector<std::string> names;
  for (const Study& study : studies()) {
    names.push_back(study.name);
    if (study.name.starts_with("fig-")) {
      EXPECT_THAT(study.figures, StartsWith("Figure")) << study.name;
    } else {
      EXPECT_EQ(study.figures, "") << study.name;
    }
  }
  EXPECT_THAT(names, ElementsAre("fig-conflict", "fig-sweep", "fig-trajectory", "fig-radar", "fig-preference",
                                 "fig-vrex-failure", "fig-perfect-init", "minibatches"));
}

TEST(Studies, HaveEveryRunOnceAndFewerOfThemInTheQuickForm) {
  for (const Study& study : studies()) {
    const auto hashes = [&](const StudyRequest& request) {
      std::set<std::string> all;
      for (const StudyCell& cell : study.cells(request)) {
        for (const runs::RunSpec& spec : cell.specs) {
          EXPECT_TRUE(all.insert(runs::hash(spec)).second) << study.name;
        }
      }
      return all;
    };
    const std::set<std::string> all = hashes(full(study, {.seeds = {0, 1}}));
    EXPECT_LT(hashes(quick(study)).size(), all.size()) << study.name;
  }
}

TEST(Studies, HaveNoSettingsWithoutEffect) {
  for (const Study& study : studies()) {
    for (const StudyCell& cell : study.cells(full(study))) {
      for (const runs::RunSpec& spec : cell.specs) {
        EXPECT_THAT(runs::idle_settings_of(spec), ::testing::IsEmpty()) << study.name << ' ' << cell.place;
      }
    }
  }
}

TEST(Studies, LetTheRequestsSettingsWin) {
  for (const Study& study : studies()) {
    const StudyRequest request = prepared(study, {.common = {{"train_digits", "77"}}, .quick = true});
    for (const StudyCell& cell : study.cells(request)) {
      EXPECT_EQ(cell.specs.front().dataset.options.as<data::ColoredMnistSpec>().train_digits, 77)
          << study.name;
    }
  }
}

TEST(Studies, SayWhichFiguresTheirFormHas) {
  const Study study = fig_sweep();
  const json without = result_json(study, full(study), {}, {});
  EXPECT_EQ(without.at("figures"), "Figures 1d, 5a, 8, 16a and 16b");
  EXPECT_THAT(study_text(study, without), HasSubstr("(Figures 1d, 5a, 8, 16a and 16b)"));
  const json wide = result_json(study, full(study, {.wide = true}), {}, {});
  EXPECT_EQ(wide.at("figures"), "Figures 1d, 5a, 8, 16a, 16b and 17");
  EXPECT_THAT(study_text(study, wide), HasSubstr("16b and 17)"));
  EXPECT_THAT(study.wide, HasSubstr("Figure 17"));
}

TEST(Studies, RefuseWhatTheyDoNotKnow) {
  EXPECT_THAT([] { (void)prepared(fig_sweep(), {.methods = {"irmvx"}}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'irmv1'?")));
  EXPECT_THAT([] { (void)prepared(fig_radar(), {.seeds = {}}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("seeds: expected at least one, got none")));
  EXPECT_THAT([] { (void)prepared(fig_radar(), {.wide = true}); },
              ThrowsMessage<std::invalid_argument>("fig-radar has no wide form"));
}

TEST(Studies, SayThatTheyAreQuickAndWhatThatMeans) {
  const Study study = fig_vrex_failure();
  const auto even = [](const json&) { return 0.5; };
  const json small = result_with(study, quick(study), even);
  EXPECT_EQ(drawn(study, small).title, "Quick form: " + study.title);
  EXPECT_THAT(study_text(study, small),
              HasSubstr("This is the quick form: 5,000 training digits, 64 units per layer, four"));
  const json large = result_with(study, full(study), even);
  EXPECT_EQ(drawn(study, large).title, study.title);
  EXPECT_THAT(study_text(study, large), Not(HasSubstr("quick")));
}

TEST(Studies, LeaveOutFailedRunsAndCountThem) {
  const Study study = fig_vrex_failure();
  const StudyRequest request = prepared(study, {.methods = {"vrex"}, .seeds = {0, 1}, .quick = true});
  const std::vector<StudyCell> cells = study.cells(request);
  std::vector<sweep::RunOutcome> outcomes(2 * cells.size());
  for (sweep::RunOutcome& outcome : outcomes) {
    outcome.record = {{"worst_test_acc", 0.25}};
  }
  outcomes[1].error = outcomes[2].error = outcomes[3].error = "the loss is not finite";
  const json result = result_json(study, request, cells, outcomes);
  EXPECT_THAT(result.at("cells").at(0).at("accuracy").at("values"), ElementsAre(25.0));
  EXPECT_FALSE(result.at("cells").at(1).contains("accuracy"));
  EXPECT_EQ(result.at("cells").at(1).at("failed"), 2);
  EXPECT_THAT(study_text(study, result), HasSubstr("3 runs failed"));
  EXPECT_THAT(plot::to_svg(drawn(study, result)), HasSubstr("V-REx"));
}

TEST(FigConflict, ComparesEveryObjectiveOfTheFigureAtEveryWeight) {
  const Study study = fig_conflict();
  const std::vector<StudyCell> cells = study.cells(full(study));
  EXPECT_THAT(study.methods, ElementsAre("irmv1", "vrex", "ib", "iga", "fishr", "clove", "sd"));
  EXPECT_THAT(cells, SizeIs(2U * 7 * 5));
  const runs::RunSpec& spec =
      cell_at(cells, {{"dataset", "CMNIST"}, {"method", "iga"}, {"penalty", 1e3}}).specs.front();
  EXPECT_THAT(spec.settings.objectives, ElementsAre("erm", "iga"));
  EXPECT_EQ(spec.settings.penalty, 1e3);
  EXPECT_TRUE(spec.settings.conflict);
  EXPECT_EQ(spec.settings.gradients, train::GradientSource::all) << "IB has no gradient at the head";
  EXPECT_EQ(spec.settings.steps, spec.settings.pretrain + 50);
  EXPECT_EQ(spec.eval_every, 1);
}

class StudyRecords : public ::testing::Test {
 public:
  ~StudyRecords() override { std::filesystem::remove_all(folder_); }

 protected:
  StudyRecords() { std::filesystem::create_directory(folder_); }

  // A finished run with these records.
  sweep::RunOutcome run(const std::string& name, const std::vector<json>& records) const {
    sweep::RunOutcome outcome;
    outcome.directory = folder_ / name;
    outcome.record = records.back();
    std::filesystem::create_directory(outcome.directory);
    std::ofstream file(runs::results_file(outcome.directory));
    for (const json& record : records) {
      file << record.dump() << '\n';
    }
    return outcome;
  }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("pair_study_" + std::to_string(::getpid()) + "_" +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(StudyRecords, ConflictIsTheMeanOverTheStepsAfterPretraining) {
  std::vector<json> records;
  for (int step = 1; step <= 6; ++step) {
    records.push_back({{"step", step},
                       {"hparams", {{"pretrain", 2}}},
                       {"conflict", {{"vrex", step <= 2 ? 1.0 : -0.1 * step}}}});
  }
  records[3]["conflict"]["vrex"] = nullptr;
  const json measured = fig_conflict().measure(std::vector{run("a", records)});
  EXPECT_NEAR(measured.at("cosine").at("mean").get<double>(), -(0.3 + 0.5 + 0.6) / 3, 1e-12);
}

TEST(FigSweep, HasThePapersGrids) {
  const Study study = fig_sweep();
  // 7 weights of IRMv1, 7 x 7 of IRMX and one PAIR-o, at 6 lengths of pretraining on 2 datasets.
  EXPECT_THAT(study.cells(full(study)), SizeIs((7U + 49 + 1) * 6 * 2));
  EXPECT_THAT(study.cells(full(study, {.wide = true})), SizeIs((13U + 169 + 1) * 6 * 2));
  const std::vector<StudyCell> cells = study.cells(full(study));
  const runs::RunSpec& spec = cell_at(cells, {{"dataset", "CMNIST-m"},
                                              {"method", "irmx"},
                                              {"pretrain", 250},
                                              {"penalty", 1e6},
                                              {"vrex_penalty", 10.0}})
                                  .specs.front();
  EXPECT_THAT(spec.settings.penalties, ElementsAre(1e6, 10));
  EXPECT_EQ(spec.settings.pretrain, 250);
  EXPECT_EQ(spec.dataset.name, "cmnist-m");
}

TEST(FigSweep, ShowsTheBestWeightOfVrexAndPairOInTheTopRow) {
  const Study study = fig_sweep();
  const json result = result_with(study, full(study), [](const json& place) {
    if (place.at("method") == "pair") {
      return 0.9;
    }
    return place.value("vrex_penalty", 0.0) == 1e3 ? 0.7 : 0.2;
  });
  const plot::Figure figure = drawn(study, result);
  ASSERT_THAT(figure.panels, SizeIs(5));
  const plot::HeatMap& irmv1 = heat_of(figure.panels[0]);
  const plot::HeatMap& irmx = heat_of(figure.panels[1]);
  EXPECT_EQ(irmx.field.rows, 8U);
  EXPECT_EQ(irmx.field.columns, 6U);
  for (std::size_t column = 0; column < 6; ++column) {
    for (std::size_t row = 0; row < 7; ++row) {
      EXPECT_DOUBLE_EQ(irmv1.field.at(column, row), 20);
      EXPECT_DOUBLE_EQ(irmx.field.at(column, row), 70);
    }
    EXPECT_DOUBLE_EQ(irmx.field.at(column, 7), 90);
  }
  EXPECT_EQ(irmv1.range, irmx.range) << "one colour, one accuracy";
  EXPECT_THAT(study_text(study, result), HasSubstr("V-REx 1e3"));
}

TEST(FigSweep, IsDrawnForAnyOfItsMethods) {
  const Study study = fig_sweep();
  for (const std::vector<std::string>& methods :
       std::vector<std::vector<std::string>>{{"pair"}, {"irmx"}, {"irmv1", "pair"}}) {
    const StudyRequest request = prepared(study, {.methods = methods, .quick = true});
    const json result = result_with(study, request, [](const json&) { return 0.5; });
    const plot::Figure figure = drawn(study, result);
    EXPECT_THAT(figure.panels, SizeIs(methods.front() == "irmv1" ? 2 : 1));
    EXPECT_NO_THROW((void)plot::to_svg(figure));
  }
}

// Figure 8c.
TEST(FigSweep, ShowsIrmv1OnTheModifiedDatasetInDetail) {
  const Study study = fig_sweep();
  const StudyRequest request = prepared(study, {.methods = {"irmv1", "pair"}});
  const json result = result_with(study, request, [](const json& place) {
    if (place.at("method") == "pair") {
      return 0.8 + 1e-4 * place.at("pretrain").get<double>();
    }
    return place.at("dataset") == "CMNIST-m" ? 1e-3 * place.at("pretrain").get<double>() : 0.1;
  });
  const plot::Figure figure = drawn(study, result);
  const auto& chart = std::get<plot::Chart>(figure.panels.back());
  EXPECT_EQ(chart.title, "CMNIST-m, IRMv1 in detail");
  std::vector<std::string> names;
  for (const plot::Mark& mark : chart.marks) {
    if (const auto* line = std::get_if<plot::Line>(&mark)) {
      names.push_back(line->name);
      EXPECT_THAT(line->x, ElementsAre(1, 10, 1e2, 1e3, 1e4, 1e5, 1e6));
    }
    if (const auto* band = std::get_if<plot::Band>(&mark)) {
      EXPECT_NEAR(band->low.front(), 80.0, 1e-9);
      EXPECT_NEAR(band->high.front(), 82.5, 1e-9);
    }
  }
  EXPECT_THAT(names, ElementsAre("0 steps first", "50 steps first", "100 steps first", "150 steps first",
                                 "200 steps first", "250 steps first"));
  const auto& last =
      std::get<plot::Line>(*std::find_if(chart.marks.begin(), chart.marks.end(), [](const auto& m) {
        const auto* line = std::get_if<plot::Line>(&m);
        return line != nullptr && line->name == "250 steps first";
      }));
  EXPECT_NEAR(last.y.front(), 25.0, 1e-9);
}

// The paper's release sums the risks, and SD's loss is divided by 500 after annealing.
TEST(Studies, HaveTheLinearSchemeOfTheRelease) {
  const Study sweep = fig_sweep();
  for (const StudyCell& cell : sweep.cells(full(sweep))) {
    EXPECT_EQ(cell.specs.front().settings.sums, cell.place.at("method") == "pair" ? "none" : "erm");
  }
  const Study conflict = fig_conflict();
  for (const StudyCell& cell : conflict.cells(full(conflict))) {
    const train::Settings& settings = cell.specs.front().settings;
    const std::string method = cell.place.at("method");
    EXPECT_EQ(settings.annealed_divisor, method == "sd" ? 500.0 : 1.0);
    EXPECT_EQ(settings.batch, method == "clove" ? 512 : 0);
    EXPECT_EQ(settings.sums,
              method == "irmv1" || method == "vrex" || method == "ib" ? "erm" : "erm," + method);
    EXPECT_EQ(settings.steps, settings.pretrain + 50);
  }
  const Study radar = fig_radar();
  for (const StudyCell& cell : radar.cells(full(radar))) {
    const std::string method = cell.place.at("method");
    EXPECT_EQ(cell.specs.front().settings.sums, method == "pair" || method == "erm" ? "none" : "erm")
        << method;
  }
}

TEST_F(StudyRecords, TrajectoryIsTheMeanOverSeedsWithItsPhases) {
  const auto records = [](double erm) {
    std::vector<json> all;
    for (int step = 1; step <= 30; ++step) {
      const double weight = step <= 10 ? 1.0 : step <= 20 ? 0.8 : erm;
      all.push_back({{"step", step},
                     {"hparams", {{"objectives", {"erm", "vrex"}}}},
                     {"worst_test_acc", 0.01 * step},
                     {"phase", step <= 10 ? "descent" : "balance"},
                     {"weights", {{"erm", weight}, {"vrex", 1 - weight}}},
                     {"losses", {{"erm", 0.5}, {"vrex", nullptr}}}});
    }
    return all;
  };
  const Study study = fig_trajectory();
  const json measured = study.measure(std::vector{run("a", records(0.1)), run("b", records(0.3))});
  EXPECT_NEAR(measured.at("series").at("weights").at("erm").at(29).get<double>(), 0.2, 1e-12);
  std::vector<std::string> phases;
  for (const json& phase : measured.at("phases")) {
    phases.push_back(phase.at("name"));
  }
  EXPECT_THAT(phases, ElementsAre("Fitting", "Adaption", "Generalization"));
  EXPECT_EQ(measured.at("phases").at(1).at("from"), 11);

  json result{{"seeds", {0, 1}}, {"cells", {{{"dataset", "CMNIST"}, {"failed", 0}}}}};
  // As it is read back from a file, where what is not finite is null.
  result["cells"][0].update(json::parse(measured.dump()));
  const plot::Figure figure = drawn(study, result);
  ASSERT_THAT(figure.panels, SizeIs(2));
  EXPECT_THAT(plot::to_svg(figure), HasSubstr("Generalization"));
  EXPECT_THAT(study_text(study, result), HasSubstr("Adaption"));
}

TEST(FigRadar, RecordsEveryLossAndWeighsTheMethodsOwn) {
  const Study study = fig_radar();
  const std::vector<StudyCell> cells = study.cells(full(study));
  EXPECT_THAT(cells, SizeIs(10));
  const auto penalties = [&](const char* dataset, const char* method) {
    const runs::RunSpec& spec = cell_at(cells, {{"dataset", dataset}, {"method", method}}).specs.front();
    EXPECT_THAT(spec.settings.objectives, ElementsAre("erm", "irmv1", "vrex"));
    return spec.settings.penalties;
  };
  EXPECT_THAT(penalties("CMNIST", "erm"), ElementsAre(0, 0));
  EXPECT_THAT(penalties("CMNIST", "irmv1"), ElementsAre(1e5, 0));
  EXPECT_THAT(penalties("CMNIST-m", "vrex"), ElementsAre(0, 1e4));
  EXPECT_THAT(penalties("CMNIST", "irmx"), ElementsAre(1e4, 1e4));
  EXPECT_THAT(penalties("CMNIST", "pair"), ElementsAre());
}

TEST(FigRadar, PutsTheLeastLossAtTheCentreAndTheLargestAtTheRim) {
  const Study study = fig_radar();
  json result{{"seeds", {0}}, {"cells", json::array()}};
  double loss = 1e-6;
  for (const char* method : {"pair", "irmv1", "erm"}) {
    sweep::RunOutcome run;
    run.record = {{"worst_test_acc", 0.5}, {"losses", {{"erm", 0.5}, {"irmv1", loss}, {"vrex", 1 / loss}}}};
    json cell{{"dataset", "CMNIST"}, {"method", method}, {"failed", 0}};
    cell.update(study.measure(std::vector{run}));
    result["cells"].push_back(cell);
    loss *= 100;
  }
  const plot::Figure figure = drawn(study, result);
  const auto& radar = std::get<plot::Radar>(figure.panels.at(0));
  EXPECT_THAT(radar.spokes, ElementsAre("ERM", "IRMv1", "V-REx"));
  const auto near = [](double a, double b, double c) {
    return ElementsAre(::testing::DoubleNear(a, 1e-12), ::testing::DoubleNear(b, 1e-12),
                       ::testing::DoubleNear(c, 1e-12));
  };
  EXPECT_THAT(radar.series[0].values, near(1, 0, 1)) << "ERM's losses are all the same";
  EXPECT_THAT(radar.series[1].values, near(1, 0.5, 0.5));
  EXPECT_THAT(radar.series[2].values, near(1, 1, 0));
}

TEST(FigPreference, HasVrexAcrossAndIrmv1Upwards) {
  const Study study = fig_preference();
  const json result = result_with(study, full(study), [](const json& place) {
    return 0.01 * std::log10(place.at("vrex").get<double>()) +
           0.001 * std::log10(place.at("irmv1").get<double>());
  });
  const plot::Figure figure = drawn(study, result);
  ASSERT_THAT(figure.panels, SizeIs(4));
  const plot::Field& field = heat_of(figure.panels[2]).field;
  EXPECT_NEAR(field.at(0, 0), 2.2, 1e-9);
  EXPECT_NEAR(field.at(6, 0), 14.2, 1e-9);
  EXPECT_NEAR(field.at(0, 6), 3.4, 1e-9);
  const std::vector<StudyCell> cells = study.cells(full(study));
  const auto spec = [&](const char* step) {
    return cell_at(cells, {{"dataset", "CMNIST"}, {"method", step}, {"irmv1", 1e10}, {"vrex", 1e12}})
        .specs.front();
  };
  EXPECT_EQ(spec("plain").settings.balance_lr, 0.01);
  EXPECT_FALSE(spec("plain").settings.backtrack);
  EXPECT_EQ(runs::hash(spec("guarded")), runs::hash(runs::resolve("cmnist", "pair")))
      << "the default preference is a run of Table 1";
}

TEST(FigVrexFailure, ChangesTheSecondEnvironmentAlone) {
  const Study study = fig_vrex_failure();
  for (const StudyCell& cell : study.cells(full(study))) {
    const auto& dataset = cell.specs.front().dataset.options.as<data::ColoredMnistSpec>();
    EXPECT_EQ(dataset.alpha, 0.25);
    EXPECT_THAT(dataset.train_betas, ElementsAre(0.1, cell.place.at("beta").get<double>()));
  }
}

TEST(FigPerfectInit, StartsEverySeedFromItsOwnGrayRun) {
  const Study study = fig_perfect_init();
  const StudyRequest request = full(study, {.seeds = {3, 4}, .common = {{"width", "8"}}});
  std::set<std::string> gray;
  for (const runs::RunSpec& spec : study.first(request)) {
    EXPECT_THAT(spec.dataset.name, ::testing::EndsWith("-gray"));
    EXPECT_EQ(spec.algorithm, "erm");
    EXPECT_EQ(runs::text_of(spec, "width"), "8");
    gray.insert(runs::folder_name(spec));
  }
  EXPECT_THAT(gray, SizeIs(3U * 2));
  for (const StudyCell& cell : study.cells(request)) {
    for (const runs::RunSpec& spec : cell.specs) {
      EXPECT_THAT(gray, Contains(spec.start));
      EXPECT_THAT(spec.start, HasSubstr("-gray-erm-s" + std::to_string(spec.seed) + "-"));
      EXPECT_THAT(spec.start, StartsWith(spec.dataset.name + "-gray"));
      EXPECT_EQ(spec.settings.pretrain, 0);
    }
  }
}

TEST(MinibatchStudy, DiffersFromTheDefaultInWhatItsNamesSay) {
  const Study study = minibatches();
  const std::vector<StudyCell> cells = study.cells(full(study));
  EXPECT_THAT(cells, SizeIs(2U * (4 * (2 * 3 + 1) + 3)));
  const auto settings = [&](const char* method, int batch, const char* kind) {
    return cell_at(cells, {{"dataset", "CMNIST-m"}, {"method", method}, {"batch", batch}, {"settings", kind}})
        .specs.front();
  };
  for (const char* method : {"irmv1", "vrex", "irmx", "pair"}) {
    EXPECT_EQ(runs::hash(settings(method, 64, "default")),
              runs::hash(runs::resolve("cmnist-m", method, {{{"batch", "64"}}})));
    runs::RunSpec untracked = settings(method, 256, "untracked");
    EXPECT_EQ(untracked.settings.track, 1.0);
    untracked.settings.track = 10.0;
    EXPECT_EQ(runs::hash(untracked), runs::hash(settings(method, 256, "default")));
    runs::RunSpec before = settings(method, 64, "before");
    EXPECT_EQ(before.settings.steps, 1500);
    EXPECT_EQ(before.settings.batch, 64);
    before.settings.steps = 501;
    before.settings.batch = 0;
    EXPECT_EQ(runs::hash(before), runs::hash(settings(method, 0, "default")));
    EXPECT_EQ(runs::hash(before), runs::hash(runs::resolve("cmnist-m", method)));
  }
  EXPECT_EQ(settings("pair", 64, "before").settings.solver, "epo");
  EXPECT_EQ(settings("erm", 64, "default").settings.steps, 1500);
}

TEST(MinibatchStudy, ShowsBothKindsOfSettingsAndFullBatchesInBoth) {
  const Study study = minibatches();
  const json result =
      result_with(study, prepared(study, {.methods = {"erm", "pair"}}), [](const json& place) {
        return place.at("batch") == 0                ? 0.8
               : place.at("settings") == "before"    ? 0.25
               : place.at("settings") == "untracked" ? 0.5
                                                     : 0.75;
      });
  const plot::Figure figure = drawn(study, result);
  ASSERT_THAT(figure.panels, SizeIs(4));
  const auto pair_line = [&](std::size_t panel) {
    return std::get<plot::Line>(std::get<plot::Chart>(figure.panels[panel]).marks.back());
  };
  EXPECT_THAT(pair_line(0).y, ElementsAre(25, 25, 80));
  EXPECT_THAT(pair_line(1).y, ElementsAre(75, 75, 80));
  EXPECT_EQ(std::get<plot::Chart>(figure.panels[3]).title, "CMNIST-m, default");
  const std::string text = study_text(study, result);
  EXPECT_THAT(text, StartsWith("Accuracy by batch size, 1 seed\n"));
  EXPECT_THAT(text, HasSubstr("CMNIST, PAIR-o, moments not averaged         50.0   50.0   80.0"));
  EXPECT_THAT(text, HasSubstr("CMNIST, ERM "));
}

TEST_F(StudyRecords, PerfectInitIsMeasuredRecordByRecord) {
  const auto records = [](double accuracy) {
    return std::vector<json>{{{"step", 10}, {"worst_test_acc", accuracy}},
                             {{"step", 20}, {"worst_test_acc", accuracy / 2}}};
  };
  run("gray", records(0.9));
  const std::vector<sweep::RunOutcome> two = {run("a", records(0.8)), run("b", records(0.6))};
  for (const sweep::RunOutcome& one : two) {
    std::ofstream(runs::spec_file(one.directory)) << R"({"start": "gray"})";
  }
  const json series = fig_perfect_init().measure(two).at("series");
  EXPECT_EQ(series.at("step"), json({0, 10, 20}));
  EXPECT_NEAR(series.at("mean").at(0).get<double>(), 45, 1e-9);
  EXPECT_NEAR(series.at("mean").at(2).get<double>(), 35, 1e-9);
  EXPECT_NEAR(series.at("deviation").at(1).get<double>(), 10, 1e-9);
}

TEST(PowerText, IsWhatSettingsTake) {
  EXPECT_EQ(power_text(1), "1");
  EXPECT_EQ(power_text(10), "1e1");
  EXPECT_EQ(power_text(1e12), "1e12");
  EXPECT_EQ(power_text(0.5), "0.5");
}

}  // namespace
}  // namespace pair::paper::study_test
