#include "pair/runs/predict.h"

#include <stdexcept>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/data/inputs.h"
#include "pair/data/metrics.h"
#include "pair/data/shared_fields.h"
#include "pair/runs/model_files.h"
#include "pair/train/threads.h"

namespace pair::runs {
namespace {

// In memory that can be walked through.
torch::Tensor on_host(const torch::Tensor& tensor, torch::ScalarType type) {
  return tensor.to(torch::kCPU, type).contiguous();
}

void hand_over(const data::InputBatch& batch, const torch::Tensor& outputs, const ModelCard& card,
               const std::function<void(const Prediction&)>& each) {
  const data::TaskLoss loss = card.loss;
  const bool regression = loss == data::TaskLoss::squared_error;
  // The labels of a table are standardised for training.
  const double scale = card.table ? card.table->label.deviation : 1.0;
  const double shift = card.table ? card.table->label.mean : 0.0;
  const torch::Tensor answers =
      on_host(data::answers(loss, outputs), regression ? torch::kFloat : torch::kLong);
  const torch::Tensor shares =
      regression ? torch::Tensor() : on_host(data::probabilities(loss, outputs), torch::kFloat);
  for (std::size_t i = 0; i < batch.names.size(); ++i) {
    Prediction prediction{.input = batch.names[i]};
    if (!batch.kept.empty()) {
      prediction.kept = batch.kept[i];
    }
    if (regression) {
      prediction.value = static_cast<float>(answers.data_ptr<float>()[i] * scale + shift);
    } else {
      prediction.answer = static_cast<std::size_t>(answers.data_ptr<std::int64_t>()[i]);
      const std::int64_t classes = shares.size(1);
      const float* const first = shares.data_ptr<float>() + static_cast<std::int64_t>(i) * classes;
      prediction.probabilities.assign(first, first + classes);
    }
    each(prediction);
  }
}

}  // namespace

PredictResult predict(const PredictRequest& request, std::istream& in, const PredictHooks& hooks) {
  base::require_integer("workers", request.workers, 0, data::most_workers);
  train::use_threads(request.threads);
  TrainedModel model(request.run, request.device);
  const ModelCard& card = model.card();
  if (!request.keep.empty() && !card.table) {
    throw std::invalid_argument("keep: expected a model that was trained on a table, got one of " +
                                card.dataset);
  }
  const std::unique_ptr<data::Inputs> inputs =
      data::open_inputs(card.input, request.inputs, in,
                        {.table = card.table,
                         .shape = card.input_shape,
                         .batch = request.batch,
                         .workers = static_cast<int>(request.workers),
                         .broken = request.skip_broken ? data::BrokenFiles::skip : data::BrokenFiles::fail,
                         .keep = request.keep,
                         .channel = request.channel});
  const auto tell = [&] {
    for (const std::string& notice : inputs->take_notices()) {
      if (hooks.notice) {
        hooks.notice(notice);
      }
    }
  };
  PredictResult result;
  bool begun = false;
  while (true) {
    if (hooks.should_stop && hooks.should_stop()) {
      result.stopped = true;
      break;
    }
    const std::optional<data::InputBatch> batch = inputs->next();
    tell();
    const torch::Tensor outputs = batch ? model.outputs(batch->inputs) : torch::Tensor();
    // Not before the first batch: for inputs that cannot be used, nothing is written.
    if (!std::exchange(begun, true) && hooks.begin) {
      hooks.begin(card);
    }
    if (!batch) {
      break;
    }
    hand_over(*batch, outputs, card, hooks.each);
    result.predicted += std::ssize(batch->names);
  }
  result.skipped = inputs->skipped();
  return result;
}

}  // namespace pair::runs
