#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/names.h"
#include "pair/data/domainbed_settings.h"
#include "pair/data/prepared_table.h"
#include "pair/data/protocols.h"
#include "pair/data/registry.h"
#include "pair/data/table_environments.h"
#include "pair/data/text.h"
#include "pair/data/text_spec.h"
#include "pair/data/wordpiece.h"

// A user's own texts, as tensors of token ids (see text_spec.h and text.h).

namespace pair::data {
namespace {

TextPart part_of_rows(std::string key, bool trained, bool test, const std::vector<std::size_t>& rows,
                      const std::vector<std::string>& texts, const std::vector<float>& labels) {
  TextPart part{
      .key = std::move(key), .trained = trained, .test = test, .texts = {}, .labels = {}, .rows = rows};
  for (const std::size_t row : rows) {
    part.texts.emplace_back(texts[row]);
    part.labels.push_back(static_cast<std::int32_t>(labels[row]));
  }
  return part;
}

// "148 of 5000 texts have more than 300 tokens": what a user wants to know before a long run.
void describe_texts(EnvironmentSet& set, const PreparedTable& prepared, const TextSpec& spec,
                    const WordPiece& tokenizer) {
  std::vector<std::string> train;
  std::vector<std::string> test;
  for (const PreparedTable::Part& part : prepared.environments) {
    (part.test ? test : train).push_back(part.name);
  }
  const LabelEncoding& label = prepared.encoding.label;
  const TokenCounts counts = token_counts(set, tokenizer);
  set.description = base::printable(spec.file) + ": " + std::to_string(counts.texts) + " texts in '" +
                    base::printable(spec.text) + "', " + std::to_string(counts.tokens / counts.texts) +
                    " tokens on average; " + std::to_string(counts.full) + " fill all " +
                    std::to_string(spec.max_tokens) + " tokens or are cut\n";
  set.description += "Label '" + base::printable(label.name) + "': " + std::to_string(label.classes.size()) +
                     " classes, " + quoted_names(label.classes, 5) + "\n";
  set.description += "Environments by " + quoted_names(spec.environment) + ": trained on " +
                     quoted_names(train, 10) + "; tested on " + quoted_names(test, 10) + "\n";
  if (counts.empty > 0) {
    set.notices.push_back(base::printable(spec.file) +
                          ": texts without any token: " + std::to_string(counts.empty));
  }
  add_token_notices(set, tokenizer, spec.vocab);
}

EnvironmentSet make_texts(const TextSpec& spec, std::uint64_t seed) {
  validate(spec);
  const WordPiece tokenizer = open_vocabulary(spec.vocab, spec.vocab_sha256);
  const PreparedTable prepared = prepare_labels(rows_of(spec), seed);
  const std::vector<std::string> texts = read_texts(spec, prepared.table.rows);
  std::vector<TextPart> parts;
  for (std::size_t e = 0; e < prepared.environments.size(); ++e) {
    const PreparedTable::Part& part = prepared.environments[e];
    const std::string key = "env" + std::to_string(e);
    parts.push_back(part_of_rows(key + "_in", !part.test, part.test, part.in, texts, prepared.labels));
    parts.push_back(part_of_rows(key + "_out", false, false, part.out, texts, prepared.labels));
  }
  EnvironmentSet set = text_set("text", tokenizer, parts,
                                {.max_tokens = spec.max_tokens,
                                 .classes = prepared.encoding.label.classes,
                                 .threads = static_cast<int>(spec.workers),
                                 .text_column = spec.text,
                                 .label_column = spec.label,
                                 .environment_columns = spec.environment});
  set.show = [spec](std::span<const std::size_t> rows) { return shown_texts(spec, rows); };
  set.notices = prepared.notices;
  describe_texts(set, prepared, spec, tokenizer);
  return set;
}

}  // namespace

std::vector<DatasetEntry> text_entries() {
  DatasetEntry entry{.name = "text",
                     .summary = "a CSV file with columns for the text, the label and the environment"};
  entry.options = base::Options::of<TextSpec>();
  entry.protocol = domainbed_protocol.name;
  // The batch and the learning rate of the paper's CivilComments.
  entry.settings = domainbed_settings(/*batch=*/16, /*eval_every=*/300,
                                      {{"model", "distilbert"}, {"lr", "1e-5"}, {"balance_lr", "1e-5"}});
  entry.described = true;
  entry.environments_in_data = true;
  entry.metrics = {"accuracy", "worst_group", "macro_f1"};
  entry.environments = [](const base::Options& options) {
    const auto& spec = options.as<TextSpec>();
    validate(spec);
    return environment_names(rows_of(spec));
  };
  entry.test_environments = [](const base::Options& options) { return options.as<TextSpec>().test_envs; };
  entry.check = [](const base::Options& options) { validate(options.as<TextSpec>()); };
  entry.make = [](const base::Options& options, std::uint64_t seed) {
    return make_texts(options.as<TextSpec>(), seed);
  };
  return {entry};
}

}  // namespace pair::data
