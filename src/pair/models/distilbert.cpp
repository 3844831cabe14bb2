#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pair/models/dropout.h"
#include "pair/models/model.h"
#include "pair/models/other_task.h"
#include "pair/models/registry.h"
#include "pair/models/torch_compat.h"

// DistilBERT for classification (Sanh et al., "DistilBERT, a distilled version of BERT", arXiv 1910.01108) as
// Hugging Face has it (DistilBertForSequenceClassification), under its names of parameters:
// "distilbert.transformer.layer.0.attention.q_lin.weight". Inputs are rows of token ids, [n, tokens], int32
// or int64, with -1 behind a text's end (data/text.h). With x_t the embedding of token t plus that of its
// place,
//
//   x   = dropout(norm(x))
//   x   = norm(x + attention(x)),   x = norm(x + dropout(W_2 gelu(W_1 x)))      in each layer
//   phi = dropout(relu(P x_1)),     logits = w(phi)                             x_1: the token [CLS]
//
// Only x_1 of the last layer is needed, so the last layer computes nothing else: in evaluation mode, the same
// numbers in less time.

namespace pair::models {
namespace {

struct DistilBertOptions {
  std::int64_t layers = 6;
  std::int64_t heads = 12;
  std::int64_t dim = 768;
  std::int64_t hidden = 3072;
  std::int64_t vocabulary = 30'522;
  std::int64_t positions = 512;
  double dropout = 0.1;
  double attention_dropout = 0.1;
  double head_dropout = 0.2;
  bool fused = true;
};

void describe(base::Fields<DistilBertOptions>& field) {
  using O = DistilBertOptions;
  field.whole("distilbert_layers", &O::layers, std::int64_t{1}, 100, "layers");
  field.whole("distilbert_heads", &O::heads, std::int64_t{1}, 1024,
              "attention heads; they divide the dimension");
  field.whole("distilbert_dim", &O::dim, std::int64_t{1}, 65'536, "numbers per token");
  field.whole("distilbert_hidden", &O::hidden, std::int64_t{1}, 1'048'576,
              "hidden units per token and layer");
  field.whole("distilbert_vocabulary", &O::vocabulary, std::int64_t{1}, 100'000'000,
              "tokens of the vocabulary, the lines of vocab.txt");
  field.whole("distilbert_positions", &O::positions, std::int64_t{2}, 65'536,
              "places of tokens; a text has at most as many");
  const base::Range share{.low = 0, .high = 1, .open_high = true};
  field.number("distilbert_dropout", &O::dropout, share,
               "share of a layer's numbers that training sets to 0");
  field.number("distilbert_attention_dropout", &O::attention_dropout, share,
               "share of attention weights that training sets to 0");
  field.number("distilbert_head_dropout", &O::head_dropout, share,
               "share of the features that training sets to 0 before the head");
  field.flag(
      "distilbert_fused", &O::fused,
      "attention in as few kernels as there are for it; false for objectives with gradients of gradients "
      "of the whole network on CUDA devices");
}

constexpr double norm_epsilon = 1e-12;
constexpr double initial_deviation = 0.02;

torch::nn::LayerNorm layer_norm(std::int64_t dim) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({dim}).eps(norm_epsilon));
}

// layer(rows) with the bias added by the product; LibTorch's Linear adds it to rows of three dimensions in a pass
// of its own.
torch::Tensor linear(const torch::nn::Linear& layer, const torch::Tensor& rows) {
  return torch::linear(rows, layer->weight, layer->bias);
}

void require_vocabulary_above(std::int64_t id, std::int64_t vocabulary) {
  if (id >= vocabulary) {
    throw std::invalid_argument("distilbert_vocabulary: expected more than the largest token id, " +
                                std::to_string(id) + ", got " + std::to_string(vocabulary) +
                                "; it is the number of lines of vocab.txt");
  }
}

void require_rows_of_tokens(const DistilBertOptions& options, const ModelInput& input) {
  if (options.dim % options.heads != 0) {
    throw std::invalid_argument("distilbert_heads: expected a divisor of distilbert_dim, " +
                                std::to_string(options.dim) + ", got " + std::to_string(options.heads));
  }
  if (input.shape.size() > 1 || input.size > options.positions || input.size < 2) {
    std::ostringstream message;
    message << "distilbert: expected rows of 2 to " << options.positions
            << " token ids (distilbert_positions), got inputs of shape " << at::IntArrayRef(input.shape);
    throw std::invalid_argument(message.str());
  }
  require_vocabulary_above(input.tokens.value_or(0) - 1, options.vocabulary);
}

class BertEmbeddings final : public torch::nn::Module {
 public:
  explicit BertEmbeddings(const DistilBertOptions& options)
      : words_(register_module(
            "word_embeddings",
            torch::nn::Embedding(
                torch::nn::EmbeddingOptions(options.vocabulary, options.dim).padding_idx(0)))),
        places_(register_module("position_embeddings", torch::nn::Embedding(options.positions, options.dim))),
        norm_(register_module("LayerNorm", layer_norm(options.dim))),
        dropout_(register_module("dropout", std::make_shared<Dropout>(options.dropout))) {}

