#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "pair/cli/paper.h"
#include "pair/paper/stall.h"
#include "pair/paper/two_bit_descent.h"

namespace pair::cli {
namespace {

struct PaperStallArguments {
  std::string name = "failure";
  std::string loss = "logistic";
  std::vector<double> preference = paper::PairDescent{}.preference;
  bool json = false;
};

void run_stall(const PaperStallArguments& arguments, Context& context) {
  data::two_bit::Spec spec = paper::two_bit_case(arguments.name);
  spec.loss = data::two_bit::loss_from(arguments.loss);
  const nlohmann::json result = paper::stall(spec, arguments.preference);
  context.out << (arguments.json ? result.dump(1) + "\n" : paper::stall_text(result));
}

}  // namespace

void add_paper_stall(CLI::App& paper, Context& context) {
  const auto arguments = std::make_shared<PaperStallArguments>();
  CLI::App* command =
      paper.add_subcommand("stall", "Why PAIR-o with plain EPO can stop halfway, on two-bit environments");
  command->add_option("--case", arguments->name, "failure or original")->capture_default_str();
  command->add_option("--loss", arguments->loss, "square or logistic")->capture_default_str();
  command->add_option("--preference", arguments->preference, "Preference for ERM, IRMv1 and V-REx")
      ->delimiter(',')
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Write one JSON object");
  command->footer(
      "Example:\n"
      "  pair paper stall\n"
      "  pair paper stall --loss square --case original");
  command->callback([arguments, &context] { run_stall(*arguments, context); });
}

}  // namespace pair::cli
