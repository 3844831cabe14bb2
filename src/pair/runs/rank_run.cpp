#include "pair/runs/rank_run.h"

#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pair/train/trainer.h"

namespace pair::runs {

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

Verdict received_verdict(const train::Ranks& ranks) {
  const std::string text = ranks.from_first(std::string());
  const auto verdict = static_cast<Verdict>(text.front() - '0');
  if (verdict == Verdict::failed) {
    throw std::runtime_error("rank 0 failed: " + text.substr(1));
  }
  return verdict;
}

void share_start(const train::Ranks& ranks, const train::Trainer& trainer, bool scores) {
  if (ranks.several()) {
    std::ostringstream state;
    trainer.save(state);
    (void)ranks.from_first((scores ? "1" : "0") + std::move(state).str());
  }
}

bool receive_start(const train::Ranks& ranks, train::Trainer& trainer) {
  const std::string text = ranks.from_first(std::string());
  std::istringstream state(text.substr(1));
  trainer.load(state);
  return text.front() == '1';
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

}  // namespace pair::runs