  // ids: [n, t], without negative numbers.
  torch::Tensor forward(const torch::Tensor& ids) {
    const torch::Tensor places = places_->weight.narrow(0, 0, ids.size(1));
    return dropout_->forward(norm_->forward(words_->forward(ids) + places));
  }

 private:
  torch::nn::Embedding words_;
  torch::nn::Embedding places_;
  torch::nn::LayerNorm norm_;
  std::shared_ptr<Dropout> dropout_;
};

class BertAttention final : public torch::nn::Module {
 public:
  explicit BertAttention(const DistilBertOptions& options)
      : heads_(options.heads),
        fused_(options.fused),
        query_(register_module("q_lin", torch::nn::Linear(options.dim, options.dim))),
        key_(register_module("k_lin", torch::nn::Linear(options.dim, options.dim))),
        value_(register_module("v_lin", torch::nn::Linear(options.dim, options.dim))),
        out_(register_module("out_lin", torch::nn::Linear(options.dim, options.dim))),
        dropout_(register_module("dropout", std::make_shared<Dropout>(options.attention_dropout))) {}

  // From `asking` [n, t, dim] to `tokens` [n, s, dim]; bias [n, 1, 1, s]: -infinity at places without a token.
  torch::Tensor forward(const torch::Tensor& asking, const torch::Tensor& tokens, const torch::Tensor& bias) {
    // One product for all that is made of the tokens. The scale of the scores is in the query's weights.
    const bool all_ask = asking.is_same(tokens);
    const std::int64_t numbers_per_head = query_->weight.size(0) / heads_;
    const double scale = 1.0 / std::sqrt(static_cast<double>(numbers_per_head));
    const Affine query{query_->weight * scale, query_->bias * scale};
    const Affine key{key_->weight, key_->bias};
    const Affine value{value_->weight, value_->bias};
    const std::vector<torch::Tensor> made =
        all_ask ? products(tokens, {query, key, value}) : products(tokens, {key, value});
    const torch::Tensor q = by_head(all_ask ? made.front() : products(asking, {query}).front());
    const torch::Tensor k = by_head(made[made.size() - 2]);
    const torch::Tensor v = by_head(made.back());
    torch::Tensor mixed;
    if (fused_ && (!is_training() || dropout_->share() == 0.0)) {
      mixed = compat::attention(q, k, v, bias);
    } else {
      // The product copies operands that are not contiguous; copying k is faster before the transpose than after.
      const torch::Tensor scores = torch::matmul(q, k.contiguous().transpose(2, 3));
      mixed = (fused_ ? dropout_->forward_softmax(scores, bias)
                      : dropout_->forward(torch::softmax(scores + bias, -1)))
                  .matmul(v);
    }
    return linear(out_, mixed.transpose(1, 2).reshape(asking.sizes()));
  }

 private:
  struct Affine {
    torch::Tensor weight;
    torch::Tensor bias;
  };

  // The results of layers with as many outputs each.
  static std::vector<torch::Tensor> products(const torch::Tensor& rows, const std::vector<Affine>& layers) {
    std::vector<torch::Tensor> weights;
    std::vector<torch::Tensor> biases;
    for (const Affine& layer : layers) {
      weights.push_back(layer.weight);
      biases.push_back(layer.bias);
    }
    return torch::linear(rows, torch::cat(weights), torch::cat(biases))
        .chunk(static_cast<std::int64_t>(layers.size()), -1);
  }

  [[nodiscard]] torch::Tensor by_head(const torch::Tensor& rows) const {
    return rows.view({rows.size(0), rows.size(1), heads_, -1}).transpose(1, 2);
  }

