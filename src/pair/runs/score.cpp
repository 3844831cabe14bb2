#include "pair/runs/score.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/data/shared_fields.h"
#include "pair/runs/score_sheet.h"
#include "pair/train/threads.h"

namespace pair::runs {

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
  } else {
    score_dataset(sheet, request.data.empty() ? card.dataset : request.data);
  }
  return std::move(sheet).finish();
}

}  // namespace pair::runs
