#include <gmock/gmock.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cstring>

#include "pair/data/safetensors.h"
#include "pair/data/weights_file.h"
#include "pair/models/dropout.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"
#include "pair/models/weights.h"
#include "tests/support/scratch.h"

namespace pair::models::distilbert_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

using Changes = std::vector<std::pair<std::string, std::string>>;

// The size of golden/make_distilbert.py.
Changes small_bert(const Changes& more = {}) {
  Changes changes{{"distilbert_layers", "2"},      {"distilbert_heads", "3"},
                  {"distilbert_dim", "12"},        {"distilbert_hidden", "20"},
                  {"distilbert_vocabulary", "40"}, {"distilbert_positions", "12"}};
  changes.insert(changes.end(), more.begin(), more.end());
  return changes;
}

std::shared_ptr<Model> bert_of(const Changes& changes, std::int64_t tokens = 12, std::int64_t outputs = 3,
                               std::uint64_t seed = 1) {
  data::Random random(seed, "model");
  return make_model("distilbert", options_of("distilbert", changes),
                    {.size = tokens, .shape = {tokens}, .outputs = outputs}, random);
}

const data::WeightsFile& golden_file() {
  static const data::WeightsFile file(std::string(PAIR_TEST_DATA) + "/golden/distilbert.pth");
  return file;
}

torch::Tensor golden(const std::string& name, torch::ScalarType type) {
  for (const data::TensorView& view : golden_file().tensors()) {
    if (view.name == name) {
      torch::Tensor tensor = torch::empty(view.shape, type);
      std::memcpy(tensor.data_ptr(), view.bytes.data(), view.bytes.size());
      return tensor;
    }
  }
  throw std::runtime_error("no tensor " + name);
}

// The golden weights as a file, by a name for each tensor; an empty name leaves it out.
template <class Rename>
std::filesystem::path golden_weights(const tests::Scratch& scratch, const Rename& rename) {
  std::vector<data::TensorView> views;
  for (const data::TensorView& view : golden_file().tensors()) {
    if (!view.name.starts_with("io.") && !rename(view.name).empty()) {
      views.push_back(view);
      views.back().name = rename(view.name);
    }
  }
  auto path = scratch / "bert.safetensors";
  data::write_safetensors(path, views, {});
  return path;
}

std::string same_name(const std::string& name) {
  return name;
}

torch::Tensor logits_of(Model& model, const torch::Tensor& ids) {
  const torch::NoGradGuard no_graph;
  model.eval();
  return model.forward(ids);
}

TEST(DistilBert, HasTheLogitsOfHuggingFacesFormulas) {
  const tests::Scratch scratch;
  const auto path = golden_weights(scratch, same_name);
  const torch::Tensor expected = golden("io.logits", torch::kFloat);
  ASSERT_GT(expected.std().item<double>(), 0.3);
  for (const char* const fused : {"true", "false"}) {
    const auto model = bert_of(small_bert({{"distilbert_fused", fused}}));
    EXPECT_THAT(load_pretrained(*model, data::WeightsFile(path), "bert"), IsEmpty());
    const torch::Tensor logits = logits_of(*model, golden("io.ids", torch::kInt));
    EXPECT_LT((logits - expected).abs().max().item<double>(), 1e-5) << fused;
  }
}

TEST(DistilBert, DoesNotSeeWhatIsBehindATextsEnd) {
  const auto model = bert_of(small_bert());
  const torch::Tensor text = torch::tensor({{2, 7, 8, 3}}, torch::kInt);
  const torch::Tensor padded = torch::tensor({{2, 7, 8, 3, -1, -1, -1}}, torch::kInt);
  const torch::Tensor other = torch::tensor({{2, 7, 8, 3, 0, 0, 0}}, torch::kInt);
  EXPECT_LT((logits_of(*model, text) - logits_of(*model, padded)).abs().max().item<double>(), 1e-6);
  EXPECT_GT((logits_of(*model, text) - logits_of(*model, other)).abs().max().item<double>(), 1e-6)
      << "a [PAD] within a text is a token";
  EXPECT_TRUE(torch::equal(logits_of(*model, text), logits_of(*model, text.to(torch::kLong))));
}

