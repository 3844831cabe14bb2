// 'pair predict', 'pair score' and 'pair export' as a user meets them.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pair/data/safetensors.h"
#include "pair/runs/file.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"
#include "tests/runs/program.h"
#include "tests/runs/small_digits.h"
#include "tests/support/pictures.h"

namespace pair::runs::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

void refuses_with_status_2(const Scratch& scratch, const std::vector<std::string>& arguments,
                           const std::string& sentence) {
  const Answer answer = pair_in(scratch.path(), arguments);
  EXPECT_EQ(answer.status, 2) << sentence;
  EXPECT_THAT(answer.err, HasSubstr(sentence));
  const std::string& text = answer.err;
  const auto lines = std::count(text.begin(), text.end(), '\n') - (text.starts_with("pair: note: ") ? 1 : 0);
  EXPECT_EQ(lines, 1) << text;
}

// Trains in `run`.
void train_run(const Scratch& scratch, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"train", "--quiet", "--out", "run"});
  const Answer answer = pair_in(scratch.path(), arguments);
  ASSERT_EQ(answer.status, 0) << answer.err;
}

std::vector<std::string> small_cmnist() {
  return {"--algorithm",     "pair",    "--steps",     "30",
          "--seed",          "3",       "--set",       "train_digits=600",
          "test_digits=150", "width=8", "pretrain=10", "eval_every=10"};
}

std::vector<std::string> small_points() {
  return {"--dataset",  "extrapolation-uniform", "--algorithm",  "erm", "--steps", "40", "--set",
          "points=100", "test_points=77",        "eval_every=20"};
}

