#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

// What a run says about itself: results.jsonl, a JSON object an evaluation, in the order of steps. The same
// spec gives the same bytes, so there is no time and no host in it. Keys that DomainBed has mean the same:
//
//   step            updates so far
//   args            algorithm, dataset, seed, trial_seed (the seed), hparams_seed, test_envs; and what
//                   selection needs to know about the algorithm: losses, lists of what PAIR-s reads, of which
//                   the first counts that the records have; noisy_losses; domainbed, its name there
//   hparams         every setting of the method, the model and the data (see settings.h)
//   loss            what the last step went down on: the weighted losses and, where Adam runs, the L2 term
//   nll             the erm loss, the mean of the training environments' risks
//   penalty         the sum of the other objectives (but those whose penalty weight is 0), not weighted:
//                   with one of them, DomainBed's
//   losses, weights {"erm": ..., "irmv1": ...}: each objective, and its weight in the last step
//   phase           "descent", and "balance" once PAIR-o's solver weighs
//   conflict        {"irmv1": ...}: cosine of erm's gradient with each other objective's in the last
//                   step, from where PAIR-o's solver sees them; there where gradients were compared
//   divergence      mu(L) of the losses from the preference; 0 in the descent phase
//   feasible        whether EPO's program had a solution
//   lr              learning rate of the last step
//   restarts, backtracks, rollbacks
//                   times that momentum was dropped, a step taken back for being too long, and one refused
//                   for a value that was not finite, so far
//   env{i}_in_acc   accuracy on environment i, from 0: the training environments first, or as DomainBed
//                   numbers them
//   env{i}_out_acc  accuracy on its held-out part; cmnist's test environments have no other
//   worst_test_acc  the least of the test environments'
// Losses are of the last step or, with minibatches, means over the steps since the record before.
// Algorithms with an update of their own have, in place of loss to rollbacks:
//   gen_loss        dann and cdann: the model's loss
//   disc_loss       and the adversary's
//   loss            mixup
// Regressions have mean squared errors in their place: env{i}_in_mse, env{i}_out_mse, worst_test_mse.
//
// A number that is not finite is null.

namespace pair::runs {

// Every whole line of a results.jsonl; a last line without its end, as a run that is being written or was
// killed has, is left out. Throws std::runtime_error that names the file and the line for what is no JSON
// object.
std::vector<nlohmann::json> read_records(const std::filesystem::path& file);

// The same from text; `name` stands in the sentences.
std::vector<nlohmann::json> parse_records(std::string_view text, std::string_view name);

}  // namespace pair::runs
