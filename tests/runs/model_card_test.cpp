#include "pair/runs/model_card.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "pair/models/registry.h"

namespace pair::runs {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

ModelCard pets() {
  ModelCard card;
  card.model = "mlp";
  card.model_options = models::options_of("mlp", {{"width", "7"}});
  card.input_shape = {3, 4, 5};
  card.outputs = 2;
  card.loss = data::TaskLoss::cross_entropy;
  card.classes = {"cat", "dog"};
  card.input = data::form_of(data::ImageInput{.rows = 4, .columns = 5, .mean = {0.5, 0.25, 0.125}});
  card.dataset = "images";
  card.dataset_options = {{"folder", std::string("pets")}, {"holdout", 0.25}};
  card.environments = {"art", "photo"};
  card.test_environments = {1};
  card.metrics = {"accuracy"};
  card.algorithm = "pair";
  card.seed = 18'446'744'073'709'551'615U;
  card.steps = 501;
  card.run = "0123456789abcdef";
  card.weights_sha256 = std::string(64, 'a');
  return card;
}

TEST(ModelCard, IsTheSameAfterWritingAndReading) {
  const ModelCard card = card_from_text(to_text(pets()));
  EXPECT_EQ(to_text(card), to_text(pets()));
  EXPECT_EQ(card.model_options, pets().model_options);
  EXPECT_EQ(card.seed, pets().seed);
  EXPECT_EQ(card.dataset_options, pets().dataset_options);
  EXPECT_THAT(card.input.options.as<data::ImageInput>().mean, ElementsAre(0.5, 0.25, 0.125));
  EXPECT_THAT(class_names(card), ElementsAre("cat", "dog"));
}

TEST(ModelCard, LeavesOutHowStepsWereComputed) {
  ModelCard card = pets();
  card.model = "mnist_cnn";
  card.model_options = models::options_of("mnist_cnn", {{"half", "true"}});
  const std::string text = to_text(card);
  EXPECT_FALSE(json::parse(text).at("architecture").at("options").contains("half")) << text;
  EXPECT_EQ(card_from_text(text).model_options, models::options_of("mnist_cnn", {}));
}

TEST(ModelCard, HasNumbersWhereClassesHaveNoNames) {
  ModelCard card = pets();
  card.classes.clear();
  EXPECT_THAT(class_names(card_from_text(to_text(card))), ElementsAre("0", "1"));
  card.loss = data::TaskLoss::binary_cross_entropy;
  card.outputs = 1;
  EXPECT_THAT(class_names(card), ElementsAre("0", "1"));
  card.loss = data::TaskLoss::squared_error;
  EXPECT_THAT(class_names(card), IsEmpty());
}

TEST(ModelCard, ReadsInputsWithoutColumnNamesAndWithoutAKind) {
  ModelCard card = pets();
  card.input = data::form_of(data::NumbersInput{});
  EXPECT_THAT(card_from_text(to_text(card)).input.options.as<data::NumbersInput>().columns, IsEmpty());
  card.input = {};
  EXPECT_EQ(card_from_text(to_text(card)).input.kind, "");
}

struct Damage {
  const char* pointer;  // into the object
  json value;           // null: the key is removed
  const char* sentence;
};

TEST(ModelCard, SaysWhatIsWrong) {
  for (const Damage& damage : std::vector<Damage>{
           {"/format", 2, "format: expected 1, got 2"},
           {"/format", nullptr, "expected a JSON object with \"format\""},
           {"/architecture/name", "mpl", "did you mean 'mlp'"},
           {"/architecture/options/width", 0, "width: expected an integer from 1 to 65536, got"},
           {"/architecture/options/units", 3, "expected an option of the model 'mlp', got 'units'"},
           {"/architecture/options/width", json::object(), "width: expected an integer"},
           {"/architecture/options", 3, "expected"},
           {"/loss", "hinge", "unknown loss 'hinge'"},
           {"/loss", nullptr, "key 'loss' not found"},
           {"/outputs", 0, "outputs: expected 1 or more, got 0"},
           {"/outputs", "two", "expected the content of a model.json"},
           {"/classes", {"cat"}, "classes: expected 2 names, got 1"},
           {"/input/shape", {3, 0}, "shape: expected sizes from 1"},
           {"/input/shape", {1 << 20, 1 << 20, 1 << 30}, "shape: expected sizes from 1"},
           {"/input/kind", "sound",
            "unknown kind of inputs 'sound'. Known: image, digit, numbers, table, text"},
           {"/input/std", {1, 0, 1}, "std: expected"},
           {"/weights_sha256", nullptr, "key 'weights_sha256' not found"}}) {
    json object = json::parse(to_text(pets()));
    const json::json_pointer place(damage.pointer);
    if (damage.value.is_null()) {
      object.erase(std::string(damage.pointer).substr(1));
    } else {
      object[place] = damage.value;
    }
    EXPECT_THAT([&] { (void)card_from_text(object.dump()); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(damage.sentence)))
        << damage.pointer;
  }
  EXPECT_THAT([] { (void)card_from_text("{"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("expected JSON")));
  EXPECT_THAT([] { (void)card_from_text("[1]"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("expected a JSON object")));
}

}  // namespace
}  // namespace pair::runs
