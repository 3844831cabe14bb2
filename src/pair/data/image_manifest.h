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
// val, id_test, test).

namespace pair::data {

// Whether the first row of a CSV file has these columns and no others. False for files that cannot be read.
bool is_image_manifest(const std::filesystem::path& path);

class ImageManifest : public Source {
 public:
  // Reads the list without opening the images. Environments and classes are sorted by the bytes of their
  // names; samples keep the order of the file.
  // Throws std::invalid_argument that names the line for a column that is missing, an empty field, an unknown
  // split or a path that occurs twice, and for fewer than `fewest` environments or classes;
  // std::runtime_error if the file cannot be read.
  explicit ImageManifest(std::filesystem::path path, bool exif = false, std::size_t fewest = 2);

  [[nodiscard]] std::size_t size() const override { return labels_.size(); }
  [[nodiscard]] SampleInfo sample(std::size_t index) const override;
  [[nodiscard]] std::span<const std::string> classes() const override { return classes_; }
  [[nodiscard]] std::span<const std::string> environments() const override { return environments_; }
  [[nodiscard]] Image read(std::size_t index) const override;
  [[nodiscard]] ImagePart read_part(std::size_t index, const ChoosePart& choose) const override;

  // Whether the file has the column split. Otherwise all samples are `train`.
  [[nodiscard]] bool has_splits() const { return has_splits_; }

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
};

}  // namespace pair::data
