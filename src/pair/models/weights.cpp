#include "pair/models/weights.h"

#include <torch/utils.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pair::models {
namespace {

using data::DType;

struct TypePair {
  DType dtype;
  torch::ScalarType scalar;
};

constexpr std::array type_pairs{TypePair{DType::f64, torch::kDouble}, TypePair{DType::f32, torch::kFloat},
                                TypePair{DType::f16, torch::kHalf},   TypePair{DType::bf16, torch::kBFloat16},
                                TypePair{DType::i64, torch::kLong},   TypePair{DType::i32, torch::kInt},
                                TypePair{DType::i16, torch::kShort},  TypePair{DType::i8, torch::kChar},
                                TypePair{DType::u8, torch::kByte},    TypePair{DType::boolean, torch::kBool}};

torch::ScalarType scalar_of(DType dtype) {
  return std::ranges::find(type_pairs, dtype, &TypePair::dtype)->scalar;
}

// Parameters and buffers by dotted name. The tensors share the module's memory.
std::map<std::string, torch::Tensor> named_state(const torch::nn::Module& module) {
  std::map<std::string, torch::Tensor> state;
  for (const auto& list : {module.named_parameters(), module.named_buffers()}) {
    for (const auto& item : list) {
      if (item.value().defined()) {  // BatchNorm without running statistics has undefined buffers
        state.emplace(item.key(), item.value());
      }
    }
  }
  return state;
}

// "missing: a, b and 3 more", or empty for no names.
std::string listed(const char* kind, const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  if (names.empty()) {
    return "";
  }
  std::string text = std::string("; ") + kind + ": ";
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

std::string shown_sizes(std::span<const std::int64_t> sizes) {
  std::string text;
  for (const std::int64_t size : sizes) {
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  }
  return "[" + text + "]";
}

bool may_be_missing(const std::string& name) {
  return name == "num_batches_tracked" || name.ends_with(".num_batches_tracked");
}

}  // namespace

void save_weights(const torch::nn::Module& module, const std::filesystem::path& path,
                  data::Metadata metadata) {
  const torch::NoGradGuard no_graph;
  metadata.try_emplace("format", "pt");
  std::vector<data::TensorView> views;
  std::vector<torch::Tensor> kept;  // keeps the rows that the views refer to alive
  for (const auto& [name, tensor] : named_state(module)) {
    const auto* const type = std::ranges::find(type_pairs, tensor.scalar_type(), &TypePair::scalar);
    if (type == type_pairs.end() || tensor.layout() != torch::kStrided) {
      throw std::invalid_argument("cannot save " + name + " of type " +
                                  std::string(torch::toString(tensor.scalar_type())) +
                                  ": expected dense numbers of a type that safetensors has");
    }
    const torch::Tensor& rows = kept.emplace_back(tensor.detach().cpu().contiguous());
    views.push_back(
        {name,
         type->dtype,
         rows.sizes().vec(),
         {static_cast<const std::uint8_t*>(rows.data_ptr()), static_cast<std::size_t>(rows.nbytes())}});
  }
  data::write_safetensors(path, views, metadata);
}

void load_weights(torch::nn::Module& module, const std::filesystem::path& path) {
  const data::SafetensorsFile file(path);
  const std::map<std::string, torch::Tensor> state = named_state(module);

  std::map<std::string, const data::TensorView*> stored;
  std::vector<std::string> unexpected;
  for (const data::TensorView& view : file.tensors()) {
    if (state.contains(view.name)) {
      stored.emplace(view.name, &view);
    } else {
      unexpected.push_back(view.name);
    }
  }
  std::vector<std::string> missing;
  std::vector<std::string> misshapen;
  for (const auto& [name, tensor] : state) {
    const auto found = stored.find(name);
    if (found == stored.end()) {
      if (!may_be_missing(name)) {
        missing.push_back(name);
      }
      continue;
    }
    const data::TensorView& view = *found->second;
    if (tensor.sizes() != torch::IntArrayRef(view.shape)) {
      misshapen.push_back(name + " (expected " + shown_sizes(tensor.sizes()) + ", got " +
                          shown_sizes(view.shape) + ")");
    } else if (!tensor.is_floating_point() && torch::isFloatingType(scalar_of(view.dtype))) {
      misshapen.push_back(name + " (expected integers of type " +
                          std::string(torch::toString(tensor.scalar_type())) + ", got " +
                          std::string(data::name_of(view.dtype)) + ")");
    }
  }
  std::ranges::sort(unexpected);
  if (!missing.empty() || !unexpected.empty() || !misshapen.empty()) {
    throw std::runtime_error(path.string() + " does not match the model" + listed("missing", missing) +
                             listed("unexpected", unexpected) + listed("misshapen", misshapen));
  }

  const torch::NoGradGuard no_graph;
  for (const auto& [name, view] : stored) {
    // The file's numbers may be unaligned, so they are copied into a tensor first.
    const torch::Tensor rows = torch::empty(view->shape, scalar_of(view->dtype));
    if (!view->bytes.empty()) {
      std::memcpy(rows.data_ptr(), view->bytes.data(), view->bytes.size());
    }
    torch::Tensor target = state.at(name);
    target.copy_(rows);
  }
}

}  // namespace pair::models
