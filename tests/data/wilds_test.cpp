#include "pair/data/wilds.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "pair/data/wilds_generate.h"
#include "pair/data/wilds_source.h"
#include "tests/support/python.h"
#include "tests/support/scratch.h"

// golden/wilds.json has the values of the Python package wilds 2.0.0 on the same made-up folders;
// wilds/wilds_reference.py says how it was made. Each trap of WILDS' formats has a test of its own.

namespace pair::data::testing::wilds_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

// Generated once per process.
const fs::path& made_folders() {
  static const tests::Scratch scratch;
  static const bool made = [] {
    for (const WildsKind& kind : wilds_kinds()) {
      generate_wilds(kind.name, scratch.path());
    }
    return true;
  }();
  (void)made;
  return scratch.path();
}

WildsSet made(std::string_view name, char fold = 'A') {
  return read_wilds(wilds_named(name), made_folders(), {.fold = fold});
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// A dataset with only its release file and this table.
class Small {
 public:
  Small(std::string_view name, const std::string& table, const std::string& text)
      : kind_(&wilds_named(name)),
        folder_(scratch_.path() / (std::string(name) + "_v" + std::string(kind_->version))) {
    write(folder_ / ("RELEASE_v" + std::string(kind_->version) + ".txt"), "");
    write(folder_ / table, text);
  }
  void add(const std::string& table, const std::string& text) const { write(folder_ / table, text); }
  [[nodiscard]] WildsSet read(char fold = 'A') const {
    return read_wilds(*kind_, scratch_.path(), {.fold = fold});
  }
  [[nodiscard]] const WildsKind& kind() const { return *kind_; }
  [[nodiscard]] const fs::path& root() const { return scratch_.path(); }

 private:
  tests::Scratch scratch_;
  const WildsKind* kind_;
  fs::path folder_;
};

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

// As made_predictions and checksum of wilds_reference.py.
std::vector<double> made_predictions(const WildsSet& set, const std::vector<std::size_t>& samples) {
  std::vector<double> predictions;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double label = set.label(samples[i]);
    const auto place = static_cast<double>(37 * i % 101);
    predictions.push_back(set.regression() ? 0.5 * label + place / 101 - 0.5
                          : 7 * i % 10 < 7 ? label
                                           : std::fmod(label + 1, static_cast<double>(set.classes.size())));
  }
  return predictions;
}

std::int64_t checksum(const WildsSet& set, const std::vector<std::size_t>& samples) {
  std::int64_t total = 0;
  for (std::size_t place = 0; place < samples.size(); ++place) {
    total += static_cast<std::int64_t>((place + 1) * samples[place]);
    for (std::size_t f = 0; f < set.fields.size(); ++f) {
      const double value = set.value(samples[place], f);
      const auto whole = static_cast<std::int64_t>(value == std::trunc(value) ? value : 1000 * value);
      total += static_cast<std::int64_t>((f + 1) * (place % 7 + 1)) * whole;
    }
  }
  return total;
}

std::vector<double> channel_means(const WildsSource& source, std::size_t sample) {
  if (source.set().regression()) {
    std::vector<float> numbers(poverty_channels * 224 * 224);
    source.read_numbers(sample, 224, 224, numbers);
    std::vector<double> means;
    for (std::size_t c = 0; c < poverty_channels; ++c) {
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(c * 224 * 224);
      means.push_back(std::accumulate(begin, begin + std::ptrdiff_t{224} * 224, 0.0) / (224 * 224));
    }
    return means;
  }
  const Image image = source.read(sample);
  std::vector<double> means(3, 0.0);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    means[i % 3] += image.pixels[i];
  }
  for (double& mean : means) {
    mean /= static_cast<double>(image.rows * image.columns);
  }
  return means;
}

