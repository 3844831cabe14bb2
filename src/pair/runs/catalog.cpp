#include "pair/runs/catalog.h"

#include "pair/models/model.h"
#include "pair/objectives/objective.h"

namespace pair::runs {
namespace {

template <class Infos>
std::vector<CatalogEntry> entries_of(const Infos& infos) {
  std::vector<CatalogEntry> entries;
  for (const auto& info : infos) {
    entries.push_back({info.name, info.summary});
  }
  return entries;
}

}  // namespace

std::vector<CatalogEntry> known_objectives() {
  return entries_of(objectives::objectives());
}

std::vector<CatalogEntry> known_models() {
  return entries_of(models::models());
}

}  // namespace pair::runs
