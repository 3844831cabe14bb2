#include "pair/runs/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "pair/algorithms/registry.h"
#include "pair/base/choices.h"
#include "pair/base/names.h"
#include "pair/data/sha256.h"
#include "pair/models/registry.h"
#include "pair/moo/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/threads.h"

namespace pair::runs {
namespace {

using nlohmann::json;

bool is_device(const std::string& name) {
  constexpr std::string_view indexed = "cuda:";
  if (name == "cpu" || name == "cuda") {
    return true;
  }
  std::uint8_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stopped, error] =
      std::from_chars(name.data() + std::min(indexed.size(), name.size()), end, number);
  return name.starts_with(indexed) && error == std::errc() && stopped == end;
}

// A folder's name: only folders next to the run's are allowed.
bool is_start(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos;
}

// Of words that a table has room for.
bool is_method_name(const std::string& name) {
  constexpr std::size_t longest = 60;
  return !name.empty() && name.size() <= longest && base::printable(name) == name && name.front() != ' ';
}

// A text that is empty in the spec and "none" in text.
base::Field optional_text(std::string RunSpec::*member, base::Field field) {
  field.get = [plain = field.get](const void* spec) {
    const base::Value value = plain(spec);
    return value == base::Value(std::string()) ? base::Value(std::string("none")) : value;
  };
  field.set = [plain = field.set, member](void* spec, const base::Value& value) {
    if (value == base::Value(std::string("none"))) {
      (static_cast<RunSpec*>(spec)->*member).clear();
      return true;
    }
    return plain(spec, value);
  };
  field.unsaid = "none";
  return field;
}

base::Field start_field() {
  base::Fields<RunSpec> fields;
  return optional_text(
      &RunSpec::start,
      fields.text(
          "start", &RunSpec::start, "none, or names such as cmnist-gray-erm-s0-0123456789abcdef",
          "the finished run whose parameters this one starts with: the name of a folder next to this run's",
          is_start));
}

bool is_digest(const std::string& text) {
  return data::is_sha256(text);
}

// The path does not decide the records: the digest does.
base::Field weights_field() {
  base::Fields<RunSpec> fields;
  base::Field field =
      optional_text(&RunSpec::weights,
                    fields.text("weights", &RunSpec::weights, "none, or files: safetensors, .pt or .pth",
                                "pretrained weights that the run starts with", [](const std::string& path) {
                                  return !path.empty() && path.find('\0') == std::string::npos;
                                }));
  field.decides = false;
  return field;
}

base::Field weights_digest_field() {
  base::Fields<RunSpec> fields;
  return optional_text(
      &RunSpec::weights_sha256,
      fields.text("weights_sha256", &RunSpec::weights_sha256, "none, or SHA-256 digests in hexadecimal",
                  "digest of the file of weights; 'pair train --weights' sets it", is_digest));
}

base::Field name_field() {
  base::Fields<RunSpec> fields;
  return optional_text(
      &RunSpec::name, fields.text("name", &RunSpec::name, "none, or up to 60 printable characters",
                                  "what tables and reports call the run's method; none: the algorithm's name",
                                  is_method_name));
}

// A setting of training that is listed with the run's own: how the work is done, not what is trained.
base::Field precision_field() {
  using train::Precision;
  base::Fields<train::Settings> fields;
  std::vector<std::pair<std::string, Precision>> choices;
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    choices.emplace_back(to_string(precision), precision);
  }
  base::Field field = fields.choice(
      "precision", &train::Settings::precision, choices,
      "arithmetic of the steps: fp32, products in TF32 (on CUDA devices), or mixed precision with bfloat16");
  field.get = [plain = field.get](const void* spec) {
    return plain(&static_cast<const RunSpec*>(spec)->settings);
  };
  field.set = [plain = field.set](void* spec, const base::Value& value) {
    return plain(&static_cast<RunSpec*>(spec)->settings, value);
  };
  return field;
}

