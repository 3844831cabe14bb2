#include "pair/bench/python_child.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/base/process.h"

namespace pair::bench {

std::unique_ptr<PythonChild> PythonChild::start(const std::string& given, std::string_view script,
                                                const std::vector<std::string>& arguments) {
  const std::vector<std::string> pythons =
      given.empty() ? std::vector<std::string>{"python3", "/usr/bin/python3"} : std::vector{given};
  for (const std::string& python : pythons) {
    if (!base::is_installed(python)) {
      continue;
    }
    std::vector<std::string> command{python, "-c", std::string(script)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    auto child = std::make_unique<Child>(command);
    if (std::optional<std::string> greeting = child->read_line()) {
      return std::unique_ptr<PythonChild>(new PythonChild(std::move(child), python, std::move(*greeting)));
    }
  }
  return nullptr;
}

PythonChild::PythonChild(std::unique_ptr<Child> child, std::string python, std::string greeting)
    : child_(std::move(child)), python_(std::move(python)), greeting_(std::move(greeting)) {}

std::string PythonChild::ask(const std::string& line) {
  std::optional<std::string> answer = child_->ask(line);
  if (!answer) {
    throw std::runtime_error("the Python process of the comparison ended early, at '" + line.substr(0, 60) +
                             "'");
  }
  return std::move(*answer);
}

double PythonChild::ask_number(const std::string& line) {
  return std::stod(ask(line));
}

}  // namespace pair::bench
