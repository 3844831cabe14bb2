#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/source.h"

// Images in folders: ROOT/environment/class/file.jpg, the layout of PACS, VLCS, OfficeHome and TerraIncognita
// in DomainBed.

namespace pair::data {

struct ImageFolderOptions {
  ImageLimits limits = {};
  bool exif = false;  // turn images as their EXIF data says
  // Minimum number of environments and of classes. Training needs two; scoring needs one.
  std::size_t fewest = 2;
  bool keep_empty = false;  // keep environments without images, unless none has any
};

// Whether a file name ends in .jpg, .jpeg, .png, .webp, .tif, .tiff, .bmp, .ppm, .pgm or .pbm, in upper or
// lower case.
bool is_picture_name(std::string_view name);

// The environments of such a folder, in order, without reading their content. Throws std::runtime_error if it
// cannot be read.
std::vector<std::string> environments_in(const std::filesystem::path& root);

// decode_part of a file. Images that their EXIF data turns (if `exif` is set) are decoded as a whole. Throws
// BrokenImage that names the file, and std::runtime_error if it cannot be read.
ImagePart read_picture_part(const std::filesystem::path& path, bool exif, const ChoosePart& choose,
                            const ImageLimits& limits = {});

class ImageFolder : public Source {
 public:
  // Lists the files without opening them. Environments, classes and files are sorted by the bytes of their
  // names, independent of the file system. Names that begin with a dot are skipped. A file is an image if its
  // name has an extension of is_picture_name. Links are followed, but only the three levels
  // above are read, so a cycle of links is harmless. Memory: about 40 bytes plus the file name per image.
  //
  // Throws std::invalid_argument if there are too few environments or classes, an environment has
  // no images, or an option is invalid; std::runtime_error if a folder cannot be read.
  explicit ImageFolder(std::filesystem::path root, ImageFolderOptions options = {});

  [[nodiscard]] std::size_t size() const override { return labels_.size(); }
  // Its split is `train`: a folder does not divide its images.
  [[nodiscard]] SampleInfo sample(std::size_t index) const override;
  // All classes with an image in any environment.
  [[nodiscard]] std::span<const std::string> classes() const override { return classes_; }
  [[nodiscard]] std::span<const std::string> environments() const override { return environments_; }
  [[nodiscard]] Image read(std::size_t index) const override;
  [[nodiscard]] ImagePart read_part(std::size_t index, const ChoosePart& choose) const override;

  // Entries below the root that are not samples. Worth a notice unless all counts are 0.
  struct Skipped {
    std::size_t unknown_extensions = 0;  // files in class folders without an image's extension
    std::size_t misplaced = 0;           // files above, and folders inside, the class folders; dangling links
  };
  [[nodiscard]] const Skipped& skipped() const { return skipped_; }
  // The path of the first one that is misplaced, relative to the root. Empty if there is none.
  [[nodiscard]] const std::string& first_misplaced() const { return first_misplaced_; }

  // Classes without an image in an environment: allowed, and worth a notice.
  struct Missing {
    std::string environment;
    std::string class_name;
  };
  [[nodiscard]] std::vector<Missing> missing() const;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  [[nodiscard]] std::string file_of(std::size_t index) const;
  void list();

  std::filesystem::path root_;
  ImageFolderOptions options_;
  std::vector<std::string> environments_;
  std::vector<std::string> classes_;
  // One column per field: a million samples are a few large allocations.
  std::string files_;              // all file names one after another
  std::vector<std::size_t> ends_;  // end of each name in files_
  std::vector<std::int32_t> labels_;
  std::vector<std::int32_t> environment_of_;
  Skipped skipped_;
  std::string first_misplaced_;
};

}  // namespace pair::data
