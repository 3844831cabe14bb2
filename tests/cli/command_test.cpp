#include "pair/cli/command.h"

#include <gtest/gtest.h>

namespace pair::cli::command_test {
namespace {

TEST(NoticeLine, SaysWhetherItIsANoteOrAWarning) {
  EXPECT_EQ(notice_line("a column is empty"), "pair: note: a column is empty");
  EXPECT_EQ(notice_line("warning: a column is empty"), "pair: warning: a column is empty");
}

TEST(NoticeLine, ReplacesControlCharactersButKeepsLines) {
  EXPECT_EQ(notice_line("'a\x1b[31mb' and\n'c\td'"), "pair: note: 'a?[31mb' and\n'c?d'");
}

}  // namespace
}  // namespace pair::cli::command_test
