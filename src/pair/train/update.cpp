#include "pair/train/update.h"

#include <torch/utils.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "pair/device/kernels.h"
#include "pair/device/update.h"
#include "pair/train/host_numbers.h"

namespace pair::train {
namespace {

constexpr double adam_epsilon = 1e-8;

enum Tally : std::int64_t { restarts, rollbacks, in_a_row, halving };

}  // namespace

Update::Update(const std::vector<torch::Tensor>& parameters, const UpdateOptions& options,
               const GuardState& guard, const std::vector<torch::Tensor>& buffers)
    : options_(options), buffers_(KeptBuffers::gathering(buffers)) {
  const torch::NoGradGuard no_graph;
  parameters_ = in_order_of(parameters, parameters);
  std::int64_t start = 0;
  for (const torch::Tensor& parameter : parameters) {
    parameter.set_data(parameters_.as_strided(parameter.sizes(), parameter.strides(), start));
    start += parameter.numel();
  }
  last_good_ = parameters_.clone();
  first_ = torch::zeros_like(parameters_);
  const auto doubles = torch::TensorOptions(torch::kDouble);
  if (options_.rule == UpdateOptions::Rule::adam) {
    second_ = torch::zeros_like(parameters_);
    decays_ = torch::ones({2}, doubles).to(parameters_.device());
    if (options_.amsgrad) {
      largest_ = torch::zeros_like(parameters_);
    }
  }
  if (device::has_kernels(parameters_)) {
    workspace_ = torch::zeros({device::update_workspace}, doubles).to(parameters_.device());
  }
  tally_ = torch::tensor({static_cast<double>(guard.restarts), static_cast<double>(guard.rollbacks),
                          static_cast<double>(guard.rollbacks_in_a_row), guard.halving},
                         doubles)
               .to(parameters_.device());
}

void Update::apply(const torch::Tensor& gradient, const torch::Tensor& losses, const torch::Tensor& lr) {
  const torch::NoGradGuard no_graph;
  if (largest_.defined()) {
    apply_amsgrad(gradient, losses, lr);
    return;
  }
  if (device::has_kernels(parameters_)) {
    device::UpdateState state{parameters_, last_good_, first_, second_, decays_, tally_, workspace_};
    device::update(state, gradient, losses, lr,
                   {.momentum = options_.momentum,
                    .beta1 = options_.beta1,
                    .beta2 = options_.beta2,
                    .restart = options_.restart && options_.rule == UpdateOptions::Rule::sgd,
                    .patience = GuardState::patience,
                    .shrinkage = GuardState::shrinkage});
    if (!buffers_.empty()) {
      buffers_.restore_where(tally_[in_a_row] > 0.0);
    }
    return;
  }
  // A sum of squares is finite if and, except for overflow, only if every term is.
  const torch::Tensor size = torch::dot(gradient, gradient) + torch::dot(losses, losses);
  GuardState guard;
  read_tally(to_doubles(tally_), guard);
  if (!std::isfinite(size.item<double>())) {
    refuse(guard);
    return;
  }
  const double rate = lr.item<double>() * guard.halving;
  guard.accept();
  last_good_.copy_(parameters_);
  buffers_.keep();
  if (options_.rule == UpdateOptions::Rule::sgd) {
    if (options_.restart && GuardState::opposed(torch::dot(gradient, first_).item<double>())) {
      guard.restart();
      first_.zero_();
    }
    first_.mul_(options_.momentum).add_(gradient);
    parameters_.add_(first_, -rate);
    write_tally(guard);
    return;
  }
  const double beta1 = options_.beta1;
  const double beta2 = options_.beta2;
  decays_[0].mul_(beta1);
  decays_[1].mul_(beta2);
  first_.lerp_(gradient, 1.0 - beta1);
  second_.mul_(beta2).addcmul_(gradient, gradient, 1.0 - beta2);
  const torch::Tensor root =
      second_.sqrt().mul_(1.0 / std::sqrt(1.0 - decays_[1].item<double>())).add_(adam_epsilon);
  parameters_.addcdiv_(first_, root, -rate / (1.0 - decays_[0].item<double>()));
  write_tally(guard);
}

// Without a decision of the host, since no kernel does it: the same operations on every device.
void Update::apply_amsgrad(const torch::Tensor& gradient, const torch::Tensor& losses,
                           const torch::Tensor& lr) {
  const torch::Tensor taken =
      torch::isfinite(torch::dot(gradient, gradient)) & torch::isfinite(torch::dot(losses, losses));
  const double beta1 = options_.beta1;
  const double beta2 = options_.beta2;
  // A refused step leaves the moments as they are, and a factor of 0 would keep what is not finite.
  const auto chosen = [&taken](const torch::Tensor& now, const torch::Tensor& before) {
    before.copy_(torch::where(taken, now, before));
  };
  chosen(torch::stack({decays_[0] * beta1, decays_[1] * beta2}), decays_);
  chosen(first_.lerp(gradient, 1.0 - beta1), first_);
  chosen(beta2 * second_ + (1.0 - beta2) * gradient * gradient, second_);
  chosen(torch::maximum(largest_, second_), largest_);
  const torch::Tensor root = largest_.sqrt() / (1.0 - decays_[1]).sqrt().to(largest_.dtype()) + adam_epsilon;
  const torch::Tensor length = (lr * tally_[halving] / (1.0 - decays_[0])).to(first_.dtype());
  const torch::Tensor stepped = parameters_ - length * first_ / root;
  const torch::Tensor target = torch::where(taken, stepped, last_good_);
  last_good_.copy_(torch::where(taken, parameters_, last_good_));
  parameters_.copy_(target);
  // GuardState's accept() or refuse().
  const torch::Tensor refused = taken.logical_not().to(torch::kDouble);
  const torch::Tensor row = tally_[in_a_row].clone();
  const torch::Tensor over = row >= static_cast<double>(GuardState::patience);
  tally_[rollbacks].add_(refused);
  tally_[in_a_row].copy_(torch::where(taken, torch::where(over, row, torch::zeros_like(row)), row + 1.0));
  tally_[halving].mul_(1.0 - refused * (1.0 - GuardState::shrinkage));
  if (!buffers_.empty()) {
    buffers_.restore_where(taken.logical_not());
  }
}

void Update::read_tally(std::span<const double> tally, GuardState& guard) {
  guard.restarts = static_cast<std::int64_t>(tally[restarts]);
  guard.rollbacks = static_cast<std::int64_t>(tally[rollbacks]);
  guard.rollbacks_in_a_row = static_cast<std::int64_t>(tally[in_a_row]);
  guard.halving = tally[halving];
}

// One number at a time, each as an argument of an operation: a copy would wait for the device.
void Update::write_tally(const GuardState& guard) {
  tally_.select(0, restarts).fill_(static_cast<double>(guard.restarts));
  tally_.select(0, rollbacks).fill_(static_cast<double>(guard.rollbacks));
  tally_.select(0, in_a_row).fill_(static_cast<double>(guard.rollbacks_in_a_row));
  tally_.select(0, halving).fill_(guard.halving);
}

void Update::return_to_last_good() {
  parameters_.copy_(last_good_);
  buffers_.restore();
  if (options_.rule == UpdateOptions::Rule::sgd) {
    first_.zero_();
  }
}

void Update::take_back(GuardState& guard) {
  const torch::NoGradGuard no_graph;
  return_to_last_good();
  guard.take_back();
  write_tally(guard);
}

void Update::refuse(GuardState& guard) {
  const torch::NoGradGuard no_graph;
  return_to_last_good();
  guard.refuse();
  write_tally(guard);
}

void Update::save(torch::serialize::OutputArchive& archive) const {
  archive.write("last_good", last_good_);
  archive.write("first", first_);
  if (second_.defined()) {
    archive.write("second", second_);
    archive.write("decays", decays_);
  }
  if (largest_.defined()) {
    archive.write("largest", largest_);
  }
  archive.write("tally", tally_);
}

void Update::load(torch::serialize::InputArchive& archive) {
  const torch::NoGradGuard no_graph;
  const auto read = [&archive](const std::string& key, torch::Tensor& into) {
    torch::Tensor saved;
    archive.read(key, saved);
    if (saved.sizes() != into.sizes()) {
      throw std::runtime_error("the checkpoint's update has " + std::to_string(saved.numel()) +
                               " parameters; expected " + std::to_string(into.numel()));
    }
    into.copy_(saved);
  };
  read("last_good", last_good_);
  read("first", first_);
  if (second_.defined()) {
    read("second", second_);
    read("decays", decays_);
  }
  if (largest_.defined()) {
    read("largest", largest_);
  }
  read("tally", tally_);
  buffers_.keep();
}

}  // namespace pair::train