TEST(DistilBert, HasHuggingFacesNamesAndSizes) {
  const auto model = bert_of({{"distilbert_vocabulary", "100"}}, 300, 2);
  std::int64_t numbers = 0;
  std::vector<std::string> names;
  for (const auto& parameter : model->named_parameters()) {
    numbers += parameter.value().numel();
    names.push_back(parameter.key());
  }
  EXPECT_THAT(names, SizeIs(104));
  EXPECT_EQ(numbers + std::int64_t{30'522 - 100} * 768, 66'955'010);
  EXPECT_THAT(names, ::testing::IsSupersetOf({"distilbert.embeddings.word_embeddings.weight",
                                              "distilbert.embeddings.LayerNorm.bias",
                                              "distilbert.transformer.layer.5.attention.out_lin.weight",
                                              "distilbert.transformer.layer.0.sa_layer_norm.weight",
                                              "distilbert.transformer.layer.0.ffn.lin2.bias",
                                              "distilbert.transformer.layer.0.output_layer_norm.bias",
                                              "pre_classifier.weight", "classifier.bias"}));
  EXPECT_THAT(model->buffers(), IsEmpty());
}

TEST(DistilBert, StartsFromAMaskedLanguageModelAndSaysWhatIsNew) {
  const tests::Scratch scratch;
  const auto path = golden_weights(scratch, [](const std::string& name) {
    return name == "pre_classifier.weight"  ? "vocab_transform.weight"
           : name == "pre_classifier.bias"  ? "vocab_layer_norm.bias"
           : name.starts_with("classifier") ? std::string()
                                            : name;
  });
  const auto model = bert_of(small_bert());
  const torch::Tensor before = model->named_parameters()["pre_classifier.weight"].clone();
  EXPECT_THAT(
      load_pretrained(*model, data::WeightsFile(path), "bert"),
      ElementsAre(HasSubstr("the head classifier is not taken from the file"),
                  "bert: tensors that the model does not have, for another task: vocab_layer_norm.bias, "
                  "vocab_transform.weight",
                  "bert: tensors that the file does not have, which start from random values: "
                  "pre_classifier.bias, pre_classifier.weight"));
  EXPECT_TRUE(torch::equal(model->named_parameters()["pre_classifier.weight"], before));
  EXPECT_TRUE(torch::equal(model->named_parameters()["distilbert.transformer.layer.1.ffn.lin1.weight"],
                           golden("distilbert.transformer.layer.1.ffn.lin1.weight", torch::kFloat)));
}

TEST(DistilBert, TakesTheNamesOfTheEncoderAlone) {
  const tests::Scratch scratch;
  const auto path = golden_weights(scratch, [](const std::string& name) {
    const std::string prefix = "distilbert.";
    return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string();
  });
  const auto model = bert_of(small_bert());
  EXPECT_THAT(load_pretrained(*model, data::WeightsFile(path), "bert"), SizeIs(2));
  EXPECT_TRUE(torch::equal(model->named_parameters()["distilbert.embeddings.LayerNorm.weight"],
                           golden("distilbert.embeddings.LayerNorm.weight", torch::kFloat)));
}

TEST(DistilBert, ListsWeightsThatDoNotMatch) {
  const tests::Scratch scratch;
  const auto path = golden_weights(scratch, [](const std::string& name) {
    return name == "distilbert.transformer.layer.1.ffn.lin1.bias" ? "distilbert.other" : name;
  });
  const auto model = bert_of(small_bert());
  EXPECT_THAT([&] { (void)load_pretrained(*model, data::WeightsFile(path), "bert"); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("missing: distilbert.transformer.layer.1.ffn.lin1.bias"),
                        HasSubstr("unexpected: distilbert.other"), Not(HasSubstr("pre_classifier")))));
}

TEST(DistilBert, DrawsBertsInitialValuesFromTheSeed) {
  const auto one = bert_of(small_bert());
  EXPECT_TRUE(torch::equal(one->named_parameters()["classifier.weight"],
                           bert_of(small_bert())->named_parameters()["classifier.weight"]));
  EXPECT_FALSE(torch::equal(one->named_parameters()["classifier.weight"],
                            bert_of(small_bert(), 12, 3, 2)->named_parameters()["classifier.weight"]));
  const torch::Tensor words = one->named_parameters()["distilbert.embeddings.word_embeddings.weight"];
  EXPECT_EQ(words[0].abs().max().item<double>(), 0.0);
  EXPECT_NEAR(words.slice(0, 1).std().item<double>(), 0.02, 0.003);
  EXPECT_EQ(one->named_parameters()["pre_classifier.bias"].abs().max().item<double>(), 0.0);
}

TEST(DistilBert, DropsNumbersInTrainingAsAFunctionOfTheStep) {
  const auto model = bert_of(small_bert());
  DropoutKey key(*model, 5, torch::kCPU);
  EXPECT_TRUE(key.draws());
  const torch::Tensor ids = torch::tensor({{2, 7, 8, 3}, {2, 9, 3, -1}}, torch::kInt);
  model->train();
  const auto at_step = [&](std::int64_t step) {
    key.set_step(step);
    return model->forward(ids).detach();
  };
  const torch::Tensor first = at_step(1);
  EXPECT_FALSE(torch::equal(at_step(2), first));
  EXPECT_TRUE(torch::equal(at_step(1), first));
}

TEST(DistilBert, GivesEveryParameterAGradientThatDifferencesConfirm) {
  const auto model = bert_of(small_bert({{"distilbert_dropout", "0"},
                                         {"distilbert_attention_dropout", "0"},
                                         {"distilbert_head_dropout", "0"}}));
  model->to(torch::kDouble);
  model->train();
  const torch::Tensor ids = torch::tensor({{2, 7, 8, 3}, {2, 9, 3, -1}}, torch::kInt);
  const auto loss = [&] { return model->forward(ids).square().sum(); };
  loss().backward();
  for (const auto& parameter : model->named_parameters()) {
    SCOPED_TRACE(parameter.key());
    torch::Tensor tensor = parameter.value();
    ASSERT_TRUE(tensor.grad().defined());
    const torch::NoGradGuard no_graph;
    // Along the gradient itself.
    const torch::Tensor direction = tensor.grad() / (tensor.grad().norm() + 1e-30);
    constexpr double step = 1e-5;
    tensor.add_(direction, step);
    const double above = loss().item<double>();
    tensor.add_(direction, -2 * step);
    const double below = loss().item<double>();
    tensor.add_(direction, step);
    EXPECT_NEAR((above - below) / (2 * step), tensor.grad().norm().item<double>(),
                1e-6 + 1e-4 * tensor.grad().norm().item<double>());
  }
}

TEST(DistilBert, RefusesWhatItCannotTake) {
  EXPECT_THAT(
      [] {
        (void)bert_of(small_bert({{"distilbert_heads", "5"}}));
      },
      ThrowsMessage<std::invalid_argument>(
          "distilbert_heads: expected a divisor of distilbert_dim, 12, got 5"));
  EXPECT_THAT([] { (void)bert_of(small_bert(), 13); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("distilbert: expected rows of 2 to 12 token ids (distilbert_positions)")));
  const auto model = bert_of(small_bert());
  EXPECT_THAT(
      [&] {
        (void)model->features(torch::zeros({2, 4}));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("inputs: expected token ids, integers of shape")));
  EXPECT_THAT(
      [&] {
        (void)model->features(torch::full({1, 4}, 40, torch::kInt));
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("distilbert_vocabulary: expected more than the largest token id, 40, got 40")));
}

}  // namespace
}  // namespace pair::models::distilbert_test
