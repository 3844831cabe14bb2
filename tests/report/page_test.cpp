#include "pair/report/page.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

namespace pair::report::page_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// The text between the tags of an element with data.
std::string data_of(const std::string& html, const std::string& id = "data") {
  const std::string opening = "<script id=\"" + id + R"(" type="application/json">)";
  const std::size_t begin = html.find(opening) + opening.size();
  return html.substr(begin, html.find("</script>", begin) - begin);
}

TEST(Page, CarriesThePayloadUnchanged) {
  const json payload{{"title", "a"}, {"runs", {1, 2.5, nullptr}}};
  EXPECT_EQ(json::parse(data_of(page(payload, false))), payload);
}

TEST(Page, NamesCannotLeaveTheirElement) {
  const json payload{
      {"title", "</title><script>alert(1)</script>"},
      {"runs", {"</script><script>alert(2)</script>", "<!-- <script>", "]]>&amp;", "\u2028\u2029"}}};
  const std::string html = page(payload, false);
  EXPECT_EQ(json::parse(data_of(html)), payload);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, Not(HasSubstr("\u2028")));
  EXPECT_THAT(html, HasSubstr("<title>&lt;/title&gt;"));
}

TEST(Page, HasTheDashesOfDrawings) {
  EXPECT_EQ(json::parse(data_of(page({{"title", "a"}}, false), "page"))["palette"]["dashes"],
            json({"solid", "6px,4px", "2px,3px", "8px,3px,2px,3px", "12px,4px", "8px,3px,2px,3px,2px,3px",
                  "2px,7px", "14px,3px,5px,3px"}));
}

TEST(Page, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_NO_THROW(page({{"title", "a\xff"}}, false));
}

TEST(Page, AllowsNothingFromTheNetworkUnlessItIsLive) {
  const std::string still = page({{"title", "a"}}, false);
  EXPECT_THAT(still, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(still, HasSubstr("connect-src 'none'"));
  EXPECT_THAT(still, Not(HasSubstr("script-src 'unsafe-inline'")));
  EXPECT_THAT(still, HasSubstr("\"live\":false"));
  const std::string live = page({{"title", "a"}}, true);
  EXPECT_THAT(live, HasSubstr("connect-src 'self'"));
  EXPECT_THAT(live, HasSubstr("\"live\":true"));
}

TEST(Page, KeepsTheLicenceOfItsPlottingLibrary) {
  if (!have_plotly()) {
    GTEST_SKIP() << "this build has no plotting library";
  }
  const std::string html = page({{"title", "a"}}, false);
  EXPECT_THAT(html, HasSubstr("Permission is hereby granted, free of charge"));
  EXPECT_LT(html.size(), 4'950'000U);
}

}  // namespace
}  // namespace pair::report::page_test
