#include "pair/runs/keys.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/runs/algorithms.h"

namespace pair::runs {
namespace {

using data::ColoredMnistSpec;
using data::DomainBedMnistSpec;
using data::ExtrapolationSpec;
using nlohmann::json;
using objectives::ObjectiveOptions;
using train::Settings;

const json not_accepted = json(json::value_t::discarded);

// ---- where a setting lives -------------------------------------------------------------------------------

template <class Owner, class Value>
Owner owner_of(Value Owner::*);
template <class Owner, class Value>
Value value_of(Value Owner::*);
template <auto Member>
using ValueOf = decltype(value_of(Member));

template <class Owner, class Variant>
constexpr bool is_alternative = false;
template <class Owner, class... Families>
constexpr bool is_alternative<Owner, std::variant<Families...>> = (std::is_same_v<Owner, Families> || ...);

// Whether the setting belongs to a family of datasets.
template <auto Member>
constexpr bool of_dataset = is_alternative<decltype(owner_of(Member)), data::DatasetSpec>;

template <auto Member>
bool applies(const RunSpec& spec) {
  if constexpr (of_dataset<Member>) {
    return std::holds_alternative<decltype(owner_of(Member))>(spec.dataset);
  }
  return true;
}

template <auto Member, class Spec>
auto& at(Spec& spec) {
  using Owner = decltype(owner_of(Member));
  if constexpr (std::is_same_v<Owner, RunSpec>) {
    return spec.*Member;
  } else if constexpr (of_dataset<Member>) {
    return std::get<Owner>(spec.dataset).*Member;
  } else if constexpr (std::is_same_v<Owner, Settings>) {
    return spec.settings.*Member;
  } else {
    return spec.settings.objective_options.*Member;
  }
}

// ---- text ------------------------------------------------------------------------------------------------

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t first = text.find_first_not_of(space);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(space) - first + 1);
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  text = trimmed(text);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

template <class Number>
json parse_number(std::string_view text) {
  const std::optional<Number> number = number_in<Number>(text);
  return number ? json(*number) : not_accepted;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(comma + 1);
  }
}

json parse_switch(std::string_view text) {
  text = trimmed(text);
  if (text == "true" || text == "1" || text == "yes" || text == "on") {
    return true;
  }
  if (text == "false" || text == "0" || text == "no" || text == "off") {
    return false;
  }
  return not_accepted;
}

// ---- kinds of settings -----------------------------------------------------------------------------------

struct Interval {
  double low = 0.0;
  double high = 0.0;
  enum class Ends { closed, open_low, open_high } ends = Ends::closed;

  [[nodiscard]] bool holds(double value) const {
    return value >= low && value <= high && !(ends == Ends::open_low && value == low) &&
           !(ends == Ends::open_high && value == high);
  }
  [[nodiscard]] std::string text() const {
    switch (ends) {
      case Ends::open_low:
        return "numbers above " + base::shown(low) + " and up to " + base::shown(high);
      case Ends::open_high:
        return "numbers from " + base::shown(low) + " to below " + base::shown(high);
      case Ends::closed:
        break;
    }
    return "numbers from " + base::shown(low) + " to " + base::shown(high);
  }
};
using Ends = Interval::Ends;

template <class Whole>
std::optional<Whole> whole_in(const json& value, Whole low, Whole high) {
  const auto within = [&](auto number) {
    return std::cmp_greater_equal(number, low) && std::cmp_less_equal(number, high);
  };
  if (value.is_number_unsigned() && within(value.get<std::uint64_t>())) {
    return static_cast<Whole>(value.get<std::uint64_t>());
  }
  if (value.is_number_integer() && !value.is_number_unsigned() && within(value.get<std::int64_t>())) {
    return static_cast<Whole>(value.get<std::int64_t>());
  }
  return std::nullopt;
}

template <auto Member>
Key whole(std::string_view name, Group group, ValueOf<Member> low, ValueOf<Member> high,
          std::string_view summary) {
  using Whole = ValueOf<Member>;
  return {name,
          group,
          summary,
          "whole numbers from " + std::to_string(low) + " to " + std::to_string(high),
          applies<Member>,
          [](const RunSpec& spec) { return json(at<Member>(spec)); },
          [low, high](RunSpec& spec, const json& value) {
            const std::optional<Whole> number = whole_in<Whole>(value, low, high);
            at<Member>(spec) = number.value_or(at<Member>(spec));
            return number.has_value();
          },
          parse_number<Whole>};
}

