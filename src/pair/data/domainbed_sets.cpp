#include "pair/data/domainbed_sets.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/data/image_folder.h"

namespace pair::data {

const std::vector<DomainBedSet>& domainbed_sets() {
  static const std::vector<DomainBedSet> all = {
      {"PACS", "PACS", {"art_painting", "cartoon", "photo", "sketch"}, 7, 9'991, 300},
      {"VLCS", "VLCS", {"Caltech101", "LabelMe", "SUN09", "VOC2007"}, 5, 10'729, 300},
      {"OfficeHome", "office_home", {"Art", "Clipart", "Product", "Real World"}, 65, 15'588, 300},
      {"TerraIncognita",
       "terra_incognita",
       {"location_100", "location_38", "location_43", "location_46"},
       10,
       24'788,
       300},
      {"DomainNet",
       "domain_net",
       {"clipart", "infograph", "painting", "quickdraw", "real", "sketch"},
       345,
       586'575,
       1000,
       5},
  };
  return all;
}

const DomainBedSet& domainbed_set_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const DomainBedSet& set : domainbed_sets()) {
    if (base::plain_name(set.name) == base::plain_name(name)) {
      return set;
    }
    names.push_back(set.name);
  }
  throw std::invalid_argument(base::unknown_name("dataset", name, names));
}

CheckedSet check_domainbed_set(const DomainBedSet& set, const std::filesystem::path& root) {
  CheckedSet checked;
  checked.folder = root / set.folder;
  const auto problem = [&checked](std::string sentence) { checked.problems.push_back(std::move(sentence)); };
  if (const std::string fault = base::folder_fault(checked.folder); !fault.empty()) {
    problem(checked.folder.string() + ": expected the folder of " + std::string(set.name) +
            ", got a path that " + fault);
    return checked;
  }
  std::vector<std::string> found;
  try {
    found = environments_in(checked.folder);
  } catch (const std::runtime_error& error) {
    problem(error.what());
    return checked;
  }
  for (const std::string_view expected : set.environments) {
    if (std::ranges::find(found, expected) == found.end()) {
      problem((checked.folder / expected).string() + ": expected a folder of this environment, got none");
    }
  }
  for (const std::string& name : found) {
    if (std::ranges::find(set.environments, name) == set.environments.end()) {
      problem(
          (checked.folder / name).string() +
          ": expected only the environments of the set, got this folder, which DomainBed would count as one");
    }
  }
  if (!checked.problems.empty()) {
    return checked;
  }
  try {
    // The first environment counts as a test: nothing is split or read.
    const ImageFolder images(checked.folder, {.fewest = 1});
    std::vector<std::int64_t> counts(images.environments().size(), 0);
    for (std::size_t i = 0; i < images.size(); ++i) {
      ++counts[static_cast<std::size_t>(images.sample(i).environment)];
    }
    for (std::size_t e = 0; e < counts.size(); ++e) {
      checked.environments.emplace_back(images.environments()[e], counts[e]);
      checked.images += counts[e];
    }
    if (static_cast<std::int64_t>(images.classes().size()) != set.classes) {
      problem(checked.folder.string() + ": expected " + std::to_string(set.classes) + " classes, got " +
              std::to_string(images.classes().size()));
    }
    for (const ImageFolder::Missing& missing : images.missing()) {
      problem((checked.folder / missing.environment).string() + ": expected images of the class '" +
              base::printable(missing.class_name) + "', got none");
    }
    const auto [unknown, misplaced] = images.skipped();
    if (unknown + misplaced > 0) {
      checked.notes.push_back(checked.folder.string() + ": " + std::to_string(unknown + misplaced) +
                              " entries are not images at ENVIRONMENT/CLASS/FILE and are skipped");
    }
    if (checked.images != set.images) {
      checked.notes.push_back(checked.folder.string() + ": the published set has " +
                              std::to_string(set.images) + " images, this folder " +
                              std::to_string(checked.images));
    }
  } catch (const std::exception& error) {
    problem(error.what());
  }
  return checked;
}

}  // namespace pair::data
