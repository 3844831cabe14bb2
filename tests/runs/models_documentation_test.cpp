// Every command of docs/models.md, in its order, in one folder.

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/runs/fixtures.h"
#include "tests/runs/program.h"
#include "tests/support/pictures.h"

namespace pair::runs::testing {
namespace {

namespace fs = std::filesystem;

TEST(ModelsDocumentation, ShowsCommandsThatWork) {
  const Scratch scratch;
  unsigned seed = 0;
  for (const char* environment : {"art", "photo", "sketch"}) {
    for (const char* class_name : {"cat", "dog"}) {
      const fs::path folder = scratch.path() / "pets" / environment / class_name;
      fs::create_directories(folder);
      for (int i = 0; i < 5; ++i) {
        const data::Bytes bytes = tests::png(tests::picture(10, 10, ++seed));
        std::ofstream(folder / (std::to_string(i) + ".png"), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      }
    }
  }
  const fs::path root = fs::path(PAIR_TEST_DATA).parent_path().parent_path();
  std::ifstream documentation(root / "docs" / "models.md");
  int commands = 0;
  for (std::string line; std::getline(documentation, line);) {
    if (!line.starts_with("    ") || line.find_first_not_of(' ') != line.find("pair ")) {
      continue;
    }
    ++commands;
    std::istringstream words(line);
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) {
      arguments.push_back(word);
    }
    arguments.erase(arguments.begin());
    // Few steps on small images, and few digits, are enough here.
    if (arguments[0] == "train" && line.find("cmnist") != std::string::npos) {
      arguments.insert(arguments.end(), {"--set", "train_digits=100", "test_digits=50", "width=4"});
    } else if (arguments[0] == "train") {
      arguments.insert(arguments.end(), {"--set", "image_size=8", "batch=2"});
      *std::find(arguments.begin(), arguments.end(), "300") = "4";
    }
    // A file of weights that fits; its first bytes, not its name, decide its kind.
    if (line.find("--weights") != std::string::npos) {
      Program other({"train", "--data", "pets", "--model", "resnet18", "--steps", "1", "--out", "runs/other",
                     "--set", "image_size=8", "batch=2"},
                    scratch.path());
      ASSERT_EQ(other.wait(), 0) << other.err();
      fs::copy(scratch / "runs/other/model.safetensors", scratch / "resnet18.pth");
    }
    Program program(arguments, scratch.path());
    EXPECT_EQ(program.wait(), 0) << line << "\n" << program.err();
    EXPECT_NE(program.out(), "") << line;
  }
  EXPECT_EQ(commands, 10);
  EXPECT_TRUE(fs::exists(scratch / "digits-200.safetensors"));
  EXPECT_TRUE(fs::exists(scratch / "pets.safetensors"));
}

}  // namespace
}  // namespace pair::runs::testing
