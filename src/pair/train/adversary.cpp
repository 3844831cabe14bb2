#include "pair/train/adversary.h"

#include <torch/autograd.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "pair/models/initial.h"
#include "pair/objectives/losses.h"
#include "pair/train/guarded_step.h"

namespace pair::train {
namespace {

constexpr double not_yet = std::numeric_limits<double>::quiet_NaN();
constexpr double beta2 = 0.9;

torch::optim::AdamOptions adam(double lr, double beta1, double weight_decay) {
  return torch::optim::AdamOptions(lr).betas({beta1, beta2}).weight_decay(weight_decay);
}

torch::nn::Sequential mlp(std::int64_t inputs, std::int64_t width, std::int64_t depth, std::int64_t outputs) {
  torch::nn::Sequential layers;
  for (std::int64_t layer = 1; layer < depth; ++layer) {
    layers->push_back(torch::nn::Linear(layer == 1 ? inputs : width, width));
  }
  layers->push_back(torch::nn::Linear(width, outputs));
  return layers;
}

double checked(const torch::Tensor& loss, const char* name) {
  const double value = loss.item<double>();
  if (!std::isfinite(value)) {
    throw Diverged(std::string(name) + " is not finite; a lower lr or lr_d may help");
  }
  return value;
}

// Dropout whose mask comes from a run's own generator.
torch::Tensor thinned(const torch::Tensor& rows, double dropout, data::Random& random) {
  if (dropout == 0.0) {
    return rows;
  }
  const torch::Tensor mask = torch::empty(rows.sizes(), torch::kFloat);
  float* const values = mask.data_ptr<float>();
  const auto kept = static_cast<float>(1.0 / (1.0 - dropout));
  for (std::int64_t i = 0; i < mask.numel(); ++i) {
    values[i] = random.bernoulli(dropout) ? 0.0F : kept;
  }
  return rows * mask.to(rows.device());
}

// Where each sample is from, 0, 1, ...
torch::Tensor environments_of(const Batch& batch) {
  std::vector<torch::Tensor> numbers;
  for (std::size_t e = 0; e < batch.sizes.size(); ++e) {
    numbers.push_back(torch::full({batch.sizes[e]}, static_cast<std::int64_t>(e), torch::kLong));
  }
  return torch::cat(numbers).to(batch.labels.device());
}

std::vector<torch::Tensor> parameters_of(const torch::nn::Sequential& adversary,
                                         const torch::nn::Embedding& embedding) {
  std::vector<torch::Tensor> parameters = adversary->parameters();
  if (embedding) {
    parameters.push_back(embedding->weight);
  }
  return parameters;
}

}  // namespace

Adversarial::Adversarial(const Settings& settings, const data::EnvironmentSet& data,
                         std::shared_ptr<models::Model> model, std::uint64_t seed, torch::Device device)
    : model_(std::move(model)),
      loss_(data.loss),
      classes_(data.loss == data::TaskLoss::binary_cross_entropy ? 2 : data.outputs),
      conditional_(settings.scheme == Scheme::cdann),
      penalty_(settings.penalty),
      grad_penalty_(settings.grad_penalty),
      d_steps_(settings.d_steps_per_g_step),
      dropout_(settings.mlp_dropout),
      last_gen_(not_yet),
      last_disc_(not_yet) {
  if (conditional_ && loss_ == data::TaskLoss::squared_error) {
    throw std::invalid_argument("cdann works class by class, but the labels of '" + data.name +
                                "' are numbers; dann takes them");
  }
  const std::int64_t features = model_->head->options.in_features();
  adversary_ =
      mlp(features, settings.mlp_width, settings.mlp_depth, static_cast<std::int64_t>(data.train.size()));
  data::Random random(seed, "adversary");
  models::fill_default(*adversary_, random);
  if (conditional_) {
    embedding_ = torch::nn::Embedding(classes_, features);
    torch::nn::Sequential holder(embedding_);
    models::fill_default(*holder, random);
    embedding_->to(device);
  }
  adversary_->to(device);
  disc_adam_.emplace(parameters_of(adversary_, embedding_),
                     adam(settings.lr_d, settings.beta1, settings.weight_decay_d));
  // l2 |theta|^2 has the gradient 2 l2 theta, Adam's weight decay w theta.
  gen_adam_.emplace(model_->parameters(), adam(settings.lr, settings.beta1, 2.0 * settings.l2));
}

torch::Tensor Adversarial::class_weights(const torch::Tensor& classes) const {
  const torch::Tensor counts = torch::bincount(classes, {}, classes_);
  return (counts.index_select(0, classes) * classes_).to(torch::kFloat).reciprocal();
}

torch::Tensor Adversarial::judgement(torch::Tensor rows, data::Random& random) {
  for (std::size_t i = 0; i < adversary_->size(); ++i) {
    rows = adversary_->at<torch::nn::LinearImpl>(i).forward(rows);
    if (i + 1 < adversary_->size()) {
      rows = thinned(rows, dropout_, random).relu();
    }
  }
  return rows;
}

torch::Tensor Adversarial::disc_loss(const torch::Tensor& features, const Batch& batch,
                                     data::Random& random) {
  torch::Tensor input = features;
  torch::Tensor classes;
  if (conditional_) {
    classes = batch.labels.to(torch::kLong);
    input = input + embedding_->forward(classes);
  } else if (!input.requires_grad()) {
    input = input.detach().requires_grad_(grad_penalty_ > 0.0);
  }
  const torch::Tensor losses = objectives::per_sample_loss(data::TaskLoss::cross_entropy,
                                                           judgement(input, random), environments_of(batch));
  torch::Tensor loss = conditional_ ? (class_weights(classes) * losses).sum() : losses.mean();
  if (grad_penalty_ > 0.0) {
    const torch::Tensor slopes =
        torch::autograd::grad({losses.sum()}, {input}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
    loss = loss + grad_penalty_ * slopes.square().sum(1).mean();
  }
  return loss;
}

void Adversarial::advance(const Batch& batch, data::Random& random) {
  ++updates_;
  if (updates_ % (1 + d_steps_) < d_steps_) {
    torch::Tensor features;
    {
      const torch::NoGradGuard constant;
      features = model_->features(batch.inputs);
    }
    const torch::Tensor loss = disc_loss(features, batch, random);
    last_disc_ = checked(loss, "disc_loss");
    disc_adam_->zero_grad();
    loss.backward();
    disc_adam_->step();
    return;
  }
  const torch::Tensor features = model_->features(batch.inputs);
  const torch::Tensor adversary = disc_loss(features, batch, random);
  const torch::Tensor labels =
      loss_ == data::TaskLoss::cross_entropy ? batch.labels : batch.labels.to(features.scalar_type());
  const torch::Tensor risk = objectives::per_sample_loss(loss_, model_->logits(features), labels).mean();
  const torch::Tensor loss = risk - penalty_ * adversary;
  last_disc_ = checked(adversary, "disc_loss");
  last_gen_ = checked(loss, "gen_loss");
  gen_adam_->zero_grad();
  loss.backward();
  gen_adam_->step();
}

NamedLosses Adversarial::losses() const {
  return {{"gen_loss", last_gen_}, {"disc_loss", last_disc_}};
}

void Adversarial::save(torch::serialize::OutputArchive& archive) const {
  const std::vector<torch::Tensor> parameters = parameters_of(adversary_, embedding_);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    archive.write("adversary/" + std::to_string(i), parameters[i].detach());
  }
  archive.write("updates", c10::IValue(updates_));
  archive.write("gen_loss", c10::IValue(last_gen_));
  archive.write("disc_loss", c10::IValue(last_disc_));
  for (const auto& [name, adam] :
       {std::pair("disc_adam", &*disc_adam_), std::pair("gen_adam", &*gen_adam_)}) {
    torch::serialize::OutputArchive part;
    adam->save(part);
    archive.write(name, part);
  }
}

void Adversarial::load(torch::serialize::InputArchive& archive) {
  {
    const torch::NoGradGuard no_graph;
    const std::vector<torch::Tensor> parameters = parameters_of(adversary_, embedding_);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      torch::Tensor saved;
      archive.read("adversary/" + std::to_string(i), saved);
      if (saved.sizes() != parameters[i].sizes()) {
        throw std::runtime_error("the checkpoint belongs to an adversary of another size");
      }
      torch::Tensor(parameters[i]).copy_(saved);
    }
  }
  c10::IValue value;
  archive.read("updates", value);
  updates_ = value.toInt();
  archive.read("gen_loss", value);
  last_gen_ = value.toDouble();
  archive.read("disc_loss", value);
  last_disc_ = value.toDouble();
  for (const auto& [name, adam] :
       {std::pair("disc_adam", &*disc_adam_), std::pair("gen_adam", &*gen_adam_)}) {
    torch::serialize::InputArchive part;
    archive.read(name, part);
    adam->load(part);
  }
}

}  // namespace pair::train