TEST(Wilds, AgreesWithThePythonPackageOnSamplesMetadataImagesAndScores) {
  std::ifstream file(std::string(PAIR_TEST_DATA) + "/golden/wilds.json");
  const auto golden = nlohmann::ordered_json::parse(file);
  ASSERT_EQ(golden.size(), 46U);
  for (const auto& [key, expected] : golden.items()) {
    SCOPED_TRACE(key);
    std::istringstream words(key);
    std::string name;
    std::string split;
    char fold = 'A';
    words >> name >> split >> fold;
    const WildsKind& kind = wilds_named(name);
    const auto set = std::make_shared<const WildsSet>(made(name, fold));
    const std::vector<std::size_t> samples = set->samples_of(split_named("split", split));
    ASSERT_EQ(samples.size(), expected["samples"].get<std::size_t>());
    EXPECT_EQ(checksum(*set, samples), expected["checksum"].get<std::int64_t>());
    const WildsScores scores = kind.evaluate(*set, samples, made_predictions(*set, samples));
    ASSERT_EQ(scores.size(), expected["scores"].size());
    for (const auto& [metric, value] : expected["scores"].items()) {
      EXPECT_NEAR(score_named(scores, metric), value.get<double>(), 2e-6) << metric;
    }
    if (expected.contains("means")) {
      const WildsSource source(set, kind.environments(*set, WildsEnvironments::paper));
      const std::vector<double> means = channel_means(source, samples.front());
      ASSERT_EQ(means.size(), expected["means"].size());
      for (std::size_t c = 0; c < means.size(); ++c) {
        EXPECT_NEAR(means[c], expected["means"][c].get<double>(), 1e-5);
      }
    }
  }
}

// With PAIR_WILDS_PACKAGE, a folder with the package's source: the stored values are what it computes now.
TEST(Wilds, HasStoredValuesThatThePackageComputes) {
  const char* const package = std::getenv("PAIR_WILDS_PACKAGE");
  if (package == nullptr) {
    GTEST_SKIP() << "PAIR_WILDS_PACKAGE does not name the source of the Python package wilds";
  }
  const std::string python =
      tests::python_with("numpy, pandas, torch, torchvision, sklearn, scipy, pytz, tqdm");
  ASSERT_FALSE(python.empty());
  const std::string data = PAIR_TEST_DATA;
  const auto result = base::run_program({python, "-W", "ignore", data + "/wilds/wilds_reference.py", package,
                                         "golden", "all", made_folders().string()},
                                        fs::temp_directory_path());
  ASSERT_EQ(result.status, 0) << result.output;
  std::ifstream file(data + "/golden/wilds.json");
  EXPECT_EQ(nlohmann::json::parse(result.output), nlohmann::json::parse(file));
}

TEST(Wilds, EndsAllMetadataWithTheSourceDomain) {
  for (const WildsKind& kind : wilds_kinds()) {
    const WildsSet set = made(kind.name);
    EXPECT_EQ(set.fields.back(), "from_source_domain");
    EXPECT_THAT(missing_inputs(set, 5), IsEmpty()) << kind.name;
  }
}

TEST(Wilds, GeneratesTheSameFolderFromTheSameSeed) {
  const tests::Scratch scratch;
  generate_wilds("camelyon17", scratch.path());
  EXPECT_EQ(read_bytes(scratch / "camelyon17_v1.0/metadata.csv"),
            read_bytes(made_folders() / "camelyon17_v1.0/metadata.csv"));
  EXPECT_THAT(error_of([&] { generate_wilds("camelyon17", scratch.path()); }),
              HasSubstr("expected a folder that does not exist yet"));
  EXPECT_THAT(error_of([&] { generate_wilds("camelyon18", scratch.path()); }), HasSubstr("WILDS dataset"));
  EXPECT_THAT(error_of([&] { generate_wilds("camelyon17", scratch / "more", {.samples = 0}); }),
              "samples: expected an integer from 1 to 1000, got 0");
}

constexpr const char* camelyon_header = ",patient,node,x_coord,y_coord,tumor,slide,center,split\n";

TEST(WildsCamelyon17, KeepsLeadingZerosOfPatientsInPaths) {
  const Small small("camelyon17", "metadata.csv",
                    std::string(camelyon_header) + "0,004,4,3328,21792,1,0,0,0\n");
  EXPECT_EQ(small.read().inputs.front(),
            "patches/patient_004_node_4/patch_patient_004_node_4_x_3328_y_21792.png");
}

TEST(WildsCamelyon17, TakesTheValidationAndTestHospitalsWhateverTheFileSays) {
  const Small small(
      "camelyon17", "metadata.csv",
      std::string(camelyon_header) +
          "0,004,4,1,1,1,0,0,0\n1,005,4,1,1,1,1,0,1\n2,006,4,1,1,1,2,1,0\n3,007,4,1,1,1,3,2,1\n");
  EXPECT_THAT(small.read().split, ElementsAre(Split::train, Split::id_val, Split::val, Split::test));
}

