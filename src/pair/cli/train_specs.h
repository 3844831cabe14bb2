#pragma once

#include <string>
#include <vector>

#include "pair/cli/train_arguments.h"
#include "pair/runs/run_spec.h"

namespace pair::cli {

// The runs that the arguments of 'pair train' describe: that of --spec, that of the other options, or, with
// '--test-envs each', one per environment that is left out in turn. Reads the user's files where names and
// digests come from them. Throws UsageError and std::invalid_argument if an argument is invalid, or if the
// algorithm would ignore a setting. Sentences for the user are added to `notes`, if given.
std::vector<runs::RunSpec> specs_of(const TrainArguments& arguments,
                                    std::vector<std::string>* notes = nullptr);

}  // namespace pair::cli
