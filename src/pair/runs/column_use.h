#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pair/data/task_loss.h"

// Which columns of a table a model leans on in an environment, and whether they help there.
//
// A linear model's output for class k is f_k = b_k + sum_c u_ck, where the part of column c is
//   u_ck = sum_{j in c} w_kj x_j
// over the column's inputs j (one for a number, one per category). Weights are centred over classes first,
// sum_k w_kj = 0, which changes no probability; a binary model's one logit f stands for f/2 and -f/2. Then, over
// the samples of the environment,
//
//   share_c     = sum_k Cov(u_ck, f_k) / sum_k Var(f_k)
//   agreement_c = sum_k Cov(u_ck, y_k) / sqrt(sum_k Var(u_ck) sum_k Var(y_k))
//
// where y_k is 1 for samples of class k and 0 otherwise. Shares sum to 1. A share says how much of the outputs'
// variation comes from the column. Agreement, from -1 to 1, is the correlation of the column's part with the
// label: below 0, the column points to wrong classes in this environment. A binary model's agreement is the plain
// correlation of u_c and the label; for a regression, f and y are the one output and the label.
//
// Models that are not linear get the weights of a least-squares fit of their outputs by the inputs. Shares then
// sum to the part of the outputs' variation that the fit explains where it was fitted, about 1 for a model that is
// nearly linear.

namespace pair::runs {

struct ColumnUse {
  std::vector<double> share;      // one per column; NaN if the outputs are constant
  std::vector<double> agreement;  // NaN if the column's part or the label is constant
};

// inputs [n, p], outputs [n, k] and labels [n] on the CPU; n >= 1; weights [k, p] in doubles, not yet centred.
// widths: the number of inputs of each column, in order; their sum is p.
ColumnUse column_use(data::TaskLoss loss, const torch::Tensor& inputs, const torch::Tensor& outputs,
                     const torch::Tensor& labels, const torch::Tensor& weights,
                     std::span<const std::int64_t> widths);

// The sums of a least-squares fit of outputs by inputs, with an intercept. The samples of several environments may
// be added; memory is p^2 numbers.
class LinearFit {
 public:
  LinearFit(std::int64_t inputs, std::int64_t outputs);
  void add(const torch::Tensor& inputs, const torch::Tensor& outputs);
  // [k, p] in doubles. The inputs of a column's categories are linearly dependent: a small ridge decides.
  [[nodiscard]] torch::Tensor weights() const;

 private:
  double count_ = 0.0;
  torch::Tensor sum_x_;   // [p]
  torch::Tensor sum_y_;   // [k]
  torch::Tensor sum_xx_;  // [p, p]
  torch::Tensor sum_xy_;  // [p, k]
};

}  // namespace pair::runs
