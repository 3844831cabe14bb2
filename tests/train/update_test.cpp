#include "pair/train/update.h"

#include <gtest/gtest.h>
#include <torch/optim.h>
#include <torch/utils.h>

#include <limits>
#include <sstream>

#include "pair/train/host_numbers.h"

namespace pair::train::update_test {
namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

class UpdateTest : public ::testing::Test {
 protected:
  torch::Tensor a = torch::tensor({1.0, 2.0}, torch::kDouble).requires_grad_(true);
  torch::Tensor b = torch::tensor({{3.0}}, torch::kDouble).requires_grad_(true);
  torch::Tensor losses = torch::ones({2}, torch::kDouble);
  torch::Tensor rate = torch::tensor(0.1, torch::kDouble);

  static UpdateOptions sgd(bool restart = true) { return {UpdateOptions::Rule::sgd, 0.9, restart}; }
  void step(Update& update, const std::vector<double>& gradient) {
    update.apply(torch::tensor(gradient, torch::kDouble), losses, rate);
  }
  std::vector<double> values() {
    const torch::NoGradGuard no_graph;
    return to_doubles(flattened({a, b}));
  }
};

TEST_F(UpdateTest, MakesTheParametersPartsOfOneVector) {
  Update update({a, b}, sgd());
  EXPECT_EQ(values(), (std::vector<double>{1, 2, 3}));
  step(update, {1, 2, 3});
  EXPECT_EQ(values(), to_doubles(update.parameters()));
  EXPECT_NEAR(values()[2], 3 - 0.3, 1e-12);
  EXPECT_EQ(b.sizes(), (std::vector<std::int64_t>{1, 1}));
}

TEST_F(UpdateTest, LeavesParametersAsTheyLieInMemory) {
  torch::Tensor images = torch::arange(2 * 3 * 2 * 2).to(torch::kDouble).view({2, 3, 2, 2});
  images = images.contiguous(at::MemoryFormat::ChannelsLast).requires_grad_(true);
  const torch::Tensor before = images.detach().clone();
  Update update({a, images, b}, sgd());
  EXPECT_TRUE(images.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(images.detach().equal(before));
  const torch::Tensor gradient = torch::arange(2 * 3 * 2 * 2).to(torch::kDouble).view({2, 3, 2, 2});
  update.apply(
      in_order_of({torch::zeros({2}, torch::kDouble), gradient, torch::zeros({1, 1}, torch::kDouble)},
                  {a, images, b}),
      losses, rate);
  EXPECT_TRUE(torch::allclose(images.detach(), before - 0.1 * gradient));
  EXPECT_EQ(values(), (std::vector<double>{1, 2, 3}));
}

TEST_F(UpdateTest, ForgetsRollbacksWithAStepThatIsTakenBackUnlessTheyWereTooMany) {
  Update update({a, b}, sgd());
  step(update, {not_a_number, 0, 0});
  GuardState guard;
  Update::read_tally(to_doubles(update.tally()), guard);
  update.take_back(guard);
  EXPECT_EQ(to_doubles(update.tally())[2], 0.0);
  for (std::int64_t i = 0; i < GuardState::patience; ++i) {
    step(update, {not_a_number, 0, 0});
  }
  step(update, {1, 0, 0});
  EXPECT_EQ(to_doubles(update.tally())[2], static_cast<double>(GuardState::patience));
}

TEST_F(UpdateTest, TakesTheStepsOfTorchsOptimizers) {
  const torch::Tensor other = torch::tensor({1.0, 2.0, 3.0}, torch::kDouble).requires_grad_(true);
  for (const bool adam : {true, false}) {
    SCOPED_TRACE(adam);
    {
      const torch::NoGradGuard no_graph;
      torch::Tensor(other).copy_(torch::tensor(values(), torch::kDouble));
    }
    std::unique_ptr<torch::optim::Optimizer> theirs;
    if (adam) {
      theirs = std::make_unique<torch::optim::Adam>(std::vector{other},
                                                    torch::optim::AdamOptions(rate.item<double>()));
    } else {
      theirs = std::make_unique<torch::optim::SGD>(
          std::vector{other}, torch::optim::SGDOptions(rate.item<double>()).momentum(0.9));
    }
    Update ours({a, b}, adam ? UpdateOptions{} : sgd(/*restart=*/false));
    for (int i = 0; i < 20; ++i) {
      const torch::Tensor gradient = torch::tensor({1.0 + i, std::sin(i), -0.1 * i}, torch::kDouble);
      torch::Tensor(other).mutable_grad() = gradient.clone();
      theirs->step();
      ours.apply(gradient, losses, rate);
    }
    EXPECT_TRUE(torch::allclose(ours.parameters(), other.detach(), 1e-10, 1e-12));
  }
}

TEST_F(UpdateTest, DropsTheVelocityThatTheNewDirectionOpposes) {
  Update update({a, b}, sgd());
  step(update, {1, 0, 0});
  step(update, {1, 0, 0});
  const double before = values()[0];
  step(update, {-0.5, 0, 0});
  EXPECT_NEAR(values()[0], before + 0.05, 1e-12);
  EXPECT_EQ(to_doubles(update.tally())[0], 1.0);
}

TEST_F(UpdateTest, KeepsItInThePlainStep) {
  Update update({a, b}, sgd(/*restart=*/false));
  step(update, {1, 0, 0});
  step(update, {1, 0, 0});
  const double before = values()[0];
  step(update, {-0.5, 0, 0});
  EXPECT_NEAR(values()[0], before - 0.1 * (0.9 * 1.9 - 0.5), 1e-12);
  EXPECT_EQ(to_doubles(update.tally())[0], 0.0);
}

TEST_F(UpdateTest, ReturnsToTheLastGoodParametersAndHalvesTheRate) {
  for (const bool adam : {true, false}) {
    SCOPED_TRACE(adam);
    Update update({a, b}, adam ? UpdateOptions{} : sgd());
    const std::vector<double> good = values();
    step(update, {1, 1, 1});
    EXPECT_NE(values(), good);
    step(update, {1, not_a_number, 1});
    EXPECT_EQ(values(), good);
    EXPECT_EQ(to_doubles(update.tally()), (std::vector<double>{0, 1, 1, 0.5}));
    losses[1] = std::numeric_limits<double>::infinity();
    step(update, {1, 1, 1});
    EXPECT_EQ(values(), good);
    EXPECT_EQ(to_doubles(update.tally()), (std::vector<double>{0, 2, 2, 0.25}));
    losses[1] = 1.0;
    step(update, {1, 1, 1});
    EXPECT_NE(values(), good);
    EXPECT_EQ(to_doubles(update.tally()), (std::vector<double>{0, 2, 0, 0.25}));
  }
}

TEST_F(UpdateTest, UndoesAStepThatWasTooLong) {
  Update update({a, b}, sgd());
  step(update, {1, 0, 0});
  const std::vector<double> good = values();
  step(update, {1, 0, 0});
  GuardState guard;
  update.take_back(guard);
  EXPECT_EQ(guard.backtracks, 1);
  EXPECT_EQ(values(), good);
  step(update, {0.5, 0, 0});
  EXPECT_NEAR(values()[0], good[0] - 0.05, 1e-12);  // no velocity is left
}

TEST_F(UpdateTest, TakesTheStepsOfTorchsAmsgrad) {
  const torch::Tensor other = torch::tensor({1.0, 2.0, 3.0}, torch::kDouble).requires_grad_(true);
  torch::optim::Adam theirs(std::vector{other}, torch::optim::AdamOptions(rate.item<double>()).amsgrad(true));
  UpdateOptions options;
  options.amsgrad = true;
  Update ours({a, b}, options);
  Update plain({torch::tensor({1.0, 2.0, 3.0}, torch::kDouble).requires_grad_(true)}, {});
  for (int i = 0; i < 20; ++i) {
    // It shrinks, so that the largest mean of squares is not the current one.
    const torch::Tensor gradient = torch::tensor({20.0 - i, std::sin(i), i < 3 ? 5.0 : 0.1}, torch::kDouble);
    torch::Tensor(other).mutable_grad() = gradient.clone();
    theirs.step();
    ours.apply(gradient, losses, rate);
    plain.apply(gradient, losses, rate);
  }
  EXPECT_TRUE(torch::allclose(ours.parameters(), other.detach(), 1e-10, 1e-12));
  EXPECT_FALSE(torch::allclose(ours.parameters(), plain.parameters(), 1e-6, 1e-6));
}

TEST_F(UpdateTest, RefusesStepsWithAmsgradAsWithout) {
  UpdateOptions options;
  options.amsgrad = true;
  torch::Tensor statistic = torch::zeros({1}, torch::kDouble);
  Update update({a, b}, options, {}, {statistic});
  const std::vector<double> good = values();
  statistic.fill_(1.0);
  step(update, {1, 1, 1});
  EXPECT_NE(values(), good);
  statistic.fill_(not_a_number);
  step(update, {1, not_a_number, 1});
  EXPECT_EQ(values(), good);
  EXPECT_EQ(statistic.item<double>(), 1.0);
  EXPECT_EQ(to_doubles(update.tally()), (std::vector<double>{0, 1, 1, 0.5}));
  step(update, {1, 1, 1});
  EXPECT_EQ(to_doubles(update.tally()), (std::vector<double>{0, 1, 0, 0.5}));
  for (std::int64_t i = 0; i < GuardState::patience; ++i) {
    step(update, {not_a_number, 0, 0});
  }
  step(update, {1, 0, 0});
  EXPECT_EQ(to_doubles(update.tally())[2], static_cast<double>(GuardState::patience));
}

// The losses are in double precision, also where the parameters are not.
TEST_F(UpdateTest, TakesStepsWithLargeLossesWithAndWithoutAmsgrad) {
  for (const bool amsgrad : {false, true}) {
    UpdateOptions options;
    options.amsgrad = amsgrad;
    torch::Tensor parameter = torch::ones({2}, torch::kFloat).requires_grad_(true);
    Update update({parameter}, options);
    update.apply(torch::ones({2}, torch::kFloat), torch::full({2}, 1e25, torch::kDouble), rate);
    EXPECT_EQ(to_doubles(update.tally())[1], 0.0) << amsgrad;
  }
}

TEST_F(UpdateTest, ContinuesAmsgradFromItsSavedState) {
  UpdateOptions options;
  options.amsgrad = true;
  Update update({a, b}, options);
  step(update, {10, 20, 30});
  std::stringstream file;
  torch::serialize::OutputArchive out;
  update.save(out);
  out.save_to(file);
  torch::Tensor copy = torch::tensor(values(), torch::kDouble).requires_grad_(true);
  step(update, {1, 0, -1});
  Update resumed({copy}, options);
  torch::serialize::InputArchive in;
  in.load_from(file);
  resumed.load(in);
  step(resumed, {1, 0, -1});
  EXPECT_EQ(to_doubles(copy), values());
}

TEST_F(UpdateTest, ContinuesFromItsSavedState) {
  for (const bool adam : {true, false}) {
    SCOPED_TRACE(adam);
    const UpdateOptions options = adam ? UpdateOptions{} : sgd();
    Update update({a, b}, options);
    step(update, {1, 2, 3});
    std::stringstream file;
    torch::serialize::OutputArchive out;
    update.save(out);
    out.save_to(file);
    const std::vector<double> then = values();
    step(update, {1, 0, -1});
    const std::vector<double> expected = values();

    torch::Tensor copy = torch::tensor(then, torch::kDouble).requires_grad_(true);
    Update resumed({copy}, options);
    torch::serialize::InputArchive in;
    in.load_from(file);
    resumed.load(in);
    step(resumed, {1, 0, -1});
    EXPECT_EQ(to_doubles(copy), expected);
  }
}

}  // namespace
}  // namespace pair::train::update_test
