// Pretrained weights, lists of images and DomainBed's datasets as a user meets them.

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pair/base/process.h"
#include "pair/data/sha256.h"
#include "pair/runs/file.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"
#include "tests/runs/program.h"
#include "tests/support/pictures.h"
#include "tests/support/python.h"

namespace pair::runs::testing::weights_program_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

void write_picture(const fs::path& path, unsigned seed) {
  fs::create_directories(path.parent_path());
  const data::Bytes bytes = tests::png(tests::picture(32, 32, seed));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void write_folder(const fs::path& root, const std::vector<std::string>& environments,
                  const std::vector<std::string>& classes, int images) {
  unsigned seed = 0;
  for (const std::string& environment : environments) {
    for (const std::string& name : classes) {
      for (int i = 0; i < images; ++i) {
        write_picture(root / environment / name / (std::to_string(i) + ".png"), ++seed);
      }
    }
  }
}

std::vector<std::string> few_steps(std::vector<std::string> first, const std::vector<std::string>& set = {}) {
  for (const char* word : {"--algorithm", "erm", "--steps", "1", "--set", "image_size=32", "batch=2",
                           "eval_every=1", "workers=0"}) {
    first.emplace_back(word);
  }
  first.insert(first.end(), set.begin(), set.end());
  return first;
}

TEST(PairTrainWeights, StartsFromAFileAndKeepsItsDigest) {
  const Scratch scratch;
  write_folder(scratch / "pets", {"art", "photo"}, {"cat", "dog"}, 3);
  Program first(few_steps({"train", "--data", "pets", "--model", "resnet18", "--out", "first"}),
                scratch.path());
  ASSERT_EQ(first.wait(), 0) << first.err();
  Program exported({"export", "first", "-o", "w.safetensors"}, scratch.path());
  ASSERT_EQ(exported.wait(), 0) << exported.err();

  const std::vector<std::string> again = few_steps(
      {"train", "--data", "pets", "--model", "resnet18", "--weights", "w.safetensors", "--out", "second"},
      {"lr=1e-9"});
  Program second(again, scratch.path());
  ASSERT_EQ(second.wait(), 0) << second.err();
  EXPECT_THAT(second.err(), Not(HasSubstr("head")));
  const nlohmann::json spec = nlohmann::json::parse(read_file(spec_file(scratch / "second")));
  EXPECT_EQ(spec.at("weights_sha256"), data::sha256_of_file(scratch / "w.safetensors"));
  EXPECT_THAT(spec.at("weights").get<std::string>(), ::testing::EndsWith("/w.safetensors"));
  EXPECT_THAT(read_file(results_file(scratch / "second")), HasSubstr("\"weights_sha256\""));

  // Another file under the same name is another run.
  fs::remove_all(scratch / "second");
  std::ofstream(scratch / "w.safetensors", std::ios::app) << " ";
  Program damaged(again, scratch.path());
  EXPECT_NE(damaged.wait(), 0);
  EXPECT_THAT(damaged.err(), HasSubstr("w.safetensors"));
}

TEST(PairTrainWeights, SaysThatAHeadOfOtherClassesIsNew) {
  const Scratch scratch;
  write_folder(scratch / "two", {"art", "photo"}, {"cat", "dog"}, 3);
  write_folder(scratch / "three", {"art", "photo"}, {"cat", "cow", "dog"}, 3);
  Program first(few_steps({"train", "--data", "two", "--model", "resnet18", "--out", "first"}),
                scratch.path());
  ASSERT_EQ(first.wait(), 0) << first.err();
  Program second(few_steps({"train", "--data", "three", "--model", "resnet18", "--weights",
                            "first/model.safetensors", "--out", "second"}),
                 scratch.path());
  ASSERT_EQ(second.wait(), 0) << second.err();
  EXPECT_THAT(second.err(), AllOf(HasSubstr("the head fc is not taken from the file"),
                                  HasSubstr("expected [3, 512], got"), HasSubstr("fc.weight [2, 512]")));
}

TEST(PairTrainWeights, RefusesWhatIsNotAFileOfWeights) {
  const Scratch scratch;
  write_folder(scratch / "pets", {"art", "photo"}, {"cat", "dog"}, 3);
  const auto refusal = [&](const std::string& file) {
    Program program(
        few_steps({"train", "--data", "pets", "--model", "resnet18", "--weights", file, "--out", "run"}),
        scratch.path());
    EXPECT_EQ(program.wait(), 2) << file;
    EXPECT_FALSE(fs::exists(scratch / "run")) << file;
    return program.err();
  };
  EXPECT_THAT(refusal("none.pth"),
              HasSubstr("weights: expected a file, safetensors or PyTorch's .pt or .pth, got "
                        "'none.pth', which does not exist"));
  EXPECT_THAT(refusal("pets"), HasSubstr("which is a folder"));
  std::ofstream(scratch / "text.pth") << "hello";
  EXPECT_THAT(refusal("text.pth"), HasSubstr("expected a file of weights, safetensors or"));
  std::ofstream(scratch / "evil.pth", std::ios::binary)
      << "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.\x80\x02}."
         "cposix\nsystem\n(U\x0ctouch hackedtR.";
  EXPECT_THAT(refusal("evil.pth"), HasSubstr("got a reference to 'posix.system'"));
  EXPECT_FALSE(fs::exists(scratch / "hacked"));
  Program misfit(few_steps({"train", "--data", "pets", "--model", "distilbert", "--out", "run"}),
                 scratch.path());
  EXPECT_EQ(misfit.wait(), 2);
  EXPECT_FALSE(fs::exists(scratch / "run"));
  EXPECT_THAT(misfit.err(), HasSubstr("got 'distilbert', which is for texts as token ids"));
}

// The one line of docs/models.md, and the same probabilities in Python.
TEST(PairExport, LoadsIntoTheModelsOfTorchvision) {
  const std::string python = tests::python_with("torchvision, numpy, PIL.Image");
  if (python.empty()) {
    GTEST_SKIP() << "there is no python3 with torchvision (Debian's python3-torchvision)";
  }
  const Scratch scratch;
  write_folder(scratch / "pets", {"art", "photo"}, {"cat", "dog"}, 3);
  for (const std::string model : {"resnet18", "densenet121"}) {
    SCOPED_TRACE(model);
    Program trained(few_steps({"train", "--data", "pets", "--model", model, "--out", model}), scratch.path());
    ASSERT_EQ(trained.wait(), 0) << trained.err();
    Program exported({"export", model, "-o", model + ".safetensors"}, scratch.path());
    ASSERT_EQ(exported.wait(), 0) << exported.err();
    Program predicted({"predict", model, "pets/art/cat/0.png"}, scratch.path());
    ASSERT_EQ(predicted.wait(), 0) << predicted.err();
    const base::Finished finished = base::run_program({python, "-c", R"(
import json, sys, numpy, torch, torchvision, PIL.Image
try:
    from safetensors.torch import load_file
except ImportError:  # the package is not part of Debian 12: the same, for the types that occur here
    def load_file(name):
        data = open(name, "rb").read()
        size = int.from_bytes(data[:8], "little")
        types = {"F32": numpy.float32, "I64": numpy.int64}
        return {key: torch.from_numpy(numpy.frombuffer(data[8 + size:][slice(*value["data_offsets"])],
                                                       types[value["dtype"]]).copy().reshape(value["shape"]))
                for key, value in json.loads(data[8:8 + size]).items() if key != "__metadata__"}
model = getattr(torchvision.models, sys.argv[1])(num_classes=2)
model.load_state_dict(load_file(sys.argv[1] + ".safetensors"))
model.eval()
image = torchvision.transforms.functional.to_tensor(PIL.Image.open("pets/art/cat/0.png").convert("RGB"))
print(*torch.softmax(model(image[None]), 1)[0].tolist())
)",
                                                       model},
                                                      scratch.path());
    ASSERT_EQ(finished.status, 0) << finished.output;
    std::istringstream theirs(finished.output);
    double cat = 0.0;
    theirs >> cat;
    // input,class,p_cat,p_dog
    std::istringstream lines(predicted.out());
    std::string line;
    std::getline(lines, line);
    std::getline(lines, line);
    const std::size_t comma = line.find(',', line.find(',') + 1);
    EXPECT_NEAR(std::stod(line.substr(comma + 1)), cat, 1e-4) << line;
  }
}

