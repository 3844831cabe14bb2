#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>

#include "pair/cli/output_file.h"
#include "pair/cli/paper.h"
#include "pair/paper/concave.h"

namespace pair::cli {
namespace {

struct PaperConcaveArguments {
  paper::ConcaveRequest request;
  std::string format = "text";
  std::string save;
  std::string theme = "auto";
};

void run_concave(const PaperConcaveArguments& arguments, Context& context) {
  if (!arguments.save.empty()) {
    check_figure_name("--save", arguments.save);
  }
  const nlohmann::json result = paper::concave(arguments.request);
  if (!arguments.save.empty()) {
    write_figure(
        arguments.save, result, [&] { return paper::concave_figure(result); }, arguments.theme);
  }
  context.out << (arguments.format == "json" ? result.dump() + "\n" : paper::concave_text(result));
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
  command->add_option("--format", arguments->format, "text: the end points; json: all numbers of the figure")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option(
      "--save", arguments->save,
      "Also draw the figure into this .svg or .png file, or write its numbers to this .json file");
  command
      ->add_option("--theme", arguments->theme,
                   "auto, light or dark: the colours of the figure; auto means light in a PNG")
      ->check(CLI::IsMember({"auto", "light", "dark"}))
      ->capture_default_str();
  command->footer(
      "Figure 1c of the paper.\n\n"
      "Example:\n"
      "  pair paper fig-concave --save concave.svg");
  command->callback([arguments, &context] { run_concave(*arguments, context); });
}

}  // namespace pair::cli
