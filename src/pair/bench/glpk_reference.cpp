#include "pair/bench/glpk_reference.h"

#include <glpk.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>

namespace pair::bench {
namespace {

// GLPK counts rows, columns and matrix entries from 1.
class Program {
 public:
  Program(std::size_t rows, std::size_t columns) : problem_(glp_create_prob()) {
    glp_set_obj_dir(problem_.get(), GLP_MAX);
    glp_add_rows(problem_.get(), static_cast<int>(rows));
    glp_add_cols(problem_.get(), static_cast<int>(columns));
    const std::size_t entries = 1 + rows * columns;
    row_of_.reserve(entries);
    column_of_.reserve(entries);
    value_of_.reserve(entries);
  }

  void set(std::size_t row, std::size_t column, double value) {
    if (value != 0.0) {
      row_of_.push_back(static_cast<int>(row + 1));
      column_of_.push_back(static_cast<int>(column + 1));
      value_of_.push_back(value);
    }
  }
  void at_least(std::size_t row, double bound) {
    glp_set_row_bnds(problem_.get(), static_cast<int>(row + 1), GLP_LO, bound, 0.0);
  }
  void equal(std::size_t row, double value) {
    glp_set_row_bnds(problem_.get(), static_cast<int>(row + 1), GLP_FX, value, value);
  }
  void not_negative(std::size_t column) {
    glp_set_col_bnds(problem_.get(), static_cast<int>(column + 1), GLP_LO, 0.0, 0.0);
  }
  void unbounded(std::size_t column) {
    glp_set_col_bnds(problem_.get(), static_cast<int>(column + 1), GLP_FR, 0.0, 0.0);
  }
  void objective(std::size_t column, double coefficient) {
    glp_set_obj_coef(problem_.get(), static_cast<int>(column + 1), coefficient);
  }

  GlpkResult solve(int (*method)(glp_prob*, const glp_smcp*), std::size_t columns_wanted) {
    glp_load_matrix(problem_.get(), static_cast<int>(value_of_.size()) - 1, row_of_.data(), column_of_.data(),
                    value_of_.data());
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.presolve = GLP_OFF;
    parameters.it_lim = 1000;  // glp_simplex may cycle forever

    GlpkResult result;
    const auto start = std::chrono::steady_clock::now();
    const int error = method(problem_.get(), &parameters);
    result.solve_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    const int status = glp_get_status(problem_.get());
    if (error == 0 && status == GLP_OPT) {
      result.status = GlpkResult::Status::optimal;
      result.objective = glp_get_obj_val(problem_.get());
      result.x.resize(columns_wanted);
      for (std::size_t j = 0; j < columns_wanted; ++j) {
        result.x[j] = glp_get_col_prim(problem_.get(), static_cast<int>(j + 1));
      }
    } else if (error == 0 && (status == GLP_NOFEAS || status == GLP_INFEAS)) {
      result.status = GlpkResult::Status::infeasible;
    }
    return result;
  }

 private:
  struct Delete {
    void operator()(glp_prob* problem) const { glp_delete_prob(problem); }
  };
  std::unique_ptr<glp_prob, Delete> problem_;
  std::vector<int> row_of_{0};
  std::vector<int> column_of_{0};
  std::vector<double> value_of_{0.0};
};

// The exponent of the power of two that turns all these values into integers.
int exponent_to_integers(std::initializer_list<std::span<const double>> parts) {
  int lowest = std::numeric_limits<int>::max();
  for (const std::span<const double> part : parts) {
    for (const double value : part) {
      if (value != 0.0) {
        lowest = std::min(lowest, std::ilogb(value));
      }
    }
  }
  constexpr int fraction_bits = std::numeric_limits<double>::digits - 1;
  return lowest == std::numeric_limits<int>::max() ? 0 : std::max(0, fraction_bits - lowest);
}

}  // namespace

bool have_glpk() {
  return true;
}

std::string glpk_version() {
  return glp_version();
}

GlpkResult glpk_simplex(const moo::SimplexLp& lp) {
  const std::size_t m = lp.objective.size();
  const std::size_t k = lp.bounds.size();
  Program program(k + 1, m);
  program.equal(k, 1.0);
  for (std::size_t j = 0; j < m; ++j) {
    program.not_negative(j);
    program.objective(j, lp.objective[j].value());
    program.set(k, j, 1.0);
  }
  for (std::size_t i = 0; i < k; ++i) {
    program.at_least(i, lp.bounds[i]);
    for (std::size_t j = 0; j < m; ++j) {
      program.set(i, j, lp.rows[i * m + j]);
    }
  }
  return program.solve(glp_simplex, m);
}

GlpkResult glpk_exact(const moo::SimplexLp& lp) {
  glp_term_out(GLP_OFF);  // glp_exact ignores the message level of its parameters
  const std::size_t m = lp.objective.size();
  const std::size_t k = lp.bounds.size();
  // Columns: x; y = x, which carry the low parts of the objective's coefficients; z, the objective's value,
  // since GLPK would add that up in double. Rows: A x >= b; sum(x) = 1; y = x; z = hi . x + lo . y.
  const std::size_t z = 2 * m;
  const std::size_t simplex_row = k;
  const std::size_t z_row = k + 1 + m;
  Program program(k + 2 + m, 2 * m + 1);
  for (std::size_t i = 0; i < k; ++i) {
    const std::span<const double> row = lp.rows.subspan(i * m, m);
    const int exponent = exponent_to_integers({row, lp.bounds.subspan(i, 1)});
    program.at_least(i, std::ldexp(lp.bounds[i], exponent));
    for (std::size_t j = 0; j < m; ++j) {
      program.set(i, j, std::ldexp(row[j], exponent));
    }
  }
  std::vector<double> high(m);
  std::vector<double> low(m);
  for (std::size_t j = 0; j < m; ++j) {
    high[j] = lp.objective[j].hi;
    low[j] = lp.objective[j].lo;
  }
  const int exponent = exponent_to_integers({high, low});
  program.equal(simplex_row, 1.0);
  program.equal(z_row, 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    program.not_negative(j);
    program.not_negative(m + j);
    program.set(simplex_row, j, 1.0);
    program.equal(k + 1 + j, 0.0);
    program.set(k + 1 + j, j, 1.0);
    program.set(k + 1 + j, m + j, -1.0);
    program.set(z_row, j, -std::ldexp(high[j], exponent));
    program.set(z_row, m + j, -std::ldexp(low[j], exponent));
  }
  program.unbounded(z);
  program.objective(z, 1.0);
  program.set(z_row, z, 1.0);
  GlpkResult result = program.solve(glp_exact, m);
  result.objective = std::ldexp(result.objective, -exponent);
  return result;
}

}  // namespace pair::bench
