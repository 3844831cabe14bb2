#include "pair/bench/pictures.h"

#include <algorithm>
#include <string>

#include "pair/data/random.h"

namespace pair::bench {
namespace {

data::Environment pictures(std::string key, std::int64_t samples, data::Random& random) {
  data::Environment environment;
  environment.key = std::move(key);
  environment.inputs = torch::empty({samples, 2, 28, 28}, torch::kByte);
  environment.labels = torch::empty({samples}, torch::kLong);
  std::uint8_t* const pixels = environment.inputs.data_ptr<std::uint8_t>();
  std::generate(pixels, pixels + environment.inputs.numel(),
                [&] { return static_cast<std::uint8_t>(random.bits() >> 56U); });
  std::int64_t* const labels = environment.labels.data_ptr<std::int64_t>();
  std::generate(labels, labels + samples, [&] { return static_cast<std::int64_t>(random.below(2)); });
  return environment;
}

}  // namespace

std::shared_ptr<const data::EnvironmentSet> domainbed_pictures(int environments, std::int64_t samples,
                                                               std::int64_t held_out) {
  auto set = std::make_shared<data::EnvironmentSet>();
  set->name = "pictures";
  set->loss = data::TaskLoss::cross_entropy;
  set->outputs = 2;
  data::Random random(0, "pictures");
  for (int e = 0; e < environments; ++e) {
    set->train.push_back(pictures("env" + std::to_string(e) + "_in", samples, random));
  }
  if (held_out > 0) {
    set->held_out.push_back(pictures("held_out", held_out, random));
  }
  return set;
}

}  // namespace pair::bench
