// Replaces simdjson_line.cpp in builds without simdjson.

#include "pair/select/record_line.h"

namespace pair::select {

std::unique_ptr<LineParser> make_line_parser() {
  return make_nlohmann_line_parser();
}

std::string_view line_parser_name() {
  return "nlohmann";
}

}  // namespace pair::select
