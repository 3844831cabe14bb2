#include "pair/runs/column_use.h"

#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pair::runs {
namespace {

constexpr std::int64_t rows_at_once = 65'536;

torch::Tensor centred_over_classes(const torch::Tensor& of_classes, std::int64_t dimension) {
  return of_classes - of_classes.mean(dimension, /*keepdim=*/true);
}

torch::Tensor without_mean(const torch::Tensor& values) {
  return values - values.mean(0, /*keepdim=*/true);
}

// A column's part [n, k].
torch::Tensor part_of_column(const torch::Tensor& inputs, const torch::Tensor& weights, std::int64_t first,
                             std::int64_t width) {
  return torch::matmul(inputs.slice(1, first, first + width).to(torch::kDouble),
                       weights.slice(1, first, first + width).t());
}

// X of (A + ridge) X = B for a positive semidefinite A [p, p] and B [p, k], by Cholesky's method: LibTorch may
// be built without LAPACK. The ridge, 1e-9 of A's mean diagonal, decides between dependent columns.
torch::Tensor solved(const torch::Tensor& a, const torch::Tensor& b) {
  constexpr double share = 1e-9;
  const std::int64_t p = a.size(0);
  torch::Tensor lower = a.contiguous().clone();
  torch::Tensor x = b.contiguous().clone();
  const double ridge = std::max(share * lower.diagonal().mean().item<double>(), 1e-300);
  auto l = lower.accessor<double, 2>();
  auto solution = x.accessor<double, 2>();
  for (std::int64_t i = 0; i < p; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      double sum = l[i][j] + (i == j ? ridge : 0.0);
      for (std::int64_t m = 0; m < j; ++m) {
        sum -= l[i][m] * l[j][m];
      }
      // Rounding may leave less than the ridge of a dependent column.
      l[i][j] = i == j ? std::sqrt(std::max(sum, ridge)) : sum / l[j][j];
    }
  }
  for (std::int64_t k = 0; k < x.size(1); ++k) {
    for (std::int64_t i = 0; i < p; ++i) {
      for (std::int64_t m = 0; m < i; ++m) {
        solution[i][k] -= l[i][m] * solution[m][k];
      }
      solution[i][k] /= l[i][i];
    }
    for (std::int64_t i = p - 1; i >= 0; --i) {
      for (std::int64_t m = i + 1; m < p; ++m) {
        solution[i][k] -= l[m][i] * solution[m][k];
      }
      solution[i][k] /= l[i][i];
    }
  }
  return x;
}

}  // namespace

ColumnUse column_use(data::TaskLoss loss, const torch::Tensor& inputs, const torch::Tensor& outputs,
                     const torch::Tensor& labels, const torch::Tensor& weights,
                     std::span<const std::int64_t> widths) {
  const torch::NoGradGuard no_graph;
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  const bool classes = loss == data::TaskLoss::cross_entropy;
  const torch::Tensor w = classes ? centred_over_classes(weights, 0) : weights;
  torch::Tensor f = outputs.to(torch::kDouble);
  f = without_mean(classes ? centred_over_classes(f, 1) : f);
  const torch::Tensor y =
      without_mean(classes ? torch::one_hot(labels.to(torch::kLong), weights.size(0)).to(torch::kDouble)
                           : labels.to(torch::kDouble).unsqueeze(1));
  const double f_size = f.square().sum().item<double>();
  const double y_size = y.square().sum().item<double>();
  ColumnUse use;
  std::int64_t first = 0;
  for (const std::int64_t width : widths) {
    const torch::Tensor u = without_mean(part_of_column(inputs, w, first, width));
    first += width;
    const double u_size = u.square().sum().item<double>();
    const double size = std::sqrt(u_size * y_size);
    use.share.push_back(f_size > 0.0 ? (u * f).sum().item<double>() / f_size : nothing);
    use.agreement.push_back(size > 0.0 ? (u * y).sum().item<double>() / size : nothing);
  }
  return use;
}

LinearFit::LinearFit(std::int64_t inputs, std::int64_t outputs)
    : sum_x_(torch::zeros({inputs}, torch::kDouble)),
      sum_y_(torch::zeros({outputs}, torch::kDouble)),
      sum_xx_(torch::zeros({inputs, inputs}, torch::kDouble)),
      sum_xy_(torch::zeros({inputs, outputs}, torch::kDouble)) {}

void LinearFit::add(const torch::Tensor& inputs, const torch::Tensor& outputs) {
  const torch::NoGradGuard no_graph;
  for (std::int64_t row = 0; row < inputs.size(0); row += rows_at_once) {
    const std::int64_t end = std::min(row + rows_at_once, inputs.size(0));
    const torch::Tensor x = inputs.slice(0, row, end).to(torch::kDouble);
    const torch::Tensor y = outputs.slice(0, row, end).to(torch::kDouble);
    count_ += static_cast<double>(end - row);
    sum_x_ += x.sum(0);
    sum_y_ += y.sum(0);
    sum_xx_ += torch::matmul(x.t(), x);
    sum_xy_ += torch::matmul(x.t(), y);
  }
}

torch::Tensor LinearFit::weights() const {
  const torch::NoGradGuard no_graph;
  const torch::Tensor xx = sum_xx_ / count_ - torch::outer(sum_x_, sum_x_) / (count_ * count_);
  const torch::Tensor xy = sum_xy_ / count_ - torch::outer(sum_x_, sum_y_) / (count_ * count_);
  return solved(xx, xy).t().contiguous();
}

}  // namespace pair::runs
