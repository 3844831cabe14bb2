#pragma once

#include <string>

#include "pair/base/options.h"
#include "pair/data/input_form.h"
#include "pair/data/table_encoding.h"

// The form of inputs that are rows of a table (input_form.h has the others).

namespace pair::data {

// "table": one row of a CSV file with column names per input, encoded as the training rows were.
struct TableInput {
  std::string encoding = {};  // a TableEncoding as JSON
};
void describe(base::Fields<TableInput>& field);
InputForm form_of(const TableInput& input);
InputForm form_of(const TableEncoding& encoding);

// Throws std::invalid_argument for text that is not the JSON of an encoding.
TableEncoding encoding_of(const TableInput& input);

// The number that an output of a regression stands for is output * deviation + mean: the label's of a table;
// 0 and 1 for other forms.
struct AnswerScale {
  double mean = 0.0;
  double deviation = 1.0;
};
AnswerScale answer_scale(const InputForm& form);

}  // namespace pair::data