TEST(PairTrainManifest, TrainsOnTheImagesOfAList) {
  const Scratch scratch;
  std::ofstream list(scratch / "list.csv");
  list << "path,label,environment,split\n";
  unsigned seed = 0;
  for (const char* environment : {"north", "south", "west"}) {
    for (const char* name : {"oak", "pine"}) {
      for (int i = 0; i < 2; ++i) {
        const std::string file = "images/" + std::to_string(++seed) + ".png";
        write_picture(scratch / file, seed);
        list << file << "," << name << "," << environment << "," << (i == 0 ? "train" : "id_val") << "\n";
      }
    }
  }
  list.close();
  Program program(
      few_steps({"train", "--data", "list.csv", "--test-envs", "west", "--out", "run"}, {"model=mnist_cnn"}),
      scratch.path());
  ASSERT_EQ(program.wait(), 0) << program.err();
  EXPECT_THAT(program.out(), HasSubstr("west"));
  const nlohmann::json spec = nlohmann::json::parse(read_file(spec_file(scratch / "run")));
  EXPECT_EQ(spec.at("dataset"), "images");
  EXPECT_EQ(spec.at("manifest_sha256"), data::sha256_of_file(scratch / "list.csv"));
  EXPECT_EQ(spec.at("test_envs"), nlohmann::json({2}));

  std::ofstream(scratch / "list.csv", std::ios::app) << "images/1.png,oak,north,train\n";
  Program twice(few_steps({"train", "--data", "list.csv", "--out", "other"}), scratch.path());
  EXPECT_EQ(twice.wait(), 2);
  EXPECT_THAT(twice.err(), HasSubstr("list.csv, line 14: expected each path once"));
}

