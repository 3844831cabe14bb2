#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pair/runs/evaluation.h"

// Counts a model's answers, sample by sample, and makes an evaluation of them. Memory does not grow with the
// number of samples.

namespace pair::runs {

class Tally {
 public:
  struct Environment {
    std::string name;
    std::string key;
    bool test = false;
  };

  // classes: names by label; empty for a regression.
  Tally(std::vector<Environment> environments, std::vector<std::string> classes);

  // One sample of classes: truth and answer are labels, probability is the answer's. `sample` identifies it.
  void add_answer(std::size_t environment, std::size_t truth, std::size_t answer, double probability,
                  std::size_t sample);
  // One sample of a regression.
  void add_value(std::size_t environment, double label, double value, std::size_t sample);

  struct Result {
    Evaluation evaluation;             // without steps, label, columns and what samples look like
    std::vector<std::size_t> samples;  // those of evaluation.wrong
  };
  // Every environment must have a sample. Among equally confident samples, those that were added first.
  [[nodiscard]] Result result() const;

 private:
  struct Candidate {
    std::size_t sample = 0;
    std::size_t truth = 0;
    std::size_t answer = 0;
    double probability = 0.0;
    double label = 0.0;
    double value = 0.0;
    double rank = 0.0;  // the higher, the worse
  };
  struct Sums {
    std::int64_t samples = 0;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> counts = {};  // by truth and answer
    double confidence = 0.0;
    struct Bin {
      std::int64_t samples = 0;
      std::int64_t right = 0;
      double confidence = 0.0;
    };
    std::array<Bin, 10> bins = {};
    // For a regression: sums of residuals, their sizes and squares; means and central moments of labels and
    // values, updated one sample at a time (Welford), which loses no digits to a large mean.
    double residuals = 0.0;
    double sizes = 0.0;
    double squares = 0.0;
    double mean_label = 0.0;
    double mean_value = 0.0;
    double label_squares = 0.0;
    double value_squares = 0.0;
    double products = 0.0;
    std::vector<Candidate> wrong = {};  // the worst ones, worst first
  };

  static void consider(std::vector<Candidate>& list, const Candidate& candidate);
  [[nodiscard]] Evaluation::Environment summary(std::size_t environment) const;
  [[nodiscard]] std::vector<std::size_t> worst_first(const Evaluation& evaluation) const;
  void add_confusions(Evaluation& evaluation, const std::vector<std::size_t>& order) const;
  void add_wrong(Result& result, const std::vector<std::size_t>& order) const;
  void name_classes(Evaluation& evaluation) const;

  std::vector<Environment> environments_;
  std::vector<std::string> classes_;
  std::vector<Sums> sums_;
};

}  // namespace pair::runs
