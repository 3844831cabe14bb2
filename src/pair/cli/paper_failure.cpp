#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/cli/output_file.h"
#include "pair/cli/paper.h"
#include "pair/paper/failure.h"
#include "pair/paper/failure_figure.h"

namespace pair::cli {
namespace {

struct PaperFailureArguments {
  std::string loss = "square";
  double alpha = data::two_bit::Spec{}.alpha;
  std::vector<double> betas = data::two_bit::Spec{}.betas;
  std::string format = "text";
  std::string out;
  std::string theme = "auto";
};

void run_failure(const PaperFailureArguments& arguments, Context& context) {
  if (!arguments.out.empty()) {
    check_figure_name("--out", arguments.out);
  }
  nlohmann::json figure;
  try {
    figure = paper::failure({data::two_bit::loss_from(arguments.loss), arguments.alpha, arguments.betas});
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  if (!arguments.out.empty()) {
    write_figure(
        arguments.out, figure, [&] { return paper::failure_figure(figure); }, arguments.theme);
  }
  if (arguments.format == "json") {
    context.out << figure.dump() << '\n';
  } else {
    context.out << paper::failure_text(figure);
  }
}

}  // namespace

void add_paper_failure(CLI::App& paper, Context& context) {
  const auto arguments = std::make_shared<PaperFailureArguments>();
  CLI::App* command = paper.add_subcommand(
      "fig-failure", "Why IRMv1 fails on two-bit environments: constraints, landscapes, Pareto front");
  command->add_option("--loss", arguments->loss, "square or logistic")->capture_default_str();
  command->add_option("--alpha", arguments->alpha, "Probability that the invariant bit is wrong, in (0, 1)")
      ->capture_default_str();
  command
      ->add_option("--betas", arguments->betas,
                   "Probability that the spurious bit is wrong, one per environment, in (0, 1), distinct")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--format", arguments->format, "text: the points found; json: all numbers of the figure")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option(
      "-o,--out", arguments->out,
      "Also draw the figure into this .svg or .png file, or write its numbers to this .json file");
  command
      ->add_option("--theme", arguments->theme,
                   "auto, light or dark: the colours of the figure; auto means light in a PNG")
      ->check(CLI::IsMember({"auto", "light", "dark"}))
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "  pair paper fig-failure\n"
      "  pair paper fig-failure --loss logistic --alpha 0.05 --betas 0.11,0.4 -o failure.svg");
  command->callback([arguments, &context] { run_failure(*arguments, context); });
}

}  // namespace pair::cli
