#include "pair/data/task_loss.h"

#include <gmock/gmock.h>

namespace pair::data::task_loss_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(TaskLoss, HasANameThatReadsBack) {
  for (const TaskLoss loss :
       {TaskLoss::binary_cross_entropy, TaskLoss::cross_entropy, TaskLoss::squared_error}) {
    EXPECT_EQ(task_loss_from(to_string(loss)), loss);
  }
  EXPECT_EQ(to_string(TaskLoss::binary_cross_entropy), "bce");
  EXPECT_EQ(to_string(TaskLoss::cross_entropy), "ce");
  EXPECT_EQ(to_string(TaskLoss::squared_error), "mse");
}

TEST(TaskLoss, OfAnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_THAT([] { task_loss_from("hinge"); },
              ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr("'hinge'"), HasSubstr("bce, ce, mse"))));
}

}  // namespace
}  // namespace pair::data::task_loss_test
