#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

// DomainBed's registry of hyperparameters (domainbed/hparams_registry.py), as of commit b93c22a, with its
// names, defaults and draws: the same values, bit for bit, for the same seeds. The entries of algorithms and
// datasets declare them (Drawn::domainbed, Field::domainbed_name, DatasetEntry::drawn); what DomainBed registers
// and we do not have is in the source file.

namespace pair::sweep {

// Whether DomainBed has the dataset, so that registered_hparams knows it: DatasetEntry::in_domainbed.
bool is_domainbed_dataset(std::string_view dataset);

// The hyperparameters that DomainBed's train.py gets with --hparams_seed and --trial_seed: an object of all
// of them by name. hparams_seed 0: the defaults. algorithm: DomainBed's name ("IRM"). Throws
// std::invalid_argument for a dataset or an algorithm that is not registered here.
nlohmann::ordered_json registered_hparams(std::string_view dataset, std::string_view algorithm,
                                          std::int64_t hparams_seed, std::int64_t trial_seed);

}  // namespace pair::sweep
