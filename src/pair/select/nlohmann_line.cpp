#include <nlohmann/json.hpp>

#include "pair/select/interpret_record.h"
#include "pair/select/record_line.h"

namespace pair::select {
namespace {

using nlohmann::json;

class NlohmannValue {
 public:
  explicit NlohmannValue(const json& value) : value_(&value) {}

  [[nodiscard]] bool is_object() const { return value_->is_object(); }
  [[nodiscard]] bool is_list() const { return value_->is_array(); }
  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] std::optional<double> number() const {
    return value_->is_number() ? std::optional(value_->get<double>()) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::string_view> text() const {
    return value_->is_string() ? std::optional<std::string_view>(value_->get_ref<const std::string&>())
                               : std::nullopt;
  }
  template <class Function>
  void each_field(Function function) const {
    if (value_->is_object()) {
      for (const auto& [key, value] : value_->items()) {
        function(key, NlohmannValue(value));
      }
    }
  }
  template <class Function>
  void each_item(Function function) const {
    if (value_->is_array()) {
      for (const json& value : *value_) {
        function(NlohmannValue(value));
      }
    }
  }
  [[nodiscard]] std::string shown() const {
    return value_->dump(-1, ' ', false, json::error_handler_t::replace);
  }

 private:
  const json* value_;
};

class NlohmannLineParser : public LineParser {
 public:
  std::string parse(const char* line, std::size_t length, RecordLine& record) override {
    root_ = json::parse(line, line + length, nullptr, /*allow_exceptions=*/false);
    if (root_.is_discarded()) {
      const std::string replaced = with_null_for_not_finite({line, length});
      root_ = json::parse(replaced, nullptr, /*allow_exceptions=*/false);
    }
    return root_.is_discarded() ? "is not JSON"
                                : interpret_record(NlohmannValue(root_), {line, length}, record);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> hparams() const override {
    std::vector<std::pair<std::string, std::string>> all;
    if (const auto found = root_.find("hparams"); found != root_.end()) {
      for (const auto& [key, value] : found->items()) {
        all.emplace_back(key, NlohmannValue(value).shown());
      }
    }
    return all;
  }

  [[nodiscard]] Declared declared() const override {
    return root_.is_object() ? interpret_declared(NlohmannValue(root_)) : Declared();
  }

 private:
  json root_;
};

}  // namespace

std::unique_ptr<LineParser> make_nlohmann_line_parser() {
  return std::make_unique<NlohmannLineParser>();
}

}  // namespace pair::select