// Environments art, photo and sketch; classes cat and dog, which are reddish and bluish.
void write_pets(const fs::path& root, int each = 6) {
  unsigned seed = 0;
  for (const char* environment : {"art", "photo", "sketch"}) {
    for (const std::string class_name : {"cat", "dog"}) {
      fs::create_directories(root / environment / class_name);
      for (int i = 0; i < each; ++i) {
        data::Image image = tests::picture(9 + i % 3, 12, ++seed);
        for (std::size_t at = class_name == "cat" ? 0 : 2; at < image.pixels.size(); at += 3) {
          image.pixels[at] = 250;
        }
        const data::Bytes bytes = tests::png(image);
        std::ofstream(root / environment / class_name / (std::to_string(i) + ".png"), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      }
    }
  }
}

std::vector<std::string> small_pets(const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {
      "--dataset", "images", "--algorithm", "erm",     "--test-envs",  "2",           "--steps",
      "12",        "--set",  "folder=pets", "batch=4", "image_size=8", "holdout=0.3", "eval_every=6"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// The scores of 'pair score' on the run's own data equal those of the last record.
void expect_scores_of_last_record(const Scratch& scratch, const std::string& metric,
                                  const std::string& ending) {
  const Answer answer = pair_in(scratch.path(), {"score", "run", "--json"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  const json scores = json::parse(answer.out);
  const json record = read_records(results_file(scratch / "run")).back();
  std::size_t compared = 0;
  for (const json& environment : scores.at("environments")) {
    const std::string key = environment.at("key").get<std::string>() + ending;
    EXPECT_EQ(environment.at("scores").at(metric), record.at(key)) << key;
    ++compared;
  }
  std::size_t recorded = 0;
  for (const auto& [key, value] : record.items()) {
    recorded += key.starts_with("env") && key.ends_with(ending) ? 1U : 0U;
  }
  EXPECT_EQ(compared, recorded);
  EXPECT_GT(compared, 1U);
}

TEST(PairScore, OfTheRunsOwnDataIsItsLastRecord) {
  {
    const Scratch scratch;
    train_run(scratch, small_cmnist());
    expect_scores_of_last_record(scratch, "accuracy", "_acc");
  }
  {
    const Scratch scratch;
    train_run(scratch, small_points());
    expect_scores_of_last_record(scratch, "mse", "_mse");
  }
  {
    const Scratch scratch;
    write_pets(scratch / "pets");
    train_run(scratch, small_pets());
    expect_scores_of_last_record(scratch, "accuracy", "_acc");
  }
  {
    const Scratch scratch;
    write_small_digits(scratch / "digits");
    train_run(scratch, {"--dataset", "RotatedMNIST", "--algorithm", "erm", "--steps", "4", "--set",
                        "folder=digits", "digits=90", "batch=4", "eval_every=2", "eval_first=2"});
    expect_scores_of_last_record(scratch, "accuracy", "_acc");
  }
}

// In the extrapolation example, the second part of the square counts.
TEST(PairTrain, NamesThePartOfATestEnvironmentThatCounts) {
  const Scratch scratch;
  std::vector<std::string> arguments = small_points();
  arguments.insert(arguments.begin(), {"train", "--out", "run"});
  const Answer trained = pair_in(scratch.path(), arguments);
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_THAT(trained.out, AllOf(ContainsRegex("2  validation +whole square"),
                                 ContainsRegex("2  test +whole square"), HasSubstr("of rows 'test'")));
  const json record = read_records(results_file(scratch / "run")).back();
  EXPECT_EQ(record.at("worst_test_mse"), record.at("env2_out_mse"));
  const json scores = json::parse(pair_in(scratch.path(), {"score", "run", "--json"}).out);
  EXPECT_EQ(scores.at("worst_test").at("mse"), record.at("worst_test_mse"));
}

// 'pair predict RUN FILE | head'.
TEST(PairPredict, EndsQuietlyWhereTheReaderGoes) {
  const Scratch scratch;
  train_run(scratch, small_points());
  std::string points;
  for (int i = 0; i < 50'000; ++i) {
    points += "0.5,-0.25\n";
  }
  write(scratch / "points.csv", points);
  const std::string command = "cd " + scratch.path().string() + " && { " + PAIR_PROGRAM +
                              " predict run points.csv; echo $? > status; } 2> err | head -n 1 > first";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_file(scratch / "status"), "0\n");
  EXPECT_EQ(read_file(scratch / "err"), "");
  EXPECT_EQ(read_file(scratch / "first"), "input,value\n");
}

// A network with BatchNorm is only the same where its buffers are.
TEST(PairScore, OfANetworkWithBatchNormIsItsLastRecord) {
  const Scratch scratch;
  write_pets(scratch / "pets");
  train_run(scratch, small_pets({"model=resnet18", "image_size=16"}));
  expect_scores_of_last_record(scratch, "accuracy", "_acc");
  const data::SafetensorsFile weights(scratch / "run/model.safetensors");
  const data::TensorView* const mean = weights.find("bn1.running_mean");
  ASSERT_NE(mean, nullptr);
  EXPECT_TRUE(std::any_of(mean->bytes.begin(), mean->bytes.end(), [](std::uint8_t byte) {
    return byte != 0;
  })) << "statistics as they were before training";
  const Answer predicted = pair_in(scratch.path(), {"predict", "run", "pets/sketch", "--batch", "1"});
  EXPECT_EQ(predicted.out, pair_in(scratch.path(), {"predict", "run", "pets/sketch", "--batch", "1"}).out);
}

TEST(PairScore, TakesAnotherDatasetsOptionsSeedsAndMetrics) {
  const Scratch scratch;
  train_run(scratch, small_cmnist());
  const Answer own = pair_in(scratch.path(), {"score", "run", "cmnist", "--json"});
  EXPECT_EQ(own.out, pair_in(scratch.path(), {"score", "run", "--json"}).out);
  const Answer other =
      pair_in(scratch.path(), {"score", "run", "cmnist", "--set", "test_betas=0.3,0.7", "test_digits=120",
                               "--seed", "9", "--metrics", "macro_f1", "--json"});
  ASSERT_EQ(other.status, 0) << other.err;
  const json scores = json::parse(other.out);
  EXPECT_THAT(scores.at("environments"), SizeIs(4));
  EXPECT_EQ(scores.at("environments").at(3).at("name"), "beta 0.7");
  EXPECT_EQ(scores.at("environments").at(3).at("samples"), 120);
  EXPECT_EQ(scores.at("metrics"), json({"macro_f1"}));
  const Answer table = pair_in(scratch.path(), {"score", "run", "cmnist"});
  EXPECT_THAT(table.out, AllOf(ContainsRegex("environment +key +part +samples +accuracy +worst_group"),
                               ContainsRegex("beta 0.9 +env2_out +test +150 +0\\.[0-9]+ +0\\.[0-9]+"),
                               ContainsRegex("\nworst test +0\\.")));
}

TEST(PairScore, RefusesDataThatDoesNotFit) {
  const Scratch scratch;
  train_run(scratch, small_cmnist());
  refuses_with_status_2(
      scratch, {"score", "run", "extrapolation-uniform"},
      "extrapolation-uniform: expected inputs of shape [392] and 2 classes, as the model has, got inputs of "
      "shape [2] and numbers to predict");
  refuses_with_status_2(scratch, {"score", "run", "cmnits"},
                        "unknown dataset 'cmnits'; did you mean 'cmnist'?");
  refuses_with_status_2(scratch, {"score", "run", "cmnist", "--set", "test_beta=0.3"}, "test_beta");
  refuses_with_status_2(scratch, {"score", "run", "cmnist", "--set", "alpha=2"},
                        "alpha: expected a number from 0 to 1, got");
  refuses_with_status_2(
      scratch, {"score", "run", "cmnist", "--metrics", "mse"},
      "--metrics: expected accuracy, worst_group or macro_f1 (the model predicts classes), got 'mse'");
  refuses_with_status_2(scratch, {"score", "run", "cmnist", "--metrics", "f1"}, "unknown metric 'f1'");
  refuses_with_status_2(scratch, {"score", "run", "cmnist", "--broken", "ignore"},
                        "--broken: expected fail or skip, got 'ignore'");
  refuses_with_status_2(scratch, {"score", "run", "cmnist", "--workers", "-1"},
                        "workers: expected an integer from 0 to 256, got -1");
  fs::create_directory(scratch / "folder");
  refuses_with_status_2(scratch, {"score", "run", "folder"},
                        "folder: expected the name of a dataset, got a folder");
  refuses_with_status_2(scratch, {"score", "nowhere", "cmnist"},
                        "nowhere: expected the folder of a finished run");
}

std::vector<std::vector<std::string>> csv_lines(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    lines.emplace_back();
    for (std::string word; std::getline(words, word, ',');) {
      lines.back().push_back(word);
    }
  }
  return lines;
}

TEST(PairPredict, NamesTheClassesOfPicturesAndAgreesWithScore) {
  const Scratch scratch;
  write_pets(scratch / "pets");
  train_run(scratch, small_pets());
  const Answer answer = pair_in(scratch.path(), {"predict", "run", "pets/sketch", "pets/art/dog/3.png"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  const auto lines = csv_lines(answer.out);
  ASSERT_THAT(lines, SizeIs(1 + 12 + 1));
  EXPECT_EQ(lines[0], (std::vector<std::string>{"input", "class", "p_cat", "p_dog"}));
  EXPECT_EQ(lines[1][0], "pets/sketch/cat/0.png");
  EXPECT_EQ(lines[13][0], "pets/art/dog/3.png");
  int right = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const double cat = std::stod(lines[i][2]);
    const double dog = std::stod(lines[i][3]);
    EXPECT_NEAR(cat + dog, 1.0, 1e-6);
    EXPECT_EQ(lines[i][1], cat > dog ? "cat" : "dog");
    right += i < 13 && lines[i][0].find("/" + lines[i][1] + "/") != std::string::npos ? 1 : 0;
  }
  const Answer scored = pair_in(scratch.path(), {"score", "run", "pets", "--json"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  const json sketch = json::parse(scored.out).at("environments").at(2);
  EXPECT_EQ(sketch.at("name"), "sketch");
  EXPECT_EQ(sketch.at("samples"), 12);
  EXPECT_EQ(sketch.at("scores").at("accuracy").get<double>(), right / 12.0);

  constexpr const char* expected =
      ": expected a folder ENVIRONMENT/CLASS/FILE, a CSV file that lists images or the name of a dataset for "
      "the "
      "model ";
  write(scratch / "pets.csv", "file,class\n");
  refuses_with_status_2(scratch, {"score", "run", "pets.csv"},
                        "pets.csv, line 1: expected a column 'path' with the image files, got none");
  refuses_with_status_2(scratch, {"score", "run", "petz/"},
                        std::string("petz/") + expected + "of run, got a path that does not exist");
}

TEST(PairPredict, WritesFilesAndJsonLinesAndReadsPathsFromAPipe) {
  const Scratch scratch;
  write_pets(scratch / "pets");
  train_run(scratch, small_pets());
  const Answer file = pair_in(scratch.path(), {"predict", "run", "pets/art", "-o", "out.csv"});
  EXPECT_EQ(file.status, 0) << file.err;
  EXPECT_EQ(file.out, "12 predictions in out.csv\n");
  const std::string csv = read_file(scratch / "out.csv");
  EXPECT_EQ(csv, pair_in(scratch.path(), {"predict", "run", "pets/art", "--workers", "0"}).out);

  const std::string command = "cd '" + scratch.path().string() +
                              "' && find pets/art -name '*.png' | sort | " + PAIR_PROGRAM +
                              " predict run - --format jsonl > out.jsonl";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream lines(scratch / "out.jsonl");
  const auto table = csv_lines(csv);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    const json object = json::parse(line);
    const auto& row = table.at(++number);
    EXPECT_EQ(object.at("input"), row[0]);
    EXPECT_EQ(object.at("class"), row[1]);
    EXPECT_EQ(object.at("probabilities").at("dog").get<float>(), std::stof(row[3]));
  }
  EXPECT_EQ(number, 12U);
}

TEST(PairPredict, NamesABrokenPictureOrSkipsIt) {
  const Scratch scratch;
  write_pets(scratch / "pets");
  train_run(scratch, small_pets());
  const fs::path broken = scratch.path() / "pets" / "art" / "cat" / "2.png";
  fs::resize_file(broken, fs::file_size(broken) / 2);
  refuses_with_status_2(scratch, {"predict", "run", "pets/art", "-o", "out.csv"}, "pets/art/cat/2.png");
  EXPECT_FALSE(fs::exists(scratch / "out.csv"));
  refuses_with_status_2(scratch, {"score", "run", "pets"}, "pets/art/cat/2.png");
  const Answer skipping = pair_in(scratch.path(), {"predict", "run", "pets/art", "--broken", "skip"});
  EXPECT_EQ(skipping.status, 0) << skipping.err;
  EXPECT_THAT(csv_lines(skipping.out), SizeIs(1 + 11));
  EXPECT_THAT(skipping.err, AllOf(HasSubstr("skipped a broken file (1 so far): pets/art/cat/2.png"),
                                  HasSubstr("skipped broken files: 1")));
  const Answer scored = pair_in(scratch.path(), {"score", "run", "pets", "--broken", "skip", "--json"});
  EXPECT_EQ(scored.status, 0) << scored.err;
  EXPECT_EQ(json::parse(scored.out).at("skipped"), 1);
  EXPECT_EQ(json::parse(scored.out).at("environments").at(0).at("samples"), 11);
}

TEST(PairScore, MatchesClassesOfAFolderByName) {
  const Scratch scratch;
  write_pets(scratch / "pets");
  train_run(scratch, small_pets());
  // One environment with one class, whose label in the folder is 0 and the model's is 1.
  fs::create_directories(scratch / "new/hospital");
  fs::copy(scratch / "pets/sketch/dog", scratch / "new/hospital/dog");
  const Answer answer = pair_in(scratch.path(), {"predict", "run", "new"});
  const auto lines = csv_lines(answer.out);
  const auto dogs =
      std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line[1] == "dog"; });
  const json scores = json::parse(pair_in(scratch.path(), {"score", "run", "new", "--json"}).out);
  EXPECT_EQ(scores.at("environments").at(0).at("name"), "hospital");
  EXPECT_EQ(scores.at("environments").at(0).at("scores").at("accuracy").get<double>(),
            static_cast<double>(dogs) / 6.0);
  fs::copy(scratch / "pets/sketch/cat", scratch / "new/hospital/horse");
  refuses_with_status_2(scratch, {"score", "run", "new"},
                        "new: expected classes that the model knows (cat, dog), got also 'horse'");
  refuses_with_status_2(scratch, {"score", "run", "new", "--seed", "1"},
                        "new: expected a dataset with the options, got a folder");
  fs::create_directory(scratch / "empty");
  refuses_with_status_2(scratch, {"score", "run", "empty"},
                        "empty: expected ROOT/environment/class/file with at least 1 environment");
}

void write_bytes(const fs::path& path, const data::Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

TEST(PairPredict, TakesDigitsAsPicturesAndAsIdxFiles) {
  const Scratch scratch;
  train_run(scratch, small_cmnist());
  // Two images of 28 x 28, and the second of them in green at 14 x 14.
  data::Bytes idx = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 28};
  data::Image small{14, 14, data::Bytes(std::size_t{14} * 14 * 3, 0)};
  for (int picture = 0; picture < 2; ++picture) {
    for (int row = 0; row < 28; ++row) {
      for (int column = 0; column < 28; ++column) {
        const auto pixel = static_cast<std::uint8_t>((row * 9 + column * 5 + picture * 77) % 256);
        idx.push_back(pixel);
        if (picture == 1 && row % 2 == 0 && column % 2 == 0) {
          const int green = (row / 2 * 14 + column / 2) * 3 + 1;
          small.pixels[static_cast<std::size_t>(green)] = pixel;
        }
      }
    }
  }
  write_bytes(scratch / "digits-idx3-ubyte", idx);
  write_bytes(scratch / "green.png", tests::png(small));
  const Answer both =
      pair_in(scratch.path(), {"predict", "run", "digits-idx3-ubyte", "green.png", "--channel", "1"});
  ASSERT_EQ(both.status, 0) << both.err;
  const auto lines = csv_lines(both.out);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[0], (std::vector<std::string>{"input", "class", "p_5 to 9", "p_0 to 4"}));
  EXPECT_EQ(lines[2][0], "digits-idx3-ubyte[1]");
  EXPECT_EQ(lines[3][0], "green.png");
  EXPECT_EQ(lines[2][2], lines[3][2]) << "the same digit in the same colour";
  EXPECT_NE(lines[1][2], lines[2][2]);
  const Answer red = pair_in(scratch.path(), {"predict", "run", "digits-idx3-ubyte", "--channel", "0"});
  EXPECT_NE(csv_lines(red.out).at(2)[2], lines[2][2]);
  refuses_with_status_2(scratch, {"predict", "run", "digits-idx3-ubyte"},
                        "--channel 0 takes them as red, 1 as green");
}

TEST(PairPredict, TakesLinesOfNumbers) {
  const Scratch scratch;
  train_run(scratch, small_points());
  write(scratch / "points.csv", "x2,x1\n1,0.5\n-2,3\n");
  write(scratch / "plain.csv", "0.5,1\n3,-2\n");
  const Answer named = pair_in(scratch.path(), {"predict", "run", "points.csv"});
  ASSERT_EQ(named.status, 0) << named.err;
  const auto lines = csv_lines(named.out);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0], (std::vector<std::string>{"input", "value"}));
  EXPECT_EQ(lines[1][0], "points.csv:2");
  const auto plain = csv_lines(pair_in(scratch.path(), {"predict", "run", "plain.csv"}).out);
  EXPECT_EQ(lines[1][1], plain.at(1)[1]);
  EXPECT_EQ(lines[2][1], plain.at(2)[1]);
  const Answer line = pair_in(scratch.path(), {"predict", "run", "plain.csv", "--format", "jsonl"});
  EXPECT_EQ(json::parse(line.out.substr(0, line.out.find('\n'))).at("value").get<float>(),
            std::stof(plain.at(1)[1]));
  write(scratch / "wide.csv", "1,2\n1,2,3\n");
  refuses_with_status_2(scratch, {"predict", "run", "wide.csv"},
                        "wide.csv, line 2: expected 2 numbers, got 3");
}

