#include "pair/data/task_loss.h"

#include <array>
#include <stdexcept>

#include "pair/base/names.h"

namespace pair::data {
namespace {

// In the order of TaskLoss.
constexpr std::array<std::string_view, 3> names = {"bce", "ce", "mse"};

}  // namespace

std::string_view to_string(TaskLoss loss) {
  return names.at(static_cast<std::size_t>(loss));
}

TaskLoss task_loss_from(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      return static_cast<TaskLoss>(i);
    }
  }
  throw std::invalid_argument(base::unknown_name("loss", name, names));
}

}  // namespace pair::data
