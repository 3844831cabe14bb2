#pragma once

#include <cstddef>
#include <string>

#include "pair/select/history.h"

// The accuracies that criteria use, for runs with any number of test environments.

namespace pair::select {

// The accuracy that validates a record.
enum class Validation {
  train_domain,   // mean of env{i}_out_acc over the training domains, numbered from 0 without a gap
  test_domain,    // mean of env{t}_out_acc over the test domains
  training,       // mean of env{i}_in_acc over the training domains, for runs without held-out data
  leave_one_out,  // mean over the training domains v of env{v}_in_acc in the run that also leaves out v
};

// NaN if the record lacks a required accuracy, and for leave_one_out, which needs other runs as well.
double validation_of(const Run& run, const Accuracies& accuracies, std::size_t record, Validation which);

// If the test environment is split, the accuracy on the larger part. NaN if the record has neither.
double test_accuracy(const Accuracies& accuracies, int environment, std::size_t record);

// Whether the last record has each test environment whole: env{t}_out_acc without env{t}_in_acc, as ours on
// ColoredMNIST. DomainBed splits them, and its runs with two are for cross-validation.
bool has_whole_test_environments(const Run& run);

}  // namespace pair::select
