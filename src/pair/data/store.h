#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pair/data/bytes.h"
#include "pair/data/digits.h"
#include "pair/data/download.h"

// The folder of downloaded data: one folder per download, with its unpacked files. A file is used only if its
// length and SHA-256 are correct, and is written atomically.

namespace pair::data {

enum class FileState { missing, right, wrong };

struct FileCheck {
  FileState state = FileState::missing;
  std::string sentence;  // why, unless valid
};

class Store {
 public:
  // root does not need to exist; it is created with the first file.
  explicit Store(std::filesystem::path root);

  // At $PAIR_DATA or, if that is unset or empty, at ~/.cache/pair. Throws std::runtime_error if HOME is
  // needed and unset.
  static Store from_environment();

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path folder(const Download& download) const;
  [[nodiscard]] std::filesystem::path path(const Download& download, const DataFile& file) const;

  // Reads the whole file and verifies it.
  [[nodiscard]] FileCheck check(const Download& download, const DataFile& file) const;

  // The file's bytes. Throws std::runtime_error with the problem and its remedy if the file is missing or
  // invalid.
  [[nodiscard]] Bytes read(const Download& download, const DataFile& file) const;

  // Stores the file, replacing an existing one: written under a temporary name, flushed to disk, then
  // renamed. Throws std::runtime_error, leaving the existing file, if the bytes are not those of the file or
  // writing fails. Several processes may store the same file at the same time.
  void place(const Download& download, const DataFile& file, BytesView bytes) const;

 private:
  std::filesystem::path root_;
};

enum class MnistSplit { train, test };

// MNIST's 60,000 training or 10,000 test digits at 28x28, from 'pair data get mnist'. Throws the errors of
// Store::read and parse_idx.
Digits stored_mnist(const Store& store, MnistSplit split);

// One line of 'pair data list'.
struct Holding {
  enum class State { ready, missing, incomplete, damaged };
  std::string name;
  std::string summary;
  State state = State::missing;
  std::filesystem::path where;        // empty for embedded data
  std::uint64_t bytes = 0;            // of the valid files
  std::vector<std::string> problems;  // one sentence per missing or invalid file
};

// "ready", "missing", "incomplete" (some files are missing) or "damaged" (a file is invalid).
std::string_view to_string(Holding::State state);

// The embedded digits and every download; reads and verifies every file (about 0.1 s for MNIST).
std::vector<Holding> holdings(const Store& store);

}  // namespace pair::data
