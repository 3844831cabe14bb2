#include "pair/bench/tokenizer_speed.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "pair/bench/measure.h"
#include "pair/data/random.h"
#include "pair/data/wordpiece.h"

namespace pair::bench {
namespace {

std::string random_word(data::Random& random) {
  std::string word;
  const std::uint64_t size = 2 + random.below(8);
  for (std::uint64_t i = 0; i < size; ++i) {
    word.push_back(static_cast<char>('a' + random.below(26)));
  }
  return word;
}

// As many tokens as BERT has: words, and pieces of up to three letters, so that any word can be divided.
std::vector<std::string> random_vocabulary(std::size_t size, data::Random& random) {
  std::vector<std::string> tokens{"[PAD]", "[UNK]", "[CLS]", "[SEP]", ".", ","};
  for (char c = 'a'; c <= 'z'; ++c) {
    tokens.emplace_back(1, c);
    tokens.push_back("##" + std::string(1, c));
  }
  while (tokens.size() < size) {
    const std::string word = random_word(random);
    tokens.push_back(tokens.size() % 4 == 0 ? "##" + word.substr(0, 3) : word);
  }
  return tokens;
}

// Words of the vocabulary and others, with capitals, accents and punctuation.
std::vector<std::string> random_texts(const std::vector<std::string>& tokens, std::size_t count,
                                      data::Random& random) {
  std::vector<std::string> texts(count);
  for (std::string& text : texts) {
    for (int word = 0; word < 60; ++word) {
      const std::string& known = tokens[6 + random.below(tokens.size() - 6)];
      std::string next = random.bernoulli(0.8) && !known.starts_with("##") ? known : random_word(random);
      if (random.bernoulli(0.1)) {
        next.front() = static_cast<char>(next.front() - 'a' + 'A');
      }
      text += (text.empty() ? "" : " ") + next + (random.bernoulli(0.02) ? "\u00e9" : "") +
              (random.bernoulli(0.1) ? "," : "");
    }
  }
  return texts;
}

}  // namespace

TokenizerSpeed tokenizer_speed(int rounds) {
  data::Random random(0, "bench text");
  const data::WordPiece tokenizer(random_vocabulary(30'522, random));
  const std::vector<std::string> texts = random_texts(tokenizer.tokens(), 5000, random);
  TokenizerSpeed speed;
  for (int round = 0; round < rounds + 1; ++round) {
    std::size_t tokens = 0;
    std::size_t bytes = 0;
    const double seconds = seconds_of([&] {
      for (const std::string& text : texts) {
        tokens += tokenizer.ids(text).size();
        bytes += text.size();
      }
    });
    if (round > 0) {
      speed.tokens_per_second.push_back(static_cast<double>(tokens) / seconds);
      speed.megabytes_per_second.push_back(1e-6 * static_cast<double>(bytes) / seconds);
    }
  }
  return speed;
}

}  // namespace pair::bench
