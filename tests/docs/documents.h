#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// The project's documents, and the commands in them.

namespace pair::docs::testing {

std::filesystem::path project();

// A file of the project, by its path in it.
std::string text_of(const std::filesystem::path& path);

// The code blocks of a document that have this language: ```cpp.
std::vector<std::string> blocks_of(std::string_view document, std::string_view language);

// The indented lines that start with `program`, in order, without the indent.
std::vector<std::string> commands_of(std::string_view document, std::string_view program);

struct Ended {
  int status = 0;
  std::string out;
  std::string err;
};

// Runs a command line in bash, in a folder, with the built program's folder first in PATH.
Ended shell(const std::string& command, const std::filesystem::path& folder);

// A folder of small images as docs/images.md describes it: environments art, photo and sketch, classes cat and
// dog.
void make_images(const std::filesystem::path& folder);

}  // namespace pair::docs::testing
