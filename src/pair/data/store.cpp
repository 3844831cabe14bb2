#include "pair/data/store.h"

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "pair/base/files.h"
#include "pair/data/idx.h"

namespace pair::data {
namespace {

namespace fs = std::filesystem;

Holding holding(const Store& store, const Download& download) {
  Holding held{.name = download.name,
               .summary = download.summary,
               .state = Holding::State::ready,
               .where = store.folder(download),
               .bytes = 0,
               .problems = {}};
  std::size_t missing = 0;
  for (const DataFile& file : download.files) {
    FileCheck check = store.check(download, file);
    if (check.state == FileState::right) {
      held.bytes += file.bytes;
      continue;
    }
    held.problems.push_back(std::move(check.sentence));
    missing += check.state == FileState::missing ? 1 : 0;
  }
  if (missing == download.files.size()) {
    held.state = Holding::State::missing;
  } else if (held.problems.size() > missing) {
    held.state = Holding::State::damaged;
  } else if (missing > 0) {
    held.state = Holding::State::incomplete;
  }
  return held;
}

Holding embedded_holding() {
  Holding held{.name = "mnist14",
               .summary = "MNIST's 60,000 training digits at 14x14, embedded in the program",
               .state = Holding::State::ready,
               .where = {},
               .bytes = 0,
               .problems = {}};
  try {
    const Digits digits = embedded_mnist14();
    held.bytes = digits.pixels.size() + digits.labels.size();
  } catch (const std::runtime_error& error) {
    held.state = Holding::State::damaged;
    held.problems.emplace_back(error.what());
  }
  return held;
}

}  // namespace

Store::Store(std::filesystem::path root) : root_(std::move(root)) {}

Store Store::from_environment() {
  if (const char* root = std::getenv("PAIR_DATA"); root != nullptr && *root != '\0') {
    return Store(root);
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    throw std::runtime_error("no folder for data: neither PAIR_DATA nor HOME is set");
  }
  return Store(fs::path(home) / ".cache" / "pair");
}

std::filesystem::path Store::folder(const Download& download) const {
  return root_ / download.name;
}

std::filesystem::path Store::path(const Download& download, const DataFile& file) const {
  return folder(download) / file.name;
}

FileCheck Store::check(const Download& download, const DataFile& file) const {
  const fs::path at = path(download, file);
  std::error_code ignored;
  if (fs::symlink_status(at, ignored).type() == fs::file_type::not_found) {
    return {FileState::missing, at.string() + " is missing"};
  }
  try {
    if (auto problem = fault(file, read_bytes(at), at.string())) {
      return {FileState::wrong, std::move(*problem)};
    }
  } catch (const std::runtime_error& error) {
    return {FileState::wrong, error.what()};
  }
  return {FileState::right, {}};
}

Bytes Store::read(const Download& download, const DataFile& file) const {
  const fs::path at = path(download, file);
  const std::string advice = "; 'pair data get " + download.name + "' fetches it";
  if (!base::is_there(at)) {
    throw std::runtime_error(at.string() + " is missing" + advice);
  }
  Bytes bytes = read_bytes(at);
  if (const auto problem = fault(file, bytes, at.string())) {
    throw std::runtime_error(*problem + advice + " again");
  }
  return bytes;
}

void Store::place(const Download& download, const DataFile& file, BytesView bytes) const {
  const fs::path at = path(download, file);
  if (const auto problem = fault(file, bytes, "the new content of " + at.string())) {
    throw std::runtime_error(*problem);
  }
  std::error_code error;
  fs::create_directories(at.parent_path(), error);
  if (error) {
    throw std::runtime_error("cannot create the folder " + at.parent_path().string() + ": " +
                             error.message());
  }
  base::write_output(at, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Digits stored_mnist(const Store& store, MnistSplit split) {
  const Download& mnist = mnist_download();
  const std::size_t first = split == MnistSplit::train ? 0 : 2;
  const DataFile& images = mnist.files[first];
  const DataFile& labels = mnist.files[first + 1];
  const Bytes image_bytes = store.read(mnist, images);
  return parse_idx(image_bytes, store.path(mnist, images).string(), store.read(mnist, labels),
                   store.path(mnist, labels).string());
}

std::string_view to_string(Holding::State state) {
  constexpr std::array<std::string_view, 4> names = {"ready", "missing", "incomplete", "damaged"};
  return names.at(static_cast<std::size_t>(state));
}

std::vector<Holding> holdings(const Store& store) {
  return {embedded_holding(), holding(store, mnist_download())};
}

}  // namespace pair::data
