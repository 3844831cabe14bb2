#include "pair/runs/evaluation.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "pair/runs/tally.h"

namespace pair::runs {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Two environments of classes a and b. In the second, half of the answers are wrong.
Tally::Result two_environments() {
  Tally tally({{"north", "env0_out", false}, {"south", "env1_in", true}}, {"a", "b"});
  tally.add_answer(0, 0, 0, 0.95, 10);
  tally.add_answer(0, 0, 0, 0.55, 11);
  tally.add_answer(0, 1, 1, 0.75, 12);
  tally.add_answer(0, 1, 0, 0.65, 13);
  tally.add_answer(1, 0, 1, 0.6, 20);
  tally.add_answer(1, 1, 0, 0.9, 21);
  tally.add_answer(1, 1, 0, 0.8, 22);
  tally.add_answer(1, 1, 1, 0.7, 23);
  tally.add_answer(1, 0, 0, 1.0, 24);
  tally.add_answer(1, 0, 0, 0.5, 25);
  return tally.result();
}

TEST(Tally, CountsRightAnswersAndConfusions) {
  const Evaluation evaluation = two_environments().evaluation;
  ASSERT_EQ(evaluation.environments.size(), 2U);
  const Evaluation::Environment& north = evaluation.environments[0];
  EXPECT_EQ(north.name, "north");
  EXPECT_FALSE(north.test);
  EXPECT_EQ(north.samples, 4);
  EXPECT_DOUBLE_EQ(north.accuracy, 0.75);
  EXPECT_DOUBLE_EQ(north.confidence, (0.95 + 0.55 + 0.75 + 0.65) / 4);
  // One answer per bin: |1 - 0.95|, |1 - 0.55|, |1 - 0.75| and |0 - 0.65|, a quarter each.
  EXPECT_NEAR(north.calibration_error, (0.05 + 0.45 + 0.25 + 0.65) / 4, 1e-12);
  ASSERT_TRUE(north.confusion);
  EXPECT_THAT(north.confusion->counts, ElementsAre(ElementsAre(2, 0), ElementsAre(1, 1)));
  EXPECT_EQ(evaluation.worst, 1U);
  const Evaluation::Environment& south = evaluation.environments[1];
  EXPECT_THAT(south.confusion->counts, ElementsAre(ElementsAre(2, 1), ElementsAre(2, 1)));
  ASSERT_EQ(south.confused.size(), 2U);
  EXPECT_EQ(south.confused[0].truth, 1U) << "most frequent first";
  EXPECT_EQ(south.confused[0].count, 2);
}

TEST(Tally, ProbabilitiesOfOneAreInTheLastBin) {
  Tally tally({{"e", "env0_out", false}}, {"a", "b"});
  tally.add_answer(0, 0, 0, 1.0, 0);
  tally.add_answer(0, 0, 1, 0.9, 1);
  // One bin: |1 - 1.9| / 2.
  EXPECT_NEAR(tally.result().evaluation.environments[0].calibration_error, 0.45, 1e-12);
}

TEST(Tally, KeepsTheSurestWrongAnswers) {
  const Tally::Result result = two_environments();
  EXPECT_THAT(result.samples, ElementsAre(13, 21, 22, 20)) << "by environment, the surest first";
  EXPECT_EQ(result.evaluation.wrong[1].environment, 1U);
  EXPECT_EQ(result.evaluation.wrong[1].truth, 1U);
  EXPECT_EQ(result.evaluation.wrong[1].answer, 0U);
  EXPECT_DOUBLE_EQ(result.evaluation.wrong[1].probability, 0.9);
}

TEST(Tally, KeepsABoundedNumberOfThemWhateverTheOrder) {
  Tally tally({{"e", "env0_out", false}}, {"a", "b"});
  for (std::size_t i = 0; i < 1000; ++i) {
    tally.add_answer(0, 0, 1, 0.5 + static_cast<double>(i * 7919 % 1000) / 2001.0, i);
  }
  const Tally::Result result = tally.result();
  ASSERT_EQ(result.samples.size(), most_wrong_per_environment);
  for (std::size_t rank = 0; rank < most_wrong_per_environment; ++rank) {
    EXPECT_EQ(result.samples[rank] * 7919 % 1000, 999 - rank);
  }
}

TEST(Tally, OfManyEnvironmentsKeepsTheWorst) {
  std::vector<Tally::Environment> environments;
  for (std::size_t e = 0; e < 100; ++e) {
    environments.push_back({"e" + std::to_string(e), "env" + std::to_string(e) + "_out", false});
  }
  Tally tally(environments, {"a", "b"});
  for (std::size_t e = 0; e < 100; ++e) {
    for (std::size_t i = 0; i < 100; ++i) {
      tally.add_answer(e, 0, i < e ? 1 : 0, e == 20 ? 0.99 : 0.6, 1000 * e + i);
    }
  }
  const Evaluation evaluation = tally.result().evaluation;
  EXPECT_EQ(evaluation.worst, 99U);
  EXPECT_EQ(evaluation.wrong.size(), most_wrong);
  EXPECT_EQ(std::ranges::count(evaluation.wrong, 99U, &Evaluation::Wrong::environment),
            static_cast<std::ptrdiff_t>(most_wrong_per_environment));
  EXPECT_EQ(std::ranges::count(evaluation.wrong, 20U, &Evaluation::Wrong::environment),
            static_cast<std::ptrdiff_t>(most_wrong_per_environment))
      << "the surest of all";
  EXPECT_TRUE(evaluation.environments[60].confusion);
  EXPECT_FALSE(evaluation.environments[59].confusion);
}

// Property: a row of the matrix has all samples of its class, also where only some classes have columns.
TEST(Tally, RowsSumToTheSamplesOfTheirClass) {
  for (const std::size_t classes : {2U, 30U, 31U, 200U}) {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < classes; ++c) {
      names.push_back("class " + std::to_string(c));
    }
    Tally tally({{"e", "env0_out", true}}, names);
    std::vector<std::int64_t> of_class(classes, 0);
    std::size_t state = 1;
    for (std::size_t i = 0; i < 5000; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      const std::size_t truth = (state >> 33U) % classes;
      const std::size_t answer = (state >> 20U) % 3 == 0 ? (state >> 40U) % classes : truth;
      tally.add_answer(0, truth, answer, 0.7, i);
      ++of_class[truth];
    }
    const Evaluation evaluation = tally.result().evaluation;
    const Evaluation::Confusion& confusion = *evaluation.environments[0].confusion;
    EXPECT_EQ(confusion.others, classes > most_classes);
    EXPECT_LE(confusion.classes.size(), most_classes);
    for (std::size_t row = 0; row < confusion.classes.size(); ++row) {
      const std::string& name = evaluation.classes[confusion.classes[row]];
      const auto label = static_cast<std::size_t>(std::stoi(name.substr(6)));
      EXPECT_EQ(std::reduce(confusion.counts[row].begin(), confusion.counts[row].end()), of_class[label]);
    }
    EXPECT_LE(evaluation.classes.size(), std::max<std::size_t>(classes, 30));
    EXPECT_EQ(evaluation.classes_in_all, static_cast<std::int64_t>(classes));
  }
}

