#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pair/data/bytes.h"

namespace pair::data {

struct TarFile {
  std::string path;   // as the archive says it, "package/data/t10k-labels-idx1-ubyte"
  BytesView content;  // points into the archive
};

// The regular files of a tar archive (POSIX ustar; longer names of pax and GNU archives appear shortened, and
// folders and links are passed over). Nothing is written anywhere. `name` stands in the sentences. Throws
// std::runtime_error where a header's checksum is wrong, a file reaches past the archive's end, the end mark
// is missing, or anything but zeros follows it.
std::vector<TarFile> tar_files(BytesView archive, std::string_view name);

}  // namespace pair::data
