#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "pair/data/numpy_generator.h"
#include "pair/data/wilds.h"
#include "pair/data/wilds_making.h"
#include "pair/data/wilds_metrics.h"
#include "pair/data/wilds_table.h"

// PovertyMap (Yeh et al. 2020): the wealth of places in Africa from satellite images with eight channels, a
// regression. A fold says which of 23 countries are for validation and which for testing.

namespace pair::data {
namespace {

constexpr std::array<std::string_view, 23> dhs_countries{
    "angola",   "benin",      "burkina_faso", "cameroon", "cote_d_ivoire", "democratic_republic_of_congo",
    "ethiopia", "ghana",      "guinea",       "kenya",    "lesotho",       "malawi",
    "mali",     "mozambique", "nigeria",      "rwanda",   "senegal",       "sierra_leone",
    "tanzania", "togo",       "uganda",       "zambia",   "zimbabwe"};

// The test countries of the folds. The validation countries of a fold are the test countries of the next one.
constexpr std::array<std::string_view, 5> test_countries_of_folds{
    "angola cote_d_ivoire ethiopia mali rwanda",                    // A
    "benin burkina_faso guinea sierra_leone tanzania",              // B
    "cameroon ghana malawi zimbabwe",                               // C
    "democratic_republic_of_congo mozambique nigeria togo uganda",  // D
    "kenya lesotho senegal zambia"};                                // E

bool is_in_list(std::string_view list, std::string_view name) {
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(' ', begin), list.size());
    if (list.substr(begin, end - begin) == name) {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

// The rows of training countries are shuffled; the first thousand are id_val, the next thousand id_test.
void split_training_countries(WildsSet& set, std::vector<std::size_t> rows, char fold) {
  constexpr std::size_t held_out = 1000;
  constexpr std::uint64_t wilds_seed = 541433;
  NumpyGenerator(static_cast<std::uint64_t>(fold) + wilds_seed).shuffle(std::span(rows));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    set.split[rows[i]] = i < held_out ? Split::id_val : i < 2 * held_out ? Split::id_test : Split::train;
  }
}

WildsSet read_poverty(const std::filesystem::path& folder, const WildsOptions& options) {
  enum Columns : std::size_t { wealth, country, urban };
  WildsTable table(folder / "dhs_metadata.csv", {"wealthpooled", "country", "urban"});
  WildsSet set{.splits = {Split::train, Split::id_val, Split::id_test, Split::val, Split::test},
               .fields = {"urban", "y", "country", "from_source_domain"},
               .rows = 224,
               .columns = 224};
  set.meanings["country"] = {dhs_countries.begin(), dhs_countries.end()};
  const auto fold = static_cast<std::size_t>(options.fold - 'A');
  std::vector<std::size_t> rest;
  for (std::size_t row = 0; table.next(); ++row) {
    const std::string_view name = table.text(country);
    const auto* const found = std::ranges::find(dhs_countries, name);
    if (found == dhs_countries.end()) {
      table.refuse(country, "one of PovertyMap's 23 countries");
    }
    const std::string_view in_town = table.text(urban);
    if (in_town != "True" && in_town != "False") {
      table.refuse(urban, "True or False");
    }
    if (is_in_list(test_countries_of_folds[fold], name)) {
      set.split.emplace_back(Split::test);
    } else if (is_in_list(test_countries_of_folds[(fold + 1) % test_countries_of_folds.size()], name)) {
      set.split.emplace_back(Split::val);
    } else {
      set.split.emplace_back(Split::train);
      rest.push_back(row);
    }
    set.inputs.push_back("images/landsat_poverty_img_" + std::to_string(row) + ".npz");
    set.metadata.insert(set.metadata.end(), {in_town == "True" ? 1.0 : 0.0, table.number(wealth),
                                             static_cast<double>(found - dhs_countries.begin()), 0.0});
  }
  split_training_countries(set, std::move(rest), options.fold);
  for (std::size_t i = 0; i < set.size(); ++i) {
    set.metadata[i * set.fields.size() + 3] = set.split[i] == Split::train ? 1.0 : 0.0;
  }
  return set;
}

WildsGroups poverty_environments(const WildsSet& set, WildsEnvironments /*which*/) {
  WildsGroups groups = WildsGrouper(set, std::array<std::string_view, 1>{"country"}).groups();
  for (std::size_t g = 0; g < groups.names.size(); ++g) {
    groups.names[g] = dhs_countries[g];
  }
  return without_empty(std::move(groups));
}

WildsScores evaluate_poverty(const WildsSet& set, std::span<const std::size_t> samples,
                             std::span<const double> predictions) {
  const WildsGrouper grouper(set, std::array<std::string_view, 1>{"urban"});
  const std::vector<double> errors = squared_errors(set, samples, predictions);
  const GroupMeans groups = means_by_group(grouper, samples, errors);
  WildsScores scores{{"mse_avg", mean_of(errors)}};
  append_groups(scores, "mse", grouper, groups);
  double largest = 0.0;
  for (const double mean : groups.means) {
    largest = std::max(largest, mean);
  }
  scores.emplace_back("mse_wg", largest);

  scores.emplace_back("r_all", pearson_r(set, samples, predictions));
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t g = 0; g < grouper.count(); ++g) {
    std::vector<std::size_t> some;
    std::vector<double> of;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (grouper.of(samples[i]) == g) {
        some.push_back(samples[i]);
        of.push_back(predictions[i]);
      }
    }
    const double r = some.empty() ? 0.0 : pearson_r(set, some, of);
    scores.emplace_back("r_" + grouper.name(g), r);
    if (!some.empty() && !std::isnan(r)) {
      worst = std::isnan(worst) ? r : std::min(worst, r);
    }
  }
  scores.emplace_back("r_wg", worst);
  return scores;
}

