#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pair/data/metrics.h"
#include "pair/data/table_encoding.h"
#include "pair/data/table_spec.h"
#include "pair/runs/model_files.h"
#include "pair/runs/score.h"

namespace pair::runs {

// The outputs of the model on the samples of one environment, and their labels.
struct Answers {
  torch::Tensor outputs;
  torch::Tensor labels;
};

// A score table that is being filled: the model, the metrics, and the reports to the caller on the way.
class ScoreSheet {
 public:
  // Both must outlive it. Throws the errors of TrainedModel.
  ScoreSheet(const ScoreRequest& request, const ScoreHooks& hooks);

  [[nodiscard]] const ScoreRequest& request() const { return request_; }
  [[nodiscard]] const ScoreHooks& hooks() const { return hooks_; }
  [[nodiscard]] const ModelCard& card() const { return model_.card(); }
  [[nodiscard]] torch::Tensor outputs(const torch::Tensor& inputs) { return model_.outputs(inputs); }

  // Called once, before add: the request's metrics or, if it names none, these.
  void choose_metrics(const std::vector<std::string>& of_the_data);

  // Adds a row. The number of samples and the values come from the answers.
  void add(EnvironmentScore score, const Answers& answers);

  // Counts samples whose number is known before they are scored.
  void expect(std::int64_t samples) { all_ += samples; }
  // Counts samples that have been scored, and reports the progress.
  void count(std::int64_t samples);
  // Counts a broken file that is left out, and reports it.
  void skip(const std::string& reason);
  void notice(const std::string& sentence) const;
  // Reports columns of a file that the model knows little about. `counts`: over all rows of the file.
  void report(const data::CellCounts& counts);
  // Throws train::Interrupted if the caller asks to stop.
  void stop_if_asked() const;

  // The table with its worst values.
  [[nodiscard]] ScoreTable finish() &&;

 private:
  const ScoreRequest& request_;
  const ScoreHooks& hooks_;
  TrainedModel model_;
  std::vector<data::Metric> metrics_;
  ScoreTable table_;
  std::int64_t done_ = 0;  // samples
  std::int64_t all_ = 0;   // 0: not known
};

// All rows of a table's file, in order, as inputs and labels of a model.
struct EncodedRows {
  torch::Tensor inputs;  // [n, width]
  torch::Tensor labels;  // [n], float
};
// Throws std::invalid_argument that names the line of a cell that cannot be used.
EncodedRows encoded_rows(const data::TableEncoding& encoding, const data::TableSpec& table);

// For messages: "a CSV file or the name of a dataset".
std::string expected_data(const ModelCard& card);

// The kinds of data. Each adds the rows of a request to the sheet, in a file of its own, and throws
// std::invalid_argument if the data does not fit the model.

// The environments of a dataset, with the run's options and seed unless the request has others; one row per
// part that a run's records score.
void score_dataset(ScoreSheet& sheet, const std::string& name);

// The images of the request's folder, ENVIRONMENT/CLASS/FILE; one row per environment.
void score_folder(ScoreSheet& sheet);

// The images that a CSV file lists (image_manifest.h); one row per environment. The columns of the label and the
// environment are those that the run was trained with, or "label" and "environment".
void score_image_list(ScoreSheet& sheet);

// A CSV file with labels; one row per environment, or one row "all" if the file lacks the columns of
// environments. If it has them, every row must have an environment. Rows for a model of a table are encoded,
// and texts divided into tokens, as those that the model was trained on. Messages name the line of a cell
// that cannot be used.
void score_table_file(ScoreSheet& sheet);
void score_text_file(ScoreSheet& sheet);

}  // namespace pair::runs