// The name that precision=tf32 had before there were other precisions; runs are named by it.
base::Field tf32_field() {
  using train::Precision;
  struct Flag {
    bool on = false;
  };
  base::Fields<Flag> fields;
  base::Field field = fields.flag("tf32", &Flag::on, "the same as precision tf32");
  field.get = [](const void* spec) {
    return base::Value(static_cast<const RunSpec*>(spec)->settings.precision == Precision::tf32);
  };
  field.set = [](void* spec, const base::Value& value) {
    const auto* const on = std::get_if<bool>(&value);
    Precision& precision = static_cast<RunSpec*>(spec)->settings.precision;
    if (on != nullptr && *on) {
      precision = Precision::tf32;
    } else if (on != nullptr && precision == Precision::tf32) {
      precision = Precision::fp32;
    }
    return on != nullptr;
  };
  return field;
}

const std::vector<base::Field>& run_fields() {
  static const std::vector<base::Field> all = [] {
    constexpr std::int64_t many = 1'000'000'000;
    using S = RunSpec;
    base::Fields<S> field;
    field.whole("seed", &S::seed, std::uint64_t{0}, UINT64_MAX,
                "seed of the data, the model and all random draws");
    field.whole("hparams_seed", &S::hparams_seed, std::int64_t{0}, many,
                "index of the draw of a random search; 0: not drawn");
    field.whole("eval_every", &S::eval_every, std::int64_t{1}, many, "steps between records");
    field
        .whole("eval_first", &S::eval_first, std::int64_t{0}, many, "step of the first record; 0: eval_every")
        .unsaid = "0";
    field
        .whole("checkpoint_every", &S::checkpoint_every, std::int64_t{1}, many,
               "steps between checkpoints; records do not depend on it")
        .decides = false;
    field
        .choice(
            "keep_checkpoints", &S::keep_checkpoints,
            {{"last", KeepCheckpoints::last}, {"best", KeepCheckpoints::best}, {"all", KeepCheckpoints::all}},
            "models to keep: of the last step, also of the best record, or of every record; records do not "
            "depend on it")
        .decides = false;
    field.whole("threads", &S::threads, std::int64_t{1}, train::most_threads,
                "threads per operation; rounding depends on it");
    field.text("device", &S::device, "cpu, cuda or cuda:N", "device that trains", is_device);
    std::vector<base::Field> fields = std::move(field).take();
    fields.push_back(precision_field());
    fields.push_back(tf32_field());
    fields.push_back(start_field());
    fields.push_back(weights_field());
    fields.push_back(weights_digest_field());
    fields.push_back(name_field());
    return fields;
  }();
  return all;
}

// Fields of one struct in a spec.
struct Group {
  const std::vector<base::Field>* fields = nullptr;
  const void* owner = nullptr;
  bool of_run = false;
  bool of_solver = false;

  [[nodiscard]] Setting setting(const base::Field& field) const {
    return {&field, owner, of_run || !field.decides || field.of_run,
            of_solver ? to_string(train::Scheme::pair) : std::string_view(field.group)};
  }
};

// Calls visit with each group of a run's settings, in the order of settings_of.
template <class Visit>
void visit_groups(const RunSpec& spec, Visit visit) {
  const auto visit_options = [&visit](const base::Options& options, bool of_solver = false) {
    visit(Group{&options.fields(), options.address(), false, of_solver});
  };
  visit(Group{&run_fields(), &spec, true, false});
  visit_options(spec.dataset.options);
  visit(Group{&train::settings_fields(), &spec.settings, false, false});
  for (const std::string& name : spec.settings.objectives) {
    const auto found = spec.settings.objective_options.find(name);
    if (found != spec.settings.objective_options.end()) {
      visit_options(found->second);
    }
  }
  visit_options(spec.settings.solver_options, /*of_solver=*/true);
  visit_options(spec.settings.model_options);
  visit_options(spec.settings.update.options);
}

// Large sweeps resolve many settings by name, so this does not build the list of all.
std::optional<Setting> lookup(const RunSpec& spec, std::string_view name) {
  std::optional<Setting> found;
  visit_groups(spec, [&](const Group& group) {
    for (const base::Field& field : *group.fields) {
      if (!found && field.name == name) {
        found = group.setting(field);
      }
    }
  });
  return found;
}

