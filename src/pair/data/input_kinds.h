#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/options.h"

// The kinds of files that become inputs of a model. A kind is one source file in this folder and one line in
// inputs.cpp.

namespace pair::data {

class Inputs;
struct ReadingOptions;

struct InputKind {
  std::string name;            // InputForm::kind
  base::Options options = {};  // InputForm::options, with their defaults
  // The files' inputs, by options of this kind (inputs.h, open_inputs).
  std::unique_ptr<Inputs> (*open)(const base::Options&, std::vector<std::string> inputs, std::istream& in,
                                  const ReadingOptions&) = nullptr;
  bool takes_channel = false;  // whether ReadingOptions::channel may be set
};

// Throws std::invalid_argument that suggests the nearest name and lists all.
const InputKind& input_kind_named(std::string_view name);

}  // namespace pair::data
