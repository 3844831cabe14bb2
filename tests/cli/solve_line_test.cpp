#include "pair/cli/solve_line.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace pair::cli::solve_line_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A good line, with fields replaced, added, or (where null) removed.
std::string line_with(const json& changes) {
  json line{{"losses", {1.0, 2.0}}, {"gram", {{1.0, 0.5}, {0.5, 1.0}}}, {"preference", {1.0, 1.0}}};
  if (!changes.is_null()) {
    line.merge_patch(changes);
  }
  return line.dump();
}

json solved(std::string_view line, const SolveDefaults& defaults = {}) {
  const Reply reply = solve_line(line, 1, defaults);
  EXPECT_EQ(reply.outcome, Outcome::solved) << reply.json;
  return json::parse(reply.json);
}

// The sentence that a line is refused with.
std::string refusal(std::string_view line) {
  const Reply reply = solve_line(line, 7);
  EXPECT_EQ(reply.outcome, Outcome::refused) << reply.json;
  const json parsed = json::parse(reply.json);
  EXPECT_EQ(parsed.at("line"), 7);
  return parsed.at("error");
}

TEST(SolveLine, AnswersWithWeightsPhaseDivergenceObjectiveAndStatusInThisOrder) {
  const Reply reply = solve_line(line_with({}), 1);
  const auto parsed = nlohmann::ordered_json::parse(reply.json);
  std::vector<std::string> fields;
  for (const auto& item : parsed.items()) {
    fields.push_back(item.key());
  }
  EXPECT_THAT(fields, ::testing::ElementsAre("weights", "phase", "divergence", "objective", "status"));
  EXPECT_EQ(parsed["phase"], "balance");
  EXPECT_EQ(parsed["status"], "optimal");
  EXPECT_NEAR(parsed["weights"][0].get<double>() + parsed["weights"][1].get<double>(), 1.0, 1e-12);
}

TEST(SolveLine, WritesTheDivergenceOfThePaper) {
  // p L = (1, 2): L-hat = (1/3, 2/3), mu = 1/3 log(2/3) + 2/3 log(4/3).
  const double expected = std::log(2.0 / 3.0) / 3 + 2 * std::log(4.0 / 3.0) / 3;
  EXPECT_NEAR(solved(line_with({}))["divergence"].get<double>(), expected, 1e-15);
}

TEST(SolveLine, TakesGradientsForTheirGramMatrix) {
  const json from_gram = solved(line_with({{"gram", {{5.0, 1.0}, {1.0, 10.0}}}}));
  const json from_gradients =
      solved(line_with({{"gram", nullptr}, {"gradients", {{1.0, 2.0}, {3.0, -1.0}}}}));
  EXPECT_EQ(from_gram, from_gradients);
}

TEST(SolveLine, DescendsWhereTheDivergenceIsBelowEpsilon) {
  EXPECT_EQ(solved(line_with({{"epsilon", 1e-4}}))["phase"], "balance");
  EXPECT_EQ(solved(line_with({{"epsilon", 0.1}}))["phase"], "descent");
}

TEST(SolveLine, HasNoPhaseForMethodsWithoutPhases) {
  EXPECT_TRUE(solved(line_with({{"solver", "mgda"}}))["phase"].is_null());
}

TEST(SolveLine, UsesTheDefaultsOnlyWhereTheLineDoesNotSay) {
  SolveDefaults defaults;
  defaults.solver = "mgda";
  defaults.options = {{"epsilon", "0.1"}};
  EXPECT_TRUE(solved(line_with({}), defaults)["phase"].is_null());
  EXPECT_EQ(solved(line_with({{"solver", "epo"}}), defaults)["phase"], "descent");
  EXPECT_EQ(solved(line_with({{"solver", "epo"}, {"epsilon", 1e-4}}), defaults)["phase"], "balance");
}

TEST(SolveLine, KnowsEverySolver) {
  for (const moo::SolverEntry& entry : moo::solvers()) {
    const json reply = solved(line_with({{"solver", entry.name},
                                         {"epsilon", 0.01},
                                         {"smoothing", 2},
                                         {"radius", 0.25},
                                         {"sharpness", 2},
                                         {"least", 0.001},
                                         {"previous", {0.25, 0.75}}}));
    EXPECT_EQ(reply["weights"].size(), 2U) << entry.name;
  }
}

