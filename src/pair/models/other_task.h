#pragma once

#include <string>

namespace pair::models {

// For models whose published weights are those of another task: a language model, say, for a classifier. A
// Model that derives from it as well starts from such a file (load_pretrained in weights.h).
class StartsFromOtherTask {
 public:
  StartsFromOtherTask() = default;
  StartsFromOtherTask(const StartsFromOtherTask&) = delete;
  StartsFromOtherTask& operator=(const StartsFromOtherTask&) = delete;
  virtual ~StartsFromOtherTask() = default;

  // Whether a tensor of the file belongs to the other task alone, and is not used.
  [[nodiscard]] virtual bool is_of_other_task(const std::string& stored) const = 0;
  // Whether a tensor of the model keeps its initial values if the file does not have it.
  [[nodiscard]] virtual bool may_start_random(const std::string& own) const = 0;
};

}  // namespace pair::models
