#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pair/cli/list.h"

namespace pair::cli {

// Of anything with names and summaries.
template <class Infos>
std::vector<Listed> listed(const Infos& infos) {
  std::vector<Listed> entries;
  entries.reserve(std::size(infos));
  for (const auto& info : infos) {
    entries.push_back({std::string(info.name), std::string(info.summary)});
  }
  return entries;
}

using Entries = std::function<std::vector<Listed>()>;

// What 'pair list' knows about training. Objectives and models are given, since to ask for them takes
// LibTorch.
std::vector<ListKind> lists_for_training(Entries objectives, Entries models);

}  // namespace pair::cli