std::string civil_row(const std::string& comment, double toxicity, const std::string& split,
                      const std::map<std::string, double>& marks) {
  std::string row = "0,\"" + comment + "\"," + split + "," + std::to_string(toxicity);
  for (const char* const name :
       {"male", "female", "LGBTQ", "christian", "muslim", "other_religions", "black", "white", "identity_any",
        "severe_toxicity", "obscene", "threat", "insult", "identity_attack", "sexual_explicit"}) {
    const auto found = marks.find(name);
    row += ',';
    row += std::to_string(found == marks.end() ? 0.0 : found->second);
  }
  return row + "\n";
}
constexpr const char* civil_header =
    ",comment_text,split,toxicity,male,female,LGBTQ,christian,muslim,other_religions,black,white,identity_"
    "any,"
    "severe_toxicity,obscene,threat,insult,identity_attack,sexual_explicit\n";

TEST(WildsCivilComments, CountsFractionsFromOneHalfOnAsTrue) {
  const Small small("civilcomments", "all_data_with_identities.csv",
                    civil_header + civil_row("a", 0.5, "train", {{"male", 0.5}}) +
                        civil_row("b", 0.499999, "val", {{"male", 0.499999}}));
  const WildsSet set = small.read();
  EXPECT_EQ(set.label(0), 1.0);
  EXPECT_EQ(set.label(1), 0.0);
  EXPECT_EQ(set.value(0, set.field("male")), 1.0);
  EXPECT_EQ(set.value(1, set.field("male")), 0.0);
}

TEST(WildsCivilComments, ReadsQuotesCommasAndLineEndsWithinComments) {
  const Small small("civilcomments", "all_data_with_identities.csv",
                    civil_header + civil_row("He said \"\"no\"\", twice.\nAnd left.", 0, "test", {}));
  EXPECT_THAT(small.read().inputs, ElementsAre("He said \"no\", twice.\nAnd left."));
}

TEST(WildsCivilComments, HasEighteenOverlappingEnvironmentsInThePaper) {
  const Small small("civilcomments", "all_data_with_identities.csv",
                    civil_header + civil_row("a", 1, "train", {{"male", 1}, {"white", 1}}) +
                        civil_row("b", 0, "train", {}));
  const WildsSet set = small.read();
  const WildsGroups groups = small.kind().environments(set, WildsEnvironments::paper);
  ASSERT_EQ(groups.names.size(), 18U);
  EXPECT_EQ(groups.names[3], "male_y:1");
  EXPECT_THAT(groups.samples[0], ElementsAre(1U));   // none, not toxic
  EXPECT_THAT(groups.samples[3], ElementsAre(0U));   // male, toxic
  EXPECT_THAT(groups.samples[17], ElementsAre(0U));  // white, toxic: the same comment
  EXPECT_EQ(small.kind().environments(set, WildsEnvironments::wilds).names.size(), 2U * 1U);
}

TEST(WildsCivilComments, CountsAGroupWithoutSamplesAsTheWorst) {
  const Small small(
      "civilcomments", "all_data_with_identities.csv",
      civil_header + civil_row("a", 1, "test", {{"male", 1}}) + civil_row("b", 0, "train", {{"male", 1}}));
  const WildsSet set = small.read();
  const std::vector<std::size_t> samples{0};
  const std::vector<double> predictions{1};
  const WildsScores scores = small.kind().evaluate(set, samples, predictions);
  EXPECT_EQ(score_named(scores, "acc_avg"), 1.0);
  EXPECT_EQ(score_named(scores, "count_y:0_male:1"), 0.0);
  EXPECT_EQ(score_named(scores, "acc_wg"), 0.0);
}

std::string fmow_row(const std::string& split, const std::string& when, const std::string& country,
                     const std::string& category = "park") {
  return split + "," + category + "," + country + "," + when + "\n";
}
constexpr const char* fmow_header = "split,category,country_code,timestamp\n";
constexpr const char* fmow_countries = "name,alpha-3,region\nFrance,FRA,Europe\nIndia,IND,Asia\n";

TEST(WildsFmow, NumbersImagesBeforeSequesteredRowsAreDropped) {
  const Small small("fmow", "rgb_metadata.csv",
                    fmow_header + fmow_row("seq", "2010-01-01T00:00:00Z", "IND") +
                        fmow_row("train", "2010-01-01T00:00:00Z", "FRA") +
                        fmow_row("seq", "2010-01-01T00:00:00Z", "FRA") +
                        fmow_row("val", "2010-01-01T00:00:00Z", "FRA"));
  small.add("country_code_mapping.csv", fmow_countries);
  const WildsSet set = small.read();
  EXPECT_THAT(set.inputs, ElementsAre("images/rgb_img_1.png", "images/rgb_img_3.png"));
  // Regions are numbered by their first rows, dropped ones included.
  EXPECT_THAT(set.meanings.at("region"), ElementsAre("Asia", "Europe"));
}

