#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pair::data {

// DomainBed's defaults for small images, as DatasetEntry::settings. The biased estimate of IRMv1 on a batch
// of 64 is mostly variance, and losses of two different minibatches do not show whether a step was too long.
// batch: samples per environment and step. eval_every: steps between records, of which the first follows the
// first step, as in DomainBed.
std::vector<std::pair<std::string, std::string>> domainbed_settings(int batch, int eval_every);

}  // namespace pair::data
