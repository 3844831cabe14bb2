#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/select/history.h"

// DomainBed's names, in the order of its collector's tables.

namespace pair::select {

// The column heads of DomainBed's tables for the environments of one of its datasets: +90%, +80%, -90%. Empty
// for other datasets.
std::span<const std::string_view> environments_of(std::string_view dataset);

// The column head of an environment: DomainBed's, its name in the run's records, or its number.
std::string environment_name(const Run& run, int environment);
// The same for all runs on a dataset; its number if they disagree on the name.
std::string environment_name(const History& history, std::string_view dataset, int environment);

// Names the data of each run on files of the user. If runs on one dataset, such as table or images, differ in
// their files, labels or environments, these follow its name, since such runs do not compete:
// "table (mine.csv, label 'out=come')". A file that was moved is the same, if the records have its digest.
void name_datasets(History& history);

// Names the method of each run, after name_datasets and join_algorithms. A run that the user named has that
// name. If runs of one algorithm differ in objectives, solver or scheme, these follow its name, since they
// are different methods: "pair (erm, irmv1; mgda)". An objective with penalty 0 is recorded but not
// minimised, so it does not count.
void name_methods(History& history);

// Gives each algorithm one name: if some runs have DomainBed's (IRM) and others ours (irmv1), all get
// DomainBed's. If a history has only one of the names, it is kept.
void join_algorithms(History& history);

// Whether the name is that of the run's algorithm, ours or DomainBed's, however it is written.
bool is_algorithm(std::string_view name, const Run& run);

// The history's algorithms: those that DomainBed knows, by its name or by ours, in its order, then the others
// by name.
std::vector<std::string> algorithms_in_order(const History& history);
std::vector<std::string> datasets_in_order(std::vector<std::string> names);

}  // namespace pair::select
