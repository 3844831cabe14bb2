#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pair/objectives/objective.h"
#include "pair/train/batch.h"
#include "pair/train/moments.h"
#include "pair/train/ranks.h"

// The numbers that ranks (ranks.h) exchange at the cuts of the graph (cut_graph.h), so that the objectives of
// every rank are those of the whole batch. As little as the objectives allow:
//
//     moments   objectives that are of_moments(), such as erm, irmv1, vrex and group_dro: two numbers per
//               environment
//     logits    irmv1 with irmv1_unbiased, which multiplies the moments of two halves of the batch
//     features  the others: the rows that the head sees, of all ranks; each computes the objectives of all
//               rows
//
// In addition, for all of them, the gradients of the objectives in the head (the Gram matrix), and one
// gradient of all parameters. All ranks then have the same losses, Gram matrix and gradient, bit for bit, and
// their solvers give the same weights.

namespace pair::train {

class SharedCut {
 public:
  enum class Level { moments, logits, features };

  SharedCut() = default;  // one process: nothing is exchanged
  SharedCut(Ranks ranks, std::span<const std::unique_ptr<objectives::Objective>> objectives);

  [[nodiscard]] bool several() const { return ranks_.several(); }
  [[nodiscard]] Level level() const { return level_; }

  // The tensors that objectives see: this rank's, or those of all ranks, in the order of one process.
  struct Seen {
    torch::Tensor features;
    torch::Tensor logits;
    torch::Tensor labels;
    std::vector<std::int64_t> sizes;
  };
  [[nodiscard]] Seen seen(const torch::Tensor& features, const torch::Tensor& logits, const Batch& batch);

  // The moments of the whole batch, from those of the rows seen.
  [[nodiscard]] Moments moments(const Moments& seen, const Batch& batch) const;
  // Gradients in these moments [m, environments] as through_moments takes them for the rows seen; may be
  // undefined.
  [[nodiscard]] torch::Tensor for_seen(const torch::Tensor& by_moments, const Batch& batch) const;
  // The rows of this rank, in dimension `dim`, of a tensor over the rows seen; may be undefined.
  [[nodiscard]] torch::Tensor own_rows(const torch::Tensor& seen, std::int64_t dim);

  // Sums over ranks.
  [[nodiscard]] torch::Tensor sum(const torch::Tensor& own) const { return ranks_.sum(own); }
  // For a term of such a sum that every rank has already: itself on rank 0, zeros on the others.
  [[nodiscard]] torch::Tensor once(const torch::Tensor& shared) const;

 private:
  void settle_order(const Batch& batch);
  [[nodiscard]] torch::Tensor all_rows(const torch::Tensor& own) const;

  Ranks ranks_;
  Level level_ = Level::moments;
  // For batches of these sizes.
  std::vector<std::int64_t> whole_;
  std::int64_t most_ = 0;  // rows of the rank that has the most
  torch::Tensor order_;    // the rows of the whole batch among those of all ranks, each filled up to most_
  torch::Tensor own_;      // the rows of this rank among those of the whole batch
};

}  // namespace pair::train
