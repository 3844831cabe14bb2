#include "pair/data/inputs.h"

#include <iterator>
#include <stdexcept>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/base/registry.h"
#include "pair/data/input_kinds.h"
#include "pair/data/sampler.h"

namespace pair::data {

// Not in an anonymous namespace: the functions declared inside would be members of it.
static const std::vector<InputKind>& input_kinds() {
  static const std::vector<InputKind> all = [] {
    std::vector<InputKind> list;
    // clang-format off
    // One line per kind.
    { extern InputKind image_inputs(); list.push_back(image_inputs()); }
    { extern InputKind digit_inputs(); list.push_back(digit_inputs()); }
    { extern InputKind number_inputs(); list.push_back(number_inputs()); }
    { extern InputKind table_inputs(); list.push_back(table_inputs()); }
    { extern InputKind text_inputs(); list.push_back(text_inputs()); }
    // clang-format on
    return list;
  }();
  return all;
}

const InputKind& input_kind_named(std::string_view name) {
  return base::named(input_kinds(), "kind of inputs", name);
}

std::unique_ptr<Inputs> open_inputs(const InputForm& form, std::vector<std::string> inputs, std::istream& in,
                                    const ReadingOptions& options) {
  if (form.kind.empty()) {
    throw std::invalid_argument(
        "inputs: expected a model whose dataset defines how files become inputs, got one without that "
        "definition");
  }
  const InputKind& kind = input_kind_named(form.kind);
  base::check(form.options);
  base::require_integer("batch", options.batch, 1, largest_batch);
  if (options.channel && (*options.channel < 0 || *options.channel > 1)) {
    throw std::invalid_argument("channel: expected 0 or 1, got " + std::to_string(*options.channel));
  }
  if (options.channel && !kind.takes_channel) {
    throw std::invalid_argument("channel: expected a model of coloured digits, got one of the kind '" +
                                form.kind + "'");
  }
  return kind.open(form.options, std::move(inputs), in, options);
}

std::optional<InputBatch> batch_of(std::vector<std::string> names, const std::vector<float>& numbers,
                                   const std::vector<std::int64_t>& shape) {
  if (names.empty()) {
    return std::nullopt;
  }
  std::vector<std::int64_t> sizes = shape;
  sizes.insert(sizes.begin(), std::ssize(names));
  return InputBatch{std::move(names), torch::tensor(numbers, torch::kFloat).view(sizes)};
}

}  // namespace pair::data
