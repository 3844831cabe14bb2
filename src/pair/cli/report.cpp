#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/names.h"
#include "pair/cli/commands.h"
#include "pair/cli/left_out.h"
#include "pair/cli/output_options.h"
#include "pair/cli/reading_progress.h"
#include "pair/plot/png.h"
#include "pair/report/figures.h"
#include "pair/report/page.h"
#include "pair/report/payload_of.h"

namespace pair::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> folders;
  std::string out;
  std::string figures;
  std::size_t runs = 8;
  bool json = false;
};

// A file of another kind, such as a table given by mistake, is not replaced.
void check_page_name(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::is_empty(path, error)) {
    return;
  }
  constexpr std::string_view start = "<!doctype html";
  std::string found(start.size(), '\0');
  std::ifstream(path, std::ios::binary).read(found.data(), static_cast<std::streamsize>(found.size()));
  if (base::lower_case(found) != start) {
    throw UsageError("--out: expected a new file, or an HTML page to replace, got '" + base::printable(path) +
                     "', which is not an HTML page; give another name or remove it first");
  }
}

void write_page(const nlohmann::json& payload, const std::string& path, Context& context) {
  write_output(path, report::page(payload, false));
  context.out << base::printable(path) << '\n';
  if (!report::have_plotly()) {
    context.err
        << "pair: this program was built without its plotting library, so the page has text and tables "
           "only; the CMake option PAIR_PLOTLY adds it\n";
  }
}

void write_figures(const report::Sources& sources, const ReportArguments& arguments, Context& context) {
  const auto files = report::write_figures(report::figures_of(sources, arguments.runs), arguments.figures);
  for (const std::filesystem::path& file : files) {
    context.out << base::printable(file.string()) << '\n';
  }
  for (const std::string& sentence : report::absent_figures(sources)) {
    context.err << "pair: " << sentence << '\n';
  }
  if (!plot::have_png()) {
    context.err << "pair: this program was built without librsvg, so no PNG files are written\n";
  }
}

void run_report(const ReportArguments& arguments, Context& context) {
  const bool page = !arguments.out.empty() || (arguments.figures.empty() && !arguments.json);
  const std::string out = arguments.out.empty() ? "report.html" : arguments.out;
  if (page) {
    check_page_name(out);
  }
  const std::vector<std::filesystem::path> folders(arguments.folders.begin(), arguments.folders.end());
  select::ReadOptions options;
  options.progress = ReadingProgress(context.err);
  const report::Sources sources = report::read_sources(folders, options);
  say_strangers(folders, context.err);
  say_left_out(sources.histories, /*all=*/sources.history().empty(), "the page names them", context.err);
  if (sources.history().empty()) {
    throw UsageError("no run found in '" + arguments.folders.front() +
                     "'; expected run folders, each with a results.jsonl, or folders of them");
  }
  if (page || arguments.json) {
    const nlohmann::json payload = payload_of(sources);
    if (arguments.json) {
      context.out << payload.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    }
    if (page) {
      write_page(payload, out, context);
    }
  }
  if (!arguments.figures.empty()) {
    write_figures(sources, arguments, context);
  }
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand("report", "Make a page or figures from runs and sweeps");
  command->add_option("DIR", arguments->folders, "Run folders, each with a results.jsonl, or folders of them")
      ->required();
  command->add_option("-o,--out", arguments->out,
                      "Output file: one HTML page (default: report.html; none with --figures or --json)");
  command->add_option("--figures", arguments->figures,
                      "Write each figure into this folder, as SVG and PNG, with its numbers as CSV");
  command
      ->add_option("--runs", arguments->runs,
                   "With --figures: the number of runs to draw individually, if there are several")
      ->check(CLI::Range(0, 10'000))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Write the content of the page as JSON to standard output");
  command->footer(
      "The page is self-contained: it only needs a browser. It may be made while runs are training. For "
      "finished\n"
      "runs on tables, images and texts, it also shows where the model fails, with some of the samples.\n\n"
      "Example:\n"
      "  pair report runs/demo -o demo.html\n"
      "  pair report sweep --figures figures\n"
      "  pair report sweep --json | jq -r '.summary[].text'");
  command->callback([arguments, &context] { run_report(*arguments, context); });
}

}  // namespace pair::cli
