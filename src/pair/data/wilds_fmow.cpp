#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <string>

#include "pair/data/wilds.h"
#include "pair/data/wilds_making.h"
#include "pair/data/wilds_metrics.h"
#include "pair/data/wilds_table.h"

// Functional Map of the World (Christie et al. 2018): the use of land in satellite images, by region and
// year. Images are numbered by the rows of the table, before the rows of the split seq are dropped.

namespace pair::data {
namespace {

constexpr std::array<std::string_view, 62> fmow_categories{"airport",
                                                           "airport_hangar",
                                                           "airport_terminal",
                                                           "amusement_park",
                                                           "aquaculture",
                                                           "archaeological_site",
                                                           "barn",
                                                           "border_checkpoint",
                                                           "burial_site",
                                                           "car_dealership",
                                                           "construction_site",
                                                           "crop_field",
                                                           "dam",
                                                           "debris_or_rubble",
                                                           "educational_institution",
                                                           "electric_substation",
                                                           "factory_or_powerplant",
                                                           "fire_station",
                                                           "flooded_road",
                                                           "fountain",
                                                           "gas_station",
                                                           "golf_course",
                                                           "ground_transportation_station",
                                                           "helipad",
                                                           "hospital",
                                                           "impoverished_settlement",
                                                           "interchange",
                                                           "lake_or_pond",
                                                           "lighthouse",
                                                           "military_facility",
                                                           "multi-unit_residential",
                                                           "nuclear_powerplant",
                                                           "office_building",
                                                           "oil_or_gas_facility",
                                                           "park",
                                                           "parking_lot_or_garage",
                                                           "place_of_worship",
                                                           "police_station",
                                                           "port",
                                                           "prison",
                                                           "race_track",
                                                           "railway_bridge",
                                                           "recreational_facility",
                                                           "road_bridge",
                                                           "runway",
                                                           "shipyard",
                                                           "shopping_mall",
                                                           "single-unit_residential",
                                                           "smokestack",
                                                           "solar_farm",
                                                           "space_facility",
                                                           "stadium",
                                                           "storage_tank",
                                                           "surface_mine",
                                                           "swimming_pool",
                                                           "toll_booth",
                                                           "tower",
                                                           "tunnel_opening",
                                                           "waste_disposal",
                                                           "water_treatment_facility",
                                                           "wind_farm",
                                                           "zoo"};

constexpr int first_year = 2002;
constexpr int last_year = 2017;
constexpr int val_from = 2013;   // the first year that is not for training
constexpr int test_from = 2016;  // the first year that is for testing
constexpr const char* other_region = "Other";

// The year of "2015-07-20T10:04:30Z". WILDS compares with the first second of years in UTC.
int year_of_timestamp(const WildsTable& table, std::size_t column) {
  const std::string_view text = table.any_text(column);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  constexpr std::string_view form = "0000-00-00T00:00:00";
  bool fits = text.size() > form.size() && (text.ends_with('Z') || text.ends_with("+00:00"));
  for (std::size_t i = 0; fits && i < form.size(); ++i) {
    fits = form[i] == '0'   ? is_digit(text[i])
           : form[i] == 'T' ? text[i] == 'T' || text[i] == ' '
                            : text[i] == form[i];
  }
  if (!fits) {
    table.refuse(column, "a time in UTC such as 2015-07-20T10:04:30Z");
  }
  int year = 0;
  std::from_chars(text.data(), text.data() + 4, year);
  return year;
}

std::optional<Split> fmow_split(std::string_view stated, int year) {
  const bool source = year < val_from;
  if (stated == "train" && source) {
    return Split::train;
  }
  if (stated == "val" && year < test_from) {
    return source ? Split::id_val : Split::val;
  }
  if (stated == "test" && (source || year >= test_from)) {
    return source ? Split::id_test : Split::test;
  }
  return std::nullopt;
}

std::map<std::string, std::string, std::less<>> regions_of_countries(const std::filesystem::path& folder) {
  WildsTable table(folder / "country_code_mapping.csv", {"alpha-3", "region"});
  std::map<std::string, std::string, std::less<>> regions;
  while (table.next()) {
    const std::string_view region = table.any_text(1);
    regions[std::string(table.text(0))] = region.empty() ? other_region : std::string(region);
  }
  return regions;
}

WildsSet read_fmow(const std::filesystem::path& folder, const WildsOptions& /*options*/) {
  enum Columns : std::size_t { split, category, country, timestamp };
  const auto regions = regions_of_countries(folder);
  WildsTable table(folder / "rgb_metadata.csv", {"split", "category", "country_code", "timestamp"});
  WildsSet set{.splits = {Split::train, Split::id_val, Split::id_test, Split::val, Split::test},
               .classes = {fmow_categories.begin(), fmow_categories.end()},
               .fields = {"region", "year", "y", "from_source_domain"},
               .rows = 224,
               .columns = 224};
  FirstSeen region_numbers;  // also of rows that are dropped
  for (std::size_t row = 0; table.next(); ++row) {
    const auto region = regions.find(table.any_text(country));
    const std::size_t region_number =
        region_numbers.of(region == regions.end() ? other_region : region->second);
    const std::string_view stated = table.text(split);
    const auto* const label = std::ranges::find(fmow_categories, table.text(category));
    if (label == fmow_categories.end()) {
      table.refuse(category, "one of FMoW's 62 categories");
    }
    const int year = year_of_timestamp(table, timestamp);
    if (stated == "seq") {
      continue;
    }
    if (stated != "train" && stated != "val" && stated != "test") {
      table.refuse(split, "train, val, test or seq");
    }
    if (year < first_year || year > last_year) {
      table.refuse(timestamp, "a year from 2002 to 2017");
    }
    const std::optional<Split> of = fmow_split(stated, year);
    const bool source = of == Split::train || of == Split::id_val || of == Split::id_test;
    set.split.push_back(of);
    set.inputs.push_back("images/rgb_img_" + std::to_string(row) + ".png");
    set.metadata.insert(set.metadata.end(),
                        {static_cast<double>(region_number), static_cast<double>(year - first_year),
                         static_cast<double>(label - fmow_categories.begin()), source ? 1.0 : 0.0});
  }
  set.meanings["region"] = region_numbers.names();
  for (int year = first_year; year <= last_year; ++year) {
    set.meanings["year"].push_back(std::to_string(year));
  }
  return set;
}

WildsGroups fmow_environments(const WildsSet& set, WildsEnvironments which) {
  if (which == WildsEnvironments::wilds) {
    return without_empty(WildsGrouper(set, std::array<std::string_view, 1>{"year"}).groups());
  }
  // Pairs of region and year, by region first.
  std::map<std::pair<double, double>, std::vector<std::size_t>> pairs;
  for (std::size_t i = 0; i < set.size(); ++i) {
    pairs[{set.value(i, 0), set.value(i, 1)}].push_back(i);
  }
  WildsGroups groups;
  for (auto& [pair, samples] : pairs) {
    groups.names.push_back(set.meanings.at("region").at(static_cast<std::size_t>(pair.first)) + " " +
                           set.meanings.at("year").at(static_cast<std::size_t>(pair.second)));
    groups.samples.push_back(std::move(samples));
  }
  return groups;
}

WildsScores evaluate_fmow(const WildsSet& set, std::span<const std::size_t> samples,
                          std::span<const double> predictions) {
  WildsScores scores = accuracy_scores(set, "year", samples, predictions);
  const double worst_year = scores.back().second;
  scores.pop_back();
  scores.emplace_back("acc_worst_year", worst_year);
  const WildsGrouper grouper(set, std::array<std::string_view, 1>{"region"});
  GroupMeans groups = means_by_group(grouper, samples, right_answers(set, samples, predictions));
  append_groups(scores, "acc", grouper, groups);
  for (std::size_t g = 0; g < grouper.count(); ++g) {
    if (grouper.name(g).find(other_region) != std::string::npos) {
      groups.counts[g] = 0;  // does not count for the worst region
    }
  }
  scores.emplace_back("acc_worst_region", smallest_mean(groups));
  return scores;
}

void generate_fmow(const std::filesystem::path& folder, const WildsGeneration& options, Random& random) {
  constexpr std::array<const char*, 4> categories{"airport", "crop_field", "park", "stadium"};
  struct Country {
    const char* code;
    const char* region;
  };
  // XYZ is not in the mapping, so its region is "Other".
  constexpr std::array<Country, 6> countries{Country{"FRA", "Europe"}, {"IND", "Asia"},
                                             {"USA", "Americas"},      {"KEN", "Africa"},
                                             {"AUS", "Oceania"},       {"XYZ", ""}};
  std::string mapping = "name,alpha-2,alpha-3,country-code,region\n";
  for (const Country& country : countries) {
    if (*country.region != '\0') {
      mapping += std::string("Name of ") + country.code + "," + std::string(country.code, 2) + "," +
                 country.code + ",250," + country.region + "\n";
    }
  }
  write_made(folder / "country_code_mapping.csv", mapping);
  std::string table =
      "split,img_filename,img_path,spatial_reference,epsg,category,visible,img_width,img_height,country_code,"
      "cloud_cover,timestamp,lat,lon\n";
  std::size_t row = 0;
  const auto add = [&](const char* split, int year, const Country& country) {
    const std::size_t category = random.below(categories.size());
    const bool test = year >= 2013;
    // The first and the last second of years are where splits change.
    const std::uint64_t day = random.below(3);
    const std::string when = std::to_string(year) + (day == 0   ? "-01-01T00:00:00Z"
                                                     : day == 1 ? "-12-31T23:59:59Z"
                                                                : "-06-15T10:04:30Z");
    const std::string name = std::string(categories[category]) + "_" + std::to_string(row) + "_rgb.jpg";
    table += std::string(split) + "," + name + "," + split + "/" + name + ",GEOGCS,4326," +
             categories[category] + ",True,512,512," + country.code + ",0," + when + ",1.5,2.5\n";
    write_made(folder / "images" / ("rgb_img_" + std::to_string(row) + ".png"),
               png_bytes(made_picture({.rows = 224,
                                       .columns = 224,
                                       .label = category,
                                       .labels = categories.size(),
                                       .environment = static_cast<std::size_t>(year),
                                       .cue = made_cue(category, categories.size(), test, random)},
                                      random)));
    ++row;
  };
  for (std::int64_t n = 0; n < options.samples; ++n) {
    for (const Country& country : countries) {
      add("train", 2003 + static_cast<int>(n % 2) * 9, country);
      add("seq", 2010 + static_cast<int>(n % 7), country);
      add("val", n % 2 == 0 ? 2012 : 2014, country);
      add("test", n % 2 == 0 ? 2011 : 2016 + static_cast<int>(n % 4 == 1), country);
    }
    // In no split: training rows of later years, and others between the years of val and test.
    add("train", 2013, countries[0]);
    add("val", 2017, countries[1]);
    add("test", 2014, countries[2]);
  }
  write_made(folder / "rgb_metadata.csv", table);
}

}  // namespace

WildsKind wilds_fmow() {
  return {"fmow",
          "1.1",
          "WILDS' FMoW: use of land in satellite images, by region and year",
          {"acc_worst_region", "acc_avg"},
          {"seed:0", "seed:1", "seed:2"},
          read_fmow,
          fmow_environments,
          evaluate_fmow,
          generate_fmow,
          {.settings = {{"model", "densenet121"},
                        {"batch", "32"},
                        {"environments", "5"},
                        {"pretrain", "24000"},
                        {"steps", "29800"},
                        {"lr", "1e-4"},
                        {"amsgrad", "true"},
                        {"l2", "0"},
                        {"balance_optimizer", "adam"},
                        {"balance_lr", "1e-4"},
                        {"preference", "1,1e12,1e12"},
                        {"irmv1_constant", "1"},
                        {"eval_every", "500"},
                        {"checkpoint_every", "500"}}}};
}

}  // namespace pair::data
