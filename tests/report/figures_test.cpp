#include "pair/report/figures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <variant>

#include "pair/plot/csv.h"
#include "pair/plot/png.h"
#include "tests/report/runs.h"

namespace pair::report::figures_test {
namespace {

using select::testing::write;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::records;
using testing::Scratch;

std::vector<std::string> names(const std::vector<NamedFigure>& figures) {
  std::vector<std::string> all;
  for (const NamedFigure& figure : figures) {
    all.push_back(figure.name);
  }
  return all;
}

TEST(Figures, OfARunAreThoseItsRecordsAllow) {
  const Scratch scratch;
  write(scratch / "results.jsonl", records(60));
  const Sources sources = read_sources(std::vector{scratch.path()});
  const std::vector<NamedFigure> figures = figures_of(sources);
  EXPECT_THAT(names(figures), ElementsAre("losses", "weights", "divergence", "accuracy", "rate", "events"));
  EXPECT_THAT(plot::to_csv(figures[1].figure), HasSubstr("Generalization"));
}

TEST(Figures, OfLossesShowHeldOutOnesAndTheNoiseFloor) {
  const Scratch scratch;
  std::string text;
  for (int step = 1; step <= 5; ++step) {
    nlohmann::json record = testing::record(step);
    record["held_out_losses"] = {{"erm", 0.7}, {"vrex", 0.25}};
    record["noise_floor"] = {{"vrex", 0.125}};
    record["held_out_noise_floor"] = {{"vrex", 0.0625}};
    text += record.dump() + "\n";
  }
  write(scratch / "results.jsonl", text);
  const std::vector<NamedFigure> figures = figures_of(read_sources(std::vector{scratch.path()}));
  const auto& marks = std::get<plot::Chart>(figures.front().figure.panels.front()).marks;
  std::vector<std::string> lines;
  const plot::Band* band = nullptr;
  for (const plot::Mark& mark : marks) {
    if (const auto* const line = std::get_if<plot::Line>(&mark)) {
      lines.push_back(line->name);
    }
    band = std::holds_alternative<plot::Band>(mark) ? &std::get<plot::Band>(mark) : band;
  }
  EXPECT_THAT(lines, ElementsAre("erm", "irmv1", "vrex", "erm, held out", "vrex, held out"));
  ASSERT_NE(band, nullptr);
  EXPECT_EQ(band->name, "vrex, noise floor");
  EXPECT_THAT(band->high, ::testing::Each(0.125));
  EXPECT_THAT(band->low, ::testing::Each(0.01));  // the smallest loss of the run
  EXPECT_THAT(names(figures), ElementsAre("losses", "weights", "divergence", "accuracy", "rate", "events"));
}

TEST(Figures, OfSeveralRunsCompareThem) {
  const Scratch scratch;
  for (int i = 0; i < 4; ++i) {
    std::string text;
    for (int step = 1; step <= 5; ++step) {
      nlohmann::json record = testing::record(step, i % 2 == 0 ? "erm" : "pair", i);
      record["hparams"]["penalty"] = i % 2;
      record["hparams"]["width"] = i / 2;
      text += record.dump() + "\n";
    }
    write(scratch / ("r" + std::to_string(i) + "/results.jsonl"), text);
  }
  const Sources sources = read_sources(std::vector{scratch.path()});
  EXPECT_THAT(names(figures_of(sources)),
              IsSupersetOf({"overlay", "spread", "heat", "radar", "pareto", "r0-losses", "r3-weights"}));
  EXPECT_THAT(names(figures_of(sources, 0)), ElementsAre("overlay", "spread", "heat", "radar", "pareto"));
}

TEST(Figures, HaveAHeatMapPerDataset) {
  const Scratch scratch;
  for (int i = 0; i < 8; ++i) {
    nlohmann::json record = testing::record(1, "erm", i);
    record["args"]["dataset"] = i < 4 ? "table" : "digits";
    record["hparams"]["penalty"] = i % 2;
    record["hparams"][i < 4 ? "width" : "depth"] = i / 2 % 2;
    write(scratch / ("r" + std::to_string(i) + "/results.jsonl"), record.dump() + "\n");
  }
  const std::vector<NamedFigure> figures = figures_of(read_sources(std::vector{scratch.path()}), 0);
  const auto heat = std::ranges::find(figures, "heat", &NamedFigure::name);
  ASSERT_NE(heat, figures.end());
  std::vector<std::string> panels;
  for (const plot::Panel& panel : heat->figure.panels) {
    const auto& chart = std::get<plot::Chart>(panel);
    panels.push_back(chart.title + ": " + chart.x.label + ", " + chart.y.label);
  }
  EXPECT_THAT(panels, ElementsAre("digits: depth, penalty", "table: penalty, width"));
}

TEST(Figures, HaveAHeatMapOfErrorsOfADatasetWithoutAccuracies) {
  const Scratch scratch;
  for (int i = 0; i < 8; ++i) {
    nlohmann::json record = testing::record(1, "erm", i);
    record["args"]["dataset"] = i < 4 ? "classes" : "values";
    record["hparams"]["penalty"] = i % 2;
    record["hparams"]["width"] = i / 2 % 2;
    if (i >= 4) {
      record.erase("worst_test_acc");
      for (const char* const key : {"env0_in", "env1_in", "env2_out"}) {
        record.erase(std::string(key) + "_acc");
        record[std::string(key) + "_mse"] = 0.25;
      }
      record["worst_test_mse"] = 0.25;
    }
    write(scratch / ("r" + std::to_string(i) + "/results.jsonl"), record.dump() + "\n");
  }
  const std::optional<plot::Figure> heat = heat_figure(read_sources(std::vector{scratch.path()}));
  ASSERT_TRUE(heat);
  std::vector<std::string> panels;
  for (const plot::Panel& panel : heat->panels) {
    const auto& chart = std::get<plot::Chart>(panel);
    panels.push_back(chart.title + ": " + std::get<plot::HeatMap>(chart.marks.at(0)).label);
  }
  EXPECT_THAT(panels, ElementsAre("classes: worst-environment test accuracy",
                                  "values: worst-environment test squared error"));
}

TEST(Figures, OfOneRunAmongSeveralSayWhichRunTheyAreOf) {
  const Scratch scratch;
  write(scratch / "a/some run_1/results.jsonl", records(5));
  write(scratch / "b/some run_1/results.jsonl", records(5, "pair", 1));
  const Sources sources = read_sources(std::vector{scratch / "a", scratch / "b"});
  const std::vector<NamedFigure> figures = figures_of(sources);
  EXPECT_THAT(names(figures), IsSupersetOf({"some-run-1-losses", "some-run-1-2-losses"}));
  const auto losses = std::find_if(figures.begin(), figures.end(), [](const NamedFigure& figure) {
    return figure.name == "some-run-1-losses";
  });
  EXPECT_EQ(losses->figure.title, "pair on cmnist, seed 0");
  EXPECT_EQ(std::get<plot::Chart>(losses->figure.panels[0]).title, "run some run_1");
}

TEST(Figures, ThatAreLeftOutSayWhy) {
  const Scratch scratch;
  for (const char* const name : {"a", "b"}) {
    nlohmann::json record = testing::record(1, name == std::string("a") ? "erm" : "irmv1");
    record["losses"] = {{"erm", 1.0}, {"irmv1", 0.5}};
    write(scratch / name / "results.jsonl", record.dump() + "\n");
  }
  const Sources sources = read_sources(std::vector{scratch.path()});
  EXPECT_THAT(
      absent_figures(sources),
      ElementsAre("no heat: expected at least 2 settings that take 2 to 40 values each on one dataset, "
                  "got fewer",
                  "no radar: expected at least 3 losses, got 2 (erm, irmv1)"));
}

TEST(Figures, AreWrittenWithTheirNumbersBesideThem) {
  const Scratch scratch;
  write(scratch / "run/results.jsonl", records(10));
  const Sources sources = read_sources(std::vector{scratch / "run"});
  const auto files = write_figures(figures_of(sources), scratch / "new/figures");
  EXPECT_EQ(files.size(), figures_of(sources).size() * (plot::have_png() ? 3 : 2));
  EXPECT_THAT(files, Contains(scratch / "new/figures/losses.svg"));
  std::ifstream csv(scratch / "new/figures/losses.csv");
  const std::string text((std::istreambuf_iterator<char>(csv)), {});
  EXPECT_THAT(text, HasSubstr("line,irmv1"));
  EXPECT_THROW(write_figures(figures_of(sources), scratch / "run/results.jsonl"), std::runtime_error);
}

}  // namespace
}  // namespace pair::report::figures_test
