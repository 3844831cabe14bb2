#include "pair/cli/bench.h"

namespace pair::cli {

CLI::App& add_bench(CLI::App& app) {
  CLI::App* bench = app.add_subcommand("bench", "Measure how fast things are on this machine");
  bench->require_subcommand(1);
  bench->footer(
      "Example:\n"
      "  pair bench solver");
  return *bench;
}

}  // namespace pair::cli
