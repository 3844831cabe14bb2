#include "pair/data/table_input.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace pair::data {

void describe(base::Fields<TableInput>& field) {
  field.text("encoding", &TableInput::encoding, "JSON of a table's encoding", "how rows become inputs");
}

InputForm form_of(const TableInput& input) {
  return {"table", base::Options::of(input)};
}

InputForm form_of(const TableEncoding& encoding) {
  return form_of(TableInput{.encoding = as_json(encoding).dump()});
}

TableEncoding encoding_of(const TableInput& input) {
  const auto json = nlohmann::json::parse(input.encoding, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    throw std::invalid_argument("encoding: expected JSON, got text that is not");
  }
  return table_encoding_from(json);
}

AnswerScale answer_scale(const InputForm& form) {
  if (form.kind != "table") {
    return {};
  }
  const TableEncoding encoding = encoding_of(form.options.as<TableInput>());
  return {encoding.label.mean, encoding.label.deviation};
}

}  // namespace pair::data
