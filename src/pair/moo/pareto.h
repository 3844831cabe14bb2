#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Tools for the analysis of multi-objective optimisation: which points are non-dominated, how much of the
// loss space they cover, whether a point can still be improved, and how strongly two objectives conflict
// there.
//
// All objectives are minimised. Sets of points are row-major n x m, one row of losses per point. Invalid
// input throws std::invalid_argument, whose message names the field, what is expected and the value.

namespace pair::moo {

// Whether a is at least as good as b in every objective and better in one. A point does not dominate its
// copy, and a NaN neither dominates nor is dominated. The lengths must be equal.
bool dominates(std::span<const double> a, std::span<const double> b);

// The indices of the points that no other point dominates, in ascending order.
//
//   - Equal points do not dominate each other: all copies are kept, or none.
//   - If two points tie in some objectives, the others decide: (1, 2) dominates (1, 3).
//   - Infinities are values like others, so a diverged run (+inf) is dominated by any finite one.
//   - NaN cannot be ordered: std::invalid_argument.
//
// O(n log n) for up to three objectives (a sweep in lexicographic order; Kung, Luccio and Preparata 1975),
// O(n times the size of the result) for more.
std::vector<std::size_t> non_dominated(std::span<const double> points, std::size_t objectives);

// The volume of the region that the points dominate below the reference: of the union of the boxes [point,
// reference]. Larger is better; a set that dominates another never has a smaller hypervolume.
//
// For two and three objectives, O(n log n). Dominated points and copies have no effect, nor do points that
// are not below the reference in every objective, such as +inf. The result does not depend on the order of
// the points, to the last bit. Points with NaN or -inf, and references that are not finite, throw.
double hypervolume(std::span<const double> points, std::size_t objectives, std::span<const double> reference);

// The distance of a point from Pareto-stationarity: the norm of the shortest convex combination of its
// objectives' gradients (min_norm.h), from their Gram matrix (row-major m x m; see gram_of). 0 if no
// direction improves all objectives; otherwise the rate at which a unit step against that combination lowers
// every objective, at least. It has the unit of the gradients: compare it with their norms.
//
// For gradients that cancel, the rounding of the Gram matrix leaves about 1e-8 of their norm.
double pareto_stationarity(std::span<const double> gram, std::size_t m);

// The angle between the gradients of objectives i and j, in radians, from 0 (aligned) to pi (opposed). Above
// pi/2 they conflict: a small step against one gradient raises the other objective. A zero gradient gives
// pi/2.
//
// Angles within 1e-8 of 0 or pi are lost in the rounding of the Gram matrix.
double conflict_angle(std::span<const double> gram, std::size_t m, std::size_t i, std::size_t j);

}  // namespace pair::moo
