#include "pair/select/results_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pair::select {
namespace {

class Descriptor {
 public:
  // Not blocking, so that a pipe of this name does not stop everything.
  explicit Descriptor(const std::filesystem::path& file)
      : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

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
    begun.test_envs = record_.test_envs;
    begun.trial_seed = record_.trial_seed;
    begun.hparams_seed = record_.hparams_seed;
    begun.hparams = parser_->hparams();
    run = result.runs.insert(result.runs.end(), std::move(begun));
  }
  run->add(record_.step, record_.values);
  ++result.records;
  return {};
}

ResultsFile ResultsReader::read(const std::filesystem::path& file, const std::string& name) {
  constexpr std::size_t first_size = std::size_t{256} << 10;
  ResultsFile result;
  file_ = file;
  name_ = name;
  line_ = 0;
  const Descriptor descriptor(file);
  struct stat status {};
  if (descriptor.number() < 0 || ::fstat(descriptor.number(), &status) != 0) {
    leave_out(std::string("cannot be read: ") + std::strerror(errno), result);
    return result;
  }
  if (!S_ISREG(status.st_mode)) {
    leave_out("is no file", result);
    return result;
  }
  // Lines are parsed where they were read to, so the buffer holds one and grows with the longest.
  buffer_.resize(std::max(buffer_.size(), first_size + LineParser::padding));
  std::size_t held = 0;
  bool dropping = false;  // the rest of a line that is too long
  for (;;) {
    const std::size_t room = buffer_.size() - LineParser::padding - held;
    const ssize_t count = ::read(descriptor.number(), buffer_.data() + held, room);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      ++line_;
      if (count < 0) {
        leave_out(std::string("cannot be read: ") + std::strerror(errno), result);
      } else if (held > 0 && !dropping) {
        if (std::string problem = take_record(buffer_.data(), held, result); !problem.empty()) {
          leave_out(problem == "is no JSON" ? "has no end: the run is being written, or was stopped there"
                                            : std::move(problem),
                    result);
        }
      } else if (result.bytes == 0) {
        line_ = 0;
        leave_out("is empty", result);
      }
      return result;
    }
    result.bytes += static_cast<std::uint64_t>(count);
    const char* begin = buffer_.data();
    const char* const end = begin + held + static_cast<std::size_t>(count);
    // What was held has no line's end.
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