template <auto Member>
Key number(std::string_view name, Group group, Interval interval, std::string_view summary) {
  return {name,
          group,
          summary,
          interval.text(),
          applies<Member>,
          [](const RunSpec& spec) { return json(at<Member>(spec)); },
          [interval](RunSpec& spec, const json& value) {
            const bool good = value.is_number() && interval.holds(value.get<double>());
            at<Member>(spec) = good ? value.get<double>() : at<Member>(spec);
            return good;
          },
          parse_number<double>};
}

template <auto Member>
Key switched(std::string_view name, Group group, std::string_view summary) {
  return {name,
          group,
          summary,
          "true and false",
          applies<Member>,
          [](const RunSpec& spec) { return json(at<Member>(spec)); },
          [](RunSpec& spec, const json& value) {
            at<Member>(spec) = value.is_boolean() ? value.get<bool>() : at<Member>(spec);
            return value.is_boolean();
          },
          parse_switch};
}

// A name whose register is asked when the run is built.
template <auto Member>
Key named(std::string_view name, Group group, std::string_view accepted, std::string_view summary) {
  return {name,
          group,
          summary,
          std::string(accepted),
          applies<Member>,
          [](const RunSpec& spec) { return json(at<Member>(spec)); },
          [](RunSpec& spec, const json& value) {
            const bool good = value.is_string() && !value.get_ref<const std::string&>().empty();
            at<Member>(spec) = good ? value.get<std::string>() : at<Member>(spec);
            return good;
          },
          [](std::string_view text) { return json(trimmed(text)); }};
}

template <class Value>
using Choices = std::vector<std::pair<std::string_view, Value>>;

template <class Value>
Choices<Value> by_name(std::initializer_list<Value> values) {
  Choices<Value> choices;
  for (const Value value : values) {
    choices.emplace_back(to_string(value), value);
  }
  return choices;
}

template <auto Member>
Key choice(std::string_view name, Group group, const Choices<ValueOf<Member>>& choices,
           std::string_view summary) {
  std::string accepted;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    accepted += (i == 0 ? "" : i + 1 == choices.size() ? " and " : ", ") + std::string(choices[i].first);
  }
  return {name,
          group,
          summary,
          accepted,
          applies<Member>,
          [choices](const RunSpec& spec) {
            const auto found = std::find_if(choices.begin(), choices.end(), [&](const auto& entry) {
              return entry.second == at<Member>(spec);
            });
            return json(found->first);
          },
          [choices](RunSpec& spec, const json& value) {
            const auto found = std::find_if(choices.begin(), choices.end(),
                                            [&](const auto& entry) { return value == entry.first; });
            at<Member>(spec) = found != choices.end() ? found->second : at<Member>(spec);
            return found != choices.end();
          },
          [](std::string_view text) { return json(trimmed(text)); }};
}

json parse_numbers(std::string_view text) {
  json list = json::array();
  for (const std::string_view part : parts_of(text)) {
    const std::optional<double> number = number_in<double>(part);
    if (!number) {
      return not_accepted;
    }
    list.push_back(*number);
  }
  return list;
}

bool all_within(const json& value, const Interval& interval) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [&](const json& entry) {
           return entry.is_number() && interval.holds(entry.get<double>());
         });
}

template <auto Member>
Key numbers(std::string_view name, Group group, Interval interval, std::string_view summary) {
  return {name,
          group,
          summary,
          "lists of " + interval.text() + ", separated by commas",
          applies<Member>,
          [](const RunSpec& spec) { return json(at<Member>(spec)); },
          [interval](RunSpec& spec, const json& value) {
            const bool good = all_within(value, interval);
            at<Member>(spec) = good ? value.get<std::vector<double>>() : at<Member>(spec);
            return good;
          },
          parse_numbers};
}

json parse_whole_numbers(std::string_view text) {
  json list = json::array();
  for (const std::string_view part : parts_of(text)) {
    const std::optional<std::int64_t> number = number_in<std::int64_t>(part);
    if (!number) {
      return not_accepted;
    }
    list.push_back(*number);
  }
  return list;
}

template <auto Member>
Key whole_numbers(std::string_view name, Group group, std::int64_t low, std::int64_t high,
                  std::string_view summary) {
  return {name,
          group,
          summary,
          "lists of whole numbers from " + std::to_string(low) + " to " + std::to_string(high) +
              ", separated by commas",
          applies<Member>,
          [](const RunSpec& spec) { return json(at<Member>(spec)); },
          [low, high](RunSpec& spec, const json& value) {
            const bool good = value.is_array() && !value.empty() &&
                              std::all_of(value.begin(), value.end(), [&](const json& entry) {
                                return whole_in<std::int64_t>(entry, low, high).has_value();
                              });
            at<Member>(spec) = good ? value.get<std::vector<std::int64_t>>() : at<Member>(spec);
            return good;
          },
          parse_whole_numbers};
}

