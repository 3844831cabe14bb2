#include "pair/data/metrics.h"

#include <stdexcept>

#include "pair/base/registry.h"
#include "pair/base/tables.h"

namespace pair::data {
namespace {

torch::Tensor mean_score(TaskLoss loss, const torch::Tensor& outputs, const torch::Tensor& labels) {
  return sample_scores(loss, outputs, labels).mean();
}

torch::Tensor root_mean_score(TaskLoss loss, const torch::Tensor& outputs, const torch::Tensor& labels) {
  return mean_score(loss, outputs, labels).sqrt();
}

// [n, classes], in doubles: 1 at the label of each. outputs [n, 1] stand for two classes.
torch::Tensor one_per_class(const torch::Tensor& labels, const torch::Tensor& outputs) {
  const std::int64_t classes = outputs.size(1) == 1 ? 2 : outputs.size(1);
  return torch::one_hot(labels.to(torch::kLong), classes).to(torch::kDouble);
}

torch::Tensor counted(const torch::Tensor& labels, const torch::Tensor& outputs) {
  return one_per_class(labels, outputs).sum(0);
}

torch::Tensor right_of_each_class(TaskLoss loss, const torch::Tensor& outputs, const torch::Tensor& labels) {
  return (one_per_class(labels, outputs) * sample_scores(loss, outputs, labels).unsqueeze(1)).sum(0);
}

// A group is a class of one environment. Classes that the environment lacks do not count.
torch::Tensor worst_class(TaskLoss loss, const torch::Tensor& outputs, const torch::Tensor& labels) {
  const torch::Tensor sizes = counted(labels, outputs);
  const torch::Tensor shares = right_of_each_class(loss, outputs, labels) / sizes;
  return torch::where(sizes > 0, shares, torch::ones_like(shares)).min();
}

// The mean of F1 = 2 right / (labelled + answered) over the classes that the environment or the answers have.
torch::Tensor macro_f1(TaskLoss loss, const torch::Tensor& outputs, const torch::Tensor& labels) {
  const torch::Tensor both = counted(labels, outputs) + counted(answers(loss, outputs), outputs);
  const torch::Tensor f1 = 2.0 * right_of_each_class(loss, outputs, labels) / both.clamp_min(1.0);
  return f1.sum() / (both > 0).sum();
}

// Pearson's r; 0 if answers or labels are all the same.
torch::Tensor pearson(TaskLoss /*loss*/, const torch::Tensor& outputs, const torch::Tensor& labels) {
  const auto centred = [](const torch::Tensor& values) {
    const torch::Tensor numbers = values.to(torch::kDouble);
    return numbers - numbers.mean();
  };
  const torch::Tensor x = centred(outputs.squeeze(1));
  const torch::Tensor y = centred(labels);
  const torch::Tensor lengths = x.norm() * y.norm();
  return torch::where(lengths > 0, (x * y).sum() / lengths, torch::zeros_like(lengths));
}

}  // namespace

torch::Tensor answers(TaskLoss loss, const torch::Tensor& outputs) {
  switch (loss) {
    case TaskLoss::binary_cross_entropy:
      return (outputs.squeeze(1) > 0).to(torch::kLong);
    case TaskLoss::cross_entropy:
      return outputs.argmax(1);
    case TaskLoss::squared_error:
      return outputs.squeeze(1);
  }
  throw std::logic_error("unknown task loss");
}

torch::Tensor probabilities(TaskLoss loss, const torch::Tensor& outputs) {
  switch (loss) {
    case TaskLoss::binary_cross_entropy:
      // Each from its own side: 1 - p would lose the digits of a small probability.
      return torch::cat({(-outputs).sigmoid(), outputs.sigmoid()}, 1);
    case TaskLoss::cross_entropy:
      return outputs.softmax(1);
    case TaskLoss::squared_error:
      break;
  }
  throw std::invalid_argument("probabilities: expected a task with classes, got a regression");
}

torch::Tensor sample_scores(TaskLoss loss, const torch::Tensor& outputs, const torch::Tensor& labels) {
  switch (loss) {
    case TaskLoss::binary_cross_entropy:
      return ((outputs.squeeze(1) > 0).to(labels.dtype()) == labels).to(torch::kDouble);
    case TaskLoss::cross_entropy:
      return (outputs.argmax(1) == labels).to(torch::kDouble);
    case TaskLoss::squared_error:
      return (outputs.squeeze(1) - labels).square().to(torch::kDouble);
  }
  throw std::logic_error("unknown task loss");
}

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all = {
      {"accuracy", "share of right answers", false, true, false, mean_score},
      {"worst_group", "the lowest accuracy among the classes of an environment", false, true, false,
       worst_class},
      {"macro_f1", "mean over classes of the F1 score", false, true, false, macro_f1},
      {"mse", "mean squared error", true, false, false, mean_score},
      {"rmse", "root mean squared error, in the label's unit", true, false, true, root_mean_score},
      {"pearson", "Pearson's correlation of answers and labels", true, true, false, pearson},
  };
  return all;
}

const Metric& metric_named(std::string_view name) {
  return base::named(metrics(), "metric", name);
}

std::vector<Metric> metrics_for(TaskLoss loss, const std::vector<std::string>& names) {
  const bool regression = loss == TaskLoss::squared_error;
  std::vector<Metric> chosen;
  for (const std::string& name : names) {
    chosen.push_back(metric_named(name));
    if (chosen.back().regression != regression) {
      std::vector<std::string> fitting;
      for (const Metric& metric : metrics()) {
        if (metric.regression == regression) {
          fitting.push_back(metric.name);
        }
      }
      const std::string last = fitting.back();
      fitting.pop_back();
      throw std::invalid_argument("metrics: expected " + base::joined(fitting) + " or " + last +
                                  " (the model predicts " + (regression ? "numbers" : "classes") +
                                  "), got '" + name + "'");
    }
  }
  return names.empty() ? std::vector{metric_named(regression ? "mse" : "accuracy")} : chosen;
}

}  // namespace pair::data
