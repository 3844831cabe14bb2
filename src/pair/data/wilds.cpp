#include "pair/data/wilds.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/data/cell.h"

namespace pair::data {

// Not in an anonymous namespace: the functions declared inside would be members of it.
const std::vector<WildsKind>& wilds_kinds() {
  static const std::vector<WildsKind> all = [] {
    std::vector<WildsKind> list;
    // clang-format off
    // One line per dataset.
    { extern WildsKind wilds_camelyon17(); list.push_back(wilds_camelyon17()); }
    { extern WildsKind wilds_civilcomments(); list.push_back(wilds_civilcomments()); }
    { extern WildsKind wilds_fmow(); list.push_back(wilds_fmow()); }
    { extern WildsKind wilds_iwildcam(); list.push_back(wilds_iwildcam()); }
    { extern WildsKind wilds_poverty(); list.push_back(wilds_poverty()); }
    { extern WildsKind wilds_rxrx1(); list.push_back(wilds_rxrx1()); }
    // clang-format on
    return list;
  }();
  return all;
}

const WildsKind* find_wilds(std::string_view name) {
  const auto found = std::ranges::find(wilds_kinds(), name, &WildsKind::name);
  return found == wilds_kinds().end() ? nullptr : &*found;
}

const WildsKind& wilds_named(std::string_view name) {
  if (const WildsKind* const kind = find_wilds(name)) {
    return *kind;
  }
  std::vector<std::string_view> known;
  for (const WildsKind& kind : wilds_kinds()) {
    known.push_back(kind.name);
  }
  throw std::invalid_argument(base::unknown_name("WILDS dataset", name, known));
}

std::size_t WildsSet::field(std::string_view wanted) const {
  const auto found = std::ranges::find(fields, wanted);
  if (found == fields.end()) {
    throw std::invalid_argument("field: expected one of the metadata of " + name + ", got '" +
                                std::string(wanted) + "'");
  }
  return static_cast<std::size_t>(found - fields.begin());
}

double WildsSet::label(std::size_t sample) const {
  return value(sample, field("y"));
}

std::vector<std::size_t> WildsSet::samples_of(Split wanted) const {
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < size(); ++i) {
    if (split[i] == wanted) {
      samples.push_back(i);
    }
  }
  return samples;
}

double score_named(const WildsScores& scores, std::string_view name) {
  const auto found = std::ranges::find(scores, name, &WildsScores::value_type::first);
  if (found == scores.end()) {
    throw std::out_of_range("score: expected one that the dataset has, got '" + std::string(name) + "'");
  }
  return found->second;
}

std::filesystem::path wilds_folder(const WildsKind& kind, const std::filesystem::path& root) {
  const std::string version(kind.version);
  std::filesystem::path folder = root / (std::string(kind.name) + "_v" + version);
  const std::string fault = base::folder_fault(folder);
  if (fault == "does not exist" && base::folder_fault(root).empty()) {
    const std::string begin = std::string(kind.name) + "_v";
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
      if (entry.path().filename().string().starts_with(begin)) {
        throw std::invalid_argument(root.string() + ": expected version " + version + " of " +
                                    std::string(kind.name) + ", got '" +
                                    base::printable(entry.path().filename().string()) + "'");
      }
    }
  }
  if (!fault.empty()) {
    throw std::invalid_argument(folder.string() + ": expected the folder of " + std::string(kind.name) + " " +
                                version + ", got one that " + fault);
  }
  const std::filesystem::path release = folder / ("RELEASE_v" + version + ".txt");
  if (!base::is_there(release)) {
    throw std::invalid_argument(release.string() +
                                ": expected this file of the release, got none; WILDS takes a folder without "
                                "it for another version or an incomplete download");
  }
  return folder;
}

WildsSet read_wilds(const WildsKind& kind, const std::filesystem::path& root, const WildsOptions& options) {
  if (options.fold < 'A' || options.fold > 'E') {
    throw std::invalid_argument(std::string("fold: expected A, B, C, D or E, got '") + options.fold + "'");
  }
  const std::filesystem::path folder = wilds_folder(kind, root);
  WildsSet set = kind.read(folder, options);
  set.name = kind.name;
  set.folder = folder;
  if (set.size() == 0) {
    throw std::invalid_argument(folder.string() + ": expected at least one sample, got none");
  }
  return set;
}

