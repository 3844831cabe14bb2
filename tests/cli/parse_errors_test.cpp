#include "pair/cli/parse_errors.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

// The sentences of CLI11 in our form. Versions of CLI11 differ in how they state a range; programs are tested
// with the installed one, so both forms are given here as text.

namespace pair::cli::parse_errors_test {
namespace {

class Command {
 public:
  Command() {
    app_.add_option("--port", port_, "an integer")->check(CLI::Range(0, 65535));
    app_.add_option("--share", share_, "a number")->check(CLI::Range(0.0, 1.0));
    app_.add_option("--radius", share_, "a number, with a name of its own")->type_name("X");
  }

  [[nodiscard]] std::string message(const std::string& option, const std::string& said) const {
    return message_of(CLI::ValidationError(option, said), app_, {});
  }

 private:
  CLI::App app_;
  int port_ = 0;
  double share_ = 0.0;
};

TEST(ParseErrors, StateARangeInBothFormsOfCli11) {
  const Command command;
  for (const char* said : {"Value 70000 not in range 0 to 65535", "Value 70000 not in range [0 - 65535]"}) {
    EXPECT_EQ(command.message("--port", said), "--port: expected an integer from 0 to 65535, got '70000'")
        << said;
  }
  for (const char* said : {"Value 2 not in range 0.000000 to 1.000000", "Value 2 not in range [0 - 1]"}) {
    EXPECT_EQ(command.message("--share", said), "--share: expected a number from 0 to 1, got '2'") << said;
  }
  EXPECT_EQ(command.message("--share", "Value 2 not in range [-1 - 1]"),
            "--share: expected a number from -1 to 1, got '2'");
}

TEST(ParseErrors, TakeTheKindOfNumberFromTheOption) {
  const Command command;
  EXPECT_EQ(command.message("--radius", "Value 2 not in range [0 - 1]"),
            "--radius: expected a number from 0 to 1, got '2'");
  EXPECT_EQ(command.message("--unknown", "Value 2 not in range [0 - 1]"),
            "--unknown: expected an integer from 0 to 1, got '2'");
}

TEST(ParseErrors, LeaveOtherSentencesAsTheyAre) {
  EXPECT_EQ(Command().message("--port", "is not allowed today"), "--port: is not allowed today");
}

}  // namespace
}  // namespace pair::cli::parse_errors_test
