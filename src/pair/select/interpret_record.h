#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/names.h"
#include "pair/select/record_line.h"

// Interprets a parsed line; shared by both JSON libraries. A Value of either has
//   is_object(), is_list(), is_null()
//   number()      optional<double>; only for numbers
//   text()        optional<string_view>; only for strings
//   each_field(f) calls f(string_view key, Value) for the fields of an object
//   each_item(f)  calls f(Value) for the items of a list
//   shown()       as JSON

namespace pair::select {

inline std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 40;
  return base::shortened(text, longest);
}

// None if the value is not an integer that a double holds exactly.
template <class Value>
std::optional<std::int64_t> whole_number(const Value& value) {
  constexpr double most = 9007199254740992.0;  // 2^53
  const std::optional<double> number = value.number();
  return number && std::abs(*number) <= most && std::floor(*number) == *number
             ? std::optional(static_cast<std::int64_t>(*number))
             : std::nullopt;
}

template <class Value>
std::string interpret_test_envs(const Value& value, std::vector<int>& test_envs) {
  constexpr std::int64_t most = 9'999;
  const std::string expected = "; expected a list of environments, such as [0]";
  test_envs.clear();
  bool fits = value.is_list();
  if (fits) {
    value.each_item([&](const Value& item) {
      const std::optional<std::int64_t> environment = whole_number(item);
      fits = fits && environment && *environment >= 0 && *environment <= most &&
             std::find(test_envs.begin(), test_envs.end(), *environment) == test_envs.end();
      if (fits) {
        test_envs.push_back(static_cast<int>(*environment));
      }
    });
  }
  return fits && !test_envs.empty() ? "" : "has args.test_envs " + shortened(value.shown()) + expected;
}

// Names are for people, so a list that is not of names counts as none.
template <class Value>
void interpret_names(const Value& value, std::vector<std::string>& names) {
  names.clear();
  bool fits = value.is_list();
  if (fits) {
    value.each_item([&](const Value& item) {
      const auto name = item.text();
      fits = fits && name;
      if (fits) {
        names.emplace_back(*name);
      }
    });
  }
  if (!fits) {
    names.clear();
  }
}

template <class Value>
std::string interpret_args(const Value& args, RecordLine& record) {
  std::string problem;
  bool algorithm = false;
  bool dataset = false;
  bool test_envs = false;
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> trial_seed;
  record.hparams_seed = 0;
  record.label.clear();
  record.environments.clear();
  const auto take = [&problem](std::string_view key, const Value& value, auto& target, const auto& got,
                               const char* expected) {
    if (got) {
      target = *got;
    } else if (problem.empty()) {
      problem = "has args." + std::string(key) + " " + shortened(value.shown()) + "; expected " + expected;
    }
    return true;
  };
  args.each_field([&](std::string_view key, const Value& value) {
    if (key == "algorithm") {
      algorithm = take(key, value, record.algorithm, value.text(), "a name");
    } else if (key == "dataset") {
      dataset = take(key, value, record.dataset, value.text(), "a name");
    } else if (key == "test_envs") {
      test_envs = true;
      if (std::string wrong = interpret_test_envs(value, record.test_envs); problem.empty()) {
        problem = std::move(wrong);
      }
    } else if (key == "env_names") {
      interpret_names(value, record.environments);
    } else if (key == "name") {
      record.label = value.text().value_or("");
    } else if (key == "hparams_seed") {
      take(key, value, record.hparams_seed, whole_number(value), "an integer");
    } else if (key == "trial_seed") {
      take(key, value, trial_seed, whole_number(value), "an integer");
    } else if (key == "seed") {
      seed = whole_number(value);
    }
  });
  if (problem.empty() && !(algorithm && dataset && test_envs)) {
    problem = !algorithm ? "has no args.algorithm"
              : !dataset ? "has no args.dataset"
                         : "has no args.test_envs";
  }
  // Records without trial seeds have a plain seed.
  record.trial_seed = trial_seed.value_or(seed.value_or(0));
  return problem;
}

