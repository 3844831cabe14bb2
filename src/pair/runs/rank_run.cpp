#include "pair/runs/rank_run.h"

#include <c10/util/Exception.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "pair/runs/attempt.h"
#include "pair/runs/new_trainer.h"
#include "pair/runs/record_schedule.h"
#include "pair/train/trainer.h"

namespace pair::runs {
namespace {

// Throws std::runtime_error with rank 0's reason if it failed.
Verdict received_verdict(const train::Ranks& ranks) {
  const std::string text = ranks.from_first(std::string());
  const auto verdict = static_cast<Verdict>(text.front() - '0');
  if (verdict == Verdict::failed) {
    throw std::runtime_error("rank 0 failed: " + text.substr(1));
  }
  return verdict;
}

bool receive_start(const train::Ranks& ranks, train::Trainer& trainer) {
  const std::string text = ranks.from_first(std::string());
  std::istringstream state(text.substr(1));
  trainer.load(state);
  return text.front() == '1';
}

// How a rank's check ended.
enum class Check : std::int64_t { passed, bad_input, failed };

torch::Tensor numbers_of(std::int64_t number) {
  return torch::full({1}, number, torch::kLong);
}

// The text of one rank.
std::string text_from(const train::Ranks& ranks, std::int64_t rank, const std::string& own) {
  const torch::Tensor lengths = ranks.gathered(numbers_of(std::ssize(own)));
  torch::Tensor padded = torch::zeros({lengths.max().item<std::int64_t>()}, torch::kByte);
  std::ranges::copy(own, padded.data_ptr<std::uint8_t>());
  const torch::Tensor text = ranks.gathered(padded)[rank];
  const auto* const bytes = text.data_ptr<std::uint8_t>();
  return {bytes, bytes + lengths[rank].item<std::int64_t>()};
}

}  // namespace

void check_together(const train::Ranks& ranks, const std::function<void()>& check) {
  if (!ranks.several()) {
    check();
    return;
  }
  Check own = Check::passed;
  std::string sentence;
  try {
    check();
  } catch (const std::invalid_argument& error) {
    own = Check::bad_input;
    sentence = error.what();
  } catch (const std::exception& error) {
    own = Check::failed;
    sentence = error.what();
  }
  const torch::Tensor ends = ranks.gathered(numbers_of(static_cast<std::int64_t>(own)));
  for (std::int64_t rank = 0; rank < ranks.size(); ++rank) {
    const auto end = static_cast<Check>(ends[rank].item<std::int64_t>());
    if (end == Check::passed) {
      continue;
    }
    const bool bad_input = end == Check::bad_input;
    sentence = (rank == 0 ? "" : "rank " + std::to_string(rank) + ": ") + text_from(ranks, rank, sentence);
    if (ranks.rank() > 0) {
      throw Reported(sentence, bad_input);
    }
    if (bad_input) {
      throw std::invalid_argument(sentence);
    }
    throw std::runtime_error(sentence);
  }
}

RunSpec placed(const RunSpec& spec, const train::Ranks& ranks) {
  RunSpec own = spec;
  const auto count = static_cast<std::int64_t>(torch::cuda::device_count());
  if (spec.device == "cuda" && count > 1) {
    own.device = "cuda:" + std::to_string(ranks.local_rank() % count);
  }
  return own;
}

void require_same_spec(const RunSpec& spec, const train::Ranks& ranks) {
  const std::string own = hash(spec);
  const std::string first = ranks.from_first(own);
  if (own != first) {
    throw std::runtime_error("the settings of rank " + std::to_string(ranks.rank()) +
                             ": expected those of rank 0, whose run is " + first + ", got those of run " +
                             own);
  }
}

void share_verdict(const train::Ranks& ranks, Verdict verdict, const std::string& reason) {
  (void)ranks.from_first(std::to_string(static_cast<int>(verdict)) + reason);
}

void share_start(const train::Ranks& ranks, const train::Trainer& trainer, bool scores) {
  if (ranks.several()) {
    std::ostringstream state;
    trainer.save(state);
    (void)ranks.from_first((scores ? "1" : "0") + std::move(state).str());
  }
}

bool advance_shared(train::Trainer& trainer, const RunHooks& hooks) {
  const bool stops = hooks.should_stop && hooks.should_stop();
  if (hooks.ranks.several()) {
    if (hooks.ranks.wished_to_stop()) {
      return false;
    }
    if (stops) {
      hooks.ranks.wish_to_stop();
    }
    trainer.advance();
    return true;
  }
  if (stops) {
    return false;
  }
  try {
    trainer.advance(hooks.should_stop);
    return true;
  } catch (const train::Interrupted&) {
    return false;
  }
}

RunResult follow(const RunSpec& spec, DatasetCache& datasets, const RunHooks& hooks) {
  RunResult result;
  result.was_done = received_verdict(hooks.ranks) == Verdict::done;
  if (result.was_done) {
    return result;
  }
  const RunSpec own = placed(spec, hooks.ranks);
  train::Trainer trainer = new_trainer(own, datasets, hooks.ranks);
  bool scores = receive_start(hooks.ranks, trainer);
  const auto began = std::chrono::steady_clock::now();
  try {
    while (true) {
      if (scores) {
        (void)trainer.evaluate();
      }
      if (trainer.finished()) {
        break;
      }
      if (!advance_shared(trainer, hooks)) {
        result.status = RunResult::Status::stopped;
        break;
      }
      (void)trainer.take_notices();
      scores = is_recorded(own, trainer.step());
    }
  } catch (const train::Interrupted&) {
    result.status = RunResult::Status::stopped;
  } catch (const data::BrokenImage& error) {
    throw with_hint(error, spec);
  } catch (const c10::Error& error) {
    throw std::runtime_error(error.what_without_backtrace());
  }
  result.step = trainer.step();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace pair::runs
