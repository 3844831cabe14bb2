// 'pair train' on texts as a user meets it, and the model without the files that it was made from.

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "pair/runs/file.h"
#include "tests/runs/fixtures.h"
#include "tests/runs/program.h"

namespace pair::runs::testing::text_program_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

void write_file(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

void write_comments(const Scratch& scratch) {
  write_file(scratch / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nso\nkind\nyou\nfool\n,\nnews\n");
  std::string rows = "comment,source,toxic\n";
  for (int i = 0; i < 60; ++i) {
    const char* const sources[] = {"forum", "news", "travel"};
    rows += std::string(i % 2 == 0 ? "\"So kind, you\"," : "you fool,") + sources[i % 3] +
            (i % 5 == 0   ? ",no\n"
             : i % 2 == 0 ? ",no\n"
                          : ",yes\n");
  }
  write_file(scratch / "comments.csv", rows);
}

std::vector<std::string> text_run(const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"train",
                                        "--data",
                                        "comments.csv",
                                        "--text",
                                        "comment",
                                        "--label",
                                        "toxic",
                                        "--environment",
                                        "source",
                                        "--vocab",
                                        "vocab.txt",
                                        "--steps",
                                        "6",
                                        "--out",
                                        "run",
                                        "--set",
                                        "max_tokens=8",
                                        "distilbert_layers=1",
                                        "distilbert_heads=2",
                                        "distilbert_dim=8",
                                        "distilbert_hidden=12",
                                        "distilbert_vocabulary=10",
                                        "eval_every=3",
                                        "batch=4"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

struct Said {
  int status = 0;
  std::string out;
  std::string err;
};

Said said(const Scratch& scratch, const std::vector<std::string>& arguments) {
  Program program(arguments, scratch.path());
  Said said;
  said.status = program.wait();
  said.out = program.out();
  said.err = program.err();
  return said;
}

TEST(PairTrainText, TrainsPredictsAndScoresWithoutTheVocabularysFile) {
  const Scratch scratch;
  write_comments(scratch);
  const Said trained = said(scratch, text_run({"pretrain=2", "--test-envs", "travel"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_THAT(trained.out, AllOf(HasSubstr("60 texts in 'comment'"), HasSubstr("tested on 'travel'"),
                                 ContainsRegex("2  test +travel +[0-9.]+%")));
  const auto spec = nlohmann::json::parse(read_file(scratch / "run" / "spec.json"));
  EXPECT_EQ(spec.at("dataset"), "text");
  EXPECT_EQ(spec.at("model"), "distilbert");
  EXPECT_EQ(spec.at("vocab_sha256").get<std::string>().size(), 64U);

  // Examples of wrong answers are texts. The label of "you fool" differs from row to row.
  const auto evaluation = nlohmann::json::parse(read_file(scratch / "run" / "evaluation.json"));
  EXPECT_EQ(evaluation.at("environments").size(), 3U);
  ASSERT_FALSE(evaluation.at("wrong").empty());
  EXPECT_THAT(evaluation.at("wrong").at(0).at("text").get<std::string>(),
              ::testing::AnyOf("So kind, you", "you fool"));
  EXPECT_THAT(evaluation.at("wrong").at(0).at("sample").get<std::string>(), HasSubstr("line "));

  const Said scored_run = said(scratch, {"score", "run"});
  EXPECT_EQ(scored_run.status, 0) << scored_run.err;

  fs::rename(scratch / "comments.csv", scratch / "moved.csv");
  fs::remove(scratch / "vocab.txt");
  write_file(scratch / "lines.txt", "you fool\nso kind\n");
  const Said predicted = said(scratch, {"predict", "run", "lines.txt", "moved.csv"});
  EXPECT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_THAT(predicted.out, AllOf(HasSubstr("lines.txt:2"), HasSubstr("moved.csv:61")));
  const Said scored = said(scratch, {"score", "run", "moved.csv"});
  EXPECT_EQ(scored.status, 0) << scored.err;
  EXPECT_THAT(scored.out, AllOf(HasSubstr("forum"), HasSubstr("news"), HasSubstr("travel")));
  const Said exported = said(scratch, {"export", "run", "--out", "elsewhere.safetensors"});
  EXPECT_EQ(exported.status, 0) << exported.err;
}

TEST(PairTrainText, IsTheSameWithAnyNumberOfWorkersAndForEveryAlgorithmOfThePaper) {
  const Scratch scratch;
  write_comments(scratch);
  for (const std::string algorithm : {"erm", "fish", "lisa", "irmv1", "groupdro"}) {
    std::string first;
    for (const char* const workers : {"workers=1", "workers=4"}) {
      fs::remove_all(scratch / "run");
      const Said trained = said(scratch, text_run({workers, "--algorithm", algorithm}));
      ASSERT_EQ(trained.status, 0) << algorithm << trained.err;
      nlohmann::json last;
      std::istringstream records(read_file(scratch / "run" / "results.jsonl"));
      for (std::string line; std::getline(records, line);) {
        last = nlohmann::json::parse(line);
      }
      const std::string scores = last.at("env0_in_acc").dump() + last.at("env2_out_acc").dump();
      EXPECT_TRUE(first.empty() || first == scores) << algorithm;
      first = scores;
    }
  }
}

TEST(PairTrainText, NamesWhatIsMissing) {
  const Scratch scratch;
  write_comments(scratch);
  const auto without = [&](const std::string& option) {
    std::vector<std::string> arguments = text_run();
    const auto at = std::find(arguments.begin(), arguments.end(), option);
    arguments.erase(at, at + 2);
    return said(scratch, arguments);
  };
  const auto with = [&](const std::string& option, const std::string& value) {
    std::vector<std::string> arguments = text_run();
    *(std::find(arguments.begin(), arguments.end(), option) + 1) = value;
    return said(scratch, arguments);
  };
  EXPECT_THAT(without("--vocab").err, HasSubstr("'--vocab vocab.txt' names it"));
  EXPECT_THAT(
      with("--vocab", "missing.txt").err,
      HasSubstr("vocab: expected a file with one token per line, got 'missing.txt', which does not exist"));
  EXPECT_THAT(with("--text", "words").err, HasSubstr("got 'words'"));
  EXPECT_THAT(said(scratch, text_run({"distilbert_vocabulary=8"})).err,
              HasSubstr("distilbert_vocabulary: expected more than the largest token id"));
}

}  // namespace
}  // namespace pair::runs::testing::text_program_test