// 40 rows per hospital, whose outcome depends on the age.
std::string visits(bool regression, int from = 0) {
  std::string text = "id,hospital,age,sex,outcome\n";
  for (int i = from; i < from + 120; ++i) {
    const char* const hospitals[] = {"St. Mary", "Eastside", "Lakeview, North"};
    const int age = 30 + i * 7 % 50;
    text += "P" + std::to_string(i) + ",\"" + hospitals[i % 3] + "\"," + std::to_string(age) + "," +
            (i % 4 == 0 ? "F" : "M") + "," +
            (regression ? std::to_string(1000.5 + 10.0 * age)
             : age < 55 ? "healthy"
                        : "ill") +
            "\n";
  }
  return text;
}

std::vector<std::string> small_table() {
  return {"--data",   "p.csv",        "--label",       "outcome", "--environment", "hospital",
          "--ignore", "id",           "--algorithm",   "erm",     "--steps",       "60",
          "--set",    "model=linear", "eval_every=30", "lr=0.1"};
}

TEST(PairPredict, TakesRowsOfATableAsTheyWereTrainedOn) {
  const Scratch scratch;
  write(scratch / "p.csv", visits(false));
  train_run(scratch, small_table());
  expect_scores_of_last_record(scratch, "accuracy", "_acc");
  // Columns in another order, some of them unknown, none of them the label.
  write(scratch / "new.csv", "sex;note;age\nF;a;35\nM;b;75\n;c;\n");
  const Answer answer = pair_in(scratch.path(), {"predict", "run", "new.csv"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  const auto lines = csv_lines(answer.out);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[0], (std::vector<std::string>{"input", "class", "p_healthy", "p_ill"}));
  EXPECT_EQ(lines[1][0], "new.csv:2");
  EXPECT_EQ(lines[1][1], "healthy");
  EXPECT_EQ(lines[2][1], "ill");

  const Answer keeping = pair_in(scratch.path(), {"predict", "run", "new.csv", "--keep", "note,sex"});
  ASSERT_EQ(keeping.status, 0) << keeping.err;
  const auto kept = csv_lines(keeping.out);
  EXPECT_EQ(kept[0], (std::vector<std::string>{"input", "note", "sex", "class", "p_healthy", "p_ill"}));
  EXPECT_EQ(std::vector(kept[2].begin(), kept[2].begin() + 4),
            (std::vector<std::string>{"new.csv:3", "b", "M", "ill"}));
  const Answer objects =
      pair_in(scratch.path(), {"predict", "run", "new.csv", "--keep", "note", "--format", "jsonl"});
  EXPECT_EQ(json::parse(objects.out.substr(0, objects.out.find('\n'))).at("kept"), (json{{"note", "a"}}));
  refuses_with_status_2(scratch, {"predict", "run", "new.csv", "--keep", "note,note"},
                        "--keep: expected each column once, got 'note,note'");
  refuses_with_status_2(scratch, {"predict", "run", "new.csv", "--keep", "Note"},
                        "new.csv: expected the column 'Note' with the cells to keep, got 'sex', 'note' and "
                        "'age'; did you mean 'note'?");
  write(scratch / "own.csv", "class,age,sex\nx,1,F\n");
  refuses_with_status_2(
      scratch, {"predict", "run", "own.csv", "--keep", "class"},
      "--keep: expected columns with other names than those of the predictions, got 'class'");
  const Answer object = pair_in(scratch.path(), {"predict", "run", "new.csv", "--json", "-o", "p.jsonl"});
  EXPECT_EQ(json::parse(object.out), (json{{"predictions", 3}, {"skipped", 0}, {"file", "p.jsonl"}}));

  write(scratch / "later.csv", visits(false, 1001));
  const Answer scored = pair_in(scratch.path(), {"score", "run", "later.csv", "--json"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  const json scores = json::parse(scored.out);
  ASSERT_THAT(scores.at("environments"), SizeIs(3));
  EXPECT_EQ(scores.at("environments").at(0).at("name"), "Eastside");
  EXPECT_EQ(scores.at("environments").at(0).at("samples"), 40);
  EXPECT_GT(scores.at("worst").at("accuracy").get<double>(), 0.8);

  write(scratch / "few.csv", "sex\nF\n");
  refuses_with_status_2(scratch, {"predict", "run", "few.csv"},
                        "few.csv: columns: expected 'age', which the model was trained on, got 'sex'");
  write(scratch / "few.csv", "sex,Age\nF,1\n");
  refuses_with_status_2(scratch, {"predict", "run", "few.csv"}, "got 'sex' and 'Age'; did you mean 'Age'?");
  write(scratch / "odd.csv", "age,sex\nold,F\n");
  refuses_with_status_2(scratch, {"predict", "run", "odd.csv"},
                        "odd.csv, line 2: column 'age': expected a number or nothing");
  refuses_with_status_2(
      scratch, {"score", "run", "new.csv"},
      "new.csv: expected the column 'outcome' with the labels ('pair predict' needs none), got "
      "'sex', 'note' and 'age'");
  write(scratch / "near.csv", "age,sex,Outcome,Hospital\n35,F,ill,Eastside\n");
  refuses_with_status_2(scratch, {"score", "run", "near.csv"},
                        "got 'age', 'sex', 'Outcome' and 'Hospital'; did you mean 'Outcome'?");
  write(scratch / "near.csv", "age,sex,outcome,Hospital\n35,F,ill,Eastside\n");
  const Answer renamed = pair_in(scratch.path(), {"score", "run", "near.csv"});
  EXPECT_EQ(renamed.status, 0);
  EXPECT_THAT(renamed.err, HasSubstr("pair: note: near.csv has no column 'hospital', so all rows are one "
                                     "environment, 'all'; did you mean 'Hospital'?\n"));
  write(scratch / "no_environment.csv", "age,sex,outcome\n35,F,ill\n");
  EXPECT_THAT(pair_in(scratch.path(), {"score", "run", "no_environment.csv"}).err,
              HasSubstr("so all rows are one environment, 'all'\n"));
  write(scratch / "other.csv", "age,sex,outcome\n35,F,well\n");
  refuses_with_status_2(
      scratch, {"score", "run", "other.csv"},
      "other.csv, line 2: column 'outcome': expected a class that the model knows (healthy, ill), got "
      "'well'");
  refuses_with_status_2(scratch, {"score", "run", "table", "--set", "file=later.csv", "file_sha256="},
                        "table: expected the table that the run was trained on, got another");
}

// The text with `to` in place of every `from`.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(PairPredict, WarnsAboutCategoriesThatTheTrainingRowsDoNotHave) {
  const Scratch scratch;
  write(scratch / "p.csv", visits(false));
  train_run(scratch, small_table());
  write(scratch / "same.csv", visits(false, 300));
  EXPECT_THAT(pair_in(scratch.path(), {"predict", "run", "same.csv"}).err, IsEmpty());
  EXPECT_THAT(pair_in(scratch.path(), {"score", "run", "same.csv"}).err, IsEmpty());

  write(scratch / "small.csv", replaced(replaced(visits(false), ",F,", ",f,"), ",M,", ",m,"));
  constexpr const char* warning =
      "pair: warning: column 'sex': 120 of 120 cells have a category that the training rows do not have, "
      "such as 'f' "
      "(known: F, M)\n";
  // Over all batches of a file.
  const Answer predicted = pair_in(scratch.path(), {"predict", "run", "small.csv", "--batch", "50"});
  EXPECT_EQ(predicted.status, 0);
  EXPECT_EQ(predicted.err, warning);
  EXPECT_THAT(csv_lines(predicted.out), SizeIs(121));
  const Answer scored = pair_in(scratch.path(), {"score", "run", "small.csv", "--json"});
  EXPECT_EQ(scored.err, warning);
  EXPECT_EQ(json::parse(scored.out).at("unknown_categories"), json({{"sex", 120}}));
  EXPECT_FALSE(json::parse(scored.out).contains("missing_columns"));

  // And over all files.
  const Answer both = pair_in(scratch.path(), {"predict", "run", "small.csv", "same.csv", "-o", "out.csv"});
  EXPECT_THAT(both.err, HasSubstr("column 'sex': 120 of 240 cells have a category"));

  write(scratch / "ageless.csv", "hospital,age,sex,outcome\nEastside,,F,ill\nEastside,NA,M,ill\n");
  EXPECT_EQ(pair_in(scratch.path(), {"predict", "run", "ageless.csv"}).err,
            "pair: warning: column 'age': all 2 cells are missing\n");
  const Answer ageless = pair_in(scratch.path(), {"score", "run", "ageless.csv", "--json"});
  EXPECT_EQ(json::parse(ageless.out).at("missing_columns"), json({"age"}));
  EXPECT_FALSE(json::parse(ageless.out).contains("unknown_categories"));
}

TEST(PairPredict, WritesNothingForInputsThatCannotBeUsed) {
  const Scratch scratch;
  write(scratch / "p.csv", visits(false));
  train_run(scratch, small_table());
  write(scratch / "few.csv", "sex\nF\n");
  write(scratch / "odd.csv", "age,sex\nold,F\n");
  for (const char* const file : {"few.csv", "odd.csv", "none.csv"}) {
    const Answer answer = pair_in(scratch.path(), {"predict", "run", file});
    EXPECT_EQ(answer.status, 2) << file;
    EXPECT_THAT(answer.out, IsEmpty()) << file;
  }
  // A file without rows is a file.
  write(scratch / "empty.csv", "age,sex\n");
  EXPECT_EQ(pair_in(scratch.path(), {"predict", "run", "empty.csv"}).out, "input,class,p_healthy,p_ill\n");
}

TEST(PairScore, RefusesRowsWithoutALabelOrAnEnvironment) {
  const Scratch scratch;
  write(scratch / "p.csv", visits(false));
  train_run(scratch, small_table());
  const std::string head = "hospital,age,sex,outcome\nEastside,35,F,healthy\n";
  write(scratch / "place.csv", head + " ,75,M,ill\n");
  refuses_with_status_2(scratch, {"score", "run", "place.csv"},
                        "place.csv, line 3: environment 'hospital': expected a value in every row, got none");
  write(scratch / "word.csv", head + "NA,75,M,ill\n");
  refuses_with_status_2(scratch, {"score", "run", "word.csv"}, "word.csv, line 3: environment 'hospital'");
  write(scratch / "label.csv", head + "Eastside,75,M,\n");
  refuses_with_status_2(scratch, {"score", "run", "label.csv"},
                        "label.csv, line 3: column 'outcome': expected a class that the model knows");
  // A file without the column is one environment.
  write(scratch / "all.csv", "age,sex,outcome\n35,F,healthy\n75,M,ill\n");
  EXPECT_THAT(pair_in(scratch.path(), {"score", "run", "all.csv"}).out, ContainsRegex("\nall +2 "));
}

TEST(PairScore, NamesAFileThatItCannotRead) {
  const Scratch scratch;
  write(scratch / "p.csv", visits(false));
  train_run(scratch, small_table());
  const std::string expected =
      ": expected a CSV file or the name of a dataset for the model of run, got a path that ";
  refuses_with_status_2(scratch, {"score", "run", "none.csv"}, "none.csv" + expected + "does not exist");
  refuses_with_status_2(scratch, {"score", "run", "data/none"}, "data/none" + expected + "does not exist");
  refuses_with_status_2(scratch, {"score", "run", "tabel"}, "unknown dataset 'tabel'; did you mean 'table'?");
  fs::create_directory(scratch / "folder");
  refuses_with_status_2(scratch, {"score", "run", "folder"},
                        "folder: expected a CSV file or the name of a dataset, got a folder");
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  refuses_with_status_2(scratch, {"score", "run", "pipe"}, "pipe" + expected + "is a device or pipe");
}

TEST(PairPredict, GivesTheNumbersOfATableInItsOwnUnits) {
  const Scratch scratch;
  write(scratch / "p.csv", visits(true));
  train_run(scratch, small_table());
  write(scratch / "new.csv", "age,sex\n35,F\n75,M\n");
  const auto lines = csv_lines(pair_in(scratch.path(), {"predict", "run", "new.csv"}).out);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_NEAR(std::stod(lines[1][1]), 1350.5, 60);
  EXPECT_NEAR(std::stod(lines[2][1]), 1750.5, 60);
  const json scores = json::parse(pair_in(scratch.path(), {"score", "run", "p.csv", "--json"}).out);
  EXPECT_LT(scores.at("worst").at("mse").get<double>(), 0.2);
  // The root mean squared error is, too.
  EXPECT_EQ(scores.at("metrics"), json({"mse", "rmse"}));
  EXPECT_EQ(scores.at("standardised_label"), true);
  EXPECT_EQ(scores.at("label").at("name"), "outcome");
  const double deviation = scores.at("label").at("deviation").get<double>();
  EXPECT_NEAR(deviation, 10.0 * std::sqrt((50.0 * 50.0 - 1) / 12), 15)
      << "ages are spread evenly over 50 years";
  for (const json& environment : scores.at("environments")) {
    const json& values = environment.at("scores");
    EXPECT_NEAR(values.at("rmse").get<double>(), deviation * std::sqrt(values.at("mse").get<double>()), 1e-9);
  }
  EXPECT_GE(scores.at("worst").at("rmse"), scores.at("environments").at(0).at("scores").at("rmse"));
  EXPECT_THAT(
      pair_in(scratch.path(), {"score", "run"}).out,
      AllOf(ContainsRegex("samples +mse +rmse\n"),
            HasSubstr(
                "mse is of the standardised label; on the training rows, predicting their mean gives 1\n"),
            ContainsRegex("rmse is in the unit of 'outcome', whose deviation is [0-9.]+\n$")));
  EXPECT_THAT(pair_in(scratch.path(), {"score", "run", "--metrics", "pearson"}).out, Not(HasSubstr("mse")));
}

TEST(PairPredict, RefusesRunsWithoutAModel) {
  const Scratch scratch;
  train_run(scratch, small_points());
  write(scratch / "points.csv", "1,2\n");
  refuses_with_status_2(scratch, {"predict", "nowhere", "points.csv"},
                        "nowhere: expected the folder of a finished run, got a path that does not exist");
  refuses_with_status_2(scratch, {"predict", "points.csv", "points.csv"}, "got a path that is not a folder");
  refuses_with_status_2(scratch, {"predict", ".", "points.csv"},
                        "expected the folder of a finished run, got one without model.json");
  refuses_with_status_2(scratch, {"predict", "run", "none.csv"},
                        "none.csv: expected a CSV file, got a path that does not exist");
  refuses_with_status_2(scratch, {"predict", "run", "points.csv", "--format", "xml"},
                        "--format: expected csv or jsonl, got 'xml'");
  refuses_with_status_2(scratch, {"predict", "run", "points.csv", "--batch", "0"},
                        "batch: expected an integer from 1 to 1000000");
  refuses_with_status_2(scratch, {"predict", "run", "points.csv", "--channel", "1"},
                        "channel: expected a model of coloured digits");
  fs::rename(scratch / "run/done", scratch / "done");
  refuses_with_status_2(scratch, {"predict", "run", "points.csv"},
                        "run: expected a finished run, got one that is not ('done' is missing); its last "
                        "record is of step ");
  fs::rename(scratch / "done", scratch / "run/done");
  fs::remove(scratch / "run/model.json");
  ASSERT_EQ(::mkfifo((scratch / "run/model.json").c_str(), 0600), 0);
  refuses_with_status_2(scratch, {"predict", "run", "points.csv"}, "it is not a regular file");
}

TEST(PairTrain, KeepsNoModelOnRequest) {
  const Scratch scratch;
  train_run(scratch, {"--algorithm", "erm", "--steps", "4", "--no-model", "--set", "train_digits=100",
                      "test_digits=50", "width=4", "eval_every=2"});
  EXPECT_FALSE(fs::exists(scratch / "run/model.json"));
  EXPECT_FALSE(fs::exists(scratch / "run/model.safetensors"));
  refuses_with_status_2(scratch, {"score", "run"},
                        "run: expected a run with a model, got one without model.json");
  const Answer exported = pair_in(scratch.path(), {"export", "run", "-o", "weights.safetensors"});
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_THAT(exported.err, HasSubstr("run had no model; it was made from the run's last checkpoint"));
  EXPECT_EQ(exported.out, "Weights in weights.safetensors\n");
  EXPECT_EQ(read_file(scratch / "weights.safetensors"), read_file(scratch / "run/model.safetensors"));
  EXPECT_EQ(pair_in(scratch.path(), {"score", "run"}).status, 0);
  EXPECT_THAT(pair_in(scratch.path(), {"export", "run", "-o", "again.safetensors"}).err, IsEmpty());
  for (const std::string file : {"weights.onnx", "weights.PTH", "weights.pt", "weights.pkl", "weights.h5"}) {
    refuses_with_status_2(
        scratch, {"export", "run", "-o", file},
        "--out: expected a .safetensors file, the only format that is written, got '" + file + "'");
    EXPECT_FALSE(fs::exists(scratch / file));
  }
  EXPECT_EQ(pair_in(scratch.path(), {"export", "run", "-o", "weights.v1.2"}).status, 0);
  refuses_with_status_2(scratch, {"export", "nowhere", "-o", "x"},
                        "nowhere: expected the folder of a finished run");
}

}  // namespace
}  // namespace pair::runs::testing