TEST(WildsFmow, SplitsAtTheFirstSecondsOf2013And2016) {
  std::string text = fmow_header;
  for (const char* const split : {"train", "val", "test"}) {
    for (const char* const when :
         {"2012-12-31T23:59:59Z", "2013-01-01T00:00:00Z", "2015-12-31T23:59:59Z", "2016-01-01T00:00:00Z"}) {
      text += fmow_row(split, when, "FRA");
    }
  }
  const Small small("fmow", "rgb_metadata.csv", text);
  small.add("country_code_mapping.csv", fmow_countries);
  const std::optional<Split> none;
  EXPECT_THAT(small.read().split, ElementsAre(Split::train, none, none, none, Split::id_val, Split::val,
                                              Split::val, none, Split::id_test, none, none, Split::test));
}

TEST(WildsFmow, LeavesTheRegionOtherOutOfTheWorstRegion) {
  const Small small("fmow", "rgb_metadata.csv",
                    fmow_header + fmow_row("test", "2016-01-01T00:00:00Z", "FRA") +
                        fmow_row("test", "2016-01-01T00:00:00Z", "QQQ") +
                        fmow_row("test", "2017-01-01T00:00:00Z", "IND"));
  small.add("country_code_mapping.csv", fmow_countries);
  const WildsSet set = small.read();
  const std::vector<std::size_t> samples{0, 1, 2};
  const std::vector<double> predictions{34, 0, 34};
  const WildsScores scores = small.kind().evaluate(set, samples, predictions);
  EXPECT_EQ(score_named(scores, "acc_region:Other"), 0.0);
  EXPECT_EQ(score_named(scores, "acc_worst_region"), 1.0);
  EXPECT_EQ(score_named(scores, "acc_worst_year"), 0.5);
}

TEST(WildsFmow, HasAnEnvironmentPerPairOfRegionAndYearInThePaper) {
  const WildsSet set = made("fmow");
  const WildsKind& kind = wilds_named("fmow");
  const WildsGroups pairs = kind.environments(set, WildsEnvironments::paper);
  EXPECT_EQ(pairs.names.front(), "Europe 2003");
  EXPECT_EQ(kind.environments(set, WildsEnvironments::wilds).names.front(), "year:2003");
}

constexpr const char* iwildcam_header = "split,location_remapped,sequence_remapped,y,datetime,filename\n";

TEST(WildsIWildCam, HasAsManyClassesAsTheLargestLabelAndAllInTheFolderTrain) {
  const Small small("iwildcam", "metadata.csv",
                    std::string(iwildcam_header) + "test,0,0,0,2013-06-05 05:44:19.000,a.jpg\n" +
                        "train,0,1,1,2013-06-05 05:44:19.000,b.jpg\n");
  small.add("categories.csv", "y,category_id,name\n0,0,empty\n1,7,puma\n99999,8,bat\n");
  const WildsSet set = small.read();
  EXPECT_THAT(set.classes, ElementsAre("empty", "puma"));
  EXPECT_EQ(set.inputs.front(), "train/a.jpg");
  EXPECT_EQ(set.value(0, set.field("second")), 19.0);
}

TEST(WildsIWildCam, AveragesOverLabelsThatOccurAndNotOverPredictedOnes) {
  const WildsSet set = made("iwildcam");
  // Two samples of one label: one right, one predicted as a label that no sample has.
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < set.size() && samples.size() < 2; ++i) {
    if (set.label(i) == 0.0) {
      samples.push_back(i);
    }
  }
  const std::vector<double> predictions{0, 3};
  const WildsScores scores = wilds_named("iwildcam").evaluate(set, samples, predictions);
  EXPECT_NEAR(score_named(scores, "F1-macro_all"), 2.0 / 3.0, 1e-12);
  EXPECT_EQ(score_named(scores, "recall-macro_all"), 0.5);
}

TEST(WildsIWildCam, RefusesALabelThatDoesNotOccur) {
  const Small small("iwildcam", "metadata.csv",
                    std::string(iwildcam_header) + "train,0,0,1,2013-06-05 05:44:19.000,a.jpg\n");
  EXPECT_THAT(error_of([&] { (void)small.read(); }),
              HasSubstr("metadata.csv, column y: expected all numbers from 0 to 1, got none that is 0"));
}

