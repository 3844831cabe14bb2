#pragma once

#include <string_view>
#include <vector>

// What objectives/ and models/ have, for those who only list it and would rather not compile torch.

namespace pair::runs {

struct CatalogEntry {
  std::string_view name;
  std::string_view summary;
};

std::vector<CatalogEntry> known_objectives();
std::vector<CatalogEntry> known_models();

}  // namespace pair::runs
