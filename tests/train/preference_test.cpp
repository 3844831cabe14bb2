#include "pair/train/preference.h"

#include <gmock/gmock.h>

#include <map>

#include "pair/base/options.h"
#include "pair/train/settings.h"

namespace pair::train::preference_test {
namespace {

using ::testing::HasSubstr;

// The vectors of get_preference in the paper's code (LFhase/PAIR a9a434b, WILDS/src/utils.py), computed by it
// with NumPy 1.24.
TEST(PreferenceChoices, AreThoseOfThePapersCode) {
  const std::map<std::int64_t, std::vector<double>> golden{
      {0, {1e-12, 0.01, 0.989999999999}},  {1, {1e-12, 0.4999999999995, 0.4999999999995}},
      {2, {1e-12, 0.989999999999, 0.01}},  {3, {1e-12, 9.999999999999999e-05, 0.999899999999}},
      {4, {1e-12, 1e-06, 0.999998999999}}, {11, {1e-06, 0.01, 0.989999}},
      {22, {1e-06, 0.989999, 0.01}},       {111, {0.001, 0.1, 0.899}},
      {222, {0.001, 0.899, 0.1}},
  };
  ASSERT_EQ(preference_choices.size(), golden.size());
  for (const PreferenceChoice& choice : preference_choices) {
    EXPECT_EQ(choice.preference(), golden.at(choice.number)) << choice.number;
  }
}

const base::Field& preference_field() {
  for (const base::Field& field : settings_fields()) {
    if (field.name == "preference") {
      return field;
    }
  }
  throw std::logic_error("settings_fields(): expected a field called preference, got none");
}

TEST(PreferenceChoices, AreSetByTheirNumber) {
  Settings settings;
  const base::Field& field = preference_field();
  const auto set = [&](std::string_view text) {
    const std::optional<base::Value> value = field.parse(text);
    return value && field.set(&settings, *value);
  };
  EXPECT_TRUE(set("choice:222"));
  EXPECT_EQ(settings.preference, (std::vector<double>{0.001, 0.899, 0.1}));
  // In the paper's code, a number that does not exist is 0.
  for (const char* const bad : {"choice:5", "choice:", "choice:3x", "choice", "choice:-1", "3 4"}) {
    EXPECT_FALSE(set(bad)) << bad;
  }
  EXPECT_TRUE(set("1,1e10,1e12"));
  EXPECT_TRUE(set("auto"));
  EXPECT_THAT(field.accepted, HasSubstr("or choice:N with N = 0, 1, 2, 3, 4, 11, 22, 111 or 222"));
}

TEST(AutoPreference, RaisesTheRatioToErmAHundredfold) {
  EXPECT_THAT(estimate_preference({0.5, 0.01, 0.001}), ::testing::ElementsAre(1.0, 5e3, 5e4));
  EXPECT_THAT(estimate_preference({0.5, 0.0, 0.001}), ::testing::ElementsAre(1.0, 5e4, 5e4));
  EXPECT_THROW(estimate_preference({0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace pair::train::preference_test
