#include "pair/report/figures.h"

#include <gmock/gmock.h>

#include <fstream>

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
  EXPECT_THAT(names(figures_of(sources)), IsSupersetOf({"overlay", "spread", "heat", "radar", "pareto",
                                                        "run-1-losses", "run-4-weights"}));
  EXPECT_THAT(names(figures_of(sources, 0)), ElementsAre("overlay", "spread", "heat", "radar", "pareto"));
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
