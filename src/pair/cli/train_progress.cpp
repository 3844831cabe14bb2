#include "pair/cli/train_progress.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/numbers.h"

namespace pair::cli {
namespace {

constexpr double redraw_seconds = 0.1;
constexpr std::size_t bar_cells = 20;
// The weight of each new step, and of each record, in the estimate of the time per step: PAIR-o's steps cost
// more after its first phase.
constexpr double renewal = 0.05;
constexpr double record_renewal = 0.3;

double number(const nlohmann::json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

// The weighted loss of the objectives or, if the algorithm has an update of its own, its losses: DANN's and
// those that its entry declares.
std::vector<std::string> names_of_losses(const nlohmann::json& record) {
  std::vector<std::string> names = {"loss", "gen_loss", "disc_loss"};
  const auto args = record.find("args");
  if (!record.contains("losses") && args != record.end() && args->contains("losses")) {
    for (const nlohmann::json& together : args->at("losses")) {
      for (const auto& name : together.get<std::vector<std::string>>()) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
          names.push_back(name);
        }
      }
    }
  }
  return names;
}

void write_losses(const nlohmann::json& record, std::ostream& text) {
  for (const std::string& name : names_of_losses(record)) {
    if (record.contains(name)) {
      text << name << ' ' << base::with_digits(number(record.at(name)), 4) << "  ";
    }
  }
  if (!record.contains("weights")) {
    return;
  }
  text << "weights";
  // In the order of the objectives setting; the object itself is sorted.
  for (const nlohmann::json& entry : record.at("hparams").at("objectives")) {
    const auto name = entry.get<std::string>();
    text << ' ' << name << ' ' << base::with_digits(number(record.at("weights").at(name)), 3);
  }
  // Nothing is balanced before that.
  const bool balancing = record.value("phase", "balance") == "balance";
  text << "  divergence " << (balancing ? base::with_digits(number(record.at("divergence")), 3) : "-")
       << "  ";
}

std::string numbers_of(const nlohmann::json& record) {
  std::ostringstream text;
  write_losses(record, text);
  text << "worst test ";
  if (record.contains("worst_test_mse")) {
    text << base::with_digits(number(record.at("worst_test_mse")), 4);
  } else {
    text << base::with_decimals(100.0 * number(record.at("worst_test_acc")), 1) << '%';
  }
  return std::move(text).str();
}

std::string bar_of(const runs::Progress& progress) {
  const double share = static_cast<double>(progress.step) / static_cast<double>(progress.steps);
  std::string cells(bar_cells, '.');
  std::fill_n(cells.begin(), static_cast<std::size_t>(share * static_cast<double>(bar_cells)), '#');
  return cells;
}

}  // namespace

std::string clock_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 3.6e9)));
  char buffer[48];
  if (whole >= 3600) {
    std::snprintf(buffer, sizeof buffer, "%lld:%02d:%02d", static_cast<long long>(whole / 3600),
                  static_cast<int>(whole / 60 % 60), static_cast<int>(whole % 60));
  } else {
    std::snprintf(buffer, sizeof buffer, "%d:%02d", static_cast<int>(whole / 60),
                  static_cast<int>(whole % 60));
  }
  return buffer;
}

ProgressDisplay::ProgressDisplay(std::ostream& out, Style style, std::size_t columns)
    : out_(out), style_(style), columns_(columns) {}

std::string ProgressDisplay::left(const runs::Progress& progress) const {
  return clock_time(per_step_ * static_cast<double>(progress.steps - progress.step) +
                    per_record_ * static_cast<double>(progress.records_left));
}

void ProgressDisplay::show(const runs::Progress& progress, double seconds) {
  if (style_ == Style::none) {
    return;
  }
  const std::int64_t taken = progress.step - progress.first;
  const double since = seconds - last_;
  if (taken > 0 && progress.record == nullptr) {
    ++plain_;
    per_step_ += (since - per_step_) * std::max(renewal, 1.0 / static_cast<double>(plain_));
  } else if (progress.record != nullptr) {
    ++records_;
    per_record_ += (std::max(since - per_step_, 0.0) - per_record_) *
                   std::max(record_renewal, 1.0 / static_cast<double>(records_));
  }
  last_ = seconds;
  if (progress.record != nullptr) {
    numbers_ = numbers_of(*progress.record);
  }
  if (style_ == Style::lines) {
    if (progress.record != nullptr) {
      out_ << "step " << progress.step << '/' << progress.steps << "  " << numbers_ << "  left "
           << left(progress) << std::endl;
    }
    return;
  }
  if (progress.record != nullptr || drawn_ < 0.0 || seconds - drawn_ >= redraw_seconds) {
    drawn_ = seconds;
    std::ostringstream line;
    line << '[' << bar_of(progress) << "] " << progress.step << '/' << progress.steps;
    if (taken > 0) {
      line << " left " << left(progress);
    }
    line << "  " << numbers_;
    draw(std::move(line).str());
  }
}

void ProgressDisplay::draw(const std::string& line) {
  const std::string visible = line.substr(0, columns_ > 0 ? columns_ - 1 : 0);
  const std::size_t blank = shown_ > visible.size() ? shown_ - visible.size() : 0;
  out_ << '\r' << visible << std::string(blank, ' ') << std::flush;
  shown_ = visible.size();
}

void ProgressDisplay::say(const std::string& sentence) {
  if (style_ != Style::none) {
    warn(sentence);
  }
}

void ProgressDisplay::warn(const std::string& sentence) {
  end();
  out_ << sentence << std::endl;
}

void ProgressDisplay::end() {
  if (shown_ > 0) {
    out_ << std::endl;
    shown_ = 0;
  }
}

}  // namespace pair::cli