TEST(WildsPoverty, HoldsOutAThousandRowsTwiceByNumpysShuffle) {
  std::map<char, std::vector<std::size_t>> first;
  for (const char fold : {'A', 'B', 'C', 'D', 'E'}) {
    const WildsSet set = made("poverty", fold);
    EXPECT_EQ(set.samples_of(Split::id_val).size(), 1000U);
    EXPECT_EQ(set.samples_of(Split::id_test).size(), 1000U);
    first[fold] = set.samples_of(Split::id_val);
  }
  EXPECT_NE(first['A'], first['B']);
}

TEST(WildsPoverty, HasTheWorseCorrelationOfTownAndCountry) {
  const WildsSet set = made("poverty");
  const std::vector<std::size_t> samples = set.samples_of(Split::test);
  const WildsScores scores = wilds_named("poverty").evaluate(set, samples, made_predictions(set, samples));
  EXPECT_EQ(score_named(scores, "r_wg"),
            std::min(score_named(scores, "r_urban:0"), score_named(scores, "r_urban:1")));
  const std::vector<double> constant(samples.size(), 1.0);
  EXPECT_TRUE(std::isnan(score_named(wilds_named("poverty").evaluate(set, samples, constant), "r_all")));
}

TEST(WildsPoverty, AveragesImagesToADivisorOfTheirSize) {
  const auto set = std::make_shared<const WildsSet>(made("poverty"));
  const WildsSource source(set, wilds_named("poverty").environments(*set, WildsEnvironments::paper));
  std::vector<float> whole(std::size_t{8} * 224 * 224);
  std::vector<float> small(std::size_t{8} * 2 * 2);
  source.read_numbers(0, 224, 224, whole);
  source.read_numbers(0, 2, 2, small);
  double sum = 0.0;
  for (std::size_t row = 0; row < 112; ++row) {
    for (std::size_t column = 112; column < 224; ++column) {
      sum += whole[224 * row + column];
    }
  }
  EXPECT_NEAR(small[1], sum / (112 * 112), 1e-4);
  EXPECT_THAT(error_of([&] { source.read_numbers(0, 100, 100, whole); }),
              "image_size: expected a divisor of 224, got 100");
}

TEST(WildsRxRx1, TakesSiteTwoOfTrainingExperimentsAsIdTest) {
  const std::string header = "dataset,site,experiment,plate,well,cell_type,sirna_id\n";
  const Small small("rxrx1", "metadata.csv",
                    header + "train,1,U2OS-01,3,B02,U2OS,0\ntrain,2,U2OS-01,3,B02,U2OS,0\n" +
                        "val,2,HEPG2-07,1,C05,HEPG2,1\n");
  const WildsSet set = small.read();
  EXPECT_THAT(set.split, ElementsAre(Split::train, Split::id_test, Split::val));
  EXPECT_EQ(set.inputs[1], "images/U2OS-01/Plate3/B02_s2.png");
  // Numbered by first appearance, not by name.
  EXPECT_THAT(set.meanings.at("cell_type"), ElementsAre("U2OS", "HEPG2"));
  EXPECT_EQ(set.value(2, set.field("experiment")), 1.0);
}

TEST(WildsErrors, SayWhichFolderIsMissing) {
  const tests::Scratch scratch;
  EXPECT_EQ(
      error_of([&] { (void)read_wilds(wilds_named("fmow"), scratch.path()); }),
      (scratch / "fmow_v1.1").string() + ": expected the folder of fmow 1.1, got one that does not exist");
}

TEST(WildsErrors, SayWhichVersionWasFound) {
  const tests::Scratch scratch;
  fs::create_directories(scratch / "iwildcam_v1.0");
  EXPECT_EQ(error_of([&] { (void)read_wilds(wilds_named("iwildcam"), scratch.path()); }),
            scratch.path().string() + ": expected version 2.0 of iwildcam, got 'iwildcam_v1.0'");
}

