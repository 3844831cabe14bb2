#pragma once

#include "pair/select/decision.h"
#include "pair/select/validation.h"

// DomainBed's three criteria (Gulrajani and Lopez-Paz, ICLR 2021), with the conventions of its collector: a
// run is identified by its hparams_seed (and by the program, if DomainBed's runs and ours are mixed); the
// test accuracy is env{t}_in_acc of the one test environment t. In a tie between runs, the larger
// hparams_seed wins; within a run, the earlier record. Runs whose test environments are whole (validation.h),
// any number of them, compete with runs that have the same ones.

namespace pair::select {

// Training-domain validation set: the record with the largest mean of env{i}_out_acc over all environments
// except the test environments.
Selection train_domain(const History& history);

// The same by the mean of env{i}_in_acc, for runs that hold nothing out; not one of DomainBed's.
Selection training_accuracy(const History& history);

// Leave-one-domain-out cross-validation: for each step, the mean over the training domains v of env{v}_in_acc
// in the run with the same hparams_seed and test environments {t, v}. Needs those runs for every v.
Selection leave_one_out(const History& history);

// Test-domain validation set (oracle): no early stopping. Among the last records of the runs, the one with
// the largest env{t}_out_acc, or mean of them over whole test environments.
Selection oracle(const History& history);

}  // namespace pair::select
