#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "pair/moo/solver.h"

// Problems with known solutions, for trying a solver in three lines:
//
//     const FonsecaFleming problem(20);
//     const auto x = descend(problem, Epo(), preference, std::vector<double>(20, 0.1));
//     problem.losses(x);  // compare with problem.front(problem.preferred(preference))
//
// Their fronts are concave, so that a weighted sum of the losses has no minimum on most of the front for any
// weights (Figure 1(c) of the paper). Their gradients conflict everywhere near it. And the Pareto set, the
// front, and the preferred point of the front are known exactly.

namespace pair::moo {

// Base class of both problems: m objectives, each decreasing towards its own centre,
//
//     f_i(x) = 1 - exp(-|x - c_i|^2)  in [0, 1),    grad f_i(x) = 2 exp(-|x - c_i|^2) (x - c_i).
//
// Every f_i depends only on the distance from its centre. So the Pareto set is the convex hull of the
// centres: projecting onto it brings a point nearer to all of them; and for x = sum_i l_i c_i with l on the
// simplex, sum_i l_i |y - c_i|^2 = sum_i l_i |x - c_i|^2 + |y - x|^2, so every other y is further from some
// centre.
//
// Gradients vanish far from the centres: start an optimiser within a distance of about 2. At 15 to 25, their
// norms are below 1e-100 but not 0, which gram_of refuses.
class GaussianWells {
 public:
  [[nodiscard]] std::size_t objectives() const { return centres_.size() / variables_; }
  [[nodiscard]] std::size_t variables() const { return variables_; }
  [[nodiscard]] std::span<const double> centre(std::size_t objective) const {
    return std::span(centres_).subspan(objective * variables_, variables_);
  }

  // Both throw std::invalid_argument unless x has one value per variable.
  [[nodiscard]] std::vector<double> losses(std::span<const double> x) const;
  // Row-major, objectives x variables: gram_of(problem.gradients(x), problem.objectives()).
  [[nodiscard]] std::vector<double> gradients(std::span<const double> x) const;

 protected:
  GaussianWells(std::vector<double> centres, std::size_t variables);  // row-major, one row per centre

 private:
  [[nodiscard]] std::vector<double> squared_distances(std::span<const double> x) const;

  std::vector<double> centres_;
  std::size_t variables_;
};

// Fonseca and Fleming (1995): two centres, at +1/sqrt(n) and -1/sqrt(n) in every variable, 2 apart.
//
// The Pareto set is {(t, ..., t) : |t| <= 1/sqrt(n)}. With u = sqrt(n) t in [-1, 1] the front is
//
//     f_1 = 1 - exp(-(1 - u)^2),    f_2 = 1 - exp(-(1 + u)^2),
//
// from (1 - exp(-4), 0) at u = -1 to (0, 1 - exp(-4)) at u = 1, the same curve for every n. Its slope is
// df_2/df_1 = -(1 + u)/(1 - u) exp(-4 u), so it is concave for |u| < 1/sqrt(2) and convex only beyond, at the
// short ends where f_1 or f_2 is below 1 - exp(-(1 - 1/sqrt(2))^2) = 0.082. Only there do weighted sums have
// their minima.
class FonsecaFleming : public GaussianWells {
 public:
  explicit FonsecaFleming(std::size_t variables = 20);  // at least 1

  // The t of the ends of the Pareto set, 1/sqrt(n), and of the inflections between which the front is
  // concave, 1/sqrt(2 n); the other end and inflection are at the negative value.
  [[nodiscard]] double end() const;
  [[nodiscard]] double inflection() const;

  // The point of the Pareto set and of the front at t; |t| above end() throws std::invalid_argument.
  [[nodiscard]] std::vector<double> pareto_set(double t) const;
  [[nodiscard]] std::array<double, 2> front(double t) const;

  // The t where p_1 f_1 = p_2 f_2, to the last bits. There is exactly one for every preference (two finite
  // positive numbers; only their ratio matters): along the front, f_1 / f_2 decreases from infinity to 0.
  [[nodiscard]] double preferred(std::span<const double> preference) const;
};

// Three centres, each 2 from the others: an equilateral triangle about the origin, in the plane spanned by
// the first two vectors of the cosine basis of R^n so that all variables matter; the first centre is on
// the diagonal, as in Fonseca and Fleming's. On an edge of the triangle, the problem is theirs for the two
// objectives of its ends.
//
// A point of the Pareto set has barycentric coordinates l >= 0 with sum 1. Its front point is
//
//     f_i = 1 - exp(-2 (|l|^2 - 2 l_i + 1)).
//
// With three objectives, not every ray meets the front (no point is near two centres). A preference whose ray
// does is p_i = 1 / f_i at any front point inside the triangle.
class ThreeCentres : public GaussianWells {
 public:
  explicit ThreeCentres(std::size_t variables = 20);  // at least 2

  // Barycentric coordinates that are negative or do not sum to 1 (beyond 1e-9) throw std::invalid_argument.
  [[nodiscard]] std::vector<double> pareto_set(std::span<const double, 3> barycentric) const;
  [[nodiscard]] std::array<double, 3> front(std::span<const double, 3> barycentric) const;
};

struct Descent {
  double rate = 0.1;        // finite and positive
  std::size_t steps = 500;  // EPO converges in 300 from starts up to 1 away from the Pareto set
};

// The end point of plain steps of fixed rate, x -= rate * sum_i weights_i grad f_i(x), from x with the
// solver's weights. Without line search and decay, to show the solver and not the optimiser.
std::vector<double> descend(const GaussianWells& problem, const Solver& solver,
                            std::span<const double> preference, std::vector<double> x,
                            const Descent& descent = {});

}  // namespace pair::moo
