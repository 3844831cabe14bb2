#include "pair/data/image_manifest.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "pair/base/names.h"
#include "pair/data/csv.h"

namespace pair::data {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> manifest_columns{"path", "label", "environment", "split"};
constexpr std::array all_splits{Split::train, Split::id_val, Split::val, Split::id_test, Split::test};

// The place of each of manifest_columns in a header; none if it is missing.
std::array<std::optional<std::size_t>, 4> places_in(std::span<const std::string_view> header) {
  std::array<std::optional<std::size_t>, 4> places;
  for (std::size_t i = 0; i < manifest_columns.size(); ++i) {
    const auto found = std::ranges::find(header, manifest_columns[i]);
    if (found != header.end()) {
      places[i] = static_cast<std::size_t>(found - header.begin());
    }
  }
  return places;
}

// Numbers names in the order in which they are met, and sorts them in the end.
class Numbered {
 public:
  std::int32_t of(std::string_view name) {
    return numbers_.try_emplace(std::string(name), static_cast<std::int32_t>(numbers_.size())).first->second;
  }
  // The sorted names; the numbers become places in them.
  std::vector<std::string> sorted(std::vector<std::int32_t>& numbers) const {
    std::vector<std::string> names;
    std::vector<std::int32_t> places(numbers_.size());
    for (const auto& [name, number] : numbers_) {
      places[static_cast<std::size_t>(number)] = static_cast<std::int32_t>(names.size());
      names.push_back(name);
    }
    for (std::int32_t& number : numbers) {
      number = places[static_cast<std::size_t>(number)];
    }
    return names;
  }

 private:
  std::map<std::string, std::int32_t, std::less<>> numbers_;
};

}  // namespace

bool is_image_manifest(const std::filesystem::path& path) {
  try {
    CsvReader reader(path);
    if (!reader.next()) {
      return false;
    }
    const auto places = places_in(reader.fields());
    const std::size_t known = static_cast<std::size_t>(
        std::ranges::count_if(places, [](const auto& place) { return place.has_value(); }));
    return places[0] && places[1] && places[2] && known == reader.fields().size();
  } catch (const std::exception&) {
    return false;  // whoever reads it next says why
  }
}

ImageManifest::ImageManifest(std::filesystem::path path, bool exif, std::size_t fewest)
    : path_(std::move(path)), exif_(exif) {
  CsvReader reader(path_);
  if (!reader.next()) {
    throw std::invalid_argument(path_.string() +
                                ": expected a header with path, label and environment, got an empty file");
  }
  const auto places = places_in(reader.fields());
  for (std::size_t i = 0; i < 3; ++i) {
    if (!places[i]) {
      reader.refuse("expected the columns path, label, environment and perhaps split, got no '" +
                    std::string(manifest_columns[i]) + "'");
    }
  }
  has_splits_ = places[3].has_value();
  Numbered environments;
  Numbered classes;
  std::unordered_set<std::string> seen;
  while (reader.next()) {
    for (std::size_t i = 0; i < manifest_columns.size(); ++i) {
      if (places[i] && reader.fields()[*places[i]].empty()) {
        reader.refuse("expected a value in the column '" + std::string(manifest_columns[i]) + "', got none");
      }
    }
    const std::string_view file = reader.fields()[*places[0]];
    if (!seen.insert(std::string(file)).second) {
      reader.refuse("expected each path once, got '" + base::printable(file.substr(0, 120)) + "' again");
    }
    Split split = Split::train;
    if (has_splits_) {
      const std::string_view name = reader.fields()[*places[3]];
      const auto* const found = std::ranges::find(all_splits, name, [](Split each) { return name_of(each); });
      if (found == all_splits.end()) {
        reader.refuse("expected a split among train, id_val, val, id_test and test, got '" +
                      base::printable(name.substr(0, 40)) + "'");
      }
      split = *found;
    }
    files_ += file;
    ends_.push_back(files_.size());
    labels_.push_back(classes.of(reader.fields()[*places[1]]));
    environment_of_.push_back(environments.of(reader.fields()[*places[2]]));
    splits_.push_back(split);
  }
  environments_ = environments.sorted(environment_of_);
  classes_ = classes.sorted(labels_);
  const auto check_count = [&](const char* what, std::size_t count) {
    if (count < fewest) {
      throw std::invalid_argument(path_.string() + ": expected at least " + std::to_string(fewest) + " " +
                                  what + ", got " + std::to_string(count));
    }
  };
  check_count("environments", environments_.size());
  check_count("classes", classes_.size());
}

SampleInfo ImageManifest::sample(std::size_t index) const {
  if (index >= size()) {
    throw std::out_of_range("sample: expected an index below " + std::to_string(size()) + ", got " +
                            std::to_string(index));
  }
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return {files_.substr(begin, ends_[index] - begin), labels_[index], environment_of_[index], splits_[index]};
}

Image ImageManifest::read(std::size_t index) const {
  const fs::path file = path_.parent_path() / sample(index).id;
  const Bytes bytes = read_bytes(file);
  try {
    Image image = decode_image(bytes);
    return exif_ ? upright(std::move(image), exif_orientation(bytes)) : image;
  } catch (const BrokenImage& error) {
    throw BrokenImage(file.string() + ": " + error.what());
  }
}

ImagePart ImageManifest::read_part(std::size_t index, const ChoosePart& choose) const {
  return read_picture_part(path_.parent_path() / sample(index).id, exif_, choose);
}

}  // namespace pair::data
