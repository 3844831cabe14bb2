#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pair/cli/paper.h"
#include "pair/paper/prop1.h"

namespace pair::cli {

void add_paper_prop1(CLI::App& paper, Context& context) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command =
      paper.add_subcommand("prop1", "Check Proposition 1 over a grid of two-bit environments, both losses");
  command->add_flag("--json", *json, "Write one JSON object");
  command->footer(
      "Takes a few seconds. Exits with status 1 if the proposition does not hold.\n\n"
      "Example:\n"
      "  pair paper prop1\n"
      "  pair paper prop1 --json | jq '.losses[] | {loss, cases, holds, location_error}'");
  command->callback([json, &context] {
    auto shown = std::chrono::steady_clock::now();
    const nlohmann::json result = paper::prop1(paper::Prop1Grid::standard(), [&](double share) {
      if (const auto now = std::chrono::steady_clock::now(); now - shown > std::chrono::seconds(2)) {
        shown = now;
        context.err << static_cast<int>(100 * share) << "% of the grid done\n" << std::flush;
      }
    });
    context.out << (*json ? result.dump(1) + "\n" : paper::prop1_text(result));
    context.status = result["holds"].get<bool>() ? exit_ok : exit_failure;
  });
}

}  // namespace pair::cli
