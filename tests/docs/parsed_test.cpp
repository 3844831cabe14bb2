// Every 'pair' command line of every document is parsed by the program's own parser, whose commands do
// nothing here, and every option that a document names exists. Most command lines are also executed:
//
//   README.md                 readme_test.cpp
//   tutorial.md               tutorial_test.cpp, whole
//   models.md                 runs/models_documentation_test.cpp
//   sweeps.md                 sweep/documentation_test.cpp
//   selection.md              cli/select_test.cpp and commands_test.cpp
//   library.md                library_test.cpp
//   practice.md               commands_test.cpp, except the selection from the reader's sweep
//   the others                commands_test.cpp
//
// Not executed: 'pair data get' and trainings on the digits that it downloads
// (tests/runs/domainbed_program_test.cpp has small ones), 'pair bench' (measures for minutes), 'pair watch'
// (does not end; tests/watch runs it), scripts/gallery and those tables and figures of paper.md that train
// for more than seconds in every form (table3, table6, table7, fig-extrapolation, fig-sweep; tests/paper runs
// small ones), and command lines on files of the reader (patients.csv, RUN, risk_range).

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "pair/base/options.h"
#include "pair/cli/command.h"
#include "pair/cli/program.h"
#include "pair/runs/run_spec.h"
#include "tests/docs/documents.h"

namespace pair::docs::testing {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> all_documents() {
  std::vector<fs::path> documents = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(project() / "docs")) {
    if (entry.path().extension() == ".md") {
      documents.push_back(fs::relative(entry.path(), project()));
    }
  }
  std::sort(documents.begin(), documents.end());
  return documents;
}

// Ends after parsing. (Commands keep their callbacks, which own the variables that options write to.)
class ParsingApp : public CLI::App {
  void pre_callback() override { throw CLI::Success(); }
};

// The program's parser, without what its commands do.
class Parser {
 public:
  Parser() : context_{in_, out_, out_} {
    app_.set_help_all_flag("--version");  // an option of the program itself
    cli::add_commands(app_, context_);
    stay_here(app_);
    // A program of its own: only its name is known here.
    app_.get_subcommand("bench")->allow_extras();
  }

  // Empty, or why the command line is wrong.
  std::string fault(const std::string& line) {
    try {
      app_.parse(line, /*program_name_included=*/true);
    } catch (const CLI::Success&) {  // parsed, --help or --version
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  }

  CLI::App& app() { return app_; }

 private:
  // Commands of other programs replace this one as soon as they are named.
  static void stay_here(CLI::App& app) {
    app.preparse_callback({});
    for (CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
      stay_here(*command);
    }
  }

  std::istringstream in_;
  std::ostringstream out_;
  cli::Context context_;
  ParsingApp app_;
};

std::string without_comment(const std::string& line) {
  std::string command = line.substr(0, line.find(" | "));
  command = command.substr(0, command.find("  #"));
  return command.substr(0, command.find_last_not_of(' ') + 1);
}

// The documents' command lines, by document.
std::vector<std::pair<fs::path, std::string>> all_commands() {
  std::vector<std::pair<fs::path, std::string>> all;
  const std::string from_source = "build/release/bin/pair";
  for (const fs::path& document : all_documents()) {
    std::istringstream lines(text_of(document));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t begin = line.find_first_not_of(' ');
      if (begin == std::string::npos || begin < 4 || line.find("  ", begin) < line.find('#')) {
        continue;  // prose, or a drawing
      }
      std::string command = line.substr(begin);
      if (command.starts_with(from_source)) {
        command.replace(0, from_source.size(), "pair");
      }
      if (command.starts_with("pair ")) {
        all.emplace_back(document, without_comment(command));
      }
    }
  }
  return all;
}

TEST(Documents, HaveCommandLinesThatTheProgramAccepts) {
  const auto commands = all_commands();
  EXPECT_GT(commands.size(), 100U);
  for (const auto& [document, command] : commands) {
    EXPECT_EQ(Parser().fault(command), "") << document << ": " << command;
  }
}