TEST(Tally, SummarisesTheResidualsOfARegression) {
  Tally tally({{"e", "env0_out", true}}, {});
  tally.add_value(0, 1.0, 2.0, 0);
  tally.add_value(0, 2.0, 2.0, 1);
  tally.add_value(0, 3.0, 6.0, 2);
  const Tally::Result result = tally.result();
  const Evaluation::Environment& e = result.evaluation.environments[0];
  EXPECT_DOUBLE_EQ(e.rmse, std::sqrt(10.0 / 3.0));
  EXPECT_DOUBLE_EQ(e.mae, 4.0 / 3.0);
  EXPECT_DOUBLE_EQ(e.bias, 4.0 / 3.0);
  // Labels -1, 0, 1 and answers -4/3, -4/3, 8/3 about their means: 4 / sqrt(2 * 32/3).
  EXPECT_NEAR(e.correlation, 4.0 / std::sqrt(64.0 / 3.0), 1e-12);
  EXPECT_THAT(result.samples, ElementsAre(2, 0));
  Tally constant({{"e", "env0_out", true}}, {});
  constant.add_value(0, 1.0, 2.0, 0);
  constant.add_value(0, 1.0, 3.0, 1);
  EXPECT_TRUE(std::isnan(constant.result().evaluation.environments[0].correlation));
}

