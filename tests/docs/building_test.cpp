// docs/building.md: its table of requirements has the packages that scripts/install-dependencies installs.

#include <gmock/gmock.h>

#include <regex>

#include "tests/docs/documents.h"

namespace pair::docs::testing {
namespace {

// The Debian packages of the script's lists whose names end in "packages".
std::vector<std::string> installed_packages() {
  const std::string script =
      std::regex_replace(text_of("scripts/install-dependencies"), std::regex("#[^\n]*"), "");
  static const std::regex list("\n(?:python_|test_|long_test_)?packages=\\(([^)]*)\\)");
  static const std::regex package("(^|\\s)([a-z][a-z0-9.+-]+)(?=\\s|$)");
  std::vector<std::string> packages;
  for (auto found = std::sregex_iterator(script.begin(), script.end(), list); found != std::sregex_iterator();
       ++found) {
    const std::string names = (*found)[1];
    for (auto name = std::sregex_iterator(names.begin(), names.end(), package);
         name != std::sregex_iterator(); ++name) {
      packages.push_back((*name)[2]);
    }
  }
  return packages;
}

TEST(BuildingDocument, ListsEveryPackageThatIsInstalled) {
  const std::vector<std::string> packages = installed_packages();
  EXPECT_GT(packages.size(), 35U);
  const std::string page = text_of("docs/building.md");
  for (const std::string& package : packages) {
    EXPECT_NE(page.find("`" + package + "`"), std::string::npos) << package << " is not in the table";
  }
}

}  // namespace
}  // namespace pair::docs::testing
