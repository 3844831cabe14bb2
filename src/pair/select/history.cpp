#include "pair/select/history.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pair/base/numbers.h"

namespace pair::select {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
// More environments than any dataset has; a corrupt key must not cost memory.
constexpr int most_environments = 10'000;

// The number i in env{i}_in_acc, for the suffix "_in_acc"; -1 for any other key.
int environment_of(std::string_view key, std::string_view suffix) {
  if (!key.starts_with("env") || !key.ends_with(suffix) || key.size() <= 3 + suffix.size()) {
    return -1;
  }
  const std::string_view digits = key.substr(3, key.size() - 3 - suffix.size());
  const std::optional<int> number = base::number_from<int>(digits);
  return number && *number >= 0 && *number < most_environments ? *number : -1;
}

// DomainBed's keys for algorithms with two penalties.
std::string objective_of(std::string_view loss) {
  return std::string(loss == "IRM_penalty" ? "irmv1" : loss == "IB_penalty" ? "ib" : loss);
}

}  // namespace

std::string_view Run::setting(std::string_view key) const {
  const auto found =
      std::find_if(hparams.begin(), hparams.end(), [key](const auto& entry) { return entry.first == key; });
  return found == hparams.end() ? std::string_view() : std::string_view(found->second);
}

const Column* Run::find(std::string_view key) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [key](const Column& column) { return column.key == key; });
  return found == columns.end() ? nullptr : &*found;
}

const Column* Run::find_loss(std::string_view loss) const {
  if (const Column* column = find(loss)) {
    return column;
  }
  return find("losses." + objective_of(loss));
}

const Column* Run::find_held_out_loss(std::string_view loss) const {
  return find("held_out_losses." + (loss == "nll" ? "erm" : objective_of(loss)));
}

std::vector<std::string> texts_in(std::string_view json) {
  std::vector<std::string> texts;
  bool inside = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') {
      inside = !inside;
      if (inside) {
        texts.emplace_back();
      }
    } else if (inside) {
      i += json[i] == '\\' && i + 1 < json.size() ? 1 : 0;
      texts.back() += json[i];
    }
  }
  return texts;
}

bool is_regression(const Run& run) {
  const auto any = [&run](std::string_view in, std::string_view out) {
    return std::any_of(run.columns.begin(), run.columns.end(), [&](const Column& column) {
      return environment_of(column.key, in) >= 0 || environment_of(column.key, out) >= 0;
    });
  };
  return any("_in_mse", "_out_mse") && !any("_in_acc", "_out_acc");
}

void Run::add(std::int64_t step, std::span<const std::pair<std::string, double>> values) {
  // The records of a run have the same keys in the same order, so the column is nearly always the next one.
  std::size_t next = 0;
  for (const auto& [key, value] : values) {
    if (next >= columns.size() || columns[next].key != key) {
      const Column* known = find(key);
      if (known == nullptr) {
        columns.push_back({key, std::vector<double>(records(), missing)});
        known = &columns.back();
      }
      next = static_cast<std::size_t>(known - columns.data());
    }
    columns[next].values.resize(records(), missing);
    columns[next].values.push_back(value);
    ++next;
  }
  steps.push_back(step);
  for (Column& column : columns) {
    column.values.resize(records(), missing);
  }
}

Accuracies::Accuracies(const Run& run) {
  const auto put = [this](Columns& columns, int environment, const Column& column) {
    if (environment >= environments()) {
      in_.resize(static_cast<std::size_t>(environment) + 1, nullptr);
      out_.resize(in_.size(), nullptr);
    }
    columns[static_cast<std::size_t>(environment)] = &column;
  };
  for (const Column& column : run.columns) {
    if (const int environment = environment_of(column.key, "_in_acc"); environment >= 0) {
      put(in_, environment, column);
    } else if (const int other = environment_of(column.key, "_out_acc"); other >= 0) {
      put(out_, other, column);
    }
  }
}

double Accuracies::at(const Columns& columns, int environment, std::size_t record) {
  const auto index = static_cast<std::size_t>(environment);
  return index < columns.size() && columns[index] != nullptr ? columns[index]->values[record] : missing;
}

int Accuracies::held_out(std::size_t record) const {
  int count = 0;
  while (count < environments() && !std::isnan(out(count, record))) {
    ++count;
  }
  return count;
}

}  // namespace pair::select
