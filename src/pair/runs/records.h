#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

// The records of a run: results.jsonl, one JSON object per evaluation, in the order of steps. The same spec
// gives the same bytes, so they contain no times and no host names. Keys that DomainBed also has mean the
// same:
//
//   step            updates so far
//   args            algorithm, dataset, seed, trial_seed (the seed), hparams_seed, test_envs; env_names,
//                   weights_sha256 and name where the run has them; selection, the score that a dataset with
//                   its own scores is selected by; and what selection needs to know about the algorithm:
//                   losses, lists of what PAIR-s reads, of which the first counts that the records have;
//                   noisy_losses; domainbed, its name there
//   hparams         every setting of the method, the model and the data (see settings.h)
//   loss            the value that the last step minimised: the weighted losses and, except in the balance phase,
//                   the L2 term
//   nll             the erm loss, the mean of the training environments' risks
//   penalty         the unweighted sum of the other objectives (except those with penalty weight 0): with one
//                   of them, DomainBed's
//   losses, weights {"erm": ..., "irmv1": ...}: each objective, and its weight in the last step
//   noise_floor     {"irmv1": ..., "vrex": ...}: the value that a loss is expected to have if the objective is
//                   0 for the distribution of the data; a loss below it is noise. Only with minibatches and
//                   moments that are averaged over steps (track), for objectives that are squares of them
//   held_out_losses {"erm": ..., "irmv1": ..., "vrex": ...}: the objectives on the held-out parts of the
//                   training environments; only if each has such a part, and for objectives that are
//                   functions of risks and their derivatives and have no state (erm, irmv1, vrex, worst_risk)
//   held_out_noise_floor
//                   their noise floors, from the number of held-out samples
//   phase           "descent", and "balance" once PAIR-o's solver sets the weights
//   conflict        {"irmv1": ...}: cosine of erm's gradient with each other objective's in the last
//                   step, for the parameters that PAIR-o's solver uses; only if gradients were compared
//   divergence      mu(L) of the losses from the preference; 0 in the descent phase
//   feasible        whether EPO's program had a solution
//   lr              learning rate of the last step
//   restarts, backtracks, rollbacks
//                   number of times, so far, that momentum was dropped, a step was undone for being too long,
//                   and a step was refused because a value was not finite
//   env{i}_in_acc   accuracy on environment i, from 0: the training environments first, or in DomainBed's
//                   order
//   env{i}_out_acc  accuracy on its held-out part; cmnist's test environments have no other
//   worst_test_acc  the smallest accuracy over the test environments
//   val_acc_wg, ... further scores of datasets that define them (WILDS)
//   ranks           the number of processes that trained the run, if there were several
//   averaged_steps  with average: the steps whose weights are averaged so far
// Losses are those of the last step or, with minibatches, means over the steps since the previous record.
// Algorithms with their own update have, in place of loss to rollbacks:
//   gen_loss        dann and cdann: the model's loss
//   disc_loss       dann and cdann: the adversary's loss
//   loss            mixup, fish and lisa
// Regressions have mean squared errors in place of accuracies: env{i}_in_mse, env{i}_out_mse, worst_test_mse.
//
// Numbers that are not finite are null.

namespace pair::runs {

// The complete lines of a results.jsonl; a last line without line end, as in a run that is being written or
// was killed, is left out. Throws std::runtime_error that names the file and the line if a line is not a JSON
// object.
std::vector<nlohmann::json> read_records(const std::filesystem::path& file);

// The same from text; `name` is used in error messages.
std::vector<nlohmann::json> parse_records(std::string_view text, std::string_view name);

}  // namespace pair::runs
