#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pair/data/input_form.h"

// "text": how a text becomes an input of a model (see input_form.h): as token ids (wordpiece.h), one row of
// text.h. Files are CSV files with these columns, or plain text with one text per line.

namespace pair::data {

struct TextInput {
  std::int64_t max_tokens = 300;                      // 2 to 65,536
  std::string text_column = "text";                   // of CSV files
  std::string label_column = {};                      // of CSV files with labels; empty: not known
  std::vector<std::string> environment_columns = {};  // of CSV files with environments
  // The content of vocab.txt. It is part of the form, so that a trained model can be used without that file.
  std::string vocabulary = {};
};
void describe(base::Fields<TextInput>& field);
InputForm form_of(const TextInput& input);

}  // namespace pair::data
