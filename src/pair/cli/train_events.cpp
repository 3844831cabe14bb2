#include "pair/cli/train_events.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"

namespace pair::cli {

TensorBoardFiles::TensorBoardFiles(std::filesystem::path directory, bool wanted)
    : directory_(std::move(directory)), wanted_(wanted) {
  if (wanted && !runs::has_tensorboard()) {
    throw std::runtime_error("--tensorboard: pair was built without protobuf (Debian: libprotobuf-dev)");
  }
}

void TensorBoardFiles::follow(const runs::Progress& progress) {
  if (wanted_ && progress.step == progress.first) {
    catch_up(progress.first);
  }
  if (wanted_ && progress.record != nullptr) {
    events_->record(*progress.record);
  }
}

void TensorBoardFiles::catch_up(std::int64_t step) {
  if (!wanted_) {
    return;
  }
  events_.emplace(directory_);
  for (const nlohmann::json& record : runs::read_records(runs::results_file(directory_))) {
    // Records that a killed attempt wrote after its checkpoint are repeated.
    if (record.at("step").get<std::int64_t>() <= step) {
      events_->record(record);
    }
  }
}

}  // namespace pair::cli