TEST(SolveLine, TakesListsAndWordsForOptionsThatHaveThem) {
  const auto with = [](const json& vectors) {
    return solved(line_with({{"solver", "pmtl"}, {"losses", {4.0, 1.0}}, {"pmtl_vectors", vectors}}));
  };
  EXPECT_NE(with({2.0, 1.0, 1.0, 3.0}), with({1.0, 1.0}));
  EXPECT_EQ(with("axes"), solved(line_with({{"solver", "pmtl"}, {"losses", {4.0, 1.0}}})));
  EXPECT_THAT(refusal(line_with({{"solver", "pmtl"}, {"pmtl_vectors", {1, 2, 3}}})),
              HasSubstr("pmtl_vectors: expected one number per objective in each vector (2), got 3 numbers"));
}

TEST(SolveLine, IgnoresOptionsOfOtherSolvers) {
  EXPECT_EQ(solved(line_with({{"solver", "mgda"}, {"epsilon", -1}, {"radius", 7}})),
            solved(line_with({{"solver", "mgda"}})));
}

TEST(SolveLine, KeepsNoOptionForTheNextLine) {
  const PreparedSolvers solvers;
  const auto phase = [&solvers](const json& changes) {
    return json::parse(solve_line(line_with(changes), 1, solvers).json).at("phase");
  };
  EXPECT_EQ(phase({{"epsilon", 0.1}}), "descent");
  EXPECT_EQ(phase({}), "balance");
}

TEST(PreparedSolvers, RefuseAnUnknownSolverAnOptionOfNoneAndABadValue) {
  const auto message = [](const SolveDefaults& defaults) -> std::string {
    try {
      const PreparedSolvers solvers(defaults);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.solver = "mgda", .options = {{"radius", "0.3"}}}), "");
  EXPECT_THAT(message({.solver = "epoo"}), HasSubstr("did you mean 'epo'?"));
  EXPECT_THAT(message({.options = {{"radiu", "1"}}}), HasSubstr("did you mean 'radius'?"));
  EXPECT_THAT(message({.options = {{"radius", "1"}}}), HasSubstr("radius: expected"));
}

TEST(SolveLine, IgnoresFieldsThatItDoesNotKnow) {
  const json extra{{"phase", "balance"}, {"feasible", true}, {"note", {{"losses", {1, "x", nullptr}}}}};
  EXPECT_EQ(solved(line_with(extra)), solved(line_with({})));
}

TEST(SolveLine, ToleratesWindowsLineEndsAndByteOrderMarks) {
  EXPECT_EQ(solved("\xef\xbb\xbf" + line_with({}) + "\r"), solved(line_with({})));
}

TEST(SolveLine, RefusesNumbersThatJsonDoesNotHave) {
  EXPECT_EQ(refusal(R"({"losses": [1, NaN], "gram": [[1, 0], [0, 1]], "preference": [1, 1]})"),
            "losses[1]: expected a finite number, got NaN");
  EXPECT_EQ(refusal(R"({"losses": [1, 1], "gram": [[1, -Infinity]], "preference": [1, 1]})"),
            "gram[0][1]: expected a finite number, got -Infinity");
  EXPECT_EQ(refusal(R"({"preference": [inf]})"), "preference[0]: expected a finite number, got inf");
}

TEST(SolveLine, RefusesNumbersBeyondTheRangeOfADouble) {
  EXPECT_EQ(refusal(R"({"losses": [1, -1e999]})"),
            "losses[1]: expected a number up to 1.7976931348623157e308, got -1e999");
}

TEST(SolveLine, RefusesAMillionDigits) {
  const std::string digits(1'000'000, '7');
  EXPECT_THAT(
      refusal(R"({"losses": [)" + digits + R"(, 1], "gram": [[1, 0], [0, 1]], "preference": [1, 1]})"),
      AllOf(HasSubstr("losses[0]: expected"), HasSubstr("got 7777"), HasSubstr("1000000 characters")));
  EXPECT_THAT(
      refusal(R"({"losses": [1, 1], "gram": [[1, 0.)" + digits + R"(]]})"),
      AllOf(HasSubstr("gram[0][1]: expected a number of at most 2000 characters"), HasSubstr("got 0.7777")));
}

