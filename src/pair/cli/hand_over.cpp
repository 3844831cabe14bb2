#include "pair/cli/hand_over.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "pair/data/reason.h"

namespace pair::cli {

void hand_over(const Context& context) {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string program = (here / PAIR_WITH_TORCH).lexically_normal().string();
  std::vector<char*> words;
  for (const char* const word : context.arguments) {
    // execv takes its words so and changes none.
    words.push_back(const_cast<char*>(word));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  throw std::runtime_error("cannot start '" + program +
                           "', the part of pair that trains: " + data::reason(errno));
}

void add_elsewhere(CLI::App& app, Context& context, const std::string& name, const std::string& summary) {
  app.add_subcommand(name, summary)->preparse_callback([&context](std::size_t) { hand_over(context); });
}

}  // namespace pair::cli
