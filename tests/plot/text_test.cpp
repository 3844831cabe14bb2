#include "pair/plot/text.h"

#include <gmock/gmock.h>

namespace pair::plot::text_test {
namespace {

TEST(Clean, LeavesGoodTextAlone) {
  for (const std::string text : {"", "ERM", "α = 0.1, β₁", "日本語 🙂", "a<b>&\"'"}) {
    EXPECT_EQ(clean(text), text);
  }
}

TEST(Clean, ReplacesWhatXmlForbids) {
  EXPECT_EQ(clean("a\nb\tc\r"), "a b c ");
  EXPECT_EQ(clean(std::string("a\0b", 3)), "a�b");
  EXPECT_EQ(clean("\x1b[31m"), "�[31m");
  EXPECT_EQ(clean("\x7f\xc2\x85"), "��");
  EXPECT_EQ(clean("\xff"), "�");
  EXPECT_EQ(clean("\xf0\x9f\x99"), "���");    // cut short
  EXPECT_EQ(clean("\xc0\x80"), "�");          // an overlong encoding
  EXPECT_EQ(clean("\xed\xa0\x80"), "�");      // a surrogate
  EXPECT_EQ(clean("\xef\xbf\xbf"), "�");      // a non-character
  EXPECT_EQ(clean("\xf4\x90\x80\x80"), "�");  // beyond the last code point
}

TEST(Escaped, MakesMarkupText) {
  EXPECT_EQ(escaped("<b a=\"1\" c='2'>&"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
}

TEST(TextWidth, GrowsWithTheTextAndItsSize) {
  EXPECT_EQ(text_width("", 12), 0);
  EXPECT_GT(text_width("WWW", 12), text_width("iii", 12));
  EXPECT_DOUBLE_EQ(text_width("loss", 24), 2 * text_width("loss", 12));
  EXPECT_GT(text_width("日本", 10), 20);
}

TEST(Shortened, FitsTheWidth) {
  const std::string name = "a_name_that_somebody_took_from_a_very_long_path/with/日本語/🙂";
  EXPECT_EQ(shortened(name, 12, 1000), name);
  for (int width = 15; width < 400; width += 7) {
    const std::string text = shortened(name, 12, width);
    EXPECT_LE(text_width(text, 12), width);
    EXPECT_EQ(clean(text), text) << "cut within a character";
  }
  EXPECT_THAT(shortened(name, 12, 100), ::testing::EndsWith("…"));
}

}  // namespace
}  // namespace pair::plot::text_test