template <auto Member>
Key text(std::string_view name, Group group, std::string_view accepted, std::string_view summary) {
  return {name,
          group,
          summary,
          std::string(accepted),
          applies<Member>,
          [](const RunSpec& spec) { return json(at<Member>(spec)); },
          [](RunSpec& spec, const json& value) {
            at<Member>(spec) = value.is_string() ? value.get<std::string>() : at<Member>(spec);
            return value.is_string();
          },
          [](std::string_view typed) { return json(typed); }};
}

// A setting of algorithms that have an update of their own.
Key only_for(std::initializer_list<train::Scheme> schemes, Key key) {
  key.applies = [schemes = std::vector(schemes)](const RunSpec& spec) {
    return std::find(schemes.begin(), schemes.end(), spec.settings.scheme) != schemes.end();
  };
  return key;
}

Key adversary(Key key) {
  return only_for({train::Scheme::dann, train::Scheme::cdann}, std::move(key));
}

Key later(std::string_view unsaid, Key key) {
  key.unsaid = unsaid;
  return key;
}

bool every_run(const RunSpec& /*spec*/) {
  return true;
}

Key preference() {
  constexpr Interval interval{0.0, 1e300, Ends::open_low};
  return {"preference",
          Group::pair,
          "one number an objective, the larger the smaller its loss is wanted; auto estimates them when "
          "balancing starts",
          "auto and lists of " + interval.text() + ", separated by commas",
          every_run,
          [](const RunSpec& spec) {
            return spec.settings.preference.empty() ? json("auto") : json(spec.settings.preference);
          },
          [interval](RunSpec& spec, const json& value) {
            if (value == "auto") {
              spec.settings.preference.clear();
              return true;
            }
            const bool good = all_within(value, interval);
            spec.settings.preference =
                good ? value.get<std::vector<double>>() : std::move(spec.settings.preference);
            return good;
          },
          [](std::string_view text) { return trimmed(text) == "auto" ? json("auto") : parse_numbers(text); }};
}

// One number an objective after erm.
Key penalties() {
  constexpr Interval interval{0.0, 1e12};
  return {
      "penalties",
      Group::linear,
      "lambda of each objective beyond erm in place of penalty, 0 to record it only; equal: penalty for all",
      "equal and lists of " + interval.text() + ", separated by commas",
      every_run,
      [](const RunSpec& spec) {
        return spec.settings.penalties.empty() ? json("equal") : json(spec.settings.penalties);
      },
      [interval](RunSpec& spec, const json& value) {
        if (value == "equal") {
          spec.settings.penalties.clear();
          return true;
        }
        const bool good = all_within(value, interval);
        spec.settings.penalties =
            good ? value.get<std::vector<double>>() : std::move(spec.settings.penalties);
        return good;
      },
      [](std::string_view text) { return trimmed(text) == "equal" ? json("equal") : parse_numbers(text); }};
}

// A folder's name: nothing else is looked for than what stands beside the run.
bool is_start(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos;
}

Key start() {
  return {"start",
          Group::run,
          "the finished run whose parameters this one starts with, by its folder's name beside this one's",
          "none and names such as cmnist-gray-erm-s0-0123456789abcdef",
          every_run,
          [](const RunSpec& spec) { return json(spec.start.empty() ? "none" : spec.start); },
          [](RunSpec& spec, const json& value) {
            const bool good = value.is_string() && is_start(value.get_ref<const std::string&>());
            spec.start = !good ? std::move(spec.start) : value == "none" ? "" : value.get<std::string>();
            return good;
          },
          [](std::string_view text) { return json(trimmed(text)); }};
}

Key objective_names() {
  return {"objectives",
          Group::method,
          "what is minimised; 'pair list objectives' has the names",
          "names separated by commas, erm the first",
          every_run,
          [](const RunSpec& spec) { return json(spec.settings.objectives); },
          [](RunSpec& spec, const json& value) {
            const bool good =
                value.is_array() && !value.empty() && value.front() == "erm" &&
                std::all_of(value.begin(), value.end(), [](const json& entry) { return entry.is_string(); });
            spec.settings.objectives =
                good ? value.get<std::vector<std::string>>() : std::move(spec.settings.objectives);
            return good;
          },
          [](std::string_view text) { return json(parts_of(text)); }};
}

