#include "pair/data/wordpiece.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/data/bert_text.h"

namespace pair::data {
namespace {

constexpr std::size_t longest_word = 100;  // characters
constexpr std::size_t most_bytes = std::size_t{1} << 24U;
constexpr std::string_view continued = "##";

bool is_ascii_punctuation(unsigned char c) {
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
}

std::size_t characters_in(std::string_view word) {
  return static_cast<std::size_t>(
      std::ranges::count_if(word, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_utf8(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto size = static_cast<std::int32_t>(text.size());
  for (std::int32_t at = 0; at < size;) {
    UChar32 character = 0;
    U8_NEXT(bytes, at, size, character);
    if (character < 0) {
      return false;
    }
  }
  return true;
}

std::string_view without_trailing_space(std::string_view line) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(line.data());
  auto end = static_cast<std::int32_t>(line.size());
  while (end > 0) {
    std::int32_t before = end;
    UChar32 character = 0;
    U8_PREV(bytes, 0, before, character);
    if (character < 0 || !u_isUWhiteSpace(character)) {
      break;
    }
    end = before;
  }
  return line.substr(0, static_cast<std::size_t>(end));
}

// ICU counts in 32 bits, so a longer text is processed in parts.
constexpr std::size_t longest_part = std::size_t{1} << 30U;

}  // namespace

WordPiece::Trie::Trie(const std::vector<std::pair<std::string_view, std::int32_t>>& entries) {
  std::size_t bytes = 0;
  for (const auto& [text, id] : entries) {
    bytes += text.size();
  }
  edges_.resize(std::bit_ceil(2 * bytes + 2));
  ids_.push_back(-1);
  for (const auto& [text, id] : entries) {
    std::uint32_t node = 0;
    for (const char c : text) {
      const std::uint32_t key = (node << 8U) | static_cast<unsigned char>(c);
      Edge& edge = edges_[place_of(key)];
      if (edge.key == empty) {
        edge = {key, static_cast<std::uint32_t>(ids_.size())};
        ids_.push_back(-1);
      }
      node = edge.node;
    }
    ids_[node] = id;
  }
}

std::size_t WordPiece::Trie::place_of(std::uint32_t key) const {
  const std::size_t mask = edges_.size() - 1;
  // Fibonacci hashing: the upper bits of the product depend on all bits of the key.
  std::size_t place = static_cast<std::size_t>((key * std::uint64_t{0x9E3779B97F4A7C15}) >> 32U) & mask;
  while (edges_[place].key != key && edges_[place].key != empty) {
    place = (place + 1) & mask;
  }
  return place;
}

std::pair<std::size_t, std::int32_t> WordPiece::Trie::longest(std::string_view text) const {
  std::pair<std::size_t, std::int32_t> found{0, -1};
  std::uint32_t node = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Edge& edge = edges_[place_of((node << 8U) | static_cast<unsigned char>(text[i]))];
    if (edge.key == empty) {
      break;
    }
    node = edge.node;
    if (ids_[node] >= 0) {
      found = {i + 1, ids_[node]};
    }
  }
  return found;
}

WordPiece::WordPiece(std::vector<std::string> tokens, const std::string& name) : tokens_(std::move(tokens)) {
  std::size_t bytes = tokens_.size();
  for (const std::string& token : tokens_) {
    bytes += token.size();
  }
  if (bytes >= most_bytes) {
    throw std::invalid_argument(name + ": expected tokens of less than 16 MiB, got " + std::to_string(bytes) +
                                " bytes");
  }
  std::vector<std::pair<std::string_view, std::int32_t>> beginnings;
  std::vector<std::pair<std::string_view, std::int32_t>> continuations;
  const std::array<std::pair<std::string_view, std::int32_t*>, 5> named{
      {{"[PAD]", &pad_}, {"[UNK]", &unknown_}, {"[CLS]", &first_}, {"[SEP]", &last_}, {"[MASK]", nullptr}}};
  std::vector<std::int32_t> ids(named.size(), -1);
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string_view token = tokens_[i];
    const auto id = static_cast<std::int32_t>(i);
    if (token.starts_with(continued)) {
      continuations.emplace_back(token.substr(continued.size()), id);
    }
    beginnings.emplace_back(token, id);
    for (std::size_t k = 0; k < named.size(); ++k) {
      ids[k] = token == named[k].first ? id : ids[k];
    }
  }
  std::string missing;
  for (std::size_t k = 0; k < named.size(); ++k) {
    if (ids[k] >= 0) {
      special_.emplace_back(named[k].first, ids[k]);
    } else if (named[k].second != nullptr) {
      missing += (missing.empty() ? "" : ", ") + std::string(named[k].first);
    }
    if (named[k].second != nullptr) {
      *named[k].second = ids[k];
    }
  }
  if (!missing.empty()) {
    throw std::invalid_argument(name + ": expected BERT's vocabulary, one token per line, got " +
                                std::to_string(tokens_.size()) + " tokens without " + missing);
  }
  std::erase_if(continuations, [](const auto& entry) { return entry.first.empty(); });
  std::erase_if(beginnings, [](const auto& entry) { return entry.first.empty(); });
  beginnings_ = Trie(beginnings);
  continuations_ = Trie(continuations);
}

WordPiece WordPiece::from_text(std::string_view text, const std::string& name) {
  if (!is_utf8(text)) {
    throw std::invalid_argument(name + ": expected a vocabulary in UTF-8, got other bytes");
  }
  std::vector<std::string> tokens;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    tokens.emplace_back(without_trailing_space(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return WordPiece(std::move(tokens), name);
}

WordPiece WordPiece::from_file(const std::filesystem::path& path) {
  const std::string name = base::printable(path.string());
  std::string text;
  try {
    text = base::read_file(path);
  } catch (const base::FileError& error) {
    throw std::invalid_argument(
        name +
        ": expected a vocabulary, one token per line, got a file that cannot be read: " + error.reason());
  }
  return from_text(text, name);
}

std::string WordPiece::text() const {
  std::string text;
  for (const std::string& token : tokens_) {
    text += token + "\n";
  }
  return text;
}

void WordPiece::add_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  // Bytes are not fewer than characters.
  bool whole = word.size() <= longest_word || characters_in(word) <= longest_word;
  for (std::size_t at = 0; whole && at < word.size();) {
    const auto [size, id] = (at == 0 ? beginnings_ : continuations_).longest(word.substr(at));
    whole = size > 0;
    at += size;
    ids.push_back(id);
  }
  if (!whole) {
    ids.resize(before);
    ids.push_back(unknown_);
  }
}

void WordPiece::add_words(std::string_view normalised, std::size_t most,
                          std::vector<std::int32_t>& ids) const {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(normalised.data());
  const auto size = static_cast<std::int32_t>(normalised.size());
  std::int32_t word = 0;  // where it begins
  const auto end_word = [&](std::int32_t at) {
    if (at > word) {
      add_word(normalised.substr(static_cast<std::size_t>(word), static_cast<std::size_t>(at - word)), ids);
    }
  };
  std::int32_t at = 0;
  while (at < size && ids.size() < most) {
    const std::int32_t begin = at;
    bool splits = false;
    if (bytes[at] < 128) {
      splits = is_ascii_punctuation(bytes[at]);
      if (bytes[at++] == ' ') {
        end_word(begin);
        word = at;
        continue;
      }
    } else {
      UChar32 character = 0;
      U8_NEXT_OR_FFFD(bytes, at, size, character);
      splits = is_bert_punctuation(character);
    }
    if (splits) {
      end_word(begin);
      word = begin;
      end_word(at);
      word = at;
    }
  }
  if (ids.size() < most) {
    end_word(at);
  }
}

std::vector<std::int32_t> WordPiece::ids(std::string_view text, std::size_t most) const {
  std::vector<std::int32_t> ids;
  add_ids(text, most, ids);
  return ids;
}

void WordPiece::add_ids(std::string_view text, std::size_t most, std::vector<std::int32_t>& ids) const {
  std::string normalised;
  std::size_t plain = 0;  // where the text that is not yet divided begins
  const auto add_plain = [&](std::size_t end) {
    for (std::size_t at = plain; at < end && ids.size() < most; at += longest_part) {
      normalised.clear();
      append_normalised_for_bert(text.substr(at, std::min(end - at, longest_part)), normalised);
      add_words(normalised, most, ids);
    }
  };
  for (std::size_t at = text.find('['); at != std::string_view::npos && ids.size() < most;
       at = text.find('[', at)) {
    const auto found = std::ranges::find_if(
        special_, [&](const auto& token) { return text.substr(at).starts_with(token.first); });
    if (found == special_.end()) {
      ++at;
      continue;
    }
    add_plain(at);
    ids.push_back(found->second);
    at += found->first.size();
    plain = at;
  }
  add_plain(text.size());
  if (ids.size() > most) {
    ids.resize(most);
  }
}

std::size_t WordPiece::encode(std::string_view text, std::span<std::int32_t> row,
                              std::int32_t padding) const {
  if (row.size() < 2) {
    throw std::invalid_argument("tokens: expected room for at least 2, [CLS] and [SEP], got " +
                                std::to_string(row.size()));
  }
  const std::vector<std::int32_t> inner = ids(text, row.size() - 2);
  row[0] = first_;
  std::ranges::copy(inner, row.begin() + 1);
  row[inner.size() + 1] = last_;
  std::ranges::fill(row.subspan(inner.size() + 2), padding);
  return inner.size() + 2;
}

std::string normalised_for_bert(std::string_view text) {
  std::string normalised;
  append_normalised_for_bert(text, normalised);
  return normalised;
}

}  // namespace pair::data
