#include "pair/runs/score.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/data/registry.h"
#include "pair/data/shared_fields.h"
#include "pair/runs/score_sheet.h"
#include "pair/train/threads.h"

namespace pair::runs {
namespace {

// Whether the user means a path by it, although it may not exist: names of datasets have no dot and no slash.
bool is_path(const std::string& data) {
  const auto has_name = [&data](const data::DatasetEntry& entry) {
    return entry.name == data || std::ranges::find(entry.aliases, data) != entry.aliases.end();
  };
  std::error_code unknown;
  return std::ranges::none_of(data::datasets(), has_name) &&
         (data.find_first_of("./") != std::string::npos || std::filesystem::exists(data, unknown));
}

}  // namespace

std::string expected_data(const ModelCard& card) {
  return std::string(card.input.kind == "image"
                         ? "a folder ENVIRONMENT/CLASS/FILE, a CSV file that lists images or "
                     : card.table || card.input.kind == "text" ? "a CSV file or "
                                                               : "") +
         "the name of a dataset";
}

ScoreTable score(const ScoreRequest& request, const ScoreHooks& hooks) {
  base::require_integer("workers", request.workers, 0, data::most_workers);
  train::use_threads(request.threads);
  ScoreSheet sheet(request, hooks);
  const ModelCard& card = sheet.card();
  std::error_code unknown;
  const bool is_file = std::filesystem::is_regular_file(request.data, unknown);
  if (!request.data.empty() && std::filesystem::is_directory(request.data, unknown)) {
    score_folder(sheet);
  } else if (card.table && is_file) {
    score_table_file(sheet);
  } else if (card.input.kind == "text" && is_file) {
    score_text_file(sheet);
  } else if (card.input.kind == "image" && is_file) {
    score_image_list(sheet);
  } else if (is_path(request.data)) {
    const std::string fault = base::file_fault(request.data);
    throw std::invalid_argument(base::printable(request.data) + ": expected " + expected_data(card) +
                                " for the model of " + request.run.string() + ", got " +
                                (fault.empty() ? "a file" : "a path that " + fault));
  } else {
    score_dataset(sheet, request.data.empty() ? card.dataset : request.data);
  }
  return std::move(sheet).finish();
}

}  // namespace pair::runs