TEST(PairTrainDomainBed, TrainsOnAFolderInTheLayoutOfPacs) {
  const Scratch scratch;
  write_folder(scratch / "sets" / "PACS", {"art_painting", "cartoon", "photo", "sketch"},
               {"dog", "elephant", "giraffe", "guitar", "horse", "house", "person"}, 1);
  Program checked({"data", "check", "PACS", "--data-root", "sets"}, scratch.path());
  EXPECT_EQ(checked.wait(), 0) << checked.err();
  EXPECT_THAT(checked.out(), AllOf(HasSubstr("art_painting  7 images"), HasSubstr("PACS can be trained on")));
  Program program(few_steps({"train", "--dataset", "PACS", "--data-root", "sets", "--test-envs", "sketch",
                             "--model", "resnet18", "--out", "run"}),
                  scratch.path());
  ASSERT_EQ(program.wait(), 0) << program.err();
  EXPECT_THAT(program.out(), HasSubstr("sketch"));
  // The model expects ImageNet's normalisation, and keeps it.
  EXPECT_THAT(read_file(scratch / "run/model.json"), HasSubstr("0.485"));
  Program scored({"score", "run"}, scratch.path());
  EXPECT_EQ(scored.wait(), 0) << scored.err();

  Program missing({"data", "check", "VLCS", "--data-root", "sets", "--json"}, scratch.path());
  EXPECT_EQ(missing.wait(), 1);
  EXPECT_THAT(missing.out(), HasSubstr("expected the folder of VLCS"));
  Program refused(few_steps({"train", "--dataset", "VLCS", "--data-root", "sets"}), scratch.path());
  EXPECT_EQ(refused.wait(), 2);
  EXPECT_THAT(refused.err(), HasSubstr("'pair data check VLCS --data-root DIR' lists all problems"));
  Program without(few_steps({"train", "--dataset", "PACS"}), scratch.path());
  EXPECT_EQ(without.wait(), 2);
  EXPECT_THAT(without.err(), HasSubstr("data_root: expected the folder that holds 'PACS', got none"));
}

TEST(PairListHparams, PrintsADraw) {
  const Scratch scratch;
  Program drawn({"list", "hparams", "--dataset", "ColoredMNIST", "--algorithm", "IRM", "--seed", "7",
                 "--trial-seed", "2", "--json"},
                scratch.path());
  ASSERT_EQ(drawn.wait(), 0) << drawn.err();
  const nlohmann::json draw = nlohmann::json::parse(drawn.out());
  EXPECT_EQ(draw.at("algorithm"), "irmv1");
  EXPECT_EQ(draw.at("hparams").at("irm_lambda").get<double>(),
            std::stod(draw.at("settings").at("penalty").get<std::string>()));
  Program defaults({"list", "hparams", "--dataset", "PACS", "--algorithm", "erm", "--seed", "0", "--json"},
                   scratch.path());
  ASSERT_EQ(defaults.wait(), 0) << defaults.err();
  EXPECT_EQ(nlohmann::json::parse(defaults.out()).at("hparams").at("lr"), 5e-5);
  Program refused({"list", "hparams", "--seed", "1", "--dataset", "PACS"}, scratch.path());
  EXPECT_EQ(refused.wait(), 2);
  EXPECT_THAT(refused.err(),
              HasSubstr("--seed: expected --dataset and --algorithm with it, got no --algorithm"));
}

}  // namespace
}  // namespace pair::runs::testing::weights_program_test