std::vector<std::string> missing_inputs(const WildsSet& set, std::size_t most) {
  std::vector<std::string> missing;
  for (std::size_t i = 0; !set.texts && i < set.size() && missing.size() < most; ++i) {
    if (!base::is_there(set.folder / set.inputs[i])) {
      missing.push_back(set.inputs[i]);
    }
  }
  return missing;
}

WildsGrouper::WildsGrouper(const WildsSet& set, std::span<const std::string_view> fields)
    : set_(&set), names_(fields.begin(), fields.end()) {
  for (const std::string& field : names_) {
    places_.push_back(set.field(field));
    std::size_t size = 1;
    for (std::size_t i = 0; i < set.size(); ++i) {
      size = std::max(size, static_cast<std::size_t>(set.value(i, places_.back())) + 1);
    }
    sizes_.push_back(size);
    count_ *= size;
  }
}

std::size_t WildsGrouper::of(std::size_t sample) const {
  std::size_t number = 0;
  std::size_t factor = 1;
  for (std::size_t f = 0; f < places_.size(); ++f) {
    number += factor * static_cast<std::size_t>(set_->value(sample, places_[f]));
    factor *= sizes_[f];
  }
  return number;
}

std::string WildsGrouper::name(std::size_t group) const {
  std::string name;
  for (std::size_t f = 0; f < names_.size(); ++f) {
    const std::size_t value = group % sizes_[f];
    group /= sizes_[f];
    const auto meanings = set_->meanings.find(names_[f]);
    const std::string part =
        names_[f] + ":" +
        (meanings == set_->meanings.end() ? std::to_string(value) : meanings->second.at(value));
    name = name.empty() ? part : part + "_" + name;
  }
  std::erase(name, ' ');
  return name;
}

WildsGroups WildsGrouper::groups() const {
  WildsGroups groups;
  groups.samples.resize(count_);
  for (std::size_t g = 0; g < count_; ++g) {
    groups.names.push_back(name(g));
  }
  for (std::size_t i = 0; i < set_->size(); ++i) {
    groups.samples[of(i)].push_back(i);
  }
  return groups;
}

WildsGroups without_empty(WildsGroups groups) {
  WildsGroups some;
  for (std::size_t g = 0; g < groups.names.size(); ++g) {
    if (!groups.samples[g].empty()) {
      some.names.push_back(std::move(groups.names[g]));
      some.samples.push_back(std::move(groups.samples[g]));
    }
  }
  return some;
}

std::vector<double> read_predictions(const std::filesystem::path& path, std::size_t count) {
  const std::string text = base::read_file(path, base::largest_records);
  std::vector<double> numbers;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++line;
    std::string_view cell(text.data() + begin, end - begin);
    begin = end + 1;
    while (!cell.empty() && (cell.back() == '\r' || cell.back() == ' ' || cell.back() == '\t')) {
      cell.remove_suffix(1);
    }
    if (cell.empty()) {
      continue;
    }
    const std::optional<double> number = number_of(cell);
    if (!number) {
      throw std::invalid_argument(path.string() + ", line " + std::to_string(line) +
                                  ": expected one number per line and no header, got '" +
                                  base::printable(cell.substr(0, 60)) + "'");
    }
    numbers.push_back(*number);
  }
  if (numbers.size() != count) {
    throw std::invalid_argument(path.string() + ": expected one prediction per sample of the split (" +
                                std::to_string(count) + "), got " + std::to_string(numbers.size()));
  }
  return numbers;
}

std::string prediction_file(std::string_view dataset, Split split, std::string_view replicate,
                            std::string_view epoch) {
  return std::string(dataset) + "_split:" + std::string(name_of(split)) + "_" + std::string(replicate) +
         "_epoch:" + std::string(epoch) + "_pred.csv";
}

}  // namespace pair::data
