#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string>

#include "pair/data/wilds.h"
#include "pair/data/wilds_making.h"
#include "pair/data/wilds_metrics.h"
#include "pair/data/wilds_table.h"

// iWildCam 2020 (Beery et al. 2020): the animal in an image of a camera trap, by the trap's location. All
// splits are in the folder train. Images have different sizes.

namespace pair::data {
namespace {

// Year, month, day, hour, minute, second of "2013-06-05 05:44:19.000".
std::array<double, 6> parts_of_time(const WildsTable& table, std::size_t column) {
  const std::string_view text = table.any_text(column);
  constexpr std::string_view form = "0000-00-00 00:00:00.";
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  bool fits = text.size() > form.size() && text.size() <= form.size() + 6;
  for (std::size_t i = 0; fits && i < text.size(); ++i) {
    fits = i >= form.size() || form[i] == '0' ? is_digit(text[i]) : text[i] == form[i];
  }
  if (!fits) {
    table.refuse(column, "a time such as 2013-06-05 05:44:19.000");
  }
  std::array<double, 6> parts{};
  constexpr std::array<std::size_t, 6> begins{0, 5, 8, 11, 14, 17};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    int number = 0;
    std::from_chars(text.data() + begins[i], text.data() + begins[i] + (i == 0 ? 4 : 2), number);
    parts[i] = number;
  }
  return parts;
}

// Names of the classes by categories.csv, where it has them.
void name_iwildcam_classes(WildsSet& set, const std::filesystem::path& folder) {
  constexpr std::int64_t unused = 99'999;
  WildsTable table(folder / "categories.csv", {"y", "name"});
  while (table.next()) {
    const auto y = static_cast<std::size_t>(table.whole(0, 0, unused));
    if (y < set.classes.size()) {
      set.classes[y] = table.any_text(1);
    }
  }
}

WildsSet read_iwildcam(const std::filesystem::path& folder, const WildsOptions& /*options*/) {
  enum Columns : std::size_t { split, location, sequence, y, datetime, filename };
  const std::filesystem::path file = folder / "metadata.csv";
  WildsTable table(file, {"split", "location_remapped", "sequence_remapped", "y", "datetime", "filename"});
  constexpr std::int64_t largest = 100'000'000;
  WildsSet set{.splits = {Split::train, Split::val, Split::test, Split::id_val, Split::id_test},
               .fields = {"location", "sequence", "year", "month", "day", "hour", "minute", "second", "y",
                          "from_source_domain"}};
  std::vector<double> labels;
  std::vector<double> locations;
  std::vector<double> sequences;
  while (table.next()) {
    const std::string_view stated = table.text(split);
    constexpr std::array<std::string_view, 5> names{"train", "id_val", "val", "id_test", "test"};
    if (std::ranges::find(names, stated) == names.end()) {
      table.refuse(split, "train, id_val, val, id_test or test");
    }
    const Split of = split_named("split", stated);
    set.split.emplace_back(of);
    set.inputs.push_back("train/" + std::string(table.text(filename)));
    locations.push_back(static_cast<double>(table.whole(location, 0, largest)));
    sequences.push_back(static_cast<double>(table.whole(sequence, 0, largest)));
    labels.push_back(static_cast<double>(table.whole(y, 0, 99'998)));
    set.metadata.push_back(locations.back());
    set.metadata.push_back(sequences.back());
    for (const double part : parts_of_time(table, datetime)) {
      set.metadata.push_back(part);
    }
    set.metadata.push_back(labels.back());
    set.metadata.push_back(of == Split::train ? 1.0 : 0.0);
  }
  (void)check_all_occur(locations, file, "location_remapped");
  (void)check_all_occur(sequences, file, "sequence_remapped");
  set.classes = numbers_as_names(check_all_occur(labels, file, "y"));
  name_iwildcam_classes(set, folder);
  return set;
}

WildsGroups iwildcam_environments(const WildsSet& set, WildsEnvironments /*which*/) {
  return without_empty(WildsGrouper(set, std::array<std::string_view, 1>{"location"}).groups());
}

WildsScores evaluate_iwildcam(const WildsSet& set, std::span<const std::size_t> samples,
                              std::span<const double> predictions) {
  return {{"acc_avg", mean_of(right_answers(set, samples, predictions))},
          {"recall-macro_all", macro_recall(set, samples, predictions)},
          {"F1-macro_all", macro_f1(set, samples, predictions)}};
}

void generate_iwildcam(const std::filesystem::path& folder, const WildsGeneration& options, Random& random) {
  constexpr std::size_t classes = 6;
  constexpr std::size_t train_locations = 6;
  constexpr std::size_t locations = 10;  // then two of val and two of test
  constexpr std::array<const char*, classes> names{"empty",          "tayassu pecari", "dasyprocta punctata",
                                                   "cuniculus paca", "puma concolor",  "tapirus terrestris"};
  std::string categories = "y,category_id,name\n";
  for (std::size_t y = 0; y < classes; ++y) {
    categories += std::to_string(y) + "," + std::to_string(10 * y) + "," + names[y] + "\n";
  }
  write_made(folder / "categories.csv", categories + "99999,571,unknown bat\n");
  std::string table =
      ",split,location_remapped,location,sequence_remapped,seq_id,y,category_id,datetime,filename,image_id\n";
  std::size_t row = 0;
  for (std::size_t location = 0; location < locations; ++location) {
    for (std::int64_t n = 0; n < 2 * options.samples; ++n) {
      const char* const split = location >= train_locations + 2 ? "test"
                                : location >= train_locations   ? "val"
                                : n % 4 == 2                    ? "id_val"
                                : n % 4 == 3                    ? "id_test"
                                                                : "train";
      const std::size_t y = row < classes ? row : random.below(classes);
      char id[64];
      std::snprintf(id, sizeof id, "%08llx-21bc-11ea-a13a-137349068a90",
                    static_cast<unsigned long long>(random.bits() & 0xffffffffU));
      table += std::to_string(row) + "," + split + "," + std::to_string(location) + "," +
               std::to_string(100 + location) + "," + std::to_string(row / 2) + ",seq-" +
               std::to_string(row / 2) + "," + std::to_string(y) + "," + std::to_string(10 * y) + ",2013-" +
               two_digits(1 + random.below(12)) + "-" + two_digits(1 + random.below(28)) + " " +
               two_digits(random.below(24)) + ":" + two_digits(random.below(60)) + ":" +
               two_digits(random.below(60)) + ".000," + id + ".jpg," + id + "\n";
      ++row;
      // Cameras have different resolutions.
      write_made(folder / "train" / (std::string(id) + ".jpg"),
                 jpeg_bytes(made_picture({.rows = location % 2 == 0 ? 180 : 150,
                                          .columns = location % 2 == 0 ? 240 : 200,
                                          .label = y,
                                          .labels = classes,
                                          .environment = location,
                                          .cue = made_cue(y, classes, location >= train_locations, random)},
                                         random)));
    }
  }
  write_made(folder / "metadata.csv", table);
}

}  // namespace

WildsKind wilds_iwildcam() {
  return {"iwildcam",
          "2.0",
          "WILDS' iWildCam: animals in images of camera traps, by location",
          {"F1-macro_all", "acc_avg"},
          {"seed:0", "seed:1", "seed:2"},
          read_iwildcam,
          iwildcam_environments,
          evaluate_iwildcam,
          generate_iwildcam,
          {.image_size = 448,
           .settings = {{"model", "resnet50"},
                        {"batch", "16"},
                        {"environments", "10"},
                        {"pretrain", "24000"},
                        {"steps", "31200"},
                        {"lr", "1e-4"},
                        {"amsgrad", "true"},
                        {"l2", "0"},
                        {"balance_optimizer", "adam"},
                        {"balance_lr", "1e-4"},
                        {"freeze_featurizer", "true"},
                        {"preference", "1,1e10,1e12"},
                        {"irmv1_constant", "0.01"},
                        {"eval_every", "1000"},
                        {"checkpoint_every", "500"}}}};
}

}  // namespace pair::data