// Suggests the nearest names; there are too many to list.
[[noreturn]] void refuse_unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KnownSetting& known : known_settings()) {
    names.push_back(known.name);
  }
  throw std::invalid_argument(base::unknown_name("setting", name, base::nearest_names(name, names, 3)) +
                              ", ...; 'pair list settings' has all");
}

[[noreturn]] void refuse_name(const RunSpec& spec, std::string_view name) {
  for (const KnownSetting& known : known_settings()) {
    if (known.name == name) {
      throw std::invalid_argument(std::string(name) + " does not apply to " + spec.dataset.name + " with " +
                                  spec.algorithm + "; it belongs to " + known.belongs_to);
    }
  }
  refuse_unknown(name);
}

Setting setting_in(const RunSpec& spec, std::string_view name) {
  const std::optional<Setting> setting = lookup(spec, name);
  if (!setting) {
    refuse_name(spec, name);
  }
  return *setting;
}

// The caller may change the spec; settings_of returns views for reading.
void* writable(const Setting& setting) {
  return const_cast<void*>(setting.owner);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

void check_scheme(const RunSpec& spec, std::string_view name) {
  const bool own = spec.settings.scheme == train::Scheme::own;
  if (name == "scheme" && own != static_cast<bool>(spec.settings.update.make)) {
    throw std::invalid_argument("scheme: expected " + std::string(own ? "linear or pair" : "own") + " for " +
                                spec.algorithm + ", got '" + std::string(to_string(spec.settings.scheme)) +
                                "'");
  }
}

void after_change(RunSpec& spec, std::string_view name) {
  if (decides_settings(name)) {
    settle(spec.settings);
    check_scheme(spec, name);
  }
}

// Each setting with its default in a run that has it.
void add_known(std::vector<KnownSetting>& known, std::set<std::string>& seen, const RunSpec& spec,
               const std::string& belongs_to) {
  for (const Setting& setting : settings_of(spec)) {
    if (seen.insert(setting.name()).second) {
      known.push_back({setting.name(), setting.field->summary, setting.field->accepted,
                       base::as_text(setting.value()), belongs_to});
    }
  }
}

// Solvers may share an option: epsilon is that of all kinds of EPO.
void add_known_of_solver(std::vector<KnownSetting>& known, std::set<std::string>& seen,
                         const std::string& solver) {
  const base::Options options = moo::training_options_of(solver);
  for (const base::Field& field : options.fields()) {
    if (seen.insert(field.name).second) {
      known.push_back(
          {field.name, field.summary, field.accepted, base::as_text(options.get(field)), "solver " + solver});
    } else {
      const auto same = std::find_if(known.begin(), known.end(),
                                     [&](const KnownSetting& other) { return other.name == field.name; });
      same->belongs_to += ", " + solver;
    }
  }
}

}  // namespace

std::vector<Setting> settings_of(const RunSpec& spec) {
  std::vector<Setting> settings;
  settings.reserve(128);
  visit_groups(spec, [&settings](const Group& group) {
    for (const base::Field& field : *group.fields) {
      settings.push_back(group.setting(field));
    }
  });
  return settings;
}

bool decides_settings(std::string_view name) {
  return name == "objectives" || name == "solver" || name == "model" || name == "scheme";
}

const base::Field* find_setting(const RunSpec& spec, std::string_view name) {
  const std::optional<Setting> setting = lookup(spec, name);
  return setting ? setting->field : nullptr;
}

bool is_read(const RunSpec& spec, std::string_view name) {
  const std::optional<Setting> setting = lookup(spec, name);
  return setting && (setting->scheme.empty() || setting->scheme == to_string(spec.settings.scheme) ||
                     (spec.settings.update.reads_penalty && name == "penalty"));
}

nlohmann::json value_of(const RunSpec& spec, std::string_view name) {
  return as_json(setting_in(spec, name).value());
}

