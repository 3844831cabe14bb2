#pragma once

#include "pair/base/assignment.h"

namespace pair::data {

// DomainBed's defaults for small images, as DatasetEntry::settings. The biased estimate of IRMv1 on a batch
// of 64 is mostly variance, and losses of two different minibatches do not show whether a step was too long.
// batch: samples per environment and step. eval_every: steps between records, of which the first follows the
// first step, as in DomainBed. changes: what is different on other datasets, and further settings.
base::Assignments domainbed_settings(int batch, int eval_every, const base::Assignments& changes = {});

}  // namespace pair::data
