#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pair/bench/child.h"

// The Python that a benchmark compares with: a script that greets, and then answers line by line.

namespace pair::bench {

class PythonChild {
 public:
  // Runs the script with the first of the Pythons that greets: the given one or, if it is empty, python3 and
  // /usr/bin/python3. Null if none does, for example because it lacks a package.
  static std::unique_ptr<PythonChild> start(const std::string& given, std::string_view script,
                                            const std::vector<std::string>& arguments = {});

  [[nodiscard]] const std::string& python() const { return python_; }
  // The script's first line.
  [[nodiscard]] const std::string& greeting() const { return greeting_; }

  // Both throw std::runtime_error if the process has ended.
  std::string ask(const std::string& line);
  double ask_number(const std::string& line);

 private:
  PythonChild(std::unique_ptr<Child> child, std::string python, std::string greeting);

  std::unique_ptr<Child> child_;
  std::string python_;
  std::string greeting_;
};

}  // namespace pair::bench
