// Links of all Markdown files: relative ones lead to files of the project, and the part after '#' to a heading
// there.

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/docs/documents.h"

namespace pair::docs::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A document without its blocks of code, in which brackets are not links and '#' begins a comment.
std::string without_code(const std::string& document) {
  std::istringstream lines(document);
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const bool fence =
        line.find_first_not_of(' ') != std::string::npos && line.find_first_not_of(' ') == line.find("```");
    inside = fence != inside;
    text += inside || fence || line.starts_with("    ") ? "\n" : line + "\n";
  }
  return text;
}

// The anchor that GitHub gives a heading: in lower case, without punctuation, spaces as hyphens. Bytes above
// 127 belong to letters.
std::string anchor_of(const std::string& heading) {
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))");
  std::string anchor;
  for (const char letter : std::regex_replace(heading, link, "$1")) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == ' ') {
      anchor += '-';
    } else if (byte > 127 || std::isalnum(byte) != 0 || letter == '-' || letter == '_') {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

// The anchors of a document; a heading that occurs again gets "-1", "-2", ...
std::set<std::string> anchors_of(const std::string& document) {
  std::set<std::string> anchors;
  std::map<std::string, int> seen;
  std::istringstream lines(without_code(document));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || level > 6 || line[level] != ' ') {
      continue;
    }
    const std::string anchor = anchor_of(line.substr(level + 1));
    const int before = seen[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

// The links of a document of the project that lead nowhere.
std::vector<std::string> broken_links(const fs::path& document, const std::string& text) {
  static const std::regex link(R"(\]\(([^)# ]*)(#[^) ]*)?\))");
  std::vector<std::string> broken;
  const std::string plain = without_code(text);
  for (auto found = std::sregex_iterator(plain.begin(), plain.end(), link); found != std::sregex_iterator();
       ++found) {
    const std::string target = (*found)[1].str();
    const std::string anchor = (*found)[2].str();
    if (target.find("://") != std::string::npos) {
      continue;
    }
    const fs::path file = (document.parent_path() / target).lexically_normal();
    const bool here = target.empty();
    if ((!here && !fs::exists(project() / file)) ||
        (!anchor.empty() && !anchors_of(here ? text : text_of(file)).contains(anchor.substr(1)))) {
      broken.push_back(target + anchor);
    }
  }
  return broken;
}

std::vector<fs::path> markdown_files() {
  std::vector<fs::path> files;
  for (const char* const folder : {"docs", "examples", "python"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(project() / folder)) {
      if (entry.path().extension() == ".md") {
        files.push_back(fs::relative(entry.path(), project()));
      }
    }
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(project())) {
    if (entry.path().extension() == ".md") {
      files.push_back(entry.path().filename());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Links, OfAllDocumentsLeadToFilesAndHeadings) {
  const std::vector<fs::path> files = markdown_files();
  EXPECT_GT(files.size(), 60U);
  for (const fs::path& file : files) {
    EXPECT_THAT(broken_links(file, text_of(file)), IsEmpty()) << file;
  }
}

TEST(Links, HaveTheAnchorsOfGitHub) {
  EXPECT_EQ(anchor_of("The extrapolation example (Figures 4 and 10 to 14)"),
            "the-extrapolation-example-figures-4-and-10-to-14");
  EXPECT_EQ(anchor_of("DomainBed's network"), "domainbeds-network");
  EXPECT_EQ(anchor_of("The remedy: `epo_worst`"), "the-remedy-epo_worst");
  EXPECT_EQ(anchor_of("A [link](there.md#at) in it"), "a-link-in-it");
  EXPECT_THAT(anchors_of("# One\n## Two\n## Two\n```\n# not this\n```\n    # nor this\n#nor this\n"),
              ElementsAre("one", "two", "two-1"));
}

TEST(Links, AreReportedIfTheyLeadNowhere) {
  EXPECT_THAT(broken_links("docs/page.md",
                           "# Here\n[a](#here) [b](#there) [c](none.md) [d](../README.md#pair)\n"
                           "[e](../README.md#nothing) [f](https://example.org/#x)\n```\n[g](none.md)\n```\n"),
              ElementsAre("#there", "none.md", "../README.md#nothing"));
}

}  // namespace
}  // namespace pair::docs::testing
