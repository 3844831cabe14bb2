#include "pair/cli/left_out.h"

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/base/names.h"
#include "pair/sweep/status.h"
#include "pair/sweep/sweep_file.h"

namespace pair::cli {

void say_left_out(const select::Histories& histories, bool all, std::string_view rest, std::ostream& err) {
  constexpr std::size_t few = 10;
  const std::size_t count = histories.left_out.size();
  const std::size_t shown = all ? count : std::min(few, count);
  for (std::size_t i = 0; i < shown; ++i) {
    const select::Omission& omission = histories.left_out[i];
    for (const std::string& sentence : all ? omission.sentences() : std::vector{omission.sentence()}) {
      err << "pair: left out: " << sentence << '\n';
    }
  }
  if (shown < count) {
    err << "pair: left out: " << count - shown << " more; " << rest << '\n';
  }
}

std::string strangers_sentence(std::span<const std::string> strangers) {
  return std::to_string(strangers.size()) + (strangers.size() == 1 ? " folder holds" : " folders hold") +
         " runs that are not among the sweep's jobs, such as " + base::printable(strangers.front());
}

void say_strangers(std::span<const std::filesystem::path> folders, std::ostream& err) {
  for (const std::filesystem::path& folder : folders) {
    const std::string name = base::printable(folder.string());
    try {
      const std::vector<sweep::Definition> definitions = sweep::read_sweep(folder);
      if (definitions.empty()) {
        continue;
      }
      const std::vector<std::string> strangers = sweep::strangers_in(folder, sweep::jobs_of(definitions));
      if (!strangers.empty()) {
        err << "pair: " << name << ": " << strangers_sentence(strangers)
            << "; they count here, and not for 'pair sweep collect'\n";
      }
    } catch (const std::exception& error) {
      err << "pair: " << base::printable(error.what()) << "; all runs in " << name << " count\n";
    }
  }
}

}  // namespace pair::cli
