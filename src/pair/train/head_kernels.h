#pragma once

#include <torch/types.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pair/device/loss.h"
#include "pair/train/step_network.h"
#include "pair/train/step_path.h"
#include "pair/train/tracked_moments.h"

// The cut graph on a CUDA device, for objectives that are functions of moments: kernels do all the work at
// the head (device/head.h), and a model may have its own backward pass (models::RectifiedPass).

namespace pair::train {

class HeadKernels : public StepPath {
 public:
  explicit HeadKernels(std::shared_ptr<const StepNetwork> network);
  ~HeadKernels() override;

  // From now on objectives see these averages in place of the batch's moments.
  void track(std::shared_ptr<TrackedMoments> tracked) { tracked_ = std::move(tracked); }

  // Whether the kernels support the batch. Their Gram matrix is that of the head's gradients alone.
  [[nodiscard]] bool take(const Batch& batch) const;

  Result with_weights(const Batch& batch, std::span<const double> weights, data::Random& random) override;
  torch::Tensor compare(const Batch& batch, GradientSource source, data::Random& random,
                        const torch::Tensor& also) override;
  torch::Tensor gradient(const torch::Tensor& weights) override;
  void forget() override;

 private:
  struct Compared;

  [[nodiscard]] std::unique_ptr<Compared> compared(const Batch& batch, const torch::Tensor& also) const;
  [[nodiscard]] torch::Tensor gradient_of(const Compared& compared, const torch::Tensor& weights) const;
  // Weights on the device; waits for the copy if they have changed.
  [[nodiscard]] torch::Tensor on_device(std::span<const double> weights);

  std::shared_ptr<const StepNetwork> network_;
  std::vector<device::MomentFunction>
      functions_;  // the objectives, if the kernels support all of them; otherwise empty
  std::shared_ptr<TrackedMoments> tracked_;  // null if moments are not tracked
  std::unique_ptr<Compared> compared_;       // between compare and gradient
  std::vector<double> host_weights_;         // the last argument of on_device
  torch::Tensor device_weights_;             // its result
};

}  // namespace pair::train
