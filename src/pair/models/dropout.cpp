#include "pair/models/dropout.h"

#include <torch/autograd.h>
#include <torch/nn/modules/dropout.h>
#include <torch/utils.h>

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "pair/base/splitmix64.h"
#include "pair/data/random.h"
#include "pair/models/counter_random.h"

namespace pair::models {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void save(AutogradContext* context, const device::DropoutMask& mask) {
  context->saved_data["share"] = mask.share;
  context->saved_data["key"] = mask.key;
  context->saved_data["offset"] = mask.offset;
  context->saved_data["places"] = mask.places;
}

device::DropoutMask saved_mask(const AutogradContext* context) {
  const auto& data = context->saved_data;
  return {data.at("share").toDouble(), data.at("key").toTensor(), data.at("offset").toInt(),
          data.at("places").toTensor()};
}

// The backward pass is the same function of the gradient, so it can be differentiated any number of times.
class Drop : public torch::autograd::Function<Drop> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& numbers,
                               const device::DropoutMask& mask) {
    save(context, mask);
    return device::dropped(numbers, mask);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {apply(gradients[0], saved_mask(context)), {}};
  }
};

class DropSoftmax : public torch::autograd::Function<DropSoftmax> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& scores,
                               const torch::Tensor& bias, const device::DropoutMask& mask) {
    save(context, mask);
    const auto [weights, dropped] = device::attention_weights(scores, bias, mask);
    context->save_for_backward({weights});
    return dropped;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    if (torch::GradMode::is_enabled()) {
      throw std::logic_error(
          "attention with dropout in one kernel: expected no gradients of gradients; set "
          "distilbert_fused=false");
    }
    const torch::Tensor weights = context->get_saved_variables()[0];
    return {device::attention_weights_backward(gradients[0], weights, saved_mask(context)), {}, {}};
  }
};

template <class... Kinds>
bool is_torchs_dropout(const torch::nn::Module& module) {
  const auto draws = [](const auto* dropout) { return dropout != nullptr && dropout->options.p() > 0.0; };
  return (draws(dynamic_cast<const Kinds*>(&module)) || ...);
}

}  // namespace

Dropout::Dropout(double share) : share_(share) {
  if (!(share >= 0.0 && share < 1.0)) {
    throw std::invalid_argument("dropout: expected a share of at least 0 and below 1, got " +
                                std::to_string(share));
  }
}

torch::Tensor Dropout::counters(std::int64_t rows, std::int64_t words) const {
  const torch::Tensor of_row = torch::arange(places_.defined() ? words : rows * words, key_.options());
  const torch::Tensor all = places_.defined() ? (places_.unsqueeze(1) * words + of_row).flatten() : of_row;
  return all + key_ + offset_;
}

bool Dropout::draws(const torch::Tensor& input) const {
  if (!is_training() || share_ == 0.0 || input.numel() == 0) {
    return false;
  }
  if (!key_.defined()) {
    throw std::logic_error("dropout in training mode has no key; make a models::DropoutKey for the network");
  }
  return true;
}

device::DropoutMask Dropout::mask() const {
  return {share_, key_, offset_, places_};
}

torch::Tensor Dropout::forward_softmax(const torch::Tensor& scores, const torch::Tensor& bias) {
  return draws(scores) && device::takes_attention_weights(scores)
             ? DropSoftmax::apply(scores, bias, mask())
             : forward(torch::softmax(scores + bias, -1));
}

torch::Tensor Dropout::forward(const torch::Tensor& input) {
  if (!draws(input)) {
    return input;
  }
  if (device::takes_dropout(input)) {
    return Drop::apply(input, mask());
  }
  torch::Tensor factors;
  {
    const torch::NoGradGuard no_graph;
    const std::int64_t numbers = input.numel() / input.size(0);
    torch::Tensor kept;
    if (input.dim() > 2) {
      // Attention weights are many: each random word serves four of them, with 16 bits each.
      constexpr std::int64_t lanes = 4;
      const std::int64_t words = (numbers + lanes - 1) / lanes;
      const auto least = static_cast<std::int64_t>(std::ceil(std::ldexp(share_, 16))) - (1 << 15);
      kept = random_words(counters(input.size(0), words))
                 .view(torch::kShort)
                 .gt(least - 1)
                 .view({input.size(0), words * lanes})
                 .narrow(1, 0, numbers)
                 .contiguous();
    } else {
      const auto least = static_cast<std::int64_t>(std::ceil(std::ldexp(share_, 31)));
      kept = upper_31_bits(random_words(counters(input.size(0), numbers))) >= least;
    }
    factors = kept.view(input.sizes()).to(input.scalar_type()).mul_(1.0 / (1.0 - share_));
  }
  return input * factors;
}

DropoutRows::DropoutRows(torch::nn::Module& network, const torch::Tensor& places) {
  for (const std::shared_ptr<torch::nn::Module>& module : network.modules(/*include_self=*/false)) {
    auto* const dropout = dynamic_cast<Dropout*>(module.get());
    if (dropout != nullptr && dropout->share_ > 0.0) {
      before_.emplace_back(dropout, dropout->places_);
      dropout->places_ = places;
    }
  }
}

DropoutRows::~DropoutRows() {
  for (auto& [dropout, places] : before_) {
    dropout->places_ = std::move(places);
  }
}

DropoutKey::DropoutKey(torch::nn::Module& network, std::uint64_t seed, torch::Device device) {
  data::Random random(seed, "dropout");
  seed_key_ = random.bits();
  for (const auto& named : network.named_modules("", /*include_self=*/false)) {
    torch::nn::Module& module = *named.value();
    if (is_torchs_dropout<torch::nn::DropoutImpl, torch::nn::Dropout2dImpl, torch::nn::Dropout3dImpl,
                          torch::nn::AlphaDropoutImpl, torch::nn::FeatureAlphaDropoutImpl>(module)) {
      throw std::invalid_argument("module '" + named.key() + "': expected pair::models::Dropout, got " +
                                  module.name() + ", whose masks depend on what else the process draws");
    }
    if (auto* const dropout = dynamic_cast<Dropout*>(&module)) {
      if (!key_.defined()) {
        key_ = torch::zeros({}, torch::kLong).to(device);
      }
      draws_ = draws_ || dropout->share_ > 0.0;
      dropout->key_ = key_;
      modules_.push_back(dropout);
      dropout->offset_ = std::bit_cast<std::int64_t>(random.bits());
    }
  }
  set_step(0);
}

void DropoutKey::set_places(const torch::Tensor& places) {
  for (Dropout* const dropout : modules_) {
    dropout->places_ = places.to(key_.device());
  }
}

void DropoutKey::set_step(std::int64_t step) {
  if (key_.defined()) {
    const torch::NoGradGuard no_graph;
    key_.fill_(
        std::bit_cast<std::int64_t>(base::splitmix64::word(seed_key_ + static_cast<std::uint64_t>(step))));
  }
}

}  // namespace pair::models
