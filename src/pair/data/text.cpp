#include "pair/data/text.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/data/sha256.h"
#include "pair/data/shared_fields.h"

namespace pair::data {
namespace {

void check_part(const TextPart& part, std::size_t classes) {
  if (part.texts.empty() || part.texts.size() != part.labels.size()) {
    throw std::invalid_argument(part.key + ": expected texts and one label for each, got " +
                                std::to_string(part.texts.size()) + " texts and " +
                                std::to_string(part.labels.size()) + " labels");
  }
  for (const std::int32_t label : part.labels) {
    if (label < 0 || std::cmp_greater_equal(label, classes)) {
      throw std::invalid_argument(part.key + ": expected labels from 0 to " + std::to_string(classes - 1) +
                                  ", got " + std::to_string(label));
    }
  }
}

torch::Tensor labels_of(const TextPart& part, TaskLoss loss) {
  const torch::Tensor labels = torch::tensor(part.labels, torch::kInt);
  return labels.to(loss == TaskLoss::cross_entropy ? torch::kLong : torch::kFloat);
}

}  // namespace

WordPiece open_vocabulary(const std::string& path, const std::string& sha256) {
  if (!sha256.empty() && sha256_of_file(path) != sha256) {
    throw std::invalid_argument("vocab_sha256: expected " + sha256 +
                                ", got another digest: " + base::printable(path) + " has changed");
  }
  return WordPiece::from_file(path);
}

torch::Tensor token_rows(const WordPiece& tokenizer, std::span<const std::string_view> texts,
                         std::int64_t max_tokens, int threads) {
  base::require_integer("max_tokens", max_tokens, 2, 65'536);
  base::require_integer("threads", threads, 1, most_workers);
  torch::Tensor rows = torch::empty({std::ssize(texts), max_tokens}, torch::kInt);
  auto* const first = rows.data_ptr<std::int32_t>();
  const auto width = static_cast<std::size_t>(max_tokens);
  const auto encode = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      tokenizer.encode(texts[i], std::span(first + i * width, width), no_token);
    }
  };
  // Threads write to rows of their own.
  const std::size_t share = texts.size() / static_cast<std::size_t>(threads) + 1;
  std::vector<std::jthread> workers;
  for (std::size_t begin = share; begin < texts.size(); begin += share) {
    workers.emplace_back(encode, begin, std::min(begin + share, texts.size()));
  }
  encode(0, std::min(share, texts.size()));
  workers.clear();
  return rows;
}

EnvironmentSet text_set(std::string name, const WordPiece& tokenizer, std::span<const TextPart> parts,
                        const TextSetOptions& options) {
  if (options.classes.size() < 2) {
    throw std::invalid_argument(name + ": expected at least 2 classes, got " +
                                std::to_string(options.classes.size()));
  }
  const bool one_output = options.classes.size() == 2 && options.one_output_for_two_classes;
  EnvironmentSet set{.name = std::move(name), .train = {}, .held_out = {}};
  set.loss = one_output ? TaskLoss::binary_cross_entropy : TaskLoss::cross_entropy;
  set.outputs = one_output ? 1 : std::ssize(options.classes);
  set.classes = options.classes;
  set.input = form_of(TextInput{.max_tokens = options.max_tokens,
                                .text_column = options.text_column,
                                .label_column = options.label_column,
                                .environment_columns = options.environment_columns,
                                .vocabulary = tokenizer.text()});
  for (const TextPart& part : parts) {
    check_part(part, options.classes.size());
    (part.trained ? set.train : set.held_out)
        .push_back({.key = part.key,
                    .inputs = token_rows(tokenizer, part.texts, options.max_tokens, options.threads),
                    .labels = labels_of(part, set.loss),
                    .test = part.test,
                    .samples = part.rows});
  }
  if (set.train.empty()) {
    throw std::invalid_argument(set.name + ": expected at least one part to train on, got none");
  }
  return set;
}

TokenCounts token_counts(const EnvironmentSet& set, const WordPiece& tokenizer) {
  TokenCounts counts;
  for (const auto* environments : {&set.train, &set.held_out}) {
    for (const Environment& environment : *environments) {
      counts.texts += environment.inputs.size(0);
      const torch::Tensor sizes = (environment.inputs >= 0).sum(1);
      counts.full += (sizes == environment.inputs.size(1)).sum().item<std::int64_t>();
      counts.empty += (sizes == 2).sum().item<std::int64_t>();
      counts.tokens += sizes.sum().item<std::int64_t>();
      counts.unknown += (environment.inputs == tokenizer.unknown_id()).sum().item<std::int64_t>();
    }
  }
  return counts;
}

TokenCounts add_token_notices(EnvironmentSet& set, const WordPiece& tokenizer, const std::string& vocab) {
  const TokenCounts counts = token_counts(set, tokenizer);
  if (10 * counts.unknown > counts.tokens) {
    set.notices.push_back(base::printable(vocab) + ": more than a tenth of all tokens are [UNK], " +
                          std::to_string(counts.unknown) + " of " + std::to_string(counts.tokens) +
                          "; is it the vocabulary of the model and the language?");
  }
  return counts;
}

}  // namespace pair::data
