#include "pair/select/results_file.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

namespace pair::select {
namespace {

using nlohmann::json;

// The number and digest of the final records, from the file `done`.
struct Ending {
  json records;
  json digest;
};

// None if the text is not in our format.
std::optional<Ending> ending_in(const std::string& text) {
  const json done = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!done.is_object()) {
    return std::nullopt;
  }
  Ending ending{done.value("records", json()), done.value("records_digest", json())};
  return ending.records.is_number_integer() && ending.digest.is_string() ? std::optional(std::move(ending))
                                                                         : std::nullopt;
}

// DomainBed writes this word and no digest.
bool is_of_domainbed(const std::string& done) {
  return done == "done" || done == "done\n" || done == "done\r\n";
}

// Empty if the records are those the run ended with.
std::string alteration(const Ending& ending, const data::ChainedDigest& found) {
  const bool same_count = ending.records == found.lines() && !found.has_half_line();
  if (same_count && ending.digest == found.digest()) {
    return {};
  }
  const std::string why = same_count ? "their digest differs from the one in its file 'done'"
                                     : "there are " + std::to_string(found.lines()) +
                                           (found.has_half_line() ? " and a half" : "") + ", and were " +
                                           ending.records.dump() + " when it finished";
  return "does not hold the records that the run ended with: " + why;
}

bool is_of(const Run& run, const RecordLine& record) {
  return run.trial_seed == record.trial_seed && run.hparams_seed == record.hparams_seed &&
         run.test_envs == record.test_envs && run.algorithm == record.algorithm &&
         run.dataset == record.dataset;
}

}  // namespace

void ResultsReader::leave_out(std::string what, ResultsFile& result) {
  if (result.left_out) {
    ++result.left_out->more_lines;
    if (result.left_out->next_lines.size() + 1 < Omission::most_reasons) {
      result.left_out->next_lines.push_back({line_, std::move(what)});
    }
  } else {
    result.left_out = Omission{file_, line_, std::move(what)};
  }
}

void ResultsReader::take_line(const char* line, std::size_t length, ResultsFile& result) {
  ++line_;
  if (std::all_of(line, line + length, [](char c) { return c == ' ' || c == '\t' || c == '\r'; })) {
    return leave_out("is empty", result);
  }
  if (std::string problem = take_record(line, length, result); !problem.empty()) {
    leave_out(std::move(problem), result);
  }
}

std::string ResultsReader::take_record(const char* line, std::size_t length, ResultsFile& result) {
  if (std::string problem = parser_->parse(line, length, record_); !problem.empty()) {
    return problem;
  }
  auto run = std::find_if(result.runs.begin(), result.runs.end(),
                          [this](const Run& known) { return is_of(known, record_); });
  if (run == result.runs.end()) {
    Run begun;
    begun.name = result.runs.empty() ? name_ : name_ + "#" + std::to_string(result.runs.size() + 1);
    begun.dataset = record_.dataset;
    begun.algorithm = record_.algorithm;
    begun.label = record_.label;
    begun.environments = record_.environments;
    begun.test_envs = record_.test_envs;
    begun.trial_seed = record_.trial_seed;
    begun.hparams_seed = record_.hparams_seed;
    begun.declared = parser_->declared();
    begun.hparams = parser_->hparams();
    run = result.runs.insert(result.runs.end(), std::move(begun));
  }
  run->add(record_.step, record_.values);
  ++result.records;
  return {};
}

ResultsFile ResultsReader::read_run(const std::filesystem::path& folder) {
  ResultsFile result;
  // Read first, so that a run that ends meanwhile does not appear to lack its last records.
  std::optional<Ending> ending;
  file_ = folder / "done";
  line_ = 0;
  try {
    if (base::is_there(file_)) {
      result.done = true;
      const std::string text = base::read_file(file_);
      ending = ending_in(text);
      if (!ending && !is_of_domainbed(text)) {
        // Its records may have been altered.
        leave_out("is damaged: expected the number and digest of the run's records, or the word 'done'",
                  result);
        return result;
      }
    }
  } catch (const base::FileError& error) {
    leave_out("cannot be read: " + error.reason(), result);
    return result;
  }
  std::optional<data::ChainedDigest> digest;
  if (ending) {
    digest.emplace();
  }
  name_ = folder.string();
  file_ = folder / "results.jsonl";
  try {
    base::RegularFile file(file_, base::largest_records);
    read_lines(file, digest ? &*digest : nullptr, result);
  } catch (const base::FileError& error) {
    leave_out("cannot be read: " + error.reason(), result);
    return result;
  }
  if (const std::string fault = ending ? alteration(*ending, *digest) : ""; !fault.empty()) {
    return {
        .runs = {}, .done = true, .left_out = Omission{file_, 0, fault}, .records = 0, .bytes = result.bytes};
  }
  return result;
}

ResultsFile ResultsReader::read(const std::filesystem::path& file, const std::string& name) {
  ResultsFile result;
  file_ = file;
  name_ = name;
  line_ = 0;
  try {
    base::RegularFile opened(file, base::largest_records);
    read_lines(opened, nullptr, result);
  } catch (const base::FileError& error) {
    leave_out("cannot be read: " + error.reason(), result);
  }
  return result;
}

void ResultsReader::read_lines(base::RegularFile& file, data::ChainedDigest* digest, ResultsFile& result) {
  constexpr std::size_t first_size = std::size_t{256} << 10;
  // Lines are parsed in the buffer, which grows to hold the longest line.
  buffer_.resize(std::max(buffer_.size(), first_size + LineParser::padding));
  std::size_t held = 0;
  bool dropping = false;  // the rest of a line that is too long
  for (;;) {
    const std::size_t room = buffer_.size() - LineParser::padding - held;
    const std::size_t count = file.read(buffer_.data() + held, room);
    if (count == 0) {
      ++line_;
      if (held > 0 && !dropping) {
        if (std::string problem = take_record(buffer_.data(), held, result); !problem.empty()) {
          leave_out(problem == "is not JSON" ? "has no end: the run is being written or was stopped"
                                             : std::move(problem),
                    result);
        }
      } else if (result.bytes == 0) {
        line_ = 0;
        leave_out("is empty", result);
      }
      return;
    }
    if (digest != nullptr) {
      digest->add({buffer_.data() + held, count});
    }
    result.bytes += count;
    const char* begin = buffer_.data();
    const char* const end = begin + held + count;
    // The bytes kept from before contain no line end.
    const char* searched = begin + held;
    while (const void* found = std::memchr(searched, '\n', static_cast<std::size_t>(end - searched))) {
      const char* const newline = static_cast<const char*>(found);
      if (std::exchange(dropping, false)) {
        ++line_;
      } else {
        take_line(begin, static_cast<std::size_t>(newline - begin), result);
      }
      begin = searched = newline + 1;
    }
    held = static_cast<std::size_t>(end - begin);
    if (dropping) {
      held = 0;
    } else if (held > longest_) {
      ++line_;
      leave_out("is longer than " + std::to_string(longest_ >> 20) + " MiB", result);
      --line_;
      dropping = true;
      held = 0;
    }
    std::memmove(buffer_.data(), begin, held);
    if (held + LineParser::padding == buffer_.size()) {
      buffer_.resize(2 * buffer_.size());
    }
  }
}

}  // namespace pair::select
