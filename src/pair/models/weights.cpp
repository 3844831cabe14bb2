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

#include "pair/base/tables.h"
#include "pair/models/model.h"
#include "pair/models/other_task.h"

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

// "a, b and 3 more"
std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  const std::string text = base::joined(std::span(names).first(std::min(names.size(), most)));
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

// "; missing: a, b and 3 more", or empty for no names.
std::string listed(const char* kind, const std::vector<std::string>& names) {
  return names.empty() ? "" : std::string("; ") + kind + ": " + first_names(names);
}

bool may_be_missing(const std::string& name) {
  return name == "num_batches_tracked" || name.ends_with(".num_batches_tracked");
}

using State = std::map<std::string, torch::Tensor>;
using Stored = std::map<std::string, const data::TensorView*>;

// The stored tensors by the names of the state. Throws std::runtime_error if they do not match.
template <class Rename>
Stored match(const State& state, const std::vector<data::TensorView>& tensors, const Rename& rename,
             const std::string& path) {
  Stored stored;
  std::vector<std::string> unexpected;
  for (const data::TensorView& view : tensors) {
    const std::string own = rename(view.name);
    if (!state.contains(own) || !stored.emplace(own, &view).second) {
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
      misshapen.push_back(name + " (expected " + data::shown_shape(tensor.sizes()) + ", got " +
                          data::shown_shape(view.shape) + ")");
    } else if (!tensor.is_floating_point() && torch::isFloatingType(scalar_of(view.dtype))) {
      misshapen.push_back(name + " (expected integers of type " +
                          std::string(torch::toString(tensor.scalar_type())) + ", got " +
                          std::string(data::name_of(view.dtype)) + ")");
    }
  }
  std::ranges::sort(unexpected);
  if (!missing.empty() || !unexpected.empty() || !misshapen.empty()) {
    throw std::runtime_error(path + " does not match the model" + listed("missing", missing) +
                             listed("unexpected", unexpected) + listed("misshapen", misshapen));
  }
  return stored;
}

// The file's numbers may be unaligned, so they are copied.
torch::Tensor tensor_of(const data::TensorView& view) {
  torch::Tensor rows = torch::empty(view.shape, scalar_of(view.dtype));
  if (!view.bytes.empty()) {
    std::memcpy(rows.data_ptr(), view.bytes.data(), view.bytes.size());
  }
  return rows;
}

void assign(State& state, const Stored& stored) {
  const torch::NoGradGuard no_graph;
  for (const auto& [name, view] : stored) {
    state.at(name).copy_(tensor_of(*view));
  }
}

bool is_for_other_channels(const torch::Tensor& weight, const data::TensorView& view) {
  return view.shape.size() == 4 && weight.dim() == 4 && view.shape[1] != weight.size(1) &&
         view.shape[1] > 0 && view.shape[0] == weight.size(0) && view.shape[2] == weight.size(2) &&
         view.shape[3] == weight.size(3);
}

torch::Tensor repeated_filters(const torch::Tensor& weight, std::int64_t channels) {
  return weight.index_select(1, torch::arange(channels).remainder(weight.size(1))).contiguous();
}

// Takes the tensors that the file lacks and that may start from random values out of the state, and returns
// their names.
std::vector<std::string> left_random(State& state, const std::vector<data::TensorView>& views,
                                     const Model& model, const StartsFromOtherTask& starts) {
  std::vector<std::string> names;
  for (const auto& entry : state) {
    const std::string& own = entry.first;
    const bool stored = std::ranges::any_of(
        views, [&](const data::TensorView& view) { return model.name_of_weight(view.name) == own; });
    if (!stored && starts.may_start_random(own)) {
      names.push_back(own);
    }
  }
  for (const std::string& own : names) {
    state.erase(own);
  }
  return names;
}

std::string name_of_child(const torch::nn::Module& module, const torch::nn::Linear& child) {
  for (const auto& item : module.named_children()) {
    if (item.value().get() == child.get()) {
      return item.key();
    }
  }
  return {};
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
  std::map<std::string, torch::Tensor> state = named_state(module);
  assign(state, match(
                    state, file.tensors(), [](const std::string& name) { return name; }, path.string()));
}

std::vector<std::string> load_pretrained(Model& model, const data::WeightsFile& file,
                                         const std::string& name) {
  std::vector<std::string> notices;
  std::map<std::string, torch::Tensor> state = named_state(model);
  const std::string head = name_of_child(model, model.head);
  std::vector<data::TensorView> views;
  std::vector<std::string> head_shapes;
  const std::string first = model.first_convolution();
  std::vector<torch::Tensor> kept;  // keeps the numbers that the views refer to alive
  const auto* const starts = dynamic_cast<const StartsFromOtherTask*>(&model);
  std::vector<std::string> unused;
  for (const data::TensorView& view : file.tensors()) {
    if (starts != nullptr && starts->is_of_other_task(view.name)) {
      unused.push_back(view.name);
      continue;
    }
    const std::string own = model.name_of_weight(view.name);
    const auto found = state.find(own);
    if (found != state.end() && own == first && is_for_other_channels(found->second, view)) {
      const torch::Tensor& repeated =
          kept.emplace_back(repeated_filters(tensor_of(view), found->second.size(1)));
      notices.push_back(name + ": the filters of " + std::to_string(view.shape[1]) + " channels in its " +
                        view.name + " are repeated for " + std::to_string(found->second.size(1)));
      views.push_back({view.name,
                       view.dtype,
                       repeated.sizes().vec(),
                       {static_cast<const std::uint8_t*>(repeated.data_ptr()),
                        static_cast<std::size_t>(repeated.nbytes())}});
      continue;
    }
    if (own.starts_with(head + ".") && found != state.end() &&
        found->second.sizes() != torch::IntArrayRef(view.shape)) {
      head_shapes.push_back(view.name + " " + data::shown_shape(view.shape));
      continue;
    }
    views.push_back(view);
  }
  // Half a head is none.
  const auto is_of_head = [&](const data::TensorView& view) {
    return model.name_of_weight(view.name).starts_with(head + ".");
  };
  const bool has_head = head_shapes.empty() && std::ranges::any_of(views, is_of_head);
  if (!has_head) {
    std::erase_if(views, is_of_head);
    std::erase_if(state, [&head](const auto& entry) { return entry.first.starts_with(head + "."); });
    notices.push_back(name + ": the head " + head +
                      " is not taken from the file, but starts from random values: expected " +
                      data::shown_shape(model.head->weight.sizes()) + ", got " +
                      (head_shapes.empty() ? std::string("none") : base::joined(head_shapes, ", ")));
  }
  const std::vector<std::string> random =
      starts == nullptr ? std::vector<std::string>{} : left_random(state, views, model, *starts);
  if (!unused.empty()) {
    notices.push_back(name +
                      ": tensors that the model does not have, for another task: " + first_names(unused));
  }
  if (!random.empty()) {
    notices.push_back(name + ": tensors that the file does not have, which start from random values: " +
                      first_names(random));
  }
  assign(state, match(
                    state, views,
                    [&model](const std::string& stored) { return model.name_of_weight(stored); }, name));
  return notices;
}

}  // namespace pair::models
