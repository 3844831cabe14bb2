// pair paper table3 --dataset PACS, end to end on a small set in the layout of PACS: seven classes in four
// styles.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/support/pictures.h"
#include "tests/support/scratch.h"

namespace pair::cli::test::table3_program_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

// A class is a number of stripes; a style says whether they are bright, dark, coloured or thin.
data::Image styled(int style, int number, int variant) {
  constexpr std::int64_t side = 24;
  data::Image image{side, side, std::vector<std::uint8_t>(side * side * 3, style == 1 ? 220 : 30)};
  for (std::int64_t y = 0; y < side; ++y) {
    for (std::int64_t x = 0; x < side; ++x) {
      const std::int64_t phase = (x * (number + 1) + variant) % side;
      if (phase < (style == 3 ? 3 : 9)) {
        for (std::int64_t c = 0; c < 3; ++c) {
          image.pixels[static_cast<std::size_t>((y * side + x) * 3 + c)] =
              static_cast<std::uint8_t>(style == 1             ? 40
                                        : style == 2 && c == 1 ? 90
                                                               : 230);
        }
      }
    }
  }
  return image;
}

class Table3Program : public ::testing::Test {
 protected:
  Table3Program() {
    int style = 0;
    for (const char* environment : {"art_painting", "cartoon", "photo", "sketch"}) {
      int number = 0;
      for (const char* name : {"dog", "elephant", "giraffe", "guitar", "horse", "house", "person"}) {
        for (int i = 0; i < 5; ++i) {
          const fs::path path =
              scratch.path() / "sets" / "PACS" / environment / name / (std::to_string(i) + ".jpg");
          fs::create_directories(path.parent_path());
          const data::Bytes bytes = tests::jpeg(styled(style, number, i));
          std::ofstream(path, std::ios::binary)
              .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        }
        ++number;
      }
      ++style;
    }
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (scratch.path() / name).string(); }

  [[nodiscard]] Finished table(const Words& more, const std::string& algorithms = "erm,irmv1") const {
    Words words{"paper",        "table3",     "--dataset",    "PACS",
                "--data-root",  path("sets"), "--out",        path("out"),
                "--n-hparams",  "1",          "--n-trials",   "1",
                "--jobs",       "1",          "--format",     "json",
                "--algorithms", algorithms,   "--set",        "model=linear",
                "image_size=8", "steps=3",    "eval_every=1", "batch=4",
                "workers=0"};
    words.insert(words.end(), more.begin(), more.end());
    return run_pair(words);
  }

  tests::Scratch scratch;
};

TEST_F(Table3Program, LeavesOutEachDomainOfPacsWithThePapersNumbersBesides) {
  const Finished first = table({"--weights", "none"});
  ASSERT_EQ(first.status, 0) << first.err;
  const json result = json::parse(first.out);
  EXPECT_EQ(result.at("dataset"), "PACS");
  EXPECT_EQ(result.at("environments"), json({"A", "C", "P", "S"}));
  EXPECT_EQ(result.at("runs_in_all"), 8);
  EXPECT_EQ(result.at("runs"), 8);
  ASSERT_EQ(result.at("rows").size(), 3U);  // ERM, IRM, IRM with PAIR-s
  for (const json& row : result.at("rows")) {
    ASSERT_EQ(row.at("figures").size(), 4U);
    for (const json& figure : row.at("figures")) {
      EXPECT_GE(figure.at("mean").get<double>(), 0.0);
      EXPECT_LE(figure.at("mean").get<double>(), 100.0);
    }
    EXPECT_FALSE(row.at("average").is_null());
  }
  EXPECT_EQ(result.at("rows")[2].at("paper").at("delta_worst"), 7.3);
  EXPECT_THAT(result.at("changed_settings").dump(), HasSubstr("weights=none"));
  // Again: nothing is trained twice, and one more algorithm is added.
  const Finished again = table({"--weights", "none"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(json::parse(again.out).at("rows"), result.at("rows"));
  // And from the records alone, without the images.
  fs::rename(path("sets"), path("elsewhere"));
  const Finished read =
      run_pair({"paper", "table3", "--dataset", "PACS", "--records", path("out"), "--format", "json"});
  ASSERT_EQ(read.status, 0) << read.err;
  EXPECT_EQ(json::parse(read.out).at("rows"), result.at("rows"));
  EXPECT_THAT(run_pair({"paper", "table3", "--dataset", "PACS", "--records", path("out")}).out,
              HasSubstr("Made of the records in"));
  EXPECT_THAT(run_pair({"paper", "table3", "--records", path("out")}).err,
              HasSubstr("--records: expected runs of ColoredMNIST with erm, "));
}

TEST_F(Table3Program, StartsFromWeightsWithFrozenStatistics) {
  // Any ResNet will do: that of a run of one step.
  const Finished run = run_pair({"train", "--dataset", "PACS", "--data-root", path("sets"), "--algorithm",
                                 "erm", "--set", "model=resnet18", "image_size=32", "steps=1", "batch=2",
                                 "workers=0", "--out", path("run"), "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  const Finished finished = table(
      {"--weights", path("run/model.safetensors"), "--set", "model=resnet18", "image_size=32", "steps=1"},
      "erm");
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(json::parse(finished.out).at("runs"), 4);
  int specs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path("out"))) {
    if (entry.path().filename() == "spec.json") {
      std::ifstream file(entry.path());
      const json spec = json::parse(file);
      EXPECT_EQ(spec.at("freeze_bn"), true);
      EXPECT_EQ(spec.at("weights_sha256").get<std::string>().size(), 64U);
      ++specs;
    }
  }
  EXPECT_EQ(specs, 4);
}

TEST_F(Table3Program, SaysWhatIsMissing) {
  EXPECT_THAT(table({}).err, HasSubstr("--weights: expected a file of ResNet-50's weights"));
  EXPECT_THAT(table({"--weights", path("none.pth")}).err, HasSubstr("weights: expected a file"));
  EXPECT_THAT(run_pair({"paper", "table3", "--dataset", "PACS", "--weights", "none"}).err,
              AllOf(HasSubstr("--data-root: expected the folder"), HasSubstr("pair data check PACS")));
  EXPECT_THAT(run_pair({"paper", "table3", "--dataset", "cmnist", "--weights", "none"}).err,
              HasSubstr("--weights: expected with --dataset PACS or TerraIncognita, got with ColoredMNIST"));
  EXPECT_THAT(run_pair({"paper", "table3", "--records", path("nowhere")}).err, HasSubstr("--records"));
  EXPECT_THAT(run_pair({"paper", "table3", "--records", path("sets"), "--n-trials", "2"}).err,
              AllOf(HasSubstr("--records"), HasSubstr("--n-trials")));
  fs::remove_all(path("sets/PACS/photo"));
  EXPECT_THAT(table({"--weights", "none"}).err, HasSubstr("photo"));
}

}  // namespace
}  // namespace pair::cli::test::table3_program_test
