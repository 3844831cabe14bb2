#pragma once

#include <span>
#include <vector>

#include "pair/moo/problem.h"

// Helpers for weight vectors.

namespace pair::moo {

// | sum_i w_i g_i |^2 = w^T C w, never negative.
double squared_norm(const Problem& problem, std::span<const double> weights);

// (C w)_i = g_i . (sum_j w_j g_j): the rate at which a step against the direction lowers objective i.
std::vector<double> improvements(const Problem& problem, std::span<const double> weights);

// Divides by the sum of absolute values, so that solvers with an arbitrary scale, or one that grows with the
// number of objectives, work at the same learning rate.
void normalise(std::vector<double>& weights);

// The vector divided by its length; empty if that is 0. Squares of its entries may overflow.
std::vector<double> unit(std::span<const double> vector);

// The first part of every solver without phases: validates the problem and computes the divergence.
Solution begin(const Problem& problem);

// The matrix of cosines between gradients; rows and columns of vanished gradients are zero.
std::vector<double> cosines(const Problem& problem);

}  // namespace pair::moo
