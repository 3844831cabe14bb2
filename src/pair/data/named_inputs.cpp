#include "pair/data/named_inputs.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "pair/base/names.h"
#include "pair/data/image_folder.h"
#include "pair/data/image_manifest.h"

namespace pair::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_line = std::size_t{1} << 20U;

// Last first.
std::vector<std::string> pictures_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  // Links to folders are not followed, so that a cycle of links does no harm.
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    if (is_picture_name(entry->path().filename().string()) && entry->is_regular_file(unknown)) {
      files.push_back(entry->path().string());
    }
  }
  if (error) {
    throw std::runtime_error("cannot read the folder " + folder + ": " + error.message());
  }
  if (files.empty()) {
    throw std::invalid_argument(folder + ": expected image files (.jpg, .png, ...), got none");
  }
  std::ranges::sort(files, std::greater<>());
  return files;
}

}  // namespace

bool next_line(std::istream& in, std::string& line, const std::string& what) {
  using Traits = std::istream::traits_type;
  line.clear();
  std::streambuf& source = *in.rdbuf();
  Traits::int_type character = source.sbumpc();
  if (Traits::eq_int_type(character, Traits::eof())) {
    return false;
  }
  for (; !Traits::eq_int_type(character, Traits::eof()); character = source.sbumpc()) {
    if (Traits::to_char_type(character) == '\n') {
      break;
    }
    if (line.size() == longest_line) {
      throw std::invalid_argument(what + ": expected lines of at most " + std::to_string(longest_line) +
                                  " bytes, got a longer one");
    }
    line.push_back(Traits::to_char_type(character));
  }
  if (line.ends_with('\r')) {
    line.pop_back();
  }
  return true;
}

NamedPictures::NamedPictures(std::vector<std::string> inputs, std::istream& in)
    : inputs_(std::move(inputs)), in_(&in) {
  if (inputs_.empty()) {
    throw std::invalid_argument("inputs: expected files, folders or -, got none");
  }
}

std::string NamedPictures::expanded(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw std::invalid_argument(base::printable(path) + ": expected a file or a folder, got a path that " +
                                (error && error != std::errc::no_such_file_or_directory
                                     ? "cannot be read: " + error.message()
                                     : "does not exist"));
  }
  const bool folder = fs::is_directory(status);
  if (folder || (fs::is_regular_file(status) && !is_picture_name(path) && is_image_manifest(path))) {
    listed_ = folder ? pictures_below(path) : images_listed_in(path);
    if (!folder) {
      std::ranges::reverse(listed_);
    }
    std::string first = std::move(listed_.back());
    listed_.pop_back();
    return first;
  }
  if (!fs::is_regular_file(status)) {
    throw std::invalid_argument(base::printable(path) + ": expected a file or a folder, got neither");
  }
  return path;
}

std::optional<std::string> NamedPictures::next() {
  if (!listed_.empty()) {
    std::string file = std::move(listed_.back());
    listed_.pop_back();
    return file;
  }
  while (reading_ || at_ < inputs_.size()) {
    if (!reading_) {
      const std::string& input = inputs_[at_++];
      if (input != "-") {
        return expanded(input);
      }
      reading_ = true;
    }
    for (std::string line; next_line(*in_, line, "standard input");) {
      if (!line.empty()) {
        return expanded(line);
      }
    }
    reading_ = false;
  }
  return std::nullopt;
}

}  // namespace pair::data
