// evaluation.json and its part of 'pair report', as a user meets them.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "pair/data/image.h"
#include "pair/data/image_writer.h"
#include "pair/runs/evaluation.h"
#include "pair/runs/file.h"
#include "pair/runs/records.h"
#include "pair/runs/run_paths.h"
#include "tests/runs/fixtures.h"
#include "tests/runs/program.h"

namespace pair::runs::testing::evaluation_program_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

const fs::path patients = fs::path(PAIR_SOURCES) / "examples/table/patients.csv";

std::vector<std::string> patients_run(const std::string& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {
      "train",    "--data",  patients.string(), "--label",  "outcome",     "--environment", "hospital",
      "--ignore", "patient", "--test-envs",     "St. Mary", "--algorithm", "erm",           "--out",
      out,        "--set",   "model=linear",    "lr=0.05"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void must(const Scratch& scratch, const std::vector<std::string>& arguments) {
  const Answer answer = pair_in(scratch.path(), arguments);
  ASSERT_EQ(answer.status, 0) << answer.err;
}

json report_of(const Scratch& scratch, const std::string& folder) {
  const Answer answer = pair_in(scratch.path(), {"report", folder, "--json"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  return json::parse(answer.out);
}

Evaluation evaluation_in(const fs::path& run) {
  return evaluation_from_text(read_file(evaluation_file(run)));
}

const Evaluation::Environment& environment_named(const Evaluation& evaluation, std::string_view name) {
  return *std::ranges::find(evaluation.environments, name, &Evaluation::Environment::name);
}

// The example of the documentation: the tone agrees with the outcome in three hospitals and not in the fourth.
TEST(PairReportOnATable, NamesTheColumnThatTurns) {
  const Scratch scratch;
  must(scratch, patients_run("erm"));
  const Evaluation evaluation = evaluation_in(scratch / "erm");
  const json last = read_records(results_file(scratch / "erm")).back();
  ASSERT_THAT(evaluation.environments, SizeIs(4));
  for (const Evaluation::Environment& environment : evaluation.environments) {
    EXPECT_NEAR(environment.accuracy, last.at(environment.key + "_acc").get<double>(), 1e-6)
        << environment.name;
    EXPECT_EQ(environment.test, environment.name == "St. Mary");
  }
  EXPECT_EQ(evaluation.environments[evaluation.worst].name, "St. Mary");
  EXPECT_THAT(evaluation.classes, ElementsAre("no", "yes"));
  EXPECT_THAT(evaluation.wrong, SizeIs(4 * most_wrong_per_environment));
  // A wrong answer's cells are those of the line that it names.
  const Evaluation::Wrong& wrong = evaluation.wrong.front();
  ASSERT_THAT(wrong.sample, StartsWith("line "));
  std::ifstream file(patients);
  std::string line;
  for (int i = std::stoi(wrong.sample.substr(5)); i > 0; --i) {
    std::getline(file, line);
  }
  EXPECT_EQ(wrong.cells.front().first, "patient") << "columns that are not used are shown, too";
  EXPECT_THAT(line, StartsWith(wrong.cells.front().second + "," + wrong.cells[1].second + ","));
  EXPECT_THAT(line, ::testing::EndsWith("," + evaluation.classes[wrong.truth]));

  ASSERT_TRUE(evaluation.columns);
  const Evaluation::Columns& columns = *evaluation.columns;
  EXPECT_FALSE(columns.fitted);
  EXPECT_THAT(columns.names, ::testing::UnorderedElementsAre("age", "marker", "smoker", "tone", "ward"));
  for (const std::vector<double>& shares : columns.share) {
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0, 1e-4);
  }
  const auto tone =
      static_cast<std::size_t>(std::ranges::find(columns.names, "tone") - columns.names.begin());
  for (std::size_t e = 0; e < 4; ++e) {
    EXPECT_EQ(columns.agreement[e][tone] < 0.0, evaluation.environments[e].test);
  }

  const json report = report_of(scratch, "erm");
  std::string words;
  for (const json& sentence : report.at("summary")) {
    words += sentence.at("text").get<std::string>() + "\n";
  }
  EXPECT_THAT(words,
              AllOf(HasSubstr("the worst environment is 'St. Mary' (test)"), HasSubstr("It leans on 'tone'"),
                    HasSubstr("which points the wrong way in 'St. Mary'")));
  const json& shown = report.at("runs").at(0).at("evaluation");
  EXPECT_EQ(shown.at("environments").size(), 4U);
  EXPECT_THAT(shown.at("words").dump(), HasSubstr("St. Mary"));
  // Drawn, too.
  must(scratch, {"report", "erm", "--figures", "figures", "-o", "page.html"});
  for (const char* const name : {"environments.svg", "confusion.svg", "columns.svg", "columns.csv"}) {
    EXPECT_TRUE(fs::exists(scratch / "figures" / name)) << name;
  }
  EXPECT_THAT(read_file(scratch / "figures/columns.svg"), AllOf(HasSubstr("tone"), HasSubstr("St. Mary")));
  EXPECT_LT(fs::file_size(scratch / "page.html"), 6e6);
}

TEST(PairReportOnATable, FitsOtherModelsLinearly) {
  const Scratch scratch;
  must(scratch, patients_run("erm", {"model=mlp", "width=16", "--steps", "200"}));
  const Evaluation evaluation = evaluation_in(scratch / "erm");
  ASSERT_TRUE(evaluation.columns);
  EXPECT_TRUE(evaluation.columns->fitted);
  const std::vector<double>& shares = evaluation.columns->share[0];
  EXPECT_GT(std::accumulate(shares.begin(), shares.end(), 0.0), 0.5)
      << "the fit explains most of the outputs";
  EXPECT_EQ(evaluation.columns->names[0], "tone");
}

TEST(PairReportOnATable, HasResidualsOfARegressionInTheLabelsUnit) {
  const Scratch scratch;
  must(scratch, {"train",
                 "--data",
                 patients.string(),
                 "--label",
                 "tone",
                 "--environment",
                 "hospital",
                 "--ignore",
                 "patient",
                 "--test-envs",
                 "St. Mary",
                 "--algorithm",
                 "erm",
                 "--steps",
                 "50",
                 "--out",
                 "run",
                 "--set",
                 "model=linear",
                 "task=regression"});
  const Evaluation evaluation = evaluation_in(scratch / "run");
  EXPECT_TRUE(evaluation.regression);
  EXPECT_EQ(evaluation.label, "tone");
  const Evaluation::Environment& mary = environment_named(evaluation, "St. Mary");
  EXPECT_GT(mary.rmse, 5.0) << "not standardised";
  EXPECT_GE(mary.rmse, mary.mae);
  EXPECT_GE(mary.mae, std::abs(mary.bias));
  ASSERT_THAT(evaluation.wrong, Not(IsEmpty()));
  const Evaluation::Wrong& wrong = evaluation.wrong.front();
  EXPECT_THAT(wrong.cells, Contains(::testing::Pair("tone", std::to_string(std::lround(wrong.label)))));
  EXPECT_THAT(report_of(scratch, "run").at("summary").dump(), HasSubstr("root mean squared error"));
}

// Bright and dark images. In the last environment, the folders are exchanged.
void write_brightness(const fs::path& root) {
  for (const std::string environment : {"a", "b", "c"}) {
    for (const std::string class_name : {"bright", "dark"}) {
      fs::create_directories(root / environment / class_name);
      const bool bright = (class_name == "bright") != (environment == "c");
      for (int i = 0; i < 10; ++i) {
        data::Image image{.rows = 40, .columns = 20, .pixels = {}};
        for (int pixel = 0; pixel < 40 * 20 * 3; ++pixel) {
          image.pixels.push_back(static_cast<std::uint8_t>((bright ? 180 : 30) + (pixel * 7 + i) % 40));
        }
        const data::Bytes bytes = data::png_bytes(image);
        std::ofstream(root / environment / class_name / (std::to_string(i) + ".png"), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      }
    }
  }
}

std::vector<std::string> brightness_run(const std::string& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {
      "train", "--data", "photos", "--test-envs", "c",       "--algorithm",  "erm",     "--steps",      "60",
      "--out", out,      "--set",  "model=mlp",   "width=8", "image_size=8", "lr=0.01", "eval_every=60"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

data::Bytes decoded(const std::string& base64) {
  data::Bytes bytes;
  std::uint32_t bits = 0;
  int count = 0;
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const char digit : base64) {
    if (digit == '=') {
      break;
    }
    bits = (bits << 6U) | static_cast<std::uint32_t>(digits.find(digit));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<std::uint8_t>(bits >> static_cast<unsigned>(count)));
    }
  }
  return bytes;
}

TEST(PairReportOnImages, ShowsTheImagesThatAreWrong) {
  const Scratch scratch;
  write_brightness(scratch / "photos");
  must(scratch, brightness_run("run"));
  const Evaluation evaluation = evaluation_in(scratch / "run");
  EXPECT_EQ(evaluation.environments[evaluation.worst].name, "c");
  const Evaluation::Environment& c = environment_named(evaluation, "c");
  EXPECT_EQ(c.key, "env2_in");
  EXPECT_LT(c.accuracy, 0.5);
  ASSERT_TRUE(c.confusion);
  ASSERT_THAT(evaluation.wrong, Not(IsEmpty()));
  const Evaluation::Wrong& wrong = evaluation.wrong.back();
  EXPECT_THAT(wrong.sample, StartsWith("c/" + evaluation.classes[wrong.truth] + "/"));
  const data::Image picture = data::decode_image(decoded(wrong.picture));
  EXPECT_EQ(picture.rows, 40) << "small images are not enlarged";
  EXPECT_EQ(picture.columns, 20);
  const bool is_bright = picture.at(20, 10, 0) > 128;
  EXPECT_EQ(evaluation.classes[wrong.answer], is_bright ? "bright" : "dark");
  const json report = report_of(scratch, "run");
  EXPECT_EQ(report.at("runs").at(0).at("evaluation").at("wrong").back().at("picture"), wrong.picture);
}

TEST(PairReportOnImages, TheSameRunHasTheSameEvaluation) {
  const Scratch scratch;
  write_brightness(scratch / "photos");
  must(scratch, brightness_run("one"));
  must(scratch, brightness_run("two", {"workers=0"}));
  EXPECT_EQ(read_file(evaluation_file(scratch / "one")), read_file(evaluation_file(scratch / "two")));
  // A crash after the model and before 'done': the next attempt writes the same again.
  const std::string before = read_file(evaluation_file(scratch / "one"));
  fs::remove(done_file(scratch / "one"));
  write(evaluation_file(scratch / "one"), "half");
  must(scratch, brightness_run("one"));
  EXPECT_EQ(read_file(evaluation_file(scratch / "one")), before);
  // Averaged weights are those of the model.
  must(scratch, brightness_run("averaged", {"average=0.5"}));
  const Evaluation averaged = evaluation_in(scratch / "averaged");
  const Answer scored = pair_in(scratch.path(), {"score", "averaged", "--json"});
  const json answer = json::parse(scored.out);
  for (const json& environment : answer.at("environments")) {
    for (const Evaluation::Environment& each : averaged.environments) {
      if (each.key == environment.at("key").get<std::string>()) {
        EXPECT_NEAR(each.accuracy, environment.at("scores").at("accuracy").get<double>(), 1e-6) << each.key;
      }
    }
  }
}

TEST(Evaluation, IsNotThereWithoutAModelAndForDigits) {
  const Scratch scratch;
  must(scratch, patients_run("none", {"--steps", "5", "--no-model"}));
  EXPECT_FALSE(fs::exists(evaluation_file(scratch / "none")));
  EXPECT_TRUE(report_of(scratch, "none").at("runs").at(0).at("evaluation").is_null());
  must(scratch, {"train", "--dataset", "extrapolation-uniform", "--steps", "5", "--out", "points"});
  EXPECT_TRUE(fs::exists(card_file(scratch / "points")));
  EXPECT_FALSE(fs::exists(evaluation_file(scratch / "points")));
}

}  // namespace
}  // namespace pair::runs::testing::evaluation_program_test
