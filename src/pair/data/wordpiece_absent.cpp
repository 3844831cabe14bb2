#include <stdexcept>

#include "pair/data/wordpiece.h"

// In place of bert_text.cpp and wordpiece.cpp where ICU is not installed: no tokenizer can be made, so its
// other functions are never reached.

namespace pair::data {
namespace {

[[noreturn]] void no_tokenizer() {
  throw std::runtime_error("text cannot be tokenized: pair was built without ICU (Debian: libicu-dev)");
}

}  // namespace

WordPiece::WordPiece(std::vector<std::string> /*tokens*/, const std::string& /*name*/) {
  no_tokenizer();
}

WordPiece WordPiece::from_file(const std::filesystem::path& /*path*/) {
  no_tokenizer();
}

WordPiece WordPiece::from_text(std::string_view /*text*/, const std::string& /*name*/) {
  no_tokenizer();
}

std::string WordPiece::text() const {
  no_tokenizer();
}

std::vector<std::int32_t> WordPiece::ids(std::string_view /*text*/, std::size_t /*most*/) const {
  no_tokenizer();
}

std::size_t WordPiece::encode(std::string_view /*text*/, std::span<std::int32_t> /*row*/,
                              std::int32_t /*padding*/) const {
  no_tokenizer();
}

std::string normalised_for_bert(std::string_view /*text*/) {
  no_tokenizer();
}

}  // namespace pair::data
