#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// BERT's uncased WordPiece tokenizer: text in, token ids out, with the ids of Hugging Face's fast tokenizer
// (BertTokenizerFast and DistilBertTokenizerFast of the models "...-base-uncased").
//
//   const data::WordPiece tokenizer = data::WordPiece::from_file("vocab.txt");
//   std::vector<std::int32_t> row(300);
//   tokenizer.encode("How are you?", row);   // [CLS] how are you ? [SEP], then padding
//
// A text passes through these steps:
//   1. "[PAD]", "[UNK]", "[CLS]", "[SEP]" and "[MASK]", written exactly so, are the tokens of these names. The
//      steps below apply to the text between them.
//   2. Control, format and private-use characters, U+0000 and U+FFFD are dropped; white space becomes a blank.
//   3. CJK ideographs get a blank on both sides.
//   4. Canonical decomposition (NFD); nonspacing marks, such as accents, are dropped.
//   5. Lower case, character by character.
//   6. Words end at blanks; every punctuation character is a word of its own.
//   7. Each word is divided by greedy longest match, with "##" in front of all pieces but the first. A word of
//      more than 100 characters, or one that cannot be divided, is [UNK].
//
// Character properties come from ICU, which knows when a character was added to Unicode. The fast tokenizer
// has tables of Unicode 8 for marks, punctuation and control characters and of Unicode 9 for decompositions;
// later characters have none of these properties here either. So an unassigned or new character is a letter
// of a word, which is [UNK] unless the vocabulary has it. (Hugging Face's older tokenizer in Python differs:
// it drops unassigned characters, knows later marks and punctuation, composes text first, has the final
// sigma, and a wider range of ideographs.) Lower case is that of the installed ICU.

namespace pair::data {

// All functions are const and thread-safe.
class WordPiece {
 public:
  // tokens[i] has the id i; of equal ones, the last counts. Throws std::invalid_argument that starts with
  // `name` for tokens of 16 MiB or more together, or if [PAD], [UNK], [CLS] or [SEP] is missing.
  explicit WordPiece(std::vector<std::string> tokens, const std::string& name = "vocabulary");

  // vocab.txt: one token per line, in UTF-8; white space at a line's end is not part of the token. Throws
  // std::invalid_argument that names the file if it cannot be read, is not UTF-8, or lacks a token (see
  // above).
  static WordPiece from_file(const std::filesystem::path& path);

  // The same for the content of such a file.
  static WordPiece from_text(std::string_view text, const std::string& name = "vocabulary");
  // The content of vocab.txt: every token with a line end.
  [[nodiscard]] std::string text() const;

  // By id.
  [[nodiscard]] const std::vector<std::string>& tokens() const { return tokens_; }

  [[nodiscard]] std::int32_t pad_id() const { return pad_; }
  [[nodiscard]] std::int32_t unknown_id() const { return unknown_; }
  [[nodiscard]] std::int32_t first_id() const { return first_; }  // [CLS]
  [[nodiscard]] std::int32_t last_id() const { return last_; }    // [SEP]

  // The first `most` token ids of a text, without [CLS] and [SEP]. Bytes that are not UTF-8 count as U+FFFD,
  // which is dropped.
  [[nodiscard]] std::vector<std::int32_t> ids(
      std::string_view text, std::size_t most = std::numeric_limits<std::size_t>::max()) const;

  // Fills a row of at least 2 numbers: [CLS], the first row.size() - 2 ids, [SEP], and `padding` to the end.
  // Returns the number of tokens, [CLS] and [SEP] included: the attention mask is 1 for these. Throws
  // std::invalid_argument for a shorter row.
  std::size_t encode(std::string_view text, std::span<std::int32_t> row, std::int32_t padding) const;
  std::size_t encode(std::string_view text, std::span<std::int32_t> row) const {
    return encode(text, row, pad_);
  }

 private:
  // A set of byte strings with ids: an edge leads from a node by a byte to another node. Edges are in one
  // table with open addressing, so a step is one or two memory accesses.
  class Trie {
   public:
    Trie() = default;
    explicit Trie(const std::vector<std::pair<std::string_view, std::int32_t>>& entries);

    // The longest entry that `text` begins with: its length in bytes (0: none), and its id.
    [[nodiscard]] std::pair<std::size_t, std::int32_t> longest(std::string_view text) const;

   private:
    struct Edge {
      std::uint32_t key = empty;  // node * 256 + byte
      std::uint32_t node = 0;
    };
    static constexpr std::uint32_t empty = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] std::size_t place_of(std::uint32_t key) const;

    std::vector<Edge> edges_;        // a power of two, at most half full
    std::vector<std::int32_t> ids_;  // of each node; -1: the node is not the end of an entry
  };

  void add_ids(std::string_view text, std::size_t most, std::vector<std::int32_t>& ids) const;
  void add_words(std::string_view normalised, std::size_t most, std::vector<std::int32_t>& ids) const;
  void add_word(std::string_view word, std::vector<std::int32_t>& ids) const;

  std::vector<std::string> tokens_;
  Trie beginnings_;     // of words
  Trie continuations_;  // the tokens with "##", without it
  std::vector<std::pair<std::string, std::int32_t>> special_;
  std::int32_t pad_ = 0;
  std::int32_t unknown_ = 0;
  std::int32_t first_ = 0;
  std::int32_t last_ = 0;
};

// Steps 2 to 5 of a text, for tests and for those who want to see what a model sees.
std::string normalised_for_bert(std::string_view text);

}  // namespace pair::data
