#pragma once

#include "pair/select/decision.h"

// DomainBed's three criteria (Gulrajani and Lopez-Paz, ICLR 2021), with the choices of its collector: a run
// is a value of hparams_seed (of one program's search, where DomainBed's runs and ours are mixed), the test
// accuracy is env{t}_in_acc of the one test environment t, and where two runs are equally good the one of the
// larger hparams_seed is taken, within a run the earlier record.

namespace pair::select {

// The training-domain validation set: the record with the largest mean of env{i}_out_acc over all
// environments but the test environment, in all runs with one test environment.
Selection train_domain(const History& history);

// Leave-one-domain-out cross-validation: for each step, the mean over the training domains v of env{v}_in_acc
// in the run with the same hparams_seed and test environments {t, v}. Needs those runs for every v.
Selection leave_one_out(const History& history);

// The test-domain validation set (oracle): no early stopping; of the runs' last records, the one with the
// largest env{t}_out_acc.
Selection oracle(const History& history);

}  // namespace pair::select
