#include "pair/select/record_line.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "pair/data/random.h"
#include "tests/select/fixtures.h"

namespace pair::select::record_line_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Parsed {
  std::string problem;
  RecordLine record;
  std::vector<std::pair<std::string, std::string>> hparams;
  Declared declared;
};

Parsed parse_with(LineParser& parser, std::string line) {
  const std::size_t length = line.size();
  line.resize(length + LineParser::padding);
  Parsed parsed;
  parsed.problem = parser.parse(line.data(), length, parsed.record);
  parsed.hparams = parser.hparams();
  parsed.declared = parser.declared();
  return parsed;
}

// Both libraries must read the same.
Parsed parse(const std::string& line) {
  Parsed fast = parse_with(*make_line_parser(), line);
  const Parsed plain = parse_with(*make_nlohmann_line_parser(), line);
  EXPECT_EQ(fast.problem, plain.problem) << line.substr(0, 300);
  if (fast.problem.empty()) {
    EXPECT_EQ(fast.record.algorithm, plain.record.algorithm);
    EXPECT_EQ(fast.record.test_envs, plain.record.test_envs);
    EXPECT_EQ(fast.record.step, plain.record.step);
    EXPECT_EQ(fast.record.values.size(), plain.record.values.size());
    EXPECT_EQ(fast.hparams, plain.hparams);
    EXPECT_EQ(fast.declared.losses, plain.declared.losses);
    EXPECT_EQ(fast.declared.noisy_losses, plain.declared.noisy_losses);
    EXPECT_EQ(fast.declared.domainbed, plain.declared.domainbed);
  }
  return fast;
}

json valid() {
  return json::parse(testing::domainbed_line("IRM", 1, 2, 300, 0.7));
}

double value_of(const Parsed& parsed, const std::string& key) {
  for (const auto& [name, value] : parsed.record.values) {
    if (name == key) {
      return value;
    }
  }
  ADD_FAILURE() << "no " << key;
  return 0.0;
}

TEST(RecordLine, SaysWhatTheRecordDeclaresAboutItsAlgorithm) {
  EXPECT_FALSE(parse(valid().dump()).declared.losses) << "DomainBed declares nothing";
  json line = valid();
  line["args"].update(
      {{"losses", {{"erm", "irmv1"}, {"nll"}}}, {"noisy_losses", true}, {"domainbed", "IRM"}});
  const Declared declared = parse(line.dump()).declared;
  ASSERT_TRUE(declared.losses);
  EXPECT_THAT(*declared.losses, ElementsAre(ElementsAre("erm", "irmv1"), ElementsAre("nll")));
  EXPECT_EQ(declared.noisy_losses, true);
  EXPECT_EQ(declared.domainbed, "IRM");
}

TEST(RecordLine, TakesADeclarationOfAnotherShapeForNone) {
  const std::vector<json> shapes{
      json("nll"),   json::array({"nll", "penalty"}),       json{{"nll", "penalty"}}, json(7),
      json(nullptr), json::array({json::array({"nll", 3})})};
  for (const json& losses : shapes) {
    json line = valid();
    line["args"].update({{"losses", losses}, {"noisy_losses", "yes"}, {"domainbed", 7}});
    const Parsed parsed = parse(line.dump());
    EXPECT_THAT(parsed.problem, IsEmpty()) << losses;
    EXPECT_FALSE(parsed.declared.losses) << losses;
    EXPECT_FALSE(parsed.declared.noisy_losses);
    EXPECT_THAT(parsed.declared.domainbed, IsEmpty());
  }
}

TEST(RecordLine, ReadsWhatDomainBedWrites) {
  const Parsed parsed = parse(valid().dump());
  EXPECT_THAT(parsed.problem, IsEmpty());
  EXPECT_EQ(parsed.record.algorithm, "IRM");
  EXPECT_EQ(parsed.record.dataset, "ColoredMNIST");
  EXPECT_THAT(parsed.record.test_envs, ElementsAre(1));
  EXPECT_EQ(parsed.record.hparams_seed, 2);
  EXPECT_EQ(parsed.record.step, 300);
  EXPECT_DOUBLE_EQ(value_of(parsed, "env2_out_acc"), 0.68);
  EXPECT_EQ(value_of(parsed, "nll"), 0.4);
  EXPECT_THAT(parsed.hparams, ElementsAre(std::pair("batch_size", "64"), std::pair("lr", "0.003")));
}

TEST(RecordLine, ReadsWhatWeWrite) {
  json line = valid();
  line["losses"] = {{"erm", 0.5}, {"irmv1", nullptr}};
  line["weights"] = {{"erm", 1.0}};
  line["held_out_losses"] = {{"erm", 0.75}};
  line["noise_floor"] = {{"vrex", 1e-4}};
  line["phase"] = "balance";
  line["feasible"] = true;
  const Parsed parsed = parse(line.dump());
  EXPECT_THAT(parsed.problem, IsEmpty());
  EXPECT_EQ(value_of(parsed, "losses.erm"), 0.5);
  EXPECT_TRUE(std::isnan(value_of(parsed, "losses.irmv1")));
  EXPECT_EQ(value_of(parsed, "held_out_losses.erm"), 0.75);
  EXPECT_EQ(value_of(parsed, "noise_floor.vrex"), 1e-4);
}

