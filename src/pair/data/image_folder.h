#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/source.h"

// Pictures in folders: ROOT/environment/class/file.jpg, as PACS, VLCS, OfficeHome and TerraIncognita come for
// DomainBed.

namespace pair::data {

struct ImageFolderOptions {
  // Names of environments that are never trained on: all their samples are `test`. At least one environment
  // must remain.
  std::vector<std::string> test_environments = {};
  // The share of each training environment that is `id_val`, rounded down to whole samples: 0 to below 1.
  // Drawn by a permutation per environment, which depends on the seed and the environment's name alone.
  double held_out = 0.2;
  std::uint64_t seed = 0;
  ImageLimits limits = {};
  // At least so many environments and classes must be there. Training needs two; scoring needs one.
  std::size_t fewest = 2;
};

// Whether a file's name ends in .jpg, .jpeg or .png, in capitals or not.
bool is_picture_name(std::string_view name);

// The environments of such a folder, in order, without looking into them. Throws std::runtime_error where it
// cannot be read.
std::vector<std::string> environments_in(const std::filesystem::path& root);

class ImageFolder : public Source {
 public:
  // Lists the files; none is opened. Environments, classes and files are in the order of their names' bytes,
  // whatever the file system's. Names that begin with a dot are passed over. A file is a picture if its name
  // ends in .jpg, .jpeg or .png, in capitals or not. Links are followed, but only the three levels above are
  // looked at, so that a cycle of links does no harm. Memory: about 40 bytes and the file's name per picture.
  //
  // Throws std::invalid_argument where there are too few environments or classes, an environment
  // has no pictures, or an option is wrong; std::runtime_error where a folder cannot be read.
  explicit ImageFolder(std::filesystem::path root, ImageFolderOptions options = {});

  [[nodiscard]] std::size_t size() const override { return labels_.size(); }
  [[nodiscard]] SampleInfo sample(std::size_t index) const override;
  // All classes with a picture in any environment.
  [[nodiscard]] std::span<const std::string> classes() const override { return classes_; }
  [[nodiscard]] std::span<const std::string> environments() const override { return environments_; }
  [[nodiscard]] Image read(std::size_t index) const override;

  // What lies below the root without being a sample. Worth a line to the user where it is not all zero.
  struct Skipped {
    std::size_t unknown_extensions = 0;  // files in class folders whose names do not end like a picture's
    std::size_t misplaced = 0;  // files above, and folders within, the class folders; links to nothing
  };
  [[nodiscard]] const Skipped& skipped() const { return skipped_; }

  // Classes that have no picture in an environment: allowed, and worth knowing.
  struct Missing {
    std::string environment;
    std::string class_name;
  };
  [[nodiscard]] std::vector<Missing> missing() const;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  [[nodiscard]] std::string file_of(std::size_t index) const;
  void list();
  void split();

  std::filesystem::path root_;
  ImageFolderOptions options_;
  std::vector<std::string> environments_;
  std::vector<std::string> classes_;
  // A column per field: a million samples are a few large pieces of memory.
  std::string files_;              // all file names one after another
  std::vector<std::size_t> ends_;  // where in files_ each ends
  std::vector<std::int32_t> labels_;
  std::vector<std::int32_t> environment_of_;
  std::vector<Split> splits_;
  Skipped skipped_;
};

}  // namespace pair::data
