// The table of folders in docs/architecture.md, against the includes in src/pair.

#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/docs/documents.h"

namespace pair::docs::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::IsSubsetOf;

using Folders = std::set<std::string>;

Folders matches_in(const std::string& text, const std::regex& pattern) {
  Folders found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.insert((*match)[1]);
  }
  return found;
}

// The folders whose headers each folder of src/pair includes.
std::map<std::string, Folders> included() {
  static const std::regex include(R"re(#include "pair/(\w+)/)re");
  std::map<std::string, Folders> folders;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(project() / "src" / "pair")) {
    const fs::path path = fs::relative(entry.path(), project() / "src" / "pair");
    const std::string folder = path.begin()->string();
    if (path.has_parent_path() &&
        std::regex_match(path.extension().string(), std::regex(R"(\.(cpp|cuh?|h))"))) {
      folders[folder].merge(matches_in(text_of(entry.path()), include));
      folders[folder].erase(folder);
    }
  }
  return folders;
}

TEST(Architecture, NamesWhatEachFolderDependsOn) {
  static const std::regex row(R"(\| `(\w+)` \|[^|]*\|([^|]*)\|[^|]*\|)");
  static const std::regex name("`(\\w+)`");
  const std::map<std::string, Folders> folders = included();
  Folders before;
  std::istringstream lines(text_of("docs/architecture.md"));
  std::smatch cells;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_match(line, cells, row)) {
      continue;
    }
    const std::string folder = cells[1];
    const std::string allowed = cells[2];
    ASSERT_TRUE(folders.contains(folder)) << folder << ": not a folder of src/pair";
    EXPECT_THAT(folders.at(folder), IsSubsetOf(before)) << folder << ": the table has them after it";
    if (allowed != " all before ") {
      EXPECT_EQ(folders.at(folder), matches_in(allowed, name)) << folder << ": the table has" << allowed;
    }
    before.insert(folder);
  }
  EXPECT_EQ(before.size(), folders.size()) << "folders of src/pair that are not in the table";
}

}  // namespace
}  // namespace pair::docs::testing
