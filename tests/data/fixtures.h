#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/data/bytes.h"
#include "pair/data/download.h"
#include "tests/support/scratch.h"

// Small files, archives and folders for tests of files.

namespace pair::data::testing {

// On disk: programs are run from it, which folders in memory may forbid.
class Scratch : public tests::Scratch {
 public:
  Scratch() : tests::Scratch(std::filesystem::temp_directory_path()) {}
};

// An environment variable for as long as the test runs; nullptr takes it away.
class Variable {
 public:
  Variable(const char* name, const char* value);
  Variable(const Variable&) = delete;
  Variable(Variable&&) = delete;
  Variable& operator=(const Variable&) = delete;
  Variable& operator=(Variable&&) = delete;
  ~Variable();

 private:
  void set(const char* value) const;
  const char* name_;
  std::optional<std::string> before_;
};

Bytes bytes_of(std::string_view text);
Bytes joined(Bytes first, const Bytes& second);
Bytes without_last(Bytes bytes, std::size_t count);
void write(const std::filesystem::path& path, const Bytes& bytes);
void write_program(const std::filesystem::path& path, std::string_view script);
std::vector<std::string> names_in(const std::filesystem::path& folder);

Bytes gzip(const Bytes& bytes);
Bytes tar_header(const std::string& path, std::size_t size, char type = '0');
Bytes tar(const std::vector<std::pair<std::string, Bytes>>& files);

Bytes idx(std::uint32_t magic, const std::vector<std::uint32_t>& dimensions, const Bytes& values);
// Two images of 2 x 3, whose pixels are 0, 1, ..., 11, and their labels 7 and 2.
Bytes tiny_images();
Bytes tiny_labels();

// A download of two files, whose contents are tiny_images() and tiny_labels().
const Download& tiny_download();

}  // namespace pair::data::testing
