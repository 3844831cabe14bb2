#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/wordpiece.h"
#include "tests/fuzz/require.h"

// For any bytes as a text, ids are within the vocabulary, and a row is [CLS], ids, [SEP], padding. For any
// bytes as a vocabulary, the tokenizer works or refuses with a short sentence.

namespace {

namespace pd = pair::data;
using pair::fuzz::require;

const pd::WordPiece& fixed_tokenizer() {
  static const pd::WordPiece tokenizer({"[PAD]", "[UNK]", "[CLS]",  "[SEP]",  "[MASK]",   "a", "##a", "b",
                                        "##b",   "un",    "##aff",  "##able", "!",        ",", "[",   "]",
                                        "e",     "##e",   "\u4e2d", "\u03c3", "##\u03c3", "0", "##0"});
  return tokenizer;
}

void check_text(const pd::WordPiece& tokenizer, std::string_view text) {
  const std::vector<std::int32_t> all = tokenizer.ids(text);
  for (const std::int32_t id : all) {
    require(id >= 0 && static_cast<std::size_t>(id) < tokenizer.tokens().size(),
            "an id is in the vocabulary");
  }
  const std::size_t most = text.size() % 7;
  const std::vector<std::int32_t> some = tokenizer.ids(text, most);
  require(some.size() == std::min(most, all.size()) && std::equal(some.begin(), some.end(), all.begin()),
          "the first ids are those of the whole text");
  std::vector<std::int32_t> row(2 + most, -7);
  const std::size_t size = tokenizer.encode(text, row, -1);
  require(
      size == 2 + some.size() && row.front() == tokenizer.first_id() && row[size - 1] == tokenizer.last_id(),
      "a row has its first and last token");
  for (std::size_t i = size; i < row.size(); ++i) {
    require(row[i] == -1, "the rest is padding");
  }
  require(tokenizer.ids(std::string(text) + " a").size() >= all.size(), "a further word takes nothing away");
}

}  // namespace

// The first byte says whether the rest is a text or, up to a zero byte, a vocabulary and then a text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    check_text(fixed_tokenizer(), bytes);
    return 0;
  }
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  try {
    const pd::WordPiece tokenizer = pd::WordPiece::from_text(bytes.substr(0, end), "input");
    check_text(tokenizer, bytes.substr(end));
    require(pd::WordPiece::from_text(tokenizer.text()).tokens() == tokenizer.tokens(),
            "a vocabulary that was written is read as it was");
  } catch (const std::invalid_argument& error) {
    require(std::string_view(error.what()).starts_with("input: expected"), "a sentence names the file");
  }
  return 0;
}
