#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pair/data/environment.h"
#include "pair/data/registry.h"
#include "pair/data/shared_fields.h"
#include "pair/data/text.h"
#include "pair/data/text_spec.h"
#include "pair/data/wilds_data.h"
#include "pair/data/wilds_training.h"
#include "pair/data/wordpiece.h"

// CivilComments for training. Comments are token ids in memory (text.h), those that mention several
// identities once in each environment. The two classes have an output each, as in WILDS.

namespace pair::data {

// Found by argument-dependent lookup.
void describe(base::Fields<WildsTextOptions>& field) {
  describe_wilds(field);
  describe_vocabulary(field);
  describe_workers(field, 1, "threads that divide texts into tokens. Records do not depend on it");
}

namespace {

TextPart text_part(const WildsSet& files, std::string key, bool trained,
                   const std::vector<std::size_t>& samples) {
  TextPart part{.key = std::move(key), .trained = trained, .texts = {}, .labels = {}};
  for (const std::size_t sample : samples) {
    part.texts.emplace_back(files.inputs[sample]);
    part.labels.push_back(static_cast<std::int32_t>(files.label(sample)));
  }
  return part;
}

EnvironmentSet make_wilds_texts(const WildsKind& kind, const WildsTextOptions& options) {
  const WordPiece tokenizer = open_vocabulary(options.vocab, options.vocab_sha256);
  const auto files = std::make_shared<WildsSet>(read_wilds(kind, options.data_root));
  std::vector<TextPart> parts;
  for (const std::vector<std::size_t>& samples :
       training_samples(*files, kind.environments(*files, options.environments))) {
    parts.push_back(text_part(*files, "env" + std::to_string(parts.size()) + "_in", true, samples));
  }
  std::vector<std::vector<std::size_t>> held_out;
  for (const std::string& name : options.scored) {
    held_out.push_back(files->samples_of(split_named("score_splits", name)));
    if (held_out.back().empty()) {
      held_out.pop_back();  // a split that the dataset does not have
      continue;
    }
    parts.push_back(text_part(*files, name, false, held_out.back()));
    parts.back().test = name == "test";
  }
  EnvironmentSet set = text_set(std::string(kind.name), tokenizer, parts,
                                {.max_tokens = options.max_tokens,
                                 .classes = files->classes,
                                 .one_output_for_two_classes = false,
                                 .threads = static_cast<int>(options.workers),
                                 .text_column = "comment_text",
                                 .label_column = "label"});
  for (Environment& environment : set.train) {
    environment.scored = false;
  }
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    set.held_out[i].samples = std::move(held_out[i]);
  }
  files->inputs = {};  // the texts are tokens now
  set.more_scores = wilds_scores(kind, files);
  set.show = [&kind, root = options.data_root](std::span<const std::size_t> samples) {
    const WildsSet again = read_wilds(kind, root);
    std::vector<ShownSample> shown;
    for (const std::size_t sample : samples) {
      shown.push_back({.name = "comment " + std::to_string(sample),
                       .text = cut_text(again.inputs.at(sample), ShownSample::longest_text)});
    }
    return shown;
  };
  add_token_notices(set, tokenizer, options.vocab);
  return set;
}

DatasetEntry wilds_text_entry(const WildsKind& kind) {
  DatasetEntry entry = wilds_declaration(kind, WildsTextOptions{});
  entry.check = [&kind](const base::Options& options) {
    const auto& chosen = options.as<WildsTextOptions>();
    check_wilds_root(kind, chosen.data_root);
    require_vocabulary(chosen.vocab);
  };
  entry.make = [&kind](const base::Options& options, std::uint64_t /*seed*/) {
    return make_wilds_texts(kind, options.as<WildsTextOptions>());
  };
  return entry;
}

}  // namespace

std::vector<DatasetEntry> wilds_text_entries() {
  std::vector<DatasetEntry> entries;
  for (const WildsKind& kind : wilds_kinds()) {
    if (kind.training.texts) {
      entries.push_back(wilds_text_entry(kind));
    }
  }
  return entries;
}

}  // namespace pair::data
