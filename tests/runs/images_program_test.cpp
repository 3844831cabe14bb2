// 'pair train' on a folder of images as a user meets it.

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "pair/runs/file.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"
#include "tests/runs/program.h"
#include "tests/support/pictures.h"

namespace pair::runs::testing::images_program_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// Three environments, two classes, 24 images.
void write_pictures(const fs::path& root) {
  unsigned seed = 0;
  for (const char* environment : {"art", "photo", "sketch"}) {
    for (const char* class_name : {"cat", "dog"}) {
      fs::create_directories(root / environment / class_name);
      for (int i = 0; i < 4; ++i) {
        const data::Bytes bytes = tests::jpeg(tests::picture(9 + i, 12 - i, ++seed));
        std::ofstream(root / environment / class_name / (std::to_string(i) + ".jpg"), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      }
    }
  }
}

// list.csv, with all images in photos. `more`: further values of each row.
void write_list(const Scratch& scratch, const std::string& header, const std::string& more = "") {
  std::ofstream list(scratch / "list.csv");
  list << header << '\n';
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(scratch / "photos")) {
    if (entry.is_regular_file()) {
      const fs::path folder = entry.path().parent_path();
      list << entry.path().string() << ',' << folder.filename().string() << ','
           << folder.parent_path().filename().string() << more << '\n';
    }
  }
}

std::vector<std::string> images_run(const std::string& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"train",
                                        "--dataset",
                                        "images",
                                        "--algorithm",
                                        "irmv1",
                                        "--test-envs",
                                        "2",
                                        "--steps",
                                        "6",
                                        "--out",
                                        out,
                                        "--set",
                                        "folder=photos",
                                        "batch=4",
                                        "image_size=8",
                                        "holdout=0.25",
                                        "pretrain=3",
                                        "eval_every=2",
                                        "checkpoint_every=1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(PairTrainImages, GivesTheSameBytesWithAnyNumberOfWorkers) {
  const Scratch scratch;
  write_pictures(scratch / "photos");
  std::vector<std::string> results;
  for (const char* workers : {"0", "1", "3"}) {
    const std::string out = std::string("run") + workers;
    Program program(images_run(out, {std::string("workers=") + workers}), scratch.path());
    ASSERT_EQ(program.wait(), 0) << program.err();
    EXPECT_THAT(
        program.out(),
        AllOf(HasSubstr("photos: 24 images, 2 classes, 'cat' and 'dog'\nEnvironments: trained "
                        "on 'art' and 'photo'; tested on 'sketch'\n"),
              ContainsRegex("0  train +art +[0-9.]+%"), ContainsRegex("0  train, held out +art +[0-9.]+%"),
              ContainsRegex("2  test +sketch +[0-9.]+%")));
    results.push_back(read_file(results_file(scratch / out)));
  }
  EXPECT_THAT(results[0], AllOf(HasSubstr("\"env2_in_acc\""), HasSubstr("\"worst_test_acc\""),
                                HasSubstr("\"env2_out_acc\""), Not(HasSubstr("workers"))));
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  Program other(images_run("run0", {"workers=2"}), scratch.path());
  EXPECT_EQ(other.wait(), 0) << "the same run";
  EXPECT_EQ(read_file(results_file(scratch / "run0")), results[0]);
}

TEST(PairTrainImages, ResumesAfterAKillWithTheSameRecords) {
  const Scratch scratch;
  write_pictures(scratch / "photos");
  const auto run = [&](const std::string& out, const std::string& workers) {
    std::vector<std::string> arguments = images_run(out, {"workers=" + workers});
    arguments[8] = "60";
    return arguments;
  };
  Program uninterrupted(run("whole", "0"), scratch.path());
  ASSERT_EQ(uninterrupted.wait(), 0) << uninterrupted.err();

  const fs::path results = results_file(scratch / "run");
  {
    Program program(run("run", "2"), scratch.path());
    std::error_code missing;
    while (program.running() && !(fs::file_size(results, missing) > 3000 && !missing)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait(), 128 + SIGKILL);
  }
  Program again(run("run", "3"), scratch.path());
  EXPECT_EQ(again.wait(), 0) << again.err();
  EXPECT_THAT(again.err(), ContainsRegex("Resumed at step [0-9]+ of 60"));
  EXPECT_EQ(read_file(results), read_file(results_file(scratch / "whole")));
}

TEST(PairTrainImages, NamesABrokenFileOrSkipsIt) {
  const Scratch scratch;
  write_pictures(scratch / "photos");
  const fs::path broken = scratch.path() / "photos" / "photo" / "dog" / "1.jpg";
  fs::resize_file(broken, fs::file_size(broken) / 2);
  Program failing(images_run("run"), scratch.path());
  EXPECT_EQ(failing.wait(), 2);
  const auto explained =
      AllOf(HasSubstr("photos/photo/dog/1.jpg"), HasSubstr("; '--set broken=skip' leaves out such files"));
  EXPECT_THAT(failing.err(), explained);
  EXPECT_THAT(read_file(scratch / "run/failed"), explained) << "what a sweep shows";
  Program skipping(images_run("skipped", {"broken=skip"}), scratch.path());
  EXPECT_EQ(skipping.wait(), 0) << skipping.err();
  EXPECT_THAT(skipping.err(), AllOf(HasSubstr("pair: note: skipped a broken file (1 so far)"),
                                    HasSubstr("photos/photo/dog/1.jpg")));
}

