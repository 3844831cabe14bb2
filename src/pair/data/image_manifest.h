#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pair/data/source.h"

// Images that a CSV file lists: columns path, label, environment and, if wanted, split, in any order.
//
//   path,label,environment,split
//   images/0001.jpg,cat,zoo,train
//   images/0002.jpg,dog,street,id_val
//
// Paths are relative to the file's folder, or absolute. Splits are the names of data::Split (train, id_val,
// val, id_test, test). The file may have further columns. Options may name them in place of label and
// environment; the others are not used.

namespace pair::data {

struct ImageManifestOptions {
  std::string label = "label";
  std::vector<std::string> environment = {"environment"};  // texts of several columns are joined with '/'
  bool exif = false;                                       // turn images as their EXIF data says
  // Minimum number of environments and of classes. Training needs two; scoring needs one.
  std::size_t fewest = 2;
};

// Whether a CSV file lists images: it has a column path, and either its columns are path, label, environment and
// perhaps split, or the first path ends as those of images do (is_picture_name). False for files that cannot be
// read.
bool is_image_manifest(const std::filesystem::path& path);

// The paths of the column path, below the list's folder. Throws std::invalid_argument that names the line if one
// of them is empty or not that of a file.
std::vector<std::string> images_listed_in(const std::filesystem::path& list);

class ImageManifest : public Source {
 public:
  // Reads the list without opening the images. Environments and classes are sorted by the bytes of their
  // names; samples keep the order of the file.
  // Throws std::invalid_argument that names the line for a column that is missing, an empty field, an unknown
  // split or a path that occurs twice, and for fewer than `fewest` environments or classes;
  // std::runtime_error if the file cannot be read.
  explicit ImageManifest(std::filesystem::path path, ImageManifestOptions options = {});

  [[nodiscard]] std::size_t size() const override { return labels_.size(); }
  [[nodiscard]] SampleInfo sample(std::size_t index) const override;
  [[nodiscard]] std::span<const std::string> classes() const override { return classes_; }
  [[nodiscard]] std::span<const std::string> environments() const override { return environments_; }
  [[nodiscard]] Image read(std::size_t index) const override;
  [[nodiscard]] ImagePart read_part(std::size_t index, const ChoosePart& choose) const override;

  // Whether the file has the column split. Otherwise all samples are `train`.
  [[nodiscard]] bool has_splits() const { return has_splits_; }

  // The list.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // The line of the list that a sample is in.
  [[nodiscard]] std::size_t line(std::size_t index) const { return lines_.at(index); }

  // Looks for the files, which takes a system call per image. Returns the samples whose files do not exist,
  // ascending.
  [[nodiscard]] std::vector<std::size_t> missing() const;
  // "list.csv, line 3: expected an image file, got '/no/such.png', which does not exist".
  [[nodiscard]] std::string missing_sentence(std::size_t index) const;
  // Throws std::invalid_argument that names the first missing file, if there are any.
  void require_files() const;

 private:
  std::filesystem::path path_;
  bool exif_;
  bool has_splits_ = false;
  std::vector<std::string> environments_;
  std::vector<std::string> classes_;
  std::string files_;  // all paths one after another
  std::vector<std::size_t> ends_;
  std::vector<std::int32_t> labels_;
  std::vector<std::int32_t> environment_of_;
  std::vector<Split> splits_;
  std::vector<std::size_t> lines_;
};

}  // namespace pair::data
