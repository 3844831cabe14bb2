#include <array>
#include <stdexcept>
#include <string>

#include "pair/data/wilds.h"
#include "pair/data/wilds_making.h"
#include "pair/data/wilds_metrics.h"
#include "pair/data/wilds_table.h"

// Camelyon17 (Bandi et al. 2018): patches of tissue from five hospitals; does the centre contain a tumour?
// Hospital 1 is for validation and hospital 2 for testing, regardless of the column split.

namespace pair::data {
namespace {

WildsSet read_camelyon17(const std::filesystem::path& folder, const WildsOptions& /*options*/) {
  enum Columns : std::size_t { patient, node, x, y, tumor, slide, center, split };
  WildsTable table(folder / "metadata.csv",
                   {"patient", "node", "x_coord", "y_coord", "tumor", "slide", "center", "split"});
  constexpr std::int64_t largest = 1'000'000'000;
  constexpr std::int64_t val_hospital = 1;
  constexpr std::int64_t test_hospital = 2;
  WildsSet set{.splits = {Split::train, Split::id_val, Split::test, Split::val},
               .classes = {"normal", "tumor"},
               .fields = {"hospital", "slide", "y", "from_source_domain"},
               .rows = 96,
               .columns = 96};
  while (table.next()) {
    const std::int64_t hospital = table.whole(center, 0, 4);
    const std::int64_t stated = table.whole(split, 0, 3);
    if (hospital != val_hospital && hospital != test_hospital && stated > 1) {
      table.refuse(split, "0 (train) or 1 (id_val) for hospital " + std::to_string(hospital));
    }
    const Split of = hospital == val_hospital    ? Split::val
                     : hospital == test_hospital ? Split::test
                     : stated == 0               ? Split::train
                                                 : Split::id_val;
    // The patient's number has leading zeros, which are part of the path.
    const std::string place = "patient_" + std::string(table.text(patient)) + "_node_" +
                              std::to_string(table.whole(node, 0, largest));
    set.inputs.push_back("patches/" + place + "/patch_" + place + "_x_" +
                         std::to_string(table.whole(x, 0, largest)) + "_y_" +
                         std::to_string(table.whole(y, 0, largest)) + ".png");
    set.split.emplace_back(of);
    for (const std::int64_t value : {hospital, table.whole(slide, 0, 100'000), table.whole(tumor, 0, 1),
                                     std::int64_t{of == Split::train}}) {
      set.metadata.push_back(static_cast<double>(value));
    }
  }
  return set;
}

WildsGroups camelyon17_environments(const WildsSet& set, WildsEnvironments /*which*/) {
  return without_empty(WildsGrouper(set, std::array<std::string_view, 1>{"hospital"}).groups());
}

WildsScores evaluate_camelyon17(const WildsSet& set, std::span<const std::size_t> samples,
                                std::span<const double> predictions) {
  return accuracy_scores(set, "slide", samples, predictions);
}

void generate_camelyon17(const std::filesystem::path& folder, const WildsGeneration& options,
                         Random& random) {
  constexpr std::size_t hospitals = 5;
  constexpr std::size_t slides = 10;  // per hospital
  std::string table = ",patient,node,x_coord,y_coord,tumor,slide,center,split\n";
  std::size_t row = 0;
  for (std::size_t center = 0; center < hospitals; ++center) {
    for (std::int64_t n = 0; n < 4 * options.samples; ++n) {
      const std::size_t slide = static_cast<std::size_t>(n) % slides;
      const std::string patient = "0" + two_digits(20 * center + slide);
      const std::size_t node = slide % 5;
      const std::uint64_t x = 3328 + 32 * static_cast<std::uint64_t>(n);
      const std::uint64_t y = 21792 + 32 * random.below(100);
      const std::size_t tumor = random.below(2);
      // The file states a split for the validation and test hospitals, too, which is not used.
      const int split = n % 4 == 3 ? 1 : 0;
      const std::string place = "patient_" + patient + "_node_" + std::to_string(node);
      const std::string at = "_x_" + std::to_string(x) + "_y_" + std::to_string(y);
      table += std::to_string(row++) + "," + patient + "," + std::to_string(node) + "," + std::to_string(x) +
               "," + std::to_string(y) + "," + std::to_string(tumor) + "," +
               std::to_string(slides * center + slide) + "," + std::to_string(center) + "," +
               std::to_string(split) + "\n";
      write_made(folder / "patches" / place / ("patch_" + place + at + ".png"),
                 png_bytes(made_picture({.label = tumor,
                                         .environment = center,
                                         .cue = made_cue(tumor, 2, center == 1 || center == 2, random)},
                                        random)));
    }
  }
  write_made(folder / "metadata.csv", table);
}

}  // namespace

WildsKind wilds_camelyon17() {
  std::vector<std::string> seeds;
  for (int seed = 0; seed < 10; ++seed) {
    seeds.push_back("seed:" + std::to_string(seed));
  }
  return {"camelyon17",
          "1.0",
          "WILDS' Camelyon17: tumours in patches of tissue, by hospital",
          {"acc_avg"},
          std::move(seeds),
          read_camelyon17,
          camelyon17_environments,
          evaluate_camelyon17,
          generate_camelyon17,
          {.settings = {{"model", "densenet121"},
                        {"batch", "32"},
                        {"environments", "3"},
                        {"pretrain", "10000"},
                        {"steps", "13340"},
                        {"optimizer", "sgd"},
                        {"descent_momentum", "0.9"},
                        {"lr", "1e-4"},
                        {"l2", "0"},
                        {"balance_optimizer", "sgd"},
                        {"balance_lr", "1e-4"},
                        {"momentum", "0.9"},
                        {"preference", "1,1e12,1e12"},
                        {"irmv1_constant", "1"},
                        {"eval_every", "1670"},
                        {"checkpoint_every", "500"}}}};
}

}  // namespace pair::data