TEST(SolveLine, AcceptsTheExactDigitsOfAnyDouble) {
  // The longest: 767 significant digits after 307 zeros.
  char digits[1200];
  std::snprintf(digits, sizeof digits, "%.1074f", 0x1.fffffffffffffp-1022);
  EXPECT_EQ(solve_line(line_with({}).replace(1, 0, "\"x\": " + std::string(digits) + ","), 1).outcome,
            Outcome::solved);
  EXPECT_EQ(read_request(R"({"losses": [)" + std::string(digits) +
                             R"(, 1], "gram": [[1, 0], [0, 1]], "preference": [1, 1]})",
                         PreparedSolvers())
                .losses[0],
            0x1.fffffffffffffp-1022);
}

TEST(SolveLine, RefusesLossesThatAreNegativeOrAllZero) {
  EXPECT_THAT(refusal(line_with({{"losses", {-1.5, 2}}})),
              HasSubstr("losses[0]: expected a finite number that is not negative, got -1.5"));
  EXPECT_THAT(refusal(line_with({{"losses", {0, 0}}})), HasSubstr("losses: expected at least one above 0"));
}

TEST(SolveLine, RefusesLessThanTwoObjectives) {
  EXPECT_THAT(refusal(R"({"losses": [1], "gram": [[1]], "preference": [1]})"),
              HasSubstr("losses: expected 2 to 64 values, one per objective, got 1"));
  EXPECT_THAT(refusal(R"({"losses": [], "gram": [], "preference": []})"),
              HasSubstr("losses: expected 2 to 64 values, one per objective, got 0"));
  EXPECT_THAT(refusal(R"({"losses": [], "gradients": [], "preference": []})"),
              HasSubstr("losses: expected 2 to 64 values, one per objective, got 0"));
}

TEST(SolveLine, RefusesPreferencesThatAreNotPositive) {
  EXPECT_THAT(refusal(line_with({{"preference", {0, 1}}})),
              HasSubstr("preference[0]: expected a finite positive number, got 0"));
  EXPECT_THAT(refusal(line_with({{"preference", {1, -2}}})),
              HasSubstr("preference[1]: expected a finite positive number, got -2"));
}

TEST(SolveLine, RefusesWrongLengths) {
  EXPECT_THAT(refusal(line_with({{"preference", {1, 1, 1}}})),
              HasSubstr("preference: expected 2 values, one per objective, got 3"));
  EXPECT_EQ(refusal(line_with({{"gram", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}})),
            "gram: expected 2 rows, one per objective, got 3");
  EXPECT_EQ(refusal(line_with({{"gram", nullptr}, {"gradients", json::array({{1, 2}})}})),
            "gradients: expected 2 rows, one per objective, got 1");
  EXPECT_THAT(refusal(line_with({{"solver", "epo_smooth"}, {"previous", {0.5, 0.25, 0.25}}})),
              HasSubstr("previous: expected 2 values, one per objective, got 3"));
}

TEST(SolveLine, RefusesGramMatricesThatAreNotSquareSymmetricAndPositiveSemidefinite) {
  EXPECT_EQ(refusal(line_with({{"gram", {{1, 0}, json::array({0})}}})),
            "gram[1]: expected 2 values, since a Gram matrix is square, got 1");
  EXPECT_THAT(refusal(line_with({{"gram", {{1, 0.5}, {0.25, 1}}}})),
              AllOf(HasSubstr("gram[1][0] = 0.25"), HasSubstr("symmetric")));
  EXPECT_THAT(refusal(line_with({{"gram", {{1, 2}, {2, 1}}}})),
              AllOf(HasSubstr("gram[1][0] = 2"), HasSubstr("positive semidefinite")));
  EXPECT_THAT(refusal(line_with({{"gram", {{-1, 0}, {0, 1}}}})),
              HasSubstr("gram[0][0]: expected a squared norm, not negative, got -1"));
}

