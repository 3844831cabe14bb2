#include "pair/data/text_input.h"

namespace pair::data {

void describe(base::Fields<TextInput>& field) {
  using I = TextInput;
  field.whole("max_tokens", &I::max_tokens, std::int64_t{2}, 65'536,
              "tokens per text, [CLS] and [SEP] included; longer texts are cut");
  field.text("text_column", &I::text_column, "names of columns", "the column of CSV files with the texts");
  field.text("label_column", &I::label_column, "nothing, or names of columns",
             "the column of CSV files with the labels");
  field.names("environment_columns", &I::environment_columns, "names of columns, separated by commas",
              "the columns of CSV files that name the environment",
              [](const std::vector<std::string>&) { return true; });
  field.text("vocabulary", &I::vocabulary, "tokens, one per line", "the tokenizer's vocabulary");
}

InputForm form_of(const TextInput& input) {
  return {"text", base::Options::of(input)};
}

}  // namespace pair::data
