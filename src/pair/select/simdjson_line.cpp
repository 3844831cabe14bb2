#include <simdjson.h>

#include <algorithm>

#include "pair/select/interpret_record.h"
#include "pair/select/record_line.h"

namespace pair::select {
namespace {

namespace dom = simdjson::dom;

static_assert(LineParser::padding >= simdjson::SIMDJSON_PADDING);

class SimdjsonValue {
 public:
  explicit SimdjsonValue(dom::element value) : value_(value) {}

  [[nodiscard]] bool is_object() const { return value_.is_object(); }
  [[nodiscard]] bool is_list() const { return value_.is_array(); }
  [[nodiscard]] bool is_null() const { return value_.is_null(); }
  [[nodiscard]] std::optional<double> number() const {
    double number = 0.0;
    return value_.get(number) == simdjson::SUCCESS ? std::optional(number) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::string_view> text() const {
    std::string_view text;
    return value_.get(text) == simdjson::SUCCESS ? std::optional(text) : std::nullopt;
  }
  template <class Function>
  void each_field(Function function) const {
    dom::object object;
    if (value_.get(object) == simdjson::SUCCESS) {
      for (const dom::key_value_pair field : object) {
        function(field.key, SimdjsonValue(field.value));
      }
    }
  }
  template <class Function>
  void each_item(Function function) const {
    dom::array array;
    if (value_.get(array) == simdjson::SUCCESS) {
      for (const dom::element item : array) {
        function(SimdjsonValue(item));
      }
    }
  }
  [[nodiscard]] std::string shown() const { return simdjson::minify(value_); }

 private:
  dom::element value_;
};

class SimdjsonLineParser : public LineParser {
 public:
  std::string parse(const char* line, std::size_t length, RecordLine& record) override {
    if (parser_.parse(line, length, /*realloc_if_needed=*/false).get(root_) != simdjson::SUCCESS) {
      copy_ = with_null_for_not_finite({line, length});
      if (parser_.parse(copy_).get(root_) != simdjson::SUCCESS) {
        root_ = dom::element();
        parsed_ = false;
        return "is not JSON";
      }
    }
    parsed_ = true;
    return interpret_record(SimdjsonValue(root_), {line, length}, record);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> hparams() const override {
    std::vector<std::pair<std::string, std::string>> all;
    if (!parsed_) {
      return all;
    }
    SimdjsonValue(root_).each_field([&all](std::string_view key, const SimdjsonValue& value) {
      if (key == "hparams") {
        value.each_field([&all](std::string_view name, const SimdjsonValue& inner) {
          all.emplace_back(name, inner.shown());
        });
      }
    });
    std::sort(all.begin(), all.end());
    return all;
  }

  [[nodiscard]] Declared declared() const override {
    return parsed_ ? interpret_declared(SimdjsonValue(root_)) : Declared();
  }

 private:
  dom::parser parser_;
  dom::element root_;
  std::string copy_;
  bool parsed_ = false;
};

}  // namespace

std::unique_ptr<LineParser> make_line_parser() {
  return std::make_unique<SimdjsonLineParser>();
}

std::string_view line_parser_name() {
  return "simdjson";
}

}  // namespace pair::select
