#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pair/cli/command.h"
#include "pair/select/request.h"

namespace pair::cli {

// pair select DIR...: the choices of PAIR-s and DomainBed's criteria in a sweep, and the resulting tables.
void add_select(CLI::App& app, Context& context);

// The options of 'pair select' except the folders. 'pair sweep collect' has them, too, with its own options
// for the jobs that count.
struct SelectArguments {
  select::Request request;
  std::string preference = "auto";  // or numbers, separated by commas
  std::string format = "text";
  bool explain = false;
  // The chosen models are copied to this folder, or to this .safetensors file if there is one choice. Empty:
  // nowhere.
  std::string export_to;
};

// `arguments` must outlive the command. Returns --format.
CLI::Option* add_select_options(CLI::App& command, SelectArguments& arguments);

// Reads the runs, writes the choices to context.out and what was left out to context.err. Throws UsageError
// or std::invalid_argument for invalid arguments or folders without runs.
void run_select(std::span<const std::filesystem::path> folders, const SelectArguments& arguments,
                Context& context);

}  // namespace pair::cli
