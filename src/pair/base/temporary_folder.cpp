#include "pair/base/temporary_folder.h"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): for mkdtemp, which <cstdlib> has not

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include "pair/base/reason.h"

namespace pair::base {

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
  std::string name = (std::filesystem::temp_directory_path() / prefix).string() + "-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("cannot create a temporary folder " + name + ": " + reason(errno));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace pair::base