TEST(SolveLine, RefusesGradientsThatMakeNoGramMatrix) {
  EXPECT_EQ(refusal(line_with({{"gram", nullptr}, {"gradients", {{1, 2}, json::array({3})}}})),
            "gradients[1]: expected 2 values, as in gradients[0], got 1");
  EXPECT_THAT(refusal(line_with({{"gram", nullptr}, {"gradients", {json::array(), json::array()}}})),
              HasSubstr("gradients[0]: expected at least one value"));
  EXPECT_THAT(refusal(line_with({{"gram", nullptr}, {"gradients", {{1, 1}, {1e200, 1e200}}}})),
              AllOf(HasSubstr("gradients[1] and gradients[1]"), HasSubstr("beyond the range")));
}

TEST(SolveLine, RefusesGramAndGradientsTogetherAndNeither) {
  EXPECT_EQ(refusal(line_with({{"gradients", {{1}, {2}}}})), "expected either gram or gradients, got both");
  EXPECT_THAT(refusal(line_with({{"gram", nullptr}})),
              AllOf(HasSubstr("gram is missing"), HasSubstr("gradients")));
}

TEST(SolveLine, NamesFieldsThatAreMissing) {
  EXPECT_THAT(refusal("{}"), AllOf(HasSubstr("losses is missing"), HasSubstr("array of numbers")));
  EXPECT_THAT(refusal(line_with({{"preference", nullptr}})), HasSubstr("preference is missing"));
}

TEST(SolveLine, NamesValuesOfTheWrongType) {
  EXPECT_EQ(refusal(R"({"losses": null})"),
            "losses: expected an array of numbers, one per objective, got null");
  EXPECT_EQ(refusal(line_with({{"losses", {"1", 2}}})), "losses[0]: expected a number, got '1'");
  EXPECT_EQ(refusal(line_with({{"losses", {{1, 2}}}})), "losses[0]: expected a number, got an array");
  EXPECT_EQ(refusal(line_with({{"gram", {1, 0, 0, 1}}})), "gram[0]: expected an array of numbers, got 1");
  EXPECT_EQ(refusal(line_with({{"gram", {{1, false}, {0, 1}}}})), "gram[0][1]: expected a number, got false");
  EXPECT_EQ(refusal(line_with({{"epsilon", "small"}})),
            "epsilon: expected a number from 0 to 1e+300, got 'small'");
  EXPECT_EQ(refusal(line_with({{"epsilon", {{"value", 1}}}})),
            "epsilon: expected a number from 0 to 1e+300, got an object");
  EXPECT_EQ(refusal(line_with({{"epsilon", true}})),
            "epsilon: expected a number from 0 to 1e+300, got 'true'");
  EXPECT_EQ(refusal(line_with({{"epsilon", {1, 2}}})),
            "epsilon: expected a number from 0 to 1e+300, got '1,2'");
  EXPECT_THAT(refusal(line_with({{"solver", "pmtl"}, {"pmtl_vectors", {1, "x"}}})),
              HasSubstr("pmtl_vectors[1]: expected axes, or a list of numbers"));
  EXPECT_THAT(refusal(line_with({{"solver", 3}})),
              HasSubstr("solver: expected the name of a solver (see 'pair list solvers'), got 3"));
}

TEST(SolveLine, ShortensLongValuesBetweenCharacters) {
  std::string emoji;
  for (int i = 0; i < 100; ++i) {
    emoji += "\xf0\x9f\x98\x80";
  }
  const std::string sentence = refusal(line_with({{"epsilon", emoji}}));
  EXPECT_LT(sentence.size(), 150U);
  EXPECT_THAT(sentence, AllOf(HasSubstr("400 characters"), Not(HasSubstr("\xef\xbf\xbd"))));
}

TEST(SolveLine, RefusesOptionsOutOfRange) {
  EXPECT_THAT(refusal(line_with({{"epsilon", -1}})),
              HasSubstr("epsilon: expected a number from 0 to 1e+300, got '-1'"));
  EXPECT_THAT(refusal(line_with({{"solver", "cagrad"}, {"radius", 2}})),
              HasSubstr("radius: expected a number from 0 to below 1, got '2'"));
  EXPECT_THAT(refusal(line_with({{"solver", "epo_smooth"}, {"smoothing", 0}})),
              HasSubstr("smoothing: expected"));
  EXPECT_THAT(refusal(line_with({{"solver", "epo_smooth"}, {"smoothing", 1e-300}})),
              HasSubstr("smoothing: expected a number from 1e-06 to 1e+06, got '1e-300'"));
}

