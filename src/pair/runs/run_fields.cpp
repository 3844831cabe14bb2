#include "pair/runs/run_fields.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/data/sha256.h"
#include "pair/runs/run_spec.h"
#include "pair/train/threads.h"

namespace pair::runs {
namespace {

bool is_device(const std::string& name) {
  constexpr std::string_view indexed = "cuda:";
  if (name == "cpu" || name == "cuda") {
    return true;
  }
  return name.starts_with(indexed) &&
         base::number_from<std::uint8_t>(name.substr(indexed.size())).has_value();
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

// The path does not decide the records: the digest does.
base::Field weights_field() {
  base::Fields<RunSpec> fields;
  base::Field field =
      optional_text(&RunSpec::weights,
                    fields.text("weights", &RunSpec::weights, "none, or files: safetensors, .pt or .pth",
                                "pretrained weights that the run starts with", [](const std::string& path) {
                                  return !path.empty() && path.find('\0') == std::string::npos;
                                }));
  field.names_file("file, safetensors or PyTorch's .pt or .pth", "weights_sha256");
  field.decides = false;
  return field;
}

base::Field weights_digest_field() {
  base::Fields<RunSpec> fields;
  return optional_text(
      &RunSpec::weights_sha256,
      fields.text("weights_sha256", &RunSpec::weights_sha256, "none, or SHA-256 digests in hexadecimal",
                  "digest of the file of weights; 'pair train --weights' sets it", data::is_sha256));
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

}  // namespace

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

}  // namespace pair::runs