Evaluation complete() {
  Evaluation evaluation = two_environments().evaluation;
  evaluation.steps = 501;
  evaluation.label = "outcome";
  evaluation.wrong[0].sample = "line 7";
  evaluation.wrong[0].cells = {{"age", "47"}, {"<b>", ""}};
  evaluation.wrong[0].cells_left_out = 3;
  evaluation.wrong[1].sample = "a/b.png";
  evaluation.wrong[1].picture = "Zm9v";
  evaluation.wrong[2].text = "so kind";
  evaluation.columns = Evaluation::Columns{.names = {"age", "tone"},
                                           .left_out = 4,
                                           .fitted = true,
                                           .environments = {0, 1},
                                           .share = {{0.25, 0.75}, {0.5, Evaluation::unknown}},
                                           .agreement = {{0.1, 0.2}, {0.3, -0.4}}};
  return evaluation;
}

TEST(Evaluation, IsTheSameAfterWritingAndReading) {
  const std::string text = to_text(complete());
  const Evaluation read = evaluation_from_text(text);
  EXPECT_EQ(to_text(read), text);
  EXPECT_EQ(read.wrong[0].cells[0].second, "47");
  EXPECT_TRUE(std::isnan(read.columns->share[1][1]));
  Tally tally({{"e", "env0_out", true}}, {});
  tally.add_value(0, 1.0, 2.5, 0);
  const std::string regression = to_text(tally.result().evaluation);
  EXPECT_EQ(to_text(evaluation_from_text(regression)), regression);
}

TEST(Evaluation, BytesThatAreNotUtf8AreReplaced) {
  Evaluation evaluation = complete();
  evaluation.wrong[0].sample = "\xff\xfe";
  EXPECT_EQ(evaluation_from_text(to_text(evaluation)).wrong[0].sample, "\uFFFD\uFFFD");
}

TEST(Evaluation, RefusesWhatDoesNotAgree) {
  const json good = as_json(complete());
  const auto refuses = [&](const char* pointer, const json& value, const char* words) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    EXPECT_THAT([&] { (void)evaluation_from_text(bad.dump()); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(words)))
        << pointer;
  };
  refuses("/format", 2, "format: expected 1, got 2");
  refuses("/worst", 2, "expected the worst environment to be one of them");
  refuses("/worst", -1, "expected the worst environment to be one of them");
  refuses("/wrong/0/truth", 2, "expected classes of the evaluation");
  refuses("/wrong/0/environment", 7, "expected environments of the evaluation");
  refuses("/wrong/1/picture", "\"><script>", "expected pictures in base64");
  refuses("/wrong/1/picture", std::string(100'000, 'A'), "expected pictures in base64");
  refuses("/environments/0/confusion/classes", json::array({0, 5}), "expected classes of the evaluation");
  refuses("/environments/0/confusion/counts", json::array({json::array({1, 2})}),
          "expected one row of counts per class");
  refuses("/environments/0/confusion/counts/0", json::array({1}), "expected one count per class in each row");
  refuses("/environments/0/confusion/counts/0/0", 1.5, "expected counts from 0");
  refuses("/environments/0/samples", 0, "expected environments with samples");
  refuses("/environments/0/name", std::string(3000, 'x'), "expected texts of at most 2000 bytes");
  refuses("/environments", json::array(), "expected the worst environment");
  refuses("/environments", std::vector<json>(1001, good["environments"][0]),
          "expected lists within the limits");
  refuses("/columns/share", json::array(), "expected one row of numbers per environment");
  refuses("/columns/share/0", json::array({1}), "expected one number per column");
  refuses("/columns/environments", json::array({0, 9}), "expected environments of the evaluation");
  refuses("/steps", nullptr, "expected counts from 0");
  refuses("/regression", "no", "expected what a run writes, got another object: type must be boolean");
  for (const char* const text : {"", "[]", "{", "null", "{}", "\"x\""}) {
    EXPECT_THROW((void)evaluation_from_text(text), std::invalid_argument) << text;
  }
}

TEST(Evaluation, NoDamagedByteDoesMoreThanASentence) {
  const std::string text = to_text(complete());
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char byte : {'0', '-', '"', ']', '\0'}) {
      std::string damaged = text;
      damaged[i] = byte;
      try {
        (void)to_text(evaluation_from_text(damaged));
      } catch (const std::invalid_argument&) {
      }
    }
    if (i + 1 < text.size()) {  // the last byte is the line end
      EXPECT_THROW((void)evaluation_from_text(text.substr(0, i)), std::invalid_argument);
    }
  }
}

}  // namespace
}  // namespace pair::runs
