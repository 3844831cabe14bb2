#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "pair/cli/paper.h"
#include "pair/paper/two_bit_descent.h"

namespace pair::cli {
namespace {

struct PaperTwoBitArguments {
  paper::TwoBitOptions options;
  std::vector<std::string> losses = {"square", "logistic"};
  std::string step = std::string(paper::to_string(paper::PairDescent{}.step));
  bool json = false;
};

void run_two_bit(PaperTwoBitArguments& arguments, Context& context) {
  arguments.options.losses.clear();
  for (const std::string& loss : arguments.losses) {
    arguments.options.losses.push_back(data::two_bit::loss_from(loss));
  }
  arguments.options.pair.step = paper::pair_step_from(arguments.step);
  auto shown = std::chrono::steady_clock::now();
  const nlohmann::json result = paper::two_bit(arguments.options, [&](double share) {
    if (const auto now = std::chrono::steady_clock::now(); now - shown > std::chrono::seconds(2)) {
      shown = now;
      context.err << static_cast<int>(100 * share) << "% done\n" << std::flush;
    }
  });
  context.out << (arguments.json ? result.dump() + "\n" : paper::two_bit_text(result));
}

}  // namespace

void add_paper_two_bit(CLI::App& paper, Context& context) {
  const auto arguments = std::make_shared<PaperTwoBitArguments>();
  CLI::App* command = paper.add_subcommand(
      "two-bit", "Where IRMv1, V-REx and PAIR-o converge on two-bit environments, from random starts");
  paper::TwoBitOptions& options = arguments->options;
  command->add_option("--cases", options.cases, "Any of failure, original")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--losses", arguments->losses, "Any of square, logistic")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--starts", options.starts, "Random starts")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--seed", options.seed, "Seed of the starts")->capture_default_str();
  command->add_option("--pretrain", options.pretrain, "Steps of ERM before each method")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--preference", options.pair.preference, "PAIR-o's preference for ERM, IRMv1 and V-REx")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--step", arguments->step,
                   "PAIR-o's step; decaying: of fixed, decreasing length; guarded: as in training")
      ->capture_default_str();
  command->add_option("--lr", options.pair.learning_rate, "Learning rate of the guarded step")
      ->capture_default_str();
  command->add_flag("--json", arguments->json,
                    "Write one JSON object, including the end point of each start");
  command->footer(
      "Takes half a minute.\n\n"
      "Example:\n"
      "  pair paper two-bit --cases failure --losses square\n"
      "  pair paper two-bit --step guarded --json | jq '.cases[] | {case, loss, ends: [.methods[].ends]}'");
  command->callback([arguments, &context] { run_two_bit(*arguments, context); });
}

}  // namespace pair::cli
