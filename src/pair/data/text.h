#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/environment.h"
#include "pair/data/text_input.h"
#include "pair/data/wordpiece.h"

// Texts as training data, for the dataset "text" and for others whose samples are texts:
//
//   const data::WordPiece tokenizer = data::WordPiece::from_file("vocab.txt");
//   std::vector<data::TextPart> parts{
//       {.key = "env0_in", .texts = {"so kind", "you fool"}, .labels = {0, 1}},
//       {.key = "env1_in", .trained = false, .test = true, .texts = {"thanks"}, .labels = {0}}};
//   data::EnvironmentSet set = data::text_set("comments", tokenizer, parts, {.classes = {"kind", "toxic"}});
//
// Data is resident: token ids are small. The 448,000 comments of CivilComments, at 300 tokens of 4 bytes,
// take 540 MB, and the tokenizer divides them in seconds. So steps draw their rows on the device, as for
// tables, and no loader is needed.

namespace pair::data {

// A text as one row of int32 numbers: [CLS], the text's token ids, [SEP], and -1 to the end. The attention
// mask is row >= 0. (Not the id of [PAD] to the end, which a text that contains "[PAD]" has as a token, too.)
inline constexpr std::int32_t no_token = -1;

// The tokenizer of a vocab.txt. sha256: where not empty, the digest that the file must have. Throws
// std::invalid_argument for another one, and the errors of WordPiece::from_file.
WordPiece open_vocabulary(const std::string& path, const std::string& sha256);

// The texts as rows, [texts.size(), max_tokens]; longer texts are cut. max_tokens: 2 to 65,536. threads: 1 to
// 256; the result does not depend on it. Throws std::invalid_argument for numbers out of range.
torch::Tensor token_rows(const WordPiece& tokenizer, std::span<const std::string_view> texts,
                         std::int64_t max_tokens, int threads = 1);

// The samples of one environment, or of a part of one.
struct TextPart {
  std::string key;                      // prefix of its scores in records: "env0_in"
  bool trained = true;                  // whether it is trained on; otherwise it is only scored
  bool test = false;                    // whether it counts for the worst test accuracy
  std::vector<std::string_view> texts;  // UTF-8, at least one; they must stay valid during the call
  std::vector<std::int32_t> labels;     // one per text: index into the classes
  std::vector<std::size_t> rows = {};   // Environment::samples
};

struct TextSetOptions {
  std::int64_t max_tokens = 300;          // 2 to 65,536
  std::vector<std::string> classes = {};  // names by label, at least 2
  // Two classes: one output with binary cross-entropy, or, as WILDS has it, two outputs with cross-entropy.
  // More classes always have one output each.
  bool one_output_for_two_classes = true;
  int threads = 1;  // that divide texts into tokens, 1 to 256
  // The columns of CSV files for 'pair predict' and 'pair score' (text_input.h).
  std::string text_column = "text";
  std::string label_column = {};
  std::vector<std::string> environment_columns = {};
};

// A set with the parts in order, its loss, outputs, classes and form of input. The form holds the vocabulary,
// so that a trained model can be used without vocab.txt. Throws std::invalid_argument for no part to train
// on, a part without texts or with other than one label per text, and labels that are not classes.
EnvironmentSet text_set(std::string name, const WordPiece& tokenizer, std::span<const TextPart> parts,
                        const TextSetOptions& options);

// How many texts and tokens a set of texts has.
struct TokenCounts {
  std::int64_t texts = 0;
  std::int64_t tokens = 0;   // [CLS] and [SEP] included
  std::int64_t full = 0;     // texts that fill all places or are cut
  std::int64_t empty = 0;    // texts without any token of their own
  std::int64_t unknown = 0;  // tokens that are [UNK]
};
TokenCounts token_counts(const EnvironmentSet& set, const WordPiece& tokenizer);

// Adds a notice if more than a tenth of all tokens are [UNK]: the vocabulary may be another model's.
// vocab: its file. Returns the counts.
TokenCounts add_token_notices(EnvironmentSet& set, const WordPiece& tokenizer, const std::string& vocab);

}  // namespace pair::data
