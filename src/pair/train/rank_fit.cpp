#include "pair/train/rank_fit.h"

#include <torch/nn/modules/batchnorm.h>
#include <torch/utils.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/train/interrupted.h"

namespace pair::train {
namespace {

template <class... Kinds>
bool is_any_of(const torch::nn::Module& module) {
  return ((dynamic_cast<const Kinds*>(&module) != nullptr) || ...);
}

[[noreturn]] void refuse_ranks(const Learner& learner, const std::string& reason) {
  throw std::invalid_argument("ranks: expected 1 with " + reason + ", got " +
                              std::to_string(learner.ranks.size()));
}

// The scores that all ranks need as numbers: the count of two lists, then the lists.
std::vector<double> as_row(const Scores& scores) {
  std::vector<double> row{static_cast<double>(scores.means.size()),
                          static_cast<double>(scores.held_out_losses.size())};
  for (const auto* numbers : {&scores.means, &scores.held_out_losses, &scores.held_out_floors}) {
    row.insert(row.end(), numbers->begin(), numbers->end());
  }
  return row;
}

Scores from_row(const std::vector<double>& row) {
  const auto means = row.begin() + 2;
  const auto losses = means + static_cast<std::ptrdiff_t>(row[0]);
  const auto floors = losses + static_cast<std::ptrdiff_t>(row[1]);
  return {{means, losses}, {losses, floors}, {floors, row.end()}};
}

// Ranks that have drifted apart would train different models without any error.
void require_equal_parameters(const Learner& learner) {
  const torch::NoGradGuard no_graph;
  const torch::Tensor theta = learner.update->parameters().detach();
  const torch::Tensor sums =
      torch::stack({theta.to(torch::kDouble).sum(), torch::dot(theta, theta).to(torch::kDouble)}).cpu();
  const torch::Tensor all = learner.ranks.gathered(torch::nan_to_num(sums));
  if (!torch::equal(all, all[0].unsqueeze(0).expand_as(all))) {
    throw std::runtime_error(
        "the ranks have different parameters after the same steps: expected machines of one kind and the "
        "same build of pair on all of them");
  }
}

}  // namespace

void require_shareable(const Learner& learner, const Settings& settings) {
  if (settings.scheme == Scheme::own) {
    refuse_ranks(learner, settings.update.name + ", an algorithm with its own update");
  }
  if (settings.accumulate > 1) {
    refuse_ranks(learner, "accumulate=" + std::to_string(settings.accumulate));
  }
  for (std::size_t k = 0; k < learner.objectives.size(); ++k) {
    if (learner.objectives[k]->needs_network()) {
      refuse_ranks(learner, settings.objectives[k] + ", which needs gradients of the whole network");
    }
  }
  for (const auto& named : learner.model->named_modules("", /*include_self=*/false)) {
    const torch::nn::Module& module = *named.value();
    if (module.is_training() &&
        is_any_of<torch::nn::BatchNorm1dImpl, torch::nn::BatchNorm2dImpl, torch::nn::BatchNorm3dImpl>(
            module)) {
      refuse_ranks(learner,
                   "a BatchNorm ('" + named.key() +
                       "') that normalises by the statistics of the batch; freeze_bn=true makes those of "
                       "resnet and densenet constant");
    }
  }
}

Scores shared_scores(const Learner& learner, const std::function<Scores()>& compute) {
  if (!learner.ranks.several()) {
    return compute();
  }
  require_equal_parameters(learner);
  Scores scores;
  std::vector<double> row;
  if (learner.ranks.rank() == 0) {
    try {
      scores = compute();
      row = as_row(scores);
    } catch (const Interrupted&) {
      (void)learner.ranks.from_first(std::vector<double>());
      throw;
    }
  }
  row = learner.ranks.from_first(row);
  if (row.empty()) {
    throw Interrupted();
  }
  // The dataset's own scores are for records, which rank 0 writes.
  return learner.ranks.rank() == 0 ? scores : from_row(row);
}

}  // namespace pair::train
