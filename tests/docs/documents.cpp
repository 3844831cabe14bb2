#include "tests/docs/documents.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/scratch.h"

namespace pair::docs::testing {
namespace {

namespace fs = std::filesystem;

std::string whole_file(const fs::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("cannot read " + path.string());
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

fs::path project() {
  return fs::path(PAIR_TEST_DATA).parent_path().parent_path();
}

std::string text_of(const fs::path& path) {
  return whole_file(project() / path);
}

std::vector<std::string> blocks_of(std::string_view document, std::string_view language) {
  std::vector<std::string> blocks;
  std::istringstream lines{std::string(document)};
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (inside && line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    } else if (line == "```" + std::string(language)) {
      inside = true;
      blocks.emplace_back();
    }
  }
  return blocks;
}

std::vector<std::string> commands_of(std::string_view document, std::string_view program) {
  std::vector<std::string> commands;
  std::istringstream lines{std::string(document)};
  const std::string start = "    " + std::string(program) + " ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) {
      commands.push_back(line.substr(4));
    }
  }
  return commands;
}

Ended shell(const std::string& command, const fs::path& folder) {
  const tests::Scratch output;
  std::ofstream(output / "script") << command << '\n';
  const std::string bin = fs::path(PAIR_PROGRAM).parent_path().string();
  const std::string line = "cd '" + folder.string() + "' && PATH='" + bin + "':\"$PATH\" bash '" +
                           (output / "script").string() + "' >'" + (output / "out").string() + "' 2>'" +
                           (output / "err").string() + "'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), whole_file(output / "out"),
          whole_file(output / "err")};
}

void make_images(const fs::path& folder) {
  const fs::path corpus = project() / "tests" / "fuzz" / "corpus" / "image";
  for (const char* environment : {"art", "photo", "sketch"}) {
    for (const char* label : {"cat", "dog"}) {
      const fs::path place = folder / environment / label;
      fs::create_directories(place);
      for (int copy = 0; copy < 5; ++copy) {
        fs::copy_file(corpus / "small.jpg", place / (std::to_string(copy) + ".jpg"));
        fs::copy_file(corpus / "rgb.png", place / (std::to_string(copy) + ".png"));
      }
    }
  }
}

}  // namespace pair::docs::testing
