#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// evaluation.json of a finished run: what its model gets right and wrong on data that it was not trained on,
// environment by environment. 'pair report' shows it. Plain data of bounded size for any dataset.
//
// An environment is represented by the part that was not trained on: the held-out part of a training
// environment, and the part of a test environment that records count for the worst test score. So the accuracies
// are those of the last record.

namespace pair::runs {

struct Evaluation {
  // An unknown number, such as the correlation of constants, is NaN here and null in the file.
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  // How often each class was taken for each, in one environment. If there are more than `most_classes`, the rows
  // are the classes with the most wrong answers, and the last column counts answers that are none of them.
  struct Confusion {
    std::vector<std::size_t> classes;  // index into Evaluation::classes, in ascending order
    bool others = false;               // whether there is such a column
    // By true class, then by answer: classes.size() rows of classes.size() (+ 1 with others) counts. A row's
    // sum is the number of samples of its class.
    std::vector<std::vector<std::int64_t>> counts;
  };
  struct Confused {
    std::size_t truth = 0;  // index into Evaluation::classes, also below
    std::size_t answer = 0;
    std::int64_t count = 0;
  };

  struct Environment {
    std::string name;
    std::string key;  // as records have it: "env0_out"
    bool test = false;
    std::int64_t samples = 0;

    // For classes.
    double accuracy = unknown;
    double confidence = unknown;  // mean probability of the answers
    // Expected calibration error: sum_b n_b/n |accuracy_b - confidence_b| over ten equal bins of the answers'
    // probability (Guo et al. 2017, eq. 3).
    double calibration_error = unknown;
    std::optional<Confusion> confusion = {};
    std::vector<Confused> confused = {};  // the most frequent confusions, most frequent first

    // For a regression, in the label's unit. Residuals are answer - label.
    double rmse = unknown;
    double mae = unknown;
    double bias = unknown;         // the mean residual
    double correlation = unknown;  // Pearson's, of answers and labels
  };

  // The most confidently wrong samples: of classes, by the probability of the wrong answer; of a regression,
  // by the size of the residual.
  struct Wrong {
    std::size_t environment = 0;
    std::string sample;      // a path, or "line 12"
    std::size_t truth = 0;   // of classes
    std::size_t answer = 0;  // of classes
    double probability = unknown;
    double label = unknown;  // of a regression
    double value = unknown;
    std::string text = {};
    std::vector<std::pair<std::string, std::string>> cells = {};
    std::int64_t cells_left_out = 0;
    std::string picture = {};  // a JPEG file in base64
  };

  // Which columns of a table the model leans on (column_use.h).
  struct Columns {
    std::vector<std::string> names;
    std::int64_t left_out = 0;  // columns with smaller shares
    bool fitted = false;  // whether weights are those of a linear fit to the model's outputs, not its own
    // By environment (of `environments` below), then by column.
    std::vector<std::size_t> environments;
    std::vector<std::vector<double>> share;
    std::vector<std::vector<double>> agreement;
  };

  std::int64_t steps = 0;
  bool regression = false;
  std::string label = {};            // the name of the label's column, if there is one
  std::vector<std::string> classes;  // names of those that are mentioned
  std::int64_t classes_in_all = 0;   // that the model knows
  std::vector<Environment> environments;
  std::size_t worst = 0;     // the environment with the lowest accuracy, or the highest rmse
  std::vector<Wrong> wrong;  // by environment, each in order of confidence
  std::optional<Columns> columns = {};
};

// The largest parts of an evaluation.
inline constexpr std::size_t most_classes = 30;        // of a confusion matrix
inline constexpr std::size_t most_shown_classes = 20;  // rows of one with others
inline constexpr std::size_t most_confused = 10;
inline constexpr std::size_t most_confusions = 40;  // environments with a matrix: the worst ones
inline constexpr std::size_t most_wrong_per_environment = 12;
inline constexpr std::size_t most_wrong = 60;
inline constexpr std::size_t most_columns = 20;
inline constexpr std::size_t most_column_environments = 40;
inline constexpr std::size_t most_environments = 1000;
inline constexpr std::size_t longest_evaluation = std::size_t{4} << 20U;  // bytes of the file

// The format's version. Readers refuse others.
inline constexpr int evaluation_format = 1;

// Numbers are rounded to six significant digits. Texts may have any bytes; those that are not UTF-8 are
// replaced when the object becomes text.
nlohmann::json as_json(const Evaluation& evaluation);
// The file: an object in one line, without times, so that the same run has the same bytes.
std::string to_text(const Evaluation& evaluation);

// Throws std::invalid_argument that says what is expected for text that is not such an object, another
// format, indices and sizes that do not agree, and more than the limits above. Pictures are base64 or absent.
Evaluation evaluation_from_text(std::string_view text);

}  // namespace pair::runs
