#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/data/share.h"

namespace at {
class Tensor;
}

// The processes, or ranks, that train one run together. Each takes its share of the samples of every step
// (data/share.h), and all have the same model: they exchange what the step needs (shared_cut.h) and apply the
// same update.
//
// Numbers are added in doubles and in the order of the ranks, by every rank the same, so that all ranks have
// the same bits, and runs on another number of ranks differ by the rounding of the model's own arithmetic.

namespace pair::train {

class RankGroup;

// Another rank has ended or cannot be reached. The run can be continued from its last checkpoint.
class RankLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A value; copies refer to the same connections. All functions that communicate must be called by all ranks,
// in the same order and with tensors of the same shape; they throw RankLost.
class Ranks {
 public:
  Ranks() = default;  // one process, which communicates with nobody
  // See rank_launch.h for groups of connected processes.
  explicit Ranks(std::shared_ptr<RankGroup> group);

  [[nodiscard]] std::int64_t rank() const;  // 0 to size() - 1. Rank 0 writes the records
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] std::int64_t local_rank() const;  // among those on this machine
  [[nodiscard]] bool several() const { return group_ != nullptr; }
  [[nodiscard]] data::Share share() const { return {rank(), size()}; }

  // The sum over ranks, of the argument's type, shape and device. For one process, the argument.
  [[nodiscard]] at::Tensor sum(const at::Tensor& numbers) const;
  // The same for a few doubles, with the wishes to stop (below).
  [[nodiscard]] at::Tensor sum_and_wishes(const at::Tensor& numbers) const;
  // The tensors of all ranks, stacked: [size, ...].
  [[nodiscard]] at::Tensor gathered(const at::Tensor& own) const;
  // Rank 0's bytes, or numbers; those of the other ranks are ignored.
  [[nodiscard]] std::string from_first(std::string bytes) const;
  [[nodiscard]] std::vector<double> from_first(const std::vector<double>& numbers) const;

  // A rank that has received a signal wishes to stop. The wish travels with the next sum_and_wishes, after
  // which all ranks know it at the same step.
  void wish_to_stop() const;
  // Whether a rank had that wish at the last sum_and_wishes.
  [[nodiscard]] bool wished_to_stop() const;

  // Bytes of tensors that this rank has sent so far.
  [[nodiscard]] std::int64_t bytes_sent() const;

 private:
  struct State;
  std::shared_ptr<RankGroup> group_;
  std::shared_ptr<State> state_;
};

// The transport under Ranks. Tensors are contiguous and on one device, and have the same shape on all ranks.
// Functions throw RankLost.
class RankGroup {
 public:
  virtual ~RankGroup() = default;
  [[nodiscard]] virtual std::int64_t rank() const = 0;
  [[nodiscard]] virtual std::int64_t size() const = 0;
  [[nodiscard]] virtual std::int64_t local_rank() const = 0;
  // sent: [size, n], row r for rank r. Returns [size, n], row r from rank r.
  [[nodiscard]] virtual at::Tensor exchanged(const at::Tensor& sent) = 0;
  // [size, ...], own from each rank.
  [[nodiscard]] virtual at::Tensor gathered(const at::Tensor& own) = 0;
  // Replaces numbers by rank 0's.
  virtual void broadcast(at::Tensor& numbers) = 0;
};

}  // namespace pair::train