  std::int64_t heads_;
  bool fused_;
  torch::nn::Linear query_;
  torch::nn::Linear key_;
  torch::nn::Linear value_;
  torch::nn::Linear out_;
  std::shared_ptr<Dropout> dropout_;
};

class BertHiddenUnits final : public torch::nn::Module {
 public:
  explicit BertHiddenUnits(const DistilBertOptions& options)
      : first_(register_module("lin1", torch::nn::Linear(options.dim, options.hidden))),
        second_(register_module("lin2", torch::nn::Linear(options.hidden, options.dim))),
        dropout_(register_module("dropout", std::make_shared<Dropout>(options.dropout))) {}

  torch::Tensor forward(const torch::Tensor& tokens) {
    return dropout_->forward(linear(second_, torch::gelu(linear(first_, tokens))));
  }

 private:
  torch::nn::Linear first_;
  torch::nn::Linear second_;
  std::shared_ptr<Dropout> dropout_;
};

class BertLayer final : public torch::nn::Module {
 public:
  explicit BertLayer(const DistilBertOptions& options)
      : attention_(register_module("attention", std::make_shared<BertAttention>(options))),
        attention_norm_(register_module("sa_layer_norm", layer_norm(options.dim))),
        hidden_(register_module("ffn", std::make_shared<BertHiddenUnits>(options))),
        output_norm_(register_module("output_layer_norm", layer_norm(options.dim))) {}

  // The new values of all tokens, or of the first alone.
  torch::Tensor forward(const torch::Tensor& tokens, const torch::Tensor& bias, bool first_alone) {
    const torch::Tensor asking = first_alone ? tokens.narrow(1, 0, 1) : tokens;
    const torch::Tensor attended =
        attention_norm_->forward(attention_->forward(asking, tokens, bias) + asking);
    return output_norm_->forward(hidden_->forward(attended) + attended);
  }

 private:
  std::shared_ptr<BertAttention> attention_;
  torch::nn::LayerNorm attention_norm_;
  std::shared_ptr<BertHiddenUnits> hidden_;
  torch::nn::LayerNorm output_norm_;
};

// "transformer", whose layers are "layer.0", "layer.1", ...
class BertLayers final : public torch::nn::Module {
 public:
  explicit BertLayers(const DistilBertOptions& options) {
    const auto list = std::make_shared<torch::nn::Module>("ModuleList");
    for (std::int64_t i = 0; i < options.layers; ++i) {
      layers_.push_back(list->register_module(std::to_string(i), std::make_shared<BertLayer>(options)));
    }
    register_module("layer", list);
  }

  // The first token's values after all layers, [n, dim].
  torch::Tensor forward(torch::Tensor tokens, const torch::Tensor& bias) {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      tokens = layers_[i]->forward(tokens, bias, i + 1 == layers_.size());
    }
    return tokens.select(1, 0);
  }

 private:
  std::vector<std::shared_ptr<BertLayer>> layers_;
};

// "distilbert"
class BertEncoder final : public torch::nn::Module {
 public:
  explicit BertEncoder(const DistilBertOptions& options)
      : positions_(options.positions),
        embeddings_(register_module("embeddings", std::make_shared<BertEmbeddings>(options))),
        layers_(register_module("transformer", std::make_shared<BertLayers>(options))) {}

  torch::Tensor forward(const torch::Tensor& inputs) {
    const torch::Tensor rows = padded(inputs);
    const torch::Tensor tokens = embeddings_->forward(rows.clamp_min(0));
    const torch::Tensor bias = torch::zeros(rows.sizes(), tokens.options())
                                   .masked_fill_(rows.lt(0), -std::numeric_limits<double>::infinity())
                                   .unsqueeze(1)
                                   .unsqueeze(1);
    return layers_->forward(tokens, bias);
  }

 private:
  // With places without a token up to a multiple of 8, as far as there are positions: rows of attention weights
  // in 16 bits then begin at multiples of 16 bytes, without which matrix units are slow. Every device does so,
  // because dropout's masks follow the shape.
  [[nodiscard]] torch::Tensor padded(const torch::Tensor& rows) const {
    constexpr std::int64_t multiple = 8;
    const std::int64_t width = (rows.size(1) + multiple - 1) / multiple * multiple;
    return width <= positions_ && width > rows.size(1)
               ? torch::constant_pad_nd(rows, {0, width - rows.size(1)}, -1)
               : rows;
  }

