#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Tools for looking at the results of multi-objective optimisation: which of many points are worth keeping,
// how much of the space of losses they cover, whether a point can still be improved, and how strongly two
// objectives pull apart there.
//
// All objectives are minimised. Sets of points are row-major n x m, one point's losses a row. Input that
// cannot be used throws std::invalid_argument, whose message names the field, the value and what is accepted.

namespace pair::moo {

// a is at least as good as b in every objective and better in one. Nothing dominates its own copy, and a NaN
// neither dominates nor is dominated. The lengths must be equal.
bool dominates(std::span<const double> a, std::span<const double> b);

// The points that no other point dominates, by their indices in ascending order.
//
//   - Equal points do not dominate each other: all copies are kept, or none.
//   - Of two points that tie in some objectives, the rest decide: (1, 2) dominates (1, 3).
//   - Infinities are values like others, so that a diverged run (+inf) is dominated by any finite one.
//   - NaN has no place in an order: std::invalid_argument.
//
// n log n for up to three objectives (a sweep in lexicographic order; Kung, Luccio and Preparata 1975),
// n times the size of the answer for more.
std::vector<std::size_t> non_dominated(std::span<const double> points, std::size_t objectives);

// The measure of what the points dominate below the reference: of the union of the boxes [point, reference].
// The larger, the better the set; a set that dominates another never has the smaller hypervolume.
//
// For two and three objectives, n log n. Dominated points and copies change nothing, nor do points that fail
// to be below the reference in every objective, +inf among them. The order of the points does not change one
// bit of the result. Points with NaN or -inf, and references that are not finite, throw.
double hypervolume(std::span<const double> points, std::size_t objectives, std::span<const double> reference);

// How far a point is from Pareto-stationary: the norm of the shortest convex combination of its objectives'
// gradients (min_norm.h), from their Gram matrix (row-major m x m; gram_of makes it). 0 where no direction
// improves all objectives at once; otherwise the rate at which a unit step against that combination lowers
// every one of them, at least. It has the gradients' unit: compare it with their norms.
//
// On gradients that cancel, the Gram matrix's rounding leaves about 1e-8 of their norm.
double pareto_stationarity(std::span<const double> gram, std::size_t m);

// The angle between the gradients of objectives i and j, in radians, from 0 (they agree) to pi (they are
// opposed). Above pi/2 they conflict: a small step against one gradient raises the other objective. A
// gradient of zero conflicts with nothing and helps nothing: pi/2.
//
// Angles within 1e-8 of 0 or pi are lost in the rounding of the Gram matrix.
double conflict_angle(std::span<const double> gram, std::size_t m, std::size_t i, std::size_t j);

}  // namespace pair::moo
