#include <gmock/gmock.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "pair/report/figures.h"
#include "pair/report/page.h"
#include "pair/report/payload.h"
#include "tests/report/evaluation.h"
#include "tests/report/runs.h"

namespace pair::report::evaluation_payload_test {
namespace {

using nlohmann::json;
using select::testing::write;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::records;
using testing::Scratch;
using testing::table_evaluation;

json payload_at(const std::filesystem::path& folder) {
  return payload(std::vector{folder});
}

void write_run(const std::filesystem::path& run, const std::string& evaluation,
               const std::string& algorithm = "erm", int seed = 0) {
  write(run / "results.jsonl", records(3, algorithm, seed));
  write(run / "done", "done");
  if (!evaluation.empty()) {
    write(run / "evaluation.json", evaluation);
  }
}

TEST(PayloadEvaluation, IsThatOfTheRunWithItsWords) {
  const Scratch scratch;
  write_run(scratch / "a", to_text(table_evaluation()));
  write_run(scratch / "b", "", "pair");
  const json result = payload_at(scratch.path());
  const json& evaluation = result["runs"][0]["evaluation"];
  EXPECT_EQ(evaluation["environments"].size(), 4U);
  EXPECT_EQ(evaluation["worst"], 3);
  EXPECT_EQ(evaluation["words"].size(), 3U);
  EXPECT_EQ(evaluation["wrong"][0]["cells"][1][1], "92");
  EXPECT_FALSE(evaluation.contains("format"));
  EXPECT_TRUE(result["runs"][1]["evaluation"].is_null()) << "an old run has none";
  std::string summary;
  for (const json& sentence : result["summary"]) {
    summary += sentence["kind"] == "model" ? sentence["text"].get<std::string>() : "";
  }
  EXPECT_THAT(summary, HasSubstr("erm, seed 0: the worst environment is 'St. Mary' (test)"));
  EXPECT_THAT(summary, HasSubstr("It leans on 'tone'"));
}

TEST(PayloadEvaluation, NamesTheRunAndItsTestEnvironmentWhereOthersAreLikeIt) {
  const Scratch scratch;
  write_run(scratch / "a", to_text(table_evaluation()));
  write_run(scratch / "b", to_text(table_evaluation()));
  std::string summary;
  const json result = payload_at(scratch.path());
  for (const json& sentence : result["summary"]) {
    summary += sentence["kind"] == "model" ? sentence["text"].get<std::string>() : "";
  }
  EXPECT_THAT(summary, HasSubstr("erm, seed 0, run b with the test environment 2: the worst environment"));
}

TEST(PayloadEvaluation, IsNotReadBeforeTheRunIsDone) {
  const Scratch scratch;
  write_run(scratch / "a", to_text(table_evaluation()));
  std::filesystem::remove(scratch / "a/done");
  EXPECT_TRUE(payload_at(scratch.path())["runs"][0]["evaluation"].is_null());
}

TEST(PayloadEvaluation, ThatCannotBeUsedIsNamedAndNothingElseIsLost) {
  const std::string good = to_text(table_evaluation());
  const auto left_out = [&](const std::function<void(const std::filesystem::path&)>& damage) {
    const Scratch scratch;
    write_run(scratch / "a", good);
    damage(scratch / "a/evaluation.json");
    const json result = payload_at(scratch.path());
    EXPECT_EQ(result["runs"][0]["records"], 3);
    EXPECT_FALSE(result["runs"][0]["series"].is_null());
    EXPECT_TRUE(result["runs"][0]["evaluation"].is_null());
    return result["left_out"].dump();
  };
  EXPECT_THAT(left_out([&](const auto& file) { write(file, good.substr(0, 200)); }),
              HasSubstr("evaluation.json cannot be used: expected JSON, got text that is not"));
  EXPECT_THAT(left_out([&](const auto& file) { write(file, ""); }), HasSubstr("expected JSON"));
  EXPECT_THAT(left_out([&](const auto& file) { write(file, "{\"format\":\"<script>\"}"); }),
              HasSubstr("format: expected 1, got"));
  EXPECT_THAT(left_out([&](const auto& file) {
                write(file, good);
                std::filesystem::resize_file(file, runs::longest_evaluation + 1);
              }),
              HasSubstr("evaluation.json cannot be read: "));
  EXPECT_THAT(left_out([&](const auto& file) {
                std::filesystem::remove(file);
                ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
              }),
              HasSubstr("evaluation.json cannot be read: it is not a regular file"));
  EXPECT_THAT(left_out([&](const auto& file) {
                std::filesystem::remove(file);
                std::filesystem::create_directory(file);
              }),
              HasSubstr("evaluation.json cannot be read: "));
}

TEST(PayloadEvaluation, TextsAreCleanAndStayData) {
  const std::string hostile = "</script><script>alert(1)</script>\x01\xc2\x85";
  runs::Evaluation evaluation = table_evaluation();
  evaluation.environments[3].name = hostile;
  evaluation.classes[0] = hostile;
  evaluation.columns->names[0] = hostile;
  evaluation.wrong[0].sample = hostile;
  evaluation.wrong[0].text = hostile;
  evaluation.wrong[0].cells[0] = {hostile, hostile};
  evaluation.label = hostile;
  const Scratch scratch;
  write_run(scratch / "a", to_text(evaluation));
  const json result = payload_at(scratch.path());
  EXPECT_THAT(result["runs"][0]["evaluation"].dump(), Not(HasSubstr("\\u0001")));
  const std::string html = page(result, false);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("\\u003cscript\\u003ealert(1)"));
  // Figures are drawn from them, too.
  const std::vector<std::filesystem::path> folders{scratch.path()};
  for (const NamedFigure& figure : figures_of(read_sources(folders))) {
    EXPECT_NO_THROW(plot::validate(figure.figure)) << figure.name;
  }
}

TEST(PayloadEvaluation, PicturesOfManyRunsAreBounded) {
  runs::Evaluation evaluation = table_evaluation();
  evaluation.wrong[0].cells.clear();
  evaluation.wrong[0].picture = std::string(8000, 'A');
  evaluation.wrong.resize(60, evaluation.wrong[0]);
  const Scratch scratch;
  for (int seed = 0; seed < 30; ++seed) {
    write_run(scratch / ("run" + std::to_string(seed)), to_text(evaluation), "erm", seed);
  }
  const json result = payload_at(scratch.path());
  std::size_t with = 0;
  std::size_t pictures = 0;
  for (const json& run : result["runs"]) {
    if (!run["evaluation"].is_null()) {
      ++with;
      pictures += run["evaluation"]["wrong"][0].contains("picture") ? 1 : 0;
    }
  }
  EXPECT_EQ(with, most_evaluations);
  EXPECT_EQ(pictures, 3U) << "60 pictures of 8 kB each, in 1.5 MB";
  EXPECT_THAT(result["notes"].dump(), HasSubstr("the pictures of wrong answers of 21 runs are left out"));
  EXPECT_LT(result.dump().size(), 3'000'000U);
}

TEST(EvaluationFigures, AreScoresConfusionAndColumns) {
  const std::vector<NamedFigure> figures = evaluation_figures(table_evaluation(), "erm");
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0].name, "environments");
  EXPECT_EQ(figures[1].name, "confusion");
  EXPECT_EQ(figures[2].name, "columns");
  for (const NamedFigure& figure : figures) {
    EXPECT_NO_THROW(plot::validate(figure.figure)) << figure.name;
  }
  const auto& matrix = std::get<plot::HeatMap>(std::get<plot::Chart>(figures[1].figure.panels[0]).marks[0]);
  EXPECT_THAT(matrix.field.values, ::testing::ElementsAre(34, 16, 16, 34))
      << "the first class is the upper row";
  runs::Evaluation regression = table_evaluation();
  regression.regression = true;
  regression.columns.reset();
  for (runs::Evaluation::Environment& environment : regression.environments) {
    environment.confusion.reset();
    environment.rmse = 1.0;
  }
  EXPECT_EQ(evaluation_figures(regression, "erm").size(), 1U);
}

}  // namespace
}  // namespace pair::report::evaluation_payload_test