  std::int64_t positions_;
  std::shared_ptr<BertEmbeddings> embeddings_;
  std::shared_ptr<BertLayers> layers_;
};

class DistilBert final : public Model, public StartsFromOtherTask {
 public:
  DistilBert(const DistilBertOptions& options, const ModelInput& input)
      : vocabulary_(options.vocabulary), positions_(options.positions) {
    encoder_ = register_module("distilbert", std::make_shared<BertEncoder>(options));
    before_head_ = register_module("pre_classifier", torch::nn::Linear(options.dim, options.dim));
    dropout_ = register_module("dropout", std::make_shared<Dropout>(options.head_dropout));
    head = register_module("classifier", torch::nn::Linear(options.dim, input.outputs));
  }

  torch::Tensor features(const torch::Tensor& inputs) override {
    check_inputs(inputs);
    return dropout_->forward(before_head_->forward(encoder_->forward(inputs)).relu());
  }

  // The published weights are those of the masked language model, sometimes without the first part of a name.
  [[nodiscard]] std::string name_of_weight(const std::string& name) const override {
    return name.starts_with("embeddings.") || name.starts_with("transformer.") ? "distilbert." + name : name;
  }
  [[nodiscard]] bool is_of_other_task(const std::string& stored) const override {
    // Position ids are a constant that older files store.
    return stored.starts_with("vocab_") || stored.starts_with("qa_outputs.") ||
           stored.ends_with("embeddings.position_ids");
  }
  [[nodiscard]] bool may_start_random(const std::string& own) const override {
    return own.starts_with("pre_classifier.");
  }

  void draw(data::Random& random);

 private:
  void check_inputs(const torch::Tensor& inputs) const;

  std::int64_t vocabulary_;
  std::int64_t positions_;
  std::shared_ptr<BertEncoder> encoder_;
  torch::nn::Linear before_head_{nullptr};
  std::shared_ptr<Dropout> dropout_;
};

void DistilBert::check_inputs(const torch::Tensor& inputs) const {
  const bool whole = inputs.scalar_type() == torch::kInt || inputs.scalar_type() == torch::kLong;
  if (!whole || inputs.dim() != 2 || inputs.size(1) < 1 || inputs.size(1) > positions_) {
    std::ostringstream message;
    message << "inputs: expected token ids, integers of shape [n, 1 to " << positions_ << "], got "
            << torch::toString(inputs.scalar_type()) << " of shape " << inputs.sizes();
    throw std::invalid_argument(message.str());
  }
  // Reading a number from another device would make a step wait for it; LibTorch refuses there by itself.
  if (inputs.is_cpu() && inputs.size(0) > 0) {
    require_vocabulary_above(inputs.max().item<std::int64_t>(), vocabulary_);
  }
}

// BERT's: weights normal with a deviation of 0.02, biases 0, and the embedding of [PAD] 0.
void DistilBert::draw(data::Random& random) {
  const torch::NoGradGuard no_graph;
  const auto fill_normal = [&random](const torch::Tensor& parameter) {
    const torch::Tensor drawn = torch::empty(parameter.sizes(), torch::kFloat);
    auto* const values = drawn.data_ptr<float>();
    for (std::int64_t i = 0; i < drawn.numel(); ++i) {
      values[i] = static_cast<float>(initial_deviation * random.normal());
    }
    torch::Tensor(parameter).copy_(drawn);
  };
  for (const auto& module : modules(/*include_self=*/false)) {
    if (auto* const linear = module->as<torch::nn::LinearImpl>()) {
      fill_normal(linear->weight);
      linear->bias.zero_();
    } else if (auto* const embedding = module->as<torch::nn::EmbeddingImpl>()) {
      fill_normal(embedding->weight);
      if (embedding->options.padding_idx()) {
        embedding->weight[*embedding->options.padding_idx()].zero_();
      }
    }
  }
}

}  // namespace

ModelEntry distilbert() {
  ModelEntry entry = model_entry<DistilBertOptions>(
      "distilbert", "DistilBERT for texts as token ids; 768 features",
      [](const DistilBertOptions& options, const ModelInput& input, data::Random& random) {
        auto model = std::make_shared<DistilBert>(options, input);
        model->draw(random);
        return model;
      });
  entry.takes = Takes::tokens;
  entry.check = [](const base::Options& options, const ModelInput& input) {
    require_rows_of_tokens(options.as<DistilBertOptions>(), input);
  };
  return entry;
}

}  // namespace pair::models