bool is_device(std::string_view name) {
  if (name == "cpu" || name == "cuda") {
    return true;
  }
  constexpr std::string_view indexed = "cuda:";
  return name.starts_with(indexed) && number_in<std::uint8_t>(name.substr(indexed.size())).has_value();
}

Key device() {
  return {"device",
          Group::run,
          "where tensors live",
          "cpu, cuda and cuda:N",
          every_run,
          [](const RunSpec& spec) { return json(spec.device); },
          [](RunSpec& spec, const json& value) {
            const bool good = value.is_string() && is_device(value.get_ref<const std::string&>());
            spec.device = good ? value.get<std::string>() : std::move(spec.device);
            return good;
          },
          [](std::string_view text) { return json(trimmed(text)); }};
}

// ---- the table -------------------------------------------------------------------------------------------

constexpr std::int64_t many = 1'000'000'000;
constexpr Interval probability{0.0, 1.0};
constexpr Interval rate{0.0, 1e3, Ends::open_low};

std::vector<Key> table() {
  using train::BalanceOptimizer;
  using train::Decay;
  using train::GradientSource;
  using train::Scheme;
  using Negative = ObjectiveOptions::Negative;
  return {
      whole<&RunSpec::seed>("seed", Group::run, 0, UINT64_MAX, "decides the data, the model and every draw"),
      whole<&RunSpec::hparams_seed>("hparams_seed", Group::run, 0, many,
                                    "which draw of a random search the settings are; 0: not drawn"),
      whole<&RunSpec::eval_every>("eval_every", Group::run, 1, many, "steps from record to record"),
      later("0", whole<&RunSpec::eval_first>("eval_first", Group::run, 0, many,
                                             "the first record's step; 0: eval_every")),
      whole<&RunSpec::checkpoint_every>("checkpoint_every", Group::run, 1, many,
                                        "steps from checkpoint to checkpoint; records do not depend on it"),
      whole<&RunSpec::threads>("threads", Group::run, 1, 1024,
                               "threads an operation may use; rounding depends on it"),
      device(),
      switched<&RunSpec::tf32>("tf32", Group::run, "matrix products in TF32, on CUDA devices"),
      later("false",
            switched<&Settings::half>("half", Group::run, "mnist_cnn's steps in 16 bits, on CUDA devices")),
      later("none", start()),

      number<&ColoredMnistSpec::alpha>("alpha", Group::data, probability, "how often a label is flipped"),
      numbers<&ColoredMnistSpec::train_betas>(
          "train_betas", Group::data, probability,
          "how often colour and label differ, a training environment each"),
      numbers<&ColoredMnistSpec::test_betas>("test_betas", Group::data, probability,
                                             "the same of the test environments"),
      whole<&ColoredMnistSpec::train_digits>("train_digits", Group::data, 1, 50'000,
                                             "digits shared out among the training environments"),
      whole<&ColoredMnistSpec::test_digits>("test_digits", Group::data, 1, 10'000,
                                            "digits that each test environment shows"),

      choice<&ExtrapolationSpec::sampling>(
          "sampling", Group::data,
          by_name({ExtrapolationSpec::Sampling::uniform, ExtrapolationSpec::Sampling::gaussian}),
          "where the training environments lie"),
      whole<&ExtrapolationSpec::points>("points", Group::data, 1, 10'000'000,
                                        "points a training environment"),
      whole<&ExtrapolationSpec::test_points>("test_points", Group::data, 1, 10'000'000,
                                             "points to choose by, and again as many to test on"),
      number<&ExtrapolationSpec::frequency>("frequency", Group::data, {0.0, 100.0},
                                            "of the sine; the paper's notebook has 2"),

      whole_numbers<&DomainBedMnistSpec::test_envs>("test_envs", Group::data, 0, 5,
                                                    "environments to test on and not to train on"),
      number<&DomainBedMnistSpec::holdout>("holdout", Group::data, {0.0, 1.0},
                                           "share of an environment's digits that is held out"),
      whole<&DomainBedMnistSpec::digits>("digits", Group::data, 1, many,
                                         "digits dealt out to the environments"),
      text<&DomainBedMnistSpec::folder>("folder", Group::data, "folders that hold MNIST's four idx files",
                                        "where the digits are; empty: what 'pair data get mnist' stored"),

      choice<&Settings::scheme>(
          "scheme", Group::method,
          by_name({Scheme::linear, Scheme::pair, Scheme::dann, Scheme::cdann, Scheme::mixup}),
          "how objectives are weighed, by fixed penalties or by a solver, or an update of its own"),
      objective_names(),
      whole<&Settings::steps>("steps", Group::method, 1, many, "updates in all"),
      whole<&Settings::pretrain>("pretrain", Group::method, 0, many,
                                 "steps of ERM (pair) or with penalty 1 (linear) first"),
      whole<&Settings::batch>("batch", Group::method, 0, many,
                              "samples an environment a step; 0: all of them"),
      number<&Settings::lr>("lr", Group::method, rate,
                            "Adam's learning rate: the linear scheme's and that of PAIR-o's first steps"),
      number<&Settings::l2>("l2", Group::method, {0.0, 1e3},
                            "factor of the sum of squared parameters where Adam runs"),

      number<&Settings::penalty>(
          "penalty", Group::linear, {0.0, 1e12},
          "lambda, the weight of the objectives beyond erm after pretrain steps; of the "
          "adversary"),
      later("equal", penalties()),
      later("1", number<&Settings::pretrain_penalty>("pretrain_penalty", Group::linear, {0.0, 1e12},
                                                     "lambda in the pretrain steps")),
      later("false", switched<&Settings::conflict>(
                         "conflict", Group::linear,
                         "record how the objectives' gradients conflict, as pair does anyway")),
      switched<&Settings::refresh>("refresh", Group::linear, "a fresh Adam after pretrain steps"),
      later("adam", choice<&Settings::optimizer>(
                        "optimizer", Group::linear, by_name({BalanceOptimizer::sgd, BalanceOptimizer::adam}),
                        "what takes the linear scheme's steps, at rate lr: Adam, or SGD without momentum")),

      named<&Settings::balancer>("balancer", Group::pair, "names of 'pair list solvers'",
                                 "the solver that weighs the objectives"),
      preference(),
      number<&Settings::epsilon>("epsilon", Group::pair, {0.0, 1e300},
                                 "divergence above which the solver balances"),
      later("sgd",
            choice<&Settings::balance_optimizer>(
                "balance_optimizer", Group::pair, by_name({BalanceOptimizer::sgd, BalanceOptimizer::adam}),
                "what takes the steps after pretrain: SGD with momentum, or Adam")),
      number<&Settings::balance_lr>("balance_lr", Group::pair, rate, "learning rate after pretrain steps"),
      number<&Settings::momentum>("momentum", Group::pair, {0.0, 1.0, Ends::open_high}, "SGD's momentum"),
      switched<&Settings::restart>("restart", Group::pair,
                                   "drop the momentum where the new direction opposes it"),
      switched<&Settings::backtrack>(
          "backtrack", Group::pair,
          "take back steps that raise what they were meant to lower; not with minibatches or clove"),
      choice<&Settings::decay>("decay", Group::pair, by_name({Decay::none, Decay::cosine}),
                               "of balance_lr over the steps that balance"),
      choice<&Settings::gradients>(
          "gradients", Group::pair,
          by_name({GradientSource::head, GradientSource::featurizer, GradientSource::all}),
          "whose gradients the solver sees, and are compared: the head's, the featurizer's or all"),
      switched<&Settings::freeze_featurizer>("freeze_featurizer", Group::pair,
                                             "train the head alone after pretrain steps"),

      adversary(whole<&Settings::d_steps_per_g_step>("d_steps_per_g_step", Group::adversary, 0, 1000,
                                                     "the adversary's steps for each of the model's")),
      adversary(number<&Settings::grad_penalty>("grad_penalty", Group::adversary, {0.0, 1e12},
                                                "weight of the adversary's squared gradient in its input")),
      adversary(number<&Settings::lr_d>("lr_d", Group::adversary, rate, "the adversary's learning rate")),
      adversary(number<&Settings::weight_decay_d>("weight_decay_d", Group::adversary, {0.0, 1e3},
                                                  "the adversary's weight decay")),
      adversary(number<&Settings::beta1>("beta1", Group::adversary, {0.0, 1.0, Ends::open_high},
                                         "Adam's first decay, the model's and the adversary's")),
      adversary(whole<&Settings::mlp_width>("mlp_width", Group::adversary, 1, 65'536,
                                            "the adversary's units a hidden layer")),
      adversary(whole<&Settings::mlp_depth>("mlp_depth", Group::adversary, 2, 64, "the adversary's layers")),
      adversary(number<&Settings::mlp_dropout>("mlp_dropout", Group::adversary, {0.0, 1.0, Ends::open_high},
                                               "share of its hidden units that a step leaves out")),
      only_for({Scheme::mixup}, number<&Settings::mixup_alpha>("mixup_alpha", Group::mixup, {0.1, 1e3},
                                                               "shares are drawn from Beta(alpha, alpha)")),

      named<&Settings::model>("model", Group::model, "names of 'pair list models'", "what is trained"),
      whole<&Settings::width>("width", Group::model, 1, 65'536, "mlp: units a hidden layer"),
      whole<&Settings::depth>("depth", Group::model, 1, 64, "mlp: hidden layers"),

      switched<&ObjectiveOptions::irmv1_unbiased>(
          "irmv1_unbiased", Group::objectives, "irmv1: the unbiased estimate from two halves of each batch"),
      choice<&ObjectiveOptions::irmv1_negative>(
          "irmv1_negative", Group::objectives,
          {{"shift", Negative::shift}, {"scale", Negative::scale}, {"keep", Negative::keep}},
          "irmv1_unbiased: what is done to a negative estimate"),
      number<&ObjectiveOptions::irmv1_constant>("irmv1_constant", Group::objectives,
                                                {0.0, 1e300, Ends::open_low},
                                                "irmv1_unbiased: the constant that is added or multiplied"),
      number<&ObjectiveOptions::fishr_ema>("fishr_ema", Group::objectives, {0.0, 1.0, Ends::open_high},
                                           "fishr: weight of the past in its averages"),
      later("false", switched<&ObjectiveOptions::fishr_mean>(
                         "fishr_mean", Group::objectives,
                         "fishr: a mean over the head's parameters, as DomainBed has it, not their sum")),
      whole<&ObjectiveOptions::clove_batch>("clove_batch", Group::objectives, 2, many,
                                            "clove: samples an environment in the kernel sum"),
      number<&ObjectiveOptions::clove_width>("clove_width", Group::objectives, {0.0, 1e300, Ends::open_low},
                                             "clove: width of the kernel"),
      number<&ObjectiveOptions::groupdro_rate>("groupdro_rate", Group::objectives,
                                               {0.0, 1e300, Ends::open_low},
                                               "group_dro: step of the group weights"),
  };
}

void check_applies(const Key& key, const RunSpec& spec) {
  if (!key.applies(spec)) {
    const bool of_algorithm = key.group == Group::adversary || key.group == Group::mixup;
    throw std::invalid_argument((of_algorithm ? spec.algorithm : data::name_of(spec.dataset)) +
                                " has no setting '" + std::string(key.name) + "'");
  }
}

[[noreturn]] void refuse(const Key& key, const std::string& value) {
  throw std::invalid_argument(std::string(key.name) + " is " + value + "; accepted are " + key.accepted);
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> all = table();
  return all;
}

const Key& key_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Key& key : keys()) {
    if (key.name == name) {
      return key;
    }
    names.push_back(key.name);
  }
  throw std::invalid_argument(base::unknown_name("setting", name, names));
}

