#include "pair/cli/hand_over.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "pair/base/reason.h"
#include "pair/cli/blas.h"

namespace pair::cli {
namespace {

namespace fs = std::filesystem;

fs::path program_of(Part part) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  // The program with LibTorch, started by itself, has the benchmarks beside it.
  std::error_code ignored;
  if (part == Part::benchmarks && fs::exists(here / "pair-bench", ignored)) {
    return here / "pair-bench";
  }
  return (here / PAIR_LIBEXEC_FROM_BIN / (part == Part::training ? "pair" : "pair-bench")).lexically_normal();
}

}  // namespace

std::filesystem::path program_of_user() {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const fs::path front = (self.parent_path() / PAIR_BIN_FROM_LIBEXEC / "pair").lexically_normal();
  std::error_code ignored;
  const bool is_part =
      fs::equivalent(front.parent_path() / PAIR_LIBEXEC_FROM_BIN, self.parent_path(), ignored);
  return is_part && fs::exists(front, ignored) ? front : self;
}

void hand_over(const Context& context, Part part) {
  const std::string program = program_of(part).string();
  std::vector<char*> words;
  for (const char* const word : context.arguments) {
    // execv takes its words so and changes none.
    words.push_back(const_cast<char*>(word));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  words.push_back(nullptr);
  choose_blas_kernels();
  choose_onednn_kernels();
  ::execv(program.c_str(), words.data());
  const std::string what =
      part == Part::training
          ? "the part of pair that trains: " + base::reason(errno)
          : "the part of pair that measures: " + base::reason(errno) +
                ". 'make bench' builds it, and so does 'cmake --build --preset release --target pair-bench'";
  throw std::runtime_error("cannot start '" + program + "', " + what);
}

void add_elsewhere(CLI::App& app, Context& context, Part part, const std::string& name,
                   const std::string& summary) {
  app.add_subcommand(name, summary)->preparse_callback([&context, part](std::size_t) {
    hand_over(context, part);
  });
}

}  // namespace pair::cli
