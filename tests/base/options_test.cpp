#include "pair/base/options.h"

#include <gmock/gmock.h>

#include <cmath>

#include "pair/base/registry.h"

namespace pair::base::options_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

enum class Shape { round, square };

struct Sample {
  double rate = 0.5;
  std::int64_t count = 3;
  bool loud = false;
  Shape shape = Shape::round;
  std::vector<double> weights = {};
  std::vector<std::int64_t> places = {1};
  std::string folder = {};
};

void describe(Fields<Sample>& field) {
  field.number("rate", &Sample::rate, {.low = 0, .high = 1, .open_high = true}, "how fast").domainbed =
      Uniform{0.1, 0.9};
  field.whole("count", &Sample::count, std::int64_t{1}, 10, "how many");
  field.flag("loud", &Sample::loud, "with a message").unsaid = "false";
  field.choice("shape", &Sample::shape, {{"round", Shape::round}, {"square", Shape::square}}, "how it looks");
  field.numbers("weights", &Sample::weights, {.low = 0}, "one per part", "equal");
  field.wholes("places", &Sample::places, 0, 5, "where");
  field.text("folder", &Sample::folder, "folders", "where files are");
}

Options with(const char* name, const char* text) {
  return with_changes(Options::of<Sample>(), {{name, text}});
}

auto refused(const std::string& sentence) {
  return ThrowsMessage<std::invalid_argument>(sentence);
}

TEST(Options, ChangeByNameAndText) {
  EXPECT_EQ(with("rate", " 0.25 ").as<Sample>().rate, 0.25);
  EXPECT_EQ(with("count", "10").as<Sample>().count, 10);
  EXPECT_TRUE(with("loud", "yes").as<Sample>().loud);
  EXPECT_EQ(with("shape", "square").as<Sample>().shape, Shape::square);
  EXPECT_THAT(with("weights", "1, 2.5").as<Sample>().weights, ElementsAre(1, 2.5));
  EXPECT_THAT(with("weights", "equal").as<Sample>().weights, ElementsAre());
  EXPECT_THAT(with("places", "5,0").as<Sample>().places, ElementsAre(5, 0));
  EXPECT_EQ(with("folder", "a b").as<Sample>().folder, "a b");
}

TEST(Options, SayWhatIsExpectedAndWhatTheyGot) {
  EXPECT_THAT([] { (void)with("rate", "1"); }, refused("rate: expected a number from 0 to below 1, got '1'"));
  EXPECT_THAT([] { (void)with("rate", "nan"); },
              refused("rate: expected a number from 0 to below 1, got 'nan'"));
  EXPECT_THAT([] { (void)with("count", "1e1"); },
              refused("count: expected an integer from 1 to 10, got '1e1'"));
  EXPECT_THAT([] { (void)with("count", "11"); },
              refused("count: expected an integer from 1 to 10, got '11'"));
  EXPECT_THAT([] { (void)with("loud", "very"); }, refused("loud: expected true or false, got 'very'"));
  EXPECT_THAT([] { (void)with("shape", "flat"); }, refused("shape: expected round or square, got 'flat'"));
  EXPECT_THAT(
      [] { (void)with("weights", "1,-1"); },
      refused("weights: expected equal, or a list of numbers from 0, separated by commas, got '1,-1'"));
  EXPECT_THAT([] { (void)with("places", "6"); },
              refused("places: expected a list of integers from 0 to 5, separated by commas, got '6'"));
  EXPECT_THAT([] { (void)with("rat", "0"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("unknown option 'rat'; did you mean 'rate'?")));
}

TEST(Options, ThatAreNotAcceptedLeaveTheOthersAsTheyWere) {
  Options options = Options::of<Sample>();
  EXPECT_ANY_THROW(options.set_text(*options.find("weights"), "1,x"));
  EXPECT_EQ(options, Options::of<Sample>());
}

TEST(Options, AreValues) {
  const Options first = with("count", "4");
  Options second = first;
  EXPECT_EQ(first, second);
  second.as<Sample>().count = 5;
  EXPECT_EQ(first.as<Sample>().count, 4);
  EXPECT_NE(first, second);
  EXPECT_FALSE(first.is_like(Options()));
  EXPECT_THROW((void)Options().as<Sample>(), std::logic_error);
}

// C++ code can write a member without asking.
TEST(Options, AreCheckedWhereverTheyComeFrom) {
  Options options = Options::of(Sample{.rate = 2.0});
  EXPECT_THAT([&] { check(options); }, refused("rate: expected a number from 0 to below 1, got '2'"));
  options.as<Sample>().rate = std::nan("");
  EXPECT_ANY_THROW(check(options));
  EXPECT_NO_THROW(check(Options::of<Sample>()));
  EXPECT_NO_THROW(check(Options()));
}

TEST(Options, CarryWhatASweepDrawsThemFrom) {
  const Options options = Options::of<Sample>();
  EXPECT_EQ(as_text(options.find("rate")->domainbed.value()), "Uniform(0.1, 0.9)");
  EXPECT_FALSE(options.find("count")->domainbed);
  EXPECT_EQ(options.find("loud")->unsaid, "false");
}

TEST(Value, IsShownAsTyped) {
  EXPECT_EQ(as_text(Value(0.1)), "0.1");
  EXPECT_EQ(as_text(Value(true)), "true");
  EXPECT_EQ(as_text(Value(std::vector<double>{1, 1e10})), "1,1e+10");
  EXPECT_EQ(as_text(Value(std::vector<std::string>{"erm", "vrex"})), "erm,vrex");
}

}  // namespace
}  // namespace pair::base::options_test