TEST(RecordLine, ReadsPythonsNaNInALoss) {
  std::string line = valid().dump();
  line.replace(line.find("\"nll\":0.4"), 9, "\"nll\":NaN");
  line.replace(line.find("\"loss\":0.5"), 10, "\"loss\":-Infinity");
  line.insert(1, R"("note":"NaN \" Infinity",)");
  const Parsed parsed = parse(line);
  EXPECT_THAT(parsed.problem, IsEmpty());
  EXPECT_TRUE(std::isnan(value_of(parsed, "nll")));
  EXPECT_TRUE(std::isnan(value_of(parsed, "loss")));
}

TEST(RecordLine, ReadsRecordsFromBeforeThereWereTrials) {
  json line = valid();
  line["args"].erase("trial_seed");
  line["args"].erase("hparams_seed");
  line["args"]["seed"] = 5;
  const Parsed parsed = parse(line.dump());
  EXPECT_EQ(parsed.record.trial_seed, 5);
  EXPECT_EQ(parsed.record.hparams_seed, 0);
}

TEST(RecordLine, SaysWhatIsWrong) {
  const auto with = [](const char* pointer, const json& value) {
    json line = valid();
    line[json::json_pointer(pointer)] = value;
    return parse(line.dump()).problem;
  };
  json with_env0 = valid();
  with_env0["env0_in_acc"] = "there";
  EXPECT_EQ(parse("{\"step\": 1").problem, "is not JSON");
  EXPECT_EQ(parse("nonsense").problem, "is not JSON");
  EXPECT_EQ(parse(std::string("{\"a\0\": 1}", 9)).problem, "is not JSON");
  EXPECT_EQ(parse("[1, 2]").problem, "is not a JSON object");
  EXPECT_EQ(parse("17").problem, "is not a JSON object");
  EXPECT_EQ(parse("{}").problem, "has no args");
  EXPECT_THAT(with("/args", 3), HasSubstr("has args 3"));
  EXPECT_THAT(with("/args/test_envs", 3), HasSubstr("has args.test_envs 3; expected a list"));
  EXPECT_THAT(with("/args/test_envs", json::array()), HasSubstr("has args.test_envs []"));
  EXPECT_THAT(with("/args/test_envs", {0, 0}), HasSubstr("has args.test_envs [0,0]"));
  EXPECT_THAT(with("/args/test_envs", {-1}), HasSubstr("has args.test_envs [-1]"));
  EXPECT_THAT(with("/args/test_envs", {0.5}), HasSubstr("has args.test_envs [0.5]"));
  EXPECT_THAT(with("/args/algorithm", {1}), HasSubstr("has args.algorithm [1]; expected a name"));
  EXPECT_THAT(with("/args/trial_seed", "x"), HasSubstr("has args.trial_seed \"x\""));
  EXPECT_THAT(with("/step", "x"), HasSubstr("has step \"x\"; expected an integer"));
  EXPECT_THAT(with("/hparams", {1}), HasSubstr("has hparams [1]; expected an object"));
  EXPECT_THAT(with("/env0_in_acc", nullptr),
              HasSubstr("has env0_in_acc null; expected an accuracy from 0 to 1"));
  EXPECT_THAT(with("/env0_in_acc", {0.5}), HasSubstr("has env0_in_acc [0.5]"));
  EXPECT_EQ(with("/env0_in_acc", 1.0), "");
  EXPECT_EQ(with("/env0_in_acc", 57.5), "has env0_in_acc 57.5; expected an accuracy from 0 to 1");
  EXPECT_THAT(with("/env0_in_acc", -0.1), HasSubstr("has env0_in_acc -0.1"));
  for (const char* word : {"NaN", "Infinity", "-Infinity"}) {
    std::string line = with_env0.dump();
    line.replace(line.find("\"there\""), 7, word);
    EXPECT_EQ(parse(line).problem,
              "has env0_in_acc " + std::string(word) + "; expected an accuracy from 0 to 1");
  }
  EXPECT_LT(with("/step", std::string(1000, 'x')).size(), 120U);
  for (const char* key : {"algorithm", "dataset", "test_envs"}) {
    json line = valid();
    line["args"].erase(key);
    EXPECT_EQ(parse(line.dump()).problem, std::string("has no args.") + key);
  }
  json line = valid();
  line.erase("step");
  EXPECT_EQ(parse(line.dump()).problem, "has no step");
}

TEST(RecordLine, RefusesAnAccuracyThatIsNaN) {
  std::string line = valid().dump();
  line.replace(line.find("\"env0_in_acc\":0.7"), 17, "\"env0_in_acc\":NaN");
  EXPECT_THAT(parse(line).problem, HasSubstr("has env0_in_acc NaN; expected an accuracy from 0 to 1"));
}

// A record with bytes changed is read alike by both libraries, or refused by both.
TEST(RecordLine, SurvivesChangedBytes) {
  data::Random random(3, "bytes");
  const auto fast = make_line_parser();
  const auto plain = make_nlohmann_line_parser();
  const std::string line = valid().dump();
  int refused = 0;
  constexpr int tries = 3000;
  for (int n = 0; n < tries; ++n) {
    std::string changed = line;
    for (std::uint64_t i = 0; i <= random.below(3); ++i) {
      changed[random.below(changed.size())] = "{}[]\",:0123eE-. nulNaN\\"[random.below(23)];
    }
    changed.resize(random.below(20) == 0 ? random.below(changed.size()) : changed.size());
    const Parsed one = parse_with(*fast, changed);
    const Parsed other = parse_with(*plain, changed);
    EXPECT_EQ(one.problem.empty(), other.problem.empty()) << changed << "\n" << one.problem << other.problem;
    refused += one.problem.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, tries / 10);
  EXPECT_LT(refused, tries);
}

}  // namespace
}  // namespace pair::select::record_line_test
