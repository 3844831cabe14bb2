#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "pair/base/assignment.h"
#include "pair/data/registry.h"
#include "pair/runs/kept_models.h"
#include "pair/train/settings.h"

// A run as a value: everything that decides its records, and how often it is saved.

namespace pair::runs {

struct RunSpec {
  data::Dataset dataset;           // its name and options
  std::string algorithm = "pair";  // the name that the settings come from; see algorithms/registry.h
  train::Settings settings;
  std::uint64_t seed = 0;              // of the data, the model and all random draws
  std::int64_t hparams_seed = 0;       // index of the draw of a random search; 0: not drawn
  std::int64_t eval_every = 50;        // steps between records
  std::int64_t eval_first = 0;         // step of the first record; 0: eval_every
  std::int64_t threads = 1;            // per operation; rounding depends on it
  std::string device = "cpu";          // cpu, cuda or cuda:N
  std::int64_t checkpoint_every = 50;  // steps between checkpoints
  KeepCheckpoints keep_checkpoints =
      KeepCheckpoints::last;  // neither records nor the run's name depend on it
  // The finished run whose final parameters this one starts with, by the name of its folder, which is next to
  // this run's and named by folder_name: its hash identifies all records of that run, so that a spec still
  // decides its run. Empty: a random initial model.
  std::string start = {};
  // A file of pretrained weights that the run starts with, and the file's SHA-256, which is part of the run's
  // name: the file may move, but not change. Empty: none.
  std::string weights = {};
  std::string weights_sha256 = {};
  // The user's name for the method, for tables and reports. It is in every record, so it is part of the hash.
  // Empty: the algorithm's name.
  std::string name = {};
};

// The spec of a dataset and an algorithm by name, with some settings changed. Settings that decide which
// others exist (objectives, solver, model, scheme) are applied first, the others in order. If batch is
// changed, the algorithm's defaults for minibatches apply. If these declare pretrain_thirds
// (algorithms/registry.h) and steps is given without pretrain, pretrain is that share of the steps. If the
// number of PAIR-o's objectives changes and no preference is given, it becomes auto. Throws
// std::invalid_argument with a sentence for an unknown name or an invalid value.
RunSpec resolve(std::string_view dataset, std::string_view algorithm,
                std::span<const base::Assignment> overrides = {});

// The same for recipes, whose settings are for many runs: an option of something that the run does not have,
// such as an objective that it does not minimise, is ignored. Unknown names still throw.
RunSpec resolve_in_common(std::string_view dataset, std::string_view algorithm,
                          std::span<const base::Assignment> overrides);

// Throws std::invalid_argument if a run of an algorithm that has its own objectives (erm, irmv1) minimises
// others: it would be recorded as what it is not. Objectives under a penalty of 0 are recorded only and may
// be added. PAIR-o takes any.
void check_own_objectives(const RunSpec& spec);

// One flat object, sorted by key: "dataset", "algorithm" and every setting that the run has.
nlohmann::json as_json(const RunSpec& spec);

// Requires "dataset" and "algorithm"; other missing keys have the values of resolve(). Throws
// std::invalid_argument for unknown keys, with the nearest one, and for invalid values.
RunSpec spec_from_json(const nlohmann::json& json);
// The same from text, which may not be JSON.
RunSpec spec_from_text(std::string_view text);

// The canonical form of everything that decides the records: as_json on one line without the number of the
// CUDA device, settings that do not decide (checkpoint_every, keep_checkpoints), and settings with their
// omitted value (base::Field::unsaid).
std::string canonical(const RunSpec& spec);

// The first 16 hexadecimal digits of the canonical form's SHA-256: a run's name.
std::string hash(const RunSpec& spec);

// DATASET-ALGORITHM-sSEED-HASH: the name of a run's folder.
std::string folder_name(const RunSpec& spec);

// "its seed is 1, here 0; its lr is 0.01, here 0.001": the first few differences of the canonical forms;
// empty if there are none.
std::string difference(const RunSpec& its, const RunSpec& here);

}  // namespace pair::runs
