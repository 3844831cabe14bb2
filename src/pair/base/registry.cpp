#include "pair/base/registry.h"

namespace pair::base {

Options with_changes(Options options, const Assignments& changes) {
  for (const auto& [name, text] : changes) {
    const Field* const field = options.find(name);
    if (field == nullptr) {
      std::vector<std::string_view> names;
      for (const Field& known : options.fields()) {
        names.push_back(known.name);
      }
      throw std::invalid_argument(unknown_name("option", name, names));
    }
    options.set_text(*field, text);
  }
  return options;
}

void check(const Options& options) {
  Options copy = options;
  for (const Field& field : options.fields()) {
    copy.set_value(field, options.get(field));
  }
}

}  // namespace pair::base