TEST(WildsErrors, SayWhichFileIsMissing) {
  const tests::Scratch scratch;
  fs::create_directories(scratch / "rxrx1_v1.0");
  EXPECT_THAT(error_of([&] { (void)read_wilds(wilds_named("rxrx1"), scratch.path()); }),
              HasSubstr("rxrx1_v1.0/RELEASE_v1.0.txt: expected this file of the release, got none"));
  write(scratch / "rxrx1_v1.0/RELEASE_v1.0.txt", "");
  EXPECT_THAT(error_of([&] { (void)read_wilds(wilds_named("rxrx1"), scratch.path()); }),
              HasSubstr("rxrx1_v1.0/metadata.csv"));
}

TEST(WildsErrors, SayWhichColumnIsMissing) {
  const Small small("camelyon17", "metadata.csv", ",patient,node,x_coord,y_coord,tumor,slide,split\n");
  EXPECT_THAT(error_of([&] { (void)small.read(); }),
              HasSubstr("metadata.csv: expected the column 'center', got '', 'patient', 'node'"));
}

TEST(WildsErrors, SayWhichLineAndColumnIsWrong) {
  const Small small("camelyon17", "metadata.csv", std::string(camelyon_header) + "0,004,4,1,1,yes,0,0,0\n");
  EXPECT_THAT(error_of([&] { (void)small.read(); }),
              HasSubstr("line 2, column tumor: expected an integer from 0 to 1, got 'yes'"));
  const Small fmow("fmow", "rgb_metadata.csv", fmow_header + fmow_row("train", "yesterday", "FRA"));
  fmow.add("country_code_mapping.csv", fmow_countries);
  EXPECT_THAT(
      error_of([&] { (void)fmow.read(); }),
      HasSubstr("column timestamp: expected a time in UTC such as 2015-07-20T10:04:30Z, got 'yesterday'"));
  const Small poverty("poverty", "dhs_metadata.csv", "wealthpooled,country,urban\n0.5,france,True\n");
  EXPECT_THAT(error_of([&] { (void)poverty.read(); }),
              HasSubstr("column country: expected one of PovertyMap's 23 countries, got 'france'"));
  EXPECT_EQ(error_of([&] { (void)poverty.read('F'); }), "fold: expected A, B, C, D or E, got 'F'");
}

TEST(WildsErrors, SayThatATableIsEmpty) {
  const Small small("camelyon17", "metadata.csv", camelyon_header);
  EXPECT_THAT(error_of([&] { (void)small.read(); }), HasSubstr("expected at least one sample, got none"));
}

TEST(WildsErrors, NameAnImageOfAnotherSize) {
  const Small small("camelyon17", "metadata.csv", std::string(camelyon_header) + "0,004,4,1,2,1,0,0,0\n");
  const auto set = std::make_shared<const WildsSet>(small.read());
  const WildsSource source(set, small.kind().environments(*set, WildsEnvironments::paper));
  EXPECT_THROW((void)source.read(0), std::runtime_error);  // it is missing
  const fs::path file = small.root() / "camelyon17_v1.0" / set->inputs[0];
  const std::string header = "P6 2 1 255\n";
  write(file, header + "abcdef");
  EXPECT_THAT([&] { (void)source.read(0); },
              ThrowsMessage<BrokenImage>(file.string() + ": expected an image of 96 x 96 pixels, got 1 x 2"));
}

TEST(WildsErrors, SuggestTheNearestName) {
  EXPECT_THAT(error_of([] { (void)wilds_named("camelyon"); }), HasSubstr("did you mean 'camelyon17'?"));
  EXPECT_EQ(find_wilds("amazon"), nullptr);
}

TEST(WildsPredictions, AreOneNumberPerLine) {
  const tests::Scratch scratch;
  write(scratch / "good.csv", "0\n1\r\n\n2.5\n");
  EXPECT_THAT(read_predictions(scratch / "good.csv", 3), ElementsAre(0, 1, 2.5));
  EXPECT_THAT(error_of([&] { (void)read_predictions(scratch / "good.csv", 4); }),
              HasSubstr("good.csv: expected one prediction per sample of the split (4), got 3"));
  write(scratch / "bad.csv", "y_pred\n0\n");
  EXPECT_THAT(error_of([&] { (void)read_predictions(scratch / "bad.csv", 1); }),
              HasSubstr("bad.csv, line 1: expected one number per line and no header, got 'y_pred'"));
}

TEST(WildsPredictions, AreInFilesThatTheLeaderboardFinds) {
  EXPECT_EQ(prediction_file("camelyon17", Split::test, "seed:0", "last"),
            "camelyon17_split:test_seed:0_epoch:last_pred.csv");
}

}  // namespace
}  // namespace pair::data::testing::wilds_test
