#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pair/data/registry.h"
#include "pair/train/settings.h"

// A run as a value: everything that decides its records, and nothing else but how often it is saved.

namespace pair::runs {

struct RunSpec {
  data::Dataset dataset;           // its name and options
  std::string algorithm = "pair";  // the name under which the settings were found; see algorithms/registry.h
  train::Settings settings;
  std::uint64_t seed = 0;              // of the data, the model and every draw
  std::int64_t hparams_seed = 0;       // which draw of a random search the settings are; 0: not drawn
  std::int64_t eval_every = 50;        // steps between records. 1 to 1e9
  std::int64_t eval_first = 0;         // step of the first record; 0: eval_every. Up to 1e9
  std::int64_t threads = 1;            // that one operation may use; rounding depends on it. 1 to 1024
  std::string device = "cpu";          // cpu, cuda or cuda:N
  bool tf32 = false;                   // matrix products in TF32, on CUDA devices
  std::int64_t checkpoint_every = 50;  // steps between checkpoints. 1 to 1e9
  // The run whose parameters after its last step this one starts with, by the name of its folder, which
  // stands beside this run's and is called as folder_name says: the hash in it pins every record of that
  // run, so that a spec is still all that decides a run. Empty: the model's own draw.
  std::string start = {};
};

// A setting by its name (see settings.h) and its value as the user types it.
using Override = std::pair<std::string, std::string>;

// The spec that a dataset's and an algorithm's names stand for, with some settings changed. Those that decide
// which settings there are (objectives, solver, model, scheme) are applied first, the others in order. Where
// the objectives of PAIR-o are changed in number and the preference is not given, it becomes auto. Throws
// std::invalid_argument with a sentence for an unknown name or a value that is not accepted.
RunSpec resolve(std::string_view dataset, std::string_view algorithm,
                std::span<const Override> overrides = {});

// The same for recipes, whose settings are for many runs at once: an option of something that the run does
// not have, such as an objective that it does not minimise, is passed over. Unknown names still throw.
RunSpec resolve_in_common(std::string_view dataset, std::string_view algorithm,
                          std::span<const Override> overrides);

// One flat object, sorted by key: "dataset", "algorithm" and every setting that the run has.
nlohmann::json as_json(const RunSpec& spec);

// Needs "dataset" and "algorithm"; any other key that is missing is as resolve() has it. Throws
// std::invalid_argument for unknown keys, the near one named, and for values that are not accepted.
RunSpec spec_from_json(const nlohmann::json& json);
// The same from text, which may also be no JSON at all.
RunSpec spec_from_text(std::string_view text);

// The canonical form of what decides the records: as_json on one line without the number of the
// CUDA device, without settings that do not decide (checkpoint_every) and without those at the value that
// they leave unsaid (see base::Field).
std::string canonical(const RunSpec& spec);

// The first 16 hexadecimal digits of the canonical form's SHA-256: a run's name.
std::string hash(const RunSpec& spec);

// DATASET-ALGORITHM-sSEED-HASH: the folder of a run among others.
std::string folder_name(const RunSpec& spec);

// "its seed is 1, here 0; its lr is 0.01, here 0.001": where the canonical forms differ (the first few
// places), empty where they do not.
std::string difference(const RunSpec& its, const RunSpec& here);

}  // namespace pair::runs
