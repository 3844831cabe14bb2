#include "pair/data/image_manifest.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/data/csv.h"
#include "pair/data/image_folder.h"
#include "pair/data/table.h"

namespace pair::data {
namespace {

namespace fs = std::filesystem;

// Combined texts of columns, between which no CSV file of text has this.
constexpr char between_texts = '\x1f';

std::optional<std::size_t> find_column(std::span<const std::string_view> header, std::string_view name) {
  const auto found = std::ranges::find(header, name);
  return found == header.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - header.begin()));
}

// The columns that make up a sample, by position.
struct Places {
  std::size_t path = 0;
  std::size_t label = 0;
  std::vector<std::size_t> environment;
  std::optional<std::size_t> split;
};

std::size_t require_path(const CsvReader& reader) {
  const std::optional<std::size_t> place = find_column(reader.fields(), "path");
  if (!place) {
    reader.refuse("expected a column 'path' with the image files, got none");
  }
  return *place;
}

Places places_in(const CsvReader& reader, const ImageManifestOptions& options) {
  const std::vector<std::string> columns(reader.fields().begin(), reader.fields().end());
  Places places{
      .path = require_path(reader), .environment = {}, .split = find_column(reader.fields(), "split")};
  const auto place_of = [&](const char* what, const std::string& name) {
    const std::optional<std::size_t> place = find_column(reader.fields(), name);
    if (!place && name == what) {
      reader.refuse("expected a column '" + name + "', got only " + quoted_names(columns) + "; '--" + what +
                    " COLUMN' names another one");
    }
    check_column(what, name, columns, reader.name());
    return *place;
  };
  places.label = place_of("label", options.label);
  for (const std::string& name : options.environment) {
    places.environment.push_back(place_of("environment", name));
    if (name == options.label) {
      throw std::invalid_argument("environment: expected columns that are not the label, got '" +
                                  base::printable(name) + "'");
    }
  }
  if (places.environment.empty()) {
    throw std::invalid_argument("environment: expected columns of " + base::printable(reader.name()) +
                                ", got none");
  }
  return places;
}

std::string_view field_of(const CsvReader& reader, std::size_t place, std::string_view column) {
  const std::string_view field = reader.fields()[place];
  if (field.empty()) {
    reader.refuse("expected a value in the column '" + base::printable(column) + "', got none");
  }
  return field;
}

bool is_file(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

// "expected an image file, got '/no/such.png', which does not exist".
std::string not_a_file(const fs::path& folder, const std::string& listed) {
  const std::string fault = base::file_fault(folder / listed);
  return "expected an image file, got '" + base::printable(listed) + "', which " +
         (fault.empty() ? "is not a file" : fault);
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
    const auto header = reader.fields();
    const std::optional<std::size_t> place = find_column(header, "path");
    if (!place) {
      return false;
    }
    const std::size_t usual = 3 + (find_column(header, "split") ? 1 : 0);
    return (find_column(header, "label") && find_column(header, "environment") && header.size() == usual) ||
           (reader.next() && is_picture_name(reader.fields()[*place]));
  } catch (const std::exception&) {
    return false;  // whoever reads it next says why
  }
}

std::vector<std::string> images_listed_in(const std::filesystem::path& list) {
  CsvReader reader(list);
  if (!reader.next()) {
    throw std::invalid_argument(list.string() + ": expected a header with path, got an empty file");
  }
  const std::size_t place = require_path(reader);
  std::vector<std::string> images;
  while (reader.next()) {
    const std::string listed(field_of(reader, place, "path"));
    images.push_back((list.parent_path() / listed).string());
    if (!is_file(images.back())) {
      reader.refuse(not_a_file(list.parent_path(), listed));
    }
  }
  if (images.empty()) {
    throw std::invalid_argument(reader.name() + ": expected image files below 'path', got none");
  }
  return images;
}

ImageManifest::ImageManifest(std::filesystem::path path, ImageManifestOptions options)
    : path_(std::move(path)), exif_(options.exif) {
  CsvReader reader(path_);
  if (!reader.next()) {
    throw std::invalid_argument(path_.string() +
                                ": expected a header with path, label and environment, got an empty file");
  }
  const Places places = places_in(reader, options);
  has_splits_ = places.split.has_value();
  Numbered environments;
  Numbered classes;
  std::unordered_set<std::string> seen;
  std::string environment;
  while (reader.next()) {
    const std::string_view file = field_of(reader, places.path, "path");
    if (!seen.insert(std::string(file)).second) {
      reader.refuse("expected each path once, got '" + base::printable(file.substr(0, 120)) + "' again");
    }
    labels_.push_back(classes.of(field_of(reader, places.label, options.label)));
    environment.clear();
    for (std::size_t i = 0; i < places.environment.size(); ++i) {
      environment.append(i == 0 ? 0 : 1, between_texts);
      environment += field_of(reader, places.environment[i], options.environment[i]);
    }
    environment_of_.push_back(environments.of(environment));
    splits_.push_back(Split::train);
    if (places.split) {
      const std::string_view name = field_of(reader, *places.split, "split");
      try {
        splits_.back() = split_named("split", name);
      } catch (const std::invalid_argument& error) {
        reader.refuse(error.what());
      }
    }
    lines_.push_back(reader.line());
    files_ += file;
    ends_.push_back(files_.size());
  }
  environments_ = environments.sorted(environment_of_);
  for (std::string& name : environments_) {
    std::ranges::replace(name, between_texts, '/');
  }
  if (const std::set<std::string> distinct(environments_.begin(), environments_.end());
      distinct.size() < environments_.size()) {
    throw std::invalid_argument(
        path_.string() + ": environment: expected names that differ when combined with '/', got one twice");
  }
  classes_ = classes.sorted(labels_);
  const auto check_count = [&](const char* what, std::size_t count) {
    if (count < options.fewest) {
      throw std::invalid_argument(path_.string() + ": expected at least " + std::to_string(options.fewest) +
                                  " " + what + ", got " + std::to_string(count));
    }
  };
  check_count("environments", environments_.size());
  check_count("classes", classes_.size());
}

std::vector<std::size_t> ImageManifest::missing() const {
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!is_file(path_.parent_path() / sample(i).id)) {
      samples.push_back(i);
    }
  }
  return samples;
}

std::string ImageManifest::missing_sentence(std::size_t index) const {
  return base::printable(path_.string()) + ", line " + std::to_string(line(index)) + ": " +
         not_a_file(path_.parent_path(), sample(index).id);
}

void ImageManifest::require_files() const {
  if (const std::vector<std::size_t> samples = missing(); !samples.empty()) {
    throw std::invalid_argument(missing_sentence(samples.front()) +
                                (samples.size() == 1 ? ""
                                                     : " (" + std::to_string(samples.size()) +
                                                           " such lines); 'pair data describe " +
                                                           base::printable(path_.string()) + "' lists them"));
  }
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
