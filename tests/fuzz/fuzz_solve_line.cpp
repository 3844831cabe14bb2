#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "pair/cli/solve_line.h"
#include "tests/fuzz/require.h"

// For any bytes, the reply to a line is one line of JSON: valid weights, or a sentence.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pair::cli::Outcome;
  using pair::fuzz::require;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const pair::cli::Reply reply = pair::cli::solve_line(line, 1);

  require(reply.outcome != Outcome::failed, reply.json);
  require(reply.json.find('\n') == std::string::npos, "a reply is one line");
  const nlohmann::json parsed = nlohmann::json::parse(reply.json);
  if (reply.outcome == Outcome::refused) {
    require(parsed.size() == 2 && parsed.at("line") == 1, reply.json);
    require(!parsed.at("error").get<std::string>().empty(), reply.json);
    require(parsed.at("error").get<std::string>().size() < 1000, "a sentence is short");
  } else {
    require(parsed.size() == 5 && parsed.at("weights").is_array(), reply.json);
    require(parsed.at("status") == "optimal" || parsed.at("status") == "infeasible", reply.json);
    for (const char* field : {"divergence", "objective"}) {
      require(parsed.at(field).is_number(), reply.json);
    }
  }
  return 0;
}
