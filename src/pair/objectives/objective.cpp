#include "pair/objectives/objective.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/objectives/clove.h"
#include "pair/objectives/coral.h"
#include "pair/objectives/erm.h"
#include "pair/objectives/fishr.h"
#include "pair/objectives/group_dro.h"
#include "pair/objectives/ib.h"
#include "pair/objectives/iga.h"
#include "pair/objectives/irmv1.h"
#include "pair/objectives/losses.h"
#include "pair/objectives/mmd.h"
#include "pair/objectives/sd.h"
#include "pair/objectives/vrex.h"
#include "pair/objectives/worst_risk.h"

namespace pair::objectives {
namespace {

using Options = ObjectiveOptions;
using Made = std::unique_ptr<Objective>;

struct Entry {
  ObjectiveInfo info;
  Made (*make)(const Options&);
};

constexpr std::array entries = {
    Entry{{"erm", "mean of the environments' risks"},
          [](const Options&) -> Made { return std::make_unique<Erm>(); }},
    Entry{{"irmv1", "squared derivative of the risk in a multiplier of the logits"},
          [](const Options& o) -> Made {
            return o.irmv1_unbiased ? std::make_unique<Irmv1>(o.irmv1_negative, o.irmv1_constant)
                                    : std::make_unique<Irmv1>();
          }},
    Entry{{"vrex", "variance of the risks", true},
          [](const Options&) -> Made { return std::make_unique<Vrex>(); }},
    Entry{{"ib", "variance of the features within environments"},
          [](const Options&) -> Made { return std::make_unique<Ib>(); }},
    Entry{{"fishr", "disagreement of the head's gradient variances", true},
          [](const Options& o) -> Made { return std::make_unique<Fishr>(o.fishr_ema, o.fishr_mean); }},
    Entry{{"clove", "kernel calibration error of the environments"},
          [](const Options& o) -> Made { return std::make_unique<Clove>(o.clove_batch, o.clove_width); }},
    Entry{{"iga", "variance of the risks' gradients in all parameters", true},
          [](const Options&) -> Made { return std::make_unique<Iga>(); }},
    Entry{{"sd", "mean square of the logits"}, [](const Options&) -> Made { return std::make_unique<Sd>(); }},
    Entry{{"group_dro", "risks under weights that follow the worst"},
          [](const Options& o) -> Made { return std::make_unique<GroupDro>(o.groupdro_rate); }},
    Entry{{"coral", "distance of the features' means and covariances, pair by pair", true},
          [](const Options&) -> Made { return std::make_unique<Coral>(); }},
    Entry{{"mmd", "kernel distance of the features' distributions, pair by pair", true},
          [](const Options&) -> Made { return std::make_unique<Mmd>(); }},
    Entry{{"worst_risk", "largest of the environments' risks"},
          [](const Options&) -> Made { return std::make_unique<WorstRisk>(); }},
};

constexpr auto infos = [] {
  std::array<ObjectiveInfo, entries.size()> all{};
  std::transform(entries.begin(), entries.end(), all.begin(), [](const Entry& entry) { return entry.info; });
  return all;
}();

constexpr auto names = [] {
  std::array<std::string_view, entries.size()> all{};
  std::transform(entries.begin(), entries.end(), all.begin(),
                 [](const Entry& entry) { return entry.info.name; });
  return all;
}();

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw std::invalid_argument(message.str());
}

}  // namespace

torch::Tensor labels_for(const torch::Tensor& labels, std::int64_t n, std::int64_t k,
                         const std::vector<std::int64_t>& sizes, data::TaskLoss loss,
                         torch::ScalarType type) {
  if (labels.dim() != 1 || labels.size(0) != n) {
    refuse("labels have shape ", labels.sizes(), "; accepted is [", n, "], as there are ", n, " logits");
  }
  if (sizes.empty() || *std::min_element(sizes.begin(), sizes.end()) < 1 ||
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != n) {
    refuse("environments have ", at::IntArrayRef(sizes), " samples; accepted are numbers from 1 that sum to ",
           n);
  }
  if (loss == data::TaskLoss::cross_entropy) {
    if (labels.scalar_type() != torch::kInt64) {
      refuse("labels of classes have type ", labels.scalar_type(), "; accepted is ", torch::kInt64);
    }
    return labels;
  }
  if (k != 1) {
    refuse("logits have shape [", n, ", ", k, "]; accepted is [n, 1] for the loss '", data::to_string(loss),
           "'");
  }
  return labels.to(type);
}

HeadView view_of(torch::Tensor features, torch::Tensor logits, torch::Tensor labels,
                 std::vector<std::int64_t> sizes, data::TaskLoss loss, bool with_risks) {
  if (logits.dim() != 2) {
    refuse("logits have shape ", logits.sizes(), "; accepted is [n, k]");
  }
  const std::int64_t n = logits.size(0);
  if (features.dim() != 2 || features.size(0) != n) {
    refuse("features have shape ", features.sizes(), "; accepted is [", n, ", d], as there are ", n,
           " logits");
  }
  labels = labels_for(labels, n, logits.size(1), sizes, loss, logits.scalar_type());
  torch::Tensor risks = with_risks ? risks_of(loss, logits, labels, sizes) : torch::Tensor();
  return {std::move(features),
          std::move(logits),
          std::move(labels),
          std::move(sizes),
          loss,
          std::move(risks),
          {},
          {}};
}

std::span<const ObjectiveInfo> objectives() {
  return infos;
}

std::unique_ptr<Objective> make_objective(std::string_view name, const ObjectiveOptions& options) {
  for (const Entry& entry : entries) {
    if (entry.info.name == name) {
      return entry.make(options);
    }
  }
  throw std::invalid_argument(base::unknown_name("objective", name, names));
}

}  // namespace pair::objectives