TEST(SolveLine, RefusesGradientsWhoseSquaresUnderflow) {
  const auto with = [](double scale) {
    return R"({"losses": [1, 2], "preference": [1, 1], "gradients": [[0, )" + json(scale).dump() + "], [" +
           json(2 * scale).dump() + ", 0]]}";
  };
  for (const double scale : {1e-101, 1e-120, 1e-160, 1e-170, 1e-300, 5e-324}) {
    EXPECT_THAT(refusal(with(scale)), HasSubstr("gradients[0]: expected a norm of 0 or in [1e-100, 1e100]"))
        << scale;
  }
  EXPECT_EQ(solve_line(with(1e-99), 1).outcome, Outcome::solved);
  EXPECT_EQ(solve_line(with(0), 1).outcome, Outcome::solved) << "both have vanished";
}

TEST(SolveLine, SuggestsTheSolverAndTheFieldThatWasMeant) {
  EXPECT_THAT(refusal(line_with({{"solver", "epoo"}})), HasSubstr("'epoo'; did you mean 'epo'?"));
  EXPECT_THAT(refusal(line_with({{"losses", nullptr}, {"losess", {1, 2}}})),
              HasSubstr("unknown field 'losess'; did you mean 'losses'?"));
  EXPECT_THAT(refusal(line_with({{"eps", 0.1}, {"epsilonn", 0.1}})), HasSubstr("did you mean 'epsilon'?"));
}

TEST(SolveLine, IgnoresASimilarFieldIfTheFieldItselfIsGiven) {
  EXPECT_EQ(solved(line_with({{"solver", "epo"}, {"solved", true}})), solved(line_with({})));
}

TEST(SolveLine, RefusesAFieldGivenTwice) {
  EXPECT_EQ(refusal(R"({"losses": [1, 2], "losses": [1, 2]})"), "losses: expected once, got twice");
}

TEST(SolveLine, RefusesWhatIsNotOneWholeObject) {
  EXPECT_EQ(refusal(R"({"losses": [1, 2], "gram": [[1, 0.5], [0.5)"),
            "the line ends early, at gram[1][1]; expected one complete JSON object per line");
  EXPECT_THAT(refusal("{"), HasSubstr("the line ends early"));
  EXPECT_THAT(refusal(R"([{"losses": [1, 2]}])"),
              AllOf(HasSubstr("one JSON object per line"), HasSubstr("got an array")));
  EXPECT_EQ(refusal("3"), "the line: expected one JSON object, got 3");
  EXPECT_EQ(refusal(R"({"losses": [1 2]})"),
            "losses[1]: expected JSON, got '2' at column 15; each line must be one JSON object");
  EXPECT_EQ(refusal("not json"),
            "the line: expected JSON, got 'not' at column 1; each line must be one JSON object");
  EXPECT_EQ(refusal(R"({"losses" [1]})"),
            "losses: expected JSON, got '[' at column 11; each line must be one JSON object");
  EXPECT_EQ(refusal("{} {"), "the line: expected one JSON object per line, got more from column 4 on");
  EXPECT_THAT(refusal(R"({"losses": [1, nope]})"),
              HasSubstr("losses[1]: expected JSON, got 'nope' at column 16"));
  EXPECT_THAT(refusal(line_with({}) + line_with({})), HasSubstr("one JSON object per line"));
  EXPECT_THAT(refusal(""), HasSubstr("one JSON object"));
}

TEST(SolveLine, SurvivesDeepNestingAndBytesThatAreNotText) {
  EXPECT_THAT(refusal(R"({"x": )" + std::string(1'000'000, '[')), HasSubstr("ends early, at 'x'"));
  EXPECT_THAT(refusal(R"({"losses": )" + std::string(1'000'000, '[')),
              HasSubstr("losses[0]: expected a number, got an array"));
  EXPECT_THAT(refusal(std::string("\0\xff{", 3)), HasSubstr("expected JSON, got "));
  EXPECT_THAT(refusal("{\"solver\": \"\xc3\x28\"}"), HasSubstr("expected JSON, got "));
  EXPECT_THAT(refusal(R"({"losses": "a\nb\u0000c"})"), HasSubstr("'a?b?c'"));
}

}  // namespace
}  // namespace pair::cli::solve_line_test
