#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>

#include "pair/cli/output_options.h"
#include "pair/cli/paper.h"
#include "pair/paper/concave.h"

namespace pair::cli {
namespace {

struct PaperConcaveArguments {
  paper::ConcaveRequest request;
  FigureOptions output;
};

void run_concave(const PaperConcaveArguments& arguments, Context& context) {
  arguments.output.check();
  const nlohmann::json result = paper::concave(arguments.request);
  arguments.output.write(
      result, [&] { return paper::concave_figure(result); }, [&] { return paper::concave_text(result); },
      context.out);
}

}  // namespace

void add_paper_concave(CLI::App& paper, Context& context) {
  const auto arguments = std::make_shared<PaperConcaveArguments>();
  CLI::App* command = paper.add_subcommand(
      "fig-concave", "Weighted sums reach only the ends of a concave Pareto front, EPO any point of it");
  command->add_option("--rays", arguments->request.rays, "Number of preferences, at equal angles")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--steps", arguments->request.steps, "Gradient steps per run")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  arguments->output.add(*command, "the end points");
  command->footer(
      "Figure 1c of the paper.\n\n"
      "Example:\n"
      "  pair paper fig-concave --save concave.svg");
  command->callback([arguments, &context] { run_concave(*arguments, context); });
}

}  // namespace pair::cli
