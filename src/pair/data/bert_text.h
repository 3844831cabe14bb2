#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The normalisation of text and the classes of characters of BERT's uncased tokenizer (wordpiece.h).

namespace pair::data {

// Appends the text after steps 2 to 5 of wordpiece.h. The text must have less than 2 GiB.
void append_normalised_for_bert(std::string_view text, std::string& to);

// Whether a character that is not ASCII, by its number, is a word of its own: step 6.
bool is_bert_punctuation(std::int32_t character);

}  // namespace pair::data
