#include <cmath>

#include "pair/objectives/losses.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// IRMv1 (Arjovsky et al., "Invariant Risk Minimization", arXiv 1907.02893): the squared derivative of each
// environment's risk with respect to a scalar multiplier w of its logits, at w = 1, averaged over
// environments,
//
//   1/|E| sum_e D_e^2,   D_e = d/dw R_e(w z) at w = 1 = mean over e of  sum_k dl/dz_k z_k,
//
// in closed form: no second backward pass.
//
// On a minibatch D_e^2 overestimates, for E[D^2] = E[D]^2 + Var[D]. The unbiased estimate (Arjovsky et al.,
// Appendix D; the paper's Appendix, "Loss value estimation") is the product of D over two independent
// halves of the batch,
//
//   1/|E| sum_e A_e B_e,   A_e over the samples at even, B_e at odd positions of environment e,
//
// as in DomainBed. Samples must be in random order within their environment. The estimate may be
// negative where objectives may not; the paper's two treatments, both of the mean over environments:
//
//   scale  a negative estimate is multiplied by -C (the release's choice; the paper's "adjustment rate",
//          1 to 1e-4),
//   shift  C is added to every estimate. If the sum is still negative, the value is 0, because the paper
//          requires a "sufficiently large" C. The gradient is that of the estimate.
//
// A third one, keep, leaves it negative as DomainBed does: only a weighted sum can use it.

namespace pair::objectives {
namespace {

enum class Negative { scale, shift, keep };

struct Irmv1Options {
  bool unbiased = false;
  Negative negative = Negative::scale;
  double constant = 1e-2;  // C of the paper's Appendix D.4
};

void describe(base::Fields<Irmv1Options>& field) {
  field.flag("irmv1_unbiased", &Irmv1Options::unbiased,
             "use the unbiased estimate from two halves of each batch");
  field.choice("irmv1_negative", &Irmv1Options::negative,
               {{"shift", Negative::shift}, {"scale", Negative::scale}, {"keep", Negative::keep}},
               "irmv1_unbiased: how a negative estimate is treated");
  field.number("irmv1_constant", &Irmv1Options::constant, {.low = 0, .high = 1e300, .open_low = true},
               "irmv1_unbiased: the constant C that is added or multiplied");
}

class Irmv1 final : public Objective {
 public:
  explicit Irmv1(const Irmv1Options& options) : options_(options) {}

  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool takes_derivatives() const override { return !options_.unbiased; }
  [[nodiscard]] std::optional<Remedy> against_negative() const override {
    return options_.unbiased && options_.negative == Negative::keep
               ? std::optional(Remedy{"irmv1_negative", "shift or scale"})
               : std::nullopt;
  }
  [[nodiscard]] bool of_moments() const override { return !options_.unbiased; }
  [[nodiscard]] std::string_view flag_against_measuring() const override {
    return options_.unbiased ? "irmv1_unbiased" : std::string_view();
  }
  // If the true derivatives are 0, the square has the mean of Var[D_e] as its expected value. The unbiased
  // estimate has 0; the same number is then the size of its errors.
  [[nodiscard]] std::optional<NoiseFloor> noise_floor(std::size_t /*environments*/) const override {
    return NoiseFloor{.derivatives = 1.0};
  }
  [[nodiscard]] std::optional<device::MomentFunction> moment_function() const override;

 private:
  [[nodiscard]] torch::Tensor unbiased(const torch::Tensor& derivatives,
                                       const std::vector<std::int64_t>& sizes) const;

  Irmv1Options options_;
};

}  // namespace

torch::Tensor Irmv1::value(const HeadView& view, data::Random& /*random*/) {
  if (!options_.unbiased && view.derivatives.defined()) {
    return view.derivatives.square().mean();
  }
  // [n, k]; its mean over samples, summed over k, is the derivative of the risk.
  const torch::Tensor derivatives = logit_gradient(view.loss, view.logits, view.labels) * view.logits;
  if (options_.unbiased) {
    return unbiased(derivatives, view.sizes);
  }
  return environment_means(derivatives, view.sizes).sum(1).square().mean();
}

std::optional<device::MomentFunction> Irmv1::moment_function() const {
  using Function = device::MomentFunction;
  if (!options_.unbiased) {
    return Function{Function::Kind::mean_squared_derivative};
  }
  Function function{Function::Kind::mean_product_of_halves, Function::Negative::keep, options_.constant};
  switch (options_.negative) {
    case Negative::keep:
      break;
    case Negative::scale:
      function.negative = Function::Negative::scale;
      break;
    case Negative::shift:
      function.negative = Function::Negative::shift;
      break;
  }
  return function;
}

torch::Tensor Irmv1::unbiased(const torch::Tensor& derivatives,
                              const std::vector<std::int64_t>& sizes) const {
  require_samples("irmv1 with irmv1_unbiased", sizes, 2);
  std::vector<torch::Tensor> products;
  products.reserve(sizes.size());
  for (const torch::Tensor& samples : derivatives.split_with_sizes(sizes)) {
    const auto half = [&](std::int64_t first) {
      return samples.slice(0, first, samples.size(0), 2).mean(0).sum();
    };
    products.push_back(half(0) * half(1));
  }
  torch::Tensor estimate = torch::stack(products).mean();
  if (options_.negative == Negative::keep) {
    return estimate;
  }
  if (options_.negative == Negative::scale) {
    return torch::maximum(estimate, -options_.constant * estimate);
  }
  return estimate + (-estimate.detach()).clamp_min(options_.constant);
}

ObjectiveEntry irmv1() {
  ObjectiveEntry entry = objective_entry<Irmv1Options>(
      "irmv1", "squared derivative of the risk with respect to a multiplier of the logits",
      [](const Irmv1Options& options) { return std::make_unique<Irmv1>(options); });
  entry.manual = {
      .formula =
          "1/|E| sum_e D_e^2,   D_e = d/dw R_e(w z) at w = 1\n"
          "\n"
          "irmv1_unbiased:  1/|E| sum_e A_e B_e,   A_e, B_e = D_e over two disjoint halves of the batch",
      .cited = {"M. Arjovsky, L. Bottou, I. Gulrajani and D. Lopez-Paz, \"Invariant Risk "
                "Minimization\", arXiv:1907.02893, 2019"},
      .advice =
          "Use it when some features have the same relation to the label in every "
          "environment and others do not. Its value can be 0 for predictors that still use "
          "the unstable features ([theory](../theory.md)), so combine it with `vrex`, as "
          "`irmx` and `pair` do. With minibatches, the plain square overestimates by the variance of "
          "the estimate: either set `irmv1_unbiased=true` or average the moments over steps (`track`, "
          "[minibatches](../minibatches.md)). `track` does not average the unbiased estimate."};
  return entry;
}

}  // namespace pair::objectives