nlohmann::json default_value(const Key& key) {
  for (const data::DatasetInfo& dataset : data::datasets()) {
    const RunSpec spec = resolve(dataset.name, "pair");
    if (key.applies(spec)) {
      return key.get(spec);
    }
  }
  for (const AlgorithmInfo& algorithm : algorithms()) {
    const RunSpec spec = resolve("cmnist", algorithm.name);
    if (key.applies(spec)) {
      return key.get(spec);
    }
  }
  return {};
}

void set(const Key& key, RunSpec& spec, const nlohmann::json& value) {
  check_applies(key, spec);
  if (!key.try_set(spec, value)) {
    refuse(key, value.dump());
  }
}

void set(const Key& key, RunSpec& spec, std::string_view text) {
  check_applies(key, spec);
  const json value = key.parse(text);
  if (value.is_discarded() || !key.try_set(spec, value)) {
    refuse(key, "'" + std::string(trimmed(text)) + "'");
  }
}

std::string as_text(const nlohmann::json& value) {
  if (value.is_array()) {
    std::string text;
    for (const json& entry : value) {
      text += (text.empty() ? "" : ",") + as_text(entry);
    }
    return text;
  }
  if (value.is_string()) {
    return value.get<std::string>();
  }
  return value.is_number_float() ? base::shown(value.get<double>()) : value.dump();
}

}  // namespace pair::runs
