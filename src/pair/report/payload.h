#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>

// All that a report shows, as one JSON object made from records alone.

namespace pair::report {

// The runs in the folders directly inside of those given, and in those themselves, as read_histories.h finds
// them: finished, going on, failed, half written or garbled. What cannot be used is named in the object and
// stops nothing. Throws std::invalid_argument where a folder that is given is none, or cannot be read.
//
// The object has
// clang-format off
//   title        text
//   summary      [{kind, text}]: sentences; kind is trained, best, criterion or distrust
//   progress     {runs, done, failed, open, records}: open runs are going on, or were stopped
//   metrics      [{key, label, kind, better}]: the numbers that runs log. kind: accuracy, error, loss, weight,
//                conflict, divergence, rate, count or other; better: high, low or empty
//   settings     {common: {name: value}, varying: [name]}: values as JSON text
//   runs         [{name, label, dataset, algorithm, method, seed, draw, test_envs, state, failure, records, step,
//                steps, settings, last, series, phases}]: `settings` in the order of settings.varying (null
//                where a run has none), `last` in that of metrics, from the last record that has the number;
//                `method` an index; `series` null where there was no room for it, or {step: [...], KEY: [...]
//                or a number that never changes}
//   methods      [{label, dataset, algorithm, runs, seeds, curves: {KEY: {step, mean, low, high}},
//                last: {KEY: {mean, deviation, least, most, runs}}}]: a method is an algorithm on a dataset
//   selections   [{criterion, title, choices, notes}]: what each criterion chose and why
//   left_out     sentences about what was not read
//   notes        sentences about what the object leaves away to stay small
// clang-format on
// Every number has at most six significant digits; those that are not finite are null. Its text stays below
// 1 MB or so, so that a page with its plotting library stays below 6 MB.
nlohmann::json payload(std::span<const std::filesystem::path> directories);

}  // namespace pair::report
