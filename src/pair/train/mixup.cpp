#include "pair/train/mixup.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pair/objectives/losses.h"
#include "pair/train/guarded_step.h"

namespace pair::train {
namespace {

// Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", ACM TOMS 2000; a shape below 1 is
// raised by 1 and the draw multiplied by U^(1/shape).
double draw_gamma(double shape, data::Random& random) {
  if (shape < 1.0) {
    const double share = std::pow(1.0 - random.uniform(), 1.0 / shape);
    return share * draw_gamma(shape + 1.0, random);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = random.normal();
    const double v = std::pow(1.0 + c * x, 3.0);
    const double u = 1.0 - random.uniform();
    if (v > 0.0 && std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return d * v;
    }
  }
}

}  // namespace

double draw_beta(double alpha, data::Random& random) {
  const double first = draw_gamma(alpha, random);
  const double second = draw_gamma(alpha, random);
  return first / (first + second);
}

Mixup::Mixup(const Settings& settings, data::TaskLoss loss, std::shared_ptr<models::Model> model)
    : model_(std::move(model)),
      loss_(loss),
      alpha_(settings.mixup_alpha),
      // l2 |theta|^2 has the gradient 2 l2 theta, Adam's weight decay w theta.
      adam_(model_->parameters(), torch::optim::AdamOptions(settings.lr).weight_decay(2.0 * settings.l2)),
      last_(std::numeric_limits<double>::quiet_NaN()) {}

void Mixup::advance(const Batch& batch, data::Random& random) {
  const std::vector<torch::Tensor> inputs = batch.inputs.split_with_sizes(batch.sizes);
  const std::vector<torch::Tensor> labels =
      (loss_ == data::TaskLoss::cross_entropy ? batch.labels : batch.labels.to(batch.inputs.scalar_type()))
          .split_with_sizes(batch.sizes);
  const std::vector<std::int64_t> circle = random.permutation(inputs.size());
  std::vector<torch::Tensor> mixed;
  std::vector<std::int64_t> sizes;
  std::vector<double> shares;
  const auto pair_at = [&](std::size_t i) {
    return std::pair(static_cast<std::size_t>(circle[i]),
                     static_cast<std::size_t>(circle[(i + 1) % circle.size()]));
  };
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const auto [one, other] = pair_at(i);
    const double share = draw_beta(alpha_, random);
    const std::int64_t size = std::min(inputs[one].size(0), inputs[other].size(0));
    mixed.push_back(share * inputs[one].narrow(0, 0, size) +
                    (1.0 - share) * inputs[other].narrow(0, 0, size));
    sizes.push_back(size);
    shares.push_back(share);
  }
  // One pass for all pairs: no layer of ours lets samples of a batch see each other.
  const std::vector<torch::Tensor> logits = model_->forward(torch::cat(mixed)).split_with_sizes(sizes);
  torch::Tensor sum = torch::zeros({}, logits.front().options());
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const auto [one, other] = pair_at(i);
    const auto risk = [&, at = i](std::size_t environment) {
      return objectives::per_sample_loss(loss_, logits[at], labels[environment].narrow(0, 0, sizes[at]))
          .mean();
    };
    sum = sum + shares[i] * risk(one) + (1.0 - shares[i]) * risk(other);
  }
  const torch::Tensor loss = sum / static_cast<double>(circle.size());
  const double value = loss.item<double>();
  if (!std::isfinite(value)) {
    throw Diverged("the loss is not finite; a lower lr may help");
  }
  adam_.zero_grad();
  loss.backward();
  adam_.step();
  last_ = value;
}

NamedLosses Mixup::losses() const {
  return {{"loss", last_}};
}

void Mixup::save(torch::serialize::OutputArchive& archive) const {
  torch::serialize::OutputArchive adam;
  adam_.save(adam);
  archive.write("adam", adam);
  archive.write("loss", c10::IValue(last_));
}

void Mixup::load(torch::serialize::InputArchive& archive) {
  torch::serialize::InputArchive adam;
  archive.read("adam", adam);
  adam_.load(adam);
  c10::IValue loss;
  archive.read("loss", loss);
  last_ = loss.toDouble();
}

}  // namespace pair::train
