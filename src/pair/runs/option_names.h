#pragma once

// A run's settings are found by name alone: in --set, in specs and in records.

namespace pair::runs {

// Reads the lists of all extensions. Throws std::invalid_argument if two groups of settings that one run can
// have together, such as an objective's options and a model's, have the same name. Datasets are not used
// together, so two of them may share a name; likewise solvers, models, and algorithms.
void require_unique_names();

}  // namespace pair::runs