// A list of lists of names; nothing for anything else.
template <class Value>
std::optional<std::vector<std::vector<std::string>>> name_lists(const Value& value) {
  bool fits = value.is_list();
  std::vector<std::vector<std::string>> lists;
  value.each_item([&](const Value& list) {
    fits = fits && list.is_list();
    std::vector<std::string> names;
    list.each_item([&](const Value& name) {
      const std::optional<std::string_view> text = name.text();
      fits = fits && text;
      names.emplace_back(text.value_or(std::string_view()));
    });
    lists.push_back(std::move(names));
  });
  return fits ? std::optional(std::move(lists)) : std::nullopt;
}

template <class Value>
Declared interpret_declared(const Value& root) {
  Declared declared;
  root.each_field([&declared](std::string_view part, const Value& args) {
    if (part != "args") {
      return;
    }
    args.each_field([&declared](std::string_view key, const Value& value) {
      if (key == "losses") {
        declared.losses = name_lists(value);
      } else if (key == "noisy_losses" && (value.shown() == "true" || value.shown() == "false")) {
        declared.noisy_losses = value.shown() == "true";
      } else if (key == "domainbed") {
        declared.domainbed = std::string(value.text().value_or(std::string_view()));
      }
    });
  });
  return declared;
}

// A null as it is written: the word that was read as one, if the line has such a word under the key.
inline std::string null_as_written(std::string_view line, std::string_view key) {
  const std::string quoted = "\"" + std::string(key) + "\"";
  const std::size_t found = line.find(quoted);
  if (found != std::string_view::npos) {
    line.remove_prefix(found + quoted.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t:"), line.size()));
    for (const std::string_view word : not_finite_words) {
      if (line.starts_with(word)) {
        return std::string(word);
      }
    }
  }
  return "null";
}

// Whether the value has one number per objective; their columns are called "losses.erm".
inline bool is_by_objective(std::string_view key) {
  constexpr std::array<std::string_view, 6> keys{"losses",          "weights",     "conflict",
                                                 "held_out_losses", "noise_floor", "held_out_noise_floor"};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Empty, or what is wrong with the record. `line` is the line as written.
template <class Value>
std::string interpret_record(const Value& root, std::string_view line, RecordLine& record) {
  if (!root.is_object()) {
    return "is not a JSON object";
  }
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  std::string problem;
  bool args = false;
  bool step = false;
  std::size_t used = 0;
  // Overwrites the previous record, so that its strings keep their memory.
  const auto put = [&](std::string_view prefix, std::string_view key, double value) {
    if (used == record.values.size()) {
      record.values.emplace_back();
    }
    auto& [name, number] = record.values[used++];
    name.assign(prefix).append(key);
    number = value;
  };
  root.each_field([&](std::string_view key, const Value& value) {
    if (!problem.empty()) {
      return;
    }
    if (key == "args") {
      args = value.is_object();
      problem = args ? interpret_args(value, record) : "has args " + shortened(value.shown());
    } else if (key == "hparams") {
      problem = value.is_object() ? "" : "has hparams " + shortened(value.shown()) + "; expected an object";
    } else if (key == "step") {
      const std::optional<std::int64_t> number = whole_number(value);
      step = number.has_value();
      record.step = number.value_or(0);
      problem = step ? "" : "has step " + shortened(value.shown()) + "; expected an integer";
    } else if (is_by_objective(key) && value.is_object()) {
      const std::string prefix = std::string(key) + ".";
      value.each_field([&](std::string_view name, const Value& number) {
        put(prefix, name, number.number().value_or(not_a_number));
      });
    } else if (key == "phase" && value.text()) {
      put("", "balancing", *value.text() == "balance" ? 1.0 : 0.0);
    } else if (key == "feasible") {
      put("", key, value.shown() == "false" ? 0.0 : 1.0);
    } else if (const std::optional<double> number = value.number();
               key.starts_with("env") && key.ends_with("_acc") && !(number && *number >= 0 && *number <= 1)) {
      problem = "has " + std::string(key) + " " +
                (value.is_null() ? null_as_written(line, key) : shortened(value.shown())) +
                "; expected an accuracy from 0 to 1";
    } else if (number) {
      put("", key, *number);
    } else if (value.is_null()) {
      put("", key, not_a_number);
    }
  });
  record.values.resize(used);
  if (problem.empty() && !(args && step)) {
    problem = !args ? "has no args" : "has no step";
  }
  return problem;
}

}  // namespace pair::select
