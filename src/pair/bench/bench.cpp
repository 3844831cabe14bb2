#include "pair/bench/bench.h"

#include <algorithm>
#include <fstream>

namespace pair::bench {

CLI::App& add_bench(CLI::App& app) {
  CLI::App* bench = app.add_subcommand("bench", "Measure the speed of parts of PAIR on this machine");
  bench->require_subcommand(1);
  bench->footer(
      "Example:\n"
      "  pair bench solver\n"
      "  pair bench select\n"
      "  pair bench watch\n"
      "  pair bench table");
  return *bench;
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      return line.substr(std::min(line.size(), line.find(':') + 2));
    }
  }
  return "unknown";
}

}  // namespace pair::bench
