#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>

// The content of a report as one JSON object, made from records alone.

namespace pair::report {

// Reads the runs in the given folders and in their direct subfolders, as read_histories.h finds them:
// finished, running, failed, half-written or corrupt. Unusable files are listed in the object and do not stop
// the rest. Throws std::invalid_argument if a given folder does not exist or cannot be read.
//
// The object has
// clang-format off
//   title        text
//   summary      [{kind, text}]: sentences; kind is trained, best, criterion, model or distrust
//   progress     {runs, done, failed, open, records}: open runs are running or were stopped
//   metrics      [{key, label, kind, better}]: the numbers that runs log. kind: accuracy, error, loss, floor,
//                weight, conflict, divergence, rate, count or other; better: high, low or empty
//   settings     {common: {name: value}, varying: [name]}: values as JSON text
//   runs         [{name, label, dataset, algorithm, method, seed, draw, test_envs, state, failure, records, step,
//                steps, settings, last, series, labels, phases, evaluation}]: `settings` in the order of
//                settings.varying (null if a run has none), `last` in the order of metrics, from the last record
//                that has the number; `method` an index; `series` null if there was no room for it, otherwise
//                {step: [...], KEY: [...] or a number that never changes}; `labels` {KEY: label} where the run's
//                own label of a metric, with the name and role of its environment, differs from that in metrics;
//                `evaluation` null if the run has none or there was no room, otherwise the object of
//                runs/evaluation.h (runs::as_json), without `format` and with `words`, sentences about it
//   methods      [{label, dataset, algorithm, runs, seeds, curves: {KEY: {step, mean, low, high}},
//                last: {KEY: {mean, deviation, least, most, runs}}}]: a method is an algorithm on a dataset
//   selections   [{criterion, title, choices, notes}]: the choices of each criterion and their reasons
//   left_out     sentences about files that were not read
//   notes        sentences about data left out to keep the object small
// clang-format on
// Numbers have at most six significant digits; those that are not finite are null. The text stays below about
// 1 MB, with evaluations and their pictures below 3 MB, and a page with its plotting library below 6 MB.
nlohmann::json payload(std::span<const std::filesystem::path> directories);

}  // namespace pair::report
