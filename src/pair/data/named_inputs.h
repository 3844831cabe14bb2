#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

// Inputs named by the user: files, folders and "-", standard input.

namespace pair::data {

// The next line without its end ("\n" or "\r\n"); false at the stream's end. Throws std::invalid_argument for
// a line of more than 1 MiB: `what` names the stream in the sentence.
bool next_line(std::istream& in, std::string& line, const std::string& what);

// Image files in order, listed as needed.
class NamedPictures {
 public:
  // inputs: files; folders, of which all files with an image's name are taken (image_folder.h), those in
  // folders below as well, in the order of their names' bytes; "-": paths in `in`, one per line, empty lines
  // ignored; CSV files that list images (is_image_manifest), of which the column path is read. Throws std::invalid_argument for no inputs.
  NamedPictures(std::vector<std::string> inputs, std::istream& in);

  // Nothing at the end. Throws std::invalid_argument for a path that does not exist or is neither a file nor
  // a folder, for a folder or list without images, for a line of a list whose file does not exist, and std::runtime_error for one that cannot be read.
  std::optional<std::string> next();

 private:
  std::string expanded(const std::string& path);

  std::vector<std::string> inputs_;
  std::istream* in_;
  std::size_t at_ = 0;               // of inputs_
  bool reading_ = false;             // paths from in_
  std::vector<std::string> listed_;  // of the folder or list that is being given out, last first
};

}  // namespace pair::data
