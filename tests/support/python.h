#pragma once

#include <filesystem>
#include <string>

#include "pair/base/process.h"

namespace pair::tests {

// A python3 that can import the modules ("torch, torchvision"), or nothing. Debian's is tried after the first
// of $PATH.
inline std::string python_with(const std::string& modules) {
  for (std::string python : {"python3", "/usr/bin/python3"}) {
    if ((python.front() == '/' ? std::filesystem::exists(python) : base::is_installed(python)) &&
        base::run_program({python, "-c", "import " + modules}, std::filesystem::temp_directory_path())
                .status == 0) {
      return python;
    }
  }
  return {};
}

}  // namespace pair::tests