TEST(Documents, AreCheckedByAParserThatRefusesUnknownOptionsAndCommands) {
  EXPECT_NE(Parser().fault("pair train --keep-everything"), "");
  EXPECT_NE(Parser().fault("pair trian"), "");
  EXPECT_NE(Parser().fault("pair paper table99"), "");
  EXPECT_NE(Parser().fault("pair train --steps"), "");
  EXPECT_EQ(Parser().fault("pair train --steps 5"), "");
}

// Settings by option or by --set, of runs whose data is not a file of the reader.
TEST(Documents, HaveTrainingsWhoseSettingsExist) {
  int checked = 0;
  for (const auto& [document, command] : all_commands()) {
    if (!command.starts_with("pair train ") || command.find("--data ") != std::string::npos ||
        command.find("--data-root ") != std::string::npos ||
        command.find("risk_range") != std::string::npos) {
      continue;
    }
    Parser parser;
    ASSERT_EQ(parser.fault(command), "") << command;
    std::string dataset = "cmnist";
    std::string algorithm = "pair";
    base::Assignments overrides;
    static const std::set<std::string> not_settings = {"out", "tensorboard", "json", "quiet", "no-model"};
    for (const CLI::Option* const option : parser.app().get_subcommand("train")->get_options()) {
      std::string name = option->get_single_name();
      if (option->count() == 0 || not_settings.contains(name)) {
        continue;
      }
      if (name == "dataset" || name == "algorithm") {
        (name == "dataset" ? dataset : algorithm) = option->results().front();
      } else if (name == "set") {
        for (const std::string& word : option->results()) {
          overrides.emplace_back(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
        }
      } else {
        std::replace(name.begin(), name.end(), '-', '_');
        const bool flag = option->get_expected_max() == 0;
        overrides.emplace_back(name, flag ? "true" : option->results().front());
      }
    }
    ++checked;
    EXPECT_NO_THROW((void)runs::resolve(dataset, algorithm, overrides)) << document << ": " << command;
  }
  EXPECT_GT(checked, 40);
}

void add_options(const CLI::App& app, std::set<std::string>& names) {
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.insert("--" + name);
    }
  }
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    add_options(*command, names);
  }
}

// Options that texts name belong to some command, or to another program.
TEST(Documents, NameOptionsThatExist) {
  Parser parser;
  std::set<std::string> known = {"--help", "--version",
                                 // cmake
                                 "--build", "--install", "--preset", "--prefix", "--target",
                                 // pip
                                 "--no-build-isolation",
                                 // sbatch and srun
                                 "--account", "--nodes", "--ntasks", "--ntasks-per-node", "--gpus-per-task",
                                 // torchrun
                                 "--no-python", "--nproc-per-node",
                                 // DomainBed
                                 "--data_dir", "--hparams_seed", "--trial_seed",
                                 // tensorboard
                                 "--logdir",
                                 // scripts/gallery
                                 "--only", "--quick",
                                 // pair bench, a program of its own
                                 "--parts", "--python", "--small", "--tokenizer",
                                 // The reader's own solver of CONTRIBUTING.md.
                                 "--share-power"};
  add_options(parser.app(), known);
  const std::regex option("(^|[\\s`(\"'])(--[a-z][a-z0-9_-]*)");
  for (const fs::path& document : all_documents()) {
    if (document == "CHANGELOG.md") {
      continue;  // names options of earlier versions, too
    }
    const std::string text = text_of(document);
    for (auto found = std::sregex_iterator(text.begin(), text.end(), option); found != std::sregex_iterator();
         ++found) {
      EXPECT_TRUE(known.contains((*found)[2])) << document << " names " << (*found)[2];
    }
  }
}

}  // namespace
}  // namespace pair::docs::testing
