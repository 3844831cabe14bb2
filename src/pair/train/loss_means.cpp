#include "pair/train/loss_means.h"

#include <torch/utils.h>

#include <cmath>
#include <utility>

#include "pair/train/archive.h"
#include "pair/train/host_numbers.h"

namespace pair::train {

LossMeans::LossMeans(std::int64_t losses, torch::Device device)
    : sums_(torch::zeros({losses}, torch::kDouble).to(device)) {}

void LossMeans::add(const torch::Tensor& losses) {
  const torch::NoGradGuard no_graph;
  sums_.add_(losses);
}

std::vector<double> LossMeans::take() {
  if (steps_ == 0) {
    return {};
  }
  std::vector<double> means = to_doubles(sums_);
  for (double& mean : means) {
    mean /= static_cast<double>(steps_);
  }
  const torch::NoGradGuard no_graph;
  sums_.zero_();
  steps_ = 0;
  return all_finite(means) ? means : std::vector<double>{};
}

void LossMeans::save(torch::serialize::OutputArchive& archive) const {
  write(archive, "loss_sums", to_doubles(sums_));
  archive.write("loss_steps", c10::IValue(steps_));
}

void LossMeans::load(torch::serialize::InputArchive& archive) {
  const std::vector<double> sums = read_numbers(archive, "loss_sums");
  const torch::NoGradGuard no_graph;
  sums_.copy_(torch::tensor(c10::ArrayRef<double>(sums), torch::kDouble));
  steps_ = read_value(archive, "loss_steps").toInt();
}

void NamedMeans::add(const NamedLosses& losses) {
  sums_.resize(losses.size(), 0.0);
  counts_.resize(losses.size(), 0.0);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (std::isfinite(losses[i].second)) {
      sums_[i] += losses[i].second;
      counts_[i] += 1.0;
    }
  }
}

std::vector<double> NamedMeans::take() {
  std::vector<double> means = std::exchange(sums_, {});
  for (std::size_t i = 0; i < means.size(); ++i) {
    means[i] /= counts_[i];  // 0 / 0 is NaN
  }
  counts_.clear();
  return means;
}

void NamedMeans::save(torch::serialize::OutputArchive& archive) const {
  write(archive, "named_sums", sums_);
  write(archive, "named_counts", counts_);
}

void NamedMeans::load(torch::serialize::InputArchive& archive) {
  sums_ = read_numbers(archive, "named_sums");
  counts_ = read_numbers(archive, "named_counts");
}

}  // namespace pair::train