void generate_poverty(const std::filesystem::path& folder, const WildsGeneration& options, Random& random) {
  constexpr std::size_t pictures = 24;
  constexpr std::int64_t side = 224;
  constexpr std::int64_t channels = 8;
  // Two thousand samples of 13 or 14 countries are held out.
  const std::size_t rows = dhs_countries.size() * static_cast<std::size_t>(164 + options.samples);
  std::vector<double> wealth(pictures);
  std::string table = "lat,lon,wealthpooled,country,year,urban,nl_mean,nl_center,households\n";
  std::filesystem::create_directories(folder / "images");
  const auto image = [&](std::size_t row) {
    return folder / "images" / ("landsat_poverty_img_" + std::to_string(row) + ".npz");
  };
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t picture = row < pictures ? row : random.below(pictures);
    const bool urban = picture % 2 == 1;
    if (row < pictures) {
      wealth[picture] = random.uniform(-1.2, 0.8) + (urban ? 0.6 : 0.0);
      NumpyArray array{{channels, side, side}, {}};
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        // The wealth in the night's lights and, less clearly, elsewhere.
        const double level =
            channel == channels - 1 ? wealth[picture] : 0.3 * wealth[picture] + random.normal();
        for (std::int64_t i = 0; i < side * side; ++i) {
          const bool odd = (i / side / 28 + i % side / 28) % 2 == 1;
          array.values.push_back(static_cast<float>(level + (odd ? 0.25 : -0.25)));
        }
      }
      write_made(image(row), npz_bytes("x", array));
    } else {
      std::filesystem::create_hard_link(image(picture), image(row));
    }
    char line[200];
    std::snprintf(line, sizeof line, "%.6f,%.6f,%.15g,%s,%d,%s,%.4f,%.4f,%d\n", random.uniform(-30, 20),
                  random.uniform(-15, 45), wealth[picture] + 0.1 * random.normal(),
                  std::string(dhs_countries[row * dhs_countries.size() / rows]).c_str(),
                  2009 + static_cast<int>(random.below(8)), urban ? "True" : "False", random.uniform(0, 30),
                  random.uniform(0, 60), static_cast<int>(random.below(40)) + 5);
    table += line;
  }
  write_made(folder / "dhs_metadata.csv", table);
}

}  // namespace

// With the learning rate and the schedule of the published code; the paper has 1e-4 without a schedule.
WildsKind wilds_poverty() {
  return {"poverty",
          "1.1",
          "WILDS' PovertyMap: wealth in satellite images with eight channels, by country",
          {"r_wg", "r_all"},
          {"fold:A", "fold:B", "fold:C", "fold:D", "fold:E"},
          read_poverty,
          poverty_environments,
          evaluate_poverty,
          generate_poverty,
          {.size_divides = 224,
           .metrics = {"pearson", "mse"},
           .settings = {{"model", "resnet18"},
                        {"batch", "64"},
                        {"environments", "5"},
                        {"pretrain", "5000"},
                        {"steps", "11400"},
                        {"lr", "1e-3"},
                        {"amsgrad", "true"},
                        {"l2", "0"},
                        {"schedule", "step"},
                        {"schedule_every", "154"},
                        {"schedule_factor", "0.96"},
                        {"balance_optimizer", "adam"},
                        {"balance_lr", "1e-3"},
                        {"preference", "1,1e8,1e12"},
                        {"irmv1_constant", "0.01"},
                        {"eval_every", "154"},
                        {"checkpoint_every", "154"}}}};
}

}  // namespace pair::data
