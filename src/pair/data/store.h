#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pair/data/bytes.h"
#include "pair/data/digits.h"
#include "pair/data/download.h"

// The folder in which downloaded data lives: one folder a download, its files unpacked inside. A file there
// is used only when its length and SHA-256 are right, and appears there only whole.

namespace pair::data {

enum class FileState { missing, right, wrong };

struct FileCheck {
  FileState state = FileState::missing;
  std::string sentence;  // why, unless right
};

class Store {
 public:
  // root need not exist; it is made when the first file is placed.
  explicit Store(std::filesystem::path root);

  // At $PAIR_DATA or, where that is unset or empty, at ~/.cache/pair. Throws std::runtime_error where HOME
  // is needed and unset.
  static Store from_environment();

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path folder(const Download& download) const;
  [[nodiscard]] std::filesystem::path path(const Download& download, const DataFile& file) const;

  // Reads the file whole and compares it with what it must be.
  [[nodiscard]] FileCheck check(const Download& download, const DataFile& file) const;

  // The file's bytes. Throws std::runtime_error that says what is wrong and how to mend it where the file is
  // missing or not what it must be.
  [[nodiscard]] Bytes read(const Download& download, const DataFile& file) const;

  // Puts the file in place, over what is there: written beside it under another name, flushed to disk, then
  // renamed. Throws std::runtime_error, leaving what was there, for bytes that are not the file's or where
  // the disk refuses. Several processes may place the same file at once.
  void place(const Download& download, const DataFile& file, BytesView bytes) const;

 private:
  std::filesystem::path root_;
};

enum class MnistSplit { train, test };

// MNIST's 60,000 training or 10,000 test digits at 28x28, as 'pair data get mnist' stored them. Throws what
// Store::read and parse_idx throw.
Digits stored_mnist(const Store& store, MnistSplit split);

// One line of 'pair data list'.
struct Holding {
  enum class State { ready, missing, incomplete, damaged };
  std::string name;
  std::string summary;
  State state = State::missing;
  std::filesystem::path where;        // empty for what the program itself holds
  std::uint64_t bytes = 0;            // of the files that are right
  std::vector<std::string> problems;  // a sentence for each file that is missing or wrong
};

// "ready", "missing", "incomplete" (some files are missing) or "damaged" (some file is wrong).
std::string_view to_string(Holding::State state);

// The embedded digits and every download, each file read and compared (some 0.1 s for MNIST).
std::vector<Holding> holdings(const Store& store);

}  // namespace pair::data