std::string text_of(const RunSpec& spec, std::string_view name) {
  return base::as_text(setting_in(spec, name).value());
}

void set(RunSpec& spec, std::string_view name, const nlohmann::json& value) {
  const Setting setting = setting_in(spec, name);
  const std::optional<base::Value> plain = value_from(value);
  if (!plain) {
    throw std::invalid_argument(setting.name() + ": expected " + setting.field->expectation() + ", got " +
                                value.dump());
  }
  base::set_value(*setting.field, writable(setting), *plain);
  after_change(spec, name);
}

void set(RunSpec& spec, std::string_view name, std::string_view text) {
  const Setting setting = setting_in(spec, name);
  base::set_text(*setting.field, writable(setting), text);
  after_change(spec, name);
}

const std::vector<KnownSetting>& known_settings() {
  static const std::vector<KnownSetting> all = [] {
    std::vector<KnownSetting> known;
    std::set<std::string> seen;
    const RunSpec usual = resolve("cmnist", "pair");
    RunSpec plain = usual;
    plain.dataset.options = {};
    plain.settings.objectives = {"erm"};
    plain.settings.solver_options = {};
    plain.settings.model_options = {};
    add_known(known, seen, plain, "");
    for (KnownSetting& setting : known) {
      setting.default_value = text_of(usual, setting.name);
    }
    for (const moo::SolverEntry& entry : moo::solvers()) {
      add_known_of_solver(known, seen, entry.name);
    }
    for (const data::DatasetEntry& entry : data::datasets()) {
      RunSpec spec = resolve(entry.name, "erm");
      spec.settings.model_options = {};  // of the model, below
      add_known(known, seen, spec, "dataset " + entry.name);
    }
    const RunSpec erm = resolve("cmnist", "erm");
    for (const models::ModelEntry& entry : models::models()) {
      RunSpec spec = erm;
      spec.settings.model_options = entry.options;
      add_known(known, seen, spec, "model " + entry.name);
    }
    for (const objectives::ObjectiveEntry& entry : objectives::objectives()) {
      RunSpec spec = erm;
      spec.settings.objectives = {"erm", entry.name};
      settle(spec.settings);
      add_known(known, seen, spec, "objective " + entry.name);
    }
    for (const algorithms::AlgorithmEntry& entry : algorithms::algorithms()) {
      RunSpec spec = erm;
      spec.settings.update = entry.update;
      add_known(known, seen, spec, "algorithm " + entry.name);
    }
    return known;
  }();
  return all;
}

void check_known(std::string_view name) {
  if (std::none_of(known_settings().begin(), known_settings().end(),
                   [name](const KnownSetting& known) { return known.name == name; })) {
    refuse_unknown(name);
  }
}

nlohmann::json as_json(const base::Value& value) {
  return std::visit([](const auto& plain) { return json(plain); }, value);
}

std::optional<base::Value> value_from(const nlohmann::json& value) {
  if (value.is_boolean()) {
    return base::Value(value.get<bool>());
  }
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
    return base::Value(value.get<std::uint64_t>());
  }
  if (value.is_number_integer()) {
    return base::Value(value.get<std::int64_t>());
  }
  if (value.is_number()) {
    return base::Value(value.get<double>());
  }
  if (value.is_string()) {
    return base::Value(value.get<std::string>());
  }
  if (!value.is_array()) {
    return std::nullopt;
  }
  const auto all = [&value](auto is) { return std::all_of(value.begin(), value.end(), is); };
  if (!value.empty() && all([](const json& entry) { return entry.is_string(); })) {
    return base::Value(value.get<std::vector<std::string>>());
  }
  if (!value.empty() && all([](const json& entry) { return entry.is_number_integer(); })) {
    return base::Value(value.get<std::vector<std::int64_t>>());
  }
  if (all([](const json& entry) { return entry.is_number(); })) {
    return base::Value(value.get<std::vector<double>>());
  }
  return std::nullopt;
}

}  // namespace pair::runs
