#include "pair/data/inputs.h"

#include <stdexcept>

#include "pair/base/numbers.h"
#include "pair/base/registry.h"

namespace pair::data {
namespace {

using Open = std::unique_ptr<Inputs>(const base::Options&, std::vector<std::string>, std::istream&,
                                     const ReadingOptions&);

struct InputKind {
  std::string name;
  Open* open = nullptr;
};

}  // namespace

static const std::vector<InputKind>& input_kinds() {
  static const std::vector<InputKind> all = [] {
    std::vector<InputKind> list;
    // clang-format off
    // One line per kind.
    { extern Open open_images; list.push_back({"image", open_images}); }
    { extern Open open_digits; list.push_back({"digit", open_digits}); }
    { extern Open open_numbers; list.push_back({"numbers", open_numbers}); }
    { extern Open open_tables; list.push_back({"table", open_tables}); }
    { extern Open open_texts; list.push_back({"text", open_texts}); }
    // clang-format on
    return list;
  }();
  return all;
}

std::unique_ptr<Inputs> open_inputs(const InputForm& form, std::vector<std::string> inputs, std::istream& in,
                                    const ReadingOptions& options) {
  if (form.kind.empty()) {
    throw std::invalid_argument(
        "inputs: expected a model whose dataset defines how files become inputs, got one without that "
        "definition");
  }
  const InputKind& kind = base::named(input_kinds(), "kind of inputs", form.kind);
  base::check(form.options);
  base::require_integer("batch", options.batch, 1, 1'000'000);
  if (options.channel && (*options.channel < 0 || *options.channel > 1)) {
    throw std::invalid_argument("channel: expected 0 or 1, got " + std::to_string(*options.channel));
  }
  if (options.channel && form.kind != "digit") {
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
