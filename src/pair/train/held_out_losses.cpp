#include "pair/train/held_out_losses.h"

#include <torch/utils.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "pair/data/random.h"
#include "pair/objectives/losses.h"
#include "pair/train/moments.h"
#include "pair/train/noise_floor.h"

namespace pair::train {
namespace {

// The variance of each environment's mean, from samples [n]: [environments]. 0 for a single sample.
torch::Tensor variance_of_means(const torch::Tensor& samples, const std::vector<std::int64_t>& sizes) {
  std::vector<torch::Tensor> variances;
  for (const torch::Tensor& part : samples.to(torch::kDouble).split_with_sizes(sizes)) {
    const auto n = static_cast<double>(part.size(0));
    variances.push_back(n > 1.0 ? part.var(/*unbiased=*/true) / n : part.sum() * 0.0);
  }
  return torch::stack(variances);
}

// A call of value() would change the state of an objective that has one, and with it the training. Scores of
// resident data are recorded on a device (scoring.h), so only objectives that can be recorded are measured.
bool is_measured(const objectives::Objective& objective) {
  return objective.moment_function().has_value() ||
         (objective.of_moments() && !objective.has_state() && objective.replayable());
}

}  // namespace

std::vector<std::size_t> held_out_parts(const data::EnvironmentSet& data) {
  constexpr std::string_view in = "_in";
  std::vector<std::size_t> parts;
  for (const data::Environment& environment : data.train) {
    if (!environment.key.ends_with(in)) {
      return {};
    }
    const std::string key = environment.key.substr(0, environment.key.size() - in.size()) + "_out";
    const auto found = std::find_if(data.held_out.begin(), data.held_out.end(),
                                    [&key](const data::Environment& other) { return other.key == key; });
    if (found == data.held_out.end() || found->test) {
      return {};
    }
    parts.push_back(static_cast<std::size_t>(found - data.held_out.begin()));
  }
  return parts;
}

torch::Tensor held_out_losses(std::span<const std::unique_ptr<objectives::Objective>> objectives,
                              data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                              const std::vector<std::int64_t>& sizes) {
  const torch::NoGradGuard no_graph;
  objectives::HeadView view;  // without features: a function of moments does not read them
  view.logits = logits;
  view.labels =
      objectives::labels_for(labels, logits.size(0), logits.size(1), sizes, loss, logits.scalar_type());
  view.sizes = sizes;
  view.loss = loss;
  const Moments moments = moments_of(loss, logits, view.labels, sizes, /*derivatives=*/true);
  view.risks = moments.risks;
  view.derivatives = moments.derivatives;

  const torch::Tensor none =
      torch::full({}, std::numeric_limits<double>::quiet_NaN(), moments.risks.options());
  data::Random random(0, "held out");  // not drawn from
  std::vector<torch::Tensor> values;
  for (const auto& objective : objectives) {
    values.push_back(is_measured(*objective) ? objective->value(view, random).to(torch::kDouble) : none);
  }
  const torch::Tensor derivatives = (objectives::logit_gradient(loss, logits, view.labels) * logits).sum(1);
  const Moments variances{variance_of_means(objectives::per_sample_loss(loss, logits, view.labels), sizes),
                          variance_of_means(derivatives, sizes)};
  return torch::stack({torch::stack(values), noise_floors(objectives, variances)});
}

}  // namespace pair::train
