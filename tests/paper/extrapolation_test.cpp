#include "pair/paper/extrapolation.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "pair/paper/extrapolation_figure.h"
#include "pair/plot/svg.h"
#include "pair/runs/settings.h"

namespace pair::paper::extrapolation_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ExtrapolationRequest quick() {
  ExtrapolationRequest request;
  request.methods = {"erm", "pair"};
  request.seeds = {0, 1};
  request.preferences = {"1,1e4,1e4", "1,1e8,1e8"};
  request.common = {{"steps", "30"}, {"pretrain", "10"}, {"points", "50"}, {"batch", "20"}, {"width", "8"}};
  return request;
}

class Folder {
 public:
  Folder() { std::filesystem::create_directories(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() /
      ("pair-extrapolation-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "-" +
       ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

std::vector<std::string> settings_of(const ExtrapolationMethod& method) {
  std::vector<std::string> settings;
  for (const Candidate& candidate : method.candidates) {
    settings.push_back(candidate.setting);
  }
  return settings;
}

// Appendix C.3: "they generically perform well when with the penalty weights of 1e-2 to 1e1" and "6 choices
// (1,1e4,1e16),(1,1e4,1e12),(1,1e6,1e8),(1,1e8,1e4), (1,1e4,1e4),(1,1e8,1e8)".
TEST(ExtrapolationRecipe, SearchesThePenaltiesThatThePaperFoundToWorkAndItsPreferences) {
  const std::vector<ExtrapolationMethod> methods = extrapolation_candidates({});
  ASSERT_EQ(methods.size(), 6U);
  EXPECT_EQ(methods[0].candidates.size(), 1U);
  for (const std::size_t linear : {1, 2, 3}) {
    std::vector<double> penalties;
    for (const Candidate& candidate : methods[linear].candidates) {
      penalties.push_back(candidate.spec.settings.penalty);
    }
    EXPECT_THAT(penalties, ::testing::ElementsAre(1e-2, 1e-1, 1e0, 1e1)) << methods[linear].key;
  }
  for (const std::size_t pair : {4, 5}) {
    std::vector<std::vector<double>> preferences;
    for (const Candidate& candidate : methods[pair].candidates) {
      preferences.push_back(candidate.spec.settings.preference);
    }
    EXPECT_THAT(preferences, ::testing::UnorderedElementsAre(
                                 std::vector<double>{1, 1e4, 1e16}, std::vector<double>{1, 1e4, 1e12},
                                 std::vector<double>{1, 1e6, 1e8}, std::vector<double>{1, 1e8, 1e4},
                                 std::vector<double>{1, 1e4, 1e4}, std::vector<double>{1, 1e8, 1e8}));
  }
  for (const ExtrapolationMethod& method : methods) {
    for (const Candidate& candidate : method.candidates) {
      EXPECT_EQ(candidate.spec.settings.steps, 50'000);
      EXPECT_EQ(candidate.spec.settings.batch, 512);
      EXPECT_EQ(runs::text_of(candidate.spec, "width"), "128");
    }
  }
}

// The release's notebook: coffe = 2, sample_size [5000, 1000], batch_size 512 (256 per environment), n_epoch
// 10000, anneal_epoch 150, a new Adam for linear methods, PAIR(self.parameters()), V-REx at weight 1 before;
// pair.py takes the preference as weights if the program has no solution.
TEST(ExtrapolationRecipe, HasTheNotebooksProblem) {
  ExtrapolationRequest request;
  request.problem = ExtrapolationProblem::notebook;
  for (const ExtrapolationMethod& method : extrapolation_candidates(request)) {
    const runs::RunSpec& spec = method.candidates.front().spec;
    EXPECT_EQ(runs::text_of(spec, "frequency"), "2");
    EXPECT_EQ(runs::text_of(spec, "points"), "2500");
    EXPECT_EQ(spec.settings.batch, 256);
    EXPECT_EQ(spec.settings.steps, 10'000 * 10);
    EXPECT_EQ(spec.settings.l2, 0.0);
    if (method.key == "erm") {
      continue;
    }
    EXPECT_EQ(spec.settings.pretrain, 150 * 10);
    if (method.key.starts_with("pair")) {
      EXPECT_EQ(spec.settings.gradients, train::GradientSource::all);
      EXPECT_THAT(spec.settings.descent_penalties, ::testing::ElementsAre(0.0, 1.0));
      EXPECT_FALSE(spec.settings.refresh);
      if (method.key == "pair") {
        EXPECT_EQ(runs::text_of(spec, "without_solution"), "preference");
      }
      EXPECT_THAT(settings_of(method), ::testing::Contains("preference 1,1e12,1e4"));
    } else {
      EXPECT_TRUE(spec.settings.refresh);
      EXPECT_EQ(spec.settings.pretrain_penalty, 1.0);
      EXPECT_EQ(spec.settings.penalty, 1e-4);
    }
  }
}

TEST(ExtrapolationRecipe, ComparesEposOwnWeightsWithTheSmoothedOnesOfTheDefault) {
  const std::vector<ExtrapolationMethod> methods = extrapolation_candidates({});
  EXPECT_EQ(methods[4].candidates.front().spec.settings.solver, "epo");
  EXPECT_EQ(methods[5].candidates.front().spec.settings.solver, "epo_smooth");
  const runs::RunSpec standard = runs::resolve("extrapolation-gaussian", "pair");
  EXPECT_EQ(runs::hash(standard),
            runs::hash(extrapolation_candidates({.sampling = data::ExtrapolationSpec::Sampling::gaussian,
                                                 .preferences = {"1,1e8,1e4"}})[5]
                           .candidates.front()
                           .spec));
}

TEST(ExtrapolationRecipe, RunsTheSettingWithTheLeastValidationErrorOnEverySeed) {
  const Folder folder;
  const nlohmann::json result = extrapolation(quick(), folder.path(), 2);
  ASSERT_EQ(result.at("methods").size(), 2U);
  const nlohmann::json& pair = result.at("methods")[1];
  const nlohmann::json& candidates = pair.at("candidates");
  ASSERT_EQ(candidates.size(), 2U);
  const bool first = candidates[0].at("validation_mse") <= candidates[1].at("validation_mse");
  EXPECT_EQ(pair.at("setting"), candidates[first ? 0 : 1].at("setting"));
  EXPECT_EQ(pair.at("validation_mse").at("values")[0], candidates[first ? 0 : 1].at("validation_mse"));
  EXPECT_EQ(pair.at("invariance").at("values")[0], candidates[first ? 0 : 1].at("invariance"));
  EXPECT_EQ(pair.at("mse").at("values").size(), 2U);
  EXPECT_NE(pair.at("mse").at("values")[0], pair.at("mse").at("values")[1]);
  EXPECT_EQ(pair.at("map").at("values").size(), 101U * 101U);
  EXPECT_EQ(extrapolation(quick(), folder.path(), 1), result) << "finished runs are read";
}

TEST(ExtrapolationRecipe, ScoresHowMuchTheMapChangesWithX2) {
  const Folder folder;
  ExtrapolationRequest request = quick();
  request.methods = {"erm"};
  request.seeds = {0};
  const nlohmann::json result = extrapolation(request, folder.path(), 1);
  const nlohmann::json& map = result.at("methods")[0].at("map");
  const auto values = map.at("values").get<std::vector<double>>();
  const std::size_t side = map.at("side");
  double sum = 0.0;
  std::size_t columns = 0;
  for (std::size_t column = side / 4; column <= side - 1 - side / 4; ++column, ++columns) {
    double mean = 0.0;
    double square = 0.0;
    for (std::size_t row = 0; row < side; ++row) {
      mean += values[row * side + column] / static_cast<double>(side);
      square += values[row * side + column] * values[row * side + column] / static_cast<double>(side);
    }
    sum += std::sqrt(square - mean * mean);
  }
  EXPECT_NEAR(result.at("methods")[0].at("invariance").at("mean").get<double>(),
              sum / static_cast<double>(columns), 0.02);
}

TEST(ExtrapolationRecipe, IsDrawnAndWrittenAsText) {
  const Folder folder;
  const nlohmann::json result = extrapolation(quick(), folder.path(), 2);
  EXPECT_THAT(extrapolation_text(result), HasSubstr("PAIR-o"));
  const plot::Figure figure = extrapolation_figure(result);
  EXPECT_EQ(figure.panels.size(), 3U);
  EXPECT_THAT(plot::to_svg(figure), HasSubstr("training data"));
}

TEST(ExtrapolationRecipe, RefusesUnknownNames) {
  ExtrapolationRequest request = quick();
  request.methods = {"pairs"};
  EXPECT_THAT([&] { extrapolation_candidates(request); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'pair'?")));
  request = quick();
  request.seeds.clear();
  EXPECT_THAT([&] { extrapolation_candidates(request); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("seeds: expected at least one, got none")));
  request = quick();
  request.common = {{"alpha", "0.2"}};
  EXPECT_THAT(
      [&] { extrapolation_candidates(request); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("alpha does not apply to extrapolation-uniform")));
}

}  // namespace
}  // namespace pair::paper::extrapolation_test
