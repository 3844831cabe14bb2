#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pair/data/bytes.h"

// A reader of our own, because the archives are pinned by SHA-256 and already in memory: a hundred lines
// serve, and every installation is spared libarchive and its nine dependencies.

namespace pair::data {

struct TarFile {
  std::string path;   // as in the archive: "package/data/t10k-labels-idx1-ubyte"
  BytesView content;  // points into the archive
};

// The regular files of a tar archive (POSIX ustar; longer names of pax and GNU archives appear truncated;
// folders and links are skipped). Nothing is written. `name` is used in error messages. Throws
// std::runtime_error if a header's checksum is wrong, a file extends beyond the archive's end, the end mark
// is missing, or anything other than zeros follows it.
std::vector<TarFile> tar_files(BytesView archive, std::string_view name);

}  // namespace pair::data
