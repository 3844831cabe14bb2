#include "pair/data/image_folder.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace pair::data {
namespace {

namespace fs = std::filesystem;

// The entries of a folder, sorted by name.
struct FolderContents {
  std::vector<std::string> folders;
  std::vector<std::string> files;
  std::vector<std::string> others;  // dangling links, pipes and other entries
};

FolderContents contents_of(const fs::path& folder) {
  FolderContents contents;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  // The entry's cached type is checked first, which does not access the file.
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with('.')) {
      continue;
    }
    std::error_code unknown;
    if (entry->is_directory(unknown)) {
      contents.folders.push_back(std::move(name));
    } else if (entry->is_regular_file(unknown)) {
      contents.files.push_back(std::move(name));
    } else {
      contents.others.push_back(std::move(name));
    }
  }
  if (error) {
    throw std::runtime_error("cannot read the folder " + folder.string() + ": " + error.message());
  }
  std::ranges::sort(contents.folders);
  std::ranges::sort(contents.files);
  std::ranges::sort(contents.others);
  return contents;
}

}  // namespace

bool is_picture_name(std::string_view name) {
  constexpr std::array<std::string_view, 10> extensions{".jpg",  ".jpeg", ".png", ".webp", ".tif",
                                                        ".tiff", ".bmp",  ".ppm", ".pgm",  ".pbm"};
  const std::string plain = base::lower_case(name);
  return std::ranges::any_of(extensions, [&plain](std::string_view extension) {
    return plain.size() > extension.size() && plain.ends_with(extension);
  });
}

std::vector<std::string> environments_in(const std::filesystem::path& root) {
  return contents_of(root).folders;
}

ImageFolder::ImageFolder(std::filesystem::path root, ImageFolderOptions options)
    : root_(std::move(root)), options_(options) {
  list();
}

void ImageFolder::list() {
  const FolderContents top = contents_of(root_);
  const auto skip = [this](const std::vector<std::string>& names, const std::string& folder) {
    skipped_.misplaced += names.size();
    if (first_misplaced_.empty() && !names.empty()) {
      first_misplaced_ = folder + names.front();
    }
  };
  skip(top.files, "");
  skip(top.others, "");
  environments_ = top.folders;
  const auto form = [this] { return root_.string() + ": expected ROOT/environment/class/file"; };
  const auto counted = [this](const char* one, const char* many) {
    return " with at least " + std::to_string(options_.fewest) + " " + (options_.fewest == 1 ? one : many);
  };
  if (environments_.size() < options_.fewest) {
    throw std::invalid_argument(form() + counted("environment", "environments") + ", got " +
                                std::to_string(environments_.size()));
  }
  // Labels are numbered in the order of first occurrence until all classes are known.
  std::map<std::string, std::int32_t> met;
  std::string empty;  // the message about the first environment without images
  for (std::size_t environment = 0; environment < environments_.size(); ++environment) {
    const fs::path environment_folder = root_ / environments_[environment];
    const FolderContents middle = contents_of(environment_folder);
    skip(middle.files, environments_[environment] + "/");
    skip(middle.others, environments_[environment] + "/");
    const std::size_t before = labels_.size();
    for (const std::string& class_name : middle.folders) {
      const FolderContents bottom = contents_of(environment_folder / class_name);
      const std::string place = environments_[environment] + "/" + class_name + "/";
      skip(bottom.folders, place);
      skip(bottom.others, place);
      for (const std::string& file : bottom.files) {
        if (!is_picture_name(file)) {
          ++skipped_.unknown_extensions;
          continue;
        }
        files_ += file;
        ends_.push_back(files_.size());
        labels_.push_back(met.try_emplace(class_name, static_cast<std::int32_t>(met.size())).first->second);
        environment_of_.push_back(static_cast<std::int32_t>(environment));
      }
    }
    if (labels_.size() == before && empty.empty()) {
      empty = form() + " with image files (.jpg, .png, ...), got none in the environment '" +
              environments_[environment] + "'" +
              (std::ranges::any_of(middle.files, is_picture_name)
                   ? "; this looks like the folder of one environment, give its parent"
                   : "");
    }
    if (!empty.empty() && !options_.keep_empty) {
      throw std::invalid_argument(empty);
    }
  }
  if (labels_.empty() && !empty.empty()) {
    throw std::invalid_argument(empty);
  }
  if (met.size() < options_.fewest) {
    throw std::invalid_argument(form() + counted("class", "classes") + ", got only '" + met.begin()->first +
                                "'");
  }
  std::vector<std::int32_t> sorted(met.size());
  for (const auto& [name, number] : met) {
    sorted[static_cast<std::size_t>(number)] = static_cast<std::int32_t>(classes_.size());
    classes_.push_back(name);
  }
  for (std::int32_t& label : labels_) {
    label = sorted[static_cast<std::size_t>(label)];
  }
}

std::string ImageFolder::file_of(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return environments_[static_cast<std::size_t>(environment_of_[index])] + "/" +
         classes_[static_cast<std::size_t>(labels_[index])] + "/" +
         files_.substr(begin, ends_[index] - begin);
}

SampleInfo ImageFolder::sample(std::size_t index) const {
  if (index >= size()) {
    throw std::out_of_range("sample: expected an index below " + std::to_string(size()) + ", got " +
                            std::to_string(index));
  }
  return {file_of(index), labels_[index], environment_of_[index], Split::train};
}

ImagePart read_picture_part(const fs::path& path, bool exif, const ChoosePart& choose,
                            const ImageLimits& limits) {
  const Bytes file = read_bytes(path);
  try {
    if (const int orientation = exif ? exif_orientation(file) : 1; orientation != 1) {
      Image image = upright(decode_image(file, limits), orientation);
      const CropBox box = choose(image.rows, image.columns).box;
      return part_of(std::move(image), box);
    }
    return decode_part(file, choose, limits);
  } catch (const BrokenImage& error) {
    throw BrokenImage(path.string() + ": " + error.what());
  }
}

Image ImageFolder::read(std::size_t index) const {
  const fs::path path = root_ / sample(index).id;
  const Bytes file = read_bytes(path);
  try {
    Image image = decode_image(file, options_.limits);
    return options_.exif ? upright(std::move(image), exif_orientation(file)) : image;
  } catch (const BrokenImage& error) {
    throw BrokenImage(path.string() + ": " + error.what());
  }
}

ImagePart ImageFolder::read_part(std::size_t index, const ChoosePart& choose) const {
  const fs::path path = root_ / sample(index).id;
  return read_picture_part(path, options_.exif, choose, options_.limits);
}

std::vector<ImageFolder::Missing> ImageFolder::missing() const {
  std::vector<bool> present(environments_.size() * classes_.size(), false);
  for (std::size_t i = 0; i < size(); ++i) {
    present[static_cast<std::size_t>(environment_of_[i]) * classes_.size() +
            static_cast<std::size_t>(labels_[i])] = true;
  }
  std::vector<Missing> missing;
  for (std::size_t i = 0; i < present.size(); ++i) {
    if (!present[i]) {
      missing.push_back({environments_[i / classes_.size()], classes_[i % classes_.size()]});
    }
  }
  return missing;
}

}  // namespace pair::data
