#include "pair/runs/rank_run.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <barrier>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace pair::runs::testing::rank_run_test {
namespace {

using ::testing::ElementsAre;

// Three ranks, each on a thread, and their tensors.
struct Exchange {
  std::vector<torch::Tensor> parts = std::vector<torch::Tensor>(3);
  std::barrier<> all{3};
};

class Thread : public train::RankGroup {
 public:
  Thread(Exchange& exchange, std::int64_t rank) : exchange_(exchange), rank_(rank) {}
  [[nodiscard]] std::int64_t rank() const override { return rank_; }
  [[nodiscard]] std::int64_t size() const override { return 3; }
  [[nodiscard]] std::int64_t local_rank() const override { return rank_; }
  [[nodiscard]] at::Tensor exchanged(const at::Tensor& /*sent*/) override {
    throw std::logic_error("not used here");
  }
  [[nodiscard]] at::Tensor gathered(const at::Tensor& own) override {
    exchange_.parts[static_cast<std::size_t>(rank_)] = own;
    exchange_.all.arrive_and_wait();
    torch::Tensor rows = torch::stack(exchange_.parts);
    exchange_.all.arrive_and_wait();
    return rows;
  }
  void broadcast(at::Tensor& /*numbers*/) override { throw std::logic_error("not used here"); }

 private:
  Exchange& exchange_;
  std::int64_t rank_;
};

// How the check ends on each rank.
std::vector<std::string> ends_of(const std::vector<std::function<void()>>& checks) {
  Exchange exchange;
  std::vector<std::string> ends(3);
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      threads.emplace_back([&, rank] {
        const train::Ranks ranks(std::make_shared<Thread>(exchange, static_cast<std::int64_t>(rank)));
        try {
          check_together(ranks, checks[rank]);
        } catch (const std::invalid_argument& error) {
          ends[rank] = std::string("bad input: ") + error.what();
        } catch (const Reported& error) {
          ends[rank] = std::string("reported, ") + (error.bad_input() ? "bad input" : "failure");
        } catch (const std::runtime_error& error) {
          ends[rank] = std::string("failure: ") + error.what();
        }
      });
    }
  }
  return ends;
}

void passes() {}
void refuses() {
  throw std::invalid_argument("no such file");
}
void fails() {
  throw std::runtime_error("the disk does not answer");
}

TEST(RankCheck, EndsWithTheErrorOfTheFirstRankThatRank0Reports) {
  EXPECT_THAT(ends_of({passes, passes, passes}), ElementsAre("", "", ""));
  EXPECT_THAT(ends_of({refuses, refuses, refuses}),
              ElementsAre("bad input: no such file", "reported, bad input", "reported, bad input"));
  EXPECT_THAT(ends_of({passes, passes, refuses}),
              ElementsAre("bad input: rank 2: no such file", "reported, bad input", "reported, bad input"));
  EXPECT_THAT(ends_of({passes, fails, refuses}), ElementsAre("failure: rank 1: the disk does not answer",
                                                             "reported, failure", "reported, failure"));
}

TEST(RankCheck, OfOneProcessIsTheCheck) {
  EXPECT_NO_THROW(check_together({}, passes));
  EXPECT_THROW(check_together({}, refuses), std::invalid_argument);
}

}  // namespace
}  // namespace pair::runs::testing::rank_run_test
