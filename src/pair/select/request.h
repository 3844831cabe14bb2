#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/select/decision.h"
#include "pair/select/history.h"

// A request for choices as users state it, on the command line ('pair select') or in Python (pair.select):
// names as text, checked here. Messages are "across: expected paper, score or validation, got 'x'", with the
// names of the members below.

namespace pair::select {

struct Request {
  // pair, pair-run, train-domain, leave-one-out or oracle; all: all of them except pair-run.
  std::string criterion = "all";
  std::string rule = "paper";  // PAIR-s (pair, not pair-run): paper or release
  // PAIR-s's validation accuracy: train-domain, test-domain, leave-one-out or training; for pair-run,
  // train-domain or training. Empty: train-domain, or training if no run holds out data; with the criterion
  // all, test-domain as well.
  std::string validation = {};
  std::vector<double> preference = {};     // PAIR-s: one number above 0 per loss; empty: estimated (pair_s.h)
  std::optional<std::int64_t> skip = {};   // PAIR-s: logged steps to ignore at the beginning, at least 0
  std::optional<std::int64_t> last = {};   // PAIR-s: last logged steps to consider, at least 1
  double percentile = 0.5;                 // PAIR-s: position of the bar, from 0 to 1
  std::vector<std::string> losses = {};    // PAIR-s: keys of the records; empty: those of losses.h
  std::string losses_from = "train";       // PAIR-s: train or held-out
  bool with_sign = false;                  // PAIR-s: use the sign of losses
  std::string across = "paper";            // PAIR-s: paper, score or validation
  std::vector<std::string> datasets = {};  // only runs on these; empty: all
  std::vector<std::string> algorithms = {};  // only runs of these: DomainBed's names or ours; empty: all
};

// The criteria by name; the last is all.
std::span<const std::string_view> criterion_names();

// Throws std::invalid_argument for a name or a number that no history would make valid, and for an option of
// PAIR-s with another criterion. Cheap, so that a
// command can call it before it reads files.
void check(const Request& request);

// Keeps the runs on the datasets and of the algorithms. 'pair' keeps 'pair (erm, irmv1)', too, and 'table'
// keeps 'table (mine.csv)'. Throws std::invalid_argument for a name that no run has.
void keep_requested(const Request& request, History& history);

// The choices of the criterion, or of each in the order above, among all runs of the history, which must
// outlive the result. Throws std::invalid_argument as check does, and for losses that no run has.
std::vector<Selection> choose(const Request& request, const History& history);

}  // namespace pair::select
