#include "pair/train/settings.h"

#include <stdexcept>

#include "pair/data/sampler.h"
#include "pair/models/registry.h"
#include "pair/moo/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/preference.h"

namespace pair::train {
namespace {

constexpr std::int64_t many = 1'000'000'000;
constexpr base::Range rate{.low = 0, .high = 1e3, .open_low = true};
constexpr base::Range penalty_weight{.low = 0, .high = 1e12};

template <class Enum>
std::vector<std::pair<std::string, Enum>> by_name(std::initializer_list<Enum> values) {
  std::vector<std::pair<std::string, Enum>> choices;
  for (const Enum value : values) {
    choices.emplace_back(to_string(value), value);
  }
  return choices;
}

bool is_name(const std::string& name) {
  return !name.empty();
}

using S = Settings;
using SettingsFields = base::Fields<Settings>;

void describe_all(SettingsFields& field) {
  field.choice(
      "scheme", &S::scheme, by_name({Scheme::linear, Scheme::pair, Scheme::own}),
      "how a step is found: objectives under fixed penalties, under a solver's weights, or an update of "
      "the algorithm's own");
  field.names("objectives", &S::objectives, "names separated by commas, erm the first",
              "objectives to minimise; see 'pair list objectives'",
              [](const std::vector<std::string>& names) { return !names.empty() && names.front() == "erm"; });
  field.whole("steps", &S::steps, std::int64_t{1}, many, "total number of updates");
  field
      .whole("pretrain", &S::pretrain, std::int64_t{0}, many,
             "steps at the beginning: of ERM alone (schemes pair and own), or with pretrain_penalty (linear)")
      .summaries = {{"linear", "first steps, in which the penalty is pretrain_penalty"},
                    {"pair", "first steps, of ERM alone; the solver balances in those after them"},
                    {"own", "first steps, of ERM alone; the algorithm's own update takes those after them"}};
  field.whole("batch", &S::batch, std::int64_t{0}, data::largest_batch,
              "samples per environment and step; 0: all");
  field
      .whole("environments", &S::environments, std::int64_t{0}, many,
             "environments per step, drawn without replacement, for minibatches; 0: all")
      .unsaid = "0";
  field
      .whole("accumulate", &S::accumulate, std::int64_t{1}, 1024,
             "parts that a step's batch goes through the network in, to save memory; the gradient is that of "
             "the whole batch")
      .unsaid = "1";
  field
      .number(
          "track", &S::track, {.low = 1, .high = 1e6},
          "steps over which risks and their derivatives are averaged, for objectives that are functions of "
          "them and minibatches of all environments; 1: no averaging")
      .unsaid = "1";
  field
      .number("measure_share", &S::measure_share, {.low = 0, .high = 0.5},
              "share of each environment's samples that measures risks and their derivatives, while the "
              "others give the gradient; 0: all do both")
      .unsaid = "0";
  field
      .whole("measure_rotate", &S::measure_rotate, std::int64_t{0}, many,
             "measure_share: steps after which the next samples measure; 0: always the same ones")
      .unsaid = "0";
  field
      .number("lr", &S::lr, rate,
              "learning rate of all steps (schemes linear and own), or of the pretrain steps (pair)")
      .summaries = {{"linear", "learning rate of all steps"},
                    {"pair",
                     "learning rate of the pretrain steps, which Adam takes; balance_lr or balance_lr_ratio "
                     "is for the rest"},
                    {"own", "learning rate of all steps"}};
  field
      .number("lr_end", &S::lr_end, {.low = 0, .high = 1, .open_low = true},
              "fraction of lr at the end of the pretrain steps; lr falls linearly to it")
      .unsaid = "1";
  field.flag("refresh", &S::refresh, "start a fresh Adam after pretrain steps");
  field
      .whole("warmup", &S::warmup, std::int64_t{0}, many,
             "steps at the beginning over which the learning rate rises linearly from 0")
      .unsaid = "0";
  field
      .choice(
          "schedule", &S::schedule, by_name({Decay::none, Decay::cosine, Decay::step}),
          "decay of the learning rate over the whole run, after warmup: as a cosine to 0, in steps, or none")
      .unsaid = "none";
  field
      .whole("schedule_every", &S::schedule_every, std::int64_t{1}, many,
             "schedule step: steps between two reductions of the learning rate")
      .unsaid = "1000";
  field
      .number("schedule_factor", &S::schedule_factor, {.low = 0, .high = 1, .open_low = true},
              "schedule step: factor of each reduction of the learning rate")
      .unsaid = "0.96";
  field
      .flag("amsgrad", &S::amsgrad,
            "AMSGrad: Adam divides by the largest mean of squared gradients so far, not by the current one")
      .unsaid = "false";
  field
      .choice("optimizer", &S::optimizer, by_name({Optimizer::sgd, Optimizer::adam}),
              "what takes the steps at rate lr: Adam, or SGD with descent_momentum")
      .unsaid = "adam";
  field
      .number("descent_momentum", &S::descent_momentum, {.low = 0, .high = 1, .open_high = true},
              "optimizer sgd: its momentum")
      .unsaid = "0";
  field.number("l2", &S::l2, {.low = 0, .high = 1e3},
               "factor of the sum of squared parameters, except in PAIR-o's steps after pretrain");
  field
      .number("average", &S::average, {.low = 0, .high = 1},
              "share of the last steps whose weights are averaged for scores and the saved model; 0: none")
      .unsaid = "0";
  field
      .flag("score_train", &S::score_train,
            "whether records have scores of the samples that are trained on, too, not only of held-out ones")
      .unsaid = "true";
}

void describe_linear(SettingsFields& field) {
  field.number("penalty", &S::penalty, penalty_weight,
               "lambda, the weight of the objectives after erm, or of the adversary, after pretrain steps");
  field
      .numbers("penalties", &S::penalties, penalty_weight,
               "one lambda per objective after erm, in place of penalty; 0: only record it; equal: penalty "
               "for all",
               "equal")
      .unsaid = "equal";
  field.number("pretrain_penalty", &S::pretrain_penalty, penalty_weight, "lambda during the pretrain steps")
      .unsaid = "1";
  field
      .text("sums", &S::sums, "none, or names of objectives separated by commas",
            "objectives that are summed over the environments of a step, not averaged", is_name)
      .unsaid = "none";
  field
      .number("annealed_divisor", &S::annealed_divisor, {.low = 1, .high = 1e12},
              "the loss is divided by this after pretrain steps, if there are any")
      .unsaid = "1";
  field
      .flag("conflict", &S::conflict, "record the conflict of the objectives' gradients, as pair always does")
      .unsaid = "false";
  field
      .number("annealed_lr", &S::annealed_lr, {.low = 0, .high = 1e3},
              "learning rate after pretrain steps, from where it falls by a cosine; 0: lr throughout")
      .unsaid = "0";
}

void describe_pair(SettingsFields& field) {
  field.text("solver", &S::solver, "names of 'pair list solvers'", "the solver that weighs the objectives",
             is_name);
  base::Field& preference = field.numbers(
      "preference", &S::preference, {.low = 0, .high = 1e300, .open_low = true},
      "one number per objective: the larger, the smaller its loss should be; auto estimates them when "
      "balancing starts; choice:N is that of the paper's code (docs/wilds.md)",
      "auto");
  std::vector<std::string> choices;
  for (const PreferenceChoice& choice : preference_choices) {
    choices.push_back(std::to_string(choice.number));
  }
  preference.accepted += ", or choice:N with N = " + base::joined_names(choices);
  preference.parse = [plain = preference.parse](std::string_view typed) {
    const std::optional<std::vector<double>> choice = preference_of_choice(base::trimmed(typed));
    return choice ? std::optional<base::Value>(*choice) : plain(typed);
  };
  field
      .numbers("descent_penalties", &S::descent_penalties, penalty_weight,
               "one weight per objective after erm in the pretrain steps; none: ERM alone", "none")
      .unsaid = "none";
  field
      .choice("balance_optimizer", &S::balance_optimizer, by_name({Optimizer::sgd, Optimizer::adam}),
              "optimizer of the steps after pretrain: SGD with momentum, or Adam")
      .unsaid = "sgd";
  field.number("balance_lr", &S::balance_lr, rate, "learning rate of the steps after pretrain (scheme pair)")
      .summaries = {{"pair", "learning rate of the steps after pretrain, which balance_optimizer takes"}};
  field
      .number("balance_lr_ratio", &S::balance_lr_ratio, {.low = 0, .high = 1e3},
              "learning rate of the steps after pretrain as a fraction of lr, in place of balance_lr; 0: "
              "balance_lr")
      .unsaid = "0";
  field.number("momentum", &S::momentum, {.low = 0, .high = 1, .open_high = true}, "SGD's momentum");
  field.flag("restart", &S::restart, "drop the momentum if the new direction opposes it");
  field.flag("backtrack", &S::backtrack,
             "undo steps that raise the loss that they should lower; not with minibatches or objectives that "
             "draw samples");
  field
      .flag("hold_at_noise", &S::hold_at_noise,
            "shorten steps whose losses are close to their noise floors; with track")
      .unsaid = "false";
  field.choice("decay", &S::decay, by_name({Decay::none, Decay::cosine}),
               "decay of balance_lr over the balance phase");
  field.choice("gradients", &S::gradients,
               by_name({GradientSource::head, GradientSource::featurizer, GradientSource::all}),
               "parameters whose gradients the solver uses: the head's, the featurizer's or both");
  field.flag("freeze_featurizer", &S::freeze_featurizer, "train the head alone after pretrain steps");
}

void describe_model(SettingsFields& field) {
  field.text("model", &S::model, "names of 'pair list models'", "the network", is_name);
  field
      .text("freeze", &S::freeze, "none, or names separated by commas",
            "parameters that are not trained: names such as conv1 or layer1.0, with all below them", is_name)
      .unsaid = "none";
}

// group: the scheme that alone reads them; empty: all do.
void add_settings(std::vector<base::Field>& all, void (*describe)(SettingsFields&),
                  const std::string& group) {
  SettingsFields fields;
  describe(fields);
  for (base::Field& field : std::move(fields).take()) {
    field.group = group;
    all.push_back(std::move(field));
  }
}

std::vector<base::Field> declared_settings() {
  std::vector<base::Field> all;
  add_settings(all, describe_all, "");
  add_settings(all, describe_linear, "linear");
  add_settings(all, describe_pair, "pair");
  add_settings(all, describe_model, "");
  return all;
}

}  // namespace

std::vector<std::string> summed_objectives(const Settings& settings) {
  return settings.sums == "none" ? std::vector<std::string>() : base::comma_separated(settings.sums);
}

const std::vector<base::Field>& settings_fields() {
  static const std::vector<base::Field> all = declared_settings();
  return all;
}

std::string meaning(const base::Field& field, Scheme scheme) {
  for (const auto& [mode, summary] : field.summaries) {
    if (mode == to_string(scheme)) {
      return summary;
    }
  }
  return field.summary;
}

void settle(Settings& settings) {
  std::map<std::string, base::Options, std::less<>> options;
  for (const std::string& name : settings.objectives) {
    const base::Options& defaults = objectives::objective_named(name).options;
    const auto found = settings.objective_options.find(name);
    const bool fits = found != settings.objective_options.end() && found->second.is_like(defaults);
    options[name] = fits ? found->second : defaults;
  }
  settings.objective_options = std::move(options);
  base::Options solver_defaults = moo::training_options_of(settings.solver);
  if (!settings.solver_options.is_like(solver_defaults)) {
    settings.solver_options = std::move(solver_defaults);
  }
  const base::Options& defaults = models::model_named(settings.model).options;
  if (!settings.model_options.is_like(defaults)) {
    settings.model_options = defaults;
  }
}

std::string_view to_string(Scheme scheme) {
  switch (scheme) {
    case Scheme::linear:
      return "linear";
    case Scheme::pair:
      return "pair";
    case Scheme::own:
      return "own";
  }
  throw std::logic_error("unknown scheme");
}

std::string_view to_string(GradientSource source) {
  switch (source) {
    case GradientSource::head:
      return "w";
    case GradientSource::featurizer:
      return "phi";
    case GradientSource::all:
      return "f";
  }
  throw std::logic_error("unknown gradient source");
}

std::string_view to_string(Optimizer optimizer) {
  return optimizer == Optimizer::sgd ? "sgd" : "adam";
}

std::string_view to_string(Decay decay) {
  return decay == Decay::none ? "none" : decay == Decay::cosine ? "cosine" : "step";
}

std::string_view to_string(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return "fp32";
    case Precision::tf32:
      return "tf32";
    case Precision::bf16:
      return "bf16";
  }
  throw std::logic_error("unknown precision");
}

}  // namespace pair::train
