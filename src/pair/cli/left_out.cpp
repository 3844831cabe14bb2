#include "pair/cli/left_out.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/base/files.h"
#include "pair/base/names.h"

namespace pair::cli {

using nlohmann::json;

void say_left_out(const select::Histories& histories, bool all, std::string_view rest, std::ostream& err) {
  constexpr std::size_t few = 10;
  const std::size_t failed = histories.failed.size();
  const std::size_t named = all ? failed : std::min(few, failed);
  for (std::size_t i = 0; i < named; ++i) {
    err << "pair: " << histories.failed[i].sentence() << '\n';
  }
  if (named < failed) {
    err << "pair: " << failed - named << " more failed before their first record; " << rest << '\n';
  }
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
         " runs that are not among the sweep's runs, such as " + base::printable(strangers.front());
}

void say_strangers(std::span<const std::filesystem::path> folders, std::ostream& err) {
  for (const std::filesystem::path& folder : folders) {
    const std::string name = base::printable(folder.string());
    try {
      const std::filesystem::path file = folder / "sweep.json";
      if (!base::is_there(file)) {
        continue;
      }
      const json sweep = json::parse(base::read_file(file), nullptr, /*allow_exceptions=*/false);
      if (!sweep.is_object()) {
        throw std::runtime_error(file.string() + " is not a JSON object");
      }
      if (!sweep.contains("folders")) {
        continue;
      }
      const auto known = sweep.at("folders").get<std::set<std::string>>();
      std::vector<std::string> strangers = base::folders_with(folder, "results.jsonl");
      std::erase_if(strangers, [&known](const std::string& one) { return known.contains(one); });
      if (!strangers.empty()) {
        err << "pair: " << name << ": " << strangers_sentence(strangers)
            << "; they are included here, but not by 'pair sweep collect'\n";
      }
    } catch (const std::exception& error) {
      err << "pair: " << base::printable(error.what()) << "; all runs in " << name << " are included\n";
    }
  }
}

}  // namespace pair::cli