TEST(PairTrainImages, ReadsAListWithItsOwnColumns) {
  const Scratch scratch;
  write_pictures(scratch / "photos");
  write_list(scratch, "path,kind,site,year", ",2019");
  const auto command = [](const std::string& data, const std::string& out,
                          const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"train",         "--data",    data,          "--label", "kind",
                                       "--environment", "site,year", "--algorithm", "erm",     "--test-envs",
                                       "art/2019",      "--steps",   "2",           "--out",   out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  Program trained(command("list.csv", "run"), scratch.path());
  EXPECT_EQ(trained.wait(), 0) << trained.err();
  EXPECT_THAT(trained.out(), HasSubstr("tested on 'art/2019'"));
  Program scored({"score", "run", "list.csv"}, scratch.path());
  EXPECT_EQ(scored.wait(), 0) << scored.err();
  EXPECT_THAT(scored.out(), HasSubstr("photo/2019"));
  Program predicted({"predict", "run", "list.csv"}, scratch.path());
  EXPECT_EQ(predicted.wait(), 0) << predicted.err();
  EXPECT_THAT(predicted.out(), HasSubstr("photos/art/cat/"));

  std::ofstream(scratch / "list.csv", std::ios::app) << "/no/such.png,cat,art,2019\n";
  const std::string sentence = "expected an image file, got '/no/such.png', which does not exist";
  Program refused(command("list.csv", "other"), scratch.path());
  EXPECT_EQ(refused.wait(), 2);
  EXPECT_THAT(refused.err(), HasSubstr(sentence));
  EXPECT_FALSE(fs::exists(scratch / "other")) << "no run was begun";
  Program skipping(command("list.csv", "skipped", {"--set", "broken=skip"}), scratch.path());
  EXPECT_EQ(skipping.wait(), 2) << "a missing disk is not a set of broken images";
  EXPECT_THAT(skipping.err(), HasSubstr(sentence));
  EXPECT_FALSE(fs::exists(scratch / "skipped"));
  Program unscored({"score", "run", "list.csv"}, scratch.path());
  EXPECT_EQ(unscored.wait(), 2);
  EXPECT_THAT(unscored.err(), HasSubstr(sentence));
  Program partly({"score", "run", "list.csv", "--broken", "skip"}, scratch.path());
  EXPECT_EQ(partly.wait(), 0) << partly.err();
  EXPECT_THAT(partly.err(), HasSubstr(sentence));
}

TEST(PairTrainImages, DoesNotGoOnWithoutListedFiles) {
  const Scratch scratch;
  write_pictures(scratch / "photos");
  write_list(scratch, "path,label,environment");
  const std::vector<std::string> arguments{
      "train",   "--data",      "list.csv",     "--algorithm", "erm",
      "--out",   "run",         "--steps",      "400",         "--set",
      "batch=2", "broken=skip", "image_size=8", "holdout=0.5", "checkpoint_every=1"};
  Program stopped(arguments, scratch.path());
  while (stopped.running() && !fs::exists(scratch / "run/checkpoint")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  stopped.signal(SIGTERM);
  ASSERT_EQ(stopped.wait(), 128 + SIGTERM) << stopped.err();

  fs::rename(scratch / "photos/art/cat", scratch / "cat");
  Program resumed(arguments, scratch.path());
  EXPECT_EQ(resumed.wait(), 2);
  EXPECT_THAT(resumed.err(), AllOf(HasSubstr("list.csv, line "), HasSubstr("photos/art/cat/"),
                                   HasSubstr("which does not exist (4 such lines)")));
  Program sweep({"sweep", "launch", "--out", "sweep", "--data", "list.csv", "--algorithms", "erm",
                 "--n-hparams", "1", "--n-trials", "1", "--set", "broken=skip"},
                scratch.path());
  EXPECT_EQ(sweep.wait(), 2);
  EXPECT_THAT(sweep.err(), HasSubstr("which does not exist (4 such lines)"));
  EXPECT_FALSE(fs::exists(scratch / "sweep"));

  fs::rename(scratch / "cat", scratch / "photos/art/cat");
  std::vector<std::string> few = arguments;
  few[6] = "scored";
  few[8] = "1";
  Program trained(few, scratch.path());
  ASSERT_EQ(trained.wait(), 0) << trained.err();
  fs::remove(scratch / "photos/art/dog/1.jpg");
  Program scored({"score", "scored", "images"}, scratch.path());
  EXPECT_EQ(scored.wait(), 0) << scored.err();
  EXPECT_THAT(scored.err(), HasSubstr("photos/art/dog/1.jpg', which does not exist"));
  Program refused({"score", "scored", "images", "--set", "broken=fail"}, scratch.path());
  EXPECT_EQ(refused.wait(), 2);
  EXPECT_THAT(refused.err(), HasSubstr("photos/art/dog/1.jpg', which does not exist"));
}

TEST(PairTrainImages, RefusesBadInputWithStatus2) {
  const Scratch scratch;
  write_pictures(scratch / "photos");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& sentence) {
    Program program(arguments, scratch.path());
    EXPECT_EQ(program.wait(), 2) << sentence;
    EXPECT_THAT(program.err(), HasSubstr(sentence));
  };
  refused({"train", "--dataset", "images", "--out", "run"},
          "folder: expected a folder that holds ENVIRONMENT/CLASS/FILE, got none");
  refused(images_run("run", {"batch=0"}), "batch: expected 1 or more with 'images'");
  refused(images_run("run", {"test_envs=3"}), "or numbers from 0 to 2) or each, got '3'");
  refused(images_run("run", {"workers=-1"}), "workers: expected an integer from 0 to 256, got '-1'");
  fs::remove_all(scratch / "photos/art/cat");
  for (const char* file : {"1.jpg", "2.jpg", "3.jpg"}) {
    fs::remove(scratch.path() / "photos/art/dog" / file);
  }
  refused(images_run("one"), "environment 'art': expected at least 2 images, got 1");
  EXPECT_FALSE(fs::exists(scratch / "one")) << "no run was begun";
}

}  // namespace
}  // namespace pair::runs::testing::images_program_test
