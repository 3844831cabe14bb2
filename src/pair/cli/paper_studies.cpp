#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "pair/cli/output_options.h"
#include "pair/cli/recipe.h"
#include "pair/cli/train_commands.h"
#include "pair/paper/provenance.h"
#include "pair/paper/run_study.h"
#include "pair/paper/studies.h"
#include "pair/paper/table.h"
#include "pair/plot/files.h"
#include "pair/plot/png.h"

namespace pair::cli {
namespace {

struct PaperStudiesArguments : RecipeArguments {
  bool quick = false;
  bool wide = false;
  FigureOptions output;
  std::string figures;
};

// Writes NAME.svg, which follows the viewer's theme; NAME-light.png and NAME-dark.png if the build supports
// PNG; NAME.csv and NAME.json.
void write_all(const std::string& folder, const std::string& name, const nlohmann::json& result,
               const plot::Figure& figure) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw std::runtime_error("'" + folder + "' cannot be created: " + error.message());
  }
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  plot::write_figure(figure, path.string() + ".svg");
  plot::write_figure(figure, path.string() + ".csv");
  if (plot::have_png()) {
    plot::write_figure(figure, path.string() + "-light.png", plot::Theme::light);
    plot::write_figure(figure, path.string() + "-dark.png", plot::Theme::dark);
  }
  write_output(path.string() + ".json", result.dump(1) + '\n');
}

// With a word where it is not of the paper's setting.
plot::Figure marked_figure(const paper::Study& study, const nlohmann::json& result) {
  plot::Figure figure = paper::drawn(study, result);
  if (result.contains("changed_settings")) {
    figure.title += (figure.title.empty() ? "Not" : " (not") + std::string(" the paper's setting") +
                    (figure.title.empty() ? "" : ")");
  }
  return figure;
}

void report_failures(const nlohmann::json& result, Context& context) {
  std::map<std::string, std::size_t> reasons;
  for (const nlohmann::json& cell : result.at("cells")) {
    for (const nlohmann::json& error : cell.value("errors", nlohmann::json::array())) {
      ++reasons[error.get<std::string>()];
      context.status = exit_failure;
    }
  }
  for (const auto& [reason, runs] : reasons) {
    context.err << "pair: " << (runs == 1 ? "a run" : std::to_string(runs) + " runs") << " failed: " << reason
                << '\n';
  }
}

void run(const paper::Study& study, const PaperStudiesArguments& arguments, Context& context) {
  arguments.output.check();
  const std::string seeds = !arguments.seeds.empty() ? arguments.seeds : arguments.quick ? "0" : study.seeds;
  const paper::StudyRequest request{arguments.methods, seeds_of(seeds), common_overrides(arguments),
                                    arguments.quick, arguments.wide};
  nlohmann::json result;
  run_recipe(context, [&](const sweep::ManyRunsHooks& hooks) {
    result = paper::run_study(study, request, arguments.out, arguments.jobs, hooks);
    return !result.is_null();
  });
  if (result.is_null()) {
    return;
  }
  result["made"] = paper::provenance(arguments.device);
  mark_changed(arguments, result);
  if (!arguments.figures.empty()) {
    write_all(arguments.figures, study.name, result, marked_figure(study, result));
  }
  arguments.output.write(
      result, [&] { return marked_figure(study, result); },
      [&] {
        return paper::changed_text(result) + paper::study_text(study, result) + "\nRecords in " +
               arguments.out + "\n";
      },
      context.out, /*indent=*/1);
  flush(context.out);
  report_failures(result, context);
}

void add_study(CLI::App& paper, const paper::Study& study, Context& context) {
  const auto arguments = std::make_shared<PaperStudiesArguments>();
  CLI::App* command = paper.add_subcommand(study.name, study.summary);
  command->add_flag("--quick", arguments->quick, "A small form for two cores: " + paper::quick_text(study));
  if (!study.wide.empty()) {
    command->add_flag("--wide", arguments->wide, study.wide);
  }
  add_recipe_options(*command, arguments, study.methods, "--methods", /*seeds=*/false);
  command->add_option(
      "--seeds", arguments->seeds,
      "Numbers and ranges, such as 0-9 or 0,2,5-7 (default: " + study.seeds + "; quick form: 0)");
  arguments->output.add(*command, "a table");
  command->add_option(
      "--figures", arguments->figures,
      "Also write " + study.name + " as .svg, light and dark .png, .csv and .json into this folder");
  command->footer((study.figures.empty() ? "Not in the paper." : study.figures + " of the paper.") +
                  " The full form is for a GPU. Finished runs are read, not repeated; Ctrl-C\n"
                  "stops cleanly, and the same command continues.\n\n"
                  "Example:\n"
                  "  pair paper " +
                  study.name + " --quick --save " + study.name + ".svg\n" + "  pair paper " + study.name +
                  " --device cuda --jobs 6 --figures figures");
  command->callback([study, arguments, &context] { run(study, *arguments, context); });
}

}  // namespace

void add_paper_studies(CLI::App& paper, Context& context) {
  for (const paper::Study& study : paper::studies()) {
    add_study(paper, study, context);
  }
}

}  // namespace pair::cli
