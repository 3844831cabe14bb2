#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/cli/output_options.h"
#include "pair/cli/paper.h"
#include "pair/paper/failure.h"
#include "pair/paper/failure_figure.h"

namespace pair::cli {
namespace {

struct PaperFailureArguments {
  std::string loss = "square";
  double alpha = data::two_bit::Spec{}.alpha;
  std::vector<double> betas = data::two_bit::Spec{}.betas;
  FigureOptions output;
};

void run_failure(const PaperFailureArguments& arguments, Context& context) {
  arguments.output.check();
  const nlohmann::json figure =
      paper::failure({data::two_bit::loss_from(arguments.loss), arguments.alpha, arguments.betas});
  arguments.output.write(
      figure, [&] { return paper::failure_figure(figure); }, [&] { return paper::failure_text(figure); },
      context.out);
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
  arguments->output.add(*command, "the points found", ",--out");
  command->footer(
      "Example:\n"
      "  pair paper fig-failure\n"
      "  pair paper fig-failure --loss logistic --alpha 0.05 --betas 0.11,0.4 --save failure.svg");
  command->callback([arguments, &context] { run_failure(*arguments, context); });
}

}  // namespace pair::cli
